//! Histograms: lists of pairs of a value and its count, in the order of the values.

use gdf_core::layout::child_types;
use gdf_core::{Abilities, Column, ColumnParts, ColumnView, DataType, Error, Field, Result, StructsView, TableView};
use gdf_engine::cast::cast;
use gdf_engine::sequence::{constant, row_numbers};

use crate::Ctx;
use crate::binaryop::{BinaryOperator as Op, of};
use crate::collect::ListedRows;
use crate::copying::shift;
use crate::keys::{Purpose, prepare};
use crate::lists::{gather_column, gather_trusted, kept_offsets, make_lists, offsets_of, rows_of_runs, select_rows};
use crate::replace::replace_nulls;
use crate::sorting::sorted_order;
use crate::stream_compaction::{NullEquality, heads};
use crate::vouch;

/// Returns the type of a pair of a value of type `values` and its count.
pub fn histogram_entry(values: &DataType) -> DataType {
    let count = Field::new("count", DataType::Int64, false);
    DataType::Struct([Field::new("value", values.clone(), true), count].into_iter().collect())
}

/// Returns whether lists are histograms, whose fields can have any names.
pub fn is_histogram(lists: &DataType) -> bool {
    match child_types(lists).as_slice() {
        [DataType::Struct(fields)] => match fields.iter().map(|field| field.data_type()).collect::<Vec<_>>()[..] {
            [values, DataType::Int64] => Abilities::of(values).sortable,
            _ => false,
        },
        _ => false,
    }
}

/// The rows that histograms are made of.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum HistogramRows {
    /// Values. Each counts once.
    Values,
    /// Entries of other histograms. For each value, its counts are added.
    Entries,
}

/// Returns the histograms of lists of rows of `column`, as lists of type `output`.
///
/// # Errors
/// * [`Unsupported`](Error::Unsupported) for values that cannot be sorted.
/// * Driver and memory errors.
pub fn histograms(
    operation: &'static str,
    output: &DataType,
    of: HistogramRows,
    rows: ListedRows,
    column: ColumnView<'_>,
    ctx: Ctx<'_>,
) -> Result<Column> {
    let (rows, values, counts) = match of {
        HistogramRows::Values => (rows, column, None),
        HistogramRows::Entries => {
            let rows = if column.has_validity() { rows.without_nulls(column, ctx.scratch())? } else { rows };
            let entries = StructsView::try_from(column)?;
            (rows, entries.child(0)?, Some(entries.child(1)?))
        }
    };
    let (rows, counts) = counted(operation, rows, values, counts, ctx)?;
    histogram(output, &rows, values, counts, ctx)
}

/// Returns the distinct elements of each list in the order of the values, and the number of times that each occurs.
fn counted(
    operation: &'static str,
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
    let [ranked] = prepare(operation, [&TableView::from(elements.view())], Purpose::order(&[]), scratch)?;
    let ranked = ranked.view()?;
    let keys = TableView::try_new(vec![owners.view(), ranked.column(0)?])?;
    let order = sorted_order(keys.clone(), &[], &[], scratch)?;
    let sorted = gather_trusted(&keys, order.view(), scratch)?;
    let first = heads(operation, &sorted.view(), NullEquality::Equal, scratch)?;
    let rows = gather_column(rows.view(), order.view(), scratch)?;
    // Element `i` of `before` is the sum of the counts of the elements before element `i`.
    let sizes = match counts {
        None => constant(1_i64.into(), total, scratch)?,
        Some(counts) => {
            let counts = gather_column(counts, rows.view(), scratch)?;
            replace_nulls(counts.view(), 0_i64.into(), scratch)?
        }
    };
    let before = offsets_of(&sizes, scratch)?;
    let numbers = cast(row_numbers(total, scratch)?.view(), long, scratch)?;
    let chosen = TableView::try_new(vec![rows.view(), numbers.view()])?;
    let chosen = select_rows(&chosen, first.view(), scratch)?;
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
    let entry = child_types(output).into_iter().next().cloned();
    let data_type = entry.ok_or_else(|| Error::child_count(output, 1, 0))?;
    let entries = vouch::result(ColumnParts { data_type, ..entries })?;
    make_lists(output, &rows.offsets, entries, &[], ctx)
}
