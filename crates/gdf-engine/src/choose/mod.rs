//! Chooses each row from one of two inputs. The rows have fixed width, or are booleans, text or bytes.
//! `copy_if_else` and `replace_nulls` use the choice with different conditions.

mod cuda;
mod host;
mod plan;
#[cfg(test)]
mod tests;

use gdf_core::{Column, ColumnView, Operand, Result, TableView};
use gdf_driver::Device;

pub use self::plan::Condition;
pub use self::plan::chooses;
pub(crate) use self::plan::kind_of;
use crate::Ctx;
use crate::check;
use crate::elementwise::{self, Inputs, Nulls};
use crate::input::Input;
use crate::operand::{Literals, of_one_type};
use crate::rows::RowPlan;

/// Returns for each row the row of `lhs` if `mask` is true and not null, and the row of `rhs` otherwise. A scalar
/// stands for every row. A literal takes the type of the other operand if that type holds the same value.
///
/// # Errors
/// * [`TypeMismatch`](gdf_core::Error::TypeMismatch) when `mask` is not boolean, or when `lhs` and `rhs` differ in
///   type.
/// * [`LengthMismatch`](gdf_core::Error::LengthMismatch) when the length of a column differs from the length of
///   `mask`.
/// * [`Unsupported`](gdf_core::Error::Unsupported) for nested types, dictionaries, and views.
/// * [`OffsetOverflow`](gdf_core::Error::OffsetOverflow) when the strings of the result have more than 2³¹−1 bytes
///   in total and the type is not a Large type.
/// * [`DeviceMismatch`](gdf_core::Error::DeviceMismatch); driver and memory errors.
pub fn choose(lhs: Operand<'_>, rhs: Operand<'_>, mask: ColumnView<'_>, ctx: Ctx<'_>) -> Result<Column> {
    check::boolean(&mask).map_err(|error| error.in_argument("mask"))?;
    let operands = of_one_type(lhs, rhs);
    let literals = Literals::new(&operands, ctx)?;
    let [lhs, rhs] = literals.resolve(operands);
    let nulls = Nulls::Own { nullable: lhs.has_validity() || rhs.has_validity() };
    choose_inputs("copy_if_else", lhs, rhs, Condition::True(mask), nulls, ctx)
}

/// Returns `column` with each null row replaced by the row of `replacement`. A column without a mask is shared, whatever
/// its type.
///
/// # Errors
/// * The errors of [`choose`].
pub fn replace_null_rows(column: ColumnView<'_>, replacement: Operand<'_>, ctx: Ctx<'_>) -> Result<Column> {
    let operands = of_one_type(column.into(), replacement);
    let literals = Literals::new(&operands, ctx)?;
    let [_, replacement] = literals.resolve(operands);
    if !column.has_validity() {
        check::column(column, ctx)?;
        check::column(replacement.view(), ctx)?;
        check::types(column.data_type(), replacement.data_type()).map_err(|error| error.in_argument("replacement"))?;
        let len = replacement.len().unwrap_or(column.len());
        check::length(column.len(), len).map_err(|error| error.in_argument("replacement"))?;
        return Ok(column.to_column());
    }
    let nulls = Nulls::Own { nullable: replacement.has_validity() };
    choose_inputs("replace_nulls", column.into(), replacement, Condition::Valid(column), nulls, ctx)
}

/// Returns the rows of `lhs` where the condition is true, and the rows of `rhs` elsewhere. The result has the type of
/// `lhs`.
pub fn choose_inputs(
    operation: &'static str,
    lhs: Input<'_>,
    rhs: Input<'_>,
    condition: Condition<'_>,
    nulls: Nulls,
    ctx: Ctx<'_>,
) -> Result<Column> {
    check::same_types(lhs.data_type(), rhs.data_type())?;
    let inputs = Inputs::new([condition.view().into(), lhs, rhs], ctx)?;
    let kind = kind_of(operation, lhs.data_type())?;
    if !kind.is_strings() {
        return elementwise::map(
            inputs,
            lhs.data_type(),
            nulls,
            ctx,
            |rows| host::select(rows, kind, condition),
            |launch| cuda::select(launch, kind, condition),
        );
    }
    if condition.view().is_empty() {
        let table = RowPlan::new(operation, &TableView::try_new(vec![lhs.view()])?)?.empty(ctx)?;
        return Ok(table.column(0)?.clone());
    }
    match ctx.stream.device() {
        Device::Cpu => host::strings(inputs, condition, nulls, ctx),
        Device::Cuda(_) => cuda::strings(inputs, kind, condition, nulls, ctx),
    }
}
