//! Changes of the values of dictionaries: the values are set, added, removed, or made the same in several columns. Only
//! values are compared, not rows.

use gdf_compute::binaryop::{BinaryOperator as Op, of};
use gdf_compute::copying::copy_if_else;
use gdf_compute::filling::sequence;
use gdf_compute::keys::is_replaced;
use gdf_compute::lists::select_rows;
use gdf_compute::sorting::distinct_sorted;
use gdf_compute::stream_compaction::drop_nulls;
use gdf_compute::unary::{UnaryOperator, unary_operation};
use gdf_core::{
    Column, ColumnParts, ColumnView, DataType, DictionaryView, Error, Literal, Position, Result, TableView,
};
use gdf_engine::cast::cast;
use gdf_engine::check;
use gdf_engine::decoded::Decoded;
use gdf_engine::rows::join_columns;

use super::most_values;
use crate::Ctx;
use crate::join::{JOIN_NO_MATCH, row_of_each};
use crate::search::contains;
use crate::vouch;
use crate::vouch::gather_column;

/// Implements `gdf_api::dictionary::set_keys` with the stream and the memory resources of `ctx`. Returns the errors of
/// that function.
pub fn set_keys(column: ColumnView<'_>, keys: ColumnView<'_>, ctx: Ctx<'_>) -> Result<Column> {
    let dictionary = Dictionary::open("set_keys", column, ctx)?;
    let keys = dictionary.values_like(keys, ctx)?;
    dictionary.with_values(sorted_values(keys.view(), ctx)?, ctx)
}

/// Implements `gdf_api::dictionary::add_keys` with the stream and the memory resources of `ctx`. Returns the errors of
/// that function.
pub fn add_keys(column: ColumnView<'_>, keys: ColumnView<'_>, ctx: Ctx<'_>) -> Result<Column> {
    let dictionary = Dictionary::open("add_keys", column, ctx)?;
    let scratch = ctx.scratch();
    let keys = sorted_values(dictionary.values_like(keys, ctx)?.view(), scratch)?;
    let known = contains(dictionary.values.view(), keys.view(), scratch)?;
    // If the dictionary is empty, the values of the result are the added keys.
    let added = rows_where(&keys, &not(&known, scratch)?, if dictionary.values.is_empty() { ctx } else { scratch })?;
    let values = join_columns(&[dictionary.values.view(), added.view()], ctx)?;
    dictionary.expect_capacity(values.len())?;
    vouch::result(ColumnParts::dictionary(dictionary.rows, values))
}

/// Implements `gdf_api::dictionary::remove_keys` with the stream and the memory resources of `ctx`. Returns the errors
/// of that function.
pub fn remove_keys(column: ColumnView<'_>, keys: ColumnView<'_>, ctx: Ctx<'_>) -> Result<Column> {
    let dictionary = Dictionary::open("remove_keys", column, ctx)?;
    let scratch = ctx.scratch();
    let keys = dictionary.values_like(keys, ctx)?;
    let removed = contains(keys.view(), dictionary.values.view(), scratch)?;
    let kept = rows_where(&dictionary.values, &not(&removed, scratch)?, scratch)?;
    dictionary.with_values(sorted_values(kept.view(), ctx)?, ctx)
}

/// Implements `gdf_api::dictionary::remove_unused_keys` with the stream and the memory resources of `ctx`. Returns the
/// errors of that function.
pub fn remove_unused_keys(column: ColumnView<'_>, ctx: Ctx<'_>) -> Result<Column> {
    let dictionary = Dictionary::open("remove_unused_keys", column, ctx)?;
    let scratch = ctx.scratch();
    let numbers = sequence(0_i64.into(), 1_i64.into(), dictionary.values.len(), scratch)?;
    let rows = cast(dictionary.rows.view(), &DataType::Int64, scratch)?;
    let used = contains(rows.view(), numbers.view(), scratch)?;
    let kept = rows_where(&dictionary.values, &used, scratch)?;
    dictionary.with_values(sorted_values(kept.view(), ctx)?, ctx)
}

