//! Runs all cases. Small sizes run before large sizes, and each size has new inputs. A budget limits the time of the
//! cases.

use std::collections::BTreeMap;
use std::time::{Duration, Instant};

use anyhow::{Result, ensure};
use gdf::Device;

use crate::Args;
use crate::cases::Case;
use crate::inputs::Inputs;
use crate::measure::{Figures, measure};
use crate::report::{Report, failed, measured};

/// The number of rows below which a case has more repetitions, because the calls take little time.
const SMALL: usize = 1_000_000;

/// Runs the cases that `args` selects. If a case fails, the other cases still run.
///
/// # Errors
/// - the device cannot be opened, no case is selected, the output cannot be written, or a case failed.
pub(crate) fn run(args: &Args) -> Result<()> {
    args.device.open()?;
    let plan = {
        let cases = args.suite.cases();
        plan(cases.into_iter().filter(|case| case.name.contains(&args.filter)), &sizes(args))
    };
    let mut left = plan.values().map(Vec::len).sum::<usize>();
    ensure!(
        left > 0,
        "no case with `{}` in its name runs at these numbers of rows; --list prints all names",
        args.filter
    );
    let mut report = Report::open(args.out.as_deref(), args.device, args.note.as_deref())?;
    let budget = args.budget.map(|seconds| Budget::new(Duration::try_from_secs_f64(seconds).unwrap_or_default()));
    let (mut failures, mut skipped) = (Vec::new(), Vec::new());
    for (rows, cases) in plan {
        let inputs = Inputs::new(args.device, rows)?;
        for case in cases {
            let share = budget.as_ref().map(|budget| budget.share(left));
            left -= 1;
            if share == Some(Duration::ZERO) {
                skipped.push(format!("{} at {rows}", case.name));
                continue;
            }
            match time(case, &inputs, share) {
                Ok(figures) => report.line(&measured(case.name, rows, case.bytes_per_row, &figures))?,
                Err(error) => {
                    failures.push(format!("{} at {rows}", case.name));
                    report.line(&failed(case.name, rows, &error))?;
                }
            }
        }
    }
    if !skipped.is_empty() {
        report.line(&format!("# no time left for {}", skipped.join(", ")))?;
    }
    ensure!(
        failures.is_empty(),
        "these cases failed: {}; their lines in the output have the errors",
        failures.join(", ")
    );
    Ok(())
}

pub(crate) fn time(case: &Case, inputs: &Inputs, limit: Option<Duration>) -> Result<Figures> {
    let mut run = (case.prepare)(inputs)?;
    inputs.stream().synchronize()?;
    Ok(measure(&mut run, inputs.stream(), repetitions(case, inputs.rows()), limit)?)
}

/// Returns the number of repetitions, which is the same as in the peers' programs.
fn repetitions(case: &Case, rows: usize) -> usize {
    match rows {
        0..SMALL => case.repetitions.0,
        _ => case.repetitions.1,
    }
}

fn sizes(args: &Args) -> Vec<usize> {
    match (args.rows.is_empty(), args.device) {
        (false, _) => args.rows.clone(),
        (true, Device::Cpu) => vec![1000, 100_000, 1_000_000, 10_000_000],
        (true, _) => vec![1000, 100_000, 100_000_000],
    }
}

/// Returns the cases of each size. The sizes are in ascending order. A case occurs at most once at each size.
fn plan<'c>(cases: impl Iterator<Item = &'c Case>, sizes: &[usize]) -> BTreeMap<usize, Vec<&'c Case>> {
    let mut plan: BTreeMap<usize, Vec<&Case>> = BTreeMap::new();
    for case in cases {
        let largest = sizes.iter().copied().max().unwrap_or(0);
        let mut sizes: Vec<usize> = match case.sizes {
            [] => sizes.iter().filter(|rows| **rows >= case.min_rows).map(|rows| (*rows).min(case.max_rows)).collect(),
            fixed => fixed.iter().copied().filter(|rows| *rows <= largest).collect(),
        };
        sizes.sort_unstable();
        sizes.dedup();
        for rows in sizes {
            plan.entry(rows).or_default().push(case);
        }
    }
    plan
}

struct Budget {
    begin: Instant,
    total: Duration,
}

impl Budget {
    fn new(total: Duration) -> Budget {
        Budget { begin: Instant::now(), total }
    }

    /// Divides the remaining time equally among `left` cases, and returns the part of one case. If no time remains, the
    /// result is zero.
    fn share(&self, left: usize) -> Duration {
        self.total.saturating_sub(self.begin.elapsed()) / left.max(1) as u32
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::cases::Suite;

    const SUITES: [Suite; 3] = [Suite::Usual, Suite::Adversarial, Suite::Frames];

    #[test]
    fn every_case_runs_on_the_cpu() {
        let inputs = Inputs::new(Device::Cpu, 1000).unwrap();
        // Cases with more groups than rows must also work, although `min_rows` excludes them from the benchmark.
        for case in SUITES.iter().flat_map(|suite| suite.cases()) {
            let figures = time(case, &inputs, Some(Duration::ZERO));
            let figures = figures.unwrap_or_else(|error| panic!("{}: {error:#}", case.name));
            assert!(figures.min_ms > 0.0, "{}", case.name);
        }
    }

    #[test]
    fn cases_keep_to_their_range() {
        let found = |name: &str| **Suite::Usual.cases().iter().find(|case| case.name == name).unwrap();
        let case = |name, max_rows| Case { max_rows, ..found(name) };
        let (add, less) = (case("binaryop.add_i64", 100), case("binaryop.lt_i64", 1000));
        let sum = found("groupby.sum_g10000");
        let plan = plan([&add, &less, &sum].into_iter(), &[5000, 10, 1000, 10_000]);
        let names = |rows| plan[&rows].iter().map(|case| case.name).collect::<Vec<_>>();
        assert_eq!(Vec::from_iter(plan.keys().copied()), [10, 100, 1000, 10_000]);
        assert_eq!(names(10), ["binaryop.add_i64", "binaryop.lt_i64"]);
        assert_eq!(names(100), ["binaryop.add_i64"]);
        assert_eq!(names(1000), ["binaryop.lt_i64"]);
        assert_eq!(names(10_000), ["groupby.sum_g10000"]);
    }

    #[test]
    fn fixed_sizes_end_at_the_largest_asked_for() {
        let cases = Suite::Adversarial.cases();
        let case = cases.into_iter().find(|case| case.name == "threshold.sort_i64").unwrap();
        assert_eq!(Vec::from_iter(plan([case].into_iter(), &[4096, 100]).into_keys()), [1023, 1025, 4095]);
    }

    #[test]
    fn names_are_unique() {
        let mut names: Vec<&str> = SUITES.iter().flat_map(|suite| suite.cases()).map(|case| case.name).collect();
        names.sort_unstable();
        assert!(names.windows(2).all(|pair| pair[0] != pair[1]));
    }

    #[test]
    fn a_spent_budget_leaves_nothing() {
        assert_eq!(Budget::new(Duration::ZERO).share(3), Duration::ZERO);
        assert!(Budget::new(Duration::from_secs(3600)).share(2) > Duration::from_secs(1700));
    }
}
