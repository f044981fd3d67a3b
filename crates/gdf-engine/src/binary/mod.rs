//! Operators on two columns, or on a column and a scalar, whose rows are numbers, booleans, times, text or bytes.

mod checked;
mod cuda;
mod host;
pub mod operators;
pub mod plan;
#[cfg(test)]
mod tests;

use gdf_core::{Column, DataType, Error, Operand, Result, physical_type, same_type};
pub use gdf_expr::BinaryOperator;
pub use gdf_expr::types::default_output_type;
use gdf_expr::types::temporal::{Temporal, exact_comparison};
use gdf_expr::types::{Number, natural};

pub use self::checked::binary_operation_checked;
pub use self::checked::{CheckedPlan, run as run_checked};
pub use self::host::{logic, worked};
pub use self::operators::Arithmetic;
use self::operators::{HasCodes, OPERATION};
pub use self::plan::Scaling;
use crate::Ctx;
use crate::choose::{Condition, choose_inputs};
use crate::elementwise::{self, Inputs, Nulls};
use crate::input::Input;
use crate::operand::{DecodedOperands, Literals};

/// Computes `lhs op rhs` for each row and returns a column of type `output_type`. A scalar operand stands for every
/// row.
///
/// # Errors
/// * [`InvalidArgument`](gdf_core::Error::InvalidArgument) when both operands are scalars.
/// * [`InvalidArgument`](gdf_core::Error::InvalidArgument) when the scales of decimals differ so much that values do
///   not fit in the working type.
/// * [`LengthMismatch`](gdf_core::Error::LengthMismatch), [`DeviceMismatch`](gdf_core::Error::DeviceMismatch).
/// * The errors of [`default_output_type`]. The function returns the same errors when the result cannot be converted
///   to `output_type`.
/// * Driver and memory errors.
pub fn binary(
    lhs: Operand<'_>,
    rhs: Operand<'_>,
    op: BinaryOperator,
    output_type: &DataType,
    ctx: Ctx<'_>,
) -> Result<Column> {
    let decoded = DecodedOperands::new(&[lhs, rhs], ctx)?;
    let (op, [lhs, rhs]) = exact(op, decoded.resolve([lhs, rhs]));
    run(lhs, rhs, op, output_type, ctx).map_err(|error| error.in_variant(op.name()))
}

/// Computes `lhs op rhs` in the same way as [`binary`], for operations that are composed of other operations.
pub fn of(lhs: &Column, op: BinaryOperator, rhs: Operand<'_>, to: &DataType, ctx: Ctx<'_>) -> Result<Column> {
    binary(lhs.into(), rhs, op, to, ctx)
}

/// Returns an operator and operands with the same result, so that the nanoseconds beyond the microseconds of a literal
/// count.
fn exact<'a>(op: BinaryOperator, operands: [Operand<'a>; 2]) -> (BinaryOperator, [Operand<'a>; 2]) {
    if op.is_comparison() {
        return exact_comparison(op, operands);
    }
    let is_fine = |of: Operand<'_>| Temporal::of(of.data_type()).is_some_and(|of| of.tick == 1);
    let finer = |of: Operand<'a>, other| match of {
        Operand::Literal(literal) if literal.nanoseconds_beyond() > 0 && is_fine(other) => {
            literal.in_nanoseconds().map_or(of, Operand::Literal)
        }
        _ => of,
    };
    let [lhs, rhs] = operands;
    (op, [finer(lhs, rhs), finer(rhs, lhs)])
}

/// Computes `NullMax` or `NullMin` of text or bytes.
fn choose_text(lhs: Operand<'_>, rhs: Operand<'_>, op: BinaryOperator, ctx: Ctx<'_>) -> Result<Column> {
    let wins = if op == BinaryOperator::NullMax { BinaryOperator::Greater } else { BinaryOperator::Less };
    let scratch = Ctx::new(ctx.stream, ctx.mr.scratch());
    let condition = run(lhs, rhs, wins, &DataType::Boolean, scratch)?;
    let literals = Literals::new(&[lhs, rhs], ctx)?;
    let [left, right] = literals.resolve([lhs, rhs]);
    let condition = Condition::True(condition.view());
    if !right.has_validity() {
        return choose_inputs(OPERATION, left, right, condition, Nulls::Own { nullable: false }, ctx);
    }
    let chosen = choose_inputs(OPERATION, left, right, condition, Nulls::Own { nullable: true }, scratch)?;
    let valid = Condition::Valid(chosen.view());
    let nulls = Nulls::Own { nullable: left.has_validity() };
    choose_inputs(OPERATION, chosen.view().into(), left, valid, nulls, ctx)
}

fn run(lhs: Operand<'_>, rhs: Operand<'_>, op: BinaryOperator, output_type: &DataType, ctx: Ctx<'_>) -> Result<Column> {
    let natural = natural(op, lhs.data_type(), rhs.data_type())?;
    let is_number = natural != DataType::Boolean && Number::of(&natural).is_some();
    if is_number && *output_type == DataType::Boolean {
        let numbers = run(lhs, rhs, op, &natural, Ctx::new(ctx.stream, ctx.mr.scratch()))?;
        return run(numbers.view().into(), 0.into(), BinaryOperator::NotEqual, output_type, ctx);
    }
    if physical_type(&natural).has_byte_offsets() {
        return match same_type(&natural, output_type) {
            true => choose_text(lhs, rhs, op, ctx),
            false => Err(Error::type_mismatch(&natural, output_type).in_argument("output_type")),
        };
    }
    let literals = Literals::new(&[lhs, rhs], ctx)?;
    let mut inputs = Inputs::new(literals.resolve([lhs, rhs]), ctx)?;
    if op.code().swapped {
        inputs.operands.reverse();
    }
    let plan = plan::plan(op, lhs.data_type(), rhs.data_type(), output_type)?;
    let nulls = plan.nulls(op, [lhs, rhs]);
    elementwise::map(
        inputs,
        output_type,
        nulls,
        ctx,
        |rows| host::binary_operation(rows, &plan, nulls),
        |launch| cuda::binary_operation(launch, &plan, inputs.operands.map(Input::data_type)),
    )
}
