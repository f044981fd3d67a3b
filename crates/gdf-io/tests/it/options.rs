//! Tests options that several readers and writers share: column indices, byte ranges, row groups and text formats.

use std::fs;
use std::io::Write;
use std::path::Path;
use std::sync::Arc;

use arrow_array::cast::AsArray;
use arrow_array::types::Int64Type;
use arrow_array::*;
use arrow_schema::{DataType, Schema};
use gdf_io::{
    Batch, CsvReader, CsvWriter, Error, IpcReader, JsonReader, JsonWriter, ParquetReader, ParquetWriter, Position,
    Predicate, QuoteStyle, read_json, write_ipc, write_parquet,
};

use crate::{Folder, batch};

fn of(columns: Vec<(&str, ArrayRef)>) -> Batch {
    batch(&RecordBatch::try_from_iter(columns).unwrap())
}

fn ids(of: &Batch, column: usize) -> Vec<i64> {
    of.to_arrow().unwrap().column(column).as_primitive::<Int64Type>().values().to_vec()
}

fn names(of: &Batch) -> Vec<String> {
    of.schema().fields().iter().map(|field| field.name().clone()).collect()
}

/// Reads each range of bytes between two neighboring positions of `cuts`, and concatenates the results.
fn in_parts(path: &Path, cuts: &[u64], read: impl Fn(&Path, std::ops::Range<u64>) -> Batch) -> Vec<i64> {
    cuts.windows(2).flat_map(|cut| ids(&read(path, cut[0]..cut[1]), 0)).collect()
}

#[test]
fn byte_ranges_of_csv_have_each_record_once() {
    let folder = Folder::new();
    let path = folder.path("t.csv");
    let text = "made by hand\nid,city\n1,Lyon\n\n22,\"a,b\"\n333,x\n4,\"\"\n55555,last";
    fs::write(&path, text).unwrap();
    let read = |path: &Path, bytes| CsvReader::open(path).unwrap().skip_lines(1).byte_range(bytes).read().unwrap();
    let end = text.len() as u64 + 9;
    for a in 0..=end {
        assert_eq!(in_parts(&path, &[0, a, end], read), [1, 22, 333, 4, 55555], "cut at {a}");
        let found = read(&path, a..end);
        assert_eq!(names(&found), ["id", "city"], "{a}");
        assert_eq!(found.schema().field(0).data_type(), &DataType::Int64, "{a}");
    }
    // A record is read if its first byte is within the range. This range has only that byte.
    let third = text.find("333").unwrap() as u64;
    assert_eq!(ids(&read(&path, third..third + 1), 0), [333]);
    assert_eq!(ids(&read(&path, third + 1..third + 6), 0), Vec::<i64>::new());
    let headless = |bytes| CsvReader::open(&path).unwrap().has_header(false).skip_lines(2).byte_range(bytes).read();
    assert_eq!(ids(&headless(0..third).unwrap(), 0), [1, 22]);
    assert_eq!(ids(&headless(third..end).unwrap(), 0), [333, 4, 55555]);
}

#[test]
fn byte_ranges_of_long_files_and_of_compressed_ones() {
    let folder = Folder::new();
    let (path, packed) = (folder.path("t.csv"), folder.path("p.csv.gz"));
    let lines: String = (0..140_000).map(|id| format!("{id},\"{}\"\n", "x,".repeat(id % 60))).collect();
    let text = format!("id,text\n{lines}");
    assert!(text.len() > 8 << 20);
    fs::write(&path, &text).unwrap();
    let mut gzip = flate2::write::GzEncoder::new(fs::File::create(&packed).unwrap(), flate2::Compression::fast());
    gzip.write_all(text.as_bytes()).unwrap();
    gzip.finish().unwrap();
    let read = |path: &Path, bytes| CsvReader::open(path).unwrap().columns(["id"]).byte_range(bytes).read().unwrap();
    let cuts = [0, 3, 100_001, 4 << 20, (4 << 20) + 1, text.len() as u64 - 5, u64::MAX];
    for path in [&path, &packed] {
        assert!(in_parts(path, &cuts, read).into_iter().eq(0..140_000));
    }
}

