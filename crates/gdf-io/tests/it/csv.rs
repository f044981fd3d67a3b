//! Tests CSV types, dialects, round trips, pieces, and the line numbers in errors.

use std::fs;
use std::sync::Arc;

use arrow_array::{Array, ArrayRef, Int64Array, RecordBatch, StringArray};
use arrow_schema::{DataType, Field, Schema, TimeUnit};
use arrow_select::concat::concat_batches;
use gdf_io::{Batch, CsvReader, CsvWriter, Error, Position, Predicate, QuoteStyle, read_csv, write_csv};

use crate::all_types::{batch_of, fixed_width, nested, text_and_binary};
use crate::{Folder, batch, collect};

fn read(text: &str, with: impl Fn(CsvReader) -> CsvReader) -> gdf_io::Result<Batch> {
    let folder = Folder::new();
    let path = folder.path("t.csv");
    fs::write(&path, text).unwrap();
    with(CsvReader::open(&path).unwrap()).read()
}

fn rows(text: &str, with: impl Fn(CsvReader) -> CsvReader) -> Vec<Vec<Option<String>>> {
    let found = read(text, with).unwrap().to_arrow().unwrap();
    let columns: Vec<_> = found.columns().iter().map(|c| arrow_cast::cast(c, &DataType::Utf8).unwrap()).collect();
    let cell = |column: &arrow_array::ArrayRef, row: usize| {
        let texts = column.as_any().downcast_ref::<arrow_array::StringArray>().unwrap();
        texts.is_valid(row).then(|| texts.value(row).to_owned())
    };
    (0..found.num_rows()).map(|row| columns.iter().map(|column| cell(column, row)).collect()).collect()
}

#[test]
fn types_are_inferred() {
    let text =
        "i,f,b,d,t,s,e\n1,1.5,true,2026-01-31,2026-01-31T10:00:00,x,\n-2,3,false,1969-12-31,1969-12-31 23:59:59,,\n";
    let found = read(text, |reader| reader).unwrap();
    let types: Vec<&DataType> = found.schema().fields().iter().map(|field| field.data_type()).collect();
    let micros = DataType::Timestamp(TimeUnit::Microsecond, None);
    assert_eq!(
        types,
        [
            &DataType::Int64,
            &DataType::Float64,
            &DataType::Boolean,
            &DataType::Date32,
            &micros,
            &DataType::Utf8,
            &DataType::Utf8
        ]
    );
    assert_eq!((found.num_rows(), found.column("e").unwrap().known_null_count()), (2, Some(2)));
}

#[test]
fn cells_and_line_ends() {
    let some = |texts: &[&str]| texts.iter().map(|text| Some((*text).to_owned())).collect::<Vec<_>>();
    for text in ["a,b\n1,x\n2,y\n", "a,b\r\n1,x\r\n2,y", "a,b\n\n1,\"x\"\n\n2,y\n\n"] {
        assert_eq!(rows(text, |reader| reader), [some(&["1", "x"]), some(&["2", "y"])], "{text:?}");
    }
    assert_eq!(rows("a,b\n\"x,\"\"y\"\"\n\",é\n", |reader| reader), [some(&["x,\"y\"\n", "é"])]);
    assert_eq!(rows("a;b\n'x;''';y\n", |reader| reader.delimiter(b';').quote(b'\'')), [some(&["x;'", "y"])]);
    assert_eq!(rows("a,b\n\"x\\\"y\",z\n", |reader| reader.escape(b'\\')), [some(&["x\"y", "z"])]);
    assert_eq!(rows("# note\na,b\n# other\n1,2\n", |reader| reader.comment(b'#')), [some(&["1", "2"])]);
    assert_eq!(rows("a\n1\n# note", |reader| reader.comment(b'#')), [some(&["1"])]);
    assert_eq!(rows("1,2\n", |reader| reader.has_header(false).columns(["column_2"])), [some(&["2"])]);
    assert_eq!(rows("a,b\nNA,-\n1,x\n", |reader| reader.null("NA").null("-"))[0], [None, None]);
}

