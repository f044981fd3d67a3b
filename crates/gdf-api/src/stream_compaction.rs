//! Functions that keep some of the rows of a table.

use gdf_core::{Column, ColumnView, Result, Table, TableView};
use gdf_detail as detail;
pub use gdf_detail::stream_compaction::{DuplicateKeepOption, NanEquality, NanPolicy, NullEquality, NullPolicy};
use gdf_expr::Expr;

use crate::scope::Scope;

/// Returns the rows of `table` whose element of `mask` is true, in their order.
///
/// # Shapes
/// `mask` has as many rows as `table`. For a table without columns, the number of rows of the result is the number of
/// selected rows.
///
/// # Types
/// Types of fixed width, booleans, decimals, strings and binary with offsets of either width, string and binary views,
/// dictionaries, nulls, structs of these, and lists and maps of all of them. The result shares with the input the
/// characters of views and the values of dictionaries.
///
/// # Nulls
/// A null in `mask` does not select the row. Null rows of the table stay null, and so do the fields of a null struct. A
/// column of the result has a mask if the column of the input has a mask.
///
/// Order: the order of the input. In libcudf `apply_boolean_mask`, in arrow-rs, pyarrow and polars `filter`.
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
/// The function needs at most 1 wait for the device, for the number of rows, and 1 more for each 31 columns of strings
/// or binary beyond the first 31. A table of at most 131,072 rows and 16 MiB, without strings or binary, gets memory
/// for all rows of the input, and is copied to smaller memory if at least three quarters stay unused. Lists wait as in
/// [`gather`](crate::copying::gather). See the table of costs, `docs/guide/costs.md`.
///
/// # Errors
/// * [`TypeMismatch`](gdf_core::Error::TypeMismatch) when `mask` is not boolean.
/// * [`LengthMismatch`](gdf_core::Error::LengthMismatch), [`DeviceMismatch`](gdf_core::Error::DeviceMismatch).
/// * Driver and memory errors.
#[doc(alias("filter", "where", "filter_record_batch", "query"))]
pub fn apply_boolean_mask<'a>(table: impl Into<TableView<'a>>, mask: impl Into<ColumnView<'a>>) -> Result<Table> {
    let (table, mask) = (table.into(), mask.into());
    Scope::for_inputs("apply_boolean_mask", &[&table, &mask])?
        .run(|ctx| detail::stream_compaction::apply_boolean_mask(table, mask, ctx))
}

/// Returns the rows of `table` for which a condition is true, in their order.
///
/// A row for which the condition is null is not selected. The condition is evaluated in one pass over the columns that
/// it names. See [`compute_column`](crate::transform::compute_column) for the types and nulls of the condition, and
/// [`apply_boolean_mask`] for the types of the table.
///
/// Order: the order of the input. In libcudf `filter`, in SQL `WHERE`, in polars `filter`, in pandas `query`.
///
/// ```
/// use gdf::expr::col;
/// use gdf::stream_compaction::filter;
/// use gdf::{Column, Table};
///
/// let people = Table::try_new(vec![
///     Column::from_options(&[Some(31), Some(17), None])?,
///     Column::from_strs(["Oslo", "Oslo", "Bergen"])?,
/// ])?;
/// let kept = filter(&people, &col(0).between(18, 64).and(col(1).eq("Oslo")))?;
/// assert_eq!(kept.column(0)?.to_vec::<i32>()?, [Some(31)]);
/// # Ok::<(), gdf::Error>(())
/// ```
///
/// # Costs
/// The function has the costs of [`compute_column`](crate::transform::compute_column) and [`apply_boolean_mask`]. See
/// the table of costs, `docs/guide/costs.md`.
///
/// # Errors
/// * The errors of [`compute_column`](crate::transform::compute_column) and [`apply_boolean_mask`].
/// * [`TypeMismatch`](gdf_core::Error::TypeMismatch) for a condition that is not boolean.
#[doc(alias("where", "query", "select_rows"))]
pub fn filter<'a>(table: impl Into<TableView<'a>>, condition: &Expr) -> Result<Table> {
    let table = table.into();
    Scope::for_inputs("filter", &[&table])?.run(|ctx| detail::expression::filter(&table, condition, ctx))
}

