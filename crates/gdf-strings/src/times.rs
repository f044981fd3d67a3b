//! Conversion between strings and timestamps, dates or durations, according to a format.

use gdf_compute::datetime::civil::{self, civil};
use gdf_compute::datetime::{moment_unit, of_time_unit, ticks_per_day};
use gdf_core::{Column, ColumnView, DataType, Error, PhysicalType, Result, physical_type};
use gdf_engine::elementwise::{BitWords, Inputs, Nulls, Rows};
use gdf_engine::layout::OutputBuffers;
use gdf_engine::strings::{self, Builder, TextSink};
use gdf_kernels::generated::strings::{
    DateSource, FromTimes, FromTimesKernel, TimeField, TimeFormat, TimesText, ToTimes, ToTimesKernel,
};

use super::search::truths;
use super::time_format::{Direction, Format, FormatField};
use super::to_numbers::{parsed, values};
use crate::Ctx;

const PER_SECOND: i64 = 1_000_000_000;
const PER_DAY: i64 = 86_400 * PER_SECOND;

/// Parses each string as a timestamp or date of type `output_type`, according to `format`.
///
/// A row becomes null if its string does not match the format.
///
/// # Errors
/// * [`Unsupported`](Error::Unsupported) for columns other than `Utf8` or `LargeUtf8`, and for types other than dates
///   and timestamps of UTC.
/// * [`InvalidPattern`](Error::InvalidPattern): the format is invalid.
/// * [`DeviceMismatch`](Error::DeviceMismatch), [`BrokenData`](Error::BrokenData); driver and memory errors.
pub fn to_timestamps(column: ColumnView<'_>, output_type: &DataType, format: &str, ctx: Ctx<'_>) -> Result<Column> {
    let per_day = timestamp_ticks("to_timestamps", output_type).map_err(|error| error.in_argument("output_type"))?;
    read("to_timestamps", column, output_type, &Format::new(format, Direction::ReadTimestamps, 9)?, per_day, ctx)
}

/// Returns whether each string is a date or a timestamp according to `format`.
///
/// # Errors
/// * The errors of [`to_timestamps`].
pub fn is_timestamp(column: ColumnView<'_>, format: &str, ctx: Ctx<'_>) -> Result<Column> {
    let format = Format::new(format, Direction::ReadTimestamps, 9)?;
    read("is_timestamp", column, &DataType::Boolean, &format, 1, ctx)
}

/// Parses each string as a duration of type `output_type`, according to `format`.
///
/// A row becomes null if its string is not a duration in this format.
///
/// # Errors
/// * The errors of [`to_timestamps`]. [`Unsupported`](Error::Unsupported) is returned for types other than durations.
pub fn to_durations(column: ColumnView<'_>, output_type: &DataType, format: &str, ctx: Ctx<'_>) -> Result<Column> {
    let per_day = duration_ticks("to_durations", output_type).map_err(|error| error.in_argument("output_type"))?;
    read("to_durations", column, output_type, &Format::new(format, Direction::ReadDurations, 9)?, per_day, ctx)
}

/// Returns whether each string is a duration according to `format`.
///
/// # Errors
/// * The errors of [`to_durations`].
pub fn is_duration(column: ColumnView<'_>, format: &str, ctx: Ctx<'_>) -> Result<Column> {
    let format = Format::new(format, Direction::ReadDurations, 9)?;
    read("is_duration", column, &DataType::Boolean, &format, 1, ctx)
}

/// Formats each UTC timestamp or date as a `Utf8` string, according to `format`. Nulls stay null.
///
/// # Errors
/// * [`Unsupported`](Error::Unsupported) for types other than dates and timestamps of UTC.
/// * [`InvalidPattern`](Error::InvalidPattern): the format is invalid.
/// * [`OffsetOverflow`](Error::OffsetOverflow): more than 2³¹ − 1 bytes.
/// * [`DeviceMismatch`](Error::DeviceMismatch), [`BrokenData`](Error::BrokenData); driver and memory errors.
pub fn from_timestamps(column: ColumnView<'_>, format: &str, ctx: Ctx<'_>) -> Result<Column> {
    let per_day = timestamp_ticks("from_timestamps", column.data_type())?;
    write(column, &Format::new(format, Direction::WriteTimestamps, 0)?, per_day, ctx)
}

