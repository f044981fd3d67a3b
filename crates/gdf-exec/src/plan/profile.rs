//! Measures of the pipelines of a plan, for `EXPLAIN ANALYZE`.

use std::collections::HashMap;
use std::fmt;
use std::sync::{Mutex, PoisonError};
use std::time::Duration;

use gdf_driver::{Counters, Device};
use gdf_profile::{OperationProfile, Profile};

use super::lock::locked;
use super::{Node, Plan};
use crate::error::Result;

/// The name of the spans that [`gdf_profile::profile`] measures for the pipelines.
const SPAN: &str = "pipeline";

/// The name of the spans in which gdf-io says which columns of a read to a GPU the CPU decodes: one event for each column.
const DECODED_ON_CPU: &str = "decoded_on_cpu";

/// The key of the copy of the result to the host, in place of the address of a node.
pub(super) const RESULT: usize = 0;

/// The measures of a plan that was run.
#[derive(Clone, Debug)]
pub struct PlanProfile {
    pipelines: Vec<Pipeline>,
    /// The measures of all operations.
    operations: Profile,
    /// The number of times that a set of keys has filtered rows.
    key_filters: usize,
    /// The rows that were read from sources outside of the plan, and their bytes.
    read: (u64, u64),
    cpu_columns: Vec<String>,
    in_parts: bool,
    spilled_bytes: u64,
}

/// The measures of a node of a plan. Except for the memory, they do not include the measures of the nodes below.
#[derive(Clone, Debug)]
struct Pipeline {
    label: String,
    depth: usize,
    rows: usize,
    elapsed: Duration,
    counters: Counters,
    /// The largest number of bytes that the node and the nodes below it held at a time.
    peak_bytes: i64,
}

/// Records which node each measured span belongs to.
pub(super) struct Trace {
    device: Device,
    /// The number of each node with work, by the address of the node.
    numbers: HashMap<usize, usize>,
    pipelines: Vec<Pipeline>,
    /// For each span, the number of its node and the number of result rows. The spans are in the order in which they
    /// begin.
    spans: Mutex<Vec<(usize, usize)>>,
}

impl Trace {
    pub(super) fn new(plan: &Plan, device: Device) -> Trace {
        let mut trace = Trace { device, numbers: HashMap::new(), pipelines: Vec::new(), spans: Mutex::default() };
        trace.add(RESULT, "copy the result to the host".to_owned(), 0);
        trace.add_node(&plan.root, 1);
        trace
    }

    fn add_node(&mut self, node: &Node, depth: usize) {
        if let Node::Shared(step) = node
            && self.numbers.contains_key(&address(&step.node))
        {
            return self.add(address(node), node.label(), depth);
        }
        let mut inner = depth;
        if node.has_work() {
            self.add(address(node), node.label(), depth);
            inner += 1;
        }
        for child in node.children() {
            self.add_node(child, inner);
        }
    }

    fn add(&mut self, address: usize, label: String, depth: usize) {
        self.numbers.insert(address, self.pipelines.len());
        let (elapsed, counters) = (Duration::ZERO, Counters::default());
        self.pipelines.push(Pipeline { label, depth, rows: 0, elapsed, counters, peak_bytes: 0 });
    }

    /// Runs `work` of the node at `address` in a measured span. `rows` returns the number of rows of the result.
    ///
    /// On a GPU, the span ends when the device has done the work that `work` has enqueued. Therefore the time includes
    /// the time of the device.
    pub(super) fn measured<T>(
        &self,
        address: usize,
        rows: impl FnOnce(&T) -> usize,
        work: impl FnOnce() -> Result<T>,
    ) -> Result<T> {
        let Some(number) = self.numbers.get(&address) else { return work() };
        let span = {
            let mut spans = locked(&self.spans);
            spans.push((*number, 0));
            spans.len() - 1
        };
        let _span = gdf_core::enter_span(SPAN, self.device);
        let result = work()?;
        gdf_core::scope::current_stream(self.device)?.synchronize().map_err(gdf_core::Error::from)?;
        locked(&self.spans)[span].1 = rows(&result);
        Ok(result)
    }

    /// Returns the measures of the nodes. `operations` has the operations that ran while the spans were recorded.
    pub(super) fn finished(self, operations: Profile, key_filters: usize, read: (u64, u64)) -> PlanProfile {
        let mut pipelines = self.pipelines;
        // The spans that have begun and not ended, with their depths.
        let mut open: Vec<(usize, usize)> = Vec::new();
        let spans = operations.operations.iter().filter(|operation| operation.name == SPAN);
        for (span, (number, rows)) in spans.zip(self.spans.into_inner().unwrap_or_else(PoisonError::into_inner)) {
            let OperationProfile { depth, elapsed, counters, memory, .. } = span;
            let mut own = *counters;
            // The wait at the end of the span belongs to the measurement.
            own.waits -= u64::from(self.device.is_cuda() && own.waits > 0);
            open.retain(|(outer, _)| outer < depth);
            if let Some((_, outer)) = open.last() {
                let outer = &mut pipelines[*outer];
                outer.elapsed = outer.elapsed.saturating_sub(*elapsed);
                outer.counters = outer.counters - *counters;
            }
            open.push((*depth, number));
            let pipeline = &mut pipelines[number];
            pipeline.rows += rows;
            pipeline.elapsed += *elapsed;
            pipeline.counters = sum(pipeline.counters, own);
            pipeline.peak_bytes = pipeline.peak_bytes.max(memory.bytes.peak);
        }
        let cpu_columns = cpu_columns(&operations);
        PlanProfile { pipelines, operations, key_filters, read, cpu_columns, in_parts: false, spilled_bytes: 0 }
    }
}

