//! `unary::cast` on CUDA: one launch, which also moves a mask to bit 0 where it does not begin there.

use bytemuck::{Pod, Zeroable};
use gdf_core::{
    BinaryView, Column, ColumnParts, ColumnView, DataType, Error, NullCount, PhysicalType, Result, physical_type, width,
};
use gdf_driver::Stream;
use gdf_memory::{Buffer, Resources};

use super::super::cast::{DecimalScale, Operation, Plan, Scale, Validity};
use crate::cuda::{CudaColumn, Kernel, SingleOutput, args};
use crate::host::power_of_ten;
use crate::vouch;

const CAPABILITY: &str = "unary";
/// The policy of kernels with several rows per access, and that of the others.
const POLICY: &str = "unary_cast";
const WIDE_POLICY: &str = "unary_cast_wide";

/// `decimal_scale` of the kernels.
#[derive(Clone, Copy, Pod, Zeroable)]
#[repr(C)]
struct KernelDecimalScale {
    power_low: u64,
    power_high: u64,
    factor: f64,
    mode: i32,
    unused: i32,
}

/// What a kernel takes between the columns and the scratch memory.
#[derive(Clone, Copy)]
enum Arguments {
    None,
    Scale64(i32, u64),
    Scale128(i32, [u64; 2]),
    Scale256(i32, [u64; 4], i32),
    FromDecimal(f64, i32),
    ToDecimal(KernelDecimalScale),
}

pub(in super::super) fn cast(
    column: ColumnView<'_>,
    target: &DataType,
    plan: Plan,
    stream: &Stream,
    mr: Resources<'_>,
) -> Result<Column> {
    if plan == Plan::Offsets {
        return offsets(column, target, stream, mr);
    }
    if column.is_empty() {
        return empty_values(target, column.has_validity(), stream, mr);
    }
    let validity = Validity::of(column)?;
    let masked = matches!(validity, Validity::Copied);
    let mut output = SingleOutput::new(target, column.len(), masked, 0, stream, mr)?;
    let (name, policy, arguments) = kernel(column.data_type(), target, plan)?;
    launch(column, &mut output, name, policy, arguments, stream)?;
    let (mask, null_count) = match validity {
        Validity::Shared(mask, null_count) => (Some(mask), null_count),
        _ => output.mask()?,
    };
    vouch::result(output.parts(stream)?.validity(mask, null_count))
}

/// Values without rows; allocates nothing.
fn empty_values(target: &DataType, masked: bool, stream: &Stream, mr: Resources<'_>) -> Result<Column> {
    let none = Buffer::uninitialized(0, stream, mr.output)?;
    let parts = ColumnParts::new(target.clone(), stream.device(), 0).buffer(none.clone());
    vouch::result(parts.validity(masked.then_some(none), NullCount::Known(0)))
}

/// The kernel of a plan, its policy and its arguments.
fn kernel(from: &DataType, to: &DataType, plan: Plan) -> Result<(&'static str, &'static str, Arguments)> {
    let (source, result) = (physical_type(from), physical_type(to));
    let widest = width(from).max(width(to)).unwrap_or(1);
    Ok(match plan {
        Plan::Numbers => {
            let name = match widest {
                8.. => "unary_cast_numbers8_kernel",
                4..8 => "unary_cast_numbers4_kernel",
                _ => "unary_cast_numbers2_kernel",
            };
            (name, POLICY, Arguments::None)
        }
        Plan::Scale(scale) => integers(scale, source, result),
        Plan::NonZero if source == PhysicalType::I256 => wide_nonzero(true),
        Plan::NonZero => wide_nonzero(false),
        Plan::FromDecimal(scale) => {
            let arguments = Arguments::FromDecimal(power_of_ten(scale.unsigned_abs()), i32::from(scale > 0));
            ("unary_cast_from_decimal_kernel", WIDE_POLICY, arguments)
        }
        Plan::ToDecimal(scale) => {
            let DecimalScale { mode, power, factor } = DecimalScale::new(scale);
            let scale = KernelDecimalScale {
                power_low: power as u64,
                power_high: (power >> 64) as u64,
                factor,
                mode: mode as i32,
                unused: 0,
            };
            ("unary_cast_to_decimal_kernel", WIDE_POLICY, Arguments::ToDecimal(scale))
        }
        Plan::Relabel | Plan::Offsets => return Err(Error::unsupported(super::super::cast::OPERATION, to)),
    })
}

fn integers(scale: Scale, source: PhysicalType, result: PhysicalType) -> (&'static str, &'static str, Arguments) {
    if source == PhysicalType::I256 || result == PhysicalType::I256 {
        let (operation, factor, digits) = scale.in_256_bits();
        let (low, high) = factor.to_parts();
        let words = [low as u64, (low >> 64) as u64, high as u64, (high >> 64) as u64];
        ("unary_cast_scaled256_kernel", WIDE_POLICY, Arguments::Scale256(operation as i32, words, digits))
    } else if source == PhysicalType::I128 || result == PhysicalType::I128 {
        let (operation, factor) = scale.in_128_bits();
        let words = [factor as u64, (factor >> 64) as u64];
        ("unary_cast_scaled128_kernel", WIDE_POLICY, Arguments::Scale128(operation as i32, words))
    } else {
        let (operation, factor) = scale.in_64_bits(source == PhysicalType::U64);
        ("unary_cast_scaled64_kernel", POLICY, Arguments::Scale64(operation as i32, factor))
    }
}

