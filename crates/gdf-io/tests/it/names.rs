//! Tests columns with the same name. Each column must have its own data, and a lookup by that name must be an error.

use std::fs;
use std::sync::Arc;

use arrow_array::cast::AsArray;
use arrow_array::types::Int64Type;
use arrow_array::*;
use arrow_schema::{DataType, Field, Schema};
use gdf_io::{
    Batch, CsvReader, Error, IpcReader, JsonReader, ParquetReader, ParquetWriter, Predicate, read_csv, read_ipc,
    read_parquet, scan_csv, scan_parquet, write_csv, write_ipc, write_json, write_parquet,
};

use crate::{Folder, batch, collect};

fn twins(values: [i64; 3]) -> RecordBatch {
    let fields = ["a", "a", "b"].map(|name| Field::new(name, DataType::Int64, true));
    let columns = values.map(|value| Arc::new(Int64Array::from(vec![value])) as ArrayRef);
    RecordBatch::try_new(Arc::new(Schema::new(fields.to_vec())), columns.to_vec()).unwrap()
}

fn values(of: &RecordBatch) -> Vec<Vec<i64>> {
    of.columns().iter().map(|column| column.as_primitive::<Int64Type>().values().to_vec()).collect()
}

#[track_caller]
fn check(found: &Batch) {
    assert_eq!(values(&found.to_arrow().unwrap()), [[1], [2], [3]]);
    assert!(found.column("a").is_err() && found.select(&["b", "a"]).is_err());
    assert_eq!(found.column("b").unwrap().len(), 1);
}

#[test]
fn each_column_has_its_own_data() {
    let folder = Folder::new();
    let of = batch(&twins([1, 2, 3]));
    let path = |extension: &str| folder.path(&format!("t.{extension}"));
    fs::write(path("csv"), "a,a,b\n1,2,3\n").unwrap();
    check(&read_csv(path("csv")).unwrap());
    assert_eq!(values(&collect(scan_csv(path("csv")).unwrap())[0]), [[1], [2], [3]]);
    write_csv(&of, path("csv")).unwrap();
    assert_eq!(fs::read_to_string(path("csv")).unwrap(), "a,a,b\n1,2,3\n");
    write_parquet(&of, path("parquet")).unwrap();
    check(&read_parquet(path("parquet")).unwrap());
    assert_eq!(values(&collect(scan_parquet(path("parquet")).unwrap())[0]), [[1], [2], [3]]);
    let b = ParquetReader::open(path("parquet")).unwrap().columns(["b"]).predicate(Predicate::eq("b", 3));
    assert_eq!(values(&b.read().unwrap().to_arrow().unwrap()), [[3]]);
    write_ipc(&of, path("arrow")).unwrap();
    check(&read_ipc(path("arrow")).unwrap());
}

#[test]
fn columns_of_one_name_are_not_found_by_it() {
    let folder = Folder::new();
    let path = |extension: &str| folder.path(&format!("t.{extension}"));
    fs::write(path("csv"), "a,a,b\n1,2,3\n").unwrap();
    write_parquet(&batch(&twins([1, 2, 3])), path("parquet")).unwrap();
    write_ipc(&batch(&twins([1, 2, 3])), path("arrow")).unwrap();
    let a = || Predicate::eq("a", 1);
    let errors = [
        CsvReader::open(path("csv")).unwrap().columns(["a"]).read().unwrap_err(),
        CsvReader::open(path("csv")).unwrap().predicate(a()).read().unwrap_err(),
        CsvReader::open(path("csv")).unwrap().types([("a", DataType::Utf8)]).read().unwrap_err(),
        ParquetReader::open(path("parquet")).unwrap().columns(["a"]).read().unwrap_err(),
        ParquetReader::open(path("parquet")).unwrap().predicate(a()).read().unwrap_err(),
        ParquetReader::open(path("parquet")).unwrap().types([("a", DataType::Utf8)]).unwrap_err(),
        IpcReader::open(path("arrow")).unwrap().columns(["a"]).read().unwrap_err(),
        IpcReader::open(path("arrow")).unwrap().predicate(a()).read().unwrap_err(),
    ];
    for error in errors {
        assert!(matches!(&error, Error::AmbiguousColumn { column, count: 2, .. } if column == "a"), "{error}");
        assert!(error.to_string().contains("2 columns named a"), "{error}");
    }
}

