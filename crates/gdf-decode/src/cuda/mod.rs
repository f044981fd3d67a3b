//! Decoding on CUDA: one upload of descriptors, a launch for dictionaries of decimals and of
//! timestamps of 96 bits, a launch for all pages, one wait.
//!
//! If pages are compressed, the first launch decompresses all of them. Of encodings in which a value has no place of its
//! own, the next launch rewrites the values with plain encoding. With texts, a launch before the pages finds where
//! texts begin, and one behind them adds their sizes. After the wait, the bytes of texts are allocated, and a last launch
//! copies them.
//!
//! If texts lack the bytes that they share with the text before, the bytes that they have with them are counted before they
//! are rewritten, which takes a launch, an upload and a wait more ([`prefixes`]). The launch that decompresses is before that.

mod decompress;
mod described;
mod listed;
mod nested;
mod prefixes;

use gdf_core::{ColumnParts, NullCount, Result};
use gdf_engine::cuda::{Kernel, Memory, Rows, Tiles32, Values, require};
use gdf_kernels::generated::decode::{
    self as descriptors, Bases, Dictionaries, FLAW_BITS, Index, Pages, RewrittenPages, TEXT_TILE, Texts,
};
use gdf_kernels::{In, Out, bytes_of};
use gdf_memory::{AccessMut, Buffer};

use decompress::{decompress, describe_compressed};
use described::{describe, flaw_of};
use nested::{NestedLists, NodeOutput, OpenNode};

use listed::{Layout, Listed, RewrittenPlace, TextRows, decompressed_bytes, rewritten_bytes};
use prefixes::Counted;

use crate::batch::{DecodedColumn, DecodedNode, Flaw, Refused};
use crate::conversion::Conversion;
use crate::nesting::LevelPlan;
use crate::plan::{ColumnPlan, PAGE_ALIGNMENT, Plan};
use crate::{Ctx, vouch};

/// The memory of a column that is decoded.
struct Output {
    /// The values, or the offsets of texts.
    values: Buffer,
    validity: Option<Buffer>,
    /// The bytes of texts, whose number is known after the wait.
    texts: Option<Buffer>,
    /// The lists and structs of a nested column.
    nodes: Vec<NodeOutput>,
}

/// The outputs of a column that are open for kernels.
struct Open<'o> {
    values: AccessMut<'o>,
    validity: Option<AccessMut<'o>>,
    nodes: Vec<OpenNode<'o>>,
}

/// What kernels have found out.
struct Found {
    statuses: Vec<descriptors::Status>,
    /// What was counted of nested columns.
    counts: Vec<u64>,
    /// The positions of the texts of rows, and the indexes of texts.
    texts: Buffer,
    /// For each tile of texts, the number of bytes of the tiles before.
    bases: Buffer,
}

/// A status before the launches.
const UNKNOWN: descriptors::Status = descriptors::Status { error: u64::MAX, nulls: 0, texts: 0 };

/// See [`crate::decode()`].
pub(crate) fn decode(plan: &Plan<'_>, bytes: &Buffer, ctx: Ctx<'_>) -> Result<Vec<Result<DecodedColumn, Refused>>> {
    let mut decompressed = Buffer::uninitialized(decompressed_bytes(plan), ctx.stream, ctx.mr.temporary)?;
    let counted = Counted::new(plan, bytes, &mut decompressed, ctx)?;
    let pages = bytes.read_on(ctx.stream)?.address();
    let mut rewritten = Buffer::uninitialized(rewritten_bytes(plan, &counted.bytes), ctx.stream, ctx.mr.temporary)?;
    let distance = |buffer: &mut Buffer| {
        Ok::<_, gdf_core::Error>(buffer.write_on(ctx.stream)?.address().wrapping_sub(pages).cast_signed())
    };
    let listed = Listed::new(plan, [distance(&mut decompressed)?, distance(&mut rewritten)?], counted.bytes.clone());
    let mut outputs = plan.decoded().map(|(_, column)| Output::new(column, ctx)).collect::<Result<Vec<_>>>()?;
    let (statuses, counts) = if listed.pages.is_empty() && listed.dictionaries.is_empty() {
        (counted.statuses.clone(), vec![0; listed.nested.counted()])
    } else {
        let found = launch(plan, &listed, &counted, &mut outputs, bytes, [&mut decompressed, &mut rewritten], ctx)?;
        copy_texts(plan, &listed, &mut outputs, [bytes, &decompressed, &rewritten], &found, ctx)?;
        (found.statuses, found.counts)
    };
    let mut decoded = outputs.into_iter().zip(&statuses).enumerate();
    let column = |(index, column): (usize, &Result<ColumnPlan<'_>, Refused>)| match column {
        Err(refused) => Ok(Err(*refused)),
        Ok(column) => match decoded.next() {
            Some((number, (output, status))) => {
                let rows = listed.nested.value_slots(number, &counts).unwrap_or(column.rows);
                output.finish(index, column, rows, status, ctx, |plan, nodes| {
                    listed.nested.finish(number, plan, nodes, &counts)
                })
            }
            None => Err(gdf_core::Error::internal("a column has no output")),
        },
    };
    plan.columns.iter().enumerate().map(column).collect()
}

