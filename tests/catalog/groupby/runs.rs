//! Entries of `groupby` whose rows are sorted by their keys, so that each group is a run of rows.

use arrow_array::ArrayRef;
use arrow_schema::DataType;
use gdf_api::groupby::{GroupByAggregation as A, NullPolicy};
use gdf_detail::groupby::GroupByLimits;

use super::values::{decimals, small};
use super::{case_within, limits_of_few_rows as limits};
use crate::catalog::Case;
use gdf_test::data::{NullPattern, random_array};
use gdf_test::value::{Value, from_values};

fn keys(rows: usize, data_type: &DataType, key: impl Fn(i128) -> Option<i128>) -> ArrayRef {
    let values: Vec<_> = (0..rows).map(|row| key(row as i128).map(Value::Int)).collect();
    from_values(data_type, &values)
}

/// Builds a case with sums, extremes, rows of extremes and products of integers, floats and decimals.
fn case(label: String, keys: Vec<ArrayRef>, policy: NullPolicy, limits: GroupByLimits, waits: u64) -> Case {
    let rows = keys[0].len();
    let values = vec![
        random_array(&DataType::Int64, rows, NullPattern::Some, 1),
        small(&DataType::Float64, rows, NullPattern::None, 3),
        decimals(rows),
    ];
    let of_integers = [A::Sum, A::Min, A::CountAll, A::CountValid, A::ArgMin, A::ArgMax, A::Product];
    let requests = of_integers.map(|aggregation| (0, aggregation)).into_iter();
    let requests = requests.chain([(1, A::Sum), (1, A::Mean), (1, A::Max), (2, A::Sum), (2, A::Max)]);
    case_within(label, keys, values, policy, requests.collect(), limits, waits)
}

pub(crate) fn runs() -> Vec<Case> {
    let mut cases = Vec::new();
    let exclude = NullPolicy::Exclude;
    // The run lengths are near the sizes of warps, of the rows of a warp, and of tiles.
    for (length, rows) in [(1, 9001), (4, 9001), (31, 9001), (32, 9001), (33, 9001), (255, 9001), (257, 9001)]
        .into_iter()
        .chain([(2047, 9001), (2048, 9001), (2049, 9001), (70_000, 145_001)])
    {
        let up = keys(rows, &DataType::Int64, |row| Some(row / length - 40));
        cases.push(case(format!("runs of {length}"), vec![up], exclude, limits(), 2));
    }
    let down = keys(9001, &DataType::Int32, |row| Some(700 - row / 7));
    cases.push(case("runs that descend".into(), vec![down], exclude, limits(), 2));
    for rows in [501, 2047, 2048, 2049, 4096, 4097] {
        let key = keys(rows, &DataType::UInt16, |row| Some(row / 3));
        cases.push(case(format!("runs of {rows} rows"), vec![key], exclude, limits(), 2));
    }
    // Null keys come before the other keys, after the other keys, or among the other keys.
    for (name, first, end, waits) in [("before", 0, 3000, 2), ("behind", 6000, 9001, 2), ("among", 3200, 3300, 3)] {
        let key = || keys(9001, &DataType::Int32, |row| (!(first..end).contains(&row)).then_some(row / 500));
        cases.push(case(format!("runs, nulls {name}, excluded"), vec![key()], exclude, limits(), waits));
        let waits = if name == "behind" { 2 } else { 3 };
        cases.push(case(format!("runs, nulls {name}"), vec![key()], NullPolicy::Include, limits(), waits));
    }
    let none = keys(9001, &DataType::Int32, |_| None);
    let nulls = |policy, waits| case(format!("runs of nulls/{policy:?}"), vec![none.clone()], policy, limits(), waits);
    cases.extend([nulls(exclude, 2), nulls(NullPolicy::Include, 2)]);
    // The rows are sorted by two columns.
    let first = || keys(9001, &DataType::Int32, |row| Some(row / 900 - 4));
    let second = |data_type: &DataType| keys(9001, data_type, |row| Some(row % 900 / 9 - 50));
    cases.push(case("runs of two keys".into(), vec![first(), second(&DataType::Int16)], exclude, limits(), 2));
    let measured = GroupByLimits { measured_rows: 0, ..limits() };
    let wide = vec![second(&DataType::Int64), first()];
    cases.push(case("runs of two keys, unordered".into(), wide, exclude, measured, 3));
    let wide = vec![first(), second(&DataType::Int64)];
    cases.push(case("runs of two keys by their ranges".into(), wide, exclude, measured, 3));
    // The keys are floats.
    let float = |row: usize| match row / 1500 {
        0 => {
            if row.is_multiple_of(2) {
                0.0
            } else {
                -0.0
            }
        }
        5.. => f64::NAN,
        number => number as f64 * 0.5,
    };
    let floats: Vec<_> = (0..9001).map(|row| Some(Value::F64(float(row)))).collect();
    let floats = from_values(&DataType::Float64, &floats);
    cases.push(case("runs of floats".into(), vec![floats], exclude, limits(), 2));
    // The key of the last row is equal to the key of the first rows, so the rows are not sorted.
    let late = keys(9001, &DataType::Int64, |row| Some(if row == 9000 { 0 } else { row / 3 }));
    let blind = GroupByLimits { sample_rows: 16, ..limits() };
    cases.push(case("runs, out of order at the end".into(), vec![late], exclude, blind, 3));

    // One case has no requests.
    let key = || vec![keys(5000, &DataType::Int64, |row| Some(row / 5))];
    let values = || vec![random_array(&DataType::Int64, 5000, NullPattern::Some, 7)];
    let bare = case_within("runs alone".into(), key(), values(), exclude, vec![], limits(), 2);
    let text = vec![random_array(&DataType::Utf8, 5000, NullPattern::Some, 7)];
    let of_text = vec![(0, A::Min), (0, A::Max), (0, A::CountAll)];
    let text = case_within("runs of text".into(), key(), text, exclude, of_text, limits(), 3);
    let many = (0..12).map(|seed| random_array(&DataType::Int32, 5000, NullPattern::Some, seed)).collect();
    let of_many = (0..12).flat_map(|column| [A::Sum, A::Min, A::Max].map(|of| (column, of))).collect();
    let many = case_within("runs, many accumulators".into(), key(), many, exclude, of_many, limits(), 2);
    cases.extend([bare, text, many]);
    cases
}
