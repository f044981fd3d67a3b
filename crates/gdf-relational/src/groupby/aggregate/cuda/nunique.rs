//! `nunique` on CUDA. One launch clears a hash set. A second launch inserts the values into the set and counts the
//! inserted values.

use gdf_core::{ColumnView, Result, physical_type};
use gdf_engine::cuda::{CudaColumn, Grid, Kernel, Memory, Rows};
use gdf_engine::layout::characters;
use gdf_engine::limits::cuda as limits;
use gdf_engine::sort::value_bounds;
use gdf_kernels::generated::groupby::{Nunique, NuniqueInit, NuniqueKernel, RowSet, ValueRange};
use gdf_memory::Buffer;

use super::request::{Groups, Request};
use crate::Ctx;
use crate::groupby::NullPolicy;
use crate::groupby::aggregate::plan::DistinctCount;

/// Counts the distinct values of each group into a word of its accumulators.
pub(super) fn nunique(request: &Request<'_, '_>, distinct: DistinctCount, groups: &Groups<'_>) -> Result<()> {
    let (keys, ctx) = (request.keys, request.ctx);
    let values = request.plan.values[distinct.request];
    let rows = values.len();
    let slots = (rows * 2).next_power_of_two().max(64);
    let mut set = Buffer::uninitialized(slots * 8, ctx.stream, ctx.mr.temporary)?;
    let access = set.write_on(ctx.stream)?;
    let set = RowSet { slots: Memory::of(&access).array(0, slots)?, mask: slots as u64 - 1 };
    let init = Kernel::find(ctx.stream)?;
    request.run(&init, Grid::Blocks(init.blocks(slots)), &NuniqueInit { set })?;
    let kernel = Kernel::choose(if keys.packed { NuniqueKernel::Packed } else { NuniqueKernel::Rows }, ctx.stream)?;
    let column = CudaColumn::open(values, ctx.stream)?;
    let range = range_of(values, ctx)?;
    let arguments = Nunique {
        keys: *keys.desc,
        values: column.desc(),
        bytes: characters(values),
        nulls: i32::from(distinct.null_policy == NullPolicy::Include),
        range,
        rows: Rows::new(rows),
        table: groups.table,
        set,
        counts: groups.after_word(distinct.word)?.words,
    };
    request.run(&kernel, Grid::Blocks(kernel.blocks(rows)), &arguments)
}

/// Returns the range of the values if they are integers whose differences fit in 32 bits. **Waits** for the range if
/// the column has many rows and stores no bounds.
fn range_of(values: ColumnView<'_>, ctx: Ctx<'_>) -> Result<ValueRange> {
    let physical = physical_type(values.data_type());
    let is_integer = physical.is_integral() && physical.width().is_some_and(|width| width <= 8);
    let bounds = match values.outer_bounds() {
        Some(bounds) => bounds,
        None if is_integer && values.len() >= limits::DISTINCT_RANGED_ROWS => {
            value_bounds(&[values], ctx.scratch())?.into_iter().next().flatten()
        }
        None => None,
    };
    let known = bounds.filter(|(low, high)| is_integer && u32::try_from(high - low).is_ok());
    Ok(ValueRange { low: known.map_or(0, |(low, _)| low), is_known: i32::from(known.is_some()), unused: 0 })
}
