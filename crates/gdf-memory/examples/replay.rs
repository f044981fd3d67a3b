//! Replays a log of allocations on one or more resources. `cargo xtask replay` builds and runs the example.
//!
//! Usage: `replay LOG [--device cpu] [--resource pool,caching,…] [--initial BYTES] [--maximum BYTES]`

use std::process::ExitCode;

use gdf_driver::Device;
use gdf_memory::testing::replay::Log;
use gdf_memory::{
    ArenaResource, BinningResource, CachingResource, CudaAsyncResource, CudaResource, HostResource, ManagedResource,
    PinnedResource, PoolOptions, PoolResource, Resource, Result, VirtualPoolResource,
};

fn upstream(device: Device) -> Result<Resource> {
    Ok(match device {
        Device::Cpu => Resource::new(HostResource::new()),
        Device::Cuda(_) => Resource::new(CudaResource::new(device)?),
    })
}

fn make(name: &str, device: Device, options: PoolOptions) -> Result<Option<Resource>> {
    Ok(Some(match name {
        "host" | "cuda" => upstream(device)?,
        "pool" => Resource::new(PoolResource::with_options(upstream(device)?, options)?),
        "virtual_pool" => Resource::new(VirtualPoolResource::new(device, options)?),
        "arena" => Resource::new(ArenaResource::new(upstream(device)?, None, None)?),
        "binning" => {
            let pool = Resource::new(PoolResource::with_options(upstream(device)?, options)?);
            Resource::new(BinningResource::with_exponents(pool, 8, 20)?)
        }
        "managed_pool" => {
            let managed = Resource::new(ManagedResource::new(device)?);
            Resource::new(PoolResource::with_options(managed, options)?)
        }
        "caching" => Resource::new(CachingResource::new(upstream(device)?)),
        "cuda_async" => Resource::new(CudaAsyncResource::new(device)?),
        "pinned" => Resource::new(PinnedResource::new(device)?),
        "pinned_pool" => {
            let pinned = Resource::new(PinnedResource::new(device)?);
            Resource::new(PoolResource::with_options(pinned, options)?)
        }
        _ => return Ok(None),
    }))
}

fn run() -> Result<(), Box<dyn std::error::Error>> {
    let (mut path, mut device, mut names, mut options) = (None, Device::Cpu, "pool".to_owned(), PoolOptions::new());
    let mut rest = std::env::args().skip(1);
    while let Some(word) = rest.next() {
        let mut value = || rest.next().ok_or_else(|| format!("{word} needs a value"));
        match word.as_str() {
            "--device" => device = value()?.parse()?,
            "--resource" => names = value()?,
            "--initial" => options = options.initial(value()?.parse()?),
            "--maximum" => options = options.maximum(value()?.parse()?),
            _ => path = Some(word),
        }
    }
    let path = path.ok_or("no log file is given; usage: replay LOG [--device cpu] [--resource pool,caching]")?;
    let log = Log::parse(&std::fs::read_to_string(&path)?)?;
    println!("{path}: {} operations on {} streams", log.operations(), log.streams());
    println!("{:<14} {:>10} {:>8} {:>16}", "resource", "ns per op", "refused", "peak bytes");
    for name in names.split(',') {
        let resource = make(name, device, options)?.ok_or_else(|| format!("there is no resource {name:?}"))?;
        log.replay(&resource)?;
        let outcome = log.replay(&resource)?;
        let each = outcome.time.as_nanos() as f64 / outcome.operations.max(1) as f64;
        println!("{name:<14} {each:>10.1} {:>8} {:>16}", outcome.refused, outcome.peak_bytes);
    }
    Ok(())
}

fn main() -> ExitCode {
    match run() {
        Ok(()) => ExitCode::SUCCESS,
        Err(error) => {
            eprintln!("error: {error}");
            ExitCode::FAILURE
        }
    }
}
