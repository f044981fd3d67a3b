//! Mends queries that DataFusion 55 answers with wrong rows.
//!
//! [`add_to`] is the one place that adds the rules to a session. A query that cannot be mended is refused with an error
//! that says what to write instead. The README lists the defects; the tests in `semantics` fail when DataFusion has
//! mended one, and say which rule can go.

mod chains;
mod comparisons;
mod conditions;
mod constants;
mod dates;
mod decimals;
mod joins;
mod mixed;
mod one_row;
mod overflow;
mod patterns;
mod pushed;
mod sample;
mod set_operations;
mod simplify;
mod statement;
mod subqueries;
mod windows;

use std::sync::Arc;

use datafusion::common::config::ConfigOptions;
use datafusion::common::tree_node::{Transformed, TreeNode, TreeNodeRecursion};
use datafusion::common::{DFSchema, not_impl_err};
use datafusion::error::Result;
use datafusion::execution::session_state::SessionStateBuilder;
use datafusion::logical_expr::expr_rewriter::NamePreserver;
use datafusion::logical_expr::utils::merge_schema;
use datafusion::logical_expr::{BinaryExpr, Expr, LogicalPlan, Operator};
use datafusion::optimizer::{AnalyzerRule, OptimizerRule};

pub(crate) use self::chains::balanced_physical;
pub(crate) use self::joins::with_moved_filters;
pub(crate) use self::statement::mended as mended_statement;

type Rules = Vec<Arc<dyn OptimizerRule + Send + Sync>>;

/// Adds all rules to a session.
pub(crate) fn add_to(builder: &mut SessionStateBuilder) {
    let mut analyzer = builder.analyzer().take().unwrap_or_default();
    if !analyzer.rules.iter().any(|rule| rule.name() == Meanings.name()) {
        // The types of operands are still those of the query before types are coerced.
        analyzer.rules.insert(0, Arc::new(Meanings));
    }
    *builder.analyzer() = Some(analyzer);
    let planners = builder.relation_planners().get_or_insert_default();
    planners.insert(0, Arc::new(sample::SamplePlanner));
}

/// Adds the rules of the logical optimizer, each before or in place of the rule that it mends.
pub(crate) fn add_optimizer_rules(rules: &mut Rules) {
    simplify::add_to(rules);
    joins::add_to(rules);
    pushed::add_to(rules);
    subqueries::marks::add_to(rules);
}

/// A rule of the analyzer that rewrites what DataFusion takes to mean something else than SQL.
#[derive(Debug)]
struct Meanings;

impl AnalyzerRule for Meanings {
    fn name(&self) -> &str {
        "gdf_meanings"
    }

    fn analyze(&self, plan: LogicalPlan, _config: &ConfigOptions) -> Result<LogicalPlan> {
        joins::check_using(&plan)?;
        let mut is_changed = false;
        let found = plan.transform_up_with_subqueries(|plan| {
            let found = mended_node(plan)?;
            is_changed |= found.transformed;
            // The types of expressions below may have changed.
            if is_changed { found.map_data(LogicalPlan::recompute_schema) } else { Ok(found) }
        })?;
        Ok(found.data)
    }
}

fn mended_node(plan: LogicalPlan) -> Result<Transformed<LogicalPlan>> {
    let schema = merge_schema(&plan.inputs());
    let names = NamePreserver::new(&plan);
    let plan = plan.map_expressions(|expr| expr.transform_down(chains::balanced))?.data;
    let plan = match plan {
        LogicalPlan::Filter(filter) => subqueries::mended_filter(filter, &schema)?,
        plan => plan.map_expressions(|expr| {
            let name = names.save(&expr);
            Ok(subqueries::mended(expr, &schema)?.update_data(|expr| name.restore(expr)))
        })?,
    };
    plan.transform_data(|plan| {
        plan.map_expressions(|expr| {
            let name = names.save(&expr);
            let found = expr.transform_up(|expr| mended_expr(expr, &schema))?;
            Ok(found.update_data(|expr| name.restore(expr)))
        })
    })?
    .transform_data(subqueries::keyed::mended)?
    .transform_data(joins::with_equal_types)?
    .transform_data(mixed::mended_union)?
    .transform_data(set_operations::counted)?
    .transform_data(windows::mended)?
    .transform_data(conditions::mended)?
    .transform_data(|plan| {
        subqueries::check(&plan)?;
        Ok(Transformed::no(plan))
    })
}

fn mended_expr(expr: Expr, schema: &DFSchema) -> Result<Transformed<Expr>> {
    check_distinct_from(&expr)?;
    overflow::check(&expr)?;
    let mut found = comparisons::mended(expr, schema)?
        .transform_data(|expr| mixed::mended(expr, schema))?
        .transform_data(|expr| dates::mended(expr, schema))?
        .transform_data(patterns::mended)?;
    // The rules see each expression once.
    found.tnr = TreeNodeRecursion::Continue;
    Ok(found)
}

/// The parser takes all of `b AND c` as the right side of `a IS DISTINCT FROM b AND c`.
fn check_distinct_from(expr: &Expr) -> Result<()> {
    let Expr::BinaryExpr(BinaryExpr { op: Operator::IsDistinctFrom | Operator::IsNotDistinctFrom, right, .. }) = expr
    else {
        return Ok(());
    };
    let takes_rest = |of: &Expr| matches!(of, Expr::BinaryExpr(BinaryExpr { op: Operator::And | Operator::Or, .. }));
    if !takes_rest(right) {
        return Ok(());
    }
    not_impl_err!(
        "`IS [NOT] DISTINCT FROM` before AND or OR: DataFusion takes all that follows as its right side; \
         write parentheses around the comparison, as in `(a IS DISTINCT FROM b) AND c`, \
         or put a right side that is a condition to the left"
    )
}
