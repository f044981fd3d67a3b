//! `reduction::reduce`: combines all rows to one value.

mod aggregation;
mod by_order;
mod cuda;
mod host;
mod plan;
mod segmented_strings;

pub use aggregation::ReduceAggregation;
pub(crate) use host::{put_float, put_integer, scaled};
use plan::Bitwise;
pub use plan::default_output_type;
pub(crate) use plan::{Arithmetic, KeyWidth, ReducePlan};

use gdf_core::{
    Column, ColumnView, DataType, Error, Operand, PhysicalType, Result, Scalar, decimal_parts, dispatch_integer,
    is_decimal, order_of_numbers, physical_type, same_type,
};
use gdf_driver::Device;
use gdf_engine::cast::cast;
use gdf_engine::check;
use gdf_engine::decoded::Decoded;
use gdf_engine::operand::Literals;
use gdf_engine::policy::NullPolicy;
use gdf_engine::reduce::{self as segments, Segments};
use gdf_engine::rows::join_columns;
use gdf_engine::windows::Operation;
use gdf_expr::Value;

use crate::Ctx;
use crate::keys::is_replaced;
use crate::reduction::{EXACT_SUM, with_overflow};
use crate::scan::by_ranks;
use crate::vouch;

pub(super) const OPERATION: &str = "reduce";

/// Implements `gdf_api::reduction::reduce` on the stream of `ctx`, with memory from the resources of `ctx`.
pub fn reduce(
    column: ColumnView<'_>,
    aggregation: ReduceAggregation,
    output_type: &DataType,
    ctx: Ctx<'_>,
) -> Result<Scalar> {
    check::column(column, ctx)?;
    let decoded = aggregation.reads().decode(column, ctx.scratch())?;
    let column = decoded.view();
    if let Some(result) = by_order::reduce(column, aggregation, output_type, ctx) {
        return result;
    }
    let plan = ReducePlan::new(aggregation, column.data_type(), output_type)?;
    if let ReducePlan::Wide { arithmetic: Arithmetic::Product, scale, .. } = plan {
        let factors = if scale == 0 { 0 } else { column.len() - column.to_column().null_count_on(ctx.stream)? };
        check_scale(scale, factors, output_type)?;
    }
    if column.is_empty() {
        return nothing(plan, output_type, ctx);
    }
    let rows = |output_type: &DataType, ctx: Ctx<'_>| match ctx.stream.device() {
        Device::Cpu => host::reduce(column, plan, output_type, Segments::Whole(column.len()), NullPolicy::Exclude, ctx),
        Device::Cuda(_) => cuda::reduce(column, plan, output_type, ctx),
    };
    Scalar::from_column(match aggregation {
        ReduceAggregation::SumOverflow => with_overflow(&rows(&EXACT_SUM, ctx.scratch())?, ctx)?,
        _ => rows(output_type, ctx)?,
    })
}

/// Implements `gdf_api::reduction::reduce_with_initial_value` on the stream of `ctx`, with memory from the resources
/// of `ctx`.
pub fn reduce_with_initial_value(
    column: ColumnView<'_>,
    aggregation: ReduceAggregation,
    output_type: &DataType,
    initial: Operand<'_>,
    ctx: Ctx<'_>,
) -> Result<Scalar> {
    use ReduceAggregation as A;
    if !matches!(aggregation, A::Sum | A::Product | A::Min | A::Max | A::Any | A::All) {
        return Err(Error::unsupported("reduce_with_initial_value", output_type).in_variant(aggregation.name()));
    }
    let scratch = ctx.scratch();
    let literals = Literals::new(&[initial], scratch)?;
    let [initial] = literals.resolve([initial]);
    let initial = initial.view();
    if initial.len() != 1 {
        return Err(Error::length_mismatch(1, initial.len()).in_argument("initial"));
    }
    if aggregation == A::Product && is_decimal(output_type) {
        return product_with_factor(column, output_type, initial, ctx);
    }
    let rows = reduce(column, aggregation, output_type, scratch)?;
    let initial = cast(initial, output_type, scratch).map_err(|error| error.in_argument("initial"))?;
    let both = join_columns(&[rows.view(), initial.view()], scratch)?;
    reduce(both.view(), aggregation, output_type, ctx)
}

