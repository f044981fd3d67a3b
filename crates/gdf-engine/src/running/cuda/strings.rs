//! Scans of the smallest or largest string up to each row. A launch finds for each row the row of that string, and a
//! gather copies the strings.

use gdf_core::{Column, DataType, Result, TableView};

use super::launch;
use crate::Ctx;
use crate::cuda::CudaOutput;
use crate::rows::gather_trusted;
use crate::running::Task;

pub(super) fn scan(task: &Task<'_>, ctx: Ctx<'_>) -> Result<Column> {
    let rows = CudaOutput::fixed_width(&DataType::Int64, task.input.len(), ctx.scratch())?
        .nullable(task.nullable(), ctx.scratch())?;
    let rows = launch(task, rows, ctx)?;
    let table = TableView::try_new(vec![task.input])?;
    Ok(gather_trusted(&table, rows.view(), ctx)?.column(0)?.clone())
}