#[test]
fn files_without_rows() {
    assert_eq!(read("a,b\n", |reader| reader).unwrap().num_columns(), 2);
    assert_eq!(read("a,b", |reader| reader).unwrap().num_rows(), 0);
    assert_eq!(rows("1,2\n", |reader| reader.has_header(false).names(["a", "b"])).len(), 1);
    for text in ["", "\n", "\r\n\n", "# note\n"] {
        let error = read(text, |reader| reader.comment(b'#')).unwrap_err();
        assert!(matches!(&error, Error::Malformed { position: None, .. }), "{error}");
        assert!(error.to_string().contains("no records") && error.to_string().contains("schema"), "{error}");
        let schema = Arc::new(Schema::new(vec![Field::new("a", DataType::Int64, true)]));
        let found = read(text, |reader| reader.comment(b'#').schema(schema.clone())).unwrap();
        assert_eq!((found.num_rows(), found.num_columns()), (0, 1), "{text:?}");
    }
}

#[test]
fn given_types_and_schemas() {
    let text = "a,b\n1,2\n3,\n";
    let found = read(text, |reader| reader.types([("b", DataType::Decimal128(5, 2))])).unwrap();
    assert_eq!(found.schema().field(1).data_type(), &DataType::Decimal128(5, 2));
    assert!(matches!(read(text, |reader| reader.types([("c", DataType::Utf8)])), Err(Error::NoColumn { .. })));
    let error = read(text, |reader| reader.types([("b", DataType::LargeUtf8)])).unwrap_err();
    assert!(matches!(&error, Error::Unsupported { column, .. } if column == "b"), "{error}");
    let schema = Schema::new(vec![Field::new("x", DataType::Int8, true), Field::new("y", DataType::Utf8, true)]);
    let found = read(text, |reader| reader.schema(Arc::new(schema.clone()))).unwrap();
    assert_eq!(found.schema().as_ref(), &schema);
    assert_eq!(found.column("y").unwrap().known_null_count(), Some(1));
}

#[test]
fn what_is_written_is_read() {
    let folder = Folder::new();
    let path = folder.path("t.csv");
    let is_read = |name: &str| {
        // arrow-csv writes durations but does not read durations.
        !name.starts_with("duration")
            && !name.starts_with("interval")
            && !name.contains("binary")
            && name != "f16"
            && name != "date64"
            && !["date32", "timestamp_s", "timestamp_ms", "timestamp_us"].contains(&name)
            && name != "large_utf8"
            && !name.starts_with("time")
            && !name.starts_with("decimal")
    };
    let columns = [fixed_width(200), text_and_binary(200)].concat().into_iter().filter(|(name, _)| is_read(name));
    let expected = batch_of(columns.collect());
    let mut writer = CsvWriter::new(&path, &expected.schema()).null("\\N");
    writer.write(&batch(&expected)).unwrap();
    writer.finish().unwrap();
    let reader = CsvReader::open(&path).unwrap().schema(expected.schema()).null("\\N");
    let found = reader.read().unwrap().to_arrow().unwrap();
    for (index, field) in expected.schema().fields().iter().enumerate() {
        let (found, expected) = (found.column(index), expected.column(index));
        // The empty text is read as null.
        if !field.name().ends_with("utf8") {
            assert_eq!(found, expected, "{field}");
        }
    }
}

