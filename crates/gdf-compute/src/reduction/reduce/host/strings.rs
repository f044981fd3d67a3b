//! The smallest or largest string.

use bytemuck::Pod;
use gdf_core::{Column, Error, PhysicalType, Result};
use gdf_engine::host::{column, map_chunks};
use gdf_memory::Buffer;

use super::{ReducePlan, ReduceWork};

/// Returns the smallest or the largest string.
pub(super) fn extreme_string(work: &ReduceWork<'_, '_>) -> Result<Column> {
    let minimum = work.plan == ReducePlan::ExtremeString { minimum: true };
    match work.physical {
        PhysicalType::String { large: true } | PhysicalType::Binary { large: true } => extreme::<i64>(work, minimum),
        _ => extreme::<i32>(work, minimum),
    }
}

fn extreme<O: Pod + Sync + Send + TryFrom<usize> + TryInto<usize>>(
    work: &ReduceWork<'_, '_>,
    minimum: bool,
) -> Result<Column> {
    let (offsets, chars, valid) = (work.input.offsets::<O>()?, work.input.chars()?, work.input.validity()?);
    let bytes = |row: usize| -> Option<&[u8]> {
        let (start, end) = (offsets.get(row)?, offsets.get(row + 1)?);
        chars.get((*start).try_into().ok()?..(*end).try_into().ok()?)
    };
    let better = |a: &[u8], b: &[u8]| if minimum { a < b } else { a > b };
    let parts = map_chunks(work.input.len(), |range| {
        let mut best: Option<&[u8]> = None;
        for row in range {
            if valid.is_none_or(|valid| valid.get(row)) {
                let row = bytes(row)?;
                if best.is_none_or(|best| better(row, best)) {
                    best = Some(row);
                }
            }
        }
        Some(best)
    });
    let mut best: Option<&[u8]> = None;
    for part in parts {
        let part = part.ok_or_else(|| {
            Error::invalid_data("an offset points outside of the bytes of the column; validate the column")
        })?;
        if let Some(part) = part
            && best.is_none_or(|best| better(part, best))
        {
            best = Some(part);
        }
    }
    let text = best.unwrap_or_default();
    let end = O::try_from(text.len()).map_err(|_| Error::offset_overflow(text.len() as u64))?;
    let mut offsets = Buffer::uninitialized(2 * size_of::<O>(), work.ctx.stream, work.ctx.mr.output)?;
    offsets.write_on(work.ctx.stream)?.into_mut_slice::<O>()?.copy_from_slice(&[O::zeroed(), end]);
    let chars = Buffer::from_host(text, work.ctx.stream, work.ctx.mr.output)?;
    column(work.output_type, 1, [offsets, chars], work.mask()?)
}
