//! A worker process of a cluster: `gdf-worker [ADDRESS] [DEVICE]`, such as `gdf-worker 0.0.0.0:7400 cuda:0`.
//!
//! The default address is `127.0.0.1:0`, a free port of this machine. The process prints its address, and then serves
//! until it is ended.

use std::error::Error;

use gdf_datafusion::{Device, GdfOptions};
use tokio::net::TcpListener;

#[tokio::main]
async fn main() -> Result<(), Box<dyn Error>> {
    let mut arguments = std::env::args().skip(1);
    let address = arguments.next().unwrap_or_else(|| "127.0.0.1:0".to_owned());
    let device: Device = arguments.next().as_deref().unwrap_or("cpu").parse()?;
    if let Some(unknown) = arguments.next() {
        return Err(format!("unexpected argument `{unknown}`; usage: gdf-worker [ADDRESS] [DEVICE]").into());
    }
    let listener = TcpListener::bind(&address).await.map_err(|error| format!("cannot listen on {address}: {error}"))?;
    println!("http://{}", listener.local_addr()?);
    gdf_distributed::serve(listener, GdfOptions::on(device)).await?;
    Ok(())
}
