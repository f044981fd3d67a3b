//! Keys that the passes make of a single column themselves, and the column that they make of keys.

use bytemuck::{Pod, Zeroable};
use gdf_core::Result;
use gdf_driver::Stream;
use gdf_kernels::{ColumnIn, KernelType};

use super::CAPABILITY;
use super::passes::Passes;
use crate::cuda::{Kernel, args};
use crate::sorting::plan::Plan;

/// `sorting::codec` of kernels/sorting/codec.cuh.
#[derive(Clone, Copy, Debug, Default, Pod, Zeroable)]
#[repr(C)]
pub(super) struct Codec {
    base: u64,
    shift: i32,
    kind: i32,
}

const WIDE: i32 = 1;
const SIGNED: i32 = 2;
const FLOAT: i32 = 4;
const FROM_THE_END: i32 = 8;

impl Codec {
    /// That of a plan whose only field is a column of values of 4 or 8 bytes without nulls.
    pub(super) fn new(plan: &Plan, column: &ColumnIn) -> Option<Codec> {
        let [field] = plan.fields[..] else { return None };
        let kind = match column.data_type {
            kind if kind == KernelType::U32 as i32 => 0,
            kind if kind == KernelType::I32 as i32 => SIGNED,
            kind if kind == KernelType::F32 as i32 => FLOAT,
            kind if kind == KernelType::U64 as i32 => WIDE,
            kind if kind == KernelType::I64 as i32 => WIDE | SIGNED,
            kind if kind == KernelType::F64 as i32 => WIDE | FLOAT,
            _ => return None,
        };
        let plain = column.validity == 0 && column.flags == 0 && field.bits > 0;
        let kind = kind + if field.piece.descending { FROM_THE_END } else { 0 };
        plain.then_some(Codec { base: field.base as u64, shift: field.shift as i32, kind })
    }

    /// That of values of 64 bits that are keys.
    pub(super) fn of_keys() -> Codec {
        Codec { kind: WIDE, ..Codec::default() }
    }

    /// That of the keys without their lowest `bits`.
    pub(super) fn above(self, bits: u32) -> Codec {
        Codec { shift: self.shift + bits as i32, ..self }
    }

    /// Bytes of a value.
    pub(super) fn width(&self) -> usize {
        if self.kind & WIDE != 0 { 8 } else { 4 }
    }
}

/// Address of the first row.
pub(super) fn first_row(column: &ColumnIn, codec: Codec) -> u64 {
    column.data + column.offset as u64 * codec.width() as u64
}

/// Counts the digits of the keys of `rows` values and prepares `passes`, whose keys have `key_bytes` (4 or 8) bytes.
///
/// # Safety
/// `values` has `rows` values of the codec's type; `state` is the address of the passes' state, `counts` that of zeroed
/// counters, `mailbox` that of a word per pass, for how often its most frequent digit is, or 0. They are held until this
/// returns.
pub(super) unsafe fn count(
    values: u64,
    codec: Codec,
    rows: usize,
    key_bytes: usize,
    passes: &Passes,
    (state, counts): (u64, u64),
    mailbox: u64,
    stream: &Stream,
) -> Result<()> {
    let name = if key_bytes == 4 { "sort_count_k32_kernel" } else { "sort_count_k64_kernel" };
    let kernel = Kernel::find(stream, CAPABILITY, name, "sort_count")?;
    let (shift, shared) = passes.block_counts(stream)?;
    kernel.allow_shared(shared)?;
    let (length, sweep, scratch) = (rows as i64, passes.sweep(state, counts), stream.scratch()?);
    let sweep = sweep.telling(mailbox);
    let copies = shift as i32;
    // SAFETY: the parameters are (values*, codec, int64 rows, sweep, int shift, scratch*), passed in this order and type.
    // The passes are at most as many as the bytes of the key; the shared memory is what the kernel uses for them. The
    // rest is the caller's promise.
    unsafe {
        let args = args![values, codec, length, sweep, copies, scratch];
        kernel.launch_shared(stream, kernel.blocks(rows), shared, args)
    }
}
