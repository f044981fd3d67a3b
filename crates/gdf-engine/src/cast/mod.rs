//! Converts columns from one type to another.

mod cuda;
mod host;
mod plan;
#[cfg(test)]
mod tests;

use gdf_core::{Abilities, BinaryView, Column, ColumnView, DataType, DictionaryView, Error, Result, same_type, width};
use gdf_driver::Device;
use gdf_expr::types::refused_cast;

pub use self::plan::{CastPlan, Scale};
use crate::Ctx;
use crate::elementwise::{self, Inputs, Nulls};
use crate::rows::gather_column;
use crate::strings;

pub fn is_supported_cast(from: &DataType, to: &DataType) -> bool {
    CastPlan::new(from, to).is_some()
}

/// Converts `column` to the type `target`. `gdf_api::unary::cast` documents the conversion of the values.
///
/// # Errors
/// * [`Unsupported`](Error::Unsupported) if [`is_supported_cast`] returns false.
/// * [`InvalidArgument`](Error::InvalidArgument) if `target` is not a valid type, for example a decimal with too many
///   digits.
/// * [`DeviceMismatch`](Error::DeviceMismatch), [`OffsetOverflow`](Error::OffsetOverflow); driver and memory errors.
pub fn cast(column: ColumnView<'_>, target: &DataType, ctx: Ctx<'_>) -> Result<Column> {
    let inputs = Inputs::new([column.into()], ctx)?;
    let from = column.data_type();
    let plan = CastPlan::new(from, target).ok_or_else(|| refused_cast(from, target))?;
    match (plan, ctx.stream.device()) {
        (CastPlan::Relabel, _) => relabel(column, target),
        (CastPlan::Decode, _) => decode(column, target, ctx),
        (CastPlan::OfViews, _) => strings::text_of_views(column, target, ctx),
        (CastPlan::ToViews, _) => to_views(column, target, ctx),
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

/// Gathers the dictionary's value of each key. The keys of a validated column are within the dictionary.
fn decode(column: ColumnView<'_>, target: &DataType, ctx: Ctx<'_>) -> Result<Column> {
    let dictionary = DictionaryView::try_from(column)?;
    let (values, keys) = (dictionary.values(), dictionary.keys());
    if !same_type(values.data_type(), target) {
        // The smaller of the two columns gets the other layout.
        if values.len() > keys.view().len() {
            let rows = gather_column(values, keys.view(), ctx.scratch())?;
            let rows = cast(rows.view(), target, ctx.scratch())?;
            return rows.deep_copy(ctx.stream, ctx.mr.output);
        }
        // Gathered views share the bytes of the values.
        let is_shared = Abilities::of(target).encoded;
        let values = cast(values, target, if is_shared { ctx } else { ctx.scratch() })?;
        return gather_column(values.view(), keys.view(), ctx);
    }
    let values = gather_column(values, keys.view(), ctx)?;
    // The target may have another precision.
    if values.data_type() == target { Ok(values) } else { values.with_type(target.clone()) }
}

/// Returns a column of views of text or bytes.
fn to_views(column: ColumnView<'_>, target: &DataType, ctx: Ctx<'_>) -> Result<Column> {
    let mut bytes = column.buffer(1)?.clone();
    if bytes.len() > i32::MAX as usize {
        let (start, end) = BinaryView::try_from(column)?.chars_range(ctx.stream)?;
        if end - start > i32::MAX as usize {
            return Err(Error::offset_overflow((end - start) as u64));
        }
        bytes = bytes.slice(start, end - start)?;
    }
    strings::views_of_text(column, bytes, target, ctx)
}

fn relabel(column: ColumnView<'_>, target: &DataType) -> Result<Column> {
    let column = column.to_column();
    if width(column.data_type()).is_some() { column.bit_cast(target.clone()) } else { column.with_type(target.clone()) }
}
