//! The pages of a column chunk for arrow-rs, with checks of the page headers.
//!
//! The decoders of arrow-rs trust the page headers and the counts in the headers.

use std::collections::VecDeque;
use std::io::{self, Read};
use std::ops::Range;
use std::sync::Arc;

use bytes::{Buf, Bytes};
use parquet::arrow::arrow_reader::RowGroups;
use parquet::column::page::{Page, PageIterator, PageMetadata, PageReader};
use parquet::errors::{ParquetError, Result};
use parquet::file::metadata::{ColumnChunkMetaData, ParquetMetaData, RowGroupMetaData};
use parquet::file::page_index::offset_index::PageLocation;
use parquet::file::reader::{ChunkReader, Length};
use parquet::file::serialized_reader::SerializedPageReader;

use super::deltas::check_deltas;
use super::header::{Chunk, Header, MOST, damaged};
use super::source::Source;
use super::thrift::Flaw;

/// The largest plausible ratio between the claimed bytes of text of a column chunk and the uncompressed bytes of its
/// pages.
const MOST_REPEATED: i64 = 1 << 10;

/// If the file states a plausible number of bytes of text for a column chunk, returns that number.
pub(super) fn claimed_bytes(chunk: &ColumnChunkMetaData) -> Option<u64> {
    let most = chunk.uncompressed_size().saturating_mul(MOST_REPEATED);
    let claimed = chunk.unencoded_byte_array_data_bytes().filter(|claimed| *claimed <= most)?;
    u64::try_from(claimed).ok()
}

pub(super) struct Group<'a> {
    pub(super) metadata: &'a ParquetMetaData,
    pub(super) group: usize,
    pub(super) source: Source,
}

impl RowGroups for Group<'_> {
    fn num_rows(&self) -> usize {
        usize::try_from(self.metadata.row_group(self.group).num_rows()).unwrap_or(0)
    }

    fn column_chunks(&self, leaf: usize) -> Result<Box<dyn PageIterator>> {
        let of_group = self.metadata.offset_index().and_then(|index| index.get(self.group));
        let locations = of_group.and_then(|of_group| of_group.get(leaf)).map(|index| index.page_locations().clone());
        let pages = Pages::new(self.metadata.row_group(self.group), leaf, self.source.clone(), locations)?;
        Ok(Box::new(Only(Some(pages))))
    }

    fn row_groups(&self) -> Box<dyn Iterator<Item = &RowGroupMetaData> + '_> {
        Box::new(std::iter::once(self.metadata.row_group(self.group)))
    }

    fn metadata(&self) -> &ParquetMetaData {
        self.metadata
    }
}

/// An iterator whose only item is the reader of the pages of a column chunk.
struct Only(Option<Pages>);

impl Iterator for Only {
    type Item = Result<Box<dyn PageReader>>;

    fn next(&mut self) -> Option<Self::Item> {
        self.0.take().map(|pages| Ok(Box::new(pages) as _))
    }
}

impl PageIterator for Only {}

pub(super) struct Pages {
    reader: SerializedPageReader<Checked>,
    /// The maximum repetition level and the maximum definition level of the column.
    levels: [i16; 2],
    /// The numbers of values and rows of the column chunk, minus the numbers that the pages so far have claimed.
    values: u64,
    rows: u64,
    /// The number of rows of each page that has not been read yet.
    indexed: Option<VecDeque<u64>>,
}

