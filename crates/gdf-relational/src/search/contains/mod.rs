//! `contains`: a semi join that returns a boolean for each row.

mod host;

use gdf_compute::copying::{OutOfBoundsPolicy, scatter_scalars};
use gdf_compute::nested_keys::{KeyNulls, paired_keys};
use gdf_core::{Column, ColumnView, Result, TableView};
use gdf_driver::Device;
use gdf_engine::check;
use gdf_engine::mask::{MaskState, copy_bitmask, create_null_mask};
use gdf_engine::vouch;

use crate::Ctx;
use crate::join::{FilterKind, NullEquality, filter};

/// The name of the operation in errors. On CUDA, a join computes the result, and errors contain the name of this join.
const OPERATION: &str = "join keys";

/// Implements `gdf_api::search::contains` with the stream and the resources of `ctx`.
pub fn contains(haystack: ColumnView<'_>, needles: ColumnView<'_>, ctx: Ctx<'_>) -> Result<Column> {
    let (haystack, needles) =
        paired_keys(OPERATION, &haystack.into(), &needles.into(), KeyNulls::default(), ctx.scratch())?;
    let (haystack, needles) = (haystack.view()?.column(0)?, needles.view()?.column(0)?);
    check::types(haystack.data_type(), needles.data_type()).map_err(|error| error.in_argument("needles"))?;
    let marked = match ctx.stream.device() {
        Device::Cpu => host::contains(haystack, needles, ctx)?,
        Device::Cuda(_) => marked(haystack, needles, ctx)?,
    };
    let mask = copy_bitmask(needles, ctx)?;
    let mut parts = marked.into_parts();
    (parts.validity, parts.null_count) = mask.into_parts();
    vouch::result(parts)
}

fn marked(haystack: ColumnView<'_>, needles: ColumnView<'_>, ctx: Ctx<'_>) -> Result<Column> {
    let (left, right) = (TableView::try_new(vec![needles])?, TableView::try_new(vec![haystack])?);
    let found = filter(FilterKind::Semi, left, right, NullEquality::Unequal, ctx.scratch())?;
    let nowhere = create_null_mask(needles.len(), MaskState::AllNull, ctx.scratch())?.to_column()?;
    let target = TableView::try_new(vec![nowhere.view()])?;
    let marked = scatter_scalars(&[true.into()], found.view(), target, OutOfBoundsPolicy::Nullify, ctx)?;
    Ok(marked.column(0)?.clone())
}
