//! Reads files of other writers, and compares the results with those of pyarrow. The script `make_fixtures.py` has made
//! the files and the expected results.

use std::fs::File;
use std::path::PathBuf;

use arrow_array::{Array, ArrayRef, RecordBatch};
use arrow_ipc::reader::FileReader;
use arrow_schema::DataType;
use arrow_select::concat::concat_batches;
use gdf_io::{CsvReader, Error, JsonReader, ParquetReader, Predicate, read_ipc, read_parquet};

use crate::collect;

fn data(name: &str) -> PathBuf {
    [env!("CARGO_MANIFEST_DIR"), "tests", "data", name].iter().collect()
}

fn expected(name: &str) -> RecordBatch {
    let reader = FileReader::try_new(File::open(data(&format!("{name}.expected.arrow"))).unwrap(), None).unwrap();
    let schema = reader.schema();
    concat_batches(&schema, &reader.collect::<Result<Vec<_>, _>>().unwrap()).unwrap()
}

/// Returns the type with large types, view types and dictionaries replaced by plain types.
fn plain(data_type: &DataType) -> DataType {
    let child = |field: &arrow_schema::FieldRef| {
        std::sync::Arc::new(arrow_schema::Field::new(field.name(), plain(field.data_type()), true))
    };
    match data_type {
        DataType::LargeUtf8 | DataType::Utf8View => DataType::Utf8,
        DataType::LargeBinary | DataType::BinaryView => DataType::Binary,
        DataType::Dictionary(_, values) => plain(values),
        DataType::List(item) | DataType::LargeList(item) => {
            DataType::List(arrow_schema::Field::new_list_field(plain(item.data_type()), true).into())
        }
        DataType::Struct(fields) => DataType::Struct(fields.iter().map(child).collect()),
        DataType::Timestamp(_, zone) => DataType::Timestamp(arrow_schema::TimeUnit::Microsecond, zone.clone()),
        other => other.clone(),
    }
}

fn plain_array(array: &ArrayRef) -> ArrayRef {
    arrow_cast::cast(array, &plain(array.data_type())).unwrap()
}

#[track_caller]
fn check(found: &RecordBatch, expected: &RecordBatch) {
    let names = |batch: &RecordBatch| batch.schema().fields().iter().map(|f| f.name().clone()).collect::<Vec<_>>();
    assert_eq!(names(found), names(expected));
    for (index, field) in expected.schema().fields().iter().enumerate() {
        let (found, expected) = (plain_array(found.column(index)), plain_array(expected.column(index)));
        assert_eq!(&found, &expected, "{field}");
        found.to_data().validate_full().unwrap();
    }
}

const PARQUET: [(&str, &str); 20] = [
    ("pyarrow_plain", "flat"),
    ("pyarrow_dictionary_v1", "flat"),
    ("pyarrow_dictionary_v2", "flat"),
    ("pyarrow_gzip", "only"),
    ("pyarrow_lz4", "only"),
    ("pyarrow_brotli", "only"),
    ("pyarrow_small_pages", "only"),
    ("pyarrow_delta", "only"),
    ("pyarrow_checksums", "only"),
    ("pyarrow_no_statistics", "only"),
    ("pyarrow_delta_length", "delta_length"),
    ("pyarrow_int96", "at"),
    ("pyarrow_nested", "nested"),
    ("pyarrow_nested_v2", "nested"),
    ("pyarrow_no_rows", "flat"),
    ("polars_zstd", "polars"),
    ("polars_lz4", "polars"),
    ("duckdb_snappy", "duckdb"),
    ("duckdb_zstd_v2", "duckdb"),
    ("duckdb_groups", "duckdb"),
];

#[test]
fn parquet() {
    for (name, content) in PARQUET {
        println!("{name}");
        let mut expected = expected(content);
        if name.ends_with("no_rows") {
            expected = expected.slice(0, 0);
        }
        let path = data(&format!("{name}.parquet"));
        check(&read_parquet(&path).unwrap().to_arrow().unwrap(), &expected);

        let (start, rows) = (expected.num_rows() / 3, expected.num_rows() / 2);
        let reader = ParquetReader::open(&path).unwrap().rows(start..start + rows);
        check(&reader.clone().read().unwrap().to_arrow().unwrap(), &expected.slice(start, rows));
        let batches = collect(reader.batch_rows(9).scan().unwrap());
        if rows > 0 {
            let schema = batches[0].schema();
            check(&concat_batches(&schema, &batches).unwrap(), &expected.slice(start, rows));
        }
    }
}

