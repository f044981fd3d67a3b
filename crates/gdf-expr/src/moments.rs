//! Dates and times in operators: text that is compared with a date or a timestamp, and dates plus durations.

use gdf_core::{DataType, Error, Literal, Result, TimeUnit, is_string};

use crate::types::temporal::{Kind, Temporal};
use crate::value::Value;

const NANOS_OF_DAY: i128 = 86_400_000_000_000;

/// Converts a text that is compared with dates or timestamps to a value of their type. Returns `None` for values that
/// are not text, and for other types.
///
/// Dates are `2026-01-31`. Timestamps are dates, or dates and times `2026-01-31 12:30:05.25`, with a blank or a `T`
/// between both. Seconds may be left out. For a type with a time zone, the text must end with `Z` or an offset such as
/// `+02:00`; for other types it must not.
///
/// # Errors
/// * [`InvalidText`](Error::InvalidText): the text is no value of the type, or has more digits than the type.
pub(crate) fn of_text(value: &Value, data_type: &DataType) -> Result<Option<Value>> {
    let is_moment = matches!(data_type, DataType::Date32 | DataType::Date64 | DataType::Timestamp(..));
    let Some(text) = value.text().filter(|_| is_moment && is_string(value.data_type())) else { return Ok(None) };
    let invalid = || Error::invalid_text(text, data_type);
    let ticks = ticks(text, data_type).ok_or_else(invalid)?;
    let literal = match data_type {
        DataType::Date32 => Literal::typed(Some(i32::try_from(ticks).map_err(|_| invalid())?), data_type)?,
        _ => Literal::typed(Some(i64::try_from(ticks).map_err(|_| invalid())?), data_type)?,
    };
    Ok(Some(Value::new(literal)))
}

fn ticks(text: &str, data_type: &DataType) -> Option<i128> {
    let tick = Temporal::of(data_type)?.tick;
    let (date, time) = match text.split_once(['T', ' ']) {
        Some((date, time)) => (date, Some(time)),
        None => (text, None),
    };
    let midnight = i128::from(days(date)?) * NANOS_OF_DAY;
    let nanos = match (data_type, time) {
        (DataType::Date32 | DataType::Date64, None) | (DataType::Timestamp(_, None), None) => midnight,
        (DataType::Timestamp(_, None), Some(time)) => midnight + time_of_day(time)?,
        (DataType::Timestamp(_, Some(_)), Some(time)) => {
            let (time, offset) = with_offset(time)?;
            midnight + time_of_day(time)? - offset
        }
        _ => return None,
    };
    (nanos % tick == 0).then_some(nanos.div_euclid(tick))
}

/// Returns the number of a text of exactly `digits` digits, if it lies between `low` and `high`.
fn number(text: &str, digits: usize, low: i64, high: i64) -> Option<i64> {
    let is_number = text.len() == digits && text.bytes().all(|byte| byte.is_ascii_digit());
    text.parse().ok().filter(|number| is_number && (low..=high).contains(number))
}

/// Returns the number of days from 1970-01-01 to a date such as `2026-01-31`, by Howard Hinnant's `days_from_civil`.
fn days(date: &str) -> Option<i64> {
    let mut parts = date.split('-');
    let (year, month, day) = (parts.next()?, parts.next()?, parts.next()?);
    if parts.next().is_some() {
        return None;
    }
    let (year, month) = (number(year, 4, 0, 9999)?, number(month, 2, 1, 12)?);
    let is_leap = year % 4 == 0 && (year % 100 != 0 || year % 400 == 0);
    let last = match month {
        2 if is_leap => 29,
        2 => 28,
        4 | 6 | 9 | 11 => 30,
        _ => 31,
    };
    let day = number(day, 2, 1, last)?;
    // The year begins in March, so that the leap day is its last day.
    let (year, month) = if month > 2 { (year, month - 3) } else { (year - 1, month + 9) };
    let (era, of_era) = (year.div_euclid(400), year.rem_euclid(400));
    let of_year = (153 * month + 2) / 5 + day - 1;
    Some(era * 146_097 + of_era * 365 + of_era / 4 - of_era / 100 + of_year - 719_468)
}

/// Returns the nanoseconds from midnight to a time.
fn time_of_day(time: &str) -> Option<i128> {
    let (time, fraction) = time.split_once('.').map_or((time, None), |(time, fraction)| (time, Some(fraction)));
    let mut parts = time.split(':');
    let (hour, minute, second) = (parts.next()?, parts.next()?, parts.next());
    if parts.next().is_some() || (fraction.is_some() && second.is_none()) {
        return None;
    }
    let (hour, minute) = (number(hour, 2, 0, 23)?, number(minute, 2, 0, 59)?);
    let second = second.map_or(Some(0), |second| number(second, 2, 0, 59))?;
    let nanos = fraction.map_or(Some(0), |digits| {
        (1..=9).contains(&digits.len()).then(|| number(&format!("{digits:0<9}"), 9, 0, 999_999_999)).flatten()
    })?;
    Some(i128::from((hour * 60 + minute) * 60 + second) * 1_000_000_000 + i128::from(nanos))
}

/// Returns the time without its offset from UTC, and the offset in nanoseconds.
fn with_offset(time: &str) -> Option<(&str, i128)> {
    if let Some(time) = time.strip_suffix('Z') {
        return Some((time, 0));
    }
    let at = time.rfind(['+', '-'])?;
    let (time, offset) = (&time[..at], &time[at..]);
    let (hours, minutes) = offset[1..].split_once(':')?;
    let minutes = number(hours, 2, 0, 23)? * 60 + number(minutes, 2, 0, 59)?;
    let nanos = i128::from(minutes) * 60_000_000_000;
    Some((time, if offset.starts_with('-') { -nanos } else { nanos }))
}

