//! Tests tables in files of each format.

use std::fs;
use std::path::Path;
use std::sync::Arc;

use arrow_array::types::Int8Type;
use arrow_array::{
    ArrayRef, Decimal128Array, DictionaryArray, Int32Array, Int64Array, LargeStringArray, RecordBatch, StringArray,
    TimestampMicrosecondArray, TimestampSecondArray,
};
use arrow_schema::DataType;
use datafusion::catalog::TableProvider;
use datafusion::common::stats::Precision;
use datafusion::datasource::MemTable;
use datafusion::error::DataFusionError;
use datafusion::physical_plan::{StatisticsArgs, StatisticsContext, collect_partitioned};
use datafusion::prelude::{SessionConfig, SessionContext};
use gdf_datafusion::{Fallback, FileOptions, GdfFiles, GdfOptions, GdfSession, IslandError, explain};
use gdf_io::{Batch, IpcWriter, JsonWriter, ParquetWriter, write_csv};

use crate::kit::{Checked, device, is_whole, lines};
use crate::small::batch;

/// Writes a table to a file of each format, without the columns that CSV and JSON cannot store.
fn written(folder: &Path, of: &RecordBatch) {
    let rows = Batch::from_arrow(of).unwrap();
    let schema = rows.schema().clone();
    let mut parquet = ParquetWriter::new(folder.join("a.parquet"), &schema).row_group_rows(16);
    parquet.write(&rows).unwrap();
    parquet.finish().unwrap();
    let mut arrow = IpcWriter::new(folder.join("a.arrow"), &schema);
    arrow.write(&rows).unwrap();
    arrow.finish().unwrap();
    write_csv(&rows, folder.join("a.csv")).unwrap();
    let plain = rows.select(&["aid", "ak", "av", "as"]).unwrap();
    let mut json = JsonWriter::new(folder.join("a.json"), plain.schema());
    json.write(&plain).unwrap();
    json.finish().unwrap();
}

fn table(path: &Path) -> Checked {
    let ctx = SessionContext::new();
    ctx.register_table("a", Arc::new(GdfFiles::open(path).unwrap())).unwrap();
    Checked::new(ctx)
}

const QUERIES: [&str; 8] = [
    "SELECT ak, sum(av), count(*) FROM a GROUP BY ak",
    "SELECT aid + 1 FROM a WHERE av > 10 AND ak = 3",
    "SELECT aid, \"as\" FROM a WHERE \"as\" >= 'a' OR av IS NULL ORDER BY aid",
    // DataFusion reads the partitions at the same time. The rows differ from run to run, and only their number is
    // fixed.
    "SELECT sum(aid * 0 + 1) FROM (SELECT aid FROM a WHERE ak IN (1, 2) LIMIT 3) AS first_rows",
    "SELECT sum(aid * 0 + 1) FROM (SELECT aid FROM a LIMIT 7) AS first_rows",
    "SELECT sum(av) FROM a WHERE av < -5000",
    "SELECT x.aid, y.aid FROM a x JOIN a y ON x.ak = y.ak AND x.av < y.av",
    "SELECT count(*) FROM a WHERE ak <> 2 AND av BETWEEN -100 AND 700",
];

#[tokio::test]
async fn every_format_is_the_leaf_of_an_island() {
    let folder = tempfile::tempdir().unwrap();
    let of = batch("a", 60, 1);
    written(folder.path(), &of);
    let resident = SessionContext::new();
    resident.register_table("a", Arc::new(MemTable::try_new(of.schema(), vec![vec![of]]).unwrap())).unwrap();
    for name in ["a.parquet", "a.arrow", "a.csv", "a.json"] {
        let checked = table(&folder.path().join(name));
        for query in QUERIES {
            let found = checked.whole(query).await;
            let plan = checked.plan(query).await.unwrap();
            assert!(plan.children().is_empty(), "{name}: {query}\n{}", explain(&plan));
            // CSV does not distinguish empty text from null.
            if name != "a.csv" {
                let expected = resident.sql(query).await.unwrap().collect().await.unwrap();
                assert_eq!(lines(&found), lines(&expected), "{name}: {query}");
            }
        }
    }
    for name in ["a.parquet", "a.arrow"] {
        let checked = table(&folder.path().join(name));
        for query in [
            "SELECT count(*), min(aw), max(ad), sum(am) FROM a WHERE at > TIMESTAMP '1990-01-01 00:00:00'",
            "SELECT aid + 0, aw FROM a WHERE ad < DATE '1990-05-01' AND am > 0.05 AND NOT ab",
            "SELECT aid, af FROM a WHERE af > 1.5 OR af < -1 ORDER BY aid",
            "SELECT aw, count(*) FROM a WHERE aw <> 'a' AND au >= 7 GROUP BY aw",
        ] {
            let found = checked.whole(query).await;
            let expected = resident.sql(query).await.unwrap().collect().await.unwrap();
            assert_eq!(lines(&found), lines(&expected), "{name}: {query}");
        }
    }
}

