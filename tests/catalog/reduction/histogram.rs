//! The entry `reduction.histogram`.

use arrow_array::ArrayRef;
use arrow_schema::DataType;
use gdf_api::groupby::{GroupByAggregation, NullPolicy};
use gdf_core::{Column, Error};

use crate::catalog::groupby::{few, key_types};
use crate::catalog::shared::tables::{few_nested, nested_key_slices, nested_key_waits};
use crate::catalog::{Case, Entry};
use crate::naive;
use gdf_test::compare::Equality;
use gdf_test::data::{self, NullPattern, SMALL_BRACKETS, random_array};

pub(crate) fn entries() -> Vec<Entry> {
    vec![Entry::new("reduction.histogram", Equality::AnyOrder, cases).guessing()]
}

fn run(inputs: &[Column]) -> gdf_core::Result<Vec<Column>> {
    let (values, counts) = gdf_api::reduction::histogram(&inputs[0])?;
    Ok(vec![values, counts])
}

fn case(label: String, column: ArrayRef) -> Case {
    let naive = |inputs: &[ArrayRef]| {
        naive::groupby::aggregate(inputs, inputs, NullPolicy::Include, &[(0, GroupByAggregation::CountAll)])
    };
    let keys = std::slice::from_ref(&column);
    let (waits, slices) = (1 + nested_key_waits(keys), nested_key_slices(keys));
    Case::new(label, vec![column], run, naive, waits).with_slice_costs(slices)
}

fn cases() -> Vec<Case> {
    let mut cases = Vec::new();
    for (seed, data_type) in key_types().iter().enumerate() {
        for nulls in [NullPattern::None, NullPattern::Some] {
            let column = random_array(data_type, 300, nulls, seed as u64);
            cases.push(case(format!("{data_type}/{nulls:?}"), column));
        }
    }
    // The runner counts the blocks of memory that a guessing operation gives back.
    let has_blocks = |data_type: &&DataType| !matches!(data_type, DataType::FixedSizeBinary(_));
    for (seed, data_type) in data::nested_keys().iter().filter(has_blocks).enumerate() {
        cases.push(case(format!("nested {data_type}"), few_nested(data_type, 300, 90, NullPattern::Some, seed as u64)));
    }
    for &rows in SMALL_BRACKETS {
        for &nulls in NullPattern::ALL {
            cases.push(case(format!("{rows}/{nulls:?}"), few(9, rows, nulls, 2)));
        }
    }
    for data_type in [data::unions()[0].clone(), DataType::Null] {
        let column = random_array(&data_type, 3, NullPattern::None, 1);
        let unsupported = |error: &Error| matches!(error, Error::Unsupported { .. });
        cases.push(Case::refused(format!("refused {data_type}"), vec![column], run, unsupported));
    }
    cases
}
