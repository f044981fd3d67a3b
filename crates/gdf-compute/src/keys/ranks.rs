//! The plain columns that replace nested columns: ranks of structs, and the bytes of the ranks of the elements of lists.
//!
//! Ranks can be compared only within the rows that were ranked together. Columns of two tables are therefore replaced
//! together.

use gdf_core::layout::child_types;
use gdf_core::{
    Abilities, Column, ColumnParts, ColumnView, DataType, DictionaryView, Error, ListsView, NullCount, Result,
    StructsView, TableView, is_floating, width,
};
use gdf_engine::binary::{BinaryOperator as Op, of};
use gdf_engine::decoded::Decoded;
use gdf_engine::keys::NullEquality;
use gdf_engine::mask::{bitmask_and, copy_bitmask, null_unless_selected};
use gdf_engine::rows::{join_columns, reversed_bytes};
use gdf_engine::sequence::{constant, sequence};
use gdf_engine::sort::{NullOrder, ranks};
use gdf_expr::types::natural;
use gdf_kernels::generated::common::KEY_COLUMNS;

use crate::Ctx;
use crate::lists::{Lists, as_lists, gather_column, kept_offsets};
use crate::unary::is_null;
use crate::vouch;

/// The rules for nulls in keys, at every depth.
#[derive(Clone, Copy)]
pub(super) struct Nulls {
    pub(super) order: NullOrder,
    /// If nulls are unequal, a key with a null at any depth becomes null.
    pub(super) equality: NullEquality,
}

/// Returns whether columns of the type can be keys but must first be replaced by plain columns, because no engine
/// compares them directly.
pub fn is_replaced(data_type: &DataType) -> bool {
    let abilities = Abilities::of(data_type);
    abilities.sortable && abilities.order.is_none()
}

