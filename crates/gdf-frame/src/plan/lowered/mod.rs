//! Plans as nodes of gdf-exec, for rows that are read in pieces, and for rows that do not fit in memory.
//!
//! A [`Lowered`] is a node, and [`Rows`] over the columns of the node. These have the names and the types of the columns,
//! and no rows. `filter`, `select`, `with`, `rename` and `drop` change the conditions and expressions of the rows. Other
//! verbs become a node above them. A verb gets the names and the types of its result by its application to columns
//! without rows.
//!
//! gdf-exec computes the rows when the whole plan is lowered. It decides which rows are together in memory. Only the
//! following run before: aggregations of all rows within expressions, verbs whose columns depend on values, and checks
//! of distinct keys.

mod functions;
mod groups;
mod joins;
mod leaves;
mod run;
mod sources;

use std::sync::Arc;

use gdf_api::pipeline::SortKey;
use gdf_api::sorting::{NullOrder, Order};
use gdf_core::{Error, Result, Table};
use gdf_exec::{Distinct, Key, Mapped, Needs, Node, PlanProfile, RowsFunction, Sort};

use self::functions::{Verb, of_pieces};
pub(crate) use self::run::EachBatch;
pub(super) use self::run::Runner;
use self::run::whole;
use self::sources::{PiecesOfScan, PiecesOfTables};
use super::aggregate::is_one_row;
use super::needed::Needed;
use super::rolling::{Bounds, Rolled};
use super::scan::Scanned;
use super::sinks::{sort_keys, table_of};
use super::widths::{typed_columns, with_widths_of};
use super::{Grouping, Plan, Rows, Step, diagnose};
use crate::columns::Columns;
use crate::expr::{Expr, Leaf, SortBy, distinct_leaves};

/// The rows of a node that pass conditions, with expressions as columns.
#[derive(Clone)]
pub(super) struct Lowered {
    node: Node,
    /// The conditions and expressions over the columns of the node.
    rows: Rows,
    /// Whether the node only reads its rows, so that it can run several times.
    is_source: bool,
    /// The largest number of rows of a batch that the user gets.
    batch_rows: usize,
}

/// Returns the columns without their rows.
fn without_rows(columns: &Columns) -> Result<Columns> {
    Ok(Columns::trusted(columns.schema().clone(), columns.table().slice(0, 0)?))
}

impl Lowered {
    /// Lowers a plan. The result has at least the `needed` columns.
    pub(super) fn of_plan(plan: &Plan, needed: &Needed, run: &Runner<'_>) -> Result<Lowered> {
        let needed = plan.needed(needed);
        let mut lowered = Lowered::of_source(plan, &needed[0])?;
        let (mut start, mut first) = (lowered.rows.clone(), 0);
        for (at, step) in plan.steps.iter().enumerate() {
            needed[at].restrict(&mut lowered.rows);
            if let Err(error) = lowered.apply(step, &needed[at + 1], run) {
                return Err(diagnose::located(error, &start, &plan.steps[first..=at]));
            }
            if !step.is_fused() && at + 1 < plan.steps.len() {
                (start, first) = (lowered.rows.clone(), at + 1);
            }
        }
        needed[plan.steps.len()].restrict(&mut lowered.rows);
        // Expressions that cannot be computed are an error of the verbs since the last node.
        lowered.columns().map_err(|error| diagnose::located(error, &start, &plan.steps[first..]))?;
        Ok(lowered)
    }

    /// Returns the rows of the source of a plan. A scan reads only the columns that are needed.
    fn of_source(plan: &Plan, needed: &Needed) -> Result<Lowered> {
        if let Some(scan) = &plan.scan {
            let source = plan.scanned_columns(needed)?;
            let scanned = Scanned::new(scan.clone(), &source, plan);
            let batch_rows = scan.batch_rows();
            let node = Node::Files(Arc::new(PiecesOfScan::new(scanned, &source)));
            return Ok(Lowered { node, rows: Rows::of_scan(source), is_source: true, batch_rows });
        }
        let tables = plan.sources().map(|columns| columns.table().clone()).collect();
        Lowered::of_tables(tables, &plan.source)
    }

