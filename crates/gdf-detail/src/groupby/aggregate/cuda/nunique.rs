//! `nunique` on CUDA: one launch that empties a set, one that fills and counts.

use gdf_core::{ColumnView, Result};
use gdf_kernels::generated::groupby::{Nunique, NuniqueInit, NuniqueKernel, RowSet};
use gdf_memory::Buffer;

use super::descriptors::{Groups, Keys};
use crate::Ctx;
use crate::cuda::{CudaColumn, Kernel, Out};
use crate::engine::keys::characters;
use crate::groupby::aggregate::plan::DistinctCount;

/// Counts distinct values into their word of the accumulators. The table has all groups.
pub(super) fn nunique(
    keys: Keys<'_>,
    values: ColumnView<'_>,
    distinct: DistinctCount,
    groups: &Groups,
    ctx: Ctx<'_>,
) -> Result<()> {
    let rows = values.len();
    let slots = (rows * 2).next_power_of_two().max(64);
    let mut set = Buffer::uninitialized(slots * 8, ctx.stream, ctx.mr.temporary)?;
    let access = set.write_on(ctx.stream)?;
    let set = RowSet { slots: Out::of(&access), mask: slots as u64 - 1 };
    let init = Kernel::find(ctx.stream)?;
    // SAFETY: the set has mask + 1 slots.
    unsafe { init.launch(ctx.stream, init.blocks(slots), 1, &NuniqueInit { set })? };
    let kernel = Kernel::choose(if keys.packed { NuniqueKernel::Packed } else { NuniqueKernel::Rows }, ctx.stream)?;
    let column = CudaColumn::open(values, ctx.stream)?;
    let arguments = Nunique {
        keys: *keys.desc,
        values: column.desc,
        bytes: characters(values),
        nulls: i32::from(distinct.nulls),
        rows: rows as i64,
        table: groups.table,
        set,
        counts: groups.after_word(distinct.word).words,
    };
    // SAFETY: keys and values have `rows` rows, the set has more slots than that, and was made empty. The table has all
    // groups, and each a word among the counts.
    unsafe { kernel.launch(ctx.stream, kernel.blocks(rows), 1, &arguments)? };
    Ok(())
}
