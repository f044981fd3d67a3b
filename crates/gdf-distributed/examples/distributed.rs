//! Starts two workers on this machine, and runs a query on them: `cargo run --package gdf-distributed --example
//! distributed [DEVICE] [DEVICE]`. Each argument is the device of a worker, such as `cpu` or `cuda:0`.

use std::error::Error;
use std::sync::Arc;

use arrow_array::{Float64Array, Int64Array, RecordBatch, StringArray};
use datafusion::physical_plan::displayable;
use gdf_datafusion::{Device, GdfFiles, GdfOptions};
use tokio::net::TcpListener;

const QUERY: &str =
    "SELECT city, count(*) AS trips, sum(price) AS total FROM trips WHERE price > 1 GROUP BY city ORDER BY city";

#[tokio::main]
async fn main() -> Result<(), Box<dyn Error>> {
    let mut devices = std::env::args().skip(1).map(|name| name.parse()).collect::<Result<Vec<Device>, _>>()?;
    devices.resize(2, Device::Cpu);
    let (mut workers, mut counted) = (Vec::new(), Vec::new());
    for device in devices {
        let listener = TcpListener::bind("127.0.0.1:0").await?;
        workers.push(format!("http://{}", listener.local_addr()?).parse()?);
        counted.push(GdfOptions::on(device));
        tokio::spawn(gdf_distributed::serve(listener, GdfOptions::clone(&counted[counted.len() - 1])));
    }

    let folder = tempfile::tempdir()?;
    let path = folder.path().join("trips.parquet");
    gdf_io::write_parquet(&gdf_io::Batch::from_batches(&trips()?.schema(), vec![trips()?])?, &path)?;
    let ctx = gdf_distributed::coordinator(&workers)?;
    ctx.register_table("trips", Arc::new(GdfFiles::open(&path)?))?;

    let query = ctx.sql(QUERY).await?;
    let plan = query.clone().create_physical_plan().await?;
    println!("{}", displayable(plan.as_ref()).indent(false));
    query.show().await?;
    for (options, worker) in counted.iter().zip(&workers) {
        println!("{worker} on {}: {} islands", options.device(), options.counts().islands);
    }
    Ok(())
}

fn trips() -> Result<RecordBatch, Box<dyn Error>> {
    const ROWS: i64 = 100_000;
    let cities = ["Lyon", "Nantes", "Paris"];
    let city = StringArray::from_iter_values((0..ROWS).map(|row| cities[(row % 3) as usize]));
    let price = Float64Array::from_iter_values((0..ROWS).map(|row| (row % 100) as f64 / 10.0));
    let id = Int64Array::from_iter_values(0..ROWS);
    Ok(RecordBatch::try_from_iter([
        ("id", Arc::new(id) as _),
        ("city", Arc::new(city) as _),
        ("price", Arc::new(price) as _),
    ])?)
}