/// Formats each duration as a `Utf8` string, according to `format`. Nulls stay null.
///
/// # Errors
/// * The errors of [`from_timestamps`]. [`Unsupported`](Error::Unsupported) is returned for columns that are not
///   durations.
pub fn from_durations(column: ColumnView<'_>, format: &str, ctx: Ctx<'_>) -> Result<Column> {
    let per_day = duration_ticks("from_durations", column.data_type())?;
    let digits = (per_day / 86_400).ilog10() as u8;
    write(column, &Format::new(format, Direction::WriteDurations, digits)?, per_day, ctx)
}

fn timestamp_ticks(operation: &'static str, data_type: &DataType) -> Result<i64> {
    moment_unit(data_type).map(ticks_per_day).ok_or_else(|| Error::unsupported(operation, data_type))
}

fn duration_ticks(operation: &'static str, data_type: &DataType) -> Result<i64> {
    match data_type {
        DataType::Duration(unit) => Ok(ticks_per_day(of_time_unit(*unit))),
        _ => Err(Error::unsupported(operation, data_type)),
    }
}

fn read(
    operation: &'static str,
    column: ColumnView<'_>,
    output_type: &DataType,
    format: &Format,
    per_day: i64,
    ctx: Ctx<'_>,
) -> Result<Column> {
    // A date has no time of day, so its smallest step is a day, even for `Date64`, which counts milliseconds.
    let nanoseconds = if *output_type == DataType::Date64 { PER_DAY } else { PER_DAY / per_day };
    let p = format.for_ticks(per_day, nanoseconds);
    let number = |text: &[u8]| Reader { rest: text }.time(format, &p);
    parsed(
        operation,
        column,
        output_type,
        ctx,
        |rows, texts| match physical_type(output_type) {
            PhysicalType::Bool => truths(rows, |row| texts.get(row).and_then(number).is_some()),
            PhysicalType::I32 => values(rows, texts, |text| number(text).map(|ticks| ticks as i32)),
            PhysicalType::I64 => values(rows, texts, number),
            _ => Err(Error::unsupported(operation, output_type)),
        },
        |launch, bytes| {
            let arguments = ToTimes { input: launch.inputs[0], bytes, out: launch.out, p };
            launch.run(ToTimesKernel::Words, launch.rows, &arguments)
        },
    )
}

/// The part of a string that is not read yet.
#[derive(Clone, Copy)]
struct Reader<'a> {
    rest: &'a [u8],
}

#[derive(Clone, Copy, Default)]
struct Parts {
    year: i64,
    month: i64,
    day: i64,
    day_of_year: i64,
    week: i64,
    /// The day of the week, from 1 for Monday to 7 for Sunday.
    weekday: i64,
    days: i64,
    hour: i64,
    minute: i64,
    second: i64,
    nanosecond: i64,
    offset: i64,
    is_after_noon: bool,
    minus: bool,
}

