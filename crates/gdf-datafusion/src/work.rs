//! The scope in which an island runs: its device, stream and memory resource.

use gdf_api::scope::{current_resources, enter_device, enter_resources, enter_stream};
use gdf_driver::Stream;
use gdf_memory::{LimitingResource, Resource};

use crate::error::Result;
use crate::options::GdfOptions;

/// Runs `work` on the device and with the memory limit of `options`, on a GPU with a new stream.
pub(crate) fn on_device<R>(options: &GdfOptions, work: impl FnOnce() -> Result<R>) -> Result<R> {
    let device = options.device();
    let _device = enter_device(device);
    let _stream = match device.is_cuda() {
        true => Some(enter_stream(&Stream::new(device).map_err(gdf_core::Error::from)?)),
        false => None,
    };
    let Some(limit) = options.memory_limit() else { return work() };
    let (output, _) = current_resources(device)?;
    let limited = Resource::new(LimitingResource::new(output, limit));
    let _resources = enter_resources(&limited, &limited)?;
    work()
}
