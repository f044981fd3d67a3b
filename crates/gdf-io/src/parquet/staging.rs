//! Pages on their way to a GPU.
//!
//! Threads read column chunks into pinned memory, from where they are copied to the GPU. Pages that are not compressed, or
//! compressed by Snappy or LZ4, are copied as they are, and others are decompressed before.

use std::cmp::Reverse;
use std::ops::Range;

use gdf_core::map_items;
use gdf_decode::{Chunk, Codec, Compression, DictionaryPage, PADDING, PAGE_ALIGNMENT, Page};
use gdf_driver::Stream;
use gdf_memory::{AccessMut, Buffer};
use parquet::file::metadata::ColumnChunkMetaData;

use super::codecs::Decompressor;
use super::failure::contained;
use super::header::{LevelsOf, PageOf};
use super::leaf::LeafForm;
use super::packed::{ChunkRuns, FoundPage, PageRun, Wanted, codec_of, pages_in};
use super::place::Scratch;
use super::plan::{Plan, Unit};
use super::selected::ranges_of;
use crate::Result;
use crate::target::Target;

/// A column chunk whose metadata claim more decompressed bytes for a compressed byte is left to the CPU, which reads it
/// page by page.
const MOST_EXPANSION: usize = 64;
/// A thread copies at most this number of bytes at once to the GPU, or one row group. The start of a copy takes as long
/// as the link needs for some 100 KB.
const MOST_OF_TASK: usize = 8 << 20;
/// The number of copies of each thread, if they have less than [`MOST_OF_TASK`] bytes.
const TASKS_OF_THREAD: usize = 4;
/// A column chunk of at most this number of bytes may have any expansion.
const SMALL: usize = 1 << 20;

/// A leaf column of a read, whose pages are copied to the GPU.
pub(super) struct LeafColumn {
    /// The number of its column.
    pub(super) column: usize,
    pub(super) form: LeafForm,
    /// The number of the leaf in the file of each unit.
    pub(super) leaves: Vec<usize>,
    /// The memory that each unit takes.
    pub(super) sizes: Vec<PageBytes>,
}

/// The memory that the pages of a unit take on the GPU.
#[derive(Clone, Copy, Debug)]
pub(super) struct PageBytes {
    /// The number of bytes that are copied.
    staged: usize,
    /// The number of bytes that the GPU makes of them by decompression.
    decompressed: usize,
}

/// The pages of leaf columns, on the GPU.
pub(super) struct Copied {
    pub(super) bytes: Buffer,
    /// For each leaf column, its units. `None` is a unit that the CPU must read.
    pub(super) chunks: Vec<Vec<Option<Chunk>>>,
    /// For each leaf column and unit, the rows of the row group that the pages have.
    pub(super) rows: Vec<Vec<Vec<Range<usize>>>>,
}

/// A column chunk whose pages are copied.
#[derive(Clone, Copy)]
struct UnitChunk<'a> {
    unit: &'a Unit,
    /// The number of the leaf in the file of the unit.
    leaf: usize,
    levels: LevelsOf,
    /// The number of bytes that all pages take.
    staged: usize,
}

/// The pages of a leaf column in a row group, or some consecutive ones of them.
struct Piece<'a> {
    unit: &'a Unit,
    /// The number of the leaf in the file of the unit.
    leaf: usize,
    /// The bytes of the file that have the pages. `None` is the whole column chunk.
    range: Option<Range<u64>>,
    /// The number of bytes that are copied to the GPU.
    staged: usize,
}

/// The pages of a piece, in the buffer of all pages.
struct CopiedPiece {
    chunk: Chunk,
    /// The number of rows of all pages, if their headers say it.
    rows: Option<usize>,
}

/// Consecutive pieces of a leaf column, which a thread copies to the GPU.
struct Task<'a> {
    plan: &'a Plan,
    levels: LevelsOf,
    pieces: Vec<Piece<'a>>,
    /// The position in the buffer of all pages.
    at: usize,
}

