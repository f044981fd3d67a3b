//! Verbs that cannot be fused: functions of computed columns.

use std::collections::HashSet;
use std::sync::Arc;

use gdf_core::Result;

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
    run: Box<Run>,
}

impl Whole {
    /// Returns a verb that reads all columns of all rows.
    pub(crate) fn new(
        name: &'static str,
        text: String,
        run: impl Fn(&Columns, &[Columns]) -> Result<Columns> + Send + Sync + 'static,
    ) -> Whole {
        Whole { name, text, others: Vec::new(), reads: None, is_by_batch: false, run: Box::new(run) }
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
