//! `unary::cast` on the CPU.

mod convert;
mod decimal;
mod source;

use bytemuck::Pod;
use gdf_core::{
    Column, ColumnView, DataType, Error, NativeType, NullCount, PhysicalType, Result, dispatch_integer,
    dispatch_numeric, f16, physical_type,
};
use gdf_memory::Buffer;

use self::convert::Convert;
use super::super::cast::{DecimalScale, OPERATION, Operation, Plan, Scale, Validity};
use crate::context::Ctx;
use crate::host::{HostColumn, HostMask, HostOutput, column, for_each_chunk, mask_from_words, power_of_ten};
use crate::vouch;

/// A cast under way.
struct Work<'w, 'c> {
    input: HostColumn<'c>,
    target: &'w DataType,
    ctx: Ctx<'w>,
}

pub(in super::super) fn cast(view: ColumnView<'_>, target: &DataType, plan: Plan, ctx: Ctx<'_>) -> Result<Column> {
    let work = Work { input: HostColumn::open(view, ctx.stream)?, target, ctx };
    let result = match plan {
        Plan::Numbers => numbers(&work),
        Plan::Scale(scale) => work.scaled(scale),
        Plan::NonZero if physical_type(view.data_type()) == PhysicalType::I256 => to_bits::<gdf_core::I256>(&work),
        Plan::NonZero => to_bits::<i128>(&work),
        Plan::FromDecimal(scale) => work.of_decimal(scale),
        Plan::ToDecimal(scale) => work.to_decimal(scale),
        Plan::Offsets => offsets(&work),
        Plan::Relabel => Err(work.unsupported()),
    }?;
    let mut parts = result.into_parts();
    (parts.validity, parts.null_count) = match Validity::of(view)? {
        Validity::None => (None, NullCount::Known(0)),
        Validity::Shared(mask, null_count) => (Some(mask), null_count),
        Validity::Copied => {
            let bits = work.input.validity()?;
            let word = |word: usize| bits.map_or(u64::MAX, |bits| bits.word(word));
            let mask = HostMask::from_words(view.len(), ctx.stream, ctx.mr.output, word)?;
            (mask.validity, NullCount::Known(mask.nulls))
        }
    };
    vouch::result(parts)
}

impl Work<'_, '_> {
    fn unsupported(&self) -> Error {
        Error::unsupported(OPERATION, self.target)
    }

    fn rows(&self) -> usize {
        self.input.len()
    }

    /// A result that `fill(first_row, rows)` writes in pieces, on all threads.
    fn filled<D: Pod + Send>(&self, fill: impl Fn(usize, &mut [D]) + Sync) -> Result<Column> {
        let mut output = HostOutput::<D>::new(self.rows(), self.ctx)?;
        for_each_chunk(output.values(self.ctx.stream)?, fill);
        output.finish(self.target, HostMask::none())
    }
}

/// Between booleans, integers and floats.
fn numbers(work: &Work<'_, '_>) -> Result<Column> {
    let from = physical_type(work.input.view().data_type());
    let to = physical_type(work.target);
    match (from, to) {
        (PhysicalType::Bool, _) => {
            dispatch_numeric!(to, D => from_bits::<D>(work), else => Err(work.unsupported()))
        }
        (_, PhysicalType::Bool) => {
            dispatch_numeric!(from, S => to_bits::<S>(work), else => Err(work.unsupported()))
        }
        // A table of both types, each cell one small loop: the code around it is there once per result type.
        _ => dispatch_numeric!(from, S => dispatch_numeric!(to, D => converted::<D>(
            work,
            bytemuck::cast_slice(work.input.values::<S>()?),
            size_of::<S>(),
            step::<S, D>,
        ), else => Err(work.unsupported())), else => Err(work.unsupported())),
    }
}

fn step<S: Pod + Convert<D>, D>(from: &[u8], out: &mut [D]) {
    for (slot, value) in out.iter_mut().zip(bytemuck::cast_slice::<u8, S>(from)) {
        *slot = value.convert();
    }
}

/// Rows of `width` bytes through `step`.
fn converted<D: Pod + Send>(
    work: &Work<'_, '_>,
    from: &[u8],
    width: usize,
    step: fn(&[u8], &mut [D]),
) -> Result<Column> {
    work.filled::<D>(|first, out| step(&from[first * width..][..out.len() * width], out))
}

fn from_bits<D: NativeType>(work: &Work<'_, '_>) -> Result<Column>
where
    u8: Convert<D>,
{
    let bits = work.input.bits()?;
    work.filled::<D>(|first, out| {
        let ends = [0_u8.convert(), 1_u8.convert()];
        for (index, rows) in out.chunks_mut(64).enumerate() {
            let word = bits.word(first / 64 + index);
            for (row, slot) in rows.iter_mut().enumerate() {
                *slot = ends[(word >> row & 1) as usize];
            }
        }
    })
}

