//! Metrics of stages with islands.

use std::iter::Peekable;
use std::sync::Arc;
use std::vec;

use datafusion::physical_plan::ExecutionPlan;
use datafusion::physical_plan::metrics::MetricsSet;
use gdf_datafusion::GdfExec;

/// Converts the metrics of nodes with islands to one entry for each planned node that has metrics. The scheduler adds
/// the metrics of the tasks of a stage by position, and refuses a task with another number of entries.
///
/// The metrics of an island become those of the top node that the island replaces. The other nodes that the island
/// replaces have no metrics. `measured` has one entry for each node of `run` that has metrics, in depth-first order.
pub(crate) fn metrics_by_planned_node(
    planned: &Arc<dyn ExecutionPlan>,
    run: &Arc<dyn ExecutionPlan>,
    measured: Vec<MetricsSet>,
) -> Vec<MetricsSet> {
    let mut found = Found { measured: measured.into_iter(), entries: Vec::new() };
    found.add(planned, run);
    found.entries
}

struct Found {
    measured: vec::IntoIter<MetricsSet>,
    entries: Vec<MetricsSet>,
}

impl Found {
    fn add(&mut self, planned: &Arc<dyn ExecutionPlan>, run: &Arc<dyn ExecutionPlan>) {
        let own = run.metrics().and_then(|_| self.measured.next());
        if planned.metrics().is_some() {
            self.entries.push(own.unwrap_or_default());
        }
        let Some(island) = run.downcast_ref::<GdfExec>() else {
            for (planned, run) in planned.children().into_iter().zip(run.children()) {
                self.add(planned, run);
            }
            return;
        };
        let mut inputs = run.children().into_iter().peekable();
        for (planned, replaced) in planned.children().into_iter().zip(island.original().children()) {
            self.add_replaced(planned, replaced, &mut inputs);
        }
    }

    /// Adds the entries of a node below the top node of an island. The island replaces the node, or the node is an
    /// input of the island.
    fn add_replaced<'n>(
        &mut self,
        planned: &Arc<dyn ExecutionPlan>,
        replaced: &Arc<dyn ExecutionPlan>,
        inputs: &mut Peekable<impl Iterator<Item = &'n Arc<dyn ExecutionPlan>>>,
    ) {
        if let Some(input) = inputs.next_if(|input| Arc::ptr_eq(input, replaced)) {
            self.add(planned, input);
            return;
        }
        if planned.metrics().is_some() {
            self.entries.push(MetricsSet::new());
        }
        for (planned, replaced) in planned.children().into_iter().zip(replaced.children()) {
            self.add_replaced(planned, replaced, inputs);
        }
    }
}
