//! Windows that are measured in rows.

use gdf_compute::binaryop::{self, BinaryOperator};
use gdf_compute::copying::{copy_if_else, shift};
use gdf_compute::keys::{Purpose, prepare};
use gdf_compute::replace::{ReplacePolicy, nearest_valid};
use gdf_compute::scan::ScanType;
use gdf_compute::unary::is_valid;
use gdf_core::{
    Column, ColumnParts, ColumnView, DataType, Error, Literal, NullCount, Operand, Result, TableView, is_integral,
};
use gdf_driver::Device;
use gdf_engine::check;
use gdf_engine::sort::{self, SortedRows};
use gdf_engine::windows::{WindowBound as Bound, Windows};

use super::RollingAggregation;
use super::aggregation::{check_rows, roll, roll_or};
use crate::Ctx;
use crate::vouch;

/// The extent of a window on one side.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash)]
pub enum WindowBound {
    /// The number of rows. The preceding rows include the row itself.
    Rows(i64),
    /// All rows on this side.
    Unbounded,
}

impl From<i64> for WindowBound {
    fn from(rows: i64) -> Self {
        Self::Rows(rows)
    }
}

impl WindowBound {
    fn rows(self) -> i64 {
        match self {
            Self::Rows(rows) => rows,
            Self::Unbounded => i64::MAX,
        }
    }
}

/// Returns windows for `rows` rows.
fn fixed<'a>(rows: usize, preceding: WindowBound, following: WindowBound) -> Result<Windows<'a>> {
    let (before, after) = (preceding.rows(), following.rows());
    if before.saturating_add(after) < 1 {
        return Err(Error::invalid_argument(
            "`preceding` plus `following` is less than 1 row, so that windows are empty; use at least 1 row in total",
        )
        .in_argument("following"));
    }
    Ok(Windows::new(rows, before, after))
}

/// Implements `gdf_api::rolling::rolling_window` with the stream and the resources of `ctx`.
pub fn rolling_window(
    input: ColumnView<'_>,
    preceding: WindowBound,
    following: WindowBound,
    min_periods: usize,
    aggregation: RollingAggregation,
    ctx: Ctx<'_>,
) -> Result<Column> {
    check_rows(input, aggregation)?;
    roll(input, &fixed(input.len(), preceding, following)?, min_periods, aggregation, ctx)
}

/// Implements `gdf_api::rolling::rolling_window_with_defaults` with the stream and the resources of `ctx`.
pub fn rolling_window_with_defaults(
    input: ColumnView<'_>,
    default_outputs: Operand<'_>,
    preceding: WindowBound,
    following: WindowBound,
    aggregation: RollingAggregation,
    ctx: Ctx<'_>,
) -> Result<Column> {
    check_rows(input, aggregation)?;
    roll_or(input, default_outputs, &fixed(input.len(), preceding, following)?, aggregation, ctx)
}

/// Implements `gdf_api::rolling::grouped_rolling_window_with_defaults` with the stream and the resources of `ctx`.
pub fn grouped_rolling_window_with_defaults(
    group_keys: &TableView<'_>,
    input: ColumnView<'_>,
    default_outputs: Operand<'_>,
    preceding: WindowBound,
    following: WindowBound,
    aggregation: RollingAggregation,
    ctx: Ctx<'_>,
) -> Result<Column> {
    check_rows(input, aggregation)?;
    let windows = fixed(input.len(), preceding, following)?;
    let groups = GroupBounds::new("grouped_rolling_window_with_defaults", group_keys, input.len(), ctx.scratch())
        .map_err(|error| error.in_argument("group_keys"))?;
    let [lower, upper] = groups.bounds();
    roll_or(input, default_outputs, &windows.around_rows(lower, upper), aggregation, ctx)
}

/// Implements `gdf_api::rolling::variable_rolling_window` with the stream and the resources of `ctx`.
pub fn variable_rolling_window(
    input: ColumnView<'_>,
    preceding: ColumnView<'_>,
    following: ColumnView<'_>,
    min_periods: usize,
    aggregation: RollingAggregation,
    ctx: Ctx<'_>,
) -> Result<Column> {
    check_rows(input, aggregation)?;
    let rows = input.len();
    for (bound, argument) in [(preceding, "preceding"), (following, "following")] {
        if !is_integral(bound.data_type()) {
            return Err(Error::type_mismatch("an integer type", bound.data_type()).in_argument(argument));
        }
        check::length(rows, bound.len()).map_err(|error| error.in_argument(argument))?;
    }
    let [preceding, following] = [signed(preceding, ctx.scratch())?, signed(following, ctx.scratch())?];
    let (lower, upper) = ((Bound::Relative, preceding.view()), (Bound::Relative, following.view()));
    let windows = Windows::new(rows, i64::MAX, i64::MAX).within(Some(lower), Some(upper));
    roll(input, &windows, min_periods, aggregation, ctx)
}