/// Returns the numbers of bytes of the buffers of scratch memory, without the bytes of texts that are counted first.
pub(crate) fn scratch_bytes(plan: &Plan<'_>) -> [usize; 10] {
    let listed = Listed::new(plan, [0; 2], Vec::new());
    let texts = listed.text_rows.iter().flatten().count();
    let [sizes, of_counting] = prefixes::scratch_bytes(plan, &listed);
    [
        decompressed_bytes(plan),
        sizes,
        of_counting,
        rewritten_bytes(plan, &[]),
        Layout::new(plan.decoded().count(), &listed).end,
        listed.decoded_bytes,
        listed.text_bytes(),
        listed.tiles * size_of::<u64>(),
        listed.nested.scratch_bytes(),
        texts * size_of::<descriptors::TextColumn<'_>>(),
    ]
}

/// Launches the kernels, and waits for what they report of each column.
fn launch(
    plan: &Plan<'_>,
    listed: &Listed,
    counted: &Counted,
    outputs: &mut [Output],
    bytes: &Buffer,
    [decompressed, rewritten]: [&mut Buffer; 2],
    ctx: Ctx<'_>,
) -> Result<Found> {
    let access = bytes.read_on(ctx.stream)?;
    let decompressed = decompressed.write_on(ctx.stream)?;
    let rewritten = rewritten.write_on(ctx.stream)?;
    let buffers = [access.address(), decompressed.address(), rewritten.address()];
    require(buffers.iter().all(|at| at.is_multiple_of(PAGE_ALIGNMENT as u64)), "the buffer of pages is misaligned")?;
    let mut decoded = Buffer::uninitialized(listed.decoded_bytes, ctx.stream, ctx.mr.temporary)?;
    let decoded = decoded.write_on(ctx.stream)?;
    let mut texts = Buffer::uninitialized(listed.text_bytes(), ctx.stream, ctx.mr.temporary)?;
    let text_memory = texts.write_on(ctx.stream)?;
    let mut totals = Buffer::zeroed(listed.tiles * size_of::<u64>(), ctx.stream, ctx.mr.temporary)?;
    let open_totals = totals.write_on(ctx.stream)?;
    let mut levels = Buffer::zeroed(listed.nested.scratch_bytes(), ctx.stream, ctx.mr.temporary)?;
    let levels = levels.write_on(ctx.stream)?;
    let open = outputs.iter_mut().map(|output| output.open(ctx)).collect::<Result<Vec<_>>>()?;

    let columns = plan.decoded().zip(&open).map(|((_, column), output)| describe(column, output));
    let mut columns = columns.collect::<Result<Vec<_>>>()?;
    for ((column, text_rows), (_, plan)) in columns.iter_mut().zip(&listed.text_rows).zip(plan.decoded()) {
        let Some(TextRows { sources, first_tile, tiles }) = *text_rows else { continue };
        column.values = Memory::of(&text_memory).array::<i64>(sources, plan.rows)?.cast();
        column.totals = Memory::of(&open_totals).array(first_tile * size_of::<u64>(), tiles)?;
        column.tiles = Tiles32::new(tiles);
    }
    let compressed = describe_compressed(listed, &decompressed)?;
    let rewritten_page = |(page, place): &(descriptors::RewrittenPage<'static>, RewrittenPlace)| {
        let memory = Memory::of(&rewritten);
        let sizes = place.sizes.map_or(Ok(Out::NULL), |sizes| memory.array(sizes, page.rows.get()))?;
        Ok(descriptors::RewrittenPage { values: memory.array(place.values, 0)?, sizes, ..*page })
    };
    let rewritten_pages = listed.rewritten.iter().map(rewritten_page).collect::<Result<Vec<_>>>()?;
    let dictionary = |(dictionary, at): (&descriptors::Dictionary<'static>, &Option<usize>)| {
        let at = at.map_or(Ok(Out::NULL), |at| Memory::of(&decoded).array::<u8>(at, 0))?;
        Ok(descriptors::Dictionary { decoded: at, ..*dictionary })
    };
    let dictionaries =
        listed.dictionaries.iter().zip(&listed.decoded_at).map(dictionary).collect::<Result<Vec<_>>>()?;
    let text_page = |(page, at): (&descriptors::TextPage<'static>, &usize)| {
        let place = listed.source_bytes + at * size_of::<u32>();
        let index = Memory::of(&text_memory).array(place, page.limit as usize)?;
        Ok(descriptors::TextPage { index, ..*page })
    };
    let text_pages = listed.text_pages.iter().zip(&listed.index_at).map(text_page).collect::<Result<Vec<_>>>()?;
    let leveled = listed.nested.pages(&levels)?;

    let layout = Layout::new(columns.len(), listed);
    let mut described = Buffer::uninitialized(layout.end, ctx.stream, ctx.mr.temporary)?;
    let mut descriptors = described.write_on(ctx.stream)?;
    let memory = Memory::of(&descriptors);
    let counted_at = |at: usize| memory.array::<u64>(layout.counted + at * size_of::<u64>(), 0);
    let lowest_at = |at: usize| memory.read().array::<i32>(layout.lowest + at * size_of::<i32>(), 0);
    let nested_columns = listed.nested.columns(lowest_at, counted_at)?;
    let mut nodes = Vec::with_capacity(listed.nested.nodes);
    for ((_, column), open) in plan.decoded().zip(&open) {
        for (node, open) in column.levels.iter().flat_map(|levels| &levels.nodes).zip(&open.nodes) {
            nodes.push(open.describe(node, column, counted_at(listed.nested.lowest.len() + nodes.len())?)?);
        }
    }
    let mut all = vec![0; layout.end];
    put(&mut all, 0, bytes_of(&columns))?;
    put(&mut all, layout.compressed, bytes_of(&compressed))?;
    put(&mut all, layout.rewritten, bytes_of(&rewritten_pages))?;
    put(&mut all, layout.dictionaries, bytes_of(&dictionaries))?;
    put(&mut all, layout.pages, bytemuck::cast_slice(&listed.pages))?;
    put(&mut all, layout.text_pages, bytes_of(&text_pages))?;
    put(&mut all, layout.leveled, bytes_of(&leveled))?;
    put(&mut all, layout.nested_columns, bytes_of(&nested_columns))?;
    put(&mut all, layout.nodes, bytes_of(&nodes))?;
    put(&mut all, layout.lowest, bytemuck::cast_slice(&listed.nested.lowest))?;
    put(&mut all, layout.statuses, bytemuck::cast_slice(&counted.statuses))?;
    descriptors.copy_from_host(0, &all)?;
    let memory = Memory::of(&descriptors);
    let statuses = memory.array(layout.statuses, columns.len())?;
    let lists = memory.read();
    let (first_column, bytes) = (lists.array(0, columns.len())?, In::of(&access));
    let first_dictionary = lists.array(layout.dictionaries, dictionaries.len())?;
    let text_pages = lists.array(layout.text_pages, listed.text_pages.len())?;
    let counts = memory.array(layout.counts, listed.text_pages.len())?;
    let of_rewritten = memory.array(layout.rewritten, rewritten_pages.len())?;
    let of_leveled = memory.array(layout.leveled, leveled.len())?;
    let leveled = of_leveled.read();

    if !counted.is_decompressed {
        let pages = lists.array(layout.compressed, compressed.len())?;
        decompress(listed, pages, &access, &decompressed, statuses, ctx)?;
    }
    let columns_of_levels = lists.array(layout.nested_columns, listed.nested.columns.len())?;
    let nodes = lists.array(layout.nodes, listed.nested.nodes)?;
    let nested = NestedLists { pages: of_leveled, columns: columns_of_levels, nodes, bytes, statuses };
    nested::launch(&listed.nested, &nested, ctx)?;
    if !rewritten_pages.is_empty() {
        let arguments = RewrittenPages { pages: of_rewritten, bytes, statuses };
        let kernel = Kernel::find(ctx.stream)?;
        // SAFETY: there is a block for each rewritten page, and each names one of the columns. The plan has checked that the
        // page is within `bytes` or `decompressed`, followed by `PADDING` bytes, and that its levels are as far as their size
        // is known. The kernel checks everything that is stated in a page. `Listed` has reserved memory in `rewritten` for
        // the values of all rows of each page, or for the bytes that were counted, at a multiple of 16, or as far before one
        // as an integer of deltas has bytes, and for the sizes of texts, or of prefixes and suffixes. The accesses to all of
        // them are held.
        unsafe { kernel.launch(ctx.stream, blocks(rewritten_pages.len())?, 1, &arguments)? };
    }
    if listed.decoded_bytes > 0 {
        let arguments = Dictionaries { dictionaries: first_dictionary, columns: first_column, bytes, statuses };
        let kernel = Kernel::find(ctx.stream)?;
        // SAFETY: there is a block for each dictionary, and each names one of the columns. The plan has checked that the
        // bytes of a dictionary's values are within `bytes`, or within `decompressed`, where the launch before has written
        // them. `PADDING` bytes follow. `Listed` has reserved memory in `decoded` for the converted values of each
        // dictionary, aligned to their width. The accesses to all of them, and to the descriptors, are held.
        unsafe { kernel.launch(ctx.stream, blocks(dictionaries.len())?, 1, &arguments)? };
    }
    if !listed.text_pages.is_empty() {
        let arguments = Index { pages: text_pages, counts, rewritten: of_rewritten.read(), bytes, statuses };
        let kernel = Kernel::find(ctx.stream)?;
        // SAFETY: there is a block for each page of texts, and each names one of the columns. The plan has checked that each
        // page is within `bytes` or `decompressed`, followed by `PADDING` bytes, and that its levels are as far as their
        // size is known, or a launch before has rewritten the page. The index of a page has memory for `limit` texts. The accesses to all of them are held.
        unsafe { kernel.launch(ctx.stream, blocks(listed.text_pages.len())?, 1, &arguments)? };
    }
    if !listed.pages.is_empty() {
        let pages = lists.array(layout.pages, listed.pages.len())?;
        let (columns, dictionaries, counts) = (first_column, first_dictionary, counts.read());
        let rewritten = of_rewritten.read();
        let arguments = Pages { pages, columns, dictionaries, text_pages, counts, rewritten, leveled, bytes, statuses };
        let kernel = Kernel::find(ctx.stream)?;
        // SAFETY: there is a block for each page, and each names one of the columns, and one of the dictionaries or none.
        // The plan has checked that each page is within `bytes` or `decompressed`, followed by `PADDING` bytes, and that
        // its levels are as far as their size is known. The kernel checks everything that is stated in a page. The outputs
        // have memory for the rows of all pages, the rows of pages do not overlap, and the masks and bits are zero. The values of
        // dictionaries are within the same memory as pages, or were written by the launches before, as were the indexes of
        // texts, whose numbers of texts are beside them, and the rewritten pages, of which a part may have any values if
        // their page was reported. The accesses to all of them are held.
        unsafe { kernel.launch(ctx.stream, blocks(listed.pages.len())?, 1, &arguments)? };
    }
    if listed.tiles > 0 {
        let kernel = Kernel::find(ctx.stream)?;
        // SAFETY: there is a block for each column. A column of texts has memory for the totals of its tiles, which the
        // launch before has written. The accesses are held.
        unsafe { kernel.launch(ctx.stream, blocks(columns.len())?, 1, &Bases { columns: first_column, statuses })? };
    }
    drop((open, descriptors, text_memory, open_totals, decompressed, rewritten));
    let found = described.slice(layout.statuses, layout.counts - layout.statuses)?.to_host(ctx.stream)?;
    let (statuses, counts) = found.split_at(layout.counted - layout.statuses);
    let statuses = statuses.chunks_exact(size_of::<descriptors::Status>()).map(bytemuck::pod_read_unaligned).collect();
    let counts = counts.chunks_exact(size_of::<u64>()).map(bytemuck::pod_read_unaligned).collect();
    Ok(Found { statuses, counts, texts, bases: totals })
}

