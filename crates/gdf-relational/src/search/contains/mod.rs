//! `contains`: a semi join that returns a boolean for each row.

mod host;

use gdf_compute::copying::{OutOfBoundsPolicy, scatter_scalars};
use gdf_compute::keys::{Purpose, prepare};
use gdf_core::{Column, ColumnView, DataType, Result, TableView};
use gdf_driver::Device;
use gdf_engine::check;
use gdf_engine::keys::NanEquality;
use gdf_engine::mask::{MaskState, copy_bitmask, create_null_mask};

use crate::Ctx;
use crate::join::{FilterKind, NullEquality, filter};
use crate::vouch;

/// The name of the operation in errors.
const OPERATION: &str = "join keys";

/// Implements `gdf_api::search::contains` with the stream and the resources of `ctx`.
pub fn contains(haystack: ColumnView<'_>, needles: ColumnView<'_>, ctx: Ctx<'_>) -> Result<Column> {
    let given = needles;
    let nulls = NullEquality::Equal;
    let purpose = Purpose::equality(nulls, NanEquality::AllEqual);
    let [haystack, needles] = prepare(OPERATION, [&haystack.into(), &given.into()], purpose, ctx.scratch())?;
    let (haystack, needles) = (haystack.view()?, needles.view()?);
    let (first, searched) = (haystack.column(0)?, needles.column(0)?);
    check::types(first.data_type(), searched.data_type()).map_err(|error| error.in_argument("needles"))?;
    let is_struct = matches!(given.data_type(), DataType::Struct(_));
    let marked = match ctx.stream.device() {
        // Null fields are values, and null structs become null in the result.
        _ if is_struct => marked(haystack, needles, nulls, ctx)?,
        Device::Cpu => host::contains(first, searched, ctx)?,
        Device::Cuda(_) => marked(haystack, needles, NullEquality::Unequal, ctx)?,
    };
    let mask = copy_bitmask(if is_struct { given } else { searched }, ctx)?;
    let mut parts = marked.into_parts();
    (parts.validity, parts.null_count) = mask.into_parts();
    vouch::result(parts)
}

fn marked(haystack: TableView<'_>, needles: TableView<'_>, nulls: NullEquality, ctx: Ctx<'_>) -> Result<Column> {
    let rows = needles.num_rows();
    let found = filter(FilterKind::Semi, needles, haystack, nulls, ctx.scratch())?;
    let nowhere = create_null_mask(rows, MaskState::AllNull, ctx.scratch())?.to_column()?;
    let target = TableView::try_new(vec![nowhere.view()])?;
    let marked = scatter_scalars(&[true.into()], found.view(), target, OutOfBoundsPolicy::Nullify, ctx)?;
    Ok(marked.column(0)?.clone())
}
