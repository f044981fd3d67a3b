//! Replacing values and nulls.

mod clamp;
mod find_and_replace_all;
mod nans;
mod replace_nulls;
mod replace_nulls_by_policy;

pub use clamp::{clamp, clamp_with_replacements};
pub use find_and_replace_all::find_and_replace_all;
pub use nans::{normalize_nans_and_zeros, replace_nans};
pub use replace_nulls::replace_nulls;
pub(crate) use replace_nulls_by_policy::nearest_valid;
pub use replace_nulls_by_policy::{ReplacePolicy, replace_nulls_by_policy};
