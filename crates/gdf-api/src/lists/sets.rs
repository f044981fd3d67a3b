//! Functions that treat lists as sets of elements.

use gdf_core::{Column, ColumnView, Result};
use gdf_detail as detail;
use gdf_detail::lists::{DuplicateKeepOption, NanEquality, NullEquality};

use crate::scope::Scope;

/// Returns each list without repeated elements. `keep` states which of several equal elements stays, or that none does.
///
/// Elements may have all types that keys can have: booleans, numbers, decimals, temporal types, text and bytes, views
/// and dictionaries of them, and structs of such fields. The result has the type of `lists` (`List` for
/// `FixedSizeList`). Elements that stay keep their order. Null lists stay null.
///
/// # Nulls and NaN
/// `nulls` states whether null elements and null fields are equal to each other, and `nans` states this of NaNs.
/// Elements that are not equal to themselves all stay. 0.0 equals −0.0.
///
/// In libcudf `distinct` (whose order is unspecified), in polars `list.unique(maintain_order=True)`, in pandas
/// `list.unique`, in SQL `ARRAY_DISTINCT`.
///
/// ```
/// use gdf::Column;
/// use gdf::core::make_lists_column;
/// use gdf::lists::{DuplicateKeepOption, NanEquality, NullEquality, distinct};
///
/// let offsets = Column::from_slice(&[0, 3, 4])?;
/// let lists = make_lists_column(&offsets, Column::from_slice(&[7, 8, 7, 7])?, None)?;
/// let result = distinct(&lists, DuplicateKeepOption::First, NullEquality::Equal, NanEquality::AllEqual)?;
/// assert_eq!(result.children()[0].to_vec::<i32>()?, [Some(7), Some(8), Some(7)]);
/// # Ok::<(), gdf::Error>(())
/// ```
///
/// # Costs
/// The function needs 2 waits for the device, and the waits of [`distinct`](crate::stream_compaction::distinct) for the
/// elements. If lists may be null, the function also has the waits of [`gather`](crate::copying::gather). See the table
/// of costs, `docs/guide/costs.md`.
///
/// # Errors
/// * [`Unsupported`](gdf_core::Error::Unsupported) if the column is not of lists, and for elements that cannot be keys.
/// * [`InvalidArgument`](gdf_core::Error::InvalidArgument): there are more than 2³¹ − 16 elements, or structs with
///   more than 31 fields.
/// * [`OffsetOverflow`](gdf_core::Error::OffsetOverflow); driver and memory errors.
#[doc(alias("unique", "array_distinct", "list_distinct"))]
pub fn distinct<'a>(
    lists: impl Into<ColumnView<'a>>,
    keep: DuplicateKeepOption,
    nulls: NullEquality,
    nans: NanEquality,
) -> Result<Column> {
    let lists = lists.into();
    Scope::for_inputs("distinct", &[&lists])?.run(|ctx| detail::lists::distinct(lists, keep, nulls, nans, ctx))
}

/// Returns whether the lists of each row have an element in common.
///
/// Types, nulls and NaN are as for [`distinct`]; both columns have elements of the same type. A row is null where
/// either list is null.
///
/// In libcudf `have_overlap`, in Spark `arrays_overlap`, in PostgreSQL `&&`, in DuckDB `list_has_any`.
///
/// ```
/// use gdf::Column;
/// use gdf::core::make_lists_column;
/// use gdf::lists::{NanEquality, NullEquality, have_overlap};
///
/// let offsets = Column::from_slice(&[0, 3, 4])?;
/// let lhs = make_lists_column(&offsets, Column::from_slice(&[7, 8, 7, 1])?, None)?;
/// let rhs = make_lists_column(&offsets, Column::from_slice(&[8, 5, 8, 2])?, None)?;
/// let result = have_overlap(&lhs, &rhs, NullEquality::Equal, NanEquality::AllEqual)?;
/// assert_eq!(result.to_vec::<bool>()?, [Some(true), Some(false)]);
/// # Ok::<(), gdf::Error>(())
/// ```
///
/// # Costs
/// The function has the waits of two calls of [`distinct`]. See the table of costs, `docs/guide/costs.md`.
///
/// # Errors
/// * [`LengthMismatch`](gdf_core::Error::LengthMismatch), [`TypeMismatch`](gdf_core::Error::TypeMismatch): the
///   columns differ in length or in the type of the elements.
/// * The errors of [`distinct`].
#[doc(alias("arrays_overlap", "list_has_any"))]
pub fn have_overlap<'a>(
    lhs: impl Into<ColumnView<'a>>,
    rhs: impl Into<ColumnView<'a>>,
    nulls: NullEquality,
    nans: NanEquality,
) -> Result<Column> {
    let (lhs, rhs) = (lhs.into(), rhs.into());
    Scope::for_inputs("have_overlap", &[&lhs, &rhs])?.run(|ctx| detail::lists::have_overlap(lhs, rhs, nulls, nans, ctx))
}

