//! Subqueries that return exactly one row: aggregates without GROUP BY.
//!
//! DataFusion groups such a correlated aggregate by the keys of the correlation and joins it, so that it has no row where
//! no row of the subquery matches (datafusion#24960). Scalar subqueries have no such defect.

use std::sync::Arc;

use datafusion::common::Spans;
use datafusion::common::not_impl_err;
use datafusion::common::tree_node::{Transformed, TreeNode, TreeNodeRecursion};
use datafusion::error::Result;
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
        Some(having) => {
            let plan = LogicalPlanBuilder::from(Arc::clone(&having.input))
                .project([having.predicate.clone().alias("__gdf_having")])?
                .build()?;
            Expr::IsTrue(Box::new(scalar(plan)))
        }
    };
    let is_filtered = having.is_some();
    let value =
        |subquery: &Subquery| Ok::<_, datafusion::error::DataFusionError>(scalar(unfiltered(&subquery.subquery)?));
    let compared = |left: Box<Expr>, op, subquery: &Subquery| {
        Ok::<_, datafusion::error::DataFusionError>(Expr::BinaryExpr(BinaryExpr::new(
            left,
            op,
            Box::new(value(subquery)?),
        )))
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

/// Returns the subquery without what may drop its row.
fn unfiltered(plan: &LogicalPlan) -> Result<LogicalPlan> {
    let found = plan.clone().transform_down(|plan| {
        let input = match &plan {
            LogicalPlan::Aggregate(_) => return Ok(Transformed::new(plan, false, TreeNodeRecursion::Stop)),
            LogicalPlan::Sort(of) => &of.input,
            LogicalPlan::Limit(of) => &of.input,
            LogicalPlan::Filter(of) => &of.input,
            LogicalPlan::Distinct(Distinct::All(input)) => input,
            _ => return Ok(Transformed::no(plan)),
        };
        unfiltered(input).map(|plan| Transformed::new(plan, true, TreeNodeRecursion::Stop))
    })?;
    Ok(found.data)
}

fn scalar(plan: LogicalPlan) -> Expr {
    Expr::ScalarSubquery(subquery(plan))
}

pub(super) fn subquery(plan: LogicalPlan) -> Subquery {
    Subquery { outer_ref_columns: plan.all_out_ref_exprs(), subquery: Arc::new(plan), spans: Spans::new() }
}
