//! A worker process of a cluster: `gdf-worker [ADDRESS] [DEVICE]`, such as `gdf-worker 0.0.0.0:7400 cuda:0`.
//!
//! The process prints its address, and then serves until it is ended.

use std::error::Error;

use bytesize::ByteSize;
use clap::Parser;
use gdf_datafusion::{Device, GdfOptions};
use tokio::net::TcpListener;

/// Runs a worker of a cluster, whose tasks gdf runs
#[derive(Parser)]
#[command(name = "gdf-worker", version)]
struct Arguments {
    /// The address to listen to; port 0 is a free port
    #[arg(default_value = "127.0.0.1:0")]
    address: String,
    /// The device on which tasks run: cpu, cuda:0, …
    #[arg(default_value = "cpu")]
    device: Device,
    /// The most memory of the device that all tasks take together, such as 300MB or 16GiB; above it, tasks work on parts
    /// of their rows, and spill what waits
    #[arg(long, value_name = "BYTES")]
    memory_limit: Option<ByteSize>,
}

#[tokio::main]
async fn main() -> Result<(), Box<dyn Error>> {
    let Arguments { address, device, memory_limit } = Arguments::parse();
    let options = match memory_limit {
        Some(limit) => GdfOptions::on(device).with_shared_memory_limit(usize::try_from(limit.as_u64())?)?,
        None => GdfOptions::on(device),
    };
    let listener = TcpListener::bind(&address).await.map_err(|error| format!("cannot listen on {address}: {error}"))?;
    println!("http://{}", listener.local_addr()?);
    gdf_distributed::serve(listener, options).await?;
    Ok(())
}
