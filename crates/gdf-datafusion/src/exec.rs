//! The plan node that runs an island.

mod copied;

use std::collections::VecDeque;
use std::fmt;
use std::sync::atomic::{AtomicBool, Ordering};
use std::sync::{self, Arc, PoisonError};
use std::time::Instant;

use arrow_array::RecordBatch;
use datafusion::common::tree_node::TreeNodeRecursion;
use datafusion::common::{Statistics, internal_err};
use datafusion::error::{DataFusionError, Result};
use datafusion::execution::TaskContext;
use datafusion::execution::memory_pool::{MemoryConsumer, MemoryReservation};
use datafusion::physical_expr::{Partitioning, PhysicalExpr};
use datafusion::physical_plan::coalesce_partitions::CoalescePartitionsExec;
use datafusion::physical_plan::execution_plan::{Boundedness, ChildrenPropertiesMode, EmissionType, reset_plan_states};
use datafusion::physical_plan::metrics::{ExecutionPlanMetricsSet, Gauge, MetricBuilder, MetricsSet};
use datafusion::physical_plan::stream::RecordBatchStreamAdapter;
use datafusion::physical_plan::{
    DisplayAs, DisplayFormatType, ExecutionPlan, PlanProperties, ReplaceChildrenOptions, SendableRecordBatchStream,
    collect, collect_partitioned,
};
use futures::{StreamExt, TryStreamExt};
use gdf_core::Table;
use gdf_exec::{Execution, Plan, PlanProfile, Scan};
use tokio::sync::{Mutex, OwnedMutexGuard};

use crate::collected::Collected;
use crate::device_thread::run_on_thread;
use crate::edge::{Batches, download};
use crate::error::Failure;
use crate::exact::over_canonical;
use crate::lower::Island;
use crate::options::{Fallback, GdfOptions, count};
use crate::slices::sliced;
use crate::work::on_device;

/// The plan node of an island, which is a subtree of DataFusion's plan that gdf runs as one plan.
///
/// The node keeps the nodes that it replaces. DataFusion runs these nodes for a fallback, and for the comparison if the
/// option `verify` is set. The children of the node are the inputs of the island. Each input runs once, and its batches
/// are collected before gdf copies them to the device. The result is divided into batches of the session's batch size.
///
/// `execute` returns at once. gdf works on a thread of the device. When the stream is dropped, gdf stops before its
/// next operation, and frees its memory.
#[derive(Clone, Debug)]
pub struct GdfExec {
    original: Arc<dyn ExecutionPlan>,
    inputs: Vec<Arc<dyn ExecutionPlan>>,
    plan: Arc<Plan>,
    options: GdfOptions,
    properties: Arc<PlanProperties>,
    metrics: ExecutionPlanMetricsSet,
    /// Locked while DataFusion runs the replaced nodes. All copies of the nodes share the places of the values of
    /// scalar subqueries. Without the lock, two simultaneous runs would read each other's values.
    turn: Arc<Mutex<()>>,
    /// The measures of the last run, if the options ask for measures.
    profile: Arc<sync::Mutex<Option<PlanProfile>>>,
}

impl GdfExec {
    /// Makes the node of an island. The inputs of `island` are descendants of `original`, in depth-first order.
    pub(crate) fn new(original: Arc<dyn ExecutionPlan>, island: Island, options: GdfOptions) -> GdfExec {
        let Island { plan, inputs } = island;
        let (properties, metrics) = (properties_of(&original), ExecutionPlanMetricsSet::new());
        let (plan, turn, profile) = (Arc::new(plan), Arc::default(), Arc::default());
        GdfExec { original, inputs, plan, options, properties, metrics, turn, profile }
    }

    /// Returns the nodes that the island replaces.
    pub fn original(&self) -> &Arc<dyn ExecutionPlan> {
        &self.original
    }

    /// Returns the options of the island.
    pub fn options(&self) -> &GdfOptions {
        &self.options
    }

    /// Returns the measures of the last run, or `None` if the options do not ask for measures.
    pub(crate) fn profile(&self) -> Option<PlanProfile> {
        self.profile.lock().unwrap_or_else(PoisonError::into_inner).clone()
    }

    /// Returns the same island with other inputs.
    pub(crate) fn with_inputs(&self, inputs: Vec<Arc<dyn ExecutionPlan>>) -> Result<GdfExec> {
        if inputs.len() != self.inputs.len() {
            return internal_err!("GdfExec must have {} children, found {}", self.inputs.len(), inputs.len());
        }
        let original = replaced(&self.original, &self.inputs, &inputs)?;
        Ok(GdfExec { properties: properties_of(&original), original, inputs, ..self.clone() })
    }

