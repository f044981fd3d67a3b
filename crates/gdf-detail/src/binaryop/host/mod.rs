//! The CPU's version: blocks of rows, in the type of the plan.

mod arithmetic;
mod binary_operation;
mod comparison;
mod logic;
mod wide;

pub(super) use binary_operation::binary_operation;
