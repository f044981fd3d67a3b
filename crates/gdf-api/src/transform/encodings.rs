//! Functions that convert run-end encoded columns and unions to plain columns, and plain columns to runs.

use gdf_core::{Column, ColumnView, Result};
use gdf_detail as detail;

use crate::scope::Scope;

/// Returns the rows of a run-end encoded column as a plain column.
///
/// ```text
/// run ends [2, 3, 6], values [a, null, b]   →   [a, a, null, b, b, b]
/// ```
///
/// The result has as many rows as the column, in the same order, and the type of the values, which can be any type that
/// [`gather`](crate::copying::gather) takes. A row is null if the value of its run is null. Values are copied, NaN too.
///
/// libcudf has no run-end encoded columns. In pyarrow and arrow-rs `run_end_decode` or a cast, in polars `rle_id` and
/// `gather`.
///
/// ```
/// use gdf::transform::{run_end_decode, run_end_encode};
/// use gdf::Column;
///
/// let column = Column::from_options(&[Some(7), Some(7), None, Some(5)])?;
/// let runs = run_end_encode(&column)?;
/// assert_eq!(runs.children()[0].to_vec::<i32>()?, [2, 3, 4].map(Some));
/// assert_eq!(run_end_decode(&runs)?.to_vec::<i32>()?, column.to_vec::<i32>()?);
/// # Ok::<(), gdf::Error>(())
/// ```
///
/// # Costs
/// The function has the waits of [`gather`](crate::copying::gather) without bounds check. See the table of costs,
/// `docs/guide/costs.md`.
///
/// # Errors
/// * [`Unsupported`](gdf_core::Error::Unsupported) for columns that are not run-end encoded, and for values that cannot
///   be gathered.
/// * [`OffsetOverflow`](gdf_core::Error::OffsetOverflow) for more than 2³¹−1 bytes of text; driver and memory
///   errors.
#[doc(alias("ree", "rle", "run length"))]
pub fn run_end_decode<'a>(column: impl Into<ColumnView<'a>>) -> Result<Column> {
    let column = column.into();
    Scope::for_inputs("run_end_decode", &[&column])?.run(|ctx| detail::transform::run_end_decode(column, ctx))
}

/// Returns the rows of a column as a run-end encoded column. Neighboring equal rows are one run.
///
/// The result has as many rows as the column. The run ends are `Int32`, or `Int64` for 2³¹ rows or more. The values
/// have the type of the column, which can be any type that can be [sorted](crate::sorting::sort).
///
/// Nulls are equal to each other, NaNs are equal to each other, and −0.0 equals 0.0. The value of a run is its first
/// row.
///
/// libcudf has no run-end encoded columns. In pyarrow `run_end_encode`, in polars `rle`, in arrow-rs a cast.
///
/// # Costs
/// The function needs 1 wait for the device, and the waits of
/// [`apply_boolean_mask`](crate::stream_compaction::apply_boolean_mask) for the values. See the table of costs,
/// `docs/guide/costs.md`.
///
/// # Errors
/// * [`Unsupported`](gdf_core::Error::Unsupported) for types that cannot be sorted.
/// * Driver and memory errors.
#[doc(alias("ree", "rle", "run length"))]
pub fn run_end_encode<'a>(column: impl Into<ColumnView<'a>>) -> Result<Column> {
    let column = column.into();
    Scope::for_inputs("run_end_encode", &[&column])?.run(|ctx| detail::transform::run_end_encode(column, ctx))
}

/// Returns the type id of each row of a union, dense or sparse, as `Int8` without nulls. The result shares the memory
/// of the column.
///
/// libcudf has no unions. In pyarrow `type_codes`, in arrow-rs `UnionArray::type_ids`.
///
/// ```
/// use gdf::core::{ColumnParts, Field, UnionFields, UnionMode};
/// use gdf::transform::{union_field, union_type_ids};
/// use gdf::{Column, DataType, Device};
///
/// let fields = UnionFields::try_new([0, 1], [
///     Field::new("number", DataType::Int32, true),
///     Field::new("word", DataType::Utf8, true),
/// ])?;
/// let ids = Column::from_slice(&[1_i8, 0])?;
/// let union = ColumnParts::new(DataType::Union(fields, UnionMode::Sparse), Device::Cpu, 2)
///     .buffer(ids.buffers()[0].clone())
///     .child(Column::from_slice(&[0, 7])?)
///     .child(Column::from_strs(["a", ""])?);
/// let union = Column::try_from_parts(union)?;
/// assert_eq!(union_type_ids(&union)?.to_vec::<i8>()?, [Some(1), Some(0)]);
/// assert_eq!(union_field(&union, 0)?.to_vec::<i32>()?, [None, Some(7)]);
/// # Ok::<(), Box<dyn std::error::Error>>(())
/// ```
///
/// # Costs
/// The function neither launches a kernel nor waits for the device.
///
/// # Errors
/// * [`Unsupported`](gdf_core::Error::Unsupported) for columns that are not unions.
#[doc(alias("type_codes", "tag", "variant"))]
pub fn union_type_ids<'a>(column: impl Into<ColumnView<'a>>) -> Result<Column> {
    let column = column.into();
    Scope::for_inputs("union_type_ids", &[&column])?.run(|ctx| detail::transform::union_type_ids(column, ctx))
}

/// Returns one field of a union, dense or sparse, as a column with a row for each row of the union.
///
/// A row is null if the row of the union has another type id, or if the value of the field is null. The result has the
/// type of the field, which can be any type that [`gather`](crate::copying::gather) takes. Order: the order of the
/// union. See [`union_type_ids`] for an example.
///
/// libcudf has no unions. In pyarrow `UnionArray.field`, which returns the child.
///
/// # Costs
/// The function has the waits of [`gather`](crate::copying::gather) without bounds check. See the table of costs,
/// `docs/guide/costs.md`.
///
/// # Errors
/// * [`Unsupported`](gdf_core::Error::Unsupported) for columns that are not unions, and for fields that cannot be
///   gathered.
/// * [`InvalidArgument`](gdf_core::Error::InvalidArgument) for a type id that the type of the union does not have.
/// * [`OffsetOverflow`](gdf_core::Error::OffsetOverflow) for more than 2³¹−1 bytes of text; driver and memory
///   errors.
#[doc(alias("child", "variant"))]
pub fn union_field<'a>(column: impl Into<ColumnView<'a>>, type_id: i8) -> Result<Column> {
    let column = column.into();
    Scope::for_inputs("union_field", &[&column])?.run(|ctx| detail::transform::union_field(column, type_id, ctx))
}
