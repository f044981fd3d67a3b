//! Generates a table in memory, in parts.
//!
//! Each thread generates one part at a time and passes the part on through a bounded queue. The host therefore holds
//! only a few parts, however large the table is. This matters for large tables: at scale 100, the queries read 66 GB of
//! lineitem, and a host with 128 GiB cannot hold 66 GB twice.

use std::ops::ControlFlow;
use std::sync::atomic::{AtomicI32, Ordering};
use std::sync::mpsc::{SyncSender, sync_channel};
use std::thread;

use anyhow::Context;
use arrow_array::RecordBatch;
use arrow_cast::cast;
use arrow_schema::{ArrowError, DataType, Field, Schema, SchemaRef};
use arrow_select::concat::concat_batches;

use crate::generate::TpchTable;

/// The largest default number of rows of a part. Such a part of lineitem has 220 MB in the columns that the queries
/// read.
pub(crate) const ROWS_PER_PART: u64 = 2_000_000;
/// The smallest default number of rows of a part: few enough for several threads at scale 1.
const SMALLEST_USUAL_PART: u64 = 250_000;
/// The number of finished parts that can wait for the receiver.
const QUEUE: usize = 2;

type Made = (usize, Result<RecordBatch, ArrowError>);

/// Some columns of a table, generated in parts.
#[derive(Clone, Debug)]
pub(crate) struct Parts {
    table: TpchTable,
    scale: f64,
    schema: SchemaRef,
    count: i32,
}

impl Parts {
    /// Describes the parts of a table with the given columns and types. `None` stands for the default number of rows.
    pub(crate) fn new(table: TpchTable, scale: f64, columns: &[(&str, DataType)], rows: Option<u64>) -> Parts {
        let threads = rayon::current_num_threads() as u64;
        let usual = table.expected_rows(scale) / (4 * threads);
        let rows = rows.unwrap_or(usual.clamp(SMALLEST_USUAL_PART, ROWS_PER_PART));
        let fields = columns.iter().map(|(name, data_type)| Field::new(*name, data_type.clone(), false));
        let schema = Schema::new(fields.collect::<Vec<_>>()).into();
        Parts { table, scale, schema, count: table.parts(scale, rows) }
    }

    pub(crate) fn schema(&self) -> &SchemaRef {
        &self.schema
    }

    pub(crate) fn count(&self) -> usize {
        self.count as usize
    }

    /// Generates all parts with all threads, and passes each part with its position to `take`, in the order in which
    /// the parts are finished. After an error of `take`, no more parts are generated.
    pub(crate) fn for_each(
        &self,
        mut take: impl FnMut(usize, RecordBatch) -> anyhow::Result<()>,
    ) -> anyhow::Result<()> {
        let next = AtomicI32::new(1);
        let (sender, receiver) = sync_channel(QUEUE);
        thread::scope(|scope| {
            for _ in 0..rayon::current_num_threads().min(self.count()) {
                let (next, sender) = (&next, sender.clone());
                scope.spawn(move || while self.make_next(next, &sender).is_continue() {});
            }
            drop(sender);
            // An early return closes the queue, which ends each thread at its next part.
            receiver.into_iter().try_for_each(|(place, batch): Made| {
                let batch = batch.with_context(|| format!("cannot generate the rows of the table {}", self.table))?;
                take(place, batch)
            })
        })
    }

    fn make_next(&self, next: &AtomicI32, sender: &SyncSender<Made>) -> ControlFlow<()> {
        let number = next.fetch_add(1, Ordering::Relaxed);
        if number > self.count {
            return ControlFlow::Break(());
        }
        match sender.send((number as usize - 1, self.make(number))) {
            Ok(()) => ControlFlow::Continue(()),
            Err(_) => ControlFlow::Break(()),
        }
    }

    fn make(&self, number: i32) -> Result<RecordBatch, ArrowError> {
        let chosen = |batch: RecordBatch| {
            let column = |field: &Field| cast(batch.column(batch.schema().index_of(field.name())?), field.data_type());
            let columns = self.schema.fields().iter().map(|field| column(field)).collect::<Result<_, ArrowError>>()?;
            RecordBatch::try_new(self.schema.clone(), columns)
        };
        let batches = self.table.batches(self.scale, number, self.count);
        let batches = batches.map(|batch| batch.and_then(chosen)).collect::<Result<Vec<_>, _>>()?;
        concat_batches(&self.schema, &batches)
    }
}

#[cfg(test)]
mod tests {
    use gdf::io::ParquetReader;

    use super::*;
    use crate::generate::ensure;

    fn all(parts: &Parts) -> anyhow::Result<RecordBatch> {
        let mut made = vec![None; parts.count()];
        parts.for_each(|place, batch| {
            made[place] = Some(batch);
            Ok(())
        })?;
        let made: Vec<RecordBatch> = made.into_iter().map(Option::unwrap).collect();
        Ok(concat_batches(parts.schema(), &made).unwrap())
    }

    #[test]
    fn parts_together_are_the_table_of_a_file() {
        let folder = tempfile::tempdir().unwrap();
        let columns = [("o_totalprice", DataType::Decimal128(15, 2)), ("o_orderstatus", DataType::Utf8)];
        ensure(folder.path(), TpchTable::Orders, 0.3).unwrap();
        let file = ParquetReader::open(folder.path().join("orders.parquet")).unwrap();
        let file = file.types(columns.clone()).unwrap().columns(columns.each_ref().map(|(name, _)| *name));
        let file = file.read().unwrap().to_arrow().unwrap();
        for (rows, count) in [(None, 2), (Some(100_000), 5), (Some(10_000_000), 1)] {
            let parts = Parts::new(TpchTable::Orders, 0.3, &columns, rows);
            assert_eq!(parts.count(), count);
            assert_eq!(all(&parts).unwrap().columns(), file.columns(), "{rows:?}");
        }
    }

    #[test]
    fn an_unknown_column_is_an_error() {
        let parts = Parts::new(TpchTable::Orders, 0.001, &[("o_total", DataType::Utf8)], None);
        assert!(all(&parts).unwrap_err().to_string().contains("the rows of the table orders"));
    }

    #[test]
    fn a_receiver_may_stop() {
        let parts = Parts::new(TpchTable::Part, 0.01, &[("p_partkey", DataType::Int64)], Some(10));
        let mut taken = 0;
        let outcome = parts.for_each(|_, _| {
            taken += 1;
            anyhow::bail!("enough")
        });
        assert!(outcome.is_err() && taken == 1);
    }
}
