//! Plans with a limit of memory, and plans over sources that consist of several tables.
//!
//! Each step reserves the bytes that it needs. If the reservation succeeds, the step is applied to all rows at once.
//! Otherwise the rows are divided, and the step is applied to [`Batches`].

use std::ops::ControlFlow;
use std::sync::Arc;

#[cfg(feature = "io")]
use gdf_core::DataType;
use gdf_core::{Error, Result};
use gdf_driver::Device;
use gdf_external::{Budget, Reserved, bounds};

use super::aggregate::is_one_row;
use super::batches::{Batches, Unread};
#[cfg(feature = "io")]
use super::lowered::Lowered;
use super::needed::Needed;
#[cfg(feature = "io")]
use super::scan::Scan;
use super::scan::Scanned;
use super::sinks::table_of;
use super::widths::with_widths_of;
use super::{Plan, PlanNesting, Rows, Step, diagnose};
use crate::columns::Columns;

impl Plan {
    /// Returns the budget of the plan, or `None` if memory has no limit and no source has batches.
    pub(super) fn budget(&self) -> Result<Option<Budget>> {
        let budget = Budget::current(self.source.table().device().unwrap_or(Device::Cpu))?;
        Ok(budget.or_else(|| self.has_batches().then(Budget::unlimited)))
    }

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

    pub(crate) fn run_in_batches(&self) -> Result<Vec<Columns>> {
        self.nesting.check()?;
        match self.budget()? {
            None => Ok(vec![self.run_for(&Needed::All)?]),
            Some(budget) => self.run_batches(&Needed::All, &budget),
        }
    }

    /// Executes the plan, and passes the batches of the result to `each`.
    pub(crate) fn run_for_each(&self, each: EachBatch<'_>) -> Result<()> {
        self.nesting.check()?;
        match self.budget()? {
            None => each(self.run_for(&Needed::All)?),
            Some(budget) => self.pass_batches(&Needed::All, &budget, each),
        }
    }

    fn has_batches(&self) -> bool {
        self.batches.is_some() || self.scan.is_some() || self.other_plans().any(Plan::has_batches)
    }

    /// Returns the batches of the source. A scan reads only the columns that are needed.
    fn source_batches<'b>(&self, needed: &Needed, budget: &'b Budget) -> Result<Batches<'b>> {
        let Some(scan) = &self.scan else {
            return Ok(Batches::new(self.sources().cloned().map(Rows::new).collect(), budget));
        };
        let source = self.scanned_columns(needed)?;
        let unread = Unread::new(Scanned::new(scan.clone(), &source, self, budget), &source, budget);
        Ok(Batches { rows: vec![Rows::of_scan(source)], unread: Some(unread), budget })
    }

    /// Executes the plan in batches, and computes only the needed columns. The result has at least one batch.
    pub(super) fn run_batches(&self, needed: &Needed, budget: &Budget) -> Result<Vec<Columns>> {
        let mut batches = Vec::new();
        self.pass_batches(needed, budget, &mut |columns| {
            batches.push(columns);
            Ok(())
        })?;
        Ok(batches)
    }

    /// Executes the plan in batches, and passes the batches of the result to `each`, which gets at least one batch.
    ///
    /// While a step waits for its reservation, the plan holds no other reservation.
    fn pass_batches(&self, needed: &Needed, budget: &Budget, each: EachBatch<'_>) -> Result<()> {
        let needed = self.needed(needed);
        let mut batches = self.source_batches(&needed[0], budget)?;
        let (mut start, mut first) = (batches.rows[0].clone(), 0);
        for (at, step) in self.steps.iter().enumerate() {
            batches.rows.iter_mut().for_each(|rows| needed[at].restrict(rows));
            if let Err(error) = batches.run(step, &needed[at + 1]) {
                return Err(diagnose::located(error, &start, &self.steps[first..=at]));
            }
            if !step.is_fused() && at + 1 < self.steps.len() {
                (start, first) = (batches.rows[0].clone(), at + 1);
            }
        }
        batches.rows.iter_mut().for_each(|rows| needed[self.steps.len()].restrict(rows));
        // An error of `each` is not an error of a verb.
        let mut of_each = None;
        let passed = batches.finish(&mut |columns| match each(columns) {
            Ok(()) => Ok(ControlFlow::Continue(())),
            Err(error) => {
                of_each = Some(error);
                Ok(ControlFlow::Break(()))
            }
        });
        passed.map_err(|error| diagnose::located(error, &start, &self.steps[first..]))?;
        of_each.map_or(Ok(()), Err)
    }
}

