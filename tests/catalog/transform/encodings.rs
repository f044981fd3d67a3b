//! The entries of functions that convert list views, run-end encoded columns and unions to other columns.

use std::sync::Arc;

use arrow_array::types::{Int32Type, Int64Type};
use arrow_array::{Array, ArrayRef, LargeListViewArray, ListViewArray};
use arrow_buffer::NullBuffer;
use arrow_schema::{DataType, Field};
use gdf_api::lists::from_list_view;
use gdf_api::transform::{run_end_decode, run_end_encode, union_field, union_type_ids};
use gdf_core::{Column, Error, Result};

use crate::catalog::shared::tables::{few_nested, gather_waits, nested_key_waits};
use crate::catalog::{Case, Entry, SliceCosts};
use crate::naive::transform as naive;
use gdf_test::builders::plain;
use gdf_test::compare::Equality;
use gdf_test::data::{self, NullPattern, SMALL_BRACKETS, random_array};
use gdf_test::value::{from_values, to_values};

pub(crate) fn entries() -> Vec<Entry> {
    vec![
        Entry::new("lists.from_list_view", Equality::Exact, list_views).guessing(),
        Entry::new("transform.run_end_decode", Equality::Exact, decoded).guessing(),
        Entry::new("transform.run_end_encode", Equality::Exact, encoded).guessing(),
        Entry::new("transform.union_field", Equality::Exact, fields).guessing(),
        Entry::new("transform.union_type_ids", Equality::Exact, type_ids).sharing_inputs(),
    ]
}

const PATTERNS: [NullPattern; 3] = [NullPattern::None, NullPattern::Some, NullPattern::All];

/// Returns the types of values: of fixed width, text, views, dictionaries, structs and lists.
fn values() -> Vec<DataType> {
    let fixed = [DataType::Boolean, DataType::Int16, DataType::Float64, DataType::Decimal256(76, 0)];
    [&fixed[..], &data::strings()[..1], &data::views()[..1], &data::nested()[..1], &data::nested()[8..12]].concat()
}

fn refused(data_type: &DataType, run: impl Fn(&[Column]) -> Result<Vec<Column>> + Send + Sync + 'static) -> Case {
    let column = random_array(data_type, 3, NullPattern::None, 1);
    Case::refused(format!("refused/{data_type}"), vec![column], run, |error| matches!(error, Error::Unsupported { .. }))
}

fn list_views() -> Vec<Case> {
    let run = |inputs: &[Column]| Ok(vec![from_list_view(&inputs[0])?]);
    let case = |label: String, column: ArrayRef| {
        let list = match column.data_type() {
            DataType::LargeListView(of) => DataType::LargeList(of.clone()),
            DataType::ListView(of) => DataType::List(of.clone()),
            other => other.clone(),
        };
        let waits = 1 + gather_waits(&[random_array(&list, 1, NullPattern::None, 1)]);
        let oracle = move |inputs: &[ArrayRef]| Ok(vec![naive::as_type(&inputs[0], &list)?]);
        Case::new(label, vec![column], run, oracle, waits).with_slice_costs(SliceCosts::Own)
    };
    let mut cases = Vec::new();
    for (of, seed) in values().into_iter().zip(1..) {
        let item = Arc::new(Field::new("item", of.clone(), true));
        for data_type in [DataType::ListView(item.clone()), DataType::LargeListView(item)] {
            let column = random_array(&data_type, 65, NullPattern::Some, seed);
            cases.push(case(format!("{data_type}"), column));
        }
    }
    let item = Arc::new(Field::new("item", DataType::Int32, true));
    for (&rows, seed) in SMALL_BRACKETS.iter().zip(1..) {
        for nulls in PATTERNS {
            let column = random_array(&DataType::ListView(item.clone()), rows, nulls, seed);
            cases.push(case(format!("{rows}/{nulls:?}"), column));
        }
    }
    // The lists share elements, and are not in the order of the elements.
    let elements = plain::<Int32Type>([1, 2, 3, 4, 5]);
    let (begins, sizes) = ([3, 0, 1, 4, 0], [2, 3, 4, 0, 5]);
    let shared =
        ListViewArray::new(item.clone(), begins.to_vec().into(), sizes.to_vec().into(), elements.clone(), None);
    cases.push(case("shared".into(), Arc::new(shared)));
    // Null lists have elements, which the result must not have.
    let valid = NullBuffer::from(vec![true, false, true, true, false]);
    let (begins_of, sizes_of) = (begins.to_vec().into(), sizes.to_vec().into());
    let hidden = ListViewArray::new(item.clone(), begins_of, sizes_of, elements.clone(), Some(valid));
    cases.push(case("hidden".into(), Arc::new(hidden)));
    let [begins, sizes] = [begins, sizes].map(|of| of.map(i64::from).to_vec());
    let shared = LargeListViewArray::new(item, begins.into(), sizes.into(), elements, None);
    cases.push(case("shared/large".into(), Arc::new(shared)));
    cases.extend([DataType::Int32, data::nested()[0].clone()].iter().map(|of| refused(of, run)));
    cases
}