impl PageBytes {
    /// Returns the bytes of a column chunk, or `None` if the metadata claim an unusual compression.
    pub(super) fn of(chunk: &ColumnChunkMetaData) -> Option<PageBytes> {
        let bytes = usize::try_from(chunk.uncompressed_size()).ok()?;
        let compressed = usize::try_from(chunk.compressed_size()).ok()?;
        // A page grows by less than 16 bytes when it is aligned, and its header, which is not copied, is longer.
        let whole = bytes.checked_next_multiple_of(PAGE_ALIGNMENT)?.checked_add(PAGE_ALIGNMENT)?;
        let (staged, decompressed) = match codec_of(chunk) {
            Some(_) => (compressed.checked_next_multiple_of(PAGE_ALIGNMENT)?, whole),
            None => (whole, 0),
        };
        (bytes <= SMALL || bytes / MOST_EXPANSION <= compressed).then_some(PageBytes { staged, decompressed })
    }
}

impl UnitChunk<'_> {
    /// Returns whether page headers say which pages are copied, in pieces of at most `most` bytes.
    fn is_divided(&self, most: usize) -> bool {
        self.staged > most || self.unit.selection.is_some()
    }
}

impl LeafColumn {
    /// Returns the number of bytes that the pages take, or `None` if no memory has as many.
    pub(super) fn bytes(&self) -> Option<usize> {
        self.sizes.iter().try_fold(0_usize, |sum, size| sum.checked_add(size.staged)?.checked_add(size.decompressed))
    }
}