/// The consumer of the batches of a result.
pub(crate) type EachBatch<'e> = &'e mut (dyn FnMut(Columns) -> Result<()> + Send);

impl Unread {
    #[cfg(feature = "io")]
    fn new(scan: Scanned, source: &Columns, budget: &Budget) -> Unread {
        let is_on_cpu = source.table().device().is_none_or(|device| device == Device::Cpu);
        // The keys of dictionaries can have different types in different pieces.
        let has_dictionaries = source.table().data_types().any(|of| matches!(of, DataType::Dictionary(..)));
        match budget.is_unlimited() && is_on_cpu && !has_dictionaries {
            true => Unread::Node(Lowered::of_scan(scan, source)),
            false => Unread::Batches(scan),
        }
    }

    #[cfg(not(feature = "io"))]
    fn new(scan: Scanned, _: &Columns, _: &Budget) -> Unread {
        Unread::Batches(scan)
    }
}

impl Batches<'_> {
    /// Applies a step to the rows: to all rows at once if the memory suffices, otherwise to parts. `after` contains the
    /// columns of the result that later steps need. If the expressions over a scan become too deep to be fused with
    /// later expressions, the scan is read.
    fn run(&mut self, step: &Step, after: &Needed) -> Result<()> {
        self.apply(step, after)?;
        if self.unread.is_some() && self.rows[0].is_deep() {
            let _reserved = self.budget.reserve()?;
            self.compute()?;
        }
        Ok(())
    }

    fn apply(&mut self, step: &Step, after: &Needed) -> Result<()> {
        let mut inputs = step.inputs(after, |plan, needed| plan.run_batches(needed, self.budget))?;
        if matches!(self.unread, Some(Unread::Node(_))) && !step.is_lowered() {
            // The verb works on all rows at once.
            self.gather()?;
        }
        if self.can_be_whole(step) && inputs.iter().all(|input| input.len() == 1) {
            let others: Vec<Columns> = inputs.iter().flatten().cloned().collect();
            if self.run_whole(step, &others, after)? {
                return Ok(());
            }
        }
        let _reserved = self.budget.reserve()?;
        self.divide()?;
        for input in &mut inputs {
            let rows = std::mem::take(input).into_iter().map(Rows::new).collect();
            let mut parts = Batches::new(rows, self.budget);
            parts.divide()?;
            *input = parts.rows.into_iter().map(|rows| rows.source().clone()).collect();
        }
        self.step(step, inputs, after)
    }

    /// Returns whether the step can be applied to all rows as one batch. For a scan, this holds only for a step that
    /// computes nothing and changes conditions and expressions.
    fn can_be_whole(&self, step: &Step) -> bool {
        match &self.unread {
            None => self.rows.len() == 1,
            Some(_) => step.is_fused() && !self.is_one_row(step) && step.bound(&self.rows[0], &[]) == Some(0),
        }
    }

    /// Returns whether the result of the step is one row, which is not a row of the scan.
    fn is_one_row(&self, step: &Step) -> bool {
        let Step::Select(outputs) = step else { return false };
        self.rows[0].expanded(outputs).is_ok_and(|outputs| is_one_row(&outputs))
    }

    /// Applies a step to all rows at once if the budget allows it, and returns whether this was done. Out of memory is
    /// no error.
    fn run_whole(&mut self, step: &Step, inputs: &[Columns], after: &Needed) -> Result<bool> {
        let start = &self.rows[0];
        let Some(reserved) = self.reserve_whole(|| (step.bound(start, inputs), Plan::input_bytes(start, inputs)))?
        else {
            return Ok(false);
        };
        let mut rows = start.clone();
        match step.run_with(&mut rows, inputs, after) {
            Err(error) if error.is_out_of_memory() && reserved.is_some() => {
                tracing::debug!(target: "gdf", step = step.name(), %error, "out of memory: dividing the rows");
                return Ok(false);
            }
            result => result?,
        }
        self.budget.keep(rows.source().table().clone());
        self.rows[0] = rows;
        Ok(true)
    }

    /// Reserves the bytes for work on all rows at once, or returns `None` if the rows have to be divided. `needs`
    /// returns the upper bound of these bytes, and the bytes of the input.
    ///
    /// Some work has no bound, such as functions of text, and some work has a bound that is far too large, such as
    /// joins. The results are usually small. Such work is tried if its input is a small part of the memory.
    fn reserve_whole(&self, needs: impl FnOnce() -> (Option<usize>, usize)) -> Result<Option<Option<Reserved>>> {
        if self.budget.is_unlimited() {
            return Ok(Some(None));
        }
        let available = self.budget.bytes();
        let bytes = match needs() {
            (Some(0), _) => return Ok(Some(None)),
            (Some(bound), _) if bound <= available => bound,
            (_, input) if input <= self.budget.part_bytes() => bounds::guess(input),
            _ => return Ok(None),
        };
        Ok(Some(Some(self.budget.clone().with_bytes(bytes.min(available)).reserve()?)))
    }

    fn divide(&mut self) -> Result<()> {
        if self.unread.is_some() {
            return Ok(());
        }
        let mut parts = Vec::with_capacity(self.rows.len());
        for rows in &self.rows {
            parts.extend(self.budget.slices(rows.source().table())?.iter().map(|slice| rows.of_slice(slice)));
        }
        self.rows = parts;
        Ok(())
    }

    /// Computes the rows, and passes them to `each`, which may end the run. Rows that are not read yet are read, passed
    /// on and freed batch by batch.
    fn finish(&mut self, each: &mut (dyn FnMut(Columns) -> Result<ControlFlow<()>> + Send)) -> Result<()> {
        if let Some(Unread::Node(node)) = &self.unread {
            let rows = &self.rows[0];
            let outputs = rows.outputs();
            return node.for_each(rows, &rows.values(), &mut |table| {
                for batch in node.batches(&table)? {
                    if each(rows.columns_of(batch, &outputs)?)?.is_break() {
                        return Ok(ControlFlow::Break(()));
                    }
                }
                Ok(ControlFlow::Continue(()))
            });
        }
        if self.unread.is_none() && self.rows.iter().all(Rows::is_computed) {
            return passed(self.rows.iter().map(|rows| rows.source().clone()), each).map(|_| ());
        }
        if let [rows] = self.rows.as_slice()
            && self.unread.is_none()
            && let Some(reserved) = self.reserve_whole(|| (rows.result_bound(), Plan::input_bytes(rows, &[])))?
        {
            match rows.clone().into_columns() {
                Err(error) if error.is_out_of_memory() && reserved.is_some() => {}
                columns => {
                    let columns = columns?;
                    self.budget.keep(columns.table().clone());
                    return passed([columns], each).map(|_| ());
                }
            }
        }
        let _reserved = self.budget.reserve()?;
        self.divide()?;
        for rows in self.take_sources() {
            let rows = rows?;
            let pieces = self.budget.in_pieces(rows.source().table(), &mut |slice| {
                let columns = rows.of_slice(slice).into_columns()?;
                self.budget.keep(columns.table().clone());
                Ok(columns)
            })?;
            if passed(pieces, each)?.is_break() {
                break;
            }
        }
        Ok(())
    }
}

fn passed(
    batches: impl IntoIterator<Item = Columns>,
    each: &mut (dyn FnMut(Columns) -> Result<ControlFlow<()>> + Send),
) -> Result<ControlFlow<()>> {
    for columns in batches {
        if each(columns)?.is_break() {
            return Ok(ControlFlow::Break(()));
        }
    }
    Ok(ControlFlow::Continue(()))
}
