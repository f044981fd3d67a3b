//! What can go wrong in the driver layer, by what the caller can do about it.

use crate::{Device, Status};

/// The result of a driver operation.
pub type Result<T, E = DriverError> = std::result::Result<T, E>;

/// An error of the driver layer.
#[non_exhaustive]
#[derive(Clone, Debug, PartialEq, Eq, thiserror::Error)]
pub enum DriverError {
    /// There is no usable CUDA driver: not installed, or the crate was built without the feature `cuda`.
    #[error("no CUDA driver: {reason}")]
    NoDriver {
        /// The reason why no driver was found.
        reason: String,
    },
    /// The installed driver lacks this function.
    #[error("the CUDA driver has no function {0}")]
    SymbolMissing(&'static str),
    /// The installed driver is older than the compiled kernels need.
    #[error("the CUDA driver supports version {found}, version {needed} is needed")]
    DriverTooOld {
        /// The CUDA version that the driver supports, as `1000 * major + 10 * minor`.
        found: u32,
        /// The CUDA version that the kernels need, in the same form.
        needed: u32,
    },
    /// The process has no CUDA device of this ordinal.
    #[error("there is no device cuda:{ordinal}; devices found: {count}")]
    InvalidDevice {
        /// The ordinal asked for.
        ordinal: u32,
        /// The number of CUDA devices of this process.
        count: u32,
    },
    /// The text is not the name of a device.
    #[error("{0:?} is not a device; expected \"cpu\", \"cuda\" or \"cuda:N\"")]
    ParseDevice(String),
    /// An earlier fatal error made the device unusable for the rest of this process.
    #[error("{device} is unusable after {status}")]
    Poisoned {
        /// The device.
        device: Device,
        /// The error that made it unusable.
        status: Status,
    },
    /// This process is a child of `fork` of one that used CUDA, whose devices it cannot use: the driver would take some
    /// calls without a word, and disturb the parent's work.
    #[error(
        "CUDA was in use when this process was forked, so it cannot be used here; start the process anew (`exec`, or \
         Python's start method `spawn`), or fork before CUDA is used"
    )]
    Forked,
    /// A call of the driver failed.
    #[error("{call} failed{}: {status}", on(.device))]
    Call {
        /// The driver's function.
        call: &'static str,
        /// The status that the function returned.
        status: Status,
        /// The device of the call. `None` if the call is not about a device.
        device: Option<Device>,
    },
    /// A stream, buffer or function of one device was used where another device was expected.
    #[error("expected device {expected}, found {found}")]
    DeviceMismatch {
        /// The device that would have been right.
        expected: Device,
        /// The device found.
        found: Device,
    },
    /// The module has no function or variable of this name.
    #[error("the module has no {0:?}")]
    FunctionMissing(String),
    /// The compiled kernels of this image are neither embedded nor found.
    #[error("kernels of {image:?} are not installed: run `gdf kernels install`, or set GDF_KERNELS_DIR")]
    KernelsNotBuilt {
        /// The image asked for.
        image: String,
    },
    /// The compiled kernels of this image were made from other sources than the library that wants to launch them.
    #[error("kernels of {image:?} are of another version: run `gdf kernels install`, or set GDF_KERNELS_DIR")]
    KernelsOutdated {
        /// The image asked for.
        image: String,
    },
    /// The launch configuration is outside of what any device accepts.
    #[error("invalid launch: {0}")]
    InvalidLaunch(&'static str),
    /// The NULL stream was passed. Its meaning depends on how the caller was compiled. Pass the intended stream by its
    /// name.
    #[error("the NULL stream is not accepted for {device}")]
    NullStream {
        /// The device that it was given for.
        device: Device,
    },
    /// More streams were asked for at once than any program can use.
    #[error("{asked} streams at once; the most is {most}")]
    TooManyStreams {
        /// The number of streams that were requested.
        asked: usize,
        /// The largest number of streams that is allowed.
        most: usize,
    },
    /// A pool of no streams was asked for.
    #[error("a pool of streams has at least one")]
    NoStreams,
    /// A per-thread stream was used by a thread other than the one whose stream it names.
    #[error("a per-thread stream of {device} was used from another thread")]
    WrongThread {
        /// The device of the stream.
        device: Device,
    },
    /// A piece of work waits for work that runs only after it.
    #[error("work on {device} waits for itself")]
    Deadlock {
        /// The device of the work.
        device: Device,
    },
}

impl DriverError {
    /// Whether the error says that its device cannot be used any more in this process: nothing runs there, and nothing
    /// that ran there needs waiting for.
    pub fn is_fatal(&self) -> bool {
        match self {
            DriverError::Poisoned { .. } | DriverError::Forked => true,
            DriverError::Call { status, .. } => status.is_fatal(),
            _ => false,
        }
    }

    /// Whether the driver reported that memory ran out, which a caller can recover from.
    pub fn is_out_of_memory(&self) -> bool {
        matches!(self, DriverError::Call { status, .. } if status.is_out_of_memory())
    }
}

fn on(device: &Option<Device>) -> String {
    device.map(|device| format!(" on {device}")).unwrap_or_default()
}
