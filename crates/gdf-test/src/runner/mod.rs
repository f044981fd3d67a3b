//! Runs a catalog entry and reports all failures.
//!
//! Every case runs on the unchanged inputs. Each run uses a new stream, not the stream that uploaded the inputs, and
//! two spying resources, which record allocations. The runner checks each run for these properties:
//!
//! - The results equal the results of the oracle.
//! - The results keep the layout rules of new results.
//! - All memory is allocated from the resources of the run and on the stream of the run, and all memory is freed.
//! - The host does not wait more often than the case promises.
//! - The [`Cost`] equals a committed cost. On CUDA, the run on slices has the same cost.
//!
//! For each strategy of an operation, one small case runs again several times. In each of these runs, a different
//! allocation fails.

mod coverage;
mod injection;
mod inputs;
mod limits;
mod once;
mod parallel;
mod problem;
#[cfg(test)]
mod tests;

use std::fmt;
use std::time::{Duration, Instant};

use gdf_driver::Device;

pub use coverage::{Coverage, coverage_report};
pub use inputs::Variant;
pub use parallel::on_threads;
pub use problem::Problem;

pub(crate) use once::{caught, check_spies};

use crate::catalog::{Case, Entry, SliceCosts};
use crate::costs::{Bytes, Cost, Measured, Snapshots, is_blessing};
use crate::data::OFFSETS;
use crate::resources::watch_current;
use limits::Limits;
use once::{Bench, Signature};

/// The options of a run. The options select the cases to run and the checks to make.
#[derive(Clone, Debug)]
pub struct RunnerOptions {
    /// Runs only entries whose name contains this text.
    pub entries: Option<String>,
    /// Runs only cases whose label contains this text.
    pub cases: Option<String>,
    /// Whether allocations are made to fail in turn.
    pub inject: bool,
    /// Whether cases also run on slices.
    pub slices: bool,
    /// The committed costs, and the committed numbers of cases and types. If the value is `None`, the runner does not
    /// compare costs and numbers.
    pub snapshots: Option<&'static Snapshots>,
    /// The distance between cases that run. If the distance is 1, all cases run. If the distance is 20, one of 20 cases
    /// runs. Tools that slow down runs need a larger distance.
    pub every: usize,
}

impl Default for RunnerOptions {
    fn default() -> Self {
        RunnerOptions { entries: None, cases: None, inject: true, slices: true, snapshots: None, every: 1 }
    }
}

impl RunnerOptions {
    /// Returns the default options with the changes that the environment requests. `GDF_TEST_ENTRY` and `GDF_TEST_CASE`
    /// are parts of the names of the entries and cases to run. If `GDF_TEST_EVERY` is 20, one of 20 cases runs. If
    /// [`BLESS_VARIABLE`](crate::costs::BLESS_VARIABLE) is set, no allocation is made to fail.
    pub fn from_env() -> Self {
        let text = |name| std::env::var(name).ok().filter(|text| !text.is_empty());
        let (entries, cases) = (text("GDF_TEST_ENTRY"), text("GDF_TEST_CASE"));
        let every = text("GDF_TEST_EVERY").and_then(|every| every.parse().ok()).unwrap_or(1).max(1);
        RunnerOptions { entries, cases, inject: !is_blessing(), every, ..RunnerOptions::default() }
    }

    /// Returns the same options with a comparison of costs and numbers. If
    /// [`BLESS_VARIABLE`](crate::costs::BLESS_VARIABLE) is set, nothing is compared, because the run writes the files.
    #[must_use]
    pub fn compared_with(self, snapshots: &'static Snapshots) -> Self {
        RunnerOptions { snapshots: (!is_blessing()).then_some(snapshots), ..self }
    }

    /// Returns whether the options leave out some cases.
    pub fn is_narrowed(&self) -> bool {
        self.every > 1 || self.entries.is_some() || self.cases.is_some()
    }

    /// Returns whether the options leave out no case of the selected entries.
    pub fn has_all_cases(&self) -> bool {
        self.every == 1 && self.cases.is_none()
    }

    /// Returns whether the entry of this name is to be run.
    pub fn wants_entry(&self, name: &str) -> bool {
        self.entries.as_ref().is_none_or(|part| name.contains(part.as_str()))
    }

    fn wants_case(&self, label: &str) -> bool {
        self.cases.as_ref().is_none_or(|part| label.contains(part.as_str()))
    }
}

