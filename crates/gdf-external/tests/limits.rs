//! Tests that operators on parts give the rows of the operation on the whole table, and stay below a limit of memory
//! that is a fraction of their input. On the CPU and, with `GDF_TEST_DEVICE=cuda:0`, on a GPU.

use std::collections::HashSet;

use gdf::expr;
use gdf::external::{
    Budget, JoinKind, Keys, Request, broadcast, distinct, group_by, join, join_where, sort, top, transform,
};
use gdf::groupby::{AggregationRequest, GroupBy, GroupByAggregation, NullPolicy};
use gdf::join::{self, JoinKeys};
use gdf::memory::{MemoryError, SpillManager, SpillOptions, SpillStatisticsLevel, current_resource};
use gdf::prelude::*;
use gdf::scan::{ScanAggregation, ScanType};
use gdf::sorting::{NullOrder, Order};
use gdf::stream_compaction::DuplicateKeepOption;
use gdf_test::device::test_device;
use rand::rngs::SmallRng;
use rand::{Rng, SeedableRng};

const LIMIT: usize = 1 << 20;
const ROWS: usize = 8_000;

fn limited(bytes: usize) -> SpillManager {
    let options = SpillOptions::new().with_hard_limit(bytes).with_statistics(SpillStatisticsLevel::Transfers);
    SpillManager::new(current_resource(test_device()).unwrap(), options)
}

fn on_device(test: impl FnOnce()) {
    gdf::scope::with_device(test_device(), test);
}

fn below<R>(bytes: usize, work: impl FnOnce(&Budget) -> R) -> R {
    let manager = limited(bytes);
    let result = gdf::scope::with_resource(&manager.resource(), || work(&Budget::of(&manager)));
    assert!(manager.peak_bytes() <= bytes, "{} of {bytes} bytes", manager.peak_bytes());
    result
}

/// Returns a table of keys below `keys`, numbers, and texts. About a tenth of the keys is null.
fn table(rng: &mut SmallRng, rows: usize, keys: i64) -> Table {
    let of_keys: Vec<Option<i64>> =
        (0..rows).map(|_| rng.random_bool(0.9).then(|| rng.random_range(0..keys))).collect();
    let numbers: Vec<i32> = (0..rows).map(|_| rng.random_range(-1000..1000)).collect();
    let texts: Vec<String> = (0..rows).map(|_| format!("text {}", rng.random_range(0..10_000))).collect();
    let columns = [
        Column::from_options(&of_keys),
        Column::from_slice(&numbers),
        Column::from_strs(texts.iter().map(String::as_str)),
    ];
    Table::try_new(columns.map(Result::unwrap).into()).unwrap()
}

/// Returns the table with its keys as a dictionary column.
fn with_dictionary(table: &Table) -> Table {
    let mut columns = table.columns().to_vec();
    columns[0] = gdf::dictionary::encode(&columns[0], &DataType::Int32).unwrap();
    Table::try_new(columns).unwrap()
}

/// Returns the parts of a table one after another, as spillable copies.
fn parts<'t>(table: &'t Table, rows: usize, budget: &'t Budget) -> impl Iterator<Item = gdf::Result<Table>> + 't {
    (0..table.num_rows()).step_by(rows).map(move |start| {
        let slice = table.slice(start, rows.min(table.num_rows() - start))?;
        let copy = gdf::contiguous_split::pack(&slice)?.unpack()?;
        Ok(budget.keep(copy))
    })
}

/// Returns the rows of tables on the CPU as texts, sorted unless the order matters.
fn rows_of(tables: &[Table], sorted: bool) -> Vec<String> {
    let mut rows = Vec::new();
    for table in tables {
        let columns: Vec<Vec<Option<String>>> = table
            .columns()
            .iter()
            .map(|column| match column.data_type() {
                DataType::Utf8 => column.to_strings().unwrap(),
                _ => {
                    let numbers = gdf::unary::cast(column, &DataType::Int64).unwrap().to_vec::<i64>().unwrap();
                    numbers.into_iter().map(|number| number.map(|number| number.to_string())).collect()
                }
            })
            .collect();
        rows.extend((0..table.num_rows()).map(|row| {
            let cells = columns.iter().map(|column| column[row].as_deref().unwrap_or("null").to_owned());
            cells.collect::<Vec<_>>().join("|")
        }));
    }
    if sorted {
        rows.sort_unstable();
    }
    rows
}

