//! The offsets of concatenated lists on CUDA.

use std::ops::Range;

use gdf_core::{Column, ColumnView, DataType, Error, Result};
use gdf_kernels::generated::concatenate::{JoinOffsets, MovedOffsets, OFFSET_PIECES, OffsetColumns, OffsetEnds};
use gdf_memory::Mailbox;

use super::run;
use crate::Ctx;
use crate::cuda::{CudaColumn, CudaOutput, Kernel, Out};

fn open<'a>(offsets: impl Iterator<Item = ColumnView<'a>>, ctx: Ctx<'_>) -> Result<Vec<CudaColumn<'a>>> {
    let open = offsets.map(|offsets| CudaColumn::open(offsets, ctx.stream)).collect::<Result<Vec<_>>>()?;
    let fit = (1..=OFFSET_PIECES).contains(&open.len()) && open.iter().all(|column| column.desc().length > 0);
    if fit { Ok(open) } else { Err(Error::internal("there are too many columns of offsets, or one is empty")) }
}

fn described<'c>(open: &'c [CudaColumn<'_>]) -> OffsetColumns<'c> {
    let mut columns = OffsetColumns::default();
    columns.column.iter_mut().zip(open).for_each(|(to, from)| *to = from.desc());
    columns
}

pub(in crate::rows::join) fn offset_ends(offsets: &[ColumnView<'_>], ctx: Ctx<'_>) -> Result<Vec<Range<usize>>> {
    let open = open(offsets.iter().copied(), ctx)?;
    let mailbox = Mailbox::new(ctx.stream, 2 * open.len())?;
    let arguments = OffsetEnds { offsets: described(&open), count: open.len() as i32, mailbox: Out::of(&mailbox) };
    run(&Kernel::find(ctx.stream)?, 1, 1, &arguments, ctx)?;
    drop(open);
    let words = mailbox.wait()?;
    Ok(words.as_chunks().0.iter().take(offsets.len()).map(|[begin, end]| *begin as usize..*end as usize).collect())
}

pub(in crate::rows::join) fn join_offsets(
    pieces: &[(ColumnView<'_>, i64)],
    data_type: &DataType,
    ctx: Ctx<'_>,
) -> Result<Column> {
    let open = open(pieces.iter().map(|(offsets, _)| *offsets), ctx)?;
    let mut moved = MovedOffsets::default();
    let mut rows = 0;
    for (at, (offsets, by)) in pieces.iter().enumerate() {
        (moved.start[at], moved.moved[at]) = (rows as i64, *by);
        rows += offsets.len();
    }
    moved.start[pieces.len()] = rows as i64;
    let kernel = Kernel::find(ctx.stream)?;
    let mut output = CudaOutput::fixed_width(data_type, rows, ctx)?;
    let out = output.open(ctx.stream)?;
    let arguments = JoinOffsets { offsets: described(&open), moved, count: open.len() as i32, out: out.desc() };
    run(&kernel, kernel.streaming_blocks(rows), 1, &arguments, ctx)?;
    drop((open, out));
    output.finish(ctx.stream)
}