impl Pages {
    /// Makes a reader of the pages of a leaf column.
    ///
    /// # Errors
    /// - The metadata have negative counts, the page index is inconsistent, or the compression codec is unknown.
    pub(super) fn new(
        group: &RowGroupMetaData,
        leaf: usize,
        source: Source,
        locations: Option<Vec<PageLocation>>,
    ) -> Result<Pages> {
        let metadata = group.column(leaf);
        let not_below_zero = |number: i64, what: &str| {
            u64::try_from(number).map_err(|_| {
                ParquetError::General(format!("a column chunk claims a negative number of {what}: {number}"))
            })
        };
        let values = not_below_zero(metadata.num_values(), "values")?;
        let rows = not_below_zero(group.num_rows(), "rows")?;
        let column = metadata.column_descr();
        let levels = [column.max_rep_level(), column.max_def_level()];
        let indexed = locations.as_deref().map(|locations| rows_of(locations, rows)).transpose()?;
        let headers = Headers { is_indexed: indexed.is_some(), ..Headers::new(source, metadata) };
        let checked = Arc::new(Checked(Arc::new(headers)));
        let total = usize::try_from(rows).unwrap_or(usize::MAX);
        let reader = SerializedPageReader::new(checked, metadata, total, locations)?;
        Ok(Pages { reader, levels, values, rows, indexed })
    }

    /// Returns the total number of values that the headers of all pages claim.
    ///
    /// # Errors
    /// - A header is damaged, or the pages claim more values than the metadata.
    pub(super) fn claimed_values(mut self) -> Result<u64> {
        let values = self.values;
        while self.peek_next_page()?.is_some() {
            self.skip_next_page()?;
        }
        Ok(values - self.values)
    }

    /// Compares the numbers of values and rows that a page claims with the remaining numbers of the column chunk, and
    /// subtracts the claimed numbers.
    fn count(&mut self, values: Option<u64>, rows: Option<u64>) -> Result<()> {
        let is_flat = self.levels[0] == 0;
        if let Some(indexed) = &mut self.indexed {
            let expected = indexed.pop_front();
            let found = if is_flat { values.or(rows) } else { rows };
            if found.is_some() && found != expected {
                return Err(wrong("the header of a page and the page index claim different numbers of rows"));
            }
        }
        if let (true, Some(values), Some(rows)) = (is_flat, values, rows)
            && values != rows
        {
            return Err(wrong(&format!("a page of a flat column claims {rows} rows, but {values} values")));
        }
        let left = |left: u64, claimed: Option<u64>, what: &str| {
            let beyond = || wrong(&format!("the pages of a column chunk claim more {what} than its metadata"));
            left.checked_sub(claimed.unwrap_or(0)).ok_or_else(beyond)
        };
        self.values = left(self.values, values, "values")?;
        self.rows = left(self.rows, rows, "rows")?;
        Ok(())
    }
}

impl PageReader for Pages {
    fn get_next_page(&mut self) -> Result<Option<Page>> {
        let Some(page) = self.reader.get_next_page().map_err(cause_of)? else { return Ok(None) };
        let rows = match &page {
            Page::DictionaryPage { .. } => return Ok(Some(page)),
            Page::DataPage { .. } => None,
            Page::DataPageV2 { num_rows, .. } => Some(u64::from(*num_rows)),
        };
        self.count(Some(u64::from(page.num_values())), rows)?;
        check_deltas(&page, self.levels)?;
        Ok(Some(page))
    }

    fn peek_next_page(&mut self) -> Result<Option<PageMetadata>> {
        self.reader.peek_next_page().map_err(cause_of)
    }

    fn skip_next_page(&mut self) -> Result<()> {
        if let Some(PageMetadata { num_rows, num_levels, is_dict: false }) = self.peek_next_page()? {
            let claimed = |claimed: Option<usize>| claimed.map(|claimed| claimed as u64);
            self.count(claimed(num_levels), claimed(num_rows))?;
        }
        self.reader.skip_next_page().map_err(cause_of)
    }

    fn at_record_boundary(&mut self) -> Result<bool> {
        self.reader.at_record_boundary().map_err(cause_of)
    }
}

impl Iterator for Pages {
    type Item = Result<Page>;

    fn next(&mut self) -> Option<Self::Item> {
        self.get_next_page().transpose()
    }
}

fn rows_of(locations: &[PageLocation], rows: u64) -> Result<VecDeque<u64>> {
    let first = |location: &PageLocation| u64::try_from(location.first_row_index).ok();
    let ends = locations.iter().skip(1).map(first).chain([Some(rows)]);
    let counts = locations.iter().map(first).zip(ends).map(|(first, end)| end?.checked_sub(first?));
    counts.collect::<Option<_>>().ok_or_else(|| {
        wrong(&format!("the first rows in the page index must not descend, and must be from 0 to {rows}"))
    })
}