#[tokio::test]
async fn columns_conditions_and_limits_are_part_of_the_scan() {
    let folder = tempfile::tempdir().unwrap();
    written(folder.path(), &batch("a", 60, 1));
    let checked = table(&folder.path().join("a.parquet"));
    let text = async |query: &str| explain(&checked.plan(query).await.unwrap());
    let shown = text("SELECT aid + 1 FROM a WHERE av > 10 AND \"as\" = 'a'").await;
    assert!(shown.contains("columns=[aid]") && !shown.contains("FilterExec"), "{shown}");
    assert!(shown.contains("predicate=(av > 10 and as = \"a\")"), "{shown}");
    let shown = text("SELECT aid + 1 FROM a WHERE af > 1.5").await;
    assert!(shown.contains("FilterExec") && !shown.contains("predicate="), "{shown}");
    let shown = text("SELECT aid FROM a WHERE av > 10 LIMIT 3").await;
    assert!(shown.contains("limit=3"), "{shown}");
    // The number of rows is in the metadata of the file.
    let shown = text("SELECT count(*) FROM a").await;
    assert!(!shown.contains("GdfFilesExec"), "{shown}");
    let rows = checked.ctx.sql("SELECT count(*) FROM a").await.unwrap().collect().await.unwrap();
    assert_eq!(rows[0].column(0).as_ref(), &Int64Array::from(vec![60]));
}

/// A limit without a filter is exact: each partition applies it to its own rows.
#[tokio::test]
async fn partitions_have_the_number_of_rows_that_they_state() {
    let folder = tempfile::tempdir().unwrap();
    written(folder.path(), &batch("a", 60, 1));
    let ctx = SessionContext::new_with_config(SessionConfig::new().with_target_partitions(7));
    let table = GdfFiles::open(folder.path().join("a.parquet")).unwrap();
    for limit in [None, Some(7), Some(0), Some(100)] {
        let plan = table.scan(&ctx.state(), None, &[], limit).await.unwrap();
        let counts: Vec<usize> = collect_partitioned(Arc::clone(&plan), ctx.task_ctx())
            .await
            .unwrap()
            .iter()
            .map(|batches| batches.iter().map(RecordBatch::num_rows).sum())
            .collect();
        let stated = |partition| {
            let args = StatisticsArgs::new().with_partition(partition);
            StatisticsContext::new().compute(plan.as_ref(), &args).unwrap().num_rows
        };
        assert_eq!(counts.len(), 7);
        for (partition, count) in counts.iter().enumerate() {
            assert_eq!(stated(Some(partition)), Precision::Exact(*count), "{limit:?}, {partition}");
        }
        assert_eq!(stated(None), Precision::Exact(counts.iter().sum()), "{limit:?}");
    }
}

#[tokio::test]
async fn scans_outside_of_islands_give_batches_of_the_session() {
    let folder = tempfile::tempdir().unwrap();
    written(folder.path(), &batch("a", 60, 1));
    let ctx = SessionContext::new_with_config(SessionConfig::new().with_batch_size(25));
    let ctx = GdfFiles::by_path(ctx).with_gdf(GdfOptions::on(device()));
    let rows = async |query: String| ctx.sql(&query).await?.collect().await;
    let path = folder.path().join("a.parquet").display().to_string();
    let sizes =
        async |query: String| -> Vec<usize> { rows(query).await.unwrap().iter().map(RecordBatch::num_rows).collect() };
    let of_all = sizes(format!("SELECT * FROM '{path}'")).await;
    assert!(of_all.iter().sum::<usize>() == 60 && of_all.iter().all(|rows| *rows <= 25), "{of_all:?}");
    assert_eq!(sizes(format!("SELECT aw FROM '{path}' LIMIT 30")).await.iter().sum::<usize>(), 30);
    assert_eq!(sizes(format!("SELECT aw FROM '{path}' WHERE ak = 1 LIMIT 2")).await, [2]);
    let error = rows("SELECT * FROM 'none.parquet'".to_owned()).await.unwrap_err();
    assert!(error.to_string().contains("none.parquet does not exist"), "{error}");
    let error = rows("SELECT * FROM trips".to_owned()).await.unwrap_err();
    assert!(matches!(error.find_root(), DataFusionError::Plan(_)), "{error}");
    let damaged = folder.path().join("damaged.parquet");
    fs::write(&damaged, "PAR1").unwrap();
    let error = rows(format!("SELECT * FROM '{}'", damaged.display())).await.unwrap_err();
    assert!(matches!(IslandError::of(&error), Some(IslandError::File(_))), "{error:?}");
}