#[test]
fn groups_are_those_of_the_whole_table() {
    on_device(|| {
        let mut rng = SmallRng::seed_from_u64(1);
        for (keys, aggregations) in [
            (10, vec![GroupByAggregation::Sum, GroupByAggregation::Min, GroupByAggregation::CountAll]),
            (1_000_000, vec![GroupByAggregation::Sum, GroupByAggregation::CountValid]),
            // The states of `Nunique` are lists.
            (1_000, vec![GroupByAggregation::Nunique(NullPolicy::Exclude), GroupByAggregation::Max]),
            (1_000_000, vec![GroupByAggregation::Nunique(NullPolicy::Exclude)]),
            // Row numbers count the rows of all parts. The three cases are groups in memory, groups that are divided,
            // and rows that are divided.
            (10, vec![GroupByAggregation::ArgMin, GroupByAggregation::Sum, GroupByAggregation::ArgMax]),
            (1_000_000, vec![GroupByAggregation::ArgMax, GroupByAggregation::Sum]),
            (1_000_000, vec![GroupByAggregation::Median, GroupByAggregation::ArgMin]),
        ] {
            let input = table(&mut rng, 4 * ROWS, keys);
            for nulls in [NullPolicy::Include, NullPolicy::Exclude] {
                let keys = input.select(&[0]).unwrap();
                let request = AggregationRequest::new(input.column(1).unwrap(), aggregations.clone());
                let expected = GroupBy::new(&keys, nulls).agg(&[request]).unwrap();
                let requests = [Request { column: 1, aggregations: aggregations.clone() }];
                let found = below(LIMIT, |budget| {
                    let found = group_by(parts(&input, 2_000, budget), 1, nulls, &requests, budget).unwrap();
                    rows_of(&found, true)
                });
                assert_eq!(found, rows_of(&[expected], true), "{aggregations:?} {nulls:?}");
            }
        }
    });
}

#[test]
fn first_and_last_rows_follow_the_order_of_the_parts() {
    on_device(|| {
        let nth = |n| GroupByAggregation::NthElement { n, nulls: NullPolicy::Include };
        let aggregations = vec![nth(0), nth(-1)];
        let mut rng = SmallRng::seed_from_u64(9);
        // Groups in memory, and groups that are divided. Most keys are in several parts.
        for keys in [10, 20_000] {
            let input = table(&mut rng, 4 * ROWS, keys);
            let of_keys = input.select(&[0]).unwrap();
            let request = AggregationRequest::new(input.column(1).unwrap(), aggregations.clone());
            let expected = GroupBy::new(&of_keys, NullPolicy::Include).agg(&[request]).unwrap();
            let requests = [Request { column: 1, aggregations: aggregations.clone() }];
            let found = below(2 * LIMIT, |budget| {
                let parts = parts(&input, 2_000, budget);
                rows_of(&group_by(parts, 1, NullPolicy::Include, &requests, budget).unwrap(), true)
            });
            assert!(found == rows_of(&[expected], true), "{keys} keys");
        }
    });
}

