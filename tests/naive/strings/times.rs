//! Oracles of `strings` for conversions between text and timestamps or durations. The oracles use chrono for dates, and
//! for the parts of timestamps.

use arrow_array::ArrayRef;
use arrow_schema::{DataType, TimeUnit};
use chrono::{Datelike, Days, NaiveDate, NaiveTime, Timelike};

use super::map;
use super::numbers::{parsed, texts};
use gdf_test::value::Value;

const DAY: i128 = 86_400_000_000_000;

fn nanoseconds(data_type: &DataType) -> i128 {
    match data_type {
        DataType::Date32 => DAY,
        DataType::Timestamp(unit, _) | DataType::Duration(unit) => match unit {
            TimeUnit::Second => 1_000_000_000,
            TimeUnit::Millisecond => 1_000_000,
            TimeUnit::Microsecond => 1_000,
            TimeUnit::Nanosecond => 1,
        },
        _ => 1_000_000,
    }
}

fn parts(format: &str) -> Vec<String> {
    let short = [("%F", "%Y-%m-%d"), ("%r", "%OI:%OM:%OS %p"), ("%R", "%H:%M"), ("%T", "%H:%M:%S")];
    let format = short.iter().fold(format.to_owned(), |format, (short, long)| format.replace(short, long));
    let mut parts = Vec::new();
    let mut rest = format.chars();
    while let Some(character) = rest.next() {
        let mut part = character.to_string();
        while part.starts_with('%')
            && (part.len() == 1 || part.ends_with(|last: char| last == 'O' || last.is_ascii_digit()))
        {
            part.push(rest.next().expect("a specifier follows the percent sign"));
        }
        parts.push(part);
    }
    parts
}

/// A text that is read from its beginning.
struct Text<'a>(&'a str);

impl Text<'_> {
    fn take(&mut self, what: &str) -> Option<()> {
        self.0 = self.0.strip_prefix(what)?;
        Some(())
    }

    fn number(&mut self, digits: usize) -> Option<u64> {
        let end = self.0.find(|digit: char| !digit.is_ascii_digit()).unwrap_or(self.0.len()).min(digits);
        let (number, rest) = self.0.split_at(end);
        self.0 = rest;
        number.parse().ok()
    }

    /// Reads a fraction of at most `digits` digits, and returns nanoseconds.
    fn fraction(&mut self, digits: usize) -> Option<u32> {
        let before = self.0;
        self.number(digits)?;
        format!("{:0<9}", &before[..before.len() - self.0.len()]).parse().ok()
    }

    fn any(&mut self, names: &[&str]) -> Option<u32> {
        let begins = |name: &&str| self.0.get(..name.len()).is_some_and(|part| part.eq_ignore_ascii_case(name));
        let found = names.iter().position(begins)?;
        self.0 = &self.0[names[found].len()..];
        Some(found as u32)
    }
}

const MONTHS: [&str; 24] = [
    "January",
    "February",
    "March",
    "April",
    "May",
    "June",
    "July",
    "August",
    "September",
    "October",
    "November",
    "December",
    "Jan",
    "Feb",
    "Mar",
    "Apr",
    "May",
    "Jun",
    "Jul",
    "Aug",
    "Sep",
    "Oct",
    "Nov",
    "Dec",
];
const WEEKDAYS: [&str; 14] = [
    "Monday",
    "Tuesday",
    "Wednesday",
    "Thursday",
    "Friday",
    "Saturday",
    "Sunday",
    "Mon",
    "Tue",
    "Wed",
    "Thu",
    "Fri",
    "Sat",
    "Sun",
];

