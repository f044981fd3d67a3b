//! The plan node of `COPY … TO`.

use std::fmt;
use std::sync::Arc;

use arrow_array::{RecordBatch, UInt64Array};
use arrow_schema::{DataType, Field, Schema};
use datafusion::common::internal_err;
use datafusion::common::tree_node::TreeNodeRecursion;
use datafusion::error::Result;
use datafusion::execution::TaskContext;
use datafusion::physical_expr::{
    Distribution, EquivalenceProperties, LexRequirement, OrderingRequirements, Partitioning, PhysicalExpr,
};
use datafusion::physical_plan::execution_plan::{Boundedness, ChildrenPropertiesMode, EmissionType};
use datafusion::physical_plan::stream::RecordBatchStreamAdapter;
use datafusion::physical_plan::{
    DisplayAs, DisplayFormatType, ExecutionPlan, InputDistributionRequirements, PlanProperties, ReplaceChildrenOptions,
    SendableRecordBatchStream,
};

use crate::exec::GdfExec;
use crate::files::{Destination, written};

/// The plan node that writes the rows of its input to a file, and returns their number.
///
/// If the input is an island, its rows are written while it runs. Otherwise batches are written as DataFusion makes
/// them. The file appears when it is complete.
#[derive(Clone, Debug)]
pub(crate) struct GdfCopyExec {
    input: Arc<dyn ExecutionPlan>,
    to: Arc<Destination>,
    order: Option<LexRequirement>,
    properties: Arc<PlanProperties>,
}

impl GdfCopyExec {
    pub(super) fn new(
        input: Arc<dyn ExecutionPlan>,
        to: Arc<Destination>,
        order: Option<LexRequirement>,
    ) -> GdfCopyExec {
        let schema = Arc::new(Schema::new(vec![Field::new("count", DataType::UInt64, false)]));
        let properties = PlanProperties::new(
            EquivalenceProperties::new(schema),
            Partitioning::UnknownPartitioning(1),
            EmissionType::Final,
            Boundedness::Bounded,
        );
        GdfCopyExec { input, to, order, properties: Arc::new(properties) }
    }

    async fn copied(self, context: Arc<TaskContext>) -> Result<RecordBatch> {
        let count = match self.input.downcast_ref::<GdfExec>() {
            Some(island) if island.can_pass_rows_on() => Arc::new(island.clone()).copied(context, self.to).await?,
            _ => written(self.input.execute(0, context)?, self.to).await?,
        };
        let count = Arc::new(UInt64Array::from(vec![count]));
        Ok(RecordBatch::try_new(Arc::clone(self.properties.eq_properties.schema()), vec![count])?)
    }
}

impl DisplayAs for GdfCopyExec {
    fn fmt_as(&self, _format: DisplayFormatType, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        write!(f, "GdfCopyExec: {}", self.to)
    }
}

impl ExecutionPlan for GdfCopyExec {
    fn name(&self) -> &str {
        "GdfCopyExec"
    }

    fn properties(&self) -> &Arc<PlanProperties> {
        &self.properties
    }

    fn children(&self) -> Vec<&Arc<dyn ExecutionPlan>> {
        vec![&self.input]
    }

    fn input_distribution_requirements(&self) -> InputDistributionRequirements {
        InputDistributionRequirements::new(vec![Distribution::SinglePartition])
    }

    fn required_input_ordering(&self) -> Vec<Option<OrderingRequirements>> {
        vec![self.order.clone().map(Into::into)]
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
            Ok([input]) => Ok(Arc::new(GdfCopyExec { input, ..self.as_ref().clone() })),
            Err(children) => internal_err!("GdfCopyExec must have 1 child, found {}", children.len()),
        }
    }

    fn with_new_children(self: Arc<Self>, children: Vec<Arc<dyn ExecutionPlan>>) -> Result<Arc<dyn ExecutionPlan>> {
        self.replace_children(children, ReplaceChildrenOptions::new(ChildrenPropertiesMode::Recompute))
    }

    fn execute(&self, partition: usize, context: Arc<TaskContext>) -> Result<SendableRecordBatchStream> {
        if partition != 0 {
            return internal_err!("GdfCopyExec has only partition 0, but partition {partition} was requested");
        }
        let count = futures::stream::once(self.clone().copied(context));
        Ok(Box::pin(RecordBatchStreamAdapter::new(self.schema(), count)))
    }
}
