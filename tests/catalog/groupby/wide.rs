//! Cases of `groupby` whose sums and products have 128 bits: sums that say whether they overflow, and squares and
//! products of decimals.

use arrow_array::ArrayRef;
use arrow_buffer::i256;
use arrow_schema::{DataType, TimeUnit};
use gdf_api::groupby::{AggregationRequest, GroupByAggregation as A, NullPolicy};
use gdf_core::{Column, Error};
use gdf_detail::groupby::GroupByLimits;

use super::{case, case_of_waits, case_within, few, joined, limits_of_few_rows, with_two_groups};
use crate::catalog::{Case, SliceCosts};
use gdf_test::data::{NullPattern, random_array, with_validity};
use gdf_test::value::{Value, from_values};

/// The largest number of waits of a product of decimals, whose rows are sorted.
const PRODUCT_WAITS: u64 = 12;

/// Returns integers near both ends of the range and near zero. The sum of two such integers overflows upwards,
/// overflows downwards, or fits.
pub(crate) fn extreme(data_type: &DataType, rows: usize, nulls: NullPattern, seed: u64) -> ArrayRef {
    let bits = gdf_core::width(data_type).unwrap_or(8) as u32 * 8;
    let is_signed = gdf_core::is_signed_integral(data_type) || matches!(data_type, DataType::Duration(_));
    let (least, most) = match is_signed {
        true => (-(1_i128 << (bits - 1)), (1 << (bits - 1)) - 1),
        false => (0, (1 << bits) - 1),
    };
    let values = [least, most, most - 1, 0, least + 1, 1, most / 2, least / 2, most];
    let value = |row: usize| values[((row as u64 + seed).wrapping_mul(0x9e37_79b9_7f4a_7c15) >> 40) as usize % 9];
    let values: Vec<_> = (0..rows).map(|row| Some(Value::Int(value(row)))).collect();
    with_validity(&from_values(data_type, &values), nulls.validity(rows, seed))
}

/// Returns decimals whose squares have up to 128 bits. The squares of `Decimal128` values may have more bits.
fn decimals(data_type: &DataType, rows: usize, nulls: NullPattern, seed: u64) -> ArrayRef {
    let bits = gdf_core::width(data_type).unwrap_or(16) as u32 * 8;
    let value = |row: usize| {
        let random = i128::from((row as u64 + seed).wrapping_mul(0x9e37_79b9_7f4a_7c15) as i64);
        let random = if bits == 128 && row.is_multiple_of(3) { random << 40 | 0x1234 } else { random };
        Value::Decimal(i256::from_i128(if bits < 64 { random >> (67 - bits) } else { random / 10 }))
    };
    let values: Vec<_> = (0..rows).map(|row| Some(value(row))).collect();
    with_validity(&from_values(data_type, &values), nulls.validity(rows, seed))
}