/// Returns the product of the rows of a column of decimals and of one more factor, which has the scale of the rows.
fn product_with_factor(
    column: ColumnView<'_>,
    output_type: &DataType,
    factor: ColumnView<'_>,
    ctx: Ctx<'_>,
) -> Result<Scalar> {
    let product = ReduceAggregation::Product;
    let scratch = ctx.scratch();
    check::column(column, ctx)?;
    let decoded = product.reads().decode(column, scratch)?;
    let column = decoded.view().to_column();
    let ReducePlan::Wide { scale, .. } = ReducePlan::new(product, column.data_type(), output_type)? else {
        return Err(Error::unsupported("reduce_with_initial_value", column.data_type()).in_variant(product.name()));
    };
    let of_scale = |data_type: &DataType, scale: i8| match *data_type {
        DataType::Decimal32(precision, _) => DataType::Decimal32(precision, scale),
        DataType::Decimal64(precision, _) => DataType::Decimal64(precision, scale),
        _ => DataType::Decimal128(38, scale),
    };
    let row_scale = decimal_parts(column.data_type()).map_or(0, |(_, _, scale)| scale);
    let factor = cast(factor, &DataType::Decimal128(38, row_scale), scratch);
    let factor = factor.map_err(|error| error.in_argument("initial"))?;
    let valid = |column: &Column| Ok::<_, Error>(column.len() - column.null_count_on(ctx.stream)?);
    let factors = if scale == 0 { 0 } else { valid(&column)? + valid(&factor)? };
    check_scale(scale, factors, output_type)?;
    // Decimals are multiplied as their unscaled integers.
    let whole = column.with_type(of_scale(column.data_type(), 0))?;
    let rows = reduce(whole.view(), product, &DataType::Decimal128(38, 0), scratch)?;
    let factor = factor.with_type(DataType::Decimal128(38, 0))?;
    let both = join_columns(&[rows.view(), factor.view()], scratch)?;
    let all = reduce(both.view(), product, &of_scale(output_type, 0), ctx)?;
    Scalar::from_column(all.into_column().with_type(output_type.clone())?)
}

/// Checks that the output type of a product of decimals has the scale of the product.
fn check_scale(scale: i32, factors: usize, output_type: &DataType) -> Result<()> {
    let found = decimal_parts(output_type).map_or(0, |(_, _, scale)| i64::from(scale));
    if i64::from(scale).checked_mul(factors as i64) != Some(found) {
        let rule = "the scale must be the scale of the column times the number of valid factors";
        return Err(Error::invalid_number(rule, found.into()).in_argument("output_type"));
    }
    Ok(())
}

/// Implements `gdf_api::reduction::minmax` on the stream of `ctx`, with memory from the resources of `ctx`.
pub fn minmax(column: ColumnView<'_>, ctx: Ctx<'_>) -> Result<(Scalar, Scalar)> {
    use ReduceAggregation::{Max, Min};
    check::column(column, ctx)?;
    let decoded = Decoded::of(column, ctx.scratch())?;
    let column = decoded.view();
    let output_type = column.data_type();
    let plan = ReducePlan::new(Min, output_type, output_type)?;
    let words = matches!(plan, ReducePlan::Extreme { width: KeyWidth::Words, .. });
    if words && !column.is_empty() && !ctx.stream.device().is_cpu() {
        let (min, max) = cuda::minmax_words(column, ctx)?;
        return Ok((Scalar::from_column(min)?, Scalar::from_column(max)?));
    }
    Ok((reduce(column, Min, output_type, ctx)?, reduce(column, Max, output_type, ctx)?))
}

/// The smallest and the largest value of a column. Both are null if all rows are null.
#[derive(Clone, Debug)]
pub struct ValueRange {
    /// The smallest value.
    pub min: Scalar,
    /// The largest value.
    pub max: Scalar,
    /// Both values as integers, or `None` if they are null or the column does not store integers.
    pub numbers: Option<(i128, i128)>,
}

/// Does the same as [`minmax`], and **waits** for the values. Values of integers of at most 64 bits are stored with the
/// column, so that later operations need not read its rows.
pub fn value_range(column: ColumnView<'_>, ctx: Ctx<'_>) -> Result<ValueRange> {
    let (min, max) = minmax(column, ctx)?;
    let number = |of: &Scalar| Ok::<_, Error>(Value::from_scalar(of)?.integer());
    let numbers = number(&min)?.zip(number(&max)?);
    if let Some(bounds) = numbers.and_then(|numbers| order_of_numbers(numbers, column.data_type())) {
        vouch::exact_bounds(column, Some(bounds));
    }
    Ok(ValueRange { min, max, numbers })
}

