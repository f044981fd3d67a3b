//! Running sums, products, extremes and counts.

mod ewma;
mod rank;
mod runs;
#[expect(clippy::module_inception, reason = "an operation has one stem in every folder")]
mod scan;
mod scan_runs;

pub use ewma::{EwmHistory, ewma};
pub use rank::{RankMethod, RankPercentage, rank};
pub(crate) use runs::Runs;
pub use scan::{ScanAggregation, ScanType, scan};
pub(crate) use scan_runs::scan_runs;

pub use crate::policy::NullPolicy;
