//! Conversion of integers, decimals and booleans to strings.

use gdf_core::{
    Column, ColumnView, DataType, Error, I256, Operand, PhysicalType, Result, decimal_parts, is_string, physical_type,
};
use gdf_engine::elementwise::{BitWords, Inputs, Nulls, Rows};
use gdf_engine::host::BLOCK;
use gdf_engine::layout::OutputBuffers;
use gdf_engine::operand::{DecodedOperands, Literals};
use gdf_engine::strings::{self, Builder, TextSink, Texts, copy_few};
use gdf_kernels::generated::strings::{
    BooleansText, FromBooleans, FromBooleansKernel, FromNumbers, FromNumbersKernel, FromWords, FromWordsKernel,
    NumberText, NumbersText,
};

use crate::Ctx;

/// Formats each integer as a `Utf8` string of decimal digits. Nulls stay null.
///
/// # Errors
/// * [`Unsupported`](Error::Unsupported) for columns that are not integers.
/// * [`OffsetOverflow`](Error::OffsetOverflow): more than 2³¹ − 1 bytes.
/// * [`DeviceMismatch`](Error::DeviceMismatch), [`BrokenData`](Error::BrokenData); driver and memory errors.
pub fn from_integers(column: ColumnView<'_>, ctx: Ctx<'_>) -> Result<Column> {
    expect_integers("from_integers", column)?;
    texts(column, NumberText::Decimal, 0, ctx)
}

/// Formats the bits of each integer as a `Utf8` string of hexadecimal digits. Nulls stay null.
///
/// Each byte gives two digits. Leading bytes that are 0 are left out.
///
/// # Errors
/// * The errors of [`from_integers`].
pub fn integers_to_hex(column: ColumnView<'_>, ctx: Ctx<'_>) -> Result<Column> {
    expect_integers("integers_to_hex", column)?;
    texts(column, NumberText::Hex, 0, ctx)
}

/// Formats each `UInt32` as an IPv4 address: four numbers with points between them, of type `Utf8`. Nulls stay null.
///
/// # Errors
/// * The errors of [`from_integers`]. [`Unsupported`](Error::Unsupported) is returned for types other than `UInt32`.
pub fn integers_to_ipv4(column: ColumnView<'_>, ctx: Ctx<'_>) -> Result<Column> {
    match column.data_type() {
        DataType::UInt32 => texts(column, NumberText::Ipv4, 0, ctx),
        other => Err(Error::unsupported("integers_to_ipv4", other)),
    }
}

/// Formats each decimal as a `Utf8` string, with all digits of the scale of its type. Nulls stay null.
///
/// # Errors
/// * The errors of [`from_integers`]. [`Unsupported`](Error::Unsupported) is returned for columns that are not
///   decimals.
pub fn from_fixed_point(column: ColumnView<'_>, ctx: Ctx<'_>) -> Result<Column> {
    match decimal_parts(column.data_type()) {
        Some((_, _, scale)) => texts(column, NumberText::Decimal, scale.into(), ctx),
        None => Err(Error::unsupported("from_fixed_point", column.data_type())),
    }
}

