//! Runs queries on clusters of a scheduler and executors, and ends an executor while a query runs.

use std::path::Path;
use std::process::{Child, Command};
use std::sync::Arc;
use std::time::Duration;

use arrow_array::{Int64Array, RecordBatch, StringArray};
use ballista::prelude::SessionContextExt;
use ballista_executor::executor_process::{ExecutorProcessConfig, start_executor_process};
use ballista_scheduler::cluster::BallistaCluster;
use ballista_scheduler::config::SchedulerConfig;
use ballista_scheduler::scheduler_process::{create_scheduler, start_grpc_service_with_listener};
use datafusion::arrow::util::pretty::pretty_format_batches;
use datafusion::error::Result;
use datafusion::prelude::{ParquetReadOptions, SessionContext};
use datafusion_proto::protobuf::{LogicalPlanNode, PhysicalPlanNode};
use gdf_datafusion::{Device, GdfOptions, GdfTable};
use tokio::net::TcpListener;
use url::Url;

const QUERIES: [&str; 9] = [
    "SELECT text, count(*), sum(value), min(key), max(value), avg(CAST(value AS DOUBLE)) FROM large GROUP BY text ORDER BY text",
    "SELECT count(*), count(value), avg(CAST(value AS DECIMAL(9, 2))) FROM large WHERE key > 1000",
    "SELECT small.text, sum(large.value) FROM large JOIN small ON large.key = small.key GROUP BY small.text ORDER BY 1",
    "SELECT a.key, a.value, b.value FROM large AS a LEFT JOIN large AS b ON a.value = b.key AND b.value > 995 WHERE a.key < 9 ORDER BY 1, 2, 3",
    "SELECT key, value FROM large WHERE value > 990 ORDER BY key, value LIMIT 20",
    "SELECT DISTINCT text FROM large WHERE value IS NULL ORDER BY text",
    "SELECT text, count(*) FROM (SELECT text FROM large UNION ALL SELECT text FROM small) AS t GROUP BY text ORDER BY text",
    "SELECT key, value, sum(value) OVER (PARTITION BY key ORDER BY value) AS so_far FROM large WHERE key < 5 AND value IS NOT NULL ORDER BY key, value, so_far",
    "SELECT count(*) FROM large WHERE key NOT IN (SELECT key FROM small WHERE value IS NOT NULL)",
];

fn device() -> Device {
    std::env::var("GDF_TEST_DEVICE").map_or(Device::Cpu, |device| device.parse().unwrap())
}

/// Starts a scheduler, which notices within seconds that an executor has ended.
async fn scheduler() -> Url {
    let listener = TcpListener::bind("127.0.0.1:0").await.unwrap();
    let port = listener.local_addr().unwrap().port();
    let mut config = SchedulerConfig::default().with_hostname("127.0.0.1").with_port(port);
    config.executor_timeout_seconds = 6;
    config.expire_dead_executor_interval_seconds = 1;
    config.executor_termination_grace_period = 0;
    let config = Arc::new(config);
    let cluster = BallistaCluster::new_from_config(&config).await.unwrap();
    let scheduler = create_scheduler::<LogicalPlanNode, PhysicalPlanNode>(cluster, config).await.unwrap();
    tokio::spawn(start_grpc_service_with_listener(listener, scheduler));
    format!("http://127.0.0.1:{port}").parse().unwrap()
}

fn start(scheduler: &Url, options: GdfOptions) {
    let scheduler = scheduler.clone();
    tokio::spawn(async move { gdf_ballista::serve(&scheduler, "127.0.0.1", options).await.unwrap() });
}