    /// Returns the same island without the metrics of earlier runs.
    pub(crate) fn again(&self) -> GdfExec {
        GdfExec { metrics: ExecutionPlanMetricsSet::new(), ..self.clone() }
    }

    async fn run(self: Arc<Self>, context: Arc<TaskContext>) -> Result<SendableRecordBatchStream> {
        let Collection { inputs, reservation } = match self.collected(&context).await {
            Ok(found) => found,
            Err(error) if self.leaves_to_datafusion(&error) => {
                return self.fallen_back(&error, Arc::clone(&self.original), context).await;
            }
            Err(error) => return Err(error),
        };
        let rows = context.session_config().batch_size();
        let output = MetricBuilder::new(&self.metrics).output_rows(0);
        match self.computed(&inputs).await {
            Ok(batches) => {
                if self.options.verify() {
                    let turn = self.turn.lock().await;
                    let expected = collect(fresh(self.over(&inputs)?)?, Arc::clone(&context)).await;
                    drop(turn);
                    let expected = match expected {
                        // The memory pool cannot hold the inputs beside the rows of DataFusion's run.
                        Err(error) if self.leaves_to_datafusion(&error) => {
                            drop((inputs, reservation));
                            return self.fallen_back(&error, Arc::clone(&self.original), context).await;
                        }
                        expected => expected?,
                    };
                    crate::verify::same_rows(&batches, &expected, self.plan.cuts_rows)?;
                    count(&self.options.counters().verified);
                }
                count(&self.options.counters().islands);
                output.add(batches.iter().map(RecordBatch::num_rows).sum());
                Ok(sliced(self.original.schema(), batches, rows))
            }
            Err(error) => match self.options.fallback() {
                Fallback::Forbidden => Err(error),
                Fallback::Allowed | Fallback::Warned => {
                    let original = self.over(&inputs)?;
                    self.fallen_back(&error, original, context).await
                }
            },
        }
    }

    async fn collected(&self, context: &Arc<TaskContext>) -> Result<Collection> {
        let reservation = MemoryConsumer::new("GdfExec").register(context.memory_pool());
        let mut inputs = Vec::with_capacity(self.inputs.len());
        for input in &self.inputs {
            let partitions = collect_partitioned(Arc::clone(input), Arc::clone(context)).await?;
            let bytes: usize = partitions.iter().flatten().map(RecordBatch::get_array_memory_size).sum();
            reservation.try_grow(bytes)?;
            inputs.push(partitions);
        }
        Ok(Collection { inputs, reservation })
    }

    /// Returns whether DataFusion runs the replaced nodes because the memory pool has no memory left. DataFusion may need
    /// less memory, because its nodes may hold fewer rows at a time, or spill rows to files.
    fn leaves_to_datafusion(&self, error: &DataFusionError) -> bool {
        let is_exhausted = matches!(error.find_root(), DataFusionError::ResourcesExhausted(_));
        is_exhausted && self.options.fallback() != Fallback::Forbidden
    }

    /// Returns the gauge of the peak of the memory. Without a limit, it is none of the metrics.
    fn peak(&self) -> Gauge {
        match self.options.limit() {
            Some(_) => MetricBuilder::new(&self.metrics).global_gauge("peak_bytes"),
            None => Gauge::new(),
        }
    }

    fn input_rows(&self, inputs: &[Vec<Vec<RecordBatch>>]) -> Vec<Arc<dyn Scan>> {
        let rows = |(input, partitions): (&Arc<dyn ExecutionPlan>, &Vec<Vec<RecordBatch>>)| {
            Arc::new(Batches::new(input.schema(), partitions.concat())) as Arc<dyn Scan>
        };
        self.inputs.iter().zip(inputs).map(rows).collect()
    }

    /// Counts a fallback, and returns the rows of the replaced nodes.
    async fn fallen_back(
        &self,
        error: &DataFusionError,
        original: Arc<dyn ExecutionPlan>,
        context: Arc<TaskContext>,
    ) -> Result<SendableRecordBatchStream> {
        if self.options.fallback() == Fallback::Warned {
            tracing::warn!(%error, "GdfExec failed; DataFusion runs the replaced nodes instead");
        }
        count(&self.options.counters().fallbacks);
        MetricBuilder::new(&self.metrics).global_counter("fallbacks").add(1);
        let turn = Arc::clone(&self.turn).lock_owned().await;
        let batches = fresh(original)?.execute(0, context)?;
        let held = batches.inspect(move |_| {
            let _: &OwnedMutexGuard<()> = &turn;
        });
        Ok(Box::pin(RecordBatchStreamAdapter::new(self.original.schema(), held)))
    }