#[tokio::test]
async fn folders_and_patterns_are_one_table() {
    let folder = tempfile::tempdir().unwrap();
    for (year, values) in [(2024, "1\n2\n"), (2025, "3\n"), (2026, "4\n5\n")] {
        let part = folder.path().join(format!("sales/year={year}"));
        fs::create_dir_all(&part).unwrap();
        fs::write(part.join("part.csv"), format!("x\n{values}")).unwrap();
    }
    let checked = Checked::new(GdfFiles::by_path(SessionContext::new()));
    let (all, some) = (folder.path().join("sales"), folder.path().join("sales/*/*.csv"));
    for path in [all, some] {
        let query = format!("SELECT sum(x), count(*) FROM '{}' WHERE year > 2024", path.display());
        let rows = checked.whole(&query).await;
        assert_eq!(rows[0].column(0).as_ref(), &Int64Array::from(vec![12]));
    }
    let tabs = folder.path().join("tabs");
    fs::create_dir(&tabs).unwrap();
    fs::write(tabs.join("part.tsv"), "x\ty\n1\t2\n3\t4\n").unwrap();
    let rows = checked.whole(&format!("SELECT sum(y), count(*) FROM '{}' WHERE x > 0", tabs.display())).await;
    assert_eq!(rows[0].column(0).as_ref(), &Int64Array::from(vec![6]));
    let error = GdfFiles::open(folder.path().join("none")).unwrap_err();
    assert!(error.to_string().contains("cannot be read"), "{error}");
    fs::write(folder.path().join("sales/year=2024/x.json"), "{}").unwrap();
    let error = GdfFiles::open(folder.path().join("sales")).unwrap_err();
    assert!(error.to_string().contains("several formats"), "{error}");
}

#[cfg(unix)]
#[test]
fn formats_are_found_in_linked_folders() {
    let folder = tempfile::tempdir().unwrap();
    let path = |name: &str| folder.path().join(name);
    fs::create_dir_all(path("real/deep")).unwrap();
    fs::create_dir(path("sales")).unwrap();
    fs::write(path("real/deep/part.csv"), "x\n1\n").unwrap();
    for (to, link) in [("../real", "sales/link"), ("..", "real/deep/up")] {
        std::os::unix::fs::symlink(to, path(link)).unwrap();
    }
    // Only text formats are compressed as whole files, so this file has no known format.
    fs::write(path("sales/old.parquet.gz"), "").unwrap();
    assert_eq!(GdfFiles::open(path("sales")).unwrap().format().name(), "csv");
}

#[tokio::test]
async fn files_that_change_are_read_again_or_refused() {
    let folder = tempfile::tempdir().unwrap();
    let path = folder.path().join("x.parquet");
    let write = |name: &str, values: Vec<i64>| {
        let column = Arc::new(Int64Array::from(values)) as _;
        let rows = Batch::from_arrow(&RecordBatch::try_from_iter([(name, column)]).unwrap()).unwrap();
        gdf_io::write_parquet(&rows, &path).unwrap();
    };
    write("x", vec![1, 2, 3]);
    let ctx = SessionContext::new();
    ctx.register_table("x", Arc::new(GdfFiles::open(&path).unwrap())).unwrap();
    let checked = Checked::new(ctx);
    let counted = async |query: &str| {
        let rows = checked.any(query).await;
        rows[0].column(0).as_any().downcast_ref::<Int64Array>().unwrap().value(0)
    };
    assert_eq!(counted("SELECT count(*) FROM x").await, 3);
    write("x", vec![1, 2, 3, 4]);
    assert_eq!(counted("SELECT count(*) FROM x").await, 4);
    assert_eq!(counted("SELECT sum(x) FROM x").await, 10);
    let plan = checked.plan("SELECT sum(x) FROM x").await.unwrap();
    assert!(is_whole(&plan));
    write("y", vec![1]);
    let error = checked.plan("SELECT sum(x) FROM x").await.unwrap_err();
    assert!(matches!(IslandError::of(&error), Some(IslandError::Changed { .. })), "{error:?}");
    let error = checked.found(&plan).await.unwrap_err();
    assert!(IslandError::of(&error).is_some(), "{error:?}");
}

