//! Tests `COPY … TO`: the files, their memory, and what is left after errors.

use std::fs;
use std::path::Path;
use std::sync::Arc;
use std::time::{Duration, Instant};

use arrow_array::cast::AsArray;
use arrow_array::types::UInt64Type;
use arrow_array::{
    BooleanArray, Date32Array, Decimal128Array, Float64Array, Int64Array, RecordBatch, StringArray, StringViewArray,
};
use arrow_schema::DataType;
use datafusion::datasource::MemTable;
use datafusion::error::DataFusionError;
use datafusion::prelude::SessionContext;
use futures::StreamExt;
use gdf_datafusion::{Fallback, GdfFiles, GdfOptions, GdfSession, IslandError, PlanCache, explain};
use gdf_io::{Batch, CsvReader, IpcReader, ParquetReader, ParquetWriter};
use gdf_memory::{Fault, FaultInjectionResource, Resource, StatisticsResource, current_resource};
use tempfile::TempDir;

use crate::kit::{device, lines, lines_in_order};

const ROWS: i64 = 60_000;

fn rows() -> RecordBatch {
    let ids = || 0..ROWS;
    let words = StringArray::from_iter(ids().map(|id| (id % 11 != 0).then(|| format!("word {}", id % 50))));
    let prices = Decimal128Array::from_iter_values(ids().map(|id| i128::from(id) * 7 - 1_000));
    RecordBatch::try_from_iter_with_nullable([
        ("id", Arc::new(Int64Array::from_iter_values(ids())) as _, false),
        ("x", Arc::new(Float64Array::from_iter_values(ids().map(|id| id as f64 / 8.0))) as _, false),
        ("s", Arc::new(words) as _, true),
        ("price", Arc::new(prices.with_precision_and_scale(12, 2).unwrap()) as _, false),
        ("day", Arc::new(Date32Array::from_iter_values(ids().map(|id| (id % 20_000) as i32))) as _, false),
        ("paid", Arc::new(BooleanArray::from_iter(ids().map(|id| Some(id % 3 == 0)))) as _, false),
    ])
    .unwrap()
}

/// Writes a Parquet file `n.parquet` with row groups of 1,000 rows.
fn file() -> TempDir {
    let folder = tempfile::tempdir().unwrap();
    let batch = Batch::from_arrow(&rows()).unwrap();
    let mut writer = ParquetWriter::new(folder.path().join("n.parquet"), batch.schema()).row_group_rows(1_000);
    writer.write(&batch).unwrap();
    writer.finish().unwrap();
    folder
}

fn options() -> GdfOptions {
    GdfOptions::on(device()).with_fallback(Fallback::Forbidden)
}

/// Returns a session in which `n` is the file of the folder.
fn session(folder: &TempDir, options: &GdfOptions) -> SessionContext {
    let ctx = GdfFiles::by_path(SessionContext::new()).with_gdf(options.clone());
    ctx.register_table("n", Arc::new(GdfFiles::open(folder.path().join("n.parquet")).unwrap())).unwrap();
    ctx
}

async fn found(ctx: &SessionContext, query: &str) -> Vec<RecordBatch> {
    let found = ctx.sql(query).await.unwrap_or_else(|error| panic!("{query}: {error}"));
    found.collect().await.unwrap_or_else(|error| panic!("{query}: {error}"))
}

/// Runs a `COPY`, and returns the number of rows that it reports.
async fn copy(ctx: &SessionContext, statement: &str) -> u64 {
    let found = found(ctx, statement).await;
    assert_eq!((found.len(), found[0].num_rows(), found[0].schema().field(0).name().as_str()), (1, 1, "count"));
    found[0].column(0).as_primitive::<UInt64Type>().value(0)
}

async fn refused(ctx: &SessionContext, statement: &str) -> DataFusionError {
    match ctx.sql(statement).await {
        Ok(frame) => frame.collect().await.expect_err(statement),
        Err(error) => error,
    }
}

fn names(folder: &TempDir) -> Vec<String> {
    let entries = fs::read_dir(folder.path()).unwrap();
    let mut names: Vec<String> =
        entries.map(|entry| entry.unwrap().file_name().to_string_lossy().into_owned()).collect();
    names.sort();
    names
}

const KEPT: &str = "SELECT id + 1 AS id, x * 2 AS y, s, price, day, paid FROM n WHERE id % 7 <> 3";