/// Returns the text `yes` or `no`, of type `Utf8`, for each boolean. Nulls stay null. If `yes` or `no` is null, the
/// results for that boolean are null.
///
/// # Errors
/// * [`Unsupported`](Error::Unsupported) for columns that are not booleans, and for `yes` or `no` that is not text.
/// * The errors of [`from_integers`].
pub fn from_booleans(column: ColumnView<'_>, yes: Operand<'_>, no: Operand<'_>, ctx: Ctx<'_>) -> Result<Column> {
    if *column.data_type() != DataType::Boolean {
        return Err(Error::unsupported("from_booleans", column.data_type()));
    }
    let decoded = DecodedOperands::new(&[yes, no], ctx.scratch())?;
    let [yes, no] = decoded.resolve([yes, no]);
    for (text, argument) in [(yes, "yes"), (no, "no")] {
        if !is_string(text.data_type()) {
            return Err(Error::unsupported("from_booleans", text.data_type()).in_argument(argument));
        }
    }
    let operands = [column.into(), yes, no];
    let literals = Literals::new(&operands, ctx)?;
    strings::build(
        Inputs::new(literals.resolve(operands), ctx)?,
        &DataType::Utf8,
        Nulls::Own { nullable: operands.iter().any(|operand| operand.has_validity()) },
        ctx,
        |rows, builder| {
            let [column, yes, no] = rows.columns();
            let (values, valid) = (BitWords::values(column)?, BitWords::validity(column)?);
            let texts = [Texts::open(no)?, Texts::open(yes)?];
            builder.text(|row, sink| {
                let bit = |words: &BitWords<'_>| words.word(row / 64) >> (row % 64) & 1 != 0;
                let text = texts.get(usize::from(bit(&values))).filter(|_| bit(&valid));
                text.and_then(|text| text.get(row)).map(|text| sink.put(text)).is_some()
            })
        },
        |launch| {
            let [input, yes, no] = launch.inputs;
            let p = BooleansText { input, yes, no };
            let &strings::Launch { out, counts, mailbox, .. } = launch;
            launch.run(FromBooleansKernel::AllWrite, &FromBooleans { out, p, counts, mailbox })
        },
    )
}

fn expect_integers(operation: &'static str, column: ColumnView<'_>) -> Result<()> {
    match column.data_type() {
        data_type if data_type.is_integer() => Ok(()),
        other => Err(Error::unsupported(operation, other)),
    }
}

fn texts(column: ColumnView<'_>, kind: NumberText, scale: i32, ctx: Ctx<'_>) -> Result<Column> {
    // The estimated size of the result assumes that numbers have about half of the digits that their type can have.
    let width = physical_type(column.data_type()).width().unwrap_or(8);
    strings::build_about(
        column.len() * (3 + width + 4 * usize::from(scale != 0)),
        Inputs::new([column.into()], ctx)?,
        &DataType::Utf8,
        Nulls::Keep,
        ctx,
        |rows, builder| match physical_type(column.data_type()) {
            PhysicalType::I8 => put_all(rows, builder, kind, scale, |value: i8| Number::of(value)),
            PhysicalType::I16 => put_all(rows, builder, kind, scale, |value: i16| Number::of(value)),
            PhysicalType::I32 => put_all(rows, builder, kind, scale, |value: i32| Number::of(value)),
            PhysicalType::I64 => put_all(rows, builder, kind, scale, |value: i64| Number::of(value)),
            PhysicalType::U8 => put_all(rows, builder, kind, scale, |value: u8| Number::of(value)),
            PhysicalType::U16 => put_all(rows, builder, kind, scale, |value: u16| Number::of(value)),
            PhysicalType::U32 => put_all(rows, builder, kind, scale, |value: u32| Number::of(value)),
            PhysicalType::U64 => put_all(rows, builder, kind, scale, |value: u64| Number::of(value)),
            PhysicalType::I128 => put_all(rows, builder, kind, scale, |value: i128| Number::of(value)),
            PhysicalType::I256 => put_all(rows, builder, kind, scale, Number::Wide),
            _ => Err(Error::internal("the type of the numbers cannot be converted to text")),
        },
        |launch| {
            let &strings::Launch { inputs: [input], out, counts, mailbox, .. } = launch;
            let p = NumbersText { input, kind: kind as i32, scale };
            if kind == NumberText::Decimal && width <= 8 && (0..20).contains(&scale) {
                return launch.run(FromWordsKernel::AllWrite, &FromWords { out, p, counts, mailbox });
            }
            launch.run(FromNumbersKernel::AllWrite, &FromNumbers { out, p, counts, mailbox })
        },
    )
}

/// A number of any type.
enum Number {
    Narrow(i128, usize),
    Wide(I256),
}

