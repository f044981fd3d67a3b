//! CUDA versions.

mod concatenate;
mod parameters;

pub(super) use concatenate::concatenate;
