//! Pages that a GPU decompresses, or copies: the CPU reads a column chunk with one call, and parses page headers only.

use gdf_decode::{Chunk, Codec, Compression, DictionaryPage, Page};
use parquet::basic::Compression as FileCodec;
use parquet::file::metadata::ColumnChunkMetaData;

use super::header::{self, Header, LevelsOf, PageOf};

/// Returns the codec of a column chunk whose pages a GPU decompresses.
pub(super) fn codec_of(chunk: &ColumnChunkMetaData) -> Option<Codec> {
    match chunk.compression() {
        FileCodec::SNAPPY => Some(Codec::Snappy),
        FileCodec::LZ4_RAW => Some(Codec::Lz4Raw),
        FileCodec::LZ4 => Some(Codec::Lz4Hadoop),
        // The pages are not aligned in the file, so the GPU copies them.
        FileCodec::UNCOMPRESSED => Some(Codec::Uncompressed),
        FileCodec::GZIP(_) | FileCodec::LZO | FileCodec::BROTLI(_) | FileCodec::ZSTD(_) => None,
    }
}

/// Returns the pages of a column chunk with `rows` rows. `bytes` are the whole chunk, which begins at
/// position `at` of the buffer of all pages. If a header is damaged, or describes what gdf-decode cannot decode, the
/// result is `None`, and the CPU says what is wrong.
pub(super) fn pages_of(
    metadata: &ColumnChunkMetaData,
    codec: Codec,
    bytes: &[u8],
    at: usize,
    levels: LevelsOf,
    rows: usize,
) -> Option<Chunk> {
    let known = header::Chunk::new(metadata);
    let (mut chunk, mut counted, mut next) = (Chunk::default(), 0_usize, 0);
    while next < bytes.len() {
        let left = &bytes[next..];
        let header = Header::parse(left).ok()?;
        if header.impossible(left.len() as u64, &known).is_some() {
            return None;
        }
        let [len, size] = header.bytes()?;
        let position = at + next + header.size;
        match header.page_of(levels)? {
            PageOf::Dictionary(values) => {
                let compression = Some(Compression { codec, size });
                let page = DictionaryPage { at: position, len, compression, values };
                // The dictionary is the first page, and the only one of its kind.
                if chunk.dictionary.replace(page).is_some() || !chunk.pages.is_empty() {
                    return None;
                }
            }
            PageOf::Data { header, is_compressed } => {
                let codec = if is_compressed { codec } else { Codec::Uncompressed };
                counted = counted.checked_add(header.rows)?;
                chunk.pages.push(Page { at: position, len, compression: Some(Compression { codec, size }), header });
            }
        }
        next += header.size + len;
    }
    // The decoder counts the rows of a nested column.
    (counted == rows || matches!(levels, LevelsOf::Nested { .. })).then_some(chunk)
}
