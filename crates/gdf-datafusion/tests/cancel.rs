//! Tests that a canceled query frees its memory. The test replaces the memory resource of the process, so it is a
//! separate program.

use std::sync::Arc;
use std::time::{Duration, Instant};

use arrow_array::{Int64Array, RecordBatch};
use datafusion::datasource::MemTable;
use datafusion::prelude::SessionContext;
use futures::StreamExt;
use gdf_datafusion::{Device, Fallback, GdfOptions, GdfSession};
use gdf_memory::{HostResource, Resource, StatisticsResource, set_current_resource};

const LONG: &str = "SELECT p.x % 10 AS k, sum(p.x * q.x) FROM n p JOIN n q ON p.x < q.x + 1 GROUP BY k ORDER BY k";

#[tokio::test]
async fn a_dropped_stream_frees_the_memory_of_its_island() {
    let watched = StatisticsResource::new(Resource::new(HostResource::new()));
    set_current_resource(Device::Cpu, Resource::new(watched.clone())).unwrap();
    let numbers = Arc::new(Int64Array::from_iter_values(0..4_000));
    let batch = RecordBatch::try_from_iter([("x", numbers as _)]).unwrap();
    let ctx = SessionContext::new();
    ctx.register_table("n", Arc::new(MemTable::try_new(batch.schema(), vec![vec![batch]]).unwrap())).unwrap();
    let options = GdfOptions::default().with_fallback(Fallback::Forbidden);
    let ctx = ctx.with_gdf(options.clone());

    let mut stream = ctx.sql(LONG).await.unwrap().execute_stream().await.unwrap();
    // The island holds memory before the stream ends.
    let held = async {
        while watched.statistics().bytes.current == 0 {
            tokio::time::sleep(Duration::from_micros(50)).await;
        }
    };
    tokio::select! {
        _ = stream.next() => panic!("the island is faster than the test"),
        () = held => {}
    }
    drop(stream);
    let dropped = Instant::now();
    while watched.statistics().bytes.current > 0 {
        assert!(dropped.elapsed() < Duration::from_secs(60), "{} bytes are held", watched.statistics().bytes.current);
        tokio::time::sleep(Duration::from_millis(1)).await;
    }
    assert_eq!(options.counts().islands, 0);
}
