//! Joins that return tables; part of [`join`](crate::join).

use gdf_core::{Result, Table, TableView};
use gdf_detail as detail;
use gdf_detail::join::{FilterKind, JoinKeys, JoinKind};

use crate::scope::Scope;

/// Returns the rows of `left` and `right` with equal keys as one table: the columns of `left`, followed by the
/// columns of `right` that are not keys.
///
/// [`JoinKeys`] states which columns are compared, and whether nulls are equal. The join gathers all columns of both
/// tables. If few columns are needed, [`select`](Table::select) them before the join. The hash table is built from the
/// right side, so the right side should be the smaller side.
///
/// Order: the rows of `left` keep their order. The right rows of one left row keep their order on the CPU, and are in
/// any order on CUDA.
///
/// In libcudf `inner_join` and two times `gather`, in polars `join(how="inner")`, in SQL `INNER JOIN … USING`.
///
/// ```text
/// id  city          id  people          id  city  people
///  7  Oslo           9  0.3              7  Oslo  0.7
///  5  Rome     ⋈     7  0.7       →      9  Bern  0.3
///  9  Bern
/// ```
///
/// ```
/// use gdf::join::{self, JoinKeys};
/// use gdf::{Column, Table};
///
/// let cities = Table::try_new(vec![Column::from_slice(&[7, 5, 9])?, Column::from_strs(["Oslo", "Rome", "Bern"])?])?;
/// let people = Table::try_new(vec![Column::from_slice(&[9, 7])?, Column::from_slice(&[0.3, 0.7])?])?;
/// let on = JoinKeys::new(&[0], &[0]);
///
/// let known = join::inner(&cities, &people, &on)?;
/// assert_eq!(known.column(1)?.to_strings()?, [Some("Oslo".to_owned()), Some("Bern".to_owned())]);
/// assert_eq!(known.column(2)?.to_vec::<f64>()?, [Some(0.7), Some(0.3)]);
/// assert_eq!(join::left(&cities, &people, &on)?.column(2)?.to_vec::<f64>()?, [Some(0.7), None, Some(0.3)]);
/// assert_eq!(join::anti(&cities, &people, &on)?.num_rows(), 1);
/// # Ok::<(), gdf::Error>(())
/// ```
///
/// # Costs
/// The function has the waits of [`inner_join`](crate::join::inner_join()), and the waits of
/// [`gather`](crate::copying::gather()) for each side. See the table of costs, `docs/guide/costs.md`.
///
/// # Errors
/// * [`OutOfBounds`](gdf_core::Error::OutOfBounds) when a key is not a column of its table.
/// * The errors of [`inner_join`](crate::join::inner_join()) and [`gather`](crate::copying::gather()).
pub fn inner<'l, 'r>(
    left: impl Into<TableView<'l>>,
    right: impl Into<TableView<'r>>,
    on: &JoinKeys<'_>,
) -> Result<Table> {
    let (left, right) = (left.into(), right.into());
    Scope::for_inputs("join.inner", &[&left, &right])?
        .run(|ctx| detail::join::join_tables(JoinKind::Inner, &left, &right, on, ctx))
}

/// Returns the rows of [`inner`], and each row of `left` without a match, with nulls in the columns of `right`.
///
/// In polars `join(how="left")`, in SQL `LEFT OUTER JOIN … USING`.
///
/// # Errors
/// The errors of [`inner`].
pub fn left<'l, 'r>(
    left: impl Into<TableView<'l>>,
    right: impl Into<TableView<'r>>,
    on: &JoinKeys<'_>,
) -> Result<Table> {
    let (left, right) = (left.into(), right.into());
    Scope::for_inputs("join.left", &[&left, &right])?
        .run(|ctx| detail::join::join_tables(JoinKind::Left, &left, &right, on, ctx))
}

/// Returns the rows of [`left`], followed by each row of `right` without a match, in the order of `right`. A row
/// without a match has its keys in the key columns of `left`, and nulls in the other columns of `left`.
///
/// In polars `join(how="full", coalesce=True)`, in SQL `FULL OUTER JOIN … USING`.
///
/// # Errors
/// The errors of [`inner`] and [`replace_nulls`](crate::replace::replace_nulls()).
pub fn full<'l, 'r>(
    left: impl Into<TableView<'l>>,
    right: impl Into<TableView<'r>>,
    on: &JoinKeys<'_>,
) -> Result<Table> {
    let (left, right) = (left.into(), right.into());
    Scope::for_inputs("join.full", &[&left, &right])?
        .run(|ctx| detail::join::join_tables(JoinKind::Full, &left, &right, on, ctx))
}

/// Returns the rows of `left` that have a match in `right`, in their order. The result has only the columns of
/// `left`.
///
/// In polars `join(how="semi")`, in SQL `WHERE EXISTS`.
///
/// # Errors
/// The errors of [`inner`].
pub fn semi<'l, 'r>(
    left: impl Into<TableView<'l>>,
    right: impl Into<TableView<'r>>,
    on: &JoinKeys<'_>,
) -> Result<Table> {
    let (left, right) = (left.into(), right.into());
    Scope::for_inputs("join.semi", &[&left, &right])?
        .run(|ctx| detail::join::filter_table(FilterKind::Semi, &left, &right, on, ctx))
}

/// Returns the rows of `left` that have no match in `right`, in their order. The result has only the columns of
/// `left`.
///
/// In polars `join(how="anti")`, in SQL `WHERE NOT EXISTS`.
///
/// # Errors
/// The errors of [`inner`].
pub fn anti<'l, 'r>(
    left: impl Into<TableView<'l>>,
    right: impl Into<TableView<'r>>,
    on: &JoinKeys<'_>,
) -> Result<Table> {
    let (left, right) = (left.into(), right.into());
    Scope::for_inputs("join.anti", &[&left, &right])?
        .run(|ctx| detail::join::filter_table(FilterKind::Anti, &left, &right, on, ctx))
}
