//! The errors of the driver layer, with one variant for each kind of error that a caller can handle differently.

use crate::{Device, Status};

/// The result of a driver operation.
pub type Result<T, E = DriverError> = std::result::Result<T, E>;

/// The remedy for a missing driver.
const REMEDY: &str = if cfg!(feature = "cuda") {
    "install NVIDIA's driver, or use the device cpu"
} else {
    r#"add features = ["cuda"] to gdf in Cargo.toml, or use the device cpu"#
};

/// An error of the driver layer.
#[non_exhaustive]
#[derive(Clone, Debug, PartialEq, Eq, thiserror::Error)]
pub enum DriverError {
    /// There is no usable CUDA driver. Either no driver is installed, or the crate was built without the feature
    /// `cuda`.
    #[error("the CUDA driver cannot be used: {reason}; {}", REMEDY)]
    NoDriver {
        /// The reason why no driver was found.
        reason: String,
    },
    /// The installed driver does not have this function.
    #[error("the CUDA driver has no function {0}; install a newer driver")]
    SymbolMissing(&'static str),
    /// The installed driver is older than the driver that the compiled kernels need.
    #[error("the CUDA driver supports CUDA version {found}, but the kernels need {needed}; install a newer driver")]
    DriverTooOld {
        /// The CUDA version that the driver supports, as `1000 * major + 10 * minor`.
        found: u32,
        /// The CUDA version that the kernels need, in the same form.
        needed: u32,
    },
    /// The process has no CUDA device with this ordinal.
    #[error("the device cuda:{ordinal} does not exist; the number of CUDA devices is {count}")]
    InvalidDevice {
        /// The requested ordinal.
        ordinal: u32,
        /// The number of CUDA devices of this process.
        count: u32,
    },
    /// The text is not the name of a device.
    #[error("{0:?} is not a device; expected \"cpu\", \"cuda\" or \"cuda:N\"")]
    ParseDevice(String),
    /// An earlier fatal error made the device unusable for the rest of this process.
    #[error("{device} is unusable after the error {status}; restart the process to use the device again")]
    Poisoned {
        /// The unusable device.
        device: Device,
        /// The status of the fatal error.
        status: Status,
    },
    /// This process is a child of `fork`, and its parent had used CUDA before. The child cannot use the parent's
    /// devices. The driver would accept some calls of the child without an error, but these calls would disturb the
    /// work of the parent.
    #[error(
        "CUDA was in use when this process was forked, so the child process cannot use CUDA; start a new program \
         (`exec`, or Python's start method `spawn`), or fork before CUDA is used"
    )]
    Forked,
    /// A call of the driver failed.
    #[error("{call} failed{}: {status}", on(.device))]
    Call {
        /// The driver's function.
        call: &'static str,
        /// The status that the function returned.
        status: Status,
        /// The device of the call. `None` if the call does not concern a device.
        device: Option<Device>,
    },
    /// A stream, buffer or function of one device was used where another device was expected.
    #[error("expected a stream, buffer or kernel of device {expected}, found device {found}")]
    DeviceMismatch {
        /// The expected device.
        expected: Device,
        /// The device that was found.
        found: Device,
    },
    /// The module has no function or variable with this name.
    #[error("the module has no kernel or variable named {0:?}; check the name, and declare kernels as extern \"C\"")]
    FunctionMissing(String),
    /// The compiled kernels of this image are neither embedded in the program nor installed.
    #[error("the kernels of {image:?} are not installed; run `gdf kernels install`, or set GDF_KERNELS_DIR")]
    KernelsNotBuilt {
        /// The name of the requested image.
        image: String,
    },
    /// The compiled kernels of this image belong to another version of the library.
    #[error(
        "the installed kernels of {image:?} belong to another version of gdf; run `gdf kernels install`, or set \
         GDF_KERNELS_DIR"
    )]
    KernelsOutdated {
        /// The name of the requested image.
        image: String,
    },
    /// Every user of the machine can write to a file of compiled kernels or to its folder. The file is not loaded,
    /// because the kernels run in this process.
    #[error(
        "every user of the machine can write to {path}, so the kernels there are not loaded; run `chmod o-w` on it, or \
         set GDF_KERNELS_DIR to another folder"
    )]
    KernelsWritable {
        /// The path of the file or folder.
        path: Box<str>,
    },
    /// A file of compiled kernels is larger than any set of kernels.
    #[error(
        "{path} has {bytes} bytes, but an image of kernels has at most {most}; run `gdf kernels install`, or set \
         GDF_KERNELS_DIR to another folder"
    )]
    KernelsTooLarge {
        /// The path of the file.
        path: Box<str>,
        /// The size of the file in bytes.
        bytes: u64,
        /// The largest size that is read.
        most: u64,
    },
    /// The launch configuration is invalid for every device.
    #[error("invalid kernel launch: {0}")]
    InvalidLaunch(&'static str),
    /// The NULL stream was passed. The NULL stream means different streams, depending on how the caller was compiled.
    /// Therefore the caller must pass the legacy or the per-thread stream explicitly.
    #[error("the NULL stream is not accepted for {device}; pass the legacy or the per-thread stream explicitly")]
    NullStream {
        /// The device for which the stream was passed.
        device: Device,
    },
    /// A call requested more streams than are allowed at once.
    #[error("{asked} streams were requested at once; request at most {most}")]
    TooManyStreams {
        /// The number of streams that were requested.
        asked: usize,
        /// The largest number of streams that is allowed.
        most: usize,
    },
    /// A pool of 0 streams was requested.
    #[error("a pool of 0 streams was requested; request at least 1")]
    NoStreams,
    /// A thread used the per-thread stream of another thread.
    #[error("a per-thread stream of {device} was used from another thread; use a stream of the calling thread")]
    WrongThread {
        /// The device of the stream.
        device: Device,
    },
    /// Two pieces of work wait for each other: one piece waits for the other, but the other can only run after the
    /// first.
    #[error("two pieces of work on {device} wait for each other; remove one of the waits, or reorder the work")]
    Deadlock {
        /// The device of the work.
        device: Device,
    },
}

impl DriverError {
    /// Returns whether the device of the error cannot be used any more in this process. No work runs on such a device,
    /// so the caller need not wait for earlier work on the device.
    pub fn is_fatal(&self) -> bool {
        match self {
            DriverError::Poisoned { .. } | DriverError::Forked => true,
            DriverError::Call { status, .. } => status.is_fatal(),
            _ => false,
        }
    }

    /// Returns whether the driver reported that memory ran out. A caller can recover from such an error.
    pub fn is_out_of_memory(&self) -> bool {
        matches!(self, DriverError::Call { status, .. } if status.is_out_of_memory())
    }
}

fn on(device: &Option<Device>) -> String {
    device.map(|device| format!(" on {device}")).unwrap_or_default()
}
