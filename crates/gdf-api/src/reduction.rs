//! Reductions of a column to one value. [`reduce`] takes the aggregation and the type of the result as arguments. For
//! each aggregation without parameters, there is also a function.
//!
//! ```
//! use gdf::reduction::{max, mean, sum};
//! use gdf::Column;
//!
//! let column = Column::from_options(&[Some(4), None, Some(-1)])?;
//! assert_eq!(sum(&column)?.value::<i64>()?, Some(3));
//! assert_eq!(mean(&column)?.value::<f64>()?, Some(1.5));
//! assert_eq!(max(&column)?.to_string(), "4");
//! # Ok::<(), gdf::Error>(())
//! ```

mod bloom_filter;
mod distinct_sketch;
mod equal;
mod value_range;

pub use self::bloom_filter::BloomFilter;
pub use self::distinct_sketch::DistinctSketch;
pub use self::equal::{columns_equal, tables_equal};
#[doc(hidden)]
pub use self::value_range::{StoredRange, ValueRange};
use gdf_core::{Column, ColumnView, DataType, Operand, Result, Scalar, SchemaRef, Table, TableView};
use gdf_detail as detail;
pub use gdf_detail::reduction::{NullPolicy, ReduceAggregation, default_output_type};

use crate::scope::Scope;
pub use crate::short_forms::reduction::*;

/// Reduces the rows of `column` that are not null to one value of type `output_type`, on the device of the column.
///
/// # Types
/// [`default_output_type`] returns the default type of the result, and fails for types that the aggregation does not
/// support. The following other result types are supported:
///
/// | aggregation | of | also gives |
/// |---|---|---|
/// | `Sum`, `Product`, `SumOfSquares` | booleans, integers | any integer; any float |
/// | | floats | any float |
/// | `Sum` | decimals | a decimal of any width and the same scale |
/// | `SumOfSquares` | decimals of up to 128 bits | a decimal of up to 128 bits and twice the scale |
/// | `Mean` | booleans, numbers, decimals | any float |
/// | `Product` | decimals of up to 128 bits | a decimal of up to 128 bits, whose scale is the sum of the scales of all factors |
/// | `Variance`, `Std` | booleans, numbers | any float |
/// | `Median`, `Quantile` | booleans, numbers, decimals | any float |
/// | `CountValid` | anything but unions and run-end encoded columns | any integer |
/// | `CountAll` | anything | any integer |
/// | `ArgMin`, `ArgMax`, `Nunique` | every type that the aggregation supports | any integer |
///
/// Structs and lists have `Min`, `Max`, `ArgMin`, `ArgMax` and `Nunique` if they can be
/// [sorted](crate::sorting#structs-and-lists). Null fields and elements are smaller than values.
///
/// Views and dictionaries are decoded first, except for counts of rows, `NthElement`, `CollectList`, `CollectSet`,
/// `MergeLists`, `MergeSets` and `MergeHistogram`.
///
/// Integers wrap at 64 bits, and then at the width of the result. `SumOverflow` also returns whether the exact sum
/// exceeds 64 bits, as `SUM_WITH_OVERFLOW` of libcudf. A partial sum that exceeds 64 bits does not count. Decimals wrap
/// at 128 bits, or at 256 bits where the input or the result has 256 bits. Floats are computed in double precision.
/// Sums and means of integers and decimals with a float result are computed exactly and then rounded once.
///
/// Decimals are reduced as their unscaled integers. The scale of a product of decimals is the scale of one factor,
/// times the number of rows that are not null. A product with another `output_type` is an error, and a product of
/// decimals has no default type.
///
/// Variances are computed from counts, means and squared deviations, which are merged without cancellation (Chan,
/// Golub, LeVeque, 1983). `Median`, `Quantile`, `ArgMin` and `ArgMax` use the order of sorting, in which −0.0 equals
/// 0.0.
///
/// # Nulls and NaN
/// Null rows are ignored, unless the policy of `Nunique`, `NthElement`, `CollectList` or `CollectSet` includes nulls.
/// `CountAll` counts null rows, too. Of rows that are all null, `CountValid` is 0, `Nunique` without nulls is 0, lists
/// without nulls and merged histograms are empty, `Any` is false, and `All` is true. Every other aggregation except
/// `CountAll` is null. `Variance` and `Std` are null if there are at most `ddof` rows that are not null.
///
/// NaN is greater than every number. `Max` is therefore NaN if any row is NaN, and `Min` is NaN only if all rows are
/// NaN. All NaNs are equal. `Min` and `Max` use the order of sorting, except that −0.0 is less than 0.0. `Any` and
/// `All` count NaN as not zero. Strings and binary are ordered by their bytes.
///
/// # Order
/// The order of the rows matters only for sums and products of floats. The order of the additions and multiplications
/// depends only on the number of rows and on the device. The result therefore has the same bits in every run. On the
/// CPU, the bits do not depend on the number of threads. The last places may differ between devices.
///
/// In libcudf `reduce`, in arrow-rs the functions of `arrow::compute::aggregate`, in polars `sum`, `min`, and so on.
///
/// ```
/// use gdf::reduction::{ReduceAggregation, reduce};
/// use gdf::{Column, DataType};
///
/// let column = Column::from_options(&[Some(4), None, Some(-1)])?;
/// let sum = reduce(&column, ReduceAggregation::Sum, &DataType::Float64)?;
/// assert_eq!(sum.value::<f64>()?, Some(3.0));
/// # Ok::<(), gdf::Error>(())
/// ```
///
/// # Costs
/// The function needs at most 1 wait for `Min` and `Max` of strings and binary, for the number of the row and its
/// length. `Median` and `Quantile` have the waits of sorting. `ArgMin` and `ArgMax` have the waits of
/// [`top_k_order`](crate::sorting::top_k_order) for one row. `Nunique` has the waits of
/// [`distinct_indices`](crate::stream_compaction::distinct_indices). `Median`, `Quantile`, `ArgMin`, `ArgMax` and
/// `Nunique` wait once more, for the number of nulls. See the table of costs, `docs/guide/costs.md`.
///
/// # Errors
/// * [`Unsupported`](gdf_core::Error::Unsupported) when the aggregation does not exist for the column's type.
/// * [`TypeMismatch`](gdf_core::Error::TypeMismatch) when the aggregation cannot return `output_type`.
/// * [`OutOfBounds`](gdf_core::Error::OutOfBounds) for an `NthElement` beyond the last row.
/// * [`InvalidArgument`](gdf_core::Error::InvalidArgument) for a product of decimals whose `output_type` has another
///   scale, or a `q` that is NaN.
/// * Driver and memory errors.
#[doc(alias("sum", "min", "max", "mean", "avg", "count", "any", "all", "std", "var", "product", "agg"))]
pub fn reduce<'a>(
    column: impl Into<ColumnView<'a>>,
    aggregation: ReduceAggregation,
    output_type: &DataType,
) -> Result<Scalar> {
    let column = column.into();
    Scope::for_inputs("reduce", &[&column])?.run(|ctx| detail::reduction::reduce(column, aggregation, output_type, ctx))
}

