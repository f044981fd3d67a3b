//! Tests of results that are written batch by batch.

use gdf::frame::{Frame, Join, LazyFrame, col};
use gdf::io::{ParquetReader, ParquetWriter};
use gdf::memory::{SpillManager, SpillOptions, StatisticsResource, current_resource};
use gdf::prelude::*;
use tempfile::TempDir;

fn test_device() -> Device {
    std::env::var("GDF_TEST_DEVICE").map_or(Device::Cpu, |device| device.parse().expect("GDF_TEST_DEVICE is a device"))
}

const ROWS: i64 = 200_000;

/// Writes a Parquet file with row groups of 2,000 rows, and returns its folder and rows.
fn file() -> (TempDir, Frame) {
    let folder = tempfile::tempdir().unwrap();
    let ids: Vec<i64> = (0..ROWS).collect();
    let texts: Vec<String> = ids.iter().map(|id| format!("text {}", id % 1_013)).collect();
    let frame = Frame::try_new([
        ("id", Column::from_slice(&ids).unwrap()),
        ("x", Column::from_slice(&ids.iter().map(|id| *id as f64 / 8.0).collect::<Vec<_>>()).unwrap()),
        ("s", Column::from_strs(texts.iter().map(String::as_str)).unwrap()),
    ]);
    let batch = frame.unwrap().to_batch().unwrap();
    let mut writer = ParquetWriter::new(folder.path().join("t.parquet"), batch.schema()).row_group_rows(2_000);
    writer.write(&batch).unwrap();
    writer.finish().unwrap();
    (folder, Frame::try_from(batch).unwrap())
}

fn scan(folder: &TempDir) -> LazyFrame {
    ParquetReader::open(folder.path().join("t.parquet")).unwrap().batch_rows(4_000).try_into().unwrap()
}

fn rows(frame: &Frame) -> (Vec<String>, Vec<gdf::arrow::array::ArrayRef>) {
    let rows = frame.to_device(Device::Cpu).unwrap().to_arrow().unwrap();
    (frame.names().map(str::to_owned).collect(), rows.columns().to_vec())
}

/// A filter, a projection and a join, whose rows pass through batch by batch.
fn verbs(frame: LazyFrame, right: &Frame) -> LazyFrame {
    let kept = frame.filter((col("id") % 7).ne(3)).with([(col("x") * 2.0).alias("y")]);
    kept.join(right.lazy(), Join::semi(["s"])).drop("x")
}

#[test]
fn files_have_the_rows_of_collect() {
    gdf::scope::with_device(test_device(), || {
        let (folder, frame) = file();
        let right = frame.head(900);
        let expected = rows(&verbs(frame.lazy(), &right).collect().unwrap());
        let path = |name: &str| folder.path().join(name);
        let manager = || {
            let options = SpillOptions::new().with_hard_limit(4 << 20);
            SpillManager::new(current_resource(test_device()).unwrap(), options).resource()
        };
        let sinks = |lazy: &LazyFrame| {
            lazy.sink_parquet(path("found.parquet")).unwrap();
            lazy.sink_csv(path("found.csv")).unwrap();
            lazy.sink_json(path("found.json")).unwrap();
            lazy.sink_ipc(path("found.arrow")).unwrap();
        };
        for is_limited in [false, true] {
            let lazy = verbs(scan(&folder), &right);
            match is_limited {
                true => gdf::scope::with_resource(&manager(), || sinks(&lazy)),
                false => sinks(&lazy),
            }
            for found in [
                Frame::read_parquet(path("found.parquet")),
                Frame::read_csv(path("found.csv")),
                Frame::read_json(path("found.json")),
                Frame::read_ipc(path("found.arrow")),
            ] {
                // Below a limit, a join divides its rows by hashes.
                let found = if is_limited { found.unwrap().sort(["id"]).unwrap() } else { found.unwrap() };
                assert_eq!(rows(&found), expected, "limited: {is_limited}");
            }
        }
        // A result without rows has columns.
        scan(&folder).filter(col("id").lt(0)).sink_parquet(path("none.parquet")).unwrap();
        let none = Frame::read_parquet(path("none.parquet")).unwrap();
        assert_eq!((none.num_rows(), none.names().collect::<Vec<_>>()), (0, vec!["id", "x", "s"]));
    });
}

#[test]
fn the_memory_of_a_sink_does_not_grow_with_the_file() {
    let (folder, frame) = file();
    let statistics = StatisticsResource::new(current_resource(Device::Cpu).unwrap());
    let resource = gdf::memory::Resource::new(statistics.clone());
    let whole = frame.columns().table().alloc_size();
    gdf::scope::with_resource(&resource, || {
        verbs(scan(&folder), &frame.head(900)).sink_parquet(folder.path().join("found.parquet")).unwrap();
    });
    let peak = usize::try_from(statistics.statistics().bytes.peak).unwrap();
    assert!(peak > 0 && peak < whole / 4, "peak {peak} of {whole} bytes");
}

#[test]
fn a_sink_that_fails_leaves_no_file() {
    gdf::scope::with_device(test_device(), || {
        let (folder, _) = file();
        let path = folder.path().join("found.parquet");
        let files = || std::fs::read_dir(folder.path()).unwrap().count();
        // The last batch has the error.
        let large = gdf::frame::when(col("id").eq(ROWS - 1)).then(gdf::frame::lit(i64::MAX)).otherwise(col("id"));
        let wide = large.cast(DataType::Decimal128(38, 19)).alias("large");
        let error = scan(&folder).select([wide * 1_000_000_000_000_i64]).sink_parquet(&path).unwrap_err();
        assert!(error.to_string().contains("frame.select"), "{error}");
        assert_eq!(files(), 1);
        // The error of a consumer is passed on as it is, and ends the work.
        let mut batches = 0;
        let error = scan(&folder).filter(col("id").ge(0)).sink_batches(|_| {
            batches += 1;
            if batches < 3 { Ok(()) } else { Err(gdf::Error::invalid_argument("enough")) }
        });
        assert_eq!(error.unwrap_err().to_string(), gdf::Error::invalid_argument("enough").to_string());
        assert_eq!(batches, 3);
    });
}
