//! `sort` on CUDA: the keys alone where the rows can be had back from them, else the rows in the keys' order.

use bytemuck::{Pod, Zeroable};
use gdf_core::{Result, Table, TableView, physical_type};
use gdf_driver::Stream;
use gdf_kernels::{ColumnOut, TABLE_COLUMNS};
use gdf_memory::{Buffer, Resources};

use super::codec::Codec;
use super::measure::{flags, words};
use super::middle::Attempt;
use super::passes::{Moved, Passes, Payload};
use super::sorted_order::{Layout, Sorting, Target, order_column, whole_order};
use super::ties::Sorted;
use super::{CAPABILITY, middle, nulls, small, ties};
use crate::cuda::{CudaOutput, Kernel, OpenOutput, args};
use crate::rows::byte_len;
use crate::sorting::key::{KeyColumn, is_text};
use crate::sorting::plan::{Field, Word};
use crate::sorting::rows::rows_in_order;

const ALL_NULL: i32 = 4;

/// `sorting_decode::decoded` of kernels/sorting/decode.cu.
#[derive(Clone, Copy, Debug, Default, Pod, Zeroable)]
#[repr(C)]
struct Decoded {
    out: ColumnOut,
    base: [[u64; 2]; 2],
    position: [i32; 2],
    bits: [i32; 2],
    shift: [i32; 2],
    null_position: i32,
    flags: i32,
}

const _: () = assert!(size_of::<Decoded>() == 112);

impl Decoded {
    /// From the fields of one column: two of 256 bits, else one.
    fn new(out: ColumnOut, fields: &[&Field]) -> Self {
        let mut decoded = Decoded { out, null_position: -1, ..Decoded::default() };
        for (part, field) in fields.iter().take(2).enumerate() {
            decoded.base[part] = words(field.base);
            decoded.position[part] = field.position as i32;
            decoded.bits[part] = field.bits as i32;
            decoded.shift[part] = field.shift as i32;
            if part == 0 {
                decoded.null_position = field.null_position.map_or(-1, |position| position as i32);
                decoded.flags = flags(&field.piece) + if field.all_null { ALL_NULL } else { 0 };
            }
        }
        decoded
    }
}

