//! Oracles of `quantiles`.

pub mod tdigest;

use arrow_array::ArrayRef;
use arrow_array::types::UInt64Type;
use arrow_buffer::i256;
use arrow_schema::DataType;
use gdf_core::{decimal_parts, is_floating};
use gdf_detail::quantiles::Interpolation;

use super::copying::gather;
use super::sorting::{Direction, order};
use super::unary::cast::{exact, float, integer};
use gdf_test::builders::ints;
use gdf_test::value::{Value, to_values, try_from_values};

fn between(q: f64, rows: usize, interpolation: Interpolation) -> (usize, usize, f64) {
    let at = q.clamp(0.0, 1.0) * (rows - 1) as f64;
    let (low, high) = (at.floor() as usize, at.ceil() as usize);
    let even = if at.fract() == 0.5 { low + low % 2 } else { at.round() as usize };
    match interpolation {
        Interpolation::Linear => (low, high, at.fract()),
        Interpolation::Midpoint => (low, high, 0.5),
        Interpolation::Lower => (low, low, 0.0),
        Interpolation::Higher => (high, high, 0.0),
        Interpolation::Nearest => (even, even, 0.0),
    }
}

/// Returns quantile `q` of the sorted numbers.
pub fn of_numbers(numbers: &[f64], q: f64, interpolation: Interpolation) -> Option<f64> {
    let (low, high, fraction) = between(q, numbers.len().max(1), interpolation);
    let (a, b) = (*numbers.get(low)?, *numbers.get(high)?);
    Some(if low == high { a } else { (1.0 - fraction) * a + fraction * b })
}

/// Returns the numbers of the rows that are not null, sorted by value.
pub fn sorted(column: &ArrayRef) -> Vec<Option<usize>> {
    let values = to_values(column);
    let rows = order(std::slice::from_ref(column), &[Direction { descending: false, nulls_smallest: false }]);
    rows.into_iter().filter(|row| values[*row].is_some()).map(Some).collect()
}

/// Returns the value of each quantile of `q` over the given rows.
///
/// # Errors
/// - a value is not a number, or the result cannot be built.
pub fn quantile(
    column: &ArrayRef,
    q: &[f64],
    interpolation: Interpolation,
    rows: &[Option<usize>],
    output: &DataType,
) -> Result<Vec<ArrayRef>, String> {
    let values = to_values(column);
    let row = |at: usize| rows[at].and_then(|row| values.get(row)?.clone());
    let double = |value: &Value| match value.as_f64() {
        Some(number) => Ok(number),
        None => exact(value)?.to_string().parse::<f64>().map_err(|_| "no number".to_owned()),
    };
    let scale = decimal_parts(column.data_type()).map_or(0, |(_, _, scale)| i32::from(scale));
    let one = |q: &f64| -> Result<Option<Value>, String> {
        if rows.is_empty() {
            return Ok(None);
        }
        let (low, high, fraction) = between(*q, rows.len(), interpolation);
        let (Some(a), Some(b)) = (row(low), row(high)) else { return Ok(None) };
        if low == high && output == column.data_type() {
            return Ok(Some(a));
        }
        let (a, b) = (double(&a)?, double(&b)?);
        let value = if low == high { a } else { (1.0 - fraction) * a + fraction * b };
        if *output == DataType::Float64 {
            let power = format!("1e{}", scale.abs()).parse::<f64>().map_err(|_| "no power")?;
            return Ok(Some(Value::F64(if scale > 0 { value / power } else { value * power })));
        }
        Ok(Some(match is_floating(output) {
            true => float(value, output),
            false => integer(i256::from_i128(value as i128), output),
        }))
    };
    let found = q.iter().map(one).collect::<Result<Vec<_>, _>>()?;
    Ok(vec![try_from_values(output, &found)?])
}

/// Returns the row of each quantile of `q` over the given rows.
///
/// # Errors
/// - a column cannot be built.
pub fn quantiles(
    columns: &[ArrayRef],
    q: &[f64],
    interpolation: Interpolation,
    rows: &[Option<usize>],
) -> Result<Vec<ArrayRef>, String> {
    let row = |q: &f64| rows[between(*q, rows.len(), interpolation).0].map(|row| row as u64);
    gather(columns, &ints::<UInt64Type>(q.iter().map(row)))
}
