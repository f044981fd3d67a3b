//! Runs conditions and expressions on the rows of a node.

use gdf_api::copying::OutOfBoundsPolicy;
use gdf_api::join::{HashJoin, NullEquality, semi_condition};
use gdf_api::pipeline::Pipeline;
use gdf_core::{Column, Table};
use gdf_expr::{Expr, col};

use super::check::sum_is_within;
use super::deferred::{Deferred, pipeline};
use super::{Check, FIRST_PLACEHOLDER, Node, Run};
use crate::error::Result;

/// The rows of a node that pass conditions, and expressions over these rows.
#[derive(Clone, Debug)]
pub struct Rows {
    /// The node.
    pub input: Node,
    pub(super) conditions: Vec<Expr>,
    /// The expressions over the columns of the node.
    pub outputs: Vec<Expr>,
    pub(super) checks: Vec<Check>,
}

impl Rows {
    /// Makes the rows of a node, with all its columns as outputs.
    pub fn all(input: Node, width: usize) -> Rows {
        Rows { input, conditions: Vec::new(), outputs: (0..width).map(col).collect(), checks: Vec::new() }
    }

    /// Makes one row without columns.
    pub(super) fn empty() -> Rows {
        Rows::all(Node::NullRow(Vec::new()), 0)
    }

    /// Adds a condition over the outputs, and checks over the outputs. The checks apply to the rows that pass the
    /// conditions added so far.
    ///
    /// # Errors
    /// * [`Error::Operation`](crate::Error::Operation): an expression became too deep, or reads an output that does not
    ///   exist.
    pub fn filter(&mut self, condition: &Expr, checks: &[Check]) -> Result<()> {
        self.check(checks)?;
        let condition = self.inlined(condition)?;
        self.conditions.push(condition);
        Ok(())
    }

    /// Replaces the outputs by expressions over them, and adds checks as [`filter`](Rows::filter) does.
    ///
    /// # Errors
    /// * As for [`filter`](Rows::filter).
    pub fn project(&mut self, outputs: &[Expr], checks: &[Check]) -> Result<()> {
        self.check(checks)?;
        self.outputs = outputs.iter().map(|output| self.inlined(output)).collect::<Result<_>>()?;
        Ok(())
    }

