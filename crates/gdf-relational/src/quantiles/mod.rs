//! Quantiles by t-digests.

mod tdigest;

pub use tdigest::{DEFAULT_MAX_CENTROIDS, concatenate_tdigests, merge_tdigests, percentile_approx, tdigest};
pub(crate) use tdigest::{check_max_centroids, digest_groups, digest_type, is_digest, merge_groups};
