//! Encodes rows as pages, in any form that Parquet allows.

use gdf_core::DataType;
use gdf_decode::{
    Batch, Chunk, ColumnPages, DictionaryPage, Encoding, Levels, PADDING, PAGE_ALIGNMENT, Page, PageHeader, Stored,
};

use crate::deltas;
use crate::prefixes;
use crate::random::Random;

/// A batch and the bytes of its pages.
#[derive(Clone, Debug, Default)]
pub(crate) struct Encoded {
    pub(crate) batch: Batch,
    pub(crate) bytes: Vec<u8>,
}

/// A column that is encoded.
pub(crate) struct Encoder<'e> {
    pub(crate) random: &'e mut Random,
    pub(crate) stored: Stored,
    pub(crate) is_v2: bool,
    pub(crate) column: ColumnPages,
}

impl Encoded {
    /// Appends a page, and returns its position.
    pub(crate) fn push(&mut self, page: &[u8]) -> usize {
        self.bytes.resize(self.bytes.len().next_multiple_of(PAGE_ALIGNMENT), 0xa5);
        let at = self.bytes.len();
        self.bytes.extend_from_slice(page);
        at
    }

    /// Appends the padding.
    pub(crate) fn finish(mut self) -> Self {
        self.bytes.resize(self.bytes.len() + PADDING, 0xa5);
        self
    }
}

/// Returns a text for a number: its low bits say how long the text is. Most texts are short, some are empty, and some
/// have more bytes than a window of a kernel.
pub(crate) fn text_of(number: i128) -> Vec<u8> {
    let number = number as u64;
    let size = match number % 64 {
        0..8 => 0,
        8..48 => number as usize / 64 % 20,
        48..60 => number as usize / 64 % 300,
        60..63 => number as usize / 64 % 3000,
        _ if (number / 64).is_multiple_of(16) => 16_000 + number as usize / 1024 % 30_000,
        _ => 17,
    };
    let alphabet = if number >> 40 & 3 == 0 { "äb€c\u{10ffff}" } else { "abcdefghijk" };
    let mut text = String::new();
    for character in alphabet.chars().cycle().skip(number as usize % 7) {
        if text.len() + character.len_utf8() > size {
            break;
        }
        text.push(character);
    }
    text.into_bytes()
}

/// Returns the bytes of a text in a plain page.
pub(crate) fn stored_text(text: &[u8]) -> Vec<u8> {
    [&(text.len() as u32).to_le_bytes(), text].concat()
}

/// Returns the bytes of a value in a plain page.
pub(crate) fn stored_bytes(stored: Stored, value: i128) -> Vec<u8> {
    match stored {
        Stored::Boolean => vec![value as u8 & 1],
        Stored::Int32 | Stored::Float => (value as i32).to_le_bytes().to_vec(),
        Stored::Int96 => value.to_le_bytes()[..12].to_vec(),
        Stored::Int64 | Stored::Double => (value as i64).to_le_bytes().to_vec(),
        // Floats are the only little-endian values of two bytes.
        Stored::FixedLenByteArray(size) => value.to_be_bytes()[16 - size..].to_vec(),
        Stored::ByteArray => stored_text(&text_of(value)),
    }
}

/// Returns the bytes of a value, without the size of a text.
fn value_bytes(stored: Stored, value: i128) -> Vec<u8> {
    if stored == Stored::ByteArray { text_of(value) } else { stored_bytes(stored, value) }
}

impl<'e> Encoder<'e> {
    pub(crate) fn new(random: &'e mut Random, stored: Stored, data_type: DataType, is_optional: bool) -> Self {
        let is_v2 = random.once_in(2);
        Encoder {
            random,
            stored,
            is_v2,
            column: ColumnPages { data_type, stored, is_optional, nesting: None, chunks: Vec::new() },
        }
    }

