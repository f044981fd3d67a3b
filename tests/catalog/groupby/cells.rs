//! Cases of group-bys with so few groups that each thread of a GPU has accumulators of its own.

use arrow_array::ArrayRef;
use arrow_schema::DataType;
use gdf_api::groupby::{GroupByAggregation as A, NullPolicy};
use gdf_detail::groupby::GroupByLimits;

use super::values::small;
use super::{case_within, limits_of_few_rows};
use crate::catalog::Case;
use gdf_test::data::{NullPattern, random_array, with_validity};
use gdf_test::value::{Value, from_values};

/// The numbers of rows: around the rows of a word, of a warp and of a block of the kernel, and several blocks.
const ROWS: [usize; 11] = [501, 511, 512, 513, 767, 1025, 2047, 2048, 2049, 4097, 20_000];

fn numbers(data_type: &DataType, rows: usize, of: impl Fn(usize) -> i128) -> ArrayRef {
    from_values(data_type, &(0..rows).map(|row| Some(Value::Int(of(row)))).collect::<Vec<_>>())
}

pub(crate) fn cases() -> Vec<Case> {
    let local = GroupByLimits { local_groups: usize::MAX, ..limits_of_few_rows() };
    let waits = 2;
    let mut cases = Vec::new();
    for rows in ROWS {
        for (nulls, policy) in [
            (NullPattern::None, NullPolicy::Exclude),
            (NullPattern::Some, NullPolicy::Exclude),
            (NullPattern::Some, NullPolicy::Include),
        ] {
            let key = numbers(&DataType::Int32, rows, |row| (row * 7919 % 3) as i128 - 1);
            let keys = vec![with_validity(&key, nulls.validity(rows, 1))];
            let values = vec![
                random_array(&DataType::Int64, rows, nulls, 4),
                random_array(&DataType::Int16, rows, NullPattern::Some, 2),
                small(&DataType::Float32, rows, nulls, 3),
            ];
            let requests =
                vec![(0, A::Sum), (0, A::CountAll), (1, A::Max), (1, A::Sum), (1, A::CountValid), (2, A::Mean)];
            cases.push(case_within(
                format!("cells {rows}/{nulls:?}/{policy:?}"),
                keys,
                values,
                policy,
                requests,
                local,
                waits,
            ));
        }
    }
    cases.extend(types(local, waits));
    cases.extend(wide_sums(local, waits));
    cases.extend(unexpected_groups(waits));
    cases
}

/// Builds cases of values and keys of each type that the kernel reads.
fn types(local: GroupByLimits, waits: u64) -> Vec<Case> {
    use DataType::{Boolean, Date32, Float32, Float64, Int8, Int16, Int32, Int64, UInt8, UInt16, UInt32, UInt64};
    let mut cases = Vec::new();
    for data_type in [Int8, Int16, Int32, Int64, UInt8, UInt16, UInt32, UInt64, Float32, Float64] {
        let keys = vec![random_array(&Boolean, 3000, NullPattern::Some, 4)];
        let values = small(&data_type, 3000, NullPattern::Some, 5);
        let requests = vec![(0, A::Sum), (0, A::Min), (0, A::Max), (0, A::Mean), (0, A::SumOfSquares)];
        cases.push(case_within(
            format!("cells of {data_type}"),
            keys,
            vec![values],
            NullPolicy::Include,
            requests,
            local,
            waits,
        ));
    }
    for data_type in [Int8, UInt16, Int64, UInt64, Date32, Float32, Float64, DataType::Decimal64(9, 2)] {
        let key = match data_type {
            Float32 | Float64 => small(&data_type, 3000, NullPattern::None, 6),
            _ => numbers(&data_type, 3000, |row| (row * 31 % 4) as i128),
        };
        let keys = vec![with_validity(&key, NullPattern::Some.validity(3000, 2))];
        for policy in [NullPolicy::Include, NullPolicy::Exclude] {
            let values = vec![numbers(&Int32, 3000, |row| row as i128 - 1500)];
            let label = format!("cells by {data_type}/{policy:?}");
            cases.push(case_within(label, keys.clone(), values, policy, vec![(0, A::Sum)], local, waits));
        }
    }
    cases
}

/// Builds cases of decimals whose sums may need more than 64 bits. In some cases, the decimals themselves need more
/// than 64 bits.
fn wide_sums(local: GroupByLimits, waits: u64) -> Vec<Case> {
    let large = 999_999_999_999_999_999; // the largest decimal of 18 digits
    let wider = 10_i128.pow(30);
    let of_sign = |row: usize| if row.is_multiple_of(11) { -1 } else { 1 };
    let mut cases = Vec::new();
    for (label, data_type, of) in [
        ("64 bits", DataType::Decimal64(18, 2), large),
        ("128 bits, values of 60", DataType::Decimal128(38, 2), large),
        ("128 bits, values of 63", DataType::Decimal128(38, 2), 9_000_000_000_000_000_000),
        ("128 bits", DataType::Decimal128(38, 2), wider),
    ] {
        for (pattern, nulls) in [("one sign", NullPattern::None), ("two signs", NullPattern::Some)] {
            let keys = vec![numbers(&DataType::Int8, 6000, |row| (row % 3) as i128)];
            let signed = |row: usize| if nulls == NullPattern::None { 1 } else { of_sign(row) };
            let mixed = |row: usize| signed(row) * if row.is_multiple_of(5) { 7 } else { of - row as i128 };
            let values = with_validity(&numbers(&data_type, 6000, mixed), nulls.validity(6000, 7));
            let label = format!("cells, sums of {label}, {pattern}");
            let requests = vec![(0, A::Sum), (0, A::CountValid)];
            cases.push(case_within(label, keys, vec![values], NullPolicy::Exclude, requests, local, waits));
        }
    }
    cases
}

/// Builds cases in which the sample of rows shows fewer groups than there are.
fn unexpected_groups(waits: u64) -> Vec<Case> {
    let sampled = GroupByLimits { sample_rows: 16, local_groups: usize::MAX, ..limits_of_few_rows() };
    let case = |(label, groups): (&str, i128)| {
        let key = |row: usize| if row.is_multiple_of(256) { 0 } else { row as i128 % groups };
        let keys = vec![numbers(&DataType::Int64, 4096, key)];
        let values = vec![
            random_array(&DataType::Int32, 4096, NullPattern::Some, 8),
            numbers(&DataType::Decimal128(38, 0), 4096, |row| 10_i128.pow(25) + row as i128),
        ];
        let requests = vec![(0, A::Sum), (0, A::Min), (1, A::Sum)];
        case_within(format!("cells, {label}"), keys, values, NullPolicy::Exclude, requests, sampled, waits)
    };
    [("one more group than sampled", 2), ("many more groups than sampled", 700)].map(case).to_vec()
}
