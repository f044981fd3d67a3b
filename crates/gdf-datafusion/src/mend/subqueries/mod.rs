//! Conditions on subqueries.
//!
//! DataFusion joins `NOT IN` of a correlated subquery, and `IN` below `OR`, `NOT` or `IS NULL`, without regard to nulls
//! (datafusion#25347). It moves the condition of a correlated subquery above whatever is in between (datafusion#25519).

pub(super) mod keyed;
pub(super) mod marks;

use datafusion::common::tree_node::{Transformed, TreeNode, TreeNodeRecursion};
use datafusion::common::{Column, DFSchema, ExprSchema, not_impl_err};
use datafusion::error::{DataFusionError, Result};
use datafusion::logical_expr::expr::{Exists, InSubquery, SetComparison, SetQuantifier};
use datafusion::logical_expr::logical_plan::SkipType;
use datafusion::logical_expr::utils::{conjunction, split_conjunction_owned};
use datafusion::logical_expr::{
    BinaryExpr, Distinct, Expr, ExprSchemable, Filter, JoinType, LogicalPlan, LogicalPlanBuilder, Operator, lit, when,
};
use datafusion::scalar::ScalarValue;

use super::{comparisons, one_row};

/// Mends the condition of a filter, which keeps rows where the condition is true.
pub(super) fn mended_filter(filter: Filter, schema: &DFSchema) -> Result<Transformed<LogicalPlan>> {
    if !has_condition(&filter.predicate) {
        return Ok(Transformed::no(LogicalPlan::Filter(filter)));
    }
    let predicate = filter.predicate.transform_up(one_row::mended)?.data;
    let conditions = split_conjunction_owned(predicate).into_iter().map(|expr| top(expr, schema));
    let conditions = conditions.collect::<Result<Vec<_>>>()?;
    let predicate = conjunction(conditions).unwrap_or_else(|| lit(true));
    Ok(Transformed::yes(LogicalPlan::Filter(Filter::try_new(predicate, filter.input)?)))
}

/// Mends an expression whose result may be shown.
pub(super) fn mended(expr: Expr, schema: &DFSchema) -> Result<Transformed<Expr>> {
    if !has_condition(&expr) {
        return Ok(Transformed::no(expr));
    }
    let expr = expr.transform_up(one_row::mended)?.data;
    Ok(Transformed::yes(exact(expr, schema)?))
}

fn has_condition(expr: &Expr) -> bool {
    let is_condition = |expr: &Expr| {
        let is_condition = matches!(expr, Expr::InSubquery(_) | Expr::Exists(_) | Expr::SetComparison(_));
        Ok(is_condition)
    };
    expr.exists(is_condition).unwrap_or(true)
}

/// Rewrites one of the conditions that must all be true.
fn top(expr: Expr, schema: &DFSchema) -> Result<Expr> {
    match without_not(expr) {
        Expr::InSubquery(of) if of.negated && is_correlated(&of) => {
            let condition = compared(&of, schema)?;
            let may_be_equal = Expr::IsNotFalse(Box::new(condition));
            Ok(exists(rows(&of)?.filter(may_be_equal)?.build()?, true))
        }
        // DataFusion has a join for these.
        expr @ (Expr::InSubquery(_) | Expr::Exists(_)) => Ok(expr),
        expr => positive(expr, schema),
    }
}

/// Rewrites a condition below `AND` and `OR`. A null result has the same effect as false there.
fn positive(expr: Expr, schema: &DFSchema) -> Result<Expr> {
    match without_not(expr) {
        Expr::BinaryExpr(BinaryExpr { left, op: op @ (Operator::And | Operator::Or), right }) => {
            let (left, right) = (positive(*left, schema)?, positive(*right, schema)?);
            Ok(Expr::BinaryExpr(BinaryExpr::new(Box::new(left), op, Box::new(right))))
        }
        Expr::InSubquery(of) if of.negated => {
            let unknown = unknown(&of, schema)?;
            let equal = exists(rows(&of)?.filter(compared(&of, schema)?)?.build()?, true);
            Ok(match unknown {
                Some(unknown) => equal.and(Expr::Not(Box::new(unknown))),
                None => equal,
            })
        }
        expr @ (Expr::InSubquery(_) | Expr::Exists(_)) => Ok(expr),
        expr => exact(expr, schema),
    }
}

