//! Tests of lazy frames over files: their results equal those of frames in memory, they read only what they need, and
//! they stay below a limit of memory. The tests run on the CPU, or on a GPU with `GDF_TEST_DEVICE=cuda:0`.

use std::path::{Path, PathBuf};

use gdf::arrow::array::ArrayRef;
use gdf::frame::{DuplicateKeepOption, Frame, Join, JoinKind, LazyFrame, all, col, len, lit};
use gdf::io::{CsvReader, ParquetReader, ParquetWriter, Predicate};
use gdf::memory::{SpillManager, SpillOptions, SpillStatisticsLevel, current_resource};
use gdf::prelude::*;

fn rows(count: i64) -> Frame {
    let values: Vec<i64> = (0..count).collect();
    let keys: Vec<Option<i64>> = values.iter().map(|at| (at % 11 != 3).then_some(at * 7919 % 500)).collect();
    let texts: Vec<String> = values.iter().map(|at| format!("text {}", at % 97)).collect();
    let floats: Vec<f64> = values.iter().map(|at| *at as f64 / 4.0).collect();
    let frame = Frame::try_new([
        ("id", Column::from_slice(&values).unwrap()),
        ("k", Column::from_options(&keys).unwrap()),
        ("x", Column::from_slice(&floats).unwrap()),
        ("s", Column::from_strs(texts.iter().map(String::as_str)).unwrap()),
    ]);
    frame.unwrap()
}

type ScanFile = fn(&Path) -> gdf::Result<LazyFrame>;

/// Writes a file of each format. The Parquet file has row groups of 1,000 rows.
fn files(folder: &Path, frame: &Frame) -> Vec<(PathBuf, ScanFile)> {
    let batch = frame.to_batch().unwrap();
    let path = |name: &str| folder.join(name);
    let mut writer = ParquetWriter::new(path("t.parquet"), batch.schema()).row_group_rows(1_000);
    writer.write(&batch).unwrap();
    writer.finish().unwrap();
    gdf::io::write_csv(&batch, path("t.csv")).unwrap();
    gdf::io::write_json(&batch, path("t.json")).unwrap();
    gdf::io::write_ipc(&batch, path("t.arrow")).unwrap();
    vec![
        // A piece has one row group.
        (path("t.parquet"), |path| LazyFrame::try_from(ParquetReader::open(path)?.batch_rows(1_000))),
        (path("t.csv"), |path| LazyFrame::scan_csv(path)),
        (path("t.json"), |path| LazyFrame::scan_json(path)),
        (path("t.arrow"), |path| LazyFrame::scan_ipc(path)),
    ]
}

fn test_device() -> Device {
    std::env::var("GDF_TEST_DEVICE").map_or(Device::Cpu, |device| device.parse().expect("GDF_TEST_DEVICE is a device"))
}

type Verb = fn(LazyFrame) -> LazyFrame;

/// Verbs whose results have a fixed order of rows.
const VERBS: [(&str, Verb); 22] = [
    ("nothing", |frame| frame),
    ("filter", |frame| frame.filter(col("id").ge(700)).filter(col("id").lt(4100))),
    ("or", |frame| frame.filter(col("id").lt(10) | col("s").eq("text 5")).select(["id", "s"])),
    ("nulls", |frame| frame.filter(col("k").is_null() & col("x").gt(3.5)).select([col("id").sum(), len()])),
    ("with", |frame| frame.with([(col("id") * 2).alias("y")]).filter(col("y").lt(100)).drop("x")),
    ("len", |frame| frame.select([len()])),
    ("literal", |frame| frame.filter(col("id").ge(700)).select([lit(1).alias("one")])),
    ("chain", |frame| (0..250).fold(frame, |frame, _| frame.with([col("id") + 1])).filter(col("id").lt(3_000))),
    ("mean", |frame| frame.filter(col("x").gt(col("x").mean())).select(["x"])),
    ("mean first", |frame| frame.filter(col("x").lt(col("x").mean())).filter(col("id").ge(2_000)).select(["x"])),
    ("over first", |frame| {
        let first = col("x").lt(col("x").mean().over(["s"]));
        frame.filter(first).filter(col("id").ge(3_000)).select(["id"])
    }),
    ("deep", |frame| {
        let deep = (0..120).fold(col("id"), |sum, _| sum + 1).alias("d");
        frame.filter(col("id").ge(10)).select([deep]).filter(col("d").lt(3_000))
    }),
    ("group_by", |frame| frame.group_by(["k"]).agg([col("x").sum(), len()]).sort(["k"])),
    ("over", |frame| frame.filter(col("id").gt(50)).select([col("id"), col("x").max().over(["k"]).alias("m")])),
    ("sort", |frame| frame.sort([col("s").asc(), col("id").desc()]).head(20)),
    ("distinct", |frame| frame.select(["s"]).distinct(all(), DuplicateKeepOption::Any).sort(["s"])),
    ("slice", |frame| frame.slice(995, 2_010)),
    ("tail", |frame| frame.tail(3)),
    ("drop_nulls", |frame| frame.drop_nulls(["k"]).filter(col("id").gt(9)).select([col("k").sum(), len()])),
    ("cross_join", |frame| {
        let right = Frame::try_new([("c", Column::from_slice(&[1, 2]).unwrap())]).unwrap();
        frame.filter((col("id") % 100).eq(1)).cross_join(right.lazy(), "_r").select([col("id") * col("c")])
    }),
    ("reverse", |frame| frame.filter(col("id").lt(50)).reverse()),
    ("none", |frame| frame.filter(col("id").lt(0)).group_by(["k"]).agg([col("x").max()])),
];

