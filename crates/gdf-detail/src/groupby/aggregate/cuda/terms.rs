//! What adds up of numbers of values, means and sums of squared differences: one launch.

use gdf_core::{Column, ColumnView, DataType, Result};
use gdf_kernels::generated::groupby::SpreadTerms;

use crate::Ctx;
use crate::cuda::{CudaColumn, CudaOutput, Kernel};

pub(crate) fn spread_terms(columns: [ColumnView<'_>; 3], ctx: Ctx<'_>) -> Result<[Column; 2]> {
    let scratch = ctx.scratch();
    let [count, mean, m2] = columns;
    let rows = count.len();
    let output = || CudaOutput::fixed_width(&DataType::Float64, rows, false, scratch);
    let (mut sums, mut squares) = (output()?, output()?);
    {
        let kernel = Kernel::find(ctx.stream)?;
        let (count, mean, m2) = (
            CudaColumn::open(count, ctx.stream)?,
            CudaColumn::open(mean, ctx.stream)?,
            CudaColumn::open(m2, ctx.stream)?,
        );
        let (first, second) = (sums.open(ctx.stream)?, squares.open(ctx.stream)?);
        let (sums, squares) = (first.desc.data.cast(), second.desc.data.cast());
        let arguments = SpreadTerms { count: count.desc, mean: mean.desc, m2: m2.desc, sums, squares };
        // SAFETY: an Int64 and two Float64 columns of equal length; each of the outputs has as many rows.
        unsafe { kernel.launch(ctx.stream, kernel.blocks(rows), 1, &arguments)? };
    }
    Ok([sums.finish(ctx.stream)?, squares.finish(ctx.stream)?])
}
