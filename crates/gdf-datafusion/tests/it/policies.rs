//! Tests fallbacks, errors, `EXPLAIN`, concurrent queries, and canceled queries.

use std::sync::Arc;
use std::time::{Duration, Instant};

use arrow_array::{ArrayRef, Int64Array, RecordBatch};
use arrow_schema::{ArrowError, DataType};
use datafusion::common::Statistics;
use datafusion::common::stats::Precision;
use datafusion::datasource::MemTable;
use datafusion::error::DataFusionError;
use datafusion::execution::SessionStateBuilder;
use datafusion::execution::runtime_env::RuntimeEnvBuilder;
use datafusion::logical_expr::{ColumnarValue, Volatility};
use datafusion::prelude::{SessionConfig, SessionContext, create_udf};
use datafusion::scalar::ScalarValue;
use futures::StreamExt;
use gdf_datafusion::{Fallback, GdfOptions, GdfSession, GdfTable, IslandError, explain};

use crate::kit::{Checked, device, lines};
use crate::small::{batch, session};

const QUERY: &str = "SELECT ak, sum(av) AS total FROM a WHERE av > 0 GROUP BY ak";

async fn rows(ctx: &SessionContext, query: &str) -> Result<Vec<RecordBatch>, DataFusionError> {
    ctx.sql(query).await?.collect().await
}

#[tokio::test]
async fn a_forbidden_fallback_is_an_error_that_names_the_reason() {
    let options = GdfOptions::on(device()).with_memory_limit(64).with_fallback(Fallback::Forbidden);
    let error = rows(&session(false).with_gdf(options.clone()), QUERY).await.unwrap_err();
    let Some(IslandError::OutOfMemory { limit: Some(64), source, .. }) = IslandError::of(&error) else {
        panic!("{error:?}")
    };
    assert!(source.is_out_of_memory(), "{source}");
    assert_eq!((options.counts().islands, options.counts().fallbacks), (0, 0));
}

#[tokio::test]
async fn an_allowed_fallback_runs_the_nodes_of_datafusion_and_is_counted() {
    for is_resident in [true, false] {
        let expected = rows(&session(is_resident), QUERY).await.unwrap();
        for fallback in [Fallback::Allowed, Fallback::Warned] {
            let options = GdfOptions::on(device()).with_memory_limit(64).with_fallback(fallback);
            let found = rows(&session(is_resident).with_gdf(options.clone()), QUERY).await.unwrap();
            assert_eq!(lines(&found), lines(&expected));
            assert_eq!((options.counts().islands, options.counts().fallbacks), (0, 1));
        }
    }
}

#[tokio::test]
async fn errors_of_values_are_those_of_datafusion() {
    let checked = Checked::new(session(true));
    let error = rows(&checked.ctx, "SELECT av / (ak - ak) FROM a").await.unwrap_err();
    assert!(
        matches!(error.find_root(), DataFusionError::ArrowError(of, _) if matches!(**of, ArrowError::DivideByZero))
    );
    let error = rows(&checked.ctx, "SELECT CAST(av AS TINYINT) FROM a").await.unwrap_err();
    assert!(matches!(IslandError::of(&error), Some(IslandError::CastOverflow(_))), "{error:?}");
    let error = rows(&checked.ctx, "SELECT aid FROM a WHERE av > (SELECT bv FROM b)").await.unwrap_err();
    assert!(matches!(IslandError::of(&error), Some(IslandError::ManyRows(25))), "{error:?}");
    let power = |factors: usize| vec!["CAST(av AS DECIMAL(30, 7))"; factors].join(" * ");
    checked.whole(&format!("SELECT {} FROM a", power(3))).await;
    let error = rows(&checked.ctx, &format!("SELECT {} FROM a", power(4))).await.unwrap_err();
    let is_overflow = |of: &ArrowError| matches!(of, ArrowError::ArithmeticOverflow(_));
    assert!(matches!(error.find_root(), DataFusionError::ArrowError(of, _) if is_overflow(of)), "{error:?}");
    assert!(checked.expected(&format!("SELECT {} FROM a", power(4))).await.is_err());
    checked.whole(&format!("SELECT CASE WHEN av < 10 AND av > -10 THEN {} END FROM a", power(4))).await;
    // A row that does not need the value does not fail the query.
    checked.whole("SELECT CASE WHEN ak > 0 THEN av / ak END FROM a").await;
    checked.whole("SELECT av / ak FROM a WHERE ak <> 0").await;
    // If one side of a join is empty, neither library computes the other side.
    for join in ["JOIN", "LEFT JOIN", "LEFT SEMI JOIN", "LEFT ANTI JOIN", "RIGHT SEMI JOIN"] {
        let (left, right) = ("(SELECT nonek FROM none) AS l", "(SELECT ak / (ak - ak) AS k FROM a) AS r");
        checked.whole(&format!("SELECT * FROM {left} {join} {right} ON nonek = k")).await;
    }
}

