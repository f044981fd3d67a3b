//! The driver's status codes.

use std::fmt;
use std::sync::OnceLock;

/// A status code of the driver: a `CUresult`.
#[derive(Clone, Copy, PartialEq, Eq, Hash)]
pub struct Status(pub u32);

impl Status {
    /// The call succeeded.
    pub const SUCCESS: Status = Status(0);
    /// An argument was out of range.
    pub const INVALID_VALUE: Status = Status(1);
    /// There is not enough memory.
    pub const OUT_OF_MEMORY: Status = Status(2);
    /// The driver is shutting down, for example at the end of the process.
    pub const DEINITIALIZED: Status = Status(4);
    /// The library that was found is not a driver, but the stub library of the CUDA toolkit.
    pub const STUB_LIBRARY: Status = Status(34);
    /// There is no CUDA device.
    pub const NO_DEVICE: Status = Status(100);
    /// The image is not device code.
    pub const INVALID_IMAGE: Status = Status(200);
    /// A named symbol was not found.
    pub const NOT_FOUND: Status = Status(500);
    /// The work has not completed yet.
    pub const NOT_READY: Status = Status(600);
    /// A kernel accessed an invalid address.
    pub const ILLEGAL_ADDRESS: Status = Status(700);

    /// Returns the driver's name of the code, such as `CUDA_ERROR_ILLEGAL_ADDRESS`.
    pub fn name(self) -> &'static str {
        match known(self.0) {
            Some((_, name, _)) => name,
            None => ask_driver(self.0, Text::Name).unwrap_or("CUDA_ERROR_UNRECOGNIZED"),
        }
    }

    /// Returns a description of the code.
    pub fn description(self) -> &'static str {
        match known(self.0) {
            Some((_, _, description)) => description,
            None => ask_driver(self.0, Text::Description).unwrap_or("an unknown status code"),
        }
    }

    /// Returns whether the code means success.
    pub fn is_success(self) -> bool {
        self == Status::SUCCESS
    }

    /// Returns whether the device can no longer be used in this process after this code.
    pub fn is_fatal(self) -> bool {
        // The fatal codes below 300 are errors of the hardware. The codes from 700 to 721 are errors of kernels. The
        // code 999 is an unknown error.
        matches!(self.0, 214 | 220 | 226 | 700 | 702 | 710 | 714..=719 | 721 | 999)
    }

    /// Returns whether the code means that there was not enough memory.
    pub fn is_out_of_memory(self) -> bool {
        self == Status::OUT_OF_MEMORY
    }
}

impl fmt::Debug for Status {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        write!(f, "{} ({})", self.name(), self.0)
    }
}

impl fmt::Display for Status {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        write!(f, "{} ({}): {}", self.name(), self.0, self.description())
    }
}

fn known(code: u32) -> Option<&'static (u32, &'static str, &'static str)> {
    KNOWN.binary_search_by_key(&code, |entry| entry.0).ok().map(|index| &KNOWN[index])
}

/// The kinds of text that the driver can return about a code.
pub(crate) enum Text {
    Name,
    Description,
}

type Explain = fn(u32, Text) -> Option<&'static str>;

static EXPLAIN: OnceLock<Explain> = OnceLock::new();

/// Sets the function that asks the driver about unknown codes.
pub(crate) fn explain_with(explain: Explain) {
    let _ = EXPLAIN.set(explain);
}

fn ask_driver(code: u32, text: Text) -> Option<&'static str> {
    EXPLAIN.get().and_then(|explain| explain(code, text))
}

