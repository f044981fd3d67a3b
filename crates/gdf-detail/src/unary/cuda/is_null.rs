//! `is_null` and its kin on CUDA: one launch.

use gdf_core::{Column, ColumnView, DataType, Result};
use gdf_driver::Stream;
use gdf_memory::Resources;

use super::super::is_null::Question;
use crate::cuda::{CudaColumn, CudaOutput, Kernel, args};

pub(in super::super) fn is_null(
    question: Question,
    column: ColumnView<'_>,
    inverted: bool,
    stream: &Stream,
    mr: Resources<'_>,
) -> Result<Column> {
    let rows = column.len();
    // One thread per word of the result, or per row.
    let (name, policy, units) = match question {
        Question::Null => ("unary_is_null_kernel", "unary_is_null", rows.div_ceil(32)),
        Question::Nan => ("unary_is_nan_kernel", "unary_is_nan", rows),
    };
    let kernel = Kernel::find(stream, "unary", name, policy)?;
    let input = CudaColumn::open(column, stream)?;
    let mut output = CudaOutput::fixed_width(&DataType::Boolean, rows, false, stream, mr)?;
    let open = output.open(stream)?;
    let inverted = i32::from(inverted);
    // SAFETY: the parameters of both kernels are `const column_in in, int inverted, const column_out out`, by value. The
    // input has `rows` rows (floats, for the second kernel: checked), the output whole words for as many bits. Both
    // accesses, of this stream, are held until after the launch.
    unsafe { kernel.launch(stream, kernel.streaming_blocks(units), 1, args![input.desc, inverted, open.desc])? };
    drop((input, open));
    output.finish(stream)
}