impl Number {
    fn of<T: Into<i128>>(value: T) -> Self {
        Number::Narrow(value.into(), size_of::<T>())
    }
}

fn put_all<T: bytemuck::Pod + Send + Sync>(
    rows: &Rows<'_, 1>,
    builder: &Builder<'_>,
    kind: NumberText,
    scale: i32,
    number: impl Fn(T) -> Number + Sync,
) -> Result<OutputBuffers> {
    let (values, valid) = (rows.input().values::<T>()?, BitWords::validity(rows.input())?);
    builder.text(|row, sink| {
        let value = values.get(row).filter(|_| valid.word(row / 64) >> (row % 64) & 1 != 0);
        value.map(|value| put(number(*value), kind, scale, sink)).is_some()
    })
}

#[inline(never)]
fn put(number: Number, kind: NumberText, scale: i32, sink: &mut TextSink<'_>) {
    let (value, width) = match number {
        Number::Narrow(value, width) => (value, width),
        Number::Wide(value) => match value.0.to_i128() {
            Some(value) => (value, 32),
            None => return put_decimal(&value.to_string(), scale, sink),
        },
    };
    match kind {
        NumberText::Hex => {
            let bits = value as u64 & u64::MAX >> (64 - 8 * width.min(8));
            let digits = (16 - bits.leading_zeros() as usize / 4).max(1).next_multiple_of(2);
            sink.put_with(digits, |slots| {
                for (at, slot) in slots.iter_mut().rev().enumerate() {
                    let digit = (bits >> (4 * at) & 15) as u8;
                    *slot = if digit < 10 { b'0' + digit } else { b'A' + digit - 10 };
                }
            });
        }
        NumberText::Ipv4 => {
            for (at, part) in (value as u32).to_be_bytes().into_iter().enumerate() {
                if at > 0 {
                    sink.put(b".");
                }
                sink.put(itoa::Buffer::new().format(part).as_bytes());
            }
        }
        NumberText::Decimal => match i64::try_from(value) {
            Ok(value) => put_decimal(itoa::Buffer::new().format(value), scale, sink),
            Err(_) => put_decimal(itoa::Buffer::new().format(value), scale, sink),
        },
    }
}

/// Writes a number with a point before its last `scale` digits.
fn put_decimal(number: &str, scale: i32, sink: &mut TextSink<'_>) {
    let digits = number.strip_prefix('-').unwrap_or(number).as_bytes();
    if scale == 0 {
        return sink.put(number.as_bytes());
    }
    if let Ok(fraction) = usize::try_from(scale)
        && fraction < digits.len()
        && let Some(block) = with_point(number.as_bytes(), number.len() - fraction)
    {
        return sink.put_block(&block, number.len() + 1);
    }
    if digits.len() < number.len() {
        sink.put(b"-");
    }
    let Some(point) = usize::try_from(scale).ok().filter(|point| *point > 0) else {
        sink.put(digits);
        return sink.put_times(b"0", if digits == b"0" { 0 } else { scale.unsigned_abs() as usize });
    };
    let (whole, fraction) = digits.split_at(digits.len().saturating_sub(point));
    sink.put(if whole.is_empty() { b"0" } else { whole });
    sink.put(b".");
    sink.put_times(b"0", point - fraction.len());
    sink.put(fraction);
}

/// Returns a number with a point before the byte `place`, or `None` if the number has more than 15 bytes.
fn with_point(number: &[u8], place: usize) -> Option<[u8; BLOCK]> {
    let mut digits = [0; 16];
    copy_few(number, digits.get_mut(..number.len()).filter(|slots| slots.len() < 16)?);
    let (digits, bits) = (u128::from_le_bytes(digits), 8 * place);
    let before = digits & ((1 << bits) - 1);
    let text = before | u128::from(b'.') << bits | (digits ^ before) << 8;
    let mut block = [0; BLOCK];
    *block.first_chunk_mut()? = text.to_le_bytes();
    Some(block)
}
