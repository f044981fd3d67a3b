//! The options of a spill manager.

use std::path::PathBuf;
use std::time::Duration;

use super::faults::SpillFaults;
use crate::{MemoryError, Result};

/// The extent of the statistics of a [`SpillManager`](crate::SpillManager).
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq, PartialOrd, Ord)]
pub enum SpillStatisticsLevel {
    /// Nothing is counted.
    #[default]
    Off,
    /// Bytes, durations and numbers of transfers are counted.
    Transfers,
    /// In addition, each exposure of a spillable buffer is counted, with the place in the source code of the program.
    /// An exposed buffer cannot be spilled any more. Finding the place takes time.
    Exposures,
}

/// The compression of spilled bytes in the file.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq, Hash)]
#[non_exhaustive]
pub enum SpillCompression {
    /// The bytes are stored as they are.
    #[default]
    None,
    /// LZ4. If a block of 4 MiB does not become smaller by an eighth, this block and all later blocks of its buffer are
    /// stored as they are. Compression costs CPU time. Compression is worthwhile if the disk is slow or small.
    Lz4,
}

/// The options of a [`SpillManager`](crate::SpillManager). As in cuDF, the default is spilling on demand without
/// limits.
///
/// ```
/// # mod gdf { pub use gdf_driver::{self as driver, Device, Stream}; pub mod memory { pub use gdf_memory::*; } }
/// use gdf::memory::{SpillOptions, SpillStatisticsLevel};
///
/// let options = SpillOptions::new().with_device_limit(1 << 30).with_statistics(SpillStatisticsLevel::Transfers);
/// assert_eq!(options.device_limit(), Some(1 << 30));
/// ```
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct SpillOptions {
    pub(super) on_demand: bool,
    pub(super) device_limit: Option<usize>,
    pub(super) hard_limit: Option<usize>,
    pub(super) host_limit: usize,
    pub(super) disk_limit: usize,
    pub(super) faults: Option<SpillFaults>,
    pub(super) directory: PathBuf,
    pub(super) compression: SpillCompression,
    pub(super) reservation_timeout: Option<Duration>,
    pub(super) statistics: SpillStatisticsLevel,
}

impl Default for SpillOptions {
    fn default() -> Self {
        Self {
            on_demand: true,
            device_limit: None,
            hard_limit: None,
            host_limit: usize::MAX,
            disk_limit: usize::MAX,
            faults: None,
            directory: std::env::temp_dir(),
            compression: SpillCompression::None,
            reservation_timeout: None,
            statistics: SpillStatisticsLevel::Off,
        }
    }
}

impl SpillOptions {
    /// Makes the default options.
    pub fn new() -> Self {
        Self::default()
    }

    /// Reads the environment variables. Returns `None` unless `GDF_SPILL` is `on`, `1` or `true`. The switches of the
    /// table accept `1` and `true` for `on`, and `0` and `false` for `off`.
    ///
    /// | variable | | default |
    /// |---|---|---|
    /// | `GDF_SPILL` | `on` or `off` | `off` |
    /// | `GDF_SPILL_ON_DEMAND` | `on` or `off`; see [`with_on_demand`](Self::with_on_demand) | `on` |
    /// | `GDF_SPILL_DEVICE_LIMIT` | bytes; see [`with_device_limit`](Self::with_device_limit) | none |
    /// | `GDF_SPILL_HOST_LIMIT` | bytes; see [`with_host_limit`](Self::with_host_limit) | none |
    /// | `GDF_SPILL_DISK_LIMIT` | bytes; see [`with_disk_limit`](Self::with_disk_limit) | none |
    /// | `GDF_SPILL_DIRECTORY` | a directory; see [`with_directory`](Self::with_directory) | the directory of temporary files |
    /// | `GDF_SPILL_COMPRESSION` | `none` or `lz4`; see [`with_compression`](Self::with_compression) | `none` |
    /// | `GDF_SPILL_RESERVATION_TIMEOUT` | seconds; see [`with_reservation_timeout`](Self::with_reservation_timeout) | none |
    /// | `GDF_SPILL_STATS` | `0`, `1` or `2`; see [`SpillStatisticsLevel`] | `0` |
    ///
    /// # Errors
    /// [`InvalidVariable`](MemoryError::InvalidVariable) when a variable has another value.
    pub fn from_env() -> Result<Option<Self>> {
        Self::from_variables(|name| std::env::var(name).ok())
    }

