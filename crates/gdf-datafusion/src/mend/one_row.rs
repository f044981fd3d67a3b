//! Subqueries that return exactly one row: aggregates without GROUP BY.
//!
//! DataFusion groups such a correlated aggregate by the keys of the correlation and joins it, so that it has no row where
//! no row of the subquery matches (datafusion#24960). Scalar subqueries have no such defect.

use std::sync::Arc;

use datafusion::common::tree_node::{Transformed, TreeNode, TreeNodeRecursion};
use datafusion::common::{Column, Spans, not_impl_err};
use datafusion::error::{DataFusionError, Result};
use datafusion::logical_expr::expr::{Exists, InSubquery, SetComparison};
use datafusion::logical_expr::logical_plan::{FetchType, SkipType};
use datafusion::logical_expr::{BinaryExpr, Distinct, Expr, LogicalPlan, LogicalPlanBuilder, Operator, Subquery, lit};

/// Returns the node of a subquery that is its aggregate without groups, and the condition of a `HAVING`.
pub(super) fn aggregate(plan: &LogicalPlan) -> Option<(&LogicalPlan, Option<&datafusion::logical_expr::Filter>)> {
    let (mut plan, mut having) = (plan, None);
    loop {
        plan = match plan {
            LogicalPlan::Projection(of) => &of.input,
            LogicalPlan::SubqueryAlias(of) => &of.input,
            LogicalPlan::Sort(of) if of.fetch.is_none() => &of.input,
            LogicalPlan::Distinct(Distinct::All(input)) => input,
            LogicalPlan::Limit(of) => {
                let takes_a_row = matches!(of.get_skip_type(), Ok(SkipType::Literal(0)))
                    && matches!(of.get_fetch_type(), Ok(FetchType::Literal(rows)) if rows != Some(0));
                if !takes_a_row {
                    return None;
                }
                &of.input
            }
            LogicalPlan::Filter(of) if having.is_none() => {
                having = Some(of);
                &of.input
            }
            LogicalPlan::Aggregate(of) if of.group_expr.is_empty() => return Some((plan, having)),
            _ => return None,
        };
    }
}

/// Replaces a condition on a correlated subquery that has one row by a condition on its value.
pub(super) fn mended(expr: Expr) -> Result<Transformed<Expr>> {
    let subquery = match &expr {
        Expr::Exists(of) => &of.subquery,
        Expr::InSubquery(of) => &of.subquery,
        Expr::SetComparison(of) => &of.subquery,
        _ => return Ok(Transformed::no(expr)),
    };
    if subquery.outer_ref_columns.is_empty() {
        return Ok(Transformed::no(expr));
    }
    let Some((_, having)) = aggregate(&subquery.subquery) else { return Ok(Transformed::no(expr)) };
    let has_row = match having {
        None => lit(true),
        Some(having) if having.predicate.contains_outer() => {
            return not_impl_err!(
                "HAVING with a column of the outer query in a subquery without GROUP BY: `{}`; compare the value of the \
                 aggregate in the outer query instead",
                having.predicate
            );
        }
        Some(having) => Expr::IsTrue(Box::new(value_of(having.predicate.clone(), &having.input)?)),
    };
    let is_filtered = having.is_some();
    let compared = |left: Box<Expr>, op, subquery: &Subquery| {
        let plan = subquery.subquery.as_ref();
        let value = value_of(Expr::Column(Column::from(plan.schema().qualified_field(0))), plan)?;
        Ok::<_, DataFusionError>(Expr::BinaryExpr(BinaryExpr::new(left, op, Box::new(value))))
    };
    let found = match expr {
        Expr::Exists(Exists { negated, .. }) => match (is_filtered, negated) {
            (false, negated) => lit(!negated),
            (true, false) => has_row,
            (true, true) => Expr::Not(Box::new(has_row)),
        },
        Expr::InSubquery(InSubquery { expr, subquery, negated }) => {
            let op = if negated && !is_filtered { Operator::NotEq } else { Operator::Eq };
            let found = compared(expr, op, &subquery)?;
            match (is_filtered, negated) {
                (false, _) => found,
                (true, false) => has_row.and(found),
                (true, true) => Expr::Not(Box::new(has_row.and(found))),
            }
        }
        Expr::SetComparison(SetComparison { expr, subquery, op, .. }) if !is_filtered => compared(expr, op, &subquery)?,
        other => return Ok(Transformed::no(other)),
    };
    Ok(Transformed::yes(found))
}

/// Returns the scalar subquery of an expression of the outputs of `plan`, above the aggregate alone.
fn value_of(expr: Expr, plan: &LogicalPlan) -> Result<Expr> {
    let input = match plan {
        LogicalPlan::Projection(of) => &of.input,
        LogicalPlan::SubqueryAlias(of) => &of.input,
        LogicalPlan::Sort(of) => &of.input,
        LogicalPlan::Limit(of) => &of.input,
        LogicalPlan::Filter(of) => &of.input,
        LogicalPlan::Distinct(Distinct::All(input)) => input,
        _ => {
            let plan = LogicalPlanBuilder::from(plan.clone()).project([expr.alias("__gdf_value")])?.build()?;
            return Ok(Expr::ScalarSubquery(subquery(plan)));
        }
    };
    let inner = expr.transform_down(|expr| {
        let Expr::Column(column) = &expr else { return Ok(Transformed::no(expr)) };
        let at = plan.schema().index_of_column(column)?;
        let inner = match plan {
            LogicalPlan::Projection(of) => of.expr[at].clone().unalias(),
            _ => Expr::Column(Column::from(input.schema().qualified_field(at))),
        };
        // The expression that replaces a column is not visited again.
        Ok(Transformed::new(inner, true, TreeNodeRecursion::Jump))
    })?;
    value_of(inner.data, input)
}

pub(super) fn subquery(plan: LogicalPlan) -> Subquery {
    Subquery { outer_ref_columns: plan.all_out_ref_exprs(), subquery: Arc::new(plan), spans: Spans::new() }
}
