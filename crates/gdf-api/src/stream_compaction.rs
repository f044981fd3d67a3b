//! Keeping some of the rows.

use gdf_core::{Column, ColumnView, Result, Table, TableView};
use gdf_detail as detail;
pub use gdf_detail::stream_compaction::{DuplicateKeepOption, NanEquality, NanPolicy, NullEquality, NullPolicy};

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
/// three quarters or more of that are left over. Lists wait as in [`gather`](crate::copying::gather). See the table of costs, `docs/guide/costs.md`.
///
/// # Errors
/// * [`TypeMismatch`](gdf_core::Error::TypeMismatch) when `mask` is not boolean.
/// * [`LengthMismatch`](gdf_core::Error::LengthMismatch), [`DeviceMismatch`](gdf_core::Error::DeviceMismatch).
/// * [`Unsupported`](gdf_core::Error::Unsupported) for list views, lists of a fixed size, unions and run-end encoded columns.
/// * Driver and memory errors.
#[doc(alias("filter", "where", "filter_record_batch", "query"))]
pub fn apply_boolean_mask<'a>(table: impl Into<TableView<'a>>, mask: impl Into<ColumnView<'a>>) -> Result<Table> {
    let (table, mask) = (table.into(), mask.into());
    Scope::for_inputs("apply_boolean_mask", &[&table, &mask])?
        .run(|ctx| detail::stream_compaction::apply_boolean_mask(table, mask, ctx))
}

/// The rows of `input` without those whose columns `keys` are equal to another's: of rows with equal keys, `keep` says
/// which one stays.
///
/// # Types
/// Keys: integers, booleans, floats, decimals, everything temporal, strings and binary with offsets of either width,
/// views of these, and dictionaries of all of these; 1 to 32, and at most 2³¹−16 rows. Other columns: all that
/// [`apply_boolean_mask`] moves.
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
/// The waits of [`apply_boolean_mask`], and on CUDA 1 for each six text keys of 1,048,576 rows and more: whether numbers can
/// stand for the texts. See the table of costs, `docs/guide/costs.md`.
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
/// At most 1 wait, for the number of rows, and those for text of [`distinct`]. See the table of costs,
/// `docs/guide/costs.md`.
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

/// Rows of `table` whose element of `mask` is false and not null, in their order: those that
/// [`apply_boolean_mask`] drops, but for the nulls of the mask.
///
/// In libcudf `apply_deletion_mask`.
///
/// ```
/// use gdf::stream_compaction::apply_deletion_mask;
/// use gdf::{Column, Table};
///
/// let table = Table::try_new(vec![Column::from_slice(&[1, 2, 3])?])?;
/// let mask = Column::from_options(&[Some(true), None, Some(false)])?;
/// assert_eq!(apply_deletion_mask(&table, &mask)?.column(0)?.to_vec::<i32>()?, [Some(3)]);
/// # Ok::<(), gdf::Error>(())
/// ```
///
/// # Costs
/// As [`apply_boolean_mask`].
///
/// # Errors
/// As [`apply_boolean_mask`].
#[doc(alias("delete", "drop rows", "DELETE WHERE"))]
pub fn apply_deletion_mask<'a>(table: impl Into<TableView<'a>>, mask: impl Into<ColumnView<'a>>) -> Result<Table> {
    let (table, mask) = (table.into(), mask.into());
    Scope::for_inputs("apply_deletion_mask", &[&table, &mask])?
        .run(|ctx| detail::stream_compaction::apply_deletion_mask(table, mask, ctx))
}

