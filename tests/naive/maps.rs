//! Oracles of `maps`. A map is a list of structs of a key and a value.

use arrow_array::ArrayRef;
use arrow_schema::{DataType, FieldRef};
use gdf_test::value::{Value, to_values, try_from_values};

use super::groupby::canonical;

fn fields(maps: &ArrayRef) -> Result<[FieldRef; 2], String> {
    match maps.data_type() {
        DataType::Map(entries, _) => match entries.data_type() {
            DataType::Struct(fields) if fields.len() == 2 => Ok([fields[0].clone(), fields[1].clone()]),
            other => Err(format!("the entries must be structs of two fields, found {other}")),
        },
        other => Err(format!("{other} is not a map")),
    }
}

/// Returns the keys (0) or the values (1) of each map.
///
/// # Errors
/// - the column is not a map column.
pub fn parts(maps: &ArrayRef, part: usize) -> Result<ArrayRef, String> {
    let lists = to_values(maps).into_iter().map(|map| match map {
        Some(Value::List(entries)) => Some(Value::List(entries.into_iter().map(|entry| of(entry, part)).collect())),
        _ => None,
    });
    Ok(try_from_values(&DataType::List(fields(maps)?[part].clone()), &lists.collect::<Vec<_>>())?)
}

fn of(entry: Option<Value>, part: usize) -> Option<Value> {
    match entry {
        Some(Value::Struct(mut fields)) => fields.swap_remove(part),
        _ => None,
    }
}

/// Returns the maps as lists of structs.
///
/// # Errors
/// - the column is not a map column.
pub fn entries(maps: &ArrayRef) -> Result<ArrayRef, String> {
    match maps.data_type() {
        DataType::Map(entries, _) => Ok(try_from_values(&DataType::List(entries.clone()), &to_values(maps))?),
        other => Err(format!("{other} is not a map")),
    }
}

/// Returns for each map the value of its key, and whether the map has the key.
///
/// # Errors
/// - the column is not a map column.
pub fn find(maps: &ArrayRef, keys: &[Option<Value>]) -> Result<[ArrayRef; 2], String> {
    let (mut values, mut found) = (Vec::new(), Vec::new());
    for (map, key) in to_values(maps).into_iter().zip(keys) {
        let (Some(Value::List(entries)), Some(key)) = (map, key) else {
            values.push(None);
            found.push(None);
            continue;
        };
        let is_key = |entry: &Option<Value>| of(entry.clone(), 0).map(canonical) == Some(canonical(key.clone()));
        let entry = entries.into_iter().rev().find(is_key);
        found.push(Some(Value::Bool(entry.is_some())));
        values.push(entry.and_then(|entry| of(entry, 1)));
    }
    let values = try_from_values(fields(maps)?[1].data_type(), &values)?;
    Ok([values, try_from_values(&DataType::Boolean, &found)?])
}
