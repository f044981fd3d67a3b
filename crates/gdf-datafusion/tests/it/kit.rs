//! Runs a query twice, by gdf and by DataFusion alone, and compares the rows.

use std::sync::Arc;

use arrow_array::RecordBatch;
use datafusion::error::Result;
use datafusion::physical_plan::{ExecutionPlan, collect};
use datafusion::prelude::SessionContext;
use gdf_datafusion::{Fallback, GdfExec, GdfOptions, GdfSession, explain};

/// Returns options under which each island is compared with DataFusion, and must not fail.
pub(crate) fn strict() -> GdfOptions {
    GdfOptions::default().with_fallback(Fallback::Forbidden).with_verify(true)
}

/// A session with gdf, and the counts of what gdf did.
pub(crate) struct Checked {
    pub(crate) ctx: SessionContext,
    pub(crate) options: GdfOptions,
}

impl Checked {
    /// Gives gdf to a session. The options compare each island with DataFusion.
    pub(crate) fn new(ctx: SessionContext) -> Checked {
        let options = strict();
        Checked { ctx: ctx.with_gdf(options.clone()), options }
    }

    pub(crate) async fn plan(&self, query: &str) -> Result<Arc<dyn ExecutionPlan>> {
        self.ctx.sql(query).await?.create_physical_plan().await
    }

    /// Runs a query, and returns its plan and its rows.
    pub(crate) async fn run(&self, query: &str) -> Result<(Arc<dyn ExecutionPlan>, Vec<RecordBatch>)> {
        let plan = self.plan(query).await?;
        let rows = collect(Arc::clone(&plan), self.ctx.task_ctx()).await?;
        Ok((plan, rows))
    }

    /// Runs a query that must be one island, without any node of DataFusion but scans below it.
    pub(crate) async fn run_whole(&self, query: &str) -> Vec<RecordBatch> {
        let plan = self.plan(query).await.unwrap_or_else(|error| panic!("{query}: {error}"));
        assert!(is_whole(&plan), "{query}:\n{}", explain(&plan));
        let rows = collect(Arc::clone(&plan), self.ctx.task_ctx()).await;
        let rows = rows.unwrap_or_else(|error| panic!("{query}: {error}\n{}", explain(&plan)));
        rows.iter().for_each(|batch| assert_eq!(batch.schema(), plan.schema(), "{query}"));
        rows
    }
}

/// Returns whether a plan is one island over scans.
pub(crate) fn is_whole(plan: &Arc<dyn ExecutionPlan>) -> bool {
    let island = plan.downcast_ref::<GdfExec>();
    island.is_some_and(|island| island.children().iter().all(|input| input.children().is_empty()))
}
