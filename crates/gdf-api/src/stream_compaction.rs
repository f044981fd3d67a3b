//! Keeping some of the rows.

use gdf_core::{ColumnView, Result, Table, TableView};
use gdf_detail as detail;

use crate::scope::Scope;

/// Rows of `table` whose element of `mask` is true and not null, in their order.
///
/// # Shapes
/// `mask` is as long as `table`. A table without columns keeps its count of rows: the result has as many as are selected.
///
/// # Types
/// Everything of fixed width, booleans, decimals, strings and binary with offsets of either width, string and binary
/// views and dictionaries (characters and values are shared with the input), nulls, and structs of these.
///
/// # Nulls
/// A null in `mask` does not select. Rows are moved as they are; a column of the result has a mask if that of the input
/// has one. Fields of a struct column that may hide values under null structs become null there too.
///
/// Order: that of the input. Launches and waits: 2 launches, 1 wait; 1 launch and 1 wait for up to 2,048 rows without
/// strings or binary. Each 32 columns more cost a launch more; each 31 string or binary columns beyond the first 31 a
/// launch and a wait more. Nothing without rows. In libcudf `apply_boolean_mask`, in arrow-rs, pyarrow and polars `filter`.
///
/// ```
/// use std::sync::Arc;
/// use arrow_array::{ArrayRef, BooleanArray, StringArray};
/// use gdf_api::stream_compaction::apply_boolean_mask;
/// use gdf_core::{Column, Table};
/// use gdf_driver::{Device, Stream};
/// use gdf_memory::current_resource;
///
/// let (stream, mr) = (Stream::cpu(), current_resource(Device::Cpu)?);
/// let column = |array: ArrayRef| Column::from_arrow(&array, &stream, mr.as_ref());
/// let table = Table::try_new(vec![column(Arc::new(StringArray::from(vec!["a", "bc", "d"])))?])?;
/// let mask = column(Arc::new(BooleanArray::from(vec![Some(true), None, Some(true)])))?;
/// let kept = apply_boolean_mask(&table, &mask)?;
/// let expected: ArrayRef = Arc::new(StringArray::from(vec!["a", "d"]));
/// assert_eq!(&kept.column(0)?.to_arrow(&stream)?, &expected);
/// # Ok::<(), gdf_core::Error>(())
/// ```
///
/// # Errors
/// * [`TypeMismatch`](gdf_core::Error::TypeMismatch) when `mask` is not boolean.
/// * [`LengthMismatch`](gdf_core::Error::LengthMismatch), [`DeviceMismatch`](gdf_core::Error::DeviceMismatch).
/// * [`Unsupported`](gdf_core::Error::Unsupported) for lists, maps, unions and run-end encoded columns.
/// * Driver and memory errors.
pub fn apply_boolean_mask<'a>(table: impl Into<TableView<'a>>, mask: impl Into<ColumnView<'a>>) -> Result<Table> {
    let (table, mask) = (table.into(), mask.into());
    let scope = Scope::for_inputs("apply_boolean_mask", &[&table, &mask])?;
    detail::stream_compaction::apply_boolean_mask(table, mask, scope.stream(), scope.resources())
}
