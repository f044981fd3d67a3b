//! Runs queries on two worker processes, and ends a worker while a query runs.

use std::io::{BufRead, BufReader};
use std::path::Path;
use std::process::{Child, Command, Stdio};
use std::sync::Arc;
use std::time::Duration;

use arrow_array::{Int64Array, RecordBatch, StringArray};
use datafusion::arrow::util::pretty::pretty_format_batches;
use datafusion::error::Result;
use datafusion::physical_plan::displayable;
use datafusion::prelude::SessionContext;
use gdf_datafusion::{Fallback, GdfCodec, GdfExec, GdfFiles, GdfIslands, GdfOptions, GdfTable};
use url::Url;

/// A worker process, which ends when the value is dropped.
struct Process {
    child: Child,
    url: Url,
}

impl Process {
    fn start() -> Process {
        Process::with(&[])
    }

    fn with(arguments: &[&str]) -> Process {
        let device = std::env::var("GDF_TEST_DEVICE").unwrap_or_else(|_| "cpu".to_owned());
        let mut command = Command::new(env!("CARGO_BIN_EXE_gdf-worker"));
        let mut child = command.args(["127.0.0.1:0", &device]).args(arguments).stdout(Stdio::piped()).spawn().unwrap();
        let mut line = String::new();
        BufReader::new(child.stdout.take().unwrap()).read_line(&mut line).unwrap();
        Process { child, url: line.trim().parse().unwrap() }
    }

    fn kill(&mut self) {
        self.child.kill().unwrap();
        self.child.wait().unwrap();
    }
}

impl Drop for Process {
    fn drop(&mut self) {
        // The process may have ended before.
        let _ = self.child.kill();
        let _ = self.child.wait();
    }
}

fn write(folder: &Path, name: &str, rows: i64) {
    let key = Int64Array::from_iter_values((0..rows).map(|row| row * 7919 % 5_003));
    let value = Int64Array::from_iter((0..rows).map(|row| (row % 11 != 0).then_some(row % 1_000)));
    let text = StringArray::from_iter_values((0..rows).map(|row| format!("n{}", row % 13)));
    let batch = RecordBatch::try_from_iter([
        ("key", Arc::new(key) as _),
        ("value", Arc::new(value) as _),
        ("text", Arc::new(text) as _),
    ]);
    let batch = batch.unwrap();
    let rows = gdf_io::Batch::from_batches(&batch.schema(), vec![batch.clone()]).unwrap();
    gdf_io::write_parquet(&rows, folder.join(format!("{name}.parquet"))).unwrap();
}

fn register(ctx: &SessionContext, folder: &Path) {
    for name in ["large", "small"] {
        let path = folder.join(format!("{name}.parquet"));
        ctx.register_table(name, Arc::new(GdfFiles::open(path).unwrap())).unwrap();
    }
}

async fn rows(ctx: &SessionContext, query: &str) -> Result<String> {
    let batches = ctx.sql(query).await?.collect().await?;
    Ok(pretty_format_batches(&batches)?.to_string())
}

const QUERIES: [&str; 6] = [
    "SELECT text, count(*), sum(value), min(key), max(value), avg(CAST(value AS DOUBLE)) FROM large GROUP BY text ORDER BY text",
    "SELECT count(*), count(value), avg(CAST(value AS DECIMAL(9, 2))) FROM large WHERE key > 1000",
    "SELECT small.text, sum(large.value) FROM large JOIN small ON large.key = small.key GROUP BY small.text ORDER BY 1",
    "SELECT key, value FROM large WHERE value > 990 ORDER BY key, value LIMIT 20",
    "SELECT DISTINCT text FROM large WHERE value IS NULL ORDER BY text",
    "SELECT text, count(*) FROM (SELECT text FROM large UNION ALL SELECT text FROM small) AS t GROUP BY text ORDER BY text",
];

#[tokio::test(flavor = "multi_thread", worker_threads = 2)]
async fn queries_return_what_one_process_returns() {
    let folder = tempfile::tempdir().unwrap();
    write(folder.path(), "large", 40_000);
    write(folder.path(), "small", 500);
    let workers = [Process::start(), Process::start()];
    let ctx = gdf_distributed::coordinator(&workers.each_ref().map(|worker| worker.url.clone())).unwrap();
    register(&ctx, folder.path());
    let plain = SessionContext::new();
    register(&plain, folder.path());
    for query in QUERIES {
        let plan = ctx.sql(query).await.unwrap().create_physical_plan().await.unwrap();
        assert_eq!(plan.name(), "DistributedExec", "{query}\n{}", displayable(plan.as_ref()).indent(false));
        assert_eq!(rows(&ctx, query).await.unwrap(), rows(&plain, query).await.unwrap(), "{query}");
    }
}

