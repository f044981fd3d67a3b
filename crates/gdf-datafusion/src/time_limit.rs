//! The time limit of statements.

use std::fmt;
use std::sync::Arc;
use std::time::Duration;

use datafusion::common::internal_err;
use datafusion::common::tree_node::TreeNodeRecursion;
use datafusion::error::Result;
use datafusion::execution::TaskContext;
use datafusion::physical_expr::PhysicalExpr;
use datafusion::physical_plan::execution_plan::ChildrenPropertiesMode;
use datafusion::physical_plan::stream::RecordBatchStreamAdapter;
use datafusion::physical_plan::{
    DisplayAs, DisplayFormatType, ExecutionPlan, PlanProperties, ReplaceChildrenOptions, SendableRecordBatchStream,
};
use futures::{StreamExt, stream};
use tokio::time::{Instant, timeout_at};

use crate::error::IslandError;

/// The top node of a statement with a time limit. When the time is over, it drops the stream of its input, which cancels
/// the islands, and ends with an error.
#[derive(Debug)]
pub(crate) struct TimeLimitExec {
    input: Arc<dyn ExecutionPlan>,
    limit: Duration,
}

impl TimeLimitExec {
    pub(crate) fn new(input: Arc<dyn ExecutionPlan>, limit: Duration) -> TimeLimitExec {
        TimeLimitExec { input, limit }
    }
}

impl DisplayAs for TimeLimitExec {
    fn fmt_as(&self, _format: DisplayFormatType, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        write!(f, "TimeLimitExec: timeout={:?}", self.limit)
    }
}

impl ExecutionPlan for TimeLimitExec {
    fn name(&self) -> &str {
        "TimeLimitExec"
    }

    fn properties(&self) -> &Arc<PlanProperties> {
        self.input.properties()
    }

    fn children(&self) -> Vec<&Arc<dyn ExecutionPlan>> {
        vec![&self.input]
    }

    fn maintains_input_order(&self) -> Vec<bool> {
        vec![true]
    }

    fn benefits_from_input_partitioning(&self) -> Vec<bool> {
        vec![false]
    }

    fn apply_expressions(
        &self,
        _f: &mut dyn FnMut(&Arc<dyn PhysicalExpr>) -> Result<TreeNodeRecursion>,
    ) -> Result<TreeNodeRecursion> {
        Ok(TreeNodeRecursion::Continue)
    }

    fn replace_children(
        self: Arc<Self>,
        children: Vec<Arc<dyn ExecutionPlan>>,
        _options: ReplaceChildrenOptions,
    ) -> Result<Arc<dyn ExecutionPlan>> {
        match <[Arc<dyn ExecutionPlan>; 1]>::try_from(children) {
            Ok([input]) => Ok(Arc::new(TimeLimitExec::new(input, self.limit))),
            Err(children) => internal_err!("TimeLimitExec must have 1 child, found {}", children.len()),
        }
    }

    fn with_new_children(self: Arc<Self>, children: Vec<Arc<dyn ExecutionPlan>>) -> Result<Arc<dyn ExecutionPlan>> {
        self.replace_children(children, ReplaceChildrenOptions::new(ChildrenPropertiesMode::Recompute))
    }

    fn execute(&self, partition: usize, context: Arc<TaskContext>) -> Result<SendableRecordBatchStream> {
        let (rows, limit, started) = (self.input.execute(partition, context)?, self.limit, Instant::now());
        // A limit beyond the times that the clock can represent is none.
        let Some(end) = started.checked_add(limit) else { return Ok(rows) };
        let limited = stream::unfold(Some(rows), move |rows| async move {
            let mut rows = rows?;
            match timeout_at(end, rows.next()).await {
                Ok(Some(batch)) => Some((batch, Some(rows))),
                Ok(None) => None,
                Err(_) => {
                    drop(rows);
                    Some((Err(IslandError::TimedOut { limit, ran: started.elapsed() }.into()), None))
                }
            }
        });
        Ok(Box::pin(RecordBatchStreamAdapter::new(self.schema(), limited)))
    }
}
