//! States that are rows of the values, lists or digests.

use gdf_compute::lists::{Lists, as_lists, gather_trusted};
use gdf_compute::sorting::sorted_order;
use gdf_core::{Column, Error, ListsView, Result, Table, TableView};

use crate::Ctx;
use crate::groupby::AggregationRequest;

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

pub(super) fn in_order(keys: &Table, ctx: Ctx<'_>) -> Result<Table> {
    let order = sorted_order(keys.view(), &[], &[], ctx.scratch())?;
    gather_trusted(&keys.view(), order.view(), ctx)
}

pub(super) fn sizes(lists: &Column, ctx: Ctx<'_>) -> Result<Column> {
    let scratch = ctx.scratch();
    let lists = as_lists("groupby", lists.view(), scratch)?;
    let lists = Lists::open(ListsView::try_from(lists.view())?, &[], scratch)?;
    lists.sizes.deep_copy(ctx.stream, ctx.mr.output)
}
