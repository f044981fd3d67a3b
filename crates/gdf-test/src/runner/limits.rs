//! The limits under which cases run on the CPU. With small limits, operations split a few hundred rows in the way in
//! which they split millions of rows by default.

use gdf_detail::limits::{HostLimits, SmallLimits};
use gdf_driver::Device;

use super::inputs::Variant;
use crate::catalog::Case;

/// The rows of a task in each set of limits.
const TASK_ROWS: [usize; 3] = [64, 192, 33 * 64];

/// The sets of limits for the CPU.
pub(super) struct Limits(Vec<SmallLimits>);

impl Limits {
    pub(super) fn new(device: Device) -> std::io::Result<Self> {
        let all = TASK_ROWS.map(HostLimits::small).into_iter().chain([HostLimits::DEFAULT]);
        let all = all.filter(|_| device.is_cpu()).map(SmallLimits::new);
        all.collect::<Result<_, _>>().map(Limits)
    }

    /// Runs `work` under the limits of the variant.
    pub(super) fn run<R: Send>(&self, case: &Case, variant: Variant, work: impl FnOnce() -> R + Send) -> R {
        let small = match variant {
            // Injection uses the limits of the plain run, because the strategies were measured in the plain run.
            Variant::Plain | Variant::Injection => 0,
            Variant::Sliced { .. } => 1,
            Variant::AllValid { .. } => 2,
        };
        let set = if case.rows() + 1 < HostLimits::DEFAULT.task_rows { small } else { TASK_ROWS.len() };
        match self.0.get(set) {
            Some(limits) => limits.run(work),
            None => work(),
        }
    }
}
