//! Oracle of `unary::unary_operation`. The oracle computes row by row, and computes functions of floats in double
//! precision.

pub mod cast;
pub mod is_null;

use arrow_array::{Array, ArrayRef};
use arrow_buffer::i256;
use arrow_schema::DataType;
use gdf_api::unary::UnaryOperator;
use half::f16;

use gdf_test::value::{Value, to_values, try_from_values};

/// Applies `op` to every row.
///
/// # Errors
/// - a text, if the oracle does not support the operand.
pub fn unary_operation(input: &dyn Array, op: UnaryOperator) -> Result<ArrayRef, String> {
    let data_type = input.data_type();
    let output = match op {
        UnaryOperator::Not => DataType::Boolean,
        UnaryOperator::BitCount => DataType::Int32,
        _ => data_type.clone(),
    };
    let rows: Vec<Option<Value>> = to_values(input)
        .into_iter()
        .map(|row| row.map(|row| one(op, &row, data_type)).transpose())
        .collect::<Result<_, String>>()?;
    Ok(try_from_values(&output, &rows)?)
}

fn one(op: UnaryOperator, row: &Value, data_type: &DataType) -> Result<Value, String> {
    use UnaryOperator::*;
    let bits = gdf_core::width(data_type).map_or(0, |bytes| 8 * bytes as u32);
    match (op, row) {
        (Not, Value::Bool(value)) => Ok(Value::Bool(!value)),
        (Abs, Value::Bool(_)) => Ok(row.clone()),
        (BitCount, Value::Bool(value)) => Ok(Value::from(i32::from(*value))),
        (Not, _) => Ok(Value::Bool(row.as_i128() == Some(0) || row.as_f64() == Some(0.0))),
        (Abs, Value::UInt(_)) | (Ceil | Floor, Value::Int(_) | Value::UInt(_)) => Ok(row.clone()),
        (Abs | Negate, Value::F16(value)) => {
            Ok(Value::F16(if op == Negate { -*value } else { f16::from_bits(value.to_bits() & 0x7fff) }))
        }
        (Abs | Negate, Value::F32(value)) => Ok(Value::F32(if op == Negate { -value } else { value.abs() })),
        (Abs | Negate, Value::F64(value)) => Ok(Value::F64(if op == Negate { -value } else { value.abs() })),
        (Abs | Negate, Value::Int(value)) => {
            let opposite = if op == Negate || *value < 0 { -value } else { *value };
            Ok(Value::Int((opposite << (128 - bits)) >> (128 - bits)))
        }
        (Abs | Negate, Value::Decimal(value)) => {
            let negative = *value < i256::ZERO;
            Ok(Value::Decimal(if op == Negate || negative { value.wrapping_neg() } else { *value }))
        }
        (Ceil | Floor, Value::Decimal(value)) => {
            let (_, _, scale) = gdf_core::decimal_parts(data_type).ok_or("the type is not a decimal")?;
            let unit = (0..scale).fold(i256::ONE, |unit, _| unit.wrapping_mul(i256::from_i128(10)));
            let rest = value.wrapping_rem(unit);
            let whole = value.wrapping_sub(rest);
            let next = match op {
                Ceil if rest > i256::ZERO => whole.wrapping_add(unit),
                Floor if rest < i256::ZERO => whole.wrapping_sub(unit),
                _ => whole,
            };
            Ok(self::cast::integer(next, data_type))
        }
        (BitInvert, Value::Int(value)) => Ok(Value::Int(!value)),
        (BitInvert, Value::UInt(value)) => Ok(Value::UInt(!value & (u64::MAX >> (64 - bits)))),
        (BitCount, Value::Int(value)) => Ok(Value::from((*value as u128 & ((1 << bits) - 1)).count_ones() as i32)),
        (BitCount, Value::UInt(value)) => Ok(Value::from(value.count_ones() as i32)),
        _ => {
            let x = match row {
                Value::UInt(value) => *value as f64,
                _ => row
                    .as_f64()
                    .or(row.as_i128().map(|value| value as f64))
                    .ok_or_else(|| format!("{op:?} of {row:?}"))?,
            };
            Ok(to_type(function(op, x)?, data_type))
        }
    }
}

fn function(op: UnaryOperator, x: f64) -> Result<f64, String> {
    use UnaryOperator::*;
    let size = x.abs();
    Ok(match op {
        Sin => x.sin(),
        Cos => x.cos(),
        Tan => x.tan(),
        ArcSin => x.asin(),
        ArcCos => x.acos(),
        ArcTan => x.atan(),
        Sinh => x.sinh(),
        Cosh => x.cosh(),
        Tanh => x.tanh(),
        // `ln_1p` keeps the digits of small results. Above 1e100, the square of the number may overflow, so another
        // formula is used.
        ArcSinh if size > 1e100 => (size.ln() + 2_f64.ln()).copysign(x),
        ArcSinh => (size + size * (size / (1.0 + (1.0 + size * size).sqrt()))).ln_1p().copysign(x),
        ArcCosh if x > 1e100 => x.ln() + 2_f64.ln(),
        ArcCosh => ((x - 1.0) + (x - 1.0).sqrt() * (x + 1.0).sqrt()).ln_1p(),
        ArcTanh if x == 0.0 => x,
        ArcTanh => 0.5 * (x.ln_1p() - (-x).ln_1p()),
        Exp => x.exp(),
        Log => x.ln(),
        Sqrt => x.sqrt(),
        Cbrt => x.cbrt(),
        Ceil => x.ceil(),
        Floor => x.floor(),
        Rint => x.round_ties_even(),
        Trunc if x.is_infinite() => x,
        Trunc => (x - x % 1.0).copysign(x),
        Exp2 => 2_f64.powf(x),
        Expm1 => x.exp_m1(),
        Log2 => x.log2(),
        Log10 => x.log10(),
        Log1p => x.ln_1p(),
        Degrees => x * (180.0 / std::f64::consts::PI),
        Radians => x * (std::f64::consts::PI / 180.0),
        Sign if x == 0.0 || x.is_nan() => x,
        Sign => 1_f64.copysign(x),
        _ => return Err(format!("{op:?} does not support numbers")),
    })
}

fn to_type(value: f64, data_type: &DataType) -> Value {
    match data_type {
        DataType::Float16 => Value::F16(f16::from_f32(value as f32)),
        DataType::Float32 => Value::F32(value as f32),
        DataType::Int8 => Value::from(value as i8),
        DataType::Int16 => Value::from(value as i16),
        DataType::Int32 => Value::from(value as i32),
        DataType::Int64 => Value::from(value as i64),
        DataType::UInt8 => Value::from(value as u8),
        DataType::UInt16 => Value::from(value as u16),
        DataType::UInt32 => Value::from(value as u32),
        DataType::UInt64 => Value::from(value as u64),
        _ => Value::F64(value),
    }
}
