//! What the footers of Parquet files state about columns.

use arrow_array::{Array, ArrayRef};
use arrow_schema::{DataType, FieldRef};
use gdf_api::reduction::{ReduceAggregation, reduce};
use gdf_core::{Column, Scalar, is_decimal, is_floating};
use gdf_driver::{Device, Stream};

use parquet::basic::Type as PhysicalType;
use parquet::column::page::{Page, PageReader};

use super::ParquetReader;
use super::failure::contained;
use super::file::ParquetFile;
use super::plan::{Origin, Plan, PlanColumn, group_statistics};
use crate::Result;

/// What the footers of Parquet files state about a column. [`ParquetReader::column_statistics`] returns it.
#[derive(Clone, Debug)]
#[non_exhaustive]
pub struct ParquetColumnStatistics {
    /// The name and the type of the column.
    pub field: FieldRef,
    /// The smallest value of numbers, dates and times, on the CPU. `None` if it is not known or all values are null.
    pub min: Option<Scalar>,
    /// The largest value, as [`min`](Self::min).
    pub max: Option<Scalar>,
    /// The number of nulls, if it is known.
    pub null_count: Option<u64>,
    /// An estimate of the number of distinct values: the size of the dictionary of one row group, if it is small and at
    /// most a tenth of the number of rows. `None` if there is no such dictionary.
    pub distinct_count: Option<u64>,
    /// The number of bytes of all texts, or of all byte strings. For row groups whose metadata do not state it, the
    /// uncompressed size of the pages is used instead. `None` for other types.
    pub text_bytes: Option<u64>,
}

/// A larger dictionary is not read.
const MOST_DICTIONARY_BYTES: i64 = 1 << 16;
/// With fewer rows for each value, other row groups have further values.
const FEWEST_ROWS_OF_VALUE: usize = 10;

impl ParquetReader {
    /// Returns what the footers of the files state about the selected columns, and the sizes of small dictionaries. No
    /// rows are read, and a predicate and selected rows are ignored. The files may state wrong values, so the results
    /// are for estimates.
    ///
    /// ```
    /// # mod gdf { pub use gdf_api::*; pub use gdf_core::*; pub mod io { pub use gdf_io::*; } }
    /// use gdf::io::ParquetReader;
    ///
    /// # let folder = tempfile::tempdir()?;
    /// # let path = folder.path().join("trips.parquet");
    /// let batch = gdf::io::example_batch()?;
    /// gdf::io::write_parquet(&batch, &path)?;
    /// let statistics = ParquetReader::open(&path)?.columns(["id"]).column_statistics()?;
    /// assert_eq!(statistics[0].null_count, Some(0));
    /// assert!(statistics[0].min.is_some());
    /// # Ok::<(), Box<dyn std::error::Error>>(())
    /// ```
    ///
    /// # Errors
    /// - [`Error::NoColumn`](crate::Error::NoColumn), [`Error::AmbiguousColumn`](crate::Error::AmbiguousColumn): a
    ///   selected column does not exist, or several columns have its name.
    /// - [`Error::Gdf`](crate::Error::Gdf): an allocation failed.
    pub fn column_statistics(self) -> Result<Vec<ParquetColumnStatistics>> {
        let mut options = self.options;
        (options.predicate, options.rows) = (None, 0..usize::MAX);
        options.conditions.clear();
        let plan = Plan::new(self.files, &self.partitions, &options)?;
        plan.columns.iter().map(|column| of_column(&plan, column)).collect()
    }
}

