//! Entries of `lists`: operations on the elements of each list.

use std::sync::Arc;

use arrow_array::types::{Float64Type, Int16Type, Int32Type, Int64Type, UInt64Type};
use arrow_array::{Array, ArrayRef};
use arrow_schema::{DataType, Field, Fields, TimeUnit};
use gdf_api::copying::OutOfBoundsPolicy;
use gdf_api::lists::{
    self as api, ConcatenateNullPolicy, DuplicateKeepOption as Keep, FindOption, NanEquality, NullEquality,
};
use gdf_core::{Column, ColumnView, Error, Result, Scalar};

use super::sort::{self, lengths, lists_of, of_gathered};
use crate::catalog::shared::tables::{list_types, view, with_lists};
use crate::catalog::{Case, Entry, SliceCosts};
use crate::naive::lists::{self as naive, SetOperation};
use gdf_test::builders::{ints, plain};
use gdf_test::compare::Equality;
use gdf_test::data::{self, NullPattern, SMALL_BRACKETS, random_array};
use gdf_test::value::{Value, from_values, to_values, try_from_values};

pub(crate) fn entries() -> Vec<Entry> {
    vec![
        Entry::new("lists.apply_boolean_mask", Equality::Exact, || masks(false)),
        Entry::new("lists.apply_deletion_mask", Equality::Exact, || masks(true)),
        Entry::new("lists.concatenate_list_elements", Equality::Exact, concatenate_list_elements),
        Entry::new("lists.concatenate_rows", Equality::Exact, concatenate_rows),
        Entry::new("lists.contains", Equality::Exact, || searches(None)),
        Entry::new("lists.contains_nulls", Equality::Exact, contains_nulls),
        Entry::new("lists.count_elements", Equality::Exact, count_elements),
        Entry::new("lists.difference_distinct", Equality::Exact, || sets(SetOperation::Difference)),
        Entry::new("lists.distinct", Equality::Exact, distinct).guessing(),
        Entry::new("lists.extract_list_element", Equality::Exact, extract_list_element),
        Entry::new("lists.have_overlap", Equality::Exact, || sets(SetOperation::Overlap)),
        Entry::new("lists.index_of", Equality::Exact, || {
            [searches(Some(FindOption::First)), searches(Some(FindOption::Last))].concat()
        }),
        Entry::new("lists.intersect_distinct", Equality::Exact, || sets(SetOperation::Intersection)),
        Entry::new("lists.reverse", Equality::Exact, reverse),
        Entry::new("lists.segmented_gather", Equality::Exact, segmented_gather),
        Entry::new("lists.sequences", Equality::Exact, sequences),
        Entry::new("lists.sort_lists", Equality::Exact, sort::sort_lists),
        Entry::new("lists.union_distinct", Equality::Exact, || sets(SetOperation::Union)),
    ]
}

pub(crate) fn list(data_type: DataType) -> DataType {
    DataType::List(Arc::new(Field::new("item", data_type, true)))
}

fn types() -> Vec<DataType> {
    let fixed = |data_type: &DataType| matches!(data_type, DataType::FixedSizeList(..));
    let lists = list_types().into_iter().filter(|data_type| !matches!(data_type, DataType::Struct(_)));
    lists.chain(data::nested().into_iter().filter(fixed)).chain([list(DataType::Float64)]).collect()
}

pub(crate) fn nested_elements() -> Vec<DataType> {
    let pair =
        Fields::from(vec![Field::new("a", DataType::Boolean, true), Field::new("b", list(DataType::UInt8), true)]);
    vec![list(list(DataType::Boolean)), list(DataType::Struct(pair))]
}

