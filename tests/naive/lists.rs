//! Oracles of `lists`.

use std::sync::Arc;

use arrow_array::{Array, ArrayRef, Int32Array, Int64Array};
use arrow_schema::DataType;

use gdf_test::value::{Value, to_values, try_from_values};

/// Returns a row for each element of column `at`. With `outer`, a null list or an empty list also gives a row. With
/// `position`, the column of positions precedes the column of elements.
///
/// # Errors
/// - the column is not a column of lists, or a result cannot be built.
pub fn explode(columns: &[ArrayRef], at: usize, outer: bool, position: bool) -> Result<Vec<ArrayRef>, String> {
    let lists = columns.get(at).ok_or("a column")?;
    let (element, large) = match lists.data_type() {
        DataType::List(field) | DataType::Map(field, _) => (field.data_type(), false),
        DataType::LargeList(field) => (field.data_type(), true),
        other => return Err(format!("{other} is not of lists")),
    };
    // Each tuple is a result row: the row that it comes from, the position in the list, and the element.
    let mut rows: Vec<(usize, Option<i64>, Option<Value>)> = Vec::new();
    for (row, list) in to_values(lists).into_iter().enumerate() {
        match list {
            Some(Value::List(elements)) if !elements.is_empty() => {
                rows.extend((0..).zip(elements).map(|(position, element)| (row, Some(position), element)));
            }
            None | Some(Value::List(_)) => rows.extend(outer.then_some((row, None, None))),
            Some(_) => return Err("a list".into()),
        }
    }
    let mut exploded = Vec::new();
    for (number, column) in columns.iter().enumerate() {
        if number == at {
            let positions = rows.iter().map(|(_, position, _)| *position);
            let positions: ArrayRef = if large {
                Arc::new(positions.collect::<Int64Array>())
            } else {
                Arc::new(positions.map(|position| position.map(|number| number as i32)).collect::<Int32Array>())
            };
            exploded.extend(position.then_some(positions));
            let elements: Vec<_> = rows.iter().map(|(_, _, element)| element.clone()).collect();
            exploded.push(try_from_values(element, &elements)?);
        } else {
            let values = to_values(column);
            let values: Vec<_> = rows.iter().map(|(row, ..)| values[*row].clone()).collect();
            exploded.push(try_from_values(column.data_type(), &values)?);
        }
    }
    Ok(exploded)
}