#[test]
fn joins_are_those_of_the_whole_tables() {
    on_device(|| {
        let mut rng = SmallRng::seed_from_u64(2);
        // The right side is small, or larger than the limit, or has one frequent key. The keys of dictionaries are
        // decoded by full joins.
        let sizes = [(4 * ROWS, 1_000, 2_000, false), (ROWS, 4 * ROWS, 200_000, false), (50, ROWS, 1, false)];
        for (left_rows, right_rows, keys, encoded) in sizes.into_iter().chain([(50, ROWS, 1, true)]) {
            let sides = [table(&mut rng, left_rows, keys), table(&mut rng, right_rows, keys)];
            let [left, right] = if encoded { sides.map(|side| with_dictionary(&side)) } else { sides };
            let on = JoinKeys::new(&[0], &[0]);
            for kind in [JoinKind::Inner, JoinKind::Left, JoinKind::Full, JoinKind::Semi, JoinKind::Anti] {
                let expected = match kind {
                    JoinKind::Inner => join::inner(&left, &right, &on),
                    JoinKind::Left => join::left(&left, &right, &on),
                    JoinKind::Full => join::full(&left, &right, &on),
                    JoinKind::Semi => join::semi(&left, &right, &on),
                    JoinKind::Anti => join::anti(&left, &right, &on),
                };
                let expected = expected.unwrap();
                let found = below(LIMIT, |budget| {
                    let right = parts(&right, 2_000, budget).collect::<gdf::Result<_>>().unwrap();
                    let found = join(parts(&left, 2_000, budget), right, &on, kind, budget);
                    let found = found.unwrap_or_else(|error| panic!("{kind:?} of {left_rows}, {right_rows}: {error}"));
                    for part in &found {
                        assert!(part.data_types().eq(expected.data_types()), "{kind:?}: {part:?}");
                    }
                    rows_of(&found, true)
                });
                assert_eq!(found, rows_of(&[expected], true), "{kind:?} of {left_rows} and {right_rows} rows");
            }
        }
        // Without a match, the result has the columns of the join and no rows.
        let (left, right) = (table(&mut rng, 10, 5), table(&mut rng, 4 * ROWS, 5).slice(0, 0).unwrap());
        for (kind, width) in [(JoinKind::Inner, 5), (JoinKind::Semi, 3)] {
            let found =
                join([Ok(left.clone())], vec![right.clone()], &JoinKeys::new(&[0], &[0]), kind, &Budget::unlimited());
            let found = found.unwrap();
            assert_eq!((found[0].num_rows(), found[0].num_columns()), (0, width));
        }
        let none =
            join(std::iter::empty(), vec![right], &JoinKeys::new(&[0], &[0]), JoinKind::Inner, &Budget::unlimited());
        assert!(none.unwrap_err().to_string().contains("no parts"));
    });
}

/// The tables are joined by a naive loop, which knows the columns of `table`.
#[test]
fn joins_by_a_condition_are_those_of_a_loop() {
    let numbers = |column: &Column| {
        let wide = gdf::unary::cast(column, &DataType::Int64).unwrap();
        wide.to_vec::<i64>().unwrap()
    };
    on_device(|| {
        let mut rng = SmallRng::seed_from_u64(7);
        // The right side is small, or larger than the limit, or has one frequent key.
        for (left_rows, right_rows, keys) in [(ROWS, 40, 20), (300, ROWS, 2_000), (20, ROWS, 1)] {
            let (left, right) = (table(&mut rng, left_rows, keys), table(&mut rng, right_rows, keys));
            let [left_keys, left_numbers] = [0, 1].map(|at| numbers(left.column(at).unwrap()));
            let [right_keys, right_numbers] = [0, 1].map(|at| numbers(right.column(at).unwrap()));
            let texts = [&left, &right].map(|side| side.column(2).unwrap().to_strings().unwrap());
            for has_keys in [true, false] {
                // Without keys, few pairs fulfill the condition.
                let scale = if has_keys { 3 } else { 400 };
                let condition = ((expr::col(1) + 1000) * scale).lt(expr::col(4) + 1000);
                let matches = |a: usize, b: usize| {
                    let condition = (left_numbers[a].unwrap() + 1000) * scale < right_numbers[b].unwrap() + 1000;
                    condition && (!has_keys || (left_keys[a].is_some() && left_keys[a] == right_keys[b]))
                };
                let pairs: Vec<(usize, usize)> = (0..left_rows)
                    .flat_map(|a| (0..right_rows).map(move |b| (a, b)))
                    .filter(|(a, b)| matches(*a, *b))
                    .collect();
                let of_left = |a: Option<usize>| cells(a, &left_keys, &left_numbers, &texts[0]);
                let of_right = |b: Option<usize>| cells(b, &right_keys, &right_numbers, &texts[1]);
                let (used_left, used_right): (HashSet<_>, HashSet<_>) = pairs.iter().copied().unzip();
                let lonely_left = || (0..left_rows).filter(|a| !used_left.contains(a)).map(Some);
                let lonely_right = || (0..right_rows).filter(|b| !used_right.contains(b)).map(Some);
                for kind in [JoinKind::Inner, JoinKind::Left, JoinKind::Full, JoinKind::Semi, JoinKind::Anti] {
                    let both = || pairs.iter().map(|(a, b)| of_left(Some(*a)) + "|" + &of_right(Some(*b)));
                    let left_only = || lonely_left().map(|a| of_left(a) + "|" + &of_right(None));
                    let right_only = || lonely_right().map(|b| of_left(None) + "|" + &of_right(b));
                    let mut expected: Vec<String> = match kind {
                        JoinKind::Inner => both().collect(),
                        JoinKind::Left => both().chain(left_only()).collect(),
                        JoinKind::Full => both().chain(left_only()).chain(right_only()).collect(),
                        JoinKind::Semi => used_left.iter().map(|a| of_left(Some(*a))).collect(),
                        JoinKind::Anti => lonely_left().map(of_left).collect(),
                    };
                    expected.sort_unstable();
                    let on = if has_keys { JoinKeys::new(&[0], &[0]) } else { JoinKeys::new(&[], &[]) };
                    let found = below(LIMIT / 2, |budget| {
                        let right = parts(&right, 2_000, budget).collect::<gdf::Result<_>>().unwrap();
                        let found = join_where(parts(&left, 2_000, budget), right, &on, &condition, kind, budget);
                        rows_of(&found.unwrap_or_else(|error| panic!("{kind:?} {has_keys}: {error}")), true)
                    });
                    assert!(found == expected, "{kind:?} of {left_rows} and {right_rows} rows, keys: {has_keys}");
                }
            }
        }
        let none = join_where(
            std::iter::empty(),
            vec![table(&mut rng, 1, 1)],
            &JoinKeys::new(&[], &[]),
            &expr::lit(true),
            JoinKind::Inner,
            &Budget::unlimited(),
        );
        assert!(none.unwrap_err().to_string().contains("no parts"));
    });
}

