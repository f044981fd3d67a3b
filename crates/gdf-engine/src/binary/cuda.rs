//! `binary_operation` on CUDA, in one launch. The plan determines the kernel.

use arrow_buffer::i256;
use gdf_core::{DataType, Error, PhysicalType, Result};
use gdf_kernels::generated::binaryop::{BinaryOperation, BinaryOperationKernel as K, Operation};

use super::operators::OPERATION;
use super::plan::{BinaryPlan, ComparisonDomain, ComparisonScale, Compute, Scaling};
use crate::cuda::words;
use crate::elementwise::Launch;

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

/// Returns the kernel of a plan, and the arguments of the kernel other than columns.
fn choose(plan: &BinaryPlan, numbers: bool) -> Option<(K, Operation)> {
    let mut operation = Operation::default();
    let mut scaled = |[lhs, rhs, third, fourth]: [i256; 4]| {
        operation.factors = [words(lhs), words(rhs), words(third), words(fourth)];
    };
    let kernel = match *plan {
        BinaryPlan::SameIntegers { op, physical } => {
            operation.code = op as i32;
            same(physical)?
        }
        BinaryPlan::SameFloats { op, physical } => {
            operation.code = op as i32;
            same(physical)?
        }
        BinaryPlan::Converted { op, compute, scaling: Scaling { lhs, rhs, up, down }, bits } => {
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
        BinaryPlan::Comparison { spec, domain } => {
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
            operation.code = spec.order as i32;
            operation.negated = i32::from(spec.negated);
            operation.nulls = i32::from(spec.nulls_equal);
            kernel
        }
        BinaryPlan::Logic(op) => {
            operation.code = op as i32;
            if numbers { K::LogicNumbers } else { K::Logic }
        }
    };
    Some((kernel, operation))
}

pub(super) fn binary_operation(launch: &Launch<'_, 2>, plan: &BinaryPlan, types: [&DataType; 2]) -> Result<()> {
    let numbers = types.iter().any(|of| **of != DataType::Boolean);
    let (kernel, how) = choose(plan, numbers).ok_or_else(|| Error::unsupported(OPERATION, types[0]))?;
    // A thread of `K::Logic` computes one word of the result.
    let units = if kernel == K::Logic { launch.words() } else { launch.rows };
    let Launch { inputs: [lhs, rhs], out, .. } = *launch;
    launch.run(kernel, units, &BinaryOperation { lhs, rhs, out, how })
}
