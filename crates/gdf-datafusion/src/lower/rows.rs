//! Projections, filters and sorts.

use std::sync::Arc;

use datafusion::physical_expr::LexOrdering;
use datafusion::physical_plan::ExecutionPlan;
use datafusion::physical_plan::filter::FilterExec;
use datafusion::physical_plan::projection::ProjectionExec;
use gdf_expr::{Expr, ExprKind, col};

use super::Lowering;
use super::expressions::{Lowered, Scope};
use crate::error::Refusal;
use crate::plan::{Check, Key, Node, Rows, Sort};
use crate::types::plain_types;

/// Lowers a child to rows for more conditions and expressions.
pub(super) fn rows_of(lowering: &mut Lowering, input: &Arc<dyn ExecutionPlan>) -> Result<Rows, Refusal> {
    let width = input.schema().fields().len();
    Ok(lowering.child(input)?.into_rows(width))
}

/// Returns the values of expressions, and all of their checks.
pub(super) fn parts(lowered: Vec<Lowered>) -> (Vec<Expr>, Vec<Check>) {
    let mut checks = Vec::new();
    let value = |lowered: Lowered| {
        checks.extend(lowered.checks);
        lowered.value
    };
    (lowered.into_iter().map(value).collect(), checks)
}

/// Returns a failure of composing expressions, which are too deep.
pub(super) fn too_deep(failure: crate::error::Failure) -> Refusal {
    Refusal::Unknown(datafusion::error::DataFusionError::from(failure).to_string())
}

pub(super) fn project(lowering: &mut Lowering, of: &ProjectionExec) -> Result<Node, Refusal> {
    let schema = of.input().schema();
    let mut scope = Scope::new(&schema, &mut lowering.placeholders)?;
    let values = of.expr().iter().map(|output| scope.lower(&output.expr)).collect::<Result<Vec<_>, _>>()?;
    let mut rows = rows_of(lowering, of.input())?;
    let (values, checks) = parts(values);
    lowering.is_worthwhile |= values.iter().any(|value| !matches!(value.kind(), ExprKind::Column(_)));
    rows.project(&values, &checks).map_err(too_deep)?;
    Ok(Node::Rows(Box::new(rows)))
}

pub(super) fn filter(lowering: &mut Lowering, of: &FilterExec) -> Result<Node, Refusal> {
    let schema = of.input().schema();
    let condition = Scope::new(&schema, &mut lowering.placeholders)?.lower(of.predicate())?;
    let mut rows = rows_of(lowering, of.input())?;
    lowering.is_worthwhile = true;
    rows.filter(&condition.value, &condition.checks).map_err(too_deep)?;
    if let Some(kept) = of.projection() {
        rows.project(&kept.iter().copied().map(col).collect::<Vec<_>>(), &[]).map_err(too_deep)?;
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
    let schema = input.schema();
    let width = plain_types(&schema)?.len();
    if order.len() > MAX_KEYS {
        return Err(Refusal::variant("SortExec", format!("{} keys", order.len())));
    }
    let mut scope = Scope::new(&schema, &mut lowering.placeholders)?;
    let keys = order.iter().map(|key| scope.lower(&key.expr)).collect::<Result<Vec<_>, _>>()?;
    let mut rows = rows_of(lowering, input)?;
    let (keys, checks) = parts(keys);
    let places = rows.append(&keys, &checks).map_err(too_deep)?;
    let key = |(output, key): (usize, &datafusion::physical_expr::PhysicalSortExpr)| Key {
        output,
        descending: key.options.descending,
        nulls_first: key.options.nulls_first,
    };
    let keys = places.into_iter().zip(order.iter()).map(key).collect();
    lowering.is_worthwhile = true;
    lowering.cuts_rows |= fetch.is_some();
    Ok(Node::Sort(Box::new(Sort { rows, width, keys, fetch })))
}
