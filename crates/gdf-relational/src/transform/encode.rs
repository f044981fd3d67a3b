//! `encode`: sorts the distinct rows, and looks each row up among the distinct rows.

use gdf_compute::sorting::distinct_sorted;
use gdf_core::{Column, Result, Table, TableView};

use crate::Ctx;
use crate::join::row_of_each;

/// Implements `gdf_api::transform::encode` with the stream and the resources of `ctx`.
pub fn encode(table: &TableView<'_>, ctx: Ctx<'_>) -> Result<(Table, Column)> {
    let keys = distinct_sorted(table, ctx)?;
    let codes = row_of_each(table, &keys.view(), ctx)?;
    Ok((keys, codes))
}