/// Returns types of lists whose elements can be compared.
pub(crate) fn comparable() -> Vec<DataType> {
    let dictionary = DataType::Dictionary(Box::new(DataType::Int8), Box::new(DataType::Utf8));
    let items = [
        DataType::Boolean,
        DataType::Int32,
        DataType::UInt64,
        DataType::Float32,
        DataType::Float64,
        DataType::Decimal128(38, 10),
        DataType::Timestamp(TimeUnit::Millisecond, None),
        DataType::Utf8,
        DataType::LargeBinary,
        DataType::Utf8View,
        dictionary,
    ];
    let item = Arc::new(Field::new("item", DataType::Int16, true));
    let others = [DataType::FixedSizeList(item.clone(), 3), DataType::LargeList(item)];
    items.into_iter().map(list).chain(others).collect()
}

pub(crate) fn structs() -> DataType {
    let inner = DataType::Struct(Fields::from(vec![Field::new("c", DataType::Float32, true)]));
    let fields = [("a", DataType::Boolean), ("b", DataType::Int8), ("inner", inner)];
    list(DataType::Struct(fields.into_iter().map(|(name, of)| Field::new(name, of, true)).collect()))
}

pub(crate) fn element_type(lists: &DataType) -> &DataType {
    match lists {
        DataType::List(item) | DataType::LargeList(item) | DataType::FixedSizeList(item, _) => item.data_type(),
        other => other,
    }
}

/// Returns columns of lists with their labels.
pub(crate) fn columns(types: &[DataType]) -> Vec<(String, ArrayRef)> {
    let mut columns = Vec::new();
    for (data_type, seed) in types.iter().zip(0..) {
        for (rows, nulls) in [(33, NullPattern::None), (65, NullPattern::Some)] {
            let lists = random_array(data_type, rows, nulls, seed);
            columns.push((format!("{data_type}/{rows}/{nulls:?}"), lists));
        }
        columns.push((format!("{data_type}/0"), random_array(data_type, 0, NullPattern::Some, 0)));
    }
    for (&rows, seed) in SMALL_BRACKETS.iter().zip(50..) {
        for nulls in [NullPattern::Every(3), NullPattern::All] {
            let lists = random_array(&list(DataType::Int32), rows, nulls, seed);
            columns.push((format!("numbers/{rows}/{nulls:?}"), lists));
        }
    }
    columns
}

pub(crate) fn case(
    label: String,
    inputs: Vec<ArrayRef>,
    run: impl Fn(&[Column]) -> Result<Column> + Send + Sync + 'static,
    oracle: impl Fn(&[ArrayRef]) -> std::result::Result<Vec<ArrayRef>, String> + Send + Sync + 'static,
) -> Case {
    let waits = 8 + with_lists(&inputs, 2);
    Case::new(label, inputs, move |inputs| Ok(vec![run(inputs)?]), oracle, waits).with_slice_costs(SliceCosts::Own)
}

/// Returns a case of a column whose type is not a list type.
pub(crate) fn refused_numbers(run: impl Fn(&[Column]) -> Result<Column> + Send + Sync + 'static) -> Case {
    refused("number", vec![ints::<Int32Type>([Some(1)]); 2], run, |error| matches!(error, Error::Unsupported { .. }))
}

pub(crate) fn refused(
    label: &str,
    inputs: Vec<ArrayRef>,
    run: impl Fn(&[Column]) -> Result<Column> + Send + Sync + 'static,
    right: fn(&Error) -> bool,
) -> Case {
    Case::refused(format!("refused {label}"), inputs, move |inputs| Ok(vec![run(inputs)?]), right)
}

/// Returns one list for each row of `lists`.
fn lists_by(lists: &ArrayRef, item: DataType, of: impl Fn(usize, usize) -> Option<Vec<Option<Value>>>) -> ArrayRef {
    let len = |row: &Option<Value>| row.as_ref().and_then(Value::as_list).map_or(0, <[_]>::len);
    let rows: Vec<_> = to_values(lists).iter().enumerate().map(|(row, list)| of(row, len(list))).collect();
    let rows: Vec<_> = rows.into_iter().map(|list| list.map(Value::List)).collect();
    try_from_values(&list(item), &rows).expect("the values are lists of the items")
}