    /// Adds expressions over the outputs as further outputs, and returns their positions. An expression that equals an
    /// output is not added again. The checks are added as by [`filter`](Rows::filter).
    ///
    /// # Errors
    /// * As for [`filter`](Rows::filter).
    pub fn append(&mut self, values: &[Expr], checks: &[Check]) -> Result<Vec<usize>> {
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

    /// Adds checks over the outputs. The checks apply to the rows that pass the conditions added so far.
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

    /// Returns the outputs of the rows that pass.
    pub(super) fn run(&self, run: &Run<'_>) -> Result<Deferred> {
        self.ready(run)?.into_outputs()
    }

    /// Computes the input, runs the checks, and applies the key filters. If the rows come from a stream, the conditions
    /// are tested piece by piece, and the rows that pass are kept.
    pub(super) fn ready(&self, run: &Run<'_>) -> Result<Ready> {
        if run.drops_rows_of_stream(self) {
            return Ok(Ready::of_table(run.collected(self)?));
        }
        self.of(run.node(&self.input)?, run)
    }

    /// Runs the checks on rows of the input, and applies the key filters. In the result, the values of subqueries
    /// replace the placeholders in the expressions.
    pub(super) fn of(&self, input: Deferred, run: &Run<'_>) -> Result<Ready> {
        let filters = run.key_filters_of(self);
        let tests = run.key_tests(&filters, input.num_rows())?;
        self.tested(input, &tests, run)
    }

    /// Does the same as [`of`](Self::of) with key filters that were prepared.
    pub(super) fn tested(&self, mut input: Deferred, tests: &[KeyTest<'_>], run: &Run<'_>) -> Result<Ready> {
        input.has_exact_decimals = run.plan.has_exact_decimals;
        for check in &self.checks {
            check.try_map(|part| run.known(part))?.run(&mut input)?;
        }
        let (conditions, outputs) = (run.all_known(&self.conditions)?, run.all_known(&self.outputs)?);
        let mut ready = Ready { input, conditions, outputs };
        ready.filter_by_keys(tests)?;
        Ok(ready)
    }

    /// Returns the outputs for the rows of a table.
    pub(super) fn of_table(&self, table: Table, run: &Run<'_>) -> Result<Table> {
        self.of(table.into(), run)?.into_outputs()?.into_table()
    }
}

/// Returns the condition that the keys of `rows` rows are in the rows of `set`. The keys are expressions over the input
/// of the rows. Returns `None` if null keys are equal, or if a lookup in a hash table of `set` is the better way.
pub(super) fn key_condition(keys: &[Expr], set: &Table, nulls: NullEquality, rows: usize) -> Result<Option<Expr>> {
    match nulls {
        NullEquality::Unequal => Ok(semi_condition(keys, set, rows)?),
        NullEquality::Equal => Ok(None),
    }
}

/// A test whether keys are in a set. If the set can be tested as a condition, the condition is tested together with the
/// conditions of the rows.
pub(super) enum KeyTest<'f> {
    Condition(Expr),
    Lookup {
        keys: Vec<Expr>,
        /// A condition that most rows do not meet, to be tested before the lookup.
        selective: Option<Expr>,
        table: Box<HashJoin<'f>>,
    },
}

/// The rows of a computed input that pass conditions, and expressions over these rows.
#[derive(Clone, Debug)]
pub(super) struct Ready {
    pub(super) input: Deferred,
    pub(super) conditions: Vec<Expr>,
    pub(super) outputs: Vec<Expr>,
}

impl Ready {
    /// Returns whether a sum of the output at `position` is surely at most `most`, and at least `-most`.
    pub(super) fn sum_is_within(&mut self, position: usize, most: f64) -> Result<bool> {
        self.filter_if_pending()?;
        let output = std::slice::from_ref(&self.outputs[position]);
        let narrow = self.input.narrow(output)?;
        let values = narrow.expressions(output)?;
        values.first().map_or(Ok(false), |values| sum_is_within(&narrow.table, values, most))
    }

    /// Returns the rows of a table, with all its columns as outputs.
    pub(super) fn of_table(table: Table) -> Ready {
        Ready::of(table.into())
    }

    /// Returns deferred rows, with all their columns as outputs.
    pub(super) fn of(input: Deferred) -> Ready {
        let outputs = (0..input.num_columns()).map(col).collect();
        Ready { input, conditions: Vec::new(), outputs }
    }

    pub(super) fn outputs_at(&self, numbers: &[usize]) -> Vec<Expr> {
        numbers.iter().map(|number| self.outputs[*number].clone()).collect()
    }

    /// Tests the conditions, and leaves the columns of the rows that pass for later.
    pub(super) fn filter(&mut self) -> Result<()> {
        if !self.conditions.is_empty() {
            let rows = self.passing()?;
            self.take(&rows)?;
        }
        Ok(())
    }

    /// Returns the numbers of the rows that pass the conditions.
    pub(super) fn passing(&mut self) -> Result<Column> {
        Ok(self.input.narrow(&self.conditions)?.pipeline(&self.conditions)?.row_numbers()?)
    }

    /// Keeps the rows of the input with these numbers. These rows must pass the conditions, which are not tested again.
    pub(super) fn take(&mut self, rows: &Column) -> Result<()> {
        self.input = self.input.taken(rows, OutOfBoundsPolicy::Error, &self.outputs)?;
        self.conditions.clear();
        Ok(())
    }

    /// Tests the conditions first if that saves the gather of rows that do not pass. Otherwise a pipeline tests the
    /// conditions together with its other work.
    pub(super) fn filter_if_pending(&mut self) -> Result<()> {
        let is_saved = !self.conditions.is_empty() && self.input.is_pending(&self.outputs)?;
        if is_saved { self.filter() } else { Ok(()) }
    }

