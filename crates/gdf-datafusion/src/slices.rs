//! Streams of slices of a batch.

use arrow_array::RecordBatch;
use datafusion::physical_plan::SendableRecordBatchStream;
use datafusion::physical_plan::stream::RecordBatchStreamAdapter;
use futures::stream;

/// Returns a stream of slices of a batch, of at most `rows` rows each.
pub(crate) fn sliced(batch: RecordBatch, rows: usize) -> SendableRecordBatchStream {
    let schema = batch.schema();
    let (rows, count) = (rows.max(1), batch.num_rows());
    let slices = (0..count).step_by(rows).map(move |start| Ok(batch.slice(start, rows.min(count - start))));
    Box::pin(RecordBatchStreamAdapter::new(schema, stream::iter(slices)))
}