#[tokio::test]
async fn each_format_has_the_rows_of_the_query() {
    let folder = file();
    for options in [options(), options().with_verify(true), options().with_memory_limit(4 << 20).with_parts(true)] {
        let ctx = session(&folder, &options);
        let kept = found(&ctx, KEPT).await;
        let count = kept.iter().map(RecordBatch::num_rows).sum::<usize>() as u64;
        for (name, clauses) in [
            ("a.parquet", ""),
            ("a.arrow", ""),
            ("a.csv", ""),
            ("a.json", ""),
            ("a.arrows", ""),
            ("a.tsv", ""),
            ("a.csv.gz", ""),
            ("a.ndjson", ""),
            ("a", "STORED AS PARQUET"),
            ("b.parquet", "OPTIONS (compression 'zstd(5)', row_group_rows 500)"),
            ("b.arrow", "OPTIONS (compression lz4)"),
        ] {
            let path = folder.path().join(name).display().to_string();
            let before = options.counts();
            assert_eq!(copy(&ctx, &format!("COPY ({KEPT}) TO '{path}' {clauses}")).await, count, "{name}");
            let after = options.counts();
            assert_eq!((after.islands, after.fallbacks), (before.islands + 1, before.fallbacks), "{name}");
            if options.parts() {
                assert_eq!(after.in_parts, before.in_parts + 1);
            }
            let read = found(
                &ctx,
                &format!("SELECT id, y, s, CAST(price AS DECIMAL(12, 2)) AS price, day, paid FROM '{path}'"),
            )
            .await;
            assert_eq!(lines_in_order(&read), lines_in_order(&kept), "{name}");
            fs::remove_file(path).unwrap();
        }
        assert_eq!(names(&folder), ["n.parquet"]);
    }
}

#[tokio::test]
async fn options_reach_the_writers() {
    let folder = file();
    let ctx = session(&folder, &options());
    let path = |name: &str| folder.path().join(name);
    let query = "SELECT id, nullif(s, 'word 1') AS s, paid FROM n WHERE id IN (1, 2)";
    let text = async |name: &str, clauses: &str| {
        copy(&ctx, &format!("COPY ({query}) TO '{}' {clauses}", path(name).display())).await;
        fs::read_to_string(path(name)).unwrap()
    };
    let given = "OPTIONS (delimiter ';', has_header false, null 'NA', true_value 'ja', false_value 'nein')";
    assert_eq!(text("a.csv", given).await, "1;NA;nein\n2;word 2;nein\n");
    assert_eq!(text("a.txt", "STORED AS CSV OPTIONS (header 'false')").await, "1,,false\n2,word 2,false\n");
    assert_eq!(text("b.csv", "STORED AS TSV").await, "id\ts\tpaid\n1\t\tfalse\n2\tword 2\tfalse\n");
    assert!(text("a.json", "OPTIONS (lines false)").await.starts_with("[{"));
    let large = |name: &str, codec: &str| format!("COPY n TO '{}' OPTIONS (compression {codec})", path(name).display());
    copy(&ctx, &large("none.parquet", "none")).await;
    copy(&ctx, &large("zstd.parquet", "zstd")).await;
    let size = |name: &str| fs::metadata(path(name)).unwrap().len();
    assert!(size("zstd.parquet") < size("none.parquet") * 3 / 4);
    // 34,000 rows are two pages, or three of at most 16,384 rows for GPUs, each with a header.
    let pages = async |name: &str, for_gpu: bool| {
        let rows = "(SELECT a.id FROM n a, (SELECT id FROM n ORDER BY id LIMIT 100) b ORDER BY a.id LIMIT 34000)";
        let path = path(name).display().to_string();
        copy(&ctx, &format!("COPY {rows} TO '{path}' OPTIONS (compression none, for_gpu {for_gpu})")).await
    };
    assert_eq!(pages("cpu.parquet", false).await, 34_000);
    assert_eq!(pages("gpu.parquet", true).await, 34_000);
    assert!(size("gpu.parquet") > size("cpu.parquet"));
    assert_eq!(CsvReader::open(path("a.csv")).unwrap().delimiter(b';').has_header(false).read().unwrap().num_rows(), 2);
}