/// Reduces the rows of `column` and an initial value, which counts as one more row.
///
/// # Types
/// `Sum`, `Product`, `Min`, `Max`, `Any` and `All` of [`reduce`]. `initial` is a scalar or a literal that can be cast
/// to `output_type`. For a product of decimals, `initial` is one more factor of the scale of the column, so the scale
/// of `output_type` is the scale of one factor, times the number of factors that are not null.
///
/// # Nulls and NaN
/// The same as for [`reduce`]. A null initial value is ignored.
///
/// In libcudf `reduce` with an `init`, in NumPy `initial`, in Rust `fold`.
///
/// ```
/// use gdf::reduction::{ReduceAggregation, reduce_with_initial_value};
/// use gdf::{Column, DataType};
///
/// let column = Column::from_options(&[Some(4), None, Some(-1)])?;
/// let sum = reduce_with_initial_value(&column, ReduceAggregation::Sum, &DataType::Int64, 100)?;
/// assert_eq!(sum.value::<i64>()?, Some(103));
/// # Ok::<(), gdf::Error>(())
/// ```
///
/// # Costs
/// The function has the costs of two reductions and of concatenating two rows. See the table of costs,
/// `docs/guide/costs.md`.
///
/// # Errors
/// * [`Unsupported`](gdf_core::Error::Unsupported) for other aggregations and types.
/// * [`InvalidArgument`](gdf_core::Error::InvalidArgument) for a product of decimals whose `output_type` has another
///   scale.
/// * The errors of [`reduce`] and of [`cast`](crate::unary::cast).
#[doc(alias("fold"))]
pub fn reduce_with_initial_value<'a, 'b>(
    column: impl Into<ColumnView<'a>>,
    aggregation: ReduceAggregation,
    output_type: &DataType,
    initial: impl Into<Operand<'b>>,
) -> Result<Scalar> {
    let (column, initial) = (column.into(), initial.into());
    Scope::for_inputs("reduce_with_initial_value", &[&column, &initial])?
        .run(|ctx| detail::reduction::reduce_with_initial_value(column, aggregation, output_type, initial, ctx))
}

