//! Decoding on the CPU: column chunks in parallel, and the pages of a chunk one after the other. Each page is decompressed
//! into memory that the thread uses again.

mod bits;
mod codec;
mod converted;
mod decimals;
mod deltas;
mod fixed_bytes;
mod keys;
mod numbers;
mod page_decoder;
mod prefixes;
mod rewritten;
mod row_validity;
mod runs;
mod text;
mod times;
mod values;

use gdf_core::{Column, ColumnParts, NullCount, Result, bitmask};
use gdf_engine::host::{map_tasks, split_mut};
use gdf_memory::{AccessMut, Buffer};

use codec::decompressed;
pub use deltas::skip_deltas;
use page_decoder::values_of;
pub use page_decoder::{PageDecoder, Slot};
pub use row_validity::RowValidity;

use crate::batch::{Chunk, Flaw, Refused};
use crate::conversion::Conversion;
use crate::plan::{ColumnPlan, Plan};
use crate::{Ctx, vouch};

/// A column chunk, and the memory of its rows.
struct Task<'t> {
    column: usize,
    /// The number of pages of the column before the chunk.
    first_page: usize,
    /// The number of values in the dictionaries of the column before the chunk.
    first_key: usize,
    plan: &'t ColumnPlan<'t>,
    chunk: &'t Chunk,
    rows: usize,
    /// If there is no memory, the bytes of texts are counted.
    slot: Option<Slot<'t>>,
}

/// The memory of a column that is decoded.
struct Output {
    /// The values, or the offsets of texts.
    values: Buffer,
    /// The bytes of texts.
    bytes: Option<Buffer>,
    /// For each chunk, the number of bytes of its texts.
    texts: Vec<usize>,
}

/// What a task has decoded.
struct Decoded {
    validity: RowValidity,
    /// The number of bytes of texts, if these are counted.
    texts: usize,
    /// The bits of all rows, if the values are bits.
    bits: Vec<u8>,
}

/// See [`crate::decode()`].
pub(crate) fn decode(plan: &Plan<'_>, bytes: &Buffer, ctx: Ctx<'_>) -> Result<Vec<Result<Column, Refused>>> {
    let pages = bytes.read_on(ctx.stream)?;
    let pages: &[u8] = pages.as_slice()?;
    // The memory of all rows is taken before the pages of texts are looked at, so that claims of too many rows are errors.
    let memory = |(_, column): (usize, &ColumnPlan<'_>)| {
        Ok(Buffer::uninitialized(column.checked_value_bytes(ctx)?, ctx.stream, ctx.mr.output)?)
    };
    let mut values = plan.decoded().map(memory).collect::<Result<Vec<_>>>()?.into_iter();
    let texts = plan.decoded().filter(|(_, column)| column.text_width().is_some());
    let texts = texts.flat_map(|(index, column)| tasks_of(index, column)).collect();
    let mut counted = map_tasks(texts, &|_, task: Task<'_>| Ok(task.run(pages)?.texts)).into_iter();
    let output = |(index, column): (usize, &ColumnPlan<'_>)| {
        let chunks = if column.text_width().is_some() { column.pages.chunks.len() } else { 0 };
        let values = values.next().ok_or_else(|| gdf_core::Error::internal("a column has no memory"))?;
        let of_column: Vec<_> = counted.by_ref().take(chunks).collect();
        match of_column.into_iter().collect::<Result<Vec<usize>, Refused>>() {
            Ok(texts) => Output::new(index, column, values, texts, ctx),
            Err(refused) => Ok(Err(refused)),
        }
    };
    let mut outputs = plan.decoded().map(output).collect::<Result<Vec<_>>>()?;

    let mut open = Vec::with_capacity(outputs.len());
    for ((index, column), output) in plan.decoded().zip(&mut outputs) {
        if let Ok(output) = output {
            open.push((index, column, output.open(ctx)?));
        }
    }
    let mut tasks = Vec::new();
    for (index, column, (values, bytes, texts)) in &mut open {
        let bytes = bytes.as_mut().map(AccessMut::as_mut_slice).transpose()?;
        push_tasks(&mut tasks, *index, column, values.as_mut_slice()?, bytes.map(|bytes| (bytes, *texts)));
    }
    let mut decoded = map_tasks(tasks, &|_, task: Task<'_>| task.run(pages)).into_iter();
    drop(open);
    let mut outputs = outputs.into_iter();
    let column = |column: &Result<ColumnPlan<'_>, Refused>| {
        let column = match column {
            Ok(column) => column,
            Err(refused) => return Ok(Err(*refused)),
        };
        let output = match outputs.next() {
            Some(Ok(output)) => output,
            Some(Err(refused)) => return Ok(Err(refused)),
            None => return Err(gdf_core::Error::internal("a column has no memory")),
        };
        let chunks: Vec<_> = decoded.by_ref().take(column.pages.chunks.len()).collect();
        finish(column, output, chunks, ctx)
    };
    plan.columns.iter().map(column).collect()
}

/// Returns the chunks of a column, without memory.
fn tasks_of<'t>(column: usize, plan: &'t ColumnPlan<'t>) -> Vec<Task<'t>> {
    let (mut first_page, mut first_key) = (0, 0);
    let task = |chunk: &'t Chunk| {
        let rows = chunk.pages.iter().map(|page| page.header.rows).sum();
        let task = Task { column, first_page, first_key, plan, chunk, rows, slot: None };
        first_page += chunk.pages.len() + usize::from(chunk.dictionary.is_some());
        first_key += chunk.dictionary.map_or(0, |page| page.values);
        task
    };
    plan.pages.chunks.iter().map(task).collect()
}