fn write(folder: &Path, name: &str, files: i64, rows: i64) {
    std::fs::create_dir(folder.join(name)).unwrap();
    for file in 0..files {
        let rows = file * rows / files..(file + 1) * rows / files;
        let key = Int64Array::from_iter_values(rows.clone().map(|row| row * 7919 % 5_003));
        let value = Int64Array::from_iter(rows.clone().map(|row| (row % 11 != 0).then_some(row % 1_000)));
        let text = StringArray::from_iter_values(rows.map(|row| format!("n{}", row % 13)));
        let batch = RecordBatch::try_from_iter([
            ("key", Arc::new(key) as _),
            ("value", Arc::new(value) as _),
            ("text", Arc::new(text) as _),
        ]);
        let batch = batch.unwrap();
        let rows = gdf_io::Batch::from_batches(&batch.schema(), vec![batch.clone()]).unwrap();
        gdf_io::write_parquet(&rows, folder.join(name).join(format!("{file}.parquet"))).unwrap();
    }
}

async fn register(ctx: &SessionContext, folder: &Path) {
    for name in ["large", "small"] {
        let path = folder.join(name);
        ctx.register_parquet(name, path.to_str().unwrap(), ParquetReadOptions::default()).await.unwrap();
    }
}

async fn client(scheduler: &Url, folder: &Path) -> SessionContext {
    let ctx = gdf_ballista::client(scheduler).unwrap();
    register(&ctx, folder).await;
    ctx
}

/// Returns a session with the settings of Ballista, which plans adaptively and gives tasks several partitions.
async fn client_of_ballista(scheduler: &Url, folder: &Path) -> SessionContext {
    let url = format!("df://127.0.0.1:{}", scheduler.port().unwrap());
    let ctx = SessionContext::remote(&url).await.unwrap();
    register(&ctx, folder).await;
    ctx
}

async fn rows(ctx: &SessionContext, query: &str) -> Result<String> {
    let batches = tokio::time::timeout(Duration::from_secs(120), async { ctx.sql(query).await?.collect().await });
    let batches = batches.await.unwrap_or_else(|_| panic!("the query does not end: {query}"))?;
    Ok(pretty_format_batches(&batches)?.to_string())
}

#[tokio::test(flavor = "multi_thread", worker_threads = 4)]
async fn stages_are_islands_and_return_what_one_process_returns() {
    let folder = tempfile::tempdir().unwrap();
    write(folder.path(), "large", 4, 40_000);
    write(folder.path(), "small", 1, 500);
    let scheduler = scheduler().await;
    let options = [(); 2].map(|()| GdfOptions::on(device()).with_verify(true));
    options.iter().for_each(|options| start(&scheduler, options.clone()));
    let ctx = client(&scheduler, folder.path()).await;
    let plain = SessionContext::new();
    register(&plain, folder.path()).await;
    for query in QUERIES {
        let islands = || options.iter().map(|options| options.counts().islands).sum::<u64>();
        let before = islands();
        assert_eq!(rows(&ctx, query).await.unwrap(), rows(&plain, query).await.unwrap(), "{query}");
        assert!(islands() > before, "no island ran: {query}");
    }
    for options in options {
        let counts = options.counts();
        assert_eq!((counts.verified, counts.fallbacks), (counts.islands, 0));
    }
}

