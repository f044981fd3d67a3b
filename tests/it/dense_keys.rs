//! Tests group-bys of keys whose range is little larger than the number of groups. CUDA has a strategy for such keys,
//! and the CPU has none. The results of both must be the same.

use arrow_array::Decimal128Array;
use gdf::groupby::{AggregationRequest, GroupBy, GroupByAggregation as G, NullPolicy};
use gdf::prelude::*;
use gdf::sorting::sort;
use gdf_api::scope::Scope;
use gdf_detail::groupby::{GroupByLimits, aggregate_within};
use gdf_test::device::test_device;

use crate::coverage::assert_launched;
use crate::row_hash::hash;

/// Integers whose sums wrap in some groups. In all groups, the sums carry from the lower 32 bits to the upper 32 bits.
fn wide(row: i64) -> i64 {
    match hash(row) % 4 {
        0 => i64::MAX - row,
        1 => i64::from(u32::MAX) - row % 3,
        2 => -(row % 5),
        _ => i64::MIN / 3 + row,
    }
}

fn decimal(row: i64) -> i128 {
    match hash(row) % 4 {
        0 => i128::from(u64::MAX) << 20,
        1 => i128::from(i64::MIN) - i128::from(row),
        2 => -1,
        _ => i128::from(u64::MAX) - i128::from(row % 2),
    }
}

/// The values: integers, integers with nulls, floats whose sums are exact, decimals and small integers.
fn values(rows: i64) -> gdf::Result<Vec<Column>> {
    let decimals = Decimal128Array::from_iter_values((0..rows).map(decimal)).with_precision_and_scale(38, 2)?;
    let nullable = |row: i64| (hash(row) % 7 != 3).then_some(row as i32 % 1000 - 500);
    Ok(vec![
        Column::from_slice(&(0..rows).map(wide).collect::<Vec<_>>())?,
        Column::from_options(&(0..rows).map(nullable).collect::<Vec<_>>())?,
        Column::from_slice(&(0..rows).map(|row| (row % 1000) as f64 - 50.0).collect::<Vec<_>>())?,
        Column::from_array(&decimals)?,
        Column::from_slice(&(0..rows).map(|row| hash(row) as i8).collect::<Vec<_>>())?,
    ])
}

/// Returns limits under which few rows and few groups already get the strategy. A block has at most `bytes` bytes of
/// shared memory.
fn limits(bytes: usize) -> GroupByLimits {
    GroupByLimits {
        tiny_rows: 0,
        few_rows: 500,
        measured_rows: 500,
        sample_rows: 1 << 14,
        min_capacity: 1 << 16,
        local_groups: 0,
        skew: 0,
        dense_rows: 1,
        dense_range: 1 << 20,
        dense_rows_per_key: 0,
        dense_bytes: bytes,
        ..GroupByLimits::default()
    }
}

fn of<'a>(requests: &[(usize, Vec<G>)], values: &'a [Column]) -> Vec<AggregationRequest<'a>> {
    requests.iter().map(|(column, of)| AggregationRequest::new(&values[*column], of.clone())).collect()
}

/// Compares the results on the test device with those of the CPU.
fn check(keys: &Table, policy: NullPolicy, requests: &[(usize, Vec<G>)], bytes: usize, name: &str) -> gdf::Result<()> {
    let values = values(keys.num_rows() as i64)?;
    let scope = Scope::on("group_by", test_device())?;
    let (found, results) = aggregate_within(limits(bytes), keys.view(), policy, &of(requests, &values), scope.ctx())?;
    let got = Table::try_new([found.into_columns(), results.concat()].concat())?;
    let expected = gdf::scope::with_device(Device::Cpu, || {
        let values = values.iter().map(|column| column.to_device(Device::Cpu)).collect::<gdf::Result<Vec<_>>>()?;
        GroupBy::new(&keys.to_device(Device::Cpu)?, policy).agg(&of(requests, &values))
    })?;
    let arrays = |table: &Table| -> gdf::Result<Vec<_>> {
        let sorted = sort(table, &[], &[])?;
        sorted.columns().iter().map(Column::to_array).collect()
    };
    for (at, (expected, got)) in arrays(&expected)?.iter().zip(&arrays(&got)?).enumerate() {
        assert!(expected == got, "{name}, result {at}: expected {expected:?}, got {got:?}");
    }
    Ok(())
}

fn requests() -> Vec<(usize, Vec<G>)> {
    vec![
        (0, vec![G::Sum, G::Min, G::Max, G::CountAll]),
        (1, vec![G::Sum, G::CountValid, G::Mean, G::Min]),
        (2, vec![G::Sum, G::Mean]),
        (3, vec![G::Sum]),
        (4, vec![G::Max, G::Sum]),
    ]
}

/// Returns the requests whose values can be moved to parts. Decimals of 128 bits cannot be moved.
fn movable() -> Vec<(usize, Vec<G>)> {
    requests().into_iter().filter(|(column, _)| *column != 3).collect()
}

