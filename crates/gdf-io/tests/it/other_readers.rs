//! Tests what other readers see if they ignore the Arrow schema in the metadata of Parquet files.

use std::fs::File;
use std::sync::Arc;

use arrow_array::*;
use arrow_schema::{DataType, Field, Schema, TimeUnit};
use gdf_io::{Error, ParquetReader, Predicate, read_csv, read_parquet, scan_parquet, write_parquet};
use parquet::arrow::arrow_reader::{ArrowReaderOptions, ParquetRecordBatchReaderBuilder};

use crate::{Folder, batch, collect};

/// Makes columns of times in seconds and of days in milliseconds.
fn times() -> RecordBatch {
    let second = || TimestampSecondArray::from(vec![Some(1_580_628_015), None, Some(-1), Some(0)]);
    let item = Arc::new(Field::new("item", DataType::Timestamp(TimeUnit::Second, None), true));
    let offsets = arrow_buffer::OffsetBuffer::new(vec![0, 1, 1, 3, 4].into());
    let list = ListArray::new(item, offsets, Arc::new(second()), None);
    let time: ArrayRef = Arc::new(Time32SecondArray::from(vec![Some(0), Some(86_399), None, Some(1)]));
    let nested = StructArray::from(vec![(Arc::new(Field::new("time", time.data_type().clone(), true)), time.clone())]);
    let columns: Vec<(&str, ArrayRef)> = vec![
        ("at", Arc::new(second())),
        ("zoned", Arc::new(second().with_timezone("Europe/Paris"))),
        ("time", time),
        ("day", Arc::new(Date64Array::from(vec![Some(0), None, Some(-86_400_000), Some(86_400_000 * 20_000)]))),
        ("list", Arc::new(list)),
        ("struct", Arc::new(nested)),
    ];
    RecordBatch::try_from_iter_with_nullable(columns.into_iter().map(|(name, array)| (name, array, true))).unwrap()
}

/// Reads the file, but ignores the Arrow schema in its metadata.
fn seen_by_others(path: &std::path::Path) -> RecordBatch {
    let options = ArrowReaderOptions::new().with_skip_arrow_metadata(true);
    let builder = ParquetRecordBatchReaderBuilder::try_new_with_options(File::open(path).unwrap(), options).unwrap();
    builder.build().unwrap().next().unwrap().unwrap()
}

#[test]
fn seconds_and_days_are_logical_types_of_parquet() {
    let folder = Folder::new();
    let path = folder.path("t.parquet");
    write_parquet(&batch(&times()), &path).unwrap();
    let seen = seen_by_others(&path);
    let types: Vec<String> = seen.columns().iter().map(|column| column.data_type().to_string()).collect();
    let millis = DataType::Timestamp(TimeUnit::Millisecond, None).to_string();
    let zoned = DataType::Timestamp(TimeUnit::Millisecond, Some("UTC".into())).to_string();
    assert_eq!(types[..4], [millis, zoned, DataType::Time32(TimeUnit::Millisecond).to_string(), "Date32".to_owned()]);
    assert!(types[4].contains("Timestamp(ms)") && types[5].contains("Time32(ms)"), "{types:?}");
    let at = TimestampMillisecondArray::from(vec![Some(1_580_628_015_000), None, Some(-1000), Some(0)]);
    assert_eq!(seen.column(0).as_ref(), &at as &dyn Array);
    assert_eq!(seen.column(3).as_ref(), &Date32Array::from(vec![Some(0), None, Some(-1), Some(20_000)]) as &dyn Array);
}

#[test]
fn they_come_back_as_they_were() {
    let folder = Folder::new();
    let path = folder.path("t.parquet");
    write_parquet(&batch(&times()), &path).unwrap();
    assert_eq!(read_parquet(&path).unwrap().to_arrow().unwrap(), times());
    assert_eq!(collect(scan_parquet(&path).unwrap()), [times()]);
    let open = || ParquetReader::open(&path).unwrap();
    for (predicate, rows) in [
        (Predicate::lt("at", "2020-01-01T00:00:00"), 2),
        (Predicate::eq("at", "2020-02-02T07:20:15"), 1),
        (Predicate::gt_eq("zoned", "2020-02-02T08:20:15+01:00"), 1),
        (Predicate::eq("time", "23:59:59"), 1),
        (Predicate::lt("day", "1970-01-01"), 1),
    ] {
        assert_eq!(open().predicate(predicate.clone()).read().unwrap().num_rows(), rows, "{predicate}");
    }
    let millis = DataType::Timestamp(TimeUnit::Millisecond, None);
    let found = open().types([("at", millis.clone())]).unwrap().columns(["at"]).read().unwrap();
    assert_eq!(found.schema().field(0).data_type(), &millis);
    let seconds = DataType::Timestamp(TimeUnit::Second, None);
    assert_eq!(open().types([("at", seconds)]).unwrap().read().unwrap().to_arrow().unwrap(), times());
}

#[test]
fn values_that_would_not_survive_are_refused() {
    let folder = Folder::new();
    let columns: [ArrayRef; 3] = [
        Arc::new(TimestampSecondArray::from(vec![i64::MAX / 1000 + 1])),
        Arc::new(Time32SecondArray::from(vec![i32::MAX / 1000 + 1])),
        Arc::new(Date64Array::from(vec![86_400_001])),
    ];
    for column in columns {
        let fields = vec![Field::new("x", column.data_type().clone(), true)];
        let of = RecordBatch::try_new(Arc::new(Schema::new(fields)), vec![column]).unwrap();
        let error = write_parquet(&batch(&of), folder.path("t.parquet")).unwrap_err();
        assert!(matches!(&error, Error::UnsupportedValue { column, .. } if column == "x"), "{error}");
        assert!(error.to_string().contains("cast the column"), "{error}");
    }
    assert!(folder.names().is_empty());
}

#[test]
fn times_that_csv_files_are_found_to_have_can_be_written() {
    let folder = Folder::new();
    let (csv, parquet) = (folder.path("t.csv"), folder.path("t.parquet"));
    std::fs::write(&csv, "at\n2020-02-02T07:20:15\n").unwrap();
    write_parquet(&read_csv(&csv).unwrap(), &parquet).unwrap();
    let at = TimestampMicrosecondArray::from(vec![1_580_628_015_000_000]);
    assert_eq!(seen_by_others(&parquet).column(0).as_ref(), &at as &dyn Array);
}
