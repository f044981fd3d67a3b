//! The verbs that change the shape of a frame, as functions of columns.

use std::sync::Arc;

use arrow_schema::{DataType, Field, FieldRef};
use gdf_api::copying::{self, Replacement};
use gdf_api::groupby::GroupByAggregation;
use gdf_api::scope::with_device;
use gdf_api::sorting::{NullOrder, sort};
use gdf_api::stream_compaction::{DuplicateKeepOption, NanEquality, NullEquality, distinct, drop_nulls};
use gdf_api::{join, reshape, strings, transform, unary};
use gdf_core::{Column, Error, Result, StructsView, Table, is_integral, is_string};
use gdf_driver::Device;
use gdf_expr::types::decoded_type;

use crate::columns::Columns;
use crate::names::check_names;
use crate::selector::Selector;

/// The name of the column with the old names, in the result of [`unpivot`].
const VARIABLE: &str = "variable";
/// The name of the column with the values, in the result of [`unpivot`].
const VALUE: &str = "value";

pub(super) fn sample(of: &Columns, rows: usize, replacement: Replacement, seed: u64) -> Result<Columns> {
    let table = copying::sample(of.table(), rows, replacement, seed)?;
    Ok(Columns::trusted(of.schema().clone(), table))
}

pub(super) fn unpivot(of: &Columns, index: &Selector, on: &Selector) -> Result<Columns> {
    let (index, on) = (of.positions_of(index)?, of.positions_of(on)?);
    let field = |position: &usize| of.field(*position);
    check_names(index.iter().map(|at| field(at).name().as_str()).chain([VARIABLE, VALUE]))?;
    let names = on.iter().map(|at| field(at).name().as_str());
    let device = of.table().device().unwrap_or(Device::Cpu);
    let names = with_device(device, || Column::from_strs(names))?;
    let table = reshape::unpivot(of.table(), &index, &on, &names)?;
    let is_nullable = on.iter().any(|at| field(at).is_nullable());
    let value = table.column(index.len() + 1)?.data_type().clone();
    let made = [Field::new(VARIABLE, DataType::Utf8, false), Field::new(VALUE, value, is_nullable)];
    let fields = index.iter().map(|at| Arc::clone(field(at))).chain(made.map(FieldRef::from));
    Ok(of.replaced(fields.collect(), table))
}

pub(super) fn pivot(
    of: &Columns,
    index: &Selector,
    on: &str,
    values: &str,
    aggregation: GroupByAggregation,
) -> Result<Columns> {
    let index = of.positions_of(index)?;
    let (on, values) = (of.position_of(on)?, of.position_of(values)?);
    let of = &with_decoded(of, on)?;
    let kept = categories(of, on, Nulls::Kept)?;
    let names = names_of(&kept)?;
    let field = |position: &usize| of.field(*position);
    check_names(index.iter().map(|at| field(at).name().as_str()).chain(names.iter().map(String::as_str)))?;
    let table = reshape::pivot(of.table(), &index, on, values, &kept, aggregation)?;
    let own = index.iter().zip(table.columns()).map(|(at, column)| typed(field(at), column));
    let made = names.iter().zip(&table.columns()[index.len()..]);
    let made = made.map(|(name, column)| Arc::new(Field::new(name, column.data_type().clone(), true)));
    let fields = own.chain(made).collect();
    Ok(of.replaced(fields, table))
}

pub(super) fn cross_join(of: &Columns, right: &Columns, suffix: &str) -> Result<Columns> {
    let further = right.schema().fields().iter().map(|field| of.with_suffix(field, suffix));
    let fields: Vec<FieldRef> = of.schema().fields().iter().cloned().chain(further).collect();
    check_names(fields.iter().map(|field| field.name().as_str()))
        .map_err(|error| error.with_remedy("pass another `suffix`"))?;
    let table = join::cross_join(of.table(), right.table())?;
    Ok(of.replaced(fields, table))
}

pub(super) fn to_dummies(of: &Columns, name: &str) -> Result<Columns> {
    let position = of.position_of(name)?;
    let of = &with_decoded(of, position)?;
    let categories = categories(of, position, Nulls::LeftOut)?;
    let names = names_of(&categories)?;
    let made = transform::one_hot_encode(of.table().column(position)?, &categories)?;
    let fields = names.iter().map(|value| Field::new(format!("{name}_{value}"), DataType::Boolean, false));
    with_columns_for(of, position, fields.map(FieldRef::from).collect(), made.into_columns())
}

