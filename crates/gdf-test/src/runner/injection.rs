//! Makes each allocation of an operation fail in turn.

use gdf_memory::{Resource, Resources};

use super::Report;
use super::inputs::Variant;
use super::once::{Bench, caught, settle};
use super::problem::Problem;
use crate::catalog::Case;
use crate::device::new_stream;
use crate::resources::{FailingResource, SpyingResource};

/// A case with at most this many rows shows every allocation that a long one makes.
const FEW_ROWS: usize = 100;

/// An operation with more allocations than this depends on its data; the first ones will do.
const MOST_FAILURES: usize = 200;

/// Picks the case with the most rows among the small ones, preferring one with nulls.
fn choose(cases: &[Case]) -> Option<&Case> {
    let cases = || cases.iter().filter(|case| !case.refused);
    let small = cases().filter(|case| case.rows() <= FEW_ROWS);
    let nulls = |case: &Case| case.inputs.iter().filter(|input| input.null_count() > 0).count();
    small.max_by_key(|case| (nulls(case) > 0, case.rows())).or_else(|| cases().min_by_key(|case| case.rows()))
}

/// Fails the first, second, … allocation of a small case until there is none left to fail, then
/// runs it undisturbed on the same inputs.
pub(super) fn run(bench: &Bench<'_>, cases: &[Case], report: &mut Report) {
    let Some(case) = choose(cases) else { return };
    let mut problems = Vec::new();
    match (case.naive)(&case.inputs) {
        // Reported by the plain run already.
        Err(_) => return,
        Ok(expected) => match bench.inputs(case, Variant::Injection) {
            Err(problem) => problems.push(problem),
            Ok(inputs) => {
                for allocation in 1..=MOST_FAILURES {
                    match fail_one(bench, case, &inputs, allocation, &expected, &mut problems) {
                        Step::Failed => report.injected += 1,
                        Step::Finished => break,
                    }
                }
            }
        },
    }
    report.fail(case, Variant::Injection, problems);
}

enum Step {
    /// The allocation was reached and refused.
    Failed,
    /// The operation ended, one way or another, before it.
    Finished,
}

fn fail_one(
    bench: &Bench<'_>,
    case: &Case,
    inputs: &[gdf_core::Column],
    allocation: usize,
    expected: &[arrow_array::ArrayRef],
    problems: &mut Vec<Problem>,
) -> Step {
    let stream = match new_stream(bench.device) {
        Ok(stream) => stream,
        Err(error) => {
            problems.push(Problem::Setup(error.to_string()));
            return Step::Finished;
        }
    };
    let spy = SpyingResource::new(bench.upstream.clone());
    let failing = FailingResource::new(Resource::new(spy.clone()), allocation);
    let resource = Resource::new(failing.clone());
    let result = caught(|| (case.run)(inputs, &stream, Resources::from(&resource)));
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
        (Ok(results), Step::Finished) => bench.check_results(results, expected, &stream, problems),
    }
    if let Err(error) = stream.synchronize() {
        problems.push(Problem::Setup(error.to_string()));
    }
    settle(|| spy.outstanding());
    if spy.outstanding() > 0 {
        problems.push(Problem::LeakAfterFailure { allocation, blocks: spy.outstanding() });
    }
    step
}
