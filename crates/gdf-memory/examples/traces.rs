//! Measures resources with traces of allocations. The same traces measure RMM. The output has four columns: the
//! resource, the trace, the parameter and the nanoseconds.
//!
//! Usage: `traces [--device cuda:0] [--gib 40] [--scale 1] [FILTER]`. On the CPU, the pools allocate from host memory,
//! and no code reads or writes the memory. The sizes are the same on both devices. A resource name that ends in
//! `+buffer` means that the trace allocates [`Buffer`](gdf_memory::Buffer)s, which follow the lifetime rule, and not
//! plain blocks.

use std::process::ExitCode;

use gdf_driver::{Device, Stream};
use gdf_memory::testing::traces::{Bare, Buffers, churn, full, pair, shared, threads};
use gdf_memory::{
    CudaAsyncResource, CudaResource, HostResource, PoolOptions, PoolResource, Resource, Result, VirtualPoolResource,
};

/// The size in bytes of the pools for the trace that nearly fills a pool.
const FULL: usize = 8 << 30;

struct Arguments {
    device: Device,
    gib: usize,
    scale: usize,
    filter: String,
}

fn arguments() -> Result<Arguments, String> {
    let mut found = Arguments { device: Device::Cpu, gib: 40, scale: 1, filter: String::new() };
    let mut rest = std::env::args().skip(1);
    while let Some(name) = rest.next() {
        let mut value = || rest.next().ok_or_else(|| format!("{name} needs a value"));
        match name.as_str() {
            "--device" => found.device = value()?.parse().map_err(|error| format!("{error}"))?,
            "--gib" => found.gib = value()?.parse().map_err(|error| format!("{error}"))?,
            "--scale" => found.scale = value()?.parse().map_err(|error| format!("{error}"))?,
            _ => found.filter = name,
        }
    }
    Ok(found)
}

fn suite(name: &str, resource: &Resource, scale: usize) -> Result<()> {
    let stream = Stream::new(resource.device())?;
    let (bare, buffers) = (Bare(resource, &stream), Buffers(resource, &stream));
    let print = |trace: &str, parameter: &str, bare: f64, buffers: f64| {
        println!("{name}\t{trace}\t{parameter}\t{bare:.1}");
        println!("{name}+buffer\t{trace}\t{parameter}\t{buffers:.1}");
    };
    for bytes in [256, 1 << 20, 64 << 20] {
        let rounds = 20_000 / scale;
        print("pair", &bytes.to_string(), pair(&bare, bytes, rounds)?, pair(&buffers, bytes, rounds)?);
    }
    for live in [100, 1000, 10_000] {
        let (most, operations) = (if live >= 10_000 { 2 << 20 } else { 16 << 20 }, 200_000 / scale);
        let times = (churn(&bare, operations, live, 7, most)?, churn(&buffers, operations, live, 7, most)?);
        print("churn", &format!("live{live}"), times.0, times.1);
    }
    for count in [1, 2, 4, 8] {
        let operations = 100_000 / scale;
        let time = |buffers| threads(resource, count, operations, 8 << 20, buffers);
        print("threads", &count.to_string(), time(false)?, time(true)?);
    }
    let streams = (0..8).map(|_| Stream::new(resource.device())).collect::<Result<Vec<_>, _>>()?;
    let time = shared(resource, &streams, 50_000 / scale, 500, 64 << 20)?;
    println!("{name}\tshared\t8streams\t{time:.1}");
    Ok(())
}

/// Measures a pool of 8 GiB that is filled to 90 %.
fn nearly_full(name: &str, resource: &Resource, scale: usize) -> Result<()> {
    let streams = (0..8).map(|_| Stream::new(resource.device())).collect::<Result<Vec<_>, _>>()?;
    let (time, refused) = full(resource, &streams, 20_000 / scale, FULL, 90, 64 << 20)?;
    println!("{name}\tfull90\t8streams\t{time:.1}\trefused {refused}");
    Ok(())
}

fn run(found: &Arguments) -> Result<()> {
    let upstream = || -> Result<Resource> {
        Ok(match found.device {
            Device::Cpu => Resource::new(HostResource::new()),
            device => Resource::new(CudaResource::new(device)?),
        })
    };
    let requested = |name: &str| name.contains(&found.filter);
    let options = PoolOptions::new().initial(found.gib << 30);
    if requested("gdf.pool") {
        let pool = PoolResource::with_options(upstream()?, options)?;
        suite("gdf.pool", &Resource::new(pool), found.scale)?;
    }
    if requested("gdf.pool_growing") {
        suite("gdf.pool_growing", &Resource::new(PoolResource::new(upstream()?)), found.scale)?;
    }
    if requested("gdf.full") {
        let options = PoolOptions::new().maximum(FULL);
        let pool = PoolResource::with_options(upstream()?, options.initial(FULL))?;
        nearly_full("gdf.full.pool", &Resource::new(pool), found.scale)?;
        let pool = VirtualPoolResource::new(found.device, options)?;
        nearly_full("gdf.full.virtual_pool", &Resource::new(pool), found.scale)?;
    }
    if requested("gdf.virtual_pool") {
        let pool = VirtualPoolResource::new(found.device, PoolOptions::new())?;
        suite("gdf.virtual_pool", &Resource::new(pool), found.scale)?;
    }
    if found.device.is_cuda() && requested("gdf.cuda_async") {
        suite("gdf.cuda_async", &Resource::new(CudaAsyncResource::new(found.device)?), found.scale * 4)?;
    }
    Ok(())
}

fn main() -> ExitCode {
    let outcome = arguments().and_then(|found| run(&found).map_err(|error| error.to_string()));
    match outcome {
        Ok(()) => ExitCode::SUCCESS,
        Err(error) => {
            eprintln!("error: {error}");
            ExitCode::FAILURE
        }
    }
}
