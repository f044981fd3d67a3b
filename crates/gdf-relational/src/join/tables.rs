//! Joins that return a table. The matching rows of both tables are gathered.

use gdf_compute::copying::{OutOfBoundsPolicy, gather};
use gdf_compute::replace::replace_nulls;
use gdf_core::{Column, ColumnView, Result, Table, TableView};
use gdf_engine::check;
use gdf_engine::decoded::Decoded;

use super::{FilterKind, JoinKind, NullEquality, filter, join};
use crate::Ctx;
use crate::vouch::gather_trusted;

/// The key columns of a join of two tables, and whether nulls are equal.
///
/// ```
/// # mod gdf { pub use gdf_core::{self as core, *}; pub use gdf_relational::*; }
/// use gdf::join::{JoinKeys, NullEquality};
///
/// let on = JoinKeys::new(&[0, 2], &[0, 1]);
/// assert_eq!(on.nulls, NullEquality::Unequal);
/// assert_eq!(on.with_nulls(NullEquality::Equal).right, [0, 1]);
/// ```
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct JoinKeys<'k> {
    /// The positions of the key columns in the left table.
    pub left: &'k [usize],
    /// The positions of the key columns in the right table. The order and the number of keys are the same as in
    /// `left`.
    pub right: &'k [usize],
    /// Whether a null matches a null.
    pub nulls: NullEquality,
}

impl<'k> JoinKeys<'k> {
    /// Returns a join by these columns. Nulls are not equal to each other, as in SQL and Polars.
    pub fn new(left: &'k [usize], right: &'k [usize]) -> Self {
        Self { left, right, nulls: NullEquality::Unequal }
    }

    /// Returns the same columns with another treatment of nulls.
    #[must_use]
    pub fn with_nulls(self, nulls: NullEquality) -> Self {
        Self { nulls, ..self }
    }
}

/// Joins two tables. The result has the columns of `left` and the columns of `right` that are not keys. If a row of one
/// side has no match, the columns of the other side are null. In a full join, the key columns have the right keys in
/// rows without a left row.
///
/// # Errors
/// * [`OutOfBounds`](gdf_core::Error::OutOfBounds) if the position of a key is not a column of its table.
/// * Errors of [`join`] and [`gather`]. Full joins also have the errors of [`replace_nulls`].
pub fn join_tables(
    kind: JoinKind,
    left: &TableView<'_>,
    right: &TableView<'_>,
    on: &JoinKeys<'_>,
    ctx: Ctx<'_>,
) -> Result<Table> {
    [left, right].into_iter().try_for_each(|side| check::table(side, ctx))?;
    let (left_keys, right_keys) = (left.select(on.left)?, right.select(on.right)?);
    let kept: Vec<usize> = (0..right.num_columns()).filter(|column| !on.right.contains(column)).collect();
    let rest = right.select(&kept)?;
    let (left_rows, right_rows) = join(kind, left_keys, right_keys.clone(), on.nulls, ctx.scratch())?;
    let (left_rows, right_rows) = (left_rows.view(), right_rows.view());
    let mut columns = match kind {
        JoinKind::Inner | JoinKind::Left => rows_of(left, left_rows, false, ctx)?,
        JoinKind::Full => rows_of(left, left_rows, true, ctx)?,
    };
    if kind == JoinKind::Full {
        let keys = rows_of(&right_keys, right_rows, true, ctx.scratch())?;
        for (&place, key) in on.left.iter().zip(&keys) {
            columns[place] = either(columns[place].view(), key.view(), ctx)?;
        }
    }
    columns.extend(rows_of(&rest, right_rows, kind != JoinKind::Inner, ctx)?);
    Table::try_with_rows(columns, left_rows.len())
}

/// Returns the rows of `left` with a match in `right`, or the rows without a match.
///
/// # Errors
/// * The errors of [`join_tables`].
pub fn filter_table(
    kind: FilterKind,
    left: &TableView<'_>,
    right: &TableView<'_>,
    on: &JoinKeys<'_>,
    ctx: Ctx<'_>,
) -> Result<Table> {
    [left, right].into_iter().try_for_each(|side| check::table(side, ctx))?;
    let rows = filter(kind, left.select(on.left)?, right.select(on.right)?, on.nulls, ctx.scratch())?;
    Table::try_with_rows(rows_of(left, rows.view(), false, ctx)?, rows.len())
}

/// Returns the keys of a full join: the left key or, in rows without a left row, the right key.
fn either(left: ColumnView<'_>, right: ColumnView<'_>, ctx: Ctx<'_>) -> Result<Column> {
    let (left, right) = (Decoded::of(left, ctx)?, Decoded::of(right, ctx.scratch())?);
    replace_nulls(left.view(), right.view().into(), ctx)
}

/// Gathers rows of all columns.
fn rows_of(table: &TableView<'_>, rows: ColumnView<'_>, unmatched: bool, ctx: Ctx<'_>) -> Result<Vec<Column>> {
    if table.num_columns() == 0 {
        return Ok(Vec::new());
    }
    let gathered = match unmatched {
        true => gather(table.clone(), rows, OutOfBoundsPolicy::Nullify, ctx)?,
        false => gather_trusted(table, rows, ctx)?,
    };
    Ok(gathered.into_columns())
}

#[cfg(test)]
mod tests {
    use gdf_core::Error;

    use super::*;
    use gdf_engine::test_device::setup;

    #[test]
    fn keys_must_be_columns() {
        let (stream, mr) = setup();
        let ctx = Ctx::new(&stream, &mr);
        let table = Table::try_new(vec![Column::from_slice_on(&[1, 2], &stream, &mr).unwrap()]).unwrap();
        let run = |on: &JoinKeys<'_>| join_tables(JoinKind::Inner, &table.view(), &table.view(), on, ctx);
        assert!(matches!(run(&JoinKeys::new(&[1], &[0])), Err(Error::OutOfBounds { index: 1, len: 1, .. })));
        assert!(matches!(run(&JoinKeys::new(&[0], &[0, 0])), Err(Error::ColumnCount { .. })));
        assert!(matches!(run(&JoinKeys::new(&[], &[])), Err(Error::InvalidArgument { .. })));
        let joined = run(&JoinKeys::new(&[0], &[0])).unwrap();
        assert_eq!((joined.num_rows(), joined.num_columns()), (2, 1));
    }
}
