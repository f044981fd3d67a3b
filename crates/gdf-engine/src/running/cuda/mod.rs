//! `scan` on CUDA: chooses the kernel of a task.

mod strings;

use gdf_core::{Column, Error, PhysicalType, Result, physical_type};
use gdf_kernels::generated::common::ScanModes;
use gdf_kernels::generated::scan::ScanKernel;

use super::plan::ScanPlan;
use crate::Ctx;
use crate::cuda::CudaOutput;
use crate::running::{OPERATION, Task};
use crate::scan::cuda::{self as engine, Choice};

fn choose(task: &Task<'_>) -> Result<Choice> {
    let physical = physical_type(task.input.data_type());
    let (kernel, words) = match (task.plan, physical) {
        (ScanPlan::Integers { product: false }, PhysicalType::I128) => (ScanKernel::SumWide, 2),
        (ScanPlan::Integers { product: false }, PhysicalType::I256) => (ScanKernel::SumWidest, 4),
        (ScanPlan::Integers { .. }, PhysicalType::I128 | PhysicalType::I256) => {
            return Err(Error::unsupported(OPERATION, task.input.data_type()));
        }
        (ScanPlan::Integers { product: false }, _) => (ScanKernel::SumIntegers, 1),
        (ScanPlan::Integers { product: true }, _) => (ScanKernel::ProductIntegers, 1),
        (ScanPlan::Floats { product: false }, _) => (ScanKernel::SumFloats, 1),
        (ScanPlan::Floats { product: true }, _) => (ScanKernel::ProductFloats, 1),
        (ScanPlan::Extreme { .. }, PhysicalType::I128) => (ScanKernel::ExtremeWide, 2),
        (ScanPlan::Extreme { .. }, PhysicalType::I256) => (ScanKernel::ExtremeWidest, 4),
        (ScanPlan::Extreme { .. }, _) => (ScanKernel::Extreme, 1),
        (ScanPlan::Bits { .. }, _) => (ScanKernel::Bits, 1),
        (ScanPlan::Strings { .. }, _) => (ScanKernel::Strings, 2),
        (ScanPlan::Count { .. }, _) => (ScanKernel::Count, 1),
    };

    Ok(Choice { kernel, words })
}

fn modes(task: &Task<'_>) -> i32 {
    let when = |condition: bool, mode: ScanModes| if condition { mode as i32 } else { 0 };
    let second = match task.plan {
        ScanPlan::Extreme { minimum } | ScanPlan::Strings { minimum } => minimum,
        ScanPlan::Bits { all } => all,
        ScanPlan::Integers { .. } | ScanPlan::Floats { .. } | ScanPlan::Count { .. } => false,
    };
    when(task.exclusive, ScanModes::Exclusive)
        | when(task.nulls_spread, ScanModes::Spread)
        | when(second, ScanModes::Second)
        | when(task.plan == ScanPlan::Count { all: true }, ScanModes::AllRows)
        | when(task.counts_nothing(), ScanModes::NoRows)
}

pub(crate) fn scan(task: &Task<'_>, ctx: Ctx<'_>) -> Result<Column> {
    if let ScanPlan::Strings { .. } = task.plan {
        return strings::scan(task, ctx);
    }
    let output = CudaOutput::fixed_width(task.data_type(), task.input.len(), ctx)?.nullable(task.nullable(), ctx)?;
    launch(task, output, ctx)
}

pub(super) fn launch(task: &Task<'_>, output: CudaOutput, ctx: Ctx<'_>) -> Result<Column> {
    engine::scan(task.input, output, choose(task)?, modes(task), ctx)
}
