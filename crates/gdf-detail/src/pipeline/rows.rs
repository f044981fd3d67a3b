//! The rows that a sink processes: expressions bound to one graph, and the values of the expressions.

use gdf_compute::expression::{NodeReduction, Projection, Reductions, evaluate, inputs};
use gdf_compute::filling::row_numbers;
use gdf_compute::stream_compaction::apply_boolean_mask;
use gdf_core::{Column, ColumnView, DataType, Error, Position, Result, TableView};
use gdf_engine::check;
use gdf_engine::rows::selected_rows;
use gdf_expr::{Expr, Graph, NodeId};

use super::plan::{Costs, ESTIMATED_ROWS, Form, Steps};
use super::{OPERATION, Pipeline, Reduction, passing_rows};
use crate::Ctx;
use crate::condition::Evaluator;
use crate::decimal_ranges::measure;
use crate::expression::{AllFunctions, share_memory};
use crate::vouch;
use crate::vouch::gather_trusted;

/// Whether a sink needs the numbers of the rows that pass.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(super) enum Numbers {
    Used,
    Unused,
}

/// The values of expressions, for all rows of the table or for the rows that pass.
pub(super) struct Rows {
    /// A column for each value.
    pub(super) columns: Vec<Column>,
    /// A mask of the rows that pass, if the columns have all rows of the table. `None` if every row of the columns
    /// passes.
    pub(super) mask: Option<Column>,
    /// The numbers of the rows in the table. `None` if the columns have all rows of the table, or if the sink does not
    /// use the numbers.
    pub(super) numbers: Option<Column>,
    pub(super) count: usize,
    /// The columns that later values read, with only the rows that pass. `None` if the columns have all rows of the
    /// table.
    inputs: Option<Inputs>,
}

/// Some columns of a table, by their positions in the table.
struct Inputs {
    positions: Vec<usize>,
    columns: Vec<Column>,
}

/// A table with its expressions as nodes of one graph.
pub(super) struct Bound<'a> {
    table: &'a TableView<'a>,
    graph: Graph,
    condition: Option<NodeId>,
}

impl<'a> Bound<'a> {
    /// Binds the conditions of a pipeline. Checks all columns of the table. Broken data are therefore an error even in
    /// columns that no expression names.
    pub(super) fn new(pipeline: &'a Pipeline<'_>, ctx: Ctx<'_>) -> Result<Self> {
        check::table(&pipeline.table, ctx)?;
        let graph = pipeline.graph_of([&pipeline.table].into_iter());
        let mut bound = Bound { table: &pipeline.table, graph, condition: None };
        let conditions = pipeline.conditions.iter().cloned();
        let Some(condition) = conditions.reduce(Expr::and) else { return Ok(bound) };
        let id = bound.graph.bind(&condition).map_err(|error| error.in_argument("condition"))?;
        let found = bound.data_type(id);
        check::types(&DataType::Boolean, found)
            .map_err(|error| error.in_argument("condition").in_expression(|| condition.to_string()))?;
        let is_true = bound.graph.value(id).is_some_and(|value| value.boolean() == Some(true));
        bound.condition = (!is_true).then_some(id);
        measure(&mut bound.graph, &[id], bound.table, ctx)?;
        Ok(bound)
    }

