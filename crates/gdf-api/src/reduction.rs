//! One value from a column. [`reduce`] takes the aggregation and the type of the result; each aggregation is a function of its own, too.
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

use gdf_core::{Column, ColumnView, DataType, Operand, Result, Scalar, SchemaRef, Table, TableView};
use gdf_detail as detail;
pub use gdf_detail::reduction::{NullPolicy, ReduceAggregation, default_output_type};

use crate::scope::Scope;
pub use crate::short_forms::reduction::*;

/// One value of all rows of `column` that are not null, of type `output_type`, on the column's device.
///
/// # Types
/// [`default_output_type`] tells for which types an aggregation exists, and the natural type of its result. Others can
/// be asked for:
///
/// | aggregation | of | also gives |
/// |---|---|---|
/// | `Sum`, `Product`, `SumOfSquares` | booleans, integers | any integer; any float |
/// | | floats | any float |
/// | `Sum` | decimals | a decimal of any width and the same scale |
/// | `SumOfSquares` | decimals of up to 128 bits | one of up to 128 bits and twice the scale |
/// | `Mean` | booleans, numbers, decimals | any float |
/// | `Product` | decimals of up to 128 bits | one of up to 128 bits, of the scale of all factors together |
/// | `Variance`, `Std` | booleans, numbers | any float |
/// | `Median`, `Quantile` | booleans, numbers, decimals | any float |
/// | `CountValid`, `CountAll` | anything | any integer |
/// | `ArgMin`, `ArgMax`, `Nunique` | what they exist for | any integer |
///
/// Views and dictionaries are decoded first, but where rows are counted or `NthElement` gives one.
///
/// Integers wrap at 64 bits and then at the width of the result, decimals at 128 bits, or 256 where either side has so
/// many. Sums of integers and decimals that become floats, means among them, are exact until then. Floats are worked
/// with in double precision. Times ten to the scale, the result of decimals is that of their unscaled numbers. The
/// product of decimals has a scale that depends on the data: that of a factor times the number of rows that are not null. It is
/// refused with another one, and has no default type.
///
/// Variances come of numbers, means and squared distances that merge without cancellation (Chan, Golub, LeVeque, 1983).
/// `Median`, `Quantile`, `ArgMin` and `ArgMax` are by the order of sorting, in which −0.0 equals 0.0.
///
/// # Nulls and NaN
/// Null rows do not take part, but where `Nunique` or `NthElement` says so. Without any other row, the counts are 0, as is
/// `Nunique` without null, `Any` is false and `All` is true; everything else is null. `Variance` and `Std` are null where
/// there are not more rows than `ddof`.
///
/// NaN is greater than every number, so `Max` is NaN where there is one, and `Min` only where there is nothing else; all
/// NaNs are one: the order of sorting, but that -0.0 is less than 0.0. NaN is not zero. Strings and binary are ordered by their bytes.
///
/// # Order
/// Does not matter, but for sums and products of floats. Those are brought together in an order that depends on the
/// number of rows and the device alone, so they come out with the same bits each time, on the CPU whatever the number
/// of threads; between devices they may differ in the last places.
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
/// At most 1 wait for `Min` and `Max` of strings and binary: which row it is, and how long. `Median` and `Quantile` sort,
/// `ArgMin` and `ArgMax` wait for the first row of [`top_k_order`](crate::sorting::top_k_order), `Nunique` for
/// [`distinct_indices`](crate::stream_compaction::distinct_indices), each 1 time more for the number of nulls. See the table of
/// costs, `docs/guide/costs.md`.
///
/// # Errors
/// * [`Unsupported`](gdf_core::Error::Unsupported) when the aggregation does not exist for the column's type.
/// * [`TypeMismatch`](gdf_core::Error::TypeMismatch) for a result type that does not suit.
/// * [`OutOfBounds`](gdf_core::Error::OutOfBounds) for an `NthElement` that is no row.
/// * [`InvalidArgument`](gdf_core::Error::InvalidArgument) for a product of decimals of another scale, or a `q` that is NaN.
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

/// One value of all rows of `column` and an initial value, which is taken as one row more.
///
/// # Types
/// `Sum`, `Product`, `Min`, `Max`, `Any` and `All` of [`reduce`], but to decimals. `initial` is a scalar or a literal that can be
/// cast to `output_type`.
///
/// # Nulls and NaN
/// As in [`reduce`]: an initial value that is null takes no part.
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
/// Two reductions and a concatenation of two rows. See the table of costs, `docs/guide/costs.md`.
///
/// # Errors
/// * [`Unsupported`](gdf_core::Error::Unsupported) for other aggregations and types.
/// * Those of [`reduce`] and of [`cast`](crate::unary::cast).
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

