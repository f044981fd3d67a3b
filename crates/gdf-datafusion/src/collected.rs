//! The source that takes the place of an input of an island, after the batches of the input were collected.

use std::fmt;
use std::sync::Arc;

use arrow_array::RecordBatch;
use datafusion::common::tree_node::TreeNodeRecursion;
use datafusion::common::{internal_datafusion_err, internal_err};
use datafusion::error::Result;
use datafusion::execution::TaskContext;
use datafusion::physical_expr::PhysicalExpr;
use datafusion::physical_plan::memory::MemoryStream;
use datafusion::physical_plan::{
    DisplayAs, DisplayFormatType, ExecutionPlan, PlanProperties, ReplaceChildrenOptions, SendableRecordBatchStream,
};

/// A node that returns batches that were collected before. It has the properties of the node that has returned the
/// batches, because the nodes above were planned for these properties. Windows need the order of the rows, and
/// interleaved unions need the partitioning.
#[derive(Debug)]
pub(crate) struct Collected {
    partitions: Vec<Vec<RecordBatch>>,
    properties: Arc<PlanProperties>,
}

impl Collected {
    pub(crate) fn new(of: &Arc<dyn ExecutionPlan>, partitions: Vec<Vec<RecordBatch>>) -> Collected {
        Collected { partitions, properties: Arc::clone(of.properties()) }
    }
}

impl DisplayAs for Collected {
    fn fmt_as(&self, _format: DisplayFormatType, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        write!(f, "Collected: partitions={}", self.partitions.len())
    }
}

impl ExecutionPlan for Collected {
    fn name(&self) -> &str {
        "Collected"
    }

    fn properties(&self) -> &Arc<PlanProperties> {
        &self.properties
    }

    fn children(&self) -> Vec<&Arc<dyn ExecutionPlan>> {
        Vec::new()
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
        match children.is_empty() {
            true => Ok(self),
            false => internal_err!("Collected has no children, but {} were passed", children.len()),
        }
    }

    fn with_new_children(self: Arc<Self>, children: Vec<Arc<dyn ExecutionPlan>>) -> Result<Arc<dyn ExecutionPlan>> {
        match children.is_empty() {
            true => Ok(self),
            false => internal_err!("Collected has no children, but {} were passed", children.len()),
        }
    }

    fn execute(&self, partition: usize, _context: Arc<TaskContext>) -> Result<SendableRecordBatchStream> {
        let batches = self.partitions.get(partition).cloned().ok_or_else(|| {
            let count = self.partitions.len();
            internal_datafusion_err!("Collected has {count} partitions, but partition {partition} was requested")
        })?;
        Ok(Box::pin(MemoryStream::try_new(batches, self.schema(), None)?))
    }
}
