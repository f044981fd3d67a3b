//! `rank`: the ranks of the rows within their groups.

use gdf_compute::binaryop::{BinaryOperator as Op, of};
use gdf_compute::keys::{Purpose, prepare};
use gdf_compute::scan::{RankMethod, RankPercentage, Runs, ScanAggregation, ScanType, scan_runs};
use gdf_compute::sorting::{NullOrder, Order};
use gdf_compute::stream_compaction::{NullEquality, heads};
use gdf_compute::unary::{UnaryOperator, is_null, unary_operation};
use gdf_core::{Column, ColumnView, DataType, Result, TableView};
use gdf_engine::cast::cast;
use gdf_engine::keys::row_indices;
use gdf_engine::mask::bitmask_and;

use super::NullPolicy;
use super::aggregate::check as check_keys;
use super::empty::empty_column;
use super::rows::{GroupRows, OPERATION};
use crate::Ctx;
use crate::vouch::{gather_column, gather_trusted};

/// The parameters of a ranking.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq, Hash)]
pub struct RankOrder {
    /// The direction of the ranking. In ascending order, the smallest value has rank 1.
    pub order: Order,
    /// The order of nulls and values before the direction is applied.
    pub null_order: NullOrder,
    /// Whether null values are ranked. With [`Exclude`](NullPolicy::Exclude), null values have null ranks, and the
    /// ranks of other values do not count null values.
    pub null_policy: NullPolicy,
}

/// Implements `gdf_api::groupby::GroupBy::rank` with the stream and the resources of `ctx`.
pub fn rank(
    keys: &TableView<'_>,
    null_policy: NullPolicy,
    values: ColumnView<'_>,
    method: RankMethod,
    percentage: RankPercentage,
    order: RankOrder,
    ctx: Ctx<'_>,
) -> Result<Column> {
    let (orders, null_orders) = ([order.order], [order.null_order]);
    let rows =
        RankedRows { values: &values.into(), orders: &orders, null_orders: &null_orders, nulls: order.null_policy };
    rank_rows(keys, null_policy, rows, method, percentage, ctx)
}

/// The rows to be ranked: the columns, their directions, and a flag that states whether rows with a null are ranked.
pub(crate) struct RankedRows<'a> {
    pub(crate) values: &'a TableView<'a>,
    /// The direction of each column.
    pub(crate) orders: &'a [Order],
    pub(crate) null_orders: &'a [NullOrder],
    pub(crate) nulls: NullPolicy,
}

/// Returns the rank of each row within its group.
pub(crate) fn rank_rows(
    keys: &TableView<'_>,
    null_policy: NullPolicy,
    ranked: RankedRows<'_>,
    method: RankMethod,
    percentage: RankPercentage,
    ctx: Ctx<'_>,
) -> Result<Column> {
    check_keys(keys, ranked.values.columns().iter().copied(), ctx)?;
    let [prepared] = prepare(OPERATION, [ranked.values], Purpose::order(ranked.null_orders), ctx.scratch())?;
    let values = prepared.view()?;
    let shares = percentage != RankPercentage::None;
    let (scratch, long, double) = (ctx.scratch(), &DataType::Int64, &DataType::Float64);
    let floats = shares || method == RankMethod::Average;
    let output = if floats { DataType::Float64 } else { row_indices(values.num_rows()) };
    let excluded = ranked.nulls == NullPolicy::Exclude && values.has_validity();
    let null = if excluded { Some(has_null(&values, scratch)?) } else { None };
    let last = null.iter().map(|null| (null.view(), Order::Ascending, NullOrder::Before));
    let by = values.columns().iter().enumerate().map(|(i, column)| {
        let choice = (ranked.orders.get(i).copied(), ranked.null_orders.get(i).copied());
        (*column, choice.0.unwrap_or_default(), choice.1.unwrap_or_default())
    });
    let by: Vec<_> = last.chain(by).collect();
    if values.num_rows() == 0 {
        heads(OPERATION, &values, NullEquality::Equal, scratch)?;
        return empty_column(&output, ctx);
    }
    let groups = GroupRows::ordered(keys, null_policy, &by, scratch)?;
    let sorted = gather_trusted(&values, groups.order.view(), scratch)?;
    let differs = heads(OPERATION, &sorted.view(), NullEquality::Equal, scratch)?;
    let begins = of(&differs, Op::LogicalOr, (&groups.runs.begins).into(), &DataType::Boolean, scratch)?;
    let equal = Runs::new(begins, scratch)?;
    let before = of(&groups.runs.first()?, Op::Sub, 1_i64.into(), long, scratch)?;
    let from_one = |position: &Column| of(position, Op::Sub, (&before).into(), long, scratch);
    let plain = match method {
        RankMethod::First => from_one(&equal.position)?,
        RankMethod::Min => from_one(&equal.first()?)?,
        RankMethod::Max => from_one(&equal.last()?)?,
        RankMethod::Average => {
            let sum = of(&from_one(&equal.first()?)?, Op::Add, (&from_one(&equal.last()?)?).into(), long, scratch)?;
            of(&sum, Op::TrueDiv, 2.0.into(), double, scratch)?
        }
        RankMethod::Dense => {
            let begins = cast(equal.begins.view(), long, scratch)?;
            scan_runs(begins.view(), groups.runs.begins.view(), ScanAggregation::Sum, ScanType::Inclusive, scratch)?
        }
    };
    let ranks = if shares {
        let counts = counts(&groups, &plain, &before, null.as_ref(), method, scratch)?;
        share(&plain, &counts, percentage, scratch)?
    } else {
        plain
    };
    let nulls = if excluded { values.columns() } else { &[] };
    groups.in_input_order(&cast(ranks.view(), &output, scratch)?, nulls, ctx)
}

