//! Oracles of `transform`.

pub mod expression;

use arrow_array::ArrayRef;
use arrow_schema::{DataType, Field};
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

/// Returns the distinct rows, sorted with nulls last. The last column of the result has the position of each input row
/// among them.
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

/// Returns a boolean column for each category.
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

/// Returns the number of bits of each row.
pub fn row_bits(columns: &[ArrayRef], of: impl Fn(&DataType) -> i64) -> Vec<i64> {
    let bits = |column: &ArrayRef| -> Vec<i64> {
        to_values(column).iter().map(|value| bits_of_value(column.data_type(), true, value.as_ref(), &of)).collect()
    };
    let columns: Vec<Vec<i64>> = columns.iter().map(bits).collect();
    (0..columns[0].len()).map(|row| columns.iter().map(|column| column[row]).sum()).collect()
}

fn bits_of_value(data_type: &DataType, nullable: bool, value: Option<&Value>, of: &impl Fn(&DataType) -> i64) -> i64 {
    let own = i64::from(nullable);
    let bits_of =
        |field: &Field, value: Option<&Value>| bits_of_value(field.data_type(), field.is_nullable(), value, of);
    let elements = value.and_then(Value::as_list).unwrap_or_default();
    own + match data_type {
        DataType::Struct(fields) => {
            let values = value.and_then(Value::as_struct);
            let field = |at: usize| values.and_then(|values| values[at].as_ref());
            fields.iter().enumerate().map(|(at, of)| bits_of(of, field(at))).sum()
        }
        DataType::FixedSizeList(field, width) => {
            let element = |at: usize| elements.get(at).and_then(Option::as_ref);
            (0..*width as usize).map(|at| bits_of(field, element(at))).sum()
        }
        DataType::List(field) | DataType::LargeList(field) | DataType::Map(field, _) => {
            let offset = if matches!(data_type, DataType::LargeList(_)) { 64 } else { 32 };
            offset + elements.iter().map(|element| bits_of(field, element.as_ref())).sum::<i64>()
        }
        DataType::FixedSizeBinary(_) => of(data_type),
        _ => of(data_type) + 8 * value.and_then(|value| Some(value.as_bytes()?.len())).unwrap_or(0) as i64,
    }
}

/// Returns the sum of each `length` consecutive rows.
pub fn sums(rows: &[i64], length: usize) -> ArrayRef {
    let sums: Vec<_> = rows.chunks(length).map(|rows| Some(Value::Int(rows.iter().sum::<i64>().into()))).collect();
    from_values(&DataType::Int64, &sums)
}

/// Returns the rows as values of the type `data_type`, which has another layout.
///
/// # Errors
/// - the column cannot be built.
pub fn as_type(column: &ArrayRef, data_type: &DataType) -> Result<ArrayRef, String> {
    Ok(try_from_values(data_type, &to_values(column))?)
}

/// Returns the ends and the values of the runs of equal rows.
///
/// # Errors
/// - a column cannot be built.
pub fn runs(column: &ArrayRef) -> Result<Vec<ArrayRef>, String> {
    let (values, keys) = (to_values(column), keys(std::slice::from_ref(column)));
    let is_last = |row: &usize| keys.get(row + 1) != Some(&keys[*row]);
    let is_first = |row: &usize| *row == 0 || keys[row - 1] != keys[*row];
    let ends = (0..keys.len()).filter(is_last).map(|row| Some(Value::Int(row as i128 + 1)));
    let values = (0..keys.len()).filter(is_first).map(|row| values[row].clone());
    let ends = from_values(&DataType::Int32, &ends.collect::<Vec<_>>());
    Ok(vec![ends, try_from_values(column.data_type(), &values.collect::<Vec<_>>())?])
}

/// Returns the values of a union's rows with this type id. The other rows of the result are null.
pub fn union_field(column: &ArrayRef, type_id: i8, data_type: &DataType) -> ArrayRef {
    let value = |row| match row {
        Some(Value::Union(id, value)) if id == type_id => *value,
        _ => None,
    };
    from_values(data_type, &to_values(column).into_iter().map(value).collect::<Vec<_>>())
}

/// Returns the type ids of a union's rows.
pub fn union_type_ids(column: &ArrayRef) -> ArrayRef {
    let id = |row| match row {
        Some(Value::Union(id, _)) => Some(Value::Int(id.into())),
        _ => None,
    };
    from_values(&DataType::Int8, &to_values(column).into_iter().map(id).collect::<Vec<_>>())
}