/// A failure of a case.
#[derive(Debug)]
#[non_exhaustive]
pub struct Failure {
    /// The case's label.
    pub case: String,
    /// The form of the inputs.
    pub variant: Variant,
    /// The problem that was found.
    pub problem: Problem,
}

/// The report of one entry.
#[derive(Debug)]
#[non_exhaustive]
pub struct Report {
    /// The entry's name.
    pub entry: &'static str,
    /// The device of the run.
    pub device: Device,
    /// The number of cases that ran.
    pub cases: usize,
    /// The number of runs of the operation.
    pub runs: usize,
    /// The number of allocations that were made to fail.
    pub injected: usize,
    /// The number of strategies of the operation that the cases reach. Two runs have different strategies if their
    /// numbers of allocations, launches or waits differ.
    pub strategies: usize,
    /// The number of strategies for which not every allocation was made to fail. The reason is that there were too many
    /// allocations, or that the time limit was reached.
    pub strategies_cut: usize,
    /// The number of runs with a result that shares memory with an input.
    pub shared: usize,
    /// All failures.
    pub failures: Vec<Failure>,
    /// The cost of each case on the unchanged inputs.
    pub costs: Vec<Measured>,
    /// The bound and the peak of each run of a case with a bound.
    pub bytes: Vec<(&'static str, Bytes)>,
    /// The wall-clock time of the entry.
    pub elapsed: Duration,
}

/// The largest number of failures that are printed.
const PRINTED: usize = 40;

impl Report {
    /// Returns whether a case was run and no case failed.
    pub fn passed(&self) -> bool {
        self.cases > 0 && self.failures.is_empty()
    }

    /// Asserts that the entry has passed.
    ///
    /// # Panics
    /// - a case failed, or no case was run. The message contains the report.
    #[track_caller]
    pub fn assert_passed(&self) {
        assert!(self.passed(), "{self}");
    }

    fn fail(&mut self, case: &Case, variant: Variant, problems: impl IntoIterator<Item = Problem>) {
        let label = &case.label;
        self.failures.extend(problems.into_iter().map(|problem| Failure { case: label.clone(), variant, problem }));
    }
}

impl fmt::Display for Report {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        let verdict = if self.passed() { "ok" } else { "FAILED" };
        write!(
            f,
            "{} on {}: {verdict}, {} cases, {} runs, {} failed allocations of {} strategies, {:.2} s",
            self.entry,
            self.device,
            self.cases,
            self.runs,
            self.injected,
            self.strategies,
            self.elapsed.as_secs_f64()
        )?;
        if self.strategies_cut > 0 {
            write!(f, "; not every allocation of {} strategies was made to fail", self.strategies_cut)?;
        }
        for Failure { case, variant, problem } in self.failures.iter().take(PRINTED) {
            write!(f, "\n  {case} ({variant}): {problem}")?;
        }
        match self.failures.len().checked_sub(PRINTED) {
            Some(more) if more > 0 => write!(f, "\n  and {more} more"),
            _ => Ok(()),
        }
    }
}

/// Runs `entries` in parallel and returns their reports in the order of `entries`.
pub fn run_entries(entries: &[&Entry], device: Device, options: &RunnerOptions) -> Vec<Report> {
    let run = |reports: &mut Vec<_>, index, entry: &&Entry| reports.push((index, run_entry(entry, device, options)));
    let mut reports: Vec<(usize, Report)> = on_threads(entries, Vec::new, run).into_iter().flatten().collect();
    reports.sort_unstable_by_key(|&(index, _)| index);
    reports.into_iter().map(|(_, report)| report).collect()
}