/// Returns a plain column for each of two columns of one type, for operators that compare the columns row by row. Nulls
/// are equal to each other and smaller than every value. Floats become ranks, so that a NaN equals another NaN.
///
/// # Errors
/// * The errors of [`Decoded::of`] and [`gdf_engine::sort::keys()`].
pub(crate) fn paired_values(
    operation: &'static str,
    columns: [ColumnView<'_>; 2],
    ctx: Ctx<'_>,
) -> Result<[Column; 2]> {
    let nulls = Nulls { order: NullOrder::default(), equality: NullEquality::Equal };
    let mut keys = replaced(operation, &columns, nulls, ctx)?;
    let has_operators = |key: &Column| {
        let of = key.data_type();
        !is_floating(of) && natural(Op::Less, of, of).is_ok()
    };
    if !keys.iter().all(has_operators) {
        let all = joined(&keys, ctx)?;
        let ranks = ranks(operation, &TableView::from(all.view()), nulls.order, ctx)?;
        let of_each = parts(&ranks, columns.iter().map(|column| column.len()))?.into_iter().zip(&keys);
        keys = of_each.map(|(ranks, key)| with_nulls_of(ranks, vec![key.view()], ctx)).collect::<Result<_>>()?;
    }
    keys.try_into().map_err(|keys: Vec<_>| Error::column_count(2, keys.len()))
}

/// Returns whether the plain columns of a type do not depend on the columns that they are compared with. A type that is
/// not replaced is its own plain column.
pub(super) fn replaces_alone(data_type: &DataType) -> bool {
    match data_type {
        DataType::FixedSizeBinary(_) => true,
        DataType::Struct(fields) => fields.iter().all(|field| replaces_alone(field.data_type())),
        other => !is_replaced(other),
    }
}

/// Returns whether values contain floats, at any depth.
pub(super) fn has_floats(data_type: &DataType) -> bool {
    is_floating(data_type) || child_types(data_type).into_iter().any(has_floats)
}

/// Returns a plain column for each of `columns`, which have the same type.
pub(super) fn replaced(
    operation: &'static str,
    columns: &[ColumnView<'_>],
    nulls: Nulls,
    ctx: Ctx<'_>,
) -> Result<Vec<Column>> {
    match columns[0].data_type() {
        DataType::Struct(_) => structs(operation, columns, nulls, ctx),
        DataType::List(_) | DataType::LargeList(_) | DataType::FixedSizeList(..) | DataType::Map(..) => {
            lists(operation, columns, nulls, ctx)
        }
        DataType::FixedSizeBinary(size) => columns.iter().map(|column| bytes(*column, *size, ctx)).collect(),
        DataType::Dictionary(_, values) if is_replaced(values) => {
            let dictionaries = columns.iter().map(|column| DictionaryView::try_from(*column));
            let dictionaries = dictionaries.collect::<Result<Vec<_>>>()?;
            let values: Vec<_> = dictionaries.iter().map(DictionaryView::values).collect();
            let values = replaced(operation, &values, nulls, ctx)?;
            let rows = dictionaries.iter().zip(&values);
            rows.map(|(of, values)| gather_column(values.view(), of.keys().view(), ctx)).collect()
        }
        _ => columns.iter().map(|column| Ok(Decoded::of(*column, ctx)?.into_column())).collect(),
    }
}

fn structs(operation: &'static str, columns: &[ColumnView<'_>], nulls: Nulls, ctx: Ctx<'_>) -> Result<Vec<Column>> {
    let structs = columns.iter().map(|column| StructsView::try_from(*column)).collect::<Result<Vec<_>>>()?;
    let mut fields = Vec::new();
    for i in 0..structs[0].num_children() {
        let of_all = structs.iter().map(|of| of.child(i)).collect::<Result<Vec<_>>>()?;
        fields.push(replaced(operation, &of_all, nulls, ctx)?);
    }
    let keys = match &fields[..] {
        [] => structs.iter().map(|of| constant(true.into(), of.view().len(), ctx)).collect::<Result<_>>()?,
        // The nulls of the struct replace those of the key.
        [only] if !only.iter().any(Column::has_validity) => only.clone(),
        _ => {
            let joined = fields.iter().map(|of_all| joined(of_all, ctx)).collect::<Result<Vec<_>>>()?;
            let ranks = ranks_of_fields(operation, joined, nulls.order, ctx)?;
            parts(&ranks, columns.iter().map(|column| column.len()))?
        }
    };
    let with_nulls = keys.into_iter().zip(columns).enumerate().map(|(i, (key, column))| {
        let mut nullable = vec![*column];
        if nulls.equality == NullEquality::Unequal {
            nullable.extend(fields.iter().map(|of_all| of_all[i].view()));
        }
        with_nulls_of(key, nullable, ctx)
    });
    with_nulls.collect()
}

/// Ranks rows by the fields of a struct.
fn ranks_of_fields(operation: &'static str, mut fields: Vec<Column>, nulls: NullOrder, ctx: Ctx<'_>) -> Result<Column> {
    loop {
        let last = fields.split_off(fields.len().saturating_sub(KEY_COLUMNS));
        let rows = TableView::try_new(last.iter().map(Column::view).collect())?;
        let ranks = ranks(operation, &rows, nulls, ctx)?;
        if fields.is_empty() {
            return Ok(ranks);
        }
        fields.push(ranks);
    }
}

/// Returns the rows of a plain column without nulls.
pub(crate) fn with_nulls_of(column: Column, mut like: Vec<ColumnView<'_>>, ctx: Ctx<'_>) -> Result<Column> {
    like.retain(|column| column.has_validity());
    if like.is_empty() {
        return Ok(column);
    }
    let valid = bitmask_and(&TableView::try_new(like)?, ctx)?.to_column()?;
    with_mask(column, &valid, ctx)
}

/// Returns a plain column with null in every row in which `valid` is false.
fn with_mask(column: Column, valid: &Column, ctx: Ctx<'_>) -> Result<Column> {
    let masked = null_unless_selected(column.view(), valid.view(), ctx)?;
    masked.ok_or_else(|| Error::internal("nulls cannot be added to the ranks of nested keys"))
}

fn lists(operation: &'static str, columns: &[ColumnView<'_>], nulls: Nulls, ctx: Ctx<'_>) -> Result<Vec<Column>> {
    let columns = columns.iter().map(|column| as_lists(operation, *column, ctx)).collect::<Result<Vec<_>>>()?;
    let open = columns.iter().map(|column| Lists::open(ListsView::try_from(column.view())?, &[], ctx));
    let open = open.collect::<Result<Vec<_>>>()?;
    let nulls = Nulls { order: nulls.order.inside_of_lists(), ..nulls };
    let ranges = Lists::ranges(&open, ctx)?;
    let elements = open.iter().zip(&ranges).map(|(of, range)| of.elements.slice(range.start, range.len()));
    let elements = elements.collect::<Result<Vec<_>>>()?;
    let elements = replaced(operation, &elements.iter().map(Column::view).collect::<Vec<_>>(), nulls, ctx)?;
    let without_nulls = match nulls.equality {
        NullEquality::Equal => Vec::new(),
        NullEquality::Unequal => {
            let lists = open.iter().zip(&ranges).zip(&elements);
            lists
                .map(|((lists, range), keys)| lists_without_nulls(lists, range.start, keys, ctx))
                .collect::<Result<_>>()?
        }
    };
    let all = joined(&elements, ctx)?;
    let ranks = ranks(operation, &TableView::from(all.view()), nulls.order, ctx)?;
    let size = width(ranks.data_type()).unwrap_or(1);
    let bytes = reversed_bytes(operation, ranks.view(), ctx)?;
    let bytes = parts(&bytes, ranges.iter().map(|range| range.len() * size))?;
    let rows = columns.iter().zip(open).zip(ranges).zip(bytes).enumerate();
    let rows = rows.map(|(i, (((column, lists), range), bytes))| {
        let begin = i64::try_from(range.start).map_err(|_| Error::offset_overflow(range.start as u64))?;
        let offsets = of(lists.offsets(), Op::Sub, begin.into(), &DataType::Int64, ctx)?;
        let offsets = of(&offsets, Op::Mul, (size as i64).into(), &DataType::Int64, ctx)?;
        let bytes = bytes.buffers()[0].slice(bytes.offset(), bytes.len())?;
        let key = binary(Some(column.view()), &offsets, bytes, ctx)?;
        match without_nulls.get(i) {
            Some(Some(valid)) => with_mask(key, valid, ctx),
            _ => Ok(key),
        }
    });
    rows.collect()
}

