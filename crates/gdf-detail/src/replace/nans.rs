//! `replace_nans`, `normalize_nans_and_zeros`.

use gdf_core::{Column, ColumnView, Error, Operand, PhysicalType, Result, is_floating, physical_type};
use gdf_kernels::generated::replace::NormalizeNansAndZeros;

use crate::Ctx;
use crate::check;
use crate::copying::{Condition, select};
use crate::engine::elementwise::{self, Launch, Nulls};
use crate::operand::{Literals, of_one_type};
use crate::unary::is_not_nan;

/// `gdf_api::replace::replace_nans` on the stream and from the resources of `ctx`.
pub fn replace_nans(column: ColumnView<'_>, replacement: Operand<'_>, ctx: Ctx<'_>) -> Result<Column> {
    floats("replace_nans", column)?;
    let operands = of_one_type(column.into(), replacement);
    let literals = Literals::new(&operands, ctx)?;
    let [_, replacement] = literals.resolve(operands);
    check::types(column.data_type(), replacement.data_type()).map_err(|error| error.in_argument("replacement"))?;
    let kept = is_not_nan(column, ctx.scratch())?;
    let nullable = column.has_validity() || replacement.has_validity();
    select("replace_nans", column.into(), replacement, Condition::True(kept.view()), nullable, ctx)
}

/// `gdf_api::replace::normalize_nans_and_zeros` on the stream and from the resources of `ctx`.
pub fn normalize_nans_and_zeros(column: ColumnView<'_>, ctx: Ctx<'_>) -> Result<Column> {
    floats("normalize_nans_and_zeros", column)?;
    elementwise::map_column(
        column,
        column.data_type(),
        Nulls::Share,
        ctx,
        |rows| match physical_type(column.data_type()) {
            PhysicalType::F16 => rows.map(|bits: u16| match bits & 0x7fff {
                0 => 0,
                0x7c01.. => 0x7e00,
                _ => bits,
            }),
            PhysicalType::F32 => rows.map(|bits: u32| match bits & 0x7fff_ffff {
                0 => 0,
                0x7f80_0001.. => 0x7fc0_0000,
                _ => bits,
            }),
            _ => rows.map(|bits: u64| match bits & 0x7fff_ffff_ffff_ffff {
                0 => 0,
                0x7ff0_0000_0000_0001.. => 0x7ff8_0000_0000_0000,
                _ => bits,
            }),
        },
        |launch| {
            let Launch { inputs: [input], out, scratch, .. } = *launch;
            launch.run_only(&NormalizeNansAndZeros { input, out, scratch })
        },
    )
}

fn floats(operation: &'static str, column: ColumnView<'_>) -> Result<()> {
    if is_floating(column.data_type()) { Ok(()) } else { Err(Error::unsupported(operation, column.data_type())) }
}