/// Rewrites a condition for which null and false have different effects.
fn exact(expr: Expr, schema: &DFSchema) -> Result<Expr> {
    let found = expr.transform_up(|expr| {
        let of = match expr {
            Expr::InSubquery(of) => of,
            Expr::SetComparison(of) => return quantified(of, schema).map(Transformed::yes),
            expr => return Ok(Transformed::no(expr)),
        };
        let equal = exists(rows(&of)?.filter(compared(&of, schema)?)?.build()?, false);
        let found = match unknown(&of, schema)? {
            None if of.negated => Expr::Not(Box::new(equal)),
            None => equal,
            Some(unknown) => when(equal, lit(!of.negated))
                .when(unknown, lit(ScalarValue::Boolean(None)))
                .otherwise(lit(of.negated))?,
        };
        Ok(Transformed::yes(found))
    })?;
    Ok(found.data)
}

/// Mends `= ANY` and `= ALL`, whose output DataFusion gives another name.
fn quantified(of: SetComparison, schema: &DFSchema) -> Result<Expr> {
    let SetComparison { expr, subquery, op, quantifier } = of;
    let as_in = InSubquery::new(expr, subquery, false);
    let Expr::BinaryExpr(BinaryExpr { left, right, .. }) = equality(&as_in, schema)? else {
        return not_impl_err!("the comparison of a value with a subquery: `{}`", as_in.expr);
    };
    let condition = Expr::BinaryExpr(BinaryExpr::new(left, op, right));
    let condition = comparisons::mended(condition, as_in.subquery.subquery.schema())?.data;
    let any = |condition: Expr| Ok::<_, DataFusionError>(exists(rows(&as_in)?.filter(condition)?.build()?, false));
    let is_any = quantifier == SetQuantifier::Any;
    let decided = if is_any { condition.clone() } else { Expr::IsFalse(Box::new(condition.clone())) };
    when(any(decided)?, lit(is_any))
        .when(any(condition.is_null())?, lit(ScalarValue::Boolean(None)))
        .otherwise(lit(!is_any))
}

/// Moves a `NOT` into the condition below it.
fn without_not(expr: Expr) -> Expr {
    match expr {
        Expr::Not(of) => match *of {
            Expr::InSubquery(of) => Expr::InSubquery(InSubquery { negated: !of.negated, ..of }),
            Expr::Exists(of) => Expr::Exists(Exists { negated: !of.negated, ..of }),
            other => Expr::Not(Box::new(other)),
        },
        expr => expr,
    }
}

fn is_correlated(of: &InSubquery) -> bool {
    !of.subquery.outer_ref_columns.is_empty()
}

fn rows(of: &InSubquery) -> Result<LogicalPlanBuilder> {
    Ok(LogicalPlanBuilder::from(of.subquery.subquery.as_ref().clone()))
}

fn exists(plan: LogicalPlan, negated: bool) -> Expr {
    Expr::Exists(Exists { subquery: one_row::subquery(plan), negated })
}

fn output(of: &InSubquery) -> Expr {
    Expr::Column(Column::from(of.subquery.subquery.schema().qualified_field(0)))
}

/// Returns the comparison of the value with the output of the subquery, for a filter above the subquery.
fn compared(of: &InSubquery, schema: &DFSchema) -> Result<Expr> {
    Ok(comparisons::mended(equality(of, schema)?, of.subquery.subquery.schema())?.data)
}

fn equality(of: &InSubquery, schema: &DFSchema) -> Result<Expr> {
    if has_condition(&of.expr) {
        return not_impl_err!("IN with a subquery on its left side: `{}`; select it in a subquery first", of.expr);
    }
    let value = (*of.expr).clone().transform_up(|expr| match expr {
        Expr::Column(column) => {
            let field = schema.field_from_column(&column)?;
            Ok(Transformed::yes(Expr::OuterReferenceColumn(std::sync::Arc::clone(field), column)))
        }
        expr => Ok(Transformed::no(expr)),
    })?;
    Ok(value.data.eq(output(of)))
}

