//! Decoding on CUDA: one upload of descriptors, a launch for dictionaries of decimals, a launch for all pages, one wait.

use std::cmp::Reverse;

use gdf_core::{Column, ColumnParts, NullCount, Result};
use gdf_engine::cuda::{Bytes, Kernel, Memory, Rows32, require};
use gdf_kernels::generated::decode::{
    self as descriptors, Dictionaries, FLAW_BITS, NO_DICTIONARY_PAGE, NO_NULL_COUNT, PART_ROWS, PREFIXED_LEVELS, Pages,
};
use gdf_kernels::{In, Out, bytes_of};
use gdf_memory::{AccessMut, Buffer};

use crate::batch::{Encoding, Flaw, Refused};
use crate::conversion::{Conversion, StoredDecimal};
use crate::plan::{ColumnPlan, PAGE_ALIGNMENT, Plan};
use crate::{Ctx, vouch};

/// The memory of a column that is decoded.
struct Output {
    values: Buffer,
    validity: Option<Buffer>,
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
}

/// Where each list of descriptors begins in the memory of all descriptors.
struct Layout {
    dictionaries: usize,
    pages: usize,
    statuses: usize,
    end: usize,
}

/// See [`crate::decode()`].
pub(crate) fn decode(plan: &Plan<'_>, bytes: &Buffer, ctx: Ctx<'_>) -> Result<Vec<Result<Column, Refused>>> {
    let listed = Listed::new(plan);
    let mut outputs = plan.decoded().map(|(_, column)| Output::new(column, ctx)).collect::<Result<Vec<_>>>()?;
    let statuses = if listed.pages.is_empty() && listed.dictionaries.is_empty() {
        vec![descriptors::Status { error: u64::MAX, nulls: 0 }; outputs.len()]
    } else {
        launch(plan, &listed, &mut outputs, bytes, ctx)?
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

/// Returns the numbers of bytes of the two buffers of scratch memory.
pub(crate) fn scratch_bytes(plan: &Plan<'_>) -> [usize; 2] {
    let listed = Listed::new(plan);
    [Layout::new(plan.decoded().count(), &listed).end, listed.decoded_bytes]
}

/// Launches the kernels, and waits for what they report of each column.
fn launch(
    plan: &Plan<'_>,
    listed: &Listed,
    outputs: &mut [Output],
    bytes: &Buffer,
    ctx: Ctx<'_>,
) -> Result<Vec<descriptors::Status>> {
    let access = bytes.read_on(ctx.stream)?;
    require(access.address().is_multiple_of(PAGE_ALIGNMENT as u64), "the buffer of pages is misaligned")?;
    let mut decoded = Buffer::uninitialized(listed.decoded_bytes, ctx.stream, ctx.mr.temporary)?;
    let decoded = decoded.write_on(ctx.stream)?;
    let open = outputs.iter_mut().map(|output| output.open(ctx)).collect::<Result<Vec<_>>>()?;

    let columns = plan.decoded().zip(&open).map(|((_, column), output)| describe(column, output));
    let columns = columns.collect::<Result<Vec<_>>>()?;
    let dictionary = |(dictionary, at): (&descriptors::Dictionary<'static>, &Option<usize>)| {
        let at = at.map_or(Ok(Out::NULL), |at| Memory::of(&decoded).array::<u8>(at, 0))?;
        Ok(descriptors::Dictionary { decoded: at, ..*dictionary })
    };
    let dictionaries =
        listed.dictionaries.iter().zip(&listed.decoded_at).map(dictionary).collect::<Result<Vec<_>>>()?;
    let statuses = vec![descriptors::Status { error: u64::MAX, nulls: 0 }; columns.len()];

    let layout = Layout::new(columns.len(), listed);
    let mut all = vec![0; layout.end];
    put(&mut all, 0, bytes_of(&columns))?;
    put(&mut all, layout.dictionaries, bytes_of(&dictionaries))?;
    put(&mut all, layout.pages, bytemuck::cast_slice(&listed.pages))?;
    put(&mut all, layout.statuses, bytemuck::cast_slice(&statuses))?;
    let mut all = Buffer::from_host(&all, ctx.stream, ctx.mr.temporary)?;
    let described = all.write_on(ctx.stream)?;
    let memory = Memory::of(&described);
    let statuses = memory.array(layout.statuses, columns.len())?;
    let lists = memory.read();
    let (first_column, bytes) = (lists.array(0, columns.len())?, In::of(&access));
    let first_dictionary = lists.array(layout.dictionaries, dictionaries.len())?;

    if listed.decoded_bytes > 0 {
        let arguments = Dictionaries { dictionaries: first_dictionary, columns: first_column, bytes, statuses };
        let kernel = Kernel::find(ctx.stream)?;
        // SAFETY: there is a block for each dictionary, and each names one of the columns. The plan has checked that the
        // bytes of a dictionary's values are within `bytes`, followed by `PADDING` bytes. `Listed` has reserved memory
        // in `decoded` for the converted values of each dictionary, aligned to their width. The accesses to `bytes`,
        // `decoded` and the descriptors are held.
        unsafe { kernel.launch(ctx.stream, blocks(dictionaries.len())?, 1, &arguments)? };
    }
    if !listed.pages.is_empty() {
        let pages = lists.array(layout.pages, listed.pages.len())?;
        let arguments = Pages { pages, columns: first_column, dictionaries: first_dictionary, bytes, statuses };
        let kernel = Kernel::find(ctx.stream)?;
        // SAFETY: there is a block for each page, and each names one of the columns, and one of the dictionaries or none.
        // The plan has checked that each page is within `bytes`, followed by `PADDING` bytes, and that its levels are as
        // far as their size is known. The kernel checks everything that is stated in a page. The outputs have memory for
        // the rows of all pages, the rows of pages do not overlap, and the masks are zero. The values of dictionaries are
        // within `bytes`, or were written by the launch before. The accesses to all of them are held.
        unsafe { kernel.launch(ctx.stream, blocks(listed.pages.len())?, 1, &arguments)? };
    }
    drop((open, described));
    let statuses = all.slice(layout.statuses, layout.end - layout.statuses)?.to_host(ctx.stream)?;
    Ok(statuses.chunks_exact(size_of::<descriptors::Status>()).map(bytemuck::pod_read_unaligned).collect())
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
                self.dictionaries.push(descriptors::Dictionary {
                    at: page.at as i64,
                    count: page.values as i64,
                    first_key,
                    decoded: Out::NULL,
                    column: index,
                    number,
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
                };
                self.add_page(descriptor, column);
                row += header.rows;
                number += 1;
            }
        }
    }

    /// Appends a page, or its parts.
    fn add_page(&mut self, page: descriptors::Page, column: &ColumnPlan<'_>) {
        let is_plain = page.encoding == descriptors::Encoding::Plain as i32;
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
        let statuses = pages + listed.pages.len() * size_of::<descriptors::Page>();
        Layout { dictionaries, pages, statuses, end: statuses + columns * size_of::<descriptors::Status>() }
    }
}

