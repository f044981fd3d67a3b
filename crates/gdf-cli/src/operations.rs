//! Operations with known answers. `gdf doctor` compares the answers, and `gdf bench` times the operations.

use anyhow::{Result, ensure};
use gdf::groupby::{AggregationRequest, GroupBy, GroupByAggregation, NullPolicy};
use gdf::join::{self, JoinKeys};
use gdf::prelude::*;
use gdf::sorting::{NullOrder, Order, sort};
use gdf::stream_compaction::apply_boolean_mask;
use gdf::{binaryop, reduction, strings};

pub(crate) struct Check {
    pub(crate) name: &'static str,
    /// Runs the operation on data of the current device. A wrong answer is an error.
    pub(crate) run: fn() -> Result<()>,
}

pub(crate) const CHECKS: [Check; 7] = [
    Check { name: "copy there and back", run: copies },
    Check { name: "add", run: adds },
    Check { name: "filter", run: filters },
    Check { name: "sum", run: sums },
    Check { name: "sort", run: sorts },
    Check { name: "group by", run: groups },
    Check { name: "join of texts", run: joins },
];

fn copies() -> Result<()> {
    let values: Vec<Option<i64>> = (0..100_000).map(|row| (row % 7 != 0).then_some(row * row)).collect();
    let column = Column::from_options(&values)?;
    ensure!(
        column.to_vec::<i64>()? == values,
        "the values that were copied to the device and back differ from the original values"
    );
    Ok(())
}

fn adds() -> Result<()> {
    let sums = binaryop::add(&Column::from_options(&[Some(1_i64), None, Some(-5)])?, 10_i64)?;
    expect(sums.to_vec::<i64>()?, [Some(11), None, Some(5)])
}

fn filters() -> Result<()> {
    let numbers = Column::sequence(0_i64, 1, 10_000)?;
    let kept = apply_boolean_mask(&Table::try_new(vec![numbers.clone()])?, &binaryop::ge(&numbers, 9_998_i64)?)?;
    expect(kept.column(0)?.to_vec::<i64>()?, [Some(9_998), Some(9_999)])
}

fn sums() -> Result<()> {
    let sum = reduction::sum(&Column::sequence(0_i64, 1, 1_000_000)?)?;
    expect([sum.value::<i64>()?], [Some(499_999_500_000)])
}

fn sorts() -> Result<()> {
    let table = Table::try_new(vec![Column::from_options(&[Some(2.5), None, Some(-1.0), Some(4.0)])?])?;
    let sorted = sort(&table, &[Order::Ascending], &[NullOrder::After])?;
    expect(sorted.column(0)?.to_vec::<f64>()?, [Some(-1.0), Some(2.5), Some(4.0), None])
}

fn groups() -> Result<()> {
    let keys = Table::try_new(vec![Column::from_slice(&[7, 5, 7, 7])?])?;
    let values = Column::from_slice(&[1_i64, 2, 3, 4])?;
    let request = AggregationRequest::new(&values, [GroupByAggregation::Sum]);
    let groups = GroupBy::new(&keys, NullPolicy::Exclude).agg(&[request])?;
    let (keys, sums) = (groups.column(0)?.to_vec::<i32>()?, groups.column(1)?.to_vec::<i64>()?);
    let mut found: Vec<_> = keys.into_iter().zip(sums).collect();
    found.sort();
    expect(found, [(Some(5), Some(2)), (Some(7), Some(8))])
}

fn joins() -> Result<()> {
    let left = Table::try_new(vec![strings::to_upper(&Column::from_strs(["oslo", "bern", "rome"])?)?])?;
    let right = Table::try_new(vec![Column::from_strs(["ROME", "OSLO"])?, Column::from_slice(&[3, 1])?])?;
    let joined = join::inner(&left, &right, &JoinKeys::new(&[0], &[0]))?;
    expect(joined.column(1)?.to_vec::<i32>()?, [Some(1), Some(3)])
}

fn expect<T: PartialEq + std::fmt::Debug>(found: impl AsRef<[T]>, expected: impl AsRef<[T]>) -> Result<()> {
    let (found, expected) = (found.as_ref(), expected.as_ref());
    ensure!(found == expected, "the operation returned {found:?}, expected {expected:?}");
    Ok(())
}

/// An operation to time at one number of rows, on the current device.
pub(crate) struct Timed {
    pub(crate) name: &'static str,
    /// The minimum number of bytes that the operation reads and writes.
    pub(crate) bytes: u64,
    pub(crate) run: Box<dyn Fn() -> gdf::Result<()>>,
}

pub(crate) fn timed(rows: usize) -> Result<Vec<Timed>> {
    let values: Vec<i64> = (0..rows as u64).map(|row| (scrambled(row) >> 1) as i64).collect();
    let keys: Vec<i64> = values.iter().map(|value| value % 1000).collect();
    let (values, keys) = (Column::from_slice(&values)?, Column::from_slice(&keys)?);
    let (one, few) = (Table::try_new(vec![values.clone()])?, Table::try_new(vec![keys.clone()])?);
    let right = Table::try_new(vec![Column::sequence(0_i64, 1, 1000)?])?;
    let mask = binaryop::lt(&keys, 500_i64)?;
    let word = 8 * rows as u64;
    let mut all = Vec::new();
    let mut time = |name, bytes, run: Box<dyn Fn() -> gdf::Result<()>>| all.push(Timed { name, bytes, run });
    time("add", 3 * word, {
        let (values, keys) = (values.clone(), keys.clone());
        Box::new(move || binaryop::add(&values, &keys).map(drop))
    });
    time("sum", word, {
        let values = values.clone();
        Box::new(move || reduction::sum(&values).map(drop))
    });
    time("filter, half of the rows", word + word / 2, {
        let one = one.clone();
        Box::new(move || apply_boolean_mask(&one, &mask).map(drop))
    });
    time("sort", 2 * word, Box::new(move || sort(&one, &[Order::Ascending], &[NullOrder::After]).map(drop)));
    time("group by, 1000 groups", 2 * word, {
        let few = few.clone();
        Box::new(move || {
            let request = AggregationRequest::new(&values, [GroupByAggregation::Sum]);
            GroupBy::new(&few, NullPolicy::Exclude).agg(&[request]).map(drop)
        })
    });
    let on = [0];
    time("join with 1000 rows", 2 * word, {
        Box::new(move || join::inner(&few, &right, &JoinKeys::new(&on, &on)).map(drop))
    });
    Ok(all)
}

/// Maps each 64-bit number to a different number that looks random (Steele, Lea and Flood, "Fast splittable
/// pseudorandom number generators", 2014).
fn scrambled(number: u64) -> u64 {
    let z = number.wrapping_add(1).wrapping_mul(0x9e37_79b9_7f4a_7c15);
    let z = (z ^ (z >> 30)).wrapping_mul(0xbf58_476d_1ce4_e5b9);
    let z = (z ^ (z >> 27)).wrapping_mul(0x94d0_49bb_1331_11eb);
    z ^ (z >> 31)
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn the_cpu_passes_all_checks() {
        for check in &CHECKS {
            (check.run)().unwrap_or_else(|error| panic!("{}: {error:#}", check.name));
        }
    }

    #[test]
    fn wrong_answers_are_errors() {
        assert!(expect([1], [2]).unwrap_err().to_string().contains("the operation returned [1], expected [2]"));
    }

    #[test]
    fn timed_operations_run_at_any_size() {
        for rows in [0, 1, 1000] {
            for timed in timed(rows).unwrap() {
                (timed.run)().unwrap();
            }
        }
    }
}
