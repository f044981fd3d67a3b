//! `empty_like` and `allocate_like`: new columns with the types of existing columns.

use gdf_core::{Column, ColumnParts, ColumnView, Error, PhysicalType, Result, Table, TableView, physical_type};
use gdf_engine::layout::byte_len;
use gdf_engine::mask::{MaskState, create_null_mask};
use gdf_memory::Buffer;

use crate::Ctx;
use crate::vouch;

/// Returns a table without rows that has the types of `table`, on the device of `ctx`. Implements
/// `gdf_api::copying::empty_like`. Returns the errors of that function.
pub fn empty_like(table: TableView<'_>, ctx: Ctx<'_>) -> Result<Table> {
    let columns = table.columns().iter().map(|column| empty_like_column(*column, ctx));
    Table::try_with_rows(columns.collect::<Result<_>>()?, 0)
}

/// Returns a column without rows in the same way as [`empty_like`]. The result has the type of `column`.
pub fn empty_like_column(column: ColumnView<'_>, ctx: Ctx<'_>) -> Result<Column> {
    Column::empty_in(column.data_type(), ctx.stream, ctx.mr.output)
}

/// Returns a column of `rows` rows that has the type of `column`. The values are zeros, and no row is null. The result
/// has a mask if `column` has a mask.
///
/// Implements `gdf_api::copying::allocate_like` with the stream and the memory resources of `ctx`. Returns the errors
/// of that function.
pub fn allocate_like(column: ColumnView<'_>, rows: usize, ctx: Ctx<'_>) -> Result<Column> {
    let data_type = column.data_type();
    let zeros = |bytes| Buffer::zeroed(bytes, ctx.stream, ctx.mr.output);
    let bytes = match physical_type(data_type) {
        PhysicalType::Bool => rows.div_ceil(8),
        physical => {
            let width = physical.width().ok_or_else(|| Error::unsupported("allocate_like", data_type))?;
            byte_len(rows, width, ctx.mr)?
        }
    };
    let mut parts = ColumnParts::new(data_type.clone(), ctx.stream.device(), rows).buffer(zeros(bytes)?);
    if column.has_validity() {
        (parts.validity, parts.null_count) = create_null_mask(rows, MaskState::AllValid, ctx)?.into_parts();
    }
    vouch::result(parts)
}
