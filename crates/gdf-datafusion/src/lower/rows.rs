//! Lowers projections, filters and sorts.

use std::sync::Arc;

use arrow_schema::Schema;
use datafusion::error::DataFusionError;
use datafusion::physical_expr::LexOrdering;
use datafusion::physical_plan::ExecutionPlan;
use datafusion::physical_plan::filter::FilterExec;
use datafusion::physical_plan::projection::ProjectionExec;
use gdf_exec::{Check, ColumnCall, Key, Node, Rows, Sort, compute, resolved};
use gdf_expr::{Expr, ExprKind, col};

use super::Lowering;
use super::expressions::{Lowered, Scope};
use crate::error::{Failure, Refusal};

/// Lowers a child to [`Rows`], to which the caller can add conditions and expressions.
pub(super) fn rows_of(lowering: &mut Lowering, input: &Arc<dyn ExecutionPlan>) -> Result<Rows, Refusal> {
    let width = input.schema().fields().len();
    Ok(lowering.child(input)?.into_rows(width))
}

pub(super) fn parts(lowered: Vec<Lowered>) -> (Vec<Expr>, Vec<Check>) {
    let mut checks = Vec::new();
    let value = |lowered: Lowered| {
        checks.extend(lowered.checks);
        lowered.value
    };
    (lowered.into_iter().map(value).collect(), checks)
}

/// Adds the results of `calls` to `rows`. Returns the lowered expressions, which read these results as columns.
pub(super) fn computed(rows: &mut Rows, calls: &[ColumnCall], lowered: Vec<Lowered>) -> Result<Vec<Lowered>, Refusal> {
    if calls.is_empty() {
        return Ok(lowered);
    }
    let places: Vec<Option<usize>> = compute(rows, calls).map_err(too_deep)?.into_iter().map(Some).collect();
    let over = |part: &Expr| resolved(part, &places);
    let of = |lowered: Lowered| {
        let checks = lowered.checks.iter().map(|check| check.try_map(over)).collect::<gdf_exec::Result<_>>();
        Ok(Lowered { value: over(&lowered.value).map_err(too_deep)?, checks: checks.map_err(too_deep)?, ..lowered })
    };
    lowered.into_iter().map(of).collect()
}

/// Returns the refusal for an expression that became too deep when its parts were substituted.
pub(super) fn too_deep(error: gdf_exec::Error) -> Refusal {
    Refusal::Unknown(DataFusionError::from(Failure::from(error)).to_string())
}

pub(super) fn project(lowering: &mut Lowering, of: &ProjectionExec) -> Result<Node, Refusal> {
    let schema = of.input().schema();
    let mut scope = Scope::new(&schema, &mut lowering.subqueries)?;
    let values = of.expr().iter().map(|output| scope.lower_output(&output.expr)).collect::<Result<Vec<_>, _>>()?;
    let calls = scope.into_calls();
    let mut rows = lowering.child_with_any_types(of.input())?.into_rows(schema.fields().len());
    let (values, checks) = parts(computed(&mut rows, &calls, values)?);
    let is_computed = |value: &Expr| !matches!(value.kind(), ExprKind::Column(_));
    lowering.is_worthwhile |= !calls.is_empty() || values.iter().any(is_computed);
    rows.project(&values, &checks).map_err(too_deep)?;
    Ok(Node::Rows(Box::new(rows)))
}

pub(super) fn filter(lowering: &mut Lowering, of: &FilterExec) -> Result<Node, Refusal> {
    let schema = of.input().schema();
    let mut scope = Scope::new(&schema, &mut lowering.subqueries)?;
    let condition = scope.lower(of.predicate())?;
    let calls = scope.into_calls();
    let mut rows = lowering.child_with_any_types(of.input())?.into_rows(schema.fields().len());
    lowering.is_worthwhile = true;
    for condition in computed(&mut rows, &calls, vec![condition])? {
        rows.filter(&condition.value, &condition.checks).map_err(too_deep)?;
    }
    let kept: Option<Vec<usize>> = match of.projection() {
        Some(kept) => Some(kept.to_vec()),
        // The results of calls are not columns of the node.
        None if !calls.is_empty() => Some((0..schema.fields().len()).collect()),
        None => None,
    };
    if let Some(kept) = kept {
        rows.project(&kept.into_iter().map(col).collect::<Vec<_>>(), &[]).map_err(too_deep)?;
    }
    Ok(Node::Rows(Box::new(rows)))
}

/// The largest number of keys of a sort.
const MAX_KEYS: usize = 64;

pub(super) fn sort(
    lowering: &mut Lowering,
    input: &Arc<dyn ExecutionPlan>,
    order: &LexOrdering,
    fetch: Option<usize>,
) -> Result<Node, Refusal> {
    // The keys are lowered first, because a key may be refused.
    let schema = input.schema();
    lowered_keys(lowering, &schema, order)?;
    let node = lowering.child(input)?;
    lowering.cuts_rows |= fetch.is_some();
    sort_node(lowering, node, &schema, order, fetch)
}

pub(super) fn sort_node(
    lowering: &mut Lowering,
    node: Node,
    schema: &Schema,
    order: &LexOrdering,
    fetch: Option<usize>,
) -> Result<Node, Refusal> {
    let width = schema.fields().len();
    let (keys, calls) = lowered_keys(lowering, schema, order)?;
    let mut rows = node.into_rows(width);
    let (keys, checks) = parts(computed(&mut rows, &calls, keys)?);
    let places = rows.append(&keys, &checks).map_err(too_deep)?;
    let key = |(output, key): (usize, &datafusion::physical_expr::PhysicalSortExpr)| Key {
        output,
        descending: key.options.descending,
        nulls_first: key.options.nulls_first,
    };
    let keys = places.into_iter().zip(order.iter()).map(key).collect();
    lowering.is_worthwhile = true;
    Ok(Node::Sort(Box::new(Sort { rows, width, keys, fetch })))
}

fn lowered_keys(
    lowering: &mut Lowering,
    schema: &Schema,
    order: &LexOrdering,
) -> Result<(Vec<Lowered>, Vec<ColumnCall>), Refusal> {
    if order.len() > MAX_KEYS {
        return Err(Refusal::variant("SortExec", format!("{} keys, which are more than {MAX_KEYS}", order.len())));
    }
    let mut scope = Scope::new(schema, &mut lowering.subqueries)?;
    let keys = order.iter().map(|key| scope.lower(&key.expr)).collect::<Result<_, _>>()?;
    Ok((keys, scope.into_calls()))
}
