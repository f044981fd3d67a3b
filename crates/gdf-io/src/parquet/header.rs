//! Page headers.

use gdf_decode::{Levels, PageHeader};
use parquet::basic::{Compression, Encoding, Type};
use parquet::errors::ParquetError;
use parquet::file::metadata::ColumnChunkMetaData;

use super::shapes::PAGE_HEADER;
use super::thrift::{Flaw, check};

/// The largest header size in bytes.
pub(super) const MOST: usize = 16 << 20;
/// The compressed size of a page gives a bound on its uncompressed size. The uncompressed size may exceed this bound by
/// at most this number of bytes.
const SLACK: u64 = 64;
const DATA: i32 = 0;
const DICTIONARY: i32 = 2;
const DATA_V2: i32 = 3;
/// An encoding of levels that old writers name for levels that their pages do not have.
const BIT_PACKED: i32 = 4;
/// The value of a field that is missing.
const MISSING: i32 = -1;

/// Which levels the pages of a column have.
#[derive(Clone, Copy, Debug, PartialEq)]
pub(super) enum LevelsOf {
    Flat { is_optional: bool },
    Nested { has_repetition: bool, has_definition: bool },
}

impl LevelsOf {
    /// Returns the levels of a page of version 1, or `None` if levels that it has do not have the encoding `RLE`. The flags
    /// say whether repetition levels and definition levels have it.
    pub(super) fn of_version_1(self, [repetition, definition]: [bool; 2]) -> Option<Levels> {
        match self {
            LevelsOf::Flat { is_optional: false } => Some(Levels::None),
            LevelsOf::Flat { is_optional: true } => definition.then_some(Levels::Prefixed),
            LevelsOf::Nested { has_repetition, has_definition } => {
                let has_encoding = (!has_repetition || repetition) && (!has_definition || definition);
                has_encoding.then_some(Levels::Prefixed)
            }
        }
    }

    /// Returns the levels of a page of version 2 by the numbers of bytes of its repetition and definition levels. A flat
    /// column has no repetition levels.
    pub(super) fn of_version_2(self, [repetition, definition]: [usize; 2]) -> Option<Levels> {
        match self {
            LevelsOf::Flat { .. } => (repetition == 0).then_some(Levels::Sized(definition)),
            LevelsOf::Nested { .. } => Some(Levels::Both { repetition, definition }),
        }
    }
}

/// What the header says about a page that gdf-decode can decode.
#[derive(Debug)]
pub(super) enum PageOf {
    /// A dictionary page, with the number of its values.
    Dictionary(usize),
    /// A data page.
    Data {
        header: PageHeader,
        /// The number of rows. The header of a nested page of version 1 does not say it.
        rows: Option<usize>,
        /// Whether the values have the codec of the column chunk.
        is_compressed: bool,
    },
}

impl PageOf {
    /// Returns whether the page has the codec of the column chunk.
    pub(super) fn is_compressed(&self) -> bool {
        match self {
            PageOf::Dictionary(_) => true,
            PageOf::Data { is_compressed, .. } => *is_compressed,
        }
    }

    /// Returns the number of bytes before the compressed values, which are not compressed.
    pub(super) fn plain_bytes(&self) -> Option<usize> {
        match self {
            PageOf::Dictionary(_) => Some(0),
            PageOf::Data { header, .. } => match header.levels {
                Levels::None | Levels::Prefixed => Some(0),
                Levels::Sized(definition) => Some(definition),
                Levels::Both { repetition, definition } => repetition.checked_add(definition),
            },
        }
    }
}

#[derive(Debug)]
pub(super) struct Header {
    /// The size of the header itself in bytes.
    pub(super) size: usize,
    kind: i32,
    uncompressed: i32,
    compressed: i32,
    values: i32,
    /// The fields of the struct that describes pages of this kind.
    fields: [i32; 8],
}

impl Header {
    pub(super) fn parse(bytes: &[u8]) -> Result<Header, Flaw> {
        let mut numbers = [[0; 8]; 9];
        numbers[5][2..5].fill(MISSING);
        numbers[7][2] = MISSING;
        numbers[8][2..7].fill(MISSING);
        // By default, the values of a page are compressed.
        numbers[8][7] = 1;
        let size = check(bytes, PAGE_HEADER, &mut |within, id, number| {
            let of_struct = usize::try_from(within).ok().and_then(|within| numbers.get_mut(within));
            let of_field = of_struct.and_then(|of_struct| of_struct.get_mut(usize::try_from(id).ok()?));
            if let Some(known) = of_field {
                // arrow-rs also keeps only the low 32 bits of the number.
                *known = number as i32;
            }
        })?;
        let [_, kind, uncompressed, compressed, ..] = numbers[0];
        let fields = match kind {
            DATA => numbers[5],
            DICTIONARY => numbers[7],
            DATA_V2 => numbers[8],
            _ => [0; 8],
        };
        Ok(Header { size, kind, uncompressed, compressed, values: fields[1], fields })
    }

