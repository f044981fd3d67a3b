//! `unary_operation` on CUDA: launches the kernel that the plan selects.

use arrow_buffer::i256;
use gdf_core::{DataType, Error, PhysicalType, Result, physical_type};
use gdf_engine::cuda::words;
use gdf_engine::elementwise::Launch;
use gdf_kernels::KernelType;
use gdf_kernels::generated::unary::{Apply, ApplyKernel, Operation};

use super::operators::OPERATION;
use super::plan::UnaryPlan;

/// Returns the kernel of a plan, and the kernel's arguments other than columns.
fn choose(plan: UnaryPlan, wide: bool) -> Option<(ApplyKernel, Operation)> {
    let mut operation = Operation { factor: words(i256::ONE), ..Operation::default() };
    let kernel = match plan {
        UnaryPlan::Bits(op, width) => {
            operation.code = op as i32;
            match width {
                PhysicalType::U8 => ApplyKernel::BitsU8,
                PhysicalType::U16 => ApplyKernel::BitsU16,
                PhysicalType::U32 => ApplyKernel::BitsU32,
                PhysicalType::U64 => ApplyKernel::BitsU64,
                PhysicalType::I128 => ApplyKernel::BitsI128,
                PhysicalType::I256 => ApplyKernel::BitsI256,
                _ => return None,
            }
        }
        UnaryPlan::Rounding(function, stored) => {
            operation.code = function as i32;
            match stored {
                PhysicalType::F32 => ApplyKernel::RoundingF32,
                PhysicalType::F64 => ApplyKernel::RoundingF64,
                _ => return None,
            }
        }
        UnaryPlan::Math(functor) => {
            operation.code = functor.code as i32;
            ApplyKernel::Math
        }
        UnaryPlan::Decimal { up, power } => {
            if !wide && power > 38 {
                return None;
            }
            operation.code = i32::from(!up);
            operation.factor = words(i256::from_i128(10).wrapping_pow(power));
            if wide { ApplyKernel::Decimal256 } else { ApplyKernel::Decimal }
        }
        UnaryPlan::BitCount(_) => ApplyKernel::BitCount,
        UnaryPlan::Truth { negated } => {
            operation.code = i32::from(negated);
            ApplyKernel::Truth
        }
        UnaryPlan::NotNumbers => ApplyKernel::NotNumbers,
    };
    Some((kernel, operation))
}

pub(super) fn unary_operation(launch: &Launch<'_, 1>, plan: UnaryPlan, data_type: &DataType) -> Result<()> {
    let Some((kernel, how)) = choose(plan, physical_type(data_type) == PhysicalType::I256) else {
        return Err(Error::unsupported(OPERATION, data_type));
    };
    let Launch { inputs: [mut input], out, .. } = *launch;
    if let UnaryPlan::BitCount(width) = plan {
        // The kernel reads the integer as unsigned, so that the integer is extended by zeros and not by copies of its
        // sign.
        input.data_type = match width {
            PhysicalType::Bool => KernelType::Boolean,
            PhysicalType::U8 => KernelType::U8,
            PhysicalType::U16 => KernelType::U16,
            PhysicalType::U32 => KernelType::U32,
            PhysicalType::U64 => KernelType::U64,
            _ => return Err(Error::unsupported(OPERATION, data_type)),
        } as i32;
    }
    let units = if kernel == ApplyKernel::Truth { launch.words() } else { launch.rows };
    launch.run(kernel, units, &Apply { input, out, how })
}
