//! Lowers dates and timestamps plus intervals.

use arrow_schema::{DataType, TimeUnit};
use datafusion::scalar::ScalarValue;
use gdf_exec::{ColumnCall, ColumnFunction, Problem};
use gdf_expr::{Expr, lit};

use super::lowered::{Lowered, stored};
use super::text::call;

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

/// The first and the last day of chrono, counted from 1970: January 1 of the year -262143, and December 31 of 262142.
/// DataFusion computes moments with chrono, and returns an error for other days.
const DAYS: [i128; 2] = [-96_465_292, 95_026_236];

/// The stored integers of a date or of a timestamp.
struct Stored {
    data_type: DataType,
    /// The number of nanoseconds of a unit.
    unit: i64,
    /// The smallest and the largest integer whose day chrono has.
    limits: [i128; 2],
}

impl Stored {
    /// Returns `None` unless `moments` is the type of dates, or of timestamps without a time zone.
    fn of(moments: &DataType) -> Option<Stored> {
        let unit = match moments {
            DataType::Date32 => {
                return Some(Stored { data_type: DataType::Int32, unit: NANOSECONDS_PER_DAY, limits: DAYS });
            }
            DataType::Timestamp(TimeUnit::Second, None) => 1_000_000_000,
            DataType::Timestamp(TimeUnit::Millisecond, None) => 1_000_000,
            DataType::Timestamp(TimeUnit::Microsecond, None) => 1_000,
            DataType::Timestamp(TimeUnit::Nanosecond, None) => 1,
            _ => return None,
        };
        let (per_day, [first, last]) = (i128::from(NANOSECONDS_PER_DAY / unit), DAYS);
        let limits = [(first * per_day).max(i64::MIN.into()), ((last + 1) * per_day - 1).min(i64::MAX.into())];
        Some(Stored { data_type: DataType::Int64, unit, limits })
    }

    /// Returns a condition that is true where a moment is stored as an integer less than `min` or greater than `max`.
    fn is_outside(&self, moment: &Expr, [min, max]: [i128; 2]) -> Option<Expr> {
        let [min, max] = [stored(min, &self.data_type).ok()?, stored(max, &self.data_type).ok()?];
        let integer = moment.clone().cast(self.data_type.clone());
        Some(integer.clone().lt(min).or(integer.gt(max)))
    }

    /// Adds a number of units to moments. The query fails if chrono does not have the moment or the sum.
    fn plus(&self, moment: Lowered, distance: i64) -> Option<Lowered> {
        let [min, max] = self.limits;
        let limits = match distance {
            0 => return Some(moment),
            1.. => [min, max - i128::from(distance)],
            _ => [min - i128::from(distance), max],
        };
        let data_type = moment.data_type.clone();
        let is_outside = self.is_outside(&moment.value, limits)?;
        let distance = lit(stored(distance.into(), &self.data_type).ok()?);
        let sum = |value: Expr| (value.cast(self.data_type.clone()) + distance).cast(data_type.clone());
        let mut moved = moment.map_same(sum);
        moved.check(is_outside, Problem::CastOverflow(data_type));
        Some(moved)
    }
}

/// Returns a condition that is true where the day of a timestamp is not a day of chrono. Returns `None` for timestamps
/// in nanoseconds, all of whose days chrono has, and in microseconds, so that conditions of joins may have their dates.
pub(super) fn has_no_day(moment: &Lowered) -> Option<Expr> {
    let stored = Stored::of(&moment.data_type).filter(|stored| stored.unit > 1_000)?;
    stored.is_outside(&moment.value, stored.limits)
}

/// Lowers a date or a timestamp without a time zone plus an interval.
pub(super) fn moved(moment: Lowered, interval: Interval, calls: &mut Vec<ColumnCall>) -> Option<Lowered> {
    let data_type = moment.data_type.clone();
    let stored = Stored::of(&data_type)?;
    let is_whole = match &data_type {
        DataType::Date32 => interval.nanoseconds == 0,
        _ => interval.nanoseconds % stored.unit == 0,
    };
    if !is_whole {
        return None;
    }
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
            let [was_outside, is_outside] =
                [stored.is_outside(&before, stored.limits)?, stored.is_outside(&after, stored.limits)?];
            let wraps = if months > 0 { after.lt(before) } else { after.gt(before) };
            moved.check(wraps.or(was_outside).or(is_outside), Problem::CastOverflow(data_type));
            moved
        }
    };
    let days = i64::from(interval.days).checked_mul(NANOSECONDS_PER_DAY / stored.unit)?;
    stored.plus(moment, days.checked_add(interval.nanoseconds / stored.unit)?)
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