fn wrong(what: &str) -> ParquetError {
    ParquetError::General(what.to_owned())
}

/// If an error comes from a check of a header, arrow-rs wraps it in a read error.
fn cause_of(error: ParquetError) -> ParquetError {
    let ParquetError::External(source) = error else { return error };
    match source.downcast::<io::Error>() {
        Ok(source) => match source.downcast::<ParquetError>() {
            Ok(error) => error,
            Err(source) => ParquetError::External(Box::new(source)),
        },
        Err(source) => ParquetError::External(source),
    }
}

/// The bytes of a column chunk.
struct Checked(Arc<Headers>);

/// Reads and checks the page headers of a column chunk.
pub(super) struct Headers {
    source: Source,
    range: Range<u64>,
    chunk: Chunk,
    /// Whether the page index gives the location of the pages.
    is_indexed: bool,
}

impl Headers {
    pub(super) fn new(source: Source, metadata: &ColumnChunkMetaData) -> Headers {
        let (start, length) = metadata.byte_range();
        let range = start..start.saturating_add(length);
        Headers { source, range, chunk: Chunk::new(metadata), is_indexed: false }
    }

    /// Returns the bytes of the file that the column chunk has.
    pub(super) fn range(&self) -> Range<u64> {
        self.range.clone()
    }

    /// Returns the bytes of the page header at a position of the file.
    ///
    /// # Errors
    /// - The header cannot be read, is damaged, or claims something impossible.
    pub(super) fn read(&self, start: u64) -> Result<Bytes> {
        let left = self.range.end.min(self.source.len()).saturating_sub(start);
        let most = usize::try_from(left).unwrap_or(usize::MAX).min(MOST);
        let mut size = self.source.header_bytes().min(most);
        loop {
            let mut bytes = self.source.get_bytes(start, size)?;
            if let Some(header) = self.check(start, &bytes, self.range.end.saturating_sub(start), size < most)? {
                bytes.truncate(header);
                return Ok(bytes);
            }
            size = size.saturating_mul(8).min(most);
        }
    }

    /// Checks the header at the start of `bytes`, and returns its size.
    fn check(&self, start: u64, bytes: &[u8], page: u64, has_more: bool) -> Result<Option<usize>> {
        match Header::parse(bytes) {
            Ok(header) => match header.impossible(page, &self.chunk) {
                None => Ok(Some(header.size)),
                Some(what) => Err(damaged(start, &what)),
            },
            Err(Flaw::Short) if has_more => Ok(None),
            Err(Flaw::Short) => Err(damaged(start, "the page header exceeds the bytes of the column chunk")),
            Err(Flaw::Wrong(what)) => Err(damaged(start, what)),
        }
    }
}

impl Length for Checked {
    fn len(&self) -> u64 {
        self.0.source.len()
    }
}

impl ChunkReader for Checked {
    type T = HeaderBytes;

    fn get_read(&self, start: u64) -> Result<HeaderBytes> {
        Ok(HeaderBytes::Unread { headers: self.0.clone(), start })
    }

    fn get_bytes(&self, start: u64, length: usize) -> Result<Bytes> {
        let headers = &*self.0;
        let bytes = headers.source.get_bytes(start, length)?;
        if headers.is_indexed {
            let end = start.checked_add(length as u64);
            if start < headers.range.start || end.is_none_or(|end| end > headers.range.end) {
                return Err(wrong("the page index names a page outside of the column chunk"));
            }
            headers.check(start, &bytes, length as u64, false)?;
        }
        Ok(bytes)
    }
}

/// The bytes of a page header. arrow-rs also requests readers that it never uses.
enum HeaderBytes {
    Unread { headers: Arc<Headers>, start: u64 },
    Read(Bytes),
}

