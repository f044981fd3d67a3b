//! The options that all readers share.

use std::ops::{Bound, Range, RangeBounds};

use gdf_driver::Device;

use crate::Predicate;
use crate::condition::Condition;
use crate::large::LIMIT;

/// The default number of rows of a batch of a scan.
pub(crate) const BATCH_ROWS: usize = 1 << 20;

#[derive(Clone, Debug, PartialEq, Eq)]
pub(crate) enum Columns {
    All,
    Named(Vec<String>),
    /// The columns at these positions.
    Numbered(Vec<usize>),
}

/// The columns and rows to read, and the device of the result.
#[derive(Clone, Debug)]
pub(crate) struct Options {
    pub(crate) columns: Columns,
    pub(crate) rows: Range<usize>,
    /// The row groups of Parquet files to read.
    #[cfg(feature = "parquet")]
    pub(crate) row_groups: Option<Vec<usize>>,
    pub(crate) predicate: Option<Predicate>,
    pub(crate) conditions: Vec<Condition>,
    pub(crate) device: Option<Device>,
    pub(crate) batch_rows: usize,
    /// The maximum number of bytes of text in a column with 32-bit offsets.
    pub(crate) text_limit: usize,
}

impl Default for Options {
    fn default() -> Self {
        Options {
            columns: Columns::All,
            rows: 0..usize::MAX,
            #[cfg(feature = "parquet")]
            row_groups: None,
            predicate: None,
            conditions: Vec::new(),
            device: None,
            batch_rows: BATCH_ROWS,
            text_limit: LIMIT,
        }
    }
}

impl Options {
    /// Returns whether only some of the rows are read, by their values.
    pub(crate) fn has_conditions(&self) -> bool {
        self.predicate.is_some() || !self.conditions.is_empty()
    }

    /// Returns the names of the columns that the conditions read.
    pub(crate) fn tested(&self) -> Vec<&str> {
        let mut names = self.predicate.as_ref().map(Predicate::columns).unwrap_or_default();
        for name in self.conditions.iter().flat_map(Condition::columns) {
            if !names.contains(&name) {
                names.push(name);
            }
        }
        names
    }
}

/// Converts any range of rows to the form `start..end`.
pub(crate) fn half_open(rows: impl RangeBounds<usize>) -> Range<usize> {
    let start = match rows.start_bound() {
        Bound::Included(start) => *start,
        Bound::Excluded(start) => start.saturating_add(1),
        Bound::Unbounded => 0,
    };
    let end = match rows.end_bound() {
        Bound::Included(end) => end.saturating_add(1),
        Bound::Excluded(end) => *end,
        Bound::Unbounded => usize::MAX,
    };
    start..end.max(start)
}

