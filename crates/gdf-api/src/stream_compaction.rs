//! Keeping some of the rows.

use gdf_core::{Column, ColumnView, Result, Table, TableView};
use gdf_detail as detail;
pub use gdf_detail::stream_compaction::{DuplicateKeepOption, NanEquality, NullEquality};

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
/// Order: that of the input. In libcudf `apply_boolean_mask`, in arrow-rs, pyarrow and polars `filter`.
///
/// ```
/// use gdf::stream_compaction::apply_boolean_mask;
/// use gdf::{Column, Table};
///
/// let table = Table::try_new(vec![Column::from_slice(&[1, 2, 3])?])?;
/// let mask = Column::from_options(&[Some(true), None, Some(true)])?;
/// let kept = apply_boolean_mask(&table, &mask)?;
/// assert_eq!(kept.column(0)?.to_vec::<i32>()?, [Some(1), Some(3)]);
/// # Ok::<(), gdf::Error>(())
/// ```
///
/// # Costs
/// At most 1 wait, for the number of rows, and 1 more for each 31 columns of strings or binary beyond the first 31. Up
/// to 131,072 rows of at most 16 MiB without strings or binary get memory for all rows, and are copied out of it where
/// three quarters or more of that are left over. See the table of costs, `docs/guide/costs.md`.
///
/// # Errors
/// * [`TypeMismatch`](gdf_core::Error::TypeMismatch) when `mask` is not boolean.
/// * [`LengthMismatch`](gdf_core::Error::LengthMismatch), [`DeviceMismatch`](gdf_core::Error::DeviceMismatch).
/// * [`Unsupported`](gdf_core::Error::Unsupported) for lists, maps, unions and run-end encoded columns.
/// * Driver and memory errors.
#[doc(alias("filter", "where", "filter_record_batch", "query", "dropna", "drop_nulls"))]
pub fn apply_boolean_mask<'a>(table: impl Into<TableView<'a>>, mask: impl Into<ColumnView<'a>>) -> Result<Table> {
    let (table, mask) = (table.into(), mask.into());
    Scope::for_inputs("apply_boolean_mask", &[&table, &mask])?
        .run(|ctx| detail::stream_compaction::apply_boolean_mask(table, mask, ctx))
}

/// The rows of `input` without those whose columns `keys` are equal to another's: of rows with equal keys, `keep` says
/// which one stays.
///
/// # Types
/// Keys: integers, booleans, floats, decimals, everything temporal, strings and binary with offsets of either width; 1 to
/// 32, and at most 2³¹−16 rows. Other columns: all that [`apply_boolean_mask`] moves.
///
/// # Nulls and NaN
/// Nulls in keys are equal as `nulls` says, NaNs as `nans` says; 0.0 and −0.0 are equal. A row that is equal to none,
/// since it has such a null or NaN, always stays.
///
/// Order: that of the input. In libcudf `distinct` (in any order), in polars `unique`, in SQL `SELECT DISTINCT`.
///
/// ```
/// use gdf::stream_compaction::{DuplicateKeepOption, NanEquality, NullEquality, distinct};
/// use gdf::{Column, Table};
///
/// let keys = Column::from_options(&[Some(7), None, Some(7), None, Some(8)])?;
/// let table = Table::try_new(vec![keys, Column::from_slice(&[1, 2, 3, 4, 5])?])?;
/// let last = distinct(&table, &[0], DuplicateKeepOption::Last, NullEquality::Equal, NanEquality::AllEqual)?;
/// assert_eq!(last.column(1)?.to_vec::<i32>()?, [Some(3), Some(4), Some(5)]);
/// # Ok::<(), gdf::Error>(())
/// ```
///
/// # Costs
/// The waits of [`apply_boolean_mask`]. See the table of costs, `docs/guide/costs.md`.
///
/// # Errors
/// * [`InvalidArgument`](gdf_core::Error::InvalidArgument) for no or more than 32 keys, and more than 2³¹−16 rows.
/// * [`OutOfBounds`](gdf_core::Error::OutOfBounds) for a key that is no column.
/// * [`Unsupported`](gdf_core::Error::Unsupported) for keys of types that cannot be compared, and columns that
///   [`apply_boolean_mask`] does not take.
/// * [`DeviceMismatch`](gdf_core::Error::DeviceMismatch); driver and memory errors.
#[doc(alias = "stable_distinct")]
#[doc(alias("unique", "drop_duplicates", "distinct on", "dedup"))]
pub fn distinct<'a>(
    input: impl Into<TableView<'a>>,
    keys: &[usize],
    keep: DuplicateKeepOption,
    nulls: NullEquality,
    nans: NanEquality,
) -> Result<Table> {
    let input = input.into();
    Scope::for_inputs("distinct", &[&input])?
        .run(|ctx| detail::stream_compaction::distinct(input, keys, keep, nulls, nans, ctx))
}

/// The numbers of the rows that [`distinct`] by all columns keeps, in their order, as `UInt32`.
///
/// In libcudf `distinct_indices`.
///
/// # Costs
/// At most 1 wait, for the number of rows. See the table of costs, `docs/guide/costs.md`.
///
/// # Errors
/// As [`distinct`].
#[doc(alias("arg_unique", "duplicated"))]
pub fn distinct_indices<'a>(
    input: impl Into<TableView<'a>>,
    keep: DuplicateKeepOption,
    nulls: NullEquality,
    nans: NanEquality,
) -> Result<Column> {
    let input = input.into();
    Scope::for_inputs("distinct_indices", &[&input])?
        .run(|ctx| detail::stream_compaction::distinct_indices(input, keep, nulls, nans, ctx))
}
