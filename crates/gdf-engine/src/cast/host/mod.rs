//! `unary::cast` on the CPU.

mod convert;
mod decimal;
mod offsets;

use bytemuck::Pod;
use gdf_core::{Column, Error, I256, PhysicalType, Result, dispatch_arms, dispatch_numeric, f16, physical_type};

use self::convert::Convert;
pub(super) use self::offsets::offsets;
use gdf_expr::types::ScaleOperation as Operation;

use super::plan::{CastPlan, DecimalScale, OPERATION, Scale};
use crate::elementwise::Rows;
use crate::host::{FromNumber, HostMask, Number};
use crate::rounding::{nearest_f16, power_of_ten};

/// The number of rows of a block. All buffers of a block fit in the L1 cache.
const BLOCK: usize = crate::limits::cpu::CAST_BLOCK;

pub(super) fn cast(rows: &Rows<'_, 1>, plan: CastPlan) -> Result<Column> {
    let from = source(rows);
    match plan {
        CastPlan::Numbers => numbers(rows),
        CastPlan::Scale(scale) => scaled(rows, scale),
        CastPlan::NonZero if from == PhysicalType::I256 => to_bits::<I256>(rows),
        CastPlan::NonZero => to_bits::<i128>(rows),
        CastPlan::FromDecimal(scale) => of_decimal(rows, scale),
        CastPlan::ToDecimal(scale) => to_decimal(rows, scale),
        CastPlan::Relabel | CastPlan::Offsets | CastPlan::ToViews | CastPlan::OfViews | CastPlan::Decode => {
            Err(unsupported(rows))
        }
    }
}

fn unsupported(rows: &Rows<'_, 1>) -> Error {
    Error::unsupported(OPERATION, rows.output_type)
}

fn source(rows: &Rows<'_, 1>) -> PhysicalType {
    physical_type(rows.input().view().data_type())
}

/// Returns no mask. Casts on the CPU compute only values, because the elementwise engine gives the result the mask of
/// the input.
fn no_mask() -> Result<HostMask> {
    Ok(HostMask::none())
}

fn numbers(rows: &Rows<'_, 1>) -> Result<Column> {
    match (source(rows), physical_type(rows.output_type)) {
        (PhysicalType::Bool, to) => {
            dispatch_numeric!(to, D => from_bits::<D>(rows), else => Err(unsupported(rows)))
        }
        (from, PhysicalType::Bool) => {
            dispatch_numeric!(from, S => to_bits::<S>(rows), else => Err(unsupported(rows)))
        }
        // The loop over the rows of a block is instantiated for each pair of types. The surrounding code, in
        // `converted`, is instantiated only once per result type, which keeps the library small.
        (from, to) => dispatch_numeric!(from, S => dispatch_numeric!(to, D => converted::<D>(
            rows,
            bytemuck::cast_slice(rows.input().values::<S>()?),
            size_of::<S>(),
            step::<S, D>,
        ), else => Err(unsupported(rows))), else => Err(unsupported(rows))),
    }
}

fn step<S: Pod + Convert<D>, D>(from: &[u8], out: &mut [D]) {
    for (slot, value) in out.iter_mut().zip(bytemuck::cast_slice::<u8, S>(from)) {
        *slot = value.convert();
    }
}

/// Converts the rows in `from`, which have `width` bytes each.
fn converted<D: Pod + Send>(
    rows: &Rows<'_, 1>,
    from: &[u8],
    width: usize,
    step: fn(&[u8], &mut [D]),
) -> Result<Column> {
    rows.filled::<D>(no_mask, |first, out| step(&from[first * width..][..out.len() * width], out))
}

