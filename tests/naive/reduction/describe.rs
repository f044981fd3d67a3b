//! Oracle of `reduction.describe`.

use arrow_array::{Array, ArrayRef};
use arrow_schema::DataType;
use gdf_core::is_numeric;
use gdf_detail::reduction::ReduceAggregation::{Max, Mean, Min};

use crate::naive::reduction;
use crate::naive::unary::cast;
use gdf_test::value::{Value, from_values, to_values};

/// Returns a column with the names of the statistics.
///
/// # Errors
/// - a column cannot be built.
pub fn describe(columns: &[ArrayRef]) -> Result<Vec<ArrayRef>, String> {
    let names = ["count", "nulls", "min", "max", "mean", "std"].map(|name| Some(Value::Str(name.to_owned())));
    let mut described = vec![from_values(&DataType::Utf8, &names)];
    for column in columns.iter().filter(|column| is_numeric(column.data_type())) {
        described.push(statistics(column)?);
    }
    Ok(described)
}

fn statistics(column: &ArrayRef) -> Result<ArrayRef, String> {
    let count = to_values(column).iter().flatten().count();
    let float = |array: &ArrayRef| -> Result<Option<f64>, String> {
        Ok(to_values(&cast::cast(array, &DataType::Float64)?[0]).remove(0).and_then(|value| value.as_f64()))
    };
    let extreme = |which| float(&reduction::reduce(column, which, column.data_type())?[0]);
    let mean = float(&reduction::reduce(column, Mean, &DataType::Float64)?[0])?;
    let values = to_values(&cast::cast(column, &DataType::Float64)?[0]);
    let squares = values.iter().flatten().filter_map(|value| Some((value.as_f64()? - mean?).powi(2))).sum::<f64>();
    let deviation = (count > 1).then(|| (squares / (count - 1) as f64).sqrt());
    let rows = [Some(count as f64), Some((column.len() - count) as f64), extreme(Min)?, extreme(Max)?, mean, deviation];
    Ok(from_values(&DataType::Float64, &rows.map(|row| row.map(Value::F64))))
}
