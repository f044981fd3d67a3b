//! Oracles of `filling`.

use std::sync::Arc;

use arrow_array::{ArrayRef, Int64Array};
use arrow_schema::DataType;

use super::datetime::add_calendrical_months;
use gdf_test::value::{Value, to_values, try_from_values};

/// Returns `column` with each row of the range replaced by the only row of `value`.
///
/// # Errors
/// - the column cannot be built.
pub fn fill(column: &ArrayRef, range: std::ops::Range<usize>, value: &ArrayRef) -> Result<Vec<ArrayRef>, String> {
    let (mut rows, value) = (to_values(column), &to_values(value)[0]);
    rows[range].fill(value.clone());
    Ok(vec![try_from_values(column.data_type(), &rows)?])
}

/// Returns the only row of `value`, repeated `rows` times.
///
/// # Errors
/// - the column cannot be built.
pub fn from_scalar(value: &ArrayRef, rows: usize) -> Result<Vec<ArrayRef>, String> {
    let row = to_values(value)[0].clone();
    Ok(vec![try_from_values(value.data_type(), &vec![row; rows])?])
}

/// Returns a sequence in which row `r` is `r * months` months after `init`.
///
/// # Errors
/// - the column cannot be built.
pub fn calendrical_month_sequence(init: &ArrayRef, months: i64, rows: usize) -> Result<Vec<ArrayRef>, String> {
    let moments = from_scalar(init, rows)?.remove(0);
    let months: ArrayRef = Arc::new(Int64Array::from_iter_values((0..rows as i64).map(|row| row * months)));
    Ok(vec![add_calendrical_months(&moments, &months)])
}

/// Returns each row number as many times as `counts` states for the row.
pub fn repeated(counts: &[usize]) -> Vec<usize> {
    counts.iter().enumerate().flat_map(|(row, &count)| std::iter::repeat_n(row, count)).collect()
}

/// Returns a sequence that begins with `init` and grows by `step` from row to row.
///
/// # Errors
/// - `init` is null or `step` is null, or the type has no sequences.
pub fn sequence(init: &ArrayRef, step: &ArrayRef, rows: usize) -> Result<Vec<ArrayRef>, String> {
    let data_type = init.data_type();
    let (Some(init), Some(step)) = (&to_values(init)[0], &to_values(step)[0]) else {
        return Err("`init` or `step` is null".into());
    };
    let number = |row: usize| match (init, step) {
        (Value::F32(a), Value::F32(b)) => Ok(Value::F32(a + b * row as f32)),
        (Value::F64(a), Value::F64(b)) => Ok(Value::F64(a + b * row as f64)),
        _ => {
            let (a, b) =
                (init.as_i128().ok_or("`init` is not a number")?, step.as_i128().ok_or("`step` is not a number")?);
            wrapped(data_type, a + b * row as i128).ok_or_else(|| format!("{data_type} has no sequences"))
        }
    };
    let rows = (0..rows).map(|row| number(row).map(Some)).collect::<Result<Vec<_>, String>>()?;
    Ok(vec![try_from_values(data_type, &rows)?])
}

fn wrapped(data_type: &DataType, number: i128) -> Option<Value> {
    Some(match data_type {
        DataType::Int8 => Value::Int((number as i8).into()),
        DataType::Int16 => Value::Int((number as i16).into()),
        DataType::Int32 => Value::Int((number as i32).into()),
        DataType::Int64 => Value::Int((number as i64).into()),
        DataType::UInt8 => Value::UInt((number as u8).into()),
        DataType::UInt16 => Value::UInt((number as u16).into()),
        DataType::UInt32 => Value::UInt((number as u32).into()),
        DataType::UInt64 => Value::UInt(number as u64),
        _ => return None,
    })
}