#[test]
fn byte_ranges_of_json_have_each_line_once() {
    let folder = Folder::new();
    let path = folder.path("t.jsonl");
    let text = "{\"id\": 1}\n{\"id\": 22, \"s\": \"x\"}\n\n{\"id\": 333}\n";
    fs::write(&path, text).unwrap();
    let read = |path: &Path, bytes| JsonReader::open(path).unwrap().byte_range(bytes).read().unwrap();
    for a in 0..=text.len() as u64 {
        assert_eq!(in_parts(&path, &[0, a, u64::MAX], read), [1, 22, 333], "cut at {a}");
    }
    assert_eq!(names(&read(&path, 40..50)), ["id", "s"]);
}

#[test]
fn errors_in_byte_ranges_name_the_line_of_the_file() {
    let folder = Folder::new();
    let path = folder.path("t.csv");
    fs::write(&path, "id\n1\n2\n3\nx\n5\n").unwrap();
    let reader = || CsvReader::open(&path).unwrap().infer_records(2).types([("id", DataType::Int64)]);
    for start in [0, 4, 7, 9] {
        match reader().byte_range(start..u64::MAX).read() {
            Err(Error::Malformed { position: Some(Position::Line(5)), .. }) => {}
            other => panic!("{start}: {other:?}"),
        }
    }
    let several = CsvReader::open(folder.path("*.csv")).unwrap();
    assert!(several.clone().byte_range(1..9).has_header(false).read().is_ok());
    fs::write(folder.path("u.csv"), "id\n1\n").unwrap();
    assert!(matches!(several.byte_range(1..9).read(), Err(Error::Gdf(_))));
}

/// Parts of a file are found by line feeds.
#[test]
fn parts_of_files_without_line_feeds_are_refused() {
    let folder = Folder::new();
    let path = folder.path("t.csv");
    fs::write(&path, "id\r1\r22\r\"333\"\r").unwrap();
    let open = || CsvReader::open(&path).unwrap();
    assert_eq!(ids(&open().read().unwrap(), 0), [1, 22, 333]);
    assert_eq!(ids(&open().byte_range(0..100).read().unwrap(), 0), [1, 22, 333]);
    for reader in [open().byte_range(0..4), open().byte_range(4..100), open().byte_range(6..8), open().skip_lines(1)] {
        let error = reader.read().unwrap_err();
        assert!(matches!(&error, Error::Unimplemented { what, .. } if what.contains("tr '\\r' '\\n'")), "{error}");
    }
    // The last line of a file may have no end.
    fs::write(&path, "id\r\n1\r\n22").unwrap();
    assert_eq!(
        in_parts(&path, &[0, 4, 8, 100], |path, bytes| {
            CsvReader::open(path).unwrap().byte_range(bytes).read().unwrap()
        }),
        [1, 22]
    );
}

#[test]
fn columns_are_read_by_their_places() {
    let folder = Folder::new();
    let path = |name: &str| folder.path(name);
    let column = |value: i64| -> ArrayRef { Arc::new(Int64Array::from(vec![value])) };
    let table = of(vec![("a", column(1)), ("b", column(2)), ("c", column(3))]);
    fs::write(path("t.csv"), "a,a,b\n1,2,3\n").unwrap();
    fs::write(path("t.jsonl"), "{\"z\": 1, \"y\": 2, \"a\": 3}\n").unwrap();
    write_ipc(&table, path("t.arrow")).unwrap();
    write_parquet(&table, path("k=7/t.parquet")).unwrap();
    let read = [
        CsvReader::open(path("t.csv")).unwrap().column_indices([2, 1]).read().unwrap(),
        JsonReader::open(path("t.jsonl")).unwrap().column_indices([2, 1]).read().unwrap(),
        IpcReader::open(path("t.arrow")).unwrap().column_indices([2, 1]).read().unwrap(),
        ParquetReader::open(path("k=7/t.parquet")).unwrap().column_indices([2, 1]).read().unwrap(),
    ];
    for found in &read {
        assert_eq!((ids(found, 0), ids(found, 1)), (vec![3], vec![2]), "{found:?}");
    }
    assert_eq!(names(&read[0]), ["b", "a"]);
    assert_eq!(names(&read[1]), ["a", "y"]);
    let folders = || ParquetReader::open(folder.path("x").parent().unwrap()).unwrap();
    let partition = folders().column_indices([3]).predicate(Predicate::eq("b", 2)).read().unwrap();
    assert_eq!((names(&partition), ids(&partition, 0)), (vec!["k".to_owned()], vec![7]));
    for missing in
        [folders().column_indices([4]).read(), CsvReader::open(path("t.csv")).unwrap().column_indices([3]).read()]
    {
        assert!(matches!(missing, Err(Error::NoColumn { .. })), "{missing:?}");
    }
}