impl Read for HeaderBytes {
    fn read(&mut self, into: &mut [u8]) -> io::Result<usize> {
        if let HeaderBytes::Unread { headers, start } = self {
            let bytes = headers.read(*start).map_err(io::Error::other)?;
            *self = HeaderBytes::Read(bytes);
        }
        let HeaderBytes::Read(bytes) = self else { return Ok(0) };
        let count = into.len().min(bytes.len());
        bytes.split_to(count).copy_to_slice(&mut into[..count]);
        Ok(count)
    }
}

#[cfg(test)]
mod tests {
    use parquet::basic::Compression::{SNAPPY, UNCOMPRESSED};
    use parquet::basic::{Compression, Encoding};
    use parquet::file::metadata::ColumnChunkMetaData;
    use parquet::schema::parser::parse_message_type;
    use parquet::schema::types::SchemaDescriptor;

    use super::*;

    const MANY: i32 = i32::MAX;

    fn varint(number: i64) -> Vec<u8> {
        let mut left = (number << 1 ^ number >> 63) as u64;
        let mut bytes = Vec::new();
        while left >= 0x80 {
            bytes.push(left as u8 | 0x80);
            left >>= 7;
        }
        [&bytes[..], &[left as u8]].concat()
    }

    /// Encodes the integer fields 1, 2, … of a struct.
    fn numbers(numbers: &[i32]) -> Vec<u8> {
        numbers.iter().flat_map(|number| [vec![0x15], varint(i64::from(*number))].concat()).collect()
    }

    /// Encodes a page with its header.
    fn page(kind: i32, sizes: [i32; 2], field: u8, of: &[i32], body: &[u8]) -> Vec<u8> {
        let head = [0x0c, field << 1];
        [&numbers(&[kind, sizes[0], sizes[1]])[..], &head, &numbers(of), &[0, 0], body].concat()
    }

    fn data(values: i32, encoding: Encoding, body: &[u8]) -> Vec<u8> {
        let size = body.len() as i32;
        let rle = Encoding::RLE as i32;
        page(0, [size; 2], 5, &[values, encoding as i32, rle, rle], body)
    }

    fn data_v2(values: i32, rows: i32) -> Vec<u8> {
        page(3, [0; 2], 8, &[values, 0, rows, 0, 0, 0], &[])
    }

    /// Reads the pages as a column with 10 values in 10 rows.
    fn read(column: &str, compression: Compression, pages: &[Vec<u8>]) -> std::result::Result<Vec<u32>, String> {
        let schema = parse_message_type(&format!("message m {{ {column} }}")).unwrap();
        let schema = Arc::new(SchemaDescriptor::new(Arc::new(schema)));
        let bytes = pages.concat();
        let chunk = ColumnChunkMetaData::builder(schema.column(0))
            .set_compression(compression)
            .set_num_values(10)
            .set_data_page_offset(0)
            .set_total_compressed_size(bytes.len() as i64)
            .build()
            .unwrap();
        let group = RowGroupMetaData::builder(schema).set_num_rows(10).add_column_metadata(chunk).build().unwrap();
        let source = Source::of_bytes(bytes.into());
        let skipped = || -> Result<()> {
            let mut pages = Pages::new(&group, 0, source.clone(), None)?;
            while pages.peek_next_page()?.is_some() {
                pages.skip_next_page()?;
            }
            Ok(())
        };
        let read = Pages::new(&group, 0, source.clone(), None).unwrap().map(|page| page.map(|page| page.num_values()));
        let read = read.collect::<Result<Vec<u32>>>().map_err(|error| error.to_string());
        // If pages are skipped, they are checked in the same way.
        if let (Err(read), Err(skipped)) = (&read, skipped().map_err(|error| error.to_string())) {
            assert_eq!(*read, skipped);
        } else if read.is_ok() {
            skipped().unwrap();
        }
        read
    }

    const FLAT: &str = "required int32 a;";
    const LIST: &str = "repeated int32 a;";
    const TEXT: &str = "required binary a;";

