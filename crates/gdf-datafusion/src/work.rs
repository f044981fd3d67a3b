//! The scope in which an island runs: its device, stream and memory resource.

use gdf_api::scope::{current_resources, enter_device, enter_resources, enter_stream};
use gdf_driver::Stream;
use gdf_memory::{LimitingResource, Resource};

use crate::error::{IslandError, Result};
use crate::options::{GdfOptions, count};
use crate::plan::Plan;

/// Runs `work` on the device and with the memory of `options`, on a GPU with a new stream.
pub(crate) fn on_device<R>(options: &GdfOptions, work: impl FnOnce() -> Result<R>) -> Result<R> {
    let device = options.device();
    let _device = enter_device(device);
    let _stream = match device.is_cuda() {
        true => Some(enter_stream(&Stream::new(device).map_err(gdf_core::Error::from)?)),
        false => None,
    };
    let _resources = match options.memory_resource() {
        Some(resource) if resource.device() != device => {
            return Err(gdf_core::Error::device_mismatch(device, resource.device()).into());
        }
        Some(resource) => Some(enter_resources(resource, resource)?),
        None => None,
    };
    let Some(limit) = options.memory_limit() else { return work() };
    let (output, _) = current_resources(device)?;
    let limited = Resource::new(LimitingResource::new(output, limit));
    let _resources = enter_resources(&limited, &limited)?;
    work()
}

/// Runs `run` on all rows at once, and on smaller and smaller batches of rows while memory runs out.
pub(crate) fn with_smaller_batches<T>(
    options: &GdfOptions,
    plan: &Plan,
    mut run: impl FnMut(Option<usize>) -> Result<T>,
) -> Result<T> {
    let mut min_rows = None;
    let attempts = std::iter::once(None).chain(plan.batch_rows().map(Some));
    let mut failure = IslandError::internal("an island was not run");
    for batch_rows in attempts {
        if let Some(rows) = batch_rows {
            tracing::debug!(target: "gdf", rows, "GdfExec is out of memory: trying again with batches");
            current_resources(options.device())?.0.trim();
            min_rows = Some(rows);
        }
        failure = match run(batch_rows) {
            Err(failure) if failure.is_out_of_memory() => failure,
            result => {
                if result.is_ok() && batch_rows.is_some() {
                    count(&options.counters().batched);
                }
                return result;
            }
        };
    }
    Err(failure.out_of_memory(options.device(), options.memory_limit(), min_rows))
}
