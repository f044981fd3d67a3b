//! Statistics of tables from the footers of Parquet files.

use arrow_schema::SchemaRef;
use datafusion::common::stats::Precision;
use datafusion::common::{ColumnStatistics, Statistics};
use datafusion::scalar::ScalarValue;
use gdf_core::Scalar;
use gdf_io::{ParquetColumnStatistics, ParquetReader};

use crate::error::IslandError;

/// Returns what the footers state. All numbers are estimates, because the files may change before a query reads them.
pub(super) fn of_footers(reader: ParquetReader, schema: &SchemaRef) -> Result<Statistics, IslandError> {
    let num_rows = Precision::Inexact(reader.num_rows());
    let columns = reader.column_statistics()?;
    let columns = columns.into_iter().zip(schema.fields()).map(|(found, field)| of_column(found, field.data_type()));
    Ok(Statistics { num_rows, total_byte_size: Precision::Absent, column_statistics: columns.collect() })
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