fn columns(frame: &Frame) -> (Vec<String>, Vec<ArrayRef>) {
    let rows = frame.to_device(Device::Cpu).unwrap().to_arrow().unwrap();
    (frame.names().map(str::to_owned).collect(), rows.columns().to_vec())
}

#[test]
fn scans_equal_frames_in_memory() {
    gdf::scope::with_device(test_device(), || {
        let folder = tempfile::tempdir().unwrap();
        for count in [0, 5_000] {
            let frame = rows(count);
            for (path, scan) in files(folder.path(), &frame) {
                if count == 0 && path.extension().is_some_and(|of| of == "csv" || of == "json") {
                    // These formats have no types without rows.
                    continue;
                }
                for (name, verb) in VERBS {
                    let expected = verb(frame.lazy()).collect().unwrap();
                    let lazy = verb(scan(&path).unwrap());
                    let found = lazy.collect().unwrap_or_else(|error| panic!("{name} of {}: {error}", path.display()));
                    assert_eq!(columns(&found), columns(&expected), "{name} of {}", path.display());
                    // A plan can be executed several times.
                    assert_eq!(lazy.collect().unwrap().num_rows(), expected.num_rows());
                }
                // Both sides of a join are scans.
                let join = |left: LazyFrame, right: LazyFrame| {
                    left.join(right.filter(col("id").lt(100)), Join::inner(["id"]).suffix("_r")).select(["id", "x_r"])
                };
                let expected = join(frame.lazy(), frame.lazy()).sort(["id"]).collect().unwrap();
                let found = join(scan(&path).unwrap(), scan(&path).unwrap()).sort(["id"]).collect().unwrap();
                assert_eq!(columns(&found), columns(&expected), "{}", path.display());
            }
        }
    });
}

/// Verbs after joins of a scan. The scan stays unread until one of them needs all rows.
const VERBS_OF_JOINS: [(&str, Verb); 9] = [
    ("nothing", |frame| frame.sort(["id", "v"])),
    ("filter", |frame| frame.filter(col("v").is_null() | col("v").gt(20)).sort(["id", "v"]).select(["id", "v"])),
    ("columns", |frame| frame.rename([("v", "w")]).with([(col("w") + col("id")).alias("y")]).sort(["y", "id"])),
    ("sums", |frame| frame.select([col("v").sum(), col("x").mean(), col("s").min(), len()])),
    ("groups", |frame| frame.group_by(["s"]).agg([col("v").mean(), col("x").min(), len()]).sort(["s"])),
    ("sets", |frame| frame.group_by(["s"]).agg([col("v").n_unique(), col("x").median()]).sort(["s"])),
    ("known keys", |frame| frame.group_by(["k"]).drop_null_keys().agg([col("v").count()]).sort(["k"])),
    ("mean", |frame| frame.filter(col("x").gt(col("x").mean())).select([col("id").sum()])),
    ("top", |frame| frame.sort([col("x").desc(), col("v").asc()]).slice(5, 40)),
];