    /// Runs the plan on a thread of the device. A drop of the future cancels the run.
    async fn computed(&self, inputs: &[Vec<Vec<RecordBatch>>]) -> Result<Vec<RecordBatch>> {
        let cancelled = CancelOnDrop(Arc::new(AtomicBool::new(false)));
        let (plan, options, flag) = (Arc::clone(&self.plan), self.options.clone(), Arc::clone(&cancelled.0));
        let (inputs, schema, profile) = (self.input_rows(inputs), self.original.schema(), Arc::clone(&self.profile));
        let time = MetricBuilder::new(&self.metrics).elapsed_compute(0);
        let filters = MetricBuilder::new(&self.metrics).global_counter("key_filters");
        let spilled = MetricBuilder::new(&self.metrics).spilled_bytes(0);
        let peak = self.peak();
        let work = move || {
            let started = Instant::now();
            let batches = on_device(&options, &peak, || {
                let copy = |table: &Table| download(table, &schema);
                let executed = plan.execute(&inputs, &execution(&options, &flag), &copy);
                let executed = executed
                    .map_err(|error| Failure::from(error).of_memory(options.device(), options.memory_limit()))?;
                if executed.in_parts {
                    count(&options.counters().in_parts);
                    options.counters().spilled_bytes.fetch_add(executed.spilled_bytes, Ordering::Relaxed);
                    spilled.add(usize::try_from(executed.spilled_bytes).unwrap_or(usize::MAX));
                }
                if let Some(measured) = executed.profile {
                    filters.add(measured.key_filters());
                    *profile.lock().unwrap_or_else(PoisonError::into_inner) = Some(measured);
                }
                Ok(executed.batches)
            });
            time.add_duration(started.elapsed());
            batches
        };
        let batches = run_on_thread(self.options.device(), work).await?;
        drop(cancelled);
        Ok(batches?)
    }

    /// Returns the replaced nodes over the collected batches.
    fn over(&self, inputs: &[Vec<Vec<RecordBatch>>]) -> Result<Arc<dyn ExecutionPlan>> {
        let source = |(input, partitions): (&Arc<dyn ExecutionPlan>, &Vec<Vec<RecordBatch>>)| {
            Arc::new(Collected::new(input, partitions.clone())) as Arc<dyn ExecutionPlan>
        };
        let sources: Vec<_> = self.inputs.iter().zip(inputs).map(source).collect();
        replaced(&self.original, &self.inputs, &sources)
    }
}

/// Returns nodes with one partition and without the state of an earlier run.
fn fresh(nodes: Arc<dyn ExecutionPlan>) -> Result<Arc<dyn ExecutionPlan>> {
    let nodes = over_canonical(reset_plan_states(nodes)?)?;
    match nodes.properties().output_partitioning().partition_count() {
        1 => Ok(nodes),
        _ => Ok(Arc::new(CoalescePartitionsExec::new(nodes))),
    }
}

fn execution<'e>(options: &'e GdfOptions, canceled: &'e AtomicBool) -> Execution<'e> {
    Execution {
        device: options.device(),
        passes_keys: options.key_filters(),
        in_parts: options.parts(),
        piece_rows: options.piece_rows(),
        is_profiled: options.is_profiled(),
        canceled,
        progress: &options.counters().progress,
    }
}

/// The batches of each partition of each input, and their bytes in the memory pool of the session.
struct Collection {
    inputs: Vec<Vec<Vec<RecordBatch>>>,
    reservation: MemoryReservation,
}

/// Sets the flag when dropped. The flag cancels the run of an island.
struct CancelOnDrop(Arc<AtomicBool>);

impl Drop for CancelOnDrop {
    fn drop(&mut self) {
        self.0.store(true, Ordering::Relaxed);
    }
}

fn properties_of(original: &Arc<dyn ExecutionPlan>) -> Arc<PlanProperties> {
    let mut properties = original.properties().as_ref().clone();
    if properties.partitioning.partition_count() > 1 {
        // The partitions are concatenated. If each partition has an order, the result still has none.
        let equivalences = datafusion::physical_expr::EquivalenceProperties::new(original.schema());
        properties.set_eq_properties(equivalences);
    }
    let properties = PlanProperties::new(
        properties.eq_properties,
        Partitioning::UnknownPartitioning(1),
        EmissionType::Final,
        Boundedness::Bounded,
    );
    Arc::new(properties)
}