impl Plan {
    /// Copies the pages of leaf columns to the GPU.
    ///
    /// # Errors
    /// - An allocation failed, or the driver reports an error.
    pub(super) fn copy_pages(&self, leaves: &[LeafColumn], units: &[Unit], target: Target<'_>) -> Result<Copied> {
        let staged = leaves.iter().flat_map(|leaf| &leaf.sizes).map(|size| size.staged);
        let staged = staged.fold(0, usize::saturating_add);
        let most = (staged / (TASKS_OF_THREAD * gdf_core::thread_count())).min(MOST_OF_TASK);
        let mut chunks = Vec::with_capacity(leaves.len() * units.len());
        for LeafColumn { form, leaves, sizes, .. } in leaves {
            let of_leaf = units.iter().zip(leaves).zip(sizes);
            let chunk = |((unit, leaf), size): ((_, &usize), &PageBytes)| UnitChunk {
                unit,
                leaf: *leaf,
                levels: form.levels(),
                staged: size.staged,
            };
            chunks.extend(of_leaf.map(chunk));
        }
        let divided = match chunks.iter().any(|chunk| chunk.is_divided(most)) {
            true => map_items(chunks, &|chunk| self.pieces_of_chunk(chunk, most)),
            false => chunks.into_iter().map(|chunk| self.pieces_of_chunk(chunk, most)).collect(),
        };
        let (pieces, rows): (Vec<Vec<Piece<'_>>>, Vec<Vec<Range<usize>>>) = divided.into_iter().unzip();
        let counts: Vec<usize> = pieces.iter().map(Vec::len).collect();
        let total = pieces.iter().flatten().map(|piece| piece.staged).fold(PADDING, usize::saturating_add);
        let mut bytes = Buffer::uninitialized(total, target.stream, target.temporary)?;
        let scratch = Scratch::new(target)?;
        let mut left = bytes.write_on(target.stream)?;
        let (mut at, mut tasks, mut pieces) = (0, Vec::new(), pieces.into_iter());
        for LeafColumn { form, .. } in leaves {
            let mut of_leaf = pieces.by_ref().take(units.len()).flatten().peekable();
            while let Some(first) = of_leaf.next() {
                let (mut size, mut of_task) = (first.staged, vec![first]);
                while let Some(next) = of_leaf.next_if(|next| size.saturating_add(next.staged) <= most) {
                    size += next.staged;
                    of_task.push(next);
                }
                let task = Task { plan: self, levels: form.levels(), pieces: of_task, at };
                tasks.push((task, left.split_off_front(size)?));
                at += size;
            }
        }
        // The work that takes longest starts first.
        let mut tasks: Vec<_> = tasks.into_iter().enumerate().collect();
        tasks.sort_by_key(|(_, (_, memory))| Reverse(memory.len()));
        let parent = tracing::Span::current();
        let run = |(index, (task, memory)): (usize, (Task<'_>, AccessMut<'_>))| {
            let pieces = task.pieces.len();
            let span = tracing::debug_span!(target: "gdf", parent: &parent, "copy_pages", pieces);
            span.in_scope(|| Ok((index, task.run(memory, scratch.as_ref())?)))
        };
        let mut staged =
            map_items(tasks, &run).into_iter().collect::<Result<Vec<(usize, Vec<Option<CopiedPiece>>)>>>()?;
        staged.sort_by_key(|(index, _)| *index);
        let mut staged = staged.into_iter().flat_map(|(_, staged)| staged);
        let (mut counts, mut rows) = (counts.into_iter(), rows.into_iter());
        let (mut chunks, mut of_leaves) = (Vec::with_capacity(leaves.len()), Vec::with_capacity(leaves.len()));
        for LeafColumn { leaves, .. } in leaves {
            let rows: Vec<Vec<Range<usize>>> = rows.by_ref().take(units.len()).collect();
            let mut of_leaf = Vec::with_capacity(units.len());
            for (((unit, leaf), rows), count) in units.iter().zip(leaves).zip(&rows).zip(counts.by_ref()) {
                let metadata = self.files[unit.file].metadata.metadata().row_group(unit.group).column(*leaf);
                let values = usize::try_from(metadata.num_values()).unwrap_or(0);
                of_leaf.push(joined(staged.by_ref().take(count), rows.iter().map(Range::len).sum(), values));
            }
            chunks.push(of_leaf);
            of_leaves.push(rows);
        }
        drop(left);
        Ok(Copied { bytes, chunks, rows: of_leaves })
    }

    /// Returns the pages of a column chunk that are copied, in pieces of at most `most` bytes, or of one page, and the rows of
    /// the row group that the pages have.
    fn pieces_of_chunk<'a>(&self, chunk: UnitChunk<'a>, most: usize) -> (Vec<Piece<'a>>, Vec<Range<usize>>) {
        let UnitChunk { unit, leaf, levels, staged } = chunk;
        let file = &self.files[unit.file];
        let rows = file.group_rows(unit.group);
        let whole = || (vec![Piece { unit, leaf, range: None, staged }], std::iter::once(0..rows).collect());
        if !chunk.is_divided(most) {
            return whole();
        }
        // A header does not say how many rows a page of lists has.
        let selected = unit.selection.as_ref().filter(|_| matches!(levels, LevelsOf::Flat { .. })).map(ranges_of);
        let wanted = selected.as_ref().map_or(Wanted::All(rows), |selected| Wanted::Some(selected, levels));
        let is_copied = codec_of(file.metadata.metadata().row_group(unit.group).column(leaf)).is_some();
        // A run that is copied begins with the header of its first page, and its pages are not aligned.
        let measure = |[stored, size]: [usize; 2]| if is_copied { stored } else { aligned(size) };
        let found = contained(|| Ok(file.page_runs(unit.group, leaf, wanted, most, &measure))).ok().flatten();
        // The metadata state the memory that is reserved. If the headers claim more, the CPU reads the chunk.
        let is_claimed = |found: &ChunkRuns| found.runs.iter().map(|run| run.bytes).sum::<usize>() <= staged;
        let piece = |PageRun { range, bytes }| Piece { unit, leaf, range: Some(range), staged: aligned(bytes) };
        found
            .filter(is_claimed)
            .map_or_else(whole, |ChunkRuns { runs, rows }| (runs.into_iter().map(piece).collect(), rows))
    }
}

