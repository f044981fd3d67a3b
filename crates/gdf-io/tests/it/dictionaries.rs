//! Tests dictionaries whose batches and files have different values.

use std::fs::File;
use std::sync::Arc;

use arrow_array::builder::StringDictionaryBuilder;
use arrow_array::cast::AsArray;
use arrow_array::types::{Int8Type, UInt8Type};
use arrow_array::*;
use arrow_ipc::writer::StreamWriter;
use arrow_schema::DataType;
use gdf_io::{Error, IpcWriter, ParquetReader, ParquetWriter, read_ipc, read_parquet, write_parquet};

use crate::{Folder, batch, collect};

/// Returns a batch of a dictionary of the values `v0`, `v1`, … with 8-bit keys.
fn values(numbers: std::ops::Range<usize>) -> RecordBatch {
    let mut texts = StringDictionaryBuilder::<Int8Type>::new();
    numbers.for_each(|number| texts.append_value(format!("v{number}")));
    RecordBatch::try_from_iter([("k", Arc::new(texts.finish()) as ArrayRef)]).unwrap()
}

fn texts(batch: &RecordBatch) -> Vec<String> {
    let texts = arrow_cast::cast(batch.column(0), &DataType::Utf8).unwrap();
    texts.as_string::<i32>().iter().map(|text| text.unwrap_or("null").to_owned()).collect()
}

fn expected(numbers: std::ops::Range<usize>) -> Vec<String> {
    numbers.map(|number| format!("v{number}")).collect()
}

#[test]
fn parquet_files_of_many_dictionaries_have_wide_enough_keys() {
    let folder = Folder::new();
    let path = folder.path("t.parquet");
    for (count, keys) in [(1, DataType::Int8), (3, DataType::Int16)] {
        let mut writer = ParquetWriter::new(&path, &values(0..1).schema());
        for part in 0..count {
            writer.write(&batch(&values(part * 100..part * 100 + 100))).unwrap();
            // Values that occur again need no keys.
            writer.write(&batch(&values(part * 100..part * 100 + 100))).unwrap();
        }
        writer.finish().unwrap();
        let found = read_parquet(&path).unwrap().to_arrow().unwrap();
        assert_eq!(*found.schema().field(0).data_type(), DataType::Dictionary(keys.into(), DataType::Utf8.into()));
        let part = |part: usize| expected(part * 100..part * 100 + 100);
        let all: Vec<String> = (0..count).flat_map(|at| [part(at), part(at)].concat()).collect();
        assert_eq!(texts(&found), all);
    }
}

#[test]
fn files_that_are_read_together_get_wider_keys() {
    let folder = Folder::new();
    for part in 0..3 {
        let path = folder.path(&format!("p{part}.parquet"));
        write_parquet(&batch(&values(part * 100..part * 100 + 100)), &path).unwrap();
    }
    let reader = || ParquetReader::open(folder.path("p*.parquet")).unwrap();
    assert_eq!(texts(&reader().read().unwrap().to_arrow().unwrap()), expected(0..300));
    let scanned: Vec<String> = collect(reader().scan().unwrap()).iter().flat_map(texts).collect();
    assert_eq!(scanned, expected(0..300));
}

#[test]
fn streams_may_replace_dictionaries() {
    let folder = Folder::new();
    let path = folder.path("t.arrows");
    let mut writer = StreamWriter::try_new(File::create(&path).unwrap(), &values(0..1).schema()).unwrap();
    for part in 0..3 {
        writer.write(&values(part * 100..part * 100 + 100)).unwrap();
    }
    writer.finish().unwrap();
    let found = read_ipc(&path).unwrap();
    assert_eq!(texts(&found.to_arrow().unwrap()), expected(0..300));
    write_parquet(&found, folder.path("t.parquet")).unwrap();
    assert_eq!(texts(&read_parquet(folder.path("t.parquet")).unwrap().to_arrow().unwrap()), expected(0..300));
}

#[test]
fn ipc_files_have_one_dictionary_for_all_batches() {
    let folder = Folder::new();
    for is_stream in [false, true] {
        let path = folder.path("t.arrow");
        let mut writer = IpcWriter::new(&path, &values(0..1).schema()).stream(is_stream);
        for part in [0..60, 30..90, 10..20, 0..0] {
            writer.write(&batch(&values(part))).unwrap();
        }
        writer.finish().unwrap();
        let all = [expected(0..60), expected(30..90), expected(10..20)].concat();
        assert_eq!(texts(&read_ipc(&path).unwrap().to_arrow().unwrap()), all);
    }
    let mut writer = IpcWriter::new(folder.path("u.arrow"), &values(0..1).schema());
    writer.write(&batch(&values(0..100))).unwrap();
    let error = writer.write(&batch(&values(100..200))).unwrap_err();
    assert!(matches!(&error, Error::UnsupportedValue { column, .. } if column == "k"), "{error}");
}

#[test]
fn dictionaries_of_all_kinds_of_text_become_parquet() {
    let folder = Folder::new();
    let path = folder.path("t.parquet");
    let plain = StringArray::from(vec!["a", "a text that does not fit a view"]);
    let types = [
        DataType::Utf8,
        DataType::LargeUtf8,
        DataType::Utf8View,
        DataType::Binary,
        DataType::LargeBinary,
        DataType::BinaryView,
    ];
    for data_type in types {
        let values = arrow_cast::cast(&plain, &data_type).unwrap();
        let keys = UInt8Array::from(vec![Some(1), None, Some(0), Some(1)]);
        let column: ArrayRef = Arc::new(DictionaryArray::<UInt8Type>::new(keys, values));
        let item = arrow_schema::Field::new("item", column.data_type().clone(), true);
        let offsets = arrow_buffer::OffsetBuffer::from_lengths([1, 2, 0, 1]);
        let list: ArrayRef = Arc::new(ListArray::new(item.into(), offsets, column.clone(), None));
        let of = RecordBatch::try_from_iter([("k", column.clone()), ("l", list)]).unwrap();
        write_parquet(&batch(&of), &path).unwrap();
        let found = read_parquet(&path).unwrap().to_arrow().unwrap();
        let plain = |column: &ArrayRef| arrow_cast::cast(column, &DataType::Utf8).unwrap();
        assert_eq!(&plain(found.column(0)), &plain(&column), "{data_type}");
    }
}

#[test]
fn values_that_parquet_does_not_take_are_an_error() {
    let folder = Folder::new();
    let inner: ArrayRef = Arc::new(Int64Array::from(vec![1, 2]));
    let field = Arc::new(arrow_schema::Field::new("a", DataType::Int64, true));
    let kinds: [ArrayRef; 2] =
        [Arc::new(BooleanArray::from(vec![true, false])), Arc::new(StructArray::from(vec![(field, inner)]))];
    for values in kinds {
        let column: ArrayRef = Arc::new(DictionaryArray::<Int8Type>::new(Int8Array::from(vec![0, 1]), values));
        let of = batch(&RecordBatch::try_from_iter([("k", column)]).unwrap());
        // A panic of the encoder would fail the test. Whether the values can be written is up to the encoder.
        let _ = write_parquet(&of, folder.path("t.parquet"));
    }
}
