//! A rule of the logical optimizer that moves the filter of a window aggregate into its argument.
//!
//! The plan nodes of DataFusion do not give access to such a filter. An aggregate over `value` with the filter
//! `condition` equals an aggregate over `CASE WHEN condition THEN value END`, because aggregates skip nulls.

use std::any::Any;

use datafusion::common::tree_node::{Transformed, TreeNode};
use datafusion::error::Result;
use datafusion::functions_aggregate::average::Avg;
use datafusion::functions_aggregate::bool_and_or::{BoolAnd, BoolOr};
use datafusion::functions_aggregate::count::Count;
use datafusion::functions_aggregate::min_max::{Max, Min};
use datafusion::logical_expr::expr::WindowFunctionDefinition;
use datafusion::logical_expr::expr_rewriter::NamePreserver;
use datafusion::logical_expr::{Expr, LogicalPlan, when};
use datafusion::optimizer::{ApplyOrder, OptimizerConfig, OptimizerRule};

use crate::exact::is_sum;

/// A rule that replaces filters of window aggregates.
#[derive(Debug)]
pub(crate) struct WindowFilter;

impl OptimizerRule for WindowFilter {
    fn name(&self) -> &str {
        "gdf_window_filter"
    }

    fn apply_order(&self) -> Option<ApplyOrder> {
        Some(ApplyOrder::TopDown)
    }

    fn rewrite(&self, plan: LogicalPlan, _config: &dyn OptimizerConfig) -> Result<Transformed<LogicalPlan>> {
        if !matches!(plan, LogicalPlan::Window(_)) {
            return Ok(Transformed::no(plan));
        }
        let names = NamePreserver::new(&plan);
        plan.map_expressions(|expr| {
            let name = names.save(&expr);
            Ok(expr.transform_up(without_filter)?.update_data(|expr| name.restore(expr)))
        })
    }
}

fn without_filter(expr: Expr) -> Result<Transformed<Expr>> {
    let Expr::WindowFunction(mut call) = expr else { return Ok(Transformed::no(expr)) };
    let WindowFunctionDefinition::AggregateUDF(function) = &call.fun else {
        return Ok(Transformed::no(Expr::WindowFunction(call)));
    };
    let fun: &dyn Any = function.inner().as_ref();
    let skips_nulls = fun.is::<Avg>()
        || fun.is::<BoolAnd>()
        || fun.is::<BoolOr>()
        || fun.is::<Count>()
        || fun.is::<Max>()
        || fun.is::<Min>()
        || is_sum(fun);
    let params = &mut call.params;
    match (params.filter.take(), params.args.as_slice()) {
        (Some(filter), [argument]) if skips_nulls && !params.distinct => {
            params.args = vec![when(*filter, argument.clone()).end()?];
            Ok(Transformed::yes(Expr::WindowFunction(call)))
        }
        (filter, _) => {
            params.filter = filter;
            Ok(Transformed::no(Expr::WindowFunction(call)))
        }
    }
}
