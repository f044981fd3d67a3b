//! `from_json`: columns of values from texts of JSON.
//!
//! The texts of all documents are checked once. Nested types are then read level by level. Each level divides the texts
//! of its values into the texts of fields, elements or entries, which the next level reads. The last level converts
//! texts to values.

use gdf_compute::binaryop::{BinaryOperator as Op, of};
use gdf_compute::copying::copy_if_else;
use gdf_compute::unary::cast;
use gdf_core::layout::check_levels;
use gdf_core::{
    Column, ColumnParts, ColumnView, DataType, Error, Field, FieldRef, Literal, NullCount, Position, Result,
    decimal_parts,
};
use gdf_engine::check;
use gdf_engine::mask::copy_bitmask;
use gdf_engine::strings;
use gdf_kernels::generated::strings::JsonPartsKind;
use gdf_memory::Buffer;

use super::document::MOMENT;
use super::texts::{Rewrite, parts, rewrite};
use crate::expect_converted::{first_lost, lost};
use crate::vouch;
use crate::{Ctx, to_fixed_point, to_floats, to_integers, to_timestamps};

/// The treatment of a text that is not JSON, and of a value that does not fit its type.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq, Hash)]
pub enum JsonMismatch {
    /// The text or the value becomes null. The values around it are kept.
    #[default]
    Null,
    /// The function returns an error.
    Error,
}

/// Implements `gdf_api::json::from_json` with the stream and the memory resources of `ctx`. Returns the errors of that
/// function.
pub fn from_json(column: ColumnView<'_>, data_type: &DataType, mismatch: JsonMismatch, ctx: Ctx<'_>) -> Result<Column> {
    strings::is_large("from_json", column)?;
    let in_type = |error: Error| error.in_argument("data_type");
    check_levels(data_type).and_then(|()| check_type(data_type)).map_err(in_type)?;
    check::column(column, ctx)?;
    let reader = Reader { mismatch, ctx };
    let documents = rewrite(column, Rewrite::Checked, column.data_type(), ctx.scratch())?;
    reader.expect(column, documents.view(), data_type, None)?;
    reader.values(documents.view(), data_type, None)
}

/// Checks that values of a type can be read.
fn check_type(data_type: &DataType) -> Result<()> {
    match data_type {
        DataType::Struct(fields) => fields.iter().try_for_each(|field| check_type(field.data_type())),
        DataType::List(field) | DataType::LargeList(field) => check_type(field.data_type()),
        DataType::Map(entries, _) => {
            let [key, value] = entry_fields(entries)?;
            match key.data_type() {
                DataType::Utf8 | DataType::LargeUtf8 => check_type(value.data_type()),
                other => Err(Error::unsupported("from_json", other).with_remedy("use keys of type Utf8")),
            }
        }
        DataType::Boolean | DataType::Float32 | DataType::Float64 | DataType::Utf8 | DataType::LargeUtf8 => Ok(()),
        _ if data_type.is_integer() || decimal_parts(data_type).is_some() || is_moment(data_type) => Ok(()),
        other => Err(Error::unsupported("from_json", other)),
    }
}

fn is_moment(data_type: &DataType) -> bool {
    gdf_compute::datetime::moment_unit(data_type).is_some()
}

fn entry_fields(entries: &FieldRef) -> Result<[&FieldRef; 2]> {
    match entries.data_type() {
        DataType::Struct(fields) => match &fields[..] {
            [key, value] => Ok([key, value]),
            other => Err(Error::child_count(entries.data_type(), 2, other.len())),
        },
        other => Err(Error::type_mismatch("Struct", other)),
    }
}

/// Returns the same field, but nullable and with the type of `column`.
fn field_of(field: &Field, column: &Column) -> Field {
    field.clone().with_data_type(column.data_type().clone()).with_nullable(true)
}

/// The innermost lists around the values that are read, and the lists around these lists.
struct Outer<'a> {
    offsets: Buffer,
    outer: Option<&'a Outer<'a>>,
}

struct Reader<'a> {
    mismatch: JsonMismatch,
    ctx: Ctx<'a>,
}