fn wide_nonzero(widest: bool) -> (&'static str, &'static str, Arguments) {
    let operation = Operation::NonZero as i32;
    if widest {
        ("unary_cast_scaled256_kernel", WIDE_POLICY, Arguments::Scale256(operation, [0; 4], 0))
    } else {
        ("unary_cast_scaled128_kernel", WIDE_POLICY, Arguments::Scale128(operation, [0; 2]))
    }
}

fn launch(
    column: ColumnView<'_>,
    output: &mut SingleOutput,
    name: &'static str,
    policy: &'static str,
    arguments: Arguments,
    stream: &Stream,
) -> Result<()> {
    let input = CudaColumn::open(column, stream)?;
    let (out, _access) = output.open(stream)?;
    let kernel = Kernel::find(stream, CAPABILITY, name, policy)?;
    let scratch = stream.scratch()?;
    let blocks = kernel.streaming_blocks(column.len());
    let desc = input.desc;
    let launch = |args: &mut [*mut std::ffi::c_void]| {
        // SAFETY: the arms below pass the parameters of the kernel that `kernel` named for these arguments. The input is
        // open for reading and has a row or more; `out` is open for writing, of as many rows, with whole mask words and
        // a null count exactly where its validity is not null, which is where the input has a mask; boolean values take
        // whole words. `policy` is the kernel's own. The scratch memory is the stream's.
        unsafe { kernel.launch(stream, blocks, 1, args) }
    };
    match arguments {
        Arguments::None => launch(args![desc, out, scratch]),
        Arguments::Scale64(operation, factor) => launch(args![desc, out, operation, factor, scratch]),
        Arguments::Scale128(operation, factor) => launch(args![desc, out, operation, factor, scratch]),
        Arguments::Scale256(operation, factor, digits) => launch(args![desc, out, operation, factor, digits, scratch]),
        Arguments::FromDecimal(power, divides) => launch(args![desc, out, power, divides, scratch]),
        Arguments::ToDecimal(scale) => launch(args![desc, out, scale, scratch]),
    }
}

/// Offsets of the other width; the bytes are shared.
fn offsets(column: ColumnView<'_>, target: &DataType, stream: &Stream, mr: Resources<'_>) -> Result<Column> {
    if column.is_empty() {
        return empty(target, column.has_validity(), stream, mr);
    }
    let mut bytes = column.buffer(1)?.clone();
    let mut base = 0_i64;
    // All offsets lie within the bytes, so only where these are many do the rows' own decide, and are waited for.
    if !is_large(target) && bytes.len() > i32::MAX as usize {
        let (start, end) = BinaryView::try_from(column)?.chars_range(stream)?;
        if end - start > i32::MAX as usize {
            return Err(Error::OffsetOverflow { needed: (end - start) as u64 });
        }
        base = start as i64;
        bytes = bytes.slice(start, end - start)?;
    }
    let validity = Validity::of(column)?;
    let masked = matches!(validity, Validity::Copied);
    let mut output = SingleOutput::new(target, column.len(), masked, 0, stream, mr)?;
    let input = CudaColumn::open(column, stream)?;
    let (out, access) = output.open(stream)?;
    let kernel = Kernel::find(stream, CAPABILITY, "unary_cast_offsets_kernel", WIDE_POLICY)?;
    let (desc, scratch) = (input.desc, stream.scratch()?);
    // SAFETY: the parameters of the kernel. The input has a row or more and is open for reading; `out` is open for
    // writing, with an offset more than rows, of the other width by its flag, and a mask where the input's is to be
    // copied; where offsets get narrower, less `base` they fit. The scratch memory is the stream's.
    unsafe { kernel.launch(stream, kernel.streaming_blocks(column.len()), 1, args![desc, out, base, scratch])? };
    drop(access);
    let (mask, null_count) = match validity {
        Validity::Shared(mask, null_count) => (Some(mask), null_count),
        _ => output.mask()?,
    };
    let mut parts = output.parts(stream)?.validity(mask, null_count);
    parts.buffers[1] = bytes;
    parts.sanitized = column.sanitized();
    vouch::result(parts)
}

/// Strings without rows: one offset.
fn empty(target: &DataType, masked: bool, stream: &Stream, mr: Resources<'_>) -> Result<Column> {
    let offsets = Buffer::zeroed(if is_large(target) { 8 } else { 4 }, stream, mr.output)?;
    let none = Buffer::uninitialized(0, stream, mr.output)?;
    let parts = ColumnParts::new(target.clone(), stream.device(), 0).buffer(offsets).buffer(none.clone());
    vouch::result(parts.validity(masked.then_some(none), NullCount::Known(0)))
}

fn is_large(data_type: &DataType) -> bool {
    matches!(data_type, DataType::LargeUtf8 | DataType::LargeBinary)
}
