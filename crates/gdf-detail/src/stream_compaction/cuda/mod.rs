//! CUDA's versions.

mod apply_boolean_mask;

pub(super) use apply_boolean_mask::apply_boolean_mask;
