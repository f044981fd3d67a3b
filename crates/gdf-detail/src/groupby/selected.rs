//! Groups of some of the rows: whether a row is selected is one more key. Composed: there is no kernel, and no row is moved.

use gdf_core::{Column, ColumnView, NullCount, Result, Table, TableView};

use super::{AggregationRequest, NullPolicy, aggregate};
use crate::check;
use crate::null_mask::bools_to_mask;
use crate::stream_compaction::apply_boolean_mask;
use crate::{Ctx, vouch};

/// As [`aggregate`], of the rows where `mask` is true: see `gdf_api::groupby::GroupBy::agg_where`.
///
/// # Errors
/// * [`TypeMismatch`](gdf_core::Error::TypeMismatch) for a mask that is not boolean.
/// * As [`aggregate`], of one key column more.
pub fn aggregate_where<'a>(
    keys: impl Into<TableView<'a>>,
    null_policy: NullPolicy,
    mask: ColumnView<'a>,
    requests: &[AggregationRequest<'_>],
    ctx: Ctx<'_>,
) -> Result<(Table, Vec<Vec<Column>>)> {
    let (keys, in_mask) = (keys.into(), |error: gdf_core::Error| error.in_argument("mask"));
    check::boolean(&mask).and_then(|()| check::length(keys.num_rows(), mask.len())).map_err(in_mask)?;
    check::column(mask, ctx).map_err(in_mask)?;
    let keys_and = |last| {
        let columns = keys.columns().iter().copied().chain([last]).collect();
        TableView::try_with_rows(columns, keys.num_rows())
    };
    let included = null_policy == NullPolicy::Include && keys.columns().iter().any(|key| key.has_validity());
    if !included {
        let selected = null_unless_true(mask, ctx.scratch())?;
        let (groups, results) = aggregate(keys_and(selected.view())?, NullPolicy::Exclude, requests, ctx)?;
        return Ok((without_last(groups)?, results));
    }
    // Nulls are keys as others are, so rows that are not selected have groups too, which are left out.
    let (groups, results) = aggregate(keys_and(mask)?, null_policy, requests, ctx.scratch())?;
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

/// The mask, null where it is false.
fn null_unless_true(mask: ColumnView<'_>, ctx: Ctx<'_>) -> Result<Column> {
    let mut parts = mask.to_column().into_parts();
    if mask.has_validity()
        && let Some(bits) = bools_to_mask(mask, ctx)?.buffer()
    {
        (parts.offset, parts.buffers) = (0, [bits.clone()].into_iter().collect());
    }
    (parts.validity, parts.null_count) = (parts.buffers.first().cloned(), NullCount::Unknown);
    vouch::result(parts)
}

fn without_last(groups: Table) -> Result<Table> {
    let rows = groups.num_rows();
    let mut columns = groups.into_columns();
    columns.pop();
    Table::try_with_rows(columns, rows)
}