/// gdf adds decimals with 128 bits. DataFusion adds them with 256 bits if the declared digits allow a sum that does not
/// fit 128 bits.
#[tokio::test]
async fn means_of_decimals_whose_sum_does_not_fit() {
    let digits = "9".repeat(34);
    let of = |rows: i32| {
        format!(
            "SELECT avg(CAST(d AS DECIMAL(34, 0))) AS mean FROM (SELECT '{digits}' AS d FROM generate_series(1, {rows})) AS t"
        )
    };
    let options = GdfOptions::on(device()).with_fallback(Fallback::Allowed);
    let ctx = SessionContext::new();
    for (query, fallbacks) in [(of(1_000), 0), (of(21_476), 1), (of(21_476).replace(" AS t", " AS t GROUP BY d"), 2)] {
        let found = rows(&ctx.clone().with_gdf(options.clone()), &query).await.unwrap();
        assert_eq!(lines(&found), [format!("{digits}.0000")], "{query}");
        assert_eq!(options.counts().fallbacks, fallbacks, "{query}");
    }
    let window = "SELECT avg(CAST(am AS DECIMAL(34, 2))) OVER (ORDER BY aid) FROM a WHERE aid > 3";
    Checked::new(session(true)).partly(window).await;
}

/// Nodes of DataFusion above an input rely on the order and on the partitioning of its rows.
#[tokio::test]
async fn inputs_keep_their_order_when_datafusion_runs_the_island() {
    let plain = session(false);
    plain.sql("SET datafusion.optimizer.enable_window_topn = true").await.unwrap();
    let numbered = "SELECT aid, ak, av, row_number() OVER (PARTITION BY ak ORDER BY aid) AS rn FROM a";
    let query = &format!("SELECT aid, ak, av, rn FROM ({numbered}) AS n WHERE rn <= 2");
    let checked = Checked::new(plain.clone());
    let plan = checked.plan(query).await.unwrap();
    assert!(explain(&plan).contains("PartitionedTopK"), "{}", explain(&plan));
    checked.partly(query).await;
    let options = GdfOptions::on(device()).with_memory_limit(64).with_fallback(Fallback::Allowed);
    let found = rows(&plain.clone().with_gdf(options.clone()), query).await.unwrap();
    assert_eq!(lines(&found), lines(&rows(&plain, query).await.unwrap()));
    assert!(options.counts().fallbacks > 0);
}

