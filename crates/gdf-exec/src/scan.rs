//! Sources of rows outside of a plan, such as files.

use std::any::Any;
use std::fmt;

use gdf_core::Table;

use crate::error::Result;

/// Rows of a source that are not read yet. The call reads them to the current device, as columns with plain types.
pub type Piece = Box<dyn FnOnce() -> Result<Table> + Send>;

/// The pieces of a scan, in the order of the rows. Threads may read several pieces at the same time.
pub type Pieces = Box<dyn Iterator<Item = Result<Piece>> + Send>;

/// A source of rows that can be read several times.
pub trait Scan: Any + fmt::Debug + Send + Sync {
    /// Returns what is read, as `EXPLAIN` shows it after the word `read`.
    fn text(&self) -> String;

    /// Returns the number of rows before conditions that the source itself tests, if it is known without reading rows.
    fn num_rows(&self) -> Option<usize>;

    /// Returns the number of bytes of new columns that a read of all rows makes, about, if it is known without reading
    /// rows. It is 0 for rows that are in memory already.
    fn read_bytes(&self) -> Option<usize>;

    /// Returns the number of bytes of the texts of the column that has most of them, before conditions that the source
    /// itself tests, if it is known without reading rows. A column with offsets of 32 bits has less than 2 GiB, so a source
    /// with more is read in pieces.
    fn text_bytes(&self) -> Option<u64>;

    /// Begins to read. There is at least one piece, which may have no rows.
    ///
    /// # Errors
    /// * The source cannot be read. A failed allocation is [`Error::Operation`](crate::Error::Operation), and other
    ///   errors of the source are [`Error::Source`](crate::Error::Source). The calls of pieces return the same errors.
    fn open(&self, request: &ScanRequest) -> Result<Pieces>;

    /// Returns whether both scans are known to return the same rows.
    fn is_same(&self, other: &dyn Scan) -> bool;
}

/// The rows of a scan that a plan asks for.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum ScanRequest {
    /// All rows in one piece.
    Whole,
    /// Pieces that the source reads best.
    Pieces {
        /// The number of bytes of a piece, about; see [`rows_of`](crate::rows_of).
        bytes: usize,
        /// The number of rows of a piece in place of `bytes`, about.
        rows: Option<usize>,
    },
    /// Pieces of about this number of bytes, but not more.
    Limited(usize),
}
