//! An executor process of a Ballista cluster: `gdf-ballista-executor [SCHEDULER] [DEVICE] [HOST]`, such as
//! `gdf-ballista-executor http://10.0.0.1:50050 cuda:0 10.0.0.2`. The process serves until it is ended.

use std::error::Error;

use bytesize::ByteSize;
use clap::Parser;
use gdf_datafusion::{Device, GdfOptions};
use url::Url;

/// Runs an executor of a Ballista cluster, whose tasks gdf runs
#[derive(Parser)]
#[command(name = "gdf-ballista-executor", version)]
struct Arguments {
    /// The URL of the scheduler
    #[arg(default_value = "http://127.0.0.1:50050")]
    scheduler: Url,
    /// The device on which tasks run: cpu, cuda:0, …
    #[arg(default_value = "cpu")]
    device: Device,
    /// The name or the address by which other executors and clients reach this machine
    #[arg(default_value = "127.0.0.1")]
    host: String,
    /// The most memory of the device that all tasks take together, such as 300MB or 16GiB; above it, tasks work on parts
    /// of their rows, and spill what waits
    #[arg(long, value_name = "BYTES")]
    memory_limit: Option<ByteSize>,
}

#[tokio::main]
async fn main() -> Result<(), Box<dyn Error>> {
    let Arguments { scheduler, device, host, memory_limit } = Arguments::parse();
    let options = match memory_limit {
        Some(limit) => GdfOptions::on(device).with_shared_memory_limit(usize::try_from(limit.as_u64())?)?,
        None => GdfOptions::on(device),
    };
    gdf_ballista::serve(&scheduler, &host, options).await?;
    Ok(())
}
