//! `copy_if_else`: chooses each row from one of two inputs. If the engine does not choose rows of the type, it chooses
//! the numbers of the rows, and a gather copies them from both inputs.

use gdf_core::{Column, ColumnView, Error, Operand, Result, Scalar};
use gdf_engine::check;
use gdf_engine::choose::{choose, chooses};
use gdf_engine::input::Input;
use gdf_engine::operand::{Literals, of_one_type};

use super::pairs::{PairNumbers, rows_of_both};
use crate::Ctx;

/// Returns for each row the row of `lhs` if `mask` is true and not null, and the row of `rhs` otherwise.
///
/// Implements `gdf_api::copying::copy_if_else` with the stream and the memory resources of `ctx`. Returns the errors of
/// that function.
pub fn copy_if_else(lhs: Operand<'_>, rhs: Operand<'_>, mask: ColumnView<'_>, ctx: Ctx<'_>) -> Result<Column> {
    if chooses(lhs.data_type()) || chooses(rhs.data_type()) {
        return choose(lhs, rhs, mask, ctx);
    }
    let in_mask = |error: Error| error.in_argument("mask");
    check::boolean(&mask).and_then(|()| check::column(mask, ctx)).map_err(in_mask)?;
    let operands = of_one_type(lhs, rhs);
    let literals = Literals::new(&operands, ctx)?;
    let [lhs, rhs] = literals.resolve(operands);
    check::same_types(lhs.data_type(), rhs.data_type())?;
    for (side, argument) in [(lhs, "lhs"), (rhs, "rhs")] {
        check::column(side.view(), ctx)?;
        check::length(mask.len(), side.len().unwrap_or(mask.len())).map_err(|error| error.in_argument(argument))?;
    }
    let numbers = PairNumbers::new(lhs.view().len(), rhs.view().len(), ctx.scratch())?;
    let scalar = |side: Input<'_>, numbers: &Column| match side {
        Input::Column(_) => Ok(None),
        Input::Scalar(_) => Scalar::from_column(numbers.clone()).map(Some),
    };
    let scalars = [scalar(lhs, &numbers.first)?, scalar(rhs, &numbers.second)?];
    let of_lhs = scalars[0].as_ref().map_or(Operand::from(&numbers.first), Operand::from);
    let of_rhs = scalars[1].as_ref().map_or(Operand::from(&numbers.second), Operand::from);
    let map = choose(of_lhs, of_rhs, mask, ctx.scratch())?;
    rows_of_both(lhs.view(), rhs.view(), &map, ctx)
}
