//! Running sums, products, extremes and counts.

mod plan;
#[allow(clippy::module_inception, reason = "an operation has one stem in every folder")]
mod scan;

mod cuda;
mod host;

pub use scan::{ScanAggregation, ScanType, scan};

pub use crate::policy::NullPolicy;