/// Takes memory for the bytes of texts of all columns that were not refused, and copies them. The pages are in one of three
/// buffers. The distances of pages count from the first one.
fn copy_texts(
    plan: &Plan<'_>,
    listed: &Listed,
    outputs: &mut [Output],
    [bytes, decompressed, rewritten]: [&Buffer; 3],
    found: &Found,
    ctx: Ctx<'_>,
) -> Result<()> {
    let mut copied = Vec::new();
    let columns = plan.decoded().zip(&listed.text_rows).zip(outputs).zip(&found.statuses).enumerate();
    for (number, ((((_, column), text_rows), output), status)) in columns {
        let (Some(text_rows), true) = (text_rows, status.error == u64::MAX) else { continue };
        let rows = listed.nested.value_slots(number, &found.counts).unwrap_or(column.rows);
        let text_rows = TextRows { tiles: rows.div_ceil(TEXT_TILE), ..*text_rows };
        if rows == 0 {
            continue;
        }
        let total = usize::try_from(status.texts).unwrap_or(usize::MAX);
        if column.has_offsets_for(total) {
            output.texts = Some(Buffer::uninitialized(total, ctx.stream, ctx.mr.output)?);
            copied.push((column, text_rows, rows, output));
        }
    }
    let mut open = Vec::with_capacity(copied.len());
    for (column, text_rows, rows, output) in &mut copied {
        let Some(texts) = &mut output.texts else { continue };
        open.push((*column, *text_rows, *rows, output.values.write_on(ctx.stream)?, texts.write_on(ctx.stream)?));
    }
    let (sources, bases) = (found.texts.read_on(ctx.stream)?, found.bases.read_on(ctx.stream)?);
    let (mut columns, mut tiles) = (Vec::new(), 0);
    for (column, text_rows, rows, offsets, texts) in &open {
        let is_wide = column.text_width() == Some(8);
        columns.push(descriptors::TextColumn {
            sources: Values::of(&sources).array(text_rows.sources, *rows)?,
            bases: Values::of(&bases).array(text_rows.first_tile * size_of::<u64>(), text_rows.tiles)?,
            offsets: Memory::of(offsets).rows(rows + 1, column.conversion.width())?,
            bytes: Out::of(texts),
            rows: Rows::new(*rows),
            first_block: blocks(tiles)? as i32,
            is_wide: i32::from(is_wide),
        });
        tiles += text_rows.tiles;
    }
    if tiles == 0 {
        return Ok(());
    }
    let pages = bytes.read_on(ctx.stream)?;
    let _others = [decompressed.read_on(ctx.stream)?, rewritten.read_on(ctx.stream)?];
    let described = Buffer::from_host(bytes_of(&columns), ctx.stream, ctx.mr.temporary)?;
    let described = described.read_on(ctx.stream)?;
    let columns_in = Values::of(&described).array(0, columns.len())?;
    let arguments = Texts { columns: columns_in, bytes: In::of(&pages), count: columns.len() as i32 };
    let kernel = Kernel::find(ctx.stream)?;
    // SAFETY: there is a block for each tile of each column. The decoder of pages has written the position of each row's
    // text, and found no error: the texts are within the pages, behind their sizes. The bases are the sums of the sizes of
    // the tiles before, and the outputs have memory for the offsets of all rows and for the bytes of all texts. The
    // accesses to all of them are held.
    unsafe { kernel.launch(ctx.stream, blocks(tiles)?, 1, &arguments)? };
    Ok(())
}