fn cells(row: Option<usize>, keys: &[Option<i64>], numbers: &[Option<i64>], texts: &[Option<String>]) -> String {
    let Some(row) = row else { return "null|null|null".to_owned() };
    let number = |of: Option<i64>| of.map_or("null".to_owned(), |number| number.to_string());
    format!("{}|{}|{}", number(keys[row]), number(numbers[row]), texts[row].as_deref().unwrap_or("null"))
}

#[test]
fn sorts_are_those_of_the_whole_table() {
    on_device(|| {
        let mut rng = SmallRng::seed_from_u64(3);
        // There are three cases: many keys, few keys so that a range has one key, and a single key.
        for keys in [1_000_000, 7, 1] {
            let input = table(&mut rng, 4 * ROWS, keys);
            for (order, null_order) in [(Order::Ascending, NullOrder::After), (Order::Descending, NullOrder::Before)] {
                let by = |columns: Vec<usize>| Keys {
                    orders: vec![order; columns.len()],
                    null_orders: vec![null_order; columns.len()],
                    columns,
                };
                // With all columns as keys, the order of the rows is unique.
                let all = by(vec![0, 1, 2]);
                let expected = gdf::sorting::sort(&input, &all.orders, &all.null_orders).unwrap();
                let found =
                    below(LIMIT, |budget| rows_of(&sort(parts(&input, 2_000, budget), &all, budget).unwrap(), false));
                assert!(found == rows_of(std::slice::from_ref(&expected), false), "{keys} keys, {order:?}");
                let first = below(LIMIT, |budget| {
                    rows_of(&[top(parts(&input, 2_000, budget), &all, 100, budget).unwrap()], false)
                });
                assert_eq!(first, rows_of(&[expected.head(100)], false), "{keys} keys, {order:?}");
                let one = by(vec![0]);
                let found = below(LIMIT, |budget| {
                    let found = sort(parts(&input, 2_000, budget), &one, budget).unwrap();
                    let keys: Vec<Table> = found.iter().map(|table| table.select(&[0]).unwrap()).collect();
                    (rows_of(&keys, false), rows_of(&found, true))
                });
                let expected_keys = rows_of(&[expected.select(&[0]).unwrap()], false);
                assert!(found == (expected_keys, rows_of(&[expected], true)), "{keys} keys, {order:?}");
            }
        }
    });
}

#[test]
fn top_keeps_only_the_first_rows_of_a_part() {
    on_device(|| {
        let manager = limited(1 << 30);
        let keys = Keys { columns: vec![0], orders: vec![Order::Ascending], null_orders: vec![NullOrder::After] };
        let part = |at: i64| {
            // The rows of all parts so far would need more.
            let bytes = manager.allocated_bytes();
            assert!(bytes < 4 * ROWS * size_of::<i64>(), "{bytes} bytes before part {at}");
            let rows: Vec<i64> = (at..at + ROWS as i64).rev().collect();
            Table::try_new(vec![Column::from_slice(&rows)?])
        };
        let found = gdf::scope::with_resource(&manager.resource(), || {
            top((0..20).map(part), &keys, 3, &Budget::unlimited()).unwrap()
        });
        assert_eq!(found.column(0).unwrap().to_vec::<i64>().unwrap(), [0, 1, 1].map(Some));
    });
}

