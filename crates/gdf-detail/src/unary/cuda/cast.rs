//! `unary::cast` on CUDA: one launch, which also moves a mask to bit 0 where it does not begin there.

use gdf_core::{
    BinaryView, Column, ColumnParts, ColumnView, DataType, Error, NullCount, PhysicalType, Result, physical_type, width,
};
use gdf_driver::Stream;
use gdf_kernels::generated::common::I256;
use gdf_kernels::generated::unary::{
    CastDecimalScale, CastFromDecimal, CastNumbers, CastNumbersKernel, CastOffsets, CastScale128, CastScaled64,
    CastScaled128, CastScaled256, CastToDecimal,
};
use gdf_kernels::{Arguments, OneKernel};
use gdf_memory::Buffer;

use super::super::cast::{DecimalScale, Operation, Plan, Validity};
use crate::context::Ctx;
use crate::cuda::{CudaColumn, Kernel, Scratch, SingleOutput};
use crate::host::power_of_ten;
use crate::vouch;

pub(in super::super) fn cast(column: ColumnView<'_>, target: &DataType, plan: Plan, ctx: Ctx<'_>) -> Result<Column> {
    if plan == Plan::Offsets {
        return offsets(column, target, ctx);
    }
    if column.is_empty() {
        return empty_values(target, column.has_validity(), ctx);
    }
    let validity = Validity::of(column)?;
    let masked = matches!(validity, Validity::Copied);
    let mut output = SingleOutput::new(target, column.len(), masked, 0, ctx)?;
    launch(column, &mut output, target, plan, ctx.stream)?;
    let (mask, null_count) = match validity {
        Validity::Shared(mask, null_count) => (Some(mask), null_count),
        _ => output.mask()?,
    };
    vouch::result(output.parts(ctx.stream)?.validity(mask, null_count))
}

/// Values without rows; allocates nothing.
fn empty_values(target: &DataType, masked: bool, ctx: Ctx<'_>) -> Result<Column> {
    let none = Buffer::uninitialized(0, ctx.stream, ctx.mr.output)?;
    let parts = ColumnParts::new(target.clone(), ctx.stream.device(), 0).buffer(none.clone());
    vouch::result(parts.validity(masked.then_some(none), NullCount::Known(0)))
}

/// The kernel of a plan, into `output`.
fn launch(
    column: ColumnView<'_>,
    output: &mut SingleOutput,
    target: &DataType,
    plan: Plan,
    stream: &Stream,
) -> Result<()> {
    let (source, result) = (physical_type(column.data_type()), physical_type(target));
    let opened = CudaColumn::open(column, stream)?;
    let (out, _access) = output.open(stream)?;
    let (input, scratch) = (opened.desc, Scratch::of(stream)?);
    match plan {
        Plan::Numbers => {
            let widest = width(column.data_type()).max(width(target)).unwrap_or(1);
            let kernel = match widest {
                8.. => CastNumbersKernel::Numbers8,
                4..8 => CastNumbersKernel::Numbers4,
                _ => CastNumbersKernel::Numbers2,
            };
            enqueue(&Kernel::choose(kernel, stream)?, &CastNumbers { input, out, scratch }, column, stream)
        }
        Plan::Scale(scale) if source == PhysicalType::I256 || result == PhysicalType::I256 => {
            let (operation, factor, digits) = scale.in_256_bits();
            let (low, high) = factor.to_parts();
            let factor = I256 { word: [low as u64, (low >> 64) as u64, high as u64, (high >> 64) as u64] };
            run(&CastScaled256 { input, out, operation: operation as i32, factor, digits, scratch }, column, stream)
        }
        Plan::Scale(scale) if source == PhysicalType::I128 || result == PhysicalType::I128 => {
            let (operation, factor) = scale.in_128_bits();
            let factor = CastScale128 { low: factor as u64, high: (factor >> 64) as u64 };
            run(&CastScaled128 { input, out, operation: operation as i32, factor, scratch }, column, stream)
        }
        Plan::Scale(scale) => {
            let (operation, factor) = scale.in_64_bits(source == PhysicalType::U64);
            run(&CastScaled64 { input, out, operation: operation as i32, factor, scratch }, column, stream)
        }
        Plan::NonZero if source == PhysicalType::I256 => {
            let (operation, factor) = (Operation::Nonzero as i32, I256::default());
            run(&CastScaled256 { input, out, operation, factor, digits: 0, scratch }, column, stream)
        }
        Plan::NonZero => {
            let (operation, factor) = (Operation::Nonzero as i32, CastScale128::default());
            run(&CastScaled128 { input, out, operation, factor, scratch }, column, stream)
        }
        Plan::FromDecimal(scale) => {
            let (power, divides) = (power_of_ten(scale.unsigned_abs()), i32::from(scale > 0));
            run(&CastFromDecimal { input, out, power, divides, scratch }, column, stream)
        }
        Plan::ToDecimal(scale) => {
            let DecimalScale { mode, power, factor } = DecimalScale::new(scale);
            let (power_low, power_high) = (power as u64, (power >> 64) as u64);
            let scale = CastDecimalScale { power_low, power_high, factor, mode: mode as i32 };
            run(&CastToDecimal { input, out, scale, scratch }, column, stream)
        }
        Plan::Relabel | Plan::Offsets => Err(Error::unsupported(super::super::cast::OPERATION, target)),
    }
}

