//! Marks rows that differ from the row before, on the CPU.

use gdf_core::{Column, DataType, Result};

use super::key_rows::{HostKey, compare_rows};
use crate::Ctx;
use crate::host::{HostColumn, HostMask, column, mask_from_words};
use crate::sort::SortedRows;

/// Returns a Boolean column that is true in the first row and in each row that differs from the row before. Nulls are
/// equal to each other.
pub fn flag_heads(rows: SortedRows<'_>, ctx: Ctx<'_>) -> Result<Column> {
    let columns = rows.keys.iter().map(|key| HostColumn::open(key.view, ctx.stream)).collect::<Result<Vec<_>>>()?;
    let keys = columns.iter().zip(rows.keys).map(|(column, key)| HostKey::open(column, key));
    let keys = keys.collect::<Result<Vec<_>>>()?;
    let is_head = |row: usize| row == 0 || compare_rows(&keys, row - 1, row).is_ne();
    let (bits, _) = mask_from_words(rows.rows, ctx.stream, ctx.mr.output, |word| {
        let rows = word * 64..rows.rows.min(word * 64 + 64);
        rows.enumerate().fold(0, |bits, (bit, row)| bits | u64::from(is_head(row)) << bit)
    })?;
    let bits = bits.slice(0, rows.rows.div_ceil(8))?;
    column(&DataType::Boolean, rows.rows, [bits], HostMask::none())
}