/// A reader takes a byte order mark at the start of a file as no part of the first cell.
#[test]
fn byte_order_marks_within_cells_stay() {
    let folder = Folder::new();
    let path = folder.path("t.csv");
    let texts: ArrayRef = Arc::new(StringArray::from(vec!["\u{feff}a", "\u{feff}b", "c\u{feff}"]));
    let numbers: ArrayRef = Arc::new(Int64Array::from(vec![1, 2, 3]));
    let alone = RecordBatch::try_from_iter([("\u{feff}t", texts.clone())]).unwrap();
    let both = RecordBatch::try_from_iter([("\u{feff}t", texts), ("n", numbers)]).unwrap();
    for (of, has_header) in [(&alone, false), (&alone, true), (&both, false), (&both, true)] {
        for crlf in [false, true] {
            let mut writer = CsvWriter::new(&path, &of.schema()).has_header(has_header).crlf(crlf);
            writer.write(&batch(of)).unwrap();
            writer.finish().unwrap();
            let found = CsvReader::open(&path).unwrap().has_header(has_header).read().unwrap().to_arrow().unwrap();
            assert_eq!(found.columns(), of.columns(), "{has_header}, {crlf}");
            if has_header {
                assert_eq!(found.schema().field(0).name(), "\u{feff}t");
            }
        }
    }
}

#[test]
fn days_times_and_decimals_in_their_usual_range() {
    let folder = Folder::new();
    let path = folder.path("t.csv");
    let names = ["date32", "timestamp_s", "timestamp_ms", "timestamp_us", "timestamp_ns", "time64_us", "decimal128"];
    let all = fixed_width(200).into_iter().filter(|(name, _)| names.contains(&name.as_str()));
    let all = batch_of(all.collect());
    let schema = all.schema();
    let expected = all.slice(10, 190);
    write_csv(&batch(&expected), &path).unwrap();
    let found = CsvReader::open(&path).unwrap().schema(schema).read().unwrap().to_arrow().unwrap();
    assert_eq!(found, expected);
}

#[test]
fn several_batches_make_one_header() {
    let folder = Folder::new();
    let path = folder.path("t.csv");
    let of = gdf_io::example_batch().unwrap();
    let mut writer = CsvWriter::new(&path, of.schema());
    writer.write(&of).unwrap();
    writer.write(&of.slice(0, 0).unwrap()).unwrap();
    writer.write(&of.slice(2, 1).unwrap()).unwrap();
    writer.finish().unwrap();
    assert_eq!(fs::read_to_string(&path).unwrap(), "id,city\n1,Lyon\n2,\n3,Nantes\n3,Nantes\n");
    CsvWriter::new(&path, of.schema()).finish().unwrap();
    assert_eq!(fs::read_to_string(&path).unwrap(), "id,city\n");
}

/// Makes a text that has several pieces if there are many rows.
fn long(rows: usize) -> String {
    let rows = (0..rows).map(|row| format!("{row},\"{}\n{}\"\n", "x".repeat(row % 90), row % 7));
    std::iter::once("a,b\n".to_owned()).chain(rows).collect()
}

#[test]
fn long_files_are_read_in_pieces() {
    let folder = Folder::new();
    let path = folder.path("t.csv");
    let text = long(400_000);
    assert!(text.len() > 20 << 20);
    fs::write(&path, &text).unwrap();
    let found = read_csv(&path).unwrap();
    let all = found.to_arrow().unwrap();
    let ids = all.column(0).as_any().downcast_ref::<arrow_array::Int64Array>().unwrap();
    assert!(ids.values().iter().copied().eq(0..400_000));
    let texts = all.column(1).as_any().downcast_ref::<arrow_array::StringArray>().unwrap();
    assert_eq!(texts.value(399_999), format!("{}\n{}", "x".repeat(399_999 % 90), 399_999 % 7));

    let scan = CsvReader::open(&path).unwrap().rows(1000..300_000).batch_rows(12_345).scan().unwrap();
    let batches = collect(scan);
    assert!(batches.iter().all(|batch| (1..=12_345).contains(&batch.num_rows())));
    assert_eq!(concat_batches(&all.schema(), &batches).unwrap(), all.slice(1000, 299_000));
    let few = CsvReader::open(&path).unwrap().columns(["b"]).predicate(Predicate::lt("a", 3)).read().unwrap();
    assert_eq!((few.num_rows(), few.num_columns()), (3, 1));
}

