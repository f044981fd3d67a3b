//! Computes the first row and the end of each range window.

use std::cmp::Ordering;
use std::ops::Range;

use gdf_core::{Column, ColumnView, DataType, Error, Operand, Result, TimeUnit, is_floating, is_integral, same_type};
use gdf_engine::check;
use gdf_engine::elementwise::{self, Inputs, Launch, Nulls, Rows};
use gdf_engine::host::{Bits, Number, NumberReader};
use gdf_engine::input::Input;
use gdf_engine::keys::row_indices;
use gdf_engine::operand::one_value;
use gdf_engine::sort::{NullOrder, Order};
use gdf_kernels::generated::rolling::{RangeBounds, RangeBoundsKernel, RangePlan};

use super::rolling_window::GroupBounds;
use crate::Ctx;

#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(super) enum Side {
    Preceding,
    Following,
}

fn difference(data_type: &DataType) -> Result<DataType> {
    let unit = match data_type {
        DataType::Timestamp(unit, _) | DataType::Time32(unit) | DataType::Time64(unit) => *unit,
        DataType::Date64 => TimeUnit::Millisecond,
        DataType::Date32 => return Ok(DataType::Int32),
        DataType::Duration(_) | DataType::Decimal32(..) | DataType::Decimal64(..) | DataType::Decimal128(..) => {
            return Ok(data_type.clone());
        }
        other if is_integral(other) || is_floating(other) => return Ok(other.clone()),
        other => {
            return Err(Error::unsupported("bounded range", other).in_argument("orderby").with_remedy(
                "a bounded range needs numbers, decimals of up to 128 bits, durations, dates, times or timestamps in \
                 `orderby`; use `Unbounded` or `CurrentRow` for other types",
            ));
        }
    };
    Ok(DataType::Duration(unit))
}

/// A bound of windows.
#[derive(Clone, Copy, Debug)]
pub(super) struct RangeEnd {
    pub(super) side: Side,
    pub(super) open: bool,
    pub(super) order: Order,
    pub(super) null_order: NullOrder,
}

/// Returns the row number of a bound for each row.
pub(super) fn range_bounds(
    column: ColumnView<'_>,
    groups: &GroupBounds,
    delta: Operand<'_>,
    end: RangeEnd,
    ctx: Ctx<'_>,
) -> Result<Column> {
    let RangeEnd { side, open, order, null_order } = end;
    let expected = difference(column.data_type())?;
    let delta = one_value(delta, &expected, ctx)?;
    if !same_type(&expected, delta.data_type()) {
        return Err(Error::type_mismatch(&expected, delta.data_type()));
    }
    check::column(column, ctx)?;
    let descending = order == Order::Descending;
    let bounds = groups.bounds();
    let has = |side: usize| i32::from(bounds[side].is_some());
    let plan = RangePlan {
        behind: i32::from(side == Side::Following),
        open: i32::from(open),
        descending: i32::from(descending),
        nulls_first: i32::from((null_order == NullOrder::Before) != descending),
        lower: has(0),
        upper: has(1),
    };
    let [lower, upper] = bounds.map(|bound| Input::from(bound.map_or(column, |(_, column)| column)));
    let inputs = Inputs::for_rows([column.into(), lower, upper, Input::Scalar(&delta)], column.len(), ctx)?;
    let floats = is_floating(column.data_type());
    elementwise::map(
        inputs,
        &row_indices(column.len()),
        Nulls::Never,
        ctx,
        |rows| if floats { on_host::<f64>(rows, plan) } else { on_host::<i128>(rows, plan) },
        |launch| {
            let Launch { inputs: [input, lower, upper, delta], out, .. } = *launch;
            let kernel = if floats { RangeBoundsKernel::Floats } else { RangeBoundsKernel::Integers };
            launch.run(kernel, launch.rows, &RangeBounds { input, lower, upper, delta, out, plan })
        },
    )
}

trait Distance: Number {
    /// Returns the value plus `delta` or minus `delta`.
    fn moved(self, delta: Self, up: bool) -> Self;
    /// Compares two values.
    fn order(self, other: Self) -> Ordering;
}

