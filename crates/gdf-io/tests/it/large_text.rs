//! Tests columns that have more text than 32-bit offsets allow. The tests set a small limit.

use std::sync::Arc;

use arrow_array::cast::AsArray;
use arrow_array::*;
use arrow_schema::DataType;
use gdf_io::{
    Batch, CsvReader, IpcReader, JsonReader, ParquetReader, ParquetWriter, Predicate, write_csv, write_ipc, write_json,
    write_parquet,
};

use crate::{Folder, batch, collect};

/// Makes 100 rows of texts of 10 bytes, and 100 rows of texts of 1 byte.
fn table() -> RecordBatch {
    let long: ArrayRef = Arc::new(StringArray::from_iter_values((0..100).map(|row| format!("{row:010}"))));
    let short: ArrayRef = Arc::new(StringArray::from_iter_values((0..100).map(|row| (row % 10).to_string())));
    let bytes: ArrayRef = Arc::new(BinaryArray::from_iter_values((0..100).map(|row| format!("{row:010}"))));
    RecordBatch::try_from_iter([("long", long), ("short", short), ("bytes", bytes)]).unwrap()
}

fn types(found: &Batch) -> Vec<DataType> {
    found.schema().fields().iter().map(|field| field.data_type().clone()).collect()
}

#[track_caller]
fn check(found: &Batch, expected: &[DataType]) {
    assert_eq!(types(found), expected);
    let found = found.to_arrow().unwrap();
    for (index, column) in found.columns().iter().enumerate() {
        let plain = arrow_cast::cast(column, table().column(index).data_type()).unwrap();
        assert_eq!(&plain, table().column(index));
    }
}

use DataType::{Binary, LargeBinary, LargeUtf8, Utf8};

#[test]
fn parquet_files_say_how_much_text_they_have() {
    let folder = Folder::new();
    let path = folder.path("t.parquet");
    let mut writer = ParquetWriter::new(&path, &table().schema()).row_group_rows(30);
    writer.write(&batch(&table())).unwrap();
    writer.finish().unwrap();
    let open = |limit| ParquetReader::open(&path).unwrap().text_limit(limit);
    check(&open(usize::MAX).read().unwrap(), &[Utf8, Utf8, Binary]);
    check(&open(1000).read().unwrap(), &[Utf8, Utf8, Binary]);
    check(&open(999).read().unwrap(), &[LargeUtf8, Utf8, LargeBinary]);
    check(&open(0).read().unwrap(), &[LargeUtf8, LargeUtf8, LargeBinary]);
    // The types must depend neither on the selected rows nor on whether the file is read batch by batch.
    let few = open(999).rows(5..6).read().unwrap();
    assert_eq!((types(&few), few.num_rows()), (vec![LargeUtf8, Utf8, LargeBinary], 1));
    let scan = open(999).batch_rows(7).predicate(Predicate::eq("long", "0000000042")).scan().unwrap();
    assert_eq!(scan.schema().field(0).data_type(), &LargeUtf8);
    let found = collect(scan);
    assert_eq!(found[0].column(0).as_string::<i64>().value(0), "0000000042");
    // If the caller requests a type, the limit does not change it.
    let reader = ParquetReader::open(&path).unwrap().types([("long", Utf8)]).unwrap().text_limit(999);
    check(&reader.read().unwrap(), &[Utf8, Utf8, LargeBinary]);
}

#[test]
fn all_files_count_together() {
    let folder = Folder::new();
    write_parquet(&batch(&table().slice(0, 60)), folder.path("d/a.parquet")).unwrap();
    write_parquet(&batch(&table().slice(60, 40)), folder.path("d/b.parquet")).unwrap();
    let open = |limit| ParquetReader::open(folder.path("d/*.parquet")).unwrap().text_limit(limit);
    check(&open(1000).read().unwrap(), &[Utf8, Utf8, Binary]);
    check(&open(999).read().unwrap(), &[LargeUtf8, Utf8, LargeBinary]);
}

#[test]
fn text_formats_and_ipc_sum_what_they_have_read() {
    let folder = Folder::new();
    let text = table().project(&[0, 1]).unwrap();
    for (name, range) in [("a", 0..60), ("b", 60..100)] {
        let of = batch(&text.slice(range.start, range.len()));
        write_csv(&of, folder.path(&format!("{name}.csv"))).unwrap();
        write_json(&of, folder.path(&format!("{name}.jsonl"))).unwrap();
        let all = batch(&table().slice(range.start, range.len()));
        write_ipc(&all, folder.path(&format!("{name}.arrow"))).unwrap();
    }
    for (limit, long, short) in [(1000, Utf8, Utf8), (999, LargeUtf8, Utf8), (99, LargeUtf8, LargeUtf8)] {
        let csv = CsvReader::open(folder.path("*.csv")).unwrap().schema(text.schema()).text_limit(limit);
        check(&csv.read().unwrap(), &[long.clone(), short.clone()]);
        let json = JsonReader::open(folder.path("*.jsonl")).unwrap().text_limit(limit);
        check(&json.read().unwrap(), &[long.clone(), short.clone()]);
        let ipc = IpcReader::open(folder.path("*.arrow")).unwrap().text_limit(limit).read().unwrap();
        check(&ipc, &[long.clone(), short, if limit < 1000 { LargeBinary } else { Binary }]);
    }
}