/// Tables of DataFusion, scans alone, views of text and several partitions, and a session without paths.
#[tokio::test]
async fn other_plans_than_islands_are_written() {
    let folder = file();
    let options = options();
    let ctx = session(&folder, &options);
    let path = folder.path().join("a.parquet").display().to_string();
    let again = async |ctx: &SessionContext, what: &str| {
        let count = copy(ctx, &format!("COPY {what} TO '{path}'")).await;
        let rows = ParquetReader::open(&path).unwrap().read().unwrap().to_arrow().unwrap();
        assert_eq!(rows.num_rows() as u64, count, "{what}");
        rows
    };
    assert_eq!(again(&ctx, "n").await, rows());
    let texts: StringViewArray = [Some("a long text that is not inlined"), None, Some("b")].into_iter().collect();
    let batch = RecordBatch::try_from_iter([("t", Arc::new(texts) as _)]).unwrap();
    let memory = MemTable::try_new(batch.schema(), vec![vec![batch.clone()], vec![batch]]).unwrap();
    ctx.register_table("m", Arc::new(memory)).unwrap();
    for what in [
        "m",
        "(SELECT t FROM m ORDER BY t)",
        "(SELECT t || 'x' AS t FROM m)",
        "(SELECT t FROM m UNION ALL SELECT s FROM n)",
    ] {
        let rows = again(&ctx, what).await;
        assert_eq!(rows.schema().field(0).data_type(), &DataType::Utf8, "{what}");
        let inner = what.trim_matches(['(', ')']);
        let expected = found(&ctx, &if what == "m" { "SELECT * FROM m".to_owned() } else { inner.to_owned() }).await;
        assert_eq!(lines(&[rows]), lines(&expected), "{what}");
    }
    let arrow = folder.path().join("m.arrow");
    copy(&ctx, &format!("COPY m TO '{}'", arrow.display())).await;
    let read = IpcReader::open(&arrow).unwrap().read().unwrap();
    assert_eq!(read.schema().field(0).data_type(), &DataType::Utf8);
    let plain = SessionContext::new().with_gdf(options.clone());
    plain.register_table("n", Arc::new(GdfFiles::open(folder.path().join("n.parquet")).unwrap())).unwrap();
    assert_eq!(again(&plain, "n").await, rows());
    let csv = folder.path().join("plain.csv").display().to_string();
    assert_eq!(copy(&plain, &format!("COPY n TO '{csv}'")).await, ROWS as u64);
    // The source of a copy may be its target.
    let source = folder.path().join("n.parquet").display().to_string();
    copy(&ctx, &format!("COPY (SELECT id FROM n WHERE id < 10) TO '{source}'")).await;
    assert_eq!(found(&ctx, &format!("SELECT id FROM '{source}'")).await[0].num_rows(), 10);
}

#[tokio::test]
async fn plan_caches_copy_each_time() {
    let folder = file();
    let cache = PlanCache::new(session(&folder, &options()), 10);
    let path = folder.path().join("a.csv");
    let statement = format!("COPY (SELECT id, id AS id FROM n WHERE id < 3) TO '{}'", path.display());
    for _ in 0..2 {
        let rows = cache.collect(&statement, &[]).await.unwrap();
        assert_eq!(rows[0].column(0).as_primitive::<UInt64Type>().value(0), 3);
        assert_eq!(fs::read_to_string(&path).unwrap(), "id,id_1\n0,0\n1,1\n2,2\n");
        fs::remove_file(&path).unwrap();
    }
    assert_eq!(cache.hits(), 0);
    let refused = async |statement: &str| cache.collect(statement, &[]).await.unwrap_err().to_string();
    let error = refused("COPY n TO 'a.csv' STORED AS XLS").await;
    assert!(error.contains("COPY TO 'a.csv': there is no format XLS"), "{error}");
    for target in ["a.xls", "a"] {
        let error = refused(&format!("COPY n TO '{target}'")).await;
        assert!(error.contains("does not tell the format; use .parquet"), "{error}");
    }
}

#[tokio::test]
async fn a_result_without_rows_has_columns() {
    let folder = file();
    let ctx = session(&folder, &options());
    for name in ["a.parquet", "a.arrow", "a.csv"] {
        let path = folder.path().join(name).display().to_string();
        assert_eq!(copy(&ctx, &format!("COPY ({KEPT} AND id < 0) TO '{path}'")).await, 0);
        let schema = ctx.sql(&format!("SELECT * FROM '{path}'")).await.unwrap().schema().as_arrow().clone();
        let names: Vec<&str> = schema.fields().iter().map(|field| field.name().as_str()).collect();
        assert_eq!(names, ["id", "y", "s", "price", "day", "paid"], "{name}");
    }
    let path = folder.path().join("a.json");
    assert_eq!(copy(&ctx, &format!("COPY ({KEPT} AND id < 0) TO '{}'", path.display())).await, 0);
    assert_eq!(fs::read_to_string(path).unwrap(), "");
}