impl Reader<'_> {
    /// Returns the values of checked texts.
    fn values(&self, texts: ColumnView<'_>, data_type: &DataType, outer: Option<&Outer<'_>>) -> Result<Column> {
        let (ctx, scratch) = (self.ctx, self.ctx.scratch());
        match data_type {
            DataType::Struct(fields) => {
                let names: Vec<_> = fields.iter().map(|field| field.name().as_str()).collect();
                let spans = parts(texts, JsonPartsKind::Fields, &names, scratch)?;
                let columns = spans.into_columns(Some(names.len() + 1), scratch)?;
                let Some((objects, columns)) = columns.split_first() else {
                    return Err(Error::internal("the objects have no column"));
                };
                self.expect_values(texts, objects.view(), data_type, outer)?;
                let mut children = Vec::with_capacity(names.len());
                for (field, texts) in fields.iter().zip(columns) {
                    children.push(self.values(texts.view(), field.data_type(), outer)?);
                }
                let of = fields.iter().zip(&children).map(|(field, child)| field_of(field, child)).collect();
                let parts = ColumnParts::new(DataType::Struct(of), ctx.stream.device(), texts.len());
                let (validity, null_count) = mask_of(objects.view(), ctx)?;
                vouch::result(ColumnParts { children, ..parts.validity(validity, null_count) })
            }
            DataType::List(field) => {
                let lists = self.elements(texts, JsonPartsKind::Elements, field, data_type, outer, ctx)?;
                let element = field_of(field, child_of(&lists)?);
                vouch::result(ColumnParts { data_type: DataType::List(element.into()), ..lists.into_parts() })
            }
            DataType::LargeList(field) => {
                let lists = self.elements(texts, JsonPartsKind::Elements, field, data_type, outer, scratch)?;
                let data_type = DataType::LargeList(field_of(field, child_of(&lists)?).into());
                let (validity, null_count) = mask_of(lists.view(), ctx)?;
                let parts = lists.into_parts().validity(validity, null_count);
                let offsets = parts.buffers.into_iter().next();
                let offsets = offsets.ok_or_else(|| Error::buffer_count(&data_type, 1, 0))?;
                let narrow = vouch::numbers(DataType::Int32, offsets, texts.len() + 1, ctx.stream)?;
                let wide = cast(narrow.view(), &DataType::Int64, ctx)?.into_parts();
                vouch::result(ColumnParts { data_type, buffers: wide.buffers, ..parts })
            }
            DataType::Map(entries, sorted) => {
                let [key, value] = entry_fields(entries)?;
                let names = parts(texts, JsonPartsKind::Names, &[], scratch)?;
                let keys = |names: &Column| rewrite(names.view(), Rewrite::Name, key.data_type(), ctx);
                let keys = child_of(&names.into_lists_of(keys, scratch)?)?.clone();
                let values = self.elements(texts, JsonPartsKind::Members, value, data_type, outer, ctx)?;
                let members = child_of(&values)?.clone();
                let of = [key.as_ref().clone().with_nullable(false), field_of(value, &members)];
                let entry = DataType::Struct(of.into_iter().collect());
                let entries = entries.as_ref().clone().with_data_type(entry.clone()).with_nullable(false);
                let child = ColumnParts::new(entry, ctx.stream.device(), keys.len()).child(keys).child(members);
                let children = vec![vouch::result(child)?];
                let data_type = DataType::Map(entries.into(), *sorted);
                vouch::result(ColumnParts { data_type, children, ..values.into_parts() })
            }
            DataType::Utf8 | DataType::LargeUtf8 => rewrite(texts, Rewrite::Content, data_type, ctx),
            _ => {
                let content = rewrite(texts, Rewrite::Content, texts.data_type(), scratch)?;
                let values = leaf(content.view(), data_type, ctx)?;
                self.expect(content.view(), values.view(), data_type, outer)?;
                Ok(values)
            }
        }
    }

    /// Returns a list for each text: the values of the elements of an array, or of the fields of an object. The offsets
    /// and the mask of the lists come from the output resource of `ctx`.
    fn elements(
        &self,
        texts: ColumnView<'_>,
        kind: JsonPartsKind,
        element: &Field,
        data_type: &DataType,
        outer: Option<&Outer<'_>>,
        ctx: Ctx<'_>,
    ) -> Result<Column> {
        let spans = parts(texts, kind, &[], ctx)?;
        let inner = Outer { offsets: spans.offsets()?.clone(), outer };
        let lists = spans.into_lists_of(|texts| self.values(texts.view(), element.data_type(), Some(&inner)), ctx)?;
        self.expect_values(texts, lists.view(), data_type, outer)?;
        Ok(lists)
    }

    /// Checks objects and arrays in the same way as [`expect`](Self::expect). The text `null` may become null.
    fn expect_values(
        &self,
        texts: ColumnView<'_>,
        values: ColumnView<'_>,
        data_type: &DataType,
        outer: Option<&Outer<'_>>,
    ) -> Result<()> {
        if self.mismatch == JsonMismatch::Null || !values.has_validity() {
            return Ok(());
        }
        let content = rewrite(texts, Rewrite::Content, texts.data_type(), self.ctx.scratch())?;
        self.expect(content.view(), values, data_type, outer)
    }

    /// If mismatches are errors, returns an error for the first row that is null in `values` and not null in `texts`.
    fn expect(
        &self,
        texts: ColumnView<'_>,
        values: ColumnView<'_>,
        data_type: &DataType,
        mut outer: Option<&Outer<'_>>,
    ) -> Result<()> {
        let scratch = self.ctx.scratch();
        if self.mismatch == JsonMismatch::Null {
            return Ok(());
        }
        let Some(mut row) = first_lost(texts, values, scratch)? else { return Ok(()) };
        let error = lost(texts, row, data_type, scratch)?;
        while let Some(lists) = outer {
            let rows = lists.offsets.len() / size_of::<i32>();
            let offsets = vouch::numbers(DataType::Int32, lists.offsets.clone(), rows, scratch.stream)?;
            let offsets = offsets.to_vec_on::<i32>(scratch.stream)?;
            let behind = offsets.partition_point(|begin| begin.is_some_and(|begin| begin as usize <= row));
            (row, outer) = (behind.saturating_sub(1), lists.outer);
        }
        Err(error.in_argument("column").at(Position::Row(row)))
    }
}

