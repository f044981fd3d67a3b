//! CPU versions.

mod combine;
mod count;

pub(super) use combine::{filled, merge, set_null_mask};
pub(super) use count::null_count;
