//! Tests operations in child processes that `fork` creates. Such a child has none of rayon's threads. Operations on the
//! CPU must succeed in the child, and operations on a GPU must be refused.

use std::panic::{AssertUnwindSafe, catch_unwind};
use std::time::{Duration, Instant};

use gdf::groupby::{AggregationRequest, GroupBy, GroupByAggregation, NullPolicy};
use gdf::prelude::*;
use gdf::sorting::{Order, is_sorted, sort};
use gdf::{binaryop, copying, reduction, stream_compaction, unary};
use gdf_driver::DriverError;
use gdf_test::device::cuda_device;

const CHILD: &str = "GDF_TEST_FORK";

/// Starts a new process that runs only the test with this name.
fn is_alone(test: &str) -> bool {
    if std::env::var_os(CHILD).is_some() {
        return true;
    }
    let output = std::process::Command::new(std::env::current_exe().unwrap())
        .args(["--exact", &format!("forks::{test}"), "--nocapture", "--test-threads", "1"])
        .env(CHILD, "1")
        .output()
        .unwrap();
    let [text, errors] = [&output.stdout, &output.stderr].map(|text| String::from_utf8_lossy(text));
    assert!(output.status.success() && text.contains("1 passed"), "{text}{errors}");
    false
}

fn succeeds_in_a_child(work: impl FnOnce()) -> bool {
    // SAFETY: `fork` copies only this thread to the child. No other thread holds a lock that the child takes, because
    // the threads of rayon sleep and the test harness waits for this test.
    let child = unsafe { libc::fork() };
    if child == 0 {
        let ended = catch_unwind(AssertUnwindSafe(work)).is_ok();
        // SAFETY: `_exit` has no preconditions. The call ends the child at once and does not run the rest of the test
        // harness.
        unsafe { libc::_exit(i32::from(!ended)) }
    }
    assert!(child > 0);
    let begin = Instant::now();
    let mut status = 0;
    while begin.elapsed() < Duration::from_secs(60) {
        // SAFETY: `status` is writable. The child belongs to this process, and no earlier call has waited for the
        // child successfully.
        if unsafe { libc::waitpid(child, &raw mut status, libc::WNOHANG) } == child {
            return libc::WIFEXITED(status) && libc::WEXITSTATUS(status) == 0;
        }
        std::thread::sleep(Duration::from_millis(5));
    }
    // SAFETY: the child belongs to this process, and no earlier call has waited for the child successfully. The second
    // call therefore waits for the killed child, and `status` is writable.
    unsafe {
        libc::kill(child, libc::SIGKILL);
        libc::waitpid(child, &raw mut status, 0);
    }
    false
}

/// Runs operations that distribute their work over threads in different ways.
fn results(table: &Table) -> gdf::Result<Vec<Vec<f64>>> {
    let (keys, values) = (table.column(0)?, table.column(1)?);
    let mask = binaryop::lt(values, 0.5)?;
    let kept = stream_compaction::apply_boolean_mask(table, &mask)?;
    let sorted = sort(table, &[Order::Ascending; 2], &[])?;
    // `is_sorted` distributes its work by rayon.
    assert!(is_sorted(&sorted, &[Order::Ascending; 2], &[])?);
    let map = unary::cast(keys, &DataType::Int32)?;
    let gathered = copying::gather(table, &map, copying::OutOfBoundsPolicy::Error)?;
    let request = AggregationRequest::new(values, [GroupByAggregation::Max]);
    let maxima = GroupBy::new(&Table::try_new(vec![keys.clone()])?, NullPolicy::Include).agg(&[request])?;
    let maxima = sort(&maxima, &[Order::Ascending; 2], &[])?;
    let mut results = vec![vec![reduction::sum(values)?.value::<f64>()?.unwrap_or_default()]];
    for column in [kept.column(1)?, sorted.column(1)?, gathered.column(1)?, maxima.column(1)?] {
        results.push(column.to_vec::<f64>()?.into_iter().flatten().collect());
    }
    Ok(results)
}

#[test]
fn operations_on_the_cpu_go_on_in_a_child() {
    if !is_alone("operations_on_the_cpu_go_on_in_a_child") {
        return;
    }
    gdf::scope::with_device(Device::Cpu, || {
        let rows = 300_000_i64;
        let keys: Vec<i64> = (0..rows).map(|row| row * 7919 % 1000).collect();
        let values: Vec<f64> = (0..rows).map(|row| (row * 104_729 % 9973) as f64 / 9973.0).collect();
        let table = Table::try_new(vec![Column::from_slice(&keys).unwrap(), Column::from_slice(&values).unwrap()]);
        let table = table.unwrap();
        let expected = results(&table).unwrap();
        assert_eq!(expected[1].len(), expected[1].iter().filter(|value| **value < 0.5).count());
        assert!(expected[1].len() > 100_000 && expected[4].len() == 1000);
        let few = Column::from_slice(&[1, 2, 3]).unwrap();
        assert!(succeeds_in_a_child(|| {
            // This operation needs no threads.
            assert_eq!(reduction::sum(&few).unwrap().value::<i64>().unwrap(), Some(6));
            // The child has fewer threads than the parent. Sums of floats are nevertheless equal to the parent's sums
            // in every bit.
            assert_eq!(results(&table).unwrap(), expected);
            std::thread::scope(|scope| {
                let others = [(); 2].map(|()| scope.spawn(|| assert_eq!(results(&table).unwrap(), expected)));
                others.into_iter().for_each(|other| other.join().unwrap());
            });
            assert!(succeeds_in_a_child(|| assert_eq!(results(&table).unwrap(), expected)));
        }));
        assert!(!succeeds_in_a_child(|| panic!("a panic is seen")));
        assert_eq!(results(&table).unwrap(), expected);
    });
}

#[test]
fn a_child_has_no_gpu() {
    let Some(device) = cuda_device("children of fork") else { return };
    if !is_alone("a_child_has_no_gpu") {
        return;
    }
    gdf::scope::with_device(device, || {
        let column = Column::from_slice(&[1_i64, 2, 3]).unwrap();
        let is_forked = |error: gdf::Error| error.to_string().contains("start a new program");
        let done = succeeds_in_a_child(|| {
            assert_eq!(device.open(), Err(DriverError::Forked));
            assert!(is_forked(binaryop::add(&column, &column).unwrap_err()));
            assert!(is_forked(reduction::sum(&column).unwrap_err()));
            assert!(is_forked(Column::from_slice(&[4]).unwrap_err()));
            assert!(is_forked(column.to_vec::<i64>().unwrap_err()));
            drop(column.clone());
            let cpu = gdf::scope::with_device(Device::Cpu, || Column::from_slice(&vec![1_i64; 300_000])).unwrap();
            assert_eq!(reduction::sum(&cpu).unwrap().value::<i64>().unwrap(), Some(300_000));
        });
        assert!(done);
        assert_eq!(binaryop::add(&column, &column).unwrap().to_vec::<i64>().unwrap(), [2, 4, 6].map(Some));
    });
}