#[derive(Clone, Debug, PartialEq)]
pub(crate) enum Moved {
    /// The date moves by `duration`, which is a whole number of days in the unit of `as_timestamp`. The result has the
    /// type of the date.
    Days { duration: Value, as_timestamp: DataType },
    /// The date becomes a timestamp of this type before the duration is added. The result has this type.
    Timestamp(DataType),
}

/// Returns how a date is moved by a duration: by days for a literal of whole days, and otherwise as a timestamp of the
/// finer unit. Returns `None` if the types are not a date and a duration.
pub(crate) fn moved(date: &DataType, duration: &DataType, literal: Option<&Value>) -> Result<Option<Moved>> {
    let (Some(of_date), Some(of_duration)) = (Temporal::of(date), Temporal::of(duration)) else { return Ok(None) };
    let DataType::Duration(unit) = *duration else { return Ok(None) };
    if of_date.kind != Kind::Date {
        return Ok(None);
    }
    let own = if *date == DataType::Date64 { TimeUnit::Millisecond } else { TimeUnit::Second };
    let whole = literal.filter(|value| !value.is_between_ticks());
    let nanos = whole.and_then(Value::integer).map(|ticks| ticks * of_duration.tick);
    if let Some(nanos) = nanos.filter(|nanos| nanos % NANOS_OF_DAY == 0) {
        let tick = if own == TimeUnit::Millisecond { 1_000_000 } else { 1_000_000_000 };
        let to = DataType::Duration(own);
        // A duration beyond 64 bits in the unit of the date makes a timestamp.
        if let Ok(ticks) = i64::try_from(nanos / tick) {
            let duration = Value::new(Literal::typed(Some(ticks), &to)?);
            return Ok(Some(Moved::Days { duration, as_timestamp: DataType::Timestamp(own, None) }));
        }
    }
    let finer = if own == TimeUnit::Millisecond && unit == TimeUnit::Second { own } else { unit };
    Ok(Some(Moved::Timestamp(DataType::Timestamp(finer, None))))
}

#[cfg(test)]
mod tests {
    use super::*;

    fn read(text: &str, data_type: &DataType) -> Option<i128> {
        of_text(&Value::from(text), data_type).ok().flatten()?.integer()
    }

    #[test]
    fn texts_are_dates_and_timestamps() {
        let date = |text| read(text, &DataType::Date32);
        assert_eq!(date("1970-01-01"), Some(0));
        assert_eq!(date("1969-12-31"), Some(-1));
        assert_eq!(date("2000-02-29"), Some(11_016));
        assert_eq!(date("0000-03-01"), Some(-719_468));
        assert_eq!(date("9999-12-31"), Some(2_932_896));
        assert_eq!(read("1970-01-02", &DataType::Date64), Some(86_400_000));
        for text in [
            "",
            "2001-02-29",
            "1900-02-29",
            "2000-13-01",
            "2000-00-10",
            "2000-1-1",
            "2000-01-32",
            "+200-01-01",
            "2000-01-01-",
            "2000-01-01 00:00",
            " 2000-01-01",
            "2000-01-0é",
        ] {
            assert_eq!(date(text), None, "{text}");
            let error = of_text(&Value::from(text), &DataType::Date32).unwrap_err();
            assert!(matches!(error, Error::InvalidText { .. }), "{error}");
        }
        let seconds = |text| read(text, &DataType::Timestamp(TimeUnit::Second, None));
        assert_eq!(seconds("1970-01-02"), Some(86_400));
        assert_eq!(seconds("1970-01-01T00:01"), Some(60));
        assert_eq!(seconds("1969-12-31 23:59:59"), Some(-1));
        assert_eq!(seconds("1970-01-01 00:00:01.0"), Some(1));
        for text in [
            "1970-01-01 00:00:01.5",
            "1970-01-01 24:00",
            "1970-01-01 00:00:60",
            "1970-01-01 1:00",
            "1970-01-01 00",
            "1970-01-01 00:00.5",
            "1970-01-01 00:00:00Z",
            "1970-01-01 ",
            "1970-01-01 00:00:00.",
            "1970-01-01 00:00:00.0000000001",
        ] {
            assert_eq!(seconds(text), None, "{text}");
        }
        assert_eq!(read("1970-01-01 00:00:00.000000007", &DataType::Timestamp(TimeUnit::Nanosecond, None)), Some(7));
        assert_eq!(read("9999-01-01", &DataType::Timestamp(TimeUnit::Nanosecond, None)), None);
        let zoned = DataType::Timestamp(TimeUnit::Second, Some("Europe/Paris".into()));
        assert_eq!(read("1970-01-01 02:00:00+02:00", &zoned), Some(0));
        assert_eq!(read("1970-01-01T00:00:00Z", &zoned), Some(0));
        assert_eq!(read("1970-01-01T00:00-01:30", &zoned), Some(5_400));
        assert_eq!(read("1970-01-01 00:00:00", &zoned), None);
        assert_eq!(of_text(&Value::from("x"), &DataType::Int32).unwrap(), None);
        assert_eq!(of_text(&Value::from(3), &DataType::Date32).unwrap(), None);
    }
}
