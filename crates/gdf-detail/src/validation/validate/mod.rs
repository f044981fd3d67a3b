//! `validate`: what is found of all columns and children, and the verdict.

mod cuda;
mod host;
mod mark;
#[cfg(test)]
mod tests;

use gdf_core::validation::{Found, Node, add, verdict};
use gdf_core::{Column, ColumnView, Result, Table, TableView};
use gdf_driver::Device;

use crate::check;
use crate::context::Ctx;

/// The column, marked as [validated](Column::validated) with its null count known, if its data and those of its children obey
/// the rules of their types. The buffers are shared, and a whole column that was given keeps the verdict as well.
///
/// CUDA: 1 launch and 1 wait; one of each more for every 32 things to look at: a column or child with a mask or with rules
/// on its data is one, text another, and each child of a dense union. None where there is nothing to look at. With views, 1
/// allocation for the list of their buffers. A field that is declared without nulls and yet has a mask is counted, where that
/// has not been done: 1 launch and 1 wait; if it has nulls, its mask and its parent's go to the CPU.
///
/// # Errors
/// * [`BrokenData`](gdf_core::Error::BrokenData). [`DeviceMismatch`](gdf_core::Error::DeviceMismatch).
/// * Driver and memory errors.
pub fn validate(column: ColumnView<'_>, ctx: Ctx<'_>) -> Result<Column> {
    check::on_device(column.device(), ctx.stream)?;
    let mut nodes = Vec::new();
    let column = column.to_column();
    add(column.view(), Vec::new(), &mut nodes);
    let found = look(&nodes, ctx)?;
    mark::keep(&nodes, &found);
    Ok(mark::marked(&column, &mut found.iter()))
}

/// The table of such columns; of all columns at once.
///
/// # Errors
/// As [`validate`].
pub fn validate_table(table: TableView<'_>, ctx: Ctx<'_>) -> Result<Table> {
    table.columns().iter().try_for_each(|column| check::on_device(column.device(), ctx.stream))?;
    let table = table.to_table();
    let mut nodes = Vec::new();
    for (index, column) in table.columns().iter().enumerate() {
        add(column.view(), vec![index], &mut nodes);
    }
    let found = look(&nodes, ctx)?;
    mark::keep(&nodes, &found);
    let mut found = found.iter();
    let columns = table.columns().iter().map(|column| mark::marked(column, &mut found)).collect();
    Table::try_with_rows(columns, table.num_rows())
}

/// Validates what of the column and its children is not validated, and keeps the verdict with it.
///
/// # Errors
/// As [`validate`].
#[cold]
pub(crate) fn ensure_column(column: &Column, ctx: Ctx<'_>) -> Result<()> {
    let mut nodes = Vec::new();
    add(column.view(), Vec::new(), &mut nodes);
    ensure(nodes, ctx)
}

/// As [`ensure_column`], of all columns at once: of the whole columns, where the table has slices of them.
///
/// # Errors
/// As [`validate`].
#[cold]
pub(crate) fn ensure_table(table: &TableView<'_>, ctx: Ctx<'_>) -> Result<()> {
    let mut nodes = Vec::new();
    for (index, column) in table.columns().iter().enumerate() {
        add(column.column().view(), vec![index], &mut nodes);
    }
    ensure(nodes, ctx)
}

fn ensure(mut nodes: Vec<Node<'_>>, ctx: Ctx<'_>) -> Result<()> {
    nodes.retain(|node| !node.view.column().own_data_validated());
    let found = look(&nodes, ctx)?;
    mark::keep(&nodes, &found);
    Ok(())
}

/// Looks at all nodes; the first one that is at fault is the error.
fn look(nodes: &[Node<'_>], ctx: Ctx<'_>) -> Result<Vec<Found>> {
    let found = match ctx.stream.device() {
        Device::Cpu => host::look(nodes, ctx.stream)?,
        Device::Cuda(_) => cuda::look(nodes, ctx)?,
    };
    // The verdict may ask for null counts on the device.
    crate::init();
    verdict(nodes, &found, ctx.stream)?;
    Ok(found)
}
