//! `to_json`: a text of JSON from each row of a column.

use gdf_compute::copying::purge_nonempty_nulls;
use gdf_compute::filling::from_scalar;
use gdf_compute::lists::{OffsetOwner, as_lists, given_offsets, with_elements};
use gdf_core::layout::check_levels;
use gdf_core::{
    Column, ColumnParts, ColumnView, DataType, Error, FixedSizeListsView, ListsView, Literal, Result, StructsView,
    TableView, TimeUnit, decimal_parts,
};
use gdf_engine::check;
use gdf_engine::decoded::Decoded;
use gdf_engine::mask::null_where_null;
use gdf_engine::rows::offset_ends;

use super::document::quote;
use super::texts::{Rewrite, rewrite};
use crate::join::join_in_brackets;
use crate::vouch;
use crate::{
    Ctx, JoinOptions, concatenate, from_booleans, from_fixed_point, from_floats, from_integers, from_timestamps,
};

/// The options of `to_json`.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq, Hash)]
pub struct JsonWriteOptions {
    /// Whether null fields of structs are written as `null`. By default, they are left out.
    pub write_null_fields: bool,
}

/// Implements `gdf_api::json::to_json` with the stream and the memory resources of `ctx`. Returns the errors of that
/// function.
pub fn to_json(column: ColumnView<'_>, options: JsonWriteOptions, ctx: Ctx<'_>) -> Result<Column> {
    check_levels(column.data_type()).and_then(|()| check_type(column.data_type()))?;
    check::column(column, ctx)?;
    if is_leaf(column.data_type()) {
        return Writer { options, ctx }.leaf(column);
    }
    let scratch = ctx.scratch();
    let written = Writer { options, ctx: scratch }.values(column)?;
    purge_nonempty_nulls(written.view(), ctx)
}

/// Checks that values of a type can be written.
fn check_type(data_type: &DataType) -> Result<()> {
    match data_type {
        DataType::Struct(fields) => fields.iter().try_for_each(|field| check_type(field.data_type())),
        DataType::List(field) | DataType::LargeList(field) | DataType::FixedSizeList(field, _) => {
            check_type(field.data_type())
        }
        DataType::Map(entries, _) => match entries.data_type() {
            DataType::Struct(of) => match &of[..] {
                [key, value] if is_text(key.data_type()) => check_type(value.data_type()),
                [key, _] => {
                    Err(Error::unsupported("to_json", key.data_type()).with_remedy("use maps with keys of type Utf8"))
                }
                other => Err(Error::child_count(data_type, 2, other.len())),
            },
            other => Err(Error::type_mismatch("Struct", other)),
        },
        DataType::Dictionary(_, values) => check_type(values),
        DataType::Boolean | DataType::Float32 | DataType::Float64 => Ok(()),
        _ if is_text(data_type) || data_type.is_integer() || decimal_parts(data_type).is_some() => Ok(()),
        _ if gdf_compute::datetime::moment_unit(data_type).is_some() => Ok(()),
        other => Err(Error::unsupported("to_json", other)),
    }
}

fn is_text(data_type: &DataType) -> bool {
    match data_type {
        DataType::Utf8 | DataType::LargeUtf8 | DataType::Utf8View => true,
        DataType::Dictionary(_, values) => is_text(values),
        _ => false,
    }
}

fn is_leaf(data_type: &DataType) -> bool {
    match data_type {
        DataType::Dictionary(_, values) => is_leaf(values),
        DataType::Struct(_)
        | DataType::List(_)
        | DataType::LargeList(_)
        | DataType::FixedSizeList(..)
        | DataType::Map(..) => false,
        _ => true,
    }
}

struct Writer<'a> {
    options: JsonWriteOptions,
    ctx: Ctx<'a>,
}

