//! `nunique` on CUDA. One launch clears a hash set. A second launch inserts the values into the set and counts the
//! inserted values.

use gdf_core::{ColumnView, Result};
use gdf_engine::cuda::{CudaColumn, Grid, Kernel, Memory, Rows};
use gdf_engine::layout::characters;
use gdf_kernels::generated::groupby::{Nunique, NuniqueInit, NuniqueKernel, RowSet};
use gdf_memory::Buffer;

use super::descriptors::{Groups, Keys, run};
use crate::Ctx;
use crate::groupby::NullPolicy;
use crate::groupby::aggregate::plan::DistinctCount;

/// Counts the distinct values of each group into a word of its accumulators.
pub(super) fn nunique(
    keys: Keys<'_>,
    values: ColumnView<'_>,
    distinct: DistinctCount,
    groups: &Groups<'_>,
    ctx: Ctx<'_>,
) -> Result<()> {
    let rows = values.len();
    let slots = (rows * 2).next_power_of_two().max(64);
    let mut set = Buffer::uninitialized(slots * 8, ctx.stream, ctx.mr.temporary)?;
    let access = set.write_on(ctx.stream)?;
    let set = RowSet { slots: Memory::of(&access).array(0, slots)?, mask: slots as u64 - 1 };
    let init = Kernel::find(ctx.stream)?;
    run(&init, Grid::Blocks(init.blocks(slots)), &NuniqueInit { set }, ctx.stream)?;
    let kernel = Kernel::choose(if keys.packed { NuniqueKernel::Packed } else { NuniqueKernel::Rows }, ctx.stream)?;
    let column = CudaColumn::open(values, ctx.stream)?;
    let arguments = Nunique {
        keys: *keys.desc,
        values: column.desc(),
        bytes: characters(values),
        nulls: i32::from(distinct.null_policy == NullPolicy::Include),
        rows: Rows::new(rows),
        table: groups.table,
        set,
        counts: groups.after_word(distinct.word)?.words,
    };
    run(&kernel, Grid::Blocks(kernel.blocks(rows)), &arguments, ctx.stream)
}
