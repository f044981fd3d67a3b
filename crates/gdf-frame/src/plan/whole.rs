//! Verbs that cannot be fused: functions of computed columns.

use std::collections::HashSet;
use std::sync::Arc;

use gdf_core::Result;
use gdf_external::bounds::Shape;

use super::Plan;
use crate::columns::Columns;
use crate::selector::Selector;

/// The function of a verb. Its arguments are the computed rows, and the other inputs.
type Run = dyn Fn(&Columns, &[Columns]) -> Result<Columns> + Send + Sync;

/// A verb that runs on computed columns, and is not fused with other verbs.
pub(crate) struct Whole {
    pub(super) name: &'static str,
    /// The verb and its arguments, as [`explain`](crate::LazyFrame::explain) shows them.
    pub(super) text: String,
    pub(super) others: Vec<Plan>,
    /// The columns that the verb reads. `None` stands for all columns.
    reads: Option<Vec<Selector>>,
    is_by_batch: bool,
    /// The bound of the bytes that the verb needs, from the shapes of the rows and of its other input.
    bound: Option<fn(&Shape, &Shape) -> usize>,
    run: Box<Run>,
}

impl Whole {
    /// Returns a verb that reads all columns of all rows.
    pub(crate) fn new(
        name: &'static str,
        text: String,
        run: impl Fn(&Columns, &[Columns]) -> Result<Columns> + Send + Sync + 'static,
    ) -> Whole {
        Whole { name, text, others: Vec::new(), reads: None, is_by_batch: false, bound: None, run: Box::new(run) }
    }

    /// Sets the columns that the verb reads. Only these columns are computed.
    pub(crate) fn reading(self, selectors: Vec<Selector>) -> Whole {
        Whole { reads: Some(selectors), ..self }
    }

    /// Adds an input, of which the verb gets all rows and columns.
    pub(crate) fn with_other(mut self, plan: Plan) -> Whole {
        self.others.push(plan);
        self
    }

    /// Declares that the verb can be applied to one batch at a time.
    pub(crate) fn by_batch(self) -> Whole {
        Whole { is_by_batch: true, ..self }
    }

    /// Sets the bound of the bytes that the verb needs. The verb has another input.
    pub(crate) fn bounded(self, bound: fn(&Shape, &Shape) -> usize) -> Whole {
        Whole { bound: Some(bound), ..self }
    }

    /// Returns the bound of the bytes that the verb needs for these rows, or `None` if there is no bound.
    pub(super) fn bound(&self, rows: &Shape, others: &[Columns]) -> Option<usize> {
        let (bound, [other]) = (self.bound?, others) else { return None };
        Some(bound(rows, &Shape::of(other.table())))
    }

    pub(super) fn is_by_batch(&self) -> bool {
        self.is_by_batch
    }

    /// Returns the names of the columns that the verb reads, or `None` if the names depend on the columns.
    pub(super) fn reads(&self) -> Option<HashSet<Arc<str>>> {
        let mut names = HashSet::new();
        for selector in self.reads.as_ref()? {
            names.extend(selector.names()?.map(Arc::from));
        }
        Some(names)
    }

    pub(super) fn run(&self, columns: &Columns, others: &[Columns]) -> Result<Columns> {
        (self.run)(columns, others)
    }
}
