//! Runs a case once and checks the run.

use std::panic::{AssertUnwindSafe, catch_unwind};
use std::time::{Duration, Instant};

use arrow_array::{Array, ArrayRef};
use gdf_core::{Column, DataType};
use gdf_driver::{Device, Stream};
use gdf_memory::testing::is_padding_zero;
use gdf_memory::{Buffer, Resource};

use super::inputs::{Variant, upload};
use super::problem::Problem;
use crate::catalog::{Case, Entry};
use crate::compare::{
    assert_precisions, assert_tables, check_facts, check_sanitized, check_sanitized_beside, shares_memory,
};
use crate::costs::{Bytes, Cost};
use crate::device::new_stream;
use crate::resources::{LiveBytes, SpyingResource, current_allocations, spy};

/// The environment in which the cases of an entry run.
pub(super) struct Bench<'e> {
    pub(super) entry: &'e Entry,
    pub(super) device: Device,
    /// The resource from which the spying resources take their memory.
    pub(super) upstream: Resource,
}

#[derive(Default)]
pub(super) struct Outcome {
    pub(super) problems: Vec<Problem>,
    /// The cost.
    pub(super) cost: Option<Cost>,
    /// The bound of the bytes, and the measured peak.
    pub(super) bytes: Option<Bytes>,
    /// The signature of the strategy.
    pub(super) signature: Option<Signature>,
    /// Whether a result shares memory with an input.
    pub(super) shares: bool,
}

/// The numbers that distinguish the strategies of an operation.
#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord)]
pub(super) struct Signature {
    output: usize,
    temporary: usize,
    launches: u64,
    waits: u64,
}

/// The number of words that an operation may copy to the host for each result, and for each child of a result or of an
/// input.
const VALUES_PER_RESULT: usize = 8;

