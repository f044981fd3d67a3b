//! States that are rows of the values, lists or digests.

use gdf_compute::binaryop::{BinaryOperator as Op, of};
use gdf_compute::collect::ListedRows;
use gdf_compute::keys::{Purpose, prepare};
use gdf_compute::lists::{Lists, as_lists, rows_of_ranges, rows_of_runs};
use gdf_compute::sorting::{NullOrder, Order, sorted_order};
use gdf_core::{Column, DataType, Error, ListsView, Result, Table, TableView};

use crate::Ctx;
use crate::groupby::by_order::nulls_last;
use crate::groupby::empty::empty_column;
use crate::groupby::rows::OPERATION;
use crate::groupby::{AggregationRequest, NullPolicy, aggregate};
use crate::vouch::{gather_column, gather_trusted};

/// Returns the aggregations of each request whose states are rows, lists or digests.
pub(super) fn requested<'a>(requests: &[AggregationRequest<'a>]) -> Vec<AggregationRequest<'a>> {
    let of_rows = requests.iter().map(|request| {
        let own = request.aggregations.iter().copied().filter(|of| of.merging(request.values.data_type()).is_some());
        AggregationRequest::new(request.values, own.collect::<Vec<_>>())
    });
    of_rows.filter(|request| !request.aggregations.is_empty()).collect()
}

pub(super) fn without<'a>(request: &AggregationRequest<'a>) -> AggregationRequest<'a> {
    let others = request.aggregations.iter().copied().filter(|of| of.merging(request.values.data_type()).is_none());
    AggregationRequest::new(request.values, others.collect::<Vec<_>>())
}

/// Returns the keys and the columns that `numbers` and `rows` compute for the same groups.
pub(super) fn together(
    chosen: &[Vec<bool>],
    numbers: impl FnOnce(Ctx<'_>) -> Result<(Table, Vec<Vec<Column>>)>,
    rows: impl FnOnce(Ctx<'_>) -> Result<(Table, Vec<Vec<Column>>)>,
    ctx: Ctx<'_>,
) -> Result<(Table, Vec<Vec<Column>>)> {
    let (keys, of_rows) = rows(ctx)?;
    let mut of_rows = of_rows.into_iter().flatten();
    let mut of_numbers = Vec::new();
    if chosen.iter().flatten().any(|is_of_rows| !is_of_rows) {
        let scratch = ctx.scratch();
        let (groups, columns) = numbers(scratch)?;
        let order = sorted_order(groups.view(), &[], &[], scratch)?;
        let columns = columns.iter().flatten().map(Column::view).collect();
        of_numbers = gather_trusted(&TableView::try_new(columns)?, order.view(), ctx)?.into_columns();
    }
    let mut of_numbers = of_numbers.into_iter();
    let missing = || Error::internal("a state of partial groups was not computed");
    let mut column =
        |is_of_rows: &bool| if *is_of_rows { of_rows.next() } else { of_numbers.next() }.ok_or_else(missing);
    let columns = chosen.iter().map(|request| request.iter().map(&mut column).collect());
    Ok((keys, columns.collect::<Result<_>>()?))
}

/// Returns the groups and the results of [`aggregate`] in the order of the keys.
pub(super) fn by_key(
    keys: &Table,
    requests: &[AggregationRequest<'_>],
    ctx: Ctx<'_>,
) -> Result<(Table, Vec<Vec<Column>>)> {
    let (groups, results) = aggregate(keys, NullPolicy::Include, requests, ctx)?;
    let is_sorted = |request: &AggregationRequest<'_>| {
        request.aggregations.iter().any(|of| of.is_of_order(request.values.data_type()))
    };
    if requests.iter().any(is_sorted) {
        return Ok((groups, results));
    }
    let order = sorted_order(groups.view(), &[], &[], ctx)?;
    let columns = results.iter().flatten().map(Column::view).collect();
    let mut sorted = gather_trusted(&TableView::try_new(columns)?, order.view(), ctx)?.into_columns().into_iter();
    let results = results.iter().map(|own| sorted.by_ref().take(own.len()).collect()).collect();
    Ok((gather_trusted(&groups.view(), order.view(), ctx)?, results))
}

pub(super) fn sizes(lists: &Column, ctx: Ctx<'_>) -> Result<Column> {
    opened(lists, ctx.scratch())?.sizes.deep_copy(ctx.stream, ctx.mr.output)
}

/// Returns the first `k` elements of each list in the given order.
pub(super) fn heads(lists: &Column, k: usize, order: Order, ctx: Ctx<'_>) -> Result<Column> {
    let (output, scratch) = (lists.data_type(), ctx.scratch());
    if lists.is_empty() {
        return empty_column(output, ctx);
    }
    let lists = opened(lists, scratch)?;
    let elements = lists.elements.view();
    let owners = rows_of_runs(lists.offsets().slice(1, lists.sizes.len())?.view(), elements.len(), scratch)?;
    let [ranked] = prepare(OPERATION, [&TableView::from(elements)], Purpose::order(&[]), scratch)?;
    let keys = TableView::try_new(vec![owners.view(), ranked.view()?.column(0)?])?;
    let (orders, nulls) = ([Order::Ascending, order], [NullOrder::Before, nulls_last(order)]);
    let sorted = sorted_order(keys, &orders, &nulls, scratch)?;
    let k = i64::try_from(k).unwrap_or(i64::MAX);
    let counts = of(&lists.sizes, Op::NullMin, k.into(), &DataType::Int64, scratch)?;
    let (positions, offsets) = rows_of_ranges(&lists.begins()?, &counts, elements.len(), scratch)?;
    let rows = gather_column(sorted.view(), positions.view(), scratch)?;
    ListedRows { rows, offsets }.of_type(output, elements, &[], ctx)
}

fn opened(lists: &Column, ctx: Ctx<'_>) -> Result<Lists> {
    let lists = as_lists(OPERATION, lists.view(), ctx)?;
    Lists::open(ListsView::try_from(lists.view())?, &[], ctx)
}
