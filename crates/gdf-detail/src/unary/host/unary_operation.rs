//! `unary_operation` on the CPU.

use bytemuck::Pod;
use gdf_core::{Column, ColumnView, DataType, Error, I256, PhysicalType, Result, f16, physical_type};
use gdf_driver::Stream;
use gdf_memory::Resources;

use super::super::unary_operation::{Bits as BitsOperator, Function, OPERATION, Plan};
use crate::host::{
    FromNumber, HostColumn, HostMask, HostOutput, NUMBER_BLOCK, Number, NumberReader, column, for_each_chunk,
    mask_from_words,
};

/// The input, open for reading, and what the result is made with.
struct Work<'a, 'r> {
    input: HostColumn<'a>,
    output_type: &'a DataType,
    stream: &'a Stream,
    mr: Resources<'r>,
}

impl Work<'_, '_> {
    /// The input's mask, from bit 0 on.
    fn mask(&self) -> Result<HostMask> {
        match self.input.validity()? {
            None => Ok(HostMask::none()),
            Some(bits) => HostMask::from_words(self.input.len(), self.stream, self.mr.output, |index| bits.word(index)),
        }
    }

    /// A result row from each input row of the same width.
    fn map<T: Pod + Send + Sync>(&self, f: impl Fn(T) -> T + Sync) -> Result<Column> {
        let rows = self.input.values::<T>()?;
        let mut output = HostOutput::<T>::new(rows.len(), self.stream, self.mr)?;
        for_each_chunk(output.values(self.stream)?, |start, out| {
            for (slot, &value) in out.iter_mut().zip(&rows[start..]) {
                *slot = f(value);
            }
        });
        output.finish(self.output_type, self.mask()?)
    }

    /// A result row from each input row, by way of `C`.
    fn convert<C: Number, O: FromNumber>(&self, f: impl Fn(C) -> O + Sync) -> Result<Column> {
        let reader = NumberReader::<C>::new(&self.input)?;
        let mut output = HostOutput::<O>::new(self.input.len(), self.stream, self.mr)?;
        for_each_chunk(output.values(self.stream)?, |start, chunk| {
            let mut room = [C::default(); NUMBER_BLOCK];
            for (block, out) in chunk.chunks_mut(NUMBER_BLOCK).enumerate() {
                let rows = &mut room[..out.len()];
                reader.load(start + block * NUMBER_BLOCK, rows);
                for (slot, &value) in out.iter_mut().zip(&*rows) {
                    *slot = f(value);
                }
            }
        });
        output.finish(self.output_type, self.mask()?)
    }
}

macro_rules! on_bits {
    ($work:expr, $op:expr, $unsigned:ty, $signed:ty) => {{
        let (work, sign) = ($work, 1 << (<$unsigned>::BITS - 1));
        match $op {
            BitsOperator::Copy => work.map(|value: $unsigned| value),
            BitsOperator::Invert => work.map(|value: $unsigned| !value),
            BitsOperator::Negate => work.map(|value: $unsigned| value.wrapping_neg()),
            BitsOperator::Absolute => work.map(|value: $signed| value.wrapping_abs()),
            BitsOperator::FlipSign => work.map(|value: $unsigned| value ^ sign),
            BitsOperator::ClearSign => work.map(|value: $unsigned| value & !sign),
        }
    }};
}

fn bits(work: &Work<'_, '_>, op: BitsOperator, width: PhysicalType) -> Result<Column> {
    match (width, op) {
        (PhysicalType::U8, _) => on_bits!(work, op, u8, i8),
        (PhysicalType::U16, _) => on_bits!(work, op, u16, i16),
        (PhysicalType::U32, _) => on_bits!(work, op, u32, i32),
        (PhysicalType::U64, _) => on_bits!(work, op, u64, i64),
        (PhysicalType::I128, _) => on_bits!(work, op, u128, i128),
        (PhysicalType::I256, BitsOperator::Copy) => work.map(|value: I256| value),
        (PhysicalType::I256, BitsOperator::Negate) => work.map(|value: I256| I256(value.0.wrapping_neg())),
        (PhysicalType::I256, BitsOperator::Absolute) => work.map(|value: I256| I256(value.0.wrapping_abs())),
        _ => Err(Error::unsupported(OPERATION, work.output_type)),
    }
}

macro_rules! rounding {
    ($work:expr, $function:expr, $float:ty) => {
        match $function {
            Function::Ceil => $work.map(<$float>::ceil),
            Function::Floor => $work.map(<$float>::floor),
            Function::Rint => $work.map(<$float>::round_ties_even),
            _ => $work.map(<$float>::sqrt),
        }
    };
}

/// Beyond this the 1 under the roots below is lost in rounding.
const LARGE: f64 = (1_u64 << 28) as f64;

/// The standard library's overflows for the largest numbers.
fn arc_sinh(x: f64) -> f64 {
    let size = x.abs();
    let result = if size > LARGE {
        size.ln() + std::f64::consts::LN_2
    } else if size > 2.0 {
        (2.0 * size + 1.0 / ((size * size + 1.0).sqrt() + size)).ln()
    } else {
        (size + size * size / (1.0 + (1.0 + size * size).sqrt())).ln_1p()
    };
    result.copysign(x)
}