    /// Begins a chunk, with a dictionary if there is one.
    pub(crate) fn begin_chunk(&mut self, dictionary: Option<&[i128]>, encoded: &mut Encoded) {
        let dictionary = dictionary.map(|values| {
            let mut page: Vec<u8> = values.iter().flat_map(|value| stored_bytes(self.stored, *value)).collect();
            if self.random.once_in(4) {
                page.push(7);
            }
            DictionaryPage { at: encoded.push(&page), len: page.len(), compression: None, values: values.len() }
        });
        self.column.chunks.push(Chunk { dictionary, pages: Vec::new() });
    }

    /// Appends a page to the chunk. With keys, rows are positions in the dictionary.
    pub(crate) fn page(&mut self, rows: &[Option<i128>], encoding: Encoding, encoded: &mut Encoded) {
        let mut page = Vec::new();
        let mut levels = Levels::None;
        if self.column.is_optional {
            let bits: Vec<u32> = rows.iter().map(|row| u32::from(row.is_some())).collect();
            let mut runs = Vec::new();
            encode_runs(&bits, 1, self.random, &mut runs);
            levels = if self.is_v2 {
                Levels::Sized(runs.len())
            } else {
                page.extend_from_slice(&(runs.len() as u32).to_le_bytes());
                Levels::Prefixed
            };
            page.extend_from_slice(&runs);
        } else if self.is_v2 {
            levels = Levels::Sized(0);
        }
        let values: Vec<i128> = rows.iter().flatten().copied().collect();
        self.push(page, levels, rows.len(), &values, encoding, encoded);
    }

    /// Appends a page of a nested column to the chunk: repetition and definition levels, of which the largest ones are
    /// `most`, and values.
    pub(crate) fn nested_page(
        &mut self,
        levels: &[(u8, u8)],
        most: (u8, u8),
        values: &[i128],
        encoding: Encoding,
        encoded: &mut Encoded,
    ) {
        let repetition: Vec<u32> = levels.iter().map(|(repetition, _)| u32::from(*repetition)).collect();
        let definition: Vec<u32> = levels.iter().map(|(_, definition)| u32::from(*definition)).collect();
        let (mut page, mut sizes) = (Vec::new(), Vec::new());
        for (levels, most) in [(repetition, most.0), (definition, most.1)] {
            let (mut runs, width) = (Vec::new(), (8 - most.leading_zeros()) as usize);
            if width > 0 {
                encode_runs(&levels, width, self.random, &mut runs);
            }
            if width > 0 && !self.is_v2 {
                page.extend_from_slice(&(runs.len() as u32).to_le_bytes());
            }
            page.extend_from_slice(&runs);
            sizes.push(runs.len());
        }
        let of_page = match self.is_v2 {
            true => Levels::Both { repetition: sizes[0], definition: sizes[1] },
            false => Levels::Prefixed,
        };
        self.push(page, of_page, levels.len(), values, encoding, encoded);
    }