/// Implements `gdf_api::dictionary::match_dictionaries` with the stream and the memory resources of `ctx`. Returns the
/// errors of that function.
pub fn match_dictionaries(columns: &[ColumnView<'_>], ctx: Ctx<'_>) -> Result<Vec<Column>> {
    let open = |(i, column): (usize, &ColumnView<'_>)| {
        Dictionary::open("match_dictionaries", *column, ctx).map_err(|error| error.at(Position::Column(i)))
    };
    let dictionaries = columns.iter().enumerate().map(open).collect::<Result<Vec<_>>>()?;
    let Some(first) = dictionaries.first() else { return Ok(Vec::new()) };
    for (i, other) in dictionaries.iter().enumerate() {
        check::types(first.values.data_type(), other.values.data_type())
            .map_err(|error| error.at(Position::Column(i)))?;
    }
    let all: Vec<_> = dictionaries.iter().map(|dictionary| dictionary.values.view()).collect();
    let values = sorted_values(join_columns(&all, ctx.scratch())?.view(), ctx)?;
    dictionaries.into_iter().map(|dictionary| dictionary.with_values(values.clone(), ctx)).collect()
}

struct Dictionary {
    rows: Column,
    /// The values.
    values: Column,
}

impl Dictionary {
    fn open(operation: &'static str, column: ColumnView<'_>, ctx: Ctx<'_>) -> Result<Self> {
        let DataType::Dictionary(_, values) = column.data_type() else {
            return Err(Error::type_mismatch("a dictionary", column.data_type()));
        };
        if is_replaced(values) {
            return Err(Error::unsupported(operation, column.data_type()));
        }
        check::column(column, ctx)?;
        let view = DictionaryView::try_from(column)?;
        let values = Decoded::of(view.values(), ctx)?.into_column();
        Ok(Self { rows: view.keys().view().to_column(), values })
    }

    /// Returns `keys` without views and dictionaries. `keys` must have the type of the values.
    fn values_like(&self, keys: ColumnView<'_>, ctx: Ctx<'_>) -> Result<Column> {
        let in_keys = |error: Error| error.in_argument("keys");
        check::column(keys, ctx).map_err(in_keys)?;
        let keys = Decoded::of(keys, ctx.scratch())?.into_column();
        check::types(self.values.data_type(), keys.data_type()).map_err(in_keys)?;
        Ok(keys)
    }

    /// Returns the same rows with the dictionary `values`, which must be distinct. A row whose value is not in `values`
    /// becomes null.
    fn with_values(&self, values: Column, ctx: Ctx<'_>) -> Result<Column> {
        self.expect_capacity(values.len())?;
        let scratch = ctx.scratch();
        let numbers = row_of_each(&self.values.view().into(), &values.view().into(), scratch)?;
        let found = of(&numbers, Op::NotEqual, JOIN_NO_MATCH.into(), &DataType::Boolean, scratch)?;
        let absent = Literal::null(numbers.data_type());
        let numbers = copy_if_else((&numbers).into(), absent.into(), found.view(), scratch)?;
        let numbers = cast(numbers.view(), self.rows.data_type(), scratch)?;
        let rows = gather_column(numbers.view(), self.rows.view(), ctx)?;
        vouch::result(ColumnParts::dictionary(rows, values))
    }

    fn expect_capacity(&self, values: usize) -> Result<()> {
        let (count, limit) = (values as i128, most_values(self.rows.data_type()));
        if count > limit { Err(Error::beyond_limit("the number of distinct values", count, limit)) } else { Ok(()) }
    }
}

fn sorted_values(column: ColumnView<'_>, ctx: Ctx<'_>) -> Result<Column> {
    let rows = TableView::from(column);
    let distinct = match rows.has_validity() {
        false => distinct_sorted(&rows, ctx)?,
        true => distinct_sorted(&drop_nulls(&rows, &[0], 1, ctx.scratch())?.view(), ctx)?,
    };
    distinct.column(0).cloned()
}

fn rows_where(column: &Column, mask: &Column, ctx: Ctx<'_>) -> Result<Column> {
    select_rows(&TableView::from(column.view()), mask.view(), ctx)?.column(0).cloned()
}

fn not(mask: &Column, ctx: Ctx<'_>) -> Result<Column> {
    unary_operation(mask.view(), UnaryOperator::Not, ctx)
}
