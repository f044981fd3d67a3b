//! Converts plain columns to dictionary columns, and dictionary columns to plain columns; changes the values of
//! dictionaries.

mod update_keys;

use gdf_compute::copying::copy_if_else;
use gdf_compute::keys::is_replaced;
use gdf_compute::scan::RankedRows;
use gdf_compute::sorting::distinct_sorted;
use gdf_compute::stream_compaction::drop_nulls;
use gdf_compute::unary::is_valid;
use gdf_core::{
    Column, ColumnParts, ColumnView, DataType, DictionaryView, Error, Literal, Operand, Result, Scalar, TableView,
    width,
};
use gdf_engine::cast::cast;
use gdf_engine::check;
use gdf_engine::decoded::{Decoded, decoded_type};
use gdf_engine::keys::NullEquality;
use gdf_engine::operand::one_value;
use gdf_engine::rows::copy_rows;

use crate::Ctx;
use crate::join::{FilterKind, filter, row_of_each};
use crate::vouch;

pub use self::update_keys::{add_keys, match_dictionaries, remove_keys, remove_unused_keys, set_keys};

/// Implements `gdf_api::dictionary::encode` with the stream and the memory resources of `ctx`. Returns the errors of
/// that function.
pub fn encode(column: ColumnView<'_>, key_type: &DataType, ctx: Ctx<'_>) -> Result<Column> {
    if !key_type.is_integer() {
        return Err(Error::type_mismatch("an integer type", key_type).in_argument("key_type"));
    }
    check::column(column, ctx)?;
    let scratch = ctx.scratch();
    if is_replaced(column.data_type()) {
        // The ranks of the rows are compared in place of the rows, and have the same order.
        let ranked = RankedRows::of("encode", column, scratch)?;
        let (keys, ranks) = keys_and_values(ranked.ranks(), key_type, ctx, scratch)?;
        return vouch::result(ColumnParts::dictionary(keys, ranked.rows(column, ranks.view(), ctx)?));
    }
    let decoded = Decoded::of(column, scratch)?;
    let (keys, values) = keys_and_values(decoded.view(), key_type, ctx, ctx)?;
    vouch::result(ColumnParts::dictionary(keys, values))
}

/// Returns the keys of the rows, and the values that the keys select: the distinct rows in their order.
fn keys_and_values(
    column: ColumnView<'_>,
    key_type: &DataType,
    ctx: Ctx<'_>,
    of_values: Ctx<'_>,
) -> Result<(Column, Column)> {
    let scratch = ctx.scratch();
    let rows = TableView::from(column);
    let values = match rows.has_validity() {
        false => distinct_sorted(&rows, of_values)?,
        true => distinct_sorted(&drop_nulls(&rows, &[0], 1, scratch)?.view(), of_values)?,
    };
    let (count, limit) = (values.num_rows() as i128, most_values(key_type));
    if count > limit {
        return Err(Error::beyond_limit("the number of distinct values", count, limit).in_argument("key_type"));
    }
    // A cast to another type of 32 bits shares the memory of the codes.
    let is_shared = !rows.has_validity() && width(key_type) == Some(4);
    let codes = row_of_each(&rows, &values.view(), if is_shared { ctx } else { scratch })?;
    let keys = if rows.has_validity() {
        let (codes, valid) = (cast(codes.view(), key_type, scratch)?, is_valid(column, scratch)?);
        copy_if_else((&codes).into(), Literal::null(key_type).into(), valid.view(), ctx)?
    } else {
        cast(codes.view(), key_type, ctx)?
    };
    Ok((keys, values.column(0)?.clone()))
}

/// Returns the number of different keys that an integer type has.
fn most_values(key_type: &DataType) -> i128 {
    let bits = width(key_type).map_or(0, |bytes| 8 * bytes as u32);
    1 << (bits - u32::from(key_type.is_signed_integer()))
}

/// Implements `gdf_api::dictionary::get_index` with the stream and the memory resources of `ctx`. Returns the errors of
/// that function.
pub fn get_index(column: ColumnView<'_>, value: Operand<'_>, ctx: Ctx<'_>) -> Result<Scalar> {
    let DataType::Dictionary(key_type, _) = column.data_type() else {
        return Err(Error::type_mismatch("a dictionary", column.data_type()));
    };
    check::column(column, ctx)?;
    let dictionary = DictionaryView::try_from(column)?;
    let (values, scratch) = (dictionary.values(), ctx.scratch());
    let value = one_value(value, decoded_type(values.data_type()), scratch).map_err(|e| e.in_argument("value"))?;
    check::types(decoded_type(values.data_type()), value.data_type()).map_err(|e| e.in_argument("value"))?;
    // The numbers of the rows with this value ascend, so the first one is the smallest.
    let (values, value) = (TableView::from(values), TableView::from(value.view()));
    let found = filter(FilterKind::Semi, values, value, NullEquality::Unequal, scratch)?;
    if found.is_empty() {
        return Scalar::null_on(key_type, ctx.stream, ctx.mr.output);
    }
    let first = copy_rows("get_index", &TableView::from(found.slice(0, 1)?.view()), scratch)?;
    let is_shared = width(key_type) == Some(4);
    let first = if is_shared { first.deep_copy(ctx.stream, ctx.mr.output)? } else { first };
    Scalar::from_column(cast(first.column(0)?.view(), key_type, ctx)?)
}

/// Implements `gdf_api::dictionary::decode` with the stream and the memory resources of `ctx`. Returns the errors of
/// that function.
pub fn decode(column: ColumnView<'_>, ctx: Ctx<'_>) -> Result<Column> {
    match column.data_type() {
        DataType::Dictionary(_, values) => cast(column, values, ctx),
        other => Err(Error::type_mismatch("a dictionary", other)),
    }
}
