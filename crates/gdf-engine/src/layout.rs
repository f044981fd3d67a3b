//! What the rows of a type consist of, and the sizes of their buffers.

use gdf_core::{ColumnView, DataType, Error, NullCount, PhysicalType, Result, physical_type};
use gdf_kernels::Bytes;
use gdf_kernels::generated::common::ENDLESS_SIZE;
use gdf_memory::{Buffer, MemoryError, Resources};
use smallvec::SmallVec;

/// What rows of a leaf consist of, besides their bits in the mask.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum RowKind {
    /// Bits: a boolean column.
    Bits,
    /// Rows of this many bytes.
    Bytes(usize),
    /// Offsets and the bytes they point to.
    Strings {
        /// Whether offsets have 64 bits.
        large: bool,
    },
    /// The mask alone: a struct.
    Validity,
    /// Neither values nor a mask: a column of the type null.
    Null,
}

impl RowKind {
    /// Of a type that has rows of its own.
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

    /// Whether rows are offsets and bytes.
    pub fn is_strings(self) -> bool {
        matches!(self, RowKind::Strings { .. })
    }
}

/// Whether columns of the type can be copied row by row.
pub fn has_rows(data_type: &DataType) -> bool {
    match data_type {
        DataType::Struct(fields) => fields.iter().all(|field| has_rows(field.data_type())),
        other => RowKind::of(other).is_some(),
    }
}

/// Whether a column of the type is of lists, whose rows can be copied as those of lists.
pub fn is_list(data_type: &DataType) -> bool {
    matches!(physical_type(data_type), PhysicalType::List { .. } | PhysicalType::Map)
}

/// Whether there are lists in columns of the type, outside of lists.
pub fn has_lists(data_type: &DataType) -> bool {
    match data_type {
        DataType::Struct(fields) => fields.iter().any(|field| has_lists(field.data_type())),
        other => is_list(other),
    }
}

/// Length of the character buffer of a string or binary column.
pub fn characters(view: ColumnView<'_>) -> Bytes {
    let is_text = matches!(physical_type(view.data_type()), PhysicalType::String { .. } | PhysicalType::Binary { .. });
    view.buffers().get(1).filter(|_| is_text).map_or(Bytes::ZERO, |bytes| Bytes::new(bytes.len()))
}

/// The buffers of a result's leaf.
#[derive(Debug)]
pub struct OutputBuffers {
    pub buffers: SmallVec<[Buffer; 2]>,
    pub validity: Option<Buffer>,
    pub null_count: NullCount,
}

/// The bytes of `rows` rows of `width` bytes, or out of memory where no address space has as many.
pub fn byte_len(rows: usize, width: usize, mr: Resources<'_>) -> Result<usize> {
    Ok(rows.checked_mul(width).ok_or(MemoryError::OutOfMemory {
        requested: usize::MAX,
        free: None,
        resource: mr.output.resource().name(),
    })?)
}

/// Refuses more bytes of characters than offsets of the leaf's width can say.
pub fn check_offsets(kind: RowKind, needed: u64) -> Result<()> {
    match kind {
        RowKind::Strings { large: false } if needed > i32::MAX as u64 => Err(Error::offset_overflow(needed)),
        _ => Ok(()),
    }
}

/// The bytes that a kernel has counted, as memory is asked for. Sums that no memory has end at a bound, from which on
/// they say nothing: all of the address space is asked for then, which no resource has.
pub fn counted_bytes(kind: RowKind, needed: u64) -> Result<usize> {
    check_offsets(kind, needed)?;
    Ok(if needed < ENDLESS_SIZE { usize::try_from(needed).unwrap_or(usize::MAX) } else { usize::MAX })
}
