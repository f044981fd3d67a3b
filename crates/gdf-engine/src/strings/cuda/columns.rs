//! Spans of texts as columns, on CUDA.

use gdf_core::{Column, Result};
use gdf_kernels::generated::common::{BUILD_STRINGS_DETAIL_MOST_SHARE, CopySpansSource, TileCounts};
use gdf_kernels::generated::strings::{
    SPAN_COLUMNS_MOST_COLUMNS, SpanColumns, SpanColumnsKernel, SpanColumnsParameters,
};
use gdf_memory::Mailbox;

use super::super::{Spans, is_large};
use super::{entries, open_text, share_of};
use crate::Ctx;
use crate::cuda::{CudaOutput, In, Kernel, Out, Rows};
use crate::layout::{RowKind, counted_bytes};

/// Returns the spans of each row as columns in the same way as [`Spans::into_columns`]. There must be at least one row.
pub(in crate::strings) fn columns(spans: &Spans<'_>, columns: Option<usize>, ctx: Ctx<'_>) -> Result<Vec<Column>> {
    const MOST: usize = SPAN_COLUMNS_MOST_COLUMNS;
    let (stream, rows, data_type) = (ctx.stream, spans.rows, spans.source.data_type());
    let large = is_large("columns", spans.source)?;
    let elements = spans.elements();
    let open_text = open_text(elements.unwrap_or(spans.source).into(), stream)?;
    let text = open_text.desc();
    let offsets = spans.offsets.as_ref().map(|offsets| offsets.read_on(stream)).transpose()?;
    let all = spans.spans.read_on(stream)?;
    let all = if elements.is_some() { In::NULL } else { In::of(&all) };
    let offsets = offsets.as_ref().map_or(In::NULL, In::of);
    let count = elements.map_or(spans.count(), |elements| elements.len()) as i64;
    let share = share_of(rows);
    let spread = rows.saturating_mul(BUILD_STRINGS_DETAIL_MOST_SHARE / share);
    let launch = |kernel, arguments: &SpanColumns<'_>| -> Result<()> {
        let kernel = Kernel::choose(kernel, stream)?;
        // SAFETY: The kernels read the spans of the rows, and write the mailbox or the outputs.
        // - The kernel that found the spans wrote the spans and their offsets, and each span lies within the text.
        // - The mailbox has the `MOST + 1` words that the kernels write.
        // - The other kernels write the offsets, validity, null counts and bytes of the outputs. These kernels write
        //   no more bytes than the outputs have memory for.
        // - The entries suffice for the tiles of all outputs.
        // - All memory is open until the launch is enqueued.
        unsafe { kernel.launch(stream, kernel.blocks(spread), 1, arguments)? };
        Ok(())
    };
    let mut made = Vec::new();
    let mut left = columns;
    while left != Some(0) {
        let (each, nth) = (spans.each() as i64, made.len() as i64);
        let source = CopySpansSource { text, offsets, spans: all, count, nth, rows: Rows::new(rows), each };
        let mut p = SpanColumnsParameters { source, ..SpanColumnsParameters::default() };
        let mut counts = TileCounts { share: share as i32, ..TileCounts::default() };
        p.out[0].length = rows as i64;
        let mailbox = Mailbox::new(stream, MOST + 1)?;
        let arguments = SpanColumns { p, counts, mailbox: Out::of(&mailbox) };
        launch(SpanColumnsKernel::Totals, &arguments)?;
        let words = mailbox.wait()?;
        let remaining = left.unwrap_or((words[0] as usize).max(1));
        let mut outputs = Vec::new();
        for total in words[1..].iter().take(remaining.min(MOST)) {
            let bytes = counted_bytes(RowKind::Strings { large }, *total)?;
            outputs.push(CudaOutput::strings(data_type, rows, bytes, ctx)?.nullable(true, ctx)?);
        }
        let mut entries = entries(rows, share, outputs.len(), ctx)?;
        let entries = entries.as_mut().map(|entries| entries.write_on(stream)).transpose()?;
        let open = outputs.iter_mut().map(|output| output.open(stream)).collect::<Result<Vec<_>>>()?;
        for ((out, capacity), (open, total)) in p.out.iter_mut().zip(&mut p.capacity).zip(open.iter().zip(&words[1..]))
        {
            (*out, *capacity) = (open.desc(), *total as i64);
        }
        p.columns = open.len() as i32;
        counts.entries = Out::of_option(entries.as_ref());
        let arguments = SpanColumns { p, counts, mailbox: Out::NULL };
        launch(SpanColumnsKernel::Write, &arguments)?;
        drop((open, entries));
        left = Some(remaining - outputs.len());
        for output in outputs {
            made.push(output.finish(stream)?);
        }
    }
    Ok(made)
}
