//! Tests that a query whose memory or disk fails returns an error or the right rows, and that its source keeps its
//! rows. On the CPU and, with `GDF_TEST_DEVICE=cuda:0`, on a GPU.

use gdf::Error;
use gdf::frame::{Frame, Join, JoinKind, LazyFrame, all, col, len};
use gdf::memory::{MemoryError, Resource, SpillManager, SpillOptions, current_resource};
use gdf::prelude::*;
use gdf::scan::RankMethod;
use gdf::stream_compaction::DuplicateKeepOption;
use gdf_test::device::test_device;
use gdf_test::resources::{FailingResource, SpillFaults, SpyingResource};
use gdf_test::rows::sorted_rows;

const LIMIT: usize = 1 << 19;
const BATCHES: i64 = 10;
const BATCH_ROWS: i64 = 1_500;
/// The approximate number of allocations of a query that are made to fail, one in each run.
const FAILURES: usize = 10;
/// Each of this number of first accesses to the file of spilled bytes is made to fail, one in each run. Of the later
/// accesses, fewer and fewer are made to fail.
const FIRST_ACCESSES: usize = 4;

type Query = (&'static str, fn(LazyFrame) -> LazyFrame);

const QUERIES: [Query; 7] = [
    ("sort", |rows| rows.sort(["x", "k"])),
    ("join", |rows| rows.clone().join(rows.select([col("k"), (col("x") * 2).alias("y")]), Join::inner(["k"]))),
    ("join by a condition", |rows| {
        let other = rows.clone().group_by(["k"]).agg([col("x").max().alias("y")]);
        rows.join(other, Join::new(JoinKind::Left, ["k"]).condition(col("x").lt(col("y"))))
    }),
    ("groups", |rows| rows.group_by(["s"]).agg([col("x").sum(), col("k").n_unique(), len()])),
    ("distinct", |rows| rows.select(["k", "s"]).distinct(all(), DuplicateKeepOption::Any)),
    ("windows", |rows| rows.with([(col("x") - col("x").min().over(["k"])).alias("d")])),
    ("ranks", |rows| rows.with([col("x").rank(RankMethod::Min).over(["s"]).alias("r")])),
];

fn batch(at: i64) -> gdf::Result<Frame> {
    let rows = || (at * BATCH_ROWS..(at + 1) * BATCH_ROWS).map(|row| row * 7919 % 100_003);
    let texts: Vec<String> = rows().map(|number| format!("text {}", number % 3_001)).collect();
    Frame::try_new([
        ("k", Column::from_slice(&rows().map(|number| number % 9_001).collect::<Vec<_>>())?),
        ("x", Column::from_slice(&rows().collect::<Vec<_>>())?),
        ("s", Column::from_strs(texts.iter().map(String::as_str))?),
    ])
}

/// Returns the rows as texts, sorted. Reading the frames may fail, too.
fn rows_of(frames: &[Frame]) -> gdf::Result<Vec<String>> {
    sorted_rows(frames.iter().map(Frame::table))
}

/// A source in memory with a limit. All bytes of the source are also in the file of spilled bytes.
struct Source {
    manager: SpillManager,
    spy: SpyingResource,
    batches: Vec<Frame>,
    _folder: tempfile::TempDir,
}

impl Source {
    fn new(options: impl FnOnce(SpillOptions) -> SpillOptions, fail_at: usize) -> (Source, FailingResource) {
        let folder = tempfile::tempdir().unwrap();
        let spy = SpyingResource::new(current_resource(test_device()).unwrap());
        let failing = FailingResource::new(Resource::new(spy.clone()), fail_at);
        let limited = SpillOptions::new().with_hard_limit(LIMIT).with_host_limit(0).with_directory(folder.path());
        let manager = SpillManager::new(Resource::new(failing.clone()), options(limited));
        let batches = gdf::scope::with_resource(&manager.resource(), || {
            let batches = (0..BATCHES).map(|at| batch(at).map(|batch| batch.spillable(&manager)));
            batches.collect::<gdf::Result<Vec<_>>>().unwrap()
        });
        manager.spill(usize::MAX).unwrap();
        (Source { manager, spy, batches, _folder: folder }, failing)
    }

    fn run(&self, query: Query) -> gdf::Result<Vec<String>> {
        gdf::scope::with_resource(&self.manager.resource(), || {
            rows_of(&(query.1)(LazyFrame::from_batches(self.batches.clone())?).collect_batches()?)
        })
    }

    /// Checks that the failed query has lost nothing and left nothing.
    fn check(self, rows: &[String], what: &str) {
        let manager = &self.manager;
        let found = gdf::scope::with_resource(&manager.resource(), || rows_of(&self.batches));
        assert!(found.unwrap() == rows, "{what}: the rows of the source");
        assert_eq!((manager.budget().reserved(), manager.budget().waiting()), (0, 0), "{what}");
        drop(self.batches);
        assert_eq!((manager.allocated_bytes(), manager.disk_bytes(), manager.watched_bytes()), (0, 0, 0), "{what}");
        assert_eq!((self.spy.outstanding(), self.spy.faults()), (0, Vec::new()), "{what}");
    }
}

/// Calls `test` with each query, its rows, and the rows of the source.
fn with_queries(mut test: impl FnMut(Query, &[String], &[String])) {
    gdf::scope::with_device(test_device(), || {
        let batches = (0..BATCHES).map(batch).collect::<gdf::Result<Vec<_>>>().unwrap();
        let rows = rows_of(&batches).unwrap();
        for query in QUERIES {
            let whole = (query.1)(LazyFrame::from_batches(batches.clone()).unwrap()).collect().unwrap();
            test(query, &rows_of(&[whole]).unwrap(), &rows);
        }
    });
}

#[test]
fn a_full_disk_fails_the_query_and_loses_nothing() {
    with_queries(|query, expected, rows| {
        let (source, _) = Source::new(|options| options, 0);
        let of_source = usize::try_from(source.manager.disk_bytes()).unwrap();
        source.check(rows, query.0);
        let mut errors = 0;
        for more in [0, 8_000, 100_000, 400_000, 1_000_000, usize::MAX - of_source] {
            let (source, _) = Source::new(|options| options.with_disk_limit(of_source + more), 0);
            match source.run(query) {
                Ok(found) => assert!(found == expected, "{} with {more} more bytes on disk", query.0),
                Err(error) => {
                    assert!(more < usize::MAX - of_source, "{}: {error}", query.0);
                    assert!(matches!(&error, Error::Memory(MemoryError::Spill { .. })), "{}: {error:?}", query.0);
                    let limit = format!("the limit of {} bytes is reached", of_source + more);
                    assert!(error.to_string().contains(&limit), "{error}");
                    errors += 1;
                }
            }
            source.check(rows, query.0);
        }
        assert!(errors > 0, "{} needs no disk", query.0);
    });
}

#[test]
fn a_directory_that_cannot_be_written_to_fails_the_query() {
    gdf::scope::with_device(test_device(), || {
        // `/dev/full` is no directory, and refuses every write.
        let options = SpillOptions::new().with_hard_limit(LIMIT).with_host_limit(0).with_directory("/dev/full");
        let manager = SpillManager::new(current_resource(test_device()).unwrap(), options);
        gdf::scope::with_resource(&manager.resource(), || {
            let source = batch(0).unwrap().spillable(&manager);
            let batches = (0..20).map(|_| source.clone());
            let error = LazyFrame::from_batches(batches).unwrap().sort(["x"]).collect_batches().unwrap_err();
            assert!(matches!(&error, Error::Memory(MemoryError::Spill { .. })), "{error:?}");
            assert!(error.to_string().contains("in the directory /dev/full"), "{error}");
            assert!(rows_of(&[source]).unwrap() == rows_of(&[batch(0).unwrap()]).unwrap());
        });
        assert_eq!((manager.allocated_bytes(), manager.disk_bytes(), manager.budget().reserved()), (0, 0, 0));
    });
}

#[test]
fn a_failed_allocation_fails_the_query_or_changes_nothing() {
    with_queries(|query, expected, rows| {
        for on_demand in [false, true] {
            let (source, counted) = Source::new(|options| options.with_on_demand(on_demand), 0);
            let of_source = counted.seen();
            assert!(source.run(query).unwrap() == expected, "{}", query.0);
            let count = counted.seen() - of_source;
            source.check(rows, query.0);
            let (mut failures, mut errors) = (0, 0);
            for at in (1..=count).step_by((count / FAILURES).max(1)) {
                let (source, failing) = Source::new(|options| options.with_on_demand(on_demand), of_source + at);
                let found = source.run(query);
                failures += usize::from(failing.has_failed());
                match found {
                    Ok(found) => assert!(found == expected, "{}: rows after failure {at}", query.0),
                    Err(error) => {
                        assert!(error.is_out_of_memory(), "{}, failure {at}: {error:?}", query.0);
                        errors += 1;
                    }
                }
                source.check(rows, &format!("{}, failure {at}", query.0));
            }
            assert!(failures >= FAILURES / 2, "{}: {failures} failures", query.0);
            assert!(on_demand || errors > 0, "{}: {failures} failures without an error", query.0);
        }
    });
}

#[test]
fn a_failed_write_or_read_of_the_spill_file_fails_the_query_or_changes_nothing() {
    with_queries(|query, expected, rows| {
        for (of, fault) in [SpillFaults::of_write, SpillFaults::of_read].into_iter().enumerate() {
            // The writes of the source come first.
            let mut at = 1 + if of == 0 { writes_of_source() } else { 0 };
            let (mut errors, first) = (0, at);
            loop {
                let faults = fault(at);
                let (source, _) = Source::new(|options| options.with_faults(faults.clone()), 0);
                match source.run(query) {
                    Ok(found) => assert!(found == expected, "{}: rows after failed access {at}", query.0),
                    Err(error) => {
                        assert!(matches!(&error, Error::Memory(MemoryError::Spill { .. })), "{error:?}");
                        let what = ["cannot write spilled bytes", "cannot read spilled bytes"][of];
                        assert!(faults.has_failed() && error.to_string().contains(what), "{}: {error}", query.0);
                        errors += 1;
                    }
                }
                let has_failed = faults.has_failed();
                // The bytes of a failed read are still there.
                faults.end();
                source.check(rows, &format!("{}, access {at}", query.0));
                if !has_failed {
                    break;
                }
                at += (at - first + 1).div_ceil(FIRST_ACCESSES);
            }
            assert!(errors > 0, "{}: no failed access {of} is an error", query.0);
        }
    });
}

/// Returns the number of writes that spill a source.
fn writes_of_source() -> usize {
    let spills = |at: usize| {
        let faults = SpillFaults::of_write(at);
        let folder = tempfile::tempdir().unwrap();
        let options = SpillOptions::new().with_hard_limit(LIMIT).with_host_limit(0).with_directory(folder.path());
        let manager = SpillManager::new(current_resource(test_device()).unwrap(), options.with_faults(faults.clone()));
        let made = gdf::scope::with_resource(&manager.resource(), || {
            (0..BATCHES).map(|at| batch(at).map(|batch| batch.spillable(&manager))).collect::<gdf::Result<Vec<_>>>()
        });
        let spilled = made.is_ok() && manager.spill(usize::MAX).is_ok();
        drop(made);
        spilled && !faults.has_failed()
    };
    (1..).find(|at| spills(*at)).unwrap() - 1
}