/// Parses a timestamp, and returns nanoseconds since 1970-01-01.
fn timestamp(text: &str, format: &str) -> Option<i128> {
    let mut text = Text(text);
    let (mut year, mut month, mut day, mut of_year, mut weekday) = (1970, 1, 1, None, None);
    let (mut sunday_week, mut monday_week) = (None, None);
    let (mut hour, mut after_noon, mut minute, mut second, mut nanosecond, mut offset) = (0, false, 0, 0, 0, 0);
    for part in parts(format) {
        match part.as_str() {
            "%Y" => year = text.number(4)? as i32,
            "%y" => {
                let number = text.number(2)? as i32;
                year = if number >= 69 { 1900 + number } else { 2000 + number };
            }
            "%m" => month = text.number(2)? as u32,
            "%b" | "%B" => month = text.any(&MONTHS)? % 12 + 1,
            "%d" => day = text.number(2)? as u32,
            "%j" => of_year = Some(text.number(3)? as u32),
            "%U" => sunday_week = Some(text.number(2)?),
            "%W" => monday_week = Some(text.number(2)?),
            "%u" => weekday = Some(text.number(1)? as u32),
            "%w" => {
                weekday = Some(text.number(1).filter(|day| *day < 7).map(|day| if day == 0 { 7 } else { day as u32 })?)
            }
            "%a" | "%A" => weekday = Some(text.any(&WEEKDAYS)? % 7 + 1),
            "%H" => hour = text.number(2)? as u32,
            "%I" => hour = text.number(2).filter(|hour| (1..=12).contains(hour))? as u32 % 12,
            "%p" => after_noon = text.any(&["AM", "PM"])? == 1,
            "%M" => minute = text.number(2)? as u32,
            "%S" => second = text.number(2)? as u32,
            "%z" if text.take("Z").is_some() => {}
            "%z" => {
                let sign = if text.any(&["+", "-"])? == 0 { 1 } else { -1 };
                let hours = text.number(1)? * 10 + text.number(1)?;
                let _ = text.take(":");
                let minutes = text.number(1)? * 10 + text.number(1)?;
                NaiveTime::from_hms_opt(hours as u32, minutes as u32, 0)?;
                offset = sign * (hours * 60 + minutes) as i128;
            }
            fraction if fraction.len() > 1 && fraction.ends_with('f') => {
                let digits = fraction.trim_matches(['%', 'f']).parse().unwrap_or(6);
                nanosecond = text.fraction(digits)?;
            }
            "%%" => text.take("%")?,
            other => text.take(other)?,
        }
    }
    let date = match (sunday_week.map(|week| (week, "%U")), monday_week.map(|week| (week, "%W"))) {
        (Some((week, specifier)), _) | (_, Some((week, specifier))) => {
            NaiveDate::parse_from_str(&format!("{year:04} {week} {}", weekday?), &format!("%Y {specifier} %u")).ok()?
        }
        _ => of_year
            .map_or(NaiveDate::from_ymd_opt(year, month, day), |of_year| NaiveDate::from_yo_opt(year, of_year))?,
    };
    if !text.0.is_empty() || weekday.is_some_and(|day| day != date.weekday().number_from_monday()) {
        return None;
    }
    let time = NaiveTime::from_hms_nano_opt(hour + if after_noon { 12 } else { 0 }, minute, second, nanosecond)?;
    let days = date.signed_duration_since(NaiveDate::default()).num_days();
    let seconds = i128::from(days) * 86_400 + i128::from(time.num_seconds_from_midnight()) - offset * 60;
    Some(seconds * 1_000_000_000 + i128::from(time.nanosecond()))
}

/// Parses a duration.
fn duration(text: &str, format: &str) -> Option<(i128, bool)> {
    let mut text = Text(text);
    let (mut days, mut hour, mut after_noon, mut minute, mut second, mut nanosecond) = (0, 0, false, 0, 0, 0);
    let mut sign = None;
    for part in parts(format) {
        if sign.is_none() && ["%D", "%H", "%I", "%M", "%S"].contains(&part.as_str()) {
            sign = Some(text.any(&["-", "+"]) == Some(0));
        }
        match part.as_str() {
            "%D" => days = text.number(18)?,
            "%H" | "%OH" => hour = text.number(2)? as u32,
            "%I" | "%OI" => hour = text.number(2).filter(|hour| *hour <= 12)? as u32 % 12,
            "%p" => after_noon = text.any(&["AM", "PM"])? == 1,
            "%M" | "%OM" => minute = text.number(2)? as u32,
            "%S" | "%OS" => {
                second = text.number(2)? as u32;
                if part == "%S" && text.take(".").is_some() {
                    nanosecond = text.fraction(9)?;
                }
            }
            "%n" => text.take("\n")?,
            "%t" => text.take("\t")?,
            "%%" => text.take("%")?,
            other => text.take(other)?,
        }
    }
    let time = NaiveTime::from_hms_nano_opt(hour + if after_noon { 12 } else { 0 }, minute, second, nanosecond)?;
    let of_day = i128::from(time.num_seconds_from_midnight()) * 1_000_000_000 + i128::from(time.nanosecond());
    text.0.is_empty().then_some((i128::from(days) * DAY + of_day, sign == Some(true)))
}

