//! The texts of pages that lack the bytes which each text shares with the one before. The bytes of a page do not bound
//! those of its texts, so one launch counts them, and the CPU waits, before there is memory for the rewritten texts.
//!
//! The sizes of the texts are read twice, because the launch that rewrites pages reads them again: that is cheap, and only
//! one number of each page stays in between.

use gdf_core::Result;
use gdf_engine::cuda::{Kernel, Memory, require};
use gdf_kernels::generated::decode::{self as descriptors, FLAW_BITS, PrefixedSizes};
use gdf_kernels::{In, Out, bytes_of};
use gdf_memory::Buffer;

use super::decompress::{decompress, describe_compressed};
use super::listed::{Listed, is_counted, size_places};
use super::{UNKNOWN, blocks, put};
use crate::Ctx;
use crate::plan::{PAGE_ALIGNMENT, Plan};

/// What is known before the pages of a batch are rewritten.
pub(super) struct Counted {
    /// For each page whose texts are counted, the number of bytes that they have, with those of their sizes. It is zero if
    /// the page is bad, or a page of its column that precedes it.
    pub(super) bytes: Vec<usize>,
    /// The statuses of the columns.
    pub(super) statuses: Vec<descriptors::Status>,
    /// Whether all pages are decompressed.
    pub(super) is_decompressed: bool,
}

/// Where each list begins in the memory of all lists.
struct Layout {
    pages: usize,
    statuses: usize,
    bytes: usize,
    end: usize,
}

/// Returns the numbers of bytes of the buffers of scratch memory.
pub(super) fn scratch_bytes(plan: &Plan<'_>, listed: &Listed) -> [usize; 2] {
    let pages = counted_pages(listed).count();
    let end = if pages == 0 { 0 } else { Layout::new(plan.decoded().count(), listed, pages).end };
    [counted_pages(listed).map(size_bytes).sum(), end]
}

fn counted_pages(listed: &Listed) -> impl Iterator<Item = &descriptors::RewrittenPage<'static>> {
    let of_prefixes = descriptors::Encoding::DeltaByteArray as i32;
    listed.rewritten.iter().map(|(page, _)| page).filter(move |page| page.is_text != 0 && page.encoding == of_prefixes)
}

/// Returns the number of bytes of the sizes of prefixes and suffixes.
fn size_bytes(page: &descriptors::RewrittenPage<'_>) -> usize {
    size_places(page.rows.get()).1
}

impl Counted {
    /// Decompresses the pages of a batch, and counts the bytes of texts, if it has pages for which this is needed.
    pub(super) fn new(plan: &Plan<'_>, bytes: &Buffer, decompressed: &mut Buffer, ctx: Ctx<'_>) -> Result<Counted> {
        let statuses = vec![UNKNOWN; plan.decoded().count()];
        let mut pages = plan.decoded().flat_map(|(_, column)| {
            let pages = column.pages.chunks.iter().flat_map(|chunk| &chunk.pages);
            pages.map(|page| is_counted(page, column.conversion))
        });
        if !pages.any(|is_counted| is_counted) {
            return Ok(Counted { bytes: Vec::new(), statuses, is_decompressed: false });
        }
        let access = bytes.read_on(ctx.stream)?;
        let decompressed = decompressed.write_on(ctx.stream)?;
        let buffers = [access.address(), decompressed.address()];
        let is_aligned = buffers.iter().all(|at| at.is_multiple_of(PAGE_ALIGNMENT as u64));
        require(is_aligned, "the buffer of pages is misaligned")?;
        let listed =
            Listed::new(plan, [decompressed.address().wrapping_sub(access.address()).cast_signed(), 0], Vec::new());
        let total = counted_pages(&listed).map(size_bytes).sum();
        let mut sizes = Buffer::uninitialized(total, ctx.stream, ctx.mr.temporary)?;
        let sizes = sizes.write_on(ctx.stream)?;
        let mut before = 0;
        let page = |page: &descriptors::RewrittenPage<'static>| {
            let place = Memory::of(&sizes).array(before + size_places(page.rows.get()).0, page.rows.get())?;
            before += size_bytes(page);
            Ok(descriptors::RewrittenPage { sizes: place, values: Out::NULL, ..*page })
        };
        let pages = counted_pages(&listed).map(page).collect::<Result<Vec<_>>>()?;
        let compressed = describe_compressed(&listed, &decompressed)?;

        let layout = Layout::new(statuses.len(), &listed, pages.len());
        let mut all = vec![0; layout.end];
        put(&mut all, 0, bytes_of(&compressed))?;
        put(&mut all, layout.pages, bytes_of(&pages))?;
        put(&mut all, layout.statuses, bytemuck::cast_slice(&statuses))?;
        let mut described = Buffer::from_host(&all, ctx.stream, ctx.mr.temporary)?;
        let descriptors = described.write_on(ctx.stream)?;
        let memory = Memory::of(&descriptors);
        let of_columns = memory.array(layout.statuses, statuses.len())?;
        let first = memory.read().array(0, compressed.len())?;
        decompress(&listed, first, &access, &decompressed, of_columns, ctx)?;
        let counts = memory.array(layout.bytes, pages.len())?;
        let of_pages = memory.read().array(layout.pages, pages.len())?;
        let arguments = PrefixedSizes { pages: of_pages, sizes: counts, bytes: In::of(&access) };
        let kernel = Kernel::find(ctx.stream)?;
        // SAFETY: there is a block for each page, which has a number of its own in `sizes`. The plan has checked that the
        // page is within `bytes` or `decompressed`, followed by `PADDING` bytes, and that its levels are as far as their
        // size is known. The kernel checks everything that is stated in a page. Each page has memory of its own for the
        // sizes of prefixes and suffixes of all rows, as far before a multiple of 16 as one of them has bytes. The accesses
        // to all of them are held.
        unsafe { kernel.launch(ctx.stream, blocks(pages.len())?, 1, &arguments)? };
        drop((descriptors, sizes, decompressed));

        let found = described.slice(layout.statuses, layout.end - layout.statuses)?.to_host(ctx.stream)?;
        let (statuses, counts) = found.split_at(layout.bytes - layout.statuses);
        let statuses: Vec<descriptors::Status> =
            statuses.chunks_exact(size_of::<descriptors::Status>()).map(bytemuck::pod_read_unaligned).collect();
        let count = |(page, bytes): (&descriptors::RewrittenPage<'_>, &[u8; 8])| {
            let first_bad = statuses.get(page.column as usize).map_or(0, |status| status.error >> FLAW_BITS);
            if first_bad <= page.number as u64 { 0 } else { u64::from_le_bytes(*bytes) as usize }
        };
        let bytes = counted_pages(&listed).zip(counts.as_chunks::<8>().0).map(count).collect();
        Ok(Counted { bytes, statuses, is_decompressed: true })
    }
}

impl Layout {
    fn new(columns: usize, listed: &Listed, counted: usize) -> Layout {
        let pages = listed.compressed.len() * size_of::<descriptors::CompressedPage<'_>>();
        let statuses = pages + counted * size_of::<descriptors::RewrittenPage<'_>>();
        let bytes = statuses + columns * size_of::<descriptors::Status>();
        Layout { pages, statuses, bytes, end: bytes + counted * size_of::<i64>() }
    }
}
