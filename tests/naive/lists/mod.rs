//! Oracles of `lists`.

pub mod expression;

use std::cmp::Ordering;
use std::sync::Arc;

use arrow_array::{Array, ArrayRef, Int32Array, Int64Array};
use arrow_schema::{DataType, Field};

use gdf_detail::lists::{ConcatenateNullPolicy, DuplicateKeepOption, FindOption, NanEquality, NullEquality};
use gdf_test::builders::plain;
use gdf_test::value::{Value, to_values, try_from_values};

use super::sorting::{Direction, compare};
use gdf_detail::reduction::ReduceAggregation as Aggregation;

pub(super) type List = Vec<Option<Value>>;

/// Returns a row for each element of the lists in column `at`. With `outer`, an empty or null list also gives a row.
///
/// # Errors
/// - the column is not a column of lists, or a result cannot be built.
pub fn explode(columns: &[ArrayRef], at: usize, outer: bool, position: bool) -> Result<Vec<ArrayRef>, String> {
    let lists = columns.get(at).ok_or("the column does not exist")?;
    let (element, large) = match lists.data_type() {
        DataType::List(field) | DataType::FixedSizeList(field, _) | DataType::Map(field, _) => {
            (field.data_type(), false)
        }
        DataType::LargeList(field) => (field.data_type(), true),
        other => return Err(format!("{other} is not a type of lists")),
    };
    // Each tuple describes a result row: the original row, the position in the list, and the element.
    let mut rows: Vec<(usize, Option<i64>, Option<Value>)> = Vec::new();
    for (row, list) in to_values(lists).into_iter().enumerate() {
        match list {
            Some(Value::List(elements)) if !elements.is_empty() => {
                rows.extend((0..).zip(elements).map(|(position, element)| (row, Some(position), element)));
            }
            None | Some(Value::List(_)) => rows.extend(outer.then_some((row, None, None))),
            Some(_) => return Err("the column is not a column of lists".into()),
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

fn lists_of(array: &ArrayRef) -> Result<Vec<Option<List>>, String> {
    let lists = to_values(array).into_iter().map(|row| match row {
        None => Ok(None),
        Some(Value::List(elements)) => Ok(Some(elements)),
        Some(_) => Err("the column is not a column of lists".to_owned()),
    });
    lists.collect()
}

/// Returns a column of lists with the type `like`. A type of lists of a fixed size becomes a type of lists with
/// offsets.
fn lists_like(like: &DataType, lists: impl Iterator<Item = Option<List>>) -> Result<Vec<ArrayRef>, String> {
    let data_type = match like {
        DataType::FixedSizeList(field, _) => DataType::List(field.clone()),
        other => other.clone(),
    };
    let lists: Vec<_> = lists.map(|list| list.map(Value::List)).collect();
    Ok(vec![try_from_values(&data_type, &lists)?])
}

pub(super) fn element_type(lists: &ArrayRef) -> Result<&DataType, String> {
    match lists.data_type() {
        DataType::List(field)
        | DataType::LargeList(field)
        | DataType::FixedSizeList(field, _)
        | DataType::Map(field, _) => Ok(field.data_type()),
        other => Err(format!("{other} is not a type of lists")),
    }
}

/// Returns a column of counts or of positions within lists.
fn positions(lists: &ArrayRef, numbers: impl Iterator<Item = Option<i64>>) -> ArrayRef {
    match lists.data_type() {
        DataType::LargeList(_) => Arc::new(numbers.collect::<Int64Array>()),
        _ => Arc::new(numbers.map(|number| number.map(|number| number as i32)).collect::<Int32Array>()),
    }
}

/// Returns the element at a position of the list.
fn element_at(list: &List, position: i128) -> Option<Option<Value>> {
    let position = if position < 0 { position + list.len() as i128 } else { position };
    list.get(usize::try_from(position).ok()?).cloned()
}

/// Returns whether elements are equal. −0.0 is equal to 0.0.
fn same(a: &Option<Value>, b: &Option<Value>, nulls: NullEquality, nans: NanEquality) -> bool {
    match (a, b) {
        (None, None) => nulls == NullEquality::Equal,
        (Some(Value::List(a)), Some(Value::List(b))) | (Some(Value::Struct(a)), Some(Value::Struct(b))) => {
            a.len() == b.len() && a.iter().zip(b).all(|(a, b)| same(a, b, nulls, nans))
        }
        (Some(a), Some(b)) => match (a.as_f64(), b.as_f64()) {
            (Some(a), Some(b)) => a == b || (a.is_nan() && b.is_nan() && nans == NanEquality::AllEqual),
            _ => a == b,
        },
        _ => false,
    }
}

/// Returns the number of elements of each list.
///
/// # Errors
/// - the column is not a list column.
pub fn count_elements(lists: &ArrayRef) -> Result<Vec<ArrayRef>, String> {
    let counts = lists_of(lists)?.into_iter().map(|list| list.map(|list| list.len() as i64));
    Ok(vec![positions(lists, counts)])
}

/// For each row, returns the element at the position that `index` has in this row.
///
/// # Errors
/// - the column is not a list column, or `index` not of integers.
pub fn extract_list_element(lists: &ArrayRef, index: &ArrayRef) -> Result<Vec<ArrayRef>, String> {
    let index = to_values(index);
    let elements = lists_of(lists)?.into_iter().enumerate().map(|(row, list)| {
        let position = index[if index.len() == 1 { 0 } else { row }].as_ref()?.as_i128()?;
        element_at(&list?, position)?
    });
    Ok(vec![try_from_values(element_type(lists)?, &elements.collect::<Vec<_>>())?])
}

/// Returns the elements at the positions in the lists of `map`.
///
/// # Errors
/// - a column is not a list column.
pub fn segmented_gather(lists: &ArrayRef, map: &ArrayRef) -> Result<Vec<ArrayRef>, String> {
    let rows = lists_of(lists)?.into_iter().zip(lists_of(map)?).map(|(list, map)| {
        let list = list?;
        let at = |position: &Option<Value>| element_at(&list, position.as_ref()?.as_i128()?)?;
        Some(map?.iter().map(at).collect())
    });
    let field = Arc::new(Field::new("item", element_type(lists)?.clone(), true));
    let large = matches!(lists.data_type(), DataType::LargeList(_));
    lists_like(&if large { DataType::LargeList(field) } else { DataType::List(field) }, rows)
}

/// For each row, returns the position of an element that is equal to the key of the row, or −1 if there is none.
fn find(lists: &ArrayRef, keys: &ArrayRef, last: bool) -> Result<Vec<Option<i64>>, String> {
    let keys = to_values(keys);
    let rows = lists_of(lists)?.into_iter().enumerate().map(|(row, list)| {
        let key = &keys[if keys.len() == 1 { 0 } else { row }];
        let (list, _) = (list?, key.as_ref()?);
        // A null element is never equal to the key.
        let equals = |element: &Option<Value>| same(element, key, NullEquality::Equal, NanEquality::AllEqual);
        let is_key = |element: &Option<Value>| element.is_some() && equals(element);
        let found = if last { list.iter().rposition(is_key) } else { list.iter().position(is_key) };
        Some(found.map_or(-1, |position| position as i64))
    });
    Ok(rows.collect())
}

/// Returns whether each list has the key of the row.
///
/// # Errors
/// - the column is not a list column.
pub fn contains(lists: &ArrayRef, keys: &ArrayRef) -> Result<Vec<ArrayRef>, String> {
    let found = find(lists, keys, false)?.into_iter().map(|position| Some(Value::Bool(position? >= 0)));
    Ok(vec![try_from_values(&DataType::Boolean, &found.collect::<Vec<_>>())?])
}

/// Returns the position of the first or last element that is equal to the key of the row.
///
/// # Errors
/// - the column is not a list column.
pub fn index_of(lists: &ArrayRef, keys: &ArrayRef, option: FindOption) -> Result<Vec<ArrayRef>, String> {
    Ok(vec![positions(lists, find(lists, keys, option == FindOption::Last)?.into_iter())])
}

/// Returns whether each list has a null element.
///
/// # Errors
/// - the column is not a list column.
pub fn contains_nulls(lists: &ArrayRef) -> Result<Vec<ArrayRef>, String> {
    let found = lists_of(lists)?.into_iter().map(|list| Some(Value::Bool(list?.iter().any(Option::is_none))));
    Ok(vec![try_from_values(&DataType::Boolean, &found.collect::<Vec<_>>())?])
}

/// Returns the elements from the last to the first.
///
/// # Errors
/// - the column is not a list column.
pub fn reverse(lists: &ArrayRef) -> Result<Vec<ArrayRef>, String> {
    lists_like(lists.data_type(), lists_of(lists)?.into_iter().map(|list| Some(list?.into_iter().rev().collect())))
}

fn compare_elements(a: &Option<Value>, b: &Option<Value>, direction: Direction) -> Ordering {
    match (a, b) {
        (Some(Value::Struct(a)), Some(Value::Struct(b))) => {
            let fields = a.iter().zip(b).map(|(a, b)| compare_elements(a, b, direction));
            fields.into_iter().find(|order| order.is_ne()).unwrap_or(Ordering::Equal)
        }
        _ => compare(a, b, direction),
    }
}

/// Sorts each list.
///
/// # Errors
/// - the column is not a list column.
pub fn sort_lists(lists: &ArrayRef, direction: Direction) -> Result<Vec<ArrayRef>, String> {
    let sorted = lists_of(lists)?.into_iter().map(|list| {
        let mut list = list?;
        list.sort_by(|a, b| compare_elements(a, b, direction));
        Some(list)
    });
    lists_like(lists.data_type(), sorted)
}

pub(super) fn distinct_of(list: &List, keep: DuplicateKeepOption, nulls: NullEquality, nans: NanEquality) -> List {
    let is_kept = |at: usize| {
        let same = |other: &Option<Value>| same(other, &list[at], nulls, nans);
        match keep {
            DuplicateKeepOption::Any | DuplicateKeepOption::First => !list[..at].iter().any(same),
            DuplicateKeepOption::Last => !list[at + 1..].iter().any(same),
            DuplicateKeepOption::None => !list[..at].iter().chain(&list[at + 1..]).any(same),
        }
    };
    (0..list.len()).filter(|at| is_kept(*at)).map(|at| list[at].clone()).collect()
}

/// Removes repeated elements.
///
/// # Errors
/// - the column is not a list column.
pub fn distinct(
    lists: &ArrayRef,
    keep: DuplicateKeepOption,
    nulls: NullEquality,
    nans: NanEquality,
) -> Result<Vec<ArrayRef>, String> {
    let rows = lists_of(lists)?.into_iter().map(|list| Some(distinct_of(&list?, keep, nulls, nans)));
    lists_like(lists.data_type(), rows)
}

/// An operation on two sets.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum SetOperation {
    /// The elements of both sets.
    Union,
    /// The elements of the left set that are also in the right set.
    Intersection,
    /// The elements of the left set that are not in the right set.
    Difference,
    /// Whether the two sets have a common element.
    Overlap,
}

/// Combines the lists of each row.
///
/// # Errors
/// - a column is not a list column.
pub fn of_sets(
    [lhs, rhs]: [&ArrayRef; 2],
    operation: SetOperation,
    nulls: NullEquality,
    nans: NanEquality,
) -> Result<Vec<ArrayRef>, String> {
    let rows = lists_of(lhs)?.into_iter().zip(lists_of(rhs)?).map(|(left, right)| {
        let (mut left, right) = (left?, right?);
        match operation {
            SetOperation::Union => left.extend(right),
            SetOperation::Intersection | SetOperation::Overlap => {
                left.retain(|a| right.iter().any(|b| same(a, b, nulls, nans)));
            }
            SetOperation::Difference => left.retain(|a| !right.iter().any(|b| same(a, b, nulls, nans))),
        }
        Some(distinct_of(&left, DuplicateKeepOption::First, nulls, nans))
    });
    if operation == SetOperation::Overlap {
        let rows: Vec<_> = rows.map(|list| Some(Value::Bool(!list?.is_empty()))).collect();
        return Ok(vec![try_from_values(&DataType::Boolean, &rows)?]);
    }
    lists_like(lhs.data_type(), rows)
}

fn joined(lists: &[Option<List>], nulls: ConcatenateNullPolicy, all_null: Option<List>) -> Option<List> {
    match nulls {
        _ if lists.iter().all(Option::is_none) => all_null,
        ConcatenateNullPolicy::NullifyOutputRow if lists.iter().any(Option::is_none) => None,
        _ => Some(lists.iter().flatten().flatten().cloned().collect()),
    }
}

/// Concatenates the lists of each row.
///
/// # Errors
/// - a column is not a list column.
pub fn concatenate_rows(columns: &[ArrayRef], nulls: ConcatenateNullPolicy) -> Result<Vec<ArrayRef>, String> {
    let lists = columns.iter().map(lists_of).collect::<Result<Vec<_>, _>>()?;
    let rows = (0..columns[0].len()).map(|row| lists.iter().map(|lists| lists[row].clone()).collect::<Vec<_>>());
    lists_like(columns[0].data_type(), rows.map(|row| joined(&row, nulls, None)))
}

/// Concatenates the inner lists of each row, which is a list of lists.
///
/// # Errors
/// - the column does not contain lists of lists.
pub fn concatenate_list_elements(lists: &ArrayRef, nulls: ConcatenateNullPolicy) -> Result<Vec<ArrayRef>, String> {
    let rows = lists_of(lists)?.into_iter().map(|row| {
        let inner = row?.into_iter().map(|list| Some(list?.as_list()?.to_vec())).collect::<Vec<_>>();
        let all_null = inner.is_empty().then(Vec::new);
        joined(&inner, nulls, all_null)
    });
    lists_like(element_type(lists)?, rows)
}

/// Keeps the elements for which the element of `mask` is true. With `inverted`, keeps the other elements.
///
/// # Errors
/// - a column is not a list column, or lists differ in length.
pub fn apply_mask(lists: &ArrayRef, mask: &ArrayRef, inverted: bool) -> Result<Vec<ArrayRef>, String> {
    let rows = lists_of(lists)?.into_iter().zip(lists_of(mask)?).map(|(list, mask)| {
        let (list, mask) = (list?, mask?);
        assert_eq!(list.len(), mask.len(), "a list and its mask must have equal lengths");
        let is_kept = |mask: &Option<Value>| (mask.as_ref().and_then(Value::as_bool) == Some(true)) != inverted;
        Some(list.into_iter().zip(&mask).filter(|(_, mask)| is_kept(mask)).map(|(element, _)| element).collect())
    });
    lists_like(lists.data_type(), rows)
}

/// Returns lists of numbers that grow by a constant step.
///
/// # Errors
/// - an input has a null, or is not of numbers.
pub fn sequences(starts: &ArrayRef, sizes: &ArrayRef, steps: Option<&ArrayRef>) -> Result<Vec<ArrayRef>, String> {
    let bits = starts.data_type().primitive_width().ok_or("the starts are not numbers")? * 8;
    let number = |start: &Value, step: Option<&Value>, at: i128| match start {
        Value::F32(start) => Value::F32(start + step.and_then(Value::as_f64).unwrap_or(1.0) as f32 * at as f32),
        Value::F64(start) => Value::F64(start + step.and_then(Value::as_f64).unwrap_or(1.0) * at as f64),
        start => {
            let sum = start.as_i128().unwrap_or(0) + step.and_then(Value::as_i128).unwrap_or(1) * at;
            let wrapped = sum.rem_euclid(1 << bits);
            match start {
                Value::UInt(_) => Value::UInt(wrapped as u64),
                _ if wrapped >= 1 << (bits - 1) => Value::Int(wrapped - (1 << bits)),
                _ => Value::Int(wrapped),
            }
        }
    };
    let steps = steps.map(|steps| to_values(steps));
    let mut lists = Vec::new();
    for (row, (start, size)) in to_values(starts).iter().zip(to_values(sizes)).enumerate() {
        let (start, size) = (
            start.as_ref().ok_or("a start is null")?,
            size.ok_or("a size is null")?.as_i128().ok_or("a size is not an integer")?,
        );
        let step = steps.as_ref().and_then(|steps| steps[row].as_ref());
        lists.push(Some((0..size).map(|at| Some(number(start, step, at))).collect()));
    }
    let list_type = DataType::List(Arc::new(Field::new_list_field(starts.data_type().clone(), true)));
    lists_like(&list_type, lists.into_iter())
}

/// Reduces the elements of each list.
///
/// # Errors
/// - the column is not a list column, or the elements cannot be reduced.
pub fn reduce(
    lists: &ArrayRef,
    aggregation: Aggregation,
    output: &DataType,
    include: bool,
) -> Result<Vec<ArrayRef>, String> {
    let (rows, mut elements, mut offsets) = (lists_of(lists)?, Vec::new(), vec![0_i64]);
    for list in &rows {
        elements.extend(list.iter().flatten().cloned());
        offsets.push(elements.len() as i64);
    }
    let elements = try_from_values(element_type(lists)?, &elements)?;
    let offsets = plain::<arrow_array::types::Int64Type>(offsets);
    let reduced = super::reduction::segmented_reduce(&elements, &offsets, aggregation, output, include)?.remove(0);
    let reduced = to_values(&reduced).into_iter().zip(&rows).map(|(value, list)| value.filter(|_| list.is_some()));
    Ok(vec![try_from_values(output, &reduced.collect::<Vec<_>>())?])
}
