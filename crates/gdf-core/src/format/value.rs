//! Formats single values of Arrow arrays as text.
//!
//! Byte strings are hexadecimal.

use std::fmt::{self, Write};

use arrow_array::cast::AsArray;
use arrow_array::timezone::Tz;
use arrow_array::types::*;
use arrow_array::{Array, ArrayRef, ArrowPrimitiveType, PrimitiveArray};
use arrow_schema::{DataType, IntervalUnit, TimeUnit};

/// Formats the value of a row.
pub(crate) fn text(array: &dyn Array, row: usize) -> String {
    let mut text = String::new();
    let _ = write_value(&mut text, array, row, false);
    text
}

/// Returns the first characters of the value of a row.
pub(crate) fn first_characters(array: &dyn Array, row: usize, characters: usize) -> String {
    let mut first = First { text: String::new(), left: characters };
    // The write stops with an error when `first` is full. That is intended, so the error is ignored.
    let _ = write_value(&mut first, array, row, false);
    first.text
}

/// A writer that accepts a limited number of characters, and then returns an error.
struct First {
    text: String,
    left: usize,
}

impl Write for First {
    fn write_str(&mut self, text: &str) -> fmt::Result {
        for letter in text.chars() {
            self.left = self.left.checked_sub(1).ok_or(fmt::Error)?;
            self.text.push(letter);
        }
        Ok(())
    }
}

/// Writes the value of a row.
fn write_value(f: &mut dyn Write, array: &dyn Array, row: usize, quoted: bool) -> fmt::Result {
    use DataType as D;
    if array.is_null(row) {
        return f.write_str("null");
    }
    match array.data_type() {
        D::Null => f.write_str("null"),
        D::Boolean => write!(f, "{}", array.as_boolean().value(row)),
        D::Int8 => number::<Int8Type>(f, array, row),
        D::Int16 => number::<Int16Type>(f, array, row),
        D::Int32 => number::<Int32Type>(f, array, row),
        D::Int64 => number::<Int64Type>(f, array, row),
        D::UInt8 => number::<UInt8Type>(f, array, row),
        D::UInt16 => number::<UInt16Type>(f, array, row),
        D::UInt32 => number::<UInt32Type>(f, array, row),
        D::UInt64 => number::<UInt64Type>(f, array, row),
        D::Float16 => number::<Float16Type>(f, array, row),
        D::Float32 => number::<Float32Type>(f, array, row),
        D::Float64 => number::<Float64Type>(f, array, row),
        D::Decimal32(_, scale) => decimal::<Decimal32Type>(f, array, row, *scale),
        D::Decimal64(_, scale) => decimal::<Decimal64Type>(f, array, row, *scale),
        D::Decimal128(_, scale) => decimal::<Decimal128Type>(f, array, row, *scale),
        D::Decimal256(_, scale) => decimal::<Decimal256Type>(f, array, row, *scale),
        D::Date32 => date::<Date32Type>(f, array, row),
        D::Date64 => date::<Date64Type>(f, array, row),
        D::Time32(TimeUnit::Second) => time::<Time32SecondType>(f, array, row),
        D::Time32(_) => time::<Time32MillisecondType>(f, array, row),
        D::Time64(TimeUnit::Microsecond) => time::<Time64MicrosecondType>(f, array, row),
        D::Time64(_) => time::<Time64NanosecondType>(f, array, row),
        D::Timestamp(TimeUnit::Second, zone) => timestamp::<TimestampSecondType>(f, array, row, zone.as_deref()),
        D::Timestamp(TimeUnit::Millisecond, zone) => {
            timestamp::<TimestampMillisecondType>(f, array, row, zone.as_deref())
        }
        D::Timestamp(TimeUnit::Microsecond, zone) => {
            timestamp::<TimestampMicrosecondType>(f, array, row, zone.as_deref())
        }
        D::Timestamp(TimeUnit::Nanosecond, zone) => {
            timestamp::<TimestampNanosecondType>(f, array, row, zone.as_deref())
        }
        D::Duration(TimeUnit::Second) => duration::<DurationSecondType>(f, array, row),
        D::Duration(TimeUnit::Millisecond) => duration::<DurationMillisecondType>(f, array, row),
        D::Duration(TimeUnit::Microsecond) => duration::<DurationMicrosecondType>(f, array, row),
        D::Duration(TimeUnit::Nanosecond) => duration::<DurationNanosecondType>(f, array, row),
        D::Interval(unit) => interval(f, array, row, *unit),
        D::Utf8 => string(f, array.as_string::<i32>().value(row), quoted),
        D::LargeUtf8 => string(f, array.as_string::<i64>().value(row), quoted),
        D::Utf8View => string(f, array.as_string_view().value(row), quoted),
        D::Binary => bytes(f, array.as_binary::<i32>().value(row)),
        D::LargeBinary => bytes(f, array.as_binary::<i64>().value(row)),
        D::BinaryView => bytes(f, array.as_binary_view().value(row)),
        D::FixedSizeBinary(_) => bytes(f, array.as_fixed_size_binary().value(row)),
        D::List(_) => list(f, &array.as_list::<i32>().value(row)),
        D::LargeList(_) => list(f, &array.as_list::<i64>().value(row)),
        D::ListView(_) => list(f, &array.as_list_view::<i32>().value(row)),
        D::LargeListView(_) => list(f, &array.as_list_view::<i64>().value(row)),
        D::FixedSizeList(_, _) => list(f, &array.as_fixed_size_list().value(row)),
        D::Struct(fields) => {
            let names = fields.iter().map(|field| field.name().as_str());
            let columns = names.zip(array.as_struct().columns());
            separated(f, ["{", "}"], columns, |f, (name, column)| {
                write!(f, "{name}: ")?;
                write_value(f, column, row, true)
            })
        }
        D::Map(_, _) => {
            let entries = array.as_map().value(row);
            separated(f, ["{", "}"], 0..entries.len(), |f, entry| {
                write_value(f, entries.column(0), entry, true)?;
                f.write_str(": ")?;
                write_value(f, entries.column(1), entry, true)
            })
        }
        D::Dictionary(_, _) => {
            let dictionary = array.as_any_dictionary();
            write_value(f, dictionary.values(), dictionary.normalized_keys()[row], quoted)
        }
        D::Union(_, _) => {
            let union = array.as_union();
            write_value(f, union.child(union.type_id(row)), union.value_offset(row), quoted)
        }
        D::RunEndEncoded(ends, _) => match ends.data_type() {
            D::Int16 => run::<Int16Type>(f, array, row, quoted),
            D::Int32 => run::<Int32Type>(f, array, row, quoted),
            _ => run::<Int64Type>(f, array, row, quoted),
        },
    }
}

