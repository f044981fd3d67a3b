//! Oracles of `reshape`.

use std::sync::Arc;

use arrow_array::ArrayRef;
use arrow_schema::{DataType, Field};
use gdf_detail::groupby::{GroupByAggregation, NullPolicy};

use super::groupby::{aggregate, canonical};
use gdf_test::value::{Value, from_values, to_values, try_from_values};

/// Returns the first row of each column, then the second row of each column, and so on.
///
/// # Errors
/// - there is no column, or the result cannot be built.
pub fn interleave_columns(columns: &[ArrayRef]) -> Result<Vec<ArrayRef>, String> {
    let first = columns.first().ok_or("there are no columns")?;
    let all: Vec<_> = columns.iter().map(|column| to_values(column)).collect();
    let rows: Vec<_> = (0..first.len()).flat_map(|row| all.iter().map(move |column| column[row].clone())).collect();
    Ok(vec![try_from_values(first.data_type(), &rows)?])
}

/// Returns a column for each row.
///
/// # Errors
/// - a column cannot be built.
pub fn transpose(columns: &[ArrayRef]) -> Result<Vec<ArrayRef>, String> {
    let Some(first) = columns.first() else { return Ok(Vec::new()) };
    let all: Vec<_> = columns.iter().map(|column| to_values(column)).collect();
    let column = |row: usize| {
        let rows: Vec<_> = all.iter().map(|column| column[row].clone()).collect();
        Ok(try_from_values(first.data_type(), &rows)?)
    };
    (0..first.len()).map(column).collect()
}

/// Returns the bytes of each row.
///
/// # Errors
/// - the type is neither numeric nor text nor binary, or the result cannot be built.
pub fn byte_cast(column: &ArrayRef, reversed: bool) -> Result<Vec<ArrayRef>, String> {
    let width = column.data_type().primitive_width();
    let bytes = |value: Value| -> Result<Vec<u8>, String> {
        let mut bytes = match value {
            Value::Int(number) => number.to_le_bytes().to_vec(),
            Value::UInt(number) => number.to_le_bytes().to_vec(),
            Value::F16(number) => number.to_le_bytes().to_vec(),
            Value::F32(number) => number.to_le_bytes().to_vec(),
            Value::F64(number) => number.to_le_bytes().to_vec(),
            Value::Decimal(number) => number.to_le_bytes().to_vec(),
            Value::Str(text) => text.into_bytes(),
            Value::Bytes(bytes) => bytes,
            other => return Err(format!("{other:?} has no bytes")),
        };
        if let Some(width) = width {
            bytes.truncate(width);
            if reversed {
                bytes.reverse();
            }
        }
        Ok(bytes)
    };
    let list = |value: Option<Value>| {
        let Some(value) = value else { return Ok(None) };
        let items = bytes(value)?.into_iter().map(|byte| Some(Value::UInt(byte.into())));
        Ok(Some(Value::List(items.collect())))
    };
    let rows = to_values(column).into_iter().map(list).collect::<Result<Vec<_>, String>>()?;
    let field = Arc::new(Field::new_list_field(DataType::UInt8, true));
    let large = matches!(column.data_type(), DataType::LargeUtf8 | DataType::LargeBinary);
    let data_type = if large { DataType::LargeList(field) } else { DataType::List(field) };
    Ok(vec![try_from_values(&data_type, &rows)?])
}

/// Returns one block of rows for each column of `values`. A row has the index columns, the name of the column and the
/// value.
///
/// # Errors
/// - a column cannot be built.
pub fn unpivot(
    columns: &[ArrayRef],
    index: &[usize],
    values: &[usize],
    names: &ArrayRef,
) -> Result<Vec<ArrayRef>, String> {
    let all: Vec<_> = columns.iter().map(|column| to_values(column)).collect();
    let name = to_values(names);
    let mut long: Vec<Vec<Option<Value>>> = vec![Vec::new(); index.len() + 2];
    for (i, &value) in values.iter().enumerate() {
        for (row, of_value) in all[value].iter().enumerate() {
            for (column, &at) in long.iter_mut().zip(index) {
                column.push(all[at][row].clone());
            }
            long[index.len()].push(name[i].clone());
            long[index.len() + 1].push(of_value.clone());
        }
    }
    let types =
        index.iter().map(|&at| columns[at].data_type()).chain([names.data_type(), columns[values[0]].data_type()]);
    types.zip(&long).map(|(of, column)| Ok(try_from_values(of, column)?)).collect()
}

/// Returns the groups of `index`, and for each name in `kept` a column with the aggregated values of that name.
///
/// # Errors
/// - the aggregation does not suit the values.
pub fn pivot(
    index: &[ArrayRef],
    names: &ArrayRef,
    values: &ArrayRef,
    kept: &ArrayRef,
    aggregation: GroupByAggregation,
) -> Result<Vec<ArrayRef>, String> {
    let same = |a: &Option<Value>, b: &Option<Value>| a.clone().map(canonical) == b.clone().map(canonical);
    let (names, all) = (to_values(names), to_values(values));
    let own = |name: &Option<Value>| {
        let row = |(value, given): (&Option<Value>, &Option<Value>)| value.clone().filter(|_| same(given, name));
        from_values(values.data_type(), &all.iter().zip(&names).map(row).collect::<Vec<_>>())
    };
    let columns: Vec<_> = to_values(kept).iter().map(own).collect();
    let requests: Vec<_> = (0..columns.len()).map(|column| (column, aggregation)).collect();
    aggregate(index, &columns, NullPolicy::Include, &requests)
}
