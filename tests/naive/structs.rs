//! Oracles of `structs`.

use arrow_array::{Array, ArrayRef};
use arrow_schema::{DataType, Field, Fields};
use gdf_test::value::{Value, to_values, try_from_values};

fn fields(structs: &ArrayRef) -> Result<Fields, String> {
    match structs.data_type() {
        DataType::Struct(fields) => Ok(fields.clone()),
        other => Err(format!("{other} is not a struct")),
    }
}

fn rows(structs: &ArrayRef) -> impl Iterator<Item = Option<Vec<Option<Value>>>> {
    to_values(structs).into_iter().map(|row| match row {
        Some(Value::Struct(fields)) => Some(fields),
        _ => None,
    })
}

/// Returns field number `index` of each struct.
///
/// # Errors
/// - the column is not a column of structs.
pub fn field(structs: &ArrayRef, index: usize) -> Result<ArrayRef, String> {
    let values: Vec<_> = rows(structs).map(|fields| fields.and_then(|mut fields| fields.swap_remove(index))).collect();
    Ok(try_from_values(fields(structs)?[index].data_type(), &values)?)
}

/// Returns structs with the columns as fields.
///
/// # Errors
/// - a result cannot be built.
pub fn from_columns(columns: &[ArrayRef], names: &[&str]) -> Result<ArrayRef, String> {
    let of = columns.iter().zip(names).map(|(column, name)| Field::new(*name, column.data_type().clone(), true));
    let values: Vec<_> = columns.iter().map(|column| to_values(column)).collect();
    let row = |row: usize| Some(Value::Struct(values.iter().map(|column| column[row].clone()).collect()));
    let structs: Vec<_> = (0..columns.first().map_or(0, |column| column.len())).map(row).collect();
    Ok(try_from_values(&DataType::Struct(of.collect()), &structs)?)
}

/// Returns the structs with field number `index` replaced by a column. If there is no such field, the column is
/// appended.
///
/// # Errors
/// - the column is not a column of structs.
pub fn with_field(structs: &ArrayRef, index: usize, name: &str, field: &ArrayRef) -> Result<ArrayRef, String> {
    let mut of: Vec<_> = fields(structs)?.iter().cloned().collect();
    let added = Field::new(name, field.data_type().clone(), true).into();
    if index < of.len() {
        of[index] = added;
    } else {
        of.push(added);
    }
    let structs = rows(structs).zip(to_values(field)).map(|(row, value)| {
        let mut row = row?;
        if index < row.len() {
            row[index] = value;
        } else {
            row.push(value);
        }
        Some(Value::Struct(row))
    });
    Ok(try_from_values(&DataType::Struct(of.into()), &structs.collect::<Vec<_>>())?)
}

/// Returns the structs with only the fields whose numbers are in `kept`, under new names.
///
/// # Errors
/// - the column is not a column of structs.
pub fn project(structs: &ArrayRef, kept: &[usize], names: &[&str]) -> Result<ArrayRef, String> {
    let of = fields(structs)?;
    let of = kept.iter().zip(names).map(|(index, name)| of[*index].as_ref().clone().with_name(*name));
    let data_type = DataType::Struct(of.collect());
    let structs =
        rows(structs).map(|row| row.map(|row| Value::Struct(kept.iter().map(|index| row[*index].clone()).collect())));
    Ok(try_from_values(&data_type, &structs.collect::<Vec<_>>())?)
}