fn count_elements() -> Vec<Case> {
    let run = |inputs: &[Column]| api::count_elements(&inputs[0]);
    let of = |(label, lists)| case(label, vec![lists], run, |inputs| naive::count_elements(&inputs[0]));
    columns(&types()).into_iter().map(of).chain([refused_numbers(run)]).collect()
}

fn extract_list_element() -> Vec<Case> {
    let mut cases = Vec::new();
    for (label, lists) in columns(&types()) {
        for index in [1, -2] {
            cases.push(case(
                format!("{label}/{index}"),
                vec![lists.clone()],
                move |inputs| api::extract_list_element(&inputs[0], index),
                move |inputs| naive::extract_list_element(&inputs[0], &plain::<Int64Type>([index])),
            ));
        }
        let index = (0..lists.len()).map(|row| (row % 7 != 3).then_some((row % 5) as i16 - 3));
        let big = (0..lists.len()).map(|row| if row % 2 == 0 { u64::MAX } else { row as u64 % 3 });
        for index in [ints::<Int16Type>(index), plain::<UInt64Type>(big)] {
            cases.push(case(
                format!("{label}/{}", index.data_type()),
                vec![lists.clone(), index],
                |inputs| api::extract_list_element(&inputs[0], &inputs[1]),
                |inputs| naive::extract_list_element(&inputs[0], &inputs[1]),
            ));
        }
    }
    for index in [0, i64::MAX, i64::MIN] {
        cases.push(case(
            format!("numbers/{index}"),
            vec![random_array(&list(DataType::Int32), 65, NullPattern::Some, 3)],
            move |inputs| api::extract_list_element(&inputs[0], index),
            move |inputs| naive::extract_list_element(&inputs[0], &plain::<Int64Type>([index])),
        ));
    }
    let lists = random_array(&list(DataType::Int8), 2, NullPattern::None, 0);
    let run = |inputs: &[Column]| api::extract_list_element(&inputs[0], &inputs[1]);
    let by_text = vec![lists.clone(), random_array(&DataType::Utf8, 2, NullPattern::None, 0)];
    cases.push(refused("text", by_text, run, |error| matches!(error, Error::TypeMismatch { .. })));
    let short = vec![lists.clone(), ints::<Int32Type>([Some(1)])];
    cases.push(refused("length", short, run, |error| matches!(error, Error::LengthMismatch { .. })));
    let null = |inputs: &[Column]| api::extract_list_element(&inputs[0], &Scalar::from_column(inputs[1].clone())?);
    let inputs = vec![lists, ints::<Int32Type>([None])];
    cases.push(refused("null", inputs, null, |error| matches!(error, Error::InvalidArgument { .. })));
    cases.push(refused_numbers(run));
    cases
}

fn segmented_gather() -> Vec<Case> {
    let mut cases = Vec::new();
    for (label, lists) in columns(&types()) {
        let map = lists_by(&lists, DataType::Int16, |row, len| {
            let at = |at: usize| (!(row + at).is_multiple_of(5)).then_some(Value::Int((at * 3 + row) as i128 % 9 - 4));
            (row % 6 != 1).then(|| (0..(len + row) % 5).map(at).collect())
        });
        cases.push(case(
            format!("{label}/Nullify"),
            vec![lists.clone(), map],
            |inputs| api::segmented_gather(&inputs[0], &inputs[1], OutOfBoundsPolicy::Nullify),
            |inputs| naive::segmented_gather(&inputs[0], &inputs[1]),
        ));
        let within = lists_by(&lists, DataType::UInt64, |_, len| {
            Some((0..len).rev().map(|at| (at % 4 != 2).then_some(Value::UInt(at as u64))).collect())
        });
        cases.push(case(
            format!("{label}/Error"),
            vec![lists.clone(), within],
            |inputs| api::segmented_gather(&inputs[0], &inputs[1], OutOfBoundsPolicy::Error),
            |inputs| naive::segmented_gather(&inputs[0], &inputs[1]),
        ));
    }
    let run = |inputs: &[Column]| api::segmented_gather(&inputs[0], &inputs[1], OutOfBoundsPolicy::Error);
    let lists = random_array(&list(DataType::Int8), 2, NullPattern::None, 0);
    let beyond = lists_by(&lists, DataType::Int32, |_, len| Some(vec![Some(Value::Int(len as i128))]));
    let is_invalid = |error: &Error| matches!(error, Error::InvalidArgument { .. });
    cases.push(refused("beyond", vec![lists.clone(), beyond.clone()], run, is_invalid));
    let is_type = |error: &Error| matches!(error, Error::TypeMismatch { .. });
    cases.push(refused(
        "map",
        vec![lists.clone(), random_array(&list(DataType::Utf8), 2, NullPattern::None, 0)],
        run,
        is_type,
    ));
    let is_length = |error: &Error| matches!(error, Error::LengthMismatch { .. });
    cases.push(refused("length", vec![lists, beyond.slice(0, 1)], run, is_length));
    cases.push(refused_numbers(run));
    cases
}