    /// Returns the rows of tables. `columns` has their names.
    fn of_tables(mut tables: Vec<Table>, columns: &Columns) -> Result<Lowered> {
        let node = match tables.len() {
            1 => Node::Resident(tables.swap_remove(0)),
            _ => Node::Files(Arc::new(PiecesOfTables::new(tables))),
        };
        let rows = Rows::of_scan(without_rows(columns)?);
        Ok(Lowered { node, rows, is_source: true, batch_rows: usize::MAX })
    }

    /// Returns the columns of the rows, without rows.
    fn columns(&self) -> Result<Columns> {
        self.rows.clone().into_columns()
    }

    /// Returns the rows of the node that pass the conditions, with `values` as outputs.
    fn rows_with(&self, values: &[gdf_expr::Expr]) -> Result<gdf_exec::Rows> {
        let width = self.rows.source().len();
        let mut found = gdf_exec::Rows::all(self.node.clone(), width);
        for (at, condition) in self.rows.conditions().iter().enumerate() {
            if at > 0 && self.rows.may_overflow(condition) {
                found = gdf_exec::Rows::all(Node::Rows(Box::new(found)), width);
            }
            found.filter(condition, &[]).map_err(gdf_exec::Error::into_operation)?;
        }
        found.project(values, &[]).map_err(gdf_exec::Error::into_operation)?;
        Ok(found)
    }

    /// Returns a node with the columns of the rows.
    fn root(&self) -> Result<Node> {
        match self.rows.is_computed() {
            true => Ok(self.node.clone()),
            false => Ok(Node::Rows(Box::new(self.rows_with(&self.rows.values())?))),
        }
    }

    fn set_node(&mut self, node: Node, columns: Columns) {
        (self.node, self.rows, self.is_source) = (node, Rows::of_scan(columns), false);
    }

    /// Makes the rows the columns of the node.
    fn compute(&mut self) -> Result<()> {
        if !self.rows.is_computed() {
            self.set_node(self.root()?, self.columns()?);
        }
        Ok(())
    }

    /// Computes the rows, which are then those of a source. Returns their tables.
    fn materialize(&mut self, run: &Runner<'_>) -> Result<Vec<Table>> {
        let columns = self.columns()?;
        let tables = run.tables(self.root()?)?;
        *self = Lowered { batch_rows: self.batch_rows, ..Lowered::of_tables(tables.clone(), &columns)? };
        Ok(tables)
    }

    /// Computes the rows as one table.
    pub(super) fn collect(&self, run: &Runner<'_>) -> Result<Columns> {
        Ok(typed_columns(&self.columns()?, Arc::new(run.whole(self.root()?)?)))
    }

    /// Does the same as [`collect`](Self::collect), and measures the nodes.
    pub(super) fn profiled(&self, run: &Runner<'_>) -> Result<(Columns, PlanProfile)> {
        let (tables, profile) = run.profiled(self.root()?)?;
        Ok((typed_columns(&self.columns()?, Arc::new(whole(&tables, run.budget)?)), profile))
    }

    /// Computes the rows, and passes them to `each` in batches.
    pub(super) fn for_each(&self, run: &Runner<'_>, each: EachBatch<'_>) -> Result<()> {
        let (columns, most) = (self.columns()?, self.batch_rows);
        run.each(self.root()?, &mut |table| {
            let rows = table.num_rows();
            for start in (0..rows.max(1)).step_by(most) {
                let batch = table.slice(start, most.min(rows - start))?;
                each(typed_columns(&columns, Arc::new(batch)))?;
            }
            Ok(())
        })
    }

    /// Applies a step. `after` contains the columns of the result that later steps need. If expressions become too deep
    /// to be fused with later expressions, they become a node.
    fn apply(&mut self, step: &Step, after: &Needed, run: &Runner<'_>) -> Result<()> {
        let inputs = step.inputs(after, |plan, needed| Lowered::of_plan(plan, needed, run))?;
        self.step(step, inputs, after, run)?;
        if self.rows.is_deep() { self.compute() } else { Ok(()) }
    }

