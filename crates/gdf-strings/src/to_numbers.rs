//! Conversion of strings to integers and decimals, and checks whether strings are such numbers.
//!
//! A string that is not a number becomes null.

use arrow_buffer::i256;
use bytemuck::Pod;
use gdf_core::{Column, ColumnView, DataType, Error, I256, PhysicalType, Result, decimal_parts, physical_type};
use gdf_engine::cuda::Bytes;
use gdf_engine::elementwise::{Launch, Nulls, Rows};
use gdf_engine::host::StringRows;
use gdf_engine::strings::{self, Texts, try_map};
use gdf_kernels::generated::strings::{
    DecimalFormat, IntegerFormat, NumberKind, ToDecimals, ToDecimalsKernel, ToIntegers, ToIntegersKernel,
};

use super::search::truths;
use crate::Ctx;

/// Converts each string to an integer of type `output_type`.
///
/// The string has decimal digits after an optional sign. A row becomes null if its string is not an integer, or if the
/// integer does not fit the type.
///
/// # Errors
/// * [`Unsupported`](Error::Unsupported) for columns other than `Utf8` or `LargeUtf8`, and for types other than
///   integers.
/// * [`DeviceMismatch`](Error::DeviceMismatch), [`BrokenData`](Error::BrokenData); driver and memory errors.
pub fn to_integers(column: ColumnView<'_>, output_type: &DataType, ctx: Ctx<'_>) -> Result<Column> {
    let kind = NumberKind::Integer;
    let format = format(kind, output_type).ok_or_else(|| unsupported("to_integers", "output_type", output_type))?;
    integers("to_integers", column, output_type, kind, format, ctx)
}

/// Returns whether each string is an integer.
///
/// If `data_type` is given, the integer also has to fit that type. If `data_type` is `None`, the integer may have any
/// size.
///
/// # Errors
/// * The errors of [`to_integers`].
pub fn is_integer(column: ColumnView<'_>, data_type: Option<&DataType>, ctx: Ctx<'_>) -> Result<Column> {
    let (kind, p) = match data_type {
        Some(data_type) => {
            let format = format(NumberKind::Integer, data_type);
            (NumberKind::Integer, format.ok_or_else(|| unsupported("is_integer", "data_type", data_type))?)
        }
        None => (
            NumberKind::AnyInteger,
            IntegerFormat { max: u64::MAX, max_negative: u64::MAX, ..IntegerFormat::default() },
        ),
    };
    integers("is_integer", column, &DataType::Boolean, kind, p, ctx)
}

/// Converts each string of hexadecimal digits to the integer whose bits the digits represent.
///
/// A prefix `0x` or `0X` is optional. A row becomes null if its string is not a hexadecimal number, or if the number
/// has more bits than the type.
///
/// # Errors
/// * The errors of [`to_integers`].
pub fn hex_to_integers(column: ColumnView<'_>, output_type: &DataType, ctx: Ctx<'_>) -> Result<Column> {
    let format = format(NumberKind::Hex, output_type);
    let format = format.ok_or_else(|| unsupported("hex_to_integers", "output_type", output_type))?;
    integers("hex_to_integers", column, output_type, NumberKind::Hex, format, ctx)
}

/// Returns whether each string is a hexadecimal number. The number may have any size.
///
/// # Errors
/// * The errors of [`to_integers`].
pub fn is_hex(column: ColumnView<'_>, ctx: Ctx<'_>) -> Result<Column> {
    integers("is_hex", column, &DataType::Boolean, NumberKind::Hex, IntegerFormat::default(), ctx)
}

const IPV4: IntegerFormat = IntegerFormat { max: u32::MAX as u64, max_negative: 0, kind: 0, unused: 0 };

/// Converts each IPv4 address to a `UInt32`.
///
/// An address is four numbers with points between them. A row becomes null if its string is not an address.
///
/// # Errors
/// * The errors of [`to_integers`].
pub fn ipv4_to_integers(column: ColumnView<'_>, ctx: Ctx<'_>) -> Result<Column> {
    integers("ipv4_to_integers", column, &DataType::UInt32, NumberKind::Ipv4, IPV4, ctx)
}

/// Returns whether each string is an IPv4 address that [`ipv4_to_integers`] accepts.
///
/// # Errors
/// * The errors of [`to_integers`].
pub fn is_ipv4(column: ColumnView<'_>, ctx: Ctx<'_>) -> Result<Column> {
    integers("is_ipv4", column, &DataType::Boolean, NumberKind::Ipv4, IPV4, ctx)
}

/// Converts each string to a decimal of type `output_type`.
///
/// A point and an exponent are optional. Digits beyond the scale of the type are cut off. A row becomes null if its
/// string is not a decimal, or if the decimal has more digits than the type.
///
/// # Errors
/// * The errors of [`to_integers`]. [`Unsupported`](Error::Unsupported) is returned for types other than decimals.
pub fn to_fixed_point(column: ColumnView<'_>, output_type: &DataType, ctx: Ctx<'_>) -> Result<Column> {
    decimals("to_fixed_point", "output_type", column, output_type, output_type, ctx)
}

