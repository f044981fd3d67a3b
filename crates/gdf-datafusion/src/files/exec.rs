//! The plan node that scans files.

use std::ops::Range;
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
use super::scan::FEWEST_ROWS;

/// A scan of files. An island reads the files to its device. Other nodes read them as record batches.
#[derive(Debug)]
pub(crate) struct GdfFilesExec {
    scan: FileScan,
    known_rows: Option<usize>,
    properties: Arc<PlanProperties>,
}

impl GdfFilesExec {
    /// Makes a scan. `rows` is the number of rows of the files, if it is known.
    ///
    /// The scan has `partitions` partitions of consecutive rows. A scan of a part, or of an unknown number of rows, has
    /// one partition.
    pub(crate) fn new(scan: FileScan, rows: Option<usize>, partitions: usize) -> GdfFilesExec {
        let is_divisible = rows.is_some() && scan.selection().rows.is_none();
        let partitions = if is_divisible { partitions.max(1) } else { 1 };
        let properties = PlanProperties::new(
            EquivalenceProperties::new(scan.schema.clone()),
            Partitioning::UnknownPartitioning(partitions),
            EmissionType::Incremental,
            Boundedness::Bounded,
        );
        let mut exec = GdfFilesExec { scan, known_rows: rows, properties: Arc::new(properties) };
        exec.scan.known_rows = exec.rows_of(0, 1).map(|rows| rows.len());
        exec
    }

    pub(crate) fn scan(&self) -> &FileScan {
        &self.scan
    }

    /// Returns the scan of part `number` of `parts` parts of the rows.
    fn part(&self, number: usize, parts: usize) -> FileScan {
        match self.rows_of(number, parts) {
            Some(rows) if parts > 1 => self.scan.part(rows),
            _ => self.scan.clone(),
        }
    }

    /// Returns the rows of part `number` of `parts` parts before filters and the limit, if the number of rows is known.
    fn rows_of(&self, number: usize, parts: usize) -> Option<Range<usize>> {
        let rows = self.known_rows?;
        let selected = self.scan.selection().rows.clone().unwrap_or(0..rows);
        let (first, end) = (selected.start.min(rows), selected.end.min(rows));
        let length = end.saturating_sub(first).div_ceil(parts);
        let start = end.min(first + number * length);
        Some(start..end.min(start + length))
    }

    /// Returns the number of rows of the files before filters, if it is known.
    #[cfg(feature = "codec")]
    pub(crate) fn known_rows(&self) -> Option<usize> {
        self.known_rows
    }
}

/// Divides the scan of a [`GdfFiles`](crate::GdfFiles) into `parts` scans of consecutive rows, for the tasks of a
/// distributed engine. Parts beyond the number of rows are empty.
///
/// Returns `None` if `plan` is another node, if the scan is already a part, or if the number of rows is not known, as
/// for all formats but Parquet. Each part has the limit of the scan. The plans of DataFusion apply the limit again
/// above the scan.
///
/// # Panics
/// * `parts` is 0.
pub fn split_scan(plan: &Arc<dyn ExecutionPlan>, parts: usize) -> Option<Vec<Arc<dyn ExecutionPlan>>> {
    assert!(parts > 0, "split_scan: `parts` is 0; pass at least 1");
    let node = plan.downcast_ref::<GdfFilesExec>()?;
    if node.known_rows.is_none() || node.scan.selection().rows.is_some() {
        return None;
    }
    let part = |number| Arc::new(GdfFilesExec::new(node.part(number, parts), node.known_rows, 1)) as _;
    Some((0..parts).map(part).collect())
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

    /// Starts a scan on a thread for blocking work. The thread waits while two batches are waiting in the stream.
    fn execute(&self, partition: usize, context: Arc<TaskContext>) -> Result<SendableRecordBatchStream> {
        let partitions = self.properties.partitioning.partition_count();
        if partition >= partitions {
            return internal_err!("GdfFilesExec has {partitions} partitions, but partition {partition} was requested");
        }
        let scan = self.part(partition, partitions);
        let mut stream = RecordBatchReceiverStreamBuilder::new(self.scan.schema.clone(), 2);
        let sender = stream.tx();
        let rows = context.session_config().batch_size().max(1);
        stream.spawn_blocking(move || {
            let _device = enter_device(Device::Cpu);
            let mut missing = scan.limit().unwrap_or(usize::MAX);
            for batch in scan.declared(rows.max(FEWEST_ROWS)).map_err(DataFusionError::from)? {
                let batch = batch.map_err(DataFusionError::from)?;
                let count = batch.num_rows().min(missing);
                missing -= count;
                for start in (0..count).step_by(rows) {
                    // The reader has dropped the stream.
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

    /// Returns the number of rows of a partition, or of all partitions. Each partition applies the limit to its own
    /// rows.
    fn partition_statistics(&self, partition: Option<usize>) -> Result<Arc<Statistics>> {
        let partitions = self.properties.partitioning.partition_count();
        let numbers = match partition {
            Some(number) => number..number + 1,
            None => 0..partitions,
        };
        let limit = self.scan.limit().unwrap_or(usize::MAX);
        let rows: Option<usize> =
            numbers.map(|number| self.rows_of(number, partitions).map(|rows| rows.len().min(limit))).sum();
        let mut statistics = Statistics::new_unknown(&self.scan.schema);
        statistics.num_rows = match (rows, &self.scan.predicate) {
            (Some(rows), None) => Precision::Exact(rows),
            (Some(rows), Some(_)) => Precision::Inexact(rows),
            (None, _) => Precision::Absent,
        };
        Ok(Arc::new(statistics))
    }
}
