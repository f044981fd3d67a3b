//! The session that plans distributed queries.

use std::sync::Arc;

use datafusion::common::plan_err;
use datafusion::common::tree_node::TreeNode;
use datafusion::config::ConfigOptions;
use datafusion::error::{DataFusionError, Result};
use datafusion::execution::SessionStateBuilder;
use datafusion::physical_optimizer::PhysicalOptimizerRule;
use datafusion::physical_plan::ExecutionPlan;
use datafusion::prelude::{SessionConfig, SessionContext};
use datafusion_distributed::{
    DesiredTaskCountEvent, DesiredTaskCountEventResponse, DistributedExt, DistributedLeafExec, ScaleUpLeafNodeEvent,
    ScaleUpLeafNodeEventResponse, SessionStateBuilderExt, WorkerResolver,
};
use gdf_datafusion::{GdfCodec, GdfOptions, GdfSession, split_scan};
use url::Url;

use crate::named::NamedWorkers;

/// Returns a session that divides queries into stages, and sends the tasks of the stages to workers.
///
/// The rows of a [`GdfFiles`](gdf_datafusion::GdfFiles) table of Parquet files are divided among the workers. Other
/// files are read by one worker. The path must name the same files on all machines. Tables in the memory of this
/// process cannot be part of a distributed query. Tables can be registered at any time.
///
/// Statements for which DataFusion plans wrong rows are rewritten or refused, as by [`GdfSession::with_mends`].
///
/// The session contacts the workers when a query runs. The last stage of a query runs in this process, and DataFusion
/// runs it.
///
/// # Errors
/// * [`DataFusionError::Plan`]: `workers` is empty.
///
/// ```
/// # fn main() -> datafusion::error::Result<()> {
/// let workers = ["http://10.0.0.1:7400", "http://10.0.0.2:7400"].map(|url| url.parse().expect("a URL"));
/// let ctx = gdf_distributed::coordinator(&workers)?;
/// assert!(gdf_distributed::coordinator(&[]).is_err());
/// # Ok(())
/// # }
/// ```
pub fn coordinator(workers: &[Url]) -> Result<SessionContext> {
    if workers.is_empty() {
        return Err(DataFusionError::Plan(
            "gdf_distributed::coordinator: `workers` is empty; pass the URL of at least 1 worker".to_owned(),
        ));
    }
    let tasks = workers.len();
    // Hash repartitions are the borders of stages, and are planned only for several partitions.
    let mut config = SessionConfig::new().with_target_partitions(tasks.max(2)).with_round_robin_repartition(false);
    let optimizer = &mut config.options_mut().optimizer;
    // Operators of an island would not fill dynamic filters at run time.
    optimizer.enable_dynamic_filter_pushdown = false;
    optimizer.enable_join_dynamic_filter_pushdown = false;
    optimizer.enable_topk_dynamic_filter_pushdown = false;
    optimizer.enable_aggregate_dynamic_filter_pushdown = false;
    let desired = move |event: DesiredTaskCountEvent<'_>| {
        split_scan(event.plan, tasks).map(|_| Ok(DesiredTaskCountEventResponse::desired(tasks)))
    };
    let state = SessionStateBuilder::new()
        .with_default_features()
        .with_config(config)
        .with_physical_optimizer_rule(Arc::new(RefuseResident))
        .with_distributed_planner()
        .with_distributed_worker_resolver(Workers(workers.to_vec()))
        .with_distributed_channel_resolver(NamedWorkers::default())
        .with_distributed_user_codec(GdfCodec::new(GdfOptions::default()))
        .with_distributed_desired_task_count_handler(desired)
        .with_distributed_scale_up_leaf_node_handler(divided)
        .with_mends()
        .build();
    Ok(SessionContext::new_with_state(state))
}

/// Divides the rows of a scan among the tasks of its stage.
fn divided(event: ScaleUpLeafNodeEvent<'_>) -> Option<Result<ScaleUpLeafNodeEventResponse>> {
    let parts = split_scan(event.plan, event.task_count)?;
    let leaf = DistributedLeafExec::try_new(Arc::clone(event.plan), parts);
    Some(leaf.map(|leaf| ScaleUpLeafNodeEventResponse::new(Arc::new(leaf))))
}

/// A rule that refuses distributed plans that read columns in the memory of this process. The workers would wait for a
/// plan that cannot be sent.
#[derive(Debug)]
struct RefuseResident;

impl PhysicalOptimizerRule for RefuseResident {
    fn optimize(&self, plan: Arc<dyn ExecutionPlan>, _config: &ConfigOptions) -> Result<Arc<dyn ExecutionPlan>> {
        let is_resident = |node: &Arc<dyn ExecutionPlan>| node.name() == "GdfScanExec";
        let is_divided = |node: &Arc<dyn ExecutionPlan>| split_scan(node, 1).is_some();
        if plan.exists(|node| Ok(is_resident(node)))? && plan.exists(|node| Ok(is_divided(node)))? {
            return plan_err!(
                "a distributed query cannot read a GdfTable, whose columns are in the memory of this process; write the \
                 rows to a file and use GdfFiles"
            );
        }
        Ok(plan)
    }

    fn name(&self) -> &str {
        "gdf_refuse_resident"
    }

    fn schema_check(&self) -> bool {
        true
    }
}

/// The addresses of a cluster that does not change.
struct Workers(Vec<Url>);

impl WorkerResolver for Workers {
    fn get_urls(&self) -> Result<Vec<Url>> {
        Ok(self.0.clone())
    }
}
