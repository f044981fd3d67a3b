//! `sort_by_key` on CUDA. If the table has one column, or one column and the key column, each radix pass moves the
//! column together with the keys.

use gdf_core::{ColumnView, Result, Table, TableView, physical_type};
use gdf_memory::{Buffer, Resources};

use super::bin_sort::Attempt;
use super::inputs::takes_values;
use super::passes::{PassBuffers, PassInput, Passes, Payload};
use super::sorted_order::whole_order;
use super::sorting::{KeyLayout, Sorting, Target};
use super::{bin_sort, block_sort, inputs};
use crate::Ctx;
use crate::cuda::{CudaColumn, CudaOutput, Memory};
use crate::keys::order_column;
use crate::layout::byte_len;
use crate::rows::gather_trusted;
use crate::sort::KeyColumn;
use crate::sort::plan::WORD_FIELDS;

/// Returns the rows of `values` in the order of the keys. There must be at least one row.
pub fn sort_by_key(values: &TableView<'_>, keys: &[KeyColumn<'_>], ctx: Ctx<'_>) -> Result<Table> {
    let rows = values.num_rows();
    if block_sort::supports(keys, rows) {
        if takes_values(values) {
            return block_sort::sort(keys, values, rows, ctx);
        }
        let order = block_sort::sorted_order(keys, rows, rows, ctx.scratch())?;
        return gather_trusted(values, order.view(), ctx);
    }
    let mut outputs = None;
    if bin_sort::supports(keys, rows) {
        if !takes_values(values) {
            let order = whole_order(keys, rows, ctx.scratch())?;
            return gather_trusted(values, order.view(), ctx);
        }
        match bin_sort::sort(keys, values, ctx)? {
            Attempt::Sorted(sorted) => return Ok(sorted),
            Attempt::Left(left) => outputs = Some(left),
        }
    }
    let sorting = Sorting::new(keys, rows, ctx)?;
    let Some(pair) = PairColumns::new(values, keys, sorting.wide).filter(|_| sorting.long_text().is_none()) else {
        let order = sorting.order(None, ctx.mr.scratch())?;
        return bin_sort::rows_into(values, &order, outputs, ctx);
    };
    let layout = sorting.layout()?;
    let comes_back = pair.key.is_none() || (sorting.codec(&layout).is_some() && layout.plan.is_reversible());
    if (1..=64).contains(&layout.plan.bits) && layout.plan.fields.len() <= WORD_FIELDS && comes_back {
        let outputs = match outputs {
            Some(outputs) => outputs,
            None => inputs::outputs(values, rows, ctx)?,
        };
        return carry(&sorting, &layout, values, outputs, pair, ctx.mr);
    }
    let order = order_column(sorting.order_by(&layout, None, ctx.mr.scratch())?, rows, ctx.stream)?;
    bin_sort::rows_into(values, &order, outputs, ctx)
}

#[derive(Clone, Copy, Debug)]
struct PairColumns {
    payload_column: usize,
    /// The width of the values that are moved with the keys.
    payload: Payload,
    /// The index of the second column, if there is one.
    key: Option<usize>,
}

impl PairColumns {
    fn new(values: &TableView<'_>, keys: &[KeyColumn<'_>], wide: bool) -> Option<PairColumns> {
        let is_key = |view: &ColumnView<'_>| matches!(keys, [only] if is_same(&only.view, view));
        let (payload_column, view, key) = match values.columns() {
            [only] => (0, only, None),
            [key, other] if is_key(key) => (1, other, Some(0)),
            [other, key] if is_key(key) => (0, other, Some(1)),
            _ => return None,
        };
        let payload = payload(view, wide);
        (payload != Payload::None).then_some(PairColumns { payload_column, payload, key })
    }
}

/// Returns whether both views have the same rows of the same buffer, and no nulls.
fn is_same(a: &ColumnView<'_>, b: &ColumnView<'_>) -> bool {
    let ([x], [y]) = (a.buffers(), b.buffers()) else { return false };
    let rows = (a.offset(), a.len()) == (b.offset(), b.len());
    let types = a.data_type() == b.data_type() && !a.has_validity() && !b.has_validity();
    rows && types && x.same_allocation(y) && x.offset() == y.offset()
}

/// Returns the payload with which passes can move the values of a column.
fn payload(column: &ColumnView<'_>, wide: bool) -> Payload {
    if column.has_validity() {
        return Payload::None;
    }
    match physical_type(column.data_type()) {
        gdf_core::PhysicalType::FixedBinary(_) => Payload::None,
        physical => match physical.width() {
            Some(4) if !wide => Payload::Four,
            Some(8) => Payload::Eight,
            _ => Payload::None,
        },
    }
}

/// Sorts keys of one word and moves a column of `values` with the keys.
fn carry(
    sorting: &Sorting<'_, '_>,
    layout: &KeyLayout,
    values: &TableView<'_>,
    mut outputs: Vec<CudaOutput>,
    pair: PairColumns,
    mr: Resources<'_>,
) -> Result<Table> {
    let (rows, stream, payload) = (sorting.rows, sorting.ctx.stream, pair.payload);
    let (view, width) = (values.column(pair.payload_column)?, if payload == Payload::Four { 4 } else { 8 });
    let [word] = layout.plan.words()[..] else {
        return Err(gdf_core::Error::internal("the keys of a pair sort take more than one 64-bit word"));
    };
    let key_bytes = if word.bits > 32 { 8 } else { 4 };
    let mut keys_a = Buffer::uninitialized(byte_len(rows, key_bytes, mr)?, stream, mr.temporary)?;
    let mut keys_b = Buffer::uninitialized(byte_len(rows, key_bytes, mr)?, stream, mr.temporary)?;
    let mut other = Buffer::uninitialized(byte_len(rows, width, mr)?, stream, mr.temporary)?;
    let input = PassInput { rows, bits: word.bits, key_bytes, payload, wide: sorting.wide };
    let (passes, mut state) = Passes::new(input, sorting.ctx)?;
    {
        let source = CudaColumn::open(view, stream)?;
        let (a, b, state) = (keys_a.write_on(stream)?, keys_b.write_on(stream)?, state.write_on(stream)?);
        let (open, other) = (outputs.iter_mut().map(|output| output.open(stream)), other.write_on(stream)?);
        let open = open.collect::<Result<Vec<_>>>()?;
        let missing = || gdf_core::Error::internal("a column of a pair sort has no output");
        let result = open.get(pair.payload_column).ok_or_else(missing)?;
        // The last pass must write to the memory of the result. If the number of passes is odd, the last pass writes to
        // the second of the two buffers.
        let buffers = [result.values(), Memory::of(&other)];
        let values = if passes.count() % 2 == 1 { [buffers[1], buffers[0]] } else { buffers };
        let (keys, state) = ([Memory::of(&a), Memory::of(&b)], Memory::of(&state));
        let codec = sorting.codec(layout);
        let target = match (pair.key, codec) {
            (Some(key), Some(source)) => Some((open.get(key).ok_or_else(missing)?.values(), source.codec)),
            _ => None,
        };
        let counted = match codec {
            Some(source) => sorting.count(source, key_bytes, &passes, state)?,
            None => sorting.encode(layout, &Target::new(word, keys[0]), &passes, state)?,
        };
        let first_values = Some(source.values(width));
        counted.run(&PassBuffers { keys, values, first_values, target, values_only: true }, stream)?;
    }
    inputs::finish(outputs, rows, stream)
}
