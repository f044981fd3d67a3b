//! Measures how much time a query from the plan cache takes in addition to the run of its plan.

use std::sync::Arc;
use std::time::{Duration, Instant};

use arrow_array::{Int64Array, RecordBatch};
use datafusion::error::Result;
use datafusion::physical_plan::collect;
use datafusion::prelude::SessionContext;
use datafusion::scalar::ScalarValue;
use gdf_datafusion::{GdfOptions, GdfSession, GdfTable, PlanCache};

const RUNS: usize = 1_000;

#[tokio::main]
async fn main() -> Result<()> {
    let options = GdfOptions::default();
    let ctx = SessionContext::new().with_gdf(options.clone());
    let key = Int64Array::from_iter_values((0..1_000).map(|row| row % 7));
    let value = Int64Array::from_iter_values(0..1_000);
    let batch = RecordBatch::try_from_iter([("k", Arc::new(key) as _), ("v", Arc::new(value) as _)])?;
    ctx.register_table("t", Arc::new(GdfTable::from_batches(&[batch], options.device())?))?;
    let text = |limit: &str| {
        format!("SELECT k, sum(v) AS total FROM t WHERE v > {limit} GROUP BY k ORDER BY total DESC LIMIT 3")
    };

    let planned = Instant::now();
    let plan = ctx.sql(&text("10")).await?.create_physical_plan().await?;
    println!("to plan the query: {:?}", planned.elapsed());
    let cache = PlanCache::new(ctx.clone(), 10);
    let (parameters, query, literal) = ([ScalarValue::from(10_i64)], text("$1"), text("10"));
    let (mut alone, mut cached, mut bound) = (Vec::new(), Vec::new(), Vec::new());
    for _ in 0..RUNS {
        let started = Instant::now();
        collect(Arc::clone(&plan), ctx.task_ctx()).await?;
        alone.push(started.elapsed());
        let started = Instant::now();
        cache.collect(&literal, &[]).await?;
        cached.push(started.elapsed());
        let started = Instant::now();
        cache.collect(&query, &parameters).await?;
        bound.push(started.elapsed());
    }
    println!("to run the plan: {:?}", median(&mut alone));
    println!("from the cache: {:?}", median(&mut cached));
    println!("from the cache, with a parameter: {:?}", median(&mut bound));
    Ok(())
}

fn median(times: &mut [Duration]) -> Duration {
    times.sort();
    times[times.len() / 2]
}
