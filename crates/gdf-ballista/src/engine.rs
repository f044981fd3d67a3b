//! The execution engine, which puts islands into query stages.

use std::fmt;
use std::sync::Arc;

use async_trait::async_trait;
use ballista_core::JobId;
use ballista_core::execution_plans::{
    BufferExec, PartitionedBoundedWindowAggExec, PrefixMergeExec, RuntimeStatsExec, compute_global_output_partition_ids,
};
use ballista_core::serde::protobuf::{RuntimeStatsReport, ShuffleWritePartition, TaskColumnStats, WindowStateReport};
use ballista_executor::execution_engine::{DefaultExecutionEngine, ExecutionEngine, QueryStageExecutor};
use datafusion::common::tree_node::TreeNode;
use datafusion::config::ConfigOptions;
use datafusion::error::Result;
use datafusion::execution::TaskContext;
use datafusion::physical_optimizer::PhysicalOptimizerRule;
use datafusion::physical_plan::execution_plan::ChildrenPropertiesMode;
use datafusion::physical_plan::metrics::MetricsSet;
use datafusion::physical_plan::{ExecutionPlan, ReplaceChildrenOptions};
use datafusion::prelude::SessionConfig;
use gdf_datafusion::{GdfIslands, GdfOptions};

use crate::metrics::metrics_by_planned_node;

/// An execution engine of Ballista that runs the parts of a query stage that gdf can run as islands.
///
/// In each task, an island replaces each maximal subtree with one output partition. The scheduler gives a task at most
/// as many partitions as the executor has free vcores. Therefore the tasks of an executor with one vcore have one
/// partition, and all their subtrees can be islands. Nodes that gdf does not support stay with DataFusion, such as the
/// final phase of an aggregate whose partial phase is in another stage. The exchange of rows between stages stays with
/// Ballista. The device, the memory limit and the other options are those of the executor.
///
/// [`executor`](crate::executor()) returns the configuration of an executor with this engine. Programs that make their
/// configuration themselves set `override_execution_engine`.
pub struct GdfEngine {
    stages: Arc<dyn ExecutionEngine>,
    islands: GdfIslands,
}

impl GdfEngine {
    /// Makes an engine whose stages Ballista's default engine writes. Each task opens its own connections to other
    /// executors.
    pub fn new(options: GdfOptions) -> GdfEngine {
        GdfEngine::around(Arc::new(DefaultExecutionEngine::new()), options)
    }

    /// Makes an engine whose stages another engine writes, such as one with a pool of connections.
    pub fn around(stages: Arc<dyn ExecutionEngine>, options: GdfOptions) -> GdfEngine {
        GdfEngine { stages, islands: GdfIslands::for_stages(options) }
    }

    /// Returns `node` with islands. Nodes that report to the scheduler stay, and so do all nodes above them. The
    /// scheduler's executor finds reports only below nodes that it knows.
    fn with_islands(&self, node: &Arc<dyn ExecutionPlan>, config: &ConfigOptions) -> Result<Arc<dyn ExecutionPlan>> {
        if !node.exists(|node| Ok(reports(node)))? {
            return self.islands.optimize(Arc::clone(node), config);
        }
        let children = node.children().into_iter().map(|child| self.with_islands(child, config));
        let children = children.collect::<Result<Vec<_>>>()?;
        let options = ReplaceChildrenOptions::new(ChildrenPropertiesMode::Recompute);
        Arc::clone(node).replace_children(children, options)
    }
}

/// Returns whether the node must stay. Such a node reports to the scheduler what the rows of a stage contain, or reads
/// partitions in an order that only the scheduler knows.
fn reports(node: &Arc<dyn ExecutionPlan>) -> bool {
    node.is::<RuntimeStatsExec>()
        || node.is::<PartitionedBoundedWindowAggExec>()
        || node.is::<PrefixMergeExec>()
        || node.is::<BufferExec>()
}

impl ExecutionEngine for GdfEngine {
    fn create_query_stage_exec(
        &self,
        job_id: JobId,
        stage_id: usize,
        task_id: usize,
        global_output_partition_ids: Vec<usize>,
        plan: Arc<dyn ExecutionPlan>,
        work_dir: &str,
        config: &SessionConfig,
    ) -> Result<Arc<dyn QueryStageExecutor>> {
        let mut converted = self.with_islands(&plan, config.options())?;
        // The writer of a stage derives the numbers of its output partitions from the nodes of the plan. If islands
        // would change the numbers, the plan stays without islands.
        let numbers = |plan| compute_global_output_partition_ids(plan, &global_output_partition_ids);
        if numbers(&converted) != numbers(&plan) {
            converted = Arc::clone(&plan);
        }
        let (planned, run) = (plan, Arc::clone(&converted));
        let stage = self.stages.create_query_stage_exec(
            job_id,
            stage_id,
            task_id,
            global_output_partition_ids,
            converted,
            work_dir,
            config,
        )?;
        Ok(Arc::new(GdfStage { stage, planned, run }))
    }
}

/// A stage whose metrics have the shape that the scheduler expects.
#[derive(Debug)]
struct GdfStage {
    stage: Arc<dyn QueryStageExecutor>,
    /// The nodes that the scheduler planned.
    planned: Arc<dyn ExecutionPlan>,
    /// The nodes that run, with islands.
    run: Arc<dyn ExecutionPlan>,
}

impl fmt::Display for GdfStage {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        self.stage.fmt(f)
    }
}

#[async_trait]
impl QueryStageExecutor for GdfStage {
    async fn execute_query_stage(
        &self,
        task_id: usize,
        context: Arc<TaskContext>,
    ) -> Result<Vec<ShuffleWritePartition>> {
        self.stage.execute_query_stage(task_id, context).await
    }

    fn collect_plan_metrics(&self) -> Vec<MetricsSet> {
        metrics_by_planned_node(&self.planned, &self.run, self.stage.collect_plan_metrics())
    }

    fn collect_runtime_stats_reports(&self) -> Vec<RuntimeStatsReport> {
        self.stage.collect_runtime_stats_reports()
    }

    fn collect_window_state_reports(&self) -> Result<Vec<WindowStateReport>> {
        self.stage.collect_window_state_reports()
    }

    fn collect_column_stats(&self) -> Vec<TaskColumnStats> {
        self.stage.collect_column_stats()
    }
}
