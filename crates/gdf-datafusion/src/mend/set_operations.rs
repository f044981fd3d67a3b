//! `INTERSECT ALL` and `EXCEPT ALL`.
//!
//! DataFusion plans them as semi and anti joins, which keep or drop all copies of a row (datafusion#12955, #12956). Here
//! the copies of each row are numbered on both sides, and the number is one more key of the join.

use std::sync::Arc;

use datafusion::common::tree_node::Transformed;
use datafusion::common::{Column, NullEquality};
use datafusion::error::Result;
use datafusion::functions_window::row_number::row_number_udwf;
use datafusion::logical_expr::expr::WindowFunction;
use datafusion::logical_expr::{Distinct, Expr, JoinType, LogicalPlan, LogicalPlanBuilder};

const COPY: &str = "__gdf_copy";

pub(super) fn counted(plan: LogicalPlan) -> Result<Transformed<LogicalPlan>> {
    let LogicalPlan::Join(join) = &plan else { return Ok(Transformed::no(plan)) };
    let columns = join.left.schema().fields().len();
    let is_set_operation = matches!(join.join_type, JoinType::LeftSemi | JoinType::LeftAnti)
        && join.null_equality == NullEquality::NullEqualsNull
        && join.filter.is_none()
        && join.on.len() == columns
        && join.right.schema().fields().len() == columns;
    let is_distinct = matches!(join.left.as_ref(), LogicalPlan::Distinct(Distinct::All(_)));
    let is_numbered = join.on.iter().any(|(key, _)| matches!(key, Expr::Column(of) if of.name == COPY));
    if !is_set_operation || is_distinct || is_numbered {
        return Ok(Transformed::no(plan));
    }
    let (mut left_keys, mut right_keys): (Vec<Column>, Vec<Column>) = join
        .on
        .iter()
        .filter_map(|(left, right)| Some((left.get_as_join_column()?.clone(), right.get_as_join_column()?.clone())))
        .unzip();
    if left_keys.len() < columns {
        return Ok(Transformed::no(plan));
    }
    let (left, right) = (numbered(&join.left, &left_keys)?, numbered(&join.right, &right_keys)?);
    left_keys.push(Column::from_name(COPY));
    right_keys.push(Column::from_name(COPY));
    let outputs: Vec<Expr> = join.schema.columns().into_iter().map(Expr::Column).collect();
    let found = LogicalPlanBuilder::from(left)
        .join_detailed(right, join.join_type, (left_keys, right_keys), None, join.null_equality)?
        .project(outputs)?
        .build()?;
    Ok(Transformed::yes(found))
}

/// Adds a column with the number of each row among its copies.
fn numbered(plan: &Arc<LogicalPlan>, keys: &[Column]) -> Result<LogicalPlan> {
    let mut number = WindowFunction::new(row_number_udwf(), Vec::new());
    number.params.partition_by = keys.iter().cloned().map(Expr::Column).collect();
    let number = Expr::WindowFunction(Box::new(number));
    let name = number.schema_name().to_string();
    let mut outputs: Vec<Expr> = plan.schema().columns().into_iter().map(Expr::Column).collect();
    outputs.push(Expr::Column(Column::from_name(name)).alias(COPY));
    LogicalPlanBuilder::from(Arc::clone(plan)).window([number])?.project(outputs)?.build()
}
