//! Values and rows by the share of the rows that is below them.

mod position;
mod quantile;
#[expect(clippy::module_inception, reason = "an operation has one stem in every folder")]
mod quantiles;
mod tdigest;

pub use crate::policy::Interpolation;
pub use quantile::{QuantileOrder, quantile};
pub use quantiles::quantiles;
pub use tdigest::{DEFAULT_MAX_CENTROIDS, concatenate_tdigests, merge_tdigests, percentile_approx, tdigest};
pub(crate) use tdigest::{check_max_centroids, digest_groups, digest_type, is_digest, merge_groups};
