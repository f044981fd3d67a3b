//! The CUDA version.

mod validate;

pub(super) use validate::look;
