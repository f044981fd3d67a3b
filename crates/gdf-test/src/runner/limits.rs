//! Where cases run on the CPU: under small limits, so that a few hundred rows are split like millions.

use gdf_detail::limits::{HostLimits, SmallLimits};
use gdf_driver::Device;

use super::inputs::Variant;
use crate::catalog::Case;

/// Rows of one task, per set of limits: one mask word; three, which is no power of two; more than every block within a
/// task has.
const TASK_ROWS: [usize; 3] = [64, 192, 33 * 64];

/// Small limits for the CPU and, last, the real ones, on as many threads everywhere: for some operations each thread
/// allocates. None on other devices.
pub(super) struct Limits(Vec<SmallLimits>);

impl Limits {
    pub(super) fn new(device: Device) -> std::io::Result<Self> {
        let all = TASK_ROWS.map(HostLimits::small).into_iter().chain([HostLimits::DEFAULT]);
        let all = all.filter(|_| device.is_cpu()).map(SmallLimits::new);
        all.collect::<Result<_, _>>().map(Limits)
    }

    /// Runs `work` under the limits of the variant; a case about as long as a real task, or longer, runs
    /// under the real ones.
    pub(super) fn run<R: Send>(&self, case: &Case, variant: Variant, work: impl FnOnce() -> R + Send) -> R {
        let small = match variant {
            // Injection runs what the plain run has measured.
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
