//! Tests of what footers state about columns.

use std::sync::Arc;

use arrow_array::*;
use gdf_io::{ParquetReader, ParquetWriter};

use crate::{Folder, batch};

#[test]
fn bounds_and_nulls_of_all_row_groups() {
    let folder = Folder::new();
    let path = folder.path("t.parquet");
    let rows = 0..100_i32;
    let columns: Vec<(&str, ArrayRef)> = vec![
        ("number", Arc::new(Int32Array::from_iter_values(rows.clone().map(|row| row * 37 % 101 - 50)))),
        (
            "some",
            Arc::new(Int64Array::from_iter(rows.clone().map(|row| (row / 10 % 2 == 1).then_some(i64::from(row))))),
        ),
        ("none", Arc::new(Int64Array::from_iter(rows.clone().map(|_| None)))),
        ("day", Arc::new(Date32Array::from_iter_values(rows.clone().map(|row| 9_000 - row)))),
        ("text", Arc::new(StringArray::from_iter_values(rows.clone().map(|row| format!("t{row}"))))),
    ];
    let table = RecordBatch::try_from_iter(columns).unwrap();
    let mut writer = ParquetWriter::new(&path, &table.schema()).row_group_rows(10);
    writer.write(&batch(&table)).unwrap();
    writer.finish().unwrap();
    let found = ParquetReader::open(&path).unwrap().column_statistics().unwrap();
    let names: Vec<&str> = found.iter().map(|of| of.field.name().as_str()).collect();
    assert_eq!(names, ["number", "some", "none", "day", "text"]);
    let nulls: Vec<Option<u64>> = found.iter().map(|of| of.null_count).collect();
    assert_eq!(nulls, [0, 50, 100, 0, 0].map(Some));
    let bounds = |at: usize| {
        let text = |of: &Option<gdf_core::Scalar>| of.as_ref().map(|of| of.to_string());
        (text(&found[at].min), text(&found[at].max))
    };
    let both = |min: &str, max: &str| (Some(min.to_owned()), Some(max.to_owned()));
    assert_eq!(bounds(0), both("-50", "50"));
    // Half of the row groups have only nulls.
    assert_eq!(bounds(1), both("10", "99"));
    assert_eq!((bounds(2), bounds(4)), ((None, None), (None, None)));
    assert_eq!(bounds(3), both("1994-05-16", "1994-08-23"));
    // The columns are those that the reader selects, and the rows are all.
    let one = ParquetReader::open(&path).unwrap().columns(["some"]).rows(0..3).column_statistics().unwrap();
    assert_eq!((one.len(), one[0].null_count), (1, Some(50)));
}

#[test]
fn distinct_values_of_small_dictionaries() {
    let folder = Folder::new();
    let path = folder.path("t.parquet");
    let rows = 0..3_000_i32;
    let texts = |values: i32| -> ArrayRef {
        Arc::new(StringArray::from_iter_values(rows.clone().map(|row| format!("a text {}", row % values))))
    };
    let few = Int32Array::from_iter(rows.clone().map(|row| (row % 5 > 0).then_some(row % 7 * 1_000_000)));
    let columns: Vec<(&str, ArrayRef)> =
        vec![("seven", texts(7)), ("hundred", texts(100)), ("many", texts(101)), ("few", Arc::new(few))];
    let table = RecordBatch::try_from_iter(columns).unwrap();
    let mut writer = ParquetWriter::new(&path, &table.schema()).row_group_rows(1_000);
    writer.write(&batch(&table)).unwrap();
    writer.finish().unwrap();
    let found = ParquetReader::open(&path).unwrap().column_statistics().unwrap();
    let distinct: Vec<Option<u64>> = found.iter().map(|of| of.distinct_count).collect();
    // A dictionary with more than a tenth of the rows does not tell how many values there are.
    assert_eq!(distinct, [Some(7), Some(100), None, Some(7)]);
    // A text that is longer than the dictionaries that are read.
    let long = StringArray::from_iter_values(rows.map(|row| "x".repeat(60_000) + &"y".repeat((row % 2) as usize)));
    let table = RecordBatch::try_from_iter([("long", Arc::new(long) as ArrayRef)]).unwrap().slice(0, 1_000);
    let mut writer = ParquetWriter::new(&path, &table.schema()).compression(gdf_io::Compression::Uncompressed);
    writer.write(&batch(&table)).unwrap();
    writer.finish().unwrap();
    let found = ParquetReader::open(&path).unwrap().column_statistics().unwrap();
    assert_eq!(found[0].distinct_count, None);
}
