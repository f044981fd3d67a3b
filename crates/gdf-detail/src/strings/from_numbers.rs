//! Texts of integers, decimals and booleans.

use gdf_core::{
    Column, ColumnView, DataType, Error, I256, Operand, PhysicalType, Result, decimal_parts, is_string, physical_type,
};
use gdf_kernels::generated::strings::{
    BooleansText, FromBooleans, FromBooleansKernel, FromNumbers, FromNumbersKernel, NumberText, NumbersText,
};

use crate::Ctx;
use crate::engine::elementwise::{BitWords, Inputs, Nulls, Rows};
use crate::engine::rows::OutputBuffers;
use crate::engine::strings::{self, Builder, TextSink, Texts};
use crate::operand::Literals;

/// The text of type `Utf8` of each integer, in decimal digits; nulls stay null.
///
/// # Errors
/// * [`Unsupported`](Error::Unsupported) for what is no integer.
/// * [`OffsetOverflow`](Error::OffsetOverflow): more than 2³¹ − 1 bytes.
/// * [`DeviceMismatch`](Error::DeviceMismatch), [`BrokenData`](Error::BrokenData); driver and memory errors.
pub fn from_integers(column: ColumnView<'_>, ctx: Ctx<'_>) -> Result<Column> {
    expect_integers("from_integers", column)?;
    texts(column, NumberText::Decimal, 0, ctx)
}

/// The text of type `Utf8` of the bits of each integer in hexadecimal digits, two for each byte but those before the first that
/// is not 0; nulls stay null.
///
/// # Errors
/// * As [`from_integers`].
pub fn integers_to_hex(column: ColumnView<'_>, ctx: Ctx<'_>) -> Result<Column> {
    expect_integers("integers_to_hex", column)?;
    texts(column, NumberText::Hex, 0, ctx)
}

/// The text of type `Utf8` of each address in `UInt32`: four numbers between points; nulls stay null.
///
/// # Errors
/// * As [`from_integers`], for other types.
pub fn integers_to_ipv4(column: ColumnView<'_>, ctx: Ctx<'_>) -> Result<Column> {
    match column.data_type() {
        DataType::UInt32 => texts(column, NumberText::Ipv4, 0, ctx),
        other => Err(Error::unsupported("integers_to_ipv4", other)),
    }
}

/// The text of type `Utf8` of each decimal, with all digits that its type shows; nulls stay null.
///
/// # Errors
/// * As [`from_integers`], for what is no decimal.
pub fn from_fixed_point(column: ColumnView<'_>, ctx: Ctx<'_>) -> Result<Column> {
    match decimal_parts(column.data_type()) {
        Some((_, _, scale)) => texts(column, NumberText::Decimal, scale.into(), ctx),
        None => Err(Error::unsupported("from_fixed_point", column.data_type())),
    }
}

/// The text `yes` or `no` of type `Utf8` for each boolean; nulls stay null, and null is where that text is.
///
/// # Errors
/// * [`Unsupported`](Error::Unsupported) for what is no boolean, and for texts that are none.
/// * As [`from_integers`].
pub fn from_booleans(column: ColumnView<'_>, yes: Operand<'_>, no: Operand<'_>, ctx: Ctx<'_>) -> Result<Column> {
    if *column.data_type() != DataType::Boolean {
        return Err(Error::unsupported("from_booleans", column.data_type()));
    }
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
            let &strings::Launch { out, counts, scratch, mailbox, .. } = launch;
            let kernels = [FromBooleansKernel::AllSizes, FromBooleansKernel::AllWrite];
            launch.run(kernels, &FromBooleans { out, p, counts, scratch, mailbox })
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
    strings::build(
        Inputs::new([column.into()], ctx)?,
        &DataType::Utf8,
        Nulls::Keep,
        ctx,
        |rows, builder| {
            let wide = |value: i128| I256::from(value);
            match physical_type(column.data_type()) {
                PhysicalType::I8 => put_all(rows, builder, kind, scale, |value: i8| (wide(value.into()), 1)),
                PhysicalType::I16 => put_all(rows, builder, kind, scale, |value: i16| (wide(value.into()), 2)),
                PhysicalType::I32 => put_all(rows, builder, kind, scale, |value: i32| (wide(value.into()), 4)),
                PhysicalType::I64 => put_all(rows, builder, kind, scale, |value: i64| (wide(value.into()), 8)),
                PhysicalType::U8 => put_all(rows, builder, kind, scale, |value: u8| (wide(value.into()), 1)),
                PhysicalType::U16 => put_all(rows, builder, kind, scale, |value: u16| (wide(value.into()), 2)),
                PhysicalType::U32 => put_all(rows, builder, kind, scale, |value: u32| (wide(value.into()), 4)),
                PhysicalType::U64 => put_all(rows, builder, kind, scale, |value: u64| (wide(value.into()), 8)),
                PhysicalType::I128 => put_all(rows, builder, kind, scale, |value: i128| (wide(value), 16)),
                _ => put_all(rows, builder, kind, scale, |value: I256| (value, 32)),
            }
        },
        |launch| {
            let &strings::Launch { inputs: [input], out, counts, scratch, mailbox, .. } = launch;
            let p = NumbersText { input, kind: kind as i32, scale };
            let kernels = [FromNumbersKernel::AllSizes, FromNumbersKernel::AllWrite];
            launch.run(kernels, &FromNumbers { out, p, counts, scratch, mailbox })
        },
    )
}

fn put_all<T: bytemuck::Pod + Send + Sync>(
    rows: &Rows<'_, 1>,
    builder: &Builder<'_>,
    kind: NumberText,
    scale: i32,
    widen: impl Fn(T) -> (I256, usize) + Sync,
) -> Result<OutputBuffers> {
    let (values, valid) = (rows.input().values::<T>()?, BitWords::validity(rows.input())?);
    builder.text(|row, sink| {
        let value = values.get(row).filter(|_| valid.word(row / 64) >> (row % 64) & 1 != 0);
        value.map(|value| put(widen(*value), kind, scale, sink)).is_some()
    })
}

fn put((value, width): (I256, usize), kind: NumberText, scale: i32, sink: &mut TextSink<'_>) {
    let narrow = value.0.as_i128();
    let is_narrow = arrow_buffer::i256::from_i128(narrow) == value.0;
    match kind {
        NumberText::Hex => {
            let bits = narrow as u64 & u64::MAX >> (64 - 8 * width.min(8));
            let digits = (16 - bits.leading_zeros() as usize / 4).max(1).next_multiple_of(2);
            sink.put_with(digits, |slots| {
                for (at, slot) in slots.iter_mut().rev().enumerate() {
                    let digit = (bits >> (4 * at) & 15) as u8;
                    *slot = if digit < 10 { b'0' + digit } else { b'A' + digit - 10 };
                }
            });
        }
        NumberText::Ipv4 => {
            for (at, part) in (narrow as u32).to_be_bytes().into_iter().enumerate() {
                if at > 0 {
                    sink.put(b".");
                }
                sink.put(itoa::Buffer::new().format(part).as_bytes());
            }
        }
        NumberText::Decimal if is_narrow => put_decimal(itoa::Buffer::new().format(narrow), scale, sink),
        NumberText::Decimal => put_decimal(&value.to_string(), scale, sink),
    }
}

/// A number with a point before its last `scale` digits, or with as many zeros behind it.
fn put_decimal(number: &str, scale: i32, sink: &mut TextSink<'_>) {
    let digits = number.trim_start_matches('-').as_bytes();
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
