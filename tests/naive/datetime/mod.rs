//! Oracles of `datetime`. The oracles look up years and months in a table, which is built by counting days.

pub mod time_zone;

use std::sync::LazyLock;

use arrow_array::ArrayRef;
use arrow_schema::{DataType, TimeUnit};
use gdf_detail::datetime::{Component, DatetimeRounding, Frequency};

use gdf_test::value::{Value, from_values, to_values};

/// The number of days in 400 years.
const CYCLE: i128 = 146_097;

#[derive(Clone, Copy, Debug, PartialEq, Eq)]
struct Date {
    year: i128,
    month: u32,
    day: u32,
    day_of_year: u32,
}

fn is_leap(year: i128) -> bool {
    year % 4 == 0 && (year % 100 != 0 || year % 400 == 0)
}

fn length_of(year: i128, month: u32) -> u32 {
    [31, if is_leap(year) { 29 } else { 28 }, 31, 30, 31, 30, 31, 31, 30, 31, 30, 31][month as usize - 1]
}

/// All days of 400 years, in order.
static DAYS: LazyLock<Vec<Date>> = LazyLock::new(|| {
    let mut days = Vec::with_capacity(CYCLE as usize);
    for year in 1970..2370 {
        let mut day_of_year = 0;
        for month in 1..=12 {
            for day in 1..=length_of(year, month) {
                day_of_year += 1;
                days.push(Date { year, month, day, day_of_year });
            }
        }
    }
    days
});

fn date(days: i128) -> Date {
    let date = DAYS[days.rem_euclid(CYCLE) as usize];
    Date { year: date.year + 400 * days.div_euclid(CYCLE), ..date }
}

fn first_day(year: i128, month: u32) -> i128 {
    let (cycles, year) = ((year - 1970).div_euclid(400), 1970 + (year - 1970).rem_euclid(400));
    let before = DAYS.partition_point(|date| (date.year, date.month) < (year, month));
    cycles * CYCLE + before as i128
}

/// Returns 1 for Monday to 7 for Sunday.
fn weekday(days: i128) -> i128 {
    [4, 5, 6, 7, 1, 2, 3][days.rem_euclid(7) as usize]
}

/// Returns the ISO year and the number of the ISO week.
fn iso_week(days: i128) -> (i128, i128) {
    let mut thursday = days;
    while weekday(thursday) > 4 {
        thursday -= 1;
    }
    while weekday(thursday) < 4 {
        thursday += 1;
    }
    let of_year = date(thursday);
    (of_year.year, i128::from((of_year.day_of_year - 1) / 7 + 1))
}

fn per_day(data_type: &DataType) -> i128 {
    86_400
        * match data_type {
            DataType::Date32 => return 1,
            DataType::Timestamp(unit, _) | DataType::Time32(unit) | DataType::Time64(unit) => match unit {
                TimeUnit::Second => 1,
                TimeUnit::Millisecond => 1_000,
                TimeUnit::Microsecond => 1_000_000,
                TimeUnit::Nanosecond => 1_000_000_000,
            },
            _ => 1_000,
        }
}

fn each(column: &ArrayRef, to: &DataType, of: impl Fn(i128) -> Value) -> ArrayRef {
    let rows: Vec<_> = to_values(column).iter().map(|row| row.as_ref().and_then(Value::as_i128).map(&of)).collect();
    from_values(to, &rows)
}

/// Returns a component of each row.
pub fn extract_component(column: &ArrayRef, component: Component) -> ArrayRef {
    let per_day = per_day(column.data_type());
    each(column, &component.data_type(), |ticks| {
        let (days, nanoseconds) =
            (ticks.div_euclid(per_day), ticks.rem_euclid(per_day) * (86_400_000_000_000 / per_day));
        let date = date(days);
        let number = match component {
            Component::Year => i128::from(date.year as i32),
            Component::Month => date.month.into(),
            Component::Day => date.day.into(),
            Component::Weekday => weekday(days),
            Component::Hour => nanoseconds / 3_600_000_000_000,
            Component::Minute => nanoseconds / 60_000_000_000 % 60,
            Component::Second => nanoseconds / 1_000_000_000 % 60,
            Component::Millisecond => nanoseconds / 1_000_000 % 1000,
            Component::Microsecond => nanoseconds / 1_000 % 1000,
            Component::Nanosecond => nanoseconds % 1000,
            Component::DayOfYear => date.day_of_year.into(),
            Component::Quarter => i128::from((date.month - 1) / 3 + 1),
            Component::DaysInMonth => length_of(date.year, date.month).into(),
            Component::IsoWeek => iso_week(days).1,
            Component::IsoYear => i128::from(iso_week(days).0 as i32),
            Component::IsLeapYear => return Value::Bool(is_leap(date.year)),
            _ => {
                i128::from((first_day(date.year, date.month) + i128::from(length_of(date.year, date.month)) - 1) as i32)
            }
        };
        Value::Int(number)
    })
}

