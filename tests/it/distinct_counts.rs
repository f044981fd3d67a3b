//! Tests counts of distinct values in groups of many rows. For integers in a range of 32 bits, CUDA counts the distinct
//! pairs of a group number and a distance from the smallest integer.

use std::collections::HashSet;

use gdf::DataType;
use gdf::groupby::{AggregationRequest, GroupBy, GroupByAggregation, NullPolicy};
use gdf::prelude::*;
use gdf_test::device::test_device;

use crate::coverage::assert_launched;

const ROWS: i64 = (1 << 17) + 77;

/// Returns the number of distinct values of each group, by the key.
fn counts(keys: &Table, values: &Column, nulls: NullPolicy) -> Vec<(i64, i64)> {
    let requests = [AggregationRequest::new(values, vec![GroupByAggregation::Nunique(nulls)])];
    let (keys, results) = GroupBy::new(keys, NullPolicy::Include).aggregate(&requests).unwrap();
    let keys = keys.column(0).unwrap().to_vec::<i64>().unwrap();
    let counts = gdf::unary::cast(&results[0][0], &DataType::Int64).unwrap().to_vec::<i64>().unwrap();
    let mut counts: Vec<_> = keys.into_iter().flatten().zip(counts.into_iter().flatten()).collect();
    counts.sort_unstable();
    counts
}

#[test]
fn integers_of_a_narrow_range_are_counted() {
    scope::with_device(test_device(), || {
        for groups in [3_i64, 5000] {
            let key = |row: i64| row * 7919 % groups;
            let number = |row: i64| row.wrapping_mul(0x9e37_79b9_7f4a_7c15_u64 as i64) >> 52;
            let wide = Column::from_slice(&(0..ROWS).map(key).collect::<Vec<_>>()).unwrap();
            let text =
                Column::from_strs((0..ROWS).map(|row| format!("a longer text of {}", key(row))).collect::<Vec<_>>());
            // Keys of one column pack into 64 bits. Keys with a text do not.
            for keys in [vec![wide.clone()], vec![wide.clone(), text.unwrap()]] {
                let keys = Table::try_new(keys).unwrap();
                let numbers: Vec<Option<i64>> = (0..ROWS).map(|row| (row % 11 != 5).then(|| number(row))).collect();
                let expected = |with_null: bool, of: &dyn Fn(i64) -> i64| -> Vec<(i64, i64)> {
                    let mut sets = vec![HashSet::new(); groups as usize];
                    for (row, number) in numbers.iter().enumerate() {
                        if with_null || number.is_some() {
                            sets[key(row as i64) as usize].insert(number.map(of));
                        }
                    }
                    (0..).zip(&sets).map(|(key, set)| (key, set.len() as i64)).collect()
                };
                let column = |of: &dyn Fn(i64) -> i64| {
                    Column::from_options(&numbers.iter().map(|number| number.map(of)).collect::<Vec<_>>()).unwrap()
                };
                let scales: [fn(i64) -> i64; 4] = [
                    |number| number,
                    |number| i64::MIN + (number + 5000),
                    |number| number * 1000 + (1 << 40),
                    // The range needs more than 32 bits, so the set contains row numbers.
                    |number| number << 40,
                ];
                for scale in scales {
                    for (nulls, with_null) in [(NullPolicy::Include, true), (NullPolicy::Exclude, false)] {
                        let found = counts(&keys, &column(&scale), nulls);
                        assert!(found == expected(with_null, &scale), "{groups} groups, {nulls:?}");
                    }
                }
                for data_type in [DataType::Int16, DataType::Int32, DataType::Decimal64(18, 2)] {
                    let values = gdf::unary::cast(&column(&|number| number), &data_type).unwrap();
                    let found = counts(&keys, &values, NullPolicy::Include);
                    assert!(found == expected(true, &|number| number), "{groups} groups, {data_type}");
                }
            }
        }
    });
    assert_launched("groupby", &["nunique_packed_kernel", "nunique_rows_kernel"]);
}