/// Returns for each row the distinct elements of the list of `lhs` that are also elements of the list of `rhs`.
/// Elements have the order in which they first occur in `lhs`.
///
/// Types, nulls and NaN are as for [`distinct`]; both columns have elements of the same type. A row is null where
/// either list is null.
///
/// In libcudf `intersect_distinct`, in polars `list.set_intersection`, in Spark `array_intersect`.
///
/// ```
/// use gdf::Column;
/// use gdf::core::make_lists_column;
/// use gdf::lists::{NanEquality, NullEquality, intersect_distinct};
///
/// let offsets = Column::from_slice(&[0, 3, 4])?;
/// let lhs = make_lists_column(&offsets, Column::from_slice(&[7, 8, 7, 1])?, None)?;
/// let rhs = make_lists_column(&offsets, Column::from_slice(&[8, 5, 8, 2])?, None)?;
/// let result = intersect_distinct(&lhs, &rhs, NullEquality::Equal, NanEquality::AllEqual)?;
/// assert_eq!(result.children()[0].to_vec::<i32>()?, [Some(8)]);
/// # Ok::<(), gdf::Error>(())
/// ```
///
/// # Costs
/// The function has the waits of two calls of [`distinct`]. See the table of costs, `docs/guide/costs.md`.
///
/// # Errors
/// * [`LengthMismatch`](gdf_core::Error::LengthMismatch), [`TypeMismatch`](gdf_core::Error::TypeMismatch): the
///   columns differ in length or in the type of the elements.
/// * The errors of [`distinct`].
#[doc(alias("set_intersection", "array_intersect", "list_intersect"))]
pub fn intersect_distinct<'a>(
    lhs: impl Into<ColumnView<'a>>,
    rhs: impl Into<ColumnView<'a>>,
    nulls: NullEquality,
    nans: NanEquality,
) -> Result<Column> {
    let (lhs, rhs) = (lhs.into(), rhs.into());
    Scope::for_inputs("intersect_distinct", &[&lhs, &rhs])?
        .run(|ctx| detail::lists::intersect_distinct(lhs, rhs, nulls, nans, ctx))
}

/// Returns for each row the distinct elements of the list of `lhs` that are not elements of the list of `rhs`. Elements
/// have the order in which they first occur in `lhs`.
///
/// Types, nulls and NaN are as for [`distinct`]; both columns have elements of the same type. A row is null where
/// either list is null.
///
/// In libcudf `difference_distinct`, in polars `list.set_difference`, in Spark `array_except`.
///
/// ```
/// use gdf::Column;
/// use gdf::core::make_lists_column;
/// use gdf::lists::{NanEquality, NullEquality, difference_distinct};
///
/// let offsets = Column::from_slice(&[0, 3, 4])?;
/// let lhs = make_lists_column(&offsets, Column::from_slice(&[7, 8, 7, 1])?, None)?;
/// let rhs = make_lists_column(&offsets, Column::from_slice(&[8, 5, 8, 2])?, None)?;
/// let result = difference_distinct(&lhs, &rhs, NullEquality::Equal, NanEquality::AllEqual)?;
/// assert_eq!(result.children()[0].to_vec::<i32>()?, [Some(7), Some(1)]);
/// # Ok::<(), gdf::Error>(())
/// ```
///
/// # Costs
/// The function has the waits of two calls of [`distinct`]. See the table of costs, `docs/guide/costs.md`.
///
/// # Errors
/// * [`LengthMismatch`](gdf_core::Error::LengthMismatch), [`TypeMismatch`](gdf_core::Error::TypeMismatch): the
///   columns differ in length or in the type of the elements.
/// * The errors of [`distinct`].
#[doc(alias("set_difference", "array_except"))]
pub fn difference_distinct<'a>(
    lhs: impl Into<ColumnView<'a>>,
    rhs: impl Into<ColumnView<'a>>,
    nulls: NullEquality,
    nans: NanEquality,
) -> Result<Column> {
    let (lhs, rhs) = (lhs.into(), rhs.into());
    Scope::for_inputs("difference_distinct", &[&lhs, &rhs])?
        .run(|ctx| detail::lists::difference_distinct(lhs, rhs, nulls, nans, ctx))
}

/// Returns for each row the distinct elements of both lists. Elements have the order in which they first occur in `lhs`
/// and then in `rhs`.
///
/// Types, nulls and NaN are as for [`distinct`]; both columns have the same type. A row is null where either list is
/// null.
///
/// In libcudf `union_distinct`, in polars `list.set_union`, in Spark `array_union`.
///
/// ```
/// use gdf::Column;
/// use gdf::core::make_lists_column;
/// use gdf::lists::{NanEquality, NullEquality, union_distinct};
///
/// let offsets = Column::from_slice(&[0, 3, 4])?;
/// let lhs = make_lists_column(&offsets, Column::from_slice(&[7, 8, 7, 1])?, None)?;
/// let rhs = make_lists_column(&offsets, Column::from_slice(&[8, 5, 8, 2])?, None)?;
/// let result = union_distinct(&lhs, &rhs, NullEquality::Equal, NanEquality::AllEqual)?;
/// assert_eq!(result.children()[0].to_vec::<i32>()?, [7, 8, 5, 1, 2].map(Some));
/// # Ok::<(), gdf::Error>(())
/// ```
///
/// # Costs
/// The function has the waits of [`concatenate_rows`](crate::lists::concatenate_rows) and of [`distinct`]. See the
/// table of costs, `docs/guide/costs.md`.
///
/// # Errors
/// * [`LengthMismatch`](gdf_core::Error::LengthMismatch), [`TypeMismatch`](gdf_core::Error::TypeMismatch): the
///   columns differ in length or in type.
/// * The errors of [`distinct`].
#[doc(alias("set_union", "array_union"))]
pub fn union_distinct<'a>(
    lhs: impl Into<ColumnView<'a>>,
    rhs: impl Into<ColumnView<'a>>,
    nulls: NullEquality,
    nans: NanEquality,
) -> Result<Column> {
    let (lhs, rhs) = (lhs.into(), rhs.into());
    Scope::for_inputs("union_distinct", &[&lhs, &rhs])?
        .run(|ctx| detail::lists::union_distinct(lhs, rhs, nulls, nans, ctx))
}
