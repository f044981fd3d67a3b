//! `unary_operation_checked` and `cast_checked`.

use arrow_buffer::i256;
use gdf_core::{Column, ColumnView, DataType, Error, Operand, Result, is_decimal, is_floating, same_type};
use gdf_engine::binary::{Arithmetic, CheckedPlan, Scaling, run_checked};
use gdf_engine::cast::{CastPlan, cast};
use gdf_engine::nans::is_nan;
use gdf_engine::policy::{ArithmeticPolicy, OverflowPolicy};
use gdf_expr::types::ScaleOperation as Operation;

use super::unary_operation::{UnaryOperator, unary_operation};
use crate::Ctx;

/// Computes the same as [`unary_operation`]. The negated or the absolute value of an integer, a decimal or a duration
/// may not fit in the type. `overflow` decides whether such a row wraps, becomes null, or is an error.
///
/// # Errors
/// * [`InvalidData`](Error::InvalidData) when a result does not fit in its type and `overflow` asks for an error.
/// * The errors of `unary_operation`.
pub fn unary_operation_checked(
    column: ColumnView<'_>,
    op: UnaryOperator,
    overflow: OverflowPolicy,
    ctx: Ctx<'_>,
) -> Result<Column> {
    let data_type = column.data_type();
    let fits = overflow == OverflowPolicy::Wrap || is_floating(data_type) || *data_type == DataType::Boolean;
    let zero = Operand::from(0_i8);
    let (code, operands, absolute) = match op {
        UnaryOperator::Negate if !fits => (Arithmetic::Sub, [zero, column.into()], false),
        UnaryOperator::Abs if !fits => (Arithmetic::Add, [column.into(), zero], true),
        _ => return unary_operation(column, op, ctx),
    };
    let named = |error: Error| error.in_variant(op.name());
    op.output_type(data_type).map_err(named)?;
    let mut plan = CheckedPlan::integers(code, [data_type; 3], Scaling::NONE);
    plan.absolute = absolute;
    run_checked(operands, &plan, data_type, policy(overflow), ctx).map_err(named)
}

fn policy(overflow: OverflowPolicy) -> ArithmeticPolicy {
    ArithmeticPolicy { overflow, ..ArithmeticPolicy::default() }
}

/// Casts in the same way as [`cast`]. If the value of a row does not fit in `target`, `overflow` decides whether the
/// row wraps or saturates, becomes null, or is an error.
///
/// # Errors
/// * [`InvalidData`](Error::InvalidData) when a value does not fit in `target` and `overflow` asks for an error.
/// * The errors of `cast`.
pub fn cast_checked(
    column: ColumnView<'_>,
    target: &DataType,
    overflow: OverflowPolicy,
    ctx: Ctx<'_>,
) -> Result<Column> {
    let from = column.data_type();
    let exact = [from, target].map(|of| gdf_core::width(of).is_some() && !is_floating(of) && !is_opaque(of));
    let ends = [column.into(), Operand::from(0_i8)];
    // `same_type` ignores the precision of decimals.
    let same = same_type(from, target) && !is_decimal(from);
    let plan = match CastPlan::new(from, target) {
        _ if overflow == OverflowPolicy::Wrap || same => return cast(column, target, ctx),
        Some(CastPlan::ToDecimal(_)) => {
            // If a value does not fit, the cast returns a saturated value.
            let scratch = Ctx::new(ctx.stream, ctx.mr.scratch());
            let decimals = cast(column, target, scratch)?;
            let nan = is_nan(column, scratch)?;
            let scaling = Scaling { rhs: i256::from_i128(10).wrapping_pow(76), ..Scaling::NONE };
            let plan = CheckedPlan::integers(Arithmetic::Add, [target; 3], scaling);
            return run_checked([(&decimals).into(), (&nan).into()], &plan, target, policy(overflow), ctx);
        }
        Some(CastPlan::Numbers) if is_floating(from) && exact[1] => CheckedPlan::truncation(target),
        Some(CastPlan::Numbers | CastPlan::Relabel)
            if exact == [true; 2] && !CheckedPlan::always_fits(from, target) =>
        {
            CheckedPlan::integers(Arithmetic::Add, [from, from, target], Scaling::NONE)
        }
        Some(CastPlan::Scale(scale)) => {
            let (operation, factor) = scale.exact();
            let scaling = match operation {
                Operation::Multiply => Scaling { lhs: factor, ..Scaling::NONE },
                Operation::Divide | Operation::DivideFloor => Scaling { down: factor, ..Scaling::NONE },
            };
            let mut plan = CheckedPlan::integers(Arithmetic::Add, [from, from, target], scaling);
            plan.floors = operation == Operation::DivideFloor;
            plan
        }
        _ => return cast(column, target, ctx),
    };
    run_checked(ends, &plan, target, policy(overflow), ctx)
}

/// Returns whether the values of a type are bytes that do not stand for one number.
fn is_opaque(data_type: &DataType) -> bool {
    matches!(data_type, DataType::FixedSizeBinary(_) | DataType::Interval(_))
}