fn aligned(bytes: usize) -> usize {
    bytes.checked_next_multiple_of(PAGE_ALIGNMENT).unwrap_or(usize::MAX)
}

/// Joins the pieces of a column chunk. The result is `None` if a piece is missing, or if the pages are not those of a column
/// chunk with `rows` rows and at most `values` values.
fn joined(pieces: impl Iterator<Item = Option<CopiedPiece>>, rows: usize, values: usize) -> Option<Chunk> {
    let (mut chunk, mut of_pages, mut is_right) = (Chunk::default(), Some(0_usize), true);
    // All pieces are taken from the iterator, which also has those of the next chunk.
    for piece in pieces {
        match piece {
            // The dictionary is the first page.
            Some(CopiedPiece { chunk: piece, rows })
                if piece.dictionary.is_none() || chunk.pages.is_empty() && chunk.dictionary.is_none() =>
            {
                chunk.dictionary = piece.dictionary.or(chunk.dictionary);
                chunk.pages.extend(piece.pages);
                of_pages = of_pages.and_then(|sum| sum.checked_add(rows?));
            }
            Some(_) | None => is_right = false,
        }
    }
    let counted = chunk.pages.iter().try_fold(0_usize, |sum, page| sum.checked_add(page.header.rows));
    // If the headers do not say the number of rows, the decoder counts them.
    let is_claimed = counted.is_some_and(|counted| counted <= values) && of_pages.is_none_or(|found| found == rows);
    (is_right && is_claimed).then_some(chunk)
}

impl CopiedPiece {
    /// Adds a page that lies at a position of the buffer of all pages.
    fn push(&mut self, page: &PageOf, at: usize, len: usize, compression: Option<Compression>) -> Option<()> {
        let chunk = &mut self.chunk;
        match page {
            // The dictionary is the first page.
            PageOf::Dictionary(_) if chunk.dictionary.is_some() || !chunk.pages.is_empty() => return None,
            PageOf::Dictionary(values) => {
                chunk.dictionary = Some(DictionaryPage { at, len, compression, values: *values });
            }
            PageOf::Data { header, rows, .. } => {
                chunk.pages.push(Page { at, len, compression, header: *header });
                self.rows = self.rows.and_then(|sum| sum.checked_add((*rows)?));
            }
        }
        Some(())
    }
}

/// Decompresses a page on the CPU. The levels of a page of version 2 are not compressed.
fn decompress(body: &[u8], page: &PageOf, codec: &mut Decompressor, into: &mut [u8]) -> Option<()> {
    let plain = if page.is_compressed() { page.plain_bytes()? } else { body.len() };
    let ((levels, values), (into_levels, into_values)) =
        (body.split_at_checked(plain)?, into.split_at_mut_checked(plain)?);
    into_levels.copy_from_slice(levels);
    if page.is_compressed() { codec.decompress(values, into_values) } else { into_values.is_empty().then_some(()) }
}

