//! `nunique` on CUDA: one launch that empties a set, one that fills and counts.

use gdf_core::{ColumnView, Result};
use gdf_driver::Stream;
use gdf_memory::{Buffer, Resources};

use super::descriptors::{AccumulatorsOut, GroupTable, RowSet};
use crate::cuda::{CudaColumn, Kernel, KeysIn, args, characters};
use crate::groupby::plan::Distinct;

/// Counts distinct values into their word of the accumulators. `table` has all groups.
pub(super) fn nunique(
    keys: &KeysIn,
    packed: bool,
    values: ColumnView<'_>,
    distinct: Distinct,
    table: GroupTable,
    acc: AccumulatorsOut,
    stream: &Stream,
    mr: Resources<'_>,
) -> Result<()> {
    let rows = values.len();
    let slots = (rows * 2).next_power_of_two().max(64);
    let mut set = Buffer::uninitialized(slots * 8, stream, mr.temporary)?;
    let set = set.write_on(stream)?;
    let desc = RowSet { slots: set.address(), mask: slots as u64 - 1 };
    let init = Kernel::find(stream, "groupby", "nunique_init_kernel", "nunique")?;
    // SAFETY: nunique_init_kernel takes (row_set); its slots are exclusively ours, and as many as mask + 1.
    unsafe { init.launch(stream, init.blocks(slots), 1, args![desc])? };
    let name = if packed { "nunique_packed_kernel" } else { "nunique_rows_kernel" };
    let kernel = Kernel::find(stream, "groupby", name, "nunique")?;
    let column = CudaColumn::open(values, stream)?;
    let (bytes, nulls, rows_in) = (characters(values), i32::from(distinct.nulls), rows as i64);
    let counts = acc.after_word(distinct.word).words;
    let args = args![*keys, column.desc, bytes, nulls, rows_in, table, desc, counts];
    // SAFETY: the kernel takes (keys, column_in, int64, int, int64, group_table, row_set, counts); columns have `rows`
    // rows and are open for reading on this stream; the set has more slots than rows; the table and the counts, a word
    // per group that the table has room for, are exclusively ours and outlive the launch in stream order.
    unsafe { kernel.launch(stream, kernel.blocks(rows), 1, args)? };
    Ok(())
}