    /// Does the same as [`from_env`](Self::from_env).
    pub(super) fn from_variables(variable: impl Fn(&str) -> Option<String>) -> Result<Option<Self>> {
        let switch = |name: &'static str, otherwise: bool| match variable(name).as_deref() {
            None | Some("") => Ok(otherwise),
            Some("on" | "1" | "true") => Ok(true),
            Some("off" | "0" | "false") => Ok(false),
            Some(found) => Err(MemoryError::invalid_variable(name, found, "`on` or `off`")),
        };
        let bytes = |name: &'static str| match variable(name) {
            None => Ok(None),
            Some(found) if found.is_empty() => Ok(None),
            Some(found) => match found.parse::<usize>() {
                Ok(bytes) => Ok(Some(bytes)),
                Err(_) => Err(MemoryError::invalid_variable(name, &found, "a number of bytes")),
            },
        };
        let mut options = Self::new().with_on_demand(switch("GDF_SPILL_ON_DEMAND", true)?);
        options.device_limit = bytes("GDF_SPILL_DEVICE_LIMIT")?;
        options.host_limit = bytes("GDF_SPILL_HOST_LIMIT")?.unwrap_or(usize::MAX);
        options.disk_limit = bytes("GDF_SPILL_DISK_LIMIT")?.unwrap_or(usize::MAX);
        if let Some(directory) = variable("GDF_SPILL_DIRECTORY").filter(|directory| !directory.is_empty()) {
            options.directory = directory.into();
        }
        options.compression = match variable("GDF_SPILL_COMPRESSION").as_deref() {
            None | Some("" | "none") => SpillCompression::None,
            Some("lz4") => SpillCompression::Lz4,
            Some(found) => {
                return Err(MemoryError::invalid_variable("GDF_SPILL_COMPRESSION", found, "`none` or `lz4`"));
            }
        };
        let name = "GDF_SPILL_RESERVATION_TIMEOUT";
        if let Some(found) = variable(name).filter(|seconds| !seconds.is_empty()) {
            let timeout = found.parse().ok().and_then(|seconds| Duration::try_from_secs_f64(seconds).ok());
            let timeout = timeout.ok_or_else(|| MemoryError::invalid_variable(name, &found, "a number of seconds"))?;
            options.reservation_timeout = Some(timeout);
        }
        options.statistics = match variable("GDF_SPILL_STATS").as_deref() {
            None | Some("" | "0") => SpillStatisticsLevel::Off,
            Some("1") => SpillStatisticsLevel::Transfers,
            Some("2") => SpillStatisticsLevel::Exposures,
            Some(found) => return Err(MemoryError::invalid_variable("GDF_SPILL_STATS", found, "`0`, `1` or `2`")),
        };
        Ok(switch("GDF_SPILL", false)?.then_some(options))
    }

    /// Sets whether buffers are spilled when the upstream is out of memory. After spilling, the resource repeats the
    /// request.
    #[must_use]
    pub fn with_on_demand(self, on_demand: bool) -> Self {
        Self { on_demand, ..self }
    }

    /// Sets the number of allocated bytes above which buffers are spilled. The limit is soft: if too few buffers can be
    /// spilled, the resource exceeds the limit. A later call replaces an earlier soft or hard limit.
    #[must_use]
    pub fn with_device_limit(self, bytes: usize) -> Self {
        Self { device_limit: Some(bytes), hard_limit: None, ..self }
    }

    /// Sets the maximum number of allocated bytes, which is never exceeded. Buffers are spilled to stay below the
    /// limit. If too few buffers can be spilled, a request fails with [`OutOfMemory`](MemoryError::OutOfMemory).
    #[must_use]
    pub fn with_hard_limit(self, bytes: usize) -> Self {
        Self { hard_limit: Some(bytes), device_limit: None, ..self }
    }

    /// Sets the maximum number of bytes of pinned memory for spilled bytes of a GPU. Further bytes are spilled to a
    /// file. Bytes of the CPU are always spilled to a file.
    #[must_use]
    pub fn with_host_limit(self, bytes: usize) -> Self {
        Self { host_limit: bytes, ..self }
    }

    /// Sets the maximum number of bytes in the file of spilled bytes, which is never exceeded. Bytes that would exceed
    /// the limit stay in memory, and the request that needs their memory fails with [`Spill`](MemoryError::Spill), as
    /// on a full disk. The default is no limit.
    ///
    /// ```
    /// # mod gdf { pub use gdf_driver::{self as driver, Device, Stream}; pub mod memory { pub use gdf_memory::*; } }
    /// use gdf::memory::{Buffer, MemoryError, SpillManager, SpillOptions, current_resource};
    /// use gdf::{Device, Stream};
    ///
    /// let options = SpillOptions::new().with_hard_limit(1 << 20).with_disk_limit(1 << 19);
    /// let manager = SpillManager::new(current_resource(Device::Cpu)?, options);
    /// let (stream, resource) = (Stream::cpu(), manager.resource());
    /// let first = Buffer::zeroed(800_000, &stream, resource.as_ref())?;
    /// assert!(manager.watch(&first));
    /// let second = Buffer::zeroed(800_000, &stream, resource.as_ref());
    /// assert!(matches!(second, Err(MemoryError::Spill { .. })));
    /// # Ok::<(), MemoryError>(())
    /// ```
    #[must_use]
    pub fn with_disk_limit(self, bytes: usize) -> Self {
        Self { disk_limit: bytes, ..self }
    }

    /// Sets failures of the file of spilled bytes, for tests.
    #[doc(hidden)]
    #[must_use]
    pub fn with_faults(self, faults: SpillFaults) -> Self {
        Self { faults: Some(faults), ..self }
    }

    /// Sets the directory of the file of spilled bytes. The file has no name, and no other user can read the file. The
    /// system frees its space when the process ends. The default is the directory of temporary files.
    #[must_use]
    pub fn with_directory(self, directory: impl Into<PathBuf>) -> Self {
        Self { directory: directory.into(), ..self }
    }

    /// Sets the compression of spilled bytes in the file. Bytes in pinned memory are never compressed. The default is
    /// no compression.
    #[must_use]
    pub fn with_compression(self, compression: SpillCompression) -> Self {
        Self { compression, ..self }
    }

    /// Sets the time for which operators and queries wait for [reservations](crate::SpillManager::budget). The default
    /// is no limit.
    #[must_use]
    pub fn with_reservation_timeout(self, timeout: Duration) -> Self {
        Self { reservation_timeout: Some(timeout), ..self }
    }

    /// Sets the extent of the statistics.
    #[must_use]
    pub fn with_statistics(self, level: SpillStatisticsLevel) -> Self {
        Self { statistics: level, ..self }
    }

    /// Returns the soft or hard limit of the allocated bytes.
    pub fn device_limit(&self) -> Option<usize> {
        self.hard_limit.or(self.device_limit)
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn variables_are_read_and_checked() {
        let with = |pairs: &'static [(&str, &str)]| {
            SpillOptions::from_variables(|name| {
                pairs.iter().find(|(of, _)| *of == name).map(|(_, value)| (*value).to_owned())
            })
        };
        assert_eq!(with(&[]), Ok(None));
        assert_eq!(with(&[("GDF_SPILL", "on")]), Ok(Some(SpillOptions::new())));
        let all = with(&[
            ("GDF_SPILL", "1"),
            ("GDF_SPILL_ON_DEMAND", "off"),
            ("GDF_SPILL_DEVICE_LIMIT", "1000"),
            ("GDF_SPILL_HOST_LIMIT", "2000"),
            ("GDF_SPILL_DISK_LIMIT", "3000"),
            ("GDF_SPILL_DIRECTORY", "elsewhere"),
            ("GDF_SPILL_COMPRESSION", "lz4"),
            ("GDF_SPILL_RESERVATION_TIMEOUT", "1.5"),
            ("GDF_SPILL_STATS", "2"),
        ]);
        let expected = SpillOptions::new().with_on_demand(false).with_device_limit(1000).with_host_limit(2000);
        let expected = expected.with_directory("elsewhere").with_statistics(SpillStatisticsLevel::Exposures);
        let expected = expected.with_reservation_timeout(Duration::from_millis(1500)).with_disk_limit(3000);
        let expected = expected.with_compression(SpillCompression::Lz4);
        assert_eq!(all, Ok(Some(expected)));
        for (name, value) in [
            ("GDF_SPILL", "maybe"),
            ("GDF_SPILL_ON_DEMAND", "2"),
            ("GDF_SPILL_DEVICE_LIMIT", "1 GB"),
            ("GDF_SPILL_HOST_LIMIT", "-1"),
            ("GDF_SPILL_RESERVATION_TIMEOUT", "-2"),
            ("GDF_SPILL_COMPRESSION", "zip"),
            ("GDF_SPILL_STATS", "3"),
        ] {
            let found = SpillOptions::from_variables(|of| (of == name).then(|| value.to_owned()));
            let error = found.unwrap_err().to_string();
            assert!(error.contains(name) && error.contains(value), "{error}");
        }
    }
}