impl Reader<'_> {
    fn take(&mut self, byte: u8) -> Option<()> {
        self.rest = self.rest.strip_prefix(&[byte])?;
        Some(())
    }

    fn sign(&mut self) -> bool {
        let minus = self.take(b'-').is_some();
        if !minus {
            let _ = self.take(b'+');
        }
        minus
    }

    /// Reads a number of one to `digits` digits.
    fn number(&mut self, digits: usize) -> Option<i64> {
        let count = self.rest.iter().take(digits).take_while(|byte| byte.is_ascii_digit()).count();
        let (number, rest) = self.rest.split_at_checked(count).filter(|_| count > 0)?;
        self.rest = rest;
        Some(number.iter().fold(0, |number, byte| number * 10 + i64::from(byte - b'0')))
    }

    fn number_up_to(&mut self, digits: usize, max: i64) -> Option<i64> {
        self.number(digits).filter(|number| *number <= max)
    }

    /// Reads one to `digits` digits after a point, and returns the fraction in nanoseconds.
    fn fraction(&mut self, digits: usize) -> Option<i64> {
        let before = self.rest.len();
        let number = self.number(digits)?;
        Some(number * 10_i64.pow(9 - (before - self.rest.len()) as u32))
    }

    /// Reads a name.
    fn name(&mut self, names: &[&str]) -> Option<i64> {
        let begins = |name: &str| {
            let part = self.rest.get(..name.len()).filter(|part| part.eq_ignore_ascii_case(name.as_bytes()));
            part.map(|part| part.len())
        };
        let found = names
            .iter()
            .enumerate()
            .find_map(|(at, name)| begins(name).or_else(|| begins(name.get(..3)?)).map(|size| (at, size)));
        let (at, size) = found?;
        self.rest = self.rest.get(size..)?;
        Some(at as i64 + 1)
    }

    /// Reads an offset from UTC, written as ±HHMM, ±HH:MM or Z, and returns the offset in seconds.
    fn offset(&mut self) -> Option<i64> {
        if self.take(b'Z').is_some() {
            return Some(0);
        }
        let has_sign = matches!(self.rest.first(), Some(b'+' | b'-'));
        let minus = self.sign();
        let mut two = || Some(self.number(1).filter(|_| has_sign)? * 10 + self.number(1)?);
        let hours = two()?;
        let _ = self.take(b':');
        let minutes = self.number(1)? * 10 + self.number(1)?;
        let offset = (hours * 60 + minutes) * if minus { -60 } else { 60 };
        (hours < 24 && minutes < 60).then_some(offset)
    }

    fn field(&mut self, field: FormatField, parts: &mut Parts) -> Option<()> {
        use TimeField as F;
        match field.kind {
            F::Byte => self.take(field.argument)?,
            F::Year => parts.year = self.number(4)?,
            F::YearOfCentury => {
                let number = self.number(2)?;
                parts.year = number + if number < 69 { 2000 } else { 1900 };
            }
            F::Month => parts.month = self.number(2)?,
            F::MonthName | F::ShortMonthName => parts.month = self.name(&MONTHS)?,
            F::Day => parts.day = self.number(2)?,
            F::DayOfYear => parts.day_of_year = self.number(3)?,
            F::SundayWeek | F::MondayWeek => parts.week = self.number(2)?,
            F::IsoWeekday => parts.weekday = self.number_up_to(1, 7).filter(|day| *day > 0)?,
            F::Weekday => parts.weekday = self.number_up_to(1, 6).map(|day| if day == 0 { 7 } else { day })?,
            F::WeekdayName | F::ShortWeekdayName => parts.weekday = self.name(&WEEKDAYS)?,
            F::Days => parts.days = self.number(18)?,
            F::Hour => parts.hour = self.number_up_to(2, 23)?,
            F::HourOfHalf => parts.hour = self.number_up_to(2, 12).filter(|hour| *hour > 0)? % 12,
            F::HourFromZero => parts.hour = self.number_up_to(2, 12)? % 12,
            F::Half => {
                let (half, rest) = self.rest.split_at_checked(2)?;
                parts.is_after_noon = half.eq_ignore_ascii_case(b"PM");
                if !parts.is_after_noon && !half.eq_ignore_ascii_case(b"AM") {
                    return None;
                }
                self.rest = rest;
            }
            F::Minute => parts.minute = self.number_up_to(2, 59)?,
            F::Second => parts.second = self.number_up_to(2, 59)?,
            F::Fraction => parts.nanosecond = self.fraction(field.argument.into())?,
            F::SecondFraction => {
                if self.take(b'.').is_some() {
                    parts.nanosecond = self.fraction(9)?;
                }
            }
            F::Offset => parts.offset = self.offset()?,
            F::Sign => parts.minus = self.sign(),
            F::IsoWeek | F::IsoYear | F::ZoneName => return None,
        }
        Some(())
    }

    fn time(mut self, format: &Format, p: &TimeFormat) -> Option<i64> {
        let mut parts = Parts { year: 1970, month: 1, day: 1, ..Parts::default() };
        for field in &format.fields {
            self.field(*field, &mut parts)?;
        }
        if !self.rest.is_empty() {
            return None;
        }
        let days = if p.is_duration == 0 { day_of(&parts, format.source)? } else { parts.days };
        let hour = parts.hour + if parts.is_after_noon { 12 } else { 0 };
        let second = (hour * 60 + parts.minute) * 60 + parts.second - parts.offset;
        let days = days + second.div_euclid(86_400);
        let nanoseconds = second.rem_euclid(86_400) * PER_SECOND + parts.nanosecond;
        let ticks = i128::from(days) * i128::from(p.ticks_per_day) + i128::from(nanoseconds / p.nanoseconds);
        i64::try_from(if parts.minus { -ticks } else { ticks }).ok()
    }
}

