//! `scatter` on the CPU.

use bytemuck::Pod;
use gdf_core::{Column, Error, Result};
use gdf_memory::HostVec;

use super::plan::{SCATTER, Scatter, ScatterSource};
use crate::Ctx;
use crate::host::{
    Bits, HostColumn, HostMask, StringRows, column, for_each_chunk, for_each_task, mask_from_words, strings_by_row,
    task_rows,
};
use crate::layout::RowKind;
use crate::rows::host::{RowMap, by_width, check_bounds, values_buffer};

/// The inverse of the map.
enum Inverse<'r> {
    Narrow(HostVec<'r, u32>),
    Wide(HostVec<'r, u64>),
}

impl Inverse<'_> {
    fn get(&self, row: usize) -> Option<usize> {
        let number = match self {
            Inverse::Narrow(rows) => rows[row] as usize,
            Inverse::Wide(rows) => rows[row] as usize,
        };
        number.checked_sub(1)
    }
}

/// Scatters all columns.
pub(super) fn scatter(scatter: &Scatter<'_>, ctx: Ctx<'_>) -> Result<Option<Vec<Column>>> {
    let rows = scatter.rows;
    let map = HostColumn::open(scatter.map, ctx.stream)?;
    if scatter.report {
        check_bounds(SCATTER, &map, rows)?;
    }
    if rows == 0 {
        return Ok(None);
    }
    let map = RowMap::new(SCATTER, &map, rows)?;
    let inverse = if map.len() < u32::MAX as usize {
        Inverse::Narrow(inverted(&map, rows, |row| row as u32, ctx)?)
    } else {
        Inverse::Wide(inverted(&map, rows, |row| row as u64, ctx)?)
    };
    let columns = scatter.columns.iter().map(|put| ScatterJob::open(put, &inverse, rows, ctx)?.column());
    Ok(Some(columns.collect::<Result<_>>()?))
}

/// Inverts the map.
fn inverted<'r, I: Pod + Send>(
    map: &RowMap<'_>,
    rows: usize,
    number: impl Fn(usize) -> I + Sync,
    ctx: Ctx<'r>,
) -> Result<HostVec<'r, I>> {
    let mut inverse = HostVec::<I>::zeroed(rows, ctx.stream, ctx.mr.temporary)?;
    let tasks = gdf_core::thread_count().min(rows.div_ceil(task_rows())).max(1);
    let share = rows.div_ceil(tasks);
    for_each_task(inverse.chunks_mut(share).collect(), |task, part: &mut [I]| {
        let start = task * share;
        for word in 0..map.len().div_ceil(64) {
            let (rows, has) = map.word(word);
            for (at, row) in rows.into_iter().enumerate() {
                if has >> at & 1 == 1
                    && let Some(slot) = part.get_mut(row.wrapping_sub(start))
                {
                    *slot = number(word * 64 + at + 1);
                }
            }
        }
    });
    Ok(inverse)
}

struct ScatterJob<'w, 'a> {
    put: &'w ScatterSource<'a>,
    source: HostColumn<'a>,
    target: HostColumn<'a>,
    inverse: &'w Inverse<'w>,
    rows: usize,
    ctx: Ctx<'w>,
}

impl<'w, 'a> ScatterJob<'w, 'a> {
    fn open(put: &'w ScatterSource<'a>, inverse: &'w Inverse<'w>, rows: usize, ctx: Ctx<'w>) -> Result<Self> {
        let source = HostColumn::open_input(put.source, ctx.stream)?;
        let target = HostColumn::open(put.target, ctx.stream)?;
        Ok(Self { put, source, target, inverse, rows, ctx })
    }

    fn column(&self) -> Result<Column> {
        let data_type = self.put.target.data_type();
        let mask = if self.put.nullable {
            let (source, target) = (self.source.validity()?, self.target.validity()?);
            HostMask::from_words(self.rows, self.ctx.stream, self.ctx.mr.output, |word| {
                self.word(word, source, target)
            })?
        } else {
            HostMask::none()
        };
        let buffer = match self.put.kind {
            RowKind::Strings { .. } => {
                let (source, target) = (StringRows::open(&self.source)?, StringRows::open(&self.target)?);
                let bytes = |row| self.inverse.get(row).map_or_else(|| target.get(row), |from| source.get(from));
                let buffers = strings_by_row(self.target.view().data_type(), self.rows, self.ctx, bytes)?;
                return column(data_type, self.rows, buffers, mask);
            }
            RowKind::Bits => {
                let (source, target) = (Some(self.source.bits()?), Some(self.target.bits()?));
                let words = |word| self.word(word, source, target);
                mask_from_words(self.rows, self.ctx.stream, self.ctx.mr.output, words)?
                    .0
                    .slice(0, self.rows.div_ceil(8))?
            }
            RowKind::Bytes(width) => {
                let mut buffer = values_buffer(self.rows, width, self.ctx)?;
                let access = buffer.write_on(self.ctx.stream)?;
                by_width!(
                    width,
                    T => self.values::<T>(access.into_mut_slice()?)?,
                    else => self.bytes(width, access.into_mut_slice()?)?
                );
                buffer
            }
            RowKind::Validity | RowKind::Null => return Err(Error::unsupported(SCATTER, data_type)),
        };
        column(data_type, self.rows, [buffer], mask)
    }

    /// Returns the bits of the rows from `64 * index` on.
    fn word(&self, index: usize, source: Option<Bits<'_>>, target: Option<Bits<'_>>) -> u64 {
        let first = index * 64;
        let bit = |row: usize| match self.inverse.get(row) {
            Some(from) => source.is_none_or(|bits| bits.get(if self.source.broadcast() { 0 } else { from })),
            None => target.is_none_or(|bits| bits.get(row)),
        };
        (first..self.rows.min(first + 64)).fold(0, |word, row| word | u64::from(bit(row)) << (row - first))
    }

    /// Writes the rows as values of type `T`.
    fn values<T: Pod + Send + Sync>(&self, out: &mut [T]) -> Result<()> {
        let (source, target) = (self.source.values::<T>()?, self.target.values::<T>()?);
        let one = if self.source.broadcast() { 0 } else { usize::MAX };
        for_each_chunk(out, |first, chunk| {
            for (row, slot) in (first..).zip(chunk) {
                *slot = self.inverse.get(row).map_or_else(|| target[row], |from| source[from & one]);
            }
        });
        Ok(())
    }

    fn bytes(&self, width: usize, out: &mut [u8]) -> Result<()> {
        let (source, target) = (self.source.row_bytes(width)?, self.target.row_bytes(width)?);
        let one = if self.source.broadcast() { 0 } else { usize::MAX };
        let rows = task_rows();
        for_each_task(out.chunks_mut(width.saturating_mul(rows).max(1)).collect(), |task, chunk: &mut [u8]| {
            for (row, slot) in (task * rows..).zip(chunk.chunks_exact_mut(width)) {
                let (from, at) = self.inverse.get(row).map_or((target, row), |from| (source, from & one));
                slot.copy_from_slice(&from[at * width..(at + 1) * width]);
            }
        });
        Ok(())
    }
}
