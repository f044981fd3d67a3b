//! Tests islands that run out of memory: runs in parts, spilled rows, errors and fallbacks.

use std::sync::Arc;

use arrow_array::{Int64Array, RecordBatch, StringArray};
use datafusion::datasource::MemTable;
use datafusion::error::DataFusionError;
use datafusion::prelude::SessionContext;
use gdf_datafusion::{Device, Fallback, GdfFiles, GdfOptions, GdfSession, GdfTable, IslandError};
use gdf_memory::{Fault, FaultInjectionResource, HostResource, Resource, StatisticsResource, current_resource};

use crate::kit::{Order, device, lines, lines_in_order};

const ROWS: i64 = 200_000;

/// Queries that can run in parts.
const QUERIES: [&str; 29] = [
    "SELECT k, sum(v), count(*), min(s), max(v), count(s) FROM n GROUP BY k",
    "SELECT sum(v * 3 + k), count(*), avg(CAST(v AS DOUBLE)), stddev(CAST(v AS DOUBLE)) FROM n WHERE v % 3 = 1",
    "SELECT count(*), min(v), sum(k) FROM n WHERE v % 7 < 0",
    "SELECT k, count(DISTINCT v % 10), max(s) FROM n GROUP BY k",
    "SELECT DISTINCT k, replace(s, 'a', 'bb') FROM n",
    "SELECT k, t, sum(v) FROM (SELECT k, v, replace(s, 'a', 'bb') AS t FROM n) AS n GROUP BY GROUPING SETS ((k), (t), ())",
    "SELECT v, k, s FROM n WHERE k <> 3 ORDER BY v * 7919 % 100003 DESC, v LIMIT 10",
    "SELECT name, count(*), sum(v) FROM n JOIN few ON k = id WHERE v > 5 GROUP BY name",
    "SELECT name, count(*) FROM n LEFT JOIN few ON k = id AND v % 2 = 0 GROUP BY name",
    "SELECT sum(v) FROM n WHERE k NOT IN (SELECT id FROM few) OR v < 100",
    "SELECT sum(x) FROM (SELECT v AS x FROM n UNION ALL SELECT k + v FROM n) AS t",
    "SELECT count(*), max(u) FROM (SELECT upper(s) || replace(s, 'a', 'bb') AS u FROM n) AS t",
    "SELECT s, v % 5000 AS m, count(*), sum(v) FROM n GROUP BY s, m",
    "SELECT v, s FROM n ORDER BY s, v",
    "SELECT v, k, s FROM n ORDER BY v * 7919 % 100003 DESC, v LIMIT 50000 OFFSET 1000",
    "SELECT v, lag(s) OVER (PARTITION BY v % 100 ORDER BY v) AS l FROM n",
    "SELECT v, sum(v) OVER (PARTITION BY v % 1000 ORDER BY v), rank() OVER (PARTITION BY v % 1000 ORDER BY k) FROM n",
    "SELECT a.v, b.s FROM n AS a JOIN n AS b ON a.v = b.v + 1",
    "SELECT count(*), sum(a.v), count(b.v), max(b.s) FROM n AS a FULL JOIN n AS b ON a.v = b.v * 2",
    "SELECT count(*), count(b.s), sum(b.v) FROM n AS a LEFT JOIN n AS b ON a.v = b.v * 3 AND b.k < a.k",
    "SELECT count(*), sum(b.v), sum(b.k), sum(a.k) FROM n AS a LEFT JOIN n AS b ON a.v + 8 = b.v AND a.k = b.k",
    "SELECT count(*), sum(v) FROM n AS a WHERE EXISTS (SELECT 1 FROM n AS b WHERE b.v = a.v + 5 AND b.k <> a.k)",
    "SELECT sum(k), count(*) FROM n WHERE nullif(v, 7) NOT IN (SELECT v * 2 FROM n)",
    "SELECT sum(v) FROM n WHERE v IN (SELECT v * 2 FROM n) OR k = 1",
    "WITH g AS (SELECT v % 20000 AS m, sum(v) AS t FROM n GROUP BY m) SELECT count(*), sum(x.t - y.t) FROM g AS x JOIN g AS y ON x.m = y.m + 1",
    "SELECT count(*), sum(a.v - b.id) FROM n AS a CROSS JOIN few AS b WHERE a.s > b.name",
    "SELECT count(*) FROM n CROSS JOIN few",
    "SELECT count(*) FROM few CROSS JOIN n",
    "SELECT count(*) FROM n WHERE v NOT IN (SELECT nullif(v * 2, 10) FROM n)",
];