impl Task<'_> {
    /// Decompresses the pages into pinned memory, and begins their copy to the GPU. Without staging memory, the target
    /// is the CPU. The result is `None` for a unit that has other pages than its metadata claim.
    fn run(self, mut memory: AccessMut<'_>, scratch: Option<&Scratch<'_>>) -> Result<Vec<Option<CopiedPiece>>> {
        let Some(scratch) = scratch else { return Ok(self.copied(memory.as_mut_slice()?).0) };
        let mut staging = scratch.take(std::slice::from_ref(&memory))?;
        let (mut staged, mut used) = (Vec::new(), 0);
        if let Some(buffer) = staging.first_mut() {
            let mut access = buffer.write_part_on(0, memory.len(), &Stream::cpu())?;
            (staged, used) = self.copied(access.as_mut_slice()?);
        }
        scratch.send(&staging, &mut [memory.split_off_front(used)?])?;
        scratch.give_back(staging);
        Ok(staged)
    }

    /// Copies the pages of all pieces to `memory`. Also returns the number of bytes up to the end of the last page.
    fn copied(&self, memory: &mut [u8]) -> (Vec<Option<CopiedPiece>>, usize) {
        let (mut used, mut compressed) = (0, Vec::new());
        let copied = |piece| self.copied_piece(piece, memory, &mut used, &mut compressed);
        let staged = self.pieces.iter().map(copied).collect();
        (staged, used)
    }

    /// Copies the pages of a piece to `memory` behind the bytes that are used. `compressed` is memory for pages that the
    /// CPU decompresses.
    fn copied_piece(
        &self,
        piece: &Piece<'_>,
        memory: &mut [u8],
        used: &mut usize,
        compressed: &mut Vec<u8>,
    ) -> Option<CopiedPiece> {
        let file = &self.plan.files[piece.unit.file];
        let metadata = file.metadata.metadata().row_group(piece.unit.group).column(piece.leaf);
        let of_chunk = || contained(|| Ok(file.chunk_range(piece.unit.group, piece.leaf))).ok();
        let range = piece.range.clone().or_else(of_chunk)?;
        let start = aligned(*used);
        let mut copied = CopiedPiece { chunk: Chunk::default(), rows: Some(0) };
        if let Some(codec) = codec_of(metadata) {
            let len = usize::try_from(range.end.checked_sub(range.start)?).ok()?;
            let bytes = memory.get_mut(start..start.checked_add(len)?)?;
            contained(|| file.read_into(range.start, bytes)).ok()?;
            for FoundPage { body, size, page } in pages_in(metadata, bytes, self.levels)? {
                let codec = if page.is_compressed() { codec } else { Codec::Uncompressed };
                let compression = Some(Compression { codec, size });
                copied.push(&page, self.at + start + body.start, body.len(), compression)?;
            }
            *used = start + len;
            return Some(copied);
        }
        let mut codec = Decompressor::of(metadata.compression())?;
        let bytes = contained(|| file.read_range(range, compressed)).ok()?;
        let mut end = start;
        for FoundPage { body, size, page } in pages_in(metadata, bytes, self.levels)? {
            let start = aligned(end);
            end = start.checked_add(size)?;
            let into = memory.get_mut(start..end)?;
            decompress(&bytes[body], &page, &mut codec, into)?;
            copied.push(&page, self.at + start, size, None)?;
        }
        *used = end;
        Some(copied)
    }
}

#[cfg(test)]
mod tests {
    use gdf_decode::{Encoding, Levels, PageHeader};

    use super::*;

    fn piece(values: usize, rows: Option<usize>, has_dictionary: bool) -> Option<CopiedPiece> {
        let header = PageHeader { rows: values, encoding: Encoding::Plain, levels: Levels::None, nulls: None };
        let dictionary = has_dictionary.then_some(DictionaryPage { at: 0, len: 0, compression: None, values: 0 });
        let pages = vec![Page { at: 0, len: 0, compression: None, header }];
        Some(CopiedPiece { chunk: Chunk { dictionary, pages }, rows })
    }

    #[test]
    fn pieces_have_what_the_metadata_claim() {
        for (pieces, rows, values, is_right) in [
            (vec![piece(5, Some(3), true), piece(4, Some(3), false)], 6, 9, true),
            (vec![piece(5, Some(3), false), piece(4, Some(3), false)], 7, 9, false),
            (vec![piece(5, Some(3), false), piece(4, Some(3), false)], 6, 8, false),
            // Nobody knows the rows of one page.
            (vec![piece(5, None, false), piece(4, Some(3), false)], 1, 9, true),
            (vec![piece(5, Some(3), false), piece(4, Some(3), true)], 6, 9, false),
            (vec![piece(5, Some(3), false), None], 3, 5, false),
            (vec![], 0, 0, true),
            (vec![], 1, 1, false),
        ] {
            let mut pieces = pieces.into_iter();
            assert_eq!(joined(pieces.by_ref(), rows, values).is_some(), is_right);
            assert_eq!(pieces.count(), 0);
        }
    }
}
