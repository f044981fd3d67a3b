//! Tests group-bys that compute their values. The results must be the same as if the values were columns.

use std::collections::HashSet;

use arrow_array::Decimal128Array;
use gdf::expr::{Expr, col, lit, when};
use gdf::groupby::{AggregationRequest, GroupBy, GroupByAggregation as G, NullPolicy};
use gdf::prelude::*;
use gdf::sorting::sort;
use gdf::stream_compaction::apply_boolean_mask;
use gdf::transform::compute_columns;
use gdf_api::scope::Scope;
use gdf_detail::groupby::GroupByLimits;
use gdf_detail::pipeline::{GroupRequest, Pipeline};
use gdf_test::device::test_device;

use crate::coverage::assert_launched;

/// Returns numbers of rows near the sizes of CPU blocks and of CUDA tiles. On CUDA, threads have accumulators of their
/// own only for many rows.
fn row_counts() -> Vec<i64> {
    let many: &[i64] = if test_device().is_cpu() { &[20_001] } else { &[262_144, 300_001, 700_001] };
    [&[0, 1, 1023, 1025], many].concat()
}

fn hash(row: i64) -> u64 {
    (row as u64 + 1).wrapping_mul(0x9e37_79b9_7f4a_7c15) >> 20
}

/// Returns a decimal. In some groups of rows, sums fit in 64 bits. In other groups, they do not.
fn decimal(row: i64) -> i128 {
    match row / 500 % 4 {
        0 => i128::from(i64::MAX / 3) - i128::from(row),
        1 => i128::from(i64::MIN / 3) + i128::from(row),
        2 => (i128::from(row) << 70) * if row % 2 == 0 { 1 } else { -3 },
        _ => i128::from(row),
    }
}

/// Returns a table with these columns: the key, a decimal of 128 bits, integers of three types, a float, a decimal of
/// 64 bits, and a number for conditions.
fn table(rows: i64, key: impl Fn(i64) -> i32) -> gdf::Result<Table> {
    let decimals = Decimal128Array::from_iter_values((0..rows).map(decimal)).with_precision_and_scale(38, 2)?;
    let nullable = |row: i64| (hash(row) % 7 != 3).then_some(row as i32 % 1000 - 500);
    let keys: Vec<i32> = (0..rows).map(key).collect();
    Table::try_new(vec![
        Column::from_slice(&keys)?,
        Column::from_array(&decimals)?,
        Column::from_options(&(0..rows).map(nullable).collect::<Vec<_>>())?,
        Column::from_slice(&(0..rows).map(|row| hash(row) as u32).collect::<Vec<_>>())?,
        Column::from_slice(&(0..rows).map(|row| hash(row) as i64 - (1 << 40)).collect::<Vec<_>>())?,
        Column::from_slice(&(0..rows).map(|row| (row % 100) as f64 - 50.0).collect::<Vec<_>>())?,
        Column::from_slice(&(0..rows).map(|row| row % 90_000 - 45_000).collect::<Vec<_>>())?
            .bit_cast(DataType::Decimal64(12, 2))?,
        Column::from_slice(&(0..rows).map(|row| (hash(row) % 100) as i32).collect::<Vec<_>>())?,
    ])
}

fn values() -> Vec<(Expr, Vec<G>)> {
    let of_numbers = vec![G::Sum, G::CountValid, G::Min, G::Max, G::Mean, G::SumOfSquares];
    let of_decimals = vec![G::Sum, G::Mean, G::CountAll];
    vec![
        (col(1) + col(1), of_decimals.clone()),
        (col(2) * 2, of_numbers.clone()),
        (col(3) + col(3), of_numbers.clone()),
        (col(4) - col(2), of_numbers.clone()),
        (col(5) * 2.0, of_numbers),
        (col(6) * (lit(1) - col(6)), of_decimals.clone()),
        (-col(6), vec![G::Min, G::Max, G::Sum]),
        (when(col(7).lt(50), col(4)).otherwise(col(3).cast(DataType::Int64)), vec![G::Product, G::Sum]),
        (col(2), vec![G::Sum, G::Nunique(NullPolicy::Exclude)]),
    ]
}