fn batches() -> Vec<RecordBatch> {
    let column = |of: &dyn Fn(i64) -> i64| Arc::new(Int64Array::from_iter_values((0..ROWS).map(of)));
    let words = StringArray::from_iter((0..ROWS).map(|row| (row % 11 != 0).then(|| format!("word {}", row % 50))));
    let all = RecordBatch::try_from_iter_with_nullable([
        ("k", column(&|row| row * 31 % 8) as _, false),
        ("v", column(&|row| row) as _, false),
        ("s", Arc::new(words) as _, true),
    ]);
    let all = all.unwrap();
    (0..4).map(|part| all.slice(part * 50_000, 50_000)).collect()
}

fn few() -> RecordBatch {
    let ids = Int64Array::from(vec![1, 2, 3, 5]);
    let names = StringArray::from(vec!["one", "two", "three", "five"]);
    RecordBatch::try_from_iter([("id", Arc::new(ids) as _), ("name", Arc::new(names) as _)]).unwrap()
}

#[derive(Clone, Copy, Debug)]
enum Kept {
    ByDataFusion,
    OnDevice,
    InFiles,
}

fn session(kept: Kept, folder: &std::path::Path) -> SessionContext {
    let ctx = SessionContext::new();
    for (name, batches) in [("n", batches()), ("few", vec![few()])] {
        let table: Arc<dyn datafusion::catalog::TableProvider> = match kept {
            Kept::ByDataFusion => Arc::new(MemTable::try_new(batches[0].schema(), vec![batches]).unwrap()),
            Kept::OnDevice => Arc::new(GdfTable::from_batches(&batches, device()).unwrap()),
            Kept::InFiles => {
                let path = folder.join(format!("{name}.parquet"));
                let rows = gdf_io::Batch::from_batches(&batches[0].schema(), batches).unwrap();
                gdf_io::write_parquet(&rows, &path).unwrap();
                Arc::new(GdfFiles::open(&path).unwrap())
            }
        };
        ctx.register_table(name, table).unwrap();
    }
    ctx
}

/// Returns the rows of a query as lines of text, which are sorted unless the query ends with ORDER BY. The keys of the
/// queries distinguish all rows.
async fn rows(ctx: &SessionContext, query: &str) -> Result<Vec<String>, DataFusionError> {
    let frame = ctx.sql(query).await?;
    let order = Order::of(frame.logical_plan());
    let found = frame.collect().await?;
    Ok(if matches!(order, Order::Any) { lines(&found) } else { lines_in_order(&found) })
}

/// Each query has the same rows with half of the memory that all rows at once take.
#[tokio::test]
async fn islands_that_run_out_of_memory_run_in_parts() {
    let folder = tempfile::tempdir().unwrap();
    let mut failures = Vec::new();
    for kept in [Kept::ByDataFusion, Kept::OnDevice, Kept::InFiles] {
        let plain = session(kept, folder.path());
        for query in QUERIES {
            let counted = StatisticsResource::new(current_resource(device()).unwrap());
            let options = GdfOptions::on(device()).with_fallback(Fallback::Forbidden);
            let measured = options.clone().with_memory_resource(Resource::new(counted.clone()));
            let expected = rows(&plain.clone().with_gdf(measured), query).await.unwrap();
            assert_eq!(expected, rows(&plain, query).await.unwrap(), "{query}");

            let limit = (counted.statistics().bytes.peak / 2) as usize;
            assert!(limit > 0, "{query}");
            // The smallest batch of two columns may need more memory than this limit, because a query may compute with
            // few columns at a time.
            if limit < 2 * 8 * 4_096 {
                continue;
            }
            let limited = GdfOptions::on(device()).with_fallback(Fallback::Forbidden).with_memory_limit(limit);
            match rows(&plain.clone().with_gdf(limited.clone()), query).await {
                Ok(found) => assert_eq!(found, expected, "{kept:?}: {query}"),
                Err(error) => failures.push(format!("{kept:?}: {query}: {error}")),
            }
            if limited.counts().in_parts != 1 {
                failures.push(format!("{kept:?}: {query}: {limit} bytes, {:?}", limited.counts()));
            }
            assert_eq!(options.counts().in_parts, 0, "{query}");
        }
    }
    assert!(failures.is_empty(), "{}", failures.join("\n"));
}

