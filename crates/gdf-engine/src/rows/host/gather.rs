//! Gathers rows by number, 64 elements of the map at a time. The row numbers of the elements are computed first. The 64
//! rows are then loaded by independent loads, so that their cache misses overlap.

use bytemuck::Pod;
use gdf_core::Result;
use gdf_memory::Buffer;
use smallvec::SmallVec;

use super::gather_strings::gather_strings;
use super::row_map::RowMap;
use super::{LeafValidity, RowBits, RowSource};
use crate::Ctx;
use crate::host::{HostColumn, for_each_chunk, for_each_task, mask_from_words, task_rows, vectorized};

pub struct Gather<'a> {
    pub map: RowMap<'a>,
    /// Whether the map may contain elements that are not rows of the table.
    pub nulls: bool,
}

impl RowSource for Gather<'_> {
    fn rows(&self) -> usize {
        self.map.len()
    }

    fn nullable(&self) -> bool {
        self.nulls
    }

    fn write_row_numbers(&self, to: &mut [i64]) {
        for_each_chunk(to, |first, chunk| {
            for (at, block) in chunk.chunks_mut(64).enumerate() {
                let (rows, has) = self.map.word(first / 64 + at);
                for (at, (slot, &row)) in block.iter_mut().zip(&rows).enumerate() {
                    *slot = if has >> at & 1 == 1 { row as i64 } else { -1 };
                }
            }
        });
    }

    fn copy_values<T: Pod + Send + Sync>(&self, from: &[T], to: &mut [T]) {
        if let Some(row) = self.map.descending_from() {
            return for_each_chunk(to, |first, chunk| copy_reversed(&from[..=row - first], chunk));
        }
        for_each_chunk(to, |first, chunk| {
            for (at, block) in chunk.chunks_mut(64).enumerate() {
                let (rows, has) = self.map.word(first / 64 + at);
                if has == u64::MAX && block.len() == 64 {
                    // Every row number that `RowMap::word` returns is a row of the table.
                    block.iter_mut().zip(&rows).for_each(|(slot, &row)| *slot = from[row]);
                } else {
                    for (at, (slot, &row)) in block.iter_mut().zip(&rows).enumerate() {
                        *slot = if has >> at & 1 == 1 { from[row] } else { T::zeroed() };
                    }
                }
            }
        });
    }

    fn copy_bytes(&self, from: &[u8], width: usize, to: &mut [u8]) {
        let task = task_rows();
        for_each_task(to.chunks_mut(task.saturating_mul(width).max(1)).collect(), |index, chunk: &mut [u8]| {
            for (at, block) in chunk.chunks_mut(64 * width).enumerate() {
                let (rows, has) = self.map.word(index * (task / 64) + at);
                for (at, (slot, &row)) in block.chunks_exact_mut(width).zip(&rows).enumerate() {
                    if has >> at & 1 == 1 {
                        slot.copy_from_slice(&from[row * width..(row + 1) * width]);
                    } else {
                        slot.fill(0);
                    }
                }
            }
        });
    }

    fn copy_bits(&self, from: Option<&impl RowBits>, ctx: Ctx<'_>) -> Result<(Buffer, usize)> {
        mask_from_words(self.rows(), ctx.stream, ctx.mr.output, |word| {
            let (rows, has) = self.map.word(word);
            let Some(from) = from else { return has };
            let bits = rows.iter().enumerate().fold(0, |bits, (at, &row)| bits | u64::from(from.get(row)) << at);
            bits & has
        })
    }

    fn copy_strings(
        &self,
        from: &HostColumn<'_>,
        hiding: Option<&LeafValidity<'_>>,
        ctx: Ctx<'_>,
    ) -> Result<SmallVec<[Buffer; 2]>> {
        gather_strings(from, hiding, &self.map, ctx)
    }
}

vectorized! {
    /// Copies the last rows of `from` to `to` in reverse order. The length of `to` is the number of rows.
    fn copy_reversed[T: Copy](from: &[T], to: &mut [T]) {
        for (slot, row) in to.iter_mut().zip(from.iter().rev()) {
            *slot = *row;
        }
    }
}
