//! The entry `scan.ewma`.

use arrow_array::ArrayRef;
use arrow_array::types::Float64Type;
use arrow_schema::DataType;
use gdf_api::scan::{self, EwmHistory};
use gdf_core::{Column, Error, Result};

use crate::catalog::reduction::gentle;
use crate::catalog::{Case, Entry};
use crate::naive;
use gdf_test::builders::ints;
use gdf_test::compare::Equality;
use gdf_test::data::{BRACKETS, NullPattern, random_array};

pub(crate) fn entries() -> Vec<Entry> {
    vec![Entry::new("scan.ewma", Equality::Ulp(1 << 12), cases)]
}

fn run(inputs: &[Column], com: f64, history: EwmHistory) -> Result<Vec<Column>> {
    Ok(vec![scan::ewma(&inputs[0], com, history)?])
}

fn case(label: &str, input: ArrayRef, com: f64, history: EwmHistory) -> Case {
    let finite = history == EwmHistory::Finite;
    Case::new(
        format!("{label}/{}/{}/{com}/{history:?}", input.data_type(), input.len()),
        vec![input],
        move |inputs| run(inputs, com, history),
        move |inputs| naive::scan::ewma(&inputs[0], com, finite),
        0,
    )
}

/// Returns numbers of one sign, so that sums have no cancellation.
fn numbers(rows: usize, null: impl Fn(usize) -> bool) -> ArrayRef {
    ints::<Float64Type>((0..rows).map(|row| (!null(row)).then(|| 1.0 + (row * 7919 % 101) as f64)))
}

fn cases() -> Vec<Case> {
    let mut cases = Vec::new();
    for &rows in BRACKETS {
        for (com, history) in [(0.5, EwmHistory::Infinite), (4.0, EwmHistory::Finite), (1.0, EwmHistory::Infinite)] {
            cases.push(case("plain", numbers(rows, |_| false), com, history));
            cases.push(case("nulls", numbers(rows, |row| row % 5 == 3), com, history));
        }
    }
    for history in [EwmHistory::Infinite, EwmHistory::Finite] {
        // The gaps without valid rows are longer than a mask word.
        cases.push(case("gaps", numbers(300, |row| row < 70 || (100..180).contains(&row)), 9.0, history));
        cases.push(case("all", numbers(40, |_| true), 9.0, history));
        cases.push(case("last", numbers(70, |_| false), 0.0, history));
        cases.push(case("single", gentle_floats(), 0.25, history));
    }
    for com in [-0.5, f64::NAN, f64::INFINITY] {
        cases.push(Case::refused(
            format!("refused {com}"),
            vec![numbers(3, |_| false)],
            move |inputs| run(inputs, com, EwmHistory::Finite),
            |error| matches!(error, Error::InvalidArgument { .. }),
        ));
    }
    for data_type in [DataType::Int64, DataType::Float16, DataType::Utf8] {
        cases.push(Case::refused(
            format!("refused {data_type}"),
            vec![random_array(&data_type, 3, NullPattern::None, 1)],
            |inputs| run(inputs, 1.0, EwmHistory::Infinite),
            |error| matches!(error, Error::Unsupported { .. }),
        ));
    }
    cases
}

fn gentle_floats() -> ArrayRef {
    gentle(&DataType::Float32, 17, NullPattern::None, false)
}