    /// Binds the expressions of an argument of a sink.
    pub(super) fn bind<'e>(
        &mut self,
        expressions: impl IntoIterator<Item = &'e Expr>,
        argument: &'static str,
        ctx: Ctx<'_>,
    ) -> Result<Vec<NodeId>> {
        let bind = |(index, expression): (usize, &Expr)| {
            self.graph.bind(expression).map_err(|error| error.at(Position::Input(index)).in_argument(argument))
        };
        let ids: Vec<NodeId> = expressions.into_iter().enumerate().map(bind).collect::<Result<_>>()?;
        measure(&mut self.graph, &ids, self.table, ctx)?;
        Ok(ids)
    }

    /// Returns whether a value is computed, and not a column or a literal.
    pub(super) fn is_computed(&self, id: NodeId) -> bool {
        self.graph.column(id).is_none() && self.graph.value(id).is_none()
    }

    pub(super) fn data_type(&self, id: NodeId) -> &DataType {
        &self.graph.node(id).data_type
    }

    /// Returns numbers between which all values of decimals or integers lie, or `None` if no such numbers are known.
    pub(super) fn range(&self, id: NodeId) -> Option<(i128, i128)> {
        self.graph.range(id)
    }

    /// Returns whether a row passes, for each row of the table. Returns `None` without a condition.
    pub(super) fn mask(&self, ctx: Ctx<'_>) -> Result<Option<Column>> {
        let Some(condition) = self.condition else { return Ok(None) };
        self.one(condition, ctx.scratch()).map(Some)
    }

    /// Computes the values of the rows in the form that the sink takes.
    pub(super) fn rows(&self, values: &[NodeId], form: Form, numbers: Numbers, ctx: Ctx<'_>) -> Result<Rows> {
        self.rows_for(values, &[], form, numbers, ctx)
    }

    /// Does the same as [`rows`](Self::rows), and keeps the columns that the `later` values read.
    pub(super) fn rows_for(
        &self,
        values: &[NodeId],
        later: &[NodeId],
        form: Form,
        numbers: Numbers,
        ctx: Ctx<'_>,
    ) -> Result<Rows> {
        let all = self.table.num_rows();
        let every: Vec<NodeId> = values.iter().chain(later).copied().collect();
        let Some(condition) = self.condition else {
            tracing::debug!(target: "gdf", rows = all, "{}", self.described(&every));
            let columns = self.of_all_rows(values, ctx)?;
            return Ok(Rows { columns, mask: None, numbers: None, count: all, inputs: None });
        };
        let costs = Costs::new(&self.graph, &every);
        let mut mask = None;
        // A row that does not pass must not fail.
        let must_filter = form != Form::AllRows && !self.graph.overflowing(&every).is_empty();
        let steps = match costs.steps_of_every_share(form) {
            _ if must_filter => Steps::FilterFirst,
            Some(steps) => steps,
            None if all <= ESTIMATED_ROWS => costs.steps(form, self.graph.estimate(condition).selectivity),
            None => {
                let computed = self.one(condition, ctx.scratch())?;
                let share = passing_rows(&computed, ctx)? as f64 / all as f64;
                mask = Some(computed);
                costs.steps(form, share)
            }
        };
        tracing::debug!(target: "gdf", rows = all, ?steps, "{}", self.described(&every));
        if steps == Steps::FilterFirst {
            let mask = mask.map_or_else(|| self.one(condition, ctx.scratch()), Ok)?;
            return self.filtered_first(values, later, &mask, numbers, ctx);
        }
        let scratch = ctx.scratch();
        let (columns, mask) = match mask {
            Some(mask) => (self.of_all_rows(values, scratch)?, mask),
            None if let Some(evaluator) = Evaluator::of(&self.graph, condition, self.table) => {
                // Such a condition shares no computed values with the other expressions.
                let columns = self.of_all_rows(values, scratch)?;
                (columns, evaluator.evaluate(&self.graph, self.table, &AllFunctions, scratch)?)
            }
            None => {
                let roots: Vec<NodeId> = values.iter().copied().chain([condition]).collect();
                let mut columns = self.of_all_rows(&roots, scratch)?;
                let mask = columns.pop().ok_or_else(|| Error::internal("the condition has no result"))?;
                (columns, mask)
            }
        };
        if form != Form::Passing {
            return Ok(Rows { columns, mask: Some(mask), numbers: None, count: all, inputs: None });
        }
        let views = columns.iter().map(Column::view).collect();
        passing(views, &mask, numbers, ctx)
    }

    /// Reduces values of the rows that pass, without columns of the values. Returns `None` if no program computes all
    /// reductions, and for a table without rows. Also returns `None` for reductions of whole columns, which need no
    /// program.
    pub(super) fn reduced(
        &self,
        reductions: &[Reduction],
        values: &[NodeId],
        types: &[DataType],
        ctx: Ctx<'_>,
    ) -> Result<Option<Vec<Column>>> {
        if self.condition.is_none() && values.iter().all(|id| self.graph.column(*id).is_some()) {
            return Ok(None);
        }
        let of_node = |((reduction, values), output_type): ((&Reduction, &NodeId), _)| NodeReduction {
            values: *values,
            aggregation: reduction.aggregation,
            output_type,
        };
        let of: Vec<NodeReduction<'_>> = reductions.iter().zip(values).zip(types).map(of_node).collect();
        let rows = self.table.num_rows();
        let Some(reductions) = Reductions::new(&self.graph, &of, ctx.stream)?.filter(|_| rows > 0) else {
            return Ok(None);
        };
        tracing::debug!(target: "gdf", rows, fused = true, "{}", self.described(values));
        let mask = self.mask(ctx)?;
        reductions.run(self.table, mask.as_ref().map(Column::view), ctx).map(Some)
    }

    /// Returns the values and the condition as text, after simplification.
    fn described(&self, values: &[NodeId]) -> String {
        let values: Vec<_> = values.iter().map(|id| self.graph.expression(*id).to_string()).collect();
        let condition = self.condition.map(|id| format!(" where {}", self.graph.expression(id)));
        format!("pipeline: {}{}", values.join(", "), condition.unwrap_or_default())
    }

    /// Filters the columns that the values read. Computes the values of the rows that pass, except the `later` values.
    fn filtered_first(
        &self,
        values: &[NodeId],
        later: &[NodeId],
        mask: &Column,
        numbers: Numbers,
        ctx: Ctx<'_>,
    ) -> Result<Rows> {
        let every: Vec<NodeId> = values.iter().chain(later).copied().collect();
        let positions = self.graph.columns(&every);
        let Divided { results, others } = divided(&self.graph, values, &positions);
        let filter = |positions: &[usize], numbers: Numbers, ctx: Ctx<'_>| {
            passing(self.table.select(positions)?.columns().to_vec(), mask, numbers, ctx)
        };
        let has_results = !results.is_empty() || numbers == Numbers::Used;
        let of_results = if has_results { Some(filter(&results, numbers, ctx)?) } else { None };
        let has_others = !others.is_empty() || !has_results;
        let of_others = if has_others { Some(filter(&others, Numbers::Unused, ctx.scratch())?) } else { None };
        let count = of_results.iter().chain(&of_others).map(|rows| rows.count).next().unwrap_or(0);
        let filtered = results.iter().zip(of_results.iter().flat_map(|rows| &rows.columns));
        let filtered = filtered.chain(others.iter().zip(of_others.iter().flat_map(|rows| &rows.columns)));
        let filtered = in_order(&positions, filtered.map(|(position, column)| (*position, column.view())).collect());
        let filtered = TableView::try_with_rows(filtered, count)?;
        let of_values = self.graph.columns(values);
        let place = |position: &usize| positions.iter().position(|known| known == position);
        let places: Vec<usize> = of_values.iter().filter_map(place).collect();
        let columns = self.of_columns(values, &of_values, &filtered.select(&places)?, ctx)?;
        let scratch: Vec<&Column> = of_others.iter().flat_map(|rows| &rows.columns).collect();
        let columns = without_scratch(columns, &scratch, ctx)?;
        let kept = || filtered.columns().iter().map(|column| column.to_column()).collect();
        let inputs = (!later.is_empty()).then(|| Inputs { columns: kept(), positions: positions.clone() });
        Ok(Rows { columns, mask: None, numbers: of_results.and_then(|rows| rows.numbers), count, inputs })
    }

    /// Returns the columns that the `later` values of rows read, and the nodes of the values in a graph over these
    /// columns.
    fn later<'r>(&'r self, rows: &'r Rows, later: &[NodeId]) -> Result<(Graph, Vec<NodeId>, TableView<'r>)> {
        let (positions, table) = match &rows.inputs {
            None => {
                let positions = self.graph.columns(later);
                let columns = self.table.select(&positions)?.columns().to_vec();
                (positions, TableView::try_with_rows(columns, rows.count)?)
            }
            Some(inputs) => {
                let columns = inputs.columns.iter().map(Column::view).collect();
                (inputs.positions.clone(), TableView::try_with_rows(columns, rows.count)?)
            }
        };
        let (graph, roots) = self.graph.with_only_columns(later, &positions)?;
        Ok((graph, roots, table))
    }

    /// Returns the `later` values of rows as a projection. Returns `None` if one program cannot compute the values.
    pub(super) fn projection<'r>(
        &'r self,
        rows: &'r Rows,
        later: &[NodeId],
        ctx: Ctx<'_>,
    ) -> Result<Option<Projection<'r>>> {
        let (graph, roots, table) = self.later(rows, later)?;
        Projection::new(&graph, &roots, &table, ctx)
    }

    /// Computes the `later` values of rows as columns.
    pub(super) fn later_columns(&self, rows: &Rows, later: &[NodeId], ctx: Ctx<'_>) -> Result<Vec<Column>> {
        if later.is_empty() {
            return Ok(Vec::new());
        }
        let (graph, roots, table) = self.later(rows, later)?;
        evaluate(&graph, &roots, &table, &AllFunctions, ctx)
    }

    fn one(&self, id: NodeId, ctx: Ctx<'_>) -> Result<Column> {
        if let Some(evaluator) = Evaluator::of(&self.graph, id, self.table) {
            return evaluator.evaluate(&self.graph, self.table, &AllFunctions, ctx);
        }
        let columns = self.of_all_rows(&[id], ctx)?;
        columns.into_iter().next().ok_or_else(|| Error::internal("the condition has no result"))
    }

    /// Computes values for all rows of the table. Columns that the values do not name are not read.
    fn of_all_rows(&self, values: &[NodeId], ctx: Ctx<'_>) -> Result<Vec<Column>> {
        let positions = self.graph.columns(values);
        let columns = self.table.select(&positions)?.columns().to_vec();
        self.of_columns(values, &positions, &TableView::try_with_rows(columns, self.table.num_rows())?, ctx)
    }

    /// Computes values from some columns of the table. `columns` has the rows that are computed, and the columns at
    /// `positions`.
    fn of_columns(
        &self,
        values: &[NodeId],
        positions: &[usize],
        columns: &TableView<'_>,
        ctx: Ctx<'_>,
    ) -> Result<Vec<Column>> {
        let (graph, roots) = self.graph.with_only_columns(values, positions)?;
        evaluate(&graph, &roots, columns, &AllFunctions, ctx)
    }
}