/// Reduces the rows of `column` where `mask` is true. For most aggregations and types, the rows are not filtered first,
/// so no row is moved.
///
/// # Shapes
/// The mask has one row for each row of the column. `ArgMin` and `ArgMax` number all rows of the column, and
/// `NthElement` numbers the selected rows.
///
/// # Types
/// The types of [`reduce`]; the mask is boolean.
///
/// # Nulls and NaN
/// The same as for [`reduce`] of the selected rows. Rows where the mask is null are left out.
///
/// # Order
/// The same as for [`reduce`]. The order in which floats are added depends on the number of all rows. The last places
/// of a sum may therefore differ from the last places of a sum of the filtered column.
///
/// In SQL `sum(x) FILTER (WHERE condition)`, in polars `filter` before `sum`.
///
/// ```
/// use gdf::reduction::{ReduceAggregation, reduce_where};
/// use gdf::{Column, DataType, binaryop};
///
/// let prices = Column::from_options(&[Some(4), None, Some(1), Some(7)])?;
/// let sum = reduce_where(&prices, &binaryop::gt(&prices, 3)?, ReduceAggregation::Sum, &DataType::Int64)?;
/// assert_eq!(sum.value::<i64>()?, Some(11));
/// # Ok::<(), gdf::Error>(())
/// ```
///
/// # Costs
/// The function has the waits of [`reduce`]. In some cases the rows are filtered first, with the waits of
/// [`apply_boolean_mask`](crate::stream_compaction::apply_boolean_mask): for `NthElement`, `CollectList`, `CollectSet`
/// and `Nunique` with nulls, for types without validity, and for slices of structs and of fixed-size lists. See the
/// table of costs, `docs/guide/costs.md`.
///
/// # Errors
/// * [`TypeMismatch`](gdf_core::Error::TypeMismatch): `mask` is not boolean.
/// * [`LengthMismatch`](gdf_core::Error::LengthMismatch): `mask` and `column` have different numbers of rows.
/// * The errors of [`reduce`].
#[doc(alias("where", "filter", "sumif", "countif"))]
pub fn reduce_where<'a, 'm>(
    column: impl Into<ColumnView<'a>>,
    mask: impl Into<ColumnView<'m>>,
    aggregation: ReduceAggregation,
    output_type: &DataType,
) -> Result<Scalar> {
    let (column, mask) = (column.into(), mask.into());
    Scope::for_inputs("reduce_where", &[&column, &mask])?
        .run(|ctx| detail::reduction::reduce_where(column, mask, aggregation, output_type, ctx))
}

