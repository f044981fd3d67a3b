//! The CPU's versions.

mod apply_boolean_mask;
mod selection;

pub(super) use apply_boolean_mask::apply_boolean_mask;
