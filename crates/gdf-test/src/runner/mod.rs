//! Runs a catalog entry and says everything that is wrong with it.
//!
//! Every case runs on its inputs as they are and again on slices of longer columns with garbage
//! around them and under their nulls. Each run happens on a stream of its own, other than the one
//! that uploaded the inputs, with two spying resources, and is checked for: the oracle's answer, the
//! layout rules of fresh results, memory from the right resource on the right stream, nothing left
//! behind, no more waits than the case promises, and a committed [`Cost`]; on CUDA, that slices cost the same. On the CPU the variants run under limits that split short inputs
//! too. Then, of each strategy of the operation, which its cost tells apart from the others, one small
//! case has each of its allocations fail in turn.

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
use crate::costs::{Cost, Measured, Snapshots, is_blessing};
use crate::data::OFFSETS;
use crate::resources::watch_current;
use limits::Limits;
use once::{Bench, Signature};

/// What to run, and how much of it to check and print.
#[derive(Clone, Debug)]
pub struct RunnerOptions {
    /// Only entries whose name contains this text.
    pub entries: Option<String>,
    /// Only cases whose label contains this text.
    pub cases: Option<String>,
    /// Whether allocations are made to fail.
    pub inject: bool,
    /// Whether sliced variants run too.
    pub slices: bool,
    /// The committed costs, and the committed numbers of cases and types. `None` compares nothing.
    pub snapshots: Option<&'static Snapshots>,
    /// The step between cases that run: 1 runs all of them, 20 runs one of 20. Slow tools need a larger step.
    pub every: usize,
}

impl Default for RunnerOptions {
    fn default() -> Self {
        RunnerOptions { entries: None, cases: None, inject: true, slices: true, snapshots: None, every: 1 }
    }
}

impl RunnerOptions {
    /// The default, narrowed by the environment: `GDF_TEST_ENTRY` and `GDF_TEST_CASE` are parts of the names to run,
    /// `GDF_TEST_EVERY=20` runs one case of twenty. Where [`BLESS_VARIABLE`](crate::costs::BLESS_VARIABLE) is set,
    /// no allocation fails.
    pub fn from_env() -> Self {
        let text = |name| std::env::var(name).ok().filter(|text| !text.is_empty());
        let (entries, cases) = (text("GDF_TEST_ENTRY"), text("GDF_TEST_CASE"));
        let every = text("GDF_TEST_EVERY").and_then(|every| every.parse().ok()).unwrap_or(1).max(1);
        RunnerOptions { entries, cases, inject: !is_blessing(), every, ..RunnerOptions::default() }
    }

    /// The same options with costs and counts compared; not where [`BLESS_VARIABLE`](crate::costs::BLESS_VARIABLE) is set,
    /// since these files are written then.
    #[must_use]
    pub fn compared_with(self, snapshots: &'static Snapshots) -> Self {
        RunnerOptions { snapshots: (!is_blessing()).then_some(snapshots), ..self }
    }

    /// Whether only a part of the cases is to be run.
    pub fn is_narrowed(&self) -> bool {
        self.every > 1 || self.entries.is_some() || self.cases.is_some()
    }

    /// Whether all cases of the entries that are run are to be run.
    pub fn has_all_cases(&self) -> bool {
        self.every == 1 && self.cases.is_none()
    }

    /// Whether the entry of this name is to be run.
    pub fn wants_entry(&self, name: &str) -> bool {
        self.entries.as_ref().is_none_or(|part| name.contains(part.as_str()))
    }

    fn wants_case(&self, label: &str) -> bool {
        self.cases.as_ref().is_none_or(|part| label.contains(part.as_str()))
    }
}

/// One thing that is wrong.
#[derive(Debug)]
#[non_exhaustive]
pub struct Failure {
    /// The case's label.
    pub case: String,
    /// The inputs it was run on.
    pub variant: Variant,
    /// What is wrong.
    pub problem: Problem,
}

/// The report of one entry.
#[derive(Debug)]
#[non_exhaustive]
pub struct Report {
    /// The entry's name.
    pub entry: &'static str,
    /// Where it ran.
    pub device: Device,
    /// How many cases ran.
    pub cases: usize,
    /// How often the operation ran.
    pub runs: usize,
    /// How many allocations were made to fail.
    pub injected: usize,
    /// How many strategies the cases show: runs with other numbers of allocations, launches or waits.
    pub strategies: usize,
    /// Strategies whose allocations did not all fail in turn, for they are too many or take too long.
    pub strategies_cut: usize,
    /// Everything that is wrong.
    pub failures: Vec<Failure>,
    /// What each case cost on its plain inputs.
    pub costs: Vec<Measured>,
    /// The wall-clock time of the entry.
    pub elapsed: Duration,
}

/// The most failures that are printed. Further failures are only counted.
const PRINTED: usize = 40;

impl Report {
    /// Whether nothing is wrong and something was run.
    pub fn passed(&self) -> bool {
        self.cases > 0 && self.failures.is_empty()
    }

    /// # Panics
    /// - something is wrong, or nothing was run; the message says what.
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
            write!(f, "; {} strategies not to their last allocation", self.strategies_cut)?;
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

/// The reports of `run_entry` for each of `entries`, in their order; entries run side by side.
pub fn run_entries(entries: &[&Entry], device: Device, options: &RunnerOptions) -> Vec<Report> {
    let run = |reports: &mut Vec<_>, index, entry: &&Entry| reports.push((index, run_entry(entry, device, options)));
    let mut reports: Vec<(usize, Report)> = on_threads(entries, Vec::new, run).into_iter().flatten().collect();
    reports.sort_unstable_by_key(|&(index, _)| index);
    reports.into_iter().map(|(_, report)| report).collect()
}

/// Runs the wanted cases of one entry on `device`.
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
        failures: Vec::new(),
        costs: Vec::new(),
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
    let miscounted =
        |counts| Failure { case: String::new(), variant: Variant::Plain, problem: Problem::Counts(counts) };
    report.failures.extend(counted.err().map(miscounted));
    report.elapsed = started.elapsed();
    report
}

/// Inputs up to this many rows also run with a validity buffer that has no null in the slice.
const SMALL: usize = 300;

/// Whether a variant costs the same as the plain inputs.
fn is_same(entry: &Entry, case: &Case, variant: Variant, plain: Cost, cost: Cost) -> bool {
    if entry.estimates {
        // If an estimate was too small, the operation takes one more wait.
        return cost.waits.abs_diff(plain.waits) <= 1 && cost.device_to_host_bytes == plain.device_to_host_bytes;
    }
    let slices = if matches!(variant, Variant::Sliced { .. }) { case.slices } else { SliceCosts::Same };
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

/// Runs a case on all its variants; the signature of its strategy on plain inputs, if it succeeded.
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
        let Some(mut cost) = outcome.cost else { continue };
        if variant == Variant::Plain {
            let check = |cost| match options.snapshots {
                Some(snapshots) => snapshots.check_cost(bench.entry.name, device, &case.label, cost),
                None => Ok(()),
            };
            let mut committed = check(cost);
            if committed.is_err() && device.is_cuda() {
                // A transfer waits for one before it where other threads have all pinned memory: only then it costs less now.
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
