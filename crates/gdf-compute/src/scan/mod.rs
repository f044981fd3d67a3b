//! Running sums, products, extremes and counts.

mod ewma;
mod rank;
mod ranked;
mod runs;
#[expect(clippy::module_inception, reason = "an operation has one stem in every folder")]
mod scan;
mod scan_runs;

pub use ewma::{EwmHistory, ewma};
pub use rank::{RankMethod, RankPercentage, rank};
pub use ranked::{RankedRows, by_ranks};
pub use runs::Runs;
pub use scan::scan;
pub use scan_runs::scan_runs;

pub use gdf_engine::policy::NullPolicy;
pub use gdf_engine::running::{ScanAggregation, ScanType};
