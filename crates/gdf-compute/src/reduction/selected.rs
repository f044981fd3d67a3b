//! Reduces the rows that a mask selects. The operation sets the other rows to null, so that no rows are copied.

use gdf_core::{ColumnView, DataType, Result, Scalar, TableView};
use gdf_engine::cast::cast;
use gdf_engine::check;
use gdf_engine::mask::{check_selection, null_unless_selected, null_unless_true};
use gdf_engine::sequence::row_numbers;

use super::{NullPolicy, ReduceAggregation as A, reduce};
use crate::Ctx;
use crate::lists::gather_column;
use crate::stream_compaction::apply_boolean_mask;

/// Implements `gdf_api::reduction::reduce_where` on the stream of `ctx`, with memory from the resources of `ctx`.
pub fn reduce_where(
    column: ColumnView<'_>,
    mask: ColumnView<'_>,
    aggregation: A,
    output_type: &DataType,
    ctx: Ctx<'_>,
) -> Result<Scalar> {
    check::column(column, ctx)?;
    check_selection(mask, column.len(), ctx)?;
    let scratch = ctx.scratch();
    let selected = match aggregation {
        A::CountAll => {
            let rows = null_unless_true(mask, scratch)?;
            return reduce(rows.view(), A::CountValid, output_type, ctx);
        }
        // The results of these aggregations may depend on null rows.
        A::Nunique(NullPolicy::Include) | A::NthElement { .. } => None,
        A::CollectList { .. } | A::CollectSet { .. } => None,
        _ => null_unless_selected(column, mask, scratch)?,
    };
    let numbers = match (&selected, aggregation) {
        (None, A::ArgMin | A::ArgMax) => Some(row_numbers(column.len(), scratch)?),
        _ => None,
    };
    if let Some(selected) = selected {
        return reduce(selected.view(), aggregation, output_type, ctx);
    }
    let Some(numbers) = numbers else {
        let rows = apply_boolean_mask(TableView::from(column), mask, scratch)?;
        return reduce(rows.column(0)?.view(), aggregation, output_type, ctx);
    };
    let rows = apply_boolean_mask(TableView::try_new(vec![column, numbers.view()])?, mask, scratch)?;
    let selected = reduce(rows.column(0)?.view(), aggregation, &DataType::Int64, scratch)?;
    let row = gather_column(rows.column(1)?.view(), selected.column().view(), scratch)?;
    Scalar::from_column(cast(row.view(), output_type, scratch)?)?.deep_copy(ctx.stream, ctx.mr.output)
}
