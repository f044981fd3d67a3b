//! Streams of slices of batches.

use arrow_array::RecordBatch;
use arrow_schema::SchemaRef;
use datafusion::physical_plan::SendableRecordBatchStream;
use datafusion::physical_plan::stream::RecordBatchStreamAdapter;
use futures::stream;

/// Returns a stream of slices of batches, of at most `rows` rows each.
pub(crate) fn sliced(schema: SchemaRef, batches: Vec<RecordBatch>, rows: usize) -> SendableRecordBatchStream {
    let rows = rows.max(1);
    let slices = batches.into_iter().flat_map(move |batch| {
        let count = batch.num_rows();
        (0..count).step_by(rows).map(move |start| Ok(batch.slice(start, rows.min(count - start))))
    });
    Box::pin(RecordBatchStreamAdapter::new(schema, stream::iter(slices)))
}