/// Returns one row of `input` for each distinct value of the columns `keys`. `keep` states which of the rows with equal
/// keys is returned, or that none of them is.
///
/// # Types
/// Keys: integers, booleans, floats, decimals, everything temporal, strings and binary with offsets of either width,
/// views of these, dictionaries of all of these, and structs and lists ([how they
/// compare](crate::sorting#structs-and-lists)). 1 to 32 keys, and at most 2³¹−16 rows. Lists with floats, and
/// structs with more than 32 fields or with such lists as fields, are keys only if NaNs are equal. Other columns: all
/// types that [`apply_boolean_mask`] takes.
///
/// # Nulls and NaN
/// `nulls` states whether nulls in keys are equal to each other, and `nans` states whether NaNs in keys are equal to
/// each other. 0.0 and −0.0 are equal. A row whose key is not equal to itself is always kept.
///
/// Order: the order of the input. In libcudf `distinct` (in any order), in polars `unique`, in SQL `SELECT DISTINCT`.
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
/// The function has the waits of [`apply_boolean_mask`]. Keys with lists add the [waits of their
/// ranks](crate::sorting#structs-and-lists). On CUDA, with 1,048,576 rows or more, there is 1 more wait for each six
/// text keys, for a check whether numbers can replace the texts. With 4,194,304 rows or more of one column of integers,
/// of which any row may stay, there is 1 more wait for their range, unless the column stores it. See the table of
/// costs, `docs/guide/costs.md`.
///
/// # Errors
/// * [`InvalidArgument`](gdf_core::Error::InvalidArgument) without keys, with more than 32 keys, and with more than
///   2³¹−16 rows.
/// * [`OutOfBounds`](gdf_core::Error::OutOfBounds) for a key that is not a column.
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

/// Returns the numbers of the rows that [`distinct`] keeps with all columns as keys, in ascending order, as `UInt32`.
///
/// In libcudf `distinct_indices`.
///
/// # Costs
/// The function needs at most 1 wait for the device, for the number of rows, and the waits of [`distinct`] for text and
/// lists. See the table of costs, `docs/guide/costs.md`.
///
/// # Errors
/// The errors of [`distinct`].
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

/// Returns the rows of `table` whose element of `mask` is false, in their order. Rows where `mask` is null are returned
/// neither by this function nor by [`apply_boolean_mask`].
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
/// The function has the costs of [`apply_boolean_mask`].
///
/// # Errors
/// The errors of [`apply_boolean_mask`].
#[doc(alias("delete", "drop rows", "DELETE WHERE"))]
pub fn apply_deletion_mask<'a>(table: impl Into<TableView<'a>>, mask: impl Into<ColumnView<'a>>) -> Result<Table> {
    let (table, mask) = (table.into(), mask.into());
    Scope::for_inputs("apply_deletion_mask", &[&table, &mask])?
        .run(|ctx| detail::stream_compaction::apply_deletion_mask(table, mask, ctx))
}

/// Returns the rows of `input` that have at least `keep_threshold` columns among `keys` that are not null.
///
/// Types: keys of all types except unions and run-end encoded columns; other columns as for [`apply_boolean_mask`].
/// Without keys, or with a threshold of 0, all rows are returned, and the result shares the memory of the input.
/// Order: the order of the input.
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
/// The function has the waits of [`apply_boolean_mask`]. See the table of costs, `docs/guide/costs.md`.
///
/// # Errors
/// * [`OutOfBounds`](gdf_core::Error::OutOfBounds) for a key that is not a column.
/// * [`Unsupported`](gdf_core::Error::Unsupported) for columns that [`apply_boolean_mask`] does not take.
/// * [`DeviceMismatch`](gdf_core::Error::DeviceMismatch); driver and memory errors.
#[doc(alias("dropna", "IS NOT NULL"))]
pub fn drop_nulls<'a>(input: impl Into<TableView<'a>>, keys: &[usize], keep_threshold: usize) -> Result<Table> {
    let input = input.into();
    Scope::for_inputs("drop_nulls", &[&input])?
        .run(|ctx| detail::stream_compaction::drop_nulls(&input, keys, keep_threshold, ctx))
}

/// Returns the rows of `input` that have at least `keep_threshold` columns among `keys` that are not NaN. Keys are
/// columns of floats. A null is not NaN.
///
/// Types: keys of floats of any width; all other types are those of [`drop_nulls`].
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
/// The function has the costs of [`drop_nulls`].
///
/// # Errors
/// * The errors of [`drop_nulls`].
/// * [`Unsupported`](gdf_core::Error::Unsupported) for keys that are not columns of floats.
#[doc(alias("dropna", "isnan"))]
pub fn drop_nans<'a>(input: impl Into<TableView<'a>>, keys: &[usize], keep_threshold: usize) -> Result<Table> {
    let input = input.into();
    Scope::for_inputs("drop_nans", &[&input])?
        .run(|ctx| detail::stream_compaction::drop_nans(&input, keys, keep_threshold, ctx))
}

