//! Operations on two columns, element by element.

mod binary_operation;

pub(crate) use binary_operation::{Arithmetic, CheckedPlan, Scaling, run_checked};
pub use binary_operation::{BinaryOperator, binary_operation, binary_operation_checked, default_output_type};

pub use crate::policy::{ArithmeticPolicy, OverflowPolicy, ZeroDivisionPolicy};
