//! `unary_operation` on the CPU.

use std::cmp::Ordering;

use arrow_buffer::i256;
use gdf_core::{Column, Error, I256, PhysicalType, Result, f16, physical_type};
use gdf_engine::elementwise::Rows;
use gdf_engine::host::{FromNumber, NumberReader};

use super::operators::{Bits as BitsOperator, OPERATION, Rounding};
use super::plan::UnaryPlan;

macro_rules! on_bits {
    ($rows:expr, $op:expr, $unsigned:ty, $signed:ty) => {{
        let (rows, sign) = ($rows, 1 << (<$unsigned>::BITS - 1));
        match $op {
            BitsOperator::Copy => rows.map(|value: $unsigned| value),
            BitsOperator::Invert => rows.map(|value: $unsigned| !value),
            BitsOperator::Negate => rows.map(|value: $unsigned| value.wrapping_neg()),
            BitsOperator::Absolute => rows.map(|value: $signed| value.wrapping_abs()),
            BitsOperator::FlipSign => rows.map(|value: $unsigned| value ^ sign),
            BitsOperator::ClearSign => rows.map(|value: $unsigned| value & !sign),
        }
    }};
}

fn bits(rows: &Rows<'_, 1>, op: BitsOperator, width: PhysicalType) -> Result<Column> {
    match (width, op) {
        (PhysicalType::U8, _) => on_bits!(rows, op, u8, i8),
        (PhysicalType::U16, _) => on_bits!(rows, op, u16, i16),
        (PhysicalType::U32, _) => on_bits!(rows, op, u32, i32),
        (PhysicalType::U64, _) => on_bits!(rows, op, u64, i64),
        (PhysicalType::I128, _) => on_bits!(rows, op, u128, i128),
        (PhysicalType::I256, BitsOperator::Copy) => rows.map(|value: I256| value),
        (PhysicalType::I256, BitsOperator::Negate) => rows.map(|value: I256| I256(value.0.wrapping_neg())),
        (PhysicalType::I256, BitsOperator::Absolute) => rows.map(|value: I256| I256(value.0.wrapping_abs())),
        _ => Err(Error::unsupported(OPERATION, rows.output_type)),
    }
}

macro_rules! rounding {
    ($rows:expr, $function:expr, $float:ty) => {
        match $function {
            Rounding::Ceil => $rows.map(<$float>::ceil),
            Rounding::Floor => $rows.map(<$float>::floor),
            Rounding::Rint => $rows.map(<$float>::round_ties_even),
            Rounding::Sqrt => $rows.map(<$float>::sqrt),
        }
    };
}

fn math(rows: &Rows<'_, 1>, f: fn(f64) -> f64) -> Result<Column> {
    gdf_core::dispatch_arms!(
        physical_type(rows.output_type),
        O => rows.convert(|value: f64| O::of_f64(f(value))),
        Err(Error::unsupported(OPERATION, rows.output_type)),
        [I8 i8, I16 i16, I32 i32, I64 i64, U8 u8, U16 u16, U32 u32, U64 u64, F16 f16, F32 f32, F64 f64]
    )
}

fn decimal(rows: &Rows<'_, 1>, up: bool, power: u32) -> Result<Column> {
    if physical_type(rows.output_type) == PhysicalType::I256 {
        let unit = i256::from_i128(10).wrapping_pow(power);
        return rows.map(|value: I256| {
            let rest = value.0.wrapping_rem(unit);
            let whole = value.0.wrapping_sub(rest);
            I256(match (up, rest.cmp(&i256::ZERO)) {
                (true, Ordering::Greater) => whole.wrapping_add(unit),
                (false, Ordering::Less) => whole.wrapping_sub(unit),
                _ => whole,
            })
        });
    }
    // A power of ten that does not fit in 128 bits exceeds every value of the type, so the operation returns an error.
    let unit = 10_i128.checked_pow(power).ok_or_else(|| Error::unsupported(OPERATION, rows.output_type))?;
    let f = move |value: i128| {
        let rest = value.wrapping_rem(unit);
        let whole = value.wrapping_sub(rest);
        if up && rest > 0 {
            whole.wrapping_add(unit)
        } else if !up && rest < 0 {
            whole.wrapping_sub(unit)
        } else {
            whole
        }
    };
    match physical_type(rows.output_type) {
        PhysicalType::I32 => rows.convert(|value| i32::of_i128(f(value))),
        PhysicalType::I64 => rows.convert(|value| i64::of_i128(f(value))),
        PhysicalType::I128 => rows.convert(f),
        _ => Err(Error::unsupported(OPERATION, rows.output_type)),
    }
}

fn bit_count(rows: &Rows<'_, 1>, width: PhysicalType) -> Result<Column> {
    match width {
        PhysicalType::U8 => rows.map(|value: u8| value.count_ones() as i32),
        PhysicalType::U16 => rows.map(|value: u16| value.count_ones() as i32),
        PhysicalType::U32 => rows.map(|value: u32| value.count_ones() as i32),
        PhysicalType::U64 => rows.map(|value: u64| value.count_ones() as i32),
        PhysicalType::Bool => rows.convert(|value: i32| value),
        _ => Err(Error::unsupported(OPERATION, rows.output_type)),
    }
}

fn not_numbers(rows: &Rows<'_, 1>) -> Result<Column> {
    let reader = NumberReader::<f64>::new(rows.input())?;
    rows.bits(
        || rows.mask(),
        |word| {
            let mut block = [0.0; 64];
            let values = &mut block[..(rows.len() - word * 64).min(64)];
            reader.load(word * 64, values);
            values.iter().enumerate().fold(0, |bits, (row, &value)| bits | u64::from(value == 0.0) << row)
        },
    )
}

pub(super) fn unary_operation(rows: &Rows<'_, 1>, plan: UnaryPlan) -> Result<Column> {
    match plan {
        UnaryPlan::Bits(op, width) => bits(rows, op, width),
        UnaryPlan::Rounding(function, PhysicalType::F32) => rounding!(rows, function, f32),
        UnaryPlan::Rounding(function, PhysicalType::F64) => rounding!(rows, function, f64),
        UnaryPlan::Rounding(..) => Err(Error::unsupported(OPERATION, rows.output_type)),
        UnaryPlan::Math(functor) => math(rows, functor.host),
        UnaryPlan::Decimal { up, power } => decimal(rows, up, power),
        UnaryPlan::BitCount(width) => bit_count(rows, width),
        UnaryPlan::Truth { negated } => {
            let (values, flip) = (rows.input().bits()?, u64::from(negated).wrapping_neg());
            rows.bits(|| rows.mask(), |word| values.word(word) ^ flip)
        }
        UnaryPlan::NotNumbers => not_numbers(rows),
    }
}