/// Returns one row of each run of neighboring rows of `input` with equal columns `keys`. `keep` states which row of the
/// run is returned, or that none is where the run has several. For a sorted table the result is the same as that of
/// [`distinct`], and no hash table is needed.
///
/// # Types
/// Keys: numbers, booleans, decimals, everything temporal except intervals with days, strings and binary with offsets
/// of either width, views of these, dictionaries of all of these, and structs and lists ([how they
/// compare](crate::sorting#structs-and-lists)). 1 to 32 keys. Other columns: all types that [`apply_boolean_mask`]
/// takes.
///
/// # Nulls and NaN
/// `nulls` states whether nulls in keys are equal to each other. NaN equals NaN, and 0.0 equals −0.0.
///
/// Order: the order of the input. In libcudf `unique`, in C++ `std::unique`, in Unix `uniq`.
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
/// The function has the waits of [`apply_boolean_mask`]. Keys with lists add the [waits of their
/// ranks](crate::sorting#structs-and-lists). See the table of costs, `docs/guide/costs.md`.
///
/// # Errors
/// * [`InvalidArgument`](gdf_core::Error::InvalidArgument) without keys, and with more than 32 keys.
/// * [`OutOfBounds`](gdf_core::Error::OutOfBounds) for a key that is not a column.
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

/// Returns the number of runs of equal rows of a column: the number of rows that differ from the previous row, plus
/// one for the first row. For a sorted column, the result is the number of distinct values.
///
/// Types: the types of the keys of [`unique`]. Nulls are equal to each other, and `nulls` states whether they are
/// counted. NaN equals NaN, and `nans` states whether NaN counts as a value or as null.
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
/// The function needs 1 wait for the device, for the number. Lists add the [waits of their
/// ranks](crate::sorting#structs-and-lists). See the table of costs, `docs/guide/costs.md`.
///
/// # Errors
/// * [`Unsupported`](gdf_core::Error::Unsupported) for types without an order. Driver and memory errors.
#[doc(alias("rle", "run length"))]
pub fn unique_count<'a>(column: impl Into<ColumnView<'a>>, nulls: NullPolicy, nans: NanPolicy) -> Result<usize> {
    let column = column.into();
    Scope::for_inputs("unique_count", &[&column])?
        .run(|ctx| detail::stream_compaction::unique_count(column, nulls, nans, ctx))
}

/// Returns the number of rows that [`unique`] keeps with all columns as keys.
///
/// In libcudf `unique_count` of a table.
///
/// # Costs
/// The function needs 1 wait for the device, for the number. Lists add the [waits of their
/// ranks](crate::sorting#structs-and-lists). See the table of costs, `docs/guide/costs.md`.
///
/// # Errors
/// The errors of [`unique`].
#[doc(alias("rle", "run length"))]
pub fn unique_count_rows<'a>(table: impl Into<TableView<'a>>, nulls: NullEquality) -> Result<usize> {
    let table = table.into();
    Scope::for_inputs("unique_count_rows", &[&table])?
        .run(|ctx| detail::stream_compaction::unique_count_rows(&table, nulls, ctx))
}

/// Returns the number of distinct values of a column.
///
/// Types: the types of the keys of [`distinct`]. Nulls: `nulls` states whether nulls count as one value or are not
/// counted. NaN: `nans` states whether NaN counts as one value or as null.
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
/// The function needs 1 wait for the device, for the number. Lists add the [waits of their
/// ranks](crate::sorting#structs-and-lists). See the table of costs, `docs/guide/costs.md`.
///
/// # Errors
/// * The errors of [`distinct`].
#[doc(alias("nunique", "n_unique", "count distinct", "cardinality"))]
pub fn distinct_count<'a>(column: impl Into<ColumnView<'a>>, nulls: NullPolicy, nans: NanPolicy) -> Result<usize> {
    let column = column.into();
    Scope::for_inputs("distinct_count", &[&column])?
        .run(|ctx| detail::stream_compaction::distinct_count(column, nulls, nans, ctx))
}

/// Returns the number of rows that [`distinct`] keeps with all columns as keys, where NaN equals NaN.
///
/// In libcudf `distinct_count` of a table.
///
/// # Costs
/// The function needs 1 wait for the device, for the number. Lists add the [waits of their
/// ranks](crate::sorting#structs-and-lists). See the table of costs, `docs/guide/costs.md`.
///
/// # Errors
/// The errors of [`distinct`].
#[doc(alias("nunique", "n_unique", "count distinct"))]
pub fn distinct_count_rows<'a>(table: impl Into<TableView<'a>>, nulls: NullEquality) -> Result<usize> {
    let table = table.into();
    Scope::for_inputs("distinct_count_rows", &[&table])?
        .run(|ctx| detail::stream_compaction::distinct_count_rows(table, nulls, ctx))
}