/// Returns keys. The keys have about `groups` distinct values from `first` on, and some are null.
fn keys(rows: i64, groups: u64, first: i64) -> gdf::Result<Table> {
    let key = |row: i64| (hash(row) % 11 != 5).then(|| first.wrapping_add((hash(row * 3) % groups) as i64));
    Table::try_new(vec![Column::from_options(&(0..rows).map(key).collect::<Vec<_>>())?])
}

#[test]
fn dense_keys_give_the_groups_of_the_cpu() {
    gdf::scope::with_device(test_device(), || {
        for rows in [1023, 4096, 4097, 20_001] {
            for groups in [1, 31, 32, 33, 300] {
                for (policy, first) in [
                    (NullPolicy::Exclude, i64::MIN),
                    (NullPolicy::Include, -7),
                    (NullPolicy::Include, i64::MAX - groups as i64 + 1),
                ] {
                    let keys = keys(rows, groups, first).unwrap();
                    // With the second size, the aggregations of 300 keys need several launches.
                    for bytes in [usize::MAX, 300 * 40] {
                        let name = format!("{rows} rows, {groups} groups from {first}, {bytes} bytes");
                        check(&keys, policy, &requests(), bytes, &name).unwrap();
                    }
                }
            }
        }
    });
    assert_launched("groupby", &["aggregate_dense_kernel"]);
}

#[test]
fn ranges_of_dense_keys_are_moved_to_parts() {
    gdf::scope::with_device(test_device(), || {
        for rows in [5000, 20_001] {
            for groups in [256, 257, 1000, 2499] {
                let keys = keys(rows, groups, -3).unwrap();
                for policy in [NullPolicy::Exclude, NullPolicy::Include] {
                    // A block has room for 32 or 64 keys.
                    for warps in [1, 2] {
                        let name = format!("{rows} rows, {groups} groups, {warps} times 32 keys");
                        check(&keys, policy, &movable(), warps * 3000, &name).unwrap();
                        check(&keys, policy, &[(0, vec![G::Sum])], warps * 300, &name).unwrap();
                    }
                }
            }
        }
        // The parts have more keys than a block has room for. A block therefore reads the rows of a part several times.
        let keys = keys(100_000, 30_000, 1 << 40).unwrap();
        check(&keys, NullPolicy::Exclude, &movable(), 6000, "two passes").unwrap();
        check(&keys, NullPolicy::Exclude, &[(0, vec![G::Sum])], 300, "four passes").unwrap();
    });
    assert_launched("groupby", &["aggregate_dense_parts_kernel"]);
}

/// Most rows have one of two keys, so one part has most of the rows. The smallest key and the largest key also occur.
#[test]
fn parts_of_very_different_sizes() {
    gdf::scope::with_device(test_device(), || {
        for rows in [20_001, 600_001] {
            let key = |row: i64| match row {
                0 => 0,
                1 => 4999,
                row if row % 100 == 0 => (hash(row) % 5000) as i32,
                row => 2500 + (row % 2) as i32,
            };
            let keys = Column::from_slice(&(0..rows).map(key).collect::<Vec<_>>()).unwrap();
            let keys = Table::try_new(vec![keys]).unwrap();
            for bytes in [1000, 4000, usize::MAX] {
                check(&keys, NullPolicy::Exclude, &movable(), bytes, &format!("{rows} rows, {bytes} bytes")).unwrap();
            }
        }
    });
}

/// The keys have several columns. One column has a single value, one column has nulls, and the bounds of all columns
/// are known.
#[test]
fn keys_of_several_columns() {
    gdf::scope::with_device(test_device(), || {
        let rows = 9001;
        let nullable = |row: i64| (row % 13 != 3).then_some((hash(row) % 5) as i32 - 2);
        let columns = vec![
            Column::from_slice(&(0..rows).map(|row| row % 2 == 0).collect::<Vec<_>>()).unwrap(),
            Column::from_options(&(0..rows).map(nullable).collect::<Vec<_>>()).unwrap(),
            Column::from_slice(&vec![7_i64; rows as usize]).unwrap(),
            Column::from_slice(&(0..rows).map(|row| hash(row) as u16 % 30).collect::<Vec<_>>()).unwrap(),
        ];
        let keys = Table::try_new(columns).unwrap();
        for policy in [NullPolicy::Exclude, NullPolicy::Include] {
            for bytes in [usize::MAX, 2000] {
                check(&keys, policy, &movable(), bytes, &format!("{policy:?}, {bytes} bytes")).unwrap();
            }
        }
        check(&keys, NullPolicy::Include, &[], usize::MAX, "no aggregations").unwrap();
    });
}

/// The sample shows the range of most keys. A single key is far outside of this range.
#[test]
fn keys_far_away_are_no_dense_keys() {
    gdf::scope::with_device(test_device(), || {
        let rows = 50_000;
        let key = |row: i64| if row == 33_333 { i64::MAX } else { (hash(row) % 700) as i64 };
        let keys = Column::from_slice(&(0..rows).map(key).collect::<Vec<_>>()).unwrap();
        let keys = Table::try_new(vec![keys]).unwrap();
        check(&keys, NullPolicy::Exclude, &movable(), usize::MAX, "one key far away").unwrap();
    });
}