fn blocks(count: usize) -> Result<u32> {
    let blocks = i32::try_from(count).map_err(|_| gdf_core::Error::internal("a batch has too many pages"))?;
    Ok(blocks.unsigned_abs())
}

/// Copies descriptors to their place in the memory of all descriptors.
fn put(all: &mut [u8], at: usize, bytes: &[u8]) -> Result<()> {
    let place = all.get_mut(at..at + bytes.len());
    place.ok_or_else(|| gdf_core::Error::internal("descriptors exceed their memory"))?.copy_from_slice(bytes);
    Ok(())
}

impl Output {
    fn new(column: &ColumnPlan<'_>, ctx: Ctx<'_>) -> Result<Output> {
        let bytes = column.checked_value_bytes(ctx)?;
        // Without rows, the only offset is zero. Bits are combined with those of other pages.
        let is_zeroed = column.rows == 0 || column.conversion == Conversion::Bit;
        let values = match is_zeroed {
            true => Buffer::zeroed(bytes, ctx.stream, ctx.mr.output)?,
            false => Buffer::uninitialized(bytes, ctx.stream, ctx.mr.output)?,
        };
        let validity = column.has_levels();
        let validity = validity.then(|| Buffer::zeroed(column.mask_bytes(), ctx.stream, ctx.mr.output)).transpose()?;
        let nodes = column.levels.iter().flat_map(|levels| &levels.nodes);
        let nodes = nodes.map(|node| NodeOutput::new(node, column, ctx)).collect::<Result<_>>()?;
        Ok(Output { values, validity, texts: None, nodes })
    }

