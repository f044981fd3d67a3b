//! The entries `reduction.columns_equal` and `reduction.tables_equal`.

use arrow_array::types::{Float64Type, Int32Type};
use arrow_array::{Array, ArrayRef};
use arrow_schema::DataType;
use gdf_api::reduction::{columns_equal, tables_equal};
use gdf_api::stream_compaction::NullEquality;
use gdf_core::{Column, Error, Result};

use crate::catalog::groupby::key_types;
use crate::catalog::shared::tables::{as_table, encoded_types, few_nested, nested_key_waits, shown};
use crate::catalog::{Case, Entry, SliceCosts};
use crate::naive::stream_compaction::tables_equal as naive;
use gdf_test::builders::{bools, plain};
use gdf_test::compare::Equality;
use gdf_test::data::{self, NullPattern, SMALL_BRACKETS, random_array};
use gdf_test::value::{from_values, to_values};

pub(crate) fn entries() -> Vec<Entry> {
    vec![
        Entry::new("reduction.columns_equal", Equality::Exact, columns),
        Entry::new("reduction.tables_equal", Equality::Exact, tables),
    ]
}

fn case(label: &str, left: Vec<ArrayRef>, right: Vec<ArrayRef>, nulls: NullEquality, as_columns: bool) -> Case {
    let width = left.len();
    let inputs = [left, right].concat();
    let waits = inputs.len() as u64 + nested_key_waits(&inputs) + 4;
    let label = format!("{label}/{nulls:?}/{}", inputs[0].data_type());
    // Columns of different lengths are compared without a launch, so such a case has no result if the answer is right.
    let launches = inputs[0].len() == inputs[width].len();
    let run = move |inputs: &[Column]| {
        let equal = run(inputs, width, nulls, as_columns)?;
        if launches || equal { Ok(vec![shown(&[equal], inputs[0].device())?]) } else { Ok(Vec::new()) }
    };
    let oracle = move |inputs: &[ArrayRef]| {
        let (left, right) = inputs.split_at(width);
        let equal = naive(left, right, nulls);
        Ok(if launches || equal { vec![bools([Some(equal)])] } else { Vec::new() })
    };
    Case::new(label, inputs, run, oracle, waits).with_host_values(width).with_slice_costs(SliceCosts::Own)
}

fn run(inputs: &[Column], width: usize, nulls: NullEquality, as_columns: bool) -> Result<bool> {
    let (left, right) = inputs.split_at(width);
    if as_columns {
        columns_equal(&left[0], &right[0], nulls)
    } else {
        tables_equal(&as_table(left)?, &as_table(right)?, nulls)
    }
}

fn changed(column: &ArrayRef, row: usize) -> ArrayRef {
    let mut values = to_values(column);
    let other = values.iter().position(|value| *value != values[row]).unwrap_or(0);
    values[row] = values[other].clone();
    from_values(column.data_type(), &values)
}

const BOTH: [NullEquality; 2] = [NullEquality::Equal, NullEquality::Unequal];

fn columns() -> Vec<Case> {
    let mut cases = Vec::new();
    for (of, seed) in [key_types(), encoded_types(), data::nested_keys()].concat().iter().zip(1_u64..) {
        for pattern in [NullPattern::None, NullPattern::Some] {
            let column = few_nested(of, 65, 20, pattern, seed);
            for nulls in BOTH {
                let other = changed(&column, 64);
                cases.push(case("same", vec![column.clone()], vec![column.clone()], nulls, true));
                cases.push(case("changed", vec![column.clone()], vec![other], nulls, true));
            }
        }
    }
    for (&rows, seed) in SMALL_BRACKETS.iter().zip(1_u64..) {
        let column = random_array(&DataType::Int32, rows, NullPattern::Some, seed);
        let all = |other: ArrayRef| case(&format!("{rows}"), vec![column.clone()], vec![other], BOTH[0], true);
        cases.push(all(column.clone()));
        cases.push(all(random_array(&DataType::Int32, rows + 1, NullPattern::Some, seed)));
        cases.extend([0, rows / 2].into_iter().filter(|_| rows > 1).map(|row| all(changed(&column, row))));
    }
    let one = plain::<Float64Type>([0.0, f64::NAN, -0.0, 1.0]);
    let other = plain::<Float64Type>([-0.0, -f64::NAN, 0.0, 1.0]);
    let numbers = plain::<Float64Type>([0.0, 2.0, -0.0, 1.0]);
    cases.push(case("floats", vec![one.clone()], vec![other], BOTH[0], true));
    cases.push(case("NaN", vec![one.clone()], vec![numbers], BOTH[0], true));
    cases.push(refused("types", vec![one.clone(), plain::<Int32Type>([1])], |error| {
        matches!(error, Error::TypeMismatch { .. })
    }));
    let union = random_array(&data::unions()[0], 3, NullPattern::None, 1);
    cases.push(refused("union", vec![union.clone(), union], |error| matches!(error, Error::Unsupported { .. })));
    cases
}

fn refused(label: &str, inputs: Vec<ArrayRef>, is_right: fn(&Error) -> bool) -> Case {
    let run = |inputs: &[Column]| columns_equal(&inputs[0], &inputs[1], NullEquality::Equal).map(|_| Vec::new());
    Case::refused(format!("refused/{label}"), inputs, run, is_right)
}

fn tables() -> Vec<Case> {
    let mut cases = Vec::new();
    for (rows, seed) in [(0, 1), (1, 2), (65, 3), (1025, 4)] {
        let types = [DataType::Int64, DataType::Utf8, data::nested()[0].clone()];
        let left: Vec<_> = types.iter().map(|of| few_nested(of, rows, 9, NullPattern::Some, seed)).collect();
        for nulls in BOTH {
            cases.push(case(&format!("same/{rows}"), left.clone(), left.clone(), nulls, false));
            for at in 0..if rows > 1 { 3 } else { 0 } {
                let mut right = left.clone();
                right[at] = changed(&right[at], rows / 3);
                cases.push(case(&format!("changed/{at}/{rows}"), left.clone(), right, nulls, false));
            }
        }
        let fewer: Vec<_> = left.iter().map(|column| column.slice(0, rows.saturating_sub(1))).collect();
        cases.push(case(&format!("fewer/{rows}"), left, fewer, BOTH[0], false));
    }
    let refused = |inputs: &[Column]| {
        tables_equal(&as_table(inputs)?, &as_table(&inputs[..1])?, NullEquality::Equal).map(|_| Vec::new())
    };
    let inputs = vec![plain::<Int32Type>([1]), plain::<Int32Type>([1])];
    cases.push(Case::refused("refused/columns", inputs, refused, |error| matches!(error, Error::ColumnCount { .. })));
    cases
}
