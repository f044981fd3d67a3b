//! The CUDA versions.

mod cast;
mod is_null;
mod unary_operation;

pub(super) use cast::cast;
pub(super) use is_null::is_null;
pub(super) use unary_operation::unary_operation;