/// Runs the selected cases of one entry on `device`.
pub fn run_entry(entry: &Entry, device: Device, options: &RunnerOptions) -> Report {
    let started = Instant::now();
    let mut report = Report {
        entry: entry.name,
        device,
        cases: 0,
        runs: 0,
        injected: 0,
        strategies: 0,
        strategies_cut: 0,
        shared: 0,
        failures: Vec::new(),
        costs: Vec::new(),
        bytes: Vec::new(),
        elapsed: Duration::ZERO,
    };
    let all = (entry.cases)();
    let counted = options.snapshots.map_or(Ok(()), |snapshots| snapshots.check_counts(entry, &all));
    let selected = all.into_iter().filter(|case| options.wants_case(&case.label));
    let cases: Vec<Case> = selected.step_by(options.every.max(1)).collect();
    let limits = Limits::new(device).map_err(|error| error.to_string());
    match watch_current(device).map_err(|error| error.to_string()).and_then(|upstream| Ok((upstream, limits?))) {
        Ok((upstream, limits)) => {
            let bench = Bench { entry, device, upstream };
            let mut signatures = Vec::with_capacity(cases.len());
            for (i, case) in cases.iter().enumerate() {
                signatures.push(run_case(&bench, &limits, case, OFFSETS[i % OFFSETS.len()], options, &mut report));
            }
            if options.inject {
                injection::run(&bench, &limits, &cases, &signatures, &mut report);
            }
        }
        Err(error) => {
            if let Some(case) = cases.first() {
                report.fail(case, Variant::Plain, [Problem::Setup(error)]);
            }
        }
    }
    let of_entry = |problem| Failure { case: String::new(), variant: Variant::Plain, problem };
    report.failures.extend(counted.err().map(|counts| of_entry(Problem::Counts(counts))));
    // An entry that is marked for no reason would have its results checked by fewer rules.
    if entry.shares_inputs && report.shared == 0 && options.has_all_cases() && options.slices {
        report.failures.push(of_entry(Problem::SharesNothing));
    }
    report.elapsed = started.elapsed();
    report
}

/// A case of at most this many rows also runs as [`Variant::AllValid`].
const SMALL: usize = 300;

/// Returns whether the cost of a variant is allowed.
fn is_same(entry: &Entry, case: &Case, variant: Variant, plain: Cost, cost: Cost) -> bool {
    let slices = if matches!(variant, Variant::Sliced { .. }) { case.slices } else { SliceCosts::Same };
    if entry.estimates && slices != SliceCosts::Own {
        // If the estimated size was too small, the operation waits once more.
        return cost.waits.abs_diff(plain.waits) <= 1 && cost.device_to_host_bytes == plain.device_to_host_bytes;
    }
    match slices {
        SliceCosts::Same => cost == plain,
        SliceCosts::Allocations(may) => {
            let more = cost.allocations.saturating_sub(plain.allocations);
            Cost { allocations: cost.allocations - more.min(may), ..cost } == plain
        }
        SliceCosts::NullCount => {
            let counted = Cost { launches: plain.launches + 1, waits: plain.waits + 1, ..plain };
            cost == plain || cost == counted
        }
        SliceCosts::Own => true,
    }
}

/// Runs a case on all its variants.
fn run_case(
    bench: &Bench<'_>,
    limits: &Limits,
    case: &Case,
    offset: usize,
    options: &RunnerOptions,
    report: &mut Report,
) -> Option<Signature> {
    let device = bench.device;
    report.cases += 1;
    let expected = match (case.naive)(&case.inputs) {
        Ok(expected) => expected,
        Err(error) => {
            report.fail(case, Variant::Plain, [Problem::Naive(error)]);
            return None;
        }
    };
    let mut variants = vec![Variant::Plain];
    if options.slices {
        variants.push(Variant::Sliced { offset });
        if case.rows() <= SMALL {
            variants.push(Variant::AllValid { offset });
        }
    }
    let (mut plain, mut signature) = (None, None);
    for variant in variants {
        report.runs += 1;
        let run = || limits.run(case, variant, || bench.run_once(case, variant, &expected));
        let mut outcome = run();
        report.fail(case, variant, std::mem::take(&mut outcome.problems));
        report.shared += usize::from(outcome.shares);
        report.bytes.extend(outcome.bytes.map(|bytes| (bench.entry.name, bytes)));
        let Some(mut cost) = outcome.cost else { continue };
        if variant == Variant::Plain {
            let check = |cost| match options.snapshots {
                Some(snapshots) => snapshots.check_cost(bench.entry.name, device, &case.label, cost),
                None => Ok(()),
            };
            let mut committed = check(cost);
            if committed.is_err() && device.is_cuda() {
                // If other threads hold all pinned memory, a transfer must wait for an earlier transfer.
                outcome = run();
                report.fail(case, variant, outcome.problems);
                if let Some(again) = outcome.cost.filter(|again| again.waits < cost.waits) {
                    (cost, committed) = (again, check(again));
                }
            }
            let differs = |committed| Problem::Cost { committed, measured: cost, device };
            report.fail(case, variant, committed.err().map(differs));
            report.costs.push((bench.entry.name, case.label.clone(), cost));
            (plain, signature) = (Some(cost), outcome.signature);
        } else if let Some(plain) = plain
            && device.is_cuda()
            && variant.keeps_cost()
            && !is_same(bench.entry, case, variant, plain, cost)
        {
            report.fail(case, variant, [Problem::VariantCost { plain, measured: cost }]);
        }
    }
    signature
}
