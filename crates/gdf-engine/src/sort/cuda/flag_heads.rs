//! Marks rows that differ from the row before, in one launch on CUDA.

use gdf_core::{Column, DataType, Result};
use gdf_kernels::generated::sorting::FlagHeads;

use super::inputs::SortColumns;
use crate::Ctx;
use crate::cuda::{CudaOutput, Grid, Kernel, in_table};
use crate::sort::SortedRows;

/// Returns a Boolean column that is true in the first row and in each row that differs from the row before. Nulls are
/// equal to each other. There must be at least one row.
pub fn flag_heads(rows: SortedRows<'_>, ctx: Ctx<'_>) -> Result<Column> {
    let kernel = Kernel::find(ctx.stream)?;
    let columns = SortColumns::open(rows.keys.iter().map(|key| key.view), rows.rows, ctx.stream)?;
    let mut output = CudaOutput::fixed_width(&DataType::Boolean, rows.rows, ctx)?;
    let out = output.open(ctx.stream)?;
    let input = in_table(&columns.columns)?;
    let arguments = FlagHeads { input, count: rows.keys.len() as i32, out: out.desc() };
    columns.run(&kernel, Grid::Blocks(kernel.blocks(rows.rows)), &arguments, ctx.stream)?;
    drop((columns, out));
    output.finish(ctx.stream)
}