/// The rows of `input` of whose columns `keys` at least `keep_threshold` are not null.
///
/// Types: keys of any but unions and run-end encoded columns; other columns as [`apply_boolean_mask`]. Without keys, or with a
/// threshold of 0, all rows stay, and share memory. Order: that of the input.
///
/// In libcudf `drop_nulls`, in pandas `dropna(subset=…, thresh=…)`, in polars `drop_nulls`.
///
/// ```
/// use gdf::stream_compaction::drop_nulls;
/// use gdf::{Column, Table};
///
/// let table = Table::try_new(vec![
///     Column::from_options(&[Some(1), None, None])?,
///     Column::from_options(&[Some(4), Some(5), None])?,
/// ])?;
/// assert_eq!(drop_nulls(&table, &[0, 1], 2)?.num_rows(), 1);
/// assert_eq!(drop_nulls(&table, &[0, 1], 1)?.num_rows(), 2);
/// # Ok::<(), gdf::Error>(())
/// ```
///
/// # Costs
/// The waits of [`apply_boolean_mask`]. See the table of costs, `docs/guide/costs.md`.
///
/// # Errors
/// * [`OutOfBounds`](gdf_core::Error::OutOfBounds) for a key that is no column.
/// * [`Unsupported`](gdf_core::Error::Unsupported) for columns that [`apply_boolean_mask`] does not take.
/// * [`DeviceMismatch`](gdf_core::Error::DeviceMismatch); driver and memory errors.
#[doc(alias("dropna", "IS NOT NULL"))]
pub fn drop_nulls<'a>(input: impl Into<TableView<'a>>, keys: &[usize], keep_threshold: usize) -> Result<Table> {
    let input = input.into();
    Scope::for_inputs("drop_nulls", &[&input])?
        .run(|ctx| detail::stream_compaction::drop_nulls(&input, keys, keep_threshold, ctx))
}

/// The rows of `input` of whose columns `keys`, which are of floats, at least `keep_threshold` are not NaN; a null is not.
///
/// Types: keys of floats of any width; else as [`drop_nulls`].
///
/// In libcudf `drop_nans`, in polars `drop_nans`.
///
/// ```
/// use gdf::stream_compaction::drop_nans;
/// use gdf::{Column, Table};
///
/// let table = Table::try_new(vec![Column::from_options(&[Some(1.5), Some(f64::NAN), None])?])?;
/// assert_eq!(drop_nans(&table, &[0], 1)?.num_rows(), 2);
/// # Ok::<(), gdf::Error>(())
/// ```
///
/// # Costs
/// As [`drop_nulls`].
///
/// # Errors
/// * As [`drop_nulls`]; [`Unsupported`](gdf_core::Error::Unsupported) also for keys that are not of floats.
#[doc(alias("dropna", "isnan"))]
pub fn drop_nans<'a>(input: impl Into<TableView<'a>>, keys: &[usize], keep_threshold: usize) -> Result<Table> {
    let input = input.into();
    Scope::for_inputs("drop_nans", &[&input])?
        .run(|ctx| detail::stream_compaction::drop_nans(&input, keys, keep_threshold, ctx))
}

/// The rows of `input` without those whose columns `keys` are equal to those of a neighbor: of a run of rows with equal keys,
/// `keep` says which one stays. Of sorted rows these are the [`distinct`] ones, without a hash table.
///
/// # Types
/// Keys: numbers, booleans, decimals, everything temporal but intervals with days, strings and binary with offsets of
/// either width, views of these, and dictionaries of all of these; 1 to 32. Other columns: all that
/// [`apply_boolean_mask`] moves.
///
/// # Nulls and NaN
/// Nulls in keys are equal as `nulls` says. NaN equals NaN, 0.0 equals −0.0.
///
/// Order: that of the input. In libcudf `unique`, in C++ `std::unique`, in Unix `uniq`.
///
/// ```
/// use gdf::stream_compaction::{DuplicateKeepOption, NullEquality, unique};
/// use gdf::{Column, Table};
///
/// let table = Table::try_new(vec![Column::from_slice(&[7, 7, 8, 7])?, Column::from_slice(&[1, 2, 3, 4])?])?;
/// let last = unique(&table, &[0], DuplicateKeepOption::Last, NullEquality::Equal)?;
/// assert_eq!(last.column(1)?.to_vec::<i32>()?, [Some(2), Some(3), Some(4)]);
/// # Ok::<(), gdf::Error>(())
/// ```
///
/// # Costs
/// The waits of [`apply_boolean_mask`]. See the table of costs, `docs/guide/costs.md`.
///
/// # Errors
/// * [`InvalidArgument`](gdf_core::Error::InvalidArgument) for no or more than 32 keys.
/// * [`OutOfBounds`](gdf_core::Error::OutOfBounds) for a key that is no column.
/// * [`Unsupported`](gdf_core::Error::Unsupported) for keys of types without an order, and columns that
///   [`apply_boolean_mask`] does not take.
/// * [`DeviceMismatch`](gdf_core::Error::DeviceMismatch); driver and memory errors.
#[doc(alias("uniq", "dedup", "run length", "drop_duplicates"))]
pub fn unique<'a>(
    input: impl Into<TableView<'a>>,
    keys: &[usize],
    keep: DuplicateKeepOption,
    nulls: NullEquality,
) -> Result<Table> {
    let input = input.into();
    Scope::for_inputs("unique", &[&input])?.run(|ctx| detail::stream_compaction::unique(&input, keys, keep, nulls, ctx))
}

