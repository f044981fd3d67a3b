//! What both halves do first: the checks that need no byte of a page, and the sizes of columns.

use gdf_memory::MemoryError;

use crate::Ctx;
use crate::batch::{
    Batch, Chunk, Codec, ColumnPages, Compression, DictionaryPage, Encoding, Flaw, Levels, Nesting, Page, Refused,
};
use crate::conversion::Conversion;
use crate::nesting::{LevelPlan, NodePlan};

/// Each page begins at a multiple of this number of bytes.
pub const PAGE_ALIGNMENT: usize = 16;

/// The number of bytes that follow the last page in the buffer. Kernels may read them, and make nothing of them.
pub const PADDING: usize = 16;

/// The largest number of rows, and of bytes, of a page.
const MOST: usize = i32::MAX as usize;

/// The columns of a batch.
pub(crate) struct Plan<'b> {
    pub(crate) columns: Vec<Result<ColumnPlan<'b>, Refused>>,
}

/// A column whose descriptors are possible: every page is within the buffer, and every dictionary page has the bytes of
/// its values.
#[derive(Clone)]
pub(crate) struct ColumnPlan<'b> {
    pub(crate) pages: &'b ColumnPages,
    pub(crate) conversion: Conversion,
    /// The levels of a nested column.
    pub(crate) levels: Option<LevelPlan>,
    /// The number of rows. Of a nested column, the number of levels, and there are at most as many slots at each depth.
    pub(crate) rows: usize,
}

impl<'b> Plan<'b> {
    /// Plans a batch whose pages are in a buffer of `bytes` bytes.
    pub(crate) fn new(batch: &'b Batch, bytes: usize) -> Self {
        let column = |(column, pages): (usize, &'b ColumnPages)| {
            ColumnPlan::new(pages, bytes).map_err(|(page, flaw)| Refused { column, page, flaw })
        };
        Plan { columns: batch.columns.iter().enumerate().map(column).collect() }
    }

    /// Returns the columns that are decoded, with their numbers.
    pub(crate) fn decoded(&self) -> impl Iterator<Item = (usize, &ColumnPlan<'b>)> {
        self.columns.iter().enumerate().filter_map(|(index, column)| Some((index, column.as_ref().ok()?)))
    }
}

impl<'b> ColumnPlan<'b> {
    fn new(pages: &'b ColumnPages, bytes: usize) -> Result<Self, (usize, Flaw)> {
        let conversion = Conversion::of(pages.stored, &pages.data_type).ok_or((0, Flaw::Unsupported))?;
        let nesting = pages.nesting.as_ref();
        let levels = nesting.map(|nesting| LevelPlan::new(nesting, pages.is_optional)).transpose();
        let levels = levels.map_err(|flaw| (0, flaw))?;
        if nesting.is_some_and(|nesting| !has_rows_of_chunks(nesting, &pages.chunks)) {
            return Err((0, Flaw::Rows));
        }
        let (mut rows, mut number, mut keys) = (0_usize, 0, 0_usize);
        for chunk in &pages.chunks {
            if let Some(dictionary) = &chunk.dictionary {
                check_dictionary(dictionary, conversion, bytes).map_err(|flaw| (number, flaw))?;
                keys += dictionary.values;
                if conversion == Conversion::Keys && u32::try_from(keys).is_err() {
                    return Err((number, Flaw::Dictionary));
                }
                number += 1;
            }
            for page in &chunk.pages {
                let has_dictionary = chunk.dictionary.is_some();
                check_page(page, pages, has_dictionary, conversion, bytes).map_err(|flaw| (number, flaw))?;
                rows = rows.checked_add(page.header.rows).ok_or((number, Flaw::Rows))?;
                number += 1;
            }
        }
        Ok(ColumnPlan { pages, conversion, levels, rows })
    }

    /// Returns whether a page may have fewer values than rows.
    pub(crate) fn has_levels(&self) -> bool {
        self.pages.is_optional || self.levels.is_some()
    }

    /// Returns the number of kinds of levels that pages have.
    pub(crate) fn level_kinds(&self) -> i32 {
        match &self.levels {
            Some(levels) => i32::from(levels.max_repetition() > 0) + i32::from(levels.max_definition > 0),
            None => i32::from(self.pages.is_optional),
        }
    }

    /// Returns the compression of each page that is compressed.
    pub(crate) fn compressions(&self) -> impl Iterator<Item = Compression> {
        self.pages.chunks.iter().flat_map(|chunk| {
            let of_dictionary = chunk.dictionary.and_then(|page| page.compression);
            of_dictionary.into_iter().chain(chunk.pages.iter().filter_map(|page| page.compression))
        })
    }

    /// Returns the number of bytes of the values, or of the offsets of texts. `None` is more than any memory has.
    pub(crate) fn value_bytes(&self) -> Option<usize> {
        if self.conversion == Conversion::Bit {
            return Some(self.mask_bytes());
        }
        let end = usize::from(self.text_width().is_some());
        self.rows.checked_add(end)?.checked_mul(self.conversion.width())
    }

    /// Returns the number of bytes of an offset, if the column has texts.
    pub(crate) fn text_width(&self) -> Option<usize> {
        match self.conversion {
            Conversion::Text { width, .. } => Some(width),
            Conversion::Bit
            | Conversion::Copy { .. }
            | Conversion::Bytes { .. }
            | Conversion::Narrow { .. }
            | Conversion::Decimal { .. }
            | Conversion::Timestamp { .. }
            | Conversion::Keys => None,
        }
    }

