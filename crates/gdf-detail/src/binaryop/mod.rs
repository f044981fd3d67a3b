//! Operations on two columns, element by element.

mod binary_operation;

pub use binary_operation::{BinaryOperator, binary_operation, default_output_type};