/// Builds cases of `index_of` if `find` is an option, and cases of `contains` otherwise.
fn searches(find: Option<FindOption>) -> Vec<Case> {
    let run = move |lists: &Column, key: gdf_core::Operand<'_>| match find {
        Some(find) => api::index_of(lists, key, find),
        None => api::contains(lists, key),
    };
    let oracle = move |lists: &ArrayRef, keys: &ArrayRef| match find {
        Some(find) => naive::index_of(lists, keys, find),
        None => naive::contains(lists, keys),
    };
    let mut cases = Vec::new();
    for (label, lists) in columns(&[comparable(), nested_elements()].concat()) {
        let label = format!("{label}/{find:?}");
        // In every second row, the key is an element of the row's list.
        let item = element_type(lists.data_type()).clone();
        let random = to_values(&random_array(&item, lists.len(), NullPattern::Some, 9));
        let found = to_values(&lists).into_iter().zip(random).enumerate().map(|(row, (list, random))| {
            let element = list.as_ref().and_then(Value::as_list).and_then(|list| list.get(row % 3).cloned());
            if row % 2 == 0 { element.flatten() } else { random }
        });
        let keys = try_from_values(&item, &found.collect::<Vec<_>>()).expect("the values have the type of the items");
        for row in 0..lists.len().min(1) {
            let key = keys.slice(row, 1);
            let of_scalar = move |inputs: &[Column]| run(&inputs[0], (&Scalar::from_column(inputs[1].clone())?).into());
            let oracle = move |inputs: &[ArrayRef]| oracle(&inputs[0], &inputs[1]);
            cases.push(case(format!("{label}/{row}"), vec![lists.clone(), key], of_scalar, oracle));
        }
        cases.push(case(
            format!("{label}/keys"),
            vec![lists, keys],
            move |inputs| run(&inputs[0], (&inputs[1]).into()),
            move |inputs| oracle(&inputs[0], &inputs[1]),
        ));
    }
    let floats = |rows: &[f64]| plain::<Float64Type>(rows.iter().copied());
    let special = try_from_values(
        &list(DataType::Float64),
        &[Some(Value::List([f64::NAN, -0.0, 1.0, 0.0, -f64::NAN].map(|number| Some(Value::F64(number))).to_vec()))],
    )
    .expect("the values are lists of floats");
    for number in [f64::NAN, 0.0, -0.0, 2.0] {
        cases.push(case(
            format!("literal {number:?}/{find:?}"),
            vec![special.clone()],
            move |inputs| run(&inputs[0], number.into()),
            move |inputs| oracle(&inputs[0], &floats(&[number])),
        ));
    }
    let of_column = move |inputs: &[Column]| run(&inputs[0], (&inputs[1]).into());
    let lists = random_array(&list(DataType::Int8), 2, NullPattern::None, 0);
    let is_type = |error: &Error| matches!(error, Error::TypeMismatch { .. });
    cases.push(refused(
        &format!("key {find:?}"),
        vec![lists.clone(), random_array(&DataType::Utf8, 2, NullPattern::None, 0)],
        of_column,
        is_type,
    ));
    let is_length = |error: &Error| matches!(error, Error::LengthMismatch { .. });
    cases.push(refused(
        &format!("length {find:?}"),
        vec![lists, random_array(&DataType::Int8, 1, NullPattern::None, 0)],
        of_column,
        is_length,
    ));
    let unions = random_array(&list(data::unions()[0].clone()), 2, NullPattern::None, 0);
    let union = random_array(&data::unions()[0], 2, NullPattern::None, 0);
    cases.push(refused(&format!("unions {find:?}"), vec![unions, union], of_column, |error| {
        matches!(error, Error::Unsupported { .. })
    }));
    cases
}

