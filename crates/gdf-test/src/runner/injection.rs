//! Makes each allocation of an operation fail once.

use std::collections::BTreeMap;
use std::time::{Duration, Instant};

use arrow_array::ArrayRef;
use gdf_core::Column;
use gdf_memory::Resource;

use super::Report;
use super::inputs::Variant;
use super::limits::Limits;
use super::once::{Bench, Signature, caught, check_spies, settle};
use super::problem::Problem;
use crate::catalog::Case;
use crate::device::new_stream;
use crate::resources::{FailingResource, spy};

/// The number of rows up to which a case with nulls takes precedence over a shorter case without nulls.
const FEW_ROWS: usize = 100;

/// The maximum number of allocations of a case that are made to fail.
const MAX_FAILURES: usize = 200;

/// The time limit for the strategies of one entry.
const MAX_TIME: Duration = Duration::from_secs(10);

/// Returns the smallest case of each strategy.
fn strategies<'c>(cases: &'c [Case], signatures: &[Option<Signature>]) -> Vec<&'c Case> {
    let nulls = |case: &Case| case.inputs.iter().any(|input| input.null_count() > 0);
    let awkward = |case: &Case| (case.rows() > FEW_ROWS, !nulls(case), case.rows());
    let mut smallest: BTreeMap<Signature, &Case> = BTreeMap::new();
    for (case, signature) in cases.iter().zip(signatures) {
        let Some(signature) = *signature else { continue };
        let chosen = smallest.entry(signature).or_insert(case);
        if awkward(case) < awkward(chosen) {
            *chosen = case;
        }
    }
    smallest.into_values().collect()
}

/// Runs a small case of each strategy several times, always with the same inputs.
pub(super) fn run(
    bench: &Bench<'_>,
    limits: &Limits,
    cases: &[Case],
    signatures: &[Option<Signature>],
    report: &mut Report,
) {
    let started = Instant::now();
    for case in strategies(cases, signatures) {
        report.strategies += 1;
        if started.elapsed() > MAX_TIME || !run_strategy(bench, limits, case, report) {
            report.strategies_cut += 1;
        }
    }
}

/// Runs a case once for each allocation.
fn run_strategy(bench: &Bench<'_>, limits: &Limits, case: &Case, report: &mut Report) -> bool {
    // If the oracle fails, the run on plain inputs has already reported the failure.
    let Ok(expected) = (case.naive)(&case.inputs) else { return true };
    let mut problems = Vec::new();
    let mut finished = false;
    match bench.inputs(case, Variant::Injection) {
        Err(problem) => problems.push(problem),
        Ok(inputs) => {
            for allocation in 1..=MAX_FAILURES {
                let step = limits.run(case, Variant::Injection, || {
                    fail_one(bench, case, &inputs, allocation, &expected, &mut problems)
                });
                match step {
                    Step::Failed => report.injected += 1,
                    Step::Finished => {
                        finished = true;
                        break;
                    }
                }
            }
        }
    }
    report.fail(case, Variant::Injection, problems);
    finished
}

enum Step {
    /// The operation has reached the allocation, and the allocation has failed.
    Failed,
    /// The operation has ended before this allocation, with results or with an error.
    Finished,
}

fn fail_one(
    bench: &Bench<'_>,
    case: &Case,
    inputs: &[Column],
    allocation: usize,
    expected: &[ArrayRef],
    problems: &mut Vec<Problem>,
) -> Step {
    let stream = match new_stream(bench.device) {
        Ok(stream) => stream,
        Err(error) => {
            problems.push(Problem::Setup(error.to_string()));
            return Step::Finished;
        }
    };
    let spy = spy(&bench.upstream);
    let failing = FailingResource::new(Resource::new(spy.clone()), allocation);
    let resource = Resource::new(failing.clone());
    let result = caught(|| case.call(inputs, &stream, &resource, &resource));
    let step = if failing.has_failed() { Step::Failed } else { Step::Finished };
    match (result, &step) {
        (Err(Problem::Error(error)), Step::Failed) if error.is_out_of_memory() => {}
        (Err(Problem::Error(error)), Step::Failed) => {
            problems.push(Problem::Swallowed { allocation, returned: format!("another error, {error}") });
        }
        (Err(problem), _) => problems.push(problem),
        (Ok(_), Step::Failed) => {
            problems.push(Problem::Swallowed { allocation, returned: "results".to_owned() });
        }
        (Ok(results), Step::Finished) => bench.check_results(results, inputs, expected, &stream, problems),
    }
    if let Err(error) = stream.synchronize() {
        problems.push(Problem::Setup(error.to_string()));
    }
    settle(|| spy.outstanding());
    if spy.outstanding() > 0 {
        problems.push(Problem::LeakAfterFailure { allocation, blocks: spy.outstanding() });
    }
    check_spies(&[&spy], &stream, problems);
    step
}
