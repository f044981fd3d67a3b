//! The buffers that store the rows of each type, and the sizes of these buffers.

use gdf_core::{Column, ColumnView, DataType, Error, NullCount, PhysicalType, Result, physical_type};
use gdf_kernels::Bytes;
use gdf_kernels::generated::common::ENDLESS_SIZE;
use gdf_memory::{Buffer, MemoryError, Resources};
use smallvec::SmallVec;

/// The storage of the rows of a leaf, apart from the validity mask. A leaf is a column, or a field of a struct column.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum RowKind {
    /// The rows of a boolean column, which are bits.
    Bits,
    /// The rows have this number of bytes each.
    Bytes(usize),
    /// Offsets, and the bytes that the offsets point to.
    Strings {
        /// Whether offsets have 64 bits.
        large: bool,
    },
    /// The rows of a struct. A struct has a mask and no values.
    Validity,
    /// The rows of a column of the type null. Such a column has neither values nor a mask.
    Null,
}

impl RowKind {
    /// Returns the row kind of a type, or `None` for a type whose rows are not stored in buffers of their own.
    pub fn of(data_type: &DataType) -> Option<Self> {
        Some(match physical_type(data_type) {
            PhysicalType::Bool => RowKind::Bits,
            PhysicalType::String { large } | PhysicalType::Binary { large } => RowKind::Strings { large },
            PhysicalType::View { .. } => RowKind::Bytes(16),
            PhysicalType::Struct => RowKind::Validity,
            PhysicalType::Null => RowKind::Null,
            PhysicalType::Dictionary => match data_type {
                DataType::Dictionary(keys, _) => RowKind::Bytes(gdf_core::width(keys)?),
                _ => return None,
            },
            other => RowKind::Bytes(other.width()?),
        })
    }

    pub fn is_strings(self) -> bool {
        matches!(self, RowKind::Strings { .. })
    }
}

/// Returns the length of the character buffer of a string or binary column, or 0 for other columns.
pub fn characters(view: ColumnView<'_>) -> Bytes {
    let has_bytes = physical_type(view.data_type()).has_byte_offsets();
    view.buffers().get(1).filter(|_| has_bytes).map_or(Bytes::ZERO, |bytes| Bytes::new(bytes.len()))
}

/// The buffers of one leaf of a result.
#[derive(Debug)]
pub struct OutputBuffers {
    pub buffers: SmallVec<[Buffer; 2]>,
    pub validity: Option<Buffer>,
    pub null_count: NullCount,
    /// The elements of lists.
    pub elements: Option<Column>,
}

/// Returns the size in bytes of `rows` rows of `width` bytes. If the size overflows `usize`, the result is an
/// out-of-memory error.
pub fn byte_len(rows: usize, width: usize, mr: Resources<'_>) -> Result<usize> {
    Ok(rows.checked_mul(width).ok_or(MemoryError::OutOfMemory {
        requested: usize::MAX,
        free: None,
        resource: mr.output.resource().name(),
    })?)
}

/// Returns an error if `needed` bytes of characters are more than offsets of the leaf's width can address.
pub fn check_offsets(kind: RowKind, needed: u64) -> Result<()> {
    match kind {
        RowKind::Strings { large: false } if needed > i32::MAX as u64 => Err(Error::offset_overflow(needed)),
        _ => Ok(()),
    }
}

/// Returns the number of bytes to allocate, from a size that a kernel has counted. The sums of kernels saturate at
/// `ENDLESS_SIZE`.
pub fn counted_bytes(kind: RowKind, needed: u64) -> Result<usize> {
    check_offsets(kind, needed)?;
    Ok(if needed < ENDLESS_SIZE { usize::try_from(needed).unwrap_or(usize::MAX) } else { usize::MAX })
}

/// Returns the type of the row numbers of `rows` rows. The type depends only on the number of rows, never on data.
pub fn row_indices(rows: usize) -> DataType {
    if rows < u32::MAX as usize { DataType::UInt32 } else { DataType::UInt64 }
}

#[cfg(test)]
mod tests {
    use std::sync::Arc;

    use gdf_core::{Abilities, Field, IntervalUnit};

    use super::*;
    use crate::decoded::decoded_type;

    #[test]
    fn engines_keep_to_the_table_of_abilities() {
        use DataType as T;
        let item = || Arc::new(Field::new_list_field(T::Int8, true));
        let dictionary = |values| T::Dictionary(Box::new(T::Int16), Box::new(values));
        let flat = [T::Null, T::Boolean, T::Int8, T::Float64, T::Decimal256(76, 0), T::Date64, T::FixedSizeBinary(3)];
        let text = [T::Utf8, T::LargeBinary, T::Utf8View, T::BinaryView];
        let lists = [T::List(item()), T::LargeList(item()), T::ListView(item()), T::FixedSizeList(item(), 2)];
        let others = [
            T::Interval(IntervalUnit::MonthDayNano),
            dictionary(T::Utf8),
            dictionary(dictionary(T::BinaryView)),
            dictionary(T::List(item())),
            T::RunEndEncoded(item(), item()),
        ];
        for data_type in flat.into_iter().chain(text).chain(lists).chain(others) {
            let abilities = Abilities::of(&data_type);
            assert_eq!(abilities.rows, RowKind::of(&data_type).is_some(), "{data_type}");
            let decoded = decoded_type(&data_type);
            assert_eq!(abilities.encoded, *decoded != data_type, "{data_type}");
            let of_values = |of: Abilities| (of.order, of.equality, of.hash, of.arithmetic, of.text);
            assert_eq!(of_values(abilities), of_values(Abilities::of(decoded)), "{data_type}");
        }
    }
}