fn child_of(lists: &Column) -> Result<&Column> {
    lists.children().first().ok_or_else(|| Error::child_count(lists.data_type(), 1, 0))
}

fn mask_of(column: ColumnView<'_>, ctx: Ctx<'_>) -> Result<(Option<Buffer>, NullCount)> {
    if !column.has_validity() {
        return Ok((None, NullCount::Known(0)));
    }
    Ok(copy_bitmask(column, ctx)?.into_parts())
}

/// Converts the contents of values. A row becomes null if it is not a value of the type.
fn leaf(content: ColumnView<'_>, data_type: &DataType, ctx: Ctx<'_>) -> Result<Column> {
    let scratch = ctx.scratch();
    match data_type {
        DataType::Boolean => {
            let content = content.to_column();
            let yes = of(&content, Op::Equal, "true".into(), &DataType::Boolean, scratch)?;
            let no = of(&content, Op::Equal, "false".into(), &DataType::Boolean, scratch)?;
            let either = of(&yes, Op::LogicalOr, (&no).into(), &DataType::Boolean, scratch)?;
            copy_if_else((&yes).into(), Literal::null(&DataType::Boolean).into(), either.view(), ctx)
        }
        DataType::Float32 | DataType::Float64 => to_floats(content, data_type, ctx),
        _ if data_type.is_integer() => to_integers(content, data_type, ctx),
        _ if decimal_parts(data_type).is_some() => to_fixed_point(content, data_type, ctx),
        _ => {
            let moments = rewrite(content, Rewrite::Moment, content.data_type(), scratch)?;
            to_timestamps(moments.view(), data_type, MOMENT, ctx)
        }
    }
}
