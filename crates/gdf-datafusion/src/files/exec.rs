//! The plan node that scans files.

use std::sync::Arc;

use datafusion::common::stats::Precision;
use datafusion::common::tree_node::TreeNodeRecursion;
use datafusion::common::{Statistics, internal_err};
use datafusion::error::{DataFusionError, Result};
use datafusion::execution::TaskContext;
use datafusion::physical_expr::{EquivalenceProperties, Partitioning, PhysicalExpr};
use datafusion::physical_plan::execution_plan::{Boundedness, EmissionType};
use datafusion::physical_plan::stream::RecordBatchReceiverStreamBuilder;
use datafusion::physical_plan::{
    DisplayAs, DisplayFormatType, ExecutionPlan, PlanProperties, ReplaceChildrenOptions, SendableRecordBatchStream,
};
use gdf_api::scope::enter_device;
use gdf_driver::Device;

use super::FileScan;

/// The smallest number of rows that are decoded at a time.
const DECODED_ROWS: usize = 1 << 16;

/// A scan of files. In an island, gdf reads the files to the device. Outside of islands, the node returns record
/// batches.
#[derive(Debug)]
pub(crate) struct GdfFilesExec {
    scan: FileScan,
    statistics: Arc<Statistics>,
    properties: Arc<PlanProperties>,
}

impl GdfFilesExec {
    /// Makes a scan. `rows` is the number of rows of the files, or `None` if the number is not known.
    pub(super) fn new(scan: FileScan, rows: Option<usize>) -> GdfFilesExec {
        let mut statistics = Statistics::new_unknown(&scan.schema);
        statistics.num_rows = match (rows, &scan.predicate) {
            (Some(rows), None) => Precision::Exact(rows.min(scan.limit.unwrap_or(rows))),
            (Some(rows), Some(_)) => Precision::Inexact(rows.min(scan.limit.unwrap_or(rows))),
            (None, _) => Precision::Absent,
        };
        let properties = PlanProperties::new(
            EquivalenceProperties::new(scan.schema.clone()),
            Partitioning::UnknownPartitioning(1),
            EmissionType::Incremental,
            Boundedness::Bounded,
        );
        GdfFilesExec { scan, statistics: Arc::new(statistics), properties: Arc::new(properties) }
    }

    pub(crate) fn scan(&self) -> &FileScan {
        &self.scan
    }
}

impl DisplayAs for GdfFilesExec {
    fn fmt_as(&self, _format: DisplayFormatType, f: &mut std::fmt::Formatter<'_>) -> std::fmt::Result {
        write!(f, "GdfFilesExec: {}", self.scan)
    }
}

impl ExecutionPlan for GdfFilesExec {
    fn name(&self) -> &str {
        "GdfFilesExec"
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
        _children: Vec<Arc<dyn ExecutionPlan>>,
        _options: ReplaceChildrenOptions,
    ) -> Result<Arc<dyn ExecutionPlan>> {
        Ok(self)
    }

    fn with_new_children(self: Arc<Self>, _children: Vec<Arc<dyn ExecutionPlan>>) -> Result<Arc<dyn ExecutionPlan>> {
        Ok(self)
    }

    /// Starts a scan on a thread for blocking work. The thread waits while the stream holds two batches that its reader
    /// has not taken yet.
    fn execute(&self, partition: usize, context: Arc<TaskContext>) -> Result<SendableRecordBatchStream> {
        if partition != 0 {
            return internal_err!("GdfFilesExec has only partition 0, but partition {partition} was requested");
        }
        let mut stream = RecordBatchReceiverStreamBuilder::new(self.scan.schema.clone(), 2);
        let (scan, sender) = (self.scan.clone(), stream.tx());
        let rows = context.session_config().batch_size().max(1);
        stream.spawn_blocking(move || {
            let _device = enter_device(Device::Cpu);
            let mut missing = scan.limit.unwrap_or(usize::MAX);
            for batch in scan.declared(rows.max(DECODED_ROWS)).map_err(DataFusionError::from)? {
                let batch = batch.map_err(DataFusionError::from)?;
                let count = batch.num_rows().min(missing);
                missing -= count;
                for start in (0..count).step_by(rows) {
                    // If the stream was dropped, the scan ends.
                    if sender.blocking_send(Ok(batch.slice(start, rows.min(count - start)))).is_err() {
                        return Ok(());
                    }
                }
                if missing == 0 {
                    break;
                }
            }
            Ok(())
        });
        Ok(stream.build())
    }

    fn partition_statistics(&self, _partition: Option<usize>) -> Result<Arc<Statistics>> {
        Ok(self.statistics.clone())
    }
}
