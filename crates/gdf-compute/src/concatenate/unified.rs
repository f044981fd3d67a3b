//! Concatenation of dictionaries with different values, and of views into different buffers. They may be fields of
//! structs or elements of lists.

use gdf_core::{
    Abilities, Column, ColumnParts, ColumnView, DataType, DictionaryView, Error, Result, Table, TableView, is_floating,
    is_unsigned_integral, width,
};
use gdf_engine::cast::cast;
use gdf_engine::decoded::Decoded;
use gdf_engine::rows::shares_values;

use super::{OPERATION, concatenate, concatenate_columns};
use crate::Ctx;
use crate::lists::gather_column;
use crate::search::lower_bound;
use crate::sorting::{NullOrder, distinct_sorted};
use crate::vouch;

/// Concatenates tables that all have rows. Returns `None` if the tables share all dictionary values and view buffers.
pub(super) fn concatenate_unified(tables: &[&TableView<'_>], ctx: Ctx<'_>) -> Result<Option<Table>> {
    let Some((first, others)) = tables.split_first() else { return Ok(None) };
    let shares = |column: &usize| {
        others.iter().all(|other| shares_encoded(first.columns()[*column].column(), other.columns()[*column].column()))
    };
    let (rest, unshared): (Vec<_>, Vec<_>) = (0..first.num_columns()).partition(shares);
    if unshared.is_empty() {
        return Ok(None);
    }
    let rest = tables.iter().map(|table| table.select(&rest)).collect::<Result<Vec<_>>>()?;
    let mut rest = concatenate(&rest, ctx)?.into_columns().into_iter();
    let columns = (0..first.num_columns()).map(|column| {
        if !unshared.contains(&column) {
            return rest.next().ok_or_else(|| Error::column_count(1, 0));
        }
        let pieces = tables.iter().map(|table| Ok(table.column(column)?.to_column())).collect::<Result<Vec<_>>>()?;
        if Abilities::of(first.columns()[column].data_type()).encoded {
            return concatenate_encoded(&pieces, ctx);
        }
        let pieces = with_shared_values(pieces, ctx)?;
        concatenate_columns(&pieces.iter().map(Column::view).collect::<Vec<_>>(), ctx)
    });
    Ok(Some(Table::try_new(columns.collect::<Result<_>>()?)?))
}

/// Returns whether two columns of one type have the same dictionary values and view buffers, in the same memory, at any
/// depth.
pub(crate) fn shares_encoded(a: &Column, b: &Column) -> bool {
    if Abilities::of(a.data_type()).encoded {
        return shares_values(a.view(), b.view());
    }
    a.children().iter().zip(b.children()).all(|(a, b)| shares_encoded(a, b))
}

/// Returns the same columns with shared dictionary values and view buffers, at any depth. The columns have one type.
pub(crate) fn with_shared_values(pieces: Vec<Column>, ctx: Ctx<'_>) -> Result<Vec<Column>> {
    if pieces.iter().skip(1).all(|piece| shares_encoded(&pieces[0], piece)) {
        return Ok(pieces);
    }
    if Abilities::of(pieces[0].data_type()).encoded {
        let all = concatenate_encoded(&pieces, ctx)?;
        let mut begin = 0;
        let slices = pieces.iter().map(|piece| {
            begin += piece.len();
            all.slice(begin - piece.len(), piece.len())
        });
        return slices.collect();
    }
    let mut pieces: Vec<_> = pieces.into_iter().map(Column::into_parts).collect();
    for child in 0..pieces[0].children.len() {
        let children = pieces.iter().map(|piece| piece.children[child].clone()).collect();
        let children = with_shared_values(children, ctx)?;
        pieces.iter_mut().zip(children).for_each(|(piece, shared)| piece.children[child] = shared);
    }
    pieces.into_iter().map(vouch::result).collect()
}

/// Concatenates dictionaries, or columns of views.
fn concatenate_encoded(pieces: &[Column], ctx: Ctx<'_>) -> Result<Column> {
    let views: Vec<_> = pieces.iter().map(Column::view).collect();
    match pieces[0].data_type() {
        DataType::Dictionary(key_type, values) => dictionaries(&views, key_type, values, ctx),
        of_views => concatenated_views(&views, of_views, ctx),
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
