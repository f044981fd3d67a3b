//! Aggregations whose results are lists that are made of other lists, and histograms.

use gdf_compute::binaryop::{BinaryOperator as Op, of};
use gdf_compute::copying::shift;
use gdf_compute::filling::{from_scalar, row_numbers};
use gdf_compute::lists::{
    Lists, as_lists, gather_column, gather_trusted, kept_offsets, make_lists, offsets_of, rows_of_runs, select,
};
use gdf_compute::nested_keys::{KeyNulls, ranked_keys};
use gdf_compute::replace::replace_nulls;
use gdf_compute::sorting::sorted_order;
use gdf_compute::stream_compaction::{NullEquality, heads};
use gdf_core::{Column, ColumnParts, ColumnView, DataType, Error, ListsView, Result, StructsView, TableView};
use gdf_engine::cast::cast;
use gdf_engine::vouch;

use super::GroupByAggregation as Aggregation;
use super::aggregate::AGGREGATE;
use crate::Ctx;
use crate::collect::ListedRows;

/// Returns the results of an aggregation of this module.
pub(super) fn result(
    aggregation: Aggregation,
    rows: ListedRows,
    values: ColumnView<'_>,
    ctx: Ctx<'_>,
) -> Result<Column> {
    let (output, scratch) = (aggregation.result_type(values.data_type(), 0)?, ctx.scratch());
    if aggregation == Aggregation::Histogram {
        let (rows, counts) = counted(rows, values, None, ctx)?;
        return histogram(&output, &rows, values, counts, ctx);
    }
    let lists = as_lists(AGGREGATE, values, scratch)?;
    let lists = Lists::open(ListsView::try_from(lists.view())?, &[], scratch)?;
    let rows = rows.elements(&lists, scratch)?;
    let elements = lists.elements.view();
    match aggregation {
        Aggregation::MergeLists => rows.of_type(&output, elements, &[], ctx),
        Aggregation::MergeSets { null_equality, nan_equality } => {
            rows.distinct(elements, null_equality, nan_equality, scratch)?.of_type(&output, elements, &[], ctx)
        }
        Aggregation::MergeHistogram => {
            let rows = if elements.has_validity() { rows.without_nulls(elements, scratch)? } else { rows };
            let entries = StructsView::try_from(elements)?;
            let (values, counts) = (entries.child(0)?, entries.child(1)?);
            let (rows, counts) = counted(rows, values, Some(counts), ctx)?;
            histogram(&output, &rows, values, counts, ctx)
        }
        _ => Err(Error::internal("an aggregation without lists was passed to `lists`")),
    }
}

/// Returns the distinct elements of each list in the order of the values, and the number of times that each occurs.
fn counted(
    listed: ListedRows,
    values: ColumnView<'_>,
    counts: Option<ColumnView<'_>>,
    ctx: Ctx<'_>,
) -> Result<(ListedRows, Column)> {
    let (scratch, long, total) = (ctx.scratch(), &DataType::Int64, listed.rows.len());
    let ListedRows { rows, offsets } = listed;
    let lists = offsets.len() - 1;
    let owners = rows_of_runs(offsets.slice(1, lists)?.view(), total, scratch)?;
    let elements = gather_column(values, rows.view(), scratch)?;
    let ranked = ranked_keys(AGGREGATE, &TableView::from(elements.view()), KeyNulls::default(), scratch)?;
    let ranked = ranked.view()?;
    let keys = TableView::try_new(vec![owners.view(), ranked.column(0)?])?;
    let order = sorted_order(keys.clone(), &[], &[], scratch)?;
    let sorted = gather_trusted(&keys, order.view(), scratch)?;
    let first = heads(AGGREGATE, &sorted.view(), NullEquality::Equal, scratch)?;
    let rows = gather_column(rows.view(), order.view(), scratch)?;
    // Element `i` of `before` is the sum of the counts of the elements before element `i`.
    let sizes = match counts {
        None => from_scalar(1_i64.into(), total, scratch)?,
        Some(counts) => {
            let counts = gather_column(counts, rows.view(), scratch)?;
            replace_nulls(counts.view(), 0_i64.into(), scratch)?
        }
    };
    let before = offsets_of(&sizes, scratch)?;
    let numbers = cast(row_numbers(total, scratch)?.view(), long, scratch)?;
    let chosen = TableView::try_new(vec![rows.view(), numbers.view()])?;
    let chosen = select(&chosen, first.view(), scratch)?;
    let begins = chosen.column(1)?;
    let ends = shift(begins.view(), -1, (total as i64).into(), scratch)?;
    let [begins, ends] = [begins, &ends].map(|rows| gather_column(before.view(), rows.view(), scratch));
    let counts = of(&ends?, Op::Sub, (&begins?).into(), long, ctx)?;
    let rows = ListedRows { rows: chosen.column(0)?.clone(), offsets: kept_offsets(&offsets, &first, scratch)? };
    Ok((rows, counts))
}

/// Returns histograms of the type `output`, which are lists of pairs of a value and its count.
fn histogram(
    output: &DataType,
    rows: &ListedRows,
    values: ColumnView<'_>,
    counts: Column,
    ctx: Ctx<'_>,
) -> Result<Column> {
    let values = gather_column(values, rows.rows.view(), ctx)?;
    let (len, device) = (counts.len(), ctx.stream.device());
    let entries = ColumnParts::structs(device, len, [("value", values), ("count", counts)]);
    let entry = gdf_core::layout::child_types(output).into_iter().next().cloned();
    let data_type = entry.ok_or_else(|| Error::child_count(output, 1, 0))?;
    let entries = vouch::result(ColumnParts { data_type, ..entries })?;
    make_lists(output, &rows.offsets, entries, &[], ctx)
}
