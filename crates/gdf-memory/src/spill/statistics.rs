//! The statistics of a spill manager.

use std::backtrace::Backtrace;
use std::collections::BTreeMap;
use std::fmt;
use std::time::{Duration, Instant};

use super::SpillStatisticsLevel;

/// Transfers in one direction.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub struct Transfers {
    /// The number of transferred buffers.
    pub buffers: u64,
    /// The number of transferred bytes.
    pub bytes: u64,
    /// The time that threads spent on the transfers. The time of a transfer back to a GPU ends when the transfer is
    /// enqueued.
    pub duration: Duration,
}

impl Transfers {
    fn add(&mut self, bytes: usize, duration: Duration) {
        self.buffers += 1;
        self.bytes += bytes as u64;
        self.duration += duration;
    }
}

/// The statistics that a [`SpillManager`](crate::SpillManager) has collected.
///
/// `Display` shows one line for each direction.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub struct SpillStatistics {
    /// The level at which the manager counts.
    pub level: SpillStatisticsLevel,
    /// Transfers from the device to pinned memory of the CPU.
    pub device_to_host: Transfers,
    /// Transfers from the device to the file.
    pub device_to_disk: Transfers,
    /// Transfers from pinned memory of the CPU to the device.
    pub host_to_device: Transfers,
    /// Transfers from the file to the device.
    pub disk_to_device: Transfers,
    /// The number of bytes of the file that the transfers from the device to the file took. If the bytes were
    /// compressed, the number is smaller than the number of transferred bytes.
    pub stored_bytes: u64,
    /// Buffers whose memory was freed without a transfer, because a copy of their bytes existed already.
    pub dropped: Transfers,
    /// The number of exposures of spillable buffers and the number of their bytes. The key is the place in the source
    /// code.
    pub exposures: BTreeMap<String, (u64, u64)>,
}

#[derive(Clone, Copy, Debug)]
pub(super) enum Direction {
    DeviceToHost,
    DeviceToDisk,
    HostToDevice,
    DiskToDevice,
    Dropped,
}

impl SpillStatistics {
    pub(super) fn new(level: SpillStatisticsLevel) -> Self {
        Self { level, ..Self::default() }
    }

    pub(super) fn count(&mut self, direction: Direction, bytes: usize, since: Instant) {
        if self.level < SpillStatisticsLevel::Transfers {
            return;
        }
        let transfers = match direction {
            Direction::DeviceToHost => &mut self.device_to_host,
            Direction::DeviceToDisk => &mut self.device_to_disk,
            Direction::HostToDevice => &mut self.host_to_device,
            Direction::DiskToDevice => &mut self.disk_to_device,
            Direction::Dropped => &mut self.dropped,
        };
        transfers.add(bytes, since.elapsed());
    }

    pub(super) fn count_stored(&mut self, bytes: usize) {
        if self.level >= SpillStatisticsLevel::Transfers {
            self.stored_bytes += bytes as u64;
        }
    }

    pub(super) fn count_exposure(&mut self, bytes: usize) {
        if self.level < SpillStatisticsLevel::Exposures {
            return;
        }
        let place = Backtrace::force_capture().to_string();
        let (count, total) = self.exposures.entry(place).or_default();
        *count += 1;
        *total += bytes as u64;
    }
}

impl fmt::Display for SpillStatistics {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        if self.level == SpillStatisticsLevel::Off {
            return writeln!(f, "spilling is not counted; see SpillOptions::with_statistics");
        }
        for (direction, transfers) in [
            ("device to host", self.device_to_host),
            ("device to disk", self.device_to_disk),
            ("host to device", self.host_to_device),
            ("disk to device", self.disk_to_device),
            ("freed without a transfer", self.dropped),
        ] {
            let Transfers { buffers, bytes, duration } = transfers;
            writeln!(f, "{direction}: {bytes} bytes of {buffers} buffers in {:.3} s", duration.as_secs_f64())?;
        }
        writeln!(f, "stored in the file: {} bytes", self.stored_bytes)?;
        for (place, (count, bytes)) in &self.exposures {
            writeln!(f, "exposed {count} times, {bytes} bytes, at:\n{place}")?;
        }
        Ok(())
    }
}
