//! Creates masks from other masks on CUDA. One launch merges the masks of up to 32 columns.

use gdf_core::{ColumnView, NullCount, Result};
use gdf_driver::Stream;
use gdf_kernels::generated::null_mask::{Combine, CombineKernel, Copy, Set};
use gdf_kernels::{ColumnIn, ColumnOut, TABLE_COLUMNS, TableIn};
use gdf_memory::{AccessMut, Buffer};

use super::{MaskState, Merge, RowState};
use crate::Ctx;
use crate::cuda::{CudaColumn, CudaOutput, In, Kernel, Out, one_launch};
use crate::mask::Bitmask;
use crate::null_count::run;

fn launch(how: Merge, columns: &[ColumnIn], out: ColumnOut, len: usize, stream: &Stream) -> Result<()> {
    let kernel = match how {
        Merge::And => CombineKernel::And,
        Merge::Or => CombineKernel::Or,
    };
    let kernel = Kernel::choose(kernel, stream)?;
    let input = one_launch(TableIn::new(columns))?;
    let arguments = Combine { input, inputs: columns.len() as i32, out };
    run(&kernel, len.div_ceil(32), &arguments, stream)
}

fn finish(len: usize, output: CudaOutput, stream: &Stream) -> Result<Bitmask> {
    let mask = output.into_buffers()?;
    Ok(Bitmask { buffer: mask.validity, device: stream.device(), len, null_count: mask.null_count })
}

pub(crate) fn merge(how: Merge, columns: &[ColumnView<'_>], len: usize, ctx: Ctx<'_>) -> Result<Bitmask> {
    if let [column] = columns {
        return copy(*column, len, ctx);
    }
    let mut rest = columns;
    let mut merged: Option<Buffer> = None;
    loop {
        let capacity = TABLE_COLUMNS - usize::from(merged.is_some());
        let (now, later) = rest.split_at(capacity.min(rest.len()));
        let opened = now.iter().map(|column| CudaColumn::open(*column, ctx.stream)).collect::<Result<Vec<_>>>()?;
        let so_far = merged.as_ref().map(|mask| mask.read_on(ctx.stream)).transpose()?;
        let so_far_desc =
            so_far.as_ref().map(|mask| ColumnIn { validity: In::of(mask), length: len as i64, ..ColumnIn::default() });
        let descs: Vec<_> = opened.iter().map(|column| column.desc()).chain(so_far_desc).collect();
        let target = if later.is_empty() { ctx } else { ctx.scratch() };
        let mut output = CudaOutput::mask(len, target)?;
        launch(how, &descs, output.open(ctx.stream)?.desc(), len, ctx.stream)?;
        drop((opened, so_far));
        if later.is_empty() {
            return finish(len, output, ctx.stream);
        }
        merged = output.into_buffers()?.validity;
        rest = later;
    }
}

fn copy(column: ColumnView<'_>, len: usize, ctx: Ctx<'_>) -> Result<Bitmask> {
    let input = CudaColumn::open(column, ctx.stream)?;
    let mut output = CudaOutput::mask(len, ctx)?;
    let open = output.open(ctx.stream)?;
    let arguments = Copy { input: input.desc(), out: open.desc() };
    let kernel = Kernel::find(ctx.stream)?;
    run(&kernel, len.div_ceil(32), &arguments, ctx.stream)?;
    drop((input, open));
    finish(len, output, ctx.stream)
}

pub(crate) fn filled(len: usize, state: MaskState, ctx: Ctx<'_>) -> Result<Bitmask> {
    let valid = state == MaskState::AllValid;
    let mut output = CudaOutput::mask(len, ctx)?;
    // A column without a mask is valid in all rows. If there is no column, the kernel for OR makes all rows null.
    let all_valid = ColumnIn { length: len as i64, ..ColumnIn::default() };
    let (how, columns): (_, &[_]) = if valid { (Merge::And, &[all_valid]) } else { (Merge::Or, &[]) };
    launch(how, columns, output.open(ctx.stream)?.desc(), len, ctx.stream)?;
    let mask = finish(len, output, ctx.stream)?;
    Ok(Bitmask { null_count: NullCount::Known(if valid { 0 } else { len }), ..mask })
}

pub(crate) fn set_null_mask(
    mask: &AccessMut<'_>,
    begin: usize,
    end: usize,
    state: RowState,
    stream: &Stream,
) -> Result<()> {
    let kernel = Kernel::find(stream)?;
    let arguments =
        Set { words: Out::of(mask), begin: begin as i64, end: end as i64, valid: i32::from(state == RowState::Valid) };
    run(&kernel, end.div_ceil(32) - begin / 32, &arguments, stream)
}