#[test]
fn row_groups_are_read_in_the_order_asked_for() {
    let folder = Folder::new();
    for (name, first) in [("a.parquet", 0), ("b.parquet", 6)] {
        let table = of(vec![("id", Arc::new(Int64Array::from_iter_values(first..first + 6)))]);
        let mut writer = ParquetWriter::new(folder.path(name), table.schema()).row_group_rows(2);
        writer.write(&table).unwrap();
        writer.finish().unwrap();
    }
    let reader = || ParquetReader::open(folder.path("*.parquet")).unwrap();
    assert_eq!(ids(&reader().row_groups([5, 0, 3]).read().unwrap(), 0), [10, 11, 0, 1, 6, 7]);
    assert_eq!(ids(&reader().row_groups([5, 0, 3]).rows(1..4).read().unwrap(), 0), [11, 0, 1]);
    let filtered = reader().row_groups([4, 1]).predicate(Predicate::gt("id", 2));
    assert_eq!(ids(&filtered.read().unwrap(), 0), [8, 9, 3]);
    assert_eq!(reader().row_groups([]).read().unwrap().num_rows(), 0);
    assert!(reader().row_groups([6]).read().unwrap_err().to_string().contains('6'));
}

#[test]
fn types_of_the_schema_of_parquet_alone() {
    let folder = Folder::new();
    let path = folder.path("t.parquet");
    let large: ArrayRef = Arc::new(LargeStringArray::from(vec!["x", "y"]));
    let coded: ArrayRef = Arc::new(["x", "x"].into_iter().collect::<DictionaryArray<arrow_array::types::Int32Type>>());
    let table = of(vec![("large", large), ("coded", coded)]);
    write_parquet(&table, &path).unwrap();
    let types = |schema: &Schema| schema.fields().iter().map(|field| field.data_type().clone()).collect::<Vec<_>>();
    let noted = ParquetReader::open(&path).unwrap();
    assert_eq!(types(&noted.schema()), types(table.schema()));
    let bare = noted.skip_arrow_metadata().unwrap();
    assert_eq!(types(&bare.schema()), [DataType::Utf8, DataType::Utf8]);
    let read = bare.read().unwrap();
    assert_eq!(read.column("coded").unwrap().to_vec::<String>().unwrap(), [Some("x".to_owned()), Some("x".to_owned())]);
}

