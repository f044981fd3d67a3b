//! Group-by on CUDA devices.

mod aggregate;
mod descriptors;
mod finish;
mod local;
mod nunique;

pub(super) use aggregate::aggregate;