/// The known codes, sorted by code.
const KNOWN: &[(u32, &str, &str)] = &[
    (0, "CUDA_SUCCESS", "no error"),
    (1, "CUDA_ERROR_INVALID_VALUE", "an argument is out of range"),
    (2, "CUDA_ERROR_OUT_OF_MEMORY", "out of memory"),
    (3, "CUDA_ERROR_NOT_INITIALIZED", "the driver is not initialized"),
    (4, "CUDA_ERROR_DEINITIALIZED", "the driver is shutting down"),
    (34, "CUDA_ERROR_STUB_LIBRARY", "the library is the toolkit's stub, not a driver"),
    (46, "CUDA_ERROR_DEVICE_UNAVAILABLE", "the device is busy or unavailable"),
    (100, "CUDA_ERROR_NO_DEVICE", "no CUDA device was found"),
    (101, "CUDA_ERROR_INVALID_DEVICE", "the device does not exist"),
    (200, "CUDA_ERROR_INVALID_IMAGE", "the image is not device code"),
    (201, "CUDA_ERROR_INVALID_CONTEXT", "no context, or an invalid one, is current"),
    (205, "CUDA_ERROR_MAP_FAILED", "mapping failed"),
    (208, "CUDA_ERROR_ALREADY_MAPPED", "already mapped"),
    (209, "CUDA_ERROR_NO_BINARY_FOR_GPU", "the image has no code for this device"),
    (214, "CUDA_ERROR_ECC_UNCORRECTABLE", "an uncorrectable memory error"),
    (217, "CUDA_ERROR_PEER_ACCESS_UNSUPPORTED", "the devices cannot access each other"),
    (218, "CUDA_ERROR_INVALID_PTX", "the PTX did not compile"),
    (220, "CUDA_ERROR_NVLINK_UNCORRECTABLE", "an uncorrectable link error"),
    (221, "CUDA_ERROR_JIT_COMPILER_NOT_FOUND", "the PTX compiler is not installed"),
    (222, "CUDA_ERROR_UNSUPPORTED_PTX_VERSION", "the PTX is newer than the driver"),
    (226, "CUDA_ERROR_CONTAINED", "the device contained an exception"),
    (300, "CUDA_ERROR_INVALID_SOURCE", "invalid device source"),
    (301, "CUDA_ERROR_FILE_NOT_FOUND", "file not found"),
    (304, "CUDA_ERROR_OPERATING_SYSTEM", "an operating system call failed"),
    (400, "CUDA_ERROR_INVALID_HANDLE", "an invalid handle"),
    (401, "CUDA_ERROR_ILLEGAL_STATE", "the operation is not possible in this state"),
    (500, "CUDA_ERROR_NOT_FOUND", "a named symbol was not found"),
    (600, "CUDA_ERROR_NOT_READY", "not completed yet"),
    (700, "CUDA_ERROR_ILLEGAL_ADDRESS", "a kernel accessed an illegal address"),
    (701, "CUDA_ERROR_LAUNCH_OUT_OF_RESOURCES", "the launch needs more resources than the device has"),
    (702, "CUDA_ERROR_LAUNCH_TIMEOUT", "a kernel ran too long"),
    (704, "CUDA_ERROR_PEER_ACCESS_ALREADY_ENABLED", "peer access is already enabled"),
    (705, "CUDA_ERROR_PEER_ACCESS_NOT_ENABLED", "peer access is not enabled"),
    (709, "CUDA_ERROR_CONTEXT_IS_DESTROYED", "the context was destroyed"),
    (710, "CUDA_ERROR_ASSERT", "an assertion in a kernel failed"),
    (712, "CUDA_ERROR_HOST_MEMORY_ALREADY_REGISTERED", "the host memory is already registered"),
    (713, "CUDA_ERROR_HOST_MEMORY_NOT_REGISTERED", "the host memory is not registered"),
    (714, "CUDA_ERROR_HARDWARE_STACK_ERROR", "a stack error in a kernel"),
    (715, "CUDA_ERROR_ILLEGAL_INSTRUCTION", "an illegal instruction in a kernel"),
    (716, "CUDA_ERROR_MISALIGNED_ADDRESS", "a kernel accessed a misaligned address"),
    (717, "CUDA_ERROR_INVALID_ADDRESS_SPACE", "a kernel used an address of the wrong address space"),
    (718, "CUDA_ERROR_INVALID_PC", "a kernel jumped outside of its code"),
    (719, "CUDA_ERROR_LAUNCH_FAILED", "a kernel failed"),
    (
        720,
        "CUDA_ERROR_COOPERATIVE_LAUNCH_TOO_LARGE",
        "the cooperative launch has more blocks than fit on the device at once",
    ),
    (721, "CUDA_ERROR_TENSOR_MEMORY_LEAK", "a kernel left tensor memory allocated"),
    (800, "CUDA_ERROR_NOT_PERMITTED", "not permitted"),
    (801, "CUDA_ERROR_NOT_SUPPORTED", "not supported"),
    (802, "CUDA_ERROR_SYSTEM_NOT_READY", "the system is not ready"),
    (803, "CUDA_ERROR_SYSTEM_DRIVER_MISMATCH", "the versions of the kernel driver and the user-mode driver differ"),
    (804, "CUDA_ERROR_COMPAT_NOT_SUPPORTED_ON_DEVICE", "forward compatibility is not supported on this device"),
    (900, "CUDA_ERROR_STREAM_CAPTURE_UNSUPPORTED", "the call is not permitted while the stream is captured"),
    (901, "CUDA_ERROR_STREAM_CAPTURE_INVALIDATED", "the capture was invalidated"),
    (906, "CUDA_ERROR_STREAM_CAPTURE_IMPLICIT", "the call would depend on the legacy stream during a capture"),
    (999, "CUDA_ERROR_UNKNOWN", "an unknown internal error"),
];

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn known_codes_are_sorted_and_named() {
        assert!(KNOWN.windows(2).all(|pair| pair[0].0 < pair[1].0));
        assert_eq!(Status(700).name(), "CUDA_ERROR_ILLEGAL_ADDRESS");
        assert_eq!(format!("{:?}", Status(700)), "CUDA_ERROR_ILLEGAL_ADDRESS (700)");
        assert_eq!(format!("{:?}", Status(2)), "CUDA_ERROR_OUT_OF_MEMORY (2)");
        assert!(Status(2).is_out_of_memory() && !Status(2).is_fatal());
    }

    #[test]
    fn unknown_codes_print_without_a_driver() {
        let text = format!("{}", Status(123_456));
        assert!(text.contains("(123456)"), "{text}");
        assert!(!Status(123_456).is_fatal());
    }

    #[test]
    fn fatal_codes() {
        for code in [700, 702, 710, 714, 715, 716, 717, 718, 719, 999] {
            assert!(Status(code).is_fatal(), "{code}");
        }
        for code in [0, 1, 2, 4, 100, 209, 500, 600, 701, 720, 801] {
            assert!(!Status(code).is_fatal(), "{code}");
        }
    }
}