#[tokio::test]
async fn the_memory_of_a_copy_does_not_grow_with_the_file() {
    let folder = file();
    let statistics = StatisticsResource::new(current_resource(device()).unwrap());
    let options = options().with_memory_resource(Resource::new(statistics.clone())).with_piece_rows(1_000);
    let ctx = session(&folder, &options);
    let path = folder.path().join("a.parquet");
    let count = copy(&ctx, &format!("COPY ({KEPT}) TO '{}'", path.display())).await;
    assert_eq!((count, options.counts().islands), (51_429, 1));
    // A GPU computes all rows at once.
    if device().is_cpu() {
        let (peak, whole) = (statistics.statistics().bytes.peak as usize, rows().get_array_memory_size());
        // Each thread works on a piece of 1,000 rows, and the results of two wait.
        let pieces = 3 * gdf_core::thread_count() + 9;
        let most = whole * pieces * 1_000 / ROWS as usize;
        assert!(peak > 0 && peak < most.min(whole), "peak {peak} of {whole} bytes");
    }
}

#[tokio::test]
async fn an_error_in_the_middle_leaves_nothing_and_keeps_a_file() {
    let folder = file();
    let path = folder.path().join("a.csv");
    let overflow =
        format!("COPY (SELECT CAST(CASE WHEN id = {} THEN 300 ELSE 1 END AS TINYINT) AS x, s FROM n)", ROWS - 1);
    for fallback in [Fallback::Forbidden, Fallback::Allowed] {
        let options = options().with_fallback(fallback).with_piece_rows(1_000);
        let ctx = session(&folder, &options);
        refused(&ctx, &format!("{overflow} TO '{}'", path.display())).await;
        assert_eq!((names(&folder), options.counts().islands), (vec!["n.parquet".to_owned()], 0));
        fs::write(&path, "old").unwrap();
        refused(&ctx, &format!("{overflow} TO '{}'", path.display())).await;
        assert_eq!(fs::read_to_string(&path).unwrap(), "old");
        assert_eq!(names(&folder), ["a.csv", "n.parquet"]);
        fs::remove_file(&path).unwrap();
    }
    // An error of the file is no reason for a fallback.
    let options = options().with_fallback(Fallback::Allowed);
    let ctx = session(&folder, &options);
    let gone = folder.path().join("gone/a.csv");
    let error = refused(&ctx, &format!("COPY ({KEPT}) TO '{}'", gone.display())).await;
    assert!(matches!(IslandError::of(&error), Some(IslandError::File(_))), "{error}");
    assert!(error.to_string().contains("gone/a.csv"), "{error}");
    assert_eq!(options.counts().fallbacks, 0);
}

#[tokio::test]
async fn a_fallback_begins_the_file_again() {
    let folder = file();
    let path = folder.path().join("a.csv");
    let expected = lines_in_order(&found(&session(&folder, &options()), KEPT).await);
    let faulty = |faults: &[Fault]| {
        let resource = FaultInjectionResource::new(current_resource(device()).unwrap(), faults.iter().copied());
        let options = options().with_fallback(Fallback::Allowed).with_piece_rows(1_000);
        (options.with_memory_resource(Resource::new(resource.clone())), resource)
    };
    let statement = format!("COPY ({KEPT}) TO '{}'", path.display());
    let (options, resource) = faulty(&[]);
    copy(&session(&folder, &options), &statement).await;
    let seen = resource.seen();
    // Most rows are written already when these allocations fail.
    for number in [seen / 2, seen - seen / 8] {
        let (options, _) = faulty(&[Fault::From(number)]);
        let ctx = session(&folder, &options);
        assert_eq!(copy(&ctx, &statement).await, expected.len() as u64, "allocation {number}");
        assert_eq!((options.counts().islands, options.counts().fallbacks), (0, 1), "allocation {number}");
        let read = found(
            &session(&folder, &self::options()),
            &format!("SELECT id, y, s, CAST(price AS DECIMAL(12, 2)) AS price, day, paid FROM '{}'", path.display()),
        )
        .await;
        assert_eq!(lines_in_order(&read), expected, "allocation {number}");
    }
}

