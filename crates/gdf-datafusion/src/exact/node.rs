//! The node below nodes of DataFusion that compare floats or read fields.

use std::sync::Arc;

use arrow_array::{Array, RecordBatch};
use arrow_schema::{ArrowError, DataType, Schema};
use datafusion::common::internal_err;
use datafusion::common::tree_node::{TreeNode, TreeNodeRecursion};
use datafusion::error::Result;
use datafusion::execution::TaskContext;
use datafusion::physical_expr::expressions::{BinaryExpr, CaseExpr, InListExpr};
use datafusion::physical_expr::{PhysicalExpr, ScalarFunctionExpr};
use datafusion::physical_plan::aggregates::AggregateExec;
use datafusion::physical_plan::coalesce_partitions::CoalescePartitionsExec;
use datafusion::physical_plan::coop::CooperativeExec;
use datafusion::physical_plan::execution_plan::ChildrenPropertiesMode;
use datafusion::physical_plan::filter::FilterExec;
use datafusion::physical_plan::joins::{HashJoinExec, NestedLoopJoinExec, SortMergeJoinExec};
use datafusion::physical_plan::limit::{GlobalLimitExec, LocalLimitExec};
use datafusion::physical_plan::projection::ProjectionExec;
use datafusion::physical_plan::repartition::RepartitionExec;
use datafusion::physical_plan::sorts::sort::SortExec;
use datafusion::physical_plan::sorts::sort_preserving_merge::SortPreservingMergeExec;
use datafusion::physical_plan::stream::RecordBatchStreamAdapter;
use datafusion::physical_plan::unnest::UnnestExec;
use datafusion::physical_plan::windows::{BoundedWindowAggExec, WindowAggExec};
use datafusion::physical_plan::{
    DisplayAs, DisplayFormatType, ExecutionPlan, PlanProperties, ReplaceChildrenOptions, SendableRecordBatchStream,
};
use futures::StreamExt;

use super::floats::{has_floats, one_of_each};
use super::nested::{map_leaves, may_hide};
use super::rules::{COMPARING, is_comparison};
use super::total_order::with_total_order;

/// Returns a batch in which equal floats have equal bits, and in which nulls of structs and maps hide nothing.
pub(super) fn canonical(batch: &RecordBatch) -> Result<RecordBatch, ArrowError> {
    let columns = batch.columns().iter().map(|column| match is_concerned(column.data_type()) {
        true => map_leaves(column, &one_of_each),
        false => Ok(Arc::clone(column)),
    });
    let columns = columns.collect::<Result<Vec<_>, ArrowError>>()?;
    let options = arrow_array::RecordBatchOptions::new().with_row_count(Some(batch.num_rows()));
    RecordBatch::try_new_with_options(batch.schema(), columns, &options)
}

fn is_concerned(data_type: &DataType) -> bool {
    has_floats(data_type) || may_hide(data_type)
}

/// A node that makes batches [`canonical`], below a node of DataFusion that compares floats by their bits, or returns
/// the fields of structs without their nulls.
#[derive(Debug)]
pub(crate) struct Canonical {
    input: Arc<dyn ExecutionPlan>,
}

impl Canonical {
    pub(crate) fn of(input: Arc<dyn ExecutionPlan>) -> Arc<dyn ExecutionPlan> {
        match is_canonical(&input) {
            true => input,
            false => Arc::new(Canonical { input }),
        }
    }
}

/// Returns the plan with a [`Canonical`] below each node of DataFusion that needs it. Its aggregates have extremes of
/// floats in the total order.
pub(crate) fn over_canonical(plan: Arc<dyn ExecutionPlan>) -> Result<Arc<dyn ExecutionPlan>> {
    let plan = with_total_order(plan)?;
    let children = plan.children();
    if children.is_empty() {
        return Ok(plan);
    }
    let of_child = |child: &Arc<dyn ExecutionPlan>| {
        let new = over_canonical(Arc::clone(child))?;
        Ok(if needs_canonical(&plan, &child.schema()) { Canonical::of(new) } else { new })
    };
    let found = children.iter().map(|child| of_child(child)).collect::<Result<Vec<_>>>()?;
    if children.iter().zip(&found).all(|(child, found)| Arc::ptr_eq(child, found)) {
        return Ok(plan);
    }
    let options = ReplaceChildrenOptions::new(ChildrenPropertiesMode::Recompute);
    Arc::clone(&plan).replace_children(found, options)
}