/// The standard library's loses digits close to 1.
fn arc_cosh(x: f64) -> f64 {
    if x < 1.0 {
        f64::NAN
    } else if x > LARGE {
        x.ln() + std::f64::consts::LN_2
    } else if x > 2.0 {
        (2.0 * x - 1.0 / (x + (x * x - 1.0).sqrt())).ln()
    } else {
        let over = x - 1.0;
        (over + (2.0 * over + over * over).sqrt()).ln_1p()
    }
}

/// In a form that keeps the sign of zero and the digits of small numbers.
fn arc_tanh(x: f64) -> f64 {
    let size = x.abs();
    let twice = size + size;
    let result = if size < 0.5 {
        0.5 * (twice + twice * size / (1.0 - size)).ln_1p()
    } else {
        0.5 * (twice / (1.0 - size)).ln_1p()
    };
    result.copysign(x)
}

fn math(work: &Work<'_, '_>, function: Function) -> Result<Column> {
    let f: fn(f64) -> f64 = match function {
        Function::Ceil => f64::ceil,
        Function::Floor => f64::floor,
        Function::Rint => f64::round_ties_even,
        Function::Sqrt => f64::sqrt,
        Function::Sin => f64::sin,
        Function::Cos => f64::cos,
        Function::Tan => f64::tan,
        Function::ArcSin => f64::asin,
        Function::ArcCos => f64::acos,
        Function::ArcTan => f64::atan,
        Function::Sinh => f64::sinh,
        Function::Cosh => f64::cosh,
        Function::Tanh => f64::tanh,
        Function::ArcSinh => arc_sinh,
        Function::ArcCosh => arc_cosh,
        Function::ArcTanh => arc_tanh,
        Function::Exp => f64::exp,
        Function::Log => f64::ln,
        Function::Cbrt => f64::cbrt,
    };
    gdf_core::dispatch_arms!(
        physical_type(work.output_type),
        O => work.convert(|value: f64| O::of_f64(f(value))),
        Err(Error::unsupported(OPERATION, work.output_type)),
        [I8 i8, I16 i16, I32 i32, I64 i64, U8 u8, U16 u16, U32 u32, U64 u64, F16 f16, F32 f32, F64 f64]
    )
}

fn decimal(work: &Work<'_, '_>, up: bool, power: u32) -> Result<Column> {
    // Beyond what 128 bits hold there is nothing but a fraction.
    let unit = 10_i128.checked_pow(power).ok_or_else(|| Error::unsupported(OPERATION, work.output_type))?;
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
    match physical_type(work.output_type) {
        PhysicalType::I32 => work.convert(|value| i32::of_i128(f(value))),
        PhysicalType::I64 => work.convert(|value| i64::of_i128(f(value))),
        PhysicalType::I128 => work.convert(f),
        _ => Err(Error::unsupported(OPERATION, work.output_type)),
    }
}

fn bit_count(work: &Work<'_, '_>, width: PhysicalType) -> Result<Column> {
    fn of<T: Pod + Send + Sync>(work: &Work<'_, '_>, f: impl Fn(T) -> u32 + Sync) -> Result<Column> {
        let rows = work.input.values::<T>()?;
        let mut output = HostOutput::<i32>::new(rows.len(), work.stream, work.mr)?;
        for_each_chunk(output.values(work.stream)?, |start, out| {
            for (slot, &value) in out.iter_mut().zip(&rows[start..]) {
                *slot = f(value) as i32;
            }
        });
        output.finish(work.output_type, work.mask()?)
    }
    match width {
        PhysicalType::U8 => of(work, u8::count_ones),
        PhysicalType::U16 => of(work, u16::count_ones),
        PhysicalType::U32 => of(work, u32::count_ones),
        PhysicalType::U64 => of(work, u64::count_ones),
        _ => Err(Error::unsupported(OPERATION, work.output_type)),
    }
}

fn not(work: &Work<'_, '_>, numbers: bool) -> Result<Column> {
    let rows = work.input.len();
    let (bits, _) = if numbers {
        // No number but 0 becomes 0 as a double.
        let reader = NumberReader::<f64>::new(&work.input)?;
        mask_from_words(rows, work.stream, work.mr.output, |index| {
            let mut room = [0.0; 64];
            let values = &mut room[..(rows - index * 64).min(64)];
            reader.load(index * 64, values);
            values.iter().enumerate().fold(0, |word, (row, &value)| word | u64::from(value == 0.0) << row)
        })?
    } else {
        let bits = work.input.bits()?;
        mask_from_words(rows, work.stream, work.mr.output, |index| !bits.word(index))?
    };
    column(work.output_type, rows, [bits], work.mask()?)
}

pub(in super::super) fn unary_operation(
    column: ColumnView<'_>,
    plan: Plan,
    output_type: &DataType,
    stream: &Stream,
    mr: Resources<'_>,
) -> Result<Column> {
    let work = Work { input: HostColumn::open(column, stream)?, output_type, stream, mr };
    match plan {
        Plan::Bits(op, width) => bits(&work, op, width),
        Plan::Rounding(function, PhysicalType::F32) => rounding!(work, function, f32),
        Plan::Rounding(function, _) => rounding!(work, function, f64),
        Plan::Math(function) => math(&work, function),
        Plan::Decimal { up, power } => decimal(&work, up, power),
        Plan::BitCount(width) => bit_count(&work, width),
        Plan::Not => not(&work, false),
        Plan::NotNumbers => not(&work, true),
    }
}