#[test]
fn errors_name_the_line() {
    let line = |result: gdf_io::Result<Batch>| match result {
        Err(Error::Malformed { position: Some(Position::Line(line)), what, path, .. }) => {
            assert!(path.ends_with("t.csv"), "{}", path.display());
            (line, what)
        }
        other => panic!("{other:?}"),
    };
    let types = [("a", DataType::Int64), ("b", DataType::Utf8)];
    let typed = |text: &str| line(read(text, |reader| reader.types(types.clone())));
    assert_eq!(typed("a,b\n1,x\nzwei,y\n").0, 3);
    assert_eq!(typed("a,b\nzwei,x\n").0, 2);
    let (at, what) = typed("a,b\n1,\"x\n\n\"\n\n\nzwei,y\n");
    assert_eq!(at, 7, "{what}");
    assert!(what.contains("zwei") && what.contains("Int64") && !what.contains("line"), "{what}");
    assert_eq!(typed("a,b\n1,x\n2\n").0, 3);
    assert_eq!(typed("a,b\n1,x\n\n2,y,z\n").0, 4);
    assert_eq!(
        line(read("1,x\nzwei,y\n", |reader| {
            let schema =
                Schema::new(vec![Field::new("a", DataType::Int8, true), Field::new("b", DataType::Utf8, true)]);
            reader.has_header(false).schema(Arc::new(schema))
        }))
        .0,
        2
    );

    // Comments contain quotes.
    let commented = |text: &str| line(read(text, |reader| reader.types(types.clone()).comment(b'#'))).0;
    assert_eq!(commented("# it's 5\" wide\na,b\n1,x\n# \"\nzwei,y\n"), 5);
    assert_eq!(commented("a,b\n1,x\n# 5,\"wide\n2,x\nzwei,y\n"), 5);
    assert_eq!(commented("a,b\n1,5\" pipe\n2,\"#\n\"\nzwei,y\n"), 5);
    assert_eq!(line(read("note\n\na,b\n1,\"x\n\"\nzwei,y\n", |r| r.skip_lines(2).types(types.clone()))).0, 6);
    let (at, what) = line(read("a\n1\n2.5\n", |reader| reader.types([("a", DataType::Decimal128(3, 3))])));
    assert!(at == 2, "{what}");

    // The faulty record is in a later piece of the file.
    let mut text = long(400_000);
    let before = text.matches('\n').count() as u64;
    text.push_str("zwei,y\n");
    assert_eq!(line(read(&text, |reader| reader)).0, before + 1);
}

#[test]
fn errors_name_the_column_and_what_mends_them() {
    let what = |text: &str, with: fn(CsvReader) -> CsvReader| read(text, with).unwrap_err().to_string();
    let text = what("day,n\n2024-01-01,1\n2024-01-01,x\n", |reader| reader.infer_records(1));
    assert!(text.contains("line 3:") && text.contains("'x' in column n is not a valid Int64"), "{text}");
    assert!(text.contains("give the type of this column"), "{text}");
    let text = what("t\n2024-01-01T10:00:00\nx\n", |reader| reader.infer_records(1));
    assert!(text.contains("line 3:") && text.contains("column t"), "{text}");
    let long = format!("a\n1\n{}\n", "x".repeat(1 << 20));
    assert!(what(&long, |reader| reader.infer_records(1)).len() < 500);
    let text = what("p\n1,5\n1.5\n", |reader| reader.delimiter(b';').decimal_point(b',').infer_records(1));
    assert!(text.contains("line 3:") && text.contains("'1.5' in column p is not a valid Float64"), "{text}");
    let text = what("b\nyes\nno\n", |reader| reader.true_value("yes").infer_records(1));
    assert!(text.contains("line 3:") && text.contains("'no' in column b is not a valid Boolean"), "{text}");
    // The delimiter is probably another one.
    for (text, delimiter) in [
        ("a;b\n1,5;2,5\n", "`;`"),
        ("a;b;c\n1;2;3\n4;5,0;6\n", "`;`"),
        ("a\tb\n1\t2,0\n", "`\\t`"),
        ("a|b\n1|2,0\n", "`|`"),
    ] {
        let text = what(text, |reader| reader);
        assert!(text.contains(&format!("if cells are separated by {delimiter}, set the delimiter")), "{text}");
    }
    let comma = what("a,b\n1,2\n3;4,5\n", |reader| reader.delimiter(b';'));
    assert!(comma.contains("if cells are separated by `,`, set the delimiter"), "{comma}");
    let short = what("a,b\n1,2\n3\n", |reader| reader);
    assert!(short.contains("line 3:") && !short.contains("delimiter"), "{short}");
}

