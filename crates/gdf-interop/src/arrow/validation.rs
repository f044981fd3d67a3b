//! Looking at the data of the CPU before a column is given out, of somebody else's or to somebody else.

use gdf_core::{Column, ColumnParts, Error, NullCount, bitmask, validation};
use gdf_driver::Stream;

use super::narrow::narrowed;
use crate::{InteropError, Result};

/// The column, once all of its data were looked at: null counts here, offsets, keys, views, type ids, run ends and UTF-8 as
/// operations do.
///
/// Children are vouched for whole, since they can be taken out of their parent, so whole they are looked at. That no slice pays
/// for a long child, children that run along with their parent are cut first.
pub(super) fn validated(column: Column, stream: &Stream) -> Result<Column> {
    let mut parts = narrowed(column.into_parts(), 8)?;
    let children = parts.children.into_iter().enumerate();
    parts.children = children.map(|(i, child)| below(i, validated(child, stream))).collect::<Result<_>>()?;
    count_nulls(&mut parts, stream)?;
    let column = Column::try_from_parts(parts)?;
    validation::ensure(&column, stream)?;
    Ok(column)
}

/// What became of child or column `index`, for an error that tells the way from its parent.
pub(super) fn below<T>(index: usize, mut result: Result<T>) -> Result<T> {
    if let Err(InteropError::Core(Error::BrokenData { path, .. })) = &mut result {
        path.insert(0, index);
    }
    result
}

/// Compares the null count with the mask, or counts where nobody has.
fn count_nulls(parts: &mut ColumnParts, stream: &Stream) -> Result<()> {
    let Some(mask) = &parts.validity else { return Ok(()) };
    let access = mask.read_on(stream)?;
    let nulls = bitmask::count_zeros_in_range(access.as_slice::<u8>()?, parts.offset, parts.len);
    drop(access);
    let reported = parts.null_count.known();
    if reported.is_some_and(|reported| reported != nulls) {
        return Err(Error::invalid_data("null count").into());
    }
    if reported == Some(0) {
        // a mask without zeros only slows down whoever branches on it
        parts.validity = None;
        parts.sanitized = true;
    }
    parts.null_count = NullCount::Known(nulls);
    Ok(())
}
