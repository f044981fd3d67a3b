//! Computes the terms of the variances of batches in one launch. The terms of several batches can be added. The
//! inputs are counts, means and sums of squared differences.

use gdf_core::{Column, ColumnView, DataType, Result};
use gdf_engine::cuda::{CudaColumn, CudaOutput, Grid, Kernel};
use gdf_kernels::generated::groupby::SpreadTerms;

use super::request::{check_rows, run};
use crate::Ctx;

pub(crate) fn spread_terms(columns: [ColumnView<'_>; 3], ctx: Ctx<'_>) -> Result<[Column; 2]> {
    let scratch = ctx.scratch();
    let [count, mean, m2] = columns;
    let rows = count.len();
    check_rows(rows, &columns)?;
    let output = || CudaOutput::fixed_width(&DataType::Float64, rows, scratch);
    let (mut sums, mut squares) = (output()?, output()?);
    {
        let kernel = Kernel::find(ctx.stream)?;
        let (count, mean, m2) = (
            CudaColumn::open(count, ctx.stream)?,
            CudaColumn::open(mean, ctx.stream)?,
            CudaColumn::open(m2, ctx.stream)?,
        );
        let (first, second) = (sums.open(ctx.stream)?, squares.open(ctx.stream)?);
        let (sums, squares) = (first.values().array(0, rows)?, second.values().array(0, rows)?);
        let arguments = SpreadTerms { count: count.desc(), mean: mean.desc(), m2: m2.desc(), sums, squares };
        run(&kernel, Grid::Blocks(kernel.blocks(rows)), &arguments, ctx.stream)?;
    }
    Ok([sums.finish(ctx.stream)?, squares.finish(ctx.stream)?])
}
