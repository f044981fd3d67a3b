//! Keys of nested types.
//!
//! Ranks can be compared only within the rows that were ranked together. Keys of two tables are therefore replaced
//! together.

use gdf_core::layout::child_types;
use gdf_core::{
    Abilities, Column, ColumnParts, ColumnView, DataType, DictionaryView, Error, ListsView, NullCount, Position,
    Result, StructsView, TableView, is_floating, width,
};
use gdf_engine::check;
use gdf_engine::decoded::{Decoded, DecodedColumns};
use gdf_engine::keys::NullEquality;
use gdf_engine::mask::{bitmask_and, copy_bitmask, null_unless_selected};
use gdf_engine::rows::{join_columns, reversed_bytes};
use gdf_engine::sort::{NullOrder, ranks};
use gdf_expr::types::natural;
use gdf_kernels::generated::common::KEY_COLUMNS;

use crate::Ctx;
use crate::lists::{Lists, as_lists, gather_column, kept_offsets};
use crate::unary::is_null;
use crate::vouch;
use gdf_engine::binary::{BinaryOperator as Op, of};
use gdf_engine::sequence::{constant, sequence};

/// The rules for nulls in keys, at every depth.
#[derive(Clone, Copy, Debug, Default)]
pub struct KeyNulls<'a> {
    /// The order of nulls for each column. If the slice is empty, each column has the default order.
    pub orders: &'a [NullOrder],
    /// If nulls are unequal, a key with a null at any depth becomes null.
    pub equality: NullEquality,
}

impl<'a> KeyNulls<'a> {
    /// Returns the rules by which nulls are equal to each other and are sorted by `orders`.
    pub fn ordered(orders: &'a [NullOrder]) -> Self {
        Self { orders, equality: NullEquality::Equal }
    }

    fn at(self, column: usize) -> Nulls {
        Nulls { order: self.orders.get(column).copied().unwrap_or_default(), equality: self.equality }
    }
}

impl From<NullEquality> for KeyNulls<'_> {
    fn from(equality: NullEquality) -> Self {
        Self { orders: &[], equality }
    }
}

#[derive(Clone, Copy)]
struct Nulls {
    order: NullOrder,
    equality: NullEquality,
}

/// Returns key columns in the form that engines compare, for keys that are compared only with each other. The function
/// waits once for each level of lists.
///
/// # Errors
/// * The errors of [`Decoded::of`] and [`gdf_engine::sort::keys()`].
pub fn ranked_keys<'a>(
    operation: &'static str,
    keys: &TableView<'a>,
    nulls: KeyNulls<'_>,
    ctx: Ctx<'_>,
) -> Result<DecodedColumns<'a>> {
    DecodedColumns::by(keys, ctx, |i, column| {
        if !is_replaced(column.data_type()) {
            return Decoded::ranked(column, ctx);
        }
        replaced_alone(operation, column, nulls.at(i), ctx)
    })
}

/// Returns key columns that are compared only with each other, for operations that decide themselves whether a NaN
/// equals another NaN.
///
/// # Errors
/// * The errors of [`ranked_keys`].
pub fn keys_with_nans<'a>(
    operation: &'static str,
    keys: &TableView<'a>,
    nulls: NullEquality,
    ctx: Ctx<'_>,
) -> Result<DecodedColumns<'a>> {
    DecodedColumns::by(keys, ctx, |i, column| {
        if !is_replaced(column.data_type()) || has_floats(column.data_type()) {
            return Decoded::of(column, ctx);
        }
        replaced_alone(operation, column, KeyNulls::from(nulls).at(i), ctx)
    })
}

fn replaced_alone<'a>(
    operation: &'static str,
    column: ColumnView<'_>,
    nulls: Nulls,
    ctx: Ctx<'_>,
) -> Result<Decoded<'a>> {
    let replaced = replaced(operation, &[column], nulls, ctx)?.into_iter().next();
    replaced.map(Decoded::Made).ok_or_else(|| Error::column_count(1, 0))
}

/// Returns the key columns of two tables in the form that engines compare.
///
/// # Errors
/// * The errors of [`ranked_keys`]. [`TypeMismatch`](Error::TypeMismatch) if the types of two nested columns differ.
pub fn paired_keys<'l, 'r>(
    operation: &'static str,
    left: &TableView<'l>,
    right: &TableView<'r>,
    nulls: KeyNulls<'_>,
    ctx: Ctx<'_>,
) -> Result<(DecodedColumns<'l>, DecodedColumns<'r>)> {
    [left, right].into_iter().try_for_each(|side| check::table(side, ctx))?;
    let (mut of_left, mut of_right) = (Vec::new(), Vec::new());
    for (i, (&one, &other)) in left.columns().iter().zip(right.columns()).enumerate() {
        let mut pair = Vec::new();
        if is_replaced(one.data_type()) || is_replaced(other.data_type()) {
            let in_column = |error: Error| error.at(Position::Column(i));
            check::types(one.data_type(), other.data_type()).map_err(in_column)?;
            pair = replaced(operation, &[one, other], nulls.at(i), ctx).map_err(in_column)?;
        }
        let mut pair = pair.into_iter();
        of_left.push(pair.next());
        of_right.push(pair.next());
    }
    Ok((with_replaced(left, of_left, ctx)?, with_replaced(right, of_right, ctx)?))
}

/// Returns whether columns of the type can be keys but must first be replaced by plain columns, because no engine
/// compares them directly.
pub fn is_replaced(data_type: &DataType) -> bool {
    let abilities = Abilities::of(data_type);
    abilities.sortable && abilities.order.is_none()
}

/// Returns plain columns for columns of one type that are compared only for equality.
pub(crate) fn replaced_equal(
    operation: &'static str,
    columns: &[ColumnView<'_>],
    equality: NullEquality,
    ctx: Ctx<'_>,
) -> Result<Vec<Column>> {
    replaced(operation, columns, KeyNulls::from(equality).at(0), ctx)
}

/// Returns a plain column for each of two columns of one type, for operators that compare the columns row by row. Nulls
/// are equal to each other and smaller than every value. Floats become ranks, so that a NaN equals another NaN.
///
/// # Errors
/// * The errors of [`ranked_keys`].
pub(crate) fn paired_values(
    operation: &'static str,
    columns: [ColumnView<'_>; 2],
    ctx: Ctx<'_>,
) -> Result<[Column; 2]> {
    let nulls = KeyNulls::from(NullEquality::Equal).at(0);
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
pub(crate) fn replaces_alone(data_type: &DataType) -> bool {
    match data_type {
        DataType::FixedSizeBinary(_) => true,
        DataType::Struct(fields) => fields.iter().all(|field| replaces_alone(field.data_type())),
        other => !is_replaced(other),
    }
}

/// Returns whether values contain floats, at any depth.
pub(crate) fn has_floats(data_type: &DataType) -> bool {
    is_floating(data_type) || child_types(data_type).into_iter().any(has_floats)
}

fn with_replaced<'a>(keys: &TableView<'a>, replaced: Vec<Option<Column>>, ctx: Ctx<'_>) -> Result<DecodedColumns<'a>> {
    let mut replaced = replaced.into_iter();
    DecodedColumns::by(keys, ctx, |_, column| match replaced.next().flatten() {
        Some(made) => Ok(Decoded::Made(made)),
        None => Decoded::of(column, ctx),
    })
}

/// Returns a plain column for each of `columns`, which have the same type.
fn replaced(operation: &'static str, columns: &[ColumnView<'_>], nulls: Nulls, ctx: Ctx<'_>) -> Result<Vec<Column>> {
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
