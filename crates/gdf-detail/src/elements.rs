//! Expressions over the elements of each list. The columns that an expression reads beside the elements are gathered by
//! the numbers of the lists; no other column is read or copied.

use gdf_compute::expression::inputs;
use gdf_compute::filling::row_numbers;
use gdf_compute::reduction::{ReduceAggregation, default_output_type};
use gdf_core::{Column, Counted, Error, Result, TableView};
use gdf_engine::check;
use gdf_engine::policy::NullPolicy;
use gdf_expr::{Expr, Graph, Input};
use gdf_nested::lists::{Elements, Hidden, reduce_elements};

use crate::Ctx;
use crate::decimal_ranges::measure;
use crate::expression::{compute_node, share_memory};
use crate::vouch::gather_column;

/// Replaces each element of the lists in column number `column` by the value of an expression.
///
/// Implements `gdf_api::lists::transform_elements` with the stream and the memory resources of `ctx`.
pub fn transform_elements(table: &TableView<'_>, column: usize, expression: &Expr, ctx: Ctx<'_>) -> Result<Column> {
    let (lists, values) = evaluated("transform_elements", table, column, expression, ctx)?;
    lists.replaced(values, ctx)
}

/// Returns for each list the elements for which a condition is true and not null.
///
/// Implements `gdf_api::lists::filter_elements` with the stream and the memory resources of `ctx`.
pub fn filter_elements(table: &TableView<'_>, column: usize, condition: &Expr, ctx: Ctx<'_>) -> Result<Column> {
    let (lists, mask) = evaluated("filter_elements", table, column, condition, ctx.scratch())?;
    check::boolean(&mask.view()).map_err(|error| error.in_argument("condition"))?;
    lists.selected(mask, ctx)
}

/// Reduces the values of an expression over the elements of each list to one value.
///
/// Implements `gdf_api::lists::aggregate_elements` with the stream and the memory resources of `ctx`.
pub fn aggregate_elements(
    table: &TableView<'_>,
    column: usize,
    expression: &Expr,
    aggregation: ReduceAggregation,
    null_policy: NullPolicy,
    ctx: Ctx<'_>,
) -> Result<Column> {
    let (lists, values) = evaluated("aggregate_elements", table, column, expression, ctx.scratch())?;
    let output_type = default_output_type(aggregation, values.data_type())?;
    reduce_elements(&lists, values.view(), aggregation, &output_type, null_policy, ctx)
}

/// Returns the opened lists, and the value of the expression for each element. The values are in memory of the output
/// resource of `ctx`, the lists in scratch memory.
fn evaluated(
    operation: &'static str,
    table: &TableView<'_>,
    column: usize,
    expression: &Expr,
    ctx: Ctx<'_>,
) -> Result<(Elements, Column)> {
    let scratch = ctx.scratch();
    let missing = || Error::index_out_of_bounds(Counted::Columns, column, table.num_columns());
    let of_lists = table.columns().get(column).copied().ok_or_else(missing)?;
    check::table(table, ctx)?;
    let lists = Elements::open(operation, of_lists, &[], Hidden::Purged, scratch)?;
    let mut inputs = inputs(table);
    inputs[column] = Input::new(lists.values.data_type().clone());
    let mut graph = Graph::new(inputs);
    let root = graph.bind(expression)?;
    let mut used = graph.columns(&[root]);
    // The elements also say how many rows there are if the expression reads no column.
    if !used.contains(&column) {
        used.push(column);
    }
    let (mut graph, roots) = graph.with_exact_decimals().with_only_columns(&[root], &used)?;
    let parents = if used.len() > 1 { Some(lists.parents(scratch)?) } else { None };
    let of_elements = |position: &usize| match &parents {
        Some(parents) if *position != column => gather_column(table.columns()[*position], parents.view(), scratch),
        _ => Ok(lists.values.clone()),
    };
    let rows = used.iter().map(of_elements).collect::<Result<Vec<_>>>()?;
    let rows = TableView::try_new(rows.iter().map(Column::view).collect())?;
    let Some(root) = roots.first() else {
        return Err(Error::internal("the expression has no node"));
    };
    measure(&mut graph, &roots, &rows, scratch)?;
    let values = compute_node(&graph, *root, &rows, ctx)?;
    // The value may be a column, or share memory with one, as fields do with structs. The columns are in scratch memory
    // or parts of the input.
    if !rows.columns().iter().any(|column| share_memory(&values, column.column())) {
        return Ok((lists, values));
    }
    let values = gather_column(values.view(), row_numbers(values.len(), scratch)?.view(), ctx)?;
    Ok((lists, values))
}
