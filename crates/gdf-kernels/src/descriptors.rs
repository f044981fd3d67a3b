//! What kernels take by value, bit for bit as `kernels/include/gdf/types.cuh` and `table.cuh` declare it.

use bytemuck::{Pod, Zeroable};

/// Flag of a descriptor: the row at `offset` stands for every row.
pub const BROADCAST: i32 = 1;

/// Flag of a descriptor: `offsets` holds 64-bit offsets, not 32-bit ones.
pub const WIDE_OFFSETS: i32 = 2;

/// How much of a stream's scratch memory, from its start, is zero between operations; the rest holds anything.
pub const SCRATCH_ZEROED_BYTES: usize = 4096;

/// Columns that one launch takes at most.
pub const TABLE_COLUMNS: usize = 32;

/// The physical types by the numbers that kernels know them by.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash)]
#[repr(i32)]
#[non_exhaustive]
pub enum KernelType {
    /// Bit-packed, least significant bit first.
    Boolean = 0,
    /// 8-bit signed.
    I8 = 1,
    /// 16-bit signed.
    I16 = 2,
    /// 32-bit signed.
    I32 = 3,
    /// 64-bit signed.
    I64 = 4,
    /// 8-bit unsigned.
    U8 = 5,
    /// 16-bit unsigned.
    U16 = 6,
    /// 32-bit unsigned.
    U32 = 7,
    /// 64-bit unsigned.
    U64 = 8,
    /// Half precision.
    F16 = 9,
    /// Single precision.
    F32 = 10,
    /// Double precision.
    F64 = 11,
    /// 128-bit signed.
    I128 = 12,
    /// 256-bit signed.
    I256 = 13,
    /// Bytes of one width, which is a parameter of its own.
    FixedBinary = 14,
    /// Offsets and UTF-8.
    String = 15,
    /// Offsets and bytes.
    Binary = 16,
    /// Offsets of child rows.
    List = 17,
    /// Validity only.
    Structure = 18,
    /// Keys, of a type that the kernel is told.
    Dictionary = 19,
    /// 16-byte views of UTF-8.
    StringView = 20,
    /// 16-byte views of bytes.
    BinaryView = 21,
    /// Days and milliseconds, 8 bytes.
    IntervalDayTime = 22,
    /// Months, days, nanoseconds, 16 bytes.
    IntervalMonthDayNano = 23,
    /// No buffers.
    Null = 24,
}

/// A column that a kernel reads. Addresses are those of the buffers' first bytes; row `r` lies at index `offset + r`
/// of each. An address of 0 stands for an absent buffer; without validity every row is valid.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq, Pod, Zeroable)]
#[repr(C)]
pub struct ColumnIn {
    /// Values, characters or keys.
    pub data: u64,
    /// Offsets of variable-width rows.
    pub offsets: u64,
    /// Validity bits.
    pub validity: u64,
    /// Rows before the first, in every buffer.
    pub offset: i64,
    /// Number of rows.
    pub length: i64,
    /// A [`KernelType`] as a number.
    pub data_type: i32,
    /// [`BROADCAST`], [`WIDE_OFFSETS`].
    pub flags: i32,
}

/// A column that a kernel writes, from row 0 and bit 0 on. `validity` is 64-byte aligned; it and `null_count` are both
/// 0 when the result has no mask.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq, Pod, Zeroable)]
#[repr(C)]
pub struct ColumnOut {
    /// Values or characters.
    pub data: u64,
    /// Offsets of variable-width rows.
    pub offsets: u64,
    /// Validity words.
    pub validity: u64,
    /// A 64-bit word that receives the number of nulls.
    pub null_count: u64,
    /// Number of rows.
    pub length: i64,
    /// A [`KernelType`] as a number.
    pub data_type: i32,
    /// [`WIDE_OFFSETS`].
    pub flags: i32,
}

/// Up to [`TABLE_COLUMNS`] columns that one launch reads.
#[derive(Clone, Copy, Debug, Pod, Zeroable)]
#[repr(C)]
pub struct TableIn {
    columns: [ColumnIn; TABLE_COLUMNS],
}

/// Up to [`TABLE_COLUMNS`] columns that one launch writes.
#[derive(Clone, Copy, Debug, Pod, Zeroable)]
#[repr(C)]
pub struct TableOut {
    columns: [ColumnOut; TABLE_COLUMNS],
}

