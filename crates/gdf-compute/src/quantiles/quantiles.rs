//! `quantiles`: sorts the row numbers of a table, and gathers the rows at the positions of the requested shares.

use gdf_core::{Column, Error, Result, Table, TableView};
use gdf_engine::check;
use gdf_engine::policy::Interpolation;

use super::position::InterpolationPoint;
use super::quantile::QuantileOrder;
use crate::Ctx;
use crate::copying::{OutOfBoundsPolicy, gather};
use crate::sorting::{NullOrder, Order, sorted_order};
use crate::vouch::{gather_column, gather_trusted};

/// Implements `gdf_api::quantiles::quantiles` on the stream of `ctx`, with memory from the resources of `ctx`.
pub fn quantiles(
    table: TableView<'_>,
    q: &[f64],
    interpolation: Interpolation,
    order: QuantileOrder<'_>,
    orders: &[Order],
    null_orders: &[NullOrder],
    ctx: Ctx<'_>,
) -> Result<Table> {
    check::table(&table, ctx)?;
    check::shares(q)?;
    if interpolation.mixes() {
        return Err(Error::invalid_argument("rows cannot be interpolated; use `Lower`, `Higher` or `Nearest`")
            .in_argument("interpolation"));
    }
    let (rows, empty) = match order {
        QuantileOrder::By(order) => {
            let empty = Error::invalid_argument("the order has no rows; pass an order with at least 1 row");
            (order.len(), empty.in_argument("order"))
        }
        _ => {
            let empty = Error::invalid_argument("the table has no rows; pass a table with at least 1 row");
            (table.num_rows(), empty.in_argument("table"))
        }
    };
    if rows == 0 {
        return Err(empty);
    }
    let positions: Vec<u64> = q.iter().map(|q| InterpolationPoint::new(*q, rows, interpolation).low as u64).collect();
    let positions = Column::from_slice_on(&positions, ctx.stream, ctx.mr.temporary)?;
    let scratch = ctx.scratch();
    match order {
        QuantileOrder::Sorted => gather_trusted(&table, positions.view(), ctx),
        QuantileOrder::Unsorted => {
            let order = sorted_order(table.clone(), orders, null_orders, scratch)?;
            let rows = gather_column(order.view(), positions.view(), scratch)?;
            gather_trusted(&table, rows.view(), ctx)
        }
        QuantileOrder::By(order) => {
            check::column(order, ctx)?;
            let rows = gather_column(order, positions.view(), scratch)?;
            gather(table, rows.view(), OutOfBoundsPolicy::Nullify, ctx)
        }
    }
}