/// Types of JSON come from the first records. A scan that looked for them again would miss a member that begins later.
#[tokio::test]
async fn types_of_json_are_inferred_once() {
    let folder = tempfile::tempdir().unwrap();
    let path = folder.path().join("t.jsonl");
    fs::write(&path, "{\"a\": 1, \"b\": 2}\n").unwrap();
    let ctx = SessionContext::new().with_gdf(GdfOptions::on(device()));
    ctx.register_table("t", Arc::new(GdfFiles::open(&path).unwrap())).unwrap();
    let sum = async || ctx.sql("SELECT sum(b) FROM t").await?.collect().await;
    assert_eq!(sum().await.unwrap()[0].column(0).as_ref(), &Int64Array::from(vec![2]));
    fs::write(&path, "{\"a\": 1}\n".repeat(10_001) + "{\"a\": 2, \"b\": 5}\n").unwrap();
    assert_eq!(sum().await.unwrap()[0].column(0).as_ref(), &Int64Array::from(vec![5]));
    // A member without a column is an error, as for a table that is opened now.
    fs::write(&path, "{\"a\": 1, \"b\": 2}\n{\"a\": 1, \"b\": 2, \"c\": 3}\n").unwrap();
    let all = ctx.sql("SELECT * FROM t").await.unwrap().collect().await.unwrap_err().to_string();
    assert!(all.contains("line 2") && all.contains('c'), "{all}");
}

#[tokio::test]
async fn several_paths_are_one_table() {
    let folder = tempfile::tempdir().unwrap();
    let path = |name: &str| folder.path().join(name);
    for (name, text) in [("a.csv", "x;y\n1;1,5\n"), ("b.csv", "x;y\n2;-\n"), ("c.tsv", "x\ty\n2\t3\n")] {
        fs::write(path(name), text).unwrap();
    }
    let options = FileOptions::new().delimiter(b';').decimal_point(b',').null("-");
    let table = GdfFiles::open_with([path("a.csv"), path("b.csv")], options.clone()).unwrap();
    let ctx = SessionContext::new().with_gdf(GdfOptions::on(device()));
    ctx.register_table("t", Arc::new(table)).unwrap();
    let rows = ctx.sql("SELECT sum(x), count(y) FROM t WHERE x > 0").await.unwrap().collect().await.unwrap();
    assert_eq!(rows[0].column(0).as_ref(), &Int64Array::from(vec![3]));
    assert_eq!(rows[0].column(1).as_ref(), &Int64Array::from(vec![1]));
    let mixed = GdfFiles::open_with([path("a.csv"), path("c.tsv")], options).unwrap_err().to_string();
    assert!(mixed.contains("csv") && mixed.contains("tsv"), "{mixed}");
    assert!(GdfFiles::open_with([""; 0], FileOptions::new()).is_err());
}

#[tokio::test]
async fn lists_of_any_length_are_part_of_the_scan() {
    let folder = tempfile::tempdir().unwrap();
    let path = folder.path().join("t.csv");
    let lines: String = (0..50).map(|row| format!("{}\n", row * 10_000)).collect();
    fs::write(&path, format!("a\n{lines}")).unwrap();
    let list: Vec<String> = (0..100_000).map(|number| number.to_string()).collect();
    let ctx = SessionContext::new().with_gdf(GdfOptions::on(device()));
    ctx.register_table("t", Arc::new(GdfFiles::open(&path).unwrap())).unwrap();
    for (word, expected) in [("IN", 10), ("NOT IN", 40)] {
        let query = format!("SELECT count(*) FROM t WHERE a {word} ({})", list.join(","));
        let rows = ctx.sql(&query).await.unwrap().collect().await.unwrap();
        assert_eq!(rows[0].column(0).as_ref(), &Int64Array::from(vec![expected]), "{word}");
    }
}

/// Writes columns to a Parquet file.
fn parquet<const N: usize>(path: &Path, columns: [(&str, ArrayRef); N]) {
    let rows = Batch::from_arrow(&RecordBatch::try_from_iter(columns).unwrap()).unwrap();
    let mut writer = ParquetWriter::new(path, rows.schema());
    writer.write(&rows).unwrap();
    writer.finish().unwrap();
}