/// Writes a number with `Debug`.
fn number<T: ArrowPrimitiveType<Native: fmt::Debug>>(f: &mut dyn Write, array: &dyn Array, row: usize) -> fmt::Result {
    write!(f, "{:?}", array.as_primitive::<T>().value(row))
}

/// Writes a decimal with all of its digits. A value can have more digits than its type, and arrow-rs would then leave
/// out the last ones.
fn decimal<T: ArrowPrimitiveType<Native: fmt::Display>>(
    f: &mut dyn Write,
    array: &dyn Array,
    row: usize,
    scale: i8,
) -> fmt::Result {
    let digits = array.as_primitive::<T>().value(row).to_string();
    let Some(places) = usize::try_from(scale).ok().filter(|places| *places > 0) else {
        let zeros = if digits == "0" { 0 } else { usize::from(scale.unsigned_abs()) };
        return write!(f, "{digits}{:0<zeros$}", "");
    };
    let (sign, digits) = digits.strip_prefix('-').map_or(("", &*digits), |digits| ("-", digits));
    let digits = format!("{digits:0>width$}", width = places + 1);
    let (whole, rest) = digits.split_at(digits.len() - places);
    write!(f, "{sign}{whole}.{rest}")
}

/// Writes a date or time that chrono formats.
fn written<T: ArrowPrimitiveType, V>(
    f: &mut dyn Write,
    array: &dyn Array,
    row: usize,
    value: impl Fn(&PrimitiveArray<T>, usize) -> Option<V>,
    write: impl Fn(&mut dyn Write, V) -> fmt::Result,
) -> fmt::Result {
    let array = array.as_primitive::<T>();
    match value(array, row) {
        Some(value) => write(f, value),
        None => write!(f, "{:?}", array.value(row)),
    }
}

fn date<T: ArrowTemporalType>(f: &mut dyn Write, array: &dyn Array, row: usize) -> fmt::Result
where
    i64: From<T::Native>,
{
    written::<T, _>(f, array, row, |array, row| array.value_as_date(row), |f, date| write!(f, "{date}"))
}

