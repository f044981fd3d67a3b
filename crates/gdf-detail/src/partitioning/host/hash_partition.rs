//! `hash_partition` on the CPU.

use gdf_core::{Result, TableView};

use super::super::hash_partition::HashFunction;
use super::super::rows::Partitioned;
use super::{Ids, identity::Identity, move_rows};
use crate::context::Ctx;
use crate::engine::row_hash::{HashedColumn, Murmur32, OpenColumns};
use crate::host::for_each_chunk;

pub(crate) fn hash_partition(
    table: &TableView<'_>,
    keys: &[HashedColumn<'_>],
    partitions: usize,
    function: HashFunction,
    seed: u32,
    ctx: Ctx<'_>,
) -> Result<Partitioned> {
    let mut ids = Ids::new(table.num_rows(), ctx)?;
    let count = partitions as u32;
    // A mask for powers of two, as a division takes longer than the hash.
    let reduce = |ids: &mut [u32]| {
        if count.is_power_of_two() {
            ids.iter_mut().for_each(|id| *id &= count - 1);
        } else {
            ids.iter_mut().for_each(|id| *id %= count);
        }
    };
    let open = OpenColumns::open(keys, ctx.stream)?;
    match function {
        HashFunction::Murmur3 => {
            let rows = open.rows()?;
            for_each_chunk(ids.values(ctx.stream)?, |first, chunk| {
                rows.hash_into::<Murmur32>(first, seed, chunk);
                reduce(chunk);
            });
        }
        HashFunction::Identity => {
            let columns = open.columns().map(Identity::open).collect::<Result<Vec<_>>>()?;
            for_each_chunk(ids.values(ctx.stream)?, |first, chunk| {
                for (index, column) in columns.iter().enumerate() {
                    column.add(first, index > 0, chunk);
                }
                reduce(chunk);
            });
        }
    }
    move_rows(table, ids, partitions, ctx)
}