/// The scheduler adds the metrics of the tasks of a stage by position. It refuses tasks with another number of entries.
#[tokio::test(flavor = "multi_thread", worker_threads = 4)]
async fn executors_with_and_without_gdf_share_stages() {
    let folder = tempfile::tempdir().unwrap();
    write(folder.path(), "large", 4, 20_000);
    write(folder.path(), "small", 1, 500);
    let scheduler = scheduler().await;
    let options = GdfOptions::on(device());
    start(&scheduler, options.clone());
    // Two vcores, so that the tasks of this executor have two partitions.
    let ports = [(); 2].map(|()| std::net::TcpListener::bind("127.0.0.1:0").unwrap());
    let [port, grpc_port] = ports.each_ref().map(|listener| listener.local_addr().unwrap().port());
    let work = tempfile::tempdir().unwrap();
    let config = ExecutorProcessConfig {
        executor_id: "without-gdf".to_owned(),
        bind_host: "127.0.0.1".to_owned(),
        external_host: Some("127.0.0.1".to_owned()),
        port,
        grpc_port,
        scheduler_host: "127.0.0.1".to_owned(),
        scheduler_port: scheduler.port().unwrap(),
        vcores: 2,
        work_dir: Some(work.path().to_str().unwrap().to_owned()),
        ..ExecutorProcessConfig::default()
    };
    drop(ports);
    tokio::spawn(start_executor_process(Arc::new(config)));
    let ctx = client_of_ballista(&scheduler, folder.path()).await;
    let plain = SessionContext::new();
    register(&plain, folder.path()).await;
    for query in QUERIES {
        assert_eq!(rows(&ctx, query).await.unwrap(), rows(&plain, query).await.unwrap(), "{query}");
    }
    assert!(options.counts().islands > 0);
}

#[tokio::test(flavor = "multi_thread", worker_threads = 4)]
async fn a_table_in_the_memory_of_the_client_is_an_error() {
    let folder = tempfile::tempdir().unwrap();
    write(folder.path(), "large", 1, 1_000);
    write(folder.path(), "small", 1, 10);
    let scheduler = scheduler().await;
    start(&scheduler, GdfOptions::on(device()));
    let ctx = client(&scheduler, folder.path()).await;
    let batch = RecordBatch::try_from_iter([("k", Arc::new(Int64Array::from_iter_values(0..50)) as _)]).unwrap();
    ctx.register_table("resident", Arc::new(GdfTable::from_batches(&[batch], Device::Cpu).unwrap())).unwrap();
    let error = rows(&ctx, "SELECT k, count(*) FROM large JOIN resident ON key = k GROUP BY k").await.unwrap_err();
    assert!(error.to_string().contains("LogicalExtensionCodec"), "{error}");
}

/// An executor process, which ends when the value is dropped.
struct Process(Child);

impl Process {
    fn start(scheduler: &Url) -> Process {
        let mut command = Command::new(env!("CARGO_BIN_EXE_gdf-ballista-executor"));
        Process(command.args([scheduler.as_str(), &device().to_string()]).spawn().unwrap())
    }

    fn kill(&mut self) {
        self.0.kill().unwrap();
        self.0.wait().unwrap();
    }
}

impl Drop for Process {
    fn drop(&mut self) {
        // The process may have ended before.
        let _ = self.0.kill();
        let _ = self.0.wait();
    }
}

#[tokio::test(flavor = "multi_thread", worker_threads = 4)]
async fn a_killed_executor_ends_the_query_with_its_result_or_an_error() {
    let folder = tempfile::tempdir().unwrap();
    write(folder.path(), "large", 8, 1_000_000);
    write(folder.path(), "small", 1, 500);
    let query = "SELECT key % 100 AS k, count(*), sum(value) FROM large GROUP BY key % 100 ORDER BY k";
    let plain = SessionContext::new();
    register(&plain, folder.path()).await;
    let expected = rows(&plain, query).await.unwrap();
    for delay in [0, 100, 400] {
        let scheduler = scheduler().await;
        let mut executors = [Process::start(&scheduler), Process::start(&scheduler)];
        let ctx = client(&scheduler, folder.path()).await;
        // This query has a result only when an executor has registered.
        rows(&ctx, "SELECT count(*) FROM small").await.unwrap();
        let task = tokio::spawn(async move { (rows(&ctx, query).await, ctx) });
        tokio::time::sleep(Duration::from_millis(delay)).await;
        executors[1].kill();
        let (found, ctx) = task.await.unwrap();
        match found {
            Ok(found) => assert_eq!(found, expected, "{delay} ms"),
            Err(error) => println!("{delay} ms: {error}"),
        }
        // The other executor still answers.
        assert_eq!(rows(&ctx, query).await.unwrap(), expected);
    }
}