    #[test]
    fn pages_have_what_the_metadata_says() {
        let ones = |values| data(values, Encoding::PLAIN, &[]);
        assert_eq!(read(FLAT, UNCOMPRESSED, &[ones(4), ones(0), ones(6), ones(0)]), Ok(vec![4, 0, 6, 0]));
        assert_eq!(read(LIST, UNCOMPRESSED, &[data_v2(4, 3), data_v2(6, 6)]), Ok(vec![4, 6]));
        let index_page = page(1, [0; 2], 6, &[], &[]);
        assert_eq!(read(FLAT, UNCOMPRESSED, &[index_page, ones(10)]), Ok(vec![10]));

        let error = |column, pages: &[Vec<u8>]| read(column, UNCOMPRESSED, pages).unwrap_err();
        for pages in [vec![ones(MANY)], vec![ones(6), ones(5)], vec![data_v2(11, 11)]] {
            assert!(error(FLAT, &pages).contains("more values than its metadata"), "{pages:?}");
        }
        assert!(error(LIST, &[data_v2(5, 5), data_v2(5, 6)]).contains("more rows than its metadata"));
        assert!(error(FLAT, &[data_v2(5, 4)]).contains("4 rows, but 5 values"));
        assert!(error(FLAT, &[ones(-1)]).contains("a negative number of values: -1"));
    }

    #[test]
    fn headers_that_arrow_rs_would_not_leave_are_refused() {
        let many = [0xff, 0xff, 0xff, 0xff, 7];
        // The unknown field 100 claims UUIDs, doubles, booleans or maps, but the bytes do not contain so many.
        let claims = [[0x09, 0xc8, 1, 0xfd], [0x09, 0xc8, 1, 0xf7], [0x09, 0xc8, 1, 0xf1]];
        let mut claims = claims.map(|claim| [&claim[..], &many].concat()).to_vec();
        claims.push([&[0x0b, 0xc8, 1][..], &many, &[0xdd]].concat());
        for claim in claims {
            let header = [&numbers(&[0, 0, 0])[..], &claim, &[0]].concat();
            let error = read(FLAT, UNCOMPRESSED, &[header]).unwrap_err();
            assert!(error.contains("the header of the page at byte 0 is damaged"), "{error}");
        }
    }

    #[test]
    fn sizes_that_cannot_be_are_refused() {
        let error = |column, compression, page| read(column, compression, &[page]).unwrap_err();
        let claimed = |sizes| page(0, sizes, 5, &[10, 0, 3, 3], &[0; 10]);
        assert!(error(FLAT, SNAPPY, claimed([MANY, 10])).contains("which 10 compressed bytes cannot hold"));
        assert!(error(FLAT, SNAPPY, claimed([10, MANY])).contains("at most 10, which"));
        assert!(error(FLAT, SNAPPY, claimed([-1, 10])).contains("a negative number of decompressed bytes: -1"));
        assert!(error(FLAT, SNAPPY, claimed([10, -1])).contains("claims -1 bytes"));
        let dictionary = |values| page(2, [12; 2], 7, &[values, 0], &[0; 12]);
        assert!(
            error(FLAT, UNCOMPRESSED, dictionary(MANY))
                .contains("a dictionary of 2147483647 values, which 12 bytes cannot hold")
        );
        assert_eq!(read(FLAT, UNCOMPRESSED, &[dictionary(3)]), Ok(vec![3]));
        assert_eq!(read(TEXT, UNCOMPRESSED, &[dictionary(3)]), Ok(vec![3]));
        // The block header claims 2³⁵ text lengths.
        let lengths = [0x80, 1, 4, 0x80, 0x80, 0x80, 0x80, 0x80, 1, 0];
        for encoding in [Encoding::DELTA_LENGTH_BYTE_ARRAY, Encoding::DELTA_BYTE_ARRAY] {
            let error = error(TEXT, UNCOMPRESSED, data(10, encoding, &lengths));
            assert!(error.contains("more than the 10 values"), "{error}");
        }
    }
}
