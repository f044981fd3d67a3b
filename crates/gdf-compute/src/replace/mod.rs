//! Operations that replace values and nulls.

mod clamp;
mod nans;
mod replace_nulls;
mod replace_nulls_by_policy;

pub use clamp::{clamp, clamp_with_replacements};
pub use nans::{normalize_nans_and_zeros, replace_nans};
pub use replace_nulls::replace_nulls;
pub use replace_nulls_by_policy::nearest_valid;
pub use replace_nulls_by_policy::{ReplacePolicy, replace_nulls_by_policy};
