//! The scope in which an island runs: its device, stream and memory resource.

use std::sync::atomic::Ordering;
use std::sync::{Mutex, PoisonError};

use datafusion::physical_plan::metrics::Gauge;
use gdf_api::scope::{current_resources, enter_device, enter_resources, enter_stream};
use gdf_driver::{Device, Stream};
use gdf_memory::{SpillManager, SpillOptions, SpillStatisticsLevel};

use crate::error::Result;
use crate::options::GdfOptions;

/// The GPU streams on which no island works. They are used again for two reasons. Memory that an island frees is
/// available at once to the next island on the same stream. Columns of tables that were used on a stream need no
/// synchronization with another stream.
static IDLE_STREAMS: Mutex<Vec<Stream>> = Mutex::new(Vec::new());

/// A stream on which one island works. When the island has ended, another island can have the stream.
struct OwnStream(Stream);

impl OwnStream {
    fn take(device: Device) -> Result<OwnStream> {
        let mut idle = IDLE_STREAMS.lock().unwrap_or_else(PoisonError::into_inner);
        // The stream that was used most recently is at the end.
        if let Some(at) = idle.iter().rposition(|stream| stream.device() == device) {
            return Ok(OwnStream(idle.remove(at)));
        }
        drop(idle);
        Ok(OwnStream(Stream::new(device).map_err(gdf_core::Error::from)?))
    }
}

impl Drop for OwnStream {
    fn drop(&mut self) {
        IDLE_STREAMS.lock().unwrap_or_else(PoisonError::into_inner).push(self.0.clone());
    }
}

/// Runs `work` on the device and with the memory of `options`. On a GPU, `work` has a stream on which no other island
/// works. `peak` gets the peak of the memory, if it is limited.
pub(crate) fn on_device<R>(options: &GdfOptions, peak: &Gauge, work: impl FnOnce() -> Result<R>) -> Result<R> {
    let device = options.device();
    let _device = enter_device(device);
    let own = device.is_cuda().then(|| OwnStream::take(device)).transpose()?;
    let _stream = own.as_ref().map(|own| enter_stream(&own.0));
    let _resources = match options.memory_resource() {
        Some(resource) if resource.device() != device => {
            return Err(gdf_core::Error::device_mismatch(device, resource.device()).into());
        }
        Some(resource) => Some(enter_resources(resource, resource)?),
        None => None,
    };
    let (output, _) = current_resources(device)?;
    let Some(limit) = options.memory_limit() else {
        let done = work();
        if let Some(manager) = SpillManager::of(&output) {
            has_held(options, &manager, peak);
        }
        return done;
    };
    let spilling = SpillOptions::new().with_statistics(SpillStatisticsLevel::Transfers).with_hard_limit(limit);
    let manager = SpillManager::new(output, spilling);
    let limited = manager.resource();
    let _resources = enter_resources(&limited, &limited)?;
    let done = work();
    has_held(options, &manager, peak);
    done
}

/// Reports the peak of the memory of a manager with a limit.
fn has_held(options: &GdfOptions, manager: &SpillManager, peak: &Gauge) {
    let Some(limit) = manager.options().device_limit() else { return };
    let bytes = manager.peak_bytes();
    tracing::debug!(target: "gdf", device = %options.device(), limit, peak = bytes, "an island ran with limited memory");
    peak.set_max(bytes);
    options.counters().peak_bytes.fetch_max(bytes as u64, Ordering::Relaxed);
}