/// Declares the methods that all readers share. The reader must have a field `options`.
macro_rules! reader_options {
    ($columns:literal) => {
        #[doc = $columns]
        #[must_use]
        pub fn columns<N: Into<String>>(mut self, names: impl IntoIterator<Item = N>) -> Self {
            self.options.columns = crate::options::Columns::Named(names.into_iter().map(Into::into).collect());
            self
        }

        /// Reads only the columns at these indices, in the given order. Indices are counted from 0. An index can select
        /// one of several columns with the same name, or a column whose name is not known.
        ///
        /// ```
        /// # mod gdf { pub use gdf_api::*; pub use gdf_core::*; pub mod io { pub use gdf_io::*; } }
        /// # let folder = tempfile::tempdir()?;
        /// # let path = folder.path().join("t.arrow");
        /// # gdf::io::write_ipc(&gdf::io::example_batch()?, &path)?;
        /// let cities = gdf::io::IpcReader::open(&path)?.column_indices([1]).read()?;
        /// assert_eq!(cities.schema().field(0).name(), "city");
        /// # Ok::<(), Box<dyn std::error::Error>>(())
        /// ```
        #[must_use]
        #[doc(alias("usecols"))]
        pub fn column_indices(mut self, indices: impl IntoIterator<Item = usize>) -> Self {
            self.options.columns = crate::options::Columns::Numbered(indices.into_iter().collect());
            self
        }

        /// Reads only these rows. Rows are counted from 0 over all files. Rows that a predicate leaves out are counted,
        /// too. If the range extends beyond the last row, that is not an error.
        #[must_use]
        pub fn rows(mut self, rows: impl std::ops::RangeBounds<usize>) -> Self {
            self.options.rows = crate::options::half_open(rows);
            self
        }

        /// Reads only the rows for which the predicate is true.
        #[must_use]
        pub fn predicate(mut self, predicate: crate::Predicate) -> Self {
            self.options.predicate = Some(predicate);
            self
        }

        /// Reads only the rows for which this predicate is true and all predicates that were set before are true.
        ///
        /// ```
        /// # mod gdf { pub use gdf_api::*; pub use gdf_core::*; pub mod io { pub use gdf_io::*; } }
        /// use gdf::io::{IpcReader, Predicate};
        ///
        /// # let folder = tempfile::tempdir()?;
        /// # let path = folder.path().join("t.arrow");
        /// # gdf::io::write_ipc(&gdf::io::example_batch()?, &path)?;
        /// let late = IpcReader::open(&path)?.predicate(Predicate::gt("id", 1));
        /// assert_eq!(late.and_predicate(Predicate::is_not_null("city")).read()?.num_rows(), 1);
        /// # Ok::<(), Box<dyn std::error::Error>>(())
        /// ```
        #[must_use]
        pub fn and_predicate(mut self, predicate: crate::Predicate) -> Self {
            self.options.predicate = Some(match self.options.predicate {
                Some(earlier) => earlier.and(predicate),
                None => predicate,
            });
            self
        }

        /// Reads only the rows for which a condition is true, and all conditions that were set before. The columns of the
        /// condition are the columns with the given names: `col(0)` is the column with the first name.
        ///
        /// The condition may be any expression: literals, operators and functions have the types and results that they
        /// have for the columns of a table. If the condition is null for a row, the row is left out. If statistics of a
        /// Parquet file, or values of partition folders, show that no row satisfies the condition, the reader does not
        /// read the row group, page or file. This holds for comparisons of columns with literals, lists of values and
        /// tests for nulls, joined by `and` and `or`.
        ///
        /// A condition of the wrong type, or of columns that do not exist or are nested, is an error of the read.
        ///
        /// ```
        /// # mod gdf { pub use gdf_api::*; pub use gdf_core::*; pub use gdf_expr as expr; pub mod io { pub use gdf_io::*; } }
        /// use gdf::expr::col;
        /// use gdf::io::IpcReader;
        ///
        /// # let folder = tempfile::tempdir()?;
        /// # let path = folder.path().join("t.arrow");
        /// # gdf::io::write_ipc(&gdf::io::example_batch()?, &path)?;
        /// let late = IpcReader::open(&path)?.filter(["id", "city"], col(0).gt(1).and(col(1).is_not_null()));
        /// assert_eq!(late.read()?.num_rows(), 1);
        /// # Ok::<(), Box<dyn std::error::Error>>(())
        /// ```
        #[must_use]
        #[doc(alias("where", "predicate"))]
        pub fn filter<N: Into<String>>(
            mut self,
            names: impl IntoIterator<Item = N>,
            condition: impl Into<gdf_expr::Expr>,
        ) -> Self {
            let names = names.into_iter().map(Into::into).collect();
            self.options.conditions.push(crate::condition::Condition::new(names, condition.into()));
            self
        }

        /// Returns whether [`columns`](Self::columns) or [`column_indices`](Self::column_indices) selects columns.
        pub fn selects_columns(&self) -> bool {
            self.options.columns != crate::options::Columns::All
        }

        /// Sets the device of the columns. The default is the current device
        /// ([`current_device`](gdf_api::scope::current_device)). The stream and the memory resource come from the scope
        /// of this thread.
        #[must_use]
        pub fn on(mut self, device: gdf_driver::Device) -> Self {
            self.options.device = Some(device);
            self
        }

        /// Sets the largest number of bytes of text in a column with 32-bit offsets (`Utf8` or `Binary`). The default
        /// is 2³¹ − 1, the largest 32-bit offset. If a column has more bytes, it is read as `LargeUtf8` or
        /// `LargeBinary`. Operations support these types, too. If the limit is 0, each column that has at least one
        /// byte is read as `LargeUtf8` or `LargeBinary`.
        ///
        /// The limit applies to all rows that come together in one column. A read has all rows of all files. Pieces and
        /// scans of Parquet files divide the rows, so that only a larger row group changes a type. A scan of a text
        /// format or of Arrow IPC does not know the sizes. Therefore such a scan does not change the types.
        #[must_use]
        pub fn text_limit(mut self, bytes: usize) -> Self {
            self.options.text_limit = bytes.min(crate::large::LIMIT);
            self
        }

        /// Sets the largest number of rows of a batch of a scan. The default is 1,048,576. The value 0 means 1.
        #[must_use]
        pub fn batch_rows(mut self, rows: usize) -> Self {
            self.options.batch_rows = rows.max(1);
            self
        }

        /// Returns the largest number of rows of a batch of a scan.
        pub fn max_batch_rows(&self) -> usize {
            self.options.batch_rows
        }
    };
}

pub(crate) use reader_options;
