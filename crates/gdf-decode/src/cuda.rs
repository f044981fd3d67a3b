//! Decoding on CUDA: one upload of descriptors, a launch for dictionaries of decimals, a launch for all pages, one wait.
//!
//! With texts, a launch before the pages finds where texts begin, and one behind them adds their sizes. After the wait,
//! the bytes of texts are allocated, and a last launch copies them.

use std::cmp::Reverse;

use gdf_core::{Column, ColumnParts, NullCount, Result};
use gdf_engine::cuda::{Bytes, Kernel, Memory, Rows, Rows32, Tiles32, Values, require};
use gdf_kernels::generated::decode::{
    self as descriptors, Bases, Dictionaries, FLAW_BITS, Index, NO_DICTIONARY_PAGE, NO_NULL_COUNT, NO_TEXTS, PART_ROWS,
    PREFIXED_LEVELS, Pages, TEXT_TILE, Texts,
};
use gdf_kernels::{In, Out, bytes_of};
use gdf_memory::{AccessMut, Buffer};

use crate::batch::{Encoding, Flaw, Refused};
use crate::conversion::{Conversion, StoredDecimal};
use crate::plan::{ColumnPlan, PAGE_ALIGNMENT, Plan};
use crate::{Ctx, vouch};

/// The memory of a column that is decoded.
struct Output {
    /// The values, or the offsets of texts.
    values: Buffer,
    validity: Option<Buffer>,
    /// The bytes of texts, whose number is known after the wait.
    texts: Option<Buffer>,
}

/// The outputs of a column that are open for kernels.
struct Open<'o> {
    values: AccessMut<'o>,
    validity: Option<AccessMut<'o>>,
}

/// The scratch memory of a column of texts.
#[derive(Clone, Copy)]
struct TextRows {
    /// Where the positions of the texts of rows begin in the scratch memory of texts.
    sources: usize,
    /// The number of the first tile among the tiles of all columns.
    first_tile: usize,
    tiles: usize,
}

/// What kernels have found out.
struct Found {
    statuses: Vec<descriptors::Status>,
    /// The positions of the texts of rows, and the indexes of texts.
    texts: Buffer,
    /// For each tile of texts, the number of bytes of the tiles before.
    bases: Buffer,
}

/// The descriptors of the pages of a batch.
#[derive(Default)]
struct Listed {
    dictionaries: Vec<descriptors::Dictionary<'static>>,
    pages: Vec<descriptors::Page>,
    /// For each dictionary, where its converted values are in the scratch memory.
    decoded_at: Vec<Option<usize>>,
    /// The number of bytes of all converted values.
    decoded_bytes: usize,
    /// The pages whose texts get an index.
    text_pages: Vec<descriptors::TextPage<'static>>,
    /// For each of them, the number of texts in the indexes before.
    index_at: Vec<usize>,
    /// The number of texts of all indexes.
    indexed: usize,
    /// For each column, its scratch memory if it has texts.
    text_rows: Vec<Option<TextRows>>,
    /// The number of bytes of the positions of the texts of all rows.
    source_bytes: usize,
    tiles: usize,
}

/// Where each list of descriptors begins in the memory of all descriptors.
struct Layout {
    dictionaries: usize,
    pages: usize,
    text_pages: usize,
    statuses: usize,
    counts: usize,
    end: usize,
}

/// A status before the launches.
const UNKNOWN: descriptors::Status = descriptors::Status { error: u64::MAX, nulls: 0, texts: 0 };

/// See [`crate::decode()`].
pub(crate) fn decode(plan: &Plan<'_>, bytes: &Buffer, ctx: Ctx<'_>) -> Result<Vec<Result<Column, Refused>>> {
    let listed = Listed::new(plan);
    let mut outputs = plan.decoded().map(|(_, column)| Output::new(column, ctx)).collect::<Result<Vec<_>>>()?;
    let statuses = if listed.pages.is_empty() && listed.dictionaries.is_empty() {
        vec![UNKNOWN; outputs.len()]
    } else {
        let found = launch(plan, &listed, &mut outputs, bytes, ctx)?;
        copy_texts(plan, &listed, &mut outputs, bytes, &found, ctx)?;
        found.statuses
    };
    let mut decoded = outputs.into_iter().zip(&statuses);
    let column = |(index, column): (usize, &Result<ColumnPlan<'_>, Refused>)| match column {
        Err(refused) => Ok(Err(*refused)),
        Ok(column) => match decoded.next() {
            Some((output, status)) => output.finish(index, column, status, ctx),
            None => Err(gdf_core::Error::internal("a column has no output")),
        },
    };
    plan.columns.iter().enumerate().map(column).collect()
}

