//! The ranks of the rows of nested columns, by which the smallest and the largest rows are found.

use gdf_core::{Column, ColumnView, Error, Result, TableView};
use gdf_engine::sort::{NullOrder, RankedOrder, ranked_order};

use crate::Ctx;
use crate::keys::{Purpose, prepare, with_nulls_of};
use crate::lists::gather_column;

/// The ranks of the rows of a column whose type [is replaced](crate::keys::is_replaced).
pub struct RankedRows {
    /// The rank of each row.
    ranks: Column,
    order: Column,
}

impl RankedRows {
    /// Ranks the rows.
    ///
    /// # Errors
    /// * The errors of [`prepare`]; driver and memory errors.
    pub fn of(operation: &'static str, column: ColumnView<'_>, ctx: Ctx<'_>) -> Result<Self> {
        let rows = TableView::from(column);
        let [keys] = prepare(operation, [&rows], Purpose::order(&[]), ctx)?;
        let RankedOrder { ranks, order } = ranked_order(operation, &keys.view()?, NullOrder::default(), ctx)?;
        Ok(Self { ranks: with_nulls_of(ranks, vec![column], ctx)?, order })
    }

    /// Returns the rank of each row. A rank is a number of type `UInt32` or `UInt64`, and null for a null row.
    pub fn ranks(&self) -> ColumnView<'_> {
        self.ranks.view()
    }

    /// Returns, for each of `ranks`, a row of `column` that has this rank. A null rank gives a null row.
    ///
    /// # Errors
    /// * [`Internal`](Error::Internal) if `ranks` are not ranks of the column; driver and memory errors.
    pub fn rows(&self, column: ColumnView<'_>, ranks: ColumnView<'_>, ctx: Ctx<'_>) -> Result<Column> {
        if ranks.data_type() != self.ranks.data_type() {
            return Err(Error::internal("the extremes of ranks have another type than the ranks"));
        }
        let rows = gather_column(self.order.view(), ranks, ctx.scratch())?;
        gather_column(column, rows.view(), ctx)
    }
}

/// Returns rows of a column that `best` chooses by their ranks.
///
/// # Errors
/// * The errors of [`RankedRows::of`], of `best`, and of [`RankedRows::rows`].
pub fn by_ranks(
    operation: &'static str,
    column: ColumnView<'_>,
    ctx: Ctx<'_>,
    best: impl FnOnce(ColumnView<'_>, Ctx<'_>) -> Result<Column>,
) -> Result<Column> {
    let scratch = ctx.scratch();
    let ranked = RankedRows::of(operation, column, scratch)?;
    let ranks = best(ranked.ranks(), scratch)?;
    ranked.rows(column, ranks.view(), ctx)
}
