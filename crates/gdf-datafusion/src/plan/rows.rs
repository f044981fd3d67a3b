//! Runs conditions and expressions on the rows of a node.

use gdf_api::pipeline::Pipeline;
use gdf_core::Table;
use gdf_expr::{Expr, col};

use super::{Check, FIRST_PLACEHOLDER, Node, Run};
use crate::error::Result;

/// The rows of a node that pass conditions, and expressions over these rows.
#[derive(Debug)]
pub(crate) struct Rows {
    pub(crate) input: Node,
    pub(crate) conditions: Vec<Expr>,
    pub(crate) outputs: Vec<Expr>,
    pub(crate) checks: Vec<Check>,
}

impl Rows {
    /// Makes the rows of a node, with all its columns as outputs.
    pub(crate) fn all(input: Node, width: usize) -> Rows {
        Rows { input, conditions: Vec::new(), outputs: (0..width).map(col).collect(), checks: Vec::new() }
    }

    /// Makes one row without columns.
    pub(super) fn empty() -> Rows {
        Rows::all(Node::NullRow(Vec::new()), 0)
    }

    pub(crate) fn filter(&mut self, condition: &Expr, checks: &[Check]) -> Result<()> {
        self.check(checks)?;
        let condition = self.inlined(condition)?;
        self.conditions.push(condition);
        Ok(())
    }

    pub(crate) fn project(&mut self, outputs: &[Expr], checks: &[Check]) -> Result<()> {
        self.check(checks)?;
        self.outputs = outputs.iter().map(|output| self.inlined(output)).collect::<Result<_>>()?;
        Ok(())
    }

    /// Adds expressions over the outputs as further outputs, unless an output equals them, and returns their positions.
    pub(crate) fn append(&mut self, values: &[Expr], checks: &[Check]) -> Result<Vec<usize>> {
        self.check(checks)?;
        let values = values.iter().map(|value| self.inlined(value)).collect::<Result<Vec<_>>>()?;
        let place = |value: Expr| {
            self.outputs.iter().position(|output| output.same(&value)).unwrap_or_else(|| {
                self.outputs.push(value);
                self.outputs.len() - 1
            })
        };
        Ok(values.into_iter().map(place).collect())
    }

    /// Adds checks over the outputs, for the rows that pass the conditions that were added before.
    fn check(&mut self, checks: &[Check]) -> Result<()> {
        let passes = self.conditions.iter().cloned().reduce(Expr::and);
        for check in checks {
            let check = check.try_map(|part| self.inlined(part))?;
            self.checks.push(match &passes {
                Some(passes) => check.guarded(passes),
                None => check,
            });
        }
        Ok(())
    }

    fn inlined(&self, expression: &Expr) -> Result<Expr> {
        let output = |position: usize| match self.outputs.get(position) {
            Some(output) => Ok(output.clone()),
            None if position >= FIRST_PLACEHOLDER => Ok(col(position)),
            None => Err(gdf_core::Error::internal("an expression reads a column that does not exist")),
        };
        Ok(expression.substitute(output)?)
    }

    pub(super) fn run(&self, run: &Run<'_>) -> Result<Table> {
        match run.batch_rows() {
            Some(rows) => run.collected_outputs(self, rows),
            None => self.of(&run.node(&self.input)?, run),
        }
    }

    /// Returns the outputs for rows of the input.
    pub(super) fn of(&self, table: &Table, run: &Run<'_>) -> Result<Table> {
        let outputs = self.checked(table, run)?;
        Ok(self.pipeline(table, run)?.project(&outputs)?)
    }

    /// Computes the input, and runs the checks. Returns the input, and the outputs with the values of subqueries.
    pub(super) fn ready(&self, run: &Run<'_>) -> Result<(Table, Vec<Expr>)> {
        let table = run.node(&self.input)?;
        let outputs = self.checked(&table, run)?;
        Ok((table, outputs))
    }

    /// Runs the checks on rows of the input. Returns the outputs with the values of subqueries.
    fn checked(&self, table: &Table, run: &Run<'_>) -> Result<Vec<Expr>> {
        for check in &self.checks {
            check.try_map(|part| run.known(part))?.run(table)?;
        }
        run.all_known(&self.outputs)
    }

    /// Returns the rows of the input that pass the conditions.
    pub(super) fn pipeline<'t>(&self, table: &'t Table, run: &Run<'_>) -> Result<Pipeline<'t>> {
        let conditions = run.all_known(&self.conditions)?;
        Ok(conditions.into_iter().fold(Pipeline::new(table), Pipeline::filter))
    }
}
