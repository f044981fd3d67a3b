//! `clamp`.

use bytemuck::Pod;
use gdf_core::{
    Abilities, Column, ColumnView, DataType, Error, NativeType, Operand, Result, ValueOrder, physical_type,
};
use gdf_engine::check;
use gdf_engine::choose::{Condition, choose_inputs};
use gdf_engine::decoded::Decoded;
use gdf_engine::elementwise::{self, Inputs, Launch, Nulls, Rows};
use gdf_engine::host::{HostColumn, vectorized};
use gdf_engine::input::Input;
use gdf_engine::operand::{DecodedOperands, Literals, of_one_type};
use gdf_kernels::generated::replace::Clamp;

use crate::Ctx;
use crate::binaryop::{BinaryOperator, binary_operation};

const OPERATION: &str = "clamp";

/// Implements `gdf_api::replace::clamp` on the stream of `ctx`, with memory from the resources of `ctx`.
pub fn clamp(column: ColumnView<'_>, low: Operand<'_>, high: Operand<'_>, ctx: Ctx<'_>) -> Result<Column> {
    clamp_with_replacements(column, [low, low], [high, high], ctx)
}

/// Implements `gdf_api::replace::clamp_with_replacements` on the stream of `ctx`, with memory from the resources of
/// `ctx`. `low` and `high` are pairs. Each pair consists of a bound and of the replacement for rows beyond the bound.
pub fn clamp_with_replacements(
    column: ColumnView<'_>,
    low: [Operand<'_>; 2],
    high: [Operand<'_>; 2],
    ctx: Ctx<'_>,
) -> Result<Column> {
    let bounds = [low[0], low[1], high[0], high[1]];
    // All rows of the result are written to new memory, so it shares nothing with decoded columns.
    let scratch = ctx.scratch();
    let (decoded, decoded_bounds) = (Decoded::of(column, scratch)?, DecodedOperands::new(&bounds, scratch)?);
    let column = decoded.view();
    let data_type = column.data_type();
    let [low, low_by, high, high_by] = decoded_bounds.resolve(bounds).map(|bound| of_one_type(column.into(), bound)[1]);
    let operands = [column.into(), low, low_by, high, high_by];
    for (operand, argument) in operands.iter().zip(["column", "low", "low_replacement", "high", "high_replacement"]) {
        check::types(data_type, operand.data_type()).map_err(|error| error.in_argument(argument))?;
    }
    let Some(order) = Abilities::of(data_type).order else {
        return Err(Error::unsupported(OPERATION, data_type));
    };
    let literals = Literals::new(&operands, ctx)?;
    let inputs = literals.resolve(operands);
    let numbers = order != ValueOrder::Bytes && *data_type != DataType::Boolean;
    if numbers && inputs[1..].iter().all(|bound| bound.len().is_none()) {
        return of_numbers(inputs, ctx);
    }
    let [_, low, low_replacement, high, high_replacement] = inputs;
    // Both comparisons read the original column.
    let above = beyond(column, operands[3], high, BinaryOperator::Greater, ctx)?;
    let lowered = replaced(column, high_replacement, &above, ctx.scratch())?;
    let below = beyond(column, operands[1], low, BinaryOperator::Less, ctx)?;
    replaced(lowered.view(), low_replacement, &below, ctx)?.with_type(data_type.clone())
}

/// Returns whether each row lies beyond a bound.
fn beyond(
    column: ColumnView<'_>,
    bound: Operand<'_>,
    input: Input<'_>,
    op: BinaryOperator,
    ctx: Ctx<'_>,
) -> Result<Column> {
    let bound = match (bound, input) {
        (Operand::Literal(_), Input::Scalar(scalar)) => Operand::Scalar(scalar),
        (bound, _) => bound,
    };
    binary_operation(column.into(), bound, op, &DataType::Boolean, ctx.scratch())
}

fn replaced(column: ColumnView<'_>, by: Input<'_>, mask: &Column, ctx: Ctx<'_>) -> Result<Column> {
    let nulls = Nulls::Own { nullable: column.has_validity() || by.has_validity() };
    choose_inputs(OPERATION, by, column.into(), Condition::True(mask.view()), nulls, ctx)
}

fn of_numbers(operands: [Input<'_>; 5], ctx: Ctx<'_>) -> Result<Column> {
    let [column, _, low_replacement, _, high_replacement] = operands;
    let nullable = [column, low_replacement, high_replacement].iter().any(|input| input.has_validity());
    elementwise::map(
        Inputs::new(operands, ctx)?,
        column.data_type(),
        Nulls::Own { nullable },
        ctx,
        |rows| {
            gdf_core::dispatch_fixed_width!(physical_type(column.data_type()), T => clamped::<T>(rows),
                else => Err(Error::unsupported(OPERATION, column.data_type())))
        },
        |launch| {
            let Launch { inputs: [input, low, low_replacement, high, high_replacement], out, .. } = *launch;
            launch.run_only(&Clamp { input, low, low_replacement, high, high_replacement, out })
        },
    )
}

struct Bound<T> {
    limit: Option<T>,
    replacement: T,
    nullifies: bool,
}

impl<T: Pod + PartialOrd> Bound<T> {
    fn open(limit: &HostColumn<'_>, replacement: &HostColumn<'_>) -> Result<Self> {
        let value = |column: &HostColumn<'_>| Ok::<_, Error>(column.values::<T>()?[0]);
        let is_valid = |column: &HostColumn<'_>| Ok::<_, Error>(column.validity()?.is_none_or(|valid| valid.get(0)));
        Ok(Self {
            limit: if is_valid(limit)? { Some(value(limit)?) } else { None },
            replacement: value(replacement)?,
            nullifies: !is_valid(replacement)?,
        })
    }
}

fn clamped<T: NativeType + PartialOrd>(rows: &Rows<'_, 5>) -> Result<Column> {
    let [column, low, low_replacement, high, high_replacement] = rows.columns();
    let (low, high) = (Bound::<T>::open(low, low_replacement)?, Bound::<T>::open(high, high_replacement)?);
    let values = column.values::<T>()?;
    let is_below = |value: T| low.limit.is_some_and(|limit| value < limit);
    let is_above = |value: T| high.limit.is_some_and(|limit| value > limit);
    let bound_of = |value: T| if is_below(value) { Some(&low) } else { Some(&high).filter(|_| is_above(value)) };
    let mask = || {
        rows.mask_by(|word, [valid, ..]| {
            let rows = &values[word * 64..values.len().min(word * 64 + 64)];
            let nullified =
                |value: T| (low.nullifies || high.nullifies) && bound_of(value).is_some_and(|bound| bound.nullifies);
            rows.iter().enumerate().fold(valid, |bits, (bit, value)| bits & !(u64::from(nullified(*value)) << bit))
        })
    };
    rows.filled(mask, |first, out| match (low.limit, high.limit) {
        (Some(_), Some(_)) => clamp_between(&values[first..], &low, &high, out),
        _ => {
            for (slot, &value) in out.iter_mut().zip(&values[first..]) {
                *slot = bound_of(value).map_or(value, |bound| bound.replacement);
            }
        }
    })
}

vectorized! {
    /// Clamps values between bounds that both have a limit.
    fn clamp_between[T: Copy + PartialOrd](values: &[T], low: &Bound<T>, high: &Bound<T>, out: &mut [T]) {
        let (Some(min), Some(max)) = (low.limit, high.limit) else { return };
        for (slot, &value) in out.iter_mut().zip(values) {
            let raised = if value > max { high.replacement } else { value };
            *slot = if value < min { low.replacement } else { raised };
        }
    }
}