#[tokio::test]
async fn what_a_copy_cannot_do_is_refused() {
    let folder = file();
    let ctx = session(&folder, &options());
    let target = |name: &str| folder.path().join(name).display().to_string();
    for (rest, part) in [
        (
            format!("'{}' OPTIONS (color 'red')", target("a.parquet")),
            "there is no option color; files of the format parquet have the options compression, for_gpu and row_group_rows",
        ),
        (format!("'{}' OPTIONS (compression 'xz')", target("a.parquet")), "found 'xz'"),
        (format!("'{}' OPTIONS (delimiter ';;')", target("a.csv")), "the option delimiter takes an ASCII character"),
        (format!("'{}' PARTITIONED BY (paid)", target("a.parquet")), "PARTITIONED BY is not supported"),
        (format!("'{}' STORED AS CSV PARTITIONED BY (paid)", target("a")), "PARTITIONED BY is not supported"),
        (format!("'{}/' STORED AS CSV", target("new")), "the target is a folder"),
        (format!("'{}' STORED AS CSV", folder.path().display()), "the target is a folder"),
        (format!("'{}'", target("a.parquet.gz")), "the extension names no format"),
        ("'s3://bucket/a.csv'".to_owned(), "gdf writes to file systems only"),
        (format!("'{}' OPTIONS (single_file_output false)", target("a.csv")), "there is no option single_file_output"),
    ] {
        let error = refused(&ctx, &format!("COPY n TO {rest}")).await.to_string();
        assert!(error.contains(part), "{rest}: {error}");
    }
    assert_eq!(names(&folder), ["n.parquet"]);
}

#[tokio::test]
async fn explain_shows_the_copy_and_writes_nothing() {
    let folder = file();
    let ctx = session(&folder, &options());
    let path = folder.path().join("a.csv").display().to_string();
    let statement = format!("COPY ({KEPT}) TO '{path}' OPTIONS (delimiter ';')");
    let plan = ctx.sql(&statement).await.unwrap().create_physical_plan().await.unwrap();
    let text = explain(&plan);
    assert!(text.starts_with(&format!("GdfCopyExec: path={path}, format=csv\n  GdfExec: ")), "{text}");
    let shown = found(&ctx, &format!("EXPLAIN {statement}")).await;
    let shown = lines_in_order(&shown).join("\n");
    assert!(shown.contains("CopyTo: format=csv") && shown.contains(&text), "{shown}");
    assert_eq!(names(&folder), ["n.parquet"]);
    let analyzed = found(&ctx, &format!("EXPLAIN ANALYZE {statement}")).await;
    let analyzed = lines_in_order(&analyzed).join("\n");
    assert!(analyzed.contains("GdfCopyExec") && analyzed.contains("Pipelines of island 1"), "{analyzed}");
    assert_eq!(names(&folder), ["a.csv", "n.parquet"]);
}

/// The stream of the statement is dropped while the file is written.
#[tokio::test(flavor = "multi_thread")]
async fn a_canceled_copy_leaves_no_file() {
    let folder = file();
    let source = folder.path().join("n.parquet");
    let many = tempfile::tempdir().unwrap();
    for number in 0..60 {
        fs::hard_link(&source, many.path().join(format!("{number}.parquet"))).unwrap();
    }
    for (what, is_island) in [("id + 1 AS id, s, x", true), ("*", false)] {
        let options = options();
        let ctx = session(&folder, &options);
        let to = folder.path().join("a.csv").display().to_string();
        let statement = format!("COPY (SELECT {what} FROM '{}/*.parquet') TO '{to}'", many.path().display());
        let plan = ctx.sql(&statement).await.unwrap().create_physical_plan().await.unwrap();
        assert_eq!(plan.children()[0].name() == "GdfExec", is_island, "{}", explain(&plan));
        let mut stream = ctx.sql(&statement).await.unwrap().execute_stream().await.unwrap();
        let begun = async {
            while names(&folder).len() == 1 {
                tokio::time::sleep(Duration::from_micros(200)).await;
            }
        };
        tokio::select! {
            _ = stream.next() => panic!("the statement is faster than the test"),
            () = begun => {}
        }
        assert!(!Path::new(&to).exists(), "a file has its name before it is complete");
        drop(stream);
        let dropped = Instant::now();
        while names(&folder).len() > 1 {
            assert!(dropped.elapsed() < Duration::from_secs(60), "{:?} are left", names(&folder));
            tokio::time::sleep(Duration::from_millis(1)).await;
        }
        // A thread that goes on would give the file its name later.
        tokio::time::sleep(Duration::from_millis(200)).await;
        assert_eq!((names(&folder), options.counts().islands), (vec!["n.parquet".to_owned()], 0));
    }
}
