//! Cases of variances and standard deviations of values that are far from zero, or close together.

use std::sync::Arc;

use arrow_array::ArrayRef;
use arrow_schema::DataType;
use gdf_api::groupby::{GroupByAggregation as A, NullPolicy};

use super::{Call, case, case_of_waits, few};
use crate::catalog::{Case, SliceCosts};
use crate::naive;
use gdf_test::data::NullPattern;
use gdf_test::value::{Value, from_values};

/// Builds cases of variances and standard deviations of values whose squares exceed the precision of floats.
pub(crate) fn far_from_zero() -> Vec<Case> {
    let mut cases = Vec::new();
    let group = |row: usize, groups: usize| (row.saturating_sub(1) % groups) as i128;
    for groups in [1, 7, 100, 3000] {
        let rows = 4 * groups + 1;
        let numbers = |of: &dyn Fn(i128) -> i128, data_type: &DataType| {
            let values: Vec<_> = (0..rows).map(|row| Some(Value::Int(of(group(row, groups))))).collect();
            from_values(data_type, &values)
        };
        let texts: Vec<_> = (0..rows).map(|row| Some(Value::Str(format!("group {}", group(row, groups))))).collect();
        let texts = from_values(&DataType::Utf8, &texts);
        let narrow = numbers(&|group| group - 3, &DataType::Int32);
        let wide = vec![numbers(&|group| group << 33, &DataType::Int64), numbers(&|group| -group, &DataType::Int64)];
        for data_type in [DataType::Int64, DataType::UInt32, DataType::Float32, DataType::Float64] {
            let far: i128 = if data_type == DataType::Float32 { 1 << 20 } else { 1 << 30 };
            let value = |row: usize| far + 8 * group(row, groups) + 2 * (row.saturating_sub(1) / groups) as i128;
            let value = |row: usize| match data_type {
                DataType::Float32 => Value::F32(value(row) as f32),
                DataType::Float64 => Value::F64(value(row) as f64),
                _ => Value::Int(value(row)),
            };
            let values: Vec<_> = (0..rows).map(|row| (row > 0).then(|| value(row))).collect();
            let values = from_values(&data_type, &values);
            for (name, keys) in
                [("number", vec![narrow.clone()]), ("wide", wide.clone()), ("text", vec![texts.clone()])]
            {
                let requests = vec![(0, A::Variance { ddof: 1 }), (0, A::M2), (0, A::Sum), (0, A::Std { ddof: 0 })];
                let label = format!("far from zero/{groups}/{data_type}/{name}");
                cases.push(case(label, keys, vec![values.clone()], NullPolicy::Exclude, requests));
            }
        }
    }
    cases
}

/// The largest accepted difference of variances from those of two passes, in units in the last place. The direct
/// formula loses up to 12 bits, and the sums lose a few more.
pub(crate) const ULP: u32 = 1 << 20;

/// Builds cases of variances and standard deviations that are compared with those of two passes. The values are around
/// zero, or the distance from zero is many times their standard deviation. The median makes the order of the groups
/// known.
pub(crate) fn cases() -> Vec<Case> {
    let mut cases = Vec::new();
    let requests = [A::Variance { ddof: 1 }, A::Std { ddof: 0 }, A::M2, A::Median].map(|of| (0, of)).to_vec();
    for (data_type, far) in [
        (DataType::Float64, vec![0.0, 2e3, -1e5, 1e9, 4e12]),
        (DataType::Float32, vec![0.0, 2e3, 1e5]),
        (DataType::Int64, vec![0.0, -1e5, 1e14]),
    ] {
        for (far, groups) in far.into_iter().zip([7, 1, 100, 7, 1]) {
            let rows = 3000;
            let mixed = |row: usize| (row as u64).wrapping_mul(0x9e37_79b9_7f4a_7c15) >> 51;
            let value = |row: usize| far + mixed(row) as f64 / 64.0;
            let value = |row: usize| match data_type {
                DataType::Float32 => Value::F32(value(row) as f32),
                DataType::Float64 => Value::F64(value(row)),
                _ => Value::Int(value(row) as i128),
            };
            let values: Vec<_> = (0..rows).map(|row| (row % 11 != 3).then(|| value(row))).collect();
            let keys = vec![few(groups, rows, NullPattern::Some, 5)];
            let label = format!("spreads/{groups}/{data_type}/{far}");
            let (requests, values) = (requests.clone(), vec![from_values(&data_type, &values)]);
            let call = Call::new(&keys, NullPolicy::Exclude, requests.clone());
            let mut case = case_of_waits(label, keys, values, NullPolicy::Exclude, requests, 48);
            case.naive = Arc::new(move |inputs: &[ArrayRef]| {
                let (keys, values) = inputs.split_at(call.keys);
                naive::groupby::aggregate_in_two_passes(keys, values, NullPolicy::Exclude, &call.requests)
            });
            cases.push(case.with_slice_costs(SliceCosts::Own));
        }
    }
    cases
}
