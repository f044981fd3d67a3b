//! Fields of structs: taken out, added, replaced, renamed and dropped.

use gdf_compute::copying::copy_if_else;
use gdf_compute::filling::row_numbers;
use gdf_compute::lists::gather_rows;
use gdf_compute::unary::is_valid;
use gdf_core::{
    Abilities, Column, ColumnParts, ColumnView, Counted, DataType, Error, Field, Fields, Result, StructsView, TableView,
};
use gdf_engine::check;
use gdf_engine::mask::{copy_bitmask, null_where_null};
use gdf_engine::rows::{Bounds, rows_times};
use gdf_expr::types::nested::position;

use crate::Ctx;
use crate::vouch;

/// Returns field number `index` of each struct. The field of a null struct is null.
///
/// Implements `gdf_api::structs::field` with the stream and the memory resources of `ctx`.
pub fn field(column: ColumnView<'_>, index: usize, ctx: Ctx<'_>) -> Result<Column> {
    let fields = fields_of(column)?;
    let missing = || Error::index_out_of_bounds(Counted::Children, index, fields.len());
    fields.get(index).ok_or_else(missing)?;
    check::column(column, ctx)?;
    let child = StructsView::try_from(column)?.child(index)?;
    if !column.has_validity() {
        return Ok(child.to_column());
    }
    if *child.data_type() == DataType::Null {
        return Ok(child.to_column());
    }
    // The rows that become null must not hide elements, so lists are copied.
    let abilities = Abilities::of(child.data_type());
    if !abilities.lists
        && !abilities.composite
        && let Some(field) = null_where_null(child, &[column], ctx)?
    {
        return Ok(field);
    }
    let (rows, scratch) = (column.len(), ctx.scratch());
    let beyond = rows_times(rows, 1)?;
    let valid = is_valid(column, scratch)?;
    let map = copy_if_else((&row_numbers(rows, scratch)?).into(), beyond.into(), valid.view(), scratch)?;
    gather_rows(&TableView::from(child), map.view(), Bounds::Nullify, ctx)?.column(0).cloned()
}

/// Returns the field with this name of each struct. The field of a null struct is null.
///
/// Implements `gdf_api::structs::field_by_name` with the stream and the memory resources of `ctx`.
pub fn field_by_name(column: ColumnView<'_>, name: &str, ctx: Ctx<'_>) -> Result<Column> {
    let fields = fields_of(column)?;
    check::column(column, ctx)?;
    field(column, position(fields, name)?, ctx)
}

/// Returns structs whose fields are the columns of the table.
///
/// Implements `gdf_api::structs::from_columns` with the stream and the memory resources of `ctx`.
pub fn from_columns(table: &TableView<'_>, names: &[&str], ctx: Ctx<'_>) -> Result<Column> {
    check::table(table, ctx)?;
    check::length(table.num_columns(), names.len()).map_err(|error| error.in_argument("names"))?;
    let columns = table.columns().iter().map(|column| column.to_column());
    let fields = names.iter().copied().zip(columns);
    let parts = ColumnParts::structs(ctx.stream.device(), table.num_rows(), fields);
    vouch::result(with_sanitized(parts))
}

/// Returns the structs with a field that replaces the field of the same name, or comes after the last field.
///
/// Implements `gdf_api::structs::with_field` with the stream and the memory resources of `ctx`.
pub fn with_field(column: ColumnView<'_>, name: &str, field: ColumnView<'_>, ctx: Ctx<'_>) -> Result<Column> {
    let in_field = |error: Error| error.in_argument("field");
    let fields = fields_of(column)?;
    check::column(column, ctx)?;
    check::column(field, ctx).map_err(in_field)?;
    check::length(column.len(), field.len()).map_err(in_field)?;
    let structs = StructsView::try_from(column)?;
    let added = (Field::new(name, field.data_type().clone(), true).into(), field.to_column());
    let mut all = Vec::with_capacity(fields.len() + 1);
    for (index, of) in fields.iter().enumerate() {
        all.push((of.clone(), structs.child(index)?.to_column()));
    }
    match fields.iter().position(|of| of.name() == name) {
        Some(index) => all[index] = added,
        None => all.push(added),
    }
    let (of, children): (Vec<_>, Vec<_>) = all.into_iter().unzip();
    let mut parts = ColumnParts::new(DataType::Struct(of.into()), ctx.stream.device(), column.len());
    parts.children = children;
    if column.has_validity() {
        let (validity, null_count) = if column.offset() == 0 {
            let parts = column.to_column().into_parts();
            (parts.validity, parts.null_count)
        } else {
            copy_bitmask(column, ctx)?.into_parts()
        };
        parts = parts.validity(validity, null_count);
    }
    vouch::result(with_sanitized(parts))
}

/// Returns the structs with other names of the fields.
///
/// Implements `gdf_api::structs::rename_fields` with the stream and the memory resources of `ctx`.
pub fn rename_fields(column: ColumnView<'_>, names: &[&str], ctx: Ctx<'_>) -> Result<Column> {
    let fields = fields_of(column)?;
    check::length(fields.len(), names.len()).map_err(|error| error.in_argument("names"))?;
    check::column(column, ctx)?;
    let mut parts = column.to_column().into_parts();
    let renamed = fields.iter().zip(names).map(|(of, name)| of.as_ref().clone().with_name(*name));
    parts.data_type = DataType::Struct(renamed.collect());
    vouch::result(parts)
}

/// Returns the structs without the fields of these names.
///
/// Implements `gdf_api::structs::drop_fields` with the stream and the memory resources of `ctx`.
pub fn drop_fields(column: ColumnView<'_>, names: &[&str], ctx: Ctx<'_>) -> Result<Column> {
    let fields = fields_of(column)?;
    check::column(column, ctx)?;
    let dropped = names.iter().map(|name| position(fields, name)).collect::<Result<Vec<_>>>()?;
    let mut parts = column.to_column().into_parts();
    let kept = fields.iter().zip(parts.children).enumerate().filter(|(index, _)| !dropped.contains(index));
    let (of, children): (Vec<_>, Vec<_>) = kept.map(|(_, (of, child))| (of.clone(), child)).unzip();
    (parts.data_type, parts.children) = (DataType::Struct(of.into()), children);
    vouch::result(parts)
}

/// Marks structs as sanitized if they have no mask and all of their fields are sanitized. In structs that are not
/// sanitized, null rows may have values.
fn with_sanitized(mut parts: ColumnParts) -> ColumnParts {
    parts.sanitized = parts.validity.is_none() && parts.children.iter().all(Column::sanitized);
    parts
}

fn fields_of(column: ColumnView<'_>) -> Result<&Fields> {
    match column.data_type() {
        DataType::Struct(fields) => Ok(fields),
        other => Err(Error::type_mismatch("a struct", other)),
    }
}