    /// Returns whether offsets of texts can represent this number of bytes.
    pub(crate) fn has_offsets_for(&self, bytes: usize) -> bool {
        self.text_width() != Some(4) || i32::try_from(bytes).is_ok()
    }

    /// Returns the number of bytes of the values, or of the offsets of texts.
    ///
    /// # Errors
    /// * No memory has as many bytes.
    pub(crate) fn checked_value_bytes(&self, ctx: Ctx<'_>) -> Result<usize, MemoryError> {
        checked(self.value_bytes(), ctx)
    }

    /// Returns the largest number of bytes of the offsets of a node, and of its mask, as far as it has them.
    pub(crate) fn node_bytes(&self, node: &NodePlan) -> [Option<Option<usize>>; 2] {
        let offsets = node.offset_width.map(|width| self.rows.checked_add(1)?.checked_mul(width));
        [offsets, node.valid.map(|_| Some(self.mask_bytes()))]
    }

    /// Returns the number of bytes of the mask, which consists of whole words.
    pub(crate) fn mask_bytes(&self) -> usize {
        self.rows.div_ceil(32) * 4
    }
}

/// Returns a number of bytes. `None` is more than any memory has.
///
/// # Errors
/// * No memory has as many bytes.
pub(crate) fn checked(bytes: Option<usize>, ctx: Ctx<'_>) -> Result<usize, MemoryError> {
    let resource = ctx.mr.output.resource().name();
    bytes.ok_or(MemoryError::OutOfMemory { requested: usize::MAX, free: None, resource })
}

fn check_dictionary(page: &DictionaryPage, conversion: Conversion, bytes: usize) -> Result<(), Flaw> {
    check_position(page.at, page.len, page.compression, bytes)?;
    check_size(page.len, page.compression)?;
    let size = conversion.plain_bytes(page.values);
    if size.is_none_or(|size| size > page.size()) {
        return Err(Flaw::Dictionary);
    }
    Ok(())
}

fn check_page(
    page: &Page,
    column: &ColumnPages,
    has_dictionary: bool,
    conversion: Conversion,
    bytes: usize,
) -> Result<(), Flaw> {
    let header = &page.header;
    check_position(page.at, page.len, page.compression, bytes)?;
    check_size(page.len, page.compression)?;
    if header.rows > MOST {
        return Err(Flaw::Rows);
    }
    if header.encoding == Encoding::DeltaLengthByteArray
        && header.rows.checked_mul(4).is_none_or(|sizes| sizes > MOST - page.size())
    {
        return Err(Flaw::Rows);
    }
    if !conversion.has(column.stored, header.encoding) {
        return Err(Flaw::Unsupported);
    }
    if page.plain_bytes() > page.len {
        return Err(Flaw::Levels);
    }
    if column.nesting.is_some() {
        let is_possible = match header.levels {
            Levels::Prefixed => true,
            Levels::Both { .. } => page.plain_bytes() <= page.size(),
            Levels::None | Levels::Sized(_) => false,
        };
        return if is_possible { Ok(()) } else { Err(Flaw::Levels) };
    }
    let level_size = header.level_size(page.size(), column.is_optional)?;
    if column.is_optional {
        return Ok(());
    }
    if header.nulls.is_some_and(|nulls| nulls != 0) {
        return Err(Flaw::NullCount);
    }
    let left = page.size() - level_size.unwrap_or(0);
    match header.encoding {
        Encoding::Plain | Encoding::ByteStreamSplit
            if conversion.plain_bytes(header.rows).is_none_or(|size| size > left) =>
        {
            Err(Flaw::Values)
        }
        Encoding::Keys if header.rows > 0 && !has_dictionary => Err(Flaw::NoDictionary),
        Encoding::Plain
        | Encoding::Keys
        | Encoding::Rle
        | Encoding::ByteStreamSplit
        | Encoding::DeltaBinaryPacked
        | Encoding::DeltaLengthByteArray
        | Encoding::DeltaByteArray => Ok(()),
    }
}

/// Returns whether each chunk has a number of rows, and pages if it has rows.
fn has_rows_of_chunks(nesting: &Nesting, chunks: &[Chunk]) -> bool {
    let mut of_chunks = nesting.chunk_rows.iter().zip(chunks);
    nesting.chunk_rows.len() == chunks.len() && of_chunks.all(|(rows, chunk)| *rows == 0 || !chunk.pages.is_empty())
}

fn check_position(at: usize, len: usize, compression: Option<Compression>, bytes: usize) -> Result<(), Flaw> {
    let end = at.checked_add(len).and_then(|end| end.checked_add(PADDING));
    let is_within = end.is_some_and(|end| end <= bytes) && len <= MOST;
    let may_be_there = compression.is_some() || at.is_multiple_of(PAGE_ALIGNMENT);
    if is_within && may_be_there { Ok(()) } else { Err(Flaw::Position) }
}

/// Checks that a page can have the decompressed bytes that its header claims.
fn check_size(len: usize, compression: Option<Compression>) -> Result<(), Flaw> {
    let Some(Compression { codec, size }) = compression else { return Ok(()) };
    let is_whole = codec != Codec::Uncompressed || size == len;
    if is_whole && size <= codec.most(len).min(MOST) { Ok(()) } else { Err(Flaw::Size) }
}
