//! `quantile` on CUDA, in one launch.

use gdf_core::{Column, ColumnView, DataType, Result};
use gdf_engine::cuda::{CudaColumn, CudaOutput, Kernel};
use gdf_kernels::generated::quantiles::{Quantile, Request};

use super::Shares;
use crate::Ctx;

pub(super) fn quantile(
    shares: &Shares<'_>,
    column: ColumnView<'_>,
    order: Option<ColumnView<'_>>,
    rows: usize,
    ctx: Ctx<'_>,
) -> Result<Column> {
    let numbers = Column::from_slice_on(shares.q, ctx.stream, ctx.mr.temporary)?;
    let nullable = order.is_some() || column.has_validity();
    let mut output = CudaOutput::fixed_width(shares.output_type, shares.q.len(), ctx)?.nullable(nullable, ctx)?;
    let input = CudaColumn::open(column, ctx.stream)?;
    let by = CudaColumn::open(order.unwrap_or(column), ctx.stream)?;
    let q = CudaColumn::open(numbers.view(), ctx.stream)?;
    let (power, divides) = shares.scale(column.data_type());
    let request = Request {
        power,
        count: rows as i64,
        divides: i32::from(divides),
        interpolation: shares.interpolation.code() as i32,
        ordered: i32::from(order.is_some()),
        as_double: i32::from(*shares.output_type == DataType::Float64),
    };
    let kernel = Kernel::find(ctx.stream)?;
    let open = output.open(ctx.stream)?;
    let arguments = Quantile { input: input.desc(), order: by.desc(), q: q.desc(), out: open.desc(), request };
    // SAFETY: The input has fixed width or is boolean. `rows` is positive. If there is no order, the input has at least
    // `rows` rows. If there is an order, it is a column of `rows` integers. The kernel compares each integer with the
    // number of input rows before it reads a row. The output has a row for each share and the type of the input or
    // `Float64`. The output has both a mask and a null count, or neither. All columns are held until the launch is
    // enqueued.
    unsafe { kernel.launch(ctx.stream, kernel.blocks(shares.q.len()), 1, &arguments)? };
    drop((input, by, q, open));
    output.finish(ctx.stream)
}