#[test]
fn statistics_and_pages_of_other_writers_skip_nothing_that_passes() {
    for (name, content) in
        PARQUET.into_iter().filter(|(_, content)| ["flat", "only", "duckdb", "polars"].contains(content))
    {
        let path = data(&format!("{name}.parquet"));
        let all = read_parquet(&path).unwrap().to_arrow().unwrap();
        let column = if content == "duckdb" { "t" } else { "i32" };
        let index = all.schema().index_of(column).unwrap();
        let numbers = arrow_cast::cast(all.column(index), &DataType::Int64).unwrap();
        let numbers = numbers.as_any().downcast_ref::<arrow_array::Int64Array>().unwrap();
        for limit in [-1, 10, 50, 500] {
            let passes = |row: &usize| numbers.is_valid(*row) && numbers.value(*row) >= limit;
            let rows = (0..numbers.len()).filter(passes).count();
            if content == "duckdb" && limit > 127 {
                continue;
            }
            let reader = ParquetReader::open(&path).unwrap().predicate(Predicate::gt_eq(column, limit));
            assert_eq!(reader.read().unwrap().num_rows(), rows, "{name} {limit}");
        }
        let text = if content == "duckdb" { "s" } else { "text" };
        let none = ParquetReader::open(&path).unwrap().predicate(Predicate::gt(text, "zzz"));
        assert_eq!(none.read().unwrap().num_rows(), 0, "{name}");
    }
}

#[test]
fn encrypted() {
    let read = |name: &str| read_parquet(data(name)).unwrap_err();
    assert!(matches!(read("encrypted_footer.parquet"), Error::Encrypted { .. }));
    // The footer is not encrypted, but one column is encrypted.
    let error = read("encrypted_columns.parquet");
    assert!(matches!(error, Error::Encrypted { .. }), "{error}");
    assert!(error.to_string().contains("is encrypted"), "{error}");
}

#[test]
fn text() {
    let expected = expected("text");
    for name in ["pyarrow.csv", "polars.csv", "duckdb.csv"] {
        let found = CsvReader::open(data(name)).unwrap().schema(expected.schema()).read().unwrap().to_arrow().unwrap();
        // Empty cells of CSV are null.
        let names: Vec<usize> = (0..expected.num_columns()).filter(|index| *index != 4).collect();
        check(&found.project(&names).unwrap(), &expected.project(&names).unwrap());
        let found = CsvReader::open(data(name)).unwrap().read().unwrap();
        let types: Vec<&DataType> = found.schema().fields().iter().map(|field| field.data_type()).collect();
        assert_eq!(types, expected.schema().fields().iter().map(|f| f.data_type()).collect::<Vec<_>>(), "{name}");
    }
    for name in ["polars.jsonl", "duckdb.jsonl"] {
        let found = JsonReader::open(data(name)).unwrap().schema(expected.schema()).read().unwrap().to_arrow().unwrap();
        check(&found, &expected);
    }
}

#[test]
fn ipc() {
    for (name, content) in
        [("pyarrow_lz4.arrow", "ipc"), ("pyarrow_zstd.arrows", "ipc"), ("polars_lz4.arrow", "polars")]
    {
        println!("{name}");
        check(&read_ipc(data(name)).unwrap().to_arrow().unwrap(), &expected(content));
    }
}

/// Writes files for `read_back.py` into the folder that `GDF_IO_WRITTEN` names.
#[test]
#[ignore = "writes files for programs of other languages"]
fn files_for_other_readers() {
    use gdf_io::{Compression, IpcCompression, IpcWriter, ParquetWriter, write_csv, write_json};
    let folder = PathBuf::from(std::env::var_os("GDF_IO_WRITTEN").expect("GDF_IO_WRITTEN names a folder"));
    // The first rows are left out. They contain the smallest and largest values.
    let all = crate::batch(&crate::all_types::for_parquet(1000)).slice(10, 990).unwrap();
    let names: Vec<&str> = all.schema().fields().iter().map(|field| field.name().as_str()).collect();
    let is_usual = |name: &&str| !name.starts_with("interval") && *name != "decimal256";
    let usual = all.select(&names.into_iter().filter(is_usual).collect::<Vec<_>>()).unwrap();
    for (name, compression) in [
        ("none", Compression::Uncompressed),
        ("snappy", Compression::Snappy),
        ("zstd", Compression::Zstd(3)),
        ("gzip", Compression::Gzip(6)),
        ("lz4", Compression::Lz4),
        ("brotli", Compression::Brotli(4)),
    ] {
        for (content, of) in [("all", &all), ("usual", &usual)] {
            let path = folder.join(format!("{content}_{name}.parquet"));
            let mut writer = ParquetWriter::new(&path, of.schema()).compression(compression).row_group_rows(300);
            writer.write(of).unwrap();
            writer.finish().unwrap();
        }
    }
    for (name, is_stream, compression) in [
        ("none.arrow", false, IpcCompression::Uncompressed),
        ("lz4.arrow", false, IpcCompression::Lz4),
        ("zstd.arrows", true, IpcCompression::Zstd),
    ] {
        let writer = IpcWriter::new(folder.join(name), all.schema()).stream(is_stream);
        let mut writer = writer.compression(compression);
        writer.write(&all).unwrap();
        writer.finish().unwrap();
    }
    let text = crate::batch(&expected("text"));
    write_csv(&text, folder.join("text.csv")).unwrap();
    write_json(&text, folder.join("text.jsonl")).unwrap();
}

#[test]
fn compression_that_old_files_only_note_is_refused() {
    for name in ["old_compression.arrow", "old_compression.arrows"] {
        let error = read_ipc(data(name)).unwrap_err();
        assert!(matches!(&error, Error::Unimplemented { what, .. } if what.contains("Arrow 0.17")), "{error}");
    }
}