/// Returns bounds that signed integers of 64 bits can represent. Larger bounds have no other rows.
fn signed(bounds: ColumnView<'_>, ctx: Ctx<'_>) -> Result<Column> {
    match bounds.data_type() {
        DataType::UInt64 => {
            let most = Literal::from(i64::MAX as u64).into();
            let within = binaryop::of(&bounds.to_column(), BinaryOperator::NullMin, most, &DataType::UInt64, ctx)?;
            copy_if_else(
                within.view().into(),
                Literal::null(&DataType::UInt64).into(),
                is_valid(bounds, ctx)?.view(),
                ctx,
            )
        }
        _ => Ok(bounds.to_column()),
    }
}

/// Implements `gdf_api::rolling::grouped_rolling_window` with the stream and the resources of `ctx`.
pub fn grouped_rolling_window(
    group_keys: &TableView<'_>,
    input: ColumnView<'_>,
    preceding: WindowBound,
    following: WindowBound,
    min_periods: usize,
    aggregation: RollingAggregation,
    ctx: Ctx<'_>,
) -> Result<Column> {
    check_rows(input, aggregation)?;
    let windows = fixed(input.len(), preceding, following)?;
    let groups = GroupBounds::new("grouped_rolling_window", group_keys, input.len(), ctx.scratch())
        .map_err(|error| error.in_argument("group_keys"))?;
    let [lower, upper] = groups.bounds();
    roll(input, &windows.around_rows(lower, upper), min_periods, aggregation, ctx)
}

/// Computes a running aggregate.
pub(crate) fn running(
    input: ColumnView<'_>,
    first: ColumnView<'_>,
    scan_type: ScanType,
    aggregation: RollingAggregation,
    ctx: Ctx<'_>,
) -> Result<Column> {
    let windows = Windows::new(input.len(), i64::MAX, -i64::from(scan_type == ScanType::Exclusive));
    roll(input, &windows.around_rows(Some((Bound::First, first)), None), 0, aggregation, ctx)
}

/// The first row and the last row of each row's run of equal rows.
#[derive(Debug)]
pub(super) struct GroupBounds(Option<[Column; 2]>);

impl GroupBounds {
    pub(super) fn new(operation: &'static str, keys: &TableView<'_>, rows: usize, ctx: Ctx<'_>) -> Result<GroupBounds> {
        if keys.num_columns() == 0 {
            return Ok(GroupBounds(None));
        }
        check::length(rows, keys.num_rows())?;
        let [prepared] = prepare(operation, [keys], Purpose::order(&[]), ctx.scratch())?;
        let keys = sort::keys(operation, &prepared.view()?, &[], &[], ctx)?;
        if rows == 0 {
            return Ok(GroupBounds(None));
        }
        let sorted = SortedRows { keys: &keys, rows };
        let heads = match ctx.stream.device() {
            Device::Cpu => sort::host::flag_heads(sorted, ctx)?,
            Device::Cuda(_) => sort::cuda::flag_heads(sorted, ctx)?,
        };
        let tails = shift(heads.view(), -1, true.into(), ctx)?;
        let first = nearest_valid(as_mask(heads)?.view(), ReplacePolicy::Preceding, ctx)?;
        let last = nearest_valid(as_mask(tails)?.view(), ReplacePolicy::Following, ctx)?;
        Ok(GroupBounds(Some([first, last])))
    }

    pub(super) fn bounds(&self) -> [Option<(Bound, ColumnView<'_>)>; 2] {
        match &self.0 {
            None => [None, None],
            Some([first, last]) => [Some((Bound::First, first.view())), Some((Bound::Last, last.view()))],
        }
    }
}

/// Returns a column in which a row is valid if the same row of the boolean column is true.
fn as_mask(bits: Column) -> Result<Column> {
    let mut parts: ColumnParts = bits.into_parts();
    parts.data_type = DataType::Boolean;
    parts.validity = parts.buffers.first().cloned();
    parts.null_count = NullCount::Unknown;
    vouch::result(parts)
}
