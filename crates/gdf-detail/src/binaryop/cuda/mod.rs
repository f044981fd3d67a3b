//! The CUDA version: one launch, whatever the plan.

mod binary_operation;

pub(super) use binary_operation::binary_operation;
