//! `reduction::reduce`: one value of all rows.

mod cuda;
mod host;

mod plan;

pub use plan::default_output_type;
pub(super) use plan::{Arithmetic, KeyWidth, ReducePlan};

use gdf_core::{Column, ColumnView, DataType, Error, PhysicalType, Result, Scalar, dispatch_integer, physical_type};
use gdf_driver::Device;

use crate::Ctx;
use crate::check;
use crate::engine::reduce::{self as segments, Segments};
use crate::policy::NullPolicy;

/// The name of the operation in errors.
pub(super) const OPERATION: &str = "reduce";

/// How rows become one value. Null rows do not take part.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash)]
#[non_exhaustive]
pub enum ReduceAggregation {
    /// The sum.
    Sum,
    /// The product.
    Product,
    /// The smallest value.
    Min,
    /// The largest value.
    Max,
    /// The sum divided by the number of rows that are not null.
    Mean,
    /// The sum of the squares.
    SumOfSquares,
    /// The number of rows that are not null.
    CountValid,
    /// The number of rows.
    CountAll,
    /// Whether any row is not zero.
    Any,
    /// Whether no row is zero.
    All,
}

impl ReduceAggregation {
    /// Its name in errors.
    pub(super) fn name(self) -> &'static str {
        match self {
            Self::Sum => "Sum",
            Self::Product => "Product",
            Self::Min => "Min",
            Self::Max => "Max",
            Self::Mean => "Mean",
            Self::SumOfSquares => "SumOfSquares",
            Self::CountValid => "CountValid",
            Self::CountAll => "CountAll",
            Self::Any => "Any",
            Self::All => "All",
        }
    }

    /// Every aggregation.
    pub const ALL: &'static [Self] = &[
        Self::Sum,
        Self::Product,
        Self::Min,
        Self::Max,
        Self::Mean,
        Self::SumOfSquares,
        Self::CountValid,
        Self::CountAll,
        Self::Any,
        Self::All,
    ];
}

/// `gdf_api::reduction::reduce` on the stream and from the resources of `ctx`.
pub fn reduce(
    column: ColumnView<'_>,
    aggregation: ReduceAggregation,
    output_type: &DataType,
    ctx: Ctx<'_>,
) -> Result<Scalar> {
    check::column(column, ctx)?;
    let plan = ReducePlan::new(aggregation, column.data_type(), output_type)?;
    if column.is_empty() {
        return nothing(plan, output_type, ctx);
    }
    let whole = Segments::Whole(column.len());
    Scalar::from_column(match ctx.stream.device() {
        Device::Cpu => host::reduce(column, plan, output_type, whole, false, ctx)?,
        Device::Cuda(_) => cuda::reduce(column, plan, output_type, ctx)?,
    })
}

/// `gdf_api::reduction::minmax` on the stream and from the resources of `ctx`.
pub fn minmax(column: ColumnView<'_>, ctx: Ctx<'_>) -> Result<(Scalar, Scalar)> {
    use ReduceAggregation::{Max, Min};
    check::column(column, ctx)?;
    let output_type = column.data_type();
    let plan = ReducePlan::new(Min, output_type, output_type)?;
    let words = matches!(plan, ReducePlan::Extreme { width: KeyWidth::Words, .. });
    if words && !column.is_empty() && !ctx.stream.device().is_cpu() {
        let (min, max) = cuda::minmax_words(column, ctx)?;
        return Ok((Scalar::from_column(min)?, Scalar::from_column(max)?));
    }
    Ok((reduce(column, Min, output_type, ctx)?, reduce(column, Max, output_type, ctx)?))
}

/// `gdf_api::reduction::segmented_reduce` on the stream and from the resources of `ctx`.
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
    let plan = ReducePlan::new(aggregation, column.data_type(), output_type)?;
    let spread = null_policy == NullPolicy::Include;
    if matches!(plan, ReducePlan::ExtremeString { .. }) || is_all_null(column) {
        return Err(Error::unsupported("segmented_reduce", column.data_type()));
    }
    match ctx.stream.device() {
        Device::Cpu => {
            let offsets = segments::ascending(offsets, column.len(), ctx)?;
            host::reduce(column, plan, output_type, Segments::Of(&offsets), spread, ctx)
        }
        Device::Cuda(_) => cuda::reduce_segments(column, offsets, plan, output_type, spread, ctx),
    }
}

/// What no rows give.
fn nothing(plan: ReducePlan, output_type: &DataType, ctx: Ctx<'_>) -> Result<Scalar> {
    match plan {
        ReducePlan::AnyAll { all } => Scalar::typed_on(Some(all), output_type, ctx.stream, ctx.mr.output),
        ReducePlan::Count { .. } => dispatch_integer!(physical_type(output_type), T => {
            Scalar::typed_on(Some(T::default()), output_type, ctx.stream, ctx.mr.output)
        }, else => Err(Error::unsupported(OPERATION, output_type))),
        _ => Scalar::null_on(output_type, ctx.stream, ctx.mr.output),
    }
}

/// Null columns have no mask, and yet no valid row.
pub(super) fn is_all_null(column: ColumnView<'_>) -> bool {
    physical_type(column.data_type()) == PhysicalType::Null
}

#[cfg(test)]
mod tests;
