//! The first and the last offset of columns of offsets on CUDA.

use std::ops::Range;

use gdf_core::{ColumnView, Error, Result};
use gdf_kernels::generated::concatenate::{OFFSET_PIECES, OffsetColumns, OffsetEnds};
use gdf_memory::Mailbox;

use super::run;
use crate::Ctx;
use crate::cuda::{CudaColumn, Kernel, Out};

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
