//! The sinks other than group-by and join.

use std::sync::Arc;

use arrow_schema::{Field, FieldRef};
use gdf_api::join::NullEquality;
use gdf_api::pipeline::SortKey;
use gdf_api::sorting::{NullOrder, Order};
use gdf_api::stream_compaction::{self, DuplicateKeepOption, NanEquality};
use gdf_api::{concatenate, copying, lists};
use gdf_core::layout::same_named_type;
use gdf_core::{Error, Result, Table, same_type};
use gdf_expr::types::wider_offsets;

use super::Rows;
use super::widths::{typed_columns, widen_tables};
use crate::columns::Columns;
use crate::expr::SortBy;
use crate::names::check_names;
use crate::selector::Selector;

/// Sorts the rows. The keys need not be columns of the result.
pub(super) fn sort(rows: &mut Rows, keys: &[SortBy], limit: Option<usize>) -> Result<()> {
    let keys = sort_keys(rows, keys)?;
    let sorted = rows.pipeline().sort_by(keys);
    let sorted = limit.map_or(sorted.clone(), |limit| sorted.limit(limit));
    let outputs = rows.outputs();
    let table = sorted.project(&rows.values())?;
    *rows = Rows::new(rows.columns_of(table, &outputs)?);
    Ok(())
}

pub(super) fn sort_keys(rows: &mut Rows, keys: &[SortBy]) -> Result<Vec<SortKey>> {
    let values = rows.resolve_all(keys.iter().map(|key| &key.values))?;
    let key = |(key, values): (&SortBy, gdf_expr::Expr)| {
        let null_order = if key.nulls_first == key.descending { NullOrder::After } else { NullOrder::Before };
        let order = if key.descending { Order::Descending } else { Order::Ascending };
        SortKey { values, order, null_order }
    };
    Ok(keys.iter().zip(values).map(key).collect())
}

fn replace(rows: &mut Rows, table: impl FnOnce(&Columns) -> Result<Table>) -> Result<()> {
    rows.compute()?;
    let columns = rows.source();
    *rows = Rows::new(Columns::trusted(columns.schema().clone(), table(columns)?));
    Ok(())
}

pub(super) fn slice(rows: &mut Rows, offset: usize, len: usize) -> Result<()> {
    replace(rows, |columns| {
        let table = columns.table();
        let offset = offset.min(table.num_rows());
        table.slice(offset, len.min(table.num_rows() - offset))
    })
}

pub(super) fn tail(rows: &mut Rows, count: usize) -> Result<()> {
    replace(rows, |columns| Ok(columns.table().tail(count)))
}

pub(super) fn distinct(rows: &mut Rows, subset: &Selector, keep: DuplicateKeepOption) -> Result<()> {
    replace(rows, |columns| {
        let keys = columns.positions_of(subset)?;
        stream_compaction::distinct(columns.table(), &keys, keep, NullEquality::Equal, NanEquality::AllEqual)
    })
}

pub(super) fn drop_nulls(rows: &mut Rows, subset: &Selector) -> Result<()> {
    replace(rows, |columns| {
        let keys = columns.positions_of(subset)?;
        match keys.len() {
            0 => Ok(columns.table().clone()),
            count => stream_compaction::drop_nulls(columns.table(), &keys, count),
        }
    })
}

pub(super) fn reverse(rows: &mut Rows) -> Result<()> {
    replace(rows, |columns| copying::reverse(columns.table()))
}

pub(super) fn explode(rows: &mut Rows, name: &str) -> Result<()> {
    rows.compute()?;
    let columns = rows.source();
    let position = columns.position_of(name)?;
    let table = lists::explode_outer(columns.table(), position)?;
    let field = columns.field(position);
    let element = table.column(position)?.data_type().clone();
    let mut fields = columns.schema().fields().to_vec();
    fields[position] = Arc::new(Field::new(field.name(), element, true));
    *rows = Rows::new(columns.replaced(fields, table));
    Ok(())
}

/// Appends the rows of other inputs. The columns of these inputs are found by name.
pub(super) fn concat(rows: &mut Rows, others: &[Columns]) -> Result<()> {
    rows.compute()?;
    let columns = rows.source();
    check_names(columns.names())?;
    let mut tables = vec![columns.shared_table().clone()];
    for other in others {
        tables.push(table_of(other, columns)?);
    }
    widen_tables(&mut tables)?;
    let views: Vec<_> = tables.iter().map(|table| table.view()).collect();
    let table = Arc::new(concatenate::concatenate(&views)?);
    let columns = typed_columns(columns, table.clone());
    *rows = Rows::new(nullable(&columns, table));
    Ok(())
}

/// Returns the table of `other`, with its columns in the order of `columns`. The types must be equal, but for the width
/// of the offsets of text and bytes. Structs must have equal names of fields.
pub(super) fn table_of(other: &Columns, columns: &Columns) -> Result<Arc<Table>> {
    if other.len() != columns.len() {
        let error = Error::column_count(columns.len(), other.len());
        return Err(error.with_remedy("select the same columns in each frame"));
    }
    let is_same_order = other.names().eq(columns.names());
    let place = |(at, name)| if is_same_order { Ok(at) } else { other.position_of(name) };
    let positions = columns.names().enumerate().map(place).collect::<Result<Vec<_>>>()?;
    for (field, position) in columns.schema().fields().iter().zip(&positions) {
        let (own, found) = (field.data_type(), other.field(*position).data_type());
        if wider_offsets(own, found).is_none() && !same_named_type(own, found) {
            let error = Error::type_mismatch(own, found).in_expression(|| format!("column `{}`", field.name()));
            return Err(error.with_remedy(match same_type(own, found) {
                true => "give structs the same fields in the same order in each frame",
                false => "`cast` the column to the same type in each frame",
            }));
        }
    }
    if is_same_order {
        return Ok(other.shared_table().clone());
    }
    other.table().select(&positions).map(Arc::new)
}

pub(super) fn nullable(columns: &Columns, table: impl Into<Arc<Table>>) -> Columns {
    if columns.schema().fields().iter().all(|field| field.is_nullable()) {
        return Columns::trusted(columns.schema().clone(), table);
    }
    let nullable = |field: &FieldRef| Arc::new(Field::clone(field).with_nullable(true));
    columns.replaced(columns.schema().fields().iter().map(nullable).collect(), table)
}