/// A function keeps its name, even if the name is an alias of a function that was registered before.
#[tokio::test]
async fn functions_keep_their_names() {
    let ctx = session(true);
    const NAMES: [&str; 12] = ["fa", "fb", "fc", "fd", "fe", "ff", "fg", "fh", "fi", "fj", "fk", "fl"];
    for name in NAMES {
        let constant = |name: &str, value: i64| {
            let body = move |_: &[ColumnarValue]| Ok(ColumnarValue::Scalar(ScalarValue::from(value)));
            create_udf(name, Vec::new(), DataType::Int64, Volatility::Immutable, Arc::new(body))
        };
        ctx.register_udf(constant(&format!("other_{name}"), 1).with_aliases([name]));
        ctx.register_udf(constant(name, 2));
    }
    let calls = NAMES.map(|name| format!("{name}()"));
    let query = format!("SELECT {} AS total", calls.join(" + "));
    assert_eq!(lines(&rows(&ctx, &query).await.unwrap()), ["24"]);
    let found = rows(&ctx.with_gdf(GdfOptions::on(device())), &query).await.unwrap();
    assert_eq!(lines(&found), ["24"]);
}

/// If the memory pool cannot hold the rows of the inputs, DataFusion runs the nodes of the island, which hold fewer
/// rows.
#[tokio::test]
async fn inputs_that_do_not_fit_the_memory_pool() {
    let runtime = RuntimeEnvBuilder::new().with_memory_limit(100_000, 1.0).build_arc().unwrap();
    let ctx = SessionContext::new_with_config_rt(SessionConfig::new(), runtime);
    let query = "SELECT count(*), max(v) FROM generate_series(1, 100000) AS t (v) WHERE v % 3 = 1";
    let options = GdfOptions::on(device()).with_fallback(Fallback::Forbidden);
    let error = rows(&ctx.clone().with_gdf(options), query).await.unwrap_err();
    assert!(matches!(error.find_root(), DataFusionError::ResourcesExhausted(_)), "{error}");
    let options = GdfOptions::on(device()).with_fallback(Fallback::Allowed);
    let found = rows(&ctx.with_gdf(options.clone()), query).await.unwrap();
    assert_eq!(lines(&found), ["33334|100000"]);
    assert_eq!((options.counts().islands, options.counts().fallbacks), (0, 1));
}

#[tokio::test]
async fn what_is_not_covered_stays_with_datafusion() {
    for is_resident in [true, false] {
        let checked = Checked::new(session(is_resident));
        checked.partly("SELECT aid, sum(av) OVER (ORDER BY am RANGE 3 PRECEDING) FROM a WHERE av > 0").await;
        checked.partly("SELECT ak, string_agg(aw, ',' ORDER BY aid) FROM a WHERE av > 0 GROUP BY ak").await;
        checked
            .partly("SELECT max(n) FROM (SELECT sum(av) OVER (ORDER BY am RANGE 1 PRECEDING) AS n FROM a) AS t")
            .await;
        checked.partly("SELECT initcap(aw) FROM a WHERE av > 0 ORDER BY aid").await;
        // DataFusion runs the node of the subquery. The islands and the other nodes below that node read the value of
        // the subquery.
        let numbered = "SELECT aid, sum(av) OVER (ORDER BY am RANGE 3 PRECEDING) FROM a";
        checked.partly(&format!("{numbered} WHERE av > (SELECT avg(bv) FROM b)")).await;
        checked.partly("SELECT aid + 1 FROM a WHERE initcap(aw) = 'A' OR av > (SELECT avg(bv) FROM b)").await;
        checked.partly("SELECT aid FROM a WHERE av > (SELECT max(bv) FROM b WHERE initcap(bw) = 'A') AND ak > 2").await;
    }
}

#[tokio::test]
async fn explain_shows_islands_and_reasons() {
    let checked = Checked::new(session(true));
    let query = "SELECT aid, sum(av) OVER (ORDER BY am RANGE 3 PRECEDING) AS n FROM a WHERE av > 0";
    let shown = rows(&checked.ctx, &format!("EXPLAIN {query}")).await.unwrap();
    let text = lines(&shown).join("\n");
    for part in [
        &format!("GdfExec: device={}, nodes=", device()),
        "| SortExec",
        "|   FilterExec",
        "WindowAggExec",
        "[DataFusion: gdf does not support ",
    ] {
        assert!(text.contains(part), "{part} is not in\n{text}");
    }
    let plan = checked.plan("SELECT aid FROM a WHERE av > 0").await.unwrap();
    assert!(!explain(&plan).contains("[DataFusion"), "{}", explain(&plan));
    let analyzed = rows(&checked.ctx, &format!("EXPLAIN ANALYZE {query}")).await.unwrap();
    assert!(lines(&analyzed).join("\n").contains("elapsed_compute"));
}