    /// Appends a page that begins with its levels.
    fn push(
        &mut self,
        mut page: Vec<u8>,
        levels: Levels,
        rows: usize,
        values: &[i128],
        encoding: Encoding,
        encoded: &mut Encoded,
    ) {
        match encoding {
            Encoding::Plain if self.stored == Stored::Boolean => {
                let first = page.len();
                page.resize(first + values.len().div_ceil(8), if self.random.once_in(2) { 0 } else { 0xff });
                for (at, value) in values.iter().enumerate() {
                    let byte = &mut page[first + at / 8];
                    *byte = *byte & !(1 << (at % 8)) | (*value as u8) << (at % 8);
                }
            }
            Encoding::DeltaLengthByteArray => {
                let texts: Vec<_> = values.iter().map(|value| text_of(*value)).collect();
                let sizes: Vec<i64> = texts.iter().map(|text| text.len() as i64).collect();
                page.extend(deltas::encode(&sizes, 32, false, self.random));
                page.extend(texts.concat());
            }
            Encoding::DeltaByteArray => {
                let stored: Vec<_> = values.iter().map(|value| value_bytes(self.stored, *value)).collect();
                page.extend(prefixes::encode(&stored, self.random));
            }
            Encoding::DeltaBinaryPacked => {
                let bits = 8 * stored_bytes(self.stored, 0).len();
                let numbers: Vec<i64> = values.iter().map(|value| *value as i64).collect();
                page.extend(deltas::encode(&numbers, bits, true, self.random));
            }
            Encoding::ByteStreamSplit => {
                let stored: Vec<_> = values.iter().map(|value| stored_bytes(self.stored, *value)).collect();
                for byte in 0..stored_bytes(self.stored, 0).len() {
                    page.extend(stored.iter().map(|value| value[byte]));
                }
            }
            Encoding::Rle => {
                let bits: Vec<u32> = values.iter().map(|value| *value as u32).collect();
                let mut runs = Vec::new();
                encode_runs(&bits, 1, self.random, &mut runs);
                page.extend_from_slice(&(runs.len() as u32).to_le_bytes());
                page.extend_from_slice(&runs);
                page.extend(std::iter::repeat_n(0xff, self.random.below(3)));
            }
            Encoding::Plain => page.extend(values.iter().flat_map(|value| stored_bytes(self.stored, *value))),
            Encoding::Keys => {
                let keys: Vec<u32> = values.iter().map(|value| *value as u32).collect();
                let needed = 32 - keys.iter().max().map_or(32, |key| key.leading_zeros()) as usize;
                let width = if self.random.once_in(3) { needed + self.random.below(33 - needed) } else { needed };
                page.push(width as u8);
                encode_runs(&keys, width, self.random, &mut page);
            }
        }
        let has_claim = self.is_v2 || self.random.once_in(5);
        let header = PageHeader { rows, encoding, levels, nulls: has_claim.then_some(rows - values.len()) };
        let page = Page { at: encoded.push(&page), len: page.len(), compression: None, header };
        self.column.chunks.last_mut().expect("a chunk was begun").pages.push(page);
    }

    pub(crate) fn finish(self, encoded: &mut Encoded) {
        encoded.batch.columns.push(self.column);
    }
}

/// Encodes values of `width` bits as runs of any form and length.
fn encode_runs(values: &[u32], width: usize, random: &mut Random, out: &mut Vec<u8>) {
    let groups = random.of(&[1, 2, 63, 400]);
    let prefers_packed = random.once_in(2);
    // Most writers make packed runs of one length.
    let is_even = random.once_in(2);
    let mut at = 0;
    while at < values.len() {
        if random.once_in(40) {
            header(0, random, out);
            out.extend(std::iter::repeat_n(random.next() as u8, width.div_ceil(8)));
        }
        if random.once_in(60) {
            header(1, random, out);
        }
        let equal = values[at..].iter().take_while(|value| **value == values[at]).count();
        if equal >= 8 && !prefers_packed || random.once_in(10) {
            let is_last = at + equal == values.len();
            let count = if random.once_in(4) { 1 + random.below(equal) } else { equal };
            let beyond = if is_last && count == equal && random.once_in(4) { random.below(1000) } else { 0 };
            header(2 * (count + beyond) as u32, random, out);
            out.extend_from_slice(&values[at].to_le_bytes()[..width.div_ceil(8)]);
            at += count;
            continue;
        }
        let groups = if is_even { groups } else { 1 + random.below(groups) }.min((values.len() - at).div_ceil(8));
        // The last group of the last run has values that are not used.
        let used = (groups * 8).min(values.len() - at);
        header(2 * groups as u32 + 1, random, out);
        let first = out.len();
        out.resize(first + groups * width, 0);
        for (index, value) in values[at..at + used].iter().enumerate() {
            for bit in (0..width).filter(|bit| value >> bit & 1 == 1) {
                out[first + (index * width + bit) / 8] |= 1 << ((index * width + bit) % 8);
            }
        }
        at += used;
    }
}

/// Writes a number as a varint, sometimes with more bytes than it takes.
fn header(number: u32, random: &mut Random, out: &mut Vec<u8>) {
    let (mut rest, first) = (number, out.len());
    while rest >= 0x80 {
        out.push(rest as u8 | 0x80);
        rest >>= 7;
    }
    out.push(rest as u8);
    if random.once_in(20) {
        let longest = random.below(6);
        while out.len() - first < longest {
            let last = out.len() - 1;
            out[last] |= 0x80;
            out.push(0);
        }
    }
}
