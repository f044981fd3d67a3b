//! Entries of `reduction.describe`. The floats are chosen so that no sum has cancellation, which would make the sum
//! inexact.

use arrow_array::{Array, ArrayRef};
use arrow_schema::DataType;
use gdf_core::{Column, is_floating, is_numeric};

use super::gentle;
use crate::catalog::shared::tables::view;
use crate::catalog::{Case, Entry};
use crate::naive;
use gdf_test::compare::Equality;
use gdf_test::data::{self, NullPattern, SMALL_BRACKETS, random_array};

pub(crate) fn entries() -> Vec<Entry> {
    vec![Entry::new("reduction.describe", Equality::Ulp(8), cases)]
}

fn case(label: String, inputs: Vec<ArrayRef>) -> Case {
    let waits = inputs.iter().filter(|input| is_numeric(input.data_type())).count() as u64;
    let run = |inputs: &[Column]| Ok(gdf_api::reduction::describe(view(inputs)?, &[])?.0.into_columns());
    Case::new(label, inputs, run, naive::reduction::describe::describe, waits)
}

fn cases() -> Vec<Case> {
    let mut cases = Vec::new();
    for data_type in [data::numeric(), data::decimal()].concat() {
        for nulls in [NullPattern::None, NullPattern::Every(3)] {
            let numbers = match is_floating(&data_type) {
                true => gentle(&data_type, 50, nulls, false),
                false => random_array(&data_type, 50, nulls, 7),
            };
            cases.push(case(format!("{data_type}/{nulls:?}"), vec![numbers]));
        }
    }
    for &rows in SMALL_BRACKETS {
        for &nulls in NullPattern::ALL {
            let numbers = random_array(&DataType::Int32, rows, nulls, 2);
            let text = random_array(&DataType::Utf8, rows, nulls, 1);
            let floats = gentle(&DataType::Float64, rows, nulls, false);
            cases.push(case(format!("{rows} rows/{nulls:?}"), vec![text, numbers, floats]));
        }
    }
    cases
}
