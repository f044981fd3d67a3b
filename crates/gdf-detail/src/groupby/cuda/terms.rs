//! What adds up of numbers of values, means and sums of squared differences: one launch.

use gdf_core::{Column, ColumnView, DataType, Result};
use gdf_driver::Stream;
use gdf_kernels::generated::groupby::SpreadTerms;
use gdf_memory::Resources;

use crate::cuda::{CudaColumn, CudaOutput, Kernel};

pub(in crate::groupby) fn spread_terms(
    columns: [ColumnView<'_>; 3],
    stream: &Stream,
    mr: Resources<'_>,
) -> Result<[Column; 2]> {
    let scratch = Resources { output: mr.temporary, ..mr };
    let [count, mean, m2] = columns;
    let rows = count.len();
    let output = || CudaOutput::fixed_width(&DataType::Float64, rows, false, stream, scratch);
    let (mut sums, mut squares) = (output()?, output()?);
    {
        let kernel = Kernel::find(stream)?;
        let (count, mean, m2) =
            (CudaColumn::open(count, stream)?, CudaColumn::open(mean, stream)?, CudaColumn::open(m2, stream)?);
        let (first, second) = (sums.open(stream)?, squares.open(stream)?);
        let (sums, squares) = (first.desc.data.cast(), second.desc.data.cast());
        let arguments = SpreadTerms { count: count.desc, mean: mean.desc, m2: m2.desc, sums, squares };
        // SAFETY: an Int64 and two Float64 columns of equal length; each of the outputs has as many rows.
        unsafe { kernel.launch(stream, kernel.blocks(rows), 1, &arguments)? };
    }
    Ok([sums.finish(stream)?, squares.finish(stream)?])
}