/// Returns the date that was read, as the number of days since 1970-01-01.
fn day_of(parts: &Parts, source: DateSource) -> Option<i64> {
    let first = civil::first_of_month(parts.year, 1);
    let end = civil::first_of_month(parts.year + 1, 1);
    let days = match source {
        DateSource::Month => {
            let month = Some(parts.month).filter(|month| (1..=12).contains(month))?;
            let day = Some(parts.day).filter(|day| *day <= civil::days_in_month(parts.year, month))?;
            civil::first_of_month(parts.year, month) + Some(day).filter(|day| *day > 0)? - 1
        }
        DateSource::DayOfYear => first + parts.day_of_year - 1,
        DateSource::SundayWeek | DateSource::MondayWeek => {
            let begin = if source == DateSource::SundayWeek { 7 } else { 1 };
            let week_begin = first + (begin - civil::iso_weekday(first)).rem_euclid(7);
            week_begin + (parts.week - 1) * 7 + (parts.weekday - begin).rem_euclid(7)
        }
    };
    let agrees = parts.weekday == 0 || parts.weekday == civil::iso_weekday(days);
    (agrees && first <= days && days < end).then_some(days)
}

fn write(column: ColumnView<'_>, format: &Format, per_day: i64, ctx: Ctx<'_>) -> Result<Column> {
    let p = format.for_ticks(per_day, PER_DAY / per_day);
    strings::build_about(
        column.len() * 20,
        Inputs::new([column.into()], ctx)?,
        &DataType::Utf8,
        Nulls::Keep,
        ctx,
        |rows, builder| match physical_type(column.data_type()) {
            PhysicalType::I32 => write_all::<i32>(rows, builder, format, &p),
            PhysicalType::I64 => write_all::<i64>(rows, builder, format, &p),
            _ => Err(Error::internal("the width of the times is neither 32 nor 64 bits")),
        },
        |launch| {
            let &strings::Launch { inputs: [input], out, counts, mailbox, .. } = launch;
            let p = TimesText { input, format: p };
            launch.run(FromTimesKernel::AllWrite, &FromTimes { out, p, counts, mailbox })
        },
    )
}

fn write_all<T: bytemuck::Pod + Into<i64> + Send + Sync>(
    rows: &Rows<'_, 1>,
    builder: &Builder<'_>,
    format: &Format,
    p: &TimeFormat,
) -> Result<OutputBuffers> {
    let (values, valid) = (rows.input().values::<T>()?, BitWords::validity(rows.input())?);
    builder.text(|row, sink| {
        let ticks = values.get(row).filter(|_| valid.word(row / 64) >> (row % 64) & 1 != 0);
        let parts = ticks.map(|ticks| Parts::of((*ticks).into(), p));
        parts.map(|parts| format.fields.iter().for_each(|field| parts.put(*field, sink))).is_some()
    })
}

