//! Operations on two columns, element by element.

mod comparison;

pub use comparison::binary_operation;

pub use gdf_engine::binary::{BinaryOperator, binary_operation_checked, default_output_type, of};
pub use gdf_engine::policy::{ArithmeticPolicy, OverflowPolicy, ZeroDivisionPolicy};
