//! Joins that return tables; part of [`join`](crate::join).

use gdf_core::{Result, Table, TableView};
use gdf_detail as detail;
use gdf_detail::join::{FilterKind, JoinKeys, JoinKind};

use crate::scope::Scope;

/// The rows of `left` and `right` with equal keys, as one table: the columns of `left`, then those of `right` that are no keys.
///
/// Which columns are compared, and whether nulls are equal, says [`JoinKeys`]; [`select`](Table::select) the columns that are wanted
/// before, for all are gathered. The table is built of the right side: let that be the smaller one.
///
/// Order: that of the left rows; right rows of the same left row are in their order on the CPU and in any on CUDA.
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
/// The waits of [`inner_join`](crate::join::inner_join()), and of [`gather`](crate::copying::gather()) for either side. See the table of costs,
/// `docs/guide/costs.md`.
///
/// # Errors
/// * [`OutOfBounds`](gdf_core::Error::OutOfBounds) when a key is no column of its table.
/// * As [`inner_join`](crate::join::inner_join()) and [`gather`](crate::copying::gather()).
pub fn inner<'l, 'r>(
    left: impl Into<TableView<'l>>,
    right: impl Into<TableView<'r>>,
    on: &JoinKeys<'_>,
) -> Result<Table> {
    let (left, right) = (left.into(), right.into());
    Scope::for_inputs("join.inner", &[&left, &right])?
        .run(|ctx| detail::join::join_tables(JoinKind::Inner, &left, &right, on, ctx))
}

/// As [`inner`], and each row of `left` without match, with nulls in the columns of `right`.
///
/// In polars `join(how="left")`, in SQL `LEFT OUTER JOIN … USING`.
///
/// # Errors
/// As [`inner`].
pub fn left<'l, 'r>(
    left: impl Into<TableView<'l>>,
    right: impl Into<TableView<'r>>,
    on: &JoinKeys<'_>,
) -> Result<Table> {
    let (left, right) = (left.into(), right.into());
    Scope::for_inputs("join.left", &[&left, &right])?
        .run(|ctx| detail::join::join_tables(JoinKind::Left, &left, &right, on, ctx))
}

/// As [`left`], and behind that each row of `right` without match, in their order, with its keys in the places of the left ones and nulls in
/// the other columns of `left`.
///
/// In polars `join(how="full", coalesce=True)`, in SQL `FULL OUTER JOIN … USING`.
///
/// # Errors
/// As [`inner`], and as [`replace_nulls`](crate::replace::replace_nulls()).
pub fn full<'l, 'r>(
    left: impl Into<TableView<'l>>,
    right: impl Into<TableView<'r>>,
    on: &JoinKeys<'_>,
) -> Result<Table> {
    let (left, right) = (left.into(), right.into());
    Scope::for_inputs("join.full", &[&left, &right])?
        .run(|ctx| detail::join::join_tables(JoinKind::Full, &left, &right, on, ctx))
}

/// The rows of `left` that have a match in `right`, in their order, with the columns of `left` alone.
///
/// In polars `join(how="semi")`, in SQL `WHERE EXISTS`.
///
/// # Errors
/// As [`inner`].
pub fn semi<'l, 'r>(
    left: impl Into<TableView<'l>>,
    right: impl Into<TableView<'r>>,
    on: &JoinKeys<'_>,
) -> Result<Table> {
    let (left, right) = (left.into(), right.into());
    Scope::for_inputs("join.semi", &[&left, &right])?
        .run(|ctx| detail::join::filter_table(FilterKind::Semi, &left, &right, on, ctx))
}

/// The rows of `left` that have no match in `right`, in their order, with the columns of `left` alone.
///
/// In polars `join(how="anti")`, in SQL `WHERE NOT EXISTS`.
///
/// # Errors
/// As [`inner`].
pub fn anti<'l, 'r>(
    left: impl Into<TableView<'l>>,
    right: impl Into<TableView<'r>>,
    on: &JoinKeys<'_>,
) -> Result<Table> {
    let (left, right) = (left.into(), right.into());
    Scope::for_inputs("join.anti", &[&left, &right])?
        .run(|ctx| detail::join::filter_table(FilterKind::Anti, &left, &right, on, ctx))
}