    /// Drops the rows that fail a test.
    fn filter_by_keys(&mut self, tests: &[KeyTest<'_>]) -> Result<()> {
        let mut are_tested = true;
        for test in tests {
            match test {
                KeyTest::Condition(condition) => {
                    self.conditions.push(condition.clone());
                    are_tested = false;
                }
                KeyTest::Lookup { keys, selective, table } => {
                    if let Some(condition) = selective {
                        self.conditions.push(condition.clone());
                        self.filter()?;
                    }
                    let narrow = self.input.narrow(self.conditions.iter().chain(keys))?;
                    let probe = narrow.pipeline(&self.conditions)?.probe(table, narrow.expressions(keys)?);
                    let rows = probe.semi_rows()?;
                    self.take(&rows)?;
                    are_tested = true;
                }
            }
        }
        if are_tested { Ok(()) } else { self.filter() }
    }

    /// Returns the outputs of the rows that pass, for a node that reads most of them.
    pub(super) fn into_outputs(mut self) -> Result<Deferred> {
        self.filter_if_pending()?;
        if self.conditions.is_empty() {
            return self.input.projected(&self.outputs);
        }
        let narrow = self.input.narrow(self.conditions.iter().chain(&self.outputs))?;
        Ok(narrow.pipeline(&self.conditions)?.project(&narrow.expressions(&self.outputs)?)?.into())
    }

    /// Gathers the columns that the outputs read. The conditions and outputs of the result are over these columns.
    pub(super) fn gathered(mut self) -> Result<Gathered> {
        self.filter_if_pending()?;
        let narrow = self.input.narrow(self.conditions.iter().chain(&self.outputs))?;
        let (conditions, outputs) = (narrow.expressions(&self.conditions)?, narrow.expressions(&self.outputs)?);
        let has_exact_decimals = self.input.has_exact_decimals;
        Ok(Gathered { table: narrow.table, conditions, outputs, has_exact_decimals })
    }

    /// Returns the outputs `kept` of the input rows with the numbers `rows`. The function does not test whether these
    /// rows pass the conditions.
    pub(super) fn taken(mut self, rows: &Column, policy: OutOfBoundsPolicy, kept: &[usize]) -> Result<Deferred> {
        let outputs = self.outputs_at(kept);
        // The outputs are computed before the rows are taken in two cases. If rows may be missing, an output of a
        // missing row must be null, and not the value of the expression over nulls. If more rows are taken than the
        // input has, it is less work.
        if policy == OutOfBoundsPolicy::Nullify || rows.len() > self.input.num_rows() {
            let all: Vec<Expr> = (0..outputs.len()).map(col).collect();
            return self.input.projected(&outputs)?.taken(rows, policy, &all);
        }
        self.input.taken(rows, policy, &outputs)?.projected(&outputs)
    }

    /// Returns the outputs with these numbers for the rows that pass, for a node that reads no other outputs.
    pub(super) fn only(&self, numbers: &[usize]) -> Result<Table> {
        let outputs = self.outputs_at(numbers);
        let rows = Ready { input: self.input.clone(), conditions: self.conditions.clone(), outputs };
        rows.into_outputs()?.into_table()
    }

    /// Tests the conditions, and gathers the outputs with these numbers.
    pub(super) fn columns(&mut self, numbers: &[usize]) -> Result<Table> {
        self.filter()?;
        let outputs = self.outputs_at(numbers);
        let _gathered = self.input.narrow(&outputs)?;
        self.input.projected(&outputs)?.into_table()
    }
}

/// The rows of a table that pass conditions, and expressions over these rows.
pub(super) struct Gathered {
    table: Table,
    conditions: Vec<Expr>,
    pub(super) outputs: Vec<Expr>,
    has_exact_decimals: bool,
}

impl Gathered {
    pub(super) fn column(&self, position: usize) -> Result<&Column> {
        Ok(self.table.column(position)?)
    }

    pub(super) fn pipeline(&self) -> Pipeline<'_> {
        pipeline(&self.table, self.conditions.clone(), self.has_exact_decimals)
    }
}