fn has_null(table: &TableView<'_>, ctx: Ctx<'_>) -> Result<Column> {
    match table.columns() {
        [column] => is_null(*column, ctx),
        _ => unary_operation(bitmask_and(table, ctx)?.to_column()?.view(), UnaryOperator::Not, ctx),
    }
}

/// Returns for each row the number that divides its rank: the number of ranked rows of its group or, for `Dense`, the
/// largest rank of the group.
fn counts(
    groups: &GroupRows<'_>,
    ranks: &Column,
    before: &Column,
    null: Option<&Column>,
    method: RankMethod,
    ctx: Ctx<'_>,
) -> Result<Column> {
    let long = &DataType::Int64;
    let at = |column: &Column, rows: &Column| gather_column(column.view(), rows.view(), ctx);
    let mut last = groups.runs.last()?;
    if let Some(null) = null {
        let nulls = gather_trusted(&TableView::from(null.view()), groups.order.view(), ctx)?;
        let nulls = cast(nulls.column(0)?.view(), long, ctx)?;
        let so_far =
            scan_runs(nulls.view(), groups.runs.begins.view(), ScanAggregation::Sum, ScanType::Inclusive, ctx)?;
        let nulls = at(&so_far, &of(&last, Op::Sub, 1_i64.into(), long, ctx)?)?;
        last = of(&last, Op::Sub, (&nulls).into(), long, ctx)?;
    }
    if method != RankMethod::Dense {
        return of(&last, Op::Sub, before.into(), long, ctx);
    }
    // The ranks of a group with only nulls are null, so any row may be gathered for such a group.
    at(ranks, &of(&of(&last, Op::Sub, 1_i64.into(), long, ctx)?, Op::NullMax, 0_i64.into(), long, ctx)?)
}

/// Converts ranks to fractions, as `percentage` states.
fn share(ranks: &Column, counts: &Column, percentage: RankPercentage, ctx: Ctx<'_>) -> Result<Column> {
    let (long, double) = (&DataType::Int64, &DataType::Float64);
    if percentage == RankPercentage::ZeroNormalized {
        return of(ranks, Op::TrueDiv, counts.into(), double, ctx);
    }
    let rest = of(&of(counts, Op::Sub, 1_i64.into(), long, ctx)?, Op::NullMax, 1_i64.into(), long, ctx)?;
    of(&of(ranks, Op::Sub, 1.0.into(), double, ctx)?, Op::TrueDiv, (&rest).into(), double, ctx)
}
