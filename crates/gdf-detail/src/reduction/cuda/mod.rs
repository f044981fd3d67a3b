//! The CUDA versions.

mod reduce;

pub(super) use reduce::reduce;
