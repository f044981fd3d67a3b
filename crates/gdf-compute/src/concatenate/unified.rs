//! Concatenation of dictionaries with different values, and of views into different buffers. They may be fields of
//! structs.

use gdf_core::{
    Abilities, Column, ColumnParts, ColumnView, DataType, DictionaryView, Error, Result, StructsView, Table, TableView,
    is_floating, is_unsigned_integral, width,
};
use gdf_engine::cast::cast;
use gdf_engine::decoded::Decoded;
use gdf_engine::rows::shares_values;

use super::{OPERATION, concatenate, concatenate_columns};
use crate::Ctx;
use crate::lists::{gather_column, skeleton};
use crate::search::lower_bound;
use crate::sorting::{NullOrder, distinct_sorted};
use crate::vouch;

/// Concatenates tables that all have rows. Returns `None` if the tables share all dictionary values and view buffers.
pub(super) fn concatenate_unified(tables: &[&TableView<'_>], ctx: Ctx<'_>) -> Result<Option<Table>> {
    let Some((first, others)) = tables.split_first() else { return Ok(None) };
    let (mut apart, mut rest) = (Vec::new(), Vec::new());
    for column in 0..first.num_columns() {
        let mut shared = true;
        for other in others {
            shared = shared && shares_encoded(first.columns()[column], other.columns()[column])?;
        }
        if shared { rest.push(column) } else { apart.push(column) }
    }
    if apart.is_empty() {
        return Ok(None);
    }
    let rest = tables.iter().map(|table| table.select(&rest)).collect::<Result<Vec<_>>>()?;
    let mut rest = concatenate(&rest, ctx)?.into_columns().into_iter();
    let columns = (0..first.num_columns()).map(|column| {
        let pieces = || tables.iter().map(|table| table.column(column)).collect::<Result<Vec<_>>>();
        match first.columns()[column].data_type() {
            _ if !apart.contains(&column) => rest.next().ok_or_else(|| Error::column_count(1, 0)),
            DataType::Dictionary(key_type, values) => dictionaries(&pieces()?, key_type, values, ctx),
            DataType::Struct(_) => structs(&pieces()?, ctx),
            views => concatenated_views(&pieces()?, views, ctx),
        }
    });
    Ok(Some(Table::try_new(columns.collect::<Result<_>>()?)?))
}

/// Returns whether two columns of one type have the same dictionary values and view buffers, in the same memory.
pub(crate) fn shares_encoded(a: ColumnView<'_>, b: ColumnView<'_>) -> Result<bool> {
    let (a, b) = (encoded_leaves(a)?, encoded_leaves(b)?);
    Ok(a.into_iter().zip(b).all(|(a, b)| shares_values(a, b)))
}

/// Returns the column if it is a dictionary or a column of views. For a struct, returns the fields of these types, at
/// any depth.
fn encoded_leaves(column: ColumnView<'_>) -> Result<Vec<ColumnView<'_>>> {
    match column.data_type() {
        DataType::Struct(_) => {
            let fields = StructsView::try_from(column)?;
            let leaves = (0..fields.num_children()).map(|field| encoded_leaves(fields.child(field)?));
            Ok(leaves.collect::<Result<Vec<_>>>()?.concat())
        }
        other if Abilities::of(other).encoded => Ok(vec![column]),
        _ => Ok(Vec::new()),
    }
}

/// Concatenates the structs without their encoded fields, and then each encoded field on its own.
fn structs(pieces: &[ColumnView<'_>], ctx: Ctx<'_>) -> Result<Column> {
    let is_encoded = |data_type: &DataType| Abilities::of(data_type).encoded;
    let bare =
        pieces.iter().map(|piece| skeleton(&TableView::from(*piece), &is_encoded)).collect::<Result<Vec<_>>>()?;
    let bare = concatenate(&bare.iter().map(Table::view).collect::<Vec<_>>(), ctx)?;
    let leaves = pieces.iter().map(|piece| encoded_leaves(*piece)).collect::<Result<Vec<_>>>()?;
    let fields = (0..leaves[0].len()).map(|field| {
        let pieces: Vec<_> = leaves.iter().map(|leaves| leaves[field]).collect();
        concatenate_columns(&pieces, ctx)
    });
    let mut fields = fields.collect::<Result<Vec<_>>>()?.into_iter();
    with_encoded(pieces[0].data_type(), bare.column(0)?.clone(), &mut fields)
}

/// Puts the encoded fields into structs. In `bare`, a struct without fields stands for each encoded field. The field
/// gets the nulls of that struct, which include the nulls of the enclosing structs.
fn with_encoded(like: &DataType, bare: Column, encoded: &mut dyn Iterator<Item = Column>) -> Result<Column> {
    let mut parts = bare.into_parts();
    match like {
        DataType::Struct(fields) => {
            let children = fields.iter().zip(parts.children);
            let children = children.map(|(field, child)| with_encoded(field.data_type(), child, encoded));
            parts.children = children.collect::<Result<_>>()?;
            vouch::result(ColumnParts { data_type: like.clone(), ..parts })
        }
        other if Abilities::of(other).encoded => {
            let field = encoded.next().ok_or_else(|| Error::internal("an encoded field of a struct is missing"))?;
            vouch::result(field.into_parts().validity(parts.validity, parts.null_count))
        }
        _ => vouch::result(parts),
    }
}

fn concatenated_views(pieces: &[ColumnView<'_>], data_type: &DataType, ctx: Ctx<'_>) -> Result<Column> {
    let texts = pieces.iter().map(|piece| Decoded::of(*piece, ctx.scratch())).collect::<Result<Vec<_>>>()?;
    let texts: Vec<_> = texts.iter().map(Decoded::view).collect();
    cast(concatenate_columns(&texts, ctx)?.view(), data_type, ctx)
}

/// Concatenates dictionary columns into one dictionary column. Its dictionary has the distinct values of all pieces, in
/// ascending order. Floats are in the order of their bits.
fn dictionaries(pieces: &[ColumnView<'_>], key_type: &DataType, values: &DataType, ctx: Ctx<'_>) -> Result<Column> {
    let scratch = ctx.scratch();
    if Abilities::of(values).order.is_none() {
        return Err(Error::unsupported(OPERATION, pieces[0].data_type()));
    }
    let pieces = pieces.iter().map(|piece| DictionaryView::try_from(*piece)).collect::<Result<Vec<_>>>()?;
    let all = pieces.iter().map(DictionaryView::values).collect::<Vec<_>>();
    // If the values are views, the distinct values share buffers with `all`. If the values are dictionaries, the
    // distinct values share dictionary values with `all`. In both cases, `all` must be in output memory.
    let all = concatenate_columns(&all, if Abilities::of(values).encoded { ctx } else { scratch })?;
    // Floats are compared by their bits, so that different NaNs and zeros remain different values.
    let bits = is_floating(values).then(|| width(values)).flatten().map(|width| match width {
        2 => DataType::UInt16,
        4 => DataType::UInt32,
        _ => DataType::UInt64,
    });
    let all = bits.map_or(Ok(all.clone()), |bits| all.bit_cast(bits))?;
    let all = TableView::from(all.view());
    let distinct = distinct_sorted(&all, ctx)?;
    let numbers = lower_bound(&distinct.view(), &all, &[], &[NullOrder::After], scratch)?;
    let bits = 8 * width(key_type).unwrap_or(8) - usize::from(!is_unsigned_integral(key_type));
    let most = u64::MAX >> (64 - bits);
    if distinct.num_rows() as u64 > most.saturating_add(1) {
        let rows = distinct.num_rows() as i128;
        return Err(Error::beyond_limit("the number of values of a dictionary", rows, i128::from(most) + 1)
            .with_remedy("cast the dictionaries to a wider key type or to their value type"));
    }
    let mut begin = 0;
    let keys = pieces.iter().map(|piece| {
        let numbers = numbers.slice(begin, piece.values().len())?;
        begin += piece.values().len();
        gather_column(numbers.view(), piece.keys().view(), scratch)
    });
    let keys = keys.collect::<Result<Vec<_>>>()?;
    let keys = concatenate_columns(&keys.iter().map(Column::view).collect::<Vec<_>>(), ctx)?;
    let keys = cast(keys.view(), key_type, ctx)?;
    let distinct = distinct.into_columns().pop().ok_or_else(|| Error::column_count(1, 0))?;
    let distinct = if is_floating(values) { distinct.bit_cast(values.clone())? } else { distinct };
    vouch::result(ColumnParts::dictionary(keys, distinct))
}