impl Writer<'_> {
    /// Returns the text of each value. Null rows are null, and may have bytes.
    fn values(&self, column: ColumnView<'_>) -> Result<Column> {
        if is_leaf(column.data_type()) {
            return self.leaf(column);
        }
        let decoded = Decoded::of(column, self.ctx)?;
        let column = decoded.view();
        let rows = column.len();
        let written = match column.data_type() {
            DataType::Struct(fields) => {
                let structs = StructsView::try_from(column)?;
                let null_is_text = self.options.write_null_fields;
                let mut texts = Vec::with_capacity(fields.len());
                for (number, field) in fields.iter().enumerate() {
                    let mut name = Vec::new();
                    quote(field.name().as_bytes(), |part| name.extend_from_slice(part));
                    name.push(b':');
                    let prefix = String::from_utf8_lossy(&name);
                    let values = self.values(structs.child(number)?)?;
                    let how = Rewrite::Affixed { prefix: &prefix, suffix: "", null_is_text };
                    texts.push(rewrite(values.view(), how, &DataType::Utf8, self.ctx)?);
                }
                if texts.is_empty() {
                    let braces = Literal::from("{}").to_operand_scalar(self.ctx.stream, self.ctx.mr.temporary)?;
                    from_scalar((&braces).into(), rows, self.ctx)?
                } else {
                    let texts: Vec<_> = texts.iter().map(Column::view).collect();
                    join_in_brackets(&texts, None, rows, None, ["{", "}"], self.ctx)?
                }
            }
            DataType::Map(entries, _) => {
                let mut parts = column.to_column().into_parts();
                parts.data_type = DataType::List(entries.clone());
                let lists = self.used(vouch::result(parts)?, None)?;
                let entries = StructsView::try_from(ListsView::try_from(lists.view())?.child())?;
                let keys = self.values(entries.child(0)?)?;
                let how = Rewrite::Affixed { prefix: "", suffix: ":", null_is_text: false };
                let keys = rewrite(keys.view(), how, &DataType::Utf8, self.ctx)?;
                let values = self.values(entries.child(1)?)?;
                let pairs = concatenate(
                    TableView::try_new(vec![keys.view(), values.view()])?,
                    "".into(),
                    JoinOptions { null: Some("null"), ..Default::default() },
                    self.ctx,
                )?;
                join_in_brackets(&[pairs.view()], Some(lists.view()), rows, Some("null"), ["{", "}"], self.ctx)?
            }
            _ => {
                let size = FixedSizeListsView::try_from(column).ok().map(FixedSizeListsView::size);
                let lists = self.used(as_lists("to_json", column, self.ctx)?, size)?;
                let elements = self.values(ListsView::try_from(lists.view())?.child())?;
                join_in_brackets(&[elements.view()], Some(lists.view()), rows, Some("null"), ["[", "]"], self.ctx)?
            }
        };
        let masked = null_where_null(written.view(), &[column], self.ctx)?;
        masked.ok_or_else(|| Error::internal("texts cannot become null"))
    }

    /// Returns the same lists with the elements that the rows use. A slice of a column has all elements of the column,
    /// and not all of them need to be written. `size` is the number of elements of each list if the lists have a fixed
    /// size.
    fn used(&self, lists: Column, size: Option<usize>) -> Result<Column> {
        let (ctx, view) = (self.ctx, ListsView::try_from(lists.view())?);
        let width = if view.is_large() { 8 } else { 4 };
        let is_whole = lists.offset() == 0 && view.offsets().len() / width <= lists.len() + 1;
        let (begin, end) = match size {
            Some(size) => (lists.offset() * size, (lists.offset() + lists.len()) * size),
            None if is_whole || lists.is_empty() => return Ok(lists), // without a wait
            None => {
                let offsets = given_offsets(view, ctx.scratch())?;
                let ends = offset_ends(&[offsets.view()], ctx.scratch())?;
                ends.first().map_or((0, 0), |ends| (ends.start, ends.end))
            }
        };
        if (begin, end) == (0, view.child().len()) {
            return Ok(lists);
        }
        let elements = view.child().slice(begin, end - begin)?.to_column();
        let used = with_elements(view, begin, elements, OffsetOwner::Scratch, ctx)?;
        // The null rows have as many elements as before.
        vouch::result(ColumnParts { sanitized: lists.sanitized(), ..used.into_parts() })
    }

    fn leaf(&self, column: ColumnView<'_>) -> Result<Column> {
        let (ctx, scratch) = (self.ctx, self.ctx.scratch());
        let decoded = Decoded::of(column, scratch)?;
        let column = decoded.view();
        let data_type = column.data_type();
        match data_type {
            DataType::Boolean => from_booleans(column, "true".into(), "false".into(), ctx),
            DataType::Utf8 | DataType::LargeUtf8 => rewrite(column, Rewrite::Quoted, &DataType::Utf8, ctx),
            DataType::Float32 | DataType::Float64 => {
                let texts = from_floats(column, scratch)?;
                rewrite(texts.view(), Rewrite::Finite, &DataType::Utf8, ctx)
            }
            _ if data_type.is_integer() => from_integers(column, ctx),
            _ if decimal_parts(data_type).is_some() => from_fixed_point(column, ctx),
            DataType::Date32 => from_timestamps(column, "\"%Y-%m-%d\"", ctx),
            DataType::Timestamp(unit, zone) => from_timestamps(column, &moment_format(*unit, zone.is_some()), ctx),
            _ => from_timestamps(column, &moment_format(TimeUnit::Millisecond, false), ctx),
        }
    }
}

/// Returns the format of timestamps. The fraction of the second has as many digits as the unit can represent.
fn moment_format(unit: TimeUnit, is_utc: bool) -> String {
    let fraction = match unit {
        TimeUnit::Second => "",
        TimeUnit::Millisecond => ".%3f",
        TimeUnit::Microsecond => ".%6f",
        TimeUnit::Nanosecond => ".%9f",
    };
    format!("\"%Y-%m-%dT%H:%M:%S{fraction}{}\"", if is_utc { "Z" } else { "" })
}