fn runs_of(ends: &DataType, values: &DataType) -> DataType {
    let field = |name: &str, of: &DataType, nulls| Arc::new(Field::new(name, of.clone(), nulls));
    DataType::RunEndEncoded(field("run_ends", ends, false), field("values", values, true))
}

fn decoded() -> Vec<Case> {
    let run = |inputs: &[Column]| Ok(vec![run_end_decode(&inputs[0])?]);
    let case = |label: String, ends: &DataType, rows: ArrayRef| {
        let values = rows.data_type().clone();
        let column = from_values(&runs_of(ends, &values), &to_values(&rows));
        let waits = gather_waits(&[rows]);
        let oracle = move |inputs: &[ArrayRef]| Ok(vec![naive::as_type(&inputs[0], &values)?]);
        Case::new(format!("{label}/{}", column.data_type()), vec![column], run, oracle, waits)
            .with_slice_costs(SliceCosts::Own)
    };
    let ends = [DataType::Int16, DataType::Int32, DataType::Int64];
    let mut cases = Vec::new();
    for (of, seed) in values().iter().zip(1_u64..) {
        let rows = few_nested(of, 65, 3, NullPattern::Some, seed);
        cases.push(case("types".into(), &ends[seed as usize % 3], rows));
    }
    for (&rows, seed) in SMALL_BRACKETS.iter().zip(1_u64..) {
        for nulls in PATTERNS {
            let column = few_nested(&DataType::Int32, rows, 2, nulls, seed);
            cases.push(case(format!("{rows}/{nulls:?}"), &ends[seed as usize % 3], column));
        }
    }
    cases.push(refused(&DataType::Int32, run));
    cases
}

fn encoded() -> Vec<Case> {
    let run = |inputs: &[Column]| {
        let encoded = run_end_encode(&inputs[0])?;
        Ok([std::slice::from_ref(&encoded), encoded.children()].concat())
    };
    let case = |label: String, column: ArrayRef| {
        let waits = 2 + gather_waits(std::slice::from_ref(&column)) + nested_key_waits(std::slice::from_ref(&column));
        let oracle = |inputs: &[ArrayRef]| {
            let encoded = naive::as_type(&inputs[0], &runs_of(&DataType::Int32, inputs[0].data_type()))?;
            Ok([vec![encoded], naive::runs(&inputs[0])?].concat())
        };
        Case::new(label, vec![column], run, oracle, waits).with_slice_costs(SliceCosts::Own)
    };
    let mut cases = Vec::new();
    for (of, seed) in data::ordered().iter().zip(1..) {
        let of_floats = data::floating().contains(of);
        let nulls = if of_floats { NullPattern::None } else { NullPattern::Some };
        cases.push(case(format!("{of}"), few_nested(of, 65, if of_floats { 1 } else { 3 }, nulls, seed)));
    }
    for (&rows, seed) in SMALL_BRACKETS.iter().zip(1..) {
        for nulls in PATTERNS {
            cases.push(case(format!("{rows}/{nulls:?}"), few_nested(&DataType::Int64, rows, 2, nulls, seed)));
        }
    }
    let long = plain::<Int64Type>((0..5000).map(|row| row / 700));
    cases.push(case("long".into(), long));
    cases.push(refused(&DataType::Interval(arrow_schema::IntervalUnit::MonthDayNano), run));
    cases.push(refused(&data::unions()[0], run));
    cases
}

fn unions(case: impl Fn(String, ArrayRef) -> Case) -> Vec<Case> {
    let mut cases = Vec::new();
    for (&rows, seed) in SMALL_BRACKETS.iter().zip(1..) {
        for of in data::unions() {
            cases.push(case(format!("{rows}/{of}"), random_array(&of, rows, NullPattern::None, seed)));
        }
    }
    cases
}

fn fields() -> Vec<Case> {
    let mut cases = Vec::new();
    for (id, data_type) in [(3, DataType::Int32), (70, DataType::Utf8)] {
        cases.extend(unions(|label, column| {
            let data_type = data_type.clone();
            Case::new(
                format!("{id}/{label}"),
                vec![column],
                move |inputs| Ok(vec![union_field(&inputs[0], id)?]),
                move |inputs| Ok(vec![naive::union_field(&inputs[0], id, &data_type)]),
                u64::from(id == 70),
            )
            .with_slice_costs(SliceCosts::Own)
        }));
    }
    let column = random_array(&data::unions()[1], 3, NullPattern::None, 1);
    cases.push(Case::refused(
        "refused/id",
        vec![column],
        |inputs| Ok(vec![union_field(&inputs[0], 4)?]),
        |error| matches!(error, Error::InvalidArgument { .. }),
    ));
    cases.push(refused(&DataType::Int32, |inputs| Ok(vec![union_field(&inputs[0], 3)?])));
    cases
}

fn type_ids() -> Vec<Case> {
    let run = |inputs: &[Column]| Ok(vec![union_type_ids(&inputs[0])?]);
    let oracle = |inputs: &[ArrayRef]| Ok(vec![naive::union_type_ids(&inputs[0])]);
    let mut cases = unions(|label, column| Case::new(label, vec![column], run, oracle, 0));
    cases.push(refused(&DataType::Int32, run));
    cases
}
