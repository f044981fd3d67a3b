//! Range windows. The window of a row contains the rows whose value in the ordering column is close enough to the value
//! of the row.

use gdf_compute::binaryop::{BinaryOperator, binary_operation};
use gdf_compute::filling::sequence;
use gdf_core::{Column, ColumnView, DataType, Error, Operand, Result, TableView};
use gdf_engine::cast::cast;
use gdf_engine::check;
use gdf_engine::sort::{NullOrder, Order};
use gdf_engine::windows::{WindowBound as Bound, Windows};

use super::RollingAggregation;
use super::aggregation::{check_rows, roll};
use super::range_bounds::{RangeEnd, Side, range_bounds};
use super::rolling_window::GroupBounds;
use crate::Ctx;

/// The extent of a window to one side, measured by the values of the ordering column.
#[derive(Clone, Copy, Debug)]
pub enum RangeWindowBound<'a> {
    /// The window extends to the first or last row of the group, depending on the side.
    Unbounded,
    /// The window extends to the farthest row on its side with the same value as the current row.
    CurrentRow,
    /// The window extends to the farthest row on its side whose value differs from the current row's value by at most
    /// this delta.
    BoundedClosed(Operand<'a>),
    /// The window extends to the farthest row on its side whose value differs from the current row's value by less than
    /// this delta.
    BoundedOpen(Operand<'a>),
}

/// A range window over the values of the ordering column.
#[derive(Clone, Copy, Debug)]
pub struct RangeWindow<'a> {
    /// The order of the values.
    pub order: Order,
    /// The order of nulls and values before the direction is applied.
    pub null_order: NullOrder,
    /// The extent of the window to the rows before the current row.
    pub preceding: RangeWindowBound<'a>,
    /// The extent of the window to the rows after the current row.
    pub following: RangeWindowBound<'a>,
}

impl Default for RangeWindow<'_> {
    fn default() -> Self {
        Self {
            order: Order::default(),
            null_order: NullOrder::default(),
            preceding: RangeWindowBound::Unbounded,
            following: RangeWindowBound::CurrentRow,
        }
    }
}

const OPERATION: &str = "grouped_range_rolling_window";

/// The bounds of the windows as columns.
struct Ranges {
    rows: usize,
    lower: Option<(Bound, Column)>,
    upper: Option<(Bound, Column)>,
    around_rows: bool,
}

impl Ranges {
    fn new(
        group_keys: &TableView<'_>,
        orderby: &TableView<'_>,
        RangeWindow { order, null_order, preceding, following }: RangeWindow<'_>,
        ctx: Ctx<'_>,
    ) -> Result<Ranges> {
        let rows = orderby.num_rows();
        let groups =
            GroupBounds::new(OPERATION, group_keys, rows, ctx).map_err(|error| error.in_argument("group_keys"))?;
        let peers =
            if matches!(preceding, RangeWindowBound::CurrentRow) || matches!(following, RangeWindowBound::CurrentRow) {
                let columns = group_keys.columns().iter().chain(orderby.columns()).copied().collect();
                Some(GroupBounds::new(OPERATION, &TableView::try_new(columns)?, rows, ctx)?)
            } else {
                check::table(orderby, ctx)?;
                None
            };
        let bound = |bound: RangeWindowBound<'_>, side: Side| -> Result<Option<(Bound, Column)>> {
            let of = |groups: &GroupBounds| {
                let bound = groups.bounds()[usize::from(side == Side::Following)];
                bound.map(|(bound, column)| (bound, column.to_column()))
            };
            let (delta, open) = match bound {
                RangeWindowBound::Unbounded => return Ok(of(&groups)),
                RangeWindowBound::CurrentRow => return Ok(peers.as_ref().and_then(of)),
                RangeWindowBound::BoundedClosed(delta) => (delta, false),
                RangeWindowBound::BoundedOpen(delta) => (delta, true),
            };
            let [column] = orderby.columns() else {
                let count = orderby.num_columns() as i128;
                return Err(Error::beyond_limit("the number of order-by columns of a bounded range", count, 1)
                    .in_argument("orderby"));
            };
            let found = range_bounds(*column, &groups, delta, RangeEnd { side, open, order, null_order }, ctx)
                .map_err(|error| error.in_argument(if side == Side::Preceding { "preceding" } else { "following" }))?;
            Ok(Some((if side == Side::Preceding { Bound::First } else { Bound::End }, found)))
        };
        let is_group = |bound| matches!(bound, RangeWindowBound::Unbounded | RangeWindowBound::CurrentRow);
        Ok(Ranges {
            rows,
            lower: bound(preceding, Side::Preceding)?,
            upper: bound(following, Side::Following)?,
            around_rows: is_group(preceding) && is_group(following),
        })
    }
}

/// Implements `gdf_api::rolling::grouped_range_rolling_window` with the stream and the resources of `ctx`.
pub fn grouped_range_rolling_window(
    group_keys: &TableView<'_>,
    orderby: &TableView<'_>,
    window: RangeWindow<'_>,
    input: ColumnView<'_>,
    min_periods: usize,
    aggregation: RollingAggregation,
    ctx: Ctx<'_>,
) -> Result<Column> {
    check_rows(input, aggregation)?;
    check::length(input.len(), orderby.num_rows()).map_err(|error| error.in_argument("orderby"))?;
    let ranges = Ranges::new(group_keys, orderby, window, ctx.scratch())?;
    let [lower, upper] =
        [&ranges.lower, &ranges.upper].map(|bound| bound.as_ref().map(|(bound, column)| (*bound, column.view())));
    let windows = Windows::new(ranges.rows, i64::MAX, i64::MAX);
    let windows = if ranges.around_rows { windows.around_rows(lower, upper) } else { windows.within(lower, upper) };
    roll(input, &windows, min_periods, aggregation, ctx)
}

/// Implements `gdf_api::rolling::make_range_windows` with the stream and the resources of `ctx`.
pub fn make_range_windows(
    group_keys: &TableView<'_>,
    orderby: &TableView<'_>,
    window: RangeWindow<'_>,
    ctx: Ctx<'_>,
) -> Result<[Column; 2]> {
    let scratch = ctx.scratch();
    let Ranges { rows, lower, upper, .. } = Ranges::new(group_keys, orderby, window, scratch)?;
    let count = |first: i64, step: i64, ctx| sequence(first.into(), step.into(), rows, ctx);
    let minus = |lhs: &Column, rhs: &Column| {
        binary_operation(lhs.into(), rhs.into(), BinaryOperator::Sub, &DataType::Int64, ctx)
    };
    let signed = |column: &Column| cast(column.view(), &DataType::Int64, scratch);
    let before = match lower {
        None => count(1, 1, ctx)?,
        Some((_, first)) => minus(&count(1, 1, scratch)?, &signed(&first)?)?,
    };
    let after = match upper {
        None => count(rows as i64 - 1, -1, ctx)?,
        Some((bound, last)) => {
            let first = i64::from(bound == Bound::End);
            minus(&signed(&last)?, &count(first, 1, scratch)?)?
        }
    };
    Ok([before, after])
}
