//! `unary_operation`: applies an operator to one column.

mod cuda;
mod functors;
mod host;
mod operators;
pub(crate) mod plan;
#[cfg(test)]
mod tests;

use gdf_core::{Column, ColumnView, Error, Result};
use gdf_engine::elementwise::{self, Nulls};

use crate::Ctx;
pub use gdf_expr::UnaryOperator;

/// Applies `op` to every row. Nulls stay null.
///
/// # Errors
/// * [`Unsupported`](gdf_core::Error::Unsupported) if the operator does not exist for the type.
/// * [`DeviceMismatch`](gdf_core::Error::DeviceMismatch); driver and memory errors.
pub fn unary_operation(column: ColumnView<'_>, op: UnaryOperator, ctx: Ctx<'_>) -> Result<Column> {
    let data_type = column.data_type();
    let named = |error: Error| error.in_variant(op.name());
    let plan = plan::plan(op, data_type).map_err(named)?;
    let output_type = op.output_type(data_type).map_err(named)?;
    elementwise::map_column(
        column,
        &output_type,
        Nulls::Keep,
        ctx,
        |rows| host::unary_operation(rows, plan),
        |launch| cuda::unary_operation(launch, plan, data_type),
    )
}
