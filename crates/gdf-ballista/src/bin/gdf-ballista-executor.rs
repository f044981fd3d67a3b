//! An executor process of a Ballista cluster: `gdf-ballista-executor [SCHEDULER] [DEVICE] [HOST]`, such as
//! `gdf-ballista-executor http://10.0.0.1:50050 cuda:0 10.0.0.2`.
//!
//! The defaults are `http://127.0.0.1:50050`, `cpu` and `127.0.0.1`. The process serves until it is ended.

use std::error::Error;

use gdf_datafusion::{Device, GdfOptions};

#[tokio::main]
async fn main() -> Result<(), Box<dyn Error>> {
    let mut arguments = std::env::args().skip(1);
    let scheduler = arguments.next().unwrap_or_else(|| "http://127.0.0.1:50050".to_owned()).parse()?;
    let device: Device = arguments.next().as_deref().unwrap_or("cpu").parse()?;
    let host = arguments.next().unwrap_or_else(|| "127.0.0.1".to_owned());
    if let Some(unknown) = arguments.next() {
        let usage = "gdf-ballista-executor [SCHEDULER] [DEVICE] [HOST]";
        return Err(format!("unexpected argument `{unknown}`; usage: {usage}").into());
    }
    gdf_ballista::serve(&scheduler, &host, GdfOptions::on(device)).await?;
    Ok(())
}