/// Compares a pipeline with operations on columns. The pipeline selects the rows whose value in column 7 is below
/// `limit`.
fn check(table: &Table, limit: i32, policy: NullPolicy, of: &[(Expr, Vec<G>)], name: &str) -> gdf::Result<()> {
    check_sampled(table, GroupByLimits::default().sample_rows, limit, policy, of, name)
}

/// Does the same as [`check`]. The strategy of the pipeline depends on `sample_rows` rows.
fn check_sampled(
    table: &Table,
    sample_rows: usize,
    limit: i32,
    policy: NullPolicy,
    of: &[(Expr, Vec<G>)],
    name: &str,
) -> gdf::Result<()> {
    let condition = col(7).lt(limit);
    let mut pipeline = Pipeline::new(table);
    let mut rows = table.clone();
    if limit < 100 {
        pipeline = pipeline.filter(condition.clone());
        let mask = compute_columns(table, &[condition])?;
        rows = apply_boolean_mask(table, mask.column(0)?)?;
    }
    let requests: Vec<_> = of.iter().map(|(values, of)| GroupRequest::new(values.clone(), of.clone())).collect();
    let scope = Scope::on("group_by", test_device())?;
    let limits = GroupByLimits { computed_bytes: 0, sample_rows, ..GroupByLimits::default() };
    let got = pipeline.aggregate_within(limits, &[col(0)], policy, &requests, scope.ctx())?;

    let columns = compute_columns(&rows, &of.iter().map(|(values, _)| values.clone()).collect::<Vec<_>>())?;
    let requests = columns.columns().iter().zip(of);
    let requests: Vec<_> = requests.map(|(values, (_, of))| AggregationRequest::new(values, of.clone())).collect();
    let expected = GroupBy::new(&rows.select(&[0])?, policy).agg(&requests)?;

    let arrays = |table: &Table| -> gdf::Result<Vec<_>> {
        let sorted = sort(table, &[], &[])?;
        sorted.columns().iter().map(Column::to_array).collect()
    };
    for (at, (expected, got)) in arrays(&expected)?.iter().zip(&arrays(&got)?).enumerate() {
        assert!(expected == got, "{name}, result {at}: expected {expected:?}, got {got:?}");
    }
    Ok(())
}

#[test]
fn groups_of_computed_values_are_those_of_columns() {
    gdf::scope::with_device(test_device(), || {
        for rows in row_counts() {
            for groups in [1, 4, 9, 3000] {
                let table = table(rows, |row| (hash(row) % groups) as i32).unwrap();
                for limit in [100, 98, 3] {
                    let name = format!("{rows} rows, {groups} groups, below {limit}");
                    for (at, one) in values().chunks(3).enumerate() {
                        check(&table, limit, NullPolicy::Exclude, one, &format!("{name}, part {at}")).unwrap();
                    }
                }
            }
        }
    });
    assert_launched("groupby", &["aggregate_computed_kernel"]);
}

/// The sampled rows belong to few groups. The other rows belong to more groups than a block has accumulators for.
#[test]
fn groups_that_no_sample_has_get_their_values() {
    gdf::scope::with_device(test_device(), || {
        let rows = if test_device().is_cpu() { 60_001 } else { 700_001 };
        for (rare, one_of) in [(5, 20_011), (900, 20_011), (900, 67), (20_000, 19)] {
            let key = |row: i64| {
                if hash(row).is_multiple_of(one_of) { (hash(row) / one_of % rare) as i32 + 3 } else { (row % 3) as i32 }
            };
            let table = table(rows, key).unwrap();
            for limit in [100, 98] {
                for one in values().chunks(3) {
                    let name = format!("{rare} rare groups, one of {one_of} rows");
                    check_sampled(&table, 24, limit, NullPolicy::Include, one, &name).unwrap();
                }
            }
        }
    });
}