const _: () = assert!(size_of::<ColumnIn>() == 48 && align_of::<ColumnIn>() == 8);
const _: () = assert!(size_of::<ColumnOut>() == 48 && align_of::<ColumnOut>() == 8);
const _: () = assert!(size_of::<TableIn>() == 1536 && size_of::<TableOut>() == 1536);

impl TableIn {
    /// The first columns, the rest zero; none if there are more than [`TABLE_COLUMNS`] (launch per `chunks` of them).
    pub fn new(columns: &[ColumnIn]) -> Option<TableIn> {
        Some(TableIn { columns: filled(columns)? })
    }
}

impl TableOut {
    /// The first columns, the rest zero; none if there are more than [`TABLE_COLUMNS`] (launch per `chunks` of them).
    pub fn new(columns: &[ColumnOut]) -> Option<TableOut> {
        Some(TableOut { columns: filled(columns)? })
    }
}

fn filled<T: Copy + Default>(columns: &[T]) -> Option<[T; TABLE_COLUMNS]> {
    let mut all = [T::default(); TABLE_COLUMNS];
    all.get_mut(..columns.len())?.copy_from_slice(columns);
    Some(all)
}

#[cfg(test)]
mod tests {
    use std::mem::offset_of;

    use super::*;

    #[test]
    fn fields_lie_where_kernels_expect_them() {
        let input = [
            offset_of!(ColumnIn, data),
            offset_of!(ColumnIn, offsets),
            offset_of!(ColumnIn, validity),
            offset_of!(ColumnIn, offset),
            offset_of!(ColumnIn, length),
        ];
        assert_eq!(input, [0, 8, 16, 24, 32]);
        assert_eq!((offset_of!(ColumnIn, data_type), offset_of!(ColumnIn, flags)), (40, 44));
        assert_eq!((offset_of!(ColumnOut, null_count), offset_of!(ColumnOut, length)), (24, 32));
        assert_eq!((offset_of!(ColumnOut, data_type), offset_of!(ColumnOut, flags)), (40, 44));
    }

    #[test]
    fn tables_hold_up_to_their_capacity() {
        let column = ColumnIn { data: 7, ..ColumnIn::default() };
        for n in [0, 1, 31, 32] {
            let table = TableIn::new(&vec![column; n]).unwrap();
            assert_eq!(table.columns.iter().filter(|c| c.data == 7).count(), n);
        }
        assert!(TableIn::new(&[column; 33]).is_none());
        assert!(TableOut::new(&[ColumnOut::default(); 33]).is_none());
    }

    /// The numbers of the header are those here: by position in its enum, whose names are these in snake case.
    #[test]
    fn type_numbers_match_the_header() {
        let path = concat!(env!("CARGO_MANIFEST_DIR"), "/../../kernels/include/gdf/types.cuh");
        let Ok(header) = std::fs::read_to_string(path) else {
            return; // packaged without the kernels' sources
        };
        let (_, list) = header.split_once("enum class type : int32_t {").unwrap();
        let (list, _) = list.split_once("};").unwrap();
        let expected = |name: &str| {
            Some(match name {
                "boolean" => KernelType::Boolean,
                "i8" => KernelType::I8,
                "i16" => KernelType::I16,
                "i32" => KernelType::I32,
                "i64" => KernelType::I64,
                "u8" => KernelType::U8,
                "u16" => KernelType::U16,
                "u32" => KernelType::U32,
                "u64" => KernelType::U64,
                "f16" => KernelType::F16,
                "f32" => KernelType::F32,
                "f64" => KernelType::F64,
                "i128" => KernelType::I128,
                "i256" => KernelType::I256,
                "fixed_binary" => KernelType::FixedBinary,
                "string" => KernelType::String,
                "binary" => KernelType::Binary,
                "list" => KernelType::List,
                "structure" => KernelType::Structure,
                "dictionary" => KernelType::Dictionary,
                "string_view" => KernelType::StringView,
                "binary_view" => KernelType::BinaryView,
                "interval_day_time" => KernelType::IntervalDayTime,
                "interval_month_day_nano" => KernelType::IntervalMonthDayNano,
                "null" => KernelType::Null,
                _ => return None,
            })
        };
        let mut seen = 0;
        for line in list.lines() {
            let Some((name, rest)) = line.split_once('=') else { continue };
            let number: i32 = rest.split(',').next().unwrap().trim().parse().unwrap();
            assert_eq!(expected(name.trim()).map(|t| t as i32), Some(number), "{name}");
            seen += 1;
        }
        assert_eq!(seen, 25);
    }
}