impl Bench<'_> {
    /// Runs the operation on the given variant of the inputs.
    pub(super) fn run_once(&self, case: &Case, variant: Variant, expected: &[ArrayRef]) -> Outcome {
        let mut outcome = Outcome::default();
        let inputs = match self.inputs(case, variant) {
            Ok(inputs) => inputs,
            Err(problem) => {
                outcome.problems.push(problem);
                return outcome;
            }
        };
        let stream = match new_stream(self.device) {
            Ok(stream) => stream,
            Err(error) => {
                outcome.problems.push(Problem::Setup(error.to_string()));
                return outcome;
            }
        };
        let output = spy(&self.upstream);
        let temporary = spy(&self.upstream);
        let live = LiveBytes::default();
        let resources = (live.of(output.clone()), live.of(temporary.clone()));

        let (counters, from_current) = (stream.counters(), current_allocations());
        let (from, scratch) = (&resources.0, &resources.1);
        let result = caught(|| case.call(&inputs, &stream, from, scratch));
        let counters = stream.counters() - counters;
        let from_current = current_allocations() - from_current;

        let problems = &mut outcome.problems;
        if let Err(error) = stream.synchronize() {
            problems.push(Problem::Setup(error.to_string()));
        }
        if from_current > 0 {
            problems.push(Problem::CurrentResource { allocations: from_current });
        }
        match result {
            Err(Problem::Error(error)) if case.refused.is_some_and(|is_right| is_right(&error)) => {}
            Ok(_) if case.refused.is_some() => problems.push(Problem::Accepted),
            Err(problem) => problems.push(problem),
            Ok(results) => {
                outcome.signature = Some(Signature {
                    output: output.allocations(),
                    temporary: temporary.allocations(),
                    launches: counters.launches,
                    waits: counters.waits,
                });
                outcome.cost = Some(Cost {
                    launches: counters.launches,
                    waits: counters.waits,
                    allocations: (output.allocations() + temporary.allocations()) as u64,
                    device_to_host_bytes: counters.device_to_host_bytes,
                });
                // If all rows of a column are known to be null, an operation need not launch a kernel.
                let is_null = |result: &Column| {
                    result.data_type() == &DataType::Null || result.known_null_count() == Some(result.len())
                };
                let has_values = |result: &Column| !result.is_empty() && !is_null(result);
                let worked = case.rows() > 0 && results.iter().any(has_values);
                if self.device.is_cuda() && worked && !self.entry.shares_inputs && !self.entry.may_launch_nothing {
                    let columns = results.iter().map(tree_size).sum::<usize>();
                    let children = inputs.iter().map(|input| tree_size(input) - 1).sum::<usize>();
                    let host_values = (columns + children) * VALUES_PER_RESULT + case.host_values;
                    check_work(counters.launches, counters.device_to_host_bytes, host_values, problems);
                }
                if self.device.is_cpu() && counters.launches > 0 {
                    problems.push(Problem::Launched { launches: counters.launches });
                }
                if counters.waits > case.waits {
                    problems.push(Problem::Waits { at_most: case.waits, measured: counters.waits });
                }
                let bound = case.bound.as_ref().and_then(|bound| bound(&inputs));
                outcome.bytes = bound.map(|bound| Bytes { bound, peak: live.peak() });
                if let Some(Bytes { bound, peak }) = outcome.bytes.filter(|bytes| bytes.peak > bytes.bound) {
                    problems.push(Problem::Bound { bound, peak });
                }
                outcome.shares = results.iter().any(|result| shares_memory(result, &inputs));
                check_memory(&results, (&inputs, self.entry.guesses), &output, &temporary, problems);
                check_padding(&results, &inputs, &stream, problems);
                self.check_results(results, &inputs, expected, &stream, problems);
            }
        }
        if let Err(error) = stream.synchronize() {
            problems.push(Problem::Setup(error.to_string()));
        }
        settle(|| output.outstanding() + temporary.outstanding());
        let blocks = output.outstanding() + temporary.outstanding();
        if blocks > 0 {
            let bytes = output.outstanding_bytes() + temporary.outstanding_bytes();
            problems.push(Problem::Leak { blocks, bytes });
        }
        check_spies(&[&output, &temporary], &stream, problems);
        outcome
    }

    /// Uploads the inputs on another stream than the stream of the operation.
    pub(super) fn inputs(&self, case: &Case, variant: Variant) -> Result<Vec<Column>, Problem> {
        let stream = new_stream(self.device).map_err(|error| Problem::Setup(error.to_string()))?;
        upload(case, variant, &stream, &self.upstream).map_err(|error| Problem::Setup(error.to_string()))
    }

    /// Compares the results with the expected arrays, checks their layout, and drops the results.
    pub(super) fn check_results(
        &self,
        results: Vec<Column>,
        inputs: &[Column],
        expected: &[ArrayRef],
        stream: &Stream,
        problems: &mut Vec<Problem>,
    ) {
        let mut arrays = Vec::with_capacity(results.len());
        for (i, column) in results.iter().enumerate() {
            let invalid = |error: String| Problem::Invalid { result: i, error };
            let sanitized = match self.entry {
                Entry { slices: true, .. } => check_sanitized_beside(column, std::slice::from_ref(column), stream),
                Entry { shares_inputs: true, .. } => check_sanitized_beside(column, inputs, stream),
                _ => check_sanitized(column, stream),
            };
            if let Err(rule) = sanitized {
                problems.push(Problem::Unsanitized { result: i, rule });
            }
            if let Err(error) = check_facts(column, stream) {
                problems.push(invalid(error));
            }
            match column.to_arrow(stream) {
                Err(error) => problems.push(invalid(error.to_string())),
                Ok(array) => match array.to_data().validate_full() {
                    Err(error) => problems.push(invalid(error.to_string())),
                    Ok(()) => arrays.push(array),
                },
            }
        }
        if arrays.len() == results.len() {
            let precisions = if self.entry.exact_types { assert_precisions(expected, &arrays) } else { Ok(()) };
            let compared = assert_tables(expected, &arrays, self.entry.equality).and(precisions);
            problems.extend(compared.err().map(Problem::Difference));
        }
    }
}

/// Calls `run`.
pub(crate) fn caught<T>(run: impl FnOnce() -> gdf_core::Result<T>) -> Result<T, Problem> {
    match catch_unwind(AssertUnwindSafe(run)) {
        Ok(result) => result.map_err(Problem::Error),
        Err(payload) => {
            let text = payload.downcast_ref::<&str>().map(|text| (*text).to_owned());
            let text = text.or_else(|| payload.downcast_ref::<String>().cloned());
            Err(Problem::Panic(text.unwrap_or_default()))
        }
    }
}