/// Returns the numbers of bytes of the buffers of scratch memory.
pub(crate) fn scratch_bytes(plan: &Plan<'_>) -> [usize; 5] {
    let listed = Listed::new(plan);
    let texts = listed.text_rows.iter().flatten().count();
    [
        Layout::new(plan.decoded().count(), &listed).end,
        listed.decoded_bytes,
        listed.text_bytes(),
        listed.tiles * size_of::<u64>(),
        texts * size_of::<descriptors::TextColumn<'_>>(),
    ]
}

/// Launches the kernels, and waits for what they report of each column.
fn launch(plan: &Plan<'_>, listed: &Listed, outputs: &mut [Output], bytes: &Buffer, ctx: Ctx<'_>) -> Result<Found> {
    let access = bytes.read_on(ctx.stream)?;
    require(access.address().is_multiple_of(PAGE_ALIGNMENT as u64), "the buffer of pages is misaligned")?;
    let mut decoded = Buffer::uninitialized(listed.decoded_bytes, ctx.stream, ctx.mr.temporary)?;
    let decoded = decoded.write_on(ctx.stream)?;
    let mut texts = Buffer::uninitialized(listed.text_bytes(), ctx.stream, ctx.mr.temporary)?;
    let text_memory = texts.write_on(ctx.stream)?;
    let mut totals = Buffer::zeroed(listed.tiles * size_of::<u64>(), ctx.stream, ctx.mr.temporary)?;
    let open_totals = totals.write_on(ctx.stream)?;
    let open = outputs.iter_mut().map(|output| output.open(ctx)).collect::<Result<Vec<_>>>()?;

    let columns = plan.decoded().zip(&open).map(|((_, column), output)| describe(column, output));
    let mut columns = columns.collect::<Result<Vec<_>>>()?;
    for ((column, text_rows), (_, plan)) in columns.iter_mut().zip(&listed.text_rows).zip(plan.decoded()) {
        let Some(TextRows { sources, first_tile, tiles }) = *text_rows else { continue };
        column.values = Memory::of(&text_memory).array::<i64>(sources, plan.rows)?.cast();
        column.totals = Memory::of(&open_totals).array(first_tile * size_of::<u64>(), tiles)?;
        column.tiles = Tiles32::new(tiles);
    }
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
    let statuses = vec![UNKNOWN; columns.len()];

    let layout = Layout::new(columns.len(), listed);
    let mut all = vec![0; layout.end];
    put(&mut all, 0, bytes_of(&columns))?;
    put(&mut all, layout.dictionaries, bytes_of(&dictionaries))?;
    put(&mut all, layout.pages, bytemuck::cast_slice(&listed.pages))?;
    put(&mut all, layout.text_pages, bytes_of(&text_pages))?;
    put(&mut all, layout.statuses, bytemuck::cast_slice(&statuses))?;
    let mut described = Buffer::from_host(&all, ctx.stream, ctx.mr.temporary)?;
    let descriptors = described.write_on(ctx.stream)?;
    let memory = Memory::of(&descriptors);
    let statuses = memory.array(layout.statuses, columns.len())?;
    let lists = memory.read();
    let (first_column, bytes) = (lists.array(0, columns.len())?, In::of(&access));
    let first_dictionary = lists.array(layout.dictionaries, dictionaries.len())?;
    let text_pages = lists.array(layout.text_pages, listed.text_pages.len())?;
    let counts = memory.array(layout.counts, listed.text_pages.len())?;

    if listed.decoded_bytes > 0 {
        let arguments = Dictionaries { dictionaries: first_dictionary, columns: first_column, bytes, statuses };
        let kernel = Kernel::find(ctx.stream)?;
        // SAFETY: there is a block for each dictionary, and each names one of the columns. The plan has checked that the
        // bytes of a dictionary's values are within `bytes`, followed by `PADDING` bytes. `Listed` has reserved memory
        // in `decoded` for the converted values of each dictionary, aligned to their width. The accesses to `bytes`,
        // `decoded` and the descriptors are held.
        unsafe { kernel.launch(ctx.stream, blocks(dictionaries.len())?, 1, &arguments)? };
    }
    if !listed.text_pages.is_empty() {
        let arguments = Index { pages: text_pages, counts, bytes, statuses };
        let kernel = Kernel::find(ctx.stream)?;
        // SAFETY: there is a block for each page of texts, and each names one of the columns. The plan has checked that each
        // page is within `bytes`, followed by `PADDING` bytes, and that its levels are as far as their size is known. The
        // index of a page has memory for `limit` texts. The accesses to all of them are held.
        unsafe { kernel.launch(ctx.stream, blocks(listed.text_pages.len())?, 1, &arguments)? };
    }
    if !listed.pages.is_empty() {
        let pages = lists.array(layout.pages, listed.pages.len())?;
        let (columns, dictionaries, counts) = (first_column, first_dictionary, counts.read());
        let arguments = Pages { pages, columns, dictionaries, text_pages, counts, bytes, statuses };
        let kernel = Kernel::find(ctx.stream)?;
        // SAFETY: there is a block for each page, and each names one of the columns, and one of the dictionaries or none.
        // The plan has checked that each page is within `bytes`, followed by `PADDING` bytes, and that its levels are as
        // far as their size is known. The kernel checks everything that is stated in a page. The outputs have memory for
        // the rows of all pages, the rows of pages do not overlap, and the masks are zero. The values of dictionaries are
        // within `bytes`, or were written by the launch before, as were the indexes of texts, whose numbers of texts are
        // beside them. The accesses to all of them are held.
        unsafe { kernel.launch(ctx.stream, blocks(listed.pages.len())?, 1, &arguments)? };
    }
    if listed.tiles > 0 {
        let kernel = Kernel::find(ctx.stream)?;
        // SAFETY: there is a block for each column. A column of texts has memory for the totals of its tiles, which the
        // launch before has written. The accesses are held.
        unsafe { kernel.launch(ctx.stream, blocks(columns.len())?, 1, &Bases { columns: first_column, statuses })? };
    }
    drop((open, descriptors, text_memory, open_totals));
    let statuses = described.slice(layout.statuses, layout.counts - layout.statuses)?.to_host(ctx.stream)?;
    let statuses = statuses.chunks_exact(size_of::<descriptors::Status>()).map(bytemuck::pod_read_unaligned).collect();
    Ok(Found { statuses, texts, bases: totals })
}