/// Returns the nodes of `original` with `others` in place of `inputs`. A node can occur several times. Therefore
/// `inputs` are in depth-first order, and each replaces only its first remaining occurrence.
pub(crate) fn replaced(
    original: &Arc<dyn ExecutionPlan>,
    inputs: &[Arc<dyn ExecutionPlan>],
    others: &[Arc<dyn ExecutionPlan>],
) -> Result<Arc<dyn ExecutionPlan>> {
    fn visit(
        node: &Arc<dyn ExecutionPlan>,
        waiting: &mut VecDeque<[&Arc<dyn ExecutionPlan>; 2]>,
    ) -> Result<Arc<dyn ExecutionPlan>> {
        if let Some([_, other]) = waiting.pop_front_if(|[input, _]| Arc::ptr_eq(input, node)) {
            return Ok(Arc::clone(other));
        }
        let children = node.children();
        if children.is_empty() {
            return Ok(Arc::clone(node));
        }
        let children = children.into_iter().map(|child| visit(child, waiting)).collect::<Result<Vec<_>>>()?;
        let options = ReplaceChildrenOptions::new(ChildrenPropertiesMode::Recompute);
        Arc::clone(node).replace_children(children, options)
    }
    let mut waiting = inputs.iter().zip(others).map(|(input, other)| [input, other]).collect();
    let node = visit(original, &mut waiting)?;
    match waiting.is_empty() {
        true => Ok(node),
        false => internal_err!("an input of GdfExec is not among the nodes that GdfExec replaces"),
    }
}

impl DisplayAs for GdfExec {
    fn fmt_as(&self, _format: DisplayFormatType, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        let device = self.options.device();
        write!(f, "GdfExec: device={device}, nodes={}, inputs={}", self.nodes(), self.inputs.len())?;
        match self.plan.key_filters() {
            joins if joins > 0 && self.options.key_filters() => write!(f, ", key_filters={joins}")?,
            _ => {}
        }
        match self.options.limit() {
            Some(bytes) => write!(f, ", memory_limit={bytes}"),
            None => Ok(()),
        }
    }
}

impl GdfExec {
    /// Returns the number of nodes that the island replaces.
    pub(crate) fn nodes(&self) -> usize {
        fn visit<'n>(
            node: &'n Arc<dyn ExecutionPlan>,
            inputs: &mut std::slice::Iter<'n, Arc<dyn ExecutionPlan>>,
        ) -> usize {
            if inputs.as_slice().first().is_some_and(|input| Arc::ptr_eq(input, node)) {
                inputs.next();
                return 0;
            }
            1 + node.children().into_iter().map(|child| visit(child, inputs)).sum::<usize>()
        }
        visit(&self.original, &mut self.inputs.iter())
    }
}

impl ExecutionPlan for GdfExec {
    fn name(&self) -> &str {
        "GdfExec"
    }

    fn properties(&self) -> &Arc<PlanProperties> {
        &self.properties
    }

    fn children(&self) -> Vec<&Arc<dyn ExecutionPlan>> {
        self.inputs.iter().collect()
    }

    fn benefits_from_input_partitioning(&self) -> Vec<bool> {
        vec![false; self.inputs.len()]
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
        Ok(Arc::new(self.with_inputs(children)?))
    }

    fn with_new_children(self: Arc<Self>, children: Vec<Arc<dyn ExecutionPlan>>) -> Result<Arc<dyn ExecutionPlan>> {
        Ok(Arc::new(self.with_inputs(children)?))
    }

    fn execute(&self, partition: usize, context: Arc<TaskContext>) -> Result<SendableRecordBatchStream> {
        if partition != 0 {
            return internal_err!("GdfExec has only partition 0, but partition {partition} was requested");
        }
        let batches = futures::stream::once(Arc::new(self.clone()).run(context)).try_flatten();
        Ok(Box::pin(RecordBatchStreamAdapter::new(self.original.schema(), batches)))
    }

    fn metrics(&self) -> Option<MetricsSet> {
        Some(self.metrics.clone_inner())
    }

    fn partition_statistics(&self, _partition: Option<usize>) -> Result<Arc<Statistics>> {
        Ok(Arc::new(Statistics::new_unknown(&self.original.schema())))
    }
}