fn run<A: OneKernel>(arguments: &A, column: ColumnView<'_>, stream: &Stream) -> Result<()> {
    enqueue(&Kernel::find(stream)?, arguments, column, stream)
}

fn enqueue<A: Arguments>(kernel: &Kernel<A>, arguments: &A, column: ColumnView<'_>, stream: &Stream) -> Result<()> {
    // SAFETY: `launch` makes the arguments. The input is open for reading and has a row or more of a type that the plan
    // has the kernel for; `out` is open for writing, of as many rows, with whole mask words and a null count exactly
    // where its validity is not null, which is where the input has a mask; boolean values take whole words.
    unsafe { kernel.launch(stream, kernel.streaming_blocks(column.len()), 1, arguments)? };
    Ok(())
}

/// Offsets of the other width; the bytes are shared.
fn offsets(column: ColumnView<'_>, target: &DataType, ctx: Ctx<'_>) -> Result<Column> {
    if column.is_empty() {
        return empty(target, column.has_validity(), ctx);
    }
    let mut bytes = column.buffer(1)?.clone();
    let mut base = 0_i64;
    // All offsets lie within the bytes, so only where these are many do the rows' own decide, and are waited for.
    if !is_large(target) && bytes.len() > i32::MAX as usize {
        let (start, end) = BinaryView::try_from(column)?.chars_range(ctx.stream)?;
        if end - start > i32::MAX as usize {
            return Err(Error::OffsetOverflow { needed: (end - start) as u64 });
        }
        base = start as i64;
        bytes = bytes.slice(start, end - start)?;
    }
    let validity = Validity::of(column)?;
    let masked = matches!(validity, Validity::Copied);
    let mut output = SingleOutput::new(target, column.len(), masked, 0, ctx)?;
    let input = CudaColumn::open(column, ctx.stream)?;
    let (out, access) = output.open(ctx.stream)?;
    let arguments = CastOffsets { input: input.desc, out, base, scratch: Scratch::of(ctx.stream)? };
    let kernel = Kernel::find(ctx.stream)?;
    // SAFETY: the input has a row or more and is open for reading; `out` is open for writing, with an offset more than
    // rows, of the other width by its flag, and a mask where the input's is to be copied; where offsets get narrower,
    // less `base` they fit.
    unsafe { kernel.launch(ctx.stream, kernel.streaming_blocks(column.len()), 1, &arguments)? };
    drop(access);
    let (mask, null_count) = match validity {
        Validity::Shared(mask, null_count) => (Some(mask), null_count),
        _ => output.mask()?,
    };
    let mut parts = output.parts(ctx.stream)?.validity(mask, null_count);
    parts.buffers[1] = bytes;
    parts.sanitized = column.sanitized();
    vouch::result(parts)
}

/// Strings without rows: one offset.
fn empty(target: &DataType, masked: bool, ctx: Ctx<'_>) -> Result<Column> {
    let offsets = Buffer::zeroed(if is_large(target) { 8 } else { 4 }, ctx.stream, ctx.mr.output)?;
    let none = Buffer::uninitialized(0, ctx.stream, ctx.mr.output)?;
    let parts = ColumnParts::new(target.clone(), ctx.stream.device(), 0).buffer(offsets).buffer(none.clone());
    vouch::result(parts.validity(masked.then_some(none), NullCount::Known(0)))
}

fn is_large(data_type: &DataType) -> bool {
    matches!(data_type, DataType::LargeUtf8 | DataType::LargeBinary)
}
