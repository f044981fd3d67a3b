//! Functions of rows that the caller of a plan brings.

use std::fmt;
use std::sync::Arc;

use gdf_core::Table;

use super::deferred::Deferred;
use super::{Node, Run};
use crate::error::Result;

/// A function of the rows of a table that needs one piece of the rows at a time: the results of consecutive pieces,
/// one after the other, are the result of all rows.
pub trait RowsFunction: Send + Sync {
    /// Returns the name of the function, as `EXPLAIN` shows it.
    fn name(&self) -> &str;

    /// Returns the result for some of the rows.
    ///
    /// # Errors
    /// * The errors of the function.
    fn run(&self, rows: Table) -> gdf_core::Result<Table>;
}

/// The results of a function for the rows of a node.
#[derive(Clone)]
pub struct Mapped {
    /// The node.
    pub input: Node,
    /// The function.
    pub function: Arc<dyn RowsFunction>,
}

impl Mapped {
    pub(super) fn run(&self, run: &Run<'_>) -> Result<Deferred> {
        self.of(run.node(&self.input)?)
    }

    /// Returns the result for rows of the input.
    pub(super) fn of(&self, rows: Deferred) -> Result<Deferred> {
        Ok(self.function.run(rows.into_table()?)?.into())
    }
}

impl fmt::Debug for Mapped {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        let name = self.function.name();
        f.debug_struct("Mapped").field("input", &self.input).field("function", &name).finish()
    }
}