fn from_bits<D: Pod + Send>(rows: &Rows<'_, 1>) -> Result<Column>
where
    u8: Convert<D>,
{
    let bits = rows.input().bits()?;
    rows.filled::<D>(no_mask, |first, out| {
        let ends = [0_u8.convert(), 1_u8.convert()];
        for (index, rows) in out.chunks_mut(64).enumerate() {
            let word = bits.word(first / 64 + index);
            for (row, slot) in rows.iter_mut().enumerate() {
                *slot = ends[(word >> row & 1) as usize];
            }
        }
    })
}

/// Converts numbers to booleans. Every value but 0 is true, including NaN.
fn to_bits<S: Pod + Default + PartialEq + Send + Sync>(rows: &Rows<'_, 1>) -> Result<Column> {
    let values = rows.input().values::<S>()?;
    rows.bits(no_mask, |word| {
        let rows = values.get(word * 64..).unwrap_or_default();
        let set = |(row, value): (usize, &S)| u64::from(*value != S::default()) << row;
        rows.iter().take(64).enumerate().map(set).fold(0, |all, bit| all | bit)
    })
}

fn in_blocks<C: Number, D: FromNumber>(rows: &Rows<'_, 1>, work: impl Fn(&mut [C]) + Sync) -> Result<Column> {
    rows.blocks::<C, D, BLOCK>(no_mask, |_, [rows], out| {
        work(rows);
        for (slot, value) in out.iter_mut().zip(rows) {
            *slot = value.to();
        }
    })
}

fn to_integers<C: Number>(rows: &Rows<'_, 1>, work: impl Fn(&mut [C]) + Sync) -> Result<Column> {
    dispatch_arms!(
        physical_type(rows.output_type),
        D => in_blocks::<C, D>(rows, work),
        Err(unsupported(rows)),
        [I8 i8, I16 i16, I32 i32, I64 i64, U8 u8, U16 u16, U32 u32, U64 u64, I128 i128, I256 I256]
    )
}

fn scaled(rows: &Rows<'_, 1>, scale: Scale) -> Result<Column> {
    let from = source(rows);
    let either = |physical| from == physical || physical_type(rows.output_type) == physical;
    if either(PhysicalType::I256) {
        let (operation, factor, _) = scale.in_256_bits();
        let multiplies = multiplies(operation)?;
        return to_integers::<I256>(rows, |rows| match multiplies {
            true => rows.iter_mut().for_each(|row| row.0 = row.0.wrapping_mul(factor)),
            false => rows.iter_mut().for_each(|row| row.0 = row.0.wrapping_div(factor)),
        });
    }
    if either(PhysicalType::I128) {
        let (operation, factor) = scale.in_128_bits();
        let multiplies = multiplies(operation)?;
        return to_integers::<i128>(rows, |rows| match multiplies {
            true => rows.iter_mut().for_each(|row| *row = row.wrapping_mul(factor)),
            false => rows.iter_mut().for_each(|row| *row = divide(*row, factor)),
        });
    }
    let unsigned = from == PhysicalType::U64;
    let (operation, factor) = scale.in_64_bits(from);
    let signed = factor.max(1) as i64;
    let change: &(dyn Fn(&mut [i64]) + Sync) = match operation {
        Operation::Multiply => &|rows| rows.iter_mut().for_each(|row| *row = row.wrapping_mul(factor as i64)),
        Operation::DivideFloor => &|rows| rows.iter_mut().for_each(|row| *row = row.div_euclid(signed)),
        Operation::Divide if unsigned => {
            &|rows| rows.iter_mut().for_each(|row| *row = (*row as u64 / factor.max(1)) as i64)
        }
        Operation::Divide => &|rows| rows.iter_mut().for_each(|row| *row /= signed),
    };
    to_integers::<i64>(rows, change)
}

/// Returns whether a cast to or from 256-bit decimals multiplies by the factor.
fn multiplies(operation: Operation) -> Result<bool> {
    match operation {
        Operation::Multiply => Ok(true),
        Operation::Divide => Ok(false),
        Operation::DivideFloor => Err(no_scale()),
    }
}

fn no_scale() -> Error {
    Error::internal("the conversion neither multiplies nor divides by the scale")
}

fn of_decimal(rows: &Rows<'_, 1>, scale: i32) -> Result<Column> {
    let power = power_of_ten(scale.unsigned_abs());
    let change = |rows: &mut [f64]| {
        if scale > 0 {
            rows.iter_mut().for_each(|row| *row /= power);
        } else {
            rows.iter_mut().for_each(|row| *row *= power);
        }
    };
    match physical_type(rows.output_type) {
        // Half precision is converted from the double directly, so that the result is rounded only once.
        PhysicalType::F16 => rows.blocks::<f64, f16, BLOCK>(no_mask, |_, [rows], out| {
            change(rows);
            for (slot, value) in out.iter_mut().zip(rows) {
                *slot = nearest_f16(*value);
            }
        }),
        PhysicalType::F32 => in_blocks::<f64, f32>(rows, change),
        PhysicalType::F64 => in_blocks::<f64, f64>(rows, change),
        _ => Err(unsupported(rows)),
    }
}

fn to_decimal(rows: &Rows<'_, 1>, scale: i32) -> Result<Column> {
    fn filled<D: Pod + Send>(rows: &Rows<'_, 1>, to: impl Fn(f64) -> D + Sync) -> Result<Column> {
        rows.blocks::<f64, D, BLOCK>(no_mask, |_, [rows], out| {
            for (slot, value) in out.iter_mut().zip(rows) {
                *slot = to(*value);
            }
        })
    }
    let scale = DecimalScale::new(scale);
    let format = decimal::Format::of(source(rows));
    match physical_type(rows.output_type) {
        PhysicalType::I32 => filled(rows, |value| decimal::to_i128(value, &scale, format, 31) as i32),
        PhysicalType::I64 => filled(rows, |value| decimal::to_i128(value, &scale, format, 63) as i64),
        PhysicalType::I128 => filled(rows, |value| decimal::to_i128(value, &scale, format, 127)),
        PhysicalType::I256 => filled(rows, |value| I256(decimal::to_i256(value, &scale, format))),
        _ => Err(unsupported(rows)),
    }
}

/// Divides and rounds towards zero.
fn divide(value: i128, divisor: i128) -> i128 {
    match (i64::try_from(value), i64::try_from(divisor)) {
        (Ok(value), Ok(divisor @ 1..)) => i128::from(value / divisor),
        _ => value.checked_div(divisor).unwrap_or(0),
    }
}
