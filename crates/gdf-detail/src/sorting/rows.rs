//! The rows that row numbers name.

use gdf_core::{Column, Result, Table, TableView};

use crate::context::Ctx;
use crate::copying;

/// The rows of `table` that `order`, which a function of this capability has made of as many rows, names.
pub(super) fn rows_in_order(table: &TableView<'_>, order: &Column, ctx: Ctx<'_>) -> Result<Table> {
    // SAFETY: `order` consists of distinct numbers of rows of a table that has as many rows as this one (checked by
    // the callers), and has no nulls.
    unsafe { copying::gather_unchecked(table.clone(), order.view(), ctx) }
}
