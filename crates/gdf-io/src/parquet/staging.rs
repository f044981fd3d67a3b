//! Pages on their way to a GPU.
//!
//! Threads read column chunks into pinned memory, from where they are copied to the GPU. Pages that are not compressed, or
//! compressed by Snappy or LZ4, are copied as they are, and others are decompressed before.

use std::cmp::Reverse;

use gdf_core::map_items;
use gdf_decode::{Chunk, DictionaryPage, PADDING, PAGE_ALIGNMENT, Page as DataPage};
use gdf_driver::Stream;
use gdf_memory::{AccessMut, Buffer};
use parquet::column::page::{Page, PageReader};
use parquet::file::metadata::ColumnChunkMetaData;

use super::failure::contained;
use super::header::{LevelsOf, encoding_of};
use super::leaf::LeafForm;
use super::packed::{codec_of, pages_of};
use super::pages::header_of;
use super::place::Scratch;
use super::plan::{Plan, Unit};
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
}

/// Consecutive row groups of a leaf column whose pages a thread copies to the GPU.
struct Task<'a> {
    plan: &'a Plan,
    levels: LevelsOf,
    units: &'a [Unit],
    /// The number of the leaf in the file of each unit.
    leaves: &'a [usize],
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
            Some(_) => (compressed, whole),
            None => (whole, 0),
        };
        (bytes <= SMALL || bytes / MOST_EXPANSION <= compressed).then_some(PageBytes { staged, decompressed })
    }
}

impl LeafColumn {
    /// Returns the number of bytes that the pages take, or `None` if no memory has as many.
    pub(super) fn bytes(&self) -> Option<usize> {
        self.sizes.iter().try_fold(0_usize, |sum, size| sum.checked_add(size.staged)?.checked_add(size.decompressed))
    }

    fn staged_bytes(&self) -> usize {
        self.sizes.iter().fold(0, |sum, size| sum.saturating_add(size.staged))
    }
}

impl Plan {
    /// Copies the pages of leaf columns to the GPU.
    ///
    /// # Errors
    /// - An allocation failed, or the driver reports an error.
    pub(super) fn copy_pages(&self, leaves: &[LeafColumn], units: &[Unit], target: Target<'_>) -> Result<Copied> {
        let total = leaves.iter().map(LeafColumn::staged_bytes).fold(PADDING, usize::saturating_add);
        let mut bytes = Buffer::uninitialized(total, target.stream, target.temporary)?;
        let scratch = Scratch::new(target)?;
        let most = (bytes.len() / (TASKS_OF_THREAD * gdf_core::thread_count())).min(MOST_OF_TASK);
        let mut left = bytes.write_on(target.stream)?;
        let (mut at, mut tasks) = (0, Vec::new());
        for LeafColumn { form, leaves, sizes, .. } in leaves {
            let mut first = 0;
            while first < units.len() {
                let (mut end, mut size) = (first + 1, sizes[first].staged);
                while let Some(next) = sizes.get(end).filter(|next| size + next.staged <= most) {
                    (end, size) = (end + 1, size + next.staged);
                }
                let (levels, units, leaves) = (form.levels(), &units[first..end], &leaves[first..end]);
                tasks.push((Task { plan: self, levels, units, leaves, at }, left.split_off_front(size)?));
                (first, at) = (end, at + size);
            }
        }
        // The work that takes longest starts first.
        let mut tasks: Vec<_> = tasks.into_iter().enumerate().collect();
        tasks.sort_by_key(|(_, (_, memory))| Reverse(memory.len()));
        let parent = tracing::Span::current();
        let run = |(index, (task, memory)): (usize, (Task<'_>, AccessMut<'_>))| {
            let row_groups = task.units.len();
            let span = tracing::debug_span!(target: "gdf", parent: &parent, "copy_pages", row_groups);
            span.in_scope(|| Ok((index, task.run(memory, scratch.as_ref())?)))
        };
        let mut staged = map_items(tasks, &run).into_iter().collect::<Result<Vec<(usize, Vec<Option<Chunk>>)>>>()?;
        staged.sort_by_key(|(index, _)| *index);
        let mut staged = staged.into_iter().flat_map(|(_, staged)| staged);
        let chunks = leaves.iter().map(|_| staged.by_ref().take(units.len()).collect()).collect();
        drop(left);
        Ok(Copied { bytes, chunks })
    }
}

impl Task<'_> {
    /// Decompresses the pages into pinned memory, and begins their copy to the GPU. Without staging memory, the target
    /// is the CPU. The result is `None` for a unit that has other pages than its metadata claim.
    fn run(self, mut memory: AccessMut<'_>, scratch: Option<&Scratch<'_>>) -> Result<Vec<Option<Chunk>>> {
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

    /// Copies the pages of all units to `memory`. Also returns the number of bytes up to the end of the last page.
    fn copied(&self, memory: &mut [u8]) -> (Vec<Option<Chunk>>, usize) {
        let mut used = 0;
        let units = self.units.iter().zip(self.leaves);
        let staged = units.map(|(unit, leaf)| self.copied_unit(unit, *leaf, memory, &mut used)).collect();
        (staged, used)
    }

    fn copied_unit(&self, unit: &Unit, leaf: usize, memory: &mut [u8], used: &mut usize) -> Option<Chunk> {
        let file = &self.plan.files[unit.file];
        let metadata = file.metadata.metadata().row_group(unit.group).column(leaf);
        if let Some(codec) = codec_of(metadata) {
            let (start, len) = (*used, usize::try_from(metadata.compressed_size()).ok()?);
            let bytes = memory.get_mut(start..start.checked_add(len)?)?;
            contained(|| file.read_chunk(unit.group, leaf, bytes)).ok()?;
            let chunk = pages_of(metadata, codec, bytes, self.at + start, self.levels, unit.rows)?;
            *used = start + len;
            return Some(chunk);
        }
        let (mut chunk, mut rows) = (Chunk::default(), 0_usize);
        let mut pages = contained(|| file.pages_at_once(unit.group, leaf)).ok()?;
        while let Some(page) = contained(|| pages.get_next_page()).ok()? {
            let body = page.buffer();
            let (start, len) = (used.next_multiple_of(PAGE_ALIGNMENT), body.len());
            memory.get_mut(start..start.checked_add(len)?)?.copy_from_slice(body);
            *used = start + len;
            let at = self.at + start;
            if let Page::DictionaryPage { num_values, encoding, .. } = &page {
                encoding_of(*encoding)?;
                let values = *num_values as usize;
                if chunk.dictionary.replace(DictionaryPage { at, len, compression: None, values }).is_some() {
                    return None;
                }
                continue;
            }
            let header = header_of(&page, self.levels)?;
            rows = rows.checked_add(header.rows)?;
            chunk.pages.push(DataPage { at, len, compression: None, header });
        }
        // The decoder counts the rows of a nested column.
        (rows == unit.rows || matches!(self.levels, LevelsOf::Nested { .. })).then_some(chunk)
    }
}
