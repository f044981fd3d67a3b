//! Runs plans, and says what happens when memory is short.

use std::ops::ControlFlow;
use std::sync::Arc;
use std::sync::atomic::{AtomicBool, Ordering};

use gdf_api::scope::{current_resources, enter_resources};
use gdf_core::Table;
use gdf_driver::{Device, Stream};
use gdf_external::Budget;
use gdf_memory::{HostResource, Resource, SpillManager, SpillOptions, SpillStatisticsLevel};

use super::deferred::Deferred;
use super::profile::RESULT;
use super::{Plan, PlanProfile, Run};
use crate::error::{Error, Result};
use crate::options::Execution;
use crate::scan::Scan;

/// The result of a plan.
#[derive(Debug)]
#[non_exhaustive]
pub struct Executed<T> {
    /// The rows in one or more batches, as the caller has copied them. The order of the batches is the order of the
    /// rows.
    pub batches: Vec<T>,
    /// The measures of the pipelines, if the execution asked for them.
    pub profile: Option<PlanProfile>,
    /// Whether the plan ran in parts: the memory did not suffice for all rows at once, or the execution asked for it.
    pub in_parts: bool,
    /// The number of bytes that were spilled, if the spill manager of the run counts transfers. Runs at the same time
    /// with the same manager count together.
    pub spilled_bytes: u64,
}

/// The measures of a run that has passed on its rows.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
#[non_exhaustive]
pub struct Passed {
    /// Whether the plan ran in parts, as in [`Executed::in_parts`].
    pub in_parts: bool,
    /// The number of bytes that were spilled, as in [`Executed::spilled_bytes`].
    pub spilled_bytes: u64,
}

impl Plan {
    /// Computes the rows of the plan on the current device, and calls `copy` with the rows as one or more tables. `copy`
    /// returns the rows in memory that the run does not use, for example on the host.
    ///
    /// `inputs` are the rows of [`Node::Input`](crate::Node::Input).
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
    pub fn execute<T>(
        &self,
        inputs: &[Arc<dyn Scan>],
        execution: &Execution<'_>,
        copy: &dyn Fn(&Table) -> Result<T>,
    ) -> Result<Executed<T>> {
        let run = |budget: Option<&Budget>| {
            let manager = budget.and_then(Budget::manager);
            let before = manager.map_or(0, spilled_bytes);
            let executed = Run::new(self, inputs, execution, budget).execute(copy)?;
            let spilled_bytes = manager.map_or(0, spilled_bytes) - before;
            let profile = executed.profile.map(|profile| profile.with_memory(executed.in_parts, spilled_bytes));
            Ok(Executed { spilled_bytes, profile, ..executed })
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
        inputs: &[Arc<dyn Scan>],
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

/// Returns the number of bytes that a spill manager has spilled, if it counts transfers.
pub fn spilled_bytes(manager: &SpillManager) -> u64 {
    let statistics = manager.statistics();
    statistics.device_to_host.bytes + statistics.device_to_disk.bytes
}

impl Run<'_> {
    fn execute<T>(mut self, copy: &dyn Fn(&Table) -> Result<T>) -> Result<Executed<T>> {
        let in_parts = self.budget.is_some();
        if self.trace.is_none() {
            return Ok(Executed { batches: self.batches(copy)?, profile: None, in_parts, spilled_bytes: 0 });
        }
        let (batches, operations) = gdf_profile::profile(self.execution.device, || self.batches(copy))?;
        let trace = self.trace.take().ok_or_else(|| Error::internal("the measures of the pipelines are missing"))?;
        let key_filters = self.applied_key_filters.load(Ordering::Relaxed);
        let profile = Some(trace.finished(operations, key_filters, self.running.read()));
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

    fn batches<T>(&self, copy: &dyn Fn(&Table) -> Result<T>) -> Result<Vec<T>> {
        let copied = |rows: &Table| {
            let count = rows.num_rows();
            self.measured(RESULT, |_| count, || copy(rows))
        };
        let Some(limited) = self.limited() else {
            return Ok(vec![copied(&self.node(&self.plan.root)?.into_table()?)?]);
        };
        // On the CPU, batches share the memory of tables. Such memory cannot be spilled, and would take up the budget.
        let host = Resource::new(HostResource::new());
        let mut empty = None;
        let mut batches = Vec::new();
        for part in limited.parts(&self.plan.root)? {
            let part = part?;
            if part.num_rows() == 0 {
                empty = Some(part);
                continue;
            }
            batches.push(match self.execution.device {
                Device::Cpu => copied(&part.deep_copy(&Stream::cpu(), &host)?)?,
                Device::Cuda(_) => copied(&part)?,
            });
        }
        if let (Some(empty), true) = (empty, batches.is_empty()) {
            batches.push(copied(&empty)?);
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