#[test]
fn quotes_that_are_not_closed_are_errors() {
    for (text, line) in [("a,b\n1,\"x\n2,y\n", 2), ("a\n\"x\"\n\"y\n", 3), ("\"a,b\n", 1)] {
        match read(text, |reader| reader) {
            Err(Error::Malformed { position: Some(Position::Line(found)), what, .. }) => {
                assert!(found == line && what.contains("closing quote"), "{text:?}: line {found}, {what}");
            }
            other => panic!("{text:?}: {other:?}"),
        }
    }
    let found = rows("a\n\"x\n", |reader| reader.quote(None));
    assert_eq!(found, [[Some("\"x".to_owned())]]);
}

#[test]
fn other_encodings_are_named_with_the_line() {
    let folder = Folder::new();
    let path = folder.path("t.csv");
    let utf_16: Vec<u8> = "\u{feff}a,b\n1,2\n".encode_utf16().flat_map(u16::to_le_bytes).collect();
    for (bytes, line, part) in [
        (b"a,b\n1,x\n2,caf\xe9\n".to_vec(), 3, "iconv -f WINDOWS-1252"),
        (b"a,pr\xe9nom\n1,x\n".to_vec(), 1, "0xE9"),
        (utf_16, 1, "UTF-16"),
    ] {
        fs::write(&path, bytes).unwrap();
        for reader in [CsvReader::open(&path).unwrap(), CsvReader::open(&path).unwrap().infer_records(1)] {
            match reader.read() {
                Err(Error::Malformed { position: Some(Position::Line(found)), what, .. }) => {
                    assert!(found == line && what.contains(part), "line {found}: {what}");
                }
                other => panic!("{other:?}"),
            }
        }
    }
}

/// Quotes within comments, and quotes in the middle of cells, have no meaning.
#[test]
fn stray_quotes_do_not_cut_records() {
    let next = |row: usize| format!("\"line {row}\nnext\"");
    let two: String = (0..300_000).map(|row| format!("{},{row}\n", next(row))).collect();
    for start in ["a,b\n5\" pipe,0\n", "a,b\n# it's 5\" wide\nx,0\n", "a,b\n#,\"wide\nx,0\n", "a,b\n\"5\"\" pipe\",0\n"]
    {
        let found = read(&format!("{start}{two}"), |reader| reader.comment(b'#')).unwrap();
        assert_eq!(found.num_rows(), 300_001, "{start:?}");
        let numbers = found.column("b").unwrap().to_vec::<i64>().unwrap();
        assert!(numbers[1..].iter().copied().eq((0..300_000).map(Some)), "{start:?}");
    }
    let one: String = (0..400_000).map(|row| next(row) + "\n").collect();
    assert_eq!(read(&format!("a\n5\" pipe\n{one}"), |reader| reader).unwrap().num_rows(), 400_001);
    let escaped: String = (0..400_000).map(|row| format!("\"line \\\" {row}\n\"\n")).collect();
    let found = read(&format!("a\n{escaped}"), |reader| reader.escape(b'\\')).unwrap();
    assert_eq!(found.num_rows(), 400_000);
}

