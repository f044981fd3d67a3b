//! Reads the rows of a row group with arrow-rs, and corrects what arrow-rs decodes otherwise than a read returns it.

use std::path::{Path, PathBuf};

use arrow_array::{Array, ArrayRef, make_array};
use arrow_cast::{CastOptions, cast_with_options};
use arrow_schema::{DataType, IntervalUnit};
use parquet::arrow::arrow_reader::ParquetRecordBatchReader;

use super::failure::{arrow_failure, malformed};
use super::types::{intervals, nanoseconds_reach};
use crate::contain::contain;
use crate::digits::has_digits_of_type;
use crate::error::Position;
use crate::hidden::{self, Remove};
use crate::{Error, Result};

/// A reader of some columns of a row group.
pub(crate) struct GroupReader {
    pub(super) path: PathBuf,
    pub(super) position: Option<Position>,
    pub(super) reader: ParquetRecordBatchReader,
    /// For each column, the type to which the decoded column is cast, or `None` if it is not cast.
    pub(super) types: Vec<Option<DataType>>,
    /// A second reader of the same rows, which reads timestamps as seconds.
    pub(super) seconds: Option<ParquetRecordBatchReader>,
    /// A reader of the same rows, which reads the months of intervals.
    pub(super) months: Option<ParquetRecordBatchReader>,
}

impl GroupReader {
    /// Returns the next rows.
    ///
    /// # Errors
    /// - The file is damaged, or uses a feature that arrow-rs cannot decode.
    pub(crate) fn next(&mut self) -> Result<Option<Vec<ArrayRef>>> {
        let Some(mut arrays) = next_of(&mut self.reader, &self.path, &self.position)? else { return Ok(None) };
        if let Some(seconds) = &mut self.seconds {
            let seconds = next_of(seconds, &self.path, &self.position)?.unwrap_or_default();
            if !seconds.iter().all(|seconds| nanoseconds_reach(&seconds.to_data())) {
                let what = "an INT96 timestamp is outside the range of nanoseconds, the years 1677 to 2262; read \
                            microseconds with ParquetReader::int96_unit";
                return Err(malformed(&self.path, self.position.clone(), what.to_owned()));
            }
        }
        if let Some(months) = &mut self.months {
            let months = next_of(months, &self.path, &self.position)?.unwrap_or_default();
            for ((array, months), data_type) in arrays.iter_mut().zip(months).zip(&self.types) {
                let Some(data_type) = data_type.as_ref().filter(|data_type| has_months(data_type)) else { continue };
                let whole = intervals(&array.to_data(), &months.to_data(), data_type)
                    .ok_or_else(|| self.wrong_rows(array.len(), months.len()))?;
                *array = make_array(whole);
            }
        }
        for (array, data_type) in arrays.iter_mut().zip(&self.types) {
            *array = hidden::cleared(array, Remove::Nested).map_err(gdf_core::Error::from)?;
            if let Some(data_type) = data_type.as_ref().filter(|data_type| *data_type != array.data_type()) {
                let options = CastOptions { safe: false, ..CastOptions::default() };
                *array = cast_with_options(array, data_type, &options).map_err(gdf_core::Error::from)?;
            }
            let is_narrow = matches!(array.data_type(), DataType::Decimal32(..) | DataType::Decimal64(..));
            if is_narrow && !has_digits_of_type(array, None) {
                let what = "a decimal has more digits than its type; read the column with more digits with \
                            ParquetReader::types";
                return Err(malformed(&self.path, self.position.clone(), what.to_owned()));
            }
        }
        Ok(Some(arrays))
    }

    pub(crate) fn wrong_rows(&self, expected: usize, found: usize) -> Error {
        let what = format!("the metadata claim {expected} rows, but the row group has {found} rows");
        malformed(&self.path, self.position.clone(), what)
    }
}

fn next_of(
    reader: &mut ParquetRecordBatchReader,
    path: &Path,
    position: &Option<Position>,
) -> Result<Option<Vec<ArrayRef>>> {
    match contain(|| reader.next()) {
        Ok(None) => Ok(None),
        Ok(Some(Ok(batch))) => Ok(Some(batch.columns().to_vec())),
        Ok(Some(Err(error))) => Err(arrow_failure(path, position.clone(), error)),
        Err(what) => Err(malformed(path, position.clone(), what)),
    }
}

/// Returns whether a type, or a type within it, is an interval of months, days and a time.
pub(super) fn has_months(data_type: &DataType) -> bool {
    match data_type {
        DataType::Interval(IntervalUnit::MonthDayNano) => true,
        other => gdf_core::layout::child_types(other).iter().any(|child| has_months(child)),
    }
}
