//! `gather` on the CPU: 64 elements of the map are resolved at a time, then 64 rows are loaded without a dependence
//! between them, so that their cache misses overlap.

use bytemuck::Pod;
use gdf_core::{ColumnView, NullCount, Result, Table};
use gdf_memory::Buffer;
use smallvec::SmallVec;

use super::super::gather::Bounds;
use super::gather_map::{GatherMap, check};
use super::gather_strings::gather_strings;
use crate::context::Ctx;
use crate::host::{HostColumn, LeafValidity, for_each_chunk, mask_from_words, open_leaves};
use crate::rows::{Leaf, OutputBuffers, RowKind, RowPlan, byte_len};

pub(in super::super) fn gather(
    plan: &RowPlan<'_>,
    rows: usize,
    map: ColumnView<'_>,
    bounds: Bounds,
    ctx: Ctx<'_>,
) -> Result<Table> {
    let nulls = bounds == Bounds::Nullify || map.has_validity();
    if map.is_empty() {
        return plan.empty(ctx);
    }
    let column = HostColumn::open(map, ctx.stream)?;
    if bounds == Bounds::Report {
        check(&column, rows)?;
    }
    let map = GatherMap::new(&column, rows)?;
    let columns = open_leaves(plan, ctx.stream)?;
    let move_leaf = |(at, leaf): (usize, &Leaf<'_>)| -> Result<OutputBuffers> {
        let validity = LeafValidity::open(plan, &columns, at)?;
        let buffers = move_values(leaf, &columns[at], validity.as_ref(), &map, ctx)?;
        let nullable = (nulls || validity.is_some()) && leaf.kind != RowKind::Null;
        if !nullable {
            return Ok(OutputBuffers { buffers, validity: None, null_count: NullCount::Known(0) });
        }
        let (mask, valid) = mask_from_words(map.len(), ctx.stream, ctx.mr.output, |word| {
            let (rows, has) = map.word(word);
            validity.as_ref().map_or(has, |validity| pick(&rows, has, |row| validity.get(row)))
        })?;
        Ok(OutputBuffers { buffers, validity: Some(mask), null_count: NullCount::Known(map.len() - valid) })
    };
    let output_buffers: Vec<_> = plan.leaves().iter().enumerate().map(move_leaf).collect::<Result<_>>()?;
    plan.finish(map.len(), ctx.stream.device(), output_buffers)
}

/// A bit for each of the rows that there are.
fn pick(rows: &[usize; 64], has: u64, bit: impl Fn(usize) -> bool) -> u64 {
    let bits = rows.iter().enumerate().fold(0, |bits, (at, &row)| bits | u64::from(bit(row)) << at);
    bits & has
}

fn move_values(
    leaf: &Leaf<'_>,
    column: &HostColumn<'_>,
    validity: Option<&LeafValidity<'_>>,
    map: &GatherMap<'_>,
    ctx: Ctx<'_>,
) -> Result<SmallVec<[Buffer; 2]>> {
    let gathering = Gathering { column, map, ctx };
    let buffer = match leaf.kind {
        RowKind::Validity | RowKind::Null => return Ok(SmallVec::new()),
        RowKind::Strings { large } => {
            // Null rows of a sanitized column are empty already.
            let hiding = validity.filter(|_| leaf.parent.is_some() || !leaf.view.sanitized());
            return gather_strings(column, hiding, large, map, ctx);
        }
        RowKind::Bits => {
            let bits = column.bits()?;
            let word = |word| {
                let (rows, has) = map.word(word);
                pick(&rows, has, |row| bits.get(row))
            };
            mask_from_words(map.len(), ctx.stream, ctx.mr.output, word)?.0
        }
        RowKind::Bytes(1) => gathering.values::<u8>()?,
        RowKind::Bytes(2) => gathering.values::<[u8; 2]>()?,
        RowKind::Bytes(4) => gathering.values::<[u8; 4]>()?,
        RowKind::Bytes(8) => gathering.values::<[u8; 8]>()?,
        RowKind::Bytes(16) => gathering.values::<[u8; 16]>()?,
        RowKind::Bytes(32) => gathering.values::<[u8; 32]>()?,
        RowKind::Bytes(width) => gathering.bytes(width)?,
    };
    Ok(SmallVec::from_iter([buffer]))
}

struct Gathering<'a, 'c, 'm> {
    column: &'a HostColumn<'c>,
    map: &'a GatherMap<'m>,
    ctx: Ctx<'a>,
}

impl Gathering<'_, '_, '_> {
    fn buffer(&self, width: usize) -> Result<Buffer> {
        let bytes = byte_len(self.map.len(), width, self.ctx.mr)?;
        Ok(Buffer::uninitialized(bytes, self.ctx.stream, self.ctx.mr.output)?)
    }

    /// Rows as arrays of bytes, which need no alignment.
    fn values<T: Pod + Send + Sync>(&self) -> Result<Buffer> {
        let mut buffer = self.buffer(size_of::<T>())?;
        let out = buffer.write_on(self.ctx.stream)?.into_mut_slice::<T>()?;
        let source = self.column.values::<T>()?;
        for_each_chunk(out, |first, chunk| {
            for (at, block) in chunk.chunks_mut(64).enumerate() {
                let (rows, has) = self.map.word(first / 64 + at);
                if has == u64::MAX && block.len() == 64 {
                    // Numbers of a resolved map lie within the table.
                    block.iter_mut().zip(&rows).for_each(|(slot, &row)| *slot = source[row]);
                } else {
                    for (at, (slot, &row)) in block.iter_mut().zip(&rows).enumerate() {
                        *slot = if has >> at & 1 == 1 { source[row] } else { T::zeroed() };
                    }
                }
            }
        });
        Ok(buffer)
    }

    fn bytes(&self, width: usize) -> Result<Buffer> {
        use rayon::prelude::*;
        let mut buffer = self.buffer(width)?;
        if width == 0 {
            return Ok(buffer);
        }
        let out = buffer.write_on(self.ctx.stream)?.into_mut_slice::<u8>()?;
        let source = self.column.row_bytes(width)?;
        out.par_chunks_mut(64 * width).enumerate().for_each(|(word, block)| {
            let (rows, has) = self.map.word(word);
            for (at, (slot, &row)) in block.chunks_exact_mut(width).zip(&rows).enumerate() {
                if has >> at & 1 == 1 {
                    slot.copy_from_slice(&source[row * width..(row + 1) * width]);
                } else {
                    slot.fill(0);
                }
            }
        });
        Ok(buffer)
    }
}
