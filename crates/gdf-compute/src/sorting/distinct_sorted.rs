//! The distinct rows of a table in sorted order.

use gdf_core::{Result, Table, TableView};

use super::{NullOrder, sort};
use crate::Ctx;
use crate::stream_compaction::{DuplicateKeepOption, NanEquality, NullEquality, distinct};

/// Returns the distinct rows of `table` in ascending order, nulls last. Nulls are equal to each other, and NaNs are
/// equal to each other.
///
/// # Errors
/// * The errors of [`distinct`] and [`sort`].
pub fn distinct_sorted(table: &TableView<'_>, ctx: Ctx<'_>) -> Result<Table> {
    let columns: Vec<usize> = (0..table.num_columns()).collect();
    let first = DuplicateKeepOption::First;
    let rows = distinct(table.clone(), &columns, first, NullEquality::Equal, NanEquality::AllEqual, ctx.scratch())?;
    sort(rows.view(), &[], &vec![NullOrder::After; columns.len()], ctx)
}