/// Takes memory for the bytes of texts of all columns that were not refused, and copies them.
fn copy_texts(
    plan: &Plan<'_>,
    listed: &Listed,
    outputs: &mut [Output],
    bytes: &Buffer,
    found: &Found,
    ctx: Ctx<'_>,
) -> Result<()> {
    let mut copied = Vec::new();
    let columns = plan.decoded().zip(&listed.text_rows).zip(outputs).zip(&found.statuses);
    for ((((_, column), text_rows), output), status) in columns {
        let (Some(text_rows), true) = (text_rows, status.error == u64::MAX) else { continue };
        let total = usize::try_from(status.texts).unwrap_or(usize::MAX);
        if column.has_offsets_for(total) {
            output.texts = Some(Buffer::uninitialized(total, ctx.stream, ctx.mr.output)?);
            copied.push((column, *text_rows, output));
        }
    }
    let mut open = Vec::with_capacity(copied.len());
    for (column, text_rows, output) in &mut copied {
        let Some(texts) = &mut output.texts else { continue };
        open.push((*column, *text_rows, output.values.write_on(ctx.stream)?, texts.write_on(ctx.stream)?));
    }
    let (sources, bases) = (found.texts.read_on(ctx.stream)?, found.bases.read_on(ctx.stream)?);
    let (mut columns, mut tiles) = (Vec::new(), 0);
    for (column, text_rows, offsets, texts) in &open {
        let is_wide = column.text_width() == Some(8);
        columns.push(descriptors::TextColumn {
            sources: Values::of(&sources).array(text_rows.sources, column.rows)?,
            bases: Values::of(&bases).array(text_rows.first_tile * size_of::<u64>(), text_rows.tiles)?,
            offsets: Memory::of(offsets).rows(column.rows + 1, column.conversion.width())?,
            bytes: Out::of(texts),
            rows: Rows::new(column.rows),
            first_block: blocks(tiles)? as i32,
            is_wide: i32::from(is_wide),
        });
        tiles += text_rows.tiles;
    }
    if tiles == 0 {
        return Ok(());
    }
    let pages = bytes.read_on(ctx.stream)?;
    let described = Buffer::from_host(bytes_of(&columns), ctx.stream, ctx.mr.temporary)?;
    let described = described.read_on(ctx.stream)?;
    let columns_in = Values::of(&described).array(0, columns.len())?;
    let arguments = Texts { columns: columns_in, bytes: In::of(&pages), count: columns.len() as i32 };
    let kernel = Kernel::find(ctx.stream)?;
    // SAFETY: there is a block for each tile of each column. The decoder of pages has written the position of each row's
    // text, and found no error: the texts are within `bytes`, behind their sizes. The bases are the sums of the sizes of the
    // tiles before, and the outputs have memory for the offsets of all rows and for the bytes of all texts. The accesses to
    // all of them are held.
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

impl Listed {
    fn new(plan: &Plan<'_>) -> Listed {
        let mut listed = Listed::default();
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
        listed
    }

    fn add_column(&mut self, column: &ColumnPlan<'_>, index: i32) {
        let (mut number, mut row, mut first_key) = (0, 0, 0);
        for chunk in &column.pages.chunks {
            let mut of_chunk = NO_DICTIONARY_PAGE;
            if let Some(page) = &chunk.dictionary {
                of_chunk = self.dictionaries.len() as i32;
                let is_converted = page.values > 0 && matches!(column.conversion, Conversion::Decimal { .. });
                self.decoded_at.push(is_converted.then_some(self.decoded_bytes));
                if is_converted {
                    // The plan has checked that the page has the bytes of the values, at least one for each.
                    let size = page.values * column.conversion.width();
                    self.decoded_bytes += size.next_multiple_of(PAGE_ALIGNMENT);
                }
                let mut of_texts = NO_TEXTS;
                if let Conversion::Text { is_utf8, .. } = column.conversion {
                    of_texts = self.add_texts(descriptors::TextPage {
                        at: page.at as i64,
                        bytes: Bytes::new(page.len),
                        index: Out::NULL,
                        limit: page.values as i32,
                        level_size: 0,
                        column: index,
                        number,
                        is_dictionary: 1,
                        is_utf8: i32::from(is_utf8),
                    });
                }
                self.dictionaries.push(descriptors::Dictionary {
                    at: page.at as i64,
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
            for page in &chunk.pages {
                let header = &page.header;
                let level_size = match header.levels {
                    crate::Levels::None => 0,
                    crate::Levels::Prefixed => PREFIXED_LEVELS,
                    crate::Levels::Sized(size) => size as i32,
                };
                let descriptor = descriptors::Page {
                    at: page.at as i64,
                    bytes: Bytes::new(page.len),
                    first_row: row as i64,
                    null_count: header.nulls.map_or(NO_NULL_COUNT, |nulls| i64::try_from(nulls).unwrap_or(i64::MAX)),
                    rows: Rows32::new(header.rows),
                    column: index,
                    number,
                    dictionary: of_chunk,
                    encoding: match header.encoding {
                        Encoding::Plain => descriptors::Encoding::Plain,
                        Encoding::Keys => descriptors::Encoding::Keys,
                    } as i32,
                    level_size,
                    texts: NO_TEXTS,
                    unused: 0,
                };
                self.add_page(descriptor, column);
                row += header.rows;
                number += 1;
            }
        }
    }

    /// Appends a page whose texts get an index, and returns its number.
    fn add_texts(&mut self, page: descriptors::TextPage<'static>) -> i32 {
        self.index_at.push(self.indexed);
        self.indexed += page.limit as usize;
        self.text_pages.push(page);
        self.text_pages.len() as i32 - 1
    }

    /// Returns the number of bytes of the positions of texts.
    fn text_bytes(&self) -> usize {
        self.source_bytes + self.indexed * size_of::<u32>()
    }

    /// Appends a page, or its parts.
    fn add_page(&mut self, page: descriptors::Page, column: &ColumnPlan<'_>) {
        let is_plain = page.encoding == descriptors::Encoding::Plain as i32;
        if let (Conversion::Text { is_utf8, .. }, true) = (column.conversion, is_plain) {
            // A text has at least the bytes of its size.
            let limit = page.rows.get().min(page.bytes.get() / column.conversion.stored_width());
            let texts = self.add_texts(descriptors::TextPage {
                at: page.at,
                bytes: page.bytes,
                index: Out::NULL,
                limit: limit as i32,
                level_size: page.level_size,
                column: page.column,
                number: page.number,
                is_dictionary: 0,
                is_utf8: i32::from(is_utf8),
            });
            return self.pages.push(descriptors::Page { texts, ..page });
        }
        if column.pages.is_optional || !is_plain {
            return self.pages.push(page);
        }
        let (rows, width) = (page.rows.get(), column.conversion.stored_width());
        for first in (0..rows).step_by(PART_ROWS) {
            let part = PART_ROWS.min(rows - first);
            self.pages.push(descriptors::Page {
                at: page.at + i64::from(page.level_size) + (first * width) as i64,
                bytes: Bytes::new(part * width),
                first_row: page.first_row + first as i64,
                rows: Rows32::new(part),
                level_size: 0,
                ..page
            });
        }
    }
}

impl Layout {
    fn new(columns: usize, listed: &Listed) -> Layout {
        let dictionaries = columns * size_of::<descriptors::Column<'_>>();
        let pages = dictionaries + listed.dictionaries.len() * size_of::<descriptors::Dictionary<'_>>();
        let text_pages = pages + listed.pages.len() * size_of::<descriptors::Page>();
        let statuses = text_pages + listed.text_pages.len() * size_of::<descriptors::TextPage<'_>>();
        let counts = statuses + columns * size_of::<descriptors::Status>();
        let end = counts + listed.text_pages.len() * size_of::<descriptors::TextCount>();
        Layout { dictionaries, pages, text_pages, statuses, counts, end }
    }
}

impl Output {
    fn new(column: &ColumnPlan<'_>, ctx: Ctx<'_>) -> Result<Output> {
        let bytes = column.checked_value_bytes(ctx)?;
        // Without rows, the only offset is zero.
        let values = match column.rows {
            0 => Buffer::zeroed(bytes, ctx.stream, ctx.mr.output)?,
            _ => Buffer::uninitialized(bytes, ctx.stream, ctx.mr.output)?,
        };
        let validity = column.pages.is_optional;
        let validity = validity.then(|| Buffer::zeroed(column.mask_bytes(), ctx.stream, ctx.mr.output)).transpose()?;
        Ok(Output { values, validity, texts: None })
    }

    fn open(&mut self, ctx: Ctx<'_>) -> Result<Open<'_>> {
        let validity = self.validity.as_mut().map(|mask| mask.write_on(ctx.stream)).transpose()?;
        Ok(Open { values: self.values.write_on(ctx.stream)?, validity })
    }

    fn finish(
        self,
        index: usize,
        column: &ColumnPlan<'_>,
        status: &descriptors::Status,
        ctx: Ctx<'_>,
    ) -> Result<Result<Column, Refused>> {
        if status.error != u64::MAX {
            let page = (status.error >> FLAW_BITS) as usize;
            let flaw = flaw_of(status.error & ((1 << FLAW_BITS) - 1))?;
            return Ok(Err(Refused { column: index, page, flaw }));
        }
        let parts = ColumnParts::new(column.pages.data_type.clone(), ctx.stream.device(), column.rows);
        let mut parts = parts.buffer(self.values);
        if column.text_width().is_some() {
            parts = match self.texts {
                Some(texts) => parts.buffer(texts),
                None if column.rows == 0 => parts.buffer(Buffer::uninitialized(0, ctx.stream, ctx.mr.output)?),
                None => return Ok(Err(Refused { column: index, page: 0, flaw: Flaw::Offsets })),
            };
        }
        if let Some(mask) = self.validity.filter(|_| status.nulls > 0) {
            let mask = mask.slice(0, column.rows.div_ceil(8))?;
            parts = parts.validity(Some(mask), NullCount::Known(status.nulls as usize));
        }
        Ok(Ok(vouch::result(parts)?))
    }
}

/// Makes the descriptor of a column.
fn describe<'o>(column: &ColumnPlan<'_>, output: &'o Open<'_>) -> Result<descriptors::Column<'o>> {
    use descriptors::{StoredDecimal as Form, Target};

    let Open { values, validity } = output;
    let (form, largest) = match column.conversion {
        Conversion::Copy { .. } | Conversion::Narrow { .. } | Conversion::Keys | Conversion::Text { .. } => {
            (Form::Int32, 0)
        }
        Conversion::Decimal { stored, largest, .. } => match stored {
            StoredDecimal::Int32 => (Form::Int32, largest),
            StoredDecimal::Int64 => (Form::Int64, largest),
            StoredDecimal::Bytes(_) => (Form::Bytes, largest),
        },
    };
    let target = match column.conversion {
        Conversion::Narrow { width: 1 } => Target::Narrow8,
        Conversion::Narrow { width: 2 } => Target::Narrow16,
        Conversion::Copy { width: 4 } => Target::Same32,
        Conversion::Copy { width: 8 } => Target::Same64,
        Conversion::Decimal { width: 4, .. } => Target::Decimal32,
        Conversion::Decimal { width: 8, .. } => Target::Decimal64,
        Conversion::Decimal { width: 16, .. } => Target::Decimal128,
        Conversion::Keys => Target::Keys,
        Conversion::Text { .. } => Target::Text,
        Conversion::Copy { .. } | Conversion::Narrow { .. } | Conversion::Decimal { .. } => {
            return Err(gdf_core::Error::internal("a conversion has a width that kernels do not have"));
        }
    };
    let values = Memory::of(values).rows(column.rows, column.conversion.width())?;
    let words = |mask: &'o AccessMut<'_>| Memory::of(mask).array::<u32>(0, column.rows.div_ceil(32));
    Ok(descriptors::Column {
        values,
        totals: Out::NULL,
        validity: validity.as_ref().map_or(Ok(Out::NULL), words)?,
        largest: [largest as u64, (largest >> 64) as u64],
        target: target as i32,
        stored_decimal: form as i32,
        decimal_width: column.conversion.stored_width() as i32,
        tiles: Tiles32::new(0),
    })
}

/// Returns the flaw that a kernel reports.
fn flaw_of(code: u64) -> Result<Flaw> {
    use descriptors::Flaw as Code;

    let flaws = [
        (Code::Levels, Flaw::Levels),
        (Code::NullCount, Flaw::NullCount),
        (Code::NoDictionary, Flaw::NoDictionary),
        (Code::Values, Flaw::Values),
        (Code::KeyWidth, Flaw::KeyWidth),
        (Code::Keys, Flaw::Keys),
        (Code::Key, Flaw::Key),
        (Code::Digits, Flaw::Digits),
        (Code::Utf8, Flaw::Utf8),
        (Code::Dictionary, Flaw::Dictionary),
    ];
    let flaw = flaws.into_iter().find(|(of_kernel, _)| *of_kernel as u64 == code);
    Ok(flaw.ok_or_else(|| gdf_core::Error::internal("a kernel reports an unknown flaw"))?.1)
}
