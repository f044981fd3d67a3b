//! Codecs of a sort of a single column. A codec converts values to keys in the first radix pass, and keys to
//! values in the last radix pass.

use gdf_kernels::generated::sorting::{Codec, CodecKind};
use gdf_kernels::{ColumnIn, KernelType};

use crate::sort::plan::KeyPlan;

const WIDE: i32 = CodecKind::WideValue as i32;

/// Returns the codec for a plan of a single field. The result is `None` unless the field is a column of 4-byte or
/// 8-byte numbers without nulls, and at least two of the values differ.
pub(super) fn of_plan(plan: &KeyPlan, column: &ColumnIn) -> Option<Codec> {
    const SIGNED: i32 = CodecKind::SignedValue as i32;
    const FLOAT: i32 = CodecKind::FloatValue as i32;
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
    let plain = column.validity.is_null() && column.flags == 0 && field.bits > 0;
    let kind = kind + if field.piece.descending { CodecKind::FromTheEnd as i32 } else { 0 };
    plain.then_some(Codec { base: field.base as u64, shift: field.shift as i32, kind })
}

pub(super) fn of_keys() -> Codec {
    Codec { kind: WIDE, ..Codec::default() }
}

/// Returns a codec for the same values as `codec`. Its keys lack the lowest `bits` bits of the keys of `codec`.
pub(super) fn above(codec: Codec, bits: u32) -> Codec {
    Codec { shift: codec.shift + bits as i32, ..codec }
}

pub(super) fn width(codec: Codec) -> usize {
    if codec.kind & WIDE != 0 { 8 } else { 4 }
}