#[tokio::test]
async fn files_of_a_folder_may_differ_in_width_and_unit() {
    let folder = tempfile::tempdir().unwrap();
    let words = DictionaryArray::<Int8Type>::from_iter(["a", "b"]);
    parquet(
        &folder.path().join("1.parquet"),
        [
            ("n", Arc::new(Int32Array::from(vec![1, 2])) as ArrayRef),
            ("t", Arc::new(words)),
            ("at", Arc::new(TimestampSecondArray::from(vec![1, 2]))),
        ],
    );
    parquet(
        &folder.path().join("2.parquet"),
        [
            ("n", Arc::new(Int64Array::from(vec![3, 1 << 40])) as ArrayRef),
            ("t", Arc::new(LargeStringArray::from(vec!["b", "c"]))),
            ("at", Arc::new(TimestampMicrosecondArray::from(vec![2_000_000, 3_500_000]))),
        ],
    );
    let ctx = SessionContext::new().with_gdf(GdfOptions::on(device()));
    ctx.register_table("t", Arc::new(GdfFiles::open(folder.path()).unwrap())).unwrap();
    for (query, expected) in [
        ("SELECT sum(n), count(DISTINCT t), max(at) FROM t", "1099511627782|3|1970-01-01T00:00:03.500"),
        ("SELECT n, t FROM t WHERE n > 2 AND t = 'b'", "3|b"),
        ("SELECT n FROM t WHERE at = TIMESTAMP '1970-01-01T00:00:02'", "2 3"),
    ] {
        let found = ctx.sql(query).await.unwrap().collect().await.unwrap();
        assert_eq!(lines(&found).join(" "), expected, "{query}");
    }
}

#[tokio::test]
async fn short_decimals_are_not_cast_after_the_read() {
    let folder = tempfile::tempdir().unwrap();
    let path = folder.path().join("t.parquet");
    let money = Decimal128Array::from(vec![Some(12_345), None, Some(-99)]).with_precision_and_scale(7, 2).unwrap();
    parquet(&path, [("d", Arc::new(money) as ArrayRef)]);
    let ctx = SessionContext::new().with_gdf(GdfOptions::on(device()));
    ctx.register_table("t", Arc::new(GdfFiles::open(&path).unwrap())).unwrap();
    let explained = ctx.sql("EXPLAIN ANALYZE VERBOSE SELECT sum(d) FROM t").await.unwrap().collect().await.unwrap();
    let text = datafusion::arrow::util::pretty::pretty_format_batches(&explained).unwrap().to_string();
    assert!(text.contains("read_parquet") && !text.contains("cast"), "{text}");
}

/// The file has a column of more text than offsets of 32 bits can represent. No row group has that much.
#[tokio::test]
async fn long_texts_are_read_in_pieces() {
    const ROWS: usize = 20_000;
    const PARTS: usize = 7;
    let texts: Vec<String> =
        (0..32).map(|at| ["a", "b"][at % 2].repeat((16 << 10) - 2) + &format!("{at:02}")).collect();
    let folder = tempfile::tempdir().unwrap();
    let path = folder.path().join("a.parquet");
    let numbers: ArrayRef = Arc::new(Int64Array::from_iter_values(0..ROWS as i64));
    let of_rows: ArrayRef = Arc::new(StringArray::from_iter_values((0..ROWS).map(|row| &texts[row % 32])));
    let part = RecordBatch::try_from_iter([("number", numbers), ("text", of_rows)]).unwrap();
    let part = Batch::from_arrow(&part).unwrap();
    let mut writer = ParquetWriter::new(&path, part.schema()).row_group_rows(ROWS);
    for _ in 0..PARTS {
        writer.write(&part).unwrap();
    }
    writer.finish().unwrap();
    let table = Arc::new(GdfFiles::open(&path).unwrap());
    assert_eq!(table.schema().field(1).data_type(), &DataType::Utf8);
    let ctx = SessionContext::new().with_gdf(GdfOptions::on(device()).with_fallback(Fallback::Forbidden));
    ctx.register_table("a", table).unwrap();
    let query = "SELECT count(*), sum(number), max(length(text)) FROM a WHERE text LIKE 'b%'";
    let rows = ctx.sql(query).await.unwrap().collect().await.unwrap();
    let sum = PARTS * ROWS / 2 * (ROWS / 2);
    assert_eq!(lines(&rows), [format!("{}|{sum}|{}", PARTS * ROWS / 2, 16 << 10)]);
    // The rows that are left are sorted together.
    let query = "SELECT number, length(text) FROM a WHERE number < 2 ORDER BY text, number";
    let rows = ctx.sql(query).await.unwrap().collect().await.unwrap();
    let of = |number: usize| std::iter::repeat_n(format!("{number}|{}", 16 << 10), PARTS);
    assert_eq!(lines(&rows), of(0).chain(of(1)).collect::<Vec<_>>());
}
