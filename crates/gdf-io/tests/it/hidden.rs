//! Tests data that null rows hide: readers remove fields and elements of null rows, and IPC files do not contain them.

use std::fs::{self, File};
use std::path::Path;
use std::sync::Arc;

use arrow_array::cast::AsArray;
use arrow_array::types::{Float64Type, Int64Type};
use arrow_array::*;
use arrow_buffer::{NullBuffer, OffsetBuffer};
use arrow_ipc::writer::{FileWriter, StreamWriter};
use arrow_schema::{DataType, Field, FieldRef, Fields};
use arrow_select::nullif::nullif;
use gdf_io::{IpcReader, ParquetReader, read_ipc, read_parquet, write_ipc};
use parquet::arrow::ArrowWriter;

use crate::{Folder, batch, collect};

fn field(name: &str, data_type: &DataType, is_nullable: bool) -> FieldRef {
    Arc::new(Field::new(name, data_type.clone(), is_nullable))
}

/// Returns structs of a number that is declared without nulls. Rows 1 and 2 are null and hide 99.
fn positions() -> StructArray {
    let lat: ArrayRef = Arc::new(Float64Array::from(vec![1.5, 99.0, 99.0, 3.5]));
    let nulls = NullBuffer::from(vec![true, false, false, true]);
    StructArray::new(Fields::from(vec![field("lat", &DataType::Float64, false)]), vec![lat], Some(nulls))
}

/// Returns a table of structs, of lists and maps whose null rows have elements, and of structs in structs and in lists.
fn table() -> RecordBatch {
    let pos: ArrayRef = Arc::new(positions());
    let outer_nulls = Some(NullBuffer::from(vec![true, true, false, true]));
    let inner_fields = Fields::from(vec![field("pos", pos.data_type(), false)]);
    let plain: ArrayRef =
        Arc::new(StructArray::new(positions().fields().clone(), positions().columns().to_vec(), None));
    let outer: ArrayRef = Arc::new(StructArray::new(inner_fields, vec![plain], outer_nulls.clone()));
    let numbers: ArrayRef = Arc::new(Int64Array::from(vec![1, 2, 3, 4, 5, 6]));
    let offsets = OffsetBuffer::from_lengths([1, 2, 2, 1]);
    let item = field("item", &DataType::Int64, true);
    let list: ArrayRef = Arc::new(ListArray::new(item, offsets, numbers, outer_nulls));
    let each = OffsetBuffer::from_lengths([1, 1, 1, 1]);
    let structs: ArrayRef = Arc::new(ListArray::new(field("item", pos.data_type(), true), each, pos.clone(), None));
    let id: ArrayRef = Arc::new(Int64Array::from(vec![0, 1, 2, 3]));
    RecordBatch::try_from_iter([("id", id), ("pos", pos), ("outer", outer), ("list", list), ("structs", structs)])
        .unwrap()
}

fn lat(structs: &dyn Array) -> Vec<Option<f64>> {
    structs.as_struct().column(0).as_primitive::<Float64Type>().iter().collect()
}

#[track_caller]
fn check(found: &RecordBatch) {
    let expected = [Some(1.5), None, None, Some(3.5)];
    assert_eq!(found, &table());
    assert_eq!(lat(found.column_by_name("pos").unwrap()), expected);
    let outer = found.column_by_name("outer").unwrap();
    assert_eq!(lat(outer.as_struct().column(0)), [Some(1.5), Some(99.0), None, Some(3.5)]);
    let list = found.column_by_name("list").unwrap().as_list::<i32>();
    assert_eq!(list.values().as_primitive::<Int64Type>().values(), &[1, 2, 3, 6]);
    assert_eq!(lat(found.column_by_name("structs").unwrap().as_list::<i32>().values()), expected);
}

#[test]
fn parquet_fields_of_null_structs_are_null() {
    let folder = Folder::new();
    let path = folder.path("t.parquet");
    let mut writer = ArrowWriter::try_new(File::create(&path).unwrap(), table().schema(), None).unwrap();
    writer.write(&table()).unwrap();
    writer.close().unwrap();
    check(&read_parquet(&path).unwrap().to_arrow().unwrap());
    for batch in collect(ParquetReader::open(&path).unwrap().scan().unwrap()) {
        check(&batch);
    }
    let some = ParquetReader::open(&path).unwrap().columns(["outer.pos.lat"]).rows(1..4).read().unwrap();
    let some = some.to_arrow().unwrap();
    assert_eq!(lat(some.column(0).as_struct().column(0)), [Some(99.0), None, Some(3.5)]);
}

#[test]
fn ipc_fields_and_elements_of_null_rows_are_removed() {
    let folder = Folder::new();
    let (file, stream) = (folder.path("t.arrow"), folder.path("t.arrows"));
    let mut writer = FileWriter::try_new(File::create(&file).unwrap(), &table().schema()).unwrap();
    writer.write(&table()).unwrap();
    writer.finish().unwrap();
    let mut writer = StreamWriter::try_new(File::create(&stream).unwrap(), &table().schema()).unwrap();
    writer.write(&table()).unwrap();
    writer.finish().unwrap();
    for path in [&file, &stream] {
        check(&read_ipc(path).unwrap().to_arrow().unwrap());
    }
    let sliced = IpcReader::open(&file).unwrap().rows(1..3).columns(["pos"]).read().unwrap().to_arrow().unwrap();
    assert_eq!(lat(sliced.column(0)), [None, None]);
}

fn has(path: &Path, bytes: &[u8]) -> bool {
    fs::read(path).unwrap().windows(bytes.len()).any(|found| found == bytes)
}

#[test]
fn ipc_files_do_not_contain_what_null_rows_hide() {
    let folder = Folder::new();
    let path = folder.path("t.arrow");
    let hidden = |array: &dyn Array| nullif(array, &BooleanArray::from(vec![false, true, false])).unwrap();
    let secret = 0x0123_4567_89ab_cdef_i64;
    let texts = StringArray::from(vec!["ab", "SECRET", "cd"]);
    let inner: ArrayRef = Arc::new(texts.clone());
    let structs = StructArray::new(vec![field("x", &DataType::Utf8, false)].into(), vec![inner.clone()], None);
    let lists =
        ListArray::new(field("item", &DataType::Utf8, true), OffsetBuffer::from_lengths([1, 1, 1]), inner, None);
    let columns: Vec<(&str, ArrayRef)> = vec![
        ("n", hidden(&Int64Array::from(vec![1, secret, 3]))),
        ("text", hidden(&texts)),
        ("view", hidden(&StringViewArray::from(vec!["ab", "a SECRET that does not fit a view", "cd"]))),
        ("bytes", hidden(&FixedSizeBinaryArray::try_from_iter([b"abcdef", b"SECRET", b"ghijkl"].iter()).unwrap())),
        ("struct", hidden(&structs)),
        ("list", hidden(&lists)),
    ];
    let of = RecordBatch::try_from_iter(columns).unwrap();
    write_ipc(&batch(&of), &path).unwrap();
    assert!(!has(&path, b"SECRET") && !has(&path, &secret.to_le_bytes()));
    assert!(has(&path, b"ab"));
    assert_eq!(read_ipc(&path).unwrap().to_arrow().unwrap(), of);
}