/// The rows of `table`, which has some, ordered by its columns, which are the keys.
pub(in super::super) fn sort(
    keys: &[KeyColumn<'_>],
    table: &TableView<'_>,
    stream: &Stream,
    mr: Resources<'_>,
) -> Result<Table> {
    let rows = table.num_rows();
    if small::suits(keys, rows) {
        if small::takes_values(table) {
            return small::sort(keys, table, rows, stream, mr);
        }
        let order = small::sorted_order(keys, rows, rows, stream, mr.scratch())?;
        return rows_in_order(table, &order, stream, mr);
    }
    if !middle::moves(table) {
        let text = keys.iter().any(|key| is_text(physical_type(key.view.data_type())));
        if text || middle::suits(keys, rows) {
            let order = whole_order(keys, rows, stream, mr.scratch())?;
            return rows_in_order(table, &order, stream, mr);
        }
    }
    let mut outputs = None;
    if middle::suits(keys, rows) {
        match middle::sort(keys, table, stream, mr)? {
            Attempt::Sorted(sorted) => return Ok(sorted),
            Attempt::Left(left) => outputs = Some(left),
        }
    }
    let mut sorting = Sorting::new(keys, rows, stream, mr)?;
    let layout = sorting.layout()?;
    if let Some(sorted) = nulls::sort(&mut sorting, &layout, keys, mr)? {
        return Ok(sorted);
    }
    if layout.plan.is_reversible() && keys.len() <= TABLE_COLUMNS {
        let outputs = match outputs {
            Some(outputs) => outputs,
            None => middle::outputs(table, stream, mr)?,
        };
        return sort_keys(&mut sorting, &layout, outputs);
    }
    let order = sorting.order_by(&layout, None, mr.scratch())?;
    let order = order_column(order, rows, stream)?;
    middle::rows_into(table, &order, outputs, stream, mr)
}

/// Sorts keys of one word without anything else and makes the columns of them.
fn sort_keys(sorting: &mut Sorting<'_, '_>, layout: &Layout, mut outputs: Vec<CudaOutput>) -> Result<Table> {
    let (rows, stream, mr) = (sorting.rows, sorting.stream, sorting.mr);
    let word = Word { start: 0, bits: layout.plan.bits };
    {
        let open = outputs.iter_mut().map(|output| output.open(stream)).collect::<Result<Vec<_>>>()?;
        if let (Some((source, codec)), [only]) = (sorting.codec(layout), &open[..]) {
            // SAFETY: the codec is that of the column, whose `rows` rows are at `source`; the output has as many of the same
            // width, and is held until the launches are enqueued.
            unsafe { sort_values(sorting, source, codec, word.bits, only.desc.data) }?;
        } else {
            // SAFETY: the outputs are columns of `rows` rows and of the types of the keys, which the layout is of; they are
            // held until the launches are enqueued.
            let sorted = unsafe { ties::sort(sorting, word.bits, Sorted::Keys { layout, open: &open }) }?;
            if !sorted {
                let key_bytes = if word.bits > 32 { 8 } else { 4 };
                let (passes, mut state) =
                    Passes::new(rows, word.bits, key_bytes, Payload::None, sorting.wide, stream, mr)?;
                let mut a = Buffer::uninitialized(byte_len(rows, key_bytes, mr)?, stream, mr.temporary)?;
                let mut b = Buffer::uninitialized(byte_len(rows, key_bytes, mr)?, stream, mr.temporary)?;
                let (a, b, state) = (a.write_on(stream)?, b.write_on(stream)?, state.write_on(stream)?);
                let keys = [a.address(), b.address()];
                let moved = Moved { keys, key_bytes, ..Moved::default() };
                let target =
                    Target { word, key_bytes, keys: keys[0], order: 0, row_numbers: 0, first_bit: 0, mailbox: 0 };
                // SAFETY: both key buffers have room for `rows` keys of the word; the state is that of `passes`. All are held
                // until the launches are enqueued on their stream.
                unsafe {
                    sorting.encode(layout, &target, &passes, state.address())?;
                    passes.run(state.address(), &moved, stream)?;
                }
                decode(&open, layout, keys[passes.count() % 2], key_bytes, rows, stream)?;
            }
        }
    }
    middle::finish(outputs, rows, stream)
}

/// Sorts the `sorting.rows` values at `source` by keys of `bits` bits, into `target`. Passes make keys of the values and
/// values of the keys, so only what lies between two of them is written. **Waits** as [`ties::sort`].
///
/// # Safety
/// The codec is that of these values, with keys of so many bits; at `target` is room for as many. Both are held until this
/// returns.
pub(super) unsafe fn sort_values(
    sorting: &mut Sorting<'_, '_>,
    source: u64,
    codec: Codec,
    bits: u32,
    target: u64,
) -> Result<()> {
    let (rows, stream, mr) = (sorting.rows, sorting.stream, sorting.mr);
    // SAFETY: the caller's promise.
    if unsafe { ties::sort(sorting, bits, Sorted::Values { source, codec, target }) }? {
        return Ok(());
    }
    let key_bytes = if bits > 32 { 8 } else { 4 };
    let (passes, mut state) = Passes::new(rows, bits, key_bytes, Payload::None, sorting.wide, stream, mr)?;
    let bytes = byte_len(rows, key_bytes, mr)?;
    let room = |needed: bool| if needed { bytes } else { 0 };
    let mut b = Buffer::uninitialized(room(passes.count() >= 2), stream, mr.temporary)?;
    let mut a = Buffer::uninitialized(room(passes.count() >= 3), stream, mr.temporary)?;
    let (a, b, state) = (a.write_on(stream)?, b.write_on(stream)?, state.write_on(stream)?);
    let (source_at, target) = (Some((source, codec)), Some((target, codec)));
    let moved = Moved { keys: [a.address(), b.address()], key_bytes, source: source_at, target, ..Moved::default() };
    // SAFETY: the values at `source` and the room at `target` are the caller's promise; the key buffers have room for those
    // that are written between passes; the state is that of `passes`. All are held until the launches are enqueued on their
    // stream.
    unsafe {
        sorting.count(source, codec, key_bytes, &passes, state.address(), 0)?;
        passes.run(state.address(), &moved, stream)
    }
}

/// Makes the columns of sorted keys at `sorted`, of which there are `rows` of `key_bytes` bytes.
pub(super) fn decode(
    open: &[OpenOutput<'_>],
    layout: &Layout,
    sorted: u64,
    key_bytes: usize,
    rows: usize,
    stream: &Stream,
) -> Result<()> {
    let mut columns = [Decoded::default(); TABLE_COLUMNS];
    for (column, (slot, out)) in columns.iter_mut().zip(open).enumerate() {
        let fields: Vec<&Field> = layout.plan.fields.iter().filter(|field| field.piece.column == column).collect();
        *slot = Decoded::new(out.desc, &fields);
    }
    let name = if key_bytes == 4 { "sort_decode_k32_kernel" } else { "sort_decode_k64_kernel" };
    let kernel = Kernel::find(stream, CAPABILITY, name, "sort_decode")?;
    let (count, length, scratch) = (open.len().min(TABLE_COLUMNS) as i32, rows as i64, stream.scratch()?);
    // SAFETY: the parameters are (table, int count, keys*, int64 rows, scratch*), passed in this order and type; the table has
    // `count` columns, whose outputs have `rows` rows and the types of the keys that the fields were made of. The keys are
    // those that the passes left last. Both are held by the caller until the launch is enqueued on their stream.
    unsafe { kernel.launch(stream, kernel.blocks(rows), 1, args![columns, count, sorted, length, scratch]) }
}
