//! Operations on `Map` columns: keys, values and entries as lists, and values by key.

use gdf_compute::binaryop::{BinaryOperator as Op, of};
use gdf_compute::copying::copy_if_else;
use gdf_core::{Column, ColumnView, DataType, Error, FieldRef, Literal, Operand, Result, StructsView};
use gdf_engine::check;

use crate::Ctx;
use crate::lists::{FindOption, extract_list_element, index_of};
use crate::vouch;

const KEY: usize = 0;
const VALUE: usize = 1;

/// Returns the keys of each map as a list.
///
/// Implements `gdf_api::maps::keys` with the stream and the memory resources of `ctx`.
pub fn keys(column: ColumnView<'_>, ctx: Ctx<'_>) -> Result<Column> {
    field(column, KEY, ctx)
}

/// Returns the values of each map as a list.
///
/// Implements `gdf_api::maps::values` with the stream and the memory resources of `ctx`.
pub fn values(column: ColumnView<'_>, ctx: Ctx<'_>) -> Result<Column> {
    field(column, VALUE, ctx)
}

/// Returns the entries of each map as a list of structs.
///
/// Implements `gdf_api::maps::entries` with the stream and the memory resources of `ctx`.
pub fn entries(column: ColumnView<'_>, ctx: Ctx<'_>) -> Result<Column> {
    let entries = entries_of(column)?.clone();
    check::column(column, ctx)?;
    let mut parts = column.to_column().into_parts();
    parts.data_type = DataType::List(entries);
    vouch::result(parts)
}

/// Returns the value of each map for a key.
///
/// Implements `gdf_api::maps::get` with the stream and the memory resources of `ctx`.
pub fn get(column: ColumnView<'_>, key: Operand<'_>, ctx: Ctx<'_>) -> Result<Column> {
    let scratch = ctx.scratch();
    let positions = index_of(keys(column, ctx)?.view(), key, FindOption::Last, scratch)?;
    let found = of(&positions, Op::GreaterEqual, 0_i32.into(), &DataType::Boolean, scratch)?;
    let absent = Literal::null(positions.data_type());
    let positions = copy_if_else((&positions).into(), absent.into(), found.view(), scratch)?;
    extract_list_element(values(column, ctx)?.view(), (&positions).into(), ctx)
}

/// Returns whether each map has a key.
///
/// Implements `gdf_api::maps::contains_key` with the stream and the memory resources of `ctx`.
pub fn contains_key(column: ColumnView<'_>, key: Operand<'_>, ctx: Ctx<'_>) -> Result<Column> {
    crate::lists::contains(keys(column, ctx)?.view(), key, ctx)
}

/// Returns lists of a field of the entries.
fn field(column: ColumnView<'_>, field: usize, ctx: Ctx<'_>) -> Result<Column> {
    let DataType::Struct(fields) = entries_of(column)?.data_type() else {
        return Err(Error::type_mismatch("a map", column.data_type()));
    };
    let of = fields.get(field).cloned().ok_or_else(|| Error::child_count(column.data_type(), 2, fields.len()))?;
    check::column(column, ctx)?;
    let mut parts = column.to_column().into_parts();
    let entries = parts.children.pop().ok_or_else(|| Error::child_count(column.data_type(), 1, 0))?;
    parts.children = vec![StructsView::try_from(entries.view())?.child(field)?.to_column()];
    parts.data_type = DataType::List(of);
    vouch::result(parts)
}

fn entries_of(column: ColumnView<'_>) -> Result<&FieldRef> {
    match column.data_type() {
        DataType::Map(entries, _) => Ok(entries),
        other => Err(Error::type_mismatch("a map", other)),
    }
}
