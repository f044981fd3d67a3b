//! Sources of rows outside of a plan, such as files.

use std::any::Any;
use std::fmt;

use gdf_core::Table;

use crate::error::Result;

/// The tables of a scan, in the order of the rows.
pub type ScannedTables = Box<dyn Iterator<Item = Result<Table>> + Send>;

/// A source of rows that can be read several times.
pub trait Scan: Any + fmt::Debug + Send + Sync {
    /// Returns what is read, as `EXPLAIN` shows it after the word `read`.
    fn text(&self) -> String;

    /// Begins to read. The tables are on the current device, and have plain types. There is at least one table, which
    /// may have no rows.
    ///
    /// # Errors
    /// * The source cannot be read. A failed allocation is [`Error::Operation`](crate::Error::Operation), and other
    ///   errors of the source are [`Error::Source`](crate::Error::Source).
    fn open(&self, request: &ScanRequest) -> Result<ScannedTables>;

    /// Returns whether both scans are known to return the same rows.
    fn is_same(&self, other: &dyn Scan) -> bool;
}

/// The rows of a scan that a plan asks for.
#[derive(Clone, Debug, Default)]
pub struct ScanRequest {
    /// The number of bytes that a table has, about; see [`rows_of`](crate::rows_of). `None` leaves the number to the
    /// source.
    pub batch_bytes: Option<usize>,
}