    fn step(&mut self, step: &Step, mut inputs: Vec<Lowered>, after: &Needed, run: &Runner<'_>) -> Result<()> {
        match step {
            Step::Filter(condition) => self.of_rows(step, std::slice::from_ref(condition), after, run),
            Step::Select(outputs) => {
                let expanded = self.rows.expanded(outputs)?.into_owned();
                if is_one_row(&expanded) {
                    let grouping = Grouping { keys: Vec::new(), values: expanded, drops_null_keys: false };
                    return self.group(step, &grouping, after, run);
                }
                self.of_rows(step, &expanded, after, run)
            }
            Step::With(outputs) => {
                let expanded = self.rows.expanded(outputs)?.into_owned();
                self.of_rows(step, &expanded, after, run)
            }
            Step::Rename(_) | Step::Drop(_) => step.run(&mut self.rows, after),
            Step::DropNulls(_) | Step::Explode(_) => self.verb(step, Needs::Piece, Vec::new(), after),
            Step::Aggregate(grouping) => self.group(step, grouping, after, run),
            Step::Sort { keys, limit } => self.sort(step, keys, *limit, after, run),
            Step::Slice { offset, len } => self.slice(*offset, Some(*len)),
            Step::Tail(count) => {
                let rows: usize = self.materialize(run)?.iter().map(Table::num_rows).sum();
                self.slice(rows.saturating_sub(*count), None)
            }
            Step::Reverse => self.reverse(step, after, run),
            Step::Distinct { subset, keep } => {
                let keys = self.rows.positions(subset)?;
                let columns = self.columns()?;
                let node = Distinct { input: self.root()?, keys, keep: *keep };
                self.set_node(Node::Distinct(Box::new(node)), columns);
                Ok(())
            }
            Step::Join(join) => {
                let right = inputs.pop().ok_or_else(|| Error::internal("a join has no right side"))?;
                self.join(right, step, &join.1, after, run)
            }
            Step::Concat(_) => self.concat(step, &inputs, after),
            Step::Rolling(rolled) => self.roll(step, rolled, after),
            Step::Whole(whole) => {
                let others = inputs.iter().map(|input| input.collect(run)).collect::<Result<Vec<_>>>()?;
                if whole.is_by_batch() {
                    return self.verb(step, Needs::Piece, others, after);
                }
                // The columns of the result can depend on values.
                let found = whole.run(&self.collect(run)?, &others)?;
                let table = run.budget.keep(found.table().clone());
                *self = Lowered::of_tables(vec![table], &found)?;
                Ok(())
            }
        }
    }

    /// Applies a step that changes conditions or expressions.
    fn of_rows(&mut self, step: &Step, expressions: &[Expr], after: &Needed, run: &Runner<'_>) -> Result<()> {
        if !self.prepare(expressions.iter(), run)? {
            return self.verb(step, Needs::All, Vec::new(), after);
        }
        step.run(&mut self.rows, after)?;
        self.rows.set_known(Vec::new());
        Ok(())
    }

    /// Applies a step as a function of rows. `inputs` are the rows of the step's other inputs.
    fn verb(&mut self, step: &Step, needs: Needs, inputs: Vec<Columns>, after: &Needed) -> Result<()> {
        let columns = self.columns()?;
        let verb = Verb::new(&columns, step, needs, inputs, after);
        let found = verb.applied(columns.table().clone())?;
        let node = mapped(self.root()?, verb);
        self.set_node(node, without_rows(&found)?);
        Ok(())
    }

    fn sort(
        &mut self,
        step: &Step,
        keys: &[SortBy],
        fetch: Option<usize>,
        after: &Needed,
        run: &Runner<'_>,
    ) -> Result<()> {
        if !self.prepare(keys.iter().map(|key| &key.values), run)? {
            return self.verb(step, Needs::All, Vec::new(), after);
        }
        let keys = sort_keys(&mut self.rows, keys)?;
        let (columns, width) = (self.columns()?, self.rows.width());
        let values: Vec<_> = self.rows.values().into_iter().chain(keys.iter().map(|key| key.values.clone())).collect();
        let key = |(at, key): (usize, &SortKey)| {
            let descending = key.order == Order::Descending;
            let comes_first = key.null_order == NullOrder::Before;
            Key { output: width + at, descending, nulls_first: comes_first != descending }
        };
        let keys = keys.iter().enumerate().map(key).collect();
        let node = Sort { rows: self.rows_with(&values)?, width, keys, fetch };
        self.set_node(Node::Sort(Box::new(node)), columns);
        Ok(())
    }

