//! Conversions of texts to floats, and of floats to texts.

use gdf_core::{Column, ColumnView, DataType, Error, Result};
use gdf_engine::elementwise::{BitWords, Inputs, Nulls};
use gdf_engine::strings::{self, TextSink};
use gdf_kernels::generated::strings::{FloatFormat, FromFloats, FromFloatsKernel, ToFloats, ToFloatsKernel};

use super::search::truths;
use super::to_numbers::{parsed, values};
use crate::Ctx;

/// Converts each row of text to the nearest float of type `output_type`, as `str::parse` does. A row becomes null if
/// its text is not a number.
///
/// # Errors
/// * [`Unsupported`](Error::Unsupported) for columns other than `Utf8` or `LargeUtf8`, and for types other than
///   `Float32` and `Float64`.
/// * [`DeviceMismatch`](Error::DeviceMismatch), [`BrokenData`](Error::BrokenData); driver and memory errors.
pub fn to_floats(column: ColumnView<'_>, output_type: &DataType, ctx: Ctx<'_>) -> Result<Column> {
    floats("to_floats", column, output_type, output_type, ctx)
}

/// Returns whether each row of text is a number that [`to_floats`] converts.
///
/// # Errors
/// * The errors of [`to_floats`].
pub fn is_float(column: ColumnView<'_>, ctx: Ctx<'_>) -> Result<Column> {
    floats("is_float", column, &DataType::Boolean, &DataType::Float64, ctx)
}

fn floats(
    operation: &'static str,
    column: ColumnView<'_>,
    output_type: &DataType,
    data_type: &DataType,
    ctx: Ctx<'_>,
) -> Result<Column> {
    let (bits, mantissa, min_exponent) = match data_type {
        DataType::Float32 => (32, f32::MANTISSA_DIGITS, f32::MIN_EXP),
        DataType::Float64 => (64, f64::MANTISSA_DIGITS, f64::MIN_EXP),
        _ => return Err(Error::unsupported(operation, data_type).in_argument("output_type")),
    };
    // Rust's `MIN_EXP` is the exponent for a mantissa below 1. The kernels use a mantissa from 1 to 2, so their
    // exponent is one less.
    let p = FloatFormat { bits, mantissa: mantissa as i32, min_exponent: min_exponent - 1, unused: 0 };
    parsed(
        operation,
        column,
        output_type,
        ctx,
        |rows, texts| match output_type {
            DataType::Boolean => truths(rows, |row| texts.get(row).and_then(number::<f64>).is_some()),
            DataType::Float32 => values(rows, texts, number::<f32>),
            DataType::Float64 => values(rows, texts, number::<f64>),
            _ => Err(Error::unsupported(operation, output_type)),
        },
        |launch, bytes| {
            let arguments = ToFloats { input: launch.inputs[0], bytes, out: launch.out, p };
            launch.run(ToFloatsKernel::Words, launch.rows, &arguments)
        },
    )
}

fn number<T: std::str::FromStr>(text: &[u8]) -> Option<T> {
    std::str::from_utf8(text).ok()?.parse().ok()
}

/// Formats each float as a `Utf8` string, as `{:?}` prints it: the shortest digits that parse to the same float.
/// Nulls stay null.
///
/// # Errors
/// * [`Unsupported`](Error::Unsupported) for columns other than `Float32` and `Float64`.
/// * [`OffsetOverflow`](Error::OffsetOverflow): more than 2³¹ − 1 bytes.
/// * [`DeviceMismatch`](Error::DeviceMismatch), [`BrokenData`](Error::BrokenData); driver and memory errors.
pub fn from_floats(column: ColumnView<'_>, ctx: Ctx<'_>) -> Result<Column> {
    let is_double = match column.data_type() {
        DataType::Float32 => false,
        DataType::Float64 => true,
        other => return Err(Error::unsupported("from_floats", other)),
    };
    strings::build_about(
        column.len() * if is_double { 18 } else { 10 },
        Inputs::new([column.into()], ctx)?,
        &DataType::Utf8,
        Nulls::Keep,
        ctx,
        |rows, builder| {
            let valid = BitWords::validity(rows.input())?;
            let is_valid = |row: usize| valid.word(row / 64) >> (row % 64) & 1 != 0;
            if is_double {
                let values = rows.input().values::<f64>()?;
                builder.text(|row, sink| {
                    let value = values.get(row).filter(|_| is_valid(row));
                    value.map(|value| put(zmij::Buffer::new().format(*value), sink)).is_some()
                })
            } else {
                let values = rows.input().values::<f32>()?;
                builder.text(|row, sink| {
                    let value = values.get(row).filter(|_| is_valid(row));
                    value.map(|value| put(zmij::Buffer::new().format(*value), sink)).is_some()
                })
            }
        },
        |launch| {
            let &strings::Launch { inputs: [p], out, counts, mailbox, .. } = launch;
            launch.run(FromFloatsKernel::AllWrite, &FromFloats { out, p, counts, mailbox })
        },
    )
}

/// The range of the position of the decimal point, counted from the first digit, for which a number is written without
/// an exponent.
const POINTS: std::ops::RangeInclusive<i32> = -3..=16;

/// Writes a number that `zmij` printed.
fn put(printed: &str, sink: &mut TextSink<'_>) {
    let (mantissa, exponent) = printed.split_once('e').unwrap_or((printed, ""));
    if exponent.is_empty() && !mantissa.trim_start_matches('-').starts_with("0.0000") {
        return sink.put(printed.as_bytes());
    }
    let size = mantissa.trim_start_matches('-');
    let (whole, fraction) = size.split_once('.').unwrap_or((size, ""));
    let mut digits = [0; 32];
    let mut len = 0;
    let mut point = exponent.parse().unwrap_or(0) + whole.len() as i32;
    for byte in whole.bytes().chain(fraction.bytes()) {
        match digits.get_mut(len) {
            Some(_) if len == 0 && byte == b'0' => point -= 1,
            Some(slot) => {
                *slot = byte;
                len += 1;
            }
            None => {}
        }
    }
    let mut digits = digits.get(..len).unwrap_or_default();
    while let Some((b'0', rest)) = digits.split_last() {
        digits = rest;
    }
    if size.len() < mantissa.len() {
        sink.put(b"-");
    }
    if POINTS.contains(&point) {
        let (whole, fraction) = digits.split_at(digits.len().min(point.max(0) as usize));
        sink.put(if point > 0 { whole } else { b"0" });
        sink.put_times(b"0", point.max(0) as usize - whole.len());
        sink.put(b".");
        sink.put_times(b"0", point.min(0).unsigned_abs() as usize);
        sink.put(if fraction.is_empty() { b"0" } else { fraction });
    } else {
        let (first, rest) = digits.split_at(digits.len().min(1));
        sink.put(first);
        sink.put(if rest.is_empty() { b"" } else { b"." });
        sink.put(rest);
        sink.put(b"e");
        sink.put(itoa::Buffer::new().format(point - 1).as_bytes());
    }
}
