//! How the columns of a Parquet file are divided into row groups and pages, and how they are encoded.

use std::fmt;
use std::path::Path;

use arrow_schema::Schema;
use parquet::arrow::ArrowSchemaConverter;
use parquet::basic::{Encoding, Type as PhysicalType};
use parquet::file::properties::{
    DEFAULT_DATA_PAGE_ROW_COUNT_LIMIT, DEFAULT_DICTIONARY_PAGE_SIZE_LIMIT, DEFAULT_PAGE_SIZE, DEFAULT_WRITE_BATCH_SIZE,
    WriterPropertiesBuilder,
};

use super::failure::write_failure;
use crate::{Error, Result, names};

/// The encoding of the values of a column in a Parquet file.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
#[non_exhaustive]
pub enum ParquetEncoding {
    /// Each column chunk has a dictionary of its distinct values, and the pages have keys. If the dictionary exceeds
    /// [`ParquetWriter::dictionary_bytes`](super::ParquetWriter::dictionary_bytes), the remaining values are plain. This
    /// encoding is the default. Booleans are plain.
    #[default]
    Dictionary,
    /// The values themselves.
    Plain,
    /// The differences between values, for integers, dates, times, and decimals of at most 18 digits.
    DeltaBinaryPacked,
    /// The differences between the lengths, and then the bytes, for text and bytes.
    DeltaLengthByteArray,
    /// Only the bytes that differ from the preceding value, for text and bytes.
    DeltaByteArray,
    /// All first bytes of the values, then all second bytes, and so on, for numbers.
    ByteStreamSplit,
}

impl ParquetEncoding {
    const ALL: [ParquetEncoding; 6] = [
        ParquetEncoding::Dictionary,
        ParquetEncoding::Plain,
        ParquetEncoding::DeltaBinaryPacked,
        ParquetEncoding::DeltaLengthByteArray,
        ParquetEncoding::DeltaByteArray,
        ParquetEncoding::ByteStreamSplit,
    ];

    /// Returns the encoding of the pages, or `None` for a dictionary.
    fn of_pages(self) -> Option<Encoding> {
        match self {
            ParquetEncoding::Dictionary => None,
            ParquetEncoding::Plain => Some(Encoding::PLAIN),
            ParquetEncoding::DeltaBinaryPacked => Some(Encoding::DELTA_BINARY_PACKED),
            ParquetEncoding::DeltaLengthByteArray => Some(Encoding::DELTA_LENGTH_BYTE_ARRAY),
            ParquetEncoding::DeltaByteArray => Some(Encoding::DELTA_BYTE_ARRAY),
            ParquetEncoding::ByteStreamSplit => Some(Encoding::BYTE_STREAM_SPLIT),
        }
    }

    fn suits(self, stored: PhysicalType) -> bool {
        use PhysicalType::{BYTE_ARRAY, DOUBLE, FIXED_LEN_BYTE_ARRAY, FLOAT, INT32, INT64};
        match self {
            ParquetEncoding::Dictionary | ParquetEncoding::Plain => true,
            ParquetEncoding::DeltaBinaryPacked => matches!(stored, INT32 | INT64),
            ParquetEncoding::DeltaLengthByteArray => stored == BYTE_ARRAY,
            ParquetEncoding::DeltaByteArray => matches!(stored, BYTE_ARRAY | FIXED_LEN_BYTE_ARRAY),
            ParquetEncoding::ByteStreamSplit => matches!(stored, INT32 | INT64 | FLOAT | DOUBLE | FIXED_LEN_BYTE_ARRAY),
        }
    }
}

impl fmt::Display for ParquetEncoding {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        fmt::Debug::fmt(self, f)
    }
}

/// The sizes of the parts of a file, and the encodings of its columns.
#[derive(Clone, Debug, PartialEq)]
pub(super) struct Layout {
    pub(super) row_group_rows: usize,
    pub(super) row_group_bytes: Option<usize>,
    pub(super) page_rows: usize,
    pub(super) page_bytes: usize,
    pub(super) dictionary_bytes: usize,
    pub(super) encodings: Vec<(String, ParquetEncoding)>,
    pub(super) bloom_filters: Vec<String>,
}

