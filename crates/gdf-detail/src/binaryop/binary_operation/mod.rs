//! `binary_operation`: an operator of two columns, or of a column and a scalar.

mod cuda;
mod decimal;
mod host;
mod number;
mod operators;
mod output_type;
mod plan;
mod temporal;
#[cfg(test)]
mod tests;

use gdf_core::{Column, DataType, Operand, Result};

pub use self::operators::BinaryOperator;
pub use self::output_type::default_output_type;
use crate::Ctx;
use crate::engine::elementwise::{self, Inputs};
use crate::operand::{Input, Literals};

/// `lhs op rhs`, element by element, as a column of type `output_type`; a scalar stands for every row.
///
/// # Errors
/// * [`InvalidArgument`](gdf_core::Error::InvalidArgument) when both operands are scalars, or the scales of decimals lie too
///   far apart for the type that the work is done in.
/// * [`LengthMismatch`](gdf_core::Error::LengthMismatch), [`DeviceMismatch`](gdf_core::Error::DeviceMismatch).
/// * [`Unsupported`](gdf_core::Error::Unsupported), [`TypeMismatch`](gdf_core::Error::TypeMismatch): see
///   [`default_output_type`]; and for output types that the result cannot be converted to.
/// * Driver and memory errors.
pub fn binary_operation(
    lhs: Operand<'_>,
    rhs: Operand<'_>,
    op: BinaryOperator,
    output_type: &DataType,
    ctx: Ctx<'_>,
) -> Result<Column> {
    run(lhs, rhs, op, output_type, ctx).map_err(|error| error.in_variant(op.name()))
}

fn run(lhs: Operand<'_>, rhs: Operand<'_>, op: BinaryOperator, output_type: &DataType, ctx: Ctx<'_>) -> Result<Column> {
    let literals = Literals::new(&[lhs, rhs], ctx)?;
    let mut inputs = Inputs::new(literals.resolve([lhs, rhs]), ctx)?;
    if op.code().swapped {
        inputs.operands.reverse();
    }
    let plan = plan::plan(op, lhs.data_type(), rhs.data_type(), output_type)?;
    let nulls = plan.nulls(lhs.has_validity() || rhs.has_validity());
    elementwise::map(
        inputs,
        output_type,
        nulls,
        ctx,
        |rows| host::binary_operation(rows, &plan),
        |launch| cuda::binary_operation(launch, &plan, inputs.operands.map(Input::data_type)),
    )
}