/// DataFusion alone has no row of an aggregate without groups for keys that no row of the subquery has.
#[tokio::test(flavor = "multi_thread", worker_threads = 2)]
async fn wrong_plans_are_mended() {
    let folder = tempfile::tempdir().unwrap();
    write(folder.path(), "large", 5_000);
    write(folder.path(), "small", 500);
    let worker = Process::start();
    let ctx = gdf_distributed::coordinator(&[worker.url.clone()]).unwrap();
    register(&ctx, folder.path());
    let query = "SELECT count(*) AS n FROM small WHERE EXISTS \
                 (SELECT count(*) FROM large WHERE large.key = small.key AND large.value < -1000000)";
    let found = rows(&ctx, query).await.unwrap();
    assert!(found.contains("| 500 |"), "{found}");
    let refused = rows(&ctx, "SELECT * FROM small LEFT JOIN large USING (key)").await.unwrap_err();
    assert!(refused.to_string().contains("USING"), "{refused}");
}

#[tokio::test(flavor = "multi_thread", worker_threads = 2)]
async fn stages_contain_islands() {
    let folder = tempfile::tempdir().unwrap();
    write(folder.path(), "large", 5_000);
    write(folder.path(), "small", 500);
    let (mut urls, mut counted) = (Vec::new(), Vec::new());
    for _ in 0..2 {
        let listener = tokio::net::TcpListener::bind("127.0.0.1:0").await.unwrap();
        urls.push(format!("http://{}", listener.local_addr().unwrap()).parse().unwrap());
        let options = GdfOptions::default().with_verify(true);
        counted.push(options.clone());
        tokio::spawn(gdf_distributed::serve(listener, options));
    }
    let ctx = gdf_distributed::coordinator(&urls).unwrap();
    register(&ctx, folder.path());
    for query in QUERIES {
        rows(&ctx, query).await.unwrap();
    }
    for options in counted {
        let counts = options.counts();
        assert!(counts.islands >= QUERIES.len() as u64, "{counts:?}");
        assert_eq!((counts.verified, counts.fallbacks), (counts.islands, 0));
    }
}

#[tokio::test(flavor = "multi_thread", worker_threads = 2)]
async fn a_table_in_the_memory_of_the_coordinator_is_an_error() {
    let folder = tempfile::tempdir().unwrap();
    write(folder.path(), "large", 1_000);
    write(folder.path(), "small", 10);
    let workers = [Process::start(), Process::start()];
    let ctx = gdf_distributed::coordinator(&workers.each_ref().map(|worker| worker.url.clone())).unwrap();
    register(&ctx, folder.path());
    let batch = RecordBatch::try_from_iter([("k", Arc::new(Int64Array::from_iter_values(0..50)) as _)]).unwrap();
    let table = GdfTable::from_batches(&[batch], gdf_datafusion::Device::Cpu).unwrap();
    ctx.register_table("resident", Arc::new(table)).unwrap();
    let error = rows(&ctx, "SELECT k, count(*) FROM large JOIN resident ON key = k GROUP BY k").await.unwrap_err();
    assert!(error.to_string().contains("use GdfFiles"), "{error}");
}

#[tokio::test(flavor = "multi_thread", worker_threads = 2)]
async fn a_killed_worker_ends_the_query_with_its_result_or_an_error() {
    let folder = tempfile::tempdir().unwrap();
    write(folder.path(), "large", 1_000_000);
    write(folder.path(), "small", 500);
    let query = "SELECT key % 100 AS k, count(*), sum(value) FROM large GROUP BY key % 100 ORDER BY k";
    let plain = SessionContext::new();
    register(&plain, folder.path());
    let expected = rows(&plain, query).await.unwrap();
    let mut errors = 0;
    for delay in [0, 30, 100, 300, 1_000] {
        let mut workers = [Process::start(), Process::start()];
        let ctx = gdf_distributed::coordinator(&workers.each_ref().map(|worker| worker.url.clone())).unwrap();
        register(&ctx, folder.path());
        let task = tokio::spawn(async move { rows(&ctx, query).await });
        tokio::time::sleep(Duration::from_millis(delay)).await;
        workers[1].kill();
        let ended = tokio::time::timeout(Duration::from_secs(120), task).await;
        match ended.unwrap_or_else(|_| panic!("the query hangs after a worker ended after {delay} ms")).unwrap() {
            Ok(found) => assert_eq!(found, expected, "{delay} ms"),
            Err(error) => {
                let (message, url) = (error.to_string(), workers[1].url.as_str().trim_end_matches('/'));
                println!("{delay} ms: {message}");
                assert!(message.contains(url), "{delay} ms: {message}");
                errors += 1;
            }
        }
        // The other worker still answers.
        let ctx = gdf_distributed::coordinator(&[workers[0].url.clone()]).unwrap();
        register(&ctx, folder.path());
        rows(&ctx, "SELECT text, count(*) FROM small GROUP BY text").await.unwrap();
    }
    assert!(errors > 0, "no worker was killed before its query ended");
}

