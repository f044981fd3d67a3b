//! The page index of a file. The index is checked before arrow-rs parses it.

use bytes::Bytes;
use parquet::errors::{ParquetError, Result};
use parquet::file::metadata::{ParquetMetaData, RowGroupMetaData};
use parquet::file::reader::{ChunkReader, Length};

use super::shapes::{COLUMN_INDEX, OFFSET_INDEX};
use super::source::Source;
use super::thrift::{Shape, check};

/// A source from which arrow-rs reads the page index as one range of bytes.
pub(super) struct Indexes<'a> {
    source: &'a Source,
    /// The start, the length and the shape of each part of the page index.
    parts: Vec<(u64, usize, Shape)>,
}

impl<'a> Indexes<'a> {
    pub(super) fn new(source: &'a Source, metadata: &ParquetMetaData) -> Self {
        let mut parts = Vec::new();
        for chunk in metadata.row_groups().iter().flat_map(RowGroupMetaData::columns) {
            let of_columns = (chunk.column_index_offset(), chunk.column_index_length(), COLUMN_INDEX);
            let of_pages = (chunk.offset_index_offset(), chunk.offset_index_length(), OFFSET_INDEX);
            for (start, length, shape) in [of_columns, of_pages] {
                let start = start.and_then(|start| u64::try_from(start).ok());
                let length = length.and_then(|length| usize::try_from(length).ok());
                parts.extend(start.zip(length).map(|(start, length)| (start, length, shape)));
            }
        }
        Indexes { source, parts }
    }
}

impl Length for Indexes<'_> {
    fn len(&self) -> u64 {
        self.source.len()
    }
}

impl ChunkReader for Indexes<'_> {
    type T = <Source as ChunkReader>::T;

    fn get_read(&self, start: u64) -> Result<Self::T> {
        self.source.get_read(start)
    }

    fn get_bytes(&self, start: u64, length: usize) -> Result<Bytes> {
        let bytes = self.source.get_bytes(start, length)?;
        for (part, size, shape) in &self.parts {
            let from = part.checked_sub(start).and_then(|from| usize::try_from(from).ok());
            let range = from.and_then(|from| bytes.get(from..from.checked_add(*size)?));
            if let Some(part) = range.filter(|part| !part.is_empty())
                && check(part, shape, &mut |_, _, _| ()).is_err()
            {
                return Err(ParquetError::General("the page index is damaged".to_owned()));
            }
        }
        Ok(bytes)
    }
}