/// Implements `gdf_api::reduction::segmented_reduce` on the stream of `ctx`, with memory from the resources of `ctx`.
pub fn segmented_reduce(
    column: ColumnView<'_>,
    offsets: ColumnView<'_>,
    aggregation: ReduceAggregation,
    output_type: &DataType,
    null_policy: NullPolicy,
    ctx: Ctx<'_>,
) -> Result<Column> {
    check::column(column, ctx)?;
    check::column(offsets, ctx)?;
    segments::check(offsets)?;
    let decoded = aggregation.reads().decode(column, ctx.scratch())?;
    let column = decoded.view();
    let is_extreme = matches!(aggregation, ReduceAggregation::Min | ReduceAggregation::Max);
    if is_extreme && is_replaced(column.data_type()) && same_type(column.data_type(), output_type) {
        return by_ranks("segmented_reduce", column, ctx, |ranks, ctx| {
            segmented_reduce(ranks, offsets, aggregation, ranks.data_type(), null_policy, ctx)
        });
    }
    if is_all_null(column) || is_of_whole_columns(aggregation) {
        return Err(Error::unsupported("segmented_reduce", column.data_type()).in_variant(aggregation.name()));
    }
    if let ReduceAggregation::Nunique(nulls) = aggregation {
        return by_order::distinct_in_segments(column, offsets, nulls, output_type, ctx);
    }
    let plan = ReducePlan::new(aggregation, column.data_type(), output_type)?;
    // A product of decimals is an error, because the scale of a product depends on the number of rows, and segments
    // differ in their numbers of rows.
    let scaled = matches!(plan, ReducePlan::Wide { arithmetic: Arithmetic::Product, scale, .. } if scale != 0);
    if scaled {
        return Err(Error::unsupported("segmented_reduce", column.data_type()));
    }
    if let ReducePlan::ExtremeString { minimum } = plan {
        let operation = if minimum { Operation::Minimum } else { Operation::Maximum };
        return segmented_strings::extremes(column, offsets, operation, null_policy, ctx);
    }
    if aggregation == ReduceAggregation::SumOverflow {
        let scratch = ctx.scratch();
        let decimals = cast(column, &EXACT_SUM, scratch)?;
        let sum = ReduceAggregation::Sum;
        return with_overflow(&segmented_reduce(decimals.view(), offsets, sum, &EXACT_SUM, null_policy, scratch)?, ctx);
    }
    match ctx.stream.device() {
        Device::Cpu => {
            let offsets = segments::ascending(offsets, column.len(), ctx)?;
            host::reduce(column, plan, output_type, Segments::Of(&offsets), null_policy, ctx)
        }
        Device::Cuda(_) => cuda::reduce_segments(column, offsets, plan, output_type, null_policy, ctx),
    }
}

/// Returns whether the aggregation reduces columns, but not segments.
fn is_of_whole_columns(aggregation: ReduceAggregation) -> bool {
    use ReduceAggregation as A;
    match aggregation {
        A::Median | A::Quantile { .. } | A::ArgMin | A::ArgMax | A::NthElement { .. } => true,
        A::CollectList { .. } | A::CollectSet { .. } => true,
        A::MergeLists | A::MergeSets { .. } | A::MergeHistogram => true,
        A::Sum | A::SumOverflow | A::Product | A::Min | A::Max | A::Mean | A::SumOfSquares => false,
        A::CountValid | A::CountAll | A::Any | A::All | A::Nunique(_) => false,
        A::BitwiseAnd | A::BitwiseOr | A::BitwiseXor | A::Variance { .. } | A::Std { .. } => false,
    }
}

fn nothing(plan: ReducePlan, output_type: &DataType, ctx: Ctx<'_>) -> Result<Scalar> {
    match plan {
        ReducePlan::AnyAll { all } => Scalar::typed_on(Some(all), output_type, ctx.stream, ctx.mr.output),
        ReducePlan::Count { .. } => dispatch_integer!(physical_type(output_type), T => {
            Scalar::typed_on(Some(T::default()), output_type, ctx.stream, ctx.mr.output)
        }, else => Err(Error::unsupported(OPERATION, output_type))),
        _ => Scalar::null_on(output_type, ctx.stream, ctx.mr.output),
    }
}

/// Returns whether the column has type `Null`.
pub(super) fn is_all_null(column: ColumnView<'_>) -> bool {
    physical_type(column.data_type()) == PhysicalType::Null
}

#[cfg(test)]
mod tests;