/// Returns the numbers of the line of a pipeline: rows, milliseconds, launches, waits, bytes to the device and to the
/// host, and the peak.
fn measures(text: &str, label: &str) -> [f64; 7] {
    let line = text.lines().find(|line| line.contains(label)).unwrap_or_else(|| panic!("{label} is not in\n{text}"));
    let numbers: Vec<f64> = line.split_whitespace().rev().map_while(|cell| cell.parse().ok()).take(7).collect();
    let mut numbers: [f64; 7] = numbers.try_into().unwrap_or_else(|_| panic!("{line}"));
    numbers.reverse();
    numbers
}

#[tokio::test]
async fn explain_analyze_measures_the_pipelines() {
    let query =
        "EXPLAIN ANALYZE SELECT ak, count(*) AS n FROM a JOIN b ON ak = bk WHERE aid > 9 GROUP BY ak ORDER BY n";
    for is_resident in [true, false] {
        let checked = Checked::new(session(is_resident));
        let text = lines(&rows(&checked.ctx, query).await.unwrap()).join("\n");
        assert!(text.contains("Pipelines of island 1|"), "{text}");
        assert!(!text.contains("Operations of island"), "{text}");
        let found = rows(&checked.plain(), query.trim_start_matches("EXPLAIN ANALYZE ")).await.unwrap();
        let groups: usize = found.iter().map(RecordBatch::num_rows).sum();
        let [sorted, grouped] =
            ["  sort: 1 key", "    group by 1 key: 1 aggregate function"].map(|of| measures(&text, of));
        assert_eq!((sorted[0], grouped[0]), (groups as f64, groups as f64), "{text}");
        let joined = measures(&text, "join (inner): 1 key");
        assert!(joined[0] > 0.0 && joined[6] > 0.0, "{text}");
        assert!(measures(&text, "copy the result to the host")[1] > 0.0, "{text}");
        if is_resident {
            assert!(!text.contains("copy input"), "{text}");
        } else {
            assert_eq!(measures(&text, "copy input 0 to the device")[0], 60.0, "{text}");
        }
        if device().is_cuda() {
            assert!(grouped[2] > 0.0 && joined[3] > 0.0, "{text}");
        }
        let text = lines(&rows(&checked.ctx, &query.replace("ANALYZE", "ANALYZE VERBOSE")).await.unwrap()).join("\n");
        assert!(text.contains("Operations of island 1|") && text.contains("pipeline.probe"), "{text}");
        // Other statements are not measured.
        let plain = rows(&checked.ctx, &query.replace("ANALYZE", "")).await.unwrap();
        assert!(!lines(&plain).join("\n").contains("Pipelines"));
    }
}

#[tokio::test]
async fn results_come_in_batches_of_the_session() {
    let config = SessionConfig::new().with_batch_size(16);
    let ctx = SessionContext::new_with_config(config);
    ctx.register_batch("a", batch("a", 100, 5)).unwrap();
    let ctx = ctx.with_gdf(GdfOptions::on(device()).with_fallback(Fallback::Forbidden));
    let sizes: Vec<usize> =
        rows(&ctx, "SELECT aid + 1 FROM a").await.unwrap().iter().map(RecordBatch::num_rows).collect();
    assert_eq!(sizes, [16, 16, 16, 16, 16, 16, 4]);
}

