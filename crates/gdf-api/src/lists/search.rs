//! Functions that search each list.

use gdf_core::{Column, ColumnView, Operand, Result};
use gdf_detail as detail;
use gdf_detail::lists::FindOption;

use crate::scope::Scope;

/// Returns whether each list has an element that is equal to `key`. `key` is one value for all lists, or a column with
/// a value for each list.
///
/// Elements may have all types that keys can have: booleans, numbers, decimals, temporal types, text and bytes, and
/// lists and structs that can be [sorted](crate::sorting#structs-and-lists). Views and dictionaries are decoded. NaN is
/// equal to NaN, and 0.0 is equal to −0.0. Order: the order of the rows.
///
/// # Nulls
/// The result is null where the list or the key is null. A null element is not equal to any key.
///
/// In libcudf `contains`, in polars and pandas `list.contains`, in SQL `x = ANY(list)` or `ARRAY_CONTAINS`.
///
/// ```
/// use gdf::Column;
/// use gdf::core::make_lists_column;
/// use gdf::lists::contains;
///
/// let offsets = Column::from_slice(&[0, 2, 2, 3])?;
/// let lists = make_lists_column(&offsets, Column::from_slice(&[7, 8, 8])?, None)?;
/// assert_eq!(contains(&lists, 8)?.to_vec::<bool>()?, [Some(true), Some(false), Some(true)]);
/// # Ok::<(), gdf::Error>(())
/// ```
///
/// # Costs
/// The function needs at most 2 waits for the device, and the waits of [`gather`](crate::copying::gather) if `key` is a
/// column. Views and dictionaries add 1 wait. See the table of costs, `docs/guide/costs.md`.
///
/// # Errors
/// * [`TypeMismatch`](gdf_core::Error::TypeMismatch), [`LengthMismatch`](gdf_core::Error::LengthMismatch): `key` does
///   not have the type of the elements, or is a column of another length.
/// * [`Unsupported`](gdf_core::Error::Unsupported) if the column is not of lists, or if the type of the elements cannot
///   be compared.
/// * [`OffsetOverflow`](gdf_core::Error::OffsetOverflow); driver and memory errors.
#[doc(alias("any", "array_contains", "has"))]
pub fn contains<'a>(lists: impl Into<ColumnView<'a>>, key: impl Into<Operand<'a>>) -> Result<Column> {
    let (lists, key) = (lists.into(), key.into());
    Scope::for_inputs("contains", &[&lists, &key])?.run(|ctx| detail::lists::contains(lists, key, ctx))
}

/// Returns whether each list has a null element. The result of a null list is null.
///
/// Elements may have all types but unions and run-end encoded types. Order: the order of the rows.
///
/// In libcudf `contains_nulls`, in polars `list.contains(None)`.
///
/// ```
/// use gdf::Column;
/// use gdf::core::make_lists_column;
/// use gdf::lists::contains_nulls;
///
/// let offsets = Column::from_slice(&[0, 2, 3])?;
/// let lists = make_lists_column(&offsets, Column::from_options(&[Some(7), None, Some(8)])?, None)?;
/// assert_eq!(contains_nulls(&lists)?.to_vec::<bool>()?, [Some(true), Some(false)]);
/// # Ok::<(), gdf::Error>(())
/// ```
///
/// # Costs
/// The function waits for the device at most twice. See the table of costs, `docs/guide/costs.md`.
///
/// # Errors
/// * [`Unsupported`](gdf_core::Error::Unsupported) if the column is not of lists, and for unions and run-end encoded
///   elements; driver and memory errors.
pub fn contains_nulls<'a>(lists: impl Into<ColumnView<'a>>) -> Result<Column> {
    let lists = lists.into();
    Scope::for_inputs("contains_nulls", &[&lists])?.run(|ctx| detail::lists::contains_nulls(lists, ctx))
}

/// Returns the position of the first or the last element of each list that is equal to `key`, or −1 if no element is
/// equal to `key`.
///
/// The result is `Int32`, and `Int64` for `LargeList`. Positions count from 0. Types, nulls and NaN are as for
/// [`contains`].
///
/// In libcudf `index_of`, in SQL `ARRAY_POSITION` or `LIST_POSITION` (which count from 1).
///
/// ```
/// use gdf::Column;
/// use gdf::core::make_lists_column;
/// use gdf::lists::{FindOption, index_of};
///
/// let offsets = Column::from_slice(&[0, 3, 4])?;
/// let lists = make_lists_column(&offsets, Column::from_slice(&[7, 8, 7, 8])?, None)?;
/// assert_eq!(index_of(&lists, 7, FindOption::First)?.to_vec::<i32>()?, [Some(0), Some(-1)]);
/// assert_eq!(index_of(&lists, 7, FindOption::Last)?.to_vec::<i32>()?, [Some(2), Some(-1)]);
/// # Ok::<(), gdf::Error>(())
/// ```
///
/// # Costs
/// The function has the costs of [`contains`].
///
/// # Errors
/// The errors of [`contains`].
#[doc(alias("list_position", "array_position", "find"))]
pub fn index_of<'a>(lists: impl Into<ColumnView<'a>>, key: impl Into<Operand<'a>>, find: FindOption) -> Result<Column> {
    let (lists, key) = (lists.into(), key.into());
    Scope::for_inputs("index_of", &[&lists, &key])?.run(|ctx| detail::lists::index_of(lists, key, find, ctx))
}
