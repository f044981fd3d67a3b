//! `cross_join`: pairs each row of one table with each row of another table. The row numbers of a pair follow from the
//! position of the pair, so that row numbers need not be stored.

use gdf_compute::filling::row_numbers;
use gdf_compute::lists::{copy_affine_column, copy_affine_rows};
use gdf_core::{Column, Result, Table, TableView};
use gdf_engine::check;
use gdf_engine::rows::{AffineRows, rows_times};

use crate::Ctx;

const OPERATION: &str = "cross_join";

/// Implements `gdf_api::join::cross_join` with the stream and the memory resources of `ctx`. Returns the errors of
/// that function.
pub fn cross_join(left: &TableView<'_>, right: &TableView<'_>, ctx: Ctx<'_>) -> Result<Table> {
    [left, right].into_iter().try_for_each(|side| check::table(side, ctx))?;
    let [each, all] = pairs(left.num_rows(), right.num_rows())?;
    let mut columns = copy_affine_rows(OPERATION, left, each, ctx)?.into_columns();
    columns.extend(copy_affine_rows(OPERATION, right, all, ctx)?.into_columns());
    Table::try_with_rows(columns, each.length as usize)
}

/// Implements `gdf_api::join::cross_join_rows` with the stream and the memory resources of `ctx`. Returns the errors of
/// that function.
pub fn cross_join_rows(left: &TableView<'_>, right: &TableView<'_>, ctx: Ctx<'_>) -> Result<(Column, Column)> {
    [left, right].into_iter().try_for_each(|side| check::table(side, ctx))?;
    let [each, all] = pairs(left.num_rows(), right.num_rows())?;
    let numbers = |rows: usize, pairs: AffineRows| {
        copy_affine_column(OPERATION, row_numbers(rows, ctx.scratch())?.view(), pairs, ctx)
    };
    Ok((numbers(left.num_rows(), each)?, numbers(right.num_rows(), all)?))
}

/// Returns the left row and the right row of each pair.
fn pairs(left: usize, right: usize) -> Result<[AffineRows; 2]> {
    let length = rows_times(left, right)?;
    let left = AffineRows { length, divisor: right.max(1) as i64, by_quotient: 1, by_remainder: 0, first: 0 };
    Ok([left, AffineRows { by_quotient: 0, by_remainder: 1, ..left }])
}

#[cfg(test)]
mod tests {
    use gdf_core::Error;

    use super::*;

    #[test]
    fn the_number_of_pairs_must_fit() {
        assert!(matches!(pairs(1 << 32, 1 << 31), Err(Error::InvalidArgument { .. })));
        assert_eq!(pairs(1 << 32, (1 << 31) - 1).unwrap()[0].length, ((1 << 31) - 1) << 32);
        assert_eq!(pairs(usize::MAX, 0).unwrap()[1].length, 0);
    }
}