/// Each allocation of a query fails in turn, and the rows must still be right. If all further allocations fail too, the
/// query must fail with an error that names the remedy, or DataFusion must run it.
#[tokio::test]
async fn each_failed_allocation_is_survived() {
    let folder = tempfile::tempdir().unwrap();
    let plain = session(Kept::InFiles, folder.path());
    let query = QUERIES[7];
    let expected = rows(&plain, query).await.unwrap();
    let faulty = |faults: &[Fault], fallback| {
        let upstream = current_resource(device()).unwrap();
        let resource = FaultInjectionResource::new(upstream, faults.iter().copied());
        let options = GdfOptions::on(device()).with_fallback(fallback);
        (options.with_memory_resource(Resource::new(resource.clone())), resource)
    };
    let (options, resource) = faulty(&[], Fallback::Forbidden);
    assert_eq!(rows(&plain.clone().with_gdf(options), query).await.unwrap(), expected);
    let seen = resource.seen();
    assert!(seen > 5, "{seen} allocations");
    let mut in_parts = 0;
    for number in 1..=seen {
        let (options, resource) = faulty(&[Fault::Nth(number)], Fallback::Forbidden);
        let found = rows(&plain.clone().with_gdf(options.clone()), query).await;
        let found = found.unwrap_or_else(|error| panic!("allocation {number}: {error}"));
        assert_eq!((found, resource.refused()), (expected.clone(), 1), "allocation {number}");
        in_parts += options.counts().in_parts;

        let (options, _) = faulty(&[Fault::From(number)], Fallback::Forbidden);
        let error = rows(&plain.clone().with_gdf(options), query).await.unwrap_err();
        let Some(of @ IslandError::OutOfMemory { limit: None, .. }) = IslandError::of(&error) else {
            panic!("allocation {number}: {error:?}")
        };
        assert!(of.to_string().contains("raise the memory limit"), "{of}");

        let (options, _) = faulty(&[Fault::From(number)], Fallback::Allowed);
        assert_eq!(rows(&plain.clone().with_gdf(options.clone()), query).await.unwrap(), expected);
        assert_eq!(options.counts().fallbacks, 1, "allocation {number}");
    }
    // After some of the failed allocations, the operation goes on with less scratch memory, and no parts are needed.
    assert!(in_parts > seen / 2, "{in_parts} of {seen}");
}

#[tokio::test]
async fn what_needs_all_rows_at_once_is_an_error() {
    let folder = tempfile::tempdir().unwrap();
    let plain = session(Kept::InFiles, folder.path());
    for query in ["SELECT v, lag(s) OVER (ORDER BY v) FROM n", "SELECT v, sum(v) OVER (PARTITION BY k % 1) FROM n"] {
        let options = GdfOptions::on(device()).with_memory_limit(1_000_000).with_fallback(Fallback::Forbidden);
        let error = rows(&plain.clone().with_gdf(options), query).await.unwrap_err();
        let found = IslandError::of(&error);
        assert!(matches!(found, Some(IslandError::OutOfMemory { limit: Some(1_000_000), .. })), "{query}: {error:?}");
        let options = GdfOptions::on(device()).with_memory_limit(1_000_000).with_fallback(Fallback::Allowed);
        let found = rows(&plain.clone().with_gdf(options.clone()), query).await.unwrap();
        assert_eq!(found, rows(&plain, query).await.unwrap(), "{query}");
        assert_eq!(options.counts().fallbacks, 1, "{query}");
    }
}

