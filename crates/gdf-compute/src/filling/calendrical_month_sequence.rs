//! `calendrical_month_sequence`: moments at intervals of whole months. The operation makes a sequence of numbers of
//! months and adds each number to the first moment.

use gdf_core::{Column, DataType, Operand, Result, Scalar};
use gdf_engine::input::Input;
use gdf_engine::operand::one_value;
use gdf_engine::sequence::steps;

use crate::Ctx;
use crate::datetime::add_months;

/// Returns `init`, the moment `months` months later, and so on, `rows` moments in all.
///
/// Implements `gdf_api::filling::calendrical_month_sequence` with the stream and the memory resources of `ctx`.
/// Returns the errors of that function.
pub fn calendrical_month_sequence(init: Operand<'_>, months: i64, rows: usize, ctx: Ctx<'_>) -> Result<Column> {
    let scratch = ctx.scratch();
    let first = one_value(init, init.data_type(), ctx).map_err(|error| error.in_argument("init"))?;
    let number = |value: i64| -> Result<Scalar> { one_value(value.into(), &DataType::Int64, scratch) };
    let months = steps(&number(0)?, &number(months)?, rows, scratch)?;
    add_months("calendrical_month_sequence", Input::Scalar(&first), months.view().into(), ctx)
}