impl Parts {
    fn of(ticks: i64, p: &TimeFormat) -> Self {
        let mut parts = Self::default();
        let rest = if p.is_duration == 0 {
            parts.days = ticks.div_euclid(p.ticks_per_day);
            let date = civil(parts.days);
            (parts.year, parts.month, parts.day) = (date.year, date.month, date.day);
            parts.day_of_year = parts.days - civil::first_of_month(date.year, 1) + 1;
            parts.weekday = civil::iso_weekday(parts.days);
            ticks.rem_euclid(p.ticks_per_day)
        } else {
            parts.minus = ticks < 0;
            let per_day = p.ticks_per_day.unsigned_abs();
            parts.days = (ticks.unsigned_abs() / per_day) as i64;
            (ticks.unsigned_abs() % per_day) as i64
        };
        let nanoseconds = rest * p.nanoseconds;
        parts.nanosecond = nanoseconds % PER_SECOND;
        let second = nanoseconds / PER_SECOND;
        (parts.hour, parts.minute, parts.second) = (second / 3600, second / 60 % 60, second % 60);
        parts
    }

    fn put(&self, field: FormatField, sink: &mut TextSink<'_>) {
        use TimeField as F;
        let name = |names: &[&'static str], number: i64| names.get(number as usize - 1).copied().unwrap_or_default();
        match field.kind {
            F::Byte => sink.put(&[field.argument]),
            F::Year => put_number(self.year, 4, sink),
            F::YearOfCentury => put_number(self.year.rem_euclid(100), 2, sink),
            F::Month => put_number(self.month, 2, sink),
            F::MonthName => sink.put(name(&MONTHS, self.month).as_bytes()),
            F::ShortMonthName => sink.put(short(name(&MONTHS, self.month))),
            F::Day => put_number(self.day, 2, sink),
            F::DayOfYear => put_number(self.day_of_year, 3, sink),
            F::SundayWeek => put_number((self.day_of_year + 6 - self.weekday % 7) / 7, 2, sink),
            F::MondayWeek => put_number((self.day_of_year + 7 - self.weekday) / 7, 2, sink),
            F::IsoWeek => {
                let thursday = civil::iso_thursday(self.days);
                put_number((thursday - civil::first_of_month(civil(thursday).year, 1)) / 7 + 1, 2, sink);
            }
            F::IsoYear => put_number(civil(civil::iso_thursday(self.days)).year, 4, sink),
            F::IsoWeekday => put_number(self.weekday, 1, sink),
            F::Weekday => put_number(self.weekday % 7, 1, sink),
            F::WeekdayName => sink.put(name(&WEEKDAYS, self.weekday).as_bytes()),
            F::ShortWeekdayName => sink.put(short(name(&WEEKDAYS, self.weekday))),
            F::Days => put_number(self.days, 1, sink),
            F::Hour => put_number(self.hour, 2, sink),
            F::HourOfHalf => put_number((self.hour + 11) % 12 + 1, 2, sink),
            F::HourFromZero => put_number(self.hour % 12, 2, sink),
            F::Half => sink.put(if self.hour < 12 { b"AM" } else { b"PM" }),
            F::Minute => put_number(self.minute, 2, sink),
            F::Second => put_number(self.second, 2, sink),
            F::Fraction => self.put_fraction(field.argument, sink),
            F::SecondFraction if self.nanosecond == 0 => {}
            F::SecondFraction => {
                sink.put(b".");
                self.put_fraction(field.argument, sink);
            }
            F::Offset => sink.put(b"+0000"),
            F::ZoneName => sink.put(b"UTC"),
            F::Sign => sink.put(if self.minus { b"-" } else { b"" }),
        }
    }

    fn put_fraction(&self, digits: u8, sink: &mut TextSink<'_>) {
        put_number(self.nanosecond / 10_i64.pow(9 - u32::from(digits)), digits.into(), sink);
    }
}

fn short(name: &str) -> &[u8] {
    name.as_bytes().get(..3).unwrap_or_default()
}

/// Writes a number with at least `digits` digits.
fn put_number(number: i64, digits: usize, sink: &mut TextSink<'_>) {
    if number < 0 {
        sink.put(b"-");
    }
    let mut buffer = itoa::Buffer::new();
    let text = buffer.format(number.unsigned_abs()).as_bytes();
    sink.put_times(b"0", digits.saturating_sub(text.len()));
    sink.put(text);
}

const MONTHS: [&str; 12] = [
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
];
const WEEKDAYS: [&str; 7] = ["Monday", "Tuesday", "Wednesday", "Thursday", "Friday", "Saturday", "Sunday"];
