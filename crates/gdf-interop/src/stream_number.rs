//! Streams as numbers. In DLPack and in the CUDA array interface, Python libraries name streams by numbers.

use gdf_core::Error;
use gdf_driver::{Device, Stream};

use crate::Result;

const LEGACY: i64 = 1;
const PER_THREAD: i64 = 2;

/// Returns the stream that a consumer names in DLPack's `__dlpack__(stream=…)`. `None` and 1 mean the device's legacy
/// default stream. 2 means the per-thread default stream. Numbers above 2 are stream handles. −1 means that the
/// consumer needs no ordering, so the result is a new stream without other work. If the device is the CPU, the result
/// is a stream of the CPU for every number.
///
/// ```
/// # mod gdf { pub use gdf_core::*; pub mod interop { pub use gdf_interop::*; } }
/// use gdf::Device;
/// // SAFETY: no handle is named.
/// let stream = unsafe { gdf::interop::stream_from_number(Device::Cpu, None)? };
/// assert_eq!(stream.device(), Device::Cpu);
/// # Ok::<(), gdf_interop::InteropError>(())
/// ```
///
/// # Safety
/// - If the number is a handle, it is a stream of the device's primary context. That stream outlives every clone of the
///   result, and every buffer that was used with the result. (After an export has returned, an exported tensor does not
///   use the stream.)
///
/// # Errors
/// - [`Error::InvalidArgument`]: the number is 0 or below -1. The number 0 is refused because it could mean either
///   default stream.
/// - Driver errors of opening the device.
pub unsafe fn stream_from_number(device: Device, number: Option<i64>) -> Result<Stream> {
    if device.is_cpu() {
        return Ok(Stream::cpu());
    }
    match number {
        None | Some(LEGACY) => Ok(Stream::legacy(device)?),
        Some(PER_THREAD) => Ok(Stream::per_thread(device)?),
        Some(-1) => Ok(Stream::new(device)?),
        Some(handle) if handle > PER_THREAD => {
            let raw = std::ptr::with_exposed_provenance_mut(handle as usize);
            // SAFETY: the caller promises a stream of this device that outlives every use of the result.
            Ok(unsafe { Stream::from_raw(device, raw) }?)
        }
        Some(0) => {
            Err(Error::invalid_argument("stream 0 is ambiguous; pass stream 1 (legacy) or stream 2 (per-thread)")
                .into())
        }
        Some(number) => Err(Error::beyond_limit("the stream number", i128::from(number), -1)
            .with_remedy("pass -1 (no synchronization), 1 (legacy), 2 (per-thread) or a handle")
            .into()),
    }
}

/// Returns the number of a stream, or `None` for a stream of the CPU. This is the opposite of [`stream_from_number`].
///
/// ```
/// # mod gdf { pub use gdf_core::*; pub mod interop { pub use gdf_interop::*; } }
/// assert_eq!(gdf::interop::stream_number(&gdf::Stream::cpu()), None);
/// ```
pub fn stream_number(stream: &Stream) -> Option<u64> {
    stream.raw().map(|raw| raw.expose_provenance() as u64)
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::InteropError;

    fn named(device: Device, number: i64) -> Result<Stream> {
        // SAFETY: no test passes a stream handle.
        unsafe { stream_from_number(device, Some(number)) }
    }

    #[test]
    fn ambiguous_and_negative_numbers_are_refused() {
        for number in [0, -2, i64::MIN] {
            assert!(
                matches!(named(Device::Cuda(0), number), Err(InteropError::Core(Error::InvalidArgument { .. }))),
                "{number}"
            );
        }
        for number in [-1, 0, 1, 2] {
            assert!(named(Device::Cpu, number).is_ok());
        }
    }
}
