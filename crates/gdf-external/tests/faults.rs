//! Tests that an operator whose memory or disk fails returns an error or the right rows, and leaves nothing behind. On
//! the CPU and, with `GDF_TEST_DEVICE=cuda:0`, on a GPU.

use gdf::Error;
use gdf::expr;
use gdf::external::{
    Budget, JoinKind, Keys, Request, broadcast, distinct, group_by, join, join_where, sort, top, transform,
};
use gdf::groupby::{AggregationRequest, GroupBy, GroupByAggregation, NullPolicy};
use gdf::join::JoinKeys;
use gdf::memory::{MemoryError, Resource, SpillManager, SpillOptions, current_resource};
use gdf::prelude::*;
use gdf::scan::{ScanAggregation, ScanType};
use gdf::stream_compaction::DuplicateKeepOption;
use gdf_test::device::test_device;
use gdf_test::resources::{FailingResource, SpillFaults, SpyingResource};
use gdf_test::rows::sorted_rows;
use rand::rngs::SmallRng;
use rand::{Rng, SeedableRng};

const ROWS: usize = 6_000;
/// The number of rows of each side of a join. The other operators get more rows, because a join may return more rows
/// than its sides have.
const JOINED_ROWS: usize = 3_000;
/// The limits of memory. Each operator gets the smallest of these limits below which it succeeds.
const LIMITS: [usize; 6] = [200_000, 300_000, 500_000, 1_000_000, 2_000_000, 4_000_000];
/// The approximate number of allocations of an operator that are made to fail, one in each run.
const FAILURES: usize = 8;
/// Each of this number of first accesses to the file of spilled bytes is made to fail, one in each run. Of the later
/// accesses, fewer and fewer are made to fail.
const FIRST_ACCESSES: usize = 12;

