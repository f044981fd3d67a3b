//! The sort sink.

use gdf_compute::sorting::{NullOrder, Order, sorted_order_head};
use gdf_core::{Column, Result, Table, TableView};
use gdf_expr::Expr;

use super::Pipeline;
use super::plan::Form;
use super::rows::{Bound, Numbers, Side, bind_outputs, of_sides};
use crate::Ctx;
use crate::vouch;
use crate::vouch::gather_column;

/// A key of a sort: an expression, the order of its values, and the order of nulls.
#[derive(Clone, Debug)]
pub struct SortKey {
    /// The values.
    pub values: Expr,
    /// The order of the values.
    pub order: Order,
    /// Whether nulls come before or after values. `order` is applied afterwards, so that a descending order moves nulls
    /// to the other end.
    pub null_order: NullOrder,
}

impl SortKey {
    /// Returns a key in ascending order. Nulls come before values.
    pub fn ascending(values: impl Into<Expr>) -> SortKey {
        SortKey { values: values.into(), order: Order::Ascending, null_order: NullOrder::default() }
    }

    /// Returns a key in descending order. Nulls come after values.
    pub fn descending(values: impl Into<Expr>) -> SortKey {
        SortKey { order: Order::Descending, ..SortKey::ascending(values) }
    }

    /// Returns the same key with another order of nulls.
    #[must_use]
    pub fn with_nulls(self, null_order: NullOrder) -> SortKey {
        SortKey { null_order, ..self }
    }
}

impl Pipeline<'_> {
    /// Implements `gdf_api::pipeline::SortedPipeline::row_numbers`.
    ///
    /// # Errors
    /// The errors of that method.
    pub fn sorted_row_numbers(&self, keys: &[SortKey], limit: Option<usize>, ctx: Ctx<'_>) -> Result<Column> {
        let mut bound = Bound::new(self, ctx)?;
        let values = bound.bind(keys.iter().map(|key| &key.values), "keys", ctx)?;
        let rows = bound.rows(&values, Form::Passing, Numbers::Used, ctx.scratch())?;
        let (orders, null_orders): (Vec<Order>, Vec<NullOrder>) =
            keys.iter().map(|key| (key.order, key.null_order)).unzip();
        let table = TableView::try_with_rows(rows.columns.iter().map(Column::view).collect(), rows.count)?;
        let count = limit.unwrap_or(rows.count);
        match &rows.numbers {
            None => {
                let order = sorted_order_head(table, &orders, &null_orders, count, ctx)?;
                vouch::row_numbers(&order, rows.count);
                Ok(order)
            }
            Some(numbers) => {
                let order = sorted_order_head(table, &orders, &null_orders, count, ctx.scratch())?;
                gather_column(numbers.view(), order.view(), ctx)
            }
        }
    }

    /// Implements `gdf_api::pipeline::SortedPipeline::project`.
    ///
    /// # Errors
    /// The errors of that method.
    pub fn sorted(&self, keys: &[SortKey], limit: Option<usize>, outputs: &[Expr], ctx: Ctx<'_>) -> Result<Table> {
        // The outputs are bound first, so that their errors occur before anything is computed.
        bind_outputs(&mut self.graph_of([&self.table].into_iter()), outputs)?;
        let rows = self.sorted_row_numbers(keys, limit, ctx.scratch())?;
        self.project_rows(&rows, outputs, ctx)
    }

    /// Computes expressions for the rows with the given numbers, which must be rows of the table.
    pub(super) fn project_rows(&self, rows: &Column, outputs: &[Expr], ctx: Ctx<'_>) -> Result<Table> {
        let graph = self.graph_of([&self.table].into_iter());
        let columns = of_sides(graph, &[Side { table: &self.table, rows }], outputs, rows.len(), ctx)?;
        Table::try_with_rows(columns, rows.len())
    }
}
