//! Statistics of tables from the footers of Parquet files.

use arrow_schema::SchemaRef;
use datafusion::common::stats::Precision;
use datafusion::common::{ColumnStatistics, Statistics};
use datafusion::scalar::ScalarValue;
use gdf_core::Scalar;
use gdf_io::{ParquetColumnStatistics, ParquetReader};

use crate::error::IslandError;

/// What the footers of Parquet files state. All numbers are estimates, because the files may change before a query reads
/// them.
#[derive(Debug)]
pub(super) struct Footers {
    pub(super) statistics: Statistics,
    /// The number of bytes of the texts of each column, if it is known.
    text_bytes: Vec<Option<u64>>,
}

impl Footers {
    pub(super) fn of(reader: ParquetReader, schema: &SchemaRef) -> Result<Footers, IslandError> {
        let num_rows = Precision::Inexact(reader.num_rows());
        let columns = reader.column_statistics()?;
        let text_bytes = columns.iter().map(|column| column.text_bytes).collect();
        let columns = columns.into_iter().zip(schema.fields());
        let column_statistics = columns.map(|(found, field)| of_column(found, field.data_type())).collect();
        let statistics = Statistics { num_rows, total_byte_size: Precision::Absent, column_statistics };
        Ok(Footers { statistics, text_bytes })
    }

    /// Returns the number of bytes of the texts of the column that has most of them.
    pub(super) fn text_bytes(&self, columns: &[usize]) -> Option<u64> {
        columns.iter().filter_map(|column| *self.text_bytes.get(*column)?).max()
    }
}

fn of_column(found: ParquetColumnStatistics, data_type: &arrow_schema::DataType) -> ColumnStatistics {
    let value = |bound: Option<Scalar>| {
        let array = bound?.into_column().to_array().ok()?;
        let value = ScalarValue::try_from_array(&array, 0).ok()?.cast_to(data_type).ok()?;
        Some(Precision::Inexact(value))
    };
    let count = |count: Option<u64>| {
        count.and_then(|count| usize::try_from(count).ok()).map_or(Precision::Absent, Precision::Inexact)
    };
    let mut column = ColumnStatistics::new_unknown();
    column.null_count = count(found.null_count);
    column.distinct_count = count(found.distinct_count);
    column.min_value = value(found.min).unwrap_or(Precision::Absent);
    column.max_value = value(found.max).unwrap_or(Precision::Absent);
    column
}