fn of_column(plan: &Plan, column: &PlanColumn) -> Result<ParquetColumnStatistics> {
    let found = |index: usize| {
        let groups: Vec<usize> = (0..plan.files[index].num_groups()).collect();
        group_statistics(&plan.files[index], index, &groups, column)
    };
    let unknown = ParquetColumnStatistics {
        field: column.field.clone(),
        min: None,
        max: None,
        null_count: None,
        distinct_count: dictionary_size(plan, column),
        text_bytes: text_bytes(plan, column),
    };
    let of_files: Option<Vec<_>> = (0..plan.files.len()).map(found).collect();
    let Some(of_files) = of_files else { return Ok(unknown) };
    let nulls = of_files.iter().flat_map(|of| of.null_counts.iter());
    let null_count = nulls.sum::<Option<u64>>();
    let is_bounded = |data_type: &DataType| {
        data_type.is_integer() || is_floating(data_type) || is_decimal(data_type) || data_type.is_temporal()
    };
    // A row group of nulls has no bounds. In any other row group, a missing bound is not known.
    let is_missing = |bounds: &ArrayRef, of: &crate::filter::Statistics| {
        let has_values =
            |group: usize| of.null_counts.is_null(group) || of.null_counts.value(group) < of.row_counts.value(group);
        (0..bounds.len()).any(|group| bounds.is_null(group) && has_values(group))
    };
    if !is_bounded(column.field.data_type())
        || of_files.iter().any(|of| is_missing(&of.mins, of) || is_missing(&of.maxes, of))
    {
        return Ok(ParquetColumnStatistics { null_count, ..unknown });
    }
    let mins: Vec<&dyn Array> = of_files.iter().map(|of| of.mins.as_ref()).collect();
    let maxes: Vec<&dyn Array> = of_files.iter().map(|of| of.maxes.as_ref()).collect();
    let (min, max) = (extreme(&mins, ReduceAggregation::Min)?, extreme(&maxes, ReduceAggregation::Max)?);
    Ok(ParquetColumnStatistics { min, max, null_count, ..unknown })
}

/// Returns the number of bytes of all texts of a column.
fn text_bytes(plan: &Plan, column: &PlanColumn) -> Option<u64> {
    let Origin::Stored { leaves } = &column.origin else { return None };
    let is_text = |file: &ParquetFile, leaf: &usize| {
        file.metadata.parquet_schema().column(*leaf).physical_type() == PhysicalType::BYTE_ARRAY
    };
    let of_files = || plan.files.iter().zip(leaves);
    if is_decimal(column.field.data_type()) || !of_files().all(|(file, of)| of.iter().all(|leaf| is_text(file, leaf))) {
        return None;
    }
    let bytes = of_files().flat_map(|(file, of)| (0..file.num_groups()).map(|group| file.text_bytes(group, of)));
    Some(bytes.fold(0, u64::saturating_add))
}

/// Returns the number of values in the dictionary of a row group in the middle of the files.
fn dictionary_size(plan: &Plan, column: &PlanColumn) -> Option<u64> {
    let Origin::Stored { leaves } = &column.origin else { return None };
    let at = plan.files.len() / 2;
    let (file, [leaf]) = (plan.files.get(at)?, leaves.get(at)?.as_slice()) else { return None };
    let group = file.num_groups() / 2;
    let chunk = file.metadata.metadata().row_groups().get(group)?.column(*leaf);
    let bytes = chunk.data_page_offset().checked_sub(chunk.dictionary_page_offset()?)?;
    if !(0..=MOST_DICTIONARY_BYTES).contains(&bytes) {
        return None;
    }
    match contained(|| file.unread_pages(group, *leaf)?.get_next_page()).ok()?? {
        Page::DictionaryPage { num_values, .. } => {
            let is_small = (num_values as usize).saturating_mul(FEWEST_ROWS_OF_VALUE) <= file.group_rows(group);
            is_small.then_some(u64::from(num_values))
        }
        Page::DataPage { .. } | Page::DataPageV2 { .. } => None,
    }
}

/// Returns the smallest or the largest of the bounds, or `None` if all are null.
fn extreme(bounds: &[&dyn Array], aggregation: ReduceAggregation) -> Result<Option<Scalar>> {
    let same_type = bounds.iter().all(|of| of.data_type() == bounds[0].data_type());
    if !same_type {
        return Ok(None);
    }
    let bounds = arrow_select::concat::concat(bounds).map_err(gdf_core::Error::from)?;
    if bounds.null_count() == bounds.len() {
        return Ok(None);
    }
    let resource = gdf_memory::current_resource(Device::Cpu).map_err(gdf_core::Error::from)?;
    let column = Column::from_arrow(&bounds, &Stream::cpu(), resource.as_ref())?;
    let data_type = column.data_type().clone();
    Ok(Some(reduce(&column, aggregation, &data_type)?))
}
