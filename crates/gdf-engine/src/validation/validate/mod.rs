//! `validate`: checks all columns and children, and turns the first fault into an error.

mod cuda;
mod host;
mod mark;
#[cfg(test)]
mod tests;

use gdf_core::validation::{Found, Node, add, verdict};
use gdf_core::{Column, ColumnView, Result, Table, TableView};
use gdf_driver::Device;

use crate::Ctx;
use crate::device;

/// Implements `gdf_api::validation::validate` with the stream and the resources of `ctx`.
pub fn validate(column: ColumnView<'_>, ctx: Ctx<'_>) -> Result<Column> {
    device::on_device(column.device(), ctx.stream)?;
    let mut nodes = Vec::new();
    let column = column.to_column();
    add(column.view(), Vec::new(), &mut nodes);
    let found = look(&nodes, ctx)?;
    mark::keep(&nodes, &found);
    mark::marked(&column, &mut found.iter())
}

/// Implements `gdf_api::validation::validate_table` with the stream and the resources of `ctx`.
pub fn validate_table(table: TableView<'_>, ctx: Ctx<'_>) -> Result<Table> {
    table.columns().iter().try_for_each(|column| device::on_device(column.device(), ctx.stream))?;
    let table = table.to_table();
    let mut nodes = Vec::new();
    for (index, column) in table.columns().iter().enumerate() {
        add(column.view(), vec![index], &mut nodes);
    }
    let found = look(&nodes, ctx)?;
    mark::keep(&nodes, &found);
    let mut found = found.iter();
    let columns = table.columns().iter().map(|column| mark::marked(column, &mut found)).collect::<Result<_>>()?;
    Table::try_with_rows(columns, table.num_rows())
}

/// Validates the column and its children, unless they are already validated. Each column stores that it is validated.
///
/// # Errors
/// The errors of [`validate`].
#[cold]
pub(crate) fn ensure_column(column: &Column, ctx: Ctx<'_>) -> Result<()> {
    let mut nodes = Vec::new();
    add(column.view(), Vec::new(), &mut nodes);
    ensure(nodes, ctx)
}

/// Validates all columns of a table at once in the same way as [`ensure_column`]. For a slice, the whole column is
/// validated.
///
/// # Errors
/// The errors of [`validate`].
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

/// Checks all columns and children.
fn look(nodes: &[Node<'_>], ctx: Ctx<'_>) -> Result<Vec<Found>> {
    let found = match ctx.stream.device() {
        Device::Cpu => host::look(nodes, ctx.stream)?,
        Device::Cuda(_) => cuda::look(nodes, ctx)?,
    };
    // The error of a fault may need a null count in device memory, which only `init` makes available.
    crate::null_count::init();
    verdict(nodes, &found, ctx.stream)?;
    Ok(found)
}