fn contains_nulls() -> Vec<Case> {
    let run = |inputs: &[Column]| api::contains_nulls(&inputs[0]);
    let of = |(label, lists)| case(label, vec![lists], run, |inputs| naive::contains_nulls(&inputs[0]));
    columns(&types()).into_iter().map(of).chain([refused_numbers(run)]).collect()
}

fn reverse() -> Vec<Case> {
    let run = |inputs: &[Column]| api::reverse(&inputs[0]);
    let of = |(label, lists)| case(label, vec![lists], run, |inputs| naive::reverse(&inputs[0]));
    columns(&types()).into_iter().map(of).chain([refused_numbers(run)]).collect()
}

const EQUALITIES: [(NullEquality, NanEquality); 3] = [
    (NullEquality::Equal, NanEquality::AllEqual),
    (NullEquality::Unequal, NanEquality::AllEqual),
    (NullEquality::Equal, NanEquality::Unequal),
];

fn distinct() -> Vec<Case> {
    let mut cases = Vec::new();
    let all = columns(&[comparable(), nested_elements(), vec![structs()]].concat());
    for (turn, (label, lists)) in all.into_iter().enumerate() {
        for (at, keep) in [Keep::First, Keep::Last, Keep::None].into_iter().enumerate() {
            // Every type has three lengths of columns. Every length meets every pair of options.
            let (nulls, nans) = EQUALITIES[(at + turn + turn / 3) % 3];
            cases.push(case(
                format!("{label}/{keep:?}/{nulls:?}/{nans:?}"),
                vec![lists.clone()],
                move |inputs| api::distinct(&inputs[0], keep, nulls, nans),
                move |inputs| naive::distinct(&inputs[0], keep, nulls, nans),
            ));
        }
    }
    cases.extend(distinct_lengths());
    let (nulls, nans) = (NullEquality::Equal, NanEquality::AllEqual);
    cases.push(of_gathered(
        "gathered/Int16/3",
        move |lists| api::distinct(lists, Keep::First, nulls, nans),
        move |lists| naive::distinct(lists, Keep::First, nulls, nans),
    ));
    let run = |inputs: &[Column]| api::distinct(&inputs[0], Keep::First, NullEquality::Equal, NanEquality::AllEqual);
    let unions = random_array(&list(data::unions()[0].clone()), 2, NullPattern::None, 0);
    cases.push(refused("unions", vec![unions], run, |error| matches!(error, Error::Unsupported { .. })));
    cases.push(refused_numbers(run));
    cases
}

/// Returns cases of lists of integers without null elements. In some cases, some empty lists are null.
fn distinct_lengths() -> Vec<Case> {
    let mut cases = Vec::new();
    for (turn, (label, lengths)) in lengths().into_iter().enumerate() {
        let types = [DataType::UInt8, DataType::Int16, DataType::Date32, DataType::Int64];
        for (at, data_type) in types.iter().enumerate() {
            let keep = [Keep::First, Keep::Last, Keep::None][(turn + at) % 3];
            let most = [3, 50][(turn / 2 + at) % 2];
            let values: Vec<_> =
                (0..lengths.iter().sum()).map(|at: usize| Some(Value::Int((at * at % most) as i128))).collect();
            let lists = lists_of(&lengths, from_values(data_type, &values), turn % 2 == 0);
            let (nulls, nans) = (NullEquality::Equal, NanEquality::AllEqual);
            cases.push(case(
                format!("lengths {label}/{data_type}/{keep:?}"),
                vec![lists],
                move |inputs| api::distinct(&inputs[0], keep, nulls, nans),
                move |inputs| naive::distinct(&inputs[0], keep, nulls, nans),
            ));
        }
    }
    cases
}