    /// Returns the numbers of bytes of the page: in the file, and decompressed.
    pub(super) fn bytes(&self) -> Option<[usize; 2]> {
        Some([usize::try_from(self.compressed).ok()?, usize::try_from(self.uncompressed).ok()?])
    }

    /// Returns what the header says about a page, or `None` if gdf-decode cannot decode the page, or arrow-rs refuses it.
    ///
    /// Writers count different things as the nulls of a nested column, so their number is left out.
    pub(super) fn page_of(&self, of_column: LevelsOf) -> Option<PageOf> {
        let values = usize::try_from(self.values).ok()?;
        let is_rle = |levels: i32| encoding_numbered(levels) == Some(Encoding::RLE);
        let is_flat = matches!(of_column, LevelsOf::Flat { .. });
        let has_repetition = matches!(of_column, LevelsOf::Nested { has_repetition: true, .. });
        let (encoding, levels, nulls, rows, is_compressed) = match (self.kind, self.fields) {
            (DICTIONARY, [_, _, encoding, ..]) => {
                encoding_of(encoding_numbered(encoding)?)?;
                return Some(PageOf::Dictionary(values));
            }
            (DATA, [_, _, encoding, definition, repetition, ..])
                if [definition, repetition].into_iter().all(is_encoding_of_levels) =>
            {
                let levels = of_column.of_version_1([repetition, definition].map(is_rle))?;
                (encoding, levels, None, (!has_repetition).then_some(values), true)
            }
            (DATA_V2, [_, _, nulls, rows, encoding, definition, repetition, is_compressed])
                if (0..=self.values).contains(&nulls) && rows >= 0 && (has_repetition || self.values == rows) =>
            {
                let sizes = [usize::try_from(repetition).ok()?, usize::try_from(definition).ok()?];
                let nulls = is_flat.then_some(nulls as usize);
                (encoding, of_column.of_version_2(sizes)?, nulls, Some(rows as usize), is_compressed == 1)
            }
            _ => return None,
        };
        let encoding = encoding_of(encoding_numbered(encoding)?)?;
        Some(PageOf::Data { header: PageHeader { rows: values, encoding, levels, nulls }, rows, is_compressed })
    }

    /// If the header claims something impossible, returns a description of the claim.
    pub(super) fn impossible(&self, bytes: u64, chunk: &Chunk) -> Option<String> {
        let Header { size, kind, uncompressed, compressed, values, .. } = *self;
        let left = bytes.saturating_sub(size as u64);
        let stored = u64::try_from(compressed).ok().filter(|stored| *stored <= left);
        let Some(stored) = stored else {
            return Some(format!(
                "the page claims {compressed} bytes; the number must be at least 0 and at most {left}, which the \
                 column chunk has left"
            ));
        };
        let Ok(whole) = u64::try_from(uncompressed) else {
            return Some(format!("the page claims a negative number of decompressed bytes: {uncompressed}"));
        };
        let Ok(values) = u64::try_from(values) else {
            return Some(format!("the page claims a negative number of values: {values}"));
        };
        if chunk.expansion.is_some_and(|most| whole > stored.saturating_mul(most).saturating_add(SLACK)) {
            return Some(format!(
                "the page claims {whole} decompressed bytes, which {stored} compressed bytes cannot hold"
            ));
        }
        let whole = if chunk.is_compressed { whole } else { stored };
        if kind == DICTIONARY && values.saturating_mul(chunk.width) > whole {
            return Some(format!("the page claims a dictionary of {values} values, which {whole} bytes cannot hold"));
        }
        None
    }
}

/// Properties of a column chunk.
#[derive(Debug)]
pub(super) struct Chunk {
    is_compressed: bool,
    /// The largest number of uncompressed bytes that one compressed byte can produce.
    expansion: Option<u64>,
    /// The smallest number of bytes of a value in a dictionary page.
    width: u64,
}

