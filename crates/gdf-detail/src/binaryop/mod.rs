//! Operations on two columns, element by element.

mod binary_operation;
mod cuda;
mod decimal;
mod host;
mod number;
mod operator;
mod output_type;
mod plan;
mod temporal;
#[cfg(test)]
mod tests;

pub use binary_operation::binary_operation;
pub use operator::BinaryOperator;
pub use output_type::default_output_type;

/// What errors call the operation.
const OPERATION: &str = "binary_operation";
