//! CPU versions.

mod concatenate;

pub(super) use concatenate::concatenate;