/// Decimals of 128 bits become columns of 64 bits if their known range fits in 64 bits. The ranges of these cases end
/// at the limit of 64 bits, or beyond it.
#[test]
fn sums_of_computed_decimals_are_exact_at_the_limit_of_64_bits() -> gdf::Result<()> {
    let nine_digits = 999_999_999_i64;
    let cases = [
        (nine_digits, nine_digits + 1, nine_digits),
        (nine_digits, nine_digits + 1, nine_digits + 1),
        (-nine_digits, nine_digits + 1, -nine_digits),
        (-nine_digits, nine_digits + 1, -nine_digits - 1),
        (i64::MAX / 20, i64::MAX / 30_000, 7),
        (-i64::MAX / 20, i64::MAX / 30_000, 7),
    ];
    gdf::scope::with_device(test_device(), || {
        for (case, (a, b, addend)) in cases.into_iter().enumerate() {
            let rows: i64 = if test_device().is_cpu() { 3000 } else { 300_001 };
            let column = |value: i64| {
                let values: Vec<i64> =
                    (0..rows).map(|row| if row % 3 == 0 { value - row.signum() } else { value }).collect();
                let column = Column::from_slice(&values)?.bit_cast(DataType::Decimal64(18, 2))?;
                let bounds = (i128::from(value - 1), i128::from(value));
                let bounds = gdf::core::order_of_numbers(bounds, column.data_type()).unwrap();
                // SAFETY: row 0 is `value`, and row 3 is the number before it. There are no others.
                unsafe { column.view().keep_exact_bounds(Some(bounds)) };
                Ok::<_, gdf::Error>((column, values))
            };
            let ((of_a, all_a), (of_b, all_b)) = (column(a)?, column(b)?);
            let keys: Vec<i32> = (0..rows).map(|row| (row % 5) as i32).collect();
            let table = Table::try_new(vec![Column::from_slice(&keys)?, of_a, of_b])?;
            let wide = |at: usize| col(at).cast(DataType::Decimal128(18, 2));
            let addend = Decimal128Array::from_iter_values([i128::from(addend)]).with_precision_and_scale(38, 4)?;
            let addend = gdf::expr::Value::from_scalar(&Scalar::from_column(Column::from_array(&addend)?)?)?;
            let number = addend.integer().unwrap();
            let values = wide(1) * wide(2) + lit(addend);
            // The number of distinct values is an aggregation for which the CPU needs a column.
            let of = vec![G::Sum, G::CountValid, G::Nunique(NullPolicy::Exclude)];
            let request = GroupRequest::new(values, of);
            let scope = Scope::on("group_by", test_device())?;
            let got = Pipeline::new(&table).aggregate(&[col(0)], NullPolicy::Exclude, &[request], scope.ctx())?;
            let got = sort(&got, &[], &[])?;
            let mut expected = [0_i128; 5];
            for ((key, a), b) in keys.iter().zip(&all_a).zip(&all_b) {
                expected[*key as usize] += i128::from(*a) * i128::from(*b) + number;
            }
            let sums = got.column(1)?.to_array()?;
            let sums: &Decimal128Array = sums.as_any().downcast_ref().unwrap();
            assert_eq!(sums.values().iter().copied().collect::<Vec<_>>(), expected, "case {case}");
            let mut values: [Vec<i128>; 5] = Default::default();
            for ((key, a), b) in keys.iter().zip(&all_a).zip(&all_b) {
                values[*key as usize].push(i128::from(*a) * i128::from(*b));
            }
            let counts = values.each_ref().map(|values| Some(values.len() as i64));
            let distinct = values.map(|values| Some(values.into_iter().collect::<HashSet<_>>().len() as i64));
            let counted = [2, 3].map(|at| got.column(at)?.to_vec::<i64>());
            let [valid, unique] = counted;
            assert_eq!((valid?, unique?), (counts.to_vec(), distinct.to_vec()), "case {case}");
        }
        Ok(())
    })
}
