//! Rounds each row to a multiple of a period: down, up or to the nearest multiple.

use gdf_core::{Column, ColumnView, Error, Result};
use gdf_engine::elementwise::{self, Launch, Nulls};
use gdf_kernels::generated::datetime::{Period, RoundDatetimes, RoundDatetimesKernel, Rounding, Unit};

use super::civil::{civil, first_of_month};
use super::moment::{divisor, moment_unit, quotient, ticks_per_day};
use crate::Ctx;

/// A period to whose multiples dates and timestamps are rounded.
#[non_exhaustive]
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash)]
pub enum Frequency {
    /// Years.
    Year,
    /// Quarters of years.
    Quarter,
    /// Months.
    Month,
    /// Weeks, which begin on Mondays.
    Week,
    /// Days.
    Day,
    /// Hours.
    Hour,
    /// Minutes.
    Minute,
    /// Seconds.
    Second,
    /// Milliseconds.
    Millisecond,
    /// Microseconds.
    Microsecond,
    /// Nanoseconds.
    Nanosecond,
}

/// The multiple of a period to which a row is rounded.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash)]
pub enum DatetimeRounding {
    /// The last multiple that is not after the row.
    Floor,
    /// The first multiple that is not before the row.
    Ceil,
    /// The nearest multiple. A row halfway between two multiples is rounded to the even multiple. If the period is a
    /// month, a quarter or a year, such a row is rounded to the later multiple.
    Nearest,
}

impl DatetimeRounding {
    fn kernel(self) -> Rounding {
        match self {
            DatetimeRounding::Floor => Rounding::Floor,
            DatetimeRounding::Ceil => Rounding::Ceil,
            DatetimeRounding::Nearest => Rounding::Round,
        }
    }
}

/// Implements `gdf_api::datetime::{floor_datetimes, ceil_datetimes, round_datetimes}` on the stream of `ctx`, with
/// memory from the resources of `ctx`.
pub fn round_datetimes(
    column: ColumnView<'_>,
    rounding: DatetimeRounding,
    frequency: Frequency,
    ctx: Ctx<'_>,
) -> Result<Column> {
    let data_type = column.data_type();
    let unit = moment_unit(data_type).ok_or_else(|| Error::unsupported("round_datetimes", data_type))?;
    let (period, rounding) = (period(unit, frequency), rounding.kernel());
    let kernel = match unit {
        Unit::Day => RoundDatetimesKernel::Days,
        Unit::Second | Unit::Millisecond | Unit::Microsecond | Unit::Nanosecond => RoundDatetimesKernel::Ticks,
    };
    elementwise::map_column(
        column,
        data_type,
        Nulls::Keep,
        ctx,
        |rows| match kernel {
            RoundDatetimesKernel::Days => rows.convert(|days: i64| rounded(days, period, rounding) as i32),
            RoundDatetimesKernel::Ticks => rows.convert(|x: i64| rounded(x, period, rounding)),
        },
        |launch| {
            let Launch { inputs: [input], out, .. } = *launch;
            let p = Period { rounding: rounding as i32, ..period };
            launch.run(kernel, launch.rows, &RoundDatetimes { input, out, p })
        },
    )
}

fn period(unit: Unit, frequency: Frequency) -> Period {
    let day = ticks_per_day(unit);
    // Returns the number of ticks of a period.
    let part = |per_day: i64| (day / per_day).max(1);
    let (ticks, origin, months) = match frequency {
        Frequency::Year => (day, 0, 12),
        Frequency::Quarter => (day, 0, 3),
        Frequency::Month => (day, 0, 1),
        // 1970-01-05 was a Monday.
        Frequency::Week => (day * 7, day * 4, 0),
        Frequency::Day => (day, 0, 0),
        Frequency::Hour => (part(24), 0, 0),
        Frequency::Minute => (part(24 * 60), 0, 0),
        Frequency::Second => (part(86_400), 0, 0),
        Frequency::Millisecond => (part(86_400_000), 0, 0),
        Frequency::Microsecond => (part(86_400_000_000), 0, 0),
        Frequency::Nanosecond => (1, 0, 0),
    };
    Period { by: divisor(ticks), origin, months, ..Period::default() }
}

/// Rounds `x` to a multiple of `period`.
#[inline(always)]
fn rounded(x: i64, period: Period, rounding: Rounding) -> i64 {
    let ticks = period.by.ticks;
    let (before, after, since, until, before_is_even) = if period.months == 0 {
        let whole = quotient(x, period.by);
        let rest = x.wrapping_sub(whole.wrapping_mul(ticks));
        let borrows = rest < period.origin;
        let count = whole - i64::from(borrows);
        let since = rest - period.origin + if borrows { ticks } else { 0 };
        let before = x.wrapping_sub(since);
        (before, before.wrapping_add(ticks), since, ticks - since, count & 1 == 0)
    } else {
        let date = civil(quotient(x, period.by));
        let months = i64::from(period.months);
        let month = (date.month - 1) / months * months + 1;
        let next = if month + months > 12 { (date.year + 1, 1) } else { (date.year, month + months) };
        let before = first_of_month(date.year, month).wrapping_mul(ticks);
        let after = first_of_month(next.0, next.1).wrapping_mul(ticks);
        (before, after, x.wrapping_sub(before), after.wrapping_sub(x), false)
    };
    let is_before = match rounding {
        Rounding::Floor => true,
        Rounding::Ceil => since == 0,
        Rounding::Round => since < until || (since == until && before_is_even),
    };
    if is_before { before } else { after }
}
