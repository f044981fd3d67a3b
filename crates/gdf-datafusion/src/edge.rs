//! The edges of islands: record batches become columns on the device, and columns become record batches.

use arrow_array::RecordBatch;
use arrow_schema::SchemaRef;
use arrow_select::concat::concat_batches;
use datafusion::arrow::compute::cast;
use datafusion::physical_plan::SendableRecordBatchStream;
use datafusion::physical_plan::stream::RecordBatchStreamAdapter;
use futures::stream;
use gdf_core::Table;

use crate::error::{IslandError, Result};
use crate::types::held_schema;

/// Copies batches of one schema to the current device, as one table with plain types.
pub(crate) fn upload(schema: &SchemaRef, batches: &[RecordBatch]) -> Result<Table> {
    let batch = concat_batches(schema, batches)?;
    let plain = held_schema(schema).map_err(|refusal| IslandError::internal(refusal.to_string()))?;
    Ok(Table::from_batch(&retyped(&batch, &plain)?)?)
}

/// Copies a table to the host. The columns of the returned batch have the types of `schema`.
pub(crate) fn download(table: &Table, schema: &SchemaRef) -> Result<RecordBatch> {
    let plain = held_schema(schema).map_err(|refusal| IslandError::internal(refusal.to_string()))?;
    retyped(&table.to_batch(&plain)?, schema)
}

pub(crate) fn retyped(batch: &RecordBatch, schema: &SchemaRef) -> Result<RecordBatch> {
    let column = |(column, field): (&arrow_array::ArrayRef, &arrow_schema::FieldRef)| {
        if column.data_type() == field.data_type() {
            return Ok(column.clone());
        }
        cast(column, field.data_type())
    };
    let columns = batch.columns().iter().zip(schema.fields()).map(column).collect::<Result<Vec<_>, _>>()?;
    let options = arrow_array::RecordBatchOptions::new().with_row_count(Some(batch.num_rows()));
    Ok(RecordBatch::try_new_with_options(schema.clone(), columns, &options)?)
}

/// Returns a stream of slices of a batch, of at most `rows` rows each.
pub(crate) fn sliced(batch: RecordBatch, rows: usize) -> SendableRecordBatchStream {
    let schema = batch.schema();
    let (rows, count) = (rows.max(1), batch.num_rows());
    let slices = (0..count).step_by(rows).map(move |start| Ok(batch.slice(start, rows.min(count - start))));
    Box::pin(RecordBatchStreamAdapter::new(schema, stream::iter(slices)))
}