/// Joins, groups, sorts and windows of 200,000 rows with 2 MB spill, and have the same rows.
#[tokio::test]
async fn little_memory_spills() {
    let folder = tempfile::tempdir().unwrap();
    let plain = session(Kept::InFiles, folder.path());
    for query in &QUERIES[12..25] {
        let options = GdfOptions::on(device()).with_fallback(Fallback::Forbidden).with_memory_limit(2_000_000);
        let found = rows(&plain.clone().with_gdf(options.clone()), query).await;
        let found = found.unwrap_or_else(|error| panic!("{query}: {error}"));
        assert_eq!(found, rows(&plain, query).await.unwrap(), "{query}");
        let counts = options.counts();
        assert!(counts.in_parts == 1 && counts.spilled_bytes > 0, "{query}: {counts:?}");
        assert!(counts.peak_bytes > 0 && counts.peak_bytes <= 2_000_000, "{query}: {counts:?}");
    }
}

/// Two queries of one limit run at the same time, beside two queries of another limit on the same device.
#[tokio::test(flavor = "multi_thread")]
async fn queries_share_the_limit_of_their_options_alone() {
    let folder = tempfile::tempdir().unwrap();
    let plain = session(Kept::InFiles, folder.path());
    let queries = [QUERIES[13], QUERIES[17]];
    let [one, other] = [2_000_000, 3_000_000].map(|limit| {
        let options = GdfOptions::on(device()).with_fallback(Fallback::Forbidden);
        options.with_shared_memory_limit(limit).unwrap()
    });
    let run = async |options: &GdfOptions, query: &'static str| {
        let ctx = plain.clone().with_gdf(options.clone());
        tokio::spawn(async move { rows(&ctx, query).await.unwrap_or_else(|error| panic!("{query}: {error}")) }).await
    };
    let found =
        tokio::join!(run(&one, queries[0]), run(&one, queries[1]), run(&other, queries[0]), run(&other, queries[1]));
    let expected = [rows(&plain, queries[0]).await.unwrap(), rows(&plain, queries[1]).await.unwrap()];
    assert_eq!([found.0.unwrap(), found.1.unwrap()], expected);
    assert_eq!([found.2.unwrap(), found.3.unwrap()], expected);
    for (options, limit) in [(one, 2_000_000), (other, 3_000_000)] {
        let counts = options.counts();
        assert_eq!((counts.islands, options.shared_memory_limit()), (2, Some(limit)), "{counts:?}");
        assert!(counts.in_parts > 0 && counts.spilled_bytes > 0, "{counts:?}");
        assert!(counts.peak_bytes > 0 && counts.peak_bytes <= limit as u64, "{counts:?}");
    }
}

#[tokio::test]
async fn a_resource_of_another_device_is_an_error() {
    if device() == Device::Cpu {
        return;
    }
    let host = Resource::new(HostResource::new());
    let options = GdfOptions::on(device()).with_memory_resource(host).with_fallback(Fallback::Forbidden);
    let error = rows(&SessionContext::new().with_gdf(options), "SELECT 1 + x FROM (VALUES (1)) AS t (x)").await;
    let Some(IslandError::Operation(error)) = error.as_ref().err().and_then(IslandError::of) else {
        panic!("{error:?}")
    };
    assert!(matches!(error, gdf_core::Error::DeviceMismatch { .. }), "{error}");
}

#[tokio::test]
async fn explain_analyze_measures_parts() {
    let folder = tempfile::tempdir().unwrap();
    let plain = session(Kept::InFiles, folder.path());
    let options =
        GdfOptions::on(device()).with_memory_limit(1_500_000).with_parts(true).with_fallback(Fallback::Forbidden);
    let ctx = plain.with_gdf(options.clone());
    let text = rows(&ctx, &format!("EXPLAIN ANALYZE {}", QUERIES[7])).await.unwrap().join("\n");
    assert_eq!(options.counts().in_parts, 1, "{text}");
    assert!(text.contains("memory_limit=1500000") && text.contains("peak_bytes="), "{text}");
    let read = text.lines().find(|line| line.contains("read ") && line.contains("n.parquet")).unwrap();
    assert!(read.contains(" 199994 "), "{text}");
}
