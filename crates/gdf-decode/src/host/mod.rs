//! Decoding on the CPU: column chunks in parallel, and the pages of a chunk one after the other. Each page is decompressed
//! into memory that the thread uses again.

mod bits;
mod codec;
mod converted;
mod decimals;
mod deltas;
mod fixed_bytes;
mod keys;
mod nested;
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
use nested::ChunkLevels;
use page_decoder::values_of;
pub use page_decoder::{PageDecoder, Slot};
pub use row_validity::RowValidity;

use crate::batch::{Chunk, DecodedColumn, Flaw, Page, Refused};
use crate::conversion::Conversion;
use crate::nesting::LevelPlan;
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
    /// The levels of a nested column.
    levels: Option<&'t ChunkLevels>,
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
pub(crate) fn decode(plan: &Plan<'_>, bytes: &Buffer, ctx: Ctx<'_>) -> Result<Vec<Result<DecodedColumn, Refused>>> {
    let pages = bytes.read_on(ctx.stream)?;
    let pages: &[u8] = pages.as_slice()?;
    let (plan, levels) = with_slots(plan, pages);
    let (plan, levels) = (&plan, levels.as_slice());
    // The memory of all rows is taken before the pages of texts are looked at, so that claims of too many rows are errors.
    let memory = |(_, column): (usize, &ColumnPlan<'_>)| {
        Ok(Buffer::uninitialized(column.checked_value_bytes(ctx)?, ctx.stream, ctx.mr.output)?)
    };
    let mut values = plan.decoded().map(memory).collect::<Result<Vec<_>>>()?.into_iter();
    let texts = plan.decoded().filter(|(_, column)| column.text_width().is_some());
    let texts = texts.flat_map(|(index, column)| tasks_of(index, column, &levels[index])).collect();
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
        let tasks_of = tasks_of(*index, column, &levels[*index]);
        push_tasks(&mut tasks, tasks_of, column, values.as_mut_slice()?, bytes.map(|bytes| (bytes, *texts)));
    }
    let mut decoded = map_tasks(tasks, &|_, task: Task<'_>| task.run(pages)).into_iter();
    drop(open);
    let mut outputs = outputs.into_iter();
    let column = |(index, column): (usize, &Result<ColumnPlan<'_>, Refused>)| {
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
        let values = match finish(column, output, chunks, ctx)? {
            Ok(values) => values,
            Err(refused) => return Ok(Err(refused)),
        };
        let nodes = column.levels.as_ref().map(|plan| nested::nodes(plan, &levels[index], ctx)).transpose()?;
        let decoded = nodes.unwrap_or_else(|| Ok(Vec::new())).map(|nodes| DecodedColumn { values, nodes });
        Ok(decoded.map_err(|flaw| Refused { column: index, page: 0, flaw }))
    };
    plan.columns.iter().enumerate().map(column).collect()
}

/// Reads the levels of nested columns. Returns the plan in which they have as many rows as slots of values, and for each
/// column the levels of its chunks, if it is nested.
fn with_slots<'b>(plan: &Plan<'b>, pages: &[u8]) -> (Plan<'b>, Vec<Vec<ChunkLevels>>) {
    let nested = plan.decoded().filter_map(|(index, column)| Some((index, column, column.levels.as_ref()?)));
    let tasks = nested.flat_map(|(index, column, levels)| {
        let of_column = tasks_of(index, column, &[]).into_iter().enumerate();
        of_column.map(move |(number, task)| (number, task, levels))
    });
    let read = |_, (number, task, levels): (usize, Task<'_>, &LevelPlan)| task.read_levels(number, levels, pages);
    let mut read = map_tasks(tasks.collect(), &read).into_iter();
    let mut all = Vec::with_capacity(plan.columns.len());
    let column = |column: &Result<ColumnPlan<'b>, Refused>| {
        let mut column = column.clone()?;
        let chunks = if column.levels.is_some() { column.pages.chunks.len() } else { 0 };
        let of_chunks = read.by_ref().take(chunks).collect::<Vec<_>>().into_iter();
        let of_chunks = of_chunks.collect::<Result<Vec<ChunkLevels>, Refused>>()?;
        if column.levels.is_some() {
            column.rows = of_chunks.iter().filter_map(|chunk| chunk.counts.last()).sum();
        }
        Ok((column, of_chunks))
    };
    let columns = plan.columns.iter().map(column).map(|column| {
        let (column, levels) =
            column.map_or_else(|refused| (Err(refused), Vec::new()), |(of, levels)| (Ok(of), levels));
        all.push(levels);
        column
    });
    (Plan { columns: columns.collect() }, all)
}

