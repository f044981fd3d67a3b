//! Concatenation of dictionaries with different values, and of views into different buffers.

use gdf_core::{
    Abilities, Column, ColumnParts, ColumnView, DataType, DictionaryView, Error, Result, Table, TableView, is_floating,
    is_unsigned_integral, width,
};
use gdf_engine::cast::cast;
use gdf_engine::decoded::Decoded;
use gdf_engine::rows::shares_values;
use gdf_engine::vouch;

use super::{OPERATION, concatenate, concatenate_columns};
use crate::Ctx;
use crate::lists::gather_column;
use crate::search::lower_bound;
use crate::sorting::{NullOrder, distinct_sorted};

/// Concatenates tables that all have rows.
pub(super) fn concatenate_unified(tables: &[&TableView<'_>], ctx: Ctx<'_>) -> Result<Option<Table>> {
    let Some((first, others)) = tables.split_first() else { return Ok(None) };
    let differs = |column: usize| {
        let own = first.columns()[column];
        Abilities::of(own.data_type()).encoded
            && others.iter().any(|table| !shares_values(own, table.columns()[column]))
    };
    let (apart, rest): (Vec<usize>, Vec<usize>) = (0..first.num_columns()).partition(|column| differs(*column));
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
            views => concatenated_views(&pieces()?, views, ctx),
        }
    });
    Ok(Some(Table::try_new(columns.collect::<Result<_>>()?)?))
}

fn concatenated_views(pieces: &[ColumnView<'_>], data_type: &DataType, ctx: Ctx<'_>) -> Result<Column> {
    let texts = pieces.iter().map(|piece| Decoded::of(*piece, ctx.scratch())).collect::<Result<Vec<_>>>()?;
    let texts: Vec<_> = texts.iter().map(Decoded::view).collect();
    cast(concatenate_columns(&texts, ctx)?.view(), data_type, ctx)
}

/// Returns the dictionary keys of all pieces, which refer to a common dictionary: the distinct values of all pieces, in
/// ascending order.
fn dictionaries(pieces: &[ColumnView<'_>], key_type: &DataType, values: &DataType, ctx: Ctx<'_>) -> Result<Column> {
    let scratch = ctx.scratch();
    if Abilities::of(values).order.is_none() {
        return Err(Error::unsupported(OPERATION, pieces[0].data_type()));
    }
    let pieces = pieces.iter().map(|piece| DictionaryView::try_from(*piece)).collect::<Result<Vec<_>>>()?;
    let all = pieces.iter().map(DictionaryView::values).collect::<Vec<_>>();
    // If the values are views or dictionaries themselves, the distinct values share buffers or dictionary values with
    // `all`, which must therefore be in output memory.
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
