//! The CPU version.

mod validate;

pub(super) use validate::look;
