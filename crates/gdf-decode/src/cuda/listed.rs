//! The lists of what kernels work on: dictionaries, pages and pages of texts of all columns.

use std::cmp::Reverse;
use std::vec;

use gdf_engine::cuda::{Bytes, Rows32};
use gdf_kernels::Out;
use gdf_kernels::generated::decode::{
    self as descriptors, NO_DICTIONARY_PAGE, NO_NULL_COUNT, NO_TEXTS, NOT_NESTED, NOT_REWRITTEN, PART_ROWS,
    PREFIXED_LEVELS, TEXT_TILE,
};

use super::nested::Nested;
use crate::batch::{Codec, Compression, Encoding, Levels, Page};
use crate::conversion::Conversion;
use crate::plan::{ColumnPlan, PADDING, PAGE_ALIGNMENT, Plan};

/// The scratch memory of a column of texts.
#[derive(Clone, Copy)]
pub(super) struct TextRows {
    /// Where the positions of the texts of rows begin in the scratch memory of texts.
    pub(super) sources: usize,
    /// The number of the first tile among the tiles of all columns.
    pub(super) first_tile: usize,
    pub(super) tiles: usize,
}

/// The descriptors of the pages of a batch.
#[derive(Default)]
pub(super) struct Listed {
    /// How far the decompressed pages, and the rewritten pages, are from the buffer of pages.
    distances: [i64; 2],
    /// For each page whose bytes were counted, their number.
    counted: vec::IntoIter<usize>,
    /// The pages that are decompressed, and where their decompressed bytes begin.
    pub(super) compressed: Vec<(descriptors::CompressedPage<'static>, usize)>,
    /// The number of decompressed bytes.
    decompressed_bytes: usize,
    /// The pages whose values are rewritten, and where their values and the sizes of their texts begin.
    pub(super) rewritten: Vec<(descriptors::RewrittenPage<'static>, RewrittenPlace)>,
    /// The number of bytes of rewritten values.
    rewritten_bytes: usize,
    pub(super) dictionaries: Vec<descriptors::Dictionary<'static>>,
    pub(super) pages: Vec<descriptors::Page>,
    /// For each dictionary, where its converted values are in the scratch memory.
    pub(super) decoded_at: Vec<Option<usize>>,
    /// The number of bytes of all converted values.
    pub(super) decoded_bytes: usize,
    /// The pages whose texts get an index.
    pub(super) text_pages: Vec<descriptors::TextPage<'static>>,
    /// For each of them, the number of texts in the indexes before.
    pub(super) index_at: Vec<usize>,
    /// The number of texts of all indexes.
    indexed: usize,
    /// For each column, its scratch memory if it has texts.
    pub(super) text_rows: Vec<Option<TextRows>>,
    /// The number of bytes of the positions of the texts of all rows.
    pub(super) source_bytes: usize,
    pub(super) tiles: usize,
    pub(super) nested: Nested,
}

/// Where each list of descriptors begins in the memory of all descriptors.
pub(super) struct Layout {
    pub(super) compressed: usize,
    pub(super) rewritten: usize,
    pub(super) dictionaries: usize,
    pub(super) pages: usize,
    pub(super) text_pages: usize,
    pub(super) leveled: usize,
    pub(super) nested_columns: usize,
    pub(super) nodes: usize,
    pub(super) lowest: usize,
    pub(super) statuses: usize,
    /// What is counted of nested columns. The host reads it with the statuses.
    pub(super) counted: usize,
    pub(super) counts: usize,
    pub(super) end: usize,
}

/// Returns the number of bytes of the memory for decompressed pages.
pub(super) fn decompressed_bytes(plan: &Plan<'_>) -> usize {
    let pages = plan.decoded().flat_map(|(_, column)| column.compressions());
    let bytes: usize = pages.map(|page| page.size.next_multiple_of(PAGE_ALIGNMENT)).sum();
    if bytes > 0 { bytes + PADDING } else { 0 }
}

/// Returns the number of bytes of the memory for rewritten pages. `counted` are the numbers of bytes that were counted.
pub(super) fn rewritten_bytes(plan: &Plan<'_>, counted: &[usize]) -> usize {
    let mut counted = counted.iter().copied();
    let pages = plan.decoded().flat_map(|(_, column)| {
        let pages = column.pages.chunks.iter().flat_map(|chunk| &chunk.pages);
        pages.map(|page| (page, column.conversion))
    });
    let size = |(page, conversion)| rewritten_size(page, conversion, &mut counted).next_multiple_of(PAGE_ALIGNMENT);
    let bytes: usize = pages.map(size).sum();
    if bytes > 0 { bytes + PADDING } else { 0 }
}

/// Returns the number of bytes of a page that is rewritten, and zero for other pages.
fn rewritten_size(page: &Page, conversion: Conversion, counted: &mut impl Iterator<Item = usize>) -> usize {
    if page.header.encoding.is_rewritten() { RewrittenPlace::of(page, conversion, counted).end } else { 0 }
}

/// Where the values of a rewritten page are.
#[derive(Clone, Copy)]
pub(super) struct RewrittenPlace {
    pub(super) values: usize,
    /// The sizes of texts, or of prefixes and suffixes, which are summed before bytes are copied.
    pub(super) sizes: Option<usize>,
    end: usize,
}

impl RewrittenPlace {
    /// Returns the places of a page, counted from its first one. The integer behind the first one, from which deltas count,
    /// is at a multiple of 16 bytes. `counted` begins with the number of bytes of the page, if it was counted.
    fn of(page: &Page, conversion: Conversion, counted: &mut impl Iterator<Item = usize>) -> Self {
        let width = conversion.stored_width();
        let bytes = page.header.rows * width;
        match page.header.encoding {
            Encoding::DeltaBinaryPacked => {
                RewrittenPlace { values: PAGE_ALIGNMENT - width, sizes: None, end: PAGE_ALIGNMENT + bytes }
            }
            Encoding::DeltaLengthByteArray => {
                let values = PAGE_ALIGNMENT + bytes.next_multiple_of(PAGE_ALIGNMENT);
                RewrittenPlace { values, sizes: Some(PAGE_ALIGNMENT - width), end: values + bytes + page.size() }
            }
            Encoding::DeltaByteArray => {
                let (sizes, values) = size_places(page.header.rows);
                // Until they are counted, texts have no bytes but those of their sizes.
                let counted = if is_counted(page, conversion) { counted.next() } else { None };
                RewrittenPlace { values, sizes: Some(sizes), end: values + counted.unwrap_or(bytes) }
            }
            Encoding::ByteStreamSplit | Encoding::Plain | Encoding::Keys | Encoding::Rle => {
                // The page has at most as many bytes of values, whatever number of rows it claims.
                RewrittenPlace { values: 0, sizes: None, end: bytes.min(page.size()) }
            }
        }
    }

    /// Returns the number of bytes that the values can have.
    fn len(&self) -> usize {
        self.end - self.values
    }

    /// Returns the places behind `before` bytes.
    fn behind(self, before: usize) -> Self {
        let sizes = self.sizes.map(|sizes| sizes + before);
        RewrittenPlace { values: self.values + before, sizes, end: self.end + before }
    }
}

/// Returns whether the bytes of a page do not bound those of its texts.
pub(super) fn is_counted(page: &Page, conversion: Conversion) -> bool {
    page.header.encoding == Encoding::DeltaByteArray && conversion.is_text()
}

/// Returns where the sizes of prefixes and suffixes are, and where they end.
pub(super) fn size_places(rows: usize) -> (usize, usize) {
    let bytes = (rows * size_of::<u32>()).next_multiple_of(PAGE_ALIGNMENT);
    (PAGE_ALIGNMENT - size_of::<u32>(), PAGE_ALIGNMENT + 2 * bytes)
}

impl Listed {
    /// Lists the pages of a batch. The decompressed and the rewritten pages are `distances` bytes from the buffer of pages.
    /// `counted` are the numbers of bytes of pages that were counted.
    pub(super) fn new(plan: &Plan<'_>, distances: [i64; 2], counted: Vec<usize>) -> Listed {
        let mut listed = Listed { distances, counted: counted.into_iter(), ..Listed::default() };
        for (index, (_, column)) in plan.decoded().enumerate() {
            let tiles = column.rows.div_ceil(TEXT_TILE);
            let rows = TextRows { sources: listed.source_bytes, first_tile: listed.tiles, tiles };
            let is_text = column.text_width().is_some() && column.rows > 0;
            listed.text_rows.push(is_text.then_some(rows));
            if is_text {
                listed.source_bytes += column.rows * size_of::<i64>();
                listed.tiles += tiles;
            }
            listed.add_column(column, index as i32);
        }
        // The largest pages come first, so that no block is left alone at the end.
        listed.pages.sort_by_key(|page| Reverse(page.bytes.get()));
        listed.compressed.sort_by_key(|(page, _)| Reverse(page.bytes.get()));
        listed
    }

    fn add_column(&mut self, column: &ColumnPlan<'_>, index: i32) {
        self.nested.begin_column(column);
        let (mut number, mut row, mut first_key, mut rows_end) = (0, 0, 0, 0_usize);
        let chunk_rows = column.pages.nesting.as_ref().map_or([].as_slice(), |nesting| &nesting.chunk_rows);
        for (of_chunks, chunk) in column.pages.chunks.iter().enumerate() {
            rows_end = rows_end.saturating_add(chunk_rows.get(of_chunks).copied().unwrap_or(0));
            let mut of_chunk = NO_DICTIONARY_PAGE;
            if let Some(page) = &chunk.dictionary {
                let at = self.place(page.at, page.len, 0, page.compression, index, number);
                of_chunk = self.dictionaries.len() as i32;
                let is_converted = page.values > 0 && column.conversion.converts_dictionaries();
                self.decoded_at.push(is_converted.then_some(self.decoded_bytes));
                if is_converted {
                    // The plan has checked that the page has the bytes of the values, at least one for each.
                    let size = page.values * column.conversion.width();
                    self.decoded_bytes += size.next_multiple_of(PAGE_ALIGNMENT);
                }
                let mut of_texts = NO_TEXTS;
                if let Conversion::Text { is_utf8, .. } = column.conversion {
                    of_texts = self.add_texts(descriptors::TextPage {
                        at,
                        bytes: Bytes::new(page.size()),
                        index: Out::NULL,
                        limit: page.values as i32,
                        level_size: 0,
                        column: index,
                        number,
                        is_dictionary: 1,
                        is_utf8: i32::from(is_utf8),
                        rewritten: NOT_REWRITTEN,
                        unused: 0,
                    });
                }
                self.dictionaries.push(descriptors::Dictionary {
                    at,
                    count: page.values as i64,
                    first_key,
                    decoded: Out::NULL,
                    column: index,
                    number,
                    texts: of_texts,
                    unused: 0,
                });
                first_key += page.values as i64;
                number += 1;
            }
            for (of_pages, page) in chunk.pages.iter().enumerate() {
                let header = &page.header;
                let level_size = match header.levels {
                    Levels::None => 0,
                    Levels::Prefixed => PREFIXED_LEVELS * column.level_kinds(),
                    Levels::Sized(_) | Levels::Both { .. } => page.plain_bytes() as i32,
                };
                let mut descriptor = descriptors::Page {
                    at: self.place(page.at, page.len, page.plain_bytes(), page.compression, index, number),
                    bytes: Bytes::new(page.size()),
                    first_row: row as i64,
                    null_count: header.nulls.map_or(NO_NULL_COUNT, |nulls| i64::try_from(nulls).unwrap_or(i64::MAX)),
                    rows: Rows32::new(header.rows),
                    column: index,
                    number,
                    dictionary: of_chunk,
                    encoding: encoding_of(header.encoding) as i32,
                    level_size,
                    texts: NO_TEXTS,
                    rewritten: NOT_REWRITTEN,
                    leveled: NOT_NESTED,
                    unused: 0,
                };
                if column.levels.is_some() {
                    let end = (of_pages + 1 == chunk.pages.len()).then_some(rows_end);
                    descriptor.leveled = self.nested.add(&descriptor, page, column, of_pages == 0, end);
                    // The nulls are counted with the levels.
                    descriptor.null_count = NO_NULL_COUNT;
                }
                if header.encoding.is_rewritten() {
                    self.rewrite(&mut descriptor, page, column);
                }
                self.add_page(descriptor, column);
                row += header.rows;
                number += 1;
            }
        }
    }

    /// Returns how far the bytes of a page are from the buffer of pages. If the page is compressed, lists it.
    fn place(
        &mut self,
        at: usize,
        len: usize,
        plain: usize,
        compression: Option<Compression>,
        column: i32,
        number: i32,
    ) -> i64 {
        let Some(Compression { codec, size }) = compression else { return at as i64 };
        let (codec, plain) = match codec {
            Codec::Uncompressed => (descriptors::Codec::Uncompressed, len),
            Codec::Snappy => (descriptors::Codec::Snappy, plain),
            Codec::Lz4Raw => (descriptors::Codec::Lz4Raw, plain),
            Codec::Lz4Hadoop => (descriptors::Codec::Lz4Hadoop, plain),
        };
        let place = self.decompressed_bytes;
        let page = descriptors::CompressedPage {
            at: at as i64,
            bytes: Bytes::new(len),
            decompressed: Out::NULL,
            size: size as i64,
            plain: plain as i32,
            codec: codec as i32,
            column,
            number,
        };
        self.compressed.push((page, place));
        self.decompressed_bytes += size.next_multiple_of(PAGE_ALIGNMENT);
        self.distances[0] + place as i64
    }

    /// Lists a page whose values are rewritten, and changes its descriptor to that of a page with plain encoding.
    fn rewrite(&mut self, descriptor: &mut descriptors::Page, page: &Page, column: &ColumnPlan<'_>) {
        let width = column.conversion.stored_width();
        let place = RewrittenPlace::of(page, column.conversion, &mut self.counted).behind(self.rewritten_bytes);
        let rewritten = descriptors::RewrittenPage {
            at: descriptor.at,
            bytes: descriptor.bytes,
            values: Out::NULL,
            sizes: Out::NULL,
            plain_bytes: Bytes::new(place.len()),
            rows: descriptor.rows,
            encoding: descriptor.encoding,
            width: width as i32,
            level_size: descriptor.level_size,
            is_optional: i32::from(column.has_levels()),
            column: descriptor.column,
            number: descriptor.number,
            is_text: i32::from(column.conversion.is_text()),
        };
        descriptor.encoding = descriptors::Encoding::Plain as i32;
        if column.has_levels() || column.text_width().is_some() {
            descriptor.rewritten = self.rewritten.len() as i32;
        } else {
            // If the page has fewer values than rows, it is reported when it is rewritten.
            descriptor.at = self.distances[1] + place.values as i64;
            descriptor.bytes = Bytes::new(page.header.rows * width);
            descriptor.level_size = 0;
        }
        self.rewritten.push((rewritten, place));
        self.rewritten_bytes = place.end.next_multiple_of(PAGE_ALIGNMENT);
    }

    /// Appends a page whose texts get an index, and returns its number.
    fn add_texts(&mut self, page: descriptors::TextPage<'static>) -> i32 {
        self.index_at.push(self.indexed);
        self.indexed += page.limit as usize;
        self.text_pages.push(page);
        self.text_pages.len() as i32 - 1
    }

    /// Returns the number of bytes of the positions of texts.
    pub(super) fn text_bytes(&self) -> usize {
        self.source_bytes + self.indexed * size_of::<u32>()
    }

    /// Appends a page, or its parts.
    fn add_page(&mut self, page: descriptors::Page, column: &ColumnPlan<'_>) {
        let is_plain = page.encoding == descriptors::Encoding::Plain as i32;
        if let (Conversion::Text { is_utf8, .. }, true) = (column.conversion, is_plain) {
            let (mut at, mut bytes, mut level_size) = (page.at, page.bytes, page.level_size);
            if let Some((_, place)) = usize::try_from(page.rewritten).ok().and_then(|number| self.rewritten.get(number))
            {
                (at, bytes, level_size) = (self.distances[1] + place.values as i64, Bytes::new(place.len()), 0);
            }
            // A text has at least the bytes of its size.
            let limit = page.rows.get().min(bytes.get() / column.conversion.stored_width());
            let texts = self.add_texts(descriptors::TextPage {
                at,
                bytes,
                index: Out::NULL,
                limit: limit as i32,
                level_size,
                column: page.column,
                number: page.number,
                is_dictionary: 0,
                is_utf8: i32::from(is_utf8),
                rewritten: page.rewritten,
                unused: 0,
            });
            return self.pages.push(descriptors::Page { texts, ..page });
        }
        if column.has_levels() || !is_plain {
            return self.pages.push(page);
        }
        let rows = page.rows.get();
        // A part before another one has a multiple of 8 rows, whose bits are whole bytes.
        let bytes = |rows: usize| column.conversion.plain_bytes(rows).unwrap_or(usize::MAX);
        for first in (0..rows).step_by(PART_ROWS) {
            let part = PART_ROWS.min(rows - first);
            self.pages.push(descriptors::Page {
                at: page.at + i64::from(page.level_size) + bytes(first) as i64,
                bytes: Bytes::new(bytes(part)),
                first_row: page.first_row + first as i64,
                rows: Rows32::new(part),
                level_size: 0,
                ..page
            });
        }
    }
}

impl Layout {
    pub(super) fn new(columns: usize, listed: &Listed) -> Layout {
        let compressed = columns * size_of::<descriptors::Column<'_>>();
        let rewritten = compressed + listed.compressed.len() * size_of::<descriptors::CompressedPage<'_>>();
        let dictionaries = rewritten + listed.rewritten.len() * size_of::<descriptors::RewrittenPage<'_>>();
        let pages = dictionaries + listed.dictionaries.len() * size_of::<descriptors::Dictionary<'_>>();
        let text_pages = pages + listed.pages.len() * size_of::<descriptors::Page>();
        let leveled = text_pages + listed.text_pages.len() * size_of::<descriptors::TextPage<'_>>();
        let nested = &listed.nested;
        let nested_columns = leveled + nested.pages.len() * size_of::<descriptors::LeveledPage<'_>>();
        let nodes = nested_columns + nested.columns.len() * size_of::<descriptors::NestedColumn<'_>>();
        let lowest = nodes + nested.nodes * size_of::<descriptors::NestedNode<'_>>();
        let statuses = lowest + (nested.lowest.len() * size_of::<i32>()).next_multiple_of(size_of::<u64>());
        let counted = statuses + columns * size_of::<descriptors::Status>();
        let counts = counted + nested.counted() * size_of::<u64>();
        let end = counts + listed.text_pages.len() * size_of::<descriptors::TextCount>();
        Layout {
            compressed,
            rewritten,
            dictionaries,
            pages,
            text_pages,
            leveled,
            nested_columns,
            nodes,
            lowest,
            statuses,
            counted,
            counts,
            end,
        }
    }
}

fn encoding_of(encoding: Encoding) -> descriptors::Encoding {
    match encoding {
        Encoding::Plain => descriptors::Encoding::Plain,
        Encoding::Keys => descriptors::Encoding::Keys,
        Encoding::Rle => descriptors::Encoding::Rle,
        Encoding::ByteStreamSplit => descriptors::Encoding::ByteStreamSplit,
        Encoding::DeltaBinaryPacked => descriptors::Encoding::DeltaBinaryPacked,
        Encoding::DeltaLengthByteArray => descriptors::Encoding::DeltaLengthByteArray,
        Encoding::DeltaByteArray => descriptors::Encoding::DeltaByteArray,
    }
}
