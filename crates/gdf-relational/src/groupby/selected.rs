//! Group-by over selected rows.

use gdf_compute::stream_compaction::apply_boolean_mask;
use gdf_core::{Column, ColumnView, Result, Table, TableView};
use gdf_engine::check;
use gdf_engine::decoded::has_null_values;
use gdf_engine::limits::GroupByLimits;
use gdf_engine::mask::{check_selection, null_unless_true};

use super::aggregate::aggregate_all;
use super::{AggregationRequest, ComputedRequests, NullPolicy};
use crate::Ctx;

/// Computes the same result as [`aggregate`](super::aggregate()), but only for the rows in which `mask` is true.
/// `gdf_api::groupby::GroupBy::agg_where` documents the operation.
///
/// # Errors
/// * [`TypeMismatch`](gdf_core::Error::TypeMismatch) for a mask that is not boolean.
/// * The errors of [`aggregate`](super::aggregate()) with one more key column.
pub fn aggregate_where<'a>(
    keys: impl Into<TableView<'a>>,
    null_policy: NullPolicy,
    mask: ColumnView<'a>,
    requests: &[AggregationRequest<'_>],
    ctx: Ctx<'_>,
) -> Result<(Table, Vec<Vec<Column>>)> {
    selected(GroupByLimits::default(), &keys.into(), null_policy, mask, requests, None, ctx)
}

/// Computes the same result as [`aggregate`](super::aggregate()) or, with a mask, as [`aggregate_where`]. The results
/// of `requests` come first. The results of the values that a projection computes follow.
///
/// # Errors
/// * The errors of [`aggregate`](super::aggregate()) and of [`aggregate_where`].
/// * [`LengthMismatch`](gdf_core::Error::LengthMismatch) if keys and projection have different numbers of rows.
pub fn aggregate_computed(
    limits: GroupByLimits,
    keys: &TableView<'_>,
    null_policy: NullPolicy,
    mask: Option<ColumnView<'_>>,
    requests: &[AggregationRequest<'_>],
    computed: &ComputedRequests<'_>,
    ctx: Ctx<'_>,
) -> Result<(Table, Vec<Vec<Column>>)> {
    check::length(keys.num_rows(), computed.projection.num_rows())?;
    match mask {
        None => aggregate_all(limits, keys, null_policy, requests, Some(computed), ctx),
        Some(mask) => selected(limits, keys, null_policy, mask, requests, Some(computed), ctx),
    }
}

fn selected(
    limits: GroupByLimits,
    keys: &TableView<'_>,
    null_policy: NullPolicy,
    mask: ColumnView<'_>,
    requests: &[AggregationRequest<'_>],
    computed: Option<&ComputedRequests<'_>>,
    ctx: Ctx<'_>,
) -> Result<(Table, Vec<Vec<Column>>)> {
    check_selection(mask, keys.num_rows(), ctx)?;
    let keys_and = |last| {
        let columns = keys.columns().iter().copied().chain([last]).collect();
        TableView::try_with_rows(columns, keys.num_rows())
    };
    let may_be_null = |key: &ColumnView<'_>| key.has_validity() || has_null_values(*key);
    let included = null_policy == NullPolicy::Include && keys.columns().iter().any(may_be_null);
    if !included {
        let selected = null_unless_true(mask, ctx.scratch())?;
        let (groups, results) =
            aggregate_all(limits, &keys_and(selected.view())?, NullPolicy::Exclude, requests, computed, ctx)?;
        return Ok((without_last(groups)?, results));
    }
    // If null keys form groups, rows that are not selected form groups, too.
    let (groups, results) = aggregate_all(limits, &keys_and(mask)?, null_policy, requests, computed, ctx.scratch())?;
    let (columns, lengths) = (groups.num_columns(), results.iter().map(Vec::len).collect::<Vec<_>>());
    let all: Vec<_> = groups.columns().iter().chain(results.iter().flatten()).map(Column::view).collect();
    let all = TableView::try_with_rows(all, groups.num_rows())?;
    let kept = apply_boolean_mask(all, groups.column(columns - 1)?.view(), ctx)?;
    let rows = kept.num_rows();
    let mut kept = kept.into_columns().into_iter();
    let groups = Table::try_with_rows(kept.by_ref().take(columns).collect(), rows)?;
    let results = lengths.into_iter().map(|length| kept.by_ref().take(length).collect()).collect();
    Ok((without_last(groups)?, results))
}

fn without_last(groups: Table) -> Result<Table> {
    let rows = groups.num_rows();
    let mut columns = groups.into_columns();
    columns.pop();
    Table::try_with_rows(columns, rows)
}