/// Returns, for each list, whether the list has no null element.
fn lists_without_nulls(lists: &Lists, first: usize, keys: &Column, ctx: Ctx<'_>) -> Result<Option<Column>> {
    if !keys.has_validity() {
        return Ok(None);
    }
    let long = &DataType::Int64;
    let first = i64::try_from(first).map_err(|_| Error::offset_overflow(first as u64))?;
    let offsets = of(lists.offsets(), Op::Sub, first.into(), long, ctx)?;
    // These offsets count only null elements.
    let offsets = kept_offsets(&offsets, &is_null(keys.view(), ctx)?, ctx)?;
    let rows = offsets.len() - 1;
    of(&offsets.slice(1, rows)?, Op::Equal, (&offsets.slice(0, rows)?).into(), &DataType::Boolean, ctx).map(Some)
}

fn bytes(column: ColumnView<'_>, size: i32, ctx: Ctx<'_>) -> Result<Column> {
    let (offset, rows, bytes) = (column.offset(), column.len(), size.unsigned_abs() as usize);
    let offsets = sequence(0_i64.into(), i64::from(size).into(), rows + 1, ctx)?;
    binary(Some(column), &offsets, column.buffers()[0].slice(offset * bytes, rows * bytes)?, ctx)
}

/// Returns a `LargeBinary` column.
pub(crate) fn binary(
    like: Option<ColumnView<'_>>,
    offsets: &Column,
    bytes: gdf_memory::Buffer,
    ctx: Ctx<'_>,
) -> Result<Column> {
    let starts = offsets.buffers()[0].slice(offsets.offset() * 8, offsets.len() * 8)?;
    let parts = ColumnParts::new(DataType::LargeBinary, offsets.device(), offsets.len() - 1);
    let parts = parts.buffer(starts).buffer(bytes);
    let (validity, null_count) = match like {
        Some(like) if like.has_validity() => copy_bitmask(like, ctx)?.into_parts(),
        _ => (None, NullCount::Known(0)),
    };
    vouch::result(parts.validity(validity, null_count))
}

fn joined(columns: &[Column], ctx: Ctx<'_>) -> Result<Column> {
    match columns {
        [only] => Ok(only.clone()),
        all => join_columns(&all.iter().map(Column::view).collect::<Vec<_>>(), ctx),
    }
}

fn parts(column: &Column, rows: impl Iterator<Item = usize>) -> Result<Vec<Column>> {
    let mut first = 0;
    let parts = rows.map(|rows| {
        let part = column.slice(first, rows);
        first += rows;
        part
    });
    parts.collect()
}