#[test]
fn joins_of_scans_equal_joins_in_memory() {
    gdf::scope::with_device(test_device(), || {
        let folder = tempfile::tempdir().unwrap();
        let frame = rows(5_000);
        let paths = files(folder.path(), &frame);
        let keys: Vec<Option<i64>> = (0..700).map(|at| (at % 13 != 5).then_some(at % 300)).collect();
        let values: Vec<i32> = (0..700).map(|at| at * 31 % 57).collect();
        let right = [("k", Column::from_options(&keys).unwrap()), ("v", Column::from_slice(&values).unwrap())];
        let right = Frame::try_new(right).unwrap();
        let kinds = [JoinKind::Inner, JoinKind::Left, JoinKind::Right, JoinKind::Full, JoinKind::Semi, JoinKind::Anti];
        for (kind, nulls) in kinds.into_iter().flat_map(|kind| [(kind, false), (kind, true)]) {
            let joined = |left: LazyFrame| {
                let joined =
                    left.filter(col("id").ne(77)).join(right.lazy(), Join::new(kind, ["k"]).nulls_equal(nulls));
                match kind {
                    JoinKind::Semi | JoinKind::Anti => joined.with([(col("id") * 3 % 50).alias("v")]),
                    _ => joined,
                }
            };
            for (name, verb) in VERBS_OF_JOINS {
                let expected = verb(joined(frame.lazy())).collect().unwrap();
                for (path, scan) in &paths[..2] {
                    let found = verb(joined(scan(path).unwrap())).collect();
                    let found = found.unwrap_or_else(|error| panic!("{name} of a {kind:?} join: {error}"));
                    assert_eq!(columns(&found), columns(&expected), "{name} of a {kind:?} join, {}", path.display());
                    assert_eq!(found.schema(), expected.schema(), "{name} of a {kind:?} join");
                }
            }
        }
        // Further joins look up the rows of the first.
        let chain = |frame: LazyFrame| {
            let names = right.lazy().filter(col("v").lt(9)).select([col("v").alias("id"), col("k").alias("b")]);
            let twice = frame.join(right.lazy(), Join::inner(["k"])).join(names, Join::left(["id"]));
            twice.group_by(["b"]).agg([len(), col("x").sum()]).sort(["b"])
        };
        let found = chain(LazyFrame::scan_parquet(&paths[0].0).unwrap()).collect().unwrap();
        assert_eq!(columns(&found), columns(&chain(frame.lazy()).collect().unwrap()));
    });
}

#[test]
fn only_what_is_needed_is_read() {
    let folder = tempfile::tempdir().unwrap();
    let path = files(folder.path(), &rows(5_000))[0].0.clone();
    let lazy = || LazyFrame::scan_parquet(&path).unwrap();
    let shown = |lazy: LazyFrame| lazy.explain().lines().next().unwrap().replace(&path.display().to_string(), "FILE");
    let of_id = lazy().filter(col("id").gt(3).and(col("s").eq(col("s")))).select([col("x").sum()]);
    assert_eq!(shown(of_id), "scan parquet FILE: columns id, x, s, rows with id > 3");
    let of_all = lazy().filter((col("id") * 2).gt(3));
    assert_eq!(shown(of_all), "scan parquet FILE: columns id, k, x, s");
    assert_eq!(shown(lazy().select([len()])), "scan parquet FILE: columns id");
    let of_sums = lazy().with([(col("id") * 2).alias("y"), lit(1).alias("s")]).select([col("y").sum(), col("s").sum()]);
    assert_eq!(shown(of_sums), "scan parquet FILE: columns id");
    let of_renamed = lazy().rename([("id", "number")]).select([col("number").sum()]);
    assert_eq!(shown(of_renamed), "scan parquet FILE: columns id");
    // The error suggests a name among all columns of the file, of which the scan reads only some.
    let unknown = lazy().select([col("idd") + 1]).collect().unwrap_err();
    assert!(unknown.to_string().contains("a column has the similar name `id`"), "{unknown}");
    // Damaged bytes of row groups and columns that a query does not need are not noticed.
    let mut bytes = std::fs::read(&path).unwrap();
    let whole = ParquetReader::open(&path).unwrap().read().unwrap();
    assert_eq!(whole.num_rows(), 5_000);
    let half = bytes.len() / 2;
    bytes[4..half].fill(0xa5);
    std::fs::write(&path, &bytes).unwrap();
    let last = lazy().filter(col("id").ge(4_500)).select([col("id").min(), len()]).collect().unwrap();
    assert_eq!(last.column("len").unwrap().get::<i64>(0).unwrap(), Some(500));
    let damaged = lazy().select([col("id").min()]).collect().unwrap_err();
    assert!(matches!(damaged, gdf::Error::Source { .. }) && damaged.to_string().contains("t.parquet"), "{damaged}");
}