fn time<T: ArrowTemporalType>(f: &mut dyn Write, array: &dyn Array, row: usize) -> fmt::Result
where
    i64: From<T::Native>,
{
    written::<T, _>(f, array, row, |array, row| array.value_as_time(row), |f, time| write!(f, "{time}"))
}

/// Writes a timestamp.
fn timestamp<T: ArrowTimestampType>(
    f: &mut dyn Write,
    array: &dyn Array,
    row: usize,
    zone: Option<&str>,
) -> fmt::Result {
    let Some(zone) = zone else {
        let local = |array: &PrimitiveArray<T>, row| array.value_as_datetime(row);
        return written::<T, _>(f, array, row, local, |f, local| write!(f, "{local:?}"));
    };
    let named = !zone.starts_with(['+', '-']);
    let zone: Option<Tz> = if named { "+00:00" } else { zone }.parse().ok();
    let instant = |array: &PrimitiveArray<T>, row| array.value_as_datetime_with_tz(row, zone?);
    written::<T, _>(f, array, row, instant, |f, instant| {
        write!(f, "{:?}", instant.naive_local())?;
        if named { f.write_str("Z") } else { write!(f, "{}", instant.format("%:z")) }
    })
}

fn duration<T: ArrowTemporalType>(f: &mut dyn Write, array: &dyn Array, row: usize) -> fmt::Result
where
    i64: From<T::Native>,
{
    written::<T, _>(f, array, row, |array, row| array.value_as_duration(row), |f, span| write!(f, "{span}"))
}

fn interval(f: &mut dyn Write, array: &dyn Array, row: usize, unit: IntervalUnit) -> fmt::Result {
    match unit {
        IntervalUnit::YearMonth => write!(f, "P{}M", array.as_primitive::<IntervalYearMonthType>().value(row)),
        IntervalUnit::DayTime => {
            let span = array.as_primitive::<IntervalDayTimeType>().value(row);
            write!(f, "P{}DT{}S", span.days, fraction(span.milliseconds.into(), 3))
        }
        IntervalUnit::MonthDayNano => {
            let span = array.as_primitive::<IntervalMonthDayNanoType>().value(row);
            write!(f, "P{}M{}DT{}S", span.months, span.days, fraction(span.nanoseconds, 9))
        }
    }
}

/// Divides `ticks` by 10 to the power of `digits`, and returns the quotient as a decimal number without trailing zeros.
fn fraction(ticks: i64, digits: u32) -> String {
    let (one, sign) = (10_u64.pow(digits), if ticks < 0 { "-" } else { "" });
    let (whole, rest) = (ticks.unsigned_abs() / one, ticks.unsigned_abs() % one);
    match rest {
        0 => format!("{sign}{whole}"),
        _ => format!("{sign}{whole}.{rest:0width$}", width = digits as usize).trim_end_matches('0').to_owned(),
    }
}

/// Writes text.
fn string(f: &mut dyn Write, text: &str, quoted: bool) -> fmt::Result {
    if quoted {
        return write!(f, "{text:?}");
    }
    for c in text.chars() {
        if c.is_control() { write!(f, "{}", c.escape_debug())? } else { f.write_char(c)? }
    }
    Ok(())
}

fn bytes(f: &mut dyn Write, bytes: &[u8]) -> fmt::Result {
    bytes.iter().try_for_each(|byte| write!(f, "{byte:02x}"))
}

fn list(f: &mut dyn Write, values: &ArrayRef) -> fmt::Result {
    separated(f, ["[", "]"], 0..values.len(), |f, row| write_value(f, values, row, true))
}

fn separated<T>(
    f: &mut dyn Write,
    [open, close]: [&str; 2],
    items: impl IntoIterator<Item = T>,
    write: impl Fn(&mut dyn Write, T) -> fmt::Result,
) -> fmt::Result {
    f.write_str(open)?;
    for (i, item) in items.into_iter().enumerate() {
        if i > 0 {
            f.write_str(", ")?;
        }
        write(f, item)?;
    }
    f.write_str(close)
}

fn run<T: RunEndIndexType>(f: &mut dyn Write, array: &dyn Array, row: usize, quoted: bool) -> fmt::Result {
    match array.as_run_opt::<T>() {
        Some(runs) => write_value(f, runs.values(), runs.get_physical_index(row), quoted),
        None => Ok(()),
    }
}

#[cfg(test)]
#[path = "value_tests.rs"]
mod tests;
