//! The planner of sessions with gdf.

use std::sync::Arc;

use async_trait::async_trait;
use datafusion::catalog::Session;
use datafusion::common::display::{PlanType, StringifiedPlan};
use datafusion::common::tree_node::{Transformed, TreeNode};
use datafusion::config::ConfigOptions;
use datafusion::error::Result;
use datafusion::execution::context::QueryPlanner;
use datafusion::execution::{SessionState, SessionStateBuilder};
use datafusion::logical_expr::{ExplainFormat, LogicalPlan};
use datafusion::physical_optimizer::PhysicalOptimizerRule;
use datafusion::physical_plan::ExecutionPlan;
use datafusion::physical_plan::explain::ExplainExec;
use datafusion::physical_plan::filter::{FilterExec, FilterExecBuilder};

use crate::analyze::GdfAnalyzeExec;
use crate::deep::OnLargeStack;
use crate::explain::explain;
use crate::islands::GdfIslands;
use crate::mend::{self, balanced_physical};
use crate::options::GdfOptions;
use crate::time_limit::TimeLimitExec;

/// A planner that calls another planner with `target_partitions` set to 1, and replaces subtrees of the plan by
/// islands.
#[derive(Debug)]
pub(crate) struct GdfPlanner {
    inner: Arc<dyn QueryPlanner + Send + Sync>,
    options: GdfOptions,
}

impl GdfPlanner {
    pub(crate) fn new(inner: Arc<dyn QueryPlanner + Send + Sync>, options: GdfOptions) -> GdfPlanner {
        GdfPlanner { inner, options }
    }

    /// Returns the session state with the rule for islands, and with the settings of [`prepare`].
    fn prepared(&self, state: &SessionState, logical_plan: &LogicalPlan) -> SessionState {
        let mut rules = mend::with_moved_filters(state.physical_optimizers());
        let options = self.options.clone().with_profile(matches!(logical_plan, LogicalPlan::Analyze(_)));
        rules.push(Arc::new(BalancedFilters));
        rules.push(Arc::new(GdfIslands::new(options)));
        let mut state = state.clone();
        prepare(state.config_mut().options_mut());
        // With a configuration, the builder would not keep the catalogs of the existing session.
        SessionStateBuilder::new_from_existing(state).with_physical_optimizer_rules(rules).build()
    }

    /// Ends the plan of a statement when the time of the options is over.
    fn limited(&self, plan: Arc<dyn ExecutionPlan>) -> Arc<dyn ExecutionPlan> {
        match self.options.timeout() {
            Some(limit) => Arc::new(TimeLimitExec::new(plan, limit)),
            None => plan,
        }
    }
}

fn prepare(options: &mut ConfigOptions) {
    options.execution.target_partitions = 1;
    // Operators of DataFusion fill dynamic filters at run time. Operators of an island would not fill them.
    options.optimizer.enable_dynamic_filter_pushdown = false;
    options.optimizer.enable_join_dynamic_filter_pushdown = false;
    options.optimizer.enable_topk_dynamic_filter_pushdown = false;
    options.optimizer.enable_aggregate_dynamic_filter_pushdown = false;
}

/// A rule that balances the conditions of filters.
#[derive(Debug)]
struct BalancedFilters;

impl PhysicalOptimizerRule for BalancedFilters {
    fn name(&self) -> &str {
        "gdf_balanced_filters"
    }

    fn optimize(&self, plan: Arc<dyn ExecutionPlan>, _config: &ConfigOptions) -> Result<Arc<dyn ExecutionPlan>> {
        let balanced = plan.transform_up(|plan| {
            let Some(filter) = plan.downcast_ref::<FilterExec>() else { return Ok(Transformed::no(plan)) };
            let Some(predicate) = balanced_physical(filter.predicate()) else { return Ok(Transformed::no(plan)) };
            let filter = FilterExecBuilder::from(filter).with_predicate(predicate).build()?;
            Ok(Transformed::yes(Arc::new(filter) as _))
        })?;
        Ok(balanced.data)
    }

    fn schema_check(&self) -> bool {
        true
    }
}

#[async_trait]
impl QueryPlanner for GdfPlanner {
    async fn create_physical_plan(
        &self,
        logical_plan: &LogicalPlan,
        session: &dyn Session,
    ) -> Result<Arc<dyn ExecutionPlan>> {
        let Some(state) = session.as_any().downcast_ref::<SessionState>() else {
            let plan = self.inner.create_physical_plan(logical_plan, session).await?;
            return GdfIslands::new(self.options.clone()).optimize(plan, session.config_options());
        };
        let state = self.prepared(state, logical_plan);
        let plan = OnLargeStack::new(self.inner.create_physical_plan(logical_plan, &state)).await?;
        match logical_plan {
            LogicalPlan::Explain(of) if of.explain_format == ExplainFormat::Indent => {
                let Some(explained) = plan.downcast_ref::<ExplainExec>() else { return Ok(plan) };
                let is_final = |of: &StringifiedPlan| matches!(of.plan_type, PlanType::FinalPhysicalPlan);
                if !explained.stringified_plans().iter().any(is_final) {
                    return Ok(plan);
                }
                let inner = self.inner.create_physical_plan(&of.plan, &state).await?;
                let text = explain(&inner);
                let shown = explained.stringified_plans().iter().map(|of| match is_final(of) {
                    true => StringifiedPlan::new(PlanType::FinalPhysicalPlan, text.clone()),
                    false => of.clone(),
                });
                Ok(Arc::new(ExplainExec::new(explained.schema(), shown.collect(), explained.verbose())))
            }
            LogicalPlan::Analyze(_) => Ok(self.limited(GdfAnalyzeExec::around(plan))),
            _ => Ok(self.limited(plan)),
        }
    }
}