/// Parses timestamps.
pub fn to_timestamps(column: &ArrayRef, output_type: &DataType, format: &str) -> ArrayRef {
    parsed(column, output_type, |text| {
        let moment = timestamp(text, format)?;
        let ticks = match output_type {
            DataType::Date64 => moment.div_euclid(DAY) * 86_400_000,
            _ => moment.div_euclid(nanoseconds(output_type)),
        };
        i64::try_from(ticks).ok().map(|ticks| Value::Int(ticks.into()))
    })
}

/// Returns whether each row is a timestamp.
pub fn is_timestamp(column: &ArrayRef, format: &str) -> ArrayRef {
    map(column, &DataType::Boolean, |text| Value::Bool(timestamp(text, format).is_some()))
}

/// Parses durations.
pub fn to_durations(column: &ArrayRef, output_type: &DataType, format: &str) -> ArrayRef {
    parsed(column, output_type, |text| {
        let (size, minus) = duration(text, format)?;
        let ticks = size / nanoseconds(output_type);
        i64::try_from(if minus { -ticks } else { ticks }).ok().map(|ticks| Value::Int(ticks.into()))
    })
}

/// Returns whether each row is a duration.
pub fn is_duration(column: &ArrayRef, format: &str) -> ArrayRef {
    map(column, &DataType::Boolean, |text| Value::Bool(duration(text, format).is_some()))
}

fn year_text(year: i128) -> String {
    if year < 0 { format!("-{:04}", -year) } else { format!("{year:04}") }
}

/// Formats timestamps.
pub fn from_timestamps(column: &ArrayRef, format: &str) -> ArrayRef {
    let tick = nanoseconds(column.data_type());
    texts(column, |value| {
        let moment = value.as_i128().expect("a time is a whole number") * tick;
        let (days, of_day) = (moment.div_euclid(DAY), moment.rem_euclid(DAY));
        let date = NaiveDate::default()
            .checked_add_days(Days::new(days.rem_euclid(146_097) as u64))
            .expect("the first 400 years have the day");
        let cycles = days.div_euclid(146_097);
        let (seconds, nanosecond) = ((of_day / 1_000_000_000) as u32, (of_day % 1_000_000_000) as u32);
        let time = NaiveTime::from_num_seconds_from_midnight_opt(seconds, nanosecond)
            .expect("the seconds are less than a day");
        let write = |part: &String| match part.as_str() {
            "%Y" => year_text(i128::from(date.year()) + 400 * cycles),
            "%G" => year_text(i128::from(date.iso_week().year()) + 400 * cycles),
            "%z" => "+0000".to_owned(),
            "%Z" => "UTC".to_owned(),
            fraction if fraction.len() > 1 && fraction.ends_with('f') => {
                let digits = fraction.trim_matches(['%', 'f']).parse().unwrap_or(6);
                format!("{nanosecond:09}")[..digits].to_owned()
            }
            other => date.and_time(time).format(other).to_string(),
        };
        parts(format).iter().map(write).collect()
    })
}

/// Formats durations.
pub fn from_durations(column: &ArrayRef, format: &str) -> ArrayRef {
    let tick = nanoseconds(column.data_type());
    let digits = format!("{}", 1_000_000_000 / tick).len() - 1;
    texts(column, |value| {
        let value = value.as_i128().expect("a duration is a whole number") * tick;
        let size = value.abs();
        let seconds = size / 1_000_000_000;
        let (hour, minute, second) = (seconds / 3600 % 24, seconds / 60 % 60, seconds % 60);
        let mut sign = if value < 0 { "-" } else { "" };
        let mut text = String::new();
        for part in parts(format) {
            if ["%D", "%H", "%I", "%M", "%S"].contains(&part.as_str()) {
                text += std::mem::take(&mut sign);
            }
            text += &match part.as_str() {
                "%D" => (size / DAY).to_string(),
                "%H" | "%OH" => format!("{hour:02}"),
                "%I" | "%OI" => format!("{:02}", hour % 12),
                "%p" => (if hour < 12 { "AM" } else { "PM" }).to_owned(),
                "%M" | "%OM" => format!("{minute:02}"),
                "%OS" => format!("{second:02}"),
                "%S" if size % 1_000_000_000 == 0 => format!("{second:02}"),
                "%S" => format!("{second:02}.{}", &format!("{:09}", size % 1_000_000_000)[..digits]),
                "%n" => "\n".to_owned(),
                "%t" => "\t".to_owned(),
                "%%" => "%".to_owned(),
                _ => part,
            };
        }
        text
    })
}
