//! Results without rows.

use gdf_core::{Column, DataType, NullCount, Result};

use crate::Ctx;
use crate::vouch;

pub(super) fn empty_column(data_type: &DataType, ctx: Ctx<'_>) -> Result<Column> {
    let mut parts = Column::nulls_on(data_type, 0, ctx.stream, ctx.mr.output)?.into_parts();
    parts.validity = None;
    parts.null_count = NullCount::Known(0);
    vouch::result(parts)
}
