//! Area `merge`: merges sorted tables to one sorted table.

use gdf_api::merge::merge;
use gdf_core::Table;

use super::{Operation, sorting, stream_compaction};
use crate::call::{Answered, Call};
use crate::output::Answer;

pub(super) const OPERATIONS: &[(&str, Operation)] = &[("merge", run_merge)];

fn run_merge(call: &Call<'_>) -> Answered {
    let (orders, null_orders) = sorting::orders(call)?;
    let keys = stream_compaction::keys(call)?;
    let tables = call.tables()?;
    let views: Vec<_> = tables.iter().map(Table::view).collect();
    Ok(Answer::table(merge(&views, &keys, &orders, &null_orders)?))
}
