//! Hashes of all rows, on all threads.

use gdf_core::{Column, DataType, Result};

use super::{Function, OpenColumns};
use crate::context::Ctx;
use crate::hashing::HashedColumn;
use crate::host::{HostMask, HostOutput, for_each_chunk, for_each_task, task_rows};

/// Rows whose hashes of two words are held before they are written to two columns.
const BLOCK: usize = crate::limits::cpu::HASH_BLOCK;

pub(in super::super) fn hash<F: Function>(
    columns: &[HashedColumn<'_>],
    rows: usize,
    data_type: &DataType,
    seed: F::Seed,
    ctx: Ctx<'_>,
) -> Result<Vec<Column>> {
    let open = OpenColumns::open(columns, ctx.stream)?;
    let hashed = open.rows()?;
    if F::WORDS == 1 {
        let mut output = HostOutput::<F::Value>::new(rows, ctx)?;
        for_each_chunk(output.values(ctx.stream)?, |first, chunk| hashed.hash_into::<F>(first, seed, chunk));
        return Ok(vec![output.finish(data_type, HostMask::none())?]);
    }
    let mut low = HostOutput::<u64>::new(rows, ctx)?;
    let mut high = HostOutput::<u64>::new(rows, ctx)?;
    let task = task_rows();
    let chunks = low.values(ctx.stream)?.chunks_mut(task).zip(high.values(ctx.stream)?.chunks_mut(task));
    for_each_task(chunks.collect(), |chunk, (low, high): (&mut [u64], &mut [u64])| {
        let mut block = [F::NULL; BLOCK];
        for (at, (low, high)) in low.chunks_mut(BLOCK).zip(high.chunks_mut(BLOCK)).enumerate() {
            let block = &mut block[..low.len()];
            hashed.hash_into::<F>(chunk * task + at * BLOCK, seed, block);
            for ((low, high), hash) in low.iter_mut().zip(high).zip(block) {
                *low = F::word(*hash, 0).unwrap_or_default();
                *high = F::word(*hash, 1).unwrap_or_default();
            }
        }
    });
    Ok(vec![low.finish(data_type, HostMask::none())?, high.finish(data_type, HostMask::none())?])
}
