//! The CPU's versions.

mod apply_boolean_mask;
mod distinct;
mod selection;

pub(super) use apply_boolean_mask::apply_boolean_mask;
pub(super) use distinct::{distinct_mask, row_numbers};
