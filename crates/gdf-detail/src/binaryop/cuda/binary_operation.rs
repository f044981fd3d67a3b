//! `binary_operation` on CUDA: the kernel that the plan names, launched once.

use arrow_buffer::i256;
use gdf_core::{Column, DataType, Error, Operand, PhysicalType, Result};
use gdf_driver::Stream;
use gdf_memory::Resources;

use super::super::OPERATION;
use super::super::plan::{Compared, Comparing, Compute, Nulls, Plan, Scaling};
use crate::cuda::{CudaColumn, CudaOutput, Kernel, args};

/// What kernels are told besides columns, as `kernels/binaryop/operation.cuh` declares it.
#[derive(Clone, Copy, Debug)]
#[repr(C)]
struct Operation {
    code: i32,
    bits: i32,
    negated: i32,
    nulls: i32,
    /// Four 256-bit integers, least significant word first.
    factors: [[u64; 4]; 4],
}

const _: () = assert!(size_of::<Operation>() == 144 && align_of::<Operation>() == 8);

fn words(of: i256) -> [u64; 4] {
    let bytes = of.to_le_bytes();
    let (words, _) = bytes.as_chunks::<8>();
    [0, 1, 2, 3].map(|index: usize| u64::from_le_bytes(words[index]))
}

fn type_name(physical: PhysicalType) -> Option<&'static str> {
    Some(match physical {
        PhysicalType::I8 => "i8",
        PhysicalType::I16 => "i16",
        PhysicalType::I32 => "i32",
        PhysicalType::I64 => "i64",
        PhysicalType::U8 => "u8",
        PhysicalType::U16 => "u16",
        PhysicalType::U32 => "u32",
        PhysicalType::U64 => "u64",
        PhysicalType::F32 => "f32",
        PhysicalType::F64 => "f64",
        PhysicalType::I128 => "i128",
        PhysicalType::I256 => "i256",
        _ => return None,
    })
}

fn compute_name(compute: Compute) -> &'static str {
    match compute {
        Compute::I64 => "i64",
        Compute::U64 => "u64",
        Compute::F32 => "f32",
        Compute::F64 => "f64",
        Compute::I128 => "i128",
        Compute::I256 => "i256",
    }
}

/// Kernel (and policy, under the same name) and what it is told.
fn choose(plan: &Plan, numbers: bool) -> Option<(String, Operation)> {
    let mut operation = Operation { code: 0, bits: 0, negated: 0, nulls: 0, factors: [[0; 4]; 4] };
    let mut scaled = |[lhs, rhs, third, fourth]: [i256; 4]| {
        operation.factors = [words(lhs), words(rhs), words(third), words(fourth)];
    };
    let name = match *plan {
        Plan::Same { op, physical } => {
            operation.code = op as i32;
            format!("binary_same_{}", type_name(physical)?)
        }
        Plan::Converted { op, compute, scaling: Scaling { lhs, rhs, up, down }, bits } => {
            scaled([lhs, rhs, up, down]);
            operation.code = op as i32;
            operation.bits = bits;
            format!("binary_converted_{}", compute_name(compute))
        }
        Plan::Comparison { order, negated, nulls, compared, .. } => {
            let name = match compared {
                Compared::Bytes => "binary_compare_bytes".to_owned(),
                Compared::Same(PhysicalType::I256) => {
                    let Comparing { lhs, rhs, lhs_most, rhs_most } = Comparing::NONE;
                    scaled([lhs, rhs, lhs_most, rhs_most]);
                    "binary_compare_converted_i256".to_owned()
                }
                Compared::Same(physical) => format!("binary_compare_{}", type_name(physical)?),
                Compared::Converted(compute, Comparing { lhs, rhs, lhs_most, rhs_most }) => {
                    scaled([lhs, rhs, lhs_most, rhs_most]);
                    format!("binary_compare_converted_{}", compute_name(compute))
                }
            };
            operation.code = order as i32;
            operation.negated = i32::from(negated);
            operation.nulls = i32::from(nulls == Nulls::Equal);
            name
        }
        Plan::Logic { op, .. } => {
            operation.code = op as i32;
            if numbers { "binary_logic_numbers" } else { "binary_logic" }.to_owned()
        }
    };
    Some((name, operation))
}

pub(in super::super) fn binary_operation(
    lhs: Operand<'_>,
    rhs: Operand<'_>,
    rows: usize,
    plan: Plan,
    output_type: &DataType,
    stream: &Stream,
    mr: Resources<'_>,
) -> Result<Column> {
    let (lhs, rhs) = match plan {
        Plan::Comparison { swapped: true, .. } | Plan::Logic { swapped: true, .. } => (rhs, lhs),
        _ => (lhs, rhs),
    };
    let numbers = [lhs, rhs].iter().any(|side| *side.data_type() != DataType::Boolean);
    let Some((name, operation)) = choose(&plan, numbers) else {
        return Err(Error::unsupported(OPERATION, lhs.data_type()));
    };
    let kernel = Kernel::find(stream, "binaryop", &format!("{name}_kernel"), &name)?;
    let scratch = stream.scratch()?;
    let left = CudaColumn::open_operand(lhs, stream)?;
    let right = CudaColumn::open_operand(rhs, stream)?;
    let nullable = plan.nullable(lhs.has_validity(), rhs.has_validity());
    let mut output = CudaOutput::fixed_width(output_type, rows, nullable, stream, mr)?;
    let open = output.open(stream)?;
    // Booleans: a thread per word of the result.
    let units = if matches!(plan, Plan::Logic { .. }) && !numbers { rows.div_ceil(32) } else { rows };
    // SAFETY: the parameters of every kernel of the capability are `const column_in lhs, const column_in rhs, const
    // column_out out, const operation how, scratch*`, all by value, and those are passed. Both inputs hold `rows` rows
    // (or one that is broadcast) of a type that `plan` lets this kernel read; the output was made for `rows` rows of its
    // type. The accesses that back the addresses are held until the launch is enqueued on their stream; scratch is this
    // stream's own.
    unsafe {
        kernel.launch(
            stream,
            kernel.streaming_blocks(units),
            1,
            args![left.desc, right.desc, open.desc, operation, scratch],
        )?;
    }
    drop((left, right, open));
    output.finish(stream)
}
