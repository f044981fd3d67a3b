//! Decoding on the CPU: column chunks in parallel, and the pages of a chunk one after the other.

mod decimals;
mod keys;
mod numbers;
mod page_decoder;
mod row_validity;
mod runs;
mod text;
mod values;

use gdf_core::{Column, ColumnParts, NullCount, Result, bitmask};
use gdf_engine::host::{map_tasks, split_mut};
use gdf_memory::{AccessMut, Buffer};

use page_decoder::values_of;
pub use page_decoder::{PageDecoder, Slot};
pub use row_validity::RowValidity;

use crate::batch::{Chunk, Flaw, Refused};
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
    values: &'t mut [u8],
}

/// See [`crate::decode()`].
pub(crate) fn decode(plan: &Plan<'_>, bytes: &Buffer, ctx: Ctx<'_>) -> Result<Vec<Result<Column, Refused>>> {
    let memory = |(_, column): (usize, &ColumnPlan<'_>)| {
        Ok(Buffer::uninitialized(column.checked_value_bytes(ctx)?, ctx.stream, ctx.mr.output)?)
    };
    let mut values = plan.decoded().map(memory).collect::<Result<Vec<_>>>()?;
    let mut accesses = Vec::with_capacity(values.len());
    for buffer in &mut values {
        accesses.push(buffer.write_on(ctx.stream)?);
    }
    let pages = bytes.read_on(ctx.stream)?;
    let pages: &[u8] = pages.as_slice()?;
    let places = accesses.iter_mut().map(AccessMut::as_mut_slice).collect::<Result<Vec<&mut [u8]>, _>>()?;
    let mut tasks = Vec::new();
    for ((index, column), place) in plan.decoded().zip(places) {
        push_tasks(&mut tasks, index, column, place);
    }
    let mut decoded = map_tasks(tasks, &|_, task: Task<'_>| task.run(pages)).into_iter();
    drop(accesses);
    let mut values = values.into_iter();
    let column = |column: &Result<ColumnPlan<'_>, Refused>| {
        let column = match column {
            Ok(column) => column,
            Err(refused) => return Ok(Err(*refused)),
        };
        let chunks: Vec<_> = decoded.by_ref().take(column.pages.chunks.len()).collect();
        let values = values.next().ok_or_else(|| gdf_core::Error::internal("a column has no memory"))?;
        finish(column, values, chunks, ctx)
    };
    plan.columns.iter().map(column).collect()
}

/// Divides the memory of a column among its chunks.
fn push_tasks<'t>(tasks: &mut Vec<Task<'t>>, index: usize, plan: &'t ColumnPlan<'t>, place: &'t mut [u8]) {
    let rows = |chunk: &Chunk| chunk.pages.iter().map(|page| page.header.rows).sum::<usize>();
    let sizes = plan.pages.chunks.iter().map(|chunk| rows(chunk) * plan.conversion.width());
    let (mut first_page, mut first_key) = (0, 0);
    for (chunk, values) in plan.pages.chunks.iter().zip(split_mut(place, sizes)) {
        tasks.push(Task { column: index, first_page, first_key, plan, chunk, values });
        first_page += chunk.pages.len() + usize::from(chunk.dictionary.is_some());
        first_key += chunk.dictionary.map_or(0, |page| page.values);
    }
}

impl Task<'_> {
    fn run(self, bytes: &[u8]) -> Result<RowValidity, Refused> {
        let Task { column, first_page, first_key, plan, chunk, values } = self;
        let refused = |page: usize| move |flaw: Flaw| Refused { column, page: first_page + page, flaw };
        let rows = values.len() / plan.conversion.width();
        let to_values = values_of(plan.conversion, values, first_key);
        let mut decoder = PageDecoder::of_values(to_values, plan.pages.is_optional, rows);
        let mut number = 0;
        if let Some(page) = &chunk.dictionary {
            decoder.set_dictionary(&bytes[page.at..page.at + page.len], page.values).map_err(refused(number))?;
            number += 1;
        }
        for page in &chunk.pages {
            decoder.decode(&bytes[page.at..page.at + page.len], &page.header).map_err(refused(number))?;
            number += 1;
        }
        decoder.finish().map_err(refused(number.saturating_sub(1)))
    }
}

/// Makes the column of its decoded chunks, or returns the first of its bad pages.
fn finish(
    column: &ColumnPlan<'_>,
    values: Buffer,
    chunks: Vec<Result<RowValidity, Refused>>,
    ctx: Ctx<'_>,
) -> Result<Result<Column, Refused>> {
    let chunks = match chunks.into_iter().collect::<Result<Vec<_>, _>>() {
        Ok(chunks) => chunks,
        Err(refused) => return Ok(Err(refused)),
    };
    let nulls = chunks.iter().map(RowValidity::null_count).sum();
    let parts = ColumnParts::new(column.pages.data_type.clone(), ctx.stream.device(), column.rows);
    let mut parts = parts.buffer(values);
    if nulls > 0 {
        let mut bits = vec![0; column.mask_bytes()];
        let mut row = 0;
        for chunk in &chunks {
            chunk.write(&mut bits, row);
            row += chunk.rows();
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
