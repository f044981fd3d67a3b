//! `unary_operation` on CUDA: the kernel that the plan names, launched once.

use gdf_core::{Column, ColumnView, DataType, Error, PhysicalType, Result};
use gdf_driver::Stream;
use gdf_kernels::KernelType;
use gdf_memory::Resources;

use super::super::unary_operation::{OPERATION, Plan};
use crate::cuda::{CudaColumn, CudaOutput, Kernel, args};

/// What kernels are told besides columns, as `kernels/unary/unary_operation.cu` declares it.
#[derive(Clone, Copy, Debug)]
#[repr(C)]
struct Operation {
    code: i32,
    reserved: i32,
    factor: [u64; 2],
}

const _: () = assert!(size_of::<Operation>() == 24 && align_of::<Operation>() == 8);

fn width_name(width: PhysicalType) -> Option<&'static str> {
    Some(match width {
        PhysicalType::U8 => "u8",
        PhysicalType::U16 => "u16",
        PhysicalType::U32 => "u32",
        PhysicalType::U64 => "u64",
        PhysicalType::I128 => "i128",
        PhysicalType::I256 => "i256",
        PhysicalType::F32 => "f32",
        PhysicalType::F64 => "f64",
        _ => return None,
    })
}

/// Kernel (and policy, under the same name) and what it is told.
fn choose(plan: Plan) -> Option<(String, Operation)> {
    let mut operation = Operation { code: 0, reserved: 0, factor: [1, 0] };
    let name = match plan {
        Plan::Bits(op, width) => {
            operation.code = op as i32;
            format!("unary_bits_{}", width_name(width)?)
        }
        Plan::Rounding(function, stored) => {
            operation.code = function as i32;
            format!("unary_rounding_{}", width_name(stored)?)
        }
        Plan::Math(function) => {
            operation.code = function as i32;
            "unary_math".to_owned()
        }
        Plan::Decimal { up, power } => {
            let unit = 10_u128.checked_pow(power).filter(|&unit| unit <= i128::MAX as u128)?;
            operation.code = i32::from(!up);
            operation.factor = [unit as u64, (unit >> 64) as u64];
            "unary_decimal".to_owned()
        }
        Plan::BitCount(_) => "unary_bit_count".to_owned(),
        Plan::Not => "unary_not".to_owned(),
        Plan::NotNumbers => "unary_not_numbers".to_owned(),
    };
    Some((name, operation))
}

pub(in super::super) fn unary_operation(
    column: ColumnView<'_>,
    plan: Plan,
    output_type: &DataType,
    stream: &Stream,
    mr: Resources<'_>,
) -> Result<Column> {
    let Some((name, operation)) = choose(plan) else {
        return Err(Error::unsupported(OPERATION, column.data_type()));
    };
    let rows = column.len();
    let kernel = Kernel::find(stream, "unary", &format!("{name}_kernel"), &name)?;
    let scratch = stream.scratch()?;
    let mut input = CudaColumn::open(column, stream)?;
    if let Plan::BitCount(width) = plan {
        // Bits above a narrow integer's are zeros, not its sign.
        input.desc.data_type = match width {
            PhysicalType::U8 => KernelType::U8,
            PhysicalType::U16 => KernelType::U16,
            PhysicalType::U32 => KernelType::U32,
            _ => KernelType::U64,
        } as i32;
    }
    let mut output = CudaOutput::fixed_width(output_type, rows, column.has_validity(), stream, mr)?;
    let open = output.open(stream)?;
    // Booleans: a thread per word of the result.
    let units = if plan == Plan::Not { rows.div_ceil(32) } else { rows };
    // SAFETY: the parameters of every kernel that `choose` names are `const column_in in, const column_out out, const
    // operation how, scratch*`, the first three by value, and those are passed. The input holds `rows` rows of a type
    // that `plan` lets this kernel read; the output was made for `rows` rows of its type. The accesses that back the
    // addresses are held until the launch is enqueued on their stream; scratch is this stream's own.
    unsafe {
        kernel.launch(stream, kernel.streaming_blocks(units), 1, args![input.desc, open.desc, operation, scratch])?;
    }
    drop((input, open));
    output.finish(stream)
}