#[tokio::test]
async fn a_message_of_another_version_is_refused() {
    use datafusion::physical_optimizer::PhysicalOptimizerRule;
    use datafusion_proto::bytes::{
        physical_plan_from_bytes_with_extension_codec, physical_plan_to_bytes_with_extension_codec,
    };
    let folder = tempfile::tempdir().unwrap();
    write(folder.path(), "large", 100);
    write(folder.path(), "small", 100);
    let ctx = SessionContext::new();
    register(&ctx, folder.path());
    let query = "SELECT sum(large.value) FROM large JOIN small ON large.key = small.key WHERE large.value > 3";
    let plan = ctx.sql(query).await.unwrap().create_physical_plan().await.unwrap();
    let plan = GdfIslands::new(GdfOptions::default()).optimize(plan, ctx.state().config_options()).unwrap();
    let codec = GdfCodec::new(GdfOptions::default());
    let bytes = physical_plan_to_bytes_with_extension_codec(plan, &codec).unwrap();
    let received = physical_plan_from_bytes_with_extension_codec(&bytes, &ctx.task_ctx(), &codec).unwrap();
    let found = datafusion::physical_plan::collect(received, ctx.task_ctx()).await.unwrap();
    assert_eq!(pretty_format_batches(&found).unwrap().to_string(), rows(&ctx, query).await.unwrap());

    // The first field of the island's message is the version: its tag is the byte 8, and its value is the byte 2.
    let island = ctx.sql("SELECT count(*) FROM small WHERE value > 3").await.unwrap().create_physical_plan().await;
    let island =
        GdfIslands::new(GdfOptions::default()).optimize(island.unwrap(), ctx.state().config_options()).unwrap();
    assert!(island.is::<GdfExec>());
    let mut message = Vec::new();
    use datafusion_proto::physical_plan::{DefaultPhysicalProtoConverter, PhysicalExtensionCodec};
    codec.try_encode(island, &mut message, &DefaultPhysicalProtoConverter {}).unwrap();
    assert_eq!(message[..2], [8, 2]);
    message[1] = 9;
    let error = codec.try_decode(&message, &[], &ctx.task_ctx(), &DefaultPhysicalProtoConverter {}).unwrap_err();
    assert!(error.to_string().contains("version 9"), "{error}");
}

/// Each worker has a limit of its own, also on one device.
#[tokio::test(flavor = "multi_thread", worker_threads = 2)]
async fn workers_with_little_memory_spill() {
    const LIMIT: usize = 2_000_000;
    let folder = tempfile::tempdir().unwrap();
    write(folder.path(), "large", 400_000);
    write(folder.path(), "small", 500);
    let (mut urls, mut counted) = (Vec::new(), Vec::new());
    for _ in 0..2 {
        let listener = tokio::net::TcpListener::bind("127.0.0.1:0").await.unwrap();
        urls.push(format!("http://{}", listener.local_addr().unwrap()).parse().unwrap());
        let options = GdfOptions::default().with_fallback(Fallback::Forbidden).with_shared_memory_limit(LIMIT).unwrap();
        counted.push(options.clone());
        tokio::spawn(gdf_distributed::serve(listener, options));
    }
    let ctx = gdf_distributed::coordinator(&urls).unwrap();
    register(&ctx, folder.path());
    let plain = SessionContext::new();
    register(&plain, folder.path());
    let query = "SELECT key, text, count(*), sum(value), min(value) FROM large GROUP BY key, text ORDER BY key, text";
    assert_eq!(rows(&ctx, query).await.unwrap(), rows(&plain, query).await.unwrap());
    for options in counted {
        let counts = options.counts();
        assert!(counts.in_parts > 0 && counts.spilled_bytes > 0, "{counts:?}");
        assert!(counts.peak_bytes > 0 && counts.peak_bytes <= LIMIT as u64, "{counts:?}");
    }
}

#[tokio::test(flavor = "multi_thread", worker_threads = 2)]
async fn the_limit_is_an_argument_of_workers() {
    let folder = tempfile::tempdir().unwrap();
    write(folder.path(), "large", 400_000);
    write(folder.path(), "small", 500);
    let worker = Process::with(&["--memory-limit", "2MB"]);
    let ctx = gdf_distributed::coordinator(std::slice::from_ref(&worker.url)).unwrap();
    register(&ctx, folder.path());
    let query = "SELECT key, text, count(*) FROM large GROUP BY key, text";
    let found = rows(&ctx, &format!("SELECT count(*) FROM ({query}) AS t")).await.unwrap();
    assert!(found.contains("65039"), "{found}");
    let wrong = Command::new(env!("CARGO_BIN_EXE_gdf-worker")).args(["--memory-limit", "much"]).output().unwrap();
    let text = String::from_utf8_lossy(&wrong.stderr).into_owned();
    assert!(!wrong.status.success() && text.contains("--memory-limit"), "{text}");
}
