//! Functions that return the lengths of lists, and elements at positions.

use gdf_core::{Column, ColumnView, Operand, Result};
use gdf_detail as detail;

use crate::copying::OutOfBoundsPolicy;
use crate::scope::Scope;

/// Returns the number of elements of each list.
///
/// The result is `Int32`, and `Int64` for `LargeList`. Null elements count. The result of a null list is null. Order:
/// the order of the rows.
///
/// In libcudf `count_elements`, in polars `list.len`, in pandas `list.len`, in SQL `CARDINALITY` or `LEN`.
///
/// ```
/// use gdf::Column;
/// use gdf::core::make_lists_column;
/// use gdf::lists::count_elements;
///
/// let offsets = Column::from_slice(&[0, 2, 2, 3])?;
/// let lists = make_lists_column(&offsets, Column::from_slice(&[7, 8, 9])?, None)?;
/// assert_eq!(count_elements(&lists)?.to_vec::<i32>()?, [Some(2), Some(0), Some(1)]);
/// # Ok::<(), gdf::Error>(())
/// ```
///
/// # Costs
/// The function does not wait for the device. See the table of costs, `docs/guide/costs.md`.
///
/// # Errors
/// * [`Unsupported`](gdf_core::Error::Unsupported) if the column is not of lists; driver and memory errors.
#[doc(alias("len", "cardinality", "array_length"))]
pub fn count_elements<'a>(lists: impl Into<ColumnView<'a>>) -> Result<Column> {
    let lists = lists.into();
    Scope::for_inputs("count_elements", &[&lists])?.run(|ctx| detail::lists::count_elements(lists, ctx))
}

/// Returns the element at the position `index` of each list. `index` is one number for all lists, or a column with a
/// number for each list.
///
/// Positions count from 0. Negative positions count from the end: −1 is the last element. The result has the type of
/// the elements, which may be any type that [`gather`](crate::copying::gather) takes. Order: the order of the rows.
///
/// # Nulls
/// The result is null in each of these cases: the list is null, the element is null, the list has no such element, or
/// the position in a column of positions is null. A null scalar is an error.
///
/// In libcudf `extract_list_element`, in polars and pandas `list.get`, in SQL `list[index]` (which counts from 1).
///
/// ```
/// use gdf::Column;
/// use gdf::core::make_lists_column;
/// use gdf::lists::extract_list_element;
///
/// let offsets = Column::from_slice(&[0, 2, 2, 3])?;
/// let lists = make_lists_column(&offsets, Column::from_slice(&[7, 8, 9])?, None)?;
/// assert_eq!(extract_list_element(&lists, 0)?.to_vec::<i32>()?, [Some(7), None, Some(9)]);
/// assert_eq!(extract_list_element(&lists, -1)?.to_vec::<i32>()?, [Some(8), None, Some(9)]);
/// let positions = Column::from_slice(&[1, 0, 5])?;
/// assert_eq!(extract_list_element(&lists, &positions)?.to_vec::<i32>()?, [Some(8), None, None]);
/// # Ok::<(), gdf::Error>(())
/// ```
///
/// # Costs
/// The function needs 1 wait for a scalar that is not a literal, and the waits of [`gather`](crate::copying::gather)
/// for the elements. See the table of costs, `docs/guide/costs.md`.
///
/// # Errors
/// * [`TypeMismatch`](gdf_core::Error::TypeMismatch), [`LengthMismatch`](gdf_core::Error::LengthMismatch): `index` is
///   not an integer, or a column of another length.
/// * [`InvalidArgument`](gdf_core::Error::InvalidArgument): `index` is a null scalar.
/// * [`Unsupported`](gdf_core::Error::Unsupported) if the column is not of lists, and for types of elements that
///   [`gather`](crate::copying::gather) does not take.
/// * [`OffsetOverflow`](gdf_core::Error::OffsetOverflow); driver and memory errors.
#[doc(alias("get", "element_at", "first", "last"))]
pub fn extract_list_element<'a>(lists: impl Into<ColumnView<'a>>, index: impl Into<Operand<'a>>) -> Result<Column> {
    let (lists, index) = (lists.into(), index.into());
    Scope::for_inputs("extract_list_element", &[&lists, &index])?
        .run(|ctx| detail::lists::extract_list_element(lists, index, ctx))
}

/// Returns for each row a list of the elements of `lists` at the positions in the list of `map`.
///
/// ```text
/// lists [[a, b, c], [d]], map [[2, 0], [-1, -1]]   →   [[c, a], [d, d]]
/// ```
///
/// The lists of `map` have elements of an integer type. Positions count from 0. Negative positions count from the end.
/// The result has the type of `lists` (`List` for `FixedSizeList` and `Map`), with elements that may be null. Order:
/// the order of `map`.
///
/// # Nulls
/// A row is null where either list is null. An element is null where the position is null. `policy` states whether a
/// position that is not in the list gives null or an error.
///
/// In libcudf `segmented_gather`, in polars and pandas `list.gather`, in DuckDB `list_select`.
///
/// ```
/// use gdf::Column;
/// use gdf::copying::OutOfBoundsPolicy;
/// use gdf::core::make_lists_column;
/// use gdf::lists::segmented_gather;
///
/// let offsets = Column::from_slice(&[0, 2, 3])?;
/// let lists = make_lists_column(&offsets, Column::from_slice(&[7, 8, 9])?, None)?;
/// let map = make_lists_column(&offsets, Column::from_slice(&[1, 0, -1])?, None)?;
/// let gathered = segmented_gather(&lists, &map, OutOfBoundsPolicy::Nullify)?;
/// assert_eq!(gathered.children()[0].to_vec::<i32>()?, [Some(8), Some(7), Some(9)]);
/// # Ok::<(), gdf::Error>(())
/// ```
///
/// # Costs
/// The function needs 1 wait for the device, 1 more with [`OutOfBoundsPolicy::Error`], and the waits of
/// [`gather`](crate::copying::gather) for the elements. See the table of costs, `docs/guide/costs.md`.
///
/// # Errors
/// * [`TypeMismatch`](gdf_core::Error::TypeMismatch), [`LengthMismatch`](gdf_core::Error::LengthMismatch): `map` is not
///   of lists of integers, or has another length.
/// * [`InvalidArgument`](gdf_core::Error::InvalidArgument): a position is not in its list, with
///   [`OutOfBoundsPolicy::Error`].
/// * [`Unsupported`](gdf_core::Error::Unsupported) if `lists` is not of lists, and for types of elements that
///   [`gather`](crate::copying::gather) does not take.
/// * [`OffsetOverflow`](gdf_core::Error::OffsetOverflow); driver and memory errors.
#[doc(alias("take", "list_select"))]
pub fn segmented_gather<'a>(
    lists: impl Into<ColumnView<'a>>,
    map: impl Into<ColumnView<'a>>,
    policy: OutOfBoundsPolicy,
) -> Result<Column> {
    let (lists, map) = (lists.into(), map.into());
    Scope::for_inputs("segmented_gather", &[&lists, &map])?
        .run(|ctx| detail::lists::segmented_gather(lists, map, policy, ctx))
}
