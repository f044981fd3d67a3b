//! Runs plans, and says what happens when memory is short.

use std::ops::ControlFlow;
use std::sync::atomic::{AtomicBool, Ordering};

use arrow_array::RecordBatch;
use arrow_schema::SchemaRef;
use gdf_api::scope::{current_resources, enter_resources};
use gdf_core::Table;
use gdf_driver::{Device, Stream};
use gdf_external::Budget;
use gdf_memory::{HostResource, Resource, SpillManager, SpillOptions, SpillStatisticsLevel};

use super::deferred::Deferred;
use super::profile::RESULT;
use super::{InputRows, Plan, PlanProfile, Run};
use crate::edge::download;
use crate::error::{Error, Result};
use crate::options::Execution;

/// The result of a plan.
#[derive(Debug)]
#[non_exhaustive]
pub struct Executed {
    /// The rows, in one batch or more. The order of the batches is the order of the rows.
    pub batches: Vec<RecordBatch>,
    /// The measures of the pipelines, if the execution asked for them.
    pub profile: Option<PlanProfile>,
    /// Whether the plan ran in parts: the memory did not suffice for all rows at once, or the execution asked for it.
    pub in_parts: bool,
    /// The number of bytes that were spilled, if the spill manager of the run counts transfers. Runs at the same time
    /// with the same manager count together.
    pub spilled_bytes: u64,
}

/// What a run took that has passed on its rows.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
#[non_exhaustive]
pub struct Passed {
    /// Whether the plan ran in parts, as in [`Executed::in_parts`].
    pub in_parts: bool,
    /// The number of bytes that were spilled, as in [`Executed::spilled_bytes`].
    pub spilled_bytes: u64,
}

impl Plan {
    /// Computes the rows of the plan on the current device, as batches with the types of `schema`.
    ///
    /// The nodes first work on all rows at once, unless [`Execution::in_parts`] is set. If memory runs out, the plan
    /// runs again in parts. Rows pass through the plan in small tables. Joins, group-bys and windows divide their rows
    /// by keys, and sorts by ranges of keys. What waits is spilled. The memory of such a run is the budget of the
    /// scope's spill manager, which the run reserves. Without a spill manager with a limit, it is most of the memory
    /// that is free on the device. If memory runs out again, the part that a node works on is halved, but not a part
    /// that a source reads.
    ///
    /// # Errors
    /// * The plan failed, or the run was canceled; see [`Error`](crate::Error).
    /// * [`Error::Operation`](crate::Error::Operation) with a failed allocation. One of these does not fit in memory: a
    ///   single row, a part that a source reads, all rows of a partition of a window, or the distinct values of a group.
    pub fn execute(&self, inputs: &[InputRows], schema: &SchemaRef, execution: &Execution<'_>) -> Result<Executed> {
        let run = |budget: Option<&Budget>| {
            let manager = budget.and_then(Budget::manager);
            let before = manager.map_or(0, spilled_bytes);
            let executed = Run::new(self, inputs, execution, budget).execute(schema)?;
            Ok(Executed { spilled_bytes: manager.map_or(0, spilled_bytes) - before, ..executed })
        };
        in_memory(execution, || true, run)
    }

    /// Computes the rows of the plan on the current device, and passes them to `each` as tables, in the order of the
    /// rows. There is at least one table, which may have no rows.
    ///
    /// Where the nodes work on pieces of a source, `each` gets the rows of a piece as soon as these and all rows before
    /// them are computed. The memory of a plan of filters, projections and lookups in the hash tables of joins then does
    /// not grow with the number of rows of the source. The calls come from several threads, one after the other. The
    /// plan runs in parts as [`execute`](Self::execute) describes, but does not start again after the first call.
    ///
    /// # Errors
    /// * The errors of `each`, and those of [`execute`](Self::execute).
    pub fn for_each_table(
        &self,
        inputs: &[InputRows],
        execution: &Execution<'_>,
        each: EachTable<'_>,
    ) -> Result<Passed> {
        let has_begun = AtomicBool::new(false);
        in_memory(
            execution,
            || !has_begun.load(Ordering::Relaxed),
            |budget| {
                let manager = budget.and_then(Budget::manager);
                let before = manager.map_or(0, spilled_bytes);
                Run::new(self, inputs, execution, budget).for_each_table(&mut |table| {
                    has_begun.store(true, Ordering::Relaxed);
                    each(table)
                })?;
                let spilled_bytes = manager.map_or(0, spilled_bytes) - before;
                Ok(Passed { in_parts: budget.is_some(), spilled_bytes })
            },
        )
    }
}

