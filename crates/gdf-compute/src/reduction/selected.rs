//! Reduces the rows that a mask selects. The operation sets the other rows to null, so that no rows are copied.

use gdf_core::{ColumnView, DataType, Result, Scalar, TableView};
use gdf_engine::check;
use gdf_engine::mask::{check_selection, null_unless_selected, null_unless_true};

use super::{NullPolicy, ReduceAggregation as A, reduce};
use crate::Ctx;
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
        // The results of these aggregations depend on null rows. Rows that are not selected can therefore not be
        // excluded by setting them to null.
        A::Nunique(NullPolicy::Include) | A::NthElement { .. } => None,
        A::CollectList { .. } | A::CollectSet { .. } => None,
        _ => null_unless_selected(column, mask, scratch)?,
    };
    if let Some(selected) = selected {
        return reduce(selected.view(), aggregation, output_type, ctx);
    }
    let rows = apply_boolean_mask(TableView::try_new(vec![column])?, mask, scratch)?;
    reduce(rows.column(0)?.view(), aggregation, output_type, ctx)
}
