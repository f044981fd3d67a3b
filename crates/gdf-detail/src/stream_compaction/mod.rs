//! Keeping some of the rows.

mod apply_boolean_mask;
mod cuda;
mod host;
#[cfg(test)]
mod tests;

pub use apply_boolean_mask::apply_boolean_mask;

/// What errors and kernels call the operation.
const APPLY_BOOLEAN_MASK: &str = "apply_boolean_mask";