/// Returns the chunks of a column, without memory. The levels are those of a nested column.
fn tasks_of<'t>(column: usize, plan: &'t ColumnPlan<'t>, levels: &'t [ChunkLevels]) -> Vec<Task<'t>> {
    let (mut first_page, mut first_key) = (0, 0);
    let task = |(number, chunk): (usize, &'t Chunk)| {
        let levels = levels.get(number);
        let rows = match levels.and_then(|levels| levels.counts.last()) {
            Some(slots) => *slots,
            None => chunk.pages.iter().map(|page| page.header.rows).sum(),
        };
        let task = Task { column, first_page, first_key, plan, chunk, levels, rows, slot: None };
        first_page += chunk.pages.len() + usize::from(chunk.dictionary.is_some());
        first_key += chunk.dictionary.map_or(0, |page| page.values);
        task
    };
    plan.pages.chunks.iter().enumerate().map(task).collect()
}

/// Divides the memory of a column among its chunks. `texts` are the bytes of texts, and their number in each chunk.
fn push_tasks<'t>(
    tasks: &mut Vec<Task<'t>>,
    of_column: Vec<Task<'t>>,
    plan: &'t ColumnPlan<'t>,
    values: &'t mut [u8],
    texts: Option<(&'t mut [u8], &'t [usize])>,
) {
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
    /// Reads the levels of the chunk, which has this number among the chunks of its column.
    fn read_levels(self, number: usize, plan: &LevelPlan, bytes: &[u8]) -> Result<ChunkLevels, Refused> {
        let Task { column, first_page, chunk, .. } = self;
        let first = first_page + usize::from(chunk.dictionary.is_some());
        let refused = |page: usize| move |flaw: Flaw| Refused { column, page: first + page, flaw };
        let nesting = self.plan.pages.nesting.as_ref();
        let rows = nesting.and_then(|nesting| nesting.chunk_rows.get(number)).copied().unwrap_or(0);
        let mut levels = ChunkLevels::new(plan);
        for (index, page) in chunk.pages.iter().enumerate() {
            with_bytes(page, bytes, &mut |bytes| levels.push(bytes, &page.header, plan, rows))
                .map_err(refused(index))?;
        }
        if levels.counts.first() != Some(&rows) {
            return Err(refused(chunk.pages.len().saturating_sub(1))(Flaw::Rows));
        }
        Ok(levels)
    }

    /// Decodes the chunk.
    fn run(self, bytes: &[u8]) -> Result<Decoded, Refused> {
        let Task { column, first_page, first_key, plan, chunk, levels, rows, slot } = self;
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
        for (index, page) in chunk.pages.iter().enumerate() {
            let mut decode = |bytes: &[u8]| match levels {
                None => decoder.decode(bytes, &page.header),
                Some(levels) => decoder.decode_slots(bytes, &page.header, &levels.pages[index]),
            };
            with_bytes(page, bytes, &mut decode).map_err(refused(number))?;
            number += 1;
        }
        let (texts, bits) = (decoder.text_bytes(), decoder.take_bits());
        Ok(Decoded { validity: decoder.finish().map_err(refused(number.saturating_sub(1)))?, texts, bits })
    }
}

/// Calls a function with the decompressed bytes of a page.
fn with_bytes(page: &Page, bytes: &[u8], decode: &mut dyn FnMut(&[u8]) -> Result<(), Flaw>) -> Result<(), Flaw> {
    let stored = &bytes[page.at..page.at + page.len];
    match page.compression {
        None => decode(stored),
        Some(of) => decode(decompressed(stored, page.plain_bytes(), of)?.as_ref()),
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
    // Values that are not optional are missing only where what is above them is null.
    if nulls > 0 && column.pages.is_optional {
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
