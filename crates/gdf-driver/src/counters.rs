//! Counters of the work on a stream, so that tests can assert launches, waits and copied bytes.

use std::ops::Sub;
use std::sync::atomic::{AtomicU64, Ordering};

/// Counts of the work on a stream since the stream was created. To count the work of a period, subtract the counters at
/// the start of the period from the counters at its end.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub struct Counters {
    /// The number of launched kernels.
    pub launches: u64,
    /// The number of times that the CPU waited for the stream, or for an event that was recorded on the stream. Only
    /// waits for CUDA streams are counted.
    pub waits: u64,
    /// The number of bytes that were copied from the host to a device.
    pub host_to_device_bytes: u64,
    /// The number of bytes that were copied from a device to the host.
    pub device_to_host_bytes: u64,
    /// The number of bytes that were copied within a device or between devices.
    pub device_to_device_bytes: u64,
    /// The number of fills of memory with a byte.
    pub fills: u64,
}

impl Sub for Counters {
    type Output = Counters;

    fn sub(self, earlier: Counters) -> Counters {
        Counters {
            launches: self.launches.saturating_sub(earlier.launches),
            waits: self.waits.saturating_sub(earlier.waits),
            host_to_device_bytes: self.host_to_device_bytes.saturating_sub(earlier.host_to_device_bytes),
            device_to_host_bytes: self.device_to_host_bytes.saturating_sub(earlier.device_to_host_bytes),
            device_to_device_bytes: self.device_to_device_bytes.saturating_sub(earlier.device_to_device_bytes),
            fills: self.fills.saturating_sub(earlier.fills),
        }
    }
}

#[derive(Debug, Default)]
pub(crate) struct LiveCounters {
    pub(crate) launches: AtomicU64,
    pub(crate) waits: AtomicU64,
    pub(crate) host_to_device_bytes: AtomicU64,
    pub(crate) device_to_host_bytes: AtomicU64,
    pub(crate) device_to_device_bytes: AtomicU64,
    pub(crate) fills: AtomicU64,
}

impl LiveCounters {
    pub(crate) fn read(&self) -> Counters {
        Counters {
            launches: self.launches.load(Ordering::Relaxed),
            waits: self.waits.load(Ordering::Relaxed),
            host_to_device_bytes: self.host_to_device_bytes.load(Ordering::Relaxed),
            device_to_host_bytes: self.device_to_host_bytes.load(Ordering::Relaxed),
            device_to_device_bytes: self.device_to_device_bytes.load(Ordering::Relaxed),
            fills: self.fills.load(Ordering::Relaxed),
        }
    }
}

pub(crate) fn add(counter: &AtomicU64, amount: u64) {
    counter.fetch_add(amount, Ordering::Relaxed);
}
