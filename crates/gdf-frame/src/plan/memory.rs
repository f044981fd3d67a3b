//! Decides how the rows of a plan are in memory: all at once, or in pieces.
//!
//! A plan over tables in memory runs on all rows at once. If the memory has a limit, the plan reserves a multiple of the
//! bytes of its tables before. If that does not suffice, or if the plan reads files or has several batches, gdf-exec
//! runs it in pieces, and spills what waits.

use std::sync::Arc;

use gdf_core::{Error, Result};
use gdf_driver::Device;
use gdf_exec::PlanProfile;
use gdf_external::{Budget, Reserved};

use super::lowered::{EachBatch, Lowered, Runner};
use super::needed::Needed;
#[cfg(feature = "io")]
use super::scan::Scan;
use super::sinks::table_of;
use super::widths::with_widths_of;
use super::{Plan, PlanNesting, Step};
use crate::columns::Columns;
use crate::expr::Leaf;

/// The number of bytes that a plan reserves for each byte of its tables.
const BYTES_OF_BYTE: usize = 8;
/// The number of bytes that a plan reserves in addition. Small results and states of operations need as much.
const BYTES_OF_PLAN: usize = 1 << 15;

impl Plan {
    /// Returns a plan over batches, without steps. All batches must have the names and types of the first batch.
    pub(crate) fn of_batches(mut batches: impl Iterator<Item = Columns>) -> Result<Plan> {
        let source = batches.next().ok_or_else(|| {
            Error::invalid_argument("there are no batches; pass at least one frame, which may have no rows")
        })?;
        let same = |other: Columns| {
            let table = with_widths_of(&*table_of(&other, &source)?, &source)?;
            match (source.table().device(), table.device()) {
                (Some(own), Some(found)) if own != found => Err(Error::device_mismatch(own, found)),
                _ => Ok(Columns::trusted(source.schema().clone(), table)),
            }
        };
        let more: Arc<[Columns]> = batches.map(same).collect::<Result<_>>()?;
        Ok(Plan { source, batches: Some(more), scan: None, steps: Vec::new(), nesting: PlanNesting::default() })
    }

    /// Returns a plan over the rows of a scan. `source` has the columns of the scan, without rows.
    #[cfg(feature = "io")]
    pub(crate) fn of_scan(source: Columns, scan: Arc<dyn Scan>) -> Plan {
        Plan { source, batches: None, scan: Some(scan), steps: Vec::new(), nesting: PlanNesting::default() }
    }

    pub(crate) fn run(&self) -> Result<Columns> {
        self.nesting.check()?;
        match self.at_once()? {
            Some(found) => found.watched(),
            None => self.in_pieces(false, |plan, run| plan.collect(run)),
        }
    }

    /// Executes the plan by gdf-exec, and measures its nodes.
    pub(crate) fn profile(&self) -> Result<(Columns, PlanProfile)> {
        self.nesting.check()?;
        let (columns, profile) = self.in_pieces(false, |plan, run| plan.profiled(run))?;
        Ok((columns.watched()?, profile))
    }

    pub(crate) fn run_in_batches(&self) -> Result<Vec<Columns>> {
        let mut batches = Vec::new();
        self.pass(false, &mut |columns| {
            batches.push(columns);
            Ok(())
        })?;
        Ok(batches)
    }

    /// Executes the plan, and passes the batches of the result to `each`, which does not keep them.
    pub(crate) fn run_for_each(&self, each: EachBatch<'_>) -> Result<()> {
        self.pass(true, each)
    }

    fn pass(&self, has_sink: bool, each: EachBatch<'_>) -> Result<()> {
        self.nesting.check()?;
        match self.at_once()? {
            Some(found) => each(found.watched()?),
            None => self.in_pieces(has_sink, |plan, run| plan.for_each(run, each)),
        }
    }

    fn device(&self) -> Device {
        self.source.table().device().unwrap_or(Device::Cpu)
    }

    /// Executes the plan on all rows at once. Returns `None` if the rows do not fit, or are not in memory.
    fn at_once(&self) -> Result<Option<Columns>> {
        if self.has_batches() {
            return Ok(None);
        }
        let reserved: Option<Reserved> = match Budget::current(self.device())? {
            Some(budget) if self.computes() => {
                let bytes = self.source_bytes().saturating_mul(BYTES_OF_BYTE).saturating_add(BYTES_OF_PLAN);
                if bytes > budget.bytes() {
                    return Ok(None);
                }
                Some(budget.with_bytes(bytes).reserve()?)
            }
            _ => None,
        };
        match self.run_for(&Needed::All) {
            Err(error) if error.is_out_of_memory() && reserved.is_some() => {
                tracing::debug!(target: "gdf", %error, "out of memory: trying again in parts");
                Ok(None)
            }
            found => found.map(Some),
        }
    }

    /// Executes the plan in pieces. `has_sink` states whether the rows of the result leave piece by piece. A GPU then
    /// works on parts of the rows from the start.
    fn in_pieces<T>(&self, has_sink: bool, run: impl FnOnce(&Lowered, &Runner<'_>) -> Result<T>) -> Result<T> {
        let device = self.device();
        let limited = Budget::current(device)?;
        let in_parts = limited.is_some() || has_sink && device.is_cuda();
        let budget = limited.unwrap_or_else(Budget::unlimited);
        // All runs of gdf-exec share the reservation.
        let _reserved = budget.reserve()?;
        let runner = Runner { device, budget: &budget, in_parts, last: self.steps.last().map(Step::name) };
        let lowered = Lowered::of_plan(self, &Needed::All, &runner)?;
        run(&lowered, &runner)
    }

    fn has_batches(&self) -> bool {
        self.batches.is_some() || self.scan.is_some() || self.other_plans().any(Plan::has_batches)
    }

    /// Returns whether a step computes values or copies rows.
    fn computes(&self) -> bool {
        let is_column = |of: &crate::expr::Expr| {
            matches!((of.tree().kind(), of.leaves()), (gdf_expr::ExprKind::Column(_), [Leaf::Column(_)]))
        };
        self.steps.iter().any(|step| match step {
            Step::Rename(_) | Step::Drop(_) | Step::Slice { .. } | Step::Tail(_) => false,
            Step::Select(outputs) | Step::With(outputs) => !outputs.iter().all(is_column),
            Step::Filter(_) | Step::Aggregate(_) | Step::Rolling(_) | Step::Sort { .. } | Step::Distinct { .. } => true,
            Step::DropNulls(_) | Step::Explode(_) | Step::Reverse | Step::Join(_) | Step::Concat(_) => true,
            Step::Whole(_) => true,
        })
    }

    /// Returns the number of bytes of all tables of the plan.
    fn source_bytes(&self) -> usize {
        let others = self.other_plans().map(Plan::source_bytes);
        let own = self.sources().map(|columns| columns.table().alloc_size());
        own.chain(others).fold(0, usize::saturating_add)
    }
}
