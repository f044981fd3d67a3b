//! `unpivot`: columns become rows.

use gdf_compute::concatenate::concatenate_columns;
use gdf_compute::lists::{copy_affine_column, copy_affine_rows};
use gdf_core::{ColumnView, Error, Result, Table, TableView};
use gdf_engine::check;
use gdf_engine::rows::{AffineRows, rows_times};

use crate::Ctx;

const OPERATION: &str = "unpivot";

/// Implements `gdf_api::reshape::unpivot` with the stream and the memory resources of `ctx`. Returns the errors of that
/// function.
pub fn unpivot(
    table: &TableView<'_>,
    index: &[usize],
    values: &[usize],
    names: ColumnView<'_>,
    ctx: Ctx<'_>,
) -> Result<Table> {
    check::table(table, ctx)?;
    check::column(names, ctx)?;
    let (index, values) = (table.select(index)?, table.select(values)?);
    if values.num_columns() == 0 {
        return Err(Error::invalid_argument("there are no columns of values; pass at least 1").in_argument("values"));
    }
    check::length(values.num_columns(), names.len()).map_err(|error| error.in_argument("names"))?;
    let rows = table.num_rows();
    let length = rows_times(rows, values.num_columns())?;
    let tiles = AffineRows { length, divisor: rows.max(1) as i64, by_quotient: 0, by_remainder: 1, first: 0 };
    let runs = AffineRows { by_quotient: 1, by_remainder: 0, ..tiles };
    let mut columns = copy_affine_rows(OPERATION, &index, tiles, ctx)?.into_columns();
    columns.push(copy_affine_column(OPERATION, names, runs, ctx)?);
    columns.push(concatenate_columns(values.columns(), ctx)?);
    Table::try_with_rows(columns, length as usize)
}
