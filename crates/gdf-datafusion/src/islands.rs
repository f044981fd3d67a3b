//! The rule that replaces subtrees of plans by islands.

use std::sync::Arc;

use datafusion::config::ConfigOptions;
use datafusion::error::Result;
use datafusion::physical_optimizer::PhysicalOptimizerRule;
use datafusion::physical_plan::execution_plan::ChildrenPropertiesMode;
use datafusion::physical_plan::union::InterleaveExec;
use datafusion::physical_plan::{Distribution, ExecutionPlan, ExecutionPlanProperties, ReplaceChildrenOptions};

use crate::exact::over_canonical;
use crate::exec::{GdfExec, replaced};
use crate::lower::island;
use crate::options::GdfOptions;

/// A rule of the physical optimizer that replaces each maximal subtree that gdf can run by one [`GdfExec`].
///
/// [`GdfSession::with_gdf`](crate::GdfSession::with_gdf) adds the rule to a session that runs on one machine. A
/// distributed engine can apply the rule to the stages of a plan. With a `target_partitions` above 1, the rule replaces
/// only subtrees with one output partition.
#[derive(Clone, Debug)]
pub struct GdfIslands {
    options: GdfOptions,
    /// Whether nodes with several output partitions stay with DataFusion in any configuration.
    keeps_partitions: bool,
}

impl GdfIslands {
    /// Makes the rule.
    pub fn new(options: GdfOptions) -> GdfIslands {
        GdfIslands { options, keeps_partitions: false }
    }

    /// Makes the rule for the stages of distributed plans. Other stages read the partitions of a stage, so the rule
    /// replaces only subtrees with one output partition.
    pub fn for_stages(options: GdfOptions) -> GdfIslands {
        GdfIslands { options, keeps_partitions: true }
    }

    /// Returns the island that replaces all of `original`, which another process has sent. Nodes below the top node
    /// that gdf does not support here become inputs of the island, which DataFusion runs. If gdf does not support the
    /// top node here, DataFusion runs all nodes, if the fallback option allows it.
    #[cfg(feature = "codec")]
    pub(crate) fn lowered_again(&self, original: Arc<dyn ExecutionPlan>) -> Result<Arc<dyn ExecutionPlan>> {
        use crate::options::{Fallback, count};
        use datafusion::common::plan_err;
        use datafusion::physical_plan::coalesce_partitions::CoalescePartitionsExec;
        let refusal = match island(&original, self.options.device()) {
            Ok(island) => return Ok(Arc::new(GdfExec::new(original, island, self.options.clone()))),
            Err(refusal) => refusal,
        };
        if self.options.fallback() == Fallback::Forbidden {
            return plan_err!("an island of another process cannot run here: {refusal}");
        }
        if self.options.fallback() == Fallback::Warned {
            tracing::warn!(%refusal, "an island of another process cannot run here; DataFusion runs its nodes instead");
        }
        count(&self.options.counters().fallbacks);
        match original.output_partitioning().partition_count() {
            1 => Ok(original),
            _ => Ok(Arc::new(CoalescePartitionsExec::new(original))),
        }
    }

    fn converted(&self, node: &Arc<dyn ExecutionPlan>, is_single: bool) -> Result<Arc<dyn ExecutionPlan>> {
        if node.is::<GdfExec>() {
            return Ok(Arc::clone(node));
        }
        let fits = is_single || node.output_partitioning().partition_count() == 1;
        if fits && let Ok(mut island) = island(node, self.options.device()) {
            let is_single = is_single && !contains_paired_partitions(node);
            let inputs = island.inputs.iter().map(|input| self.converted(input, is_single));
            let inputs = inputs.collect::<Result<Vec<_>>>()?;
            let original = replaced(node, &island.inputs, &inputs)?;
            island.inputs = inputs;
            return Ok(Arc::new(GdfExec::new(original, island, self.options.clone())));
        }
        let children = node.children();
        if children.is_empty() {
            return Ok(Arc::clone(node));
        }
        let is_single = is_single && !pairs_partitions(node);
        let found = children.iter().map(|child| self.converted(child, is_single)).collect::<Result<Vec<_>>>()?;
        if children.iter().zip(&found).all(|(child, found)| Arc::ptr_eq(child, found)) {
            return Ok(Arc::clone(node));
        }
        let options = ReplaceChildrenOptions::new(ChildrenPropertiesMode::Recompute);
        Arc::clone(node).replace_children(found, options)
    }
}

/// Returns whether a node reads partitions of its children in pairs, such as a join of partitions with the same hashes.
fn pairs_partitions(node: &Arc<dyn ExecutionPlan>) -> bool {
    let children = node.children();
    let is_hashed = |of: &Distribution| matches!(of, Distribution::KeyPartitioned(_));
    children.len() > 1
        && children.iter().any(|child| child.output_partitioning().partition_count() > 1)
        && (node.is::<InterleaveExec>()
            || node.input_distribution_requirements().into_per_child().iter().any(is_hashed))
}

fn contains_paired_partitions(node: &Arc<dyn ExecutionPlan>) -> bool {
    pairs_partitions(node) || node.children().into_iter().any(contains_paired_partitions)
}

impl PhysicalOptimizerRule for GdfIslands {
    fn optimize(&self, plan: Arc<dyn ExecutionPlan>, config: &ConfigOptions) -> Result<Arc<dyn ExecutionPlan>> {
        over_canonical(self.converted(&plan, config.execution.target_partitions == 1 && !self.keeps_partitions)?)
    }

    fn name(&self) -> &str {
        "gdf_islands"
    }

    fn schema_check(&self) -> bool {
        true
    }
}