pub(super) fn check_work(launches: u64, to_host: u64, host_values: usize, problems: &mut Vec<Problem>) {
    if launches == 0 {
        problems.push(Problem::NoLaunch);
    }
    let allowed = 8 * host_values as u64;
    if to_host > allowed {
        problems.push(Problem::CopiedToHost { bytes: to_host, allowed });
    }
}

fn check_memory(
    results: &[Column],
    (inputs, guesses): (&[Column], bool),
    output: &SpyingResource,
    temporary: &SpyingResource,
    problems: &mut Vec<Problem>,
) {
    settle(|| temporary.outstanding());
    if temporary.outstanding() > 0 {
        let (blocks, bytes) = (temporary.outstanding(), temporary.outstanding_bytes());
        problems.push(Problem::ScratchKept { blocks, bytes });
    }
    let blocks = output.allocations().saturating_sub(output.outstanding());
    // If the operation guesses the sizes of results, it may free and allocate each buffer of a result again once.
    let mut buffers = 0;
    results.iter().for_each(|column| each_buffer(column, &mut |_| buffers += 1));
    if blocks > if guesses { buffers } else { 0 } {
        problems.push(Problem::ScratchFromOutput { blocks });
    }
    let (bytes, from_output) = (own_bytes(results, inputs), output.outstanding_bytes());
    if bytes > from_output {
        problems.push(Problem::ResultElsewhere { bytes, from_output });
    }
}

/// Returns the number of bytes of the results that are not shared with the inputs.
fn own_bytes(results: &[Column], inputs: &[Column]) -> usize {
    let mut known: Vec<&Buffer> = Vec::new();
    inputs.iter().for_each(|column| each_buffer(column, &mut |buffer| known.push(buffer)));
    let mut bytes = 0;
    let mut count = |buffer| {
        if !known.iter().any(|other| other.same_allocation(buffer)) {
            bytes += buffer.len();
            known.push(buffer);
        }
    };
    results.iter().for_each(|column| each_buffer(column, &mut count));
    bytes
}

fn tree_size(column: &Column) -> usize {
    1 + column.children().iter().map(tree_size).sum::<usize>()
}

fn each_buffer<'c>(column: &'c Column, visit: &mut impl FnMut(&'c Buffer)) {
    column.buffers().iter().chain(column.validity()).for_each(&mut *visit);
    column.children().iter().for_each(|child| each_buffer(child, visit));
}

/// Checks the streams, sizes and guards of all blocks that the spying resources have allocated.
pub(crate) fn check_spies(spies: &[&SpyingResource], stream: &Stream, problems: &mut Vec<Problem>) {
    let mut streams: Vec<u64> = spies.iter().flat_map(|spy| spy.streams()).collect();
    streams.retain(|&id| id != stream.id());
    if !streams.is_empty() {
        problems.push(Problem::ForeignStream { streams });
    }
    problems.extend(spies.iter().flat_map(|spy| spy.faults()).map(Problem::Fault));
    for spy in spies {
        match spy.overruns() {
            Ok(found) => problems.extend(found.into_iter().map(Problem::OutOfBounds)),
            Err(error) => problems.push(Problem::Setup(error.to_string())),
        }
    }
}

/// Checks that the padding of CPU buffers is zero.
fn check_padding(results: &[Column], inputs: &[Column], stream: &Stream, problems: &mut Vec<Problem>) {
    let mut known: Vec<&Buffer> = Vec::new();
    inputs.iter().for_each(|column| each_buffer(column, &mut |buffer| known.push(buffer)));
    for (result, column) in results.iter().enumerate().filter(|(_, column)| column.device().is_cpu()) {
        let mut zero = true;
        each_buffer(column, &mut |buffer| {
            let fresh = !known.iter().any(|other| other.same_allocation(buffer));
            zero &= !fresh || is_padding_zero(buffer, stream).unwrap_or(false);
        });
        if !zero {
            problems.push(Problem::Padding { result });
        }
    }
}

/// Waits up to 200 ms, because some memory is freed only when events complete.
pub(super) fn settle(outstanding: impl Fn() -> usize) {
    let deadline = Instant::now() + Duration::from_millis(200);
    while outstanding() > 0 && Instant::now() < deadline {
        std::thread::sleep(Duration::from_millis(1));
    }
}
