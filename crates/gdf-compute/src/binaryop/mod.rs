//! Operations on two columns, element by element.

mod binary_operation;

pub(crate) use binary_operation::{logic, operators, plan, worked};

pub use binary_operation::{Arithmetic, CheckedPlan, Scaling, run_checked};
pub use binary_operation::{BinaryOperator, binary_operation, binary_operation_checked, default_output_type};

use gdf_core::{Column, DataType, Operand, Result};

use crate::Ctx;
pub use gdf_engine::policy::{ArithmeticPolicy, OverflowPolicy, ZeroDivisionPolicy};

/// Computes `lhs op rhs` by [`binary_operation`] with fewer arguments, for operations that are composed of other
/// operations.
pub fn of(lhs: &Column, op: BinaryOperator, rhs: Operand<'_>, to: &DataType, ctx: Ctx<'_>) -> Result<Column> {
    binary_operation(lhs.into(), rhs, op, to, ctx)
}