impl Default for Layout {
    fn default() -> Layout {
        Layout {
            row_group_rows: 1 << 20,
            row_group_bytes: None,
            page_rows: DEFAULT_DATA_PAGE_ROW_COUNT_LIMIT,
            page_bytes: DEFAULT_PAGE_SIZE,
            dictionary_bytes: DEFAULT_DICTIONARY_PAGE_SIZE_LIMIT,
            encodings: Vec::new(),
            bloom_filters: Vec::new(),
        }
    }
}

impl Layout {
    /// Changes the sizes so that a GPU has many parts to decode at the same time.
    ///
    /// A GPU decompresses a page by one warp and decodes a page by one block, so that a read takes at any rate as long
    /// as the largest page. Snappy compresses blocks of 64 KiB, so that pages of this size are not larger in the file.
    /// All numbers are powers of 2, because then pages of numbers end where row groups end.
    pub(super) fn make_for_gpu(&mut self) {
        self.row_group_rows = 1 << 21;
        // The writer keeps the compressed pages of a row group in memory, until the row group ends.
        self.row_group_bytes = Some(512 << 20);
        self.page_rows = 1 << 14;
        self.page_bytes = 64 << 10;
        self.dictionary_bytes = 128 << 10;
    }

    /// Sets the properties for a file with the columns of `schema`, which are stored as `stored`.
    ///
    /// # Errors
    /// - [`Error::NoColumn`]: an option names a column that does not exist.
    /// - [`Error::Encoding`]: an encoding cannot represent its column.
    pub(super) fn applied(
        &self,
        to: WriterPropertiesBuilder,
        path: &Path,
        schema: &Schema,
        stored: &Schema,
    ) -> Result<WriterPropertiesBuilder> {
        let mut to = to
            .set_max_row_group_row_count(Some(self.row_group_rows))
            .set_max_row_group_bytes(self.row_group_bytes)
            .set_data_page_row_count_limit(self.page_rows)
            .set_data_page_size_limit(self.page_bytes)
            // The limits of a page are tested after each batch.
            .set_write_batch_size(DEFAULT_WRITE_BATCH_SIZE.min(self.page_rows))
            .set_dictionary_page_size_limit(self.dictionary_bytes)
            .set_dictionary_enabled(self.dictionary_bytes > 0);
        if self.encodings.is_empty() && self.bloom_filters.is_empty() {
            return Ok(to);
        }
        let leaves = ArrowSchemaConverter::new().convert(stored).map_err(|error| write_failure(path, error))?;
        let names: Vec<&String> = schema.fields().iter().map(|field| field.name()).collect();
        let find = |name: &String| {
            let column = names::find(&names, name, path)?.ok_or_else(|| names::no_column(path, name, &names))?;
            let is_of_column = |leaf: &usize| leaves.get_column_root_idx(*leaf) == column;
            let of_column: Vec<_> =
                (0..leaves.num_columns()).filter(is_of_column).map(|leaf| leaves.column(leaf)).collect();
            Ok::<_, Error>((schema.field(column), of_column))
        };
        for (name, encoding) in &self.encodings {
            let (field, leaves) = find(name)?;
            let suits = |encoding: ParquetEncoding| leaves.iter().all(|leaf| encoding.suits(leaf.physical_type()));
            if !suits(*encoding) {
                let suitable = ParquetEncoding::ALL.into_iter().filter(|encoding| suits(*encoding));
                return Err(Error::Encoding {
                    column: name.clone(),
                    data_type: field.data_type().clone(),
                    encoding: encoding.to_string(),
                    suitable: suitable.map(|encoding| encoding.to_string()).collect(),
                });
            }
            for leaf in leaves {
                let of_pages = encoding.of_pages();
                let has_dictionary = of_pages.is_none() && self.dictionary_bytes > 0;
                to = to.set_column_dictionary_enabled(leaf.path().clone(), has_dictionary);
                to = to.set_column_encoding(leaf.path().clone(), of_pages.unwrap_or(Encoding::PLAIN));
            }
        }
        for name in &self.bloom_filters {
            for leaf in find(name)?.1 {
                to = to.set_column_bloom_filter_enabled(leaf.path().clone(), true);
            }
        }
        Ok(to)
    }
}