impl Distance for i128 {
    fn moved(self, delta: Self, up: bool) -> Self {
        if up { self.saturating_add(delta) } else { self.saturating_sub(delta) }
    }

    fn order(self, other: Self) -> Ordering {
        self.cmp(&other)
    }
}

impl Distance for f64 {
    fn moved(self, delta: Self, up: bool) -> Self {
        match self.is_finite() {
            false => self,
            true if up => self + delta,
            true => self - delta,
        }
    }

    fn order(self, other: Self) -> Ordering {
        self.partial_cmp(&other).unwrap_or_else(|| self.is_nan().cmp(&other.is_nan()))
    }
}

/// Searches the ordered column for bounds of windows.
struct Search<'a, C> {
    values: NumberReader<'a, C>,
    valid: Option<Bits<'a>>,
    delta: C,
    plan: RangePlan,
}

impl<C: Distance> Search<'_, C> {
    fn value(&self, row: usize) -> Option<C> {
        let mut value = [C::default()];
        self.values.load(row, &mut value);
        self.valid.is_none_or(|valid| valid.get(row)).then_some(value[0])
    }

    /// Returns the bound of a row.
    fn bound(&self, row: usize, group: Range<usize>) -> usize {
        let behind = self.plan.behind != 0;
        let descending = self.plan.descending != 0;
        let target = self.value(row).map(|value| value.moved(self.delta, behind != descending));
        let skips_equal = if target.is_none() { behind } else { behind != (self.plan.open != 0) };
        let is_before = |at: usize| {
            let order = match (self.value(at), target) {
                (None, None) => Ordering::Equal,
                (None, Some(_)) if self.plan.nulls_first != 0 => Ordering::Less,
                (Some(_), None) if self.plan.nulls_first == 0 => Ordering::Less,
                (None, Some(_)) | (Some(_), None) => Ordering::Greater,
                (Some(value), Some(target)) if descending => target.order(value),
                (Some(value), Some(target)) => value.order(target),
            };
            order.is_lt() || (skips_equal && order.is_eq())
        };
        let (mut low, mut high) = (group.start, group.end);
        let mut step = 1;
        if is_before(row) {
            low = row + 1;
            while low < high {
                let at = (low + step).min(high);
                if !is_before(at - 1) {
                    high = at - 1;
                    break;
                }
                low = at;
                step *= 2;
            }
        } else {
            high = row;
            while low < high {
                let at = low.max(high.saturating_sub(step));
                if is_before(at) {
                    low = at + 1;
                    break;
                }
                high = at;
                step *= 2;
            }
        }
        while low < high {
            let middle = low + (high - low) / 2;
            if is_before(middle) { low = middle + 1 } else { high = middle }
        }
        low
    }
}

fn on_host<C: Distance>(rows: &Rows<'_, 4>, plan: RangePlan) -> Result<Column> {
    let [column, lower, upper, delta] = rows.columns();
    let search = Search {
        values: NumberReader::new(column)?,
        valid: column.validity()?,
        delta: NumberReader::<C>::new(delta)?.fixed().unwrap_or_default(),
        plan,
    };
    let has_delta = delta.validity()?.is_none_or(|valid| valid.get(0));
    let [firsts, lasts] = [NumberReader::<u64>::new(lower)?, NumberReader::<u64>::new(upper)?];
    let number = |reader: &NumberReader<'_, u64>, row: usize| {
        let mut number = [0];
        reader.load(row, &mut number);
        number[0] as usize
    };
    let bound = |row: usize| {
        let first = if plan.lower != 0 { number(&firsts, row) } else { 0 };
        let end = if plan.upper != 0 { number(&lasts, row) + 1 } else { rows.len() };
        match has_delta {
            true => search.bound(row, first..end),
            false if plan.behind != 0 => first,
            false => end,
        }
    };
    if *rows.output_type == DataType::UInt32 {
        return rows.filled(
            || rows.mask(),
            |first, out| (first..).zip(out).for_each(|(row, slot): (_, &mut u32)| *slot = bound(row) as u32),
        );
    }
    rows.filled(
        || rows.mask(),
        |first, out| (first..).zip(out).for_each(|(row, slot): (_, &mut u64)| *slot = bound(row) as u64),
    )
}