/// Divides the memory of a column among its chunks. `texts` are the bytes of texts, and their number in each chunk.
fn push_tasks<'t>(
    tasks: &mut Vec<Task<'t>>,
    index: usize,
    plan: &'t ColumnPlan<'t>,
    values: &'t mut [u8],
    texts: Option<(&'t mut [u8], &'t [usize])>,
) {
    let of_column = tasks_of(index, plan);
    let sizes: Vec<usize> = of_column.iter().map(|task| task.rows * plan.conversion.width()).collect();
    let Some((bytes, texts)) = texts else {
        let slots = split_mut(values, sizes).into_iter().map(Slot::Values);
        tasks.extend(of_column.into_iter().zip(slots).map(|(task, slot)| Task { slot: Some(slot), ..task }));
        return;
    };
    // The first offset precedes the offsets of the ends of rows.
    let ends = values.get_mut(plan.conversion.width()..).unwrap_or_default();
    let places = split_mut(ends, sizes).into_iter().zip(split_mut(bytes, texts.iter().copied()));
    let mut first = 0;
    for (task, (ends, bytes)) in of_column.into_iter().zip(places) {
        let size = bytes.len();
        tasks.push(Task { slot: Some(Slot::Text { ends, bytes, first }), ..task });
        first += size;
    }
}

impl Output {
    /// Takes memory for the texts of a column whose chunks have `texts` bytes of them.
    fn new(
        index: usize,
        column: &ColumnPlan<'_>,
        mut values: Buffer,
        texts: Vec<usize>,
        ctx: Ctx<'_>,
    ) -> Result<Result<Output, Refused>> {
        let mut bytes = None;
        if let Some(width) = column.text_width() {
            let total = texts.iter().fold(0_usize, |sum, size| sum.saturating_add(*size));
            if !column.has_offsets_for(total) {
                return Ok(Err(Refused { column: index, page: 0, flaw: Flaw::Offsets }));
            }
            values.write_on(ctx.stream)?.fill(0..width, 0)?;
            bytes = Some(Buffer::uninitialized(total, ctx.stream, ctx.mr.output)?);
        }
        Ok(Ok(Output { values, bytes, texts }))
    }

