//! The ranges of columns of decimals. They show which results have no more digits than their types, so that the results
//! need no check and can be computed in one pass.

use gdf_compute::reduction::{ReduceAggregation, reduce};
use gdf_core::{ColumnView, PhysicalType, Result, TableView, is_decimal, is_integral, numbers_of_order, physical_type};
use gdf_engine::sort::value_bounds;
use gdf_expr::{Graph, NodeId};

use crate::Ctx;

/// Measures the columns on which decimals depend that may have too many digits, and adds their ranges to the graph.
/// Without such decimals, the function reads nothing.
pub(crate) fn measure(graph: &mut Graph, roots: &[NodeId], table: &TableView<'_>, ctx: Ctx<'_>) -> Result<()> {
    let overflowing = graph.overflowing(roots);
    if overflowing.is_empty() || table.num_rows() == 0 {
        return Ok(());
    }
    for position in graph.columns(&overflowing) {
        if graph.inputs()[position].range.is_none()
            && let Some(range) = range(table.columns()[position], ctx)?
        {
            graph.set_range(position, range);
        }
    }
    Ok(())
}

/// Returns the smallest and the largest number of a column of integers or of decimals of up to 128 bits.
fn range(column: ColumnView<'_>, ctx: Ctx<'_>) -> Result<Option<(i128, i128)>> {
    let (physical, scratch) = (physical_type(column.data_type()), ctx.scratch());
    if physical == PhysicalType::I128 {
        let number = |extreme| reduce(column, extreme, column.data_type(), scratch)?.value_on::<i128>(ctx.stream);
        let (low, high) = (number(ReduceAggregation::Min)?, number(ReduceAggregation::Max)?);
        return Ok(Some(low.zip(high).unwrap_or((0, 0))));
    }
    let is_number = is_integral(column.data_type()) || is_decimal(column.data_type());
    if !is_number || physical.width().is_none_or(|width| width > 8) {
        return Ok(None);
    }
    let bounds = value_bounds(&[column], scratch)?.into_iter().next().flatten();
    Ok(bounds.map_or(Some((0, 0)), |bounds| numbers_of_order(bounds, column.data_type())))
}
