//! Everything the runner can find wrong.

use std::fmt;

use gdf_driver::Device;
use gdf_memory::testing::Overrun;

use crate::compare::{Difference, Unsanitized};
use crate::costs::{Cost, remedy};

/// Something the runner found wrong with one run of a case.
#[derive(Debug)]
#[non_exhaustive]
pub enum Problem {
    /// The device, a stream or the inputs could not be created.
    Setup(String),
    /// The entry has other numbers of cases or types than committed.
    Counts(String),
    /// The oracle could not answer.
    Naive(String),
    /// The operation returned an error.
    Error(gdf_core::Error),
    /// The operation gave results where it must refuse the inputs.
    Accepted,
    /// The operation panicked.
    Panic(String),
    /// The answer is not the oracle's.
    Difference(Difference),
    /// A result could not be read back, or is no valid arrow array.
    Invalid {
        /// The result.
        result: usize,
        /// The error message of arrow or of the export.
        error: String,
    },
    /// A result breaks a layout rule.
    Unsanitized {
        /// The result.
        result: usize,
        /// The rule.
        rule: Unsanitized,
    },
    /// Memory was allocated or given back on other streams than the one given.
    ForeignStream {
        /// Ids of those streams.
        streams: Vec<u64>,
    },
    /// Memory was given back twice or with another size.
    Fault(String),
    /// Memory was written outside of a block.
    OutOfBounds(Overrun),
    /// On the CPU the bytes from the end of a result's buffer to the end of its block are not zero.
    Padding {
        /// The result.
        result: usize,
    },
    /// Memory of `temporary` is still held after the call, by a result or by nobody.
    ScratchKept {
        /// Blocks held.
        blocks: usize,
        /// Their bytes.
        bytes: usize,
    },
    /// Memory of `output` was given back before the call returned, so it was scratch.
    ScratchFromOutput {
        /// Blocks given back.
        blocks: usize,
    },
    /// The results hold more memory than was taken from `output` for them.
    ResultElsewhere {
        /// Bytes of the results, inputs' buffers not counted.
        bytes: usize,
        /// Bytes taken from `output`.
        from_output: usize,
    },
    /// The device's current resource was used though resources were given.
    CurrentResource {
        /// Allocations from it.
        allocations: u64,
    },
    /// Memory is still held after the results were dropped.
    Leak {
        /// Blocks held.
        blocks: usize,
        /// Their bytes.
        bytes: usize,
    },
    /// Nothing was launched though there were rows: the work was not done on the device.
    NoLaunch,
    /// More bytes went to the host than a host value needs.
    CopiedToHost {
        /// Bytes copied.
        bytes: u64,
        /// Bytes allowed.
        allowed: u64,
    },
    /// Kernels were launched on the CPU.
    Launched {
        /// The number of launches.
        launches: u64,
    },
    /// The host waited more often than the case promises.
    Waits {
        /// The most waits that the case promises.
        at_most: u64,
        /// What the run took.
        measured: u64,
    },
    /// The measured cost differs from every committed cost.
    Cost {
        /// The committed costs of the shape class of the case; empty if there is no such line.
        committed: Vec<Cost>,
        /// What the run took.
        measured: Cost,
        /// The device on which the case ran.
        device: Device,
    },
    /// A run on slices had another cost than the run on plain inputs.
    VariantCost {
        /// The cost of the run on plain inputs.
        plain: Cost,
        /// What the run took.
        measured: Cost,
    },
    /// An allocation failed, and the operation returned no error or another error.
    Swallowed {
        /// Which allocation failed, from 1.
        allocation: usize,
        /// What was returned.
        returned: String,
    },
    /// An allocation failed and the operation did not clean up.
    LeakAfterFailure {
        /// Which allocation failed, from 1.
        allocation: usize,
        /// Blocks held.
        blocks: usize,
    },
}

impl fmt::Display for Problem {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        match self {
            Problem::Setup(error) => write!(f, "cannot set up: {error}"),
            Problem::Counts(counts) => write!(f, "{counts}; if that is meant: cargo xtask test --bless"),
            Problem::Naive(error) => write!(f, "the oracle failed: {error}"),
            Problem::Error(error) => write!(f, "returned an error: {error}"),
            Problem::Accepted => write!(f, "returned results for inputs that it must refuse"),
            Problem::Panic(message) => write!(f, "panicked: {message}"),
            Problem::Difference(difference) => write!(f, "{difference}"),
            Problem::Invalid { result, error } => write!(f, "result {result} is invalid: {error}"),
            Problem::Unsanitized { result, rule } => write!(f, "result {result}: {rule}"),
            Problem::ForeignStream { streams } => {
                write!(f, "memory was used on streams {streams:?}, not on the one given")
            }
            Problem::Fault(fault) => write!(f, "memory was given back wrongly: {fault}"),
            Problem::OutOfBounds(overrun) => write!(f, "wrote outside of its memory: {overrun}"),
            Problem::Padding { result } => write!(f, "result {result}: the padding of a buffer is not zero"),
            Problem::ScratchKept { blocks, bytes } => {
                write!(f, "{blocks} blocks ({bytes} bytes) of `temporary` are held after the call")
            }
            Problem::ScratchFromOutput { blocks } => {
                write!(f, "{blocks} blocks of `output` were used as scratch")
            }
            Problem::ResultElsewhere { bytes, from_output } => {
                write!(f, "results hold {bytes} bytes, {from_output} came from `output`")
            }
            Problem::CurrentResource { allocations } => {
                write!(f, "{allocations} allocations from the current resource, not the given ones")
            }
            Problem::Leak { blocks, bytes } => {
                write!(f, "{blocks} blocks ({bytes} bytes) are held after the results were dropped")
            }
            Problem::NoLaunch => write!(f, "nothing was launched"),
            Problem::CopiedToHost { bytes, allowed } => {
                write!(f, "{bytes} bytes were copied to the host, {allowed} are allowed")
            }
            Problem::Launched { launches } => write!(f, "{launches} kernels were launched on the CPU"),
            Problem::Waits { at_most, measured } => write!(f, "{measured} waits, at most {at_most} are promised"),
            Problem::Cost { committed, measured, device } => {
                match committed.as_slice() {
                    [] => write!(f, "no line of costs is about this case, which cost {measured};")?,
                    [committed] => write_cost(f, committed, measured)?,
                    several => {
                        write!(f, "cost: {measured} instead of")?;
                        let mut before = "";
                        for cost in several {
                            write!(f, "{before} {cost}")?;
                            before = " or";
                        }
                        write!(f, ";")?;
                    }
                }
                write!(f, " {}", remedy(*device))
            }
            Problem::VariantCost { plain, measured } => write_cost(f, plain, measured),
            Problem::Swallowed { allocation, returned } => {
                write!(f, "allocation {allocation} failed, but the operation returned {returned}")
            }
            Problem::LeakAfterFailure { allocation, blocks } => {
                write!(f, "{blocks} blocks are held after allocation {allocation} failed")
            }
        }
    }
}

fn write_cost(f: &mut fmt::Formatter<'_>, expected: &Cost, measured: &Cost) -> fmt::Result {
    let parts = [
        ("launches", expected.launches, measured.launches),
        ("waits", expected.waits, measured.waits),
        ("allocations", expected.allocations, measured.allocations),
        ("bytes to the host", expected.device_to_host_bytes, measured.device_to_host_bytes),
    ];
    write!(f, "cost:")?;
    for (name, expected, measured) in parts.into_iter().filter(|(_, e, m)| e != m) {
        write!(f, " {measured} {name} instead of {expected};")?;
    }
    Ok(())
}

impl std::error::Error for Problem {}
