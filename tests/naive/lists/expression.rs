//! Oracles of the functions of `lists` that evaluate an expression for each element.

use arrow_array::{Array, ArrayRef};
use arrow_schema::{DataType, Field};
use gdf_detail::reduction::ReduceAggregation as Aggregation;
use gdf_expr::Expr;
use gdf_test::value::{Value, to_values, try_from_values};

use super::{List, reduce};
use crate::documented_types::reduced_type;
use crate::naive::transform::expression::evaluate;

/// The elements of a list, and a value for each element.
type Pair = Option<[List; 2]>;

/// Returns the lists of column `at`, and for each element the value of the expression, also as lists.
fn evaluated(columns: &[ArrayRef], at: usize, expression: &Expr) -> Result<(Vec<Pair>, DataType), String> {
    let lists = to_values(&columns[at]);
    let elements_of = |list: &Option<Value>| list.as_ref().and_then(Value::as_list).map(<[_]>::to_vec);
    let lists: Vec<Option<List>> = lists.iter().map(elements_of).collect();
    let parents: Vec<usize> =
        lists.iter().enumerate().flat_map(|(row, list)| list.iter().flatten().map(move |_| row)).collect();
    let mut rows = Vec::new();
    for (position, column) in columns.iter().enumerate() {
        if position == at {
            let elements: List = lists.iter().flatten().flatten().cloned().collect();
            rows.push(try_from_values(super::element_type(column)?, &elements)?);
        } else {
            let values = to_values(column);
            let values: Vec<_> = parents.iter().map(|row| values[*row].clone()).collect();
            rows.push(try_from_values(column.data_type(), &values)?);
        }
    }
    let values = evaluate(&rows, parents.len(), expression)?;
    let mut each = to_values(&values).into_iter();
    let pairs = lists.into_iter().map(|list| {
        list.map(|list| {
            let values = each.by_ref().take(list.len()).collect();
            [list, values]
        })
    });
    Ok((pairs.collect(), values.data_type().clone()))
}

fn list_of(like: &DataType, element: DataType) -> DataType {
    let item = Field::new("item", element, true).into();
    if matches!(like, DataType::LargeList(_)) { DataType::LargeList(item) } else { DataType::List(item) }
}

/// Replaces each element by the value of the expression.
///
/// # Errors
/// - the column is not a column of lists, or the oracle does not support the expression.
pub fn transform_elements(columns: &[ArrayRef], at: usize, expression: &Expr) -> Result<ArrayRef, String> {
    let (lists, element) = evaluated(columns, at, expression)?;
    let lists: Vec<_> = lists.into_iter().map(|pair| pair.map(|[_, values]| Value::List(values))).collect();
    Ok(try_from_values(&list_of(columns[at].data_type(), element), &lists)?)
}

/// Returns the elements for which the condition is true.
///
/// # Errors
/// - the column is not a column of lists, or the oracle does not support the condition.
pub fn filter_elements(columns: &[ArrayRef], at: usize, condition: &Expr) -> Result<ArrayRef, String> {
    let kept = |[list, mask]: [List; 2]| {
        let kept = list.into_iter().zip(mask).filter(|(_, keep)| matches!(keep, Some(Value::Bool(true))));
        Value::List(kept.map(|(element, _)| element).collect())
    };
    let lists: Vec<_> = evaluated(columns, at, condition)?.0.into_iter().map(|pair| pair.map(kept)).collect();
    let like = columns[at].data_type();
    let data_type = match like {
        DataType::Map(..) => like.clone(),
        _ => list_of(like, super::element_type(&columns[at])?.clone()),
    };
    Ok(try_from_values(&data_type, &lists)?)
}

/// Reduces the values of the expression for the elements of each list.
///
/// # Errors
/// - the errors of [`transform_elements`] and of [`reduce`].
pub fn aggregate_elements(
    columns: &[ArrayRef],
    at: usize,
    expression: &Expr,
    aggregation: Aggregation,
    include: bool,
) -> Result<Vec<ArrayRef>, String> {
    let lists = transform_elements(columns, at, expression)?;
    let element = super::element_type(&lists)?;
    let undocumented = || format!("{aggregation:?} of {element} is not documented");
    let output = reduced_type(aggregation, element).ok_or_else(undocumented)?;
    reduce(&lists, aggregation, &output, include)
}
