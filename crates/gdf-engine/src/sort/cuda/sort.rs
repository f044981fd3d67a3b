//! `sort` on CUDA. If the values can be decoded from their keys, only keys are sorted and then decoded. Otherwise row
//! numbers are sorted and the rows are gathered.

use gdf_core::{Result, Table, TableView, physical_type};
use gdf_kernels::generated::sorting::DECODE_MAX_COLUMNS;
use gdf_memory::Buffer;

use super::bin_sort::Attempt;
use super::decode::decode;
use super::inputs::takes_values;
use super::passes::{PassBuffers, PassInput, Passes, Payload};
use super::prefix_sort::Sorted;
use super::sort_values::sort_values;
use super::sorted_order::whole_order;
use super::sorting::{KeyLayout, Sorting, Target};
use super::{bin_sort, block_sort, inputs, nulls, prefix_sort};
use crate::Ctx;
use crate::cuda::{CudaOutput, Memory};
use crate::keys::order_column;
use crate::layout::byte_len;
use crate::rows::gather_trusted;
use crate::sort::KeyColumn;
use crate::sort::plan::Word;

/// Sorts the rows of `table` by all its columns, which are the keys. The table must have at least one row.
pub fn sort(keys: &[KeyColumn<'_>], table: &TableView<'_>, ctx: Ctx<'_>) -> Result<Table> {
    let rows = table.num_rows();
    if block_sort::supports(keys, rows) {
        if takes_values(table) {
            return block_sort::sort(keys, table, rows, ctx);
        }
        let order = block_sort::sorted_order(keys, rows, rows, ctx.scratch())?;
        return gather_trusted(table, order.view(), ctx);
    }
    if !takes_values(table) {
        let text = keys.iter().any(|key| physical_type(key.view.data_type()).has_byte_offsets());
        if text || bin_sort::supports(keys, rows) {
            let order = whole_order(keys, rows, ctx.scratch())?;
            return gather_trusted(table, order.view(), ctx);
        }
    }
    let mut outputs = None;
    if bin_sort::supports(keys, rows) {
        match bin_sort::sort(keys, table, ctx)? {
            Attempt::Sorted(sorted) => return Ok(sorted),
            Attempt::Left(left) => outputs = Some(left),
        }
    }
    let mut sorting = Sorting::new(keys, rows, ctx)?;
    let layout = sorting.layout()?;
    if let Some(sorted) = nulls::sort(&mut sorting, &layout, keys, ctx.mr)? {
        return Ok(sorted);
    }
    if layout.plan.is_reversible() && keys.len() <= DECODE_MAX_COLUMNS {
        let outputs = match outputs {
            Some(outputs) => outputs,
            None => inputs::outputs(table, rows, ctx)?,
        };
        return sort_keys(&sorting, &layout, outputs);
    }
    let order = sorting.order_by(&layout, None, ctx.mr.scratch())?;
    let order = order_column(order, rows, ctx.stream)?;
    bin_sort::rows_into(table, &order, outputs, ctx)
}

/// Sorts keys of one word, without a payload, and decodes the columns from the sorted keys.
fn sort_keys(sorting: &Sorting<'_, '_>, layout: &KeyLayout, mut outputs: Vec<CudaOutput>) -> Result<Table> {
    let (rows, ctx) = (sorting.rows, sorting.ctx);
    let word = Word { start: 0, bits: layout.plan.bits };
    {
        let open = outputs.iter_mut().map(|output| output.open(ctx.stream)).collect::<Result<Vec<_>>>()?;
        if let (Some(source), [only]) = (sorting.codec(layout), &open[..]) {
            sort_values(sorting, source, word.bits, only.values())?;
        } else if !prefix_sort::sort(sorting, word.bits, Sorted::Keys { layout, open: &open })? {
            let key_bytes = if word.bits > 32 { 8 } else { 4 };
            let input = PassInput { rows, bits: word.bits, key_bytes, payload: Payload::None, wide: sorting.wide };
            let (passes, mut state) = Passes::new(input, ctx)?;
            let mut a = Buffer::uninitialized(byte_len(rows, key_bytes, ctx.mr)?, ctx.stream, ctx.mr.temporary)?;
            let mut b = Buffer::uninitialized(byte_len(rows, key_bytes, ctx.mr)?, ctx.stream, ctx.mr.temporary)?;
            let (a, b, state) = (a.write_on(ctx.stream)?, b.write_on(ctx.stream)?, state.write_on(ctx.stream)?);
            let keys = [Memory::of(&a), Memory::of(&b)];
            let counted = sorting.encode(layout, &Target::new(word, keys[0]), &passes, Memory::of(&state))?;
            counted.run(&PassBuffers { keys, ..PassBuffers::default() }, ctx.stream)?;
            decode(&open, layout, keys[passes.count() % 2], key_bytes, rows, ctx.stream)?;
        }
    }
    inputs::finish(outputs, rows, ctx.stream)
}