/// The consumer of the tables of a result. It may end the run.
pub type EachTable<'e> = &'e mut (dyn FnMut(Table) -> Result<ControlFlow<()>> + Send);

/// Calls `run` without a budget. If memory runs out and `run` may be called again, or if the execution asks for parts,
/// calls `run` with a budget.
fn in_memory<T>(
    execution: &Execution<'_>,
    may_start_again: impl Fn() -> bool,
    mut run: impl FnMut(Option<&Budget>) -> Result<T>,
) -> Result<T> {
    let device = execution.device;
    let (output, _) = current_resources(device)?;
    if !execution.in_parts {
        match run(None) {
            Err(error) if error.is_out_of_memory() && may_start_again() => {
                tracing::debug!(target: "gdf", %error, "a plan is out of memory: trying again in parts");
            }
            result => return result,
        }
        output.trim();
    }
    let (manager, _entered) = match SpillManager::of(&output) {
        Some(manager) if manager.options().device_limit().is_some() => (manager, None),
        Some(_) | None => {
            let options = SpillOptions::new().with_statistics(SpillStatisticsLevel::Transfers);
            let manager = SpillManager::new(output, options.with_hard_limit(free_bytes(device)?));
            let spilling = manager.resource();
            let entered = enter_resources(&spilling, &spilling)?;
            (manager, Some(entered))
        }
    };
    // Tables that outlive the plan, such as those of a session, stay where they are.
    let budget = Budget::of(&manager).with_own_memory_only();
    let _reserved = budget.reserve()?;
    run(Some(&budget))
}

fn spilled_bytes(manager: &SpillManager) -> u64 {
    let statistics = manager.statistics();
    statistics.device_to_host.bytes + statistics.device_to_disk.bytes
}

impl Run<'_> {
    /// Computes the rows of the plan, as batches with the types of `schema`.
    fn execute(mut self, schema: &SchemaRef) -> Result<Executed> {
        let in_parts = self.budget.is_some();
        if self.trace.is_none() {
            return Ok(Executed { batches: self.batches(schema)?, profile: None, in_parts, spilled_bytes: 0 });
        }
        let (batches, operations) = gdf_profile::profile(self.execution.device, || self.batches(schema))?;
        let trace = self.trace.take().ok_or_else(|| Error::internal("the measures of the pipelines are missing"))?;
        let profile = Some(trace.finished(operations, self.applied_key_filters.load(Ordering::Relaxed)));
        Ok(Executed { batches: batches?, profile, in_parts, spilled_bytes: 0 })
    }

    fn for_each_table(&self, each: EachTable<'_>) -> Result<()> {
        if let Some(limited) = self.limited() {
            for part in limited.parts(&self.plan.root)? {
                if each(part?)?.is_break() {
                    break;
                }
            }
            return Ok(());
        }
        if self.streams(&self.plan.root) {
            return self.stream(&self.plan.root, &mut |stream| stream.map(Deferred::into_table).for_each(self, each));
        }
        each(self.node(&self.plan.root)?.into_table()?).map(|_| ())
    }

    fn batches(&self, schema: &SchemaRef) -> Result<Vec<RecordBatch>> {
        let copied = |rows: &Table| self.measured(RESULT, RecordBatch::num_rows, || download(rows, schema));
        let Some(limited) = self.limited() else {
            return Ok(vec![copied(&self.node(&self.plan.root)?.into_table()?)?]);
        };
        // On the CPU, batches share the memory of tables. Such memory cannot be spilled, and would take up the budget.
        let host = Resource::new(HostResource::new());
        let copied = |part: Result<Table>| match self.execution.device {
            Device::Cpu => copied(&part?.deep_copy(&Stream::cpu(), &host)?),
            Device::Cuda(_) => copied(&part?),
        };
        let parts = limited.parts(&self.plan.root)?;
        let mut batches: Vec<RecordBatch> = parts.map(copied).collect::<Result<_>>()?;
        if batches.iter().any(|batch| batch.num_rows() > 0) {
            batches.retain(|batch| batch.num_rows() > 0);
        } else {
            batches.truncate(1);
        }
        Ok(batches)
    }
}

/// The limit where the system does not tell how much memory is free.
const UNKNOWN_FREE: usize = 1 << 30;

/// Returns most of the memory that is free on the device.
fn free_bytes(device: Device) -> Result<usize> {
    let free = device.memory_info().map_err(gdf_core::Error::from)?.free;
    let free = usize::try_from(free).unwrap_or(usize::MAX);
    Ok(if free == 0 { UNKNOWN_FREE } else { free - free / 8 })
}
