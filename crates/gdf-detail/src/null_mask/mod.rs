//! Validity masks: creation, counting, combination.

mod bitmask;
mod combine;
mod count;
#[cfg(test)]
mod tests;

pub use bitmask::Bitmask;
pub use combine::{MaskState, bitmask_and, bitmask_or, copy_bitmask, create_null_mask, set_null_mask};
pub(crate) use count::count_view;
pub use count::null_count;