#[test]
fn distinct_rows_are_those_of_the_whole_table() {
    on_device(|| {
        let mut rng = SmallRng::seed_from_u64(4);
        for keys in [50, 1_000_000] {
            let input = table(&mut rng, 4 * ROWS, keys);
            for keep in [DuplicateKeepOption::First, DuplicateKeepOption::Last, DuplicateKeepOption::None] {
                let (nulls, nans) = (gdf::join::NullEquality::Equal, gdf::stream_compaction::NanEquality::AllEqual);
                let expected = gdf::stream_compaction::distinct(&input, &[0], keep, nulls, nans).unwrap();
                let found = below(LIMIT, |budget| {
                    rows_of(&distinct(parts(&input, 2_000, budget), &[0], keep, budget).unwrap(), true)
                });
                assert!(found == rows_of(&[expected], true), "{keys} keys, {keep:?}");
            }
        }
    });
}

#[test]
fn rows_of_partitions_come_back_in_their_order() {
    on_device(|| {
        let mut rng = SmallRng::seed_from_u64(7);
        for keys in [1, 50, 1_000_000] {
            let input = table(&mut rng, 4 * ROWS, keys);
            let sums = |rows: &Table| {
                let keys = rows.select(&[0])?;
                let groups = GroupBy::new(&keys, NullPolicy::Include);
                let sums = groups.scan(rows.column(1)?, ScanAggregation::Sum, ScanType::Inclusive)?;
                Table::try_new(vec![sums, rows.column(2)?.clone()])
            };
            let expected = rows_of(&[sums(&input).unwrap()], false);
            // All rows of one key have to fit.
            let limit = if keys == 1 { 16 * LIMIT } else { LIMIT };
            let found = below(limit, |budget| {
                rows_of(&transform(parts(&input, 2_000, budget), &[0], budget, &mut |rows| sums(rows)).unwrap(), false)
            });
            assert!(found == expected, "{keys} keys");
            // Aggregations do not need memory for all rows of a key.
            let request = AggregationRequest::new(input.column(1).unwrap(), vec![GroupByAggregation::Max]);
            let of_keys = input.select(&[0]).unwrap();
            let groups = GroupBy::new(&of_keys, NullPolicy::Include).agg(&[request]).unwrap();
            let (by_key, largest): (Vec<_>, Vec<_>) = {
                let of = |at: usize| gdf::unary::cast(groups.column(at).unwrap(), &DataType::Int64).unwrap();
                (of(0).to_vec::<i64>().unwrap(), of(1).to_vec::<i64>().unwrap())
            };
            let largest: std::collections::HashMap<_, _> = by_key.into_iter().zip(largest).collect();
            let keys_of = input.column(0).unwrap().to_vec::<i64>().unwrap();
            let expected: Vec<String> = keys_of.iter().map(|key| largest[key].unwrap().to_string()).collect();
            let found = below(LIMIT, |budget| {
                let groups = parts(&groups, 2_000, budget).collect::<gdf::Result<_>>().unwrap();
                rows_of(&broadcast(parts(&input, 2_000, budget), groups, 1, budget).unwrap(), false)
            });
            assert!(found == expected, "{keys} keys");
        }
        let one = || Ok(table(&mut SmallRng::seed_from_u64(8), 10, 3));
        let short = transform([one()], &[0], &Budget::unlimited(), &mut |rows| rows.slice(0, 1)).unwrap_err();
        assert!(matches!(short, gdf::Error::LengthMismatch { .. }), "{short}");
        let none = transform([one()], &[], &Budget::unlimited(), &mut |rows| Ok(rows.clone())).unwrap_err();
        assert!(none.to_string().contains("no keys"), "{none}");
        let groups = one().and_then(|rows| rows.select(&[0, 1])).unwrap();
        let several = broadcast([one()], vec![groups], 1, &Budget::unlimited()).unwrap_err();
        assert!(matches!(several, gdf::Error::LengthMismatch { .. }), "{several}");
    });
}

