//! What adds up of numbers of values, means and sums of squared differences: one launch.

use gdf_core::{Column, ColumnView, DataType, Result};
use gdf_driver::Stream;
use gdf_memory::Resources;

use crate::cuda::{CudaColumn, CudaOutput, Kernel, args};

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
        let kernel = Kernel::find(stream, "groupby", "spread_terms_kernel", "spread_terms")?;
        let (count, mean, m2) =
            (CudaColumn::open(count, stream)?, CudaColumn::open(mean, stream)?, CudaColumn::open(m2, stream)?);
        let (first, second) = (sums.open(stream)?, squares.open(stream)?);
        let (to_first, to_second) = (first.desc.data, second.desc.data);
        let args = args![count.desc, mean.desc, m2.desc, to_first, to_second];
        // SAFETY: the kernel takes (column_in, column_in, column_in, double*, double*). The inputs are an Int64
        // and two Float64 columns of equal length, open for reading on this stream; the outputs have a word for each of
        // their rows and are exclusively ours.
        unsafe { kernel.launch(stream, kernel.blocks(rows), 1, args)? };
    }
    Ok([sums.finish(stream)?, squares.finish(stream)?])
}
