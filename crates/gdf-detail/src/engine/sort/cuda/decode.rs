//! Columns made of sorted keys, where rows come back from them.

use gdf_core::Result;
use gdf_driver::Stream;
use gdf_kernels::ColumnOut;
use gdf_kernels::generated::sorting::{
    DECODE_ALL_NULL, DECODE_MAX_COLUMNS, DecodeDecoded, DecodeTable, SortDecode, SortDecodeKernel,
};

use super::key_stats::{flags, words};
use super::sorted_order::KeyLayout;
use crate::cuda::{In, Kernel, OpenOutput, Scratch};
use crate::engine::sort::plan::Field;

/// A column of the result, from the fields of its key: two of 256 bits, else one.
fn decoded(out: ColumnOut, fields: &[&Field]) -> DecodeDecoded {
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

/// Makes the columns of sorted keys at `sorted`, of which there are `rows` of `key_bytes` bytes.
pub(super) fn decode(
    open: &[OpenOutput<'_>],
    layout: &KeyLayout,
    sorted: In<u8>,
    key_bytes: usize,
    rows: usize,
    stream: &Stream,
) -> Result<()> {
    let mut to = DecodeTable::default();
    for (column, (slot, out)) in to.at.iter_mut().zip(open).enumerate() {
        let fields: Vec<&Field> = layout.plan.fields.iter().filter(|field| field.piece.column == column).collect();
        *slot = decoded(out.desc, &fields);
    }
    let kernel = if key_bytes == 4 { SortDecodeKernel::K32 } else { SortDecodeKernel::K64 };
    let kernel = Kernel::choose(kernel, stream)?;
    let count = open.len().min(DECODE_MAX_COLUMNS) as i32;
    let arguments = SortDecode { to, count, keys: sorted, rows: rows as i64, scratch: Scratch::of(stream)? };
    // SAFETY: the table has `count` columns, whose outputs have `rows` rows and the types of the keys that the fields
    // were made of. The keys are those that the passes left last. The caller holds both.
    unsafe { kernel.launch(stream, kernel.blocks(rows), 1, &arguments)? };
    Ok(())
}
