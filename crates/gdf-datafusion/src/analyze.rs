//! `EXPLAIN ANALYZE` with the measures of the pipelines of each island.

use std::fmt;
use std::sync::Arc;

use arrow_array::{ArrayRef, RecordBatch, StringArray};
use datafusion::common::internal_err;
use datafusion::common::tree_node::TreeNodeRecursion;
use datafusion::error::Result;
use datafusion::execution::TaskContext;
use datafusion::logical_expr::ExplainFormat;
use datafusion::physical_expr::PhysicalExpr;
use datafusion::physical_plan::analyze::AnalyzeExec;
use datafusion::physical_plan::execution_plan::ChildrenPropertiesMode;
use datafusion::physical_plan::stream::RecordBatchStreamAdapter;
use datafusion::physical_plan::{
    DisplayAs, DisplayFormatType, ExecutionPlan, PlanProperties, ReplaceChildrenOptions, SendableRecordBatchStream,
};
use futures::StreamExt;

use crate::exec::GdfExec;

/// Runs the `EXPLAIN ANALYZE` of DataFusion, and adds rows with the measures of the islands.
#[derive(Debug)]
pub(crate) struct GdfAnalyzeExec {
    /// An [`AnalyzeExec`].
    analyze: Arc<dyn ExecutionPlan>,
    is_verbose: bool,
}

impl GdfAnalyzeExec {
    /// Returns the plan with the measures, if the plan is an [`AnalyzeExec`] that writes plain text.
    pub(crate) fn around(plan: Arc<dyn ExecutionPlan>) -> Arc<dyn ExecutionPlan> {
        match plan.downcast_ref::<AnalyzeExec>() {
            Some(of) if *of.format() == ExplainFormat::Indent => {
                let is_verbose = of.verbose();
                Arc::new(GdfAnalyzeExec { analyze: plan, is_verbose })
            }
            _ => plan,
        }
    }

    /// Returns the rows of text about the islands that have run.
    fn measures(&self) -> Result<RecordBatch> {
        let mut islands = Vec::new();
        collect(&self.analyze, &mut islands);
        let mut rows: Vec<(String, String)> = Vec::new();
        for (at, profile) in islands.into_iter().filter_map(GdfExec::profile).enumerate() {
            let number = at + 1;
            rows.push((format!("Pipelines of island {number}"), profile.to_string()));
            if self.is_verbose {
                rows.push((format!("Operations of island {number}"), profile.operations()));
            }
        }
        let (types, texts): (Vec<String>, Vec<String>) = rows.into_iter().unzip();
        let columns = [types, texts].map(|column| Arc::new(StringArray::from(column)) as ArrayRef);
        Ok(RecordBatch::try_new(self.schema(), columns.into())?)
    }
}

/// Collects the islands of a plan. If an island reads the rows of another island, it comes before the other island.
fn collect<'p>(plan: &'p Arc<dyn ExecutionPlan>, islands: &mut Vec<&'p GdfExec>) {
    islands.extend(plan.downcast_ref::<GdfExec>());
    plan.children().into_iter().for_each(|child| collect(child, islands));
}

impl DisplayAs for GdfAnalyzeExec {
    fn fmt_as(&self, _format: DisplayFormatType, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.write_str("GdfAnalyzeExec")
    }
}

impl ExecutionPlan for GdfAnalyzeExec {
    fn name(&self) -> &str {
        "GdfAnalyzeExec"
    }

    fn properties(&self) -> &Arc<PlanProperties> {
        self.analyze.properties()
    }

    fn children(&self) -> Vec<&Arc<dyn ExecutionPlan>> {
        vec![&self.analyze]
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
            Ok([analyze]) => Ok(Arc::new(GdfAnalyzeExec { analyze, is_verbose: self.is_verbose })),
            Err(children) => internal_err!("GdfAnalyzeExec must have 1 child, found {}", children.len()),
        }
    }

    fn with_new_children(self: Arc<Self>, children: Vec<Arc<dyn ExecutionPlan>>) -> Result<Arc<dyn ExecutionPlan>> {
        self.replace_children(children, ReplaceChildrenOptions::new(ChildrenPropertiesMode::Recompute))
    }

    fn execute(&self, partition: usize, context: Arc<TaskContext>) -> Result<SendableRecordBatchStream> {
        let analyzed = self.analyze.execute(partition, context)?;
        let of = GdfAnalyzeExec { analyze: Arc::clone(&self.analyze), is_verbose: self.is_verbose };
        let measures = futures::stream::once(async move { of.measures() });
        Ok(Box::pin(RecordBatchStreamAdapter::new(self.schema(), analyzed.chain(measures))))
    }
}