type Operator = (&'static str, fn([&Table; 2], &Budget) -> gdf::Result<Vec<Table>>);

const OPERATORS: [Operator; 13] = [
    ("inner join", |sides, budget| joined(sides, JoinKind::Inner, budget)),
    ("full join", |sides, budget| joined(sides, JoinKind::Full, budget)),
    ("anti join", |sides, budget| joined(sides, JoinKind::Anti, budget)),
    ("left join by keys and a condition", |sides, budget| {
        joined_where(sides, &JoinKeys::new(&[0], &[0]), JoinKind::Left, budget)
    }),
    ("full join by a condition", |[left, right], budget| {
        joined_where([&left.head(100), right], &JoinKeys::new(&[], &[]), JoinKind::Full, budget)
    }),
    ("sums of groups", |[input, _], budget| {
        let requests = [Request { column: 1, aggregations: vec![GroupByAggregation::Sum] }];
        group_by(parts(input, budget), 1, NullPolicy::Include, &requests, budget)
    }),
    ("distinct values of groups", |[input, _], budget| {
        let requests = [Request { column: 1, aggregations: vec![GroupByAggregation::Nunique(NullPolicy::Exclude)] }];
        group_by(parts(input, budget), 1, NullPolicy::Include, &requests, budget)
    }),
    ("sort", |[input, _], budget| sort(parts(input, budget), &all_columns(), budget)),
    ("top", |[input, _], budget| Ok(vec![top(parts(input, budget), &all_columns(), 300, budget)?])),
    ("distinct", |[input, _], budget| distinct(parts(input, budget), &[0, 1, 2], DuplicateKeepOption::First, budget)),
    ("distinct keys", |[input, _], budget| {
        let found = distinct(parts(input, budget), &[0], DuplicateKeepOption::Any, budget)?;
        found.iter().map(|part| part.select(&[0])).collect()
    }),
    ("transform", |[input, _], budget| transform(parts(input, budget), &[0], budget, &mut |rows| sums(rows))),
    ("broadcast", |[input, _], budget| {
        let request = AggregationRequest::new(input.column(1)?, vec![GroupByAggregation::Max]);
        let groups = GroupBy::new(&input.select(&[0])?, NullPolicy::Include).agg(&[request])?;
        let groups = parts(&groups, budget).collect::<gdf::Result<_>>()?;
        broadcast(parts(input, budget), groups, 1, budget)
    }),
];

fn joined([left, right]: [&Table; 2], kind: JoinKind, budget: &Budget) -> gdf::Result<Vec<Table>> {
    let (left, right) = (left.head(JOINED_ROWS), right.head(JOINED_ROWS));
    let right = parts(&right, budget).collect::<gdf::Result<_>>()?;
    join(parts(&left, budget), right, &JoinKeys::new(&[0], &[0]), kind, budget)
}

fn joined_where(
    [left, right]: [&Table; 2],
    on: &JoinKeys<'_>,
    kind: JoinKind,
    budget: &Budget,
) -> gdf::Result<Vec<Table>> {
    let (left, right) = (left.head(JOINED_ROWS), right.head(JOINED_ROWS));
    let right = parts(&right, budget).collect::<gdf::Result<_>>()?;
    // Without keys, few pairs fulfill the condition.
    let condition = match on.left.is_empty() {
        true => (expr::col(1) * 9).eq(expr::col(4)),
        false => (expr::col(1) * 3).gt(expr::col(4)),
    };
    join_where(parts(&left, budget), right, on, &condition, kind, budget)
}

fn all_columns() -> Keys {
    Keys { columns: vec![0, 1, 2], orders: Vec::new(), null_orders: Vec::new() }
}

/// Returns the running sums of the numbers of each key, and the texts. All rows with the same key must be in `rows`.
fn sums(rows: &Table) -> gdf::Result<Table> {
    let keys = rows.select(&[0])?;
    let sums =
        GroupBy::new(&keys, NullPolicy::Include).scan(rows.column(1)?, ScanAggregation::Sum, ScanType::Inclusive)?;
    Table::try_new(vec![sums, rows.column(2)?.clone()])
}

fn table(rng: &mut SmallRng) -> Table {
    let keys: Vec<Option<i64>> = (0..ROWS).map(|_| rng.random_bool(0.9).then(|| rng.random_range(0..8_000))).collect();
    let numbers: Vec<i32> = (0..ROWS).map(|_| rng.random_range(-1000..1000)).collect();
    let texts: Vec<String> = (0..ROWS).map(|_| format!("text {}", rng.random_range(0..10_000))).collect();
    let columns = [
        Column::from_options(&keys),
        Column::from_slice(&numbers),
        Column::from_strs(texts.iter().map(String::as_str)),
    ];
    Table::try_new(columns.map(Result::unwrap).into()).unwrap()
}

/// Returns the parts of a table one after another, as spillable copies.
fn parts<'t>(table: &'t Table, budget: &'t Budget) -> impl Iterator<Item = gdf::Result<Table>> + 't {
    (0..table.num_rows()).step_by(400).map(move |start| {
        let slice = table.slice(start, 400.min(table.num_rows() - start))?;
        Ok(budget.keep(gdf::contiguous_split::pack(&slice)?.unpack()?))
    })
}

struct Run {
    found: gdf::Result<Vec<String>>,
    allocations: usize,
    has_failed: bool,
    spilled_bytes: u64,
}

/// Runs an operator whose allocation number `fail_at` fails, and checks that nothing is left.
fn run((name, operator): Operator, inputs: [&Table; 2], options: &SpillOptions, fail_at: usize) -> Run {
    let folder = tempfile::tempdir().unwrap();
    let spy = SpyingResource::new(current_resource(test_device()).unwrap());
    let failing = FailingResource::new(Resource::new(spy.clone()), fail_at);
    let options = options.clone().with_directory(folder.path()).with_host_limit(0);
    let manager = SpillManager::new(Resource::new(failing.clone()), options);
    let found =
        gdf::scope::with_resource(&manager.resource(), || sorted_rows(&operator(inputs, &Budget::of(&manager))?));
    let what = format!("{name}, failure {fail_at}: {found:.100?}");
    assert_eq!((manager.allocated_bytes(), manager.disk_bytes(), manager.watched_bytes()), (0, 0, 0), "{what}");
    assert_eq!((manager.budget().reserved(), manager.budget().waiting()), (0, 0), "{what}");
    assert_eq!((spy.outstanding(), spy.faults()), (0, Vec::new()), "{what}");
    assert_eq!(std::fs::read_dir(folder.path()).unwrap().count(), 0, "{what}");
    let spilled_bytes = manager.statistics().device_to_disk.bytes;
    Run { found, allocations: failing.seen(), has_failed: failing.has_failed(), spilled_bytes }
}

/// Returns the options of the smallest limit below which the operator ends.
fn limited(operator: Operator, inputs: [&Table; 2]) -> SpillOptions {
    let statistics = gdf::memory::SpillStatisticsLevel::Transfers;
    let mut options =
        LIMITS.into_iter().map(|limit| SpillOptions::new().with_hard_limit(limit).with_statistics(statistics));
    let found = options.find(|options| run(operator, inputs, options, 0).found.is_ok());
    found.unwrap_or_else(|| panic!("{} does not end below {LIMITS:?} bytes", operator.0))
}

/// Calls `test` with each operator and the rows that it returns.
fn with_operators(mut test: impl FnMut(Operator, [&Table; 2], &[String])) {
    gdf::scope::with_device(test_device(), || {
        let mut rng = SmallRng::seed_from_u64(1);
        let (left, right) = (table(&mut rng), table(&mut rng));
        for operator in OPERATORS {
            let expected = sorted_rows(&(operator.1)([&left, &right], &Budget::unlimited()).unwrap()).unwrap();
            assert!(!expected.is_empty(), "{}", operator.0);
            test(operator, [&left, &right], &expected);
        }
    });
}

#[test]
fn a_failed_allocation_is_an_error_or_changes_nothing() {
    let mut spilling = 0;
    with_operators(|operator, inputs, expected| {
        // With spilling on demand, spilled memory serves the request that failed. Otherwise, the operator gets the
        // error.
        for on_demand in [false, true] {
            let options = limited(operator, inputs).with_on_demand(on_demand);
            let whole = run(operator, inputs, &options, 0);
            assert!(whole.found.unwrap() == expected, "{} with a limit", operator.0);
            spilling += usize::from(whole.spilled_bytes > 0);
            let (mut failures, mut errors) = (0, 0);
            let early = 1..=FAILURES / 4;
            let later = (FAILURES / 4 + 1..=whole.allocations).step_by((whole.allocations / FAILURES).max(1));
            for fail_at in early.chain(later) {
                let one = run(operator, inputs, &options, fail_at);
                failures += usize::from(one.has_failed);
                match one.found {
                    Ok(found) => assert!(found == expected, "{}: rows after failure {fail_at}", operator.0),
                    Err(error) => {
                        assert!(error.is_out_of_memory(), "{}, failure {fail_at}: {error:?}", operator.0);
                        errors += 1;
                    }
                }
            }
            assert!(failures >= FAILURES / 2, "{}: {failures} failures", operator.0);
            assert!(on_demand || errors > 0, "{}: {failures} failures without an error", operator.0);
        }
    });
    // On CUDA, the scratch memory is larger than these tables. Few operators therefore hold enough bytes to reach the
    // smallest limit below which they succeed.
    let min_spilling = if test_device().is_cpu() { OPERATORS.len() / 2 } else { 1 };
    assert!(spilling >= min_spilling, "{spilling} of {} runs spill", 2 * OPERATORS.len());
}

#[test]
fn a_full_disk_is_an_error_or_changes_nothing() {
    let mut spilling = 0;
    with_operators(|operator, inputs, expected| {
        let (mut errors, options) = (0, limited(operator, inputs));
        for disk_limit in [0, 4096, 20_000, 60_000, 120_000, 250_000, 500_000, usize::MAX] {
            let full = run(operator, inputs, &options.clone().with_disk_limit(disk_limit), 0);
            match full.found {
                Ok(found) => assert!(found == expected, "{} with {disk_limit} bytes on disk", operator.0),
                Err(error) => {
                    assert!(disk_limit < usize::MAX, "{}: {error}", operator.0);
                    assert!(matches!(&error, Error::Memory(MemoryError::Spill { .. })), "{}: {error:?}", operator.0);
                    assert!(
                        error.to_string().contains(&format!("the limit of {disk_limit} bytes is reached")),
                        "{error}"
                    );
                    errors += 1;
                }
            }
        }
        spilling += usize::from(errors > 0);
    });
    let min_spilling = if test_device().is_cpu() { OPERATORS.len() / 3 } else { 1 };
    assert!(spilling >= min_spilling, "{spilling} of {} operators need the disk", OPERATORS.len());
}

#[test]
fn a_failed_write_or_read_of_the_spill_file_is_an_error_or_changes_nothing() {
    let mut failing = [0; 2];
    with_operators(|operator, inputs, expected| {
        let options = limited(operator, inputs);
        for (of, fault) in [SpillFaults::of_write, SpillFaults::of_read].into_iter().enumerate() {
            let (mut at, mut errors) = (1, 0);
            loop {
                let faults = fault(at);
                let one = run(operator, inputs, &options.clone().with_faults(faults.clone()), 0);
                match one.found {
                    Ok(found) => assert!(found == expected, "{}: rows after failed access {at}", operator.0),
                    Err(error) => {
                        assert!(matches!(&error, Error::Memory(MemoryError::Spill { .. })), "{error:?}");
                        let what = ["cannot write spilled bytes", "cannot read spilled bytes"][of];
                        assert!(faults.has_failed() && error.to_string().contains(what), "{}: {error}", operator.0);
                        errors += 1;
                    }
                }
                if !faults.has_failed() {
                    break;
                }
                at += at.div_ceil(FIRST_ACCESSES);
            }
            // A failed write is an error. A failed read may be none, because a read ahead of its use is repeated.
            assert!(of == 1 || errors > 0 || at == 1, "{}: {at} accesses without an error", operator.0);
            failing[of] += usize::from(errors > 0);
        }
    });
    let min_failing = if test_device().is_cpu() { OPERATORS.len() / 3 } else { 1 };
    assert!(failing.iter().all(|count| *count >= min_failing), "{failing:?} of {} operators fail", OPERATORS.len());
}
