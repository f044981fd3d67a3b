//! Filters that grow as they move.
//!
//! DataFusion moves a filter below a projection by writing the expressions of the projection into it. Where each of many
//! projections uses a column twice, the filter doubles each time, and 40 of them are more than any memory holds.

use std::collections::HashMap;
use std::sync::Arc;

use datafusion::common::tree_node::{Transformed, TreeNode, TreeNodeRecursion};
use datafusion::error::Result;
use datafusion::logical_expr::{Expr, Filter, LogicalPlan, Projection};
use datafusion::optimizer::{ApplyOrder, OptimizerConfig, OptimizerRule};

use super::Rules;

/// The largest number of expressions by which a filter grows below one projection.
const MOST: usize = 1_000;

/// Replaces the rule that moves filters.
pub(super) fn add_to(rules: &mut Rules) {
    for rule in rules {
        if rule.name() == "push_down_filter" {
            *rule = Arc::new(BoundedFilters(Arc::clone(rule)));
        }
    }
}

#[derive(Debug)]
struct BoundedFilters(Arc<dyn OptimizerRule + Send + Sync>);

impl OptimizerRule for BoundedFilters {
    fn name(&self) -> &str {
        "gdf_push_down_filter"
    }

    fn apply_order(&self) -> Option<ApplyOrder> {
        self.0.apply_order()
    }

    fn supports_rewrite(&self) -> bool {
        true
    }

    fn rewrite(&self, plan: LogicalPlan, config: &dyn OptimizerConfig) -> Result<Transformed<LogicalPlan>> {
        if let LogicalPlan::Filter(filter) = &plan
            && let LogicalPlan::Projection(projection) = filter.input.as_ref()
            && growth(filter, projection)? > MOST
        {
            return Ok(Transformed::no(plan));
        }
        self.0.rewrite(plan, config)
    }
}

/// Returns the number of expressions that a filter gets if the columns of a projection are written out.
fn growth(filter: &Filter, projection: &Projection) -> Result<usize> {
    let mut sizes: HashMap<usize, usize> = HashMap::new();
    let mut growth = 0_usize;
    filter.predicate.apply(|expr| {
        if let Expr::Column(column) = expr
            && let Some(at) = projection.schema.maybe_index_of_column(column)
        {
            let size = match sizes.get(&at) {
                Some(size) => *size,
                None => *sizes.entry(at).or_insert(size(&projection.expr[at])?),
            };
            growth = growth.saturating_add(size - 1);
        }
        Ok(TreeNodeRecursion::Continue)
    })?;
    Ok(growth)
}

fn size(expr: &Expr) -> Result<usize> {
    let mut size = 0;
    expr.apply(|_| {
        size += 1;
        Ok(TreeNodeRecursion::Continue)
    })?;
    Ok(size)
}
