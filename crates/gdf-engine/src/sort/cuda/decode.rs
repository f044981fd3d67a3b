//! Decodes sorted keys to columns. Keys can be decoded if they contain all bits of the values.

use gdf_core::Result;
use gdf_driver::Stream;
use gdf_kernels::generated::sorting::{
    DECODE_ALL_NULL, DECODE_MAX_COLUMNS, DecodeDecoded, DecodeTable, SortDecode, SortDecodeKernel,
};
use gdf_kernels::{Arguments, ColumnOut};

use super::key_stats::{flags, words};
use super::sorting::KeyLayout;
use crate::cuda::{Kernel, Memory, OpenOutput, Rows, require};
use crate::sort::plan::Field;

/// Returns the description of one result column.
fn decoded<'o>(out: ColumnOut<'o>, fields: &[&Field]) -> DecodeDecoded<'o> {
    let mut decoded = DecodeDecoded { out, null_position: -1, ..DecodeDecoded::default() };
    for (part, field) in fields.iter().take(2).enumerate() {
        decoded.base[part] = words(field.base);
        decoded.position[part] = field.position as i32;
        decoded.bits[part] = field.bits as i32;
        decoded.shift[part] = field.shift as i32;
        if part == 0 {
            decoded.null_position = field.null_position.map_or(-1, |position| position as i32);
            decoded.flags = flags(&field.piece) + if field.all_null { DECODE_ALL_NULL } else { 0 };
        }
    }
    decoded
}

pub(super) fn decode(
    open: &[OpenOutput<'_>],
    layout: &KeyLayout,
    sorted: Memory<'_>,
    key_bytes: usize,
    rows: usize,
    stream: &Stream,
) -> Result<()> {
    let mut to = DecodeTable::default();
    for (column, (slot, out)) in to.at.iter_mut().zip(open).enumerate() {
        let fields: Vec<&Field> = layout.plan.fields.iter().filter(|field| field.piece.column == column).collect();
        *slot = decoded(out.desc(), &fields);
    }
    require(open.iter().all(|output| output.desc().length == rows as i64), "outputs of a sort differ in rows")?;
    let kernel = if key_bytes == 4 { SortDecodeKernel::K32 } else { SortDecodeKernel::K64 };
    let kernel = Kernel::choose(kernel, stream)?;
    let count = open.len().min(DECODE_MAX_COLUMNS) as i32;
    let keys = sorted.read().rows(rows, key_bytes)?;
    write(&kernel, rows, &SortDecode { to, count, keys, rows: Rows::new(rows) }, stream)
}

/// Enqueues a kernel that writes `rows` values of columns.
pub(super) fn write<A: Arguments>(
    kernel: &Kernel<A::Static>,
    rows: usize,
    arguments: &A,
    stream: &Stream,
) -> Result<()> {
    // SAFETY: these kernels read keys that the passes have written last, and write values of columns. There are
    // `rows` keys and `rows` values: `Memory` has compared the number with the memory, or the caller has compared the
    // lengths of the outputs. The types of the outputs are those of the key columns from which the layout's fields or
    // the codec were made, so that the widths agree. Null rows that are cleared are within the rows of an output with
    // mask and null count. The caller holds all memory until the launch is enqueued.
    unsafe { kernel.launch(stream, kernel.blocks(rows), 1, arguments)? };
    Ok(())
}