/// Whatever is not 0 is true, NaN too.
fn to_bits<S: NativeType>(work: &Work<'_, '_>) -> Result<Column> {
    let values = work.input.values::<S>()?;
    let word = |word: usize| {
        let rows = values.get(word * 64..).unwrap_or_default();
        let set = |(row, value): (usize, &S)| u64::from(*value != S::default()) << row;
        rows.iter().take(64).enumerate().map(set).fold(0, |all, bit| all | bit)
    };
    let (buffer, _) = mask_from_words(values.len(), work.ctx.stream, work.ctx.mr.output, word)?;
    column(work.target, values.len(), [buffer], HostMask::none())
}

/// Rows of a block that is brought to a wider type, worked on, and brought to the result's: all in the first cache.
const BLOCK: usize = crate::limits::cpu::CAST_BLOCK;

impl Work<'_, '_> {
    /// Blocks of `C` that `load(first_row, block)` fills and `work` changes, converted to the result.
    fn in_blocks<C, D>(&self, load: impl Fn(usize, &mut [C]) + Sync, work: impl Fn(&mut [C]) + Sync) -> Result<Column>
    where
        C: Copy + Default + Convert<D>,
        D: Pod + Send,
    {
        self.filled::<D>(|first, out| {
            let mut block = [C::default(); BLOCK];
            for (index, out) in out.chunks_mut(BLOCK).enumerate() {
                let rows = &mut block[..out.len()];
                load(first + index * BLOCK, rows);
                work(rows);
                for (slot, value) in out.iter_mut().zip(rows) {
                    *slot = value.convert();
                }
            }
        })
    }

    fn scaled(&self, scale: Scale) -> Result<Column> {
        let source = source::Source::of(&self.input)?;
        let from = physical_type(self.input.view().data_type());
        let to = physical_type(self.target);
        if from == PhysicalType::I256 || to == PhysicalType::I256 {
            let (operation, factor, _) = scale.in_256_bits();
            let change = |rows: &mut [gdf_core::I256]| match operation {
                Operation::Multiply => rows.iter_mut().for_each(|row| row.0 = row.0.wrapping_mul(factor)),
                _ => rows.iter_mut().for_each(|row| row.0 = row.0.wrapping_div(factor)),
            };
            let load = |first, rows: &mut [gdf_core::I256]| source.load_i256(first, rows);
            return match to {
                PhysicalType::I256 => self.in_blocks::<_, gdf_core::I256>(load, change),
                PhysicalType::I128 => self.in_blocks::<_, i128>(load, change),
                _ => dispatch_integer!(to, D => self.in_blocks::<_, D>(load, change), else => Err(self.unsupported())),
            };
        }
        if from == PhysicalType::I128 || to == PhysicalType::I128 {
            let (operation, factor) = scale.in_128_bits();
            let change = |rows: &mut [i128]| match operation {
                Operation::Multiply => rows.iter_mut().for_each(|row| *row = row.wrapping_mul(factor)),
                _ => rows.iter_mut().for_each(|row| *row = divide(*row, factor)),
            };
            let load = |first, rows: &mut [i128]| source.load_i128(first, rows);
            return match to {
                PhysicalType::I128 => self.in_blocks::<_, i128>(load, change),
                _ => dispatch_integer!(to, D => self.in_blocks::<_, D>(load, change), else => Err(self.unsupported())),
            };
        }
        let unsigned = from == PhysicalType::U64;
        let (operation, factor) = scale.in_64_bits(unsigned);
        let signed = factor.max(1) as i64;
        let change = |rows: &mut [i64]| match operation {
            Operation::Multiply => rows.iter_mut().for_each(|row| *row = row.wrapping_mul(factor as i64)),
            Operation::DivideFloor => rows.iter_mut().for_each(|row| *row = row.div_euclid(signed)),
            _ if unsigned => rows.iter_mut().for_each(|row| *row = (*row as u64 / factor.max(1)) as i64),
            _ => rows.iter_mut().for_each(|row| *row /= signed),
        };
        let load = |first, rows: &mut [i64]| source.load_i64(first, rows);
        dispatch_integer!(to, D => self.in_blocks::<_, D>(load, change), else => Err(self.unsupported()))
    }