    /// Writes the bits of all chunks.
    fn write_bits(&mut self, column: &ColumnPlan<'_>, chunks: &[Decoded], ctx: Ctx<'_>) -> Result<()> {
        let mut access = self.values.write_on(ctx.stream)?;
        let bits = access.as_mut_slice()?;
        bits.fill(0);
        let mut row = 0;
        for chunk in chunks {
            bitmask::copy_bits(&chunk.bits, 0, bits, row, chunk.validity.rows());
            row += chunk.validity.rows();
        }
        drop(access);
        self.values = self.values.slice(0, column.rows.div_ceil(8))?;
        Ok(())
    }

    fn open(&mut self, ctx: Ctx<'_>) -> Result<(AccessMut<'_>, Option<AccessMut<'_>>, &[usize])> {
        let bytes = self.bytes.as_mut().map(|bytes| bytes.write_on(ctx.stream)).transpose()?;
        Ok((self.values.write_on(ctx.stream)?, bytes, &self.texts))
    }
}

impl Task<'_> {
    /// Decodes the chunk.
    fn run(self, bytes: &[u8]) -> Result<Decoded, Refused> {
        let Task { column, first_page, first_key, plan, chunk, rows, slot } = self;
        let refused = |page: usize| move |flaw: Flaw| Refused { column, page: first_page + page, flaw };
        let values = values_of(plan.conversion, slot, first_key);
        let mut decoder =
            PageDecoder::of_values(plan.pages.stored, plan.conversion, values, plan.pages.is_optional, rows);
        let mut number = 0;
        if let Some(page) = &chunk.dictionary {
            let stored = &bytes[page.at..page.at + page.len];
            match page.compression.map(|compression| decompressed(stored, 0, compression)).transpose() {
                Ok(None) => decoder.set_dictionary(stored, page.values),
                Ok(Some(page_bytes)) => decoder.set_dictionary(page_bytes.as_ref(), page.values),
                Err(flaw) => Err(flaw),
            }
            .map_err(refused(number))?;
            number += 1;
        }
        for page in &chunk.pages {
            let stored = &bytes[page.at..page.at + page.len];
            match page.compression.map(|of| decompressed(stored, page.plain_bytes(), of)).transpose() {
                Ok(None) => decoder.decode(stored, &page.header),
                Ok(Some(page_bytes)) => decoder.decode(page_bytes.as_ref(), &page.header),
                Err(flaw) => Err(flaw),
            }
            .map_err(refused(number))?;
            number += 1;
        }
        let (texts, bits) = (decoder.text_bytes(), decoder.take_bits());
        Ok(Decoded { validity: decoder.finish().map_err(refused(number.saturating_sub(1)))?, texts, bits })
    }
}

/// Makes the column of its decoded chunks, or returns the first of its bad pages.
fn finish(
    column: &ColumnPlan<'_>,
    mut output: Output,
    chunks: Vec<Result<Decoded, Refused>>,
    ctx: Ctx<'_>,
) -> Result<Result<Column, Refused>> {
    let chunks = match chunks.into_iter().collect::<Result<Vec<_>, _>>() {
        Ok(chunks) => chunks,
        Err(refused) => return Ok(Err(refused)),
    };
    let nulls = chunks.iter().map(|chunk| chunk.validity.null_count()).sum();
    if column.conversion == Conversion::Bit {
        output.write_bits(column, &chunks, ctx)?;
    }
    let parts = ColumnParts::new(column.pages.data_type.clone(), ctx.stream.device(), column.rows);
    let mut parts = output.bytes.into_iter().fold(parts.buffer(output.values), ColumnParts::buffer);
    if nulls > 0 {
        let mut bits = vec![0; column.mask_bytes()];
        let mut row = 0;
        for chunk in &chunks {
            chunk.validity.write(&mut bits, row);
            row += chunk.validity.rows();
        }
        debug_assert_eq!(
            nulls,
            bitmask::count_zeros_in_range(&bits, 0, column.rows),
            "nulls are counted with the bits"
        );
        let mask = Buffer::from_host(&bits, ctx.stream, ctx.mr.output)?;
        parts = parts.validity(Some(mask), NullCount::Known(nulls));
    }
    Ok(Ok(vouch::result(parts)?))
}