/// How many rows of a column differ from the one before them, the first one included: the number of runs, of a sorted column
/// that of distinct values.
///
/// Types: as the keys of [`unique`]. Nulls: equal to each other, and counted if `nulls` says so; NaN: equal to NaN, or a null.
///
/// In libcudf `unique_count`.
///
/// ```
/// use gdf::Column;
/// use gdf::stream_compaction::{NanPolicy, NullPolicy, unique_count};
///
/// let column = Column::from_options(&[Some(7), Some(7), None, None, Some(7)])?;
/// assert_eq!(unique_count(&column, NullPolicy::Include, NanPolicy::IsValid)?, 3);
/// assert_eq!(unique_count(&column, NullPolicy::Exclude, NanPolicy::IsValid)?, 2);
/// # Ok::<(), gdf::Error>(())
/// ```
///
/// # Costs
/// 1 wait, for the number. See the table of costs, `docs/guide/costs.md`.
///
/// # Errors
/// * [`Unsupported`](gdf_core::Error::Unsupported) for types without an order. Driver and memory errors.
#[doc(alias("rle", "run length"))]
pub fn unique_count<'a>(column: impl Into<ColumnView<'a>>, nulls: NullPolicy, nans: NanPolicy) -> Result<usize> {
    let column = column.into();
    Scope::for_inputs("unique_count", &[&column])?
        .run(|ctx| detail::stream_compaction::unique_count(column, nulls, nans, ctx))
}

/// How many rows [`unique`] by all columns keeps.
///
/// In libcudf `unique_count` of a table.
///
/// # Costs
/// 1 wait, for the number. See the table of costs, `docs/guide/costs.md`.
///
/// # Errors
/// As [`unique`].
#[doc(alias("rle", "run length"))]
pub fn unique_count_rows<'a>(table: impl Into<TableView<'a>>, nulls: NullEquality) -> Result<usize> {
    let table = table.into();
    Scope::for_inputs("unique_count_rows", &[&table])?
        .run(|ctx| detail::stream_compaction::unique_count_rows(&table, nulls, ctx))
}

/// How many distinct values a column has.
///
/// Types: as the keys of [`distinct`]. Nulls: one value if `nulls` says so, else none; NaN: one value, or a null.
///
/// In libcudf `distinct_count`, in pandas `nunique`, in polars `n_unique`, in SQL `COUNT(DISTINCT …)`.
///
/// ```
/// use gdf::Column;
/// use gdf::stream_compaction::{NanPolicy, NullPolicy, distinct_count};
///
/// let column = Column::from_options(&[Some(7), Some(7), None, None, Some(8)])?;
/// assert_eq!(distinct_count(&column, NullPolicy::Exclude, NanPolicy::IsValid)?, 2);
/// # Ok::<(), gdf::Error>(())
/// ```
///
/// # Costs
/// 1 wait, for the number. See the table of costs, `docs/guide/costs.md`.
///
/// # Errors
/// * As [`distinct`].
#[doc(alias("nunique", "n_unique", "count distinct", "cardinality"))]
pub fn distinct_count<'a>(column: impl Into<ColumnView<'a>>, nulls: NullPolicy, nans: NanPolicy) -> Result<usize> {
    let column = column.into();
    Scope::for_inputs("distinct_count", &[&column])?
        .run(|ctx| detail::stream_compaction::distinct_count(column, nulls, nans, ctx))
}

/// How many rows [`distinct`] by all columns keeps; NaN equals NaN.
///
/// In libcudf `distinct_count` of a table.
///
/// # Costs
/// 1 wait, for the number. See the table of costs, `docs/guide/costs.md`.
///
/// # Errors
/// As [`distinct`].
#[doc(alias("nunique", "n_unique", "count distinct"))]
pub fn distinct_count_rows<'a>(table: impl Into<TableView<'a>>, nulls: NullEquality) -> Result<usize> {
    let table = table.into();
    Scope::for_inputs("distinct_count_rows", &[&table])?
        .run(|ctx| detail::stream_compaction::distinct_count_rows(table, nulls, ctx))
}