impl Chunk {
    pub(super) fn new(metadata: &ColumnChunkMetaData) -> Chunk {
        let width = match metadata.column_type() {
            Type::BOOLEAN => 0,
            // A length of 4 bytes precedes each `BYTE_ARRAY` value.
            Type::INT32 | Type::FLOAT | Type::BYTE_ARRAY => 4,
            Type::INT64 | Type::DOUBLE => 8,
            Type::INT96 => 12,
            Type::FIXED_LEN_BYTE_ARRAY => u64::try_from(metadata.column_descr().type_length()).unwrap_or(0),
        };
        // The limits follow from the compression formats.
        let expansion = match metadata.compression() {
            Compression::SNAPPY => Some(64 / 3 + 1),
            Compression::LZ4 | Compression::LZ4_RAW => Some(256),
            Compression::GZIP(_) => Some(1040),
            Compression::ZSTD(_) => Some(1 << 15),
            _ => None,
        };
        Chunk { is_compressed: metadata.compression() != Compression::UNCOMPRESSED, expansion, width }
    }
}

pub(super) fn encoding_of(encoding: Encoding) -> Option<gdf_decode::Encoding> {
    match encoding {
        Encoding::PLAIN => Some(gdf_decode::Encoding::Plain),
        Encoding::RLE_DICTIONARY | Encoding::PLAIN_DICTIONARY => Some(gdf_decode::Encoding::Keys),
        Encoding::RLE => Some(gdf_decode::Encoding::Rle),
        Encoding::BYTE_STREAM_SPLIT => Some(gdf_decode::Encoding::ByteStreamSplit),
        Encoding::DELTA_BINARY_PACKED => Some(gdf_decode::Encoding::DeltaBinaryPacked),
        Encoding::DELTA_LENGTH_BYTE_ARRAY => Some(gdf_decode::Encoding::DeltaLengthByteArray),
        Encoding::DELTA_BYTE_ARRAY => Some(gdf_decode::Encoding::DeltaByteArray),
        _ => None,
    }
}

/// Returns the encoding that has this number in a file, if gdf-decode or its levels can have it.
fn encoding_numbered(number: i32) -> Option<Encoding> {
    let known = [
        Encoding::PLAIN,
        Encoding::PLAIN_DICTIONARY,
        Encoding::RLE,
        Encoding::DELTA_BINARY_PACKED,
        Encoding::DELTA_LENGTH_BYTE_ARRAY,
        Encoding::DELTA_BYTE_ARRAY,
        Encoding::RLE_DICTIONARY,
        Encoding::BYTE_STREAM_SPLIT,
    ];
    known.into_iter().find(|encoding| *encoding as i32 == number)
}

/// Returns whether a number is that of an encoding. Each page of version 1 names the encodings of both levels, also those
/// that it does not have.
fn is_encoding_of_levels(number: i32) -> bool {
    number == BIT_PACKED || encoding_numbered(number).is_some()
}

pub(super) fn damaged(at: u64, what: &str) -> ParquetError {
    ParquetError::General(format!("the header of the page at byte {at} is damaged: {what}"))
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn headers_that_arrow_refuses_are_refused() {
        let is_known = |kind, fields: [i32; 8], levels| {
            let header = Header { size: 0, kind, uncompressed: 0, compressed: 0, values: fields[1], fields };
            header.page_of(levels).is_some()
        };
        let flat = LevelsOf::Flat { is_optional: false };
        for (definition, repetition, expected) in [
            (3, 3, true),
            (4, 4, true),
            (0, 8, true),
            (1, 3, false),
            (3, 1, false),
            (MISSING, 3, false),
            (3, 35, false),
        ] {
            let fields = [0, 9, 0, definition, repetition, 0, 0, 0];
            assert_eq!(is_known(DATA, fields, flat), expected, "{definition} {repetition}");
        }
        let [structs, lists] =
            [false, true].map(|has_repetition| LevelsOf::Nested { has_repetition, has_definition: true });
        // A value of a list may belong to the row of the value before.
        for (nulls, rows, of_structs, of_lists) in [
            (0, 9, true, true),
            (9, 9, true, true),
            (10, 9, false, false),
            (-1, 9, false, false),
            (0, 8, false, true),
            (0, 10, false, true),
            (0, -9, false, false),
        ] {
            let fields = [0, 9, nulls, rows, 0, 0, 0, 1];
            for (levels, expected) in [(flat, of_structs), (structs, of_structs), (lists, of_lists)] {
                assert_eq!(is_known(DATA_V2, fields, levels), expected, "{nulls} {rows} {levels:?}");
            }
        }
    }
}
