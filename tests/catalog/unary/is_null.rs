//! Entries of `unary::{is_null, is_valid, is_nan, is_not_nan}`.

use arrow_array::{Array, ArrayRef};
use arrow_schema::DataType;
use gdf_api::unary as api;
use gdf_core::{Column, Result};

use crate::catalog::shared::tables::composite_types;
use crate::catalog::{Case, Entry, SliceCosts};
use crate::naive::unary::is_null as naive;
use gdf_test::compare::Equality;
use gdf_test::data::{self, BRACKETS, NullPattern, random_array};

pub(crate) fn entries() -> Vec<Entry> {
    vec![
        Entry::new("unary.is_null", Equality::Exact, || nulls((|of| api::is_null(of), naive::is_null))),
        Entry::new("unary.is_valid", Equality::Exact, || nulls((|of| api::is_valid(of), naive::is_valid))),
        Entry::new("unary.is_nan", Equality::Exact, || nans((|of| api::is_nan(of), naive::is_nan))),
        Entry::new("unary.is_not_nan", Equality::Exact, || nans((|of| api::is_not_nan(of), naive::is_not_nan))),
    ]
}

/// A function under test, and the oracle of the function.
type Operation = (fn(&Column) -> Result<Column>, fn(&ArrayRef) -> ArrayRef);

fn case(input: ArrayRef, (function, naive): Operation) -> Case {
    let question = if input.nulls().is_some() { "?" } else { "" };
    let label = format!("{}{question}/{}", input.data_type(), input.len());
    let run = move |inputs: &[Column]| Ok(vec![function(&inputs[0])?]);
    let without_own_nulls = matches!(input.data_type(), DataType::RunEndEncoded(..) | DataType::Union(..));
    let slices = if without_own_nulls { SliceCosts::Own } else { SliceCosts::Same };
    let oracle = move |inputs: &[ArrayRef]| Ok(vec![naive(&inputs[0])]);
    Case::new(label, vec![input], run, oracle, 0).with_slice_costs(slices)
}

fn nulls(operation: Operation) -> Vec<Case> {
    let mut cases = Vec::new();
    for (&rows, seed) in BRACKETS.iter().zip(0..) {
        for &nulls in NullPattern::ALL {
            cases.push(case(random_array(&DataType::Int32, rows, nulls, seed), operation));
        }
    }
    for (data_type, seed) in data::all().into_iter().chain(composite_types()).zip(100..) {
        for nulls in [NullPattern::None, NullPattern::Some] {
            cases.push(case(random_array(&data_type, 70, nulls, seed), operation));
        }
    }
    cases
}

fn nans(operation: Operation) -> Vec<Case> {
    let mut cases = Vec::new();
    for data_type in data::floating() {
        for (&rows, seed) in BRACKETS.iter().zip(0..) {
            for &nulls in NullPattern::ALL {
                cases.push(case(random_array(&data_type, rows, nulls, seed), operation));
            }
        }
    }
    cases
}

#[cfg(test)]
mod tests {
    use gdf_test::runner::{RunnerOptions, run_entry};

    #[test]
    fn passes_on_the_cpu() {
        for entry in super::entries() {
            run_entry(&entry, gdf_driver::Device::Cpu, &RunnerOptions::default()).assert_passed();
        }
    }
}
