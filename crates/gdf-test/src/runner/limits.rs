//! The limits under which cases run on the CPU. With small limits, operations split a few hundred rows in the way in
//! which they split millions of rows by default.

use gdf_detail::limits::{HostLimits, SmallLimits};
use gdf_driver::Device;

use super::inputs::Variant;
use crate::catalog::Case;

/// The rows of a task in each set of limits. The first number is the rows of one mask word. The second number is the
/// rows of three mask words, and is not a power of two. The third number is larger than every block within a task.
const TASK_ROWS: [usize; 3] = [64, 192, 33 * 64];

/// The sets of limits for the CPU. Sets with small limits come first, and the default limits come last. All sets have
/// the same number of threads, because each thread allocates in some operations. The list is empty for other devices.
pub(super) struct Limits(Vec<SmallLimits>);

impl Limits {
    pub(super) fn new(device: Device) -> std::io::Result<Self> {
        let all = TASK_ROWS.map(HostLimits::small).into_iter().chain([HostLimits::DEFAULT]);
        let all = all.filter(|_| device.is_cpu()).map(SmallLimits::new);
        all.collect::<Result<_, _>>().map(Limits)
    }

    /// Runs `work` under the limits of the variant. If a case has about as many rows as a default task, or more rows,
    /// it runs under the default limits.
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
