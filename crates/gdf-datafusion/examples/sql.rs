//! SQL on gdf: `cargo run --package gdf-datafusion --example sql`, with `-- cuda:0` and `--features cuda` on a GPU.

use std::sync::Arc;

use arrow_array::{ArrayRef, Decimal128Array, RecordBatch, StringArray};
use datafusion::arrow::util::pretty::print_batches;
use datafusion::error::Result;
use datafusion::prelude::SessionContext;
use gdf_datafusion::{Device, GdfOptions, GdfSession, GdfTable};

const QUERY: &str = "SELECT country, sum(price) AS revenue, count(*) AS sales FROM sales \
                     WHERE price > 5 GROUP BY country ORDER BY revenue DESC";

#[tokio::main]
async fn main() -> Result<()> {
    let device = std::env::args().nth(1).map_or(Ok(Device::Cpu), |name| name.parse());
    let device = device.map_err(|error| datafusion::error::DataFusionError::External(Box::new(error)))?;

    // This line adds gdf to the session.
    let options = GdfOptions::on(device);
    let ctx = SessionContext::new().with_gdf(options.clone());

    // The columns of a `GdfTable` are copied to the device once.
    let prices = Decimal128Array::from(vec![1250, 399, 899, 2000]).with_precision_and_scale(10, 2)?;
    let countries: ArrayRef = Arc::new(StringArray::from(vec!["NO", "SE", "NO", "SE"]));
    let sales = RecordBatch::try_from_iter([("country", countries), ("price", Arc::new(prices) as _)])?;
    ctx.register_table("sales", Arc::new(GdfTable::from_batches(&[sales], device)?))?;

    print_batches(&ctx.sql(QUERY).await?.collect().await?)?;
    print_batches(&ctx.sql(&format!("EXPLAIN {QUERY}")).await?.collect().await?)?;
    println!("{:?}", options.counts());
    Ok(())
}