pub(super) fn unnest(of: &Columns, name: &str) -> Result<Columns> {
    let position = of.position_of(name)?;
    let (field, column) = (of.field(position), of.table().column(position)?);
    let DataType::Struct(inner) = field.data_type() else {
        return Err(Error::unsupported("frame.unnest", field.data_type()).with_remedy("pass a column of structs"));
    };
    let column = if column.has_validity() { copying::purge_nonempty_nulls(column)? } else { column.clone() };
    let structs = StructsView::try_from(column.view())?;
    let columns = (0..inner.len()).map(|at| Ok(structs.child(at)?.to_column())).collect::<Result<Vec<_>>>()?;
    let is_nullable = field.is_nullable();
    let fields = inner.iter().map(|of| Arc::new(Field::clone(of).with_nullable(of.is_nullable() || is_nullable)));
    with_columns_for(of, position, fields.collect(), columns)
}

fn with_columns_for(of: &Columns, position: usize, fields: Vec<FieldRef>, columns: Vec<Column>) -> Result<Columns> {
    let mut all: Vec<FieldRef> = of.schema().fields().iter().cloned().collect();
    all.splice(position..=position, fields);
    check_names(all.iter().map(|field| field.name().as_str()))?;
    let mut table = of.table().columns().to_vec();
    table.splice(position..=position, columns);
    Ok(of.replaced(all, Table::try_with_rows(table, of.table().num_rows())?))
}

/// Returns the columns in which a column of views or a dictionary is decoded.
fn with_decoded(of: &Columns, position: usize) -> Result<Columns> {
    let column = of.table().column(position)?;
    let decoded = decoded_type(column.data_type());
    if decoded == column.data_type() {
        return Ok(of.clone());
    }
    let field = Arc::new(Field::clone(of.field(position)).with_data_type(decoded.clone()));
    let column = unary::cast(column, decoded)?;
    with_columns_for(of, position, vec![field], vec![column])
}

/// Whether null is a category.
#[derive(Clone, Copy, PartialEq)]
enum Nulls {
    Kept,
    LeftOut,
}

/// Returns the distinct values of a column in ascending order. Null is the last of them.
fn categories(of: &Columns, position: usize, nulls: Nulls) -> Result<Column> {
    let of = of.table().view().select(&[position])?;
    let values = match nulls {
        Nulls::Kept => of.to_table(),
        Nulls::LeftOut => drop_nulls(of, &[0], 1)?,
    };
    let values = distinct(&values, &[0], DuplicateKeepOption::Any, NullEquality::Equal, NanEquality::AllEqual)?;
    Ok(sort(&values, &[], &[NullOrder::After])?.column(0)?.clone())
}

/// Returns the field of a column, with the type of `column`. If `column` was decoded, the field may have another type.
fn typed(field: &FieldRef, column: &Column) -> FieldRef {
    match gdf_core::same_type(field.data_type(), column.data_type()) {
        true => Arc::clone(field),
        false => Arc::new(Field::clone(field).with_data_type(column.data_type().clone())),
    }
}

/// Returns the values as names. Null is `null`. **Waits** for device memory.
fn names_of(values: &Column) -> Result<Vec<String>> {
    let data_type = values.data_type();
    let texts = if is_string(data_type) {
        values.to_strings()?
    } else if *data_type == DataType::Boolean {
        values.to_vec::<bool>()?.into_iter().map(|value| value.map(|value| value.to_string())).collect()
    } else if *data_type == DataType::UInt64 {
        values.to_vec::<u64>()?.into_iter().map(|value| value.map(|value| value.to_string())).collect()
    } else if is_integral(data_type) {
        let values = unary::cast(values, &DataType::Int64)?.to_vec::<i64>()?;
        values.into_iter().map(|value| value.map(|value| value.to_string())).collect()
    } else if matches!(data_type, DataType::Date32 | DataType::Date64) {
        strings::from_timestamps(values, "%Y-%m-%d")?.to_strings()?
    } else {
        let error = Error::unsupported("names of columns", data_type);
        return Err(error.with_remedy("pass a column of text, integers, booleans or dates"));
    };
    Ok(texts.into_iter().map(|text| text.unwrap_or_else(|| "null".to_owned())).collect())
}