/// The decoder must allocate memory only for the cells that exist, and not for a full batch of cells.
#[test]
fn wide_files_of_few_rows_are_read() {
    let columns = 20_000;
    let names: Vec<String> = (0..columns).map(|column| format!("c{column}")).collect();
    let values: Vec<String> = (0..columns).map(|column| column.to_string()).collect();
    let text = format!("{}\n{}\n", names.join(","), values.join(","));
    let found = read(&text, |reader| reader).unwrap();
    assert_eq!((found.num_rows(), found.num_columns()), (1, columns));
    assert_eq!(found.column("c19999").unwrap().to_vec::<i64>().unwrap(), [Some(19_999)]);
}

#[test]
fn columns_of_other_files_are_found_by_name() {
    let folder = Folder::new();
    fs::write(folder.path("d/x.csv"), "a,b\n1,2\n").unwrap();
    fs::write(folder.path("d/y.csv"), "b,more,a\n3,x,4\n").unwrap();
    let open = || CsvReader::open(folder.path("d")).unwrap();
    let found = open().columns(["a", "b"]).read().unwrap();
    let column = |name: &str| found.column(name).unwrap().to_vec::<i64>().unwrap();
    assert_eq!((column("a"), column("b")), (vec![Some(1), Some(4)], vec![Some(2), Some(3)]));
    fs::write(folder.path("d/z.csv"), "a,c\n5,6\n").unwrap();
    let error = open().columns(["b"]).read().unwrap_err();
    assert!(error.to_string().contains("z.csv has no column b; existing columns: a, c"), "{error}");
    assert_eq!(open().columns(["a"]).read().unwrap().num_rows(), 3);
}

#[test]
fn names_and_lines_before_them() {
    let some = |texts: &[&str]| texts.iter().map(|text| Some((*text).to_owned())).collect::<Vec<_>>();
    let text = "made \"by hand\n\nx,y\n1,2\n";
    assert_eq!(rows(text, |reader| reader.skip_lines(2)), [some(&["1", "2"])]);
    assert_eq!(rows(text, |reader| reader.skip_lines(2).names(["a", "b"]).columns(["b"])), [some(&["2"])]);
    assert_eq!(rows(text, |reader| reader.skip_lines(3).has_header(false).names(["a", "b"]).columns(["b"])).len(), 1);
    assert!(read(text, |reader| reader.skip_lines(9)).is_err());
    let error = read(text, |reader| reader.skip_lines(2).names(["a"])).unwrap_err().to_string();
    assert!(error.contains("is 2, but the number of given names is 1"), "{error}");
    let error = read(text, |reader| reader.delimiter(b'"')).unwrap_err().to_string();
    assert!(error.contains("different ASCII characters"), "{error}");
}

#[test]
fn decimal_points_and_words_for_booleans() {
    let text = "p;d;b;n\n1,5;2,25;ja;1\n;-0,5;nein;0\n2;;;1\n";
    let reader = |reader: CsvReader| {
        let reader = reader.delimiter(b';').decimal_point(b',').true_value("ja").false_value("nein");
        reader.types([("d", DataType::Decimal128(5, 2))])
    };
    let found = read(text, reader).unwrap();
    assert_eq!(found.column("p").unwrap().to_vec::<f64>().unwrap(), [Some(1.5), None, Some(2.0)]);
    assert_eq!(found.column("b").unwrap().to_vec::<bool>().unwrap(), [Some(true), Some(false), None]);
    assert_eq!(found.column("n").unwrap().data_type(), &DataType::Int64);
    let decimals = found.to_arrow().unwrap().column(1).clone();
    let expected = arrow_array::Decimal128Array::from(vec![Some(225), Some(-50), None]);
    assert_eq!(decimals.as_ref(), &expected.with_precision_and_scale(5, 2).unwrap() as &dyn Array);
}