#[test]
fn json_is_written_as_an_array_and_in_ascii() {
    let folder = Folder::new();
    let (path, packed) = (folder.path("t.json"), folder.path("t.json.gz"));
    let text: ArrayRef = Arc::new(StringArray::from(vec![Some("é\n,"), None, Some("𝄞")]));
    let table = of(vec![("ü", text)]);
    let write = |path: &Path, batches: &[Batch], ascii| {
        let mut writer = JsonWriter::new(path, table.schema()).lines(false).force_ascii(ascii);
        batches.iter().for_each(|batch| writer.write(batch).unwrap());
        writer.finish().unwrap();
    };
    let of_text = || fs::read_to_string(&path).unwrap();
    let empty = table.slice(0, 0).unwrap();
    write(&path, &[empty.clone(), table.clone(), empty.clone(), table.slice(2, 1).unwrap()], false);
    assert_eq!(of_text(), r#"[{"ü":"é\n,"},{"ü":null},{"ü":"𝄞"},{"ü":"𝄞"}]"#);
    write(&path, std::slice::from_ref(&table), true);
    assert_eq!(of_text(), r#"[{"\u00fc":"\u00e9\n,"},{"\u00fc":null},{"\u00fc":"\ud834\udd1e"}]"#);
    assert_eq!(read_json(&path).unwrap().to_arrow().unwrap().columns(), table.to_arrow().unwrap().columns());
    write(&path, &[], false);
    assert_eq!(of_text(), "[]");
    write(&packed, &[table.clone(), table.clone()], true);
    assert_eq!(read_json(&packed).unwrap().num_rows(), 6);
}

#[test]
fn json_keeps_the_order_of_the_file_and_mixed_values() {
    let folder = Folder::new();
    let path = folder.path("t.jsonl");
    let text = "{\"z\": 1, \"b\": [{\"y\": 1, \"x\": 2}, null]}\n{\"a\": 1, \"b\": [null]}\n{\"a\": \"s\", \"z\": true}\n\
                {\"c\": [[1], null]}\n{\"c\": [null]}\n";
    fs::write(&path, text).unwrap();
    let found = read_json(&path).unwrap();
    assert_eq!(names(&found), ["z", "b", "a", "c"]);
    let DataType::List(item) = found.schema().field(1).data_type() else { panic!("{found:?}") };
    let DataType::Struct(fields) = item.data_type() else { panic!("{found:?}") };
    assert_eq!(fields.iter().map(|field| field.name().as_str()).collect::<Vec<_>>(), ["y", "x"]);
    let texts = |name| found.column(name).unwrap().to_vec::<String>().unwrap();
    assert_eq!(texts("z")[..3], [Some("1".to_owned()), None, Some("true".to_owned())]);
    assert_eq!(texts("a")[1..3], [Some("1".to_owned()), Some("s".to_owned())]);
}

#[test]
fn csv_is_written_with_quotes_and_words() {
    let folder = Folder::new();
    let path = folder.path("t.csv");
    let flag: ArrayRef = Arc::new(BooleanArray::from(vec![Some(true), Some(false), None]));
    let table = of(vec![("n", Arc::new(Int64Array::from(vec![1, 2, 3]))), ("flag", flag)]);
    let text = |with: fn(CsvWriter) -> CsvWriter| {
        let mut writer = with(CsvWriter::new(&path, table.schema()));
        writer.write(&table).unwrap();
        writer.finish().unwrap();
        fs::read_to_string(&path).unwrap()
    };
    let all = text(|writer| writer.quote_style(QuoteStyle::Always).crlf(true));
    assert_eq!(all, "\"n\",\"flag\"\r\n\"1\",\"true\"\r\n\"2\",\"false\"\r\n\"3\",\"\"\r\n");
    let some = text(|writer| writer.quote_style(QuoteStyle::NonNumeric).true_value("Y"));
    assert_eq!(some, "\"n\",\"flag\"\n1,\"Y\"\n2,\"false\"\n3,\"\"\n");
    assert_eq!(text(|writer| writer.false_value("N").null("-")), "n,flag\n1,true\n2,N\n3,-\n");
    assert_eq!(text(|writer| writer.quote_style(QuoteStyle::Necessary).crlf(false)), "n,flag\n1,true\n2,false\n3,\n");
    let values: ArrayRef = Arc::new(BooleanArray::from(vec![false, true]));
    let coded: ArrayRef = Arc::new(DictionaryArray::new(Int8Array::from(vec![1, 0, 1]), values));
    let table = of(vec![("coded", coded)]);
    let mut writer = CsvWriter::new(&path, table.schema()).true_value("ja").false_value("nein");
    writer.write(&table).unwrap();
    writer.finish().unwrap();
    assert_eq!(fs::read_to_string(&path).unwrap(), "coded\nja\nnein\nja\n");
}