#[tokio::test]
async fn statistics_of_resident_tables_are_exact() {
    let batch = batch("a", 50, 9);
    let table = GdfTable::from_batches(std::slice::from_ref(&batch), device()).unwrap();
    let known: Statistics = datafusion::catalog::TableProvider::statistics(&table).unwrap();
    assert_eq!(known.num_rows, Precision::Exact(50));
    assert_eq!(known.column_statistics[0].null_count, Precision::Exact(0));
    assert_eq!(known.column_statistics[0].min_value, Precision::Exact(ScalarValue::Int32(Some(0))));
    assert_eq!(known.column_statistics[0].max_value, Precision::Exact(ScalarValue::Int32(Some(49))));
    let nulls = batch.column(1).null_count();
    assert_eq!(known.column_statistics[1].null_count, Precision::Exact(nulls));
    assert_eq!(known.column_statistics[9].min_value, Precision::Absent);
}

#[tokio::test]
async fn tables_name_what_is_wrong() {
    let device = device();
    let message = |error: DataFusionError| error.to_string();
    assert!(message(GdfTable::from_batches(&[], device).unwrap_err()).contains("`batches` is empty"));
    let named = |name| RecordBatch::try_from_iter([(name, Arc::new(Int64Array::from(vec![1])) as ArrayRef)]).unwrap();
    let two = named("x").project(&[0, 0]).unwrap();
    for batches in [[named("x"), named("y")], [two.clone(), named("x")], [named("x"), two]] {
        let found = message(GdfTable::from_batches(&batches, device).unwrap_err());
        assert!(found.contains("batch 1 of `batches` has other names"), "{found}");
    }
    let batch = batch("a", 3, 1);
    let table = GdfTable::from_batches(std::slice::from_ref(&batch), device).unwrap().table().clone();
    let error = GdfTable::try_new(batch.project(&[0, 1]).unwrap().schema(), table.clone()).unwrap_err();
    assert!(message(error).contains("2 fields"));
    let error =
        GdfTable::try_new(batch.project(&[1, 2]).unwrap().schema(), table.select(&[1, 3]).unwrap()).unwrap_err();
    assert!(message(error).contains("column `av` has type"));
}

#[tokio::test(flavor = "multi_thread", worker_threads = 2)]
async fn queries_run_at_the_same_time() {
    let checked = Arc::new(Checked::new(session(true)));
    let queries = [QUERY, "SELECT aid, bid FROM a JOIN b ON ak = bk", "SELECT av * 2 AS x FROM a ORDER BY x"];
    let tasks = (0..12).map(|turn| {
        let checked = Arc::clone(&checked);
        tokio::spawn(async move { checked.whole(queries[turn % 3]).await.len() })
    });
    for task in tasks.collect::<Vec<_>>() {
        task.await.unwrap();
    }
    assert_eq!(checked.options.counts().verified, 12);
}

#[tokio::test]
async fn tables_of_a_new_session_stay_from_query_to_query() {
    let options = GdfOptions::on(device());
    let state = SessionStateBuilder::new_with_default_features().with_gdf(options.clone()).build();
    let ctx = SessionContext::new_with_state(state);
    ctx.register_batch("a", batch("a", 20, 5)).unwrap();
    for turn in 1..=3 {
        assert_eq!(rows(&ctx, "SELECT aid + 1 FROM a").await.unwrap()[0].num_rows(), 20);
        assert_eq!(options.counts().islands, turn);
    }
}

/// Returns a session with a table of many rows. A self join of the table takes long.
fn large_session(options: &GdfOptions) -> SessionContext {
    // A GPU joins the rows in few milliseconds.
    let count = if options.device().is_cuda() { 15_000 } else { 3_000 };
    let numbers = Arc::new(Int64Array::from_iter_values(0..count));
    let batch = RecordBatch::try_from_iter([("x", numbers as _)]).unwrap();
    let ctx = SessionContext::new();
    ctx.register_table("n", Arc::new(MemTable::try_new(batch.schema(), vec![vec![batch]]).unwrap())).unwrap();
    ctx.with_gdf(options.clone())
}