/// Returns whether each string is a decimal that [`to_fixed_point`] accepts for the type `data_type`.
///
/// # Errors
/// * The errors of [`to_fixed_point`].
pub fn is_fixed_point(column: ColumnView<'_>, data_type: &DataType, ctx: Ctx<'_>) -> Result<Column> {
    decimals("is_fixed_point", "data_type", column, &DataType::Boolean, data_type, ctx)
}

fn unsupported(operation: &'static str, argument: &'static str, data_type: &DataType) -> Error {
    Error::unsupported(operation, data_type).in_argument(argument)
}

/// Returns the range of the integers of a type, in the form that the kernels use. Returns `None` for other types.
fn format(kind: NumberKind, data_type: &DataType) -> Option<IntegerFormat> {
    let (bits, signed) = match data_type {
        DataType::Int8 => (8, true),
        DataType::Int16 => (16, true),
        DataType::Int32 => (32, true),
        DataType::Int64 => (64, true),
        DataType::UInt8 => (8, false),
        DataType::UInt16 => (16, false),
        DataType::UInt32 => (32, false),
        DataType::UInt64 => (64, false),
        _ => return None,
    };
    let ones = u64::MAX >> (64 - bits);
    let (max, max_negative) = match (kind, signed) {
        (NumberKind::Hex, _) | (_, false) => (ones, 0),
        (_, true) => (ones >> 1, (ones >> 1) + 1),
    };
    Some(IntegerFormat { max, max_negative, ..IntegerFormat::default() })
}

fn integers(
    operation: &'static str,
    column: ColumnView<'_>,
    output_type: &DataType,
    kind: NumberKind,
    p: IntegerFormat,
    ctx: Ctx<'_>,
) -> Result<Column> {
    let p = IntegerFormat { kind: kind as i32, ..p };
    let parse = |text: &[u8]| match kind {
        NumberKind::Integer => integer(text, p, false),
        NumberKind::AnyInteger => integer(text, p, true),
        NumberKind::Hex => hex(text, p.max),
        NumberKind::Ipv4 => ipv4(text),
    };
    parsed(
        operation,
        column,
        output_type,
        ctx,
        |rows, texts| match physical_type(output_type) {
            PhysicalType::Bool => truths(rows, |row| texts.get(row).and_then(parse).is_some()),
            PhysicalType::I8 | PhysicalType::U8 => values(rows, texts, |text| parse(text).map(|value| value as u8)),
            PhysicalType::I16 | PhysicalType::U16 => values(rows, texts, |text| parse(text).map(|value| value as u16)),
            PhysicalType::I32 | PhysicalType::U32 => values(rows, texts, |text| parse(text).map(|value| value as u32)),
            PhysicalType::I64 | PhysicalType::U64 => values(rows, texts, parse),
            _ => Err(Error::unsupported(operation, output_type)),
        },
        |launch, bytes| {
            let arguments = ToIntegers { input: launch.inputs[0], bytes, out: launch.out, p };
            let kernel = match kind {
                NumberKind::Integer => ToIntegersKernel::Digits,
                NumberKind::AnyInteger => ToIntegersKernel::Any,
                NumberKind::Hex | NumberKind::Ipv4 => ToIntegersKernel::Words,
            };
            launch.run(kernel, launch.rows, &arguments)
        },
    )
}

fn decimals(
    operation: &'static str,
    argument: &'static str,
    column: ColumnView<'_>,
    output_type: &DataType,
    data_type: &DataType,
    ctx: Ctx<'_>,
) -> Result<Column> {
    let Some((_, precision, scale)) = decimal_parts(data_type) else {
        return Err(unsupported(operation, argument, data_type));
    };
    let p = DecimalFormat { precision: precision.into(), scale: scale.into() };
    let narrow = |text: &[u8]| decimal(text, p);
    parsed(
        operation,
        column,
        output_type,
        ctx,
        |rows, texts| match physical_type(output_type) {
            PhysicalType::Bool => truths(rows, |row| texts.get(row).and_then(narrow).is_some()),
            PhysicalType::I32 => values(rows, texts, |text| narrow(text).map(|value| value.as_i128() as i32)),
            PhysicalType::I64 => values(rows, texts, |text| narrow(text).map(|value| value.as_i128() as i64)),
            PhysicalType::I128 => values(rows, texts, |text| narrow(text).map(i256::as_i128)),
            PhysicalType::I256 => values(rows, texts, |text| narrow(text).map(I256)),
            _ => Err(Error::unsupported(operation, output_type)),
        },
        |launch, bytes| {
            let arguments = ToDecimals { input: launch.inputs[0], bytes, out: launch.out, p };
            launch.run(ToDecimalsKernel::Wide, launch.rows, &arguments)
        },
    )
}

