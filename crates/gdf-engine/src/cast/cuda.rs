//! `unary::cast` on CUDA. One launch converts the rows.

use gdf_core::{
    BinaryView, Column, ColumnParts, ColumnView, DataType, Error, NullCount, PhysicalType, Result, physical_type, width,
};
use gdf_kernels::generated::common::I256;
use gdf_kernels::generated::unary::{
    CastDecimalScale, CastFromDecimal, CastNumbers, CastNumbersKernel, CastOffsets, CastScale128, CastScaled64,
    CastScaled128, CastScaled256, CastToDecimal,
};
use gdf_memory::Buffer;

use super::plan::{CastPlan, DecimalScale, OPERATION, Operation, code};
use crate::Ctx;
use crate::cuda::{CudaColumn, Kernel, SingleOutput};
use crate::elementwise::{Launch, SharedMask};
use crate::rounding::power_of_ten;
use crate::vouch;

pub(super) fn cast(launch: &Launch<'_, 1>, plan: CastPlan, [from, target]: [&DataType; 2]) -> Result<()> {
    let (source, result) = (physical_type(from), physical_type(target));
    let Launch { inputs: [input], out, .. } = *launch;
    match plan {
        CastPlan::Numbers => {
            let widest = width(from).max(width(target)).unwrap_or(1);
            let kernel = match widest {
                8.. => CastNumbersKernel::Numbers8,
                4..8 => CastNumbersKernel::Numbers4,
                _ => CastNumbersKernel::Numbers2,
            };
            launch.run(kernel, launch.rows, &CastNumbers { input, out })
        }
        CastPlan::Scale(scale) if source == PhysicalType::I256 || result == PhysicalType::I256 => {
            let (operation, factor, digits) = scale.in_256_bits();
            let (low, high) = factor.to_parts();
            let factor = I256 { word: [low as u64, (low >> 64) as u64, high as u64, (high >> 64) as u64] };
            launch.run_only(&CastScaled256 { input, out, operation: code(operation) as i32, factor, digits })
        }
        CastPlan::Scale(scale) if source == PhysicalType::I128 || result == PhysicalType::I128 => {
            let (operation, factor) = scale.in_128_bits();
            let factor = CastScale128 { low: factor as u64, high: (factor >> 64) as u64 };
            launch.run_only(&CastScaled128 { input, out, operation: code(operation) as i32, factor })
        }
        CastPlan::Scale(scale) => {
            let (operation, factor) = scale.in_64_bits(source);
            launch.run_only(&CastScaled64 { input, out, operation: code(operation) as i32, factor })
        }
        CastPlan::NonZero if source == PhysicalType::I256 => {
            let (operation, factor) = (Operation::Nonzero as i32, I256::default());
            launch.run_only(&CastScaled256 { input, out, operation, factor, digits: 0 })
        }
        CastPlan::NonZero => {
            let (operation, factor) = (Operation::Nonzero as i32, CastScale128::default());
            launch.run_only(&CastScaled128 { input, out, operation, factor })
        }
        CastPlan::FromDecimal(scale) => {
            let (power, divides) = (power_of_ten(scale.unsigned_abs()), i32::from(scale > 0));
            launch.run_only(&CastFromDecimal { input, out, power, divides })
        }
        CastPlan::ToDecimal(scale) => {
            let DecimalScale { mode, power, factor } = DecimalScale::new(scale);
            let (power_low, power_high) = (power as u64, (power >> 64) as u64);
            let scale = CastDecimalScale { power_low, power_high, factor, mode: mode as i32 };
            launch.run_only(&CastToDecimal { input, out, scale })
        }
        CastPlan::Relabel | CastPlan::Offsets | CastPlan::ToViews | CastPlan::OfViews | CastPlan::Decode => {
            Err(Error::unsupported(OPERATION, target))
        }
    }
}

/// Converts 32-bit string offsets to 64 bits, or 64-bit string offsets to 32 bits. The result shares the bytes of the
/// input.
pub(super) fn offsets(column: ColumnView<'_>, target: &DataType, ctx: Ctx<'_>) -> Result<Column> {
    if column.is_empty() {
        return empty(target, column.has_validity(), ctx);
    }
    let mut bytes = column.buffer(1)?.clone();
    let mut base = 0_i64;
    // The bytes of all rows lie in the byte buffer, so a buffer of less than 2 GiB has offsets that fit in 32 bits.
    if !physical_type(target).is_large() && bytes.len() > i32::MAX as usize {
        let (start, end) = BinaryView::try_from(column)?.chars_range(ctx.stream)?;
        if end - start > i32::MAX as usize {
            return Err(Error::offset_overflow((end - start) as u64));
        }
        base = start as i64;
        bytes = bytes.slice(start, end - start)?;
    }
    let mask = SharedMask::of(column)?;
    let mut output = SingleOutput::new(target, column.len(), matches!(mask, SharedMask::Copied), 0, ctx)?;
    let input = CudaColumn::open(column, ctx.stream)?;
    let open = output.open(ctx.stream)?;
    let arguments = CastOffsets { input: input.desc(), out: open.desc(), base };
    let kernel = Kernel::find(ctx.stream)?;
    // SAFETY: The kernel reads the offsets and the mask of the input, and writes the offsets and the mask of `out`.
    // - The input has at least one row and is open for reading.
    // - `out` is open for writing. `out` has one offset more than rows, of the width that its flag states.
    // - `out` has a mask if the kernel is to copy the mask of the input.
    // - If the offsets become narrower, each offset minus `base` fits in 32 bits, by the check above.
    // - `input` and `open` are dropped only after the launch has been enqueued.
    unsafe { kernel.launch(ctx.stream, kernel.streaming_blocks(column.len()), 1, &arguments)? };
    drop(open);
    let (mask, null_count) = mask.finish(|| output.mask())?;
    let mut parts = output.parts(ctx.stream)?.validity(mask, null_count);
    parts.buffers[1] = bytes;
    parts.sanitized = column.sanitized();
    vouch::result(parts)
}

fn empty(target: &DataType, masked: bool, ctx: Ctx<'_>) -> Result<Column> {
    let offsets = Buffer::zeroed(if physical_type(target).is_large() { 8 } else { 4 }, ctx.stream, ctx.mr.output)?;
    let none = Buffer::uninitialized(0, ctx.stream, ctx.mr.output)?;
    let parts = ColumnParts::new(target.clone(), ctx.stream.device(), 0).buffer(offsets).buffer(none.clone());
    vouch::result(parts.validity(masked.then_some(none), NullCount::Known(0)))
}
