//! Tests that no operation needs more memory than its bound. On the CPU and, with `GDF_TEST_DEVICE=cuda:0`, on a GPU.

use gdf::expr;
use gdf::external::bounds::{self, Shape};
use gdf::external::{self, Budget, JoinKind};
use gdf::groupby::{AggregationRequest, GroupBy, GroupByAggregation, NullPolicy};
use gdf::join::{self, JoinKeys, NullEquality};
use gdf::memory::{Resource, StatisticsResource, current_resource};
use gdf::prelude::*;
use gdf::stream_compaction::{self, DuplicateKeepOption, NanEquality};
use gdf_test::device::test_device;
use rand::rngs::SmallRng;
use rand::{Rng, SeedableRng};

/// Returns the peak of the memory that `work` allocates, and its result.
fn peak<R>(work: impl FnOnce() -> R) -> (usize, R) {
    let counted = StatisticsResource::new(current_resource(test_device()).unwrap());
    let result = gdf::scope::with_resource(&Resource::new(counted.clone()), work);
    (counted.statistics().bytes.peak.try_into().unwrap(), result)
}

/// Checks that `work` stays below a bound.
fn check<R>(what: &str, bound: usize, work: impl FnOnce() -> gdf::Result<R>) -> R {
    let (peak, result) = peak(work);
    let result = result.unwrap();
    assert!(peak <= bound, "{what}: {peak} bytes exceed the bound of {bound} bytes");
    result
}

fn random(rng: &mut SmallRng, rows: usize, keys: i64, nulls: bool) -> Table {
    let is_null = |rng: &mut SmallRng| nulls && rng.random_bool(0.1);
    let longs: Vec<Option<i64>> = (0..rows).map(|_| (!is_null(rng)).then(|| rng.random_range(0..keys))).collect();
    let bytes: Vec<Option<i8>> = (0..rows).map(|_| (!is_null(rng)).then(|| rng.random_range(-9..9))).collect();
    let texts: Vec<Option<String>> = (0..rows)
        .map(|_| {
            (!is_null(rng)).then(|| "text ".repeat(rng.random_range(0..4)) + &rng.random_range(0..keys).to_string())
        })
        .collect();
    let columns = [
        Column::from_options(&longs),
        Column::from_options(&bytes),
        Column::from_strs(texts.iter().map(Option::as_deref)),
    ];
    Table::try_new(columns.map(Result::unwrap).into()).unwrap()
}

/// Returns lists of at most 7 elements, which contain all rows of `elements`. Some lists are empty.
fn lists_of(rng: &mut SmallRng, elements: &Column) -> Column {
    let mut offsets = vec![0_i32];
    let end = elements.len() as i32;
    while offsets[offsets.len() - 1] < end {
        offsets.push((offsets[offsets.len() - 1] + rng.random_range(0..8)).min(end));
    }
    gdf::core::make_lists_column(&Column::from_slice(&offsets).unwrap(), elements.clone(), None).unwrap()
}