fn sets(operation: SetOperation) -> Vec<Case> {
    type OfSets = fn(ColumnView<'_>, ColumnView<'_>, NullEquality, NanEquality) -> Result<Column>;
    let of: OfSets = match operation {
        SetOperation::Union => |a, b, nulls, nans| api::union_distinct(a, b, nulls, nans),
        SetOperation::Intersection => |a, b, nulls, nans| api::intersect_distinct(a, b, nulls, nans),
        SetOperation::Difference => |a, b, nulls, nans| api::difference_distinct(a, b, nulls, nans),
        SetOperation::Overlap => |a, b, nulls, nans| api::have_overlap(a, b, nulls, nans),
    };
    let mut cases = Vec::new();
    let all = columns(&[comparable(), nested_elements(), vec![structs()]].concat());
    for (turn, (label, lists)) in all.into_iter().enumerate() {
        // The list of each row is the list of the next row of `lists`, or null.
        let mut others = to_values(&lists);
        let by = lists.len().min(1);
        others.rotate_left(by);
        others.iter_mut().step_by(5).for_each(|list| *list = None);
        let others = try_from_values(lists.data_type(), &others).expect("the values have the type of the lists");
        // NaN matters for floats only. Both columns of another type together have both null equalities.
        let one = vec![EQUALITIES[(turn + lists.len()) % 2]];
        for (nulls, nans) in if label.contains("Float") { EQUALITIES.to_vec() } else { one } {
            cases.push(case(
                format!("{label}/{nulls:?}/{nans:?}"),
                vec![lists.clone(), others.clone()],
                move |inputs| of(inputs[0].view(), inputs[1].view(), nulls, nans),
                move |inputs| naive::of_sets([&inputs[0], &inputs[1]], operation, nulls, nans),
            ));
        }
    }
    let run =
        move |inputs: &[Column]| of(inputs[0].view(), inputs[1].view(), NullEquality::Equal, NanEquality::AllEqual);
    let lists = random_array(&list(DataType::Int8), 2, NullPattern::None, 0);
    let others = random_array(&list(DataType::Int16), 2, NullPattern::None, 0);
    let is_type = |error: &Error| matches!(error, Error::TypeMismatch { .. });
    cases.push(refused("type", vec![lists.clone(), others], run, is_type));
    let is_length = |error: &Error| matches!(error, Error::LengthMismatch { .. });
    cases.push(refused("length", vec![lists.clone(), lists.slice(0, 1)], run, is_length));
    cases.push(refused_numbers(run));
    cases
}

const NULL_POLICIES: [ConcatenateNullPolicy; 2] =
    [ConcatenateNullPolicy::Ignore, ConcatenateNullPolicy::NullifyOutputRow];