fn needs_canonical(node: &Arc<dyn ExecutionPlan>, input: &Schema) -> bool {
    let any = |of: fn(&DataType) -> bool| input.fields().iter().any(|field| of(field.data_type()));
    if node.is::<UnnestExec>() {
        return any(may_hide);
    }
    let compares_rows = node.is::<SortExec>()
        || node.is::<SortPreservingMergeExec>()
        || node.is::<WindowAggExec>()
        || node.is::<BoundedWindowAggExec>()
        || node.is::<AggregateExec>()
        || node.is::<HashJoinExec>()
        || node.is::<SortMergeJoinExec>()
        || node.is::<NestedLoopJoinExec>();
    if !any(has_floats) {
        return false;
    }
    compares_rows || ((node.is::<FilterExec>() || node.is::<ProjectionExec>()) && compares_floats(node, input))
}

/// Returns whether an expression of a node compares floats.
fn compares_floats(node: &Arc<dyn ExecutionPlan>, input: &Schema) -> bool {
    let mut compares = false;
    let is_float = |of: &Arc<dyn PhysicalExpr>| of.data_type(input).is_ok_and(|data_type| has_floats(&data_type));
    let visited = node.apply_expressions(&mut |root| {
        root.apply(|part| {
            compares |= if let Some(of) = part.downcast_ref::<BinaryExpr>() {
                is_comparison(*of.op()) && is_float(of.left())
            } else if let Some(of) = part.downcast_ref::<InListExpr>() {
                is_float(of.expr())
            } else if let Some(of) = part.downcast_ref::<CaseExpr>() {
                of.expr().is_some_and(is_float)
            } else if let Some(of) = part.downcast_ref::<ScalarFunctionExpr>() {
                COMPARING.contains(&of.fun().name()) && of.args().iter().any(is_float)
            } else {
                false
            };
            Ok(TreeNodeRecursion::Continue)
        })
    });
    compares || visited.is_err()
}

fn is_canonical(node: &Arc<dyn ExecutionPlan>) -> bool {
    let passes = node.is::<SortExec>()
        || node.is::<SortPreservingMergeExec>()
        || node.is::<CoalescePartitionsExec>()
        || node.is::<RepartitionExec>()
        || node.is::<CooperativeExec>()
        || node.is::<GlobalLimitExec>()
        || node.is::<LocalLimitExec>();
    let is_plain = |data_type: &DataType| !is_concerned(data_type);
    node.is::<Canonical>()
        || node.schema().fields().iter().all(|field| is_plain(field.data_type()))
        || (passes && node.children().into_iter().all(is_canonical))
}

impl DisplayAs for Canonical {
    fn fmt_as(&self, _format: DisplayFormatType, f: &mut std::fmt::Formatter<'_>) -> std::fmt::Result {
        write!(f, "GdfCanonicalExec")
    }
}

impl ExecutionPlan for Canonical {
    fn name(&self) -> &str {
        "GdfCanonicalExec"
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
            Ok([input]) => Ok(Arc::new(Canonical { input })),
            Err(children) => internal_err!("GdfCanonicalExec has 1 child, but {} were passed", children.len()),
        }
    }

    fn with_new_children(self: Arc<Self>, children: Vec<Arc<dyn ExecutionPlan>>) -> Result<Arc<dyn ExecutionPlan>> {
        self.replace_children(children, ReplaceChildrenOptions::new(ChildrenPropertiesMode::Recompute))
    }

    fn execute(&self, partition: usize, context: Arc<TaskContext>) -> Result<SendableRecordBatchStream> {
        let batches = self.input.execute(partition, context)?;
        let batches = batches.map(|batch| Ok(canonical(&batch?)?));
        Ok(Box::pin(RecordBatchStreamAdapter::new(self.input.schema(), batches)))
    }
}