    fn open(&mut self, ctx: Ctx<'_>) -> Result<Open<'_>> {
        let validity = self.validity.as_mut().map(|mask| mask.write_on(ctx.stream)).transpose()?;
        let nodes = self.nodes.iter_mut().map(|node| node.open(ctx)).collect::<Result<_>>()?;
        Ok(Open { values: self.values.write_on(ctx.stream)?, validity, nodes })
    }

    /// Makes the column, which has `rows` rows. `nodes_of` makes the lists and structs of a nested column.
    fn finish(
        mut self,
        index: usize,
        column: &ColumnPlan<'_>,
        rows: usize,
        status: &descriptors::Status,
        ctx: Ctx<'_>,
        nodes_of: impl FnOnce(&LevelPlan, Vec<NodeOutput>) -> Result<Result<Vec<DecodedNode>, Flaw>>,
    ) -> Result<Result<DecodedColumn, Refused>> {
        if status.error != u64::MAX {
            let page = (status.error >> FLAW_BITS) as usize;
            let flaw = flaw_of(status.error & ((1 << FLAW_BITS) - 1))?;
            return Ok(Err(Refused { column: index, page, flaw }));
        }
        let parts = ColumnParts::new(column.pages.data_type.clone(), ctx.stream.device(), rows);
        let is_text = column.text_width().is_some();
        if is_text && rows == 0 {
            // No kernel has written the only offset.
            self.values.write_on(ctx.stream)?.fill(0..column.conversion.width(), 0)?;
        }
        let values = match column.conversion {
            Conversion::Bit => self.values.slice(0, rows.div_ceil(8))?,
            _ => self.values.slice(0, (rows + usize::from(is_text)) * column.conversion.width())?,
        };
        let mut parts = parts.buffer(values);
        if is_text {
            parts = match self.texts {
                Some(texts) => parts.buffer(texts),
                None if rows == 0 => parts.buffer(Buffer::uninitialized(0, ctx.stream, ctx.mr.output)?),
                None => return Ok(Err(Refused { column: index, page: 0, flaw: Flaw::Offsets })),
            };
        }
        // Values that are not optional are missing only where what is above them is null.
        if let Some(mask) = self.validity.filter(|_| status.nulls > 0 && column.pages.is_optional) {
            let mask = mask.slice(0, rows.div_ceil(8))?;
            parts = parts.validity(Some(mask), NullCount::Known(status.nulls as usize));
        }
        let nodes = column.levels.as_ref().map(|plan| nodes_of(plan, self.nodes)).transpose()?;
        let nodes = match nodes.unwrap_or_else(|| Ok(Vec::new())) {
            Ok(nodes) => nodes,
            Err(flaw) => return Ok(Err(Refused { column: index, page: 0, flaw })),
        };
        Ok(Ok(DecodedColumn { values: vouch::result(parts)?, nodes }))
    }
}
