//! `unary::cast`: values of one type as another.

mod cuda;
mod host;
mod plan;
#[cfg(test)]
mod tests;

use gdf_core::{Column, ColumnView, DataType, Error, Result, width};
use gdf_driver::Device;

use self::plan::OPERATION;
pub(super) use self::plan::{CastPlan, Operation};
use crate::Ctx;
use crate::engine::elementwise::{self, Inputs, Nulls};

/// Whether [`cast`] can make `to` of `from`.
pub fn is_supported_cast(from: &DataType, to: &DataType) -> bool {
    CastPlan::new(from, to).is_some()
}

/// `column` as `target`; see `gdf_api::unary::cast` for what becomes of the values.
///
/// # Errors
/// * [`Unsupported`](Error::Unsupported) where [`is_supported_cast`] says no.
/// * [`DeviceMismatch`](Error::DeviceMismatch), [`InvalidArgument`](Error::InvalidArgument) for a target that makes no
///   sense, [`OffsetOverflow`](Error::OffsetOverflow); driver and memory errors.
pub fn cast(column: ColumnView<'_>, target: &DataType, ctx: Ctx<'_>) -> Result<Column> {
    let inputs = Inputs::new([column.into()], ctx)?;
    let from = column.data_type();
    let plan = CastPlan::new(from, target).ok_or_else(|| Error::unsupported_result(OPERATION, from, target))?;
    match (plan, ctx.stream.device()) {
        (CastPlan::Relabel, _) => relabel(column, target),
        (CastPlan::Offsets, Device::Cpu) => host::offsets(column, target, ctx),
        (CastPlan::Offsets, Device::Cuda(_)) => cuda::offsets(column, target, ctx),
        _ => elementwise::map(
            inputs,
            target,
            Nulls::Share,
            ctx,
            |rows| host::cast(rows, plan),
            |launch| cuda::cast(launch, plan, [from, target]),
        ),
    }
}

/// The same buffers under another type.
fn relabel(column: ColumnView<'_>, target: &DataType) -> Result<Column> {
    let column = column.to_column();
    if width(column.data_type()).is_some() { column.bit_cast(target.clone()) } else { column.with_type(target.clone()) }
}