#[test]
fn what_cannot_be_done_is_an_error_and_leaves_nothing_behind() {
    on_device(|| {
        let mut rng = SmallRng::seed_from_u64(5);
        let input = table(&mut rng, 3 * ROWS, 10);
        let on = JoinKeys::new(&[0], &[0]);
        // The limit is smaller than one part.
        let manager = limited(40_000);
        let error = gdf::scope::with_resource(&manager.resource(), || {
            let budget = Budget::of(&manager);
            let right = parts(&input, 10_000, &budget).collect::<gdf::Result<Vec<_>>>()?;
            join(parts(&input, 10_000, &budget), right, &on, JoinKind::Inner, &budget)
        });
        assert!(error.unwrap_err().is_out_of_memory());
        assert_eq!((manager.allocated_bytes(), manager.disk_bytes(), manager.host_bytes()), (0, 0, 0));
        // The directory for spilled bytes does not exist.
        let options = SpillOptions::new().with_hard_limit(1 << 18).with_host_limit(0);
        let options = options.with_directory(std::env::temp_dir().join("gdf-absent-directory"));
        let manager = SpillManager::new(current_resource(test_device()).unwrap(), options);
        let error = gdf::scope::with_resource(&manager.resource(), || {
            let budget = Budget::of(&manager);
            parts(&input, 10_000, &budget).collect::<gdf::Result<Vec<_>>>()
        });
        assert!(error.unwrap_err().to_string().contains("gdf-absent-directory"));
        assert_eq!(manager.allocated_bytes(), 0);
        let keys = Keys { columns: vec![0], orders: Vec::new(), null_orders: Vec::new() };
        assert!(sort(std::iter::empty(), &keys, &Budget::unlimited()).unwrap_err().to_string().contains("no parts"));
    });
}

#[test]
fn queries_at_once_below_one_limit_wait_for_each_other_and_all_end() {
    let mut rng = SmallRng::seed_from_u64(6);
    let device = test_device();
    let [input, other] = [(); 2].map(|()| gdf::scope::with_device(device, || table(&mut rng, 2 * ROWS, 5_000)));
    let manager = limited(LIMIT);
    let all = Keys { columns: vec![0, 1, 2], orders: Vec::new(), null_orders: Vec::new() };
    let query = |at: usize| {
        let budget = Budget::of(&manager);
        let sorted = sort(parts(&input, 1_000, &budget), &all, &budget).unwrap();
        let on = JoinKeys::new(&[0], &[0]);
        let right = parts(&other, 1_000, &budget).collect::<gdf::Result<_>>().unwrap();
        let joined = join(sorted.into_iter().map(Ok), right, &on, JoinKind::Semi, &budget).unwrap();
        assert!(manager.budget().reserved() <= manager.budget().limit());
        (at, rows_of(&joined, true))
    };
    // The threads make their streams on the device of the test.
    let on_thread =
        |at: usize| gdf::scope::with_device(device, || gdf::scope::with_resource(&manager.resource(), || query(at)));
    let (_, expected) = on_thread(0);
    assert!(!expected.is_empty());
    std::thread::scope(|scope| {
        let threads: Vec<_> =
            (0..4).map(|at| scope.spawn(move || (0..2).map(|_| on_thread(at)).collect::<Vec<_>>())).collect();
        for found in threads.into_iter().flat_map(|thread| thread.join().unwrap()) {
            assert!(found.1 == expected, "thread {}", found.0);
        }
    });
    assert!(manager.peak_bytes() <= LIMIT, "{}", manager.peak_bytes());
    assert_eq!((manager.budget().reserved(), manager.budget().waiting()), (0, 0));
}