fn concatenate_rows() -> Vec<Case> {
    let mut cases = Vec::new();
    for (label, lists) in columns(&types()) {
        let others = random_array(lists.data_type(), lists.len(), NullPattern::Some, 77);
        let all_valid = random_array(lists.data_type(), lists.len(), NullPattern::None, 78);
        // Without nulls in the lists, both columns of a pair have no nulls.
        let second = if lists.null_count() == 0 { &all_valid } else { &others };
        for nulls in NULL_POLICIES {
            for inputs in [vec![lists.clone(), second.clone()], vec![others.clone(), lists.clone(), all_valid.clone()]]
            {
                cases.push(case(
                    format!("{label}/{}/{nulls:?}", inputs.len()),
                    inputs,
                    move |inputs| api::concatenate_rows(view(inputs)?, nulls),
                    move |inputs| naive::concatenate_rows(inputs, nulls),
                ));
            }
        }
    }
    for item in [DataType::Utf8View, DataType::Dictionary(Box::new(DataType::Int8), Box::new(DataType::Utf8))] {
        let lists = [1, 2].map(|seed| random_array(&list(item.clone()), 33, NullPattern::Some, seed));
        cases.push(case(
            item.to_string(),
            lists.to_vec(),
            |inputs| api::concatenate_rows(view(inputs)?, ConcatenateNullPolicy::Ignore),
            |inputs| naive::concatenate_rows(inputs, ConcatenateNullPolicy::Ignore),
        ));
    }
    let alone = vec![random_array(&list(DataType::Utf8), 65, NullPattern::Some, 3)];
    cases.push(case(
        "alone".into(),
        alone,
        |inputs| api::concatenate_rows(view(inputs)?, ConcatenateNullPolicy::Ignore),
        |inputs| naive::concatenate_rows(inputs, ConcatenateNullPolicy::Ignore),
    ));
    let run = |inputs: &[Column]| api::concatenate_rows(view(inputs)?, ConcatenateNullPolicy::Ignore);
    let mixed = [DataType::Int8, DataType::Int16].map(|item| random_array(&list(item), 2, NullPattern::None, 0));
    cases.push(refused("type", mixed.to_vec(), run, |error| matches!(error, Error::TypeMismatch { .. })));
    cases.push(refused_numbers(run));
    let none = |_: &[Column]| api::concatenate_rows(&gdf_core::Table::try_new(vec![])?, ConcatenateNullPolicy::Ignore);
    cases.push(refused("no columns", vec![], none, |error| matches!(error, Error::InvalidArgument { .. })));
    cases
}

fn concatenate_list_elements() -> Vec<Case> {
    let large = DataType::LargeList(Arc::new(Field::new("item", DataType::Utf8, true)));
    let fixed = DataType::FixedSizeList(Arc::new(Field::new("item", list(DataType::Int16), true)), 2);
    let nested = [list(list(DataType::Float64)), list(large), fixed, list(list(list(DataType::Int8)))];
    let mut cases = Vec::new();
    for (data_type, seed) in nested.iter().zip(0..) {
        for pattern in [NullPattern::None, NullPattern::Some, NullPattern::Every(3), NullPattern::All] {
            for rows in [0, 1, 65] {
                let lists = random_array(data_type, rows, pattern, seed);
                for nulls in NULL_POLICIES {
                    cases.push(case(
                        format!("{data_type}/{rows}/{pattern:?}/{nulls:?}"),
                        vec![lists.clone()],
                        move |inputs| api::concatenate_list_elements(&inputs[0], nulls),
                        move |inputs| naive::concatenate_list_elements(&inputs[0], nulls),
                    ));
                }
            }
        }
    }
    let run = |inputs: &[Column]| api::concatenate_list_elements(&inputs[0], ConcatenateNullPolicy::Ignore);
    let flat = random_array(&list(DataType::Int8), 2, NullPattern::None, 0);
    cases.push(refused("flat", vec![flat], run, |error| matches!(error, Error::Unsupported { .. })));
    cases.push(refused_numbers(run));
    cases
}

fn masks(inverted: bool) -> Vec<Case> {
    let run = move |inputs: &[Column]| match inverted {
        false => api::apply_boolean_mask(&inputs[0], &inputs[1]),
        true => api::apply_deletion_mask(&inputs[0], &inputs[1]),
    };
    let mut cases = Vec::new();
    for (label, lists) in columns(&types()) {
        let mask = lists_by(&lists, DataType::Boolean, |row, len| {
            let at = |at: usize| (!(row + at).is_multiple_of(4)).then_some(Value::Bool((row * 3 + at) % 5 < 3));
            (row % 8 != 5).then(|| (0..len).map(at).collect())
        });
        cases.push(case(label, vec![lists, mask], run, move |inputs| {
            naive::apply_mask(&inputs[0], &inputs[1], inverted)
        }));
    }
    let lists = random_array(&list(DataType::Int8), 2, NullPattern::None, 0);
    let longer = lists_by(&lists, DataType::Boolean, |_, len| Some(vec![None; len + 1]));
    let is_invalid = |error: &Error| matches!(error, Error::InvalidArgument { .. });
    cases.push(refused("longer", vec![lists.clone(), longer.clone()], run, is_invalid));
    let is_length = |error: &Error| matches!(error, Error::LengthMismatch { .. });
    cases.push(refused("length", vec![lists.clone(), longer.slice(0, 1)], run, is_length));
    let is_type = |error: &Error| matches!(error, Error::TypeMismatch { .. });
    cases.push(refused("type", vec![lists.clone(), lists], run, is_type));
    cases
}