impl Output {
    fn new(column: &ColumnPlan<'_>, ctx: Ctx<'_>) -> Result<Output> {
        let values = Buffer::uninitialized(column.checked_value_bytes(ctx)?, ctx.stream, ctx.mr.output)?;
        let validity = column.pages.is_optional;
        let validity = validity.then(|| Buffer::zeroed(column.mask_bytes(), ctx.stream, ctx.mr.output)).transpose()?;
        Ok(Output { values, validity })
    }

    fn open(&mut self, ctx: Ctx<'_>) -> Result<(AccessMut<'_>, Option<AccessMut<'_>>)> {
        let validity = self.validity.as_mut().map(|mask| mask.write_on(ctx.stream)).transpose()?;
        Ok((self.values.write_on(ctx.stream)?, validity))
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
        if let Some(mask) = self.validity.filter(|_| status.nulls > 0) {
            let mask = mask.slice(0, column.rows.div_ceil(8))?;
            parts = parts.validity(Some(mask), NullCount::Known(status.nulls as usize));
        }
        Ok(Ok(vouch::result(parts)?))
    }
}

/// Makes the descriptor of a column.
fn describe<'o>(
    column: &ColumnPlan<'_>,
    output: &'o (AccessMut<'_>, Option<AccessMut<'_>>),
) -> Result<descriptors::Column<'o>> {
    use descriptors::{StoredDecimal as Form, Target};

    let (values, validity) = output;
    let (form, largest) = match column.conversion {
        Conversion::Copy { .. } | Conversion::Narrow { .. } | Conversion::Keys => (Form::Int32, 0),
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
        Conversion::Copy { .. } | Conversion::Narrow { .. } | Conversion::Decimal { .. } => {
            return Err(gdf_core::Error::internal("a conversion has a width that kernels do not have"));
        }
    };
    let values = Memory::of(values).rows(column.rows, column.conversion.width())?;
    let words = |mask: &'o AccessMut<'_>| Memory::of(mask).array::<u32>(0, column.rows.div_ceil(32));
    Ok(descriptors::Column {
        values,
        validity: validity.as_ref().map_or(Ok(Out::NULL), words)?,
        largest: [largest as u64, (largest >> 64) as u64],
        target: target as i32,
        stored_decimal: form as i32,
        decimal_width: column.conversion.stored_width() as i32,
        unused: 0,
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
    ];
    let flaw = flaws.into_iter().find(|(of_kernel, _)| *of_kernel as u64 == code);
    Ok(flaw.ok_or_else(|| gdf_core::Error::internal("a kernel reports an unknown flaw"))?.1)
}
