//! Runs nodes.

use std::ops::ControlFlow;
use std::sync::atomic::AtomicBool;

use gdf_api::scope::with_device;
use gdf_core::{Context, Error, Result, Table};
use gdf_driver::Device;
use gdf_exec::{Execution, Node, Plan, PlanProfile, Progress};
use gdf_external::Budget;

use crate::columns::Columns;

/// The consumer of the batches of a result.
pub(crate) type EachBatch<'e> = &'e mut (dyn FnMut(Columns) -> Result<()> + Send);

/// How nodes run.
pub(in crate::plan) struct Runner<'b> {
    pub(in crate::plan) device: Device,
    /// The memory, which has a limit if [`in_parts`](Self::in_parts) is set because of a limit.
    pub(in crate::plan) budget: &'b Budget,
    /// Whether the rows are divided from the start, and what waits can be spilled.
    pub(in crate::plan) in_parts: bool,
    /// The last verb, which stands for all verbs in errors without a verb.
    pub(in crate::plan) last: Option<&'static str>,
}

impl Runner<'_> {
    /// Passes the rows of a node to `each` as tables, in the order of the rows. There is at least one table.
    pub(super) fn each(&self, root: Node, each: &mut (dyn FnMut(Table) -> Result<()> + Send)) -> Result<()> {
        // An error of `each` is not an error of the plan.
        let mut of_each = None;
        self.execute(root, false, |plan, execution| {
            plan.for_each_table(&[], execution, &mut |table| match each(table) {
                Ok(()) => Ok(ControlFlow::Continue(())),
                Err(error) => {
                    of_each = Some(error);
                    Ok(ControlFlow::Break(()))
                }
            })
        })?;
        of_each.map_or(Ok(()), Err)
    }

    /// Returns the rows of a node in tables, and the measures of the nodes.
    pub(super) fn profiled(&self, root: Node) -> Result<(Vec<Table>, PlanProfile)> {
        let copy = |table: &Table| Ok(table.clone());
        let executed = self.execute(root, true, |plan, execution| plan.execute(&[], execution, &copy))?;
        let missing = || Error::internal("a plan has no measures");
        Ok((executed.batches, executed.profile.ok_or_else(missing)?))
    }

    fn execute<T>(
        &self,
        root: Node,
        is_profiled: bool,
        run: impl FnOnce(&Plan, &Execution<'_>) -> gdf_exec::Result<T>,
    ) -> Result<T> {
        let plan = Plan { root, placeholders: Vec::new(), cuts_rows: false, has_exact_decimals: true };
        let (canceled, progress) = (AtomicBool::new(false), Progress::default());
        let execution = Execution {
            device: self.device,
            passes_keys: false,
            in_parts: self.in_parts,
            piece_rows: None,
            is_profiled,
            canceled: &canceled,
            progress: &progress,
        };
        with_device(self.device, || run(&plan, &execution)).map_err(|error| self.named(error.into_operation()))
    }

    fn named(&self, error: Error) -> Error {
        let found = error.context().and_then(Context::operation);
        match self.last {
            Some(last) if !found.is_some_and(|name| name.starts_with("frame.")) => error.in_operation(last),
            _ => error,
        }
    }

    /// Returns the rows of a node in tables. There is at least one table.
    pub(super) fn tables(&self, root: Node) -> Result<Vec<Table>> {
        let mut tables = Vec::new();
        self.each(root, &mut |table| {
            tables.push(table);
            Ok(())
        })?;
        // A limit leaves no memory for many small tables, which cannot be spilled.
        if self.in_parts && tables.len() > 1 { self.budget.kept(tables.into_iter().map(Ok)) } else { Ok(tables) }
    }

    /// Returns the rows of a node as one table.
    pub(super) fn whole(&self, root: Node) -> Result<Table> {
        whole(&self.tables(root)?, self.budget)
    }
}

/// Returns the rows of tables as one table.
pub(super) fn whole(tables: &[Table], budget: &Budget) -> Result<Table> {
    budget.whole(tables)?.ok_or_else(|| Error::internal("a plan returned no rows"))
}