/// Returns the columns that the CPU has decoded. The pieces of a file have the same columns.
fn cpu_columns(operations: &Profile) -> Vec<String> {
    let reports = operations.operations.iter().filter(|operation| operation.name == DECODED_ON_CPU);
    let mut columns: Vec<String> = Vec::new();
    for column in reports.flat_map(|operation| &operation.notes) {
        if !columns.contains(column) {
            columns.push(column.clone());
        }
    }
    columns
}

/// Returns the address of a node. While the plan runs, the address identifies the node.
pub(super) fn address(node: &Node) -> usize {
    std::ptr::from_ref(node).addr()
}

fn sum(left: Counters, right: Counters) -> Counters {
    let mut sum = left;
    sum.launches += right.launches;
    sum.waits += right.waits;
    sum.host_to_device_bytes += right.host_to_device_bytes;
    sum.device_to_host_bytes += right.device_to_host_bytes;
    sum.device_to_device_bytes += right.device_to_device_bytes;
    sum.fills += right.fills;
    sum
}

impl PlanProfile {
    /// Returns the number of times that a set of keys has filtered rows.
    pub fn key_filters(&self) -> usize {
        self.key_filters
    }

    /// Returns the number of rows that the plan has read from files and other sources outside of it. Rows that a reader
    /// leaves out do not count.
    pub fn read_rows(&self) -> u64 {
        self.read.0
    }

    /// Returns the number of bytes of the columns of these rows in memory.
    pub fn read_bytes(&self) -> u64 {
        self.read.1
    }

    /// Returns the columns of Parquet files that the CPU has decoded although they were read to a GPU, each with the
    /// reason: `tags: its type or an encoding is not supported`. If the plan ran in parts, other threads read the files,
    /// and the columns are not known.
    pub fn columns_decoded_on_cpu(&self) -> &[String] {
        &self.cpu_columns
    }

    /// Returns whether the plan ran in parts, because the memory did not suffice for all rows at once, or because the
    /// caller asked for it.
    pub fn ran_in_parts(&self) -> bool {
        self.in_parts
    }

    /// Returns the number of bytes that were spilled, if the spill manager counts transfers.
    pub fn spilled_bytes(&self) -> u64 {
        self.spilled_bytes
    }

    /// Returns the profile with a flag that states whether the plan ran in parts, and the number of spilled bytes.
    pub(super) fn with_memory(self, in_parts: bool, spilled_bytes: u64) -> PlanProfile {
        PlanProfile { in_parts, spilled_bytes, ..self }
    }

    /// Returns the operations of the plan as text.
    pub fn operations(&self) -> String {
        self.operations.to_string()
    }
}

/// Writes a table with a line for each pipeline, and a line for the whole plan. The inputs of a pipeline are below it.
impl fmt::Display for PlanProfile {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        let name_of = |pipeline: &Pipeline| format!("{:1$}{2}", "", 2 * pipeline.depth, pipeline.label);
        let width = self.pipelines.iter().map(|pipeline| name_of(pipeline).chars().count()).max().unwrap_or(0).max(8);
        write!(f, "{:width$}  {:>12}  {:>10}  launches  waits", "pipeline", "rows", "ms")?;
        writeln!(f, "  to device B    to host B     peak B")?;
        for pipeline in &self.pipelines {
            let counters = &pipeline.counters;
            writeln!(
                f,
                "{:width$}  {:>12}  {:>10.3}  {:>8}  {:>5}  {:>11}  {:>11}  {:>9}",
                name_of(pipeline),
                pipeline.rows,
                pipeline.elapsed.as_secs_f64() * 1e3,
                counters.launches,
                counters.waits,
                counters.host_to_device_bytes,
                counters.device_to_host_bytes,
                pipeline.peak_bytes,
            )?;
        }
        write!(f, "{} rows of {} bytes were read", self.read.0, self.read.1)?;
        if !self.cpu_columns.is_empty() {
            write!(f, "; columns decoded on the CPU: {} ({})", self.cpu_columns.len(), self.cpu_columns.join("; "))?;
        }
        if self.in_parts {
            write!(f, "; the plan ran in parts, and spilled {} bytes", self.spilled_bytes)?;
        }
        writeln!(f)
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_column_of_several_pieces_is_named_once() {
        let report = |columns: &[&str]| {
            let _span = gdf_core::enter_span(DECODED_ON_CPU, Device::Cpu);
            columns.iter().for_each(|column| tracing::debug!(target: "gdf", "{column}: a text is not UTF-8"));
        };
        let work = || {
            tracing::debug!(target: "gdf", "elsewhere");
            report(&["b", "a"]);
            report(&["a"]);
        };
        let ((), operations) = gdf_profile::profile(Device::Cpu, work).unwrap();
        assert_eq!(cpu_columns(&operations), ["b: a text is not UTF-8", "a: a text is not UTF-8"]);
        let (pipelines, read) = (Vec::new(), (3, 12));
        let cpu_columns = cpu_columns(&operations);
        let profile =
            PlanProfile { pipelines, operations, key_filters: 0, read, cpu_columns, in_parts: false, spilled_bytes: 0 };
        let text = profile.to_string();
        let line = "3 rows of 12 bytes were read; columns decoded on the CPU: 2 (b: a text is not UTF-8; a: a text is not UTF-8)";
        assert!(text.lines().any(|found| found == line), "{text}");
    }
}
