//! `reduce`: one value for each list.

use gdf_compute::copying::copy_if_else;
use gdf_compute::reduction::{ReduceAggregation, segmented_reduce};
use gdf_compute::unary::is_valid;
use gdf_core::{Column, ColumnView, DataType, Literal, Result};
use gdf_engine::policy::NullPolicy;

use super::elements::{Elements, Hidden, with_nulls};
use crate::Ctx;

/// Reduces the elements of each list to one value of type `output_type`.
///
/// Implements `gdf_api::lists::reduce` with the stream and the memory resources of `ctx`.
pub fn reduce(
    column: ColumnView<'_>,
    aggregation: ReduceAggregation,
    output_type: &DataType,
    null_policy: NullPolicy,
    ctx: Ctx<'_>,
) -> Result<Column> {
    let scratch = ctx.scratch();
    // For most aggregations, the result of an empty list is null. Null lists are then opened as empty lists.
    let hidden = if is_never_null(aggregation) { Hidden::Kept } else { Hidden::Purged };
    let lists = Elements::open("reduce", column, &[], hidden, scratch)?;
    reduce_elements(&lists, lists.values.view(), aggregation, output_type, null_policy, ctx)
}

/// Reduces the rows of `values` that belong to the elements of each list to one value of type `output_type`. `values`
/// has a row for each element.
pub fn reduce_elements(
    lists: &Elements,
    values: ColumnView<'_>,
    aggregation: ReduceAggregation,
    output_type: &DataType,
    null_policy: NullPolicy,
    ctx: Ctx<'_>,
) -> Result<Column> {
    use ReduceAggregation as A;
    let (offsets, view) = (lists.offsets.view(), lists.column.view());
    let reduce = |ctx| segmented_reduce(values, offsets, aggregation, output_type, null_policy, ctx);
    if !is_never_null(aggregation) || !view.has_validity() {
        return reduce(ctx);
    }
    if null_policy == NullPolicy::Exclude || matches!(aggregation, A::CountValid | A::CountAll) {
        return with_nulls(reduce(ctx)?, &[view], ctx);
    }
    let scratch = ctx.scratch();
    let valid = is_valid(view, scratch)?;
    copy_if_else((&reduce(scratch)?).into(), Literal::null(output_type).into(), valid.view(), ctx)
}

fn is_never_null(aggregation: ReduceAggregation) -> bool {
    use ReduceAggregation as A;
    matches!(aggregation, A::CountValid | A::CountAll | A::Any | A::All)
}