#[test]
fn a_thread_has_one_reservation_and_other_threads_wait_for_it() {
    let options = SpillOptions::new().with_hard_limit(8_000).with_reservation_timeout(std::time::Duration::ZERO);
    let manager = SpillManager::new(current_resource(Device::Cpu).unwrap(), options);
    let budget = Budget::of(&manager);
    assert_eq!((budget.bytes(), Budget::of(&manager).with_bytes(9_000).bytes()), (7_000, 8_000));
    let reserved = budget.clone().with_bytes(5_000).reserve().unwrap();
    // The budgets of this thread share the reservation, and have its bytes.
    let again = budget.reserve().unwrap();
    assert_eq!((manager.budget().reserved(), Budget::of(&manager).bytes()), (5_000, 5_000));
    let on_thread = |bytes: usize| {
        let budget = budget.clone().with_bytes(bytes);
        std::thread::scope(|scope| scope.spawn(|| budget.reserve().map(drop)).join().unwrap())
    };
    assert!(on_thread(3_000).is_ok());
    let late = on_thread(3_001).unwrap_err();
    assert!(late.to_string().contains("5000 of 8000 bytes are reserved"), "{late}");
    // An operator that cannot reserve fails before it does anything.
    let part = || Table::try_new(vec![Column::from_slice(&[1])?]);
    let keys = Keys { columns: vec![0], orders: vec![Order::Ascending], null_orders: vec![NullOrder::After] };
    let sorted = std::thread::scope(|scope| {
        scope.spawn(|| sort([part()], &keys, &budget).map(|sorted| sorted.len())).join().unwrap()
    });
    assert!(matches!(sorted, Err(gdf::Error::Memory(MemoryError::ReservationTimeout { requested: 7_000, .. }))));
    drop(reserved);
    assert_eq!(manager.budget().reserved(), 5_000);
    drop(again);
    assert_eq!(manager.budget().reserved(), 0);
    // Without a limit, nothing is reserved.
    let unlimited = SpillManager::new(current_resource(Device::Cpu).unwrap(), SpillOptions::new());
    let reserved = Budget::of(&unlimited).reserve().unwrap();
    assert_eq!(unlimited.budget().reserved(), 0);
    drop(reserved);
}

#[test]
fn an_operation_runs_again_after_a_release_of_another_thread() {
    on_device(|| {
        let manager = limited(LIMIT);
        let budget = Budget::of(&manager).with_bytes(LIMIT / 2);
        let table = Table::try_new(vec![Column::from_slice(&[1, 2]).unwrap()]).unwrap();
        let take = |manager: &SpillManager, bytes: usize| {
            let stream = gdf::scope::current_stream(test_device())?;
            gdf::memory::Buffer::zeroed(bytes, &stream, manager.resource().as_ref()).map_err(gdf::Error::from)
        };
        let (held, failed) = (std::sync::mpsc::channel(), std::sync::mpsc::channel::<()>());
        let others = manager.clone();
        let other = std::thread::spawn(move || {
            let _reserved = others.reserve(LIMIT / 4).unwrap();
            let buffer = take(&others, LIMIT / 4 * 3).unwrap();
            held.0.send(()).unwrap();
            // The other thread is still computing for a while after the failure.
            failed.1.recv().unwrap();
            std::thread::sleep(std::time::Duration::from_millis(30));
            drop(buffer);
            failed.1.recv().unwrap_err();
        });
        held.1.recv().unwrap();
        let mut runs = 0;
        let taken = budget.in_pieces(&table, &mut |piece| {
            runs += 1;
            let taken = take(&manager, LIMIT / 2);
            if taken.is_err() {
                failed.0.send(()).unwrap();
            }
            taken.map(|_| piece.num_rows())
        });
        assert_eq!((taken.unwrap(), runs), (vec![2], 2), "the table is not halved");
        drop(failed.0);
        other.join().unwrap();
        // Without another thread, nothing would release memory: each piece is tried once.
        let mut runs = 0;
        let refused = budget.in_pieces(&table, &mut |_| {
            runs += 1;
            take(&manager, 2 * LIMIT)
        });
        assert!(refused.unwrap_err().is_out_of_memory() && runs == 2, "{runs}");
    });
}

#[test]
fn memory_of_other_resources_may_stay_where_it_is() {
    let manager = SpillManager::new(current_resource(Device::Cpu).unwrap(), SpillOptions::new());
    let table = || Table::try_new(vec![Column::from_slice(&[1_i64; 10_000])?]);
    let (own, other) = (gdf::scope::with_resource(&manager.resource(), table).unwrap(), table().unwrap());
    let budget = Budget::of(&manager).with_own_memory_only();
    let other = budget.keep(other);
    assert_eq!(manager.watched_bytes(), 0);
    let own = budget.keep(own);
    assert!(manager.watched_bytes() >= 80_000);
    let other = Budget::of(&manager).keep(other);
    assert!(manager.watched_bytes() >= 160_000);
    drop((own, other));
}

#[test]
fn parts_without_columns_have_the_rows_of_all() {
    let part = |rows| Table::try_with_rows(Vec::new(), rows);
    let budget = Budget::unlimited();
    assert_eq!(budget.whole(&[part(2).unwrap(), part(3).unwrap()]).unwrap().unwrap().num_rows(), 5);
    let kept = budget.kept([part(2), part(0), part(3)]).unwrap();
    assert_eq!(kept.iter().map(Table::num_rows).sum::<usize>(), 5);
}