    fn of_decimal(&self, scale: i32) -> Result<Column> {
        let source = source::Source::of(&self.input)?;
        let power = power_of_ten(scale.unsigned_abs());
        let change = |rows: &mut [f64]| {
            if scale > 0 {
                rows.iter_mut().for_each(|row| *row /= power);
            } else {
                rows.iter_mut().for_each(|row| *row *= power);
            }
        };
        let load = |first, rows: &mut [f64]| source.load_f64(first, rows);
        match physical_type(self.target) {
            PhysicalType::F16 => self.in_blocks::<_, f16>(load, change),
            PhysicalType::F32 => self.in_blocks::<_, f32>(load, change),
            PhysicalType::F64 => self.in_blocks::<_, f64>(load, change),
            _ => Err(self.unsupported()),
        }
    }

    fn to_decimal(&self, scale: i32) -> Result<Column> {
        let source = source::Source::of(&self.input)?;
        let scale = DecimalScale::new(scale);
        let format = decimal::Format::of(physical_type(self.input.view().data_type()));
        let load = |first: usize, rows: &mut [f64]| source.load_f64(first, rows);
        macro_rules! filled {
            ($native:ty, $to:expr) => {
                self.filled::<$native>(|first, out| {
                    let mut block = [0.0; BLOCK];
                    for (index, out) in out.chunks_mut(BLOCK).enumerate() {
                        let rows = &mut block[..out.len()];
                        load(first + index * BLOCK, rows);
                        for (slot, value) in out.iter_mut().zip(rows) {
                            *slot = $to(*value);
                        }
                    }
                })
            };
        }
        match physical_type(self.target) {
            PhysicalType::I32 => filled!(i32, |value| decimal::to_i128(value, &scale, format, 31) as i32),
            PhysicalType::I64 => filled!(i64, |value| decimal::to_i128(value, &scale, format, 63) as i64),
            PhysicalType::I128 => filled!(i128, |value| decimal::to_i128(value, &scale, format, 127)),
            PhysicalType::I256 => filled!(gdf_core::I256, |value| decimal::to_i256(value, &scale, format).into()),
            _ => Err(self.unsupported()),
        }
    }
}

/// Towards zero; mostly both fit 64 bits, and then dividing is cheap.
fn divide(value: i128, divisor: i128) -> i128 {
    match (i64::try_from(value), i64::try_from(divisor)) {
        (Ok(value), Ok(divisor @ 1..)) => i128::from(value / divisor),
        _ => value.checked_div(divisor).unwrap_or(0),
    }
}

/// Offsets of the other width; the bytes are shared.
fn offsets(work: &Work<'_, '_>) -> Result<Column> {
    let view = work.input.view();
    let mut bytes = view.buffer(1)?.clone();
    let mut buffer;
    if matches!(work.target, DataType::LargeUtf8 | DataType::LargeBinary) {
        let from = work.input.offsets::<i32>()?;
        buffer = Buffer::uninitialized((view.len() + 1) * 8, work.ctx.stream, work.ctx.mr.output)?;
        let out = buffer.write_on(work.ctx.stream)?.into_mut_slice::<i64>()?;
        if from.is_empty() {
            out.fill(0); // a column of no rows may have no offsets
        }
        for_each_chunk(out, |first, out| {
            for (slot, offset) in out.iter_mut().zip(from.get(first..).unwrap_or_default()) {
                *slot = i64::from(*offset);
            }
        });
    } else {
        let from = work.input.offsets::<i64>()?;
        let (start, end) = (from.first().copied().unwrap_or(0), from.last().copied().unwrap_or(0));
        let mut base = 0;
        if end > i64::from(i32::MAX) {
            let needed = u64::try_from(end.wrapping_sub(start)).unwrap_or(u64::MAX);
            let (Ok(first), Ok(len @ 0..=0x7fff_ffff)) = (usize::try_from(start), usize::try_from(needed)) else {
                return Err(Error::OffsetOverflow { needed });
            };
            bytes = bytes.slice(first, len)?;
            base = start;
        }
        buffer = Buffer::uninitialized((view.len() + 1) * 4, work.ctx.stream, work.ctx.mr.output)?;
        let out = buffer.write_on(work.ctx.stream)?.into_mut_slice::<i32>()?;
        if from.is_empty() {
            out.fill(0); // a column of no rows may have no offsets
        }
        for_each_chunk(out, |first, out| {
            for (slot, offset) in out.iter_mut().zip(from.get(first..).unwrap_or_default()) {
                *slot = offset.wrapping_sub(base) as i32;
            }
        });
    }
    let result = column(work.target, view.len(), [buffer, bytes], HostMask::none())?;
    let mut parts = result.into_parts();
    parts.sanitized = view.sanitized();
    vouch::result(parts)
}
