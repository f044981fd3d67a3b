//! The CPU's versions.

mod cast;
mod unary_operation;

pub(super) use cast::cast;
pub(super) use unary_operation::unary_operation;