/// Rounds each row to a multiple of `frequency`.
pub fn round_datetimes(column: &ArrayRef, rounding: DatetimeRounding, frequency: Frequency) -> ArrayRef {
    let per_day = per_day(column.data_type());
    let is_days = *column.data_type() == DataType::Date32;
    each(column, column.data_type(), |ticks| {
        let (before, after, even) = match frequency {
            Frequency::Year | Frequency::Quarter | Frequency::Month => {
                let months = match frequency {
                    Frequency::Year => 12,
                    Frequency::Quarter => 3,
                    _ => 1,
                };
                let date = date(ticks.div_euclid(per_day));
                let month = (date.month - 1) / months * months + 1;
                let next = if month + months > 12 { (date.year + 1, 1) } else { (date.year, month + months) };
                (first_day(date.year, month) * per_day, first_day(next.0, next.1) * per_day, false)
            }
            _ => {
                let per_period = match frequency {
                    Frequency::Week => per_day * 7,
                    Frequency::Day => per_day,
                    Frequency::Hour => per_day / 24,
                    Frequency::Minute => per_day / 1_440,
                    Frequency::Second => per_day / 86_400,
                    Frequency::Millisecond => per_day / 86_400_000,
                    Frequency::Microsecond => per_day / 86_400_000_000,
                    _ => 1,
                }
                .max(1);
                // 1970-01-01 was a Thursday, so Mondays lie four days after multiples of seven days.
                let origin = if frequency == Frequency::Week { per_day * 4 } else { 0 };
                let count = (ticks - origin).div_euclid(per_period);
                let before = count * per_period + origin;
                (before, before + per_period, count % 2 == 0)
            }
        };
        let chosen = match rounding {
            DatetimeRounding::Floor => before,
            DatetimeRounding::Ceil if ticks == before => before,
            DatetimeRounding::Ceil => after,
            DatetimeRounding::Nearest => match (ticks - before).cmp(&(after - ticks)) {
                std::cmp::Ordering::Less => before,
                std::cmp::Ordering::Equal if even => before,
                _ => after,
            },
        };
        Value::Int(if is_days { i128::from(chosen as i32) } else { i128::from(chosen as i64) })
    })
}

/// Moves each row by a number of months.
pub fn add_calendrical_months(column: &ArrayRef, months: &ArrayRef) -> ArrayRef {
    let per_day = per_day(column.data_type());
    let is_days = *column.data_type() == DataType::Date32;
    let (rows, months) = (to_values(column), to_values(months));
    let month = |row: usize| months[if months.len() == 1 { 0 } else { row }].as_ref().and_then(Value::as_i128);
    let moved = |(row, ticks): (usize, &Option<Value>)| {
        let ticks = ticks.as_ref().and_then(Value::as_i128)?;
        let date = date(ticks.div_euclid(per_day));
        let index = date.year * 12 + i128::from(date.month) - 1 + month(row)?;
        let (year, month) = (index.div_euclid(12), index.rem_euclid(12) as u32 + 1);
        let day = first_day(year, month) + i128::from(date.day.min(length_of(year, month))) - 1;
        let moved = day * per_day + ticks.rem_euclid(per_day);
        Some(Value::Int(if is_days { i128::from(moved as i32) } else { i128::from(moved as i64) }))
    };
    let moved: Vec<_> = rows.iter().enumerate().map(moved).collect();
    from_values(column.data_type(), &moved)
}

#[cfg(test)]
mod tests {
    use chrono::{Datelike, Days, NaiveDate};

    use super::*;

    #[test]
    fn dates_are_those_of_chrono() {
        let epoch = NaiveDate::from_ymd_opt(1970, 1, 1).unwrap();
        let far = [-95_000_000_i64, -2_000_000, -719_469, 2_000_000, 95_000_000];
        for days in far.into_iter().chain((-800..800).map(|step| step * 97)) {
            let expected = match u64::try_from(days) {
                Ok(days) => epoch.checked_add_days(Days::new(days)),
                Err(_) => epoch.checked_sub_days(Days::new(days.unsigned_abs())),
            };
            let expected = expected.unwrap();
            let found = date(days.into());
            assert_eq!(found.year, expected.year().into());
            assert_eq!(
                (found.month, found.day, found.day_of_year),
                (expected.month(), expected.day(), expected.ordinal())
            );
            assert_eq!(weekday(days.into()), expected.weekday().number_from_monday().into());
            let week = expected.iso_week();
            assert_eq!(iso_week(days.into()), (week.year().into(), week.week().into()));
            assert_eq!(first_day(found.year, found.month) + i128::from(found.day) - 1, days.into());
        }
    }
}
