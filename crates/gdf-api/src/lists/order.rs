//! Functions that change the order of the elements of each list.

use gdf_core::{Column, ColumnView, Result};
use gdf_detail as detail;

use crate::scope::Scope;
use crate::sorting::{NullOrder, Order};

/// Returns the elements of each list from the last to the first.
///
/// The result has the type of `lists` (`List` for `FixedSizeList`). Null lists stay null. Elements may have any type
/// that [`gather`](crate::copying::gather) takes.
///
/// In libcudf `reverse`, in polars `list.reverse`, in DuckDB `list_reverse`.
///
/// ```
/// use gdf::Column;
/// use gdf::core::make_lists_column;
/// use gdf::lists::reverse;
///
/// let offsets = Column::from_slice(&[0, 2, 3])?;
/// let lists = make_lists_column(&offsets, Column::from_slice(&[7, 8, 9])?, None)?;
/// assert_eq!(reverse(&lists)?.children()[0].to_vec::<i32>()?, [Some(8), Some(7), Some(9)]);
/// # Ok::<(), gdf::Error>(())
/// ```
///
/// # Costs
/// The function needs 1 wait for the device, and the waits of [`gather`](crate::copying::gather) for the elements,
/// twice if lists may be null. See the table of costs, `docs/guide/costs.md`.
///
/// # Errors
/// * [`Unsupported`](gdf_core::Error::Unsupported) if the column is not of lists, and for types of elements that
///   [`gather`](crate::copying::gather) does not take.
/// * [`OffsetOverflow`](gdf_core::Error::OffsetOverflow); driver and memory errors.
pub fn reverse<'a>(lists: impl Into<ColumnView<'a>>) -> Result<Column> {
    let lists = lists.into();
    Scope::for_inputs("reverse", &[&lists])?.run(|ctx| detail::lists::reverse(lists, ctx))
}

/// Returns the elements of each list in sorted order. Equal elements keep their order, as in libcudf's
/// `stable_sort_lists`.
///
/// Elements may have all types that [`sorted_order`](crate::sorting::sorted_order) takes. Elements may also be structs
/// of such fields, which are compared field by field. NaN comes after every number, and 0.0 equals −0.0. The result
/// has the type of `lists` (`List` for `FixedSizeList`). Null lists stay null.
///
/// `null_order` states whether null elements come first or last, as for [`sorted_order`](crate::sorting::sorted_order).
/// The order also holds for null fields of structs.
///
/// In libcudf `sort_lists`, in polars `list.sort`, in pandas `list.sort_values`, in DuckDB `list_sort`.
///
/// ```
/// use gdf::Column;
/// use gdf::core::make_lists_column;
/// use gdf::lists::sort_lists;
/// use gdf::sorting::{NullOrder, Order};
///
/// let offsets = Column::from_slice(&[0, 3, 4])?;
/// let lists = make_lists_column(&offsets, Column::from_slice(&[9, 7, 8, 1])?, None)?;
/// let sorted = sort_lists(&lists, Order::Ascending, NullOrder::Before)?;
/// assert_eq!(sorted.children()[0].to_vec::<i32>()?, [Some(7), Some(8), Some(9), Some(1)]);
/// # Ok::<(), gdf::Error>(())
/// ```
///
/// # Costs
/// The function needs 1 wait for the device for lists of numbers, if no list has more than 128 elements. Other lists
/// need at most 2 waits, and the waits of [`sorted_order`](crate::sorting::sorted_order) and of
/// [`gather`](crate::copying::gather) for the elements. See the table of costs, `docs/guide/costs.md`.
///
/// # Errors
/// * [`Unsupported`](gdf_core::Error::Unsupported) if the column is not of lists, and for elements without an order.
/// * [`OffsetOverflow`](gdf_core::Error::OffsetOverflow); driver and memory errors.
#[doc(alias("stable_sort_lists", "list_sort", "array_sort"))]
pub fn sort_lists<'a>(lists: impl Into<ColumnView<'a>>, order: Order, null_order: NullOrder) -> Result<Column> {
    let lists = lists.into();
    Scope::for_inputs("sort_lists", &[&lists])?.run(|ctx| detail::lists::sort_lists(lists, order, null_order, ctx))
}
