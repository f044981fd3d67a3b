//! `EXISTS` in the select list, in groups, sort keys and arguments.
//!
//! DataFusion joins subqueries of filters alone. Here the input of other nodes is joined with the subquery, and the mark
//! of the join takes the place of the condition.

use std::collections::{BTreeSet, HashMap};
use std::sync::Arc;

use datafusion::common::alias::AliasGenerator;
use datafusion::common::tree_node::{Transformed, TreeNode, TreeNodeRecursion};
use datafusion::common::{Column, not_impl_err};
use datafusion::error::Result;
use datafusion::logical_expr::expr::Exists;
use datafusion::logical_expr::expr_rewriter::NamePreserver;
use datafusion::logical_expr::utils::conjunction;
use datafusion::logical_expr::{Expr, JoinType, LogicalPlan, LogicalPlanBuilder, lit};
use datafusion::optimizer::decorrelate::PullUpCorrelatedExpr;
use datafusion::optimizer::{ApplyOrder, OptimizerConfig, OptimizerRule};

use crate::mend::Rules;

/// Adds the rule before the rule for filters.
pub(in crate::mend) fn add_to(rules: &mut Rules) {
    if rules.iter().any(|rule| rule.name() == Marks.name()) {
        return;
    }
    let at = rules.iter().position(|rule| rule.name() == "decorrelate_predicate_subquery");
    rules.insert(at.unwrap_or(0), Arc::new(Marks));
}

#[derive(Debug)]
struct Marks;

impl OptimizerRule for Marks {
    fn name(&self) -> &str {
        "gdf_marks"
    }

    fn apply_order(&self) -> Option<ApplyOrder> {
        Some(ApplyOrder::TopDown)
    }

    fn rewrite(&self, plan: LogicalPlan, config: &dyn OptimizerConfig) -> Result<Transformed<LogicalPlan>> {
        let is_one_input =
            matches!(plan, LogicalPlan::Projection(_) | LogicalPlan::Aggregate(_) | LogicalPlan::Window(_));
        if !is_one_input || !has_exists(&plan)? {
            return Ok(Transformed::no(plan));
        }
        let mut input = plan.inputs()[0].clone();
        let names = NamePreserver::new_for_projection();
        let mut exprs = Vec::new();
        for expr in plan.expressions() {
            let name = names.save(&expr);
            let found = expr.transform_up(|expr| match expr {
                Expr::Exists(Exists { subquery, negated }) => {
                    let mark = joined(&mut input, &subquery.subquery, config.alias_generator())?;
                    Ok(Transformed::yes(if negated { Expr::Not(Box::new(mark)) } else { mark }))
                }
                expr => Ok(Transformed::no(expr)),
            })?;
            exprs.push(name.restore(found.data));
        }
        Ok(Transformed::yes(plan.with_new_exprs(exprs, vec![input])?.recompute_schema()?))
    }
}

fn has_exists(plan: &LogicalPlan) -> Result<bool> {
    let mut found = false;
    plan.apply_expressions(|expr| {
        found |= expr.exists(|expr| Ok(matches!(expr, Expr::Exists(_))))?;
        Ok(TreeNodeRecursion::Continue)
    })?;
    Ok(found)
}

/// Joins the input with the rows of a subquery. Returns the column that says whether there is such a row.
fn joined(input: &mut LogicalPlan, subquery: &LogicalPlan, aliases: &Arc<AliasGenerator>) -> Result<Expr> {
    let mut pulled = PullUpCorrelatedExpr::new().with_exists_sub_query(true);
    let plan = subquery.clone().rewrite(&mut pulled)?.data;
    if !pulled.can_pull_up {
        return not_impl_err!(
            "EXISTS or IN outside of WHERE with a column of the outer query below UNION, ORDER BY or LIMIT; select the \
             column in the subquery, and join with it"
        );
    }
    let alias = aliases.next("__gdf_mark");
    let inner: BTreeSet<Column> = pulled.correlated_subquery_cols_map.values().flatten().cloned().collect();
    let renamed: HashMap<Column, Column> =
        inner.into_iter().map(|of| (of.clone(), Column::new(Some(alias.as_str()), of.name))).collect();
    let condition = conjunction(pulled.join_filters).unwrap_or_else(|| lit(true));
    let condition = condition.transform_up(|expr| match expr {
        Expr::Column(of) => Ok(match renamed.get(&of) {
            Some(renamed) => Transformed::yes(Expr::Column(renamed.clone())),
            None => Transformed::no(Expr::Column(of)),
        }),
        expr => Ok(Transformed::no(expr)),
    })?;
    let keys: BTreeSet<&Column> = renamed.values().collect();
    let mut right = LogicalPlanBuilder::from(plan).alias(alias.as_str())?;
    if !keys.is_empty() {
        right = right.project(keys.into_iter().cloned().map(Expr::Column))?;
    }
    *input = LogicalPlanBuilder::from(std::mem::take(input))
        .join_on(right.build()?, JoinType::LeftMark, Some(condition.data))?
        .build()?;
    Ok(Expr::Column(Column::new(Some(alias.as_str()), "mark")))
}