    fn slice(&mut self, skip: usize, fetch: Option<usize>) -> Result<()> {
        let columns = self.columns()?;
        self.set_node(Node::Limit { input: Box::new(self.root()?), skip, fetch }, columns);
        Ok(())
    }

    fn reverse(&mut self, step: &Step, after: &Needed, run: &Runner<'_>) -> Result<()> {
        let columns = self.columns()?;
        let reversed = Verb::new(&columns, step, Needs::Piece, Vec::new(), after);
        let mut tables = Vec::new();
        for table in self.materialize(run)?.iter().rev() {
            let pieces = run.budget.in_pieces(table, &mut |piece| Ok(run.budget.keep(reversed.run(piece.clone())?)))?;
            tables.extend(pieces.into_iter().rev());
        }
        *self = Lowered { batch_rows: self.batch_rows, ..Lowered::of_tables(tables, &columns)? };
        Ok(())
    }

    /// Appends the rows of other inputs, whose columns are found by name.
    fn concat(&mut self, step: &Step, inputs: &[Lowered], after: &Needed) -> Result<()> {
        let columns = self.columns()?;
        let others = inputs.iter().map(Lowered::columns).collect::<Result<Vec<_>>>()?;
        let mut rows = Rows::new(columns.clone());
        step.run_with(&mut rows, &others, after)?;
        let found = rows.into_columns()?;
        let mut nodes = vec![retyped(self.root()?, columns.table(), &found)];
        for (input, other) in inputs.iter().zip(&others) {
            let values = found.names().map(|name| input.rows.value_of(name)).collect::<Result<Vec<_>>>()?;
            let node = Node::Rows(Box::new(input.rows_with(&values)?));
            nodes.push(retyped(node, &*table_of(other, &columns)?, &found));
        }
        self.set_node(Node::Union(nodes), found);
        Ok(())
    }

    /// Aggregates windows of rows. If the windows have keys, each partition is computed for itself.
    fn roll(&mut self, step: &Step, rolled: &Rolled, after: &Needed) -> Result<()> {
        let mut keys = self.rows.expanded(&rolled.grouping.keys)?.into_owned();
        if matches!(rolled.bounds, Bounds::Period { .. }) {
            keys.pop();
        }
        let has_windows = !distinct_leaves(&rolled.grouping.values, Leaf::window).is_empty();
        let on: Option<Vec<_>> = keys.iter().map(|key| self.rows.over_source(key)).collect();
        let Some(on) = on.filter(|on| !on.is_empty() && !has_windows) else {
            return self.verb(step, Needs::All, Vec::new(), after);
        };
        let columns = self.columns()?;
        let width = columns.len();
        let values: Vec<_> = self.rows.values().into_iter().chain(on).collect();
        let verb = Verb::new(&columns, step, Needs::Partition((width..values.len()).collect()), Vec::new(), after);
        let found = verb.applied(columns.table().clone())?;
        let node = mapped(Node::Rows(Box::new(self.rows_with(&values)?)), verb);
        self.set_node(node, without_rows(&found)?);
        Ok(())
    }
}

fn mapped(input: Node, function: impl RowsFunction + 'static) -> Node {
    Node::Mapped(Box::new(Mapped { input, function: Arc::new(function), reads: None }))
}

/// Returns a node with the types of `to`, which differ from those of `from` at most in the widths of offsets.
fn retyped(node: Node, from: &Table, to: &Columns) -> Node {
    let same = from.data_types().zip(to.table().data_types()).all(|(from, to)| gdf_core::same_type(from, to));
    let to = to.clone();
    if same { node } else { mapped(node, of_pieces("widths of offsets", move |rows| with_widths_of(&rows, &to))) }
}
