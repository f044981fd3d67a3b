//! `binary_operation` on CUDA: the kernel that the plan names, launched once.

use arrow_buffer::i256;
use gdf_core::{Column, DataType, Error, Operand, PhysicalType, Result};
use gdf_kernels::generated::binaryop::{BinaryOperation, BinaryOperationKernel as K, Operation};

use super::super::OPERATION;
use super::super::plan::{ComparisonDomain, ComparisonScale, Compute, Nulls, Plan, Scaling};
use crate::context::Ctx;
use crate::cuda::{CudaColumn, CudaOutput, Kernel, Scratch};

fn words(of: i256) -> [u64; 4] {
    let bytes = of.to_le_bytes();
    let (words, _) = bytes.as_chunks::<8>();
    [0, 1, 2, 3].map(|index: usize| u64::from_le_bytes(words[index]))
}

fn same(physical: PhysicalType) -> Option<K> {
    Some(match physical {
        PhysicalType::U8 => K::SameU8,
        PhysicalType::U16 => K::SameU16,
        PhysicalType::U32 => K::SameU32,
        PhysicalType::U64 => K::SameU64,
        PhysicalType::F32 => K::SameF32,
        PhysicalType::F64 => K::SameF64,
        PhysicalType::I128 => K::SameI128,
        _ => return None,
    })
}

fn compare(physical: PhysicalType) -> Option<K> {
    Some(match physical {
        PhysicalType::I8 => K::CompareI8,
        PhysicalType::I16 => K::CompareI16,
        PhysicalType::I32 => K::CompareI32,
        PhysicalType::I64 => K::CompareI64,
        PhysicalType::U8 => K::CompareU8,
        PhysicalType::U16 => K::CompareU16,
        PhysicalType::U32 => K::CompareU32,
        PhysicalType::U64 => K::CompareU64,
        PhysicalType::F32 => K::CompareF32,
        PhysicalType::F64 => K::CompareF64,
        PhysicalType::I128 => K::CompareI128,
        PhysicalType::I256 => K::CompareConvertedI256,
        _ => return None,
    })
}

/// The kernel, and what it takes besides columns.
fn choose(plan: &Plan, numbers: bool) -> Option<(K, Operation)> {
    let mut operation = Operation::default();
    let mut scaled = |[lhs, rhs, third, fourth]: [i256; 4]| {
        operation.factors = [words(lhs), words(rhs), words(third), words(fourth)];
    };
    let kernel = match *plan {
        Plan::Same { op, physical } => {
            operation.code = op as i32;
            same(physical)?
        }
        Plan::Converted { op, compute, scaling: Scaling { lhs, rhs, up, down }, bits } => {
            scaled([lhs, rhs, up, down]);
            operation.code = op as i32;
            operation.bits = bits;
            match compute {
                Compute::I64 => K::ConvertedI64,
                Compute::U64 => K::ConvertedU64,
                Compute::F32 => K::ConvertedF32,
                Compute::F64 => K::ConvertedF64,
                Compute::I128 => K::ConvertedI128,
                Compute::I256 => K::ConvertedI256,
            }
        }
        Plan::Comparison { order, negated, nulls, domain, .. } => {
            let kernel = match domain {
                ComparisonDomain::Bytes => K::CompareBytes,
                ComparisonDomain::Same(physical) => {
                    if physical == PhysicalType::I256 {
                        let ComparisonScale { lhs, rhs, lhs_max, rhs_max } = ComparisonScale::NONE;
                        scaled([lhs, rhs, lhs_max, rhs_max]);
                    }
                    compare(physical)?
                }
                ComparisonDomain::Converted(compute, ComparisonScale { lhs, rhs, lhs_max, rhs_max }) => {
                    scaled([lhs, rhs, lhs_max, rhs_max]);
                    match compute {
                        Compute::I64 => K::CompareConvertedI64,
                        Compute::F64 => K::CompareConvertedF64,
                        Compute::I128 => K::CompareConvertedI128,
                        Compute::I256 => K::CompareConvertedI256,
                        Compute::U64 | Compute::F32 => return None,
                    }
                }
            };
            operation.code = order as i32;
            operation.negated = i32::from(negated);
            operation.nulls = i32::from(nulls == Nulls::Equal);
            kernel
        }
        Plan::Logic { op, .. } => {
            operation.code = op as i32;
            if numbers { K::LogicNumbers } else { K::Logic }
        }
    };
    Some((kernel, operation))
}

pub(in super::super) fn binary_operation(
    lhs: Operand<'_>,
    rhs: Operand<'_>,
    rows: usize,
    plan: Plan,
    output_type: &DataType,
    ctx: Ctx<'_>,
) -> Result<Column> {
    let (lhs, rhs) = match plan {
        Plan::Comparison { swapped: true, .. } | Plan::Logic { swapped: true, .. } => (rhs, lhs),
        _ => (lhs, rhs),
    };
    let numbers = [lhs, rhs].iter().any(|side| *side.data_type() != DataType::Boolean);
    let Some((kernel, how)) = choose(&plan, numbers) else {
        return Err(Error::unsupported(OPERATION, lhs.data_type()));
    };
    let kernel = Kernel::choose(kernel, ctx.stream)?;
    let left = CudaColumn::open_operand(lhs, ctx.stream)?;
    let right = CudaColumn::open_operand(rhs, ctx.stream)?;
    let nullable = plan.nullable(lhs.has_validity(), rhs.has_validity());
    let mut output = CudaOutput::fixed_width(output_type, rows, nullable, ctx)?;
    let open = output.open(ctx.stream)?;
    // Booleans: a thread per word of the result.
    let units = if matches!(plan, Plan::Logic { .. }) && !numbers { rows.div_ceil(32) } else { rows };
    let scratch = Scratch::of(ctx.stream)?;
    let arguments = BinaryOperation { lhs: left.desc, rhs: right.desc, out: open.desc, how, scratch };
    // SAFETY: both inputs hold `rows` rows (or one that is broadcast) of a type that `plan` lets this kernel read; the
    // output was made for `rows` rows of its type. All are held until the launch is enqueued.
    unsafe { kernel.launch(ctx.stream, kernel.streaming_blocks(units), 1, &arguments)? };
    drop((left, right, open));
    output.finish(ctx.stream)
}
