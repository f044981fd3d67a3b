//! `encode`: distinct rows, sorted, in which each row is looked up.

use gdf_compute::sorting::{NullOrder, sort};
use gdf_compute::stream_compaction::{DuplicateKeepOption, NanEquality, NullEquality, distinct};
use gdf_core::{Column, Result, Table, TableView};

use crate::Ctx;
use crate::join::row_of_each;

/// `gdf_api::transform::encode` on the stream and from the resources of `ctx`.
pub fn encode(table: &TableView<'_>, ctx: Ctx<'_>) -> Result<(Table, Column)> {
    let columns: Vec<usize> = (0..table.num_columns()).collect();
    let first = DuplicateKeepOption::First;
    let keys = distinct(table.clone(), &columns, first, NullEquality::Equal, NanEquality::AllEqual, ctx.scratch())?;
    let keys = sort(keys.view(), &[], &vec![NullOrder::After; columns.len()], ctx)?;
    let codes = row_of_each(table, &keys.view(), ctx)?;
    Ok((keys, codes))
}