#[test]
fn wrong_names_and_files() {
    let text = "a,b\n1,2\n";
    let error = read(text, |reader| reader.columns(["c"])).unwrap_err();
    assert!(error.to_string().contains("has no column c; existing columns: a, b"), "{error}");
    assert!(matches!(read(text, |reader| reader.predicate(Predicate::is_null("c"))), Err(Error::NoColumn { .. })));
    assert!(matches!(read_csv("/no/such.csv"), Err(Error::NotFound { .. })));
    assert!(read("a,b\n\u{0},\n", |reader| reader).is_ok());
    let folder = Folder::new();
    let path = folder.path("t.csv");
    fs::write(&path, b"a\n\xff\xfe\n").unwrap();
    assert!(matches!(read_csv(&path), Err(Error::Malformed { .. })));
}

#[test]
fn separators_that_could_not_be_read_back_are_refused() {
    use QuoteStyle::{Always, Necessary, NonNumeric};
    let folder = Folder::new();
    let path = folder.path("t.csv");
    let of = gdf_io::example_batch().unwrap();
    let write = |delimiter, style| {
        let mut writer = CsvWriter::new(&path, of.schema()).delimiter(delimiter).quote_style(style);
        writer.write(&of)?;
        writer.finish()
    };
    for (delimiter, style) in [
        (b'"', Necessary),
        (b'\n', Always),
        (b'\r', Necessary),
        (0xe9, Necessary),
        (b'1', NonNumeric),
        (b'.', NonNumeric),
        (b'-', NonNumeric),
        (b'e', NonNumeric),
        // `NaN` and `inf` are numbers.
        (b'N', NonNumeric),
    ] {
        let error = write(delimiter, style).unwrap_err();
        assert!(matches!(error, Error::Gdf(_)) && error.to_string().contains("write_csv: "), "{delimiter}: {error}");
        assert!(folder.names().is_empty());
    }
    for (delimiter, style) in [(b';', NonNumeric), (b'1', Necessary), (b'-', Always)] {
        write(delimiter, style).unwrap();
        let found = CsvReader::open(&path).unwrap().delimiter(delimiter).read().unwrap();
        assert_eq!(found.to_arrow().unwrap().columns(), of.to_arrow().unwrap().columns(), "{delimiter}");
    }
}

#[test]
fn files_of_other_extensions_are_read_if_the_caller_asks() {
    let folder = Folder::new();
    for (name, text) in [("a.tsv", "x\ty\n1\t2\n"), ("deep/b.TAB", "x\ty\n3\t4\n"), ("c.csv", "z\n5\n")] {
        fs::write(folder.path(&format!("d/{name}")), text).unwrap();
    }
    let open = || CsvReader::open(folder.path("d")).unwrap();
    let found = open().extensions(["TSV", "tab"]).delimiter(b'\t').read().unwrap();
    assert_eq!(found.column("y").unwrap().to_vec::<i64>().unwrap(), [Some(2), Some(4)]);
    assert_eq!(open().read().unwrap().num_columns(), 1);
    assert!(matches!(open().extensions(["txt"]).read(), Err(Error::NoFiles { .. })));
}

#[test]
fn nested_columns_have_no_form() {
    let folder = Folder::new();
    let of = batch(&batch_of(nested(3)));
    let error = write_csv(&of, folder.path("t.csv")).unwrap_err();
    assert!(matches!(&error, Error::Unsupported { column, .. } if column == "list"), "{error}");
    assert!(folder.names().is_empty());
    let other: RecordBatch = batch_of(fixed_width(1));
    let mut writer = CsvWriter::new(folder.path("t.csv"), &other.schema());
    assert!(matches!(writer.write(&of), Err(Error::SchemaMismatch { .. })));
}
