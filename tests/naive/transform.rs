//! Oracles of `transform`.

use arrow_array::ArrayRef;
use arrow_schema::DataType;
use gdf_detail::stream_compaction::{DuplicateKeepOption, NanEquality, NullEquality};

use super::groupby::{Row, canonical};
use super::replace::is_nan;
use super::sorting::{Direction, sort_by_key};
use super::stream_compaction::{distinct_rows, rows};
use gdf_test::value::{Value, from_values, to_values, try_from_values};

fn keys(columns: &[ArrayRef]) -> Vec<Row> {
    let columns: Vec<_> = columns.iter().map(|column| to_values(column)).collect();
    let row = |row: usize| columns.iter().map(|column| column[row].clone().map(canonical)).collect();
    (0..columns.first().map_or(0, Vec::len)).map(row).collect()
}

/// Returns the distinct rows, sorted with nulls last. Also returns the position of each row among the distinct rows.
///
/// # Errors
/// - a column cannot be built.
pub fn encode(columns: &[ArrayRef]) -> Result<Vec<ArrayRef>, String> {
    let first = distinct_rows(columns, DuplicateKeepOption::First, NullEquality::Equal, NanEquality::AllEqual);
    let distinct = rows(columns, &first)?;
    let direction = Direction { descending: false, nulls_smallest: false };
    let mut result = sort_by_key(&distinct, &distinct, &vec![direction; columns.len()], first.len())?;
    let sorted = keys(&result);
    let code = |row: Row| sorted.iter().position(|key| *key == row).map(|code| Value::UInt(code as u64));
    result.push(from_values(&DataType::UInt32, &keys(columns).into_iter().map(code).collect::<Vec<_>>()));
    Ok(result)
}

/// Returns a boolean column for each category. A row of this column is true if the row of `column` is equal to the
/// category.
pub fn one_hot_encode(column: &ArrayRef, categories: &ArrayRef) -> Vec<ArrayRef> {
    let [column, categories] = [column, categories].map(|column| keys(std::slice::from_ref(column)));
    let is = |category: &Row| column.iter().map(|row| Some(Value::Bool(row == category))).collect::<Vec<_>>();
    categories.iter().map(|category| from_values(&DataType::Boolean, &is(category))).collect()
}

/// Replaces NaN by null.
///
/// # Errors
/// - the column cannot be built.
pub fn nans_to_nulls(column: &ArrayRef) -> Result<ArrayRef, String> {
    let rows = to_values(column).into_iter().map(|value| value.filter(|value| !is_nan(value)));
    Ok(try_from_values(column.data_type(), &rows.collect::<Vec<_>>())?)
}

/// Returns the number of bits of each row. All columns have a mask. `of` returns the fixed number of bits of a type,
/// and the function adds the bits of the texts.
pub fn row_bits(columns: &[ArrayRef], of: impl Fn(&DataType) -> i64) -> Vec<i64> {
    let bits = |column: &ArrayRef| -> Vec<i64> {
        let of = of(column.data_type());
        let has_bytes = !matches!(column.data_type(), DataType::FixedSizeBinary(_));
        let text = |value: &Option<Value>| {
            value.as_ref().filter(|_| has_bytes).and_then(|value| Some(value.as_bytes()?.len()))
        };
        to_values(column).iter().map(|value| 1 + of + 8 * text(value).unwrap_or(0) as i64).collect()
    };
    let columns: Vec<Vec<i64>> = columns.iter().map(bits).collect();
    (0..columns[0].len()).map(|row| columns.iter().map(|column| column[row]).sum()).collect()
}

/// Returns the sum of each `length` consecutive rows.
pub fn sums(rows: &[i64], length: usize) -> ArrayRef {
    let sums: Vec<_> = rows.chunks(length).map(|rows| Some(Value::Int(rows.iter().sum::<i64>().into()))).collect();
    from_values(&DataType::Int64, &sums)
}
