//! `reduce`: one value for each list.

use gdf_compute::reduction::{ReduceAggregation, segmented_reduce};
use gdf_core::{Abilities, Column, ColumnView, DataType, Result};
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
    // Null text is empty in results, so a null list must not have elements here.
    let hidden = if Abilities::of(output_type).rows && gdf_core::width(output_type).is_none() {
        Hidden::Purged
    } else {
        Hidden::Kept
    };
    let lists = Elements::open("reduce", column, &[], hidden, ctx.scratch())?;
    let (values, offsets) = (lists.values.view(), lists.offsets.view());
    let reduced = segmented_reduce(values, offsets, aggregation, output_type, null_policy, ctx)?;
    with_nulls(reduced, &[lists.column.view()], ctx)
}
