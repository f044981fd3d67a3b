//! Validation of data on the CPU. gdf validates an imported column before returning it, and a column before exporting
//! it.

use gdf_core::{Column, ColumnParts, Error, NullCount, bitmask, validation};
use gdf_driver::Stream;

use super::narrow::narrowed;
use crate::{InteropError, Result};

/// Validates all data of the column, and returns the column.
pub(super) fn validated(column: Column, stream: &Stream) -> Result<Column> {
    let mut parts = narrowed(column.into_parts(), 8)?;
    let children = parts.children.into_iter().enumerate();
    parts.children = children.map(|(i, child)| below(i, validated(child, stream))).collect::<Result<_>>()?;
    count_nulls(&mut parts, stream)?;
    let column = Column::try_from_parts(parts)?;
    validation::ensure(&column, stream)?;
    Ok(column)
}

/// Returns `result`.
pub(super) fn below<T>(index: usize, mut result: Result<T>) -> Result<T> {
    if let Err(InteropError::Core(Error::BrokenData { path, .. })) = &mut result {
        path.insert(0, index);
    }
    result
}

/// Counts the nulls of the mask, and stores the null count in `parts`.
fn count_nulls(parts: &mut ColumnParts, stream: &Stream) -> Result<()> {
    let Some(mask) = &parts.validity else { return Ok(()) };
    let access = mask.read_on(stream)?;
    let nulls = bitmask::count_zeros_in_range(access.as_slice::<u8>()?, parts.offset, parts.len);
    drop(access);
    let reported = parts.null_count.known();
    if reported.is_some_and(|reported| reported != nulls) {
        return Err(Error::invalid_data("the null count differs from the number of nulls in the validity mask").into());
    }
    if reported == Some(0) {
        // A mask without zeros carries no information.
        parts.validity = None;
        parts.sanitized = true;
    }
    parts.null_count = NullCount::Known(nulls);
    Ok(())
}