/// Makes a column from parsed texts.
pub(super) fn parsed(
    operation: &'static str,
    column: ColumnView<'_>,
    output_type: &DataType,
    ctx: Ctx<'_>,
    host: impl Fn(&Rows<'_, 1>, &Texts<'_>) -> Result<Column>,
    device: impl Fn(&Launch<'_, 1>, Bytes) -> Result<()>,
) -> Result<Column> {
    let is_test = *output_type == DataType::Boolean;
    let nulls = if is_test { Nulls::Keep } else { Nulls::Own { nullable: true } };
    let open = |rows: &Rows<'_, 1>, _: &StringRows<'_>| host(rows, &Texts::open(rows.input())?);
    strings::values(operation, column, output_type, nulls, ctx, open, device)
}

pub(super) fn values<T: Pod + Send + Sync>(
    rows: &Rows<'_, 1>,
    texts: &Texts<'_>,
    parse: impl Fn(&[u8]) -> Option<T> + Sync,
) -> Result<Column> {
    try_map(rows, |row| texts.get(row).and_then(&parse))
}

/// Returns the part of the string after the sign, and whether the sign is a minus.
fn signed(text: &[u8], minus: bool) -> (&[u8], bool) {
    match text.split_first() {
        Some((b'-', rest)) if minus => (rest, true),
        Some((b'+', rest)) => (rest, false),
        _ => (text, false),
    }
}

fn digit(byte: u8, base: u32) -> Option<u64> {
    char::from(byte).to_digit(base).map(u64::from)
}

fn integer(text: &[u8], p: IntegerFormat, any: bool) -> Option<u64> {
    let (digits, minus) = signed(text, p.max_negative != 0);
    if digits.is_empty() || any {
        return (!digits.is_empty() && digits.iter().all(u8::is_ascii_digit)).then_some(0);
    }
    let mut value = 0_u64;
    // A number of 19 digits fits 64 bits.
    let (first, others) = digits.split_at(digits.len().min(19));
    for byte in first {
        let digit = byte.wrapping_sub(b'0');
        if digit > 9 {
            return None;
        }
        value = value * 10 + u64::from(digit);
    }
    for byte in others {
        value = value.checked_mul(10)?.checked_add(digit(*byte, 10)?)?;
    }
    let fits = value <= if minus { p.max_negative } else { p.max };
    fits.then_some(if minus { value.wrapping_neg() } else { value })
}

/// Parses hexadecimal digits.
fn hex(text: &[u8], max: u64) -> Option<u64> {
    let digits = text.strip_prefix(b"0x").or_else(|| text.strip_prefix(b"0X")).unwrap_or(text);
    if digits.is_empty() {
        return None;
    }
    let mut value = 0_u64;
    for byte in digits {
        let digit = digit(*byte, 16)?;
        if max != 0 {
            value = value.checked_mul(16)?.checked_add(digit)?;
        }
    }
    (max == 0 || value <= max).then_some(value)
}

fn ipv4(text: &[u8]) -> Option<u64> {
    let mut parts = text.split(|byte| *byte == b'.');
    let mut value = 0;
    for _ in 0..4 {
        let part = parts.next().filter(|part| (1..=3).contains(&part.len()))?;
        let number = part.iter().try_fold(0, |number, byte| Some(number * 10 + digit(*byte, 10)?))?;
        value = value << 8 | Some(number).filter(|number| *number < 256)?;
    }
    parts.next().is_none().then_some(value)
}

/// Parses a decimal, and returns its unscaled value at the scale of `p`.
fn decimal(text: &[u8], p: DecimalFormat) -> Option<i256> {
    let (rest, minus) = signed(text, true);
    let run = |text: &[u8]| text.iter().take_while(|byte| byte.is_ascii_digit()).count();
    let (whole, rest) = rest.split_at(run(rest));
    let (fraction, rest) = match rest.strip_prefix(b".") {
        Some(rest) => rest.split_at(run(rest)),
        None => (&[][..], rest),
    };
    if whole.is_empty() && fraction.is_empty() {
        return None;
    }
    let exponent = match rest.split_first() {
        None => 0,
        Some((b'e' | b'E', rest)) => {
            let (digits, below) = signed(rest, true);
            let value = |value: i64, byte: &u8| {
                let digit = digit(*byte, 10)? as i64;
                Some(if value < 100_000_000 { value * 10 + digit } else { value })
            };
            let value = digits.iter().try_fold(0, value).filter(|_| !digits.is_empty())?;
            if below { -value } else { value }
        }
        Some(_) => return None,
    };
    let keep = whole.len() as i64 + exponent + i64::from(p.scale);
    let (mut value, mut significant) = (0_i128, 0);
    let mut wide = i256::ZERO;
    let mut digits = whole.iter().chain(fraction);
    for _ in 0..keep {
        let digit = match digits.next() {
            Some(byte) => digit(*byte, 10)? as i128,
            None if significant == 0 => break,
            None => 0,
        };
        if significant > 0 || digit != 0 {
            significant += 1;
            if significant > p.precision {
                return None;
            }
        }
        // A number of 38 digits fits 128 bits.
        match significant {
            ..38 => value = value * 10 + digit,
            38 => {
                value = value * 10 + digit;
                wide = i256::from_i128(value);
            }
            _ => wide = wide.wrapping_mul(i256::from_i128(10)).wrapping_add(i256::from_i128(digit)),
        }
    }
    let size = if significant < 38 { i256::from_i128(value) } else { wide };
    Some(if minus { size.wrapping_neg() } else { size })
}
