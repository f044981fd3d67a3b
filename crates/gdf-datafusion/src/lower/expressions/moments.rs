//! Lowers dates and timestamps plus intervals.

use std::ops::Sub;

use arrow_schema::{DataType, TimeUnit};
use datafusion::scalar::ScalarValue;
use gdf_core::LiteralValue;
use gdf_expr::{Expr, lit};

use super::lowered::Lowered;
use super::text::call;
use crate::plan::{ColumnCall, ColumnFunction, Problem};

const NANOSECONDS_PER_DAY: i64 = 86_400_000_000_000;

/// An interval. Months are added first, then days, and then nanoseconds.
#[derive(Clone, Copy, Debug)]
pub(super) struct Interval {
    months: i32,
    days: i32,
    nanoseconds: i64,
}

impl Interval {
    pub(super) fn of(value: &ScalarValue) -> Option<Interval> {
        Some(match value {
            ScalarValue::IntervalYearMonth(Some(months)) => Interval { months: *months, days: 0, nanoseconds: 0 },
            ScalarValue::IntervalDayTime(Some(interval)) => {
                let nanoseconds = i64::from(interval.milliseconds).checked_mul(1_000_000)?;
                Interval { months: 0, days: interval.days, nanoseconds }
            }
            ScalarValue::IntervalMonthDayNano(Some(interval)) => {
                Interval { months: interval.months, days: interval.days, nanoseconds: interval.nanoseconds }
            }
            _ => return None,
        })
    }

    pub(super) fn negated(self) -> Option<Interval> {
        let (months, days) = (self.months.checked_neg()?, self.days.checked_neg()?);
        Some(Interval { months, days, nanoseconds: self.nanoseconds.checked_neg()? })
    }
}

/// Returns the days of an interval without months and nanoseconds.
pub(crate) fn whole_days(value: &ScalarValue) -> Option<i32> {
    let interval = Interval::of(value)?;
    (interval.months == 0 && interval.nanoseconds == 0).then_some(interval.days)
}

/// Lowers a date or a timestamp without a time zone plus an interval.
pub(super) fn moved(moment: Lowered, interval: Interval, calls: &mut Vec<ColumnCall>) -> Option<Lowered> {
    let data_type = moment.data_type.clone();
    let unit = match &data_type {
        DataType::Date32 if interval.nanoseconds == 0 => None,
        DataType::Timestamp(TimeUnit::Second, None) => Some(1_000_000_000),
        DataType::Timestamp(TimeUnit::Millisecond, None) => Some(1_000_000),
        DataType::Timestamp(TimeUnit::Microsecond, None) => Some(1_000),
        DataType::Timestamp(TimeUnit::Nanosecond, None) => Some(1),
        _ => return None,
    };
    let moment = match interval.months {
        0 => moment,
        months => {
            // A result that wraps lies on the other side, unless it wraps more than once.
            let most = match &data_type {
                DataType::Timestamp(TimeUnit::Nanosecond, None) => 12 * 290,
                DataType::Timestamp(TimeUnit::Microsecond, None) => 12 * 290_000,
                _ => 12 * 5_000_000,
            };
            if months.unsigned_abs() > most {
                return None;
            }
            let before = moment.value.clone();
            let mut moved = call(calls, ColumnFunction::AddMonths(months), moment, data_type.clone());
            let after = moved.value.clone();
            let wraps = if months > 0 { after.lt(before) } else { after.gt(before) };
            moved.check(wraps, Problem::CastOverflow(data_type.clone()));
            moved
        }
    };
    let Some(unit) = unit else {
        return Some(shifted(moment, interval.days, [i32::MIN, i32::MAX]));
    };
    let nanoseconds = i64::from(interval.days).checked_mul(NANOSECONDS_PER_DAY)?.checked_add(interval.nanoseconds)?;
    (nanoseconds % unit == 0).then(|| shifted(moment, nanoseconds / unit, [i64::MIN, i64::MAX]))
}

/// Adds a distance to moments that are stored as integers from `min` to `max`. The query fails if a sum is outside
/// of these integers.
fn shifted<N>(moment: Lowered, distance: N, [min, max]: [N; 2]) -> Lowered
where
    N: LiteralValue<'static> + Default + PartialOrd + Sub<Output = N>,
{
    let (zero, data_type) = (N::default(), moment.data_type.clone());
    if distance == zero {
        return moment;
    }
    let stored: Expr = moment.value.clone().cast(N::literal_type().clone());
    let is_outside = match distance > zero {
        true => stored.clone().gt(lit(max - distance)),
        false => stored.clone().lt(lit(min - distance)),
    };
    let mut moved = moment.map_same(|_| (stored + lit(distance)).cast(data_type.clone()));
    moved.check(is_outside, Problem::CastOverflow(data_type));
    moved
}

#[cfg(test)]
mod tests {
    use gdf_expr::col;

    use super::*;

    #[test]
    fn months_that_may_wrap_twice_are_refused() {
        for months in [i32::MIN, i32::MAX] {
            let interval = Interval { months, days: 0, nanoseconds: 0 };
            let moment = Lowered::new(col(0), DataType::Date32);
            assert!(moved(moment, interval, &mut Vec::new()).is_none(), "{months}");
        }
    }
}
