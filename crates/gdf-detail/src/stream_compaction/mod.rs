//! Keeping some of the rows.

mod apply_boolean_mask;
mod cuda;
mod distinct;
mod host;
#[cfg(test)]
mod tests;

pub use apply_boolean_mask::apply_boolean_mask;
pub use distinct::{DuplicateKeepOption, NanEquality, NullEquality, distinct, distinct_indices, stable_distinct};

/// What errors and kernels call the operation.
const APPLY_BOOLEAN_MASK: &str = "apply_boolean_mask";
