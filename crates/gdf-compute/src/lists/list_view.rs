//! List views as lists. The elements of a list view can be anywhere in the child column, and lists may share elements.

use gdf_core::{Column, ColumnView, DataType, Error, Result};
use gdf_engine::cast::cast;
use gdf_engine::check;
use gdf_engine::choose::choose;
use gdf_engine::null_rows::valid_rows;

use super::{Ranges, gather_column, make_lists};
use crate::Ctx;
use crate::vouch;

/// Implements `gdf_api::lists::from_list_view` with the stream and the memory resources of `ctx`.
pub fn from_list_view(column: ColumnView<'_>, ctx: Ctx<'_>) -> Result<Column> {
    let (numbers, lists) = match column.data_type() {
        DataType::ListView(field) => (DataType::Int32, DataType::List(field.clone())),
        DataType::LargeListView(field) => (DataType::Int64, DataType::LargeList(field.clone())),
        other => {
            let remedy = "pass a column of type ListView or LargeListView";
            return Err(Error::unsupported("from_list_view", other).with_remedy(remedy));
        }
    };
    check::column(column, ctx)?;
    let (scratch, long) = (ctx.scratch(), &DataType::Int64);
    let (offset, rows) = (column.offset(), column.len());
    if rows == 0 {
        let none = Column::from_slice_on(&[0_i64], ctx.stream, ctx.mr.temporary)?;
        let elements = gather_column(column.child(0)?, Column::empty_on(long, ctx.stream.device())?.view(), ctx)?;
        return make_lists(&lists, &none, elements, &[], ctx);
    }
    let words = |buffer: usize| {
        let buffers = column.buffers();
        let buffer = buffers.get(buffer).ok_or_else(|| Error::buffer_count(column.data_type(), 2, buffers.len()))?;
        let words = vouch::numbers(numbers.clone(), buffer.clone(), offset + rows, ctx.stream)?;
        cast(words.slice(offset, rows)?.view(), long, scratch)
    };
    let (begins, mut sizes) = (words(0)?, words(1)?);
    if column.has_validity() {
        let valid = valid_rows(column, scratch)?;
        sizes = choose((&sizes).into(), 0_i64.into(), valid.view(), scratch)?;
    }
    let elements = column.child(0)?;
    let (ranges, offsets) = Ranges::of_lists(begins, &sizes, elements.len(), scratch)?;
    make_lists(&lists, &offsets, ranges.copy_column(elements, ctx)?, &[column], ctx)
}