/// The columns that the values read, with their positions. A column that is itself a value becomes a column of the
/// result. All other columns are scratch.
struct Divided {
    results: Vec<usize>,
    others: Vec<usize>,
}

fn divided(graph: &Graph, values: &[NodeId], positions: &[usize]) -> Divided {
    let is_value = |position: &usize| values.iter().any(|id| graph.column(*id) == Some(*position));
    let (results, others) = positions.iter().copied().partition(is_value);
    Divided { results, others }
}

fn in_order<'c>(positions: &[usize], columns: Vec<(usize, ColumnView<'c>)>) -> Vec<ColumnView<'c>> {
    let place = |position: &usize| columns.iter().find(|(known, _)| known == position).map(|(_, column)| *column);
    positions.iter().filter_map(place).collect()
}

/// Returns the rows for which the mask is true.
fn passing(columns: Vec<ColumnView<'_>>, mask: &Column, numbers: Numbers, ctx: Ctx<'_>) -> Result<Rows> {
    if numbers == Numbers::Used && columns.is_empty() {
        let numbers = selected_rows(mask.view(), ctx)?;
        vouch::row_numbers(&numbers, mask.len());
        return Ok(Rows {
            columns: Vec::new(),
            mask: None,
            count: numbers.len(),
            numbers: Some(numbers),
            inputs: None,
        });
    }
    let all = match numbers {
        Numbers::Used => Some(row_numbers(mask.len(), ctx.scratch())?),
        Numbers::Unused => None,
    };
    let columns = columns.iter().copied().chain(all.iter().map(Column::view)).collect();
    let table = TableView::try_with_rows(columns, mask.len())?;
    let passing = apply_boolean_mask(table, mask.view(), ctx)?;
    let (count, mut columns) = (passing.num_rows(), passing.into_columns());
    let numbers = if numbers == Numbers::Used { columns.pop() } else { None };
    Ok(Rows { columns, mask: None, numbers, count, inputs: None })
}