/// One value of the rows of `column` where `mask` is true: nothing is filtered first, so that no row is moved.
///
/// # Shapes
/// The mask has a row for each of the column. `ArgMin` and `ArgMax` number the rows of the column, `NthElement` those that are
/// selected.
///
/// # Types
/// Those of [`reduce`]; the mask is boolean.
///
/// # Nulls and NaN
/// As [`reduce`] of the selected rows. Rows where the mask is null are left out.
///
/// # Order
/// As [`reduce`]. Sums of floats are brought together in the order of all rows, so that their last places may differ from those of
/// the filtered column.
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
/// The waits of [`reduce`]. `NthElement`, `Nunique` with nulls, types without validity, and slices of columns that are not of a
/// fixed width are filtered first, as [`apply_boolean_mask`](crate::stream_compaction::apply_boolean_mask) does. See the table of
/// costs, `docs/guide/costs.md`.
///
/// # Errors
/// * [`TypeMismatch`](gdf_core::Error::TypeMismatch), [`LengthMismatch`](gdf_core::Error::LengthMismatch): a mask that is not
///   boolean, or has not as many rows.
/// * As [`reduce`].
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

/// Some statistics of each numeric column of a table, to look at: a table and its schema.
///
/// The first column holds the names of the statistics: `count` (of rows that are not null), `nulls`, `min`, `max`, `mean`, and `std`, the
/// standard deviation of the sample (its squares divided by `count` − 1). Each further column has those of a numeric column as `Float64`, which
/// has no more than 15 digits; columns of other types are left out. `names` are those of the table's columns; one without is called by
/// its position.
///
/// # Nulls and NaN
/// Without a row that is not null there are no `min`, `max` and `mean`, and with fewer than two no `std`. NaN is greater than every number,
/// and makes `mean` and `std` NaN.
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
/// At most 1 wait for each numeric column, for its number of nulls, and scratch of its size as `Float64`, twice. See the table of
/// costs, `docs/guide/costs.md`.
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

/// The smallest and the largest value of the rows that are not null, as two scalars of the column's type.
///
/// # Types
/// All that [`reduce`] takes minima of: integers, booleans, floats, decimals, everything temporal, strings and binary.
///
/// # Nulls and NaN
/// Both are null where no row has a value. NaN is greater than every number; −0.0 comes before 0.0.
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
/// The waits of two reductions. See the table of costs, `docs/guide/costs.md`.
///
/// # Errors
/// * [`Unsupported`](gdf_core::Error::Unsupported) for types without order.
/// * Driver and memory errors.
#[doc(alias("min_max", "range", "extremes"))]
pub fn minmax<'a>(column: impl Into<ColumnView<'a>>) -> Result<(Scalar, Scalar)> {
    let column = column.into();
    Scope::for_inputs("minmax", &[&column])?.run(|ctx| detail::reduction::minmax(column, ctx))
}

/// The distinct values of a column, and how often each occurs.
///
/// # Types
/// All that keys of a group-by can have: see [`GroupBy::aggregate`](crate::groupby::GroupBy::aggregate). Numbers are `Int64`.
///
/// # Nulls and NaN
/// Null is a value, if there is one. NaNs are one, and so are 0.0 and −0.0, which becomes 0.0.
///
/// Order: unspecified. Histograms merge by a group-by of the values that sums the numbers; those of groups are a group-by of keys and
/// values. In libcudf the aggregation `HISTOGRAM`, a list of structs; in pandas and polars `value_counts`, in SQL `COUNT(*)` with
/// `GROUP BY`.
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
/// The waits of [`GroupBy::aggregate`](crate::groupby::GroupBy::aggregate), 1 up to 262,144 rows. See the table of costs,
/// `docs/guide/costs.md`.
///
/// # Errors
/// * [`Unsupported`](gdf_core::Error::Unsupported) for other types.
/// * Those of [`GroupBy::aggregate`](crate::groupby::GroupBy::aggregate).
#[doc(alias("value_counts", "frequencies"))]
pub fn histogram<'a>(column: impl Into<ColumnView<'a>>) -> Result<(Column, Column)> {
    let column = column.into();
    Scope::for_inputs("histogram", &[&column])?.run(|ctx| detail::reduction::histogram(column, ctx))
}

/// A row for each segment of `column`: segment `i` is the rows from `offsets[i]` to `offsets[i + 1]`, reduced as [`reduce`]
/// does.
///
/// Rows before the first offset and from the last one on are in no segment. With the offsets of a list column and its child
/// this reduces each list.
///
/// # Types
/// Values and results are those of [`reduce`], but for null columns, which it does not take, products of
/// decimals that have a scale, and `Median`, `Quantile`, `ArgMin`, `ArgMax`, `Nunique` and `NthElement`. Offsets are integers, one
/// more than there are segments.
///
/// # Nulls and NaN
/// [`NullPolicy::Exclude`]: null rows do not take part, and a segment without any other row, as one without rows, is as the
/// result of [`reduce`] of it. [`NullPolicy::Include`]: a segment with a null row is null, too; counts are not. The result
/// always has a validity mask, except that of counts, and that of `Any` and `All` if nulls are excluded. NaN as in
/// [`reduce`].
///
/// # Order
/// A row per segment, in their order. Floats are brought together in an order that depends on the offsets, the number of rows
/// and the device alone.
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
/// At most 1 wait: whether the offsets ascend; of strings and binary at most 8. See the table of costs, `docs/guide/costs.md`.
///
/// # Errors
/// * [`Unsupported`](gdf_core::Error::Unsupported), [`TypeMismatch`](gdf_core::Error::TypeMismatch) as [`reduce`]; for
///   offsets that are no integers.
/// * [`InvalidArgument`](gdf_core::Error::InvalidArgument): offsets do not ascend from 0 or more to at most the number of rows,
///   one is null, or there is none.
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