#[test]
fn no_operation_exceeds_its_bound() {
    gdf::scope::with_device(test_device(), || {
        let mut rng = SmallRng::seed_from_u64(1);
        for rows in [0, 1, 1000, 33_000, 66_000] {
            for keys in [1, 100, 1_000_000] {
                for nulls in [false, true] {
                    let table = random(&mut rng, rows, keys, nulls);
                    let all = Shape::of(&table);
                    let what = format!("{rows} rows, {keys} keys, nulls {nulls},");
                    for on in [vec![0], vec![1], vec![2], vec![0, 1, 2]] {
                        let key_table = table.select(&on).unwrap();
                        let key = Shape::of(&key_table);
                        let what = format!("{what} {on:?}");
                        check(&format!("{what} sort"), bounds::sort(&key, &all), || {
                            gdf::sorting::sort_by_key(&table, &key_table, &[], &[])
                        });
                        let (nulls, nans) = (NullEquality::Equal, NanEquality::AllEqual);
                        check(&format!("{what} distinct"), bounds::distinct(&key, &all), || {
                            stream_compaction::distinct(&table, &on, DuplicateKeepOption::First, nulls, nans)
                        });
                        let functions = [GroupByAggregation::Sum, GroupByAggregation::Mean, GroupByAggregation::Min];
                        let values = Shape::of_column(table.column(0).unwrap());
                        check(&format!("{what} group_by"), bounds::group_by(&key, &values, 3), || {
                            let request = AggregationRequest::new(table.column(0).unwrap(), functions.to_vec());
                            GroupBy::new(&key_table, NullPolicy::Include).agg(&[request])
                        });
                        let functions = [GroupByAggregation::Min, GroupByAggregation::Nunique(NullPolicy::Include)];
                        let values = Shape::of_column(table.column(2).unwrap());
                        check(&format!("{what} group_text"), bounds::group_by(&key, &values, 2), || {
                            let request = AggregationRequest::new(table.column(2).unwrap(), functions.to_vec());
                            GroupBy::new(&key_table, NullPolicy::Include).agg(&[request])
                        });
                    }
                    let few = random(&mut rng, rows.min(20), keys, nulls);
                    let (few_shape, on) = (Shape::of(&few), JoinKeys::new(&[0], &[0]));
                    let joined = |left: &Table, right: &Table, kind: JoinKind| match kind {
                        JoinKind::Inner => join::inner(left, right, &on),
                        JoinKind::Left => join::left(left, right, &on),
                        JoinKind::Full => join::full(left, right, &on),
                        JoinKind::Semi => join::semi(left, right, &on),
                        JoinKind::Anti => join::anti(left, right, &on),
                    };
                    for kind in [JoinKind::Inner, JoinKind::Left, JoinKind::Full, JoinKind::Semi, JoinKind::Anti] {
                        for (left, right) in [(&few, &table), (&table, &few), (&few, &few)] {
                            let bound = bounds::join(&Shape::of(left), &Shape::of(right), kind, false);
                            check(&format!("{what} {kind:?} join"), bound, || joined(left, right, kind));
                        }
                    }
                    let condition = (expr::col(1) + 3).lt(expr::col(4)).and(expr::col(2).lt(expr::col(5)));
                    let inner = Shape::of_values(0, 8).beside(Shape::of_values(0, 1)).beside(Shape::of_values(0, 2));
                    let kinds = [JoinKind::Inner, JoinKind::Left, JoinKind::Full, JoinKind::Semi, JoinKind::Anti];
                    for kind in kinds.into_iter().filter(|_| keys == 100 && rows <= 33_000) {
                        for (left, right) in [(&few, &table), (&table, &few), (&few, &few)] {
                            let (a, b) = (Shape::of(left), Shape::of(right));
                            let bound =
                                |has_keys| bounds::join_where([&a, &b], [&a, &b, &inner], kind, (has_keys, false));
                            let joined = |on: &JoinKeys<'_>| {
                                let (left, right) = ([Ok(left.clone())], vec![right.clone()]);
                                external::join_where(left, right, on, &condition, kind, &Budget::unlimited())
                            };
                            check(&format!("{what} {kind:?} mixed join"), bound(true), || joined(&on));
                            let none = JoinKeys::new(&[], &[]);
                            check(&format!("{what} {kind:?} conditional join"), bound(false), || joined(&none));
                        }
                    }
                    let unique = Table::try_new(vec![
                        Column::sequence(0_i64, 1, rows).unwrap(),
                        table.column(2).unwrap().clone(),
                    ]);
                    let unique = unique.unwrap();
                    let bound = bounds::join(&all, &Shape::of(&unique), JoinKind::Left, true);
                    check(&format!("{what} unique join"), bound, || joined(&table, &unique, JoinKind::Left));
                    check(&format!("{what} concatenate"), bounds::concatenate(&all.above(few_shape)), || {
                        gdf::concatenate::concatenate(&[table.view(), few.view()])
                    });
                    for elements in [0, 2] {
                        let elements = table.column(elements).unwrap();
                        let (lists, shape) = (lists_of(&mut rng, elements), Shape::of_column(elements));
                        let rows = lists.len();
                        let others = random(&mut rng, rows, keys, nulls).select(&[1, 2]).unwrap();
                        let bound = bounds::explode(&Shape::of(&others), &shape);
                        let columns = [vec![lists], others.into_columns()].concat();
                        let exploded = Table::try_new(columns).unwrap();
                        check(&format!("{what} explode"), bound, || gdf::lists::explode(&exploded, 0));
                        check(&format!("{what} explode_outer"), bound, || gdf::lists::explode_outer(&exploded, 0));
                    }
                    let mask = Column::from_slice(&vec![true; rows]).unwrap();
                    check(&format!("{what} filter"), bounds::filter(&all), || {
                        stream_compaction::apply_boolean_mask(&table, &mask)
                    });
                }
            }
        }
    });
}
