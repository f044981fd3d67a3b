//! Moving rows: gather, conditional copy.

use gdf_core::{Column, ColumnView, Operand, Result, Table, TableView};
use gdf_detail as detail;
pub use gdf_detail::copying::OutOfBoundsPolicy;

use crate::scope::Scope;

/// Rows of `table` in the order of `map`, an integer column of any type: row `r` of the result is row `map[r]`.
///
/// Numbers from `-rows` to -1 of signed maps count from the end of the table.
///
/// # Shapes
/// The result has as many rows as `map`, without columns too.
///
/// # Types
/// Everything of fixed width, booleans, decimals, strings and binary with offsets of either width, string and binary
/// views and dictionaries (characters and values are shared with the input), nulls, and structs of these.
///
/// # Nulls
/// Where `map` is null, so is the row. Where it is out of bounds, `policy` decides: the row is null, or the operation
/// fails. A column of the result has a mask if that of the input, or `map`, has one; with
/// [`Nullify`](OutOfBoundsPolicy::Nullify) always. Fields of a struct column that may hide values under null structs
/// become null there too.
///
/// Order: that of `map`. Launches and waits: 1 launch, 0 waits; 1 wait with [`Error`](OutOfBoundsPolicy::Error);
/// 2 launches, 1 wait with strings or binary. Each 32 columns more cost a launch more; each 32 string or binary columns
/// beyond the first 32 a launch and a wait more. Nothing for an empty map. In libcudf `gather` (where maps have no nulls
/// and bounds are not checked), in arrow-rs and pyarrow `take`, in polars `gather`.
///
/// ```
/// use std::sync::Arc;
/// use arrow_array::{ArrayRef, Int32Array};
/// use gdf_api::copying::{OutOfBoundsPolicy, gather};
/// use gdf_core::{Column, Table};
/// use gdf_driver::{Device, Stream};
/// use gdf_memory::current_resource;
///
/// let (stream, mr) = (Stream::cpu(), current_resource(Device::Cpu)?);
/// let column = |rows: Vec<i32>| {
///     Column::from_arrow(&(Arc::new(Int32Array::from(rows)) as ArrayRef), &stream, mr.as_ref())
/// };
/// let table = Table::try_new(vec![column(vec![10, 11, 12])?])?;
/// let rows = gather(&table, &column(vec![2, 0, -1, 7])?, OutOfBoundsPolicy::Nullify)?;
/// let expected: ArrayRef = Arc::new(Int32Array::from(vec![Some(12), Some(10), Some(12), None]));
/// assert_eq!(&rows.column(0)?.to_arrow(&stream)?, &expected);
/// assert!(gather(&table, &column(vec![7])?, OutOfBoundsPolicy::Error).is_err());
/// # Ok::<(), gdf_core::Error>(())
/// ```
///
/// # Errors
/// * [`OutOfBounds`](gdf_core::Error::OutOfBounds) with the first such element, for [`OutOfBoundsPolicy::Error`].
/// * [`OffsetOverflow`](gdf_core::Error::OffsetOverflow) when a column would have more than 2³¹−1 bytes of text or binary
///   and its offsets have 32 bits.
/// * [`TypeMismatch`](gdf_core::Error::TypeMismatch) when `map` is no integer column;
///   [`DeviceMismatch`](gdf_core::Error::DeviceMismatch).
/// * [`Unsupported`](gdf_core::Error::Unsupported) for lists, maps, unions and run-end encoded columns.
/// * Driver and memory errors.
pub fn gather<'a>(
    table: impl Into<TableView<'a>>,
    map: impl Into<ColumnView<'a>>,
    policy: OutOfBoundsPolicy,
) -> Result<Table> {
    let (table, map) = (table.into(), map.into());
    let scope = Scope::for_inputs("gather", &[&table, &map])?;
    detail::copying::gather(table, map, policy, scope.stream(), scope.resources())
}

/// The row of `lhs` where `mask` is true and not null, that of `rhs` elsewhere.
///
/// # Shapes
/// As many rows as `mask`; each side has as many, or is a scalar, which stands for every row.
///
/// # Types
/// `mask` is boolean; both sides have the same type but for names and precision, and the result has that of `lhs`.
/// Everything of fixed width, booleans, decimals, strings and binary with offsets of either width.
///
/// # Nulls
/// A null in `mask` takes `rhs`. Rows are taken as they are; the result has a mask if either side has one.
///
/// Order: that of the inputs. Launches and waits: 1 launch, 0 waits; 2 launches, 1 wait for strings and binary. Nothing
/// without rows. In libcudf `copy_if_else`, in arrow-rs `zip`, in polars `when … then … otherwise`.
///
/// ```
/// use gdf_api::copying::copy_if_else;
/// use gdf_core::{Scalar, bool_from, from_options};
/// use gdf_driver::{Device, Stream};
/// use gdf_memory::current_resource;
///
/// let (stream, mr) = (Stream::cpu(), current_resource(Device::Cpu)?);
/// let numbers = from_options(&[Some(1), Some(2), Some(3)], &stream, mr.as_ref())?;
/// let zero = Scalar::from_value(0, &stream, mr.as_ref())?;
/// let mask = bool_from(&[Some(true), Some(false), None], &stream, mr.as_ref())?;
/// let chosen = copy_if_else(&numbers, &zero, &mask)?;
/// assert_eq!(chosen.buffers()[0].read_on(&stream)?.as_slice::<i32>()?, [1, 0, 0]);
/// # Ok::<(), gdf_core::Error>(())
/// ```
///
/// # Errors
/// * [`TypeMismatch`](gdf_core::Error::TypeMismatch) when `mask` is not boolean, or the sides differ in type.
/// * [`LengthMismatch`](gdf_core::Error::LengthMismatch), [`DeviceMismatch`](gdf_core::Error::DeviceMismatch).
/// * [`OffsetOverflow`](gdf_core::Error::OffsetOverflow) when the result would have more than 2³¹−1 bytes of text or binary
///   and its offsets have 32 bits.
/// * [`Unsupported`](gdf_core::Error::Unsupported) for nested types, dictionaries and views.
/// * Driver and memory errors.
pub fn copy_if_else<'a, 'b, 'c>(
    lhs: impl Into<Operand<'a>>,
    rhs: impl Into<Operand<'b>>,
    mask: impl Into<ColumnView<'c>>,
) -> Result<Column> {
    let (lhs, rhs, mask) = (lhs.into(), rhs.into(), mask.into());
    let scope = Scope::for_inputs("copy_if_else", &[&lhs, &rhs, &mask])?;
    detail::copying::copy_if_else(lhs, rhs, mask, scope.stream(), scope.resources())
}
