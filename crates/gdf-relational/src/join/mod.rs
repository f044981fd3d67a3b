//! Joins: pairs of rows of two tables with equal keys, or for which a condition is true.

mod asof;
mod conditional;
mod cross;
mod filter_pairs;
mod hash_join;
mod key_filter;
mod mark;
mod matches;
mod partitions;
mod sort_merge;
mod tables;

pub use asof::{AsofDirection, AsofKeys, asof_join, asof_join_rows};
pub use conditional::{
    conditional_filter, conditional_filter_size, conditional_join, conditional_join_size, conditional_match_counts,
    mixed_filter, mixed_join, mixed_join_size, mixed_match_counts,
};
pub use cross::{cross_join, cross_join_rows};
pub use filter_pairs::filter_join_pairs;
pub use hash_join::{FilterKind, JOIN_NO_MATCH, JoinKind, JoinTable, NullEquality, filter, join};
pub use key_filter::KeyFilter;
pub use mark::{mark_join, probe_marks, right_rows};
pub use matches::{lookup, match_counts};
pub use partitions::Partitions;
pub use sort_merge::{Presorted, sort_merge_join};
pub use tables::{JoinKeys, filter_table, join_tables};

use gdf_core::{Column, Result, TableView};

use crate::Ctx;

/// Returns, for each row of `rows`, the number of the equal row of `keys`, or [`JOIN_NO_MATCH`] if no row is equal.
pub(crate) fn row_of_each(rows: &TableView<'_>, keys: &TableView<'_>, ctx: Ctx<'_>) -> Result<Column> {
    Ok(join(JoinKind::Left, rows.clone(), keys.clone(), NullEquality::Equal, ctx)?.1)
}
