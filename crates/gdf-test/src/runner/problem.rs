//! The problems that the runner can find.

use std::fmt;

use gdf_driver::Device;
use gdf_memory::testing::Overrun;

use crate::compare::{Difference, Unsanitized};
use crate::costs::{Cost, remedy};

/// A problem of one run of a case.
#[derive(Debug)]
#[non_exhaustive]
pub enum Problem {
    /// The device, a stream or the inputs could not be created.
    Setup(String),
    /// The numbers of cases or types of the entry differ from the committed numbers.
    Counts(String),
    /// The oracle returned an error.
    Naive(String),
    /// The operation returned an error.
    Error(gdf_core::Error),
    /// The operation returned results for inputs that it must refuse.
    Accepted,
    /// The operation panicked.
    Panic(String),
    /// The results differ from the results of the oracle.
    Difference(Difference),
    /// A result could not be copied to the host, or is not a valid arrow array.
    Invalid {
        /// The position of the result.
        result: usize,
        /// The error message of arrow or of the export.
        error: String,
    },
    /// The entry says that results share memory with the inputs, but no result of all runs does.
    SharesNothing,
    /// A result breaks a layout rule.
    Unsanitized {
        /// The position of the result.
        result: usize,
        /// The rule that the result breaks.
        rule: Unsanitized,
    },
    /// Memory was allocated or freed on another stream than the given stream.
    ForeignStream {
        /// The ids of the other streams.
        streams: Vec<u64>,
    },
    /// Memory was freed twice, or freed with another size.
    Fault(String),
    /// Memory was written outside of a block.
    OutOfBounds(Overrun),
    /// On the CPU, the bytes from the end of a result's buffer to the end of its block are not zero.
    Padding {
        /// The position of the result.
        result: usize,
    },
    /// Memory of `temporary` is still allocated after the call. Either a result holds the memory, or the operation has
    /// leaked the memory.
    ScratchKept {
        /// The number of blocks that are held.
        blocks: usize,
        /// The number of bytes of these blocks.
        bytes: usize,
    },
    /// Memory of `output` was freed before the call returned. Therefore the memory was scratch memory.
    ScratchFromOutput {
        /// The number of blocks that were given back.
        blocks: usize,
    },
    /// The results hold more memory than the operation has allocated from `output`.
    ResultElsewhere {
        /// The number of bytes of the results, without the buffers of the inputs.
        bytes: usize,
        /// The number of bytes taken from `output`.
        from_output: usize,
    },
    /// The operation used the current resource of the device, although the call passed resources.
    CurrentResource {
        /// The number of allocations from the current resource.
        allocations: u64,
    },
    /// Memory was not freed after the results were dropped.
    Leak {
        /// The number of blocks that are held.
        blocks: usize,
        /// The number of bytes of these blocks.
        bytes: usize,
    },
    /// The operation launched no kernel although there were rows. Therefore the device did not do the work.
    NoLaunch,
    /// The operation copied more bytes to the host than the values that it returns on the host need.
    CopiedToHost {
        /// The number of bytes that were copied.
        bytes: u64,
        /// The number of bytes that are allowed.
        allowed: u64,
    },
    /// An operation on the CPU launched kernels.
    Launched {
        /// The number of launches.
        launches: u64,
    },
    /// The host waited more often than the case promises.
    Waits {
        /// The largest number of waits that the case promises.
        at_most: u64,
        /// The measured number of waits.
        measured: u64,
    },
    /// The operation allocated more memory at a time than it has stated.
    Bound {
        /// The bound that the operation states, in bytes.
        bound: usize,
        /// The measured peak, in bytes.
        peak: usize,
    },
    /// The measured cost differs from every committed cost.
    Cost {
        /// The committed costs of the shape class of the case. The list is empty if the file has no line for the
        /// class.
        committed: Vec<Cost>,
        /// The measured cost.
        measured: Cost,
        /// The device on which the case ran.
        device: Device,
    },
    /// The run on slices had another cost than the run on the unchanged inputs.
    VariantCost {
        /// The cost of the run on the unchanged inputs.
        plain: Cost,
        /// The measured cost of the run on slices.
        measured: Cost,
    },
    /// An allocation failed, but the operation returned results or another error.
    Swallowed {
        /// The number of the allocation that failed. The first allocation has number 1.
        allocation: usize,
        /// A description of the result or error that was returned.
        returned: String,
    },
    /// An allocation failed, and the operation did not free all its memory.
    LeakAfterFailure {
        /// The number of the allocation that failed. The first allocation has number 1.
        allocation: usize,
        /// The number of blocks that are held.
        blocks: usize,
    },
}

impl fmt::Display for Problem {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        match self {
            Problem::Setup(error) => write!(f, "cannot set up: {error}"),
            Problem::Counts(counts) => write!(f, "{counts}; if the change is intended: cargo xtask test --bless"),
            Problem::Naive(error) => write!(f, "the oracle failed: {error}"),
            Problem::Error(error) => write!(f, "returned an error: {error}"),
            Problem::Accepted => write!(f, "returned results for inputs that the operation must refuse"),
            Problem::Panic(message) => write!(f, "panicked: {message}"),
            Problem::Difference(difference) => write!(f, "{difference}"),
            Problem::Invalid { result, error } => write!(f, "result {result} is invalid: {error}"),
            Problem::SharesNothing => {
                f.write_str("no result shares memory with an input; remove `sharing_inputs` from the entry")
            }
            Problem::Unsanitized { result, rule } => write!(f, "result {result}: {rule}"),
            Problem::ForeignStream { streams } => {
                write!(f, "memory was used on the streams {streams:?} instead of the given stream")
            }
            Problem::Fault(fault) => write!(f, "memory was freed incorrectly: {fault}"),
            Problem::OutOfBounds(overrun) => write!(f, "the operation wrote outside of allocated memory: {overrun}"),
            Problem::Padding { result } => write!(f, "result {result}: the padding of a buffer is not zero"),
            Problem::ScratchKept { blocks, bytes } => {
                write!(f, "{blocks} blocks ({bytes} bytes) of `temporary` are held after the call")
            }
            Problem::ScratchFromOutput { blocks } => {
                write!(f, "{blocks} blocks of `output` were used as scratch")
            }
            Problem::ResultElsewhere { bytes, from_output } => {
                write!(f, "results hold {bytes} bytes, but only {from_output} bytes came from `output`")
            }
            Problem::CurrentResource { allocations } => {
                write!(f, "{allocations} allocations came from the current resource instead of the given resources")
            }
            Problem::Leak { blocks, bytes } => {
                write!(f, "{blocks} blocks ({bytes} bytes) are held after the results were dropped")
            }
            Problem::NoLaunch => write!(f, "nothing was launched, although there are rows"),
            Problem::CopiedToHost { bytes, allowed } => {
                write!(f, "{bytes} bytes were copied to the host, but only {allowed} are allowed")
            }
            Problem::Launched { launches } => write!(f, "{launches} kernels were launched on the CPU"),
            Problem::Waits { at_most, measured } => write!(f, "{measured} waits, but at most {at_most} are promised"),
            Problem::Bound { bound, peak } => {
                write!(f, "{peak} bytes were allocated at a time, but the bound of the operation is {bound} bytes")
            }
            Problem::Cost { committed, measured, device } => {
                match committed.as_slice() {
                    [] => write!(f, "no committed line of costs covers this case, which cost {measured};")?,
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