/// Returns statistics of each numeric column of a table, for display: a table and its schema.
///
/// The first column holds the names of the statistics: `count` (the number of rows that are not null), `nulls`,
/// `min`, `max`, `mean`, and `std`, the standard deviation of the sample (the sum of the squared deviations is
/// divided by `count - 1`). Each further column holds the statistics of one numeric column as `Float64`, which is
/// exact to about 15 digits. Columns of other types are left out. `names` holds the names of the table's columns. A
/// column without a name is named by its position.
///
/// # Nulls and NaN
/// If all rows are null, `min`, `max` and `mean` are null. With fewer than two rows that are not null, `std` is null.
/// NaN is greater than every number, and makes `mean` and `std` NaN.
///
/// In pandas, cuDF and polars `describe`.
///
/// ```
/// use gdf::reduction::describe;
/// use gdf::{Column, Table};
///
/// let table = Table::try_new(vec![Column::from_strs(["a", "b", "c"])?, Column::from_options(&[Some(1), None, Some(4)])?])?;
/// let (statistics, schema) = describe(&table, &["name", "price"])?;
/// let text = "\
/// ┌───────────┬────────────────────┐
/// │ statistic ┆              price │
/// │ Utf8      ┆            Float64 │
/// ╞═══════════╪════════════════════╡
/// │ count     ┆                2.0 │
/// │ nulls     ┆                1.0 │
/// │ min       ┆                1.0 │
/// │ max       ┆                4.0 │
/// │ mean      ┆                2.5 │
/// │ std       ┆ 2.1213203435596424 │
/// └───────────┴────────────────────┘
/// 6 rows × 2 columns on cpu";
/// assert_eq!(statistics.display_with_schema(&schema).to_string(), text);
/// # Ok::<(), gdf::Error>(())
/// ```
///
/// # Costs
/// The function needs at most 1 wait for each numeric column, for its number of nulls. The function needs scratch
/// memory of twice the size of a column as `Float64`. See the table of costs, `docs/guide/costs.md`.
///
/// # Errors
/// * Driver and memory errors.
#[doc(alias("summary"))]
pub fn describe<'a>(table: impl Into<TableView<'a>>, names: &[&str]) -> Result<(Table, SchemaRef)> {
    let table = table.into();
    let (statistics, described) =
        Scope::for_inputs("describe", &[&table])?.run(|ctx| detail::reduction::describe(&table, ctx))?;
    let name = |column: &usize| names.get(*column).map_or_else(|| column.to_string(), |name| (*name).to_owned());
    let names: Vec<_> = std::iter::once("statistic".to_owned()).chain(described.iter().map(name)).collect();
    let schema = statistics.schema(&names.iter().map(String::as_str).collect::<Vec<_>>());
    Ok((statistics, schema))
}

/// Returns the smallest and the largest value of the rows that are not null, as two scalars of the column's type.
///
/// # Types
/// The types for which [`reduce`] supports `Min` and `Max`: integers, booleans, floats, decimals, everything
/// temporal, strings and binary.
///
/// # Nulls and NaN
/// If all rows are null, both scalars are null. NaN is greater than every number. −0.0 is less than 0.0.
///
/// In libcudf `minmax`, in pyarrow `min_max`.
///
/// ```
/// use gdf::Column;
/// use gdf::reduction::minmax;
///
/// let column = Column::from_options(&[Some(2.5), None, Some(-1.0)])?;
/// let (min, max) = minmax(&column)?;
/// assert_eq!((min.value()?, max.value()?), (Some(-1.0), Some(2.5)));
/// # Ok::<(), gdf::Error>(())
/// ```
///
/// # Costs
/// The function has the waits of two reductions. See the table of costs, `docs/guide/costs.md`.
///
/// # Errors
/// * [`Unsupported`](gdf_core::Error::Unsupported) for types without order.
/// * Driver and memory errors.
#[doc(alias("min_max", "range", "extremes"))]
pub fn minmax<'a>(column: impl Into<ColumnView<'a>>) -> Result<(Scalar, Scalar)> {
    let column = column.into();
    Scope::for_inputs("minmax", &[&column])?.run(|ctx| detail::reduction::minmax(column, ctx))
}

/// Returns the distinct values of a column, and the number of rows with each value.
///
/// # Types
/// The types that keys of a group-by can have: see [`GroupBy::aggregate`](crate::groupby::GroupBy::aggregate). The
/// numbers are `Int64`.
///
/// # Nulls and NaN
/// Null counts as a value if the column has nulls. All NaNs are one value. 0.0 and −0.0 are one value, which is 0.0
/// in the result.
///
/// Order: not specified. To merge histograms, group by the values and sum the numbers. The aggregation `Histogram` of a
/// group-by computes the histograms of groups, which `MergeHistogram` of [`reduce`] merges to one. In libcudf the
/// aggregation `HISTOGRAM`, which returns a list of structs; in pandas and polars `value_counts`, in SQL `COUNT(*)`
/// with `GROUP BY`.
///
/// ```
/// use gdf::reduction::histogram;
/// use gdf::{Column, Table, sorting};
///
/// let (values, counts) = histogram(&Column::from_slice(&[7, 3, 7])?)?;
/// let sorted = sorting::sort(&Table::try_new(vec![values, counts])?, &[], &[])?;
/// assert_eq!(sorted.column(0)?.to_vec::<i32>()?, [3, 7].map(Some));
/// assert_eq!(sorted.column(1)?.to_vec::<i64>()?, [1, 2].map(Some));
/// # Ok::<(), gdf::Error>(())
/// ```
///
/// # Costs
/// The function has the waits of [`GroupBy::aggregate`](crate::groupby::GroupBy::aggregate), which are 1 wait up to
/// 262,144 rows. See the table of costs, `docs/guide/costs.md`.
///
/// # Errors
/// * [`Unsupported`](gdf_core::Error::Unsupported) for other types.
/// * The errors of [`GroupBy::aggregate`](crate::groupby::GroupBy::aggregate).
#[doc(alias("value_counts", "frequencies"))]
pub fn histogram<'a>(column: impl Into<ColumnView<'a>>) -> Result<(Column, Column)> {
    let column = column.into();
    Scope::for_inputs("histogram", &[&column])?.run(|ctx| detail::reduction::histogram(column, ctx))
}