#[test]
fn files_of_several_columns_of_a_name_are_matched_in_their_order() {
    let folder = Folder::new();
    let write = |name: &str, of: &RecordBatch| {
        write_parquet(&batch(of), folder.path(&format!("{name}.parquet"))).unwrap();
        write_ipc(&batch(of), folder.path(&format!("{name}.arrow"))).unwrap();
        write_csv(&batch(of), folder.path(&format!("{name}.csv"))).unwrap();
    };
    write("x", &twins([1, 2, 3]));
    write("y", &twins([4, 5, 6]).project(&[2, 0, 1]).unwrap());
    let expected = [[1, 4], [2, 5], [3, 6]];
    for found in [
        read_parquet(folder.path("*.parquet")).unwrap(),
        read_ipc(folder.path("*.arrow")).unwrap(),
        read_csv(folder.path("*.csv")).unwrap(),
    ] {
        assert_eq!(values(&found.to_arrow().unwrap()), expected);
    }
    write("y", &twins([4, 5, 6]).project(&[2, 0]).unwrap());
    let error = read_parquet(folder.path("*.parquet")).unwrap_err();
    assert!(matches!(&error, Error::AmbiguousColumn { path, .. } if path.ends_with("y.parquet")), "{error}");
    assert!(matches!(read_ipc(folder.path("*.arrow")), Err(Error::AmbiguousColumn { .. })));
    let error = read_csv(folder.path("*.csv")).unwrap_err();
    assert!(matches!(&error, Error::OtherColumns { missing, .. } if missing == &["a"]), "{error}");
}

#[test]
fn json_has_no_form_for_them() {
    let folder = Folder::new();
    let error = write_json(&batch(&twins([1, 2, 3])), folder.path("t.jsonl")).unwrap_err();
    assert!(matches!(&error, Error::RepeatedColumn { column, count: 2, .. } if column == "a"), "{error}");
    assert!(folder.names().is_empty());
}

#[test]
fn writers_take_batches_of_their_own_columns_only() {
    let folder = Folder::new();
    let number = |name: &str| {
        let column: ArrayRef = Arc::new(Int64Array::from(vec![1]));
        batch(&RecordBatch::try_from_iter([(name, column)]).unwrap())
    };
    let mut writer = ParquetWriter::new(folder.path("t.parquet"), number("a").schema());
    let error = writer.write(&number("b")).unwrap_err();
    assert!(matches!(&error, Error::SchemaMismatch { .. }), "{error}");
    assert_eq!(
        error.to_string(),
        "the batch has the columns b (Int64), but the file has the columns a (Int64); select the columns of the file \
         in this order, and cast them to its types"
    );
    writer.write(&number("a")).unwrap();
}

#[test]
fn csv_files_are_matched_by_the_names_in_their_headers() {
    let folder = Folder::new();
    let write = |name: &str, text: &str| fs::write(folder.path(name), text).unwrap();
    write("d/x.csv", "a,b\n1,2\n");
    write("d/y.csv", "b,a\n3,4\n");
    write("d/z.csv", "");
    let root = folder.path("d/x.csv").parent().unwrap().to_owned();
    let found = |reader: CsvReader| values(&reader.read().unwrap().to_arrow().unwrap());
    let open = || CsvReader::open(&root).unwrap();
    assert_eq!(found(open()), [[1, 4], [2, 3]]);
    assert_eq!(found(open().columns(["b"])), [[2, 3]]);
    assert_eq!(found(open().columns(["a"]).predicate(Predicate::gt("b", 2))), [[4]]);
    // The given names replace the names of the first file.
    let schema = Schema::new(vec![Field::new("x", DataType::Int64, true), Field::new("y", DataType::Int64, true)]);
    assert_eq!(found(open().schema(Arc::new(schema))), [[1, 4], [2, 3]]);

    write("d/y.csv", "a,c,d\n3,4,5\n");
    let error = open().read().unwrap_err();
    let Error::OtherColumns { path, missing, additional, .. } = &error else { panic!("{error}") };
    assert!(path.ends_with("y.csv") && missing == &["b"] && additional == &["c", "d"], "{error}");
    assert_eq!(found(open().columns(["a"])), [[1, 3]]);
    let error = open().columns(["b"]).read().unwrap_err();
    assert!(matches!(&error, Error::NoColumn { path, column, .. } if path.ends_with("y.csv") && column == "b"));

    let numbers = || open().has_header(false);
    write("d/x.csv", "1,2\n");
    write("d/y.csv", "3,4\n");
    assert_eq!(found(numbers()), [[1, 3], [2, 4]]);
    write("d/y.csv", "3,4,5\n");
    let error = numbers().read().unwrap_err();
    assert!(matches!(&error, Error::Malformed { path, .. } if path.ends_with("y.csv")), "{error}");
}

#[test]
fn json_files_with_more_members_are_refused() {
    let folder = Folder::new();
    fs::write(folder.path("x.jsonl"), "{\"a\": 1, \"b\": 2}\n").unwrap();
    fs::write(folder.path("y.jsonl"), "{\"b\": 4}\n").unwrap();
    let open = || JsonReader::open(folder.path("*.jsonl")).unwrap();
    let found = open().read().unwrap().to_arrow().unwrap();
    assert_eq!((found.num_rows(), found.column(0).null_count()), (2, 1));
    assert_eq!(found.column(1).as_primitive::<Int64Type>().values(), &[2, 4]);
    fs::write(folder.path("y.jsonl"), "{\"c\": 3, \"b\": 4}\n").unwrap();
    let error = open().read().unwrap_err();
    assert!(matches!(&error, Error::OtherColumns { additional, .. } if additional == &["c"]), "{error}");
    assert_eq!(open().columns(["b"]).read().unwrap().num_rows(), 2);
}
