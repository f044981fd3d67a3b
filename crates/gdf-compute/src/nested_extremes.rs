//! The smallest and the largest rows of nested columns.

use gdf_core::{Column, ColumnView, Error, Result, TableView};
use gdf_engine::check;
use gdf_engine::policy::NullPolicy;
use gdf_engine::sort::{NullOrder, RankedOrder, ranked_order};

use crate::Ctx;
use crate::keys::{Purpose, is_replaced, prepare, with_nulls_of};
use crate::lists::gather_column;
use crate::scan::{ScanAggregation, ScanType, scan as scan_plain};

/// The ranks of the rows of a column whose type [is replaced](is_replaced).
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

/// Implements `gdf_api::scan::scan` for columns of every type, on the stream of `ctx`, with memory from the resources
/// of `ctx`.
///
/// # Errors
/// * The errors of [`scan`](crate::scan::scan()), and of [`prepare`].
pub fn scan(
    input: ColumnView<'_>,
    aggregation: ScanAggregation,
    scan_type: ScanType,
    null_policy: NullPolicy,
    ctx: Ctx<'_>,
) -> Result<Column> {
    const OPERATION: &str = "scan";
    let is_extreme = matches!(aggregation, ScanAggregation::Min | ScanAggregation::Max);
    if !is_extreme || !is_replaced(input.data_type()) {
        return scan_plain(input, aggregation, scan_type, null_policy, ctx);
    }
    check::column(input, ctx)?;
    if scan_type == ScanType::Exclusive {
        return Err(Error::unsupported(OPERATION, input.data_type()).in_variant(aggregation.name()));
    }
    by_ranks(OPERATION, input, ctx, |ranks, ctx| scan_plain(ranks, aggregation, scan_type, null_policy, ctx))
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
