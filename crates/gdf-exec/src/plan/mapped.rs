//! Functions of rows that the caller of a plan brings.

use std::fmt;
use std::sync::Arc;

use gdf_core::Table;
use gdf_expr::{Expr, col};

use super::deferred::Deferred;
use super::{Node, Run};
use crate::error::Result;

/// A function of the rows of a table. [`Mapped`] says which columns the function gets.
pub trait RowsFunction: Send + Sync {
    /// Returns the name of the function, as `EXPLAIN` shows it.
    fn name(&self) -> &str;

    /// Returns the rows that the function needs together.
    fn needs(&self) -> Needs;

    /// Returns the result for some of the rows. A table without rows has a result, too.
    ///
    /// # Errors
    /// * The errors of the function.
    fn run(&self, rows: Table) -> gdf_core::Result<Table>;
}

/// The rows that a [`RowsFunction`] needs together.
#[derive(Clone, Debug, PartialEq, Eq)]
pub enum Needs {
    /// Any consecutive rows. The results of consecutive pieces, one after the other, are the result of all rows.
    Piece,
    /// All rows with equal values in the columns at these positions. There is at least one position. The result has a
    /// row for each row, in the order of the rows, and depends only on the rows with the same values.
    Partition(Vec<usize>),
    /// All rows.
    All,
}

/// The results of a function for the rows of a node.
#[derive(Clone)]
pub struct Mapped {
    /// The node.
    pub input: Node,
    /// The function.
    pub function: Arc<dyn RowsFunction>,
    /// The positions of the columns that the function gets, if it adds columns. The function then has a result for each
    /// row, and its columns follow those of the node. Otherwise the function gets all columns, and replaces them.
    pub reads: Option<Vec<usize>>,
}

impl Mapped {
    pub(super) fn run(&self, run: &Run<'_>) -> Result<Deferred> {
        self.of(run.node(&self.input)?)
    }

    /// Returns the result for rows of the input.
    pub(super) fn of(&self, mut rows: Deferred) -> Result<Deferred> {
        let Some(reads) = &self.reads else { return Ok(self.function.run(rows.into_table()?)?.into()) };
        let read: Vec<Expr> = reads.iter().copied().map(col).collect();
        let added = self.function.run(rows.projected(&read)?.into_table()?)?;
        rows.beside(added.into())
    }

    /// Returns whether the function needs one piece of the rows at a time.
    pub(super) fn is_by_piece(&self) -> bool {
        self.function.needs() == Needs::Piece
    }
}

impl fmt::Debug for Mapped {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        let name = self.function.name();
        f.debug_struct("Mapped").field("input", &self.input).field("function", &name).finish()
    }
}
