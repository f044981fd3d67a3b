//! Keeping some of the rows.

mod apply_boolean_mask;
mod distinct;
#[cfg(test)]
mod tests;

pub use apply_boolean_mask::apply_boolean_mask;
pub use distinct::{DuplicateKeepOption, NanEquality, NullEquality, distinct, distinct_indices};
