//! Validation of data on the CPU. gdf validates an imported column before returning it, and a column before exporting
//! it.

use gdf_core::{Column, ColumnParts, Error, NullCount, bitmask, validation};
use gdf_driver::Stream;

use super::narrow::narrowed;
use crate::{InteropError, Result};

/// Validates all data of the column, and returns the column. This function checks null counts. `validation::ensure`
/// checks offsets, dictionary keys, views, type ids, run ends and UTF-8, as operations do.
///
/// Children are validated completely, and not only in the rows that the parent uses, because callers can take children
/// out of their parent. If the children have a fixed number of rows per row of the parent, they are first cut to the
/// rows of the parent. Therefore validating a slice takes less time than validating the whole column.
pub(super) fn validated(column: Column, stream: &Stream) -> Result<Column> {
    let mut parts = narrowed(column.into_parts(), 8)?;
    let children = parts.children.into_iter().enumerate();
    parts.children = children.map(|(i, child)| below(i, validated(child, stream))).collect::<Result<_>>()?;
    count_nulls(&mut parts, stream)?;
    let column = Column::try_from_parts(parts)?;
    validation::ensure(&column, stream)?;
    Ok(column)
}

/// Returns `result`. If `result` is a `BrokenData` error, the function first puts `index`, the index of the child or
/// column, in front of the path. In this way the path leads from the root to the invalid child.
pub(super) fn below<T>(index: usize, mut result: Result<T>) -> Result<T> {
    if let Err(InteropError::Core(Error::BrokenData { path, .. })) = &mut result {
        path.insert(0, index);
    }
    result
}

/// Counts the nulls of the mask, and stores the null count in `parts`. If `parts` already states another null count,
/// the function returns an error. If `parts` states 0 nulls, the function also removes the mask.
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
        // A mask without zeros carries no information. The mask would only make operations slower, because operations
        // use other code for columns with a mask.
        parts.validity = None;
        parts.sanitized = true;
    }
    parts.null_count = NullCount::Known(nulls);
    Ok(())
}