/// Returns the condition that makes the result of `IN` null where no row is equal, or `None` if there are no nulls.
fn unknown(of: &InSubquery, schema: &DFSchema) -> Result<Option<Expr>> {
    let any = |rows: LogicalPlanBuilder| -> Result<Expr> {
        // One row suffices where it is the same for all rows of the outer query.
        let rows = if is_correlated(of) { rows } else { rows.limit(0, Some(1))? };
        Ok(exists(rows.build()?, false))
    };
    let output = output(of);
    let mut found = Vec::new();
    if output.nullable(of.subquery.subquery.schema()).unwrap_or(true) {
        found.push(any(rows(of)?.filter(output.is_null())?)?);
    }
    if of.expr.nullable(schema).unwrap_or(true) {
        found.push((*of.expr).clone().is_null().and(any(rows(of)?)?));
    }
    Ok(found.into_iter().reduce(Expr::or))
}

/// Refuses correlated subqueries whose condition DataFusion moves above a node that it changes.
pub(super) fn check(plan: &LogicalPlan) -> Result<()> {
    if let LogicalPlan::Subquery(of) = plan
        && !of.outer_ref_columns.is_empty()
    {
        check_plan(&of.subquery, one_row::aggregate(&of.subquery).map(|(plan, _)| plan))?;
    }
    plan.apply_expressions(|expr| {
        expr.apply(|expr| {
            let subquery = match expr {
                Expr::Exists(of) => &of.subquery,
                Expr::InSubquery(InSubquery { subquery, .. }) | Expr::SetComparison(SetComparison { subquery, .. }) => {
                    subquery
                }
                Expr::ScalarSubquery(subquery) => subquery,
                _ => return Ok(TreeNodeRecursion::Continue),
            };
            if !subquery.outer_ref_columns.is_empty() {
                let is_scalar = matches!(expr, Expr::ScalarSubquery(_));
                let aggregate = is_scalar.then(|| one_row::aggregate(&subquery.subquery)).flatten();
                check_plan(&subquery.subquery, aggregate.map(|(plan, _)| plan))?;
            }
            Ok(TreeNodeRecursion::Continue)
        })
    })?;
    Ok(())
}

/// `allowed` is the aggregate without groups that DataFusion joins with its value for no rows.
fn check_plan(plan: &LogicalPlan, allowed: Option<&LogicalPlan>) -> Result<()> {
    let is_outer = |plan: &LogicalPlan| !plan.all_out_ref_exprs().is_empty();
    plan.apply(|plan| {
        let what = match plan {
            LogicalPlan::Aggregate(of) if !is_outer(&of.input) => None,
            LogicalPlan::Aggregate(of) if of.group_expr.iter().any(|key| matches!(key, Expr::GroupingSet(_))) => {
                Some("GROUPING SETS, ROLLUP or CUBE")
            }
            LogicalPlan::Aggregate(of) if of.group_expr.is_empty() => {
                let is_allowed = allowed.is_some_and(|allowed| std::ptr::eq(allowed, plan));
                (!is_allowed).then_some("an aggregate without GROUP BY inside of another query")
            }
            LogicalPlan::Window(of) if is_outer(&of.input) => Some("a window function"),
            LogicalPlan::Distinct(Distinct::On(of)) if is_outer(&of.input) => Some("DISTINCT ON"),
            LogicalPlan::Limit(of) if is_outer(&of.input) => match of.get_skip_type() {
                Ok(SkipType::Literal(0)) => None,
                _ => Some("OFFSET"),
            },
            LogicalPlan::Join(of) => {
                let (left, right) = (is_outer(&of.left), is_outer(&of.right));
                let is_moved = match of.join_type {
                    JoinType::Inner => false,
                    JoinType::Left | JoinType::LeftSemi | JoinType::LeftAnti | JoinType::LeftMark => right,
                    JoinType::Right | JoinType::RightSemi | JoinType::RightAnti | JoinType::RightMark => left,
                    JoinType::Full => left || right,
                };
                is_moved.then_some("an outer join, INTERSECT or EXCEPT")
            }
            _ => None,
        };
        match what {
            None => Ok(TreeNodeRecursion::Continue),
            Some(what) => not_impl_err!(
                "a subquery with a column of the outer query below {what}: DataFusion would compare it afterwards; \
                 select the column in the subquery, and compare it in the outer query"
            ),
        }
    })?;
    Ok(())
}
