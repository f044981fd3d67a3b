//! Ranges of consecutive rows.

use gdf_core::ColumnView;

/// Ranges of rows of a table. All columns have type `Int64` and a row for each range.
#[derive(Clone, Copy, Debug)]
pub struct RowRanges<'a> {
    /// For each range, the row of the result after the last row of the range. The ends ascend and are not null. The
    /// last end is `rows`.
    pub ends: ColumnView<'a>,
    pub begins: Option<ColumnView<'a>>,
    /// If given, the rows of a range whose size is 0 are null. The sizes are not null.
    pub sizes: Option<ColumnView<'a>>,
    /// The number of rows of the result.
    pub rows: usize,
}

impl RowRanges<'_> {
    /// Returns whether rows of the result may be null although no row of the table is null.
    pub(crate) fn nullable(&self) -> bool {
        self.sizes.is_some() || self.begins.is_some_and(|begins| begins.has_validity())
    }
}