/// Some rows of a table, by their numbers.
pub(super) struct Side<'a> {
    pub(super) table: &'a TableView<'a>,
    pub(super) rows: &'a Column,
}

/// Computes expressions over the columns of several sides, which are the inputs of `graph`. The columns of the second
/// side follow the columns of the first side. Only the columns that the expressions name are gathered. All sides have
/// the same number of rows.
pub(super) fn of_sides(
    mut graph: Graph,
    sides: &[Side<'_>],
    outputs: &[Expr],
    count: usize,
    ctx: Ctx<'_>,
) -> Result<Vec<Column>> {
    let outputs = bind_outputs(&mut graph, outputs)?;
    let positions = graph.columns(&outputs);
    let Divided { results, others } = divided(&graph, &outputs, &positions);
    let mut gathered: Vec<(usize, Column)> = Vec::with_capacity(positions.len());
    let mut start = 0;
    for side in sides {
        let end = start + side.table.num_columns();
        for (chosen, ctx) in [(&results, ctx), (&others, ctx.scratch())] {
            let chosen: Vec<usize> =
                chosen.iter().copied().filter(|position| (start..end).contains(position)).collect();
            if chosen.is_empty() {
                continue;
            }
            let of_side: Vec<usize> = chosen.iter().map(|position| position - start).collect();
            let columns = side.table.select(&of_side)?;
            check::table(&columns, ctx)?;
            let columns = gather_trusted(&columns, side.rows.view(), ctx)?.into_columns();
            gathered.extend(chosen.into_iter().zip(columns));
        }
        start = end;
    }
    let gathered_views = gathered.iter().map(|(position, column)| (*position, column.view())).collect();
    let gathered_views = in_order(&positions, gathered_views);
    let (graph, roots) = graph.with_only_columns(&outputs, &positions)?;
    let columns = TableView::try_with_rows(gathered_views, count)?;
    let columns = evaluate(&graph, &roots, &columns, &AllFunctions, ctx)?;
    let scratch = gathered.iter().filter(|(position, _)| others.contains(position));
    let scratch: Vec<&Column> = scratch.map(|(_, column)| column).collect();
    without_scratch(columns, &scratch, ctx)
}

/// Copies the results that share memory with a scratch column, as fields share the memory of their structs.
fn without_scratch(results: Vec<Column>, scratch: &[&Column], ctx: Ctx<'_>) -> Result<Vec<Column>> {
    // The results of a step of a sink are scratch, too.
    if std::ptr::eq(ctx.mr.output.resource(), ctx.mr.temporary.resource()) {
        return Ok(results);
    }
    let own = |result: Column| match scratch.iter().any(|column| share_memory(&result, column)) {
        true => result.deep_copy(ctx.stream, ctx.mr.output),
        false => Ok(result),
    };
    results.into_iter().map(own).collect()
}

impl Pipeline<'_> {
    /// Returns a graph over the columns of several tables. The columns of each table follow the columns of the previous
    /// table.
    pub(super) fn graph_of<'t>(&self, tables: impl Iterator<Item = &'t TableView<'t>>) -> Graph {
        let graph = Graph::new(tables.flat_map(inputs).collect());
        if self.has_exact_decimals { graph.with_exact_decimals() } else { graph }
    }
}

pub(super) fn bind_outputs(graph: &mut Graph, outputs: &[Expr]) -> Result<Vec<NodeId>> {
    let bind = |(index, output): (usize, &Expr)| {
        let bound = graph.bind(output);
        bound.map_err(|error| error.at(Position::Input(index)).in_argument("outputs").in_operation(OPERATION))
    };
    outputs.iter().enumerate().map(bind).collect()
}