pub(crate) fn cases() -> Vec<Case> {
    use DataType::{Boolean, Int8, Int16, Int32, Int64, UInt8, UInt16, UInt32, UInt64};
    let mut cases = Vec::new();
    let exclude = NullPolicy::Exclude;
    let integers = [Int8, Int16, Int32, Int64, UInt8, UInt16, UInt32, UInt64];
    let wide = [DataType::Decimal32(9, 2), DataType::Decimal64(18, -3), DataType::Decimal128(38, 0)];
    let sorted = |rows: usize, length: usize| {
        let keys: Vec<_> = (0..rows).map(|row| Some(Value::Int((row / length) as i128))).collect();
        from_values(&Int32, &keys)
    };
    for (rows, groups, nulls) in [
        (0, 3, NullPattern::None),
        (5, 1, NullPattern::None),
        (300, 90, NullPattern::Some),
        (65, 4, NullPattern::All),
        (2500, 1000, NullPattern::None),
    ] {
        let key = || few(groups, rows, NullPattern::None, 1);
        for data_type in &integers {
            let label = format!("overflow of {data_type}/{rows}/{nulls:?}");
            let requests = vec![(0, A::SumOverflow), (0, A::Sum), (0, A::CountValid), (0, A::Mean)];
            cases.push(case(label, vec![key()], vec![extreme(data_type, rows, nulls, 1)], exclude, requests));
        }
        let flags = random_array(&Boolean, rows, nulls, 2);
        let label = format!("overflow of Boolean/{rows}/{nulls:?}");
        cases.push(case(label, vec![key()], vec![flags], exclude, vec![(0, A::SumOverflow)]));
        for data_type in &wide {
            let label = format!("squares of {data_type}/{rows}/{nulls:?}");
            let requests = vec![(0, A::SumOfSquares), (0, A::Sum)];
            cases.push(case(label, vec![key()], vec![decimals(data_type, rows, nulls, 1)], exclude, requests));
        }
        for data_type in [DataType::Decimal32(9, 0), DataType::Decimal64(18, 0), DataType::Decimal128(38, 0)] {
            let label = format!("products of {data_type}/{rows}/{nulls:?}");
            let requests = vec![(0, A::Product), (0, A::SumOfSquares), (0, A::CountAll), (1, A::SumOverflow)];
            let values = vec![decimals(&data_type, rows, nulls, 1), extreme(&Int64, rows, NullPattern::Some, 2)];
            let keys = vec![few(groups, rows, NullPattern::Some, 5)];
            for policy in [exclude, NullPolicy::Include] {
                let label = format!("{label}/{policy:?}");
                let case = case_of_waits(label, keys.clone(), values.clone(), policy, requests.clone(), PRODUCT_WAITS);
                cases.push(case.with_slice_costs(SliceCosts::Own));
            }
        }
    }
    // The cases cover each strategy for many rows, and rows that are sorted by their keys.
    let kept = limits_of_few_rows();
    let local = GroupByLimits { local_groups: usize::MAX, ..kept };
    let parts = GroupByLimits { cached_groups: 0, skew: 0, ..kept };
    for (name, limits, groups, waits) in [
        ("cells", local, 3, 2),
        ("local", local, 200, 3),
        ("kept", kept, 20, 3),
        ("many", kept, 3000, 3),
        ("parts", parts, 3000, 3),
    ] {
        let lengths = DataType::Duration(TimeUnit::Nanosecond);
        let means = [Int64, UInt64, lengths].map(|data_type| (data_type, A::Mean));
        for (data_type, of) in [(Int64, A::SumOverflow), (UInt64, A::SumOverflow), (Int16, A::SumOverflow)]
            .into_iter()
            .chain(means)
            .chain(wide.iter().map(|data_type| (data_type.clone(), A::SumOfSquares)))
        {
            let values = match of {
                A::SumOverflow | A::Mean => extreme(&data_type, 9001, NullPattern::Some, 3),
                _ => decimals(&data_type, 9001, NullPattern::Some, 3),
            };
            for (order, key) in
                [("any", few(groups, 9001, NullPattern::None, 1)), ("runs", sorted(9001, 9001 / groups as usize))]
            {
                let label = format!("wide {name}/{order}/{of:?} of {data_type}");
                let requests = vec![(0, of), (0, A::CountAll)];
                cases.push(case_within(label, vec![key], vec![values.clone()], exclude, requests, limits, waits));
            }
        }
    }
    for data_type in [DataType::Decimal64(18, 2), DataType::Decimal128(38, -1)] {
        let values = decimals(&data_type, 3, NullPattern::None, 1);
        let run = |inputs: &[Column]| {
            with_two_groups(inputs[0].device(), |groups, _| {
                Ok(joined(groups.aggregate(&[AggregationRequest::new(&inputs[0], [A::Product])])?))
            })
        };
        let is_right =
            |error: &Error| matches!(error, Error::Unsupported { .. }) && error.to_string().contains("Float64");
        cases.push(Case::refused(format!("refused product of {data_type}"), vec![values], run, is_right));
    }
    cases
}
