//! Checked arithmetic on CUDA: one launch. If the policy makes a failure an error, the host also waits for the failures
//! that the kernel reports.

use arrow_buffer::i256;
use gdf_core::{Error, Result};
use gdf_kernels::Out;
use gdf_kernels::generated::binaryop::{BinaryChecked, BinaryCheckedKernel as K, CheckedChecks};
use gdf_memory::Mailbox;

use super::{CheckedPlan, Compute, FailureMasks, OPERATION, Scaling};
use crate::cuda::words;
use crate::elementwise::Launch;

pub(super) fn checked(launch: &Launch<'_, 2>, plan: &CheckedPlan, masks: FailureMasks) -> Result<()> {
    let kernel = match plan.compute {
        Compute::F32 => K::F32,
        Compute::F64 => K::F64,
        Compute::I128 => K::I128,
        Compute::I256 => K::I256,
        Compute::I64 | Compute::U64 => return Err(Error::internal(OPERATION)),
    };
    let Scaling { lhs, rhs, up, down } = plan.scaling;
    let [lower, upper] = plan.range.unwrap_or([i256::ZERO; 2]);
    let [lowest_float, above_float] = plan.float_range();
    let p = CheckedChecks {
        code: plan.code as i32,
        absolute: i32::from(plan.absolute),
        floors: i32::from(plan.floors),
        bounded: i32::from(plan.range.is_some()),
        nulls: masks.nulls,
        reports: masks.reports,
        lhs: words(lhs),
        rhs: words(rhs),
        up: words(up),
        down: words(down),
        lower: words(lower),
        upper: words(upper),
        lowest_float,
        above_float,
    };
    let mailbox = (masks.reports != 0).then(|| Mailbox::cleared(launch.stream, 2)).transpose()?;
    let Launch { inputs: [lhs, rhs], out, .. } = *launch;
    let arguments = BinaryChecked { lhs, rhs, out, p, mailbox: Out::of_option(mailbox.as_ref()) };
    launch.run(kernel, launch.rows, &arguments)?;
    let Some(mailbox) = mailbox else { return Ok(()) };
    let [overflow, zero, ..] = mailbox.wait()?;
    masks.verdict(overflow != 0, zero != 0)
}
