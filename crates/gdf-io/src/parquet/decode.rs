//! Decodes the rows of a unit with arrow-rs, in batches.

use arrow_array::{Array, ArrayRef};

use super::file::ParquetFile;
use super::plan::Unit;
use crate::Result;

/// Decodes the rows of a unit.
///
/// # Errors
/// - The file is damaged.
pub(super) fn decode(
    file: &ParquetFile,
    unit: &Unit,
    leaves: &[usize],
    batch_rows: usize,
    mut each: impl FnMut(ArrayRef) -> Result<()>,
) -> Result<()> {
    let mut reader = file.reader(unit.group, leaves, unit.selection.clone(), batch_rows)?;
    let mut found = 0;
    while let Some(arrays) = reader.next()? {
        for array in arrays {
            found += array.len();
            if found > unit.rows {
                return Err(reader.wrong_rows(unit.rows, found));
            }
            each(array)?;
        }
    }
    if found == unit.rows { Ok(()) } else { Err(reader.wrong_rows(unit.rows, found)) }
}