#[test]
fn scans_stay_below_a_limit_and_spill_nothing_that_is_only_read() {
    let device = test_device();
    let folder = tempfile::tempdir().unwrap();
    let (count, limit) = (100_000, 2 << 20);
    let path = gdf::scope::with_device(device, || files(folder.path(), &rows(count))[0].0.clone());
    let options = SpillOptions::new().with_hard_limit(limit).with_statistics(SpillStatisticsLevel::Transfers);
    let manager = SpillManager::new(current_resource(device).unwrap(), options);
    let run = |verb: &dyn Fn(LazyFrame) -> LazyFrame| {
        gdf::scope::with_device(device, || {
            let scan = || verb(LazyFrame::scan_parquet(&path).unwrap()).collect_batches().unwrap();
            gdf::scope::with_resource(&manager.resource(), scan)
        })
    };
    let sums = run(&|frame| frame.group_by(["k"]).agg([col("x").sum(), len()]));
    assert_eq!(sums.iter().map(Frame::num_rows).sum::<usize>(), 501);
    let statistics = manager.statistics();
    assert_eq!(statistics.device_to_disk.bytes + statistics.device_to_host.bytes, 0, "{statistics}");
    let sorted = run(&|frame| frame.sort([col("x").desc()]));
    assert_eq!(sorted.iter().map(Frame::num_rows).sum::<usize>(), count as usize);
    let joined = run(&|frame| {
        let other = LazyFrame::scan_parquet(&path).unwrap().filter(col("id").lt(1_000));
        frame.join(other.select(["id", "s"]), Join::semi(["id"]))
    });
    assert_eq!(joined.iter().map(Frame::num_rows).sum::<usize>(), 1_000);
    assert!(manager.peak_bytes() <= limit, "{}", manager.peak_bytes());
}

#[test]
fn readers_keep_their_options() {
    gdf::scope::with_device(test_device(), || {
        let folder = tempfile::tempdir().unwrap();
        let paths = files(folder.path(), &rows(3_000));
        let parquet = ParquetReader::open(&paths[0].0).unwrap().columns(["s", "id"]).predicate(Predicate::lt("id", 10));
        let scan = LazyFrame::try_from(parquet.batch_rows(7)).unwrap();
        let found = scan.filter(col("id").gt(4)).collect().unwrap();
        assert_eq!(found.names().collect::<Vec<_>>(), ["s", "id"]);
        assert_eq!(found.column("id").unwrap().to_vec::<i64>().unwrap(), [5, 6, 7, 8, 9].map(Some));
        let text = CsvReader::open(&paths[1].0).unwrap().rows(5..8);
        let scan = LazyFrame::try_from(text).unwrap();
        assert_eq!(
            scan.select([col("id").sum()]).collect().unwrap().column("id").unwrap().get(0).unwrap(),
            Some(18_i64)
        );
    });
}

#[test]
fn files_that_cannot_be_scanned_are_errors() {
    let folder = tempfile::tempdir().unwrap();
    let absent = LazyFrame::scan_parquet(folder.path().join("absent.parquet")).unwrap_err();
    assert!(matches!(absent, gdf::Error::Source { .. }) && absent.to_string().contains("absent.parquet"), "{absent}");
    let pipe = LazyFrame::scan_csv("-").unwrap_err();
    assert!(pipe.to_string().contains("a pipe cannot be scanned"), "{pipe}");
    let path = folder.path().join("bad.csv");
    let rows: String =
        (0..20_000).map(|row| if row == 15_000 { "x\n".to_owned() } else { format!("{row}\n") }).collect();
    std::fs::write(&path, format!("a\n{rows}")).unwrap();
    let late = LazyFrame::scan_csv(&path).unwrap().select([col("a").sum()]).collect().unwrap_err();
    assert!(late.to_string().contains("line 15002"), "{late}");
}
