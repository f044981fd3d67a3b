//! Starts a scheduler and two executors on this machine, and runs a query on them: `cargo run --package gdf-ballista
//! --example ballista [DEVICE] [DEVICE]`. Each argument is the device of an executor, such as `cpu` or `cuda:0`.

use std::error::Error;
use std::sync::Arc;
use std::time::Duration;

use arrow_array::{Float64Array, Int64Array, RecordBatch, StringArray};
use ballista_scheduler::cluster::BallistaCluster;
use ballista_scheduler::config::SchedulerConfig;
use ballista_scheduler::scheduler_process::{create_scheduler, start_grpc_service_with_listener};
use datafusion::prelude::ParquetReadOptions;
use datafusion_proto::protobuf::{LogicalPlanNode, PhysicalPlanNode};
use gdf_datafusion::{Device, GdfOptions};
use tokio::net::TcpListener;
use url::Url;

const QUERY: &str =
    "SELECT city, count(*) AS trips, sum(price) AS total FROM trips WHERE price > 1 GROUP BY city ORDER BY city";

#[tokio::main]
async fn main() -> Result<(), Box<dyn Error>> {
    let mut devices = std::env::args().skip(1).map(|name| name.parse()).collect::<Result<Vec<Device>, _>>()?;
    devices.resize(2, Device::Cpu);

    let listener = TcpListener::bind("127.0.0.1:0").await?;
    let port = listener.local_addr()?.port();
    let config = Arc::new(SchedulerConfig::default().with_hostname("127.0.0.1").with_port(port));
    let cluster = BallistaCluster::new_from_config(&config).await?;
    let scheduler = create_scheduler::<LogicalPlanNode, PhysicalPlanNode>(cluster, config).await?;
    tokio::spawn(start_grpc_service_with_listener(listener, scheduler));

    let scheduler_url: Url = format!("http://127.0.0.1:{port}").parse()?;
    let mut counted = Vec::new();
    for device in devices {
        let options = GdfOptions::on(device);
        counted.push(options.clone());
        let scheduler = scheduler_url.clone();
        tokio::spawn(async move {
            if let Err(error) = gdf_ballista::serve(&scheduler, "127.0.0.1", options).await {
                eprintln!("an executor ended: {error}");
            }
        });
    }

    let folder = tempfile::tempdir()?;
    for (part, rows) in (0..4).map(|part| (part, trips(part * 25_000..(part + 1) * 25_000))) {
        let rows = rows?;
        let path = folder.path().join(format!("trips_{part}.parquet"));
        gdf_io::write_parquet(&gdf_io::Batch::from_batches(&rows.schema(), vec![rows.clone()])?, path)?;
    }
    let ctx = gdf_ballista::client(&scheduler_url)?;
    let path = folder.path().to_string_lossy();
    ctx.register_parquet("trips", path.as_ref(), ParquetReadOptions::default()).await?;
    let query = async { ctx.sql(QUERY).await?.show().await };
    tokio::time::timeout(Duration::from_secs(120), query).await??;
    for options in counted {
        println!("{}: {} islands", options.device(), options.counts().islands);
    }
    Ok(())
}

fn trips(ids: std::ops::Range<i64>) -> Result<RecordBatch, Box<dyn Error>> {
    let cities = ["Lyon", "Nantes", "Paris"];
    let city = StringArray::from_iter_values(ids.clone().map(|row| cities[(row % 3) as usize]));
    let price = Float64Array::from_iter_values(ids.clone().map(|row| (row % 100) as f64 / 10.0));
    let id = Int64Array::from_iter_values(ids);
    Ok(RecordBatch::try_from_iter([
        ("id", Arc::new(id) as _),
        ("city", Arc::new(city) as _),
        ("price", Arc::new(price) as _),
    ])?)
}