const LONG: &str = "SELECT sum(p.x * q.x) FROM n p JOIN n q ON p.x < q.x + 1 GROUP BY p.x % 10";

#[tokio::test]
async fn workers_stay_free_while_an_island_runs() {
    let options = GdfOptions::on(device()).with_fallback(Fallback::Forbidden);
    let ctx = large_session(&options);
    let task = tokio::spawn(async move { rows(&ctx, LONG).await.unwrap().len() });
    // The runtime has one worker, which counts while the island runs on another thread.
    let mut turns = 0;
    let (mut pipelines, mut read) = (0, 0);
    while !task.is_finished() {
        tokio::time::sleep(std::time::Duration::from_millis(1)).await;
        let counts = options.counts();
        assert!(counts.ended_pipelines <= counts.running_pipelines.max(pipelines), "{counts:?}");
        pipelines = pipelines.max(counts.running_pipelines);
        read = read.max(counts.read_rows);
        turns += 1;
    }
    assert!(pipelines >= 2, "{pipelines} pipelines");
    // The join reads the table on both sides.
    assert_eq!(read, 2 * if device().is_cuda() { 15_000 } else { 3_000 });
    let counts = options.counts();
    assert_eq!((counts.running_pipelines, counts.ended_pipelines, counts.read_rows, counts.read_bytes), (0, 0, 0, 0));
    assert!(turns > 3, "{turns} turns");
    assert_eq!(task.await.unwrap(), 1);
    assert_eq!(options.counts().islands, 1);
}

#[tokio::test]
async fn a_dropped_stream_ends_the_island() {
    let options = GdfOptions::on(device()).with_fallback(Fallback::Forbidden);
    let ctx = large_session(&options);
    let mut stream = ctx.sql(LONG).await.unwrap().execute_stream().await.unwrap();
    let first = tokio::time::timeout(std::time::Duration::from_millis(2), stream.next()).await;
    assert!(first.is_err(), "the island is faster than the test");
    drop(stream);
    // The canceled query does not affect other queries.
    let one = rows(&ctx, "SELECT count(*) FROM n WHERE x < 10").await.unwrap();
    assert_eq!(one[0].column(0).as_ref(), &Int64Array::from(vec![10]));
    assert_eq!(options.counts().islands, 1);
}

#[tokio::test]
async fn a_statement_ends_with_its_time_limit() {
    // A GPU joins fewer rows before the limit has passed.
    let count = if device().is_cuda() { 15_000 } else { 4_000 };
    let numbers = Arc::new(arrow_array::Int64Array::from_iter_values(0..count));
    let batch = RecordBatch::try_from_iter([("x", numbers as _)]).unwrap();
    let ctx = SessionContext::new();
    ctx.register_table("n", Arc::new(MemTable::try_new(batch.schema(), vec![vec![batch]]).unwrap())).unwrap();
    let short = Duration::from_micros(100);
    let of_limit = |limit| {
        let options = GdfOptions::on(device()).with_fallback(Fallback::Forbidden).with_timeout(limit);
        (ctx.clone().with_gdf(options.clone()), options)
    };
    let (quick, options) = of_limit(Duration::from_secs(600));
    let query = "SELECT count(*), sum(p.x * q.x) FROM n p JOIN n q ON p.x < q.x + 1";
    assert_eq!(quick.sql(query).await.unwrap().collect().await.unwrap()[0].num_rows(), 1);
    assert_eq!(options.counts().islands, 1);
    let (limited, options) = of_limit(short);
    let begun = Instant::now();
    let error = limited.sql(query).await.unwrap().collect().await.unwrap_err();
    let Some(of @ IslandError::TimedOut { limit, ran }) = IslandError::of(&error) else { panic!("{error}") };
    assert!(*limit == short && *ran >= short && begun.elapsed() >= *ran, "{of}");
    assert!(of.to_string().contains("its time limit is 100µs"), "{of}");
    // The island did not run to its end.
    assert_eq!(options.counts().islands, 0);
}
