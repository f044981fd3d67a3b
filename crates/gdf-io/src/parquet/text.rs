//! How much text the columns of files have, as the footers state it.

use arrow_schema::DataType;
use gdf_core::layout::child_types;
use parquet::basic::Type as PhysicalType;

use super::chunk::claimed_bytes;
use super::file::ParquetFile;

impl ParquetFile {
    /// Returns the number of bytes of the text in leaf columns of a row group. If the metadata do not have a plausible
    /// number, the uncompressed size of the pages is used instead.
    pub(crate) fn text_bytes(&self, group: usize, leaves: &[usize]) -> u64 {
        let group = self.metadata.metadata().row_group(group);
        let chunks = leaves.iter().map(|leaf| group.column(*leaf));
        let texts = chunks.filter(|chunk| {
            matches!(chunk.column_type(), PhysicalType::BYTE_ARRAY | PhysicalType::FIXED_LEN_BYTE_ARRAY)
        });
        let bytes =
            texts.map(|chunk| claimed_bytes(chunk).or(u64::try_from(chunk.uncompressed_size()).ok()).unwrap_or(0));
        bytes.fold(0, u64::saturating_add)
    }

    /// Returns the number of values of the leaf column of a row group that has most. A list has no more elements.
    pub(super) fn most_values(&self, group: usize, leaves: &[usize]) -> u64 {
        let group = self.metadata.metadata().row_group(group);
        let values = leaves.iter().map(|leaf| u64::try_from(group.column(*leaf).num_values()).unwrap_or(0));
        values.max().unwrap_or(0)
    }
}

/// Returns whether the values of a type, or values within them, are text or binary data with 32-bit offsets.
pub(super) fn has_short_offsets(data_type: &DataType) -> bool {
    match data_type {
        DataType::Utf8 | DataType::Binary => true,
        // A dictionary has each text once.
        DataType::Dictionary(..) => false,
        other => child_types(other).iter().any(|child| has_short_offsets(child)),
    }
}

/// Returns whether the values of a type, or values within them, are lists with 32-bit offsets.
pub(super) fn has_short_lists(data_type: &DataType) -> bool {
    match data_type {
        DataType::List(_) | DataType::Map(..) => true,
        other => child_types(other).iter().any(|child| has_short_lists(child)),
    }
}