/// Reduces each segment of `column`, as [`reduce`] does. Segment `i` has the rows from `offsets[i]` to
/// `offsets[i + 1]`.
///
/// Rows before the first offset and rows from the last offset on belong to no segment. With the offsets and the child
/// of a list column, the function reduces each list.
///
/// # Types
/// Values and results have the types of [`reduce`], with these exceptions: columns of type `Null`, products of decimals
/// whose scale is not 0, and the aggregations `Median`, `Quantile`, `ArgMin`, `ArgMax`, `NthElement`, `CollectList`,
/// `CollectSet`, `MergeLists`, `MergeSets` and `MergeHistogram`. Offsets are integers; for `n` segments there are
/// `n + 1` offsets.
///
/// # Nulls and NaN
/// With [`NullPolicy::Exclude`], null rows are ignored. A segment without rows that are not null has the result that
/// [`reduce`] has for no rows. With [`NullPolicy::Include`], the result of a segment with a null row is null, except
/// for counts and for `Nunique`, which has a policy of its own. The result has a validity mask, except for counts, and
/// for `Any` and `All` without nulls. NaN is treated as in [`reduce`].
///
/// # Order
/// The result has one row for each segment, in the order of the segments. The order in which floats are added depends
/// only on the offsets, on the number of rows, and on the device.
///
/// In libcudf `segmented_reduce`, in polars `list.sum`, `list.min`, and so on, in pandas a `groupby` of sorted keys.
///
/// ```
/// use gdf::reduction::{NullPolicy, ReduceAggregation, segmented_reduce};
/// use gdf::{Column, DataType};
///
/// let values = Column::from_options(&[Some(1.0), None, Some(3.0), Some(4.0)])?;
/// let offsets = Column::from_slice(&[0, 2, 2, 4])?;
/// let sums = segmented_reduce(&values, &offsets, ReduceAggregation::Sum, &DataType::Float64, NullPolicy::Exclude)?;
/// assert_eq!(sums.to_vec::<f64>()?, [Some(1.0), None, Some(7.0)]);
/// # Ok::<(), gdf::Error>(())
/// ```
///
/// # Costs
/// The function needs at most 1 wait for the device, for a check whether the offsets ascend. Strings and binary need at
/// most 8 waits. `Nunique` has 2 waits, and the waits of [`distinct`](crate::stream_compaction::distinct) for text.
/// `Min` and `Max` of structs and lists sort the rows, with the waits of
/// [`sorted_order`](crate::sorting::sorted_order). See the table of costs, `docs/guide/costs.md`.
///
/// # Errors
/// * [`Unsupported`](gdf_core::Error::Unsupported) as for [`reduce`], and for the exceptions above.
/// * [`TypeMismatch`](gdf_core::Error::TypeMismatch) as for [`reduce`], and for offsets that are not integers.
/// * [`InvalidArgument`](gdf_core::Error::InvalidArgument): the offsets do not ascend, an offset is negative or
///   larger than the number of rows, an offset is null, or there are no offsets.
/// * Driver and memory errors.
#[doc(alias("list.sum", "list.min", "list.max", "list.mean", "reduceat"))]
pub fn segmented_reduce<'a>(
    column: impl Into<ColumnView<'a>>,
    offsets: impl Into<ColumnView<'a>>,
    aggregation: ReduceAggregation,
    output_type: &DataType,
    null_policy: NullPolicy,
) -> Result<Column> {
    let (column, offsets) = (column.into(), offsets.into());
    Scope::for_inputs("segmented_reduce", &[&column, &offsets])?
        .run(|ctx| detail::reduction::segmented_reduce(column, offsets, aggregation, output_type, null_policy, ctx))
}