fn sequences() -> Vec<Case> {
    let run = |inputs: &[Column]| api::sequences(&inputs[0], &inputs[1], inputs.get(2).map(Column::view));
    let types = [
        DataType::Int8,
        DataType::UInt8,
        DataType::Int16,
        DataType::UInt16,
        DataType::Int32,
        DataType::UInt32,
        DataType::Int64,
        DataType::UInt64,
        DataType::Float32,
        DataType::Float64,
    ];
    let mut cases = Vec::new();
    for (data_type, seed) in types.iter().zip(0..) {
        for rows in [0, 1, 65] {
            let sizes = (0..rows).map(|row| row * 7 % 11);
            let sizes = match seed % 3 {
                0 => plain::<Int32Type>(sizes),
                1 => plain::<UInt64Type>(sizes.map(|size| size as u64)),
                _ => ints::<Int16Type>(sizes.map(|size| Some(size as i16))),
            };
            let [starts, steps] = [0, 1].map(|more| match data_type {
                DataType::Float32 | DataType::Float64 => {
                    let halves = (0..rows).map(|row| f64::from(row * 5 % 17 - 4 + more) / 2.0);
                    let halves = halves.map(|half| {
                        Some(if *data_type == DataType::Float32 { Value::F32(half as f32) } else { Value::F64(half) })
                    });
                    try_from_values(data_type, &halves.collect::<Vec<_>>()).expect("the values are floats")
                }
                _ => random_array(data_type, rows as usize, NullPattern::None, seed + 20 * more as u64),
            });
            for inputs in [vec![starts.clone(), sizes.clone()], vec![starts.clone(), sizes.clone(), steps]] {
                let label = format!("{data_type}/{rows}/{}", inputs.len());
                let oracle = |inputs: &[ArrayRef]| naive::sequences(&inputs[0], &inputs[1], inputs.get(2));
                cases.push(case(label, inputs, run, oracle));
            }
        }
    }
    let ones = plain::<Int32Type>([1, 1]);
    let is_invalid = |error: &Error| matches!(error, Error::InvalidArgument { .. });
    cases.push(refused("null", vec![ones.clone(), ints::<Int32Type>([Some(1), None])], run, is_invalid));
    cases.push(refused("negative", vec![ones.clone(), plain::<Int32Type>([3, -1])], run, is_invalid));
    let is_overflow = |error: &Error| matches!(error, Error::OffsetOverflow { .. });
    cases.push(refused("sizes", vec![ones.clone(), plain::<Int64Type>([1 << 30, 1 << 30])], run, is_overflow));
    cases.push(refused("more", vec![ones.clone(), plain::<Int64Type>([i64::MAX, 1])], run, is_overflow));
    let texts = random_array(&DataType::Utf8, 2, NullPattern::None, 0);
    cases.push(refused("text", vec![texts, ones.clone()], run, |error| matches!(error, Error::Unsupported { .. })));
    let is_type = |error: &Error| matches!(error, Error::TypeMismatch { .. });
    cases.push(refused("steps", vec![ones.clone(), ones.clone(), plain::<Int64Type>([1, 1])], run, is_type));
    let is_length = |error: &Error| matches!(error, Error::LengthMismatch { .. });
    cases.push(refused("length", vec![ones.clone(), ones.slice(0, 1)], run, is_length));
    cases
}
