//! The entry of `groupby` on a selection of rows.

use arrow_array::ArrayRef;
use arrow_schema::DataType;
use gdf_api::groupby::{AggregationRequest, GroupBy, GroupByAggregation as A, NullPolicy};
use gdf_core::{Column, Error, Result};

use super::values::small;
use super::{few, key_types};
use crate::catalog::shared::tables::view;
use crate::catalog::{Case, Entry, SliceCosts};
use crate::naive;
use gdf_test::compare::Equality;
use gdf_test::data::{NullPattern, SMALL_BRACKETS, long_texts, random_array};

/// The number of waits: for the grouping, and for the removal of groups that have no selected rows.
const WAITS: u64 = 4;

const WANTED: [A; 4] = [A::Sum, A::CountAll, A::Max, A::Nunique(NullPolicy::Exclude)];

pub(crate) fn entries() -> Vec<Entry> {
    // The operation removes groups that have no selected rows.
    vec![Entry::new("groupby.agg_where", Equality::AnyOrder, cases).guessing()]
}

/// Runs the operation.
fn run(inputs: &[Column], policy: NullPolicy) -> Result<Vec<Column>> {
    let [keys @ .., values, mask] = inputs else { return Err(Error::invalid_argument("an input is missing")) };
    let request = AggregationRequest::new(values, WANTED);
    Ok(GroupBy::new(view(keys)?, policy).agg_where(mask, &[request])?.into_columns())
}

fn case(label: String, keys: Vec<ArrayRef>, values: ArrayRef, mask: ArrayRef, policy: NullPolicy) -> Case {
    let oracle = move |inputs: &[ArrayRef]| {
        let (mask, columns) = inputs.split_last().ok_or("the mask is missing")?;
        let rows = naive::stream_compaction::apply_boolean_mask(columns, mask)?;
        let (values, keys) = rows.split_last().ok_or("the values are missing")?;
        naive::groupby::aggregate(keys, std::slice::from_ref(values), policy, &WANTED.map(|of| (0, of)))
    };
    let inputs = keys.into_iter().chain([values, mask]).collect();
    Case::new(label, inputs, move |inputs| run(inputs, policy), oracle, WAITS).with_slice_costs(SliceCosts::Own)
}

fn cases() -> Vec<Case> {
    let mut cases = Vec::new();
    let mask = |len, nulls, seed| random_array(&DataType::Boolean, len, nulls, seed);
    for (turn, data_type) in key_types().into_iter().enumerate() {
        let seed = turn as u64;
        let nulls = if turn.is_multiple_of(2) { NullPattern::None } else { NullPattern::Some };
        for (of_keys, policy) in [
            (NullPattern::None, NullPolicy::Include),
            (NullPattern::Some, NullPolicy::Exclude),
            (NullPattern::Some, NullPolicy::Include),
        ] {
            let keys = vec![random_array(&data_type, 257, of_keys, seed), few(3, 257, NullPattern::None, 1)];
            let values = random_array(&DataType::Int32, 257, NullPattern::Some, 5);
            let label = format!("key {data_type}/{of_keys:?}/{policy:?}");
            cases.push(case(label, keys, values, mask(257, nulls, seed + 100), policy));
        }
    }
    for (turn, len) in SMALL_BRACKETS.iter().copied().chain([1023, 1024, 1025, 5000]).enumerate() {
        for &nulls in NullPattern::ALL {
            let policy = if turn.is_multiple_of(2) { NullPolicy::Exclude } else { NullPolicy::Include };
            let keys = vec![few(5, len, nulls, 3), long_texts(len, NullPattern::None, 4)];
            let values = small(&DataType::Int64, len, nulls, 4);
            let label = format!("rows {len}/{nulls:?}/{policy:?}");
            cases.push(case(label, keys, values, mask(len, nulls, 7), policy));
        }
    }
    let run = |inputs: &[Column]| run(inputs, NullPolicy::Exclude);
    let ints = |len| random_array(&DataType::Int32, len, NullPattern::None, 1);
    let types = |error: &Error| matches!(error, Error::TypeMismatch { .. });
    cases.push(Case::refused("refused type", vec![ints(3), ints(3), ints(3)], run, types));
    let lengths = |error: &Error| matches!(error, Error::LengthMismatch { .. });
    let inputs = vec![ints(3), ints(3), mask(4, NullPattern::None, 1)];
    cases.push(Case::refused("refused length", inputs, run, lengths));
    cases
}
