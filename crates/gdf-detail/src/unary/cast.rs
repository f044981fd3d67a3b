//! `unary::cast`: values of one type as another.

mod plan;

pub(super) use plan::{DecimalMode, DecimalScale, Operation, Plan, Scale};

use gdf_core::{Column, ColumnView, DataType, Error, NullCount, Result, width};
use gdf_driver::Device;
use gdf_memory::Buffer;

use super::{cuda, host};
use crate::check;
use crate::context::Ctx;

/// What errors call the operation.
pub(super) const OPERATION: &str = "cast";

/// Whether [`cast`] can make `to` of `from`.
pub fn is_supported_cast(from: &DataType, to: &DataType) -> bool {
    Plan::new(from, to).is_some()
}

/// `column` as `target`; see `gdf_api::unary::cast` for what becomes of the values.
///
/// # Errors
/// * [`Unsupported`](Error::Unsupported) where [`is_supported_cast`] says no.
/// * [`DeviceMismatch`](Error::DeviceMismatch), [`InvalidArgument`](Error::InvalidArgument) for a target that makes no
///   sense, [`OffsetOverflow`](Error::OffsetOverflow); driver and memory errors.
pub fn cast(column: ColumnView<'_>, target: &DataType, ctx: Ctx<'_>) -> Result<Column> {
    check::column(column, ctx)?;
    let from = column.data_type();
    let plan = Plan::new(from, target)
        .ok_or_else(|| Error::unsupported(OPERATION, if plan::is_castable(from) { target } else { from }))?;
    if plan == Plan::Relabel {
        return relabel(column, target);
    }
    match ctx.stream.device() {
        Device::Cpu => host::cast(column, target, plan, ctx),
        Device::Cuda(_) => cuda::cast(column, target, plan, ctx),
    }
}

/// The same buffers under another type.
fn relabel(column: ColumnView<'_>, target: &DataType) -> Result<Column> {
    let column = column.to_column();
    if width(column.data_type()).is_some() { column.bit_cast(target.clone()) } else { column.with_type(target.clone()) }
}

/// Where the validity of a result comes from.
#[derive(Debug)]
pub(super) enum Validity {
    /// All rows are valid.
    None,
    /// The input's mask begins at bit 0 and does as it is.
    Shared(Buffer, NullCount),
    /// The input's mask has to be moved to bit 0.
    Copied,
}

impl Validity {
    pub(super) fn of(column: ColumnView<'_>) -> Result<Self> {
        Ok(match column.validity() {
            None => Validity::None,
            Some(mask) if column.offset() == 0 => {
                let mask = mask.slice(0, column.len().div_ceil(8))?;
                Validity::Shared(mask, column.to_column().null_count_state().clone())
            }
            Some(_) => Validity::Copied,
        })
    }
}

#[cfg(test)]
mod tests;
