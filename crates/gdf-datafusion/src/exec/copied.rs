//! Islands whose rows are written to a file while they run.

use std::ops::ControlFlow;
use std::sync::Arc;
use std::sync::atomic::{AtomicBool, Ordering};
use std::time::Instant;

use arrow_array::RecordBatch;
use datafusion::error::{DataFusionError, Result};
use datafusion::execution::TaskContext;
use datafusion::physical_plan::metrics::MetricBuilder;

use super::{CancelOnDrop, Collection, GdfExec};
use crate::device_thread::run_on_thread;
use crate::edge::download;
use crate::error::{Failure, IslandError};
use crate::files::{Destination, written};
use crate::options::{Fallback, count};
use crate::work::on_device;

/// The reason why a file was not written.
enum Failed {
    /// The island failed. DataFusion may run the replaced nodes.
    Island(DataFusionError),
    /// The file failed, or the statement was canceled.
    File(DataFusionError),
}

impl GdfExec {
    /// Returns whether rows may leave the island before all rows are computed. A comparison needs all rows, and so do
    /// measures.
    pub(crate) fn can_pass_rows_on(&self) -> bool {
        !self.options.verify() && !self.options.is_profiled()
    }

    /// Runs the island, and writes its rows to a file while it runs. Returns the number of rows. For a fallback, the
    /// file is begun again.
    pub(crate) async fn copied(self: Arc<Self>, context: Arc<TaskContext>, to: Arc<Destination>) -> Result<u64> {
        let Collection { inputs, reservation: _reserved } = match self.collected(&context).await {
            Ok(found) => found,
            Err(error) if self.leaves_to_datafusion(&error) => {
                let rows = self.fallen_back(&error, Arc::clone(&self.original), context).await?;
                return written(rows, to).await;
            }
            Err(error) => return Err(error),
        };
        match self.written(&inputs, &to).await {
            Ok(rows) => {
                count(&self.options.counters().islands);
                MetricBuilder::new(&self.metrics).output_rows(0).add(usize::try_from(rows).unwrap_or(usize::MAX));
                Ok(rows)
            }
            Err(Failed::Island(error)) if self.options.fallback() != Fallback::Forbidden => {
                let original = self.over(&inputs)?;
                written(self.fallen_back(&error, original, context).await?, to).await
            }
            Err(Failed::Island(error) | Failed::File(error)) => Err(error),
        }
    }

    async fn written(&self, inputs: &[Vec<Vec<RecordBatch>>], to: &Arc<Destination>) -> Result<u64, Failed> {
        let cancelled = CancelOnDrop(Arc::new(AtomicBool::new(false)));
        let (plan, options, flag) = (Arc::clone(&self.plan), self.options.clone(), Arc::clone(&cancelled.0));
        let (inputs, schema, to) = (self.input_rows(inputs), self.original.schema(), Arc::clone(to));
        let time = MetricBuilder::new(&self.metrics).elapsed_compute(0);
        let spilled = MetricBuilder::new(&self.metrics).spilled_bytes(0);
        let peak = self.peak();
        let work = move || {
            let started = Instant::now();
            let (mut writing, mut failed) = (to.begin(&schema), None);
            let passed = on_device(&options, &peak, || {
                let execution = super::execution(&options, &flag);
                let passed = plan.for_each_table(&inputs, &execution, &mut |table| {
                    let rows = download(&table, &schema)?;
                    drop(table);
                    failed = writing.write(&rows).err();
                    Ok(if failed.is_none() { ControlFlow::Continue(()) } else { ControlFlow::Break(()) })
                });
                passed.map_err(|error| Failure::from(error).of_memory(options.device(), options.memory_limit()))
            });
            time.add_duration(started.elapsed());
            let passed = passed.map_err(|error| Failed::Island(error.into()))?;
            if let Some(error) = failed {
                return Err(Failed::File(error));
            }
            if flag.load(Ordering::Relaxed) {
                return Err(Failed::File(IslandError::Cancelled.into()));
            }
            if passed.in_parts {
                count(&options.counters().in_parts);
                options.counters().spilled_bytes.fetch_add(passed.spilled_bytes, Ordering::Relaxed);
                spilled.add(usize::try_from(passed.spilled_bytes).unwrap_or(usize::MAX));
            }
            writing.finish().map_err(Failed::File)
        };
        let rows = run_on_thread(self.options.device(), work).await.map_err(Failed::File)?;
        drop(cancelled);
        rows
    }
}
