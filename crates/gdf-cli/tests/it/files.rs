//! Tests the commands on files in all formats, and on invalid files.

use std::fs;
use std::path::Path;
use std::process::Stdio;
use std::sync::Arc;

use gdf::arrow::array::{ArrayRef, Decimal128Array, Int64Array, ListArray, RecordBatch};
use gdf::arrow::buffer::OffsetBuffer;
use gdf::arrow::schema::{DataType, Field};
use gdf::io::{Batch, ParquetReader, read_parquet};

use crate::program::{Ran, gdf, ran};

/// Writes a file of five rows with nulls.
fn cities(folder: &Path) {
    let text = "city,day,price\nLyon,2026-01-31,2.5\nNantes,2026-02-01,4\n,2026-02-01,\nOslo,2026-03-05,-1\n\"Bern, CH\",2026-04-01,10\n";
    fs::write(folder.join("c.csv"), text).unwrap();
}

fn good(folder: &Path, line: &[&str]) -> String {
    let Ran { status, out, err } = ran(folder, line);
    assert_eq!((status, &*err), (Some(0), ""), "{line:?}");
    out
}

/// Returns the lines of a printed table that hold values, without the frame.
fn rows(table: &str) -> Vec<String> {
    // The first two lines hold the names and the types.
    let lines = table.lines().filter(|line| line.starts_with('│')).skip(2);
    let row = |line: &str| line.replace(['│', '┆'], "|").split_whitespace().collect::<Vec<_>>().join(" ");
    lines.map(row).collect()
}

#[test]
fn every_format_is_read_and_written() {
    let folder = tempfile::tempdir().unwrap();
    let folder = folder.path();
    cities(folder);
    let expected = good(folder, &["head", "c.csv"]);
    assert_eq!(rows(&expected).len(), 5, "{expected}");
    assert!(
        expected.contains("│ Utf8") && expected.contains("┆ Date32") && expected.contains("Float64 │"),
        "{expected}"
    );
    for (from, to) in [("c.csv", "c.parquet"), ("c.parquet", "c.arrow"), ("c.arrow", "c.arrows"), ("c.arrows", "c.tsv")]
    {
        assert_eq!(good(folder, &["convert", from, to]), "");
        assert_eq!(good(folder, &["head", to]), expected, "{to}");
        assert_eq!(good(folder, &["count", to]), "5\n", "{to}");
    }
    // JSON has no dates, so the dates become text.
    good(folder, &["convert", "c.parquet", "c.jsonl"]);
    assert_eq!(good(folder, &["count", "c.jsonl"]), "5\n");
    fs::copy(folder.join("c.parquet"), folder.join("unnamed")).unwrap();
    assert_eq!(good(folder, &["count", "unnamed"]), "5\n");
    fs::copy(folder.join("c.csv"), folder.join("text")).unwrap();
    assert_eq!(good(folder, &["count", "--format", "csv", "text"]), "5\n");
}

#[test]
fn rows_and_columns_are_chosen() {
    let folder = tempfile::tempdir().unwrap();
    let folder = folder.path();
    cities(folder);
    good(folder, &["convert", "c.csv", "c.parquet"]);
    for file in ["c.csv", "c.parquet"] {
        let city = ["--columns", "city", file];
        let chosen = |line: &[&str]| rows(&good(folder, &[line, &city[..]].concat()));
        assert_eq!(chosen(&["head", "-n", "2"]), ["| Lyon |", "| Nantes |"], "{file}");
        assert_eq!(chosen(&["tail", "-n", "2"]), ["| Oslo |", "| Bern, CH |"], "{file}");
        assert_eq!(chosen(&["tail", "-n", "0"]), [""; 0], "{file}");
        assert_eq!(chosen(&["head", "-n", "0"]), [""; 0], "{file}");
        assert_eq!(chosen(&["tail"]).len(), 5, "{file}");
        let filter = ["--where", "price > 3 and day >= '2026-02-01'"];
        assert_eq!(chosen(&[&["head"][..], &filter].concat()), ["| Nantes |", "| Bern, CH |"], "{file}");
        assert_eq!(chosen(&[&["head", "-n", "1"][..], &filter].concat()), ["| Nantes |"], "{file}");
        assert_eq!(chosen(&[&["tail", "-n", "1"][..], &filter].concat()), ["| Bern, CH |"], "{file}");
        assert_eq!(good(folder, &["count", file, "--where", "city is null or price < 0"]), "2\n", "{file}");
        let none = good(folder, &["head", file, "--where", "price > 1000"]);
        assert!(rows(&none).is_empty() && none.contains("price"), "{none}");
    }
}

#[test]
fn schemas_and_statistics_are_printed() {
    let folder = tempfile::tempdir().unwrap();
    let folder = folder.path();
    cities(folder);
    let schema = good(folder, &["schema", "c.csv"]);
    let line = |name: &str| schema.lines().find(|line| line.contains(name)).unwrap().to_owned();
    assert!(
        line("city").contains("Utf8") && line("day").contains("Date32") && line("price").contains("Float64"),
        "{schema}"
    );
    let statistics = rows(&format!("│\n{}", good(folder, &["describe", "c.csv"])));
    let expected = [
        "| city | Utf8 | 4 | 1 | Bern, CH | Oslo | | |",
        "| day | Date32 | 5 | 0 | 2026-01-31 | 2026-04-01 | | |",
        "| price | Float64 | 4 | 1 | -1.0 | 10.0 | 3.875 | 4.589389937671455 |",
    ];
    assert_eq!(statistics, expected);
    fs::write(folder.join("t.csv"), "t,n\n,\n2026-01-31T10:00:00,\n").unwrap();
    let statistics = rows(&format!("│\n{}", good(folder, &["describe", "t.csv", "t.csv"])));
    let at = "2026-01-31T10:00:00";
    let expected =
        [format!("| t | Timestamp(µs) | 2 | 2 | {at} | {at} | | |"), "| n | Utf8 | 0 | 4 | null | null | | |".into()];
    assert_eq!(statistics, expected);
}

#[test]
fn several_files_are_one_table() {
    let folder = tempfile::tempdir().unwrap();
    let folder = folder.path();
    for (name, values) in [("a", "1\n2\n"), ("b", "3\n"), ("c", "4\n5\n6\n")] {
        fs::write(folder.join(format!("{name}.csv")), format!("x\n{values}")).unwrap();
    }
    let all = ["a.csv", "b.csv", "c.csv"];
    assert_eq!(good(folder, &[&["count"], &all[..]].concat()), "6\n");
    assert_eq!(good(folder, &["count", "*.csv"]), "6\n");
    let rows_of = |line: &[&str]| rows(&good(folder, &[line, &all[..]].concat())).join("");
    assert_eq!(rows_of(&["head", "-n", "4"]), "| 1 || 2 || 3 || 4 |");
    assert_eq!(rows_of(&["tail", "-n", "4"]), "| 3 || 4 || 5 || 6 |");
    assert_eq!(rows(&good(folder, &["tail", "-n", "4", "*.csv"])).join(""), "| 3 || 4 || 5 || 6 |");
    good(folder, &["convert", "a.csv", "b.csv", "c.csv", "all.parquet"]);
    assert_eq!(rows(&good(folder, &["head", "all.parquet"])).len(), 6);
    one_line(&ran(folder, ["count", "."]), &["several formats: Csv (3), Parquet (1)", "--format"]);
    assert_eq!(good(folder, &["count", "--format", "csv", "."]), "6\n");
    fs::remove_file(folder.join("all.parquet")).unwrap();
    assert_eq!(good(folder, &["count", "."]), "6\n");

    fs::write(folder.join("d.csv"), "y\n7\n").unwrap();
    let other = ran(folder, ["head", "a.csv", "d.csv"]);
    one_line(&other, &["d.csv", "y: Int64", "x: Int64"]);
}

/// A float would round the numbers of these conditions to their neighbors.
#[test]
fn numbers_of_conditions_are_exact() {
    let folder = tempfile::tempdir().unwrap();
    let folder = folder.path();
    let decimals = Decimal128Array::from_iter_values((0..3).map(|row| 12_345_678_901_234_567_890 + row));
    let columns: [(&str, ArrayRef); 2] = [
        ("long", Arc::new(Int64Array::from_iter_values((0..3).map(|row| 9_007_199_254_740_992 + row)))),
        ("price", Arc::new(decimals.with_precision_and_scale(38, 2).unwrap())),
    ];
    let of = Batch::from_arrow(&RecordBatch::try_from_iter(columns).unwrap()).unwrap();
    gdf::io::write_parquet(&of, folder.join("t.parquet")).unwrap();
    for (condition, expected) in [
        ("long > 9007199254740993", "1\n"),
        ("long = 9007199254740993.0", "1\n"),
        ("price = 123456789012345678.91", "1\n"),
        ("price > 123456789012345678.90", "2\n"),
        ("price < 99999999999999999999", "3\n"),
    ] {
        assert_eq!(good(folder, &["count", "t.parquet", "--where", condition]), expected, "{condition}");
    }
    let long = ran(folder, ["count", "t.parquet", "--where", "long < 99999999999999999999"]);
    one_line(&long, &["long", "99999999999999999999"]);
}

/// Only the second of two files allows nulls, in a column and in the items of lists.
#[test]
fn files_may_differ_in_what_allows_nulls() {
    let folder = tempfile::tempdir().unwrap();
    let folder = folder.path();
    for (name, is_nullable) in [("a", false), ("b", true)] {
        let numbers: ArrayRef = Arc::new(Int64Array::from(vec![Some(1), (!is_nullable).then_some(2)]));
        let item = Arc::new(Field::new_list_field(DataType::Int64, is_nullable));
        let lists = ListArray::new(item, OffsetBuffer::from_lengths([1, 1]), numbers.clone(), None);
        let columns = [("n", numbers, is_nullable), ("list", Arc::new(lists) as ArrayRef, is_nullable)];
        let of = Batch::from_arrow(&RecordBatch::try_from_iter_with_nullable(columns).unwrap()).unwrap();
        gdf::io::write_ipc(&of, folder.join(format!("{name}.arrow"))).unwrap();
        gdf::io::write_parquet(&of, folder.join(format!("{name}.parquet"))).unwrap();
    }
    for inputs in [["a.arrow", "b.arrow"], ["b.arrow", "a.arrow"], ["a.parquet", "b.parquet"], ["a.arrow", "b.parquet"]]
    {
        let expected = good(folder, &[&["head"], &inputs[..]].concat());
        assert_eq!(rows(&expected).len(), 4, "{expected}");
        assert_eq!(good(folder, &[&["tail"], &inputs[..]].concat()), expected);
        let schema = good(folder, &[&["schema"], &inputs[..]].concat());
        assert!(schema.contains("possible") && !schema.contains("none"), "{schema}");
        for out in ["out.parquet", "out.arrow"] {
            good(folder, &[&["convert", "--force"][..], &inputs, &[out]].concat());
            assert_eq!(good(folder, &["head", out]), expected, "{inputs:?} {out}");
        }
        good(folder, &[&["convert", "--force"][..], &inputs, &["out.jsonl"]].concat());
        assert_eq!(good(folder, &["count", "out.jsonl"]), "4\n");
    }
    assert_eq!(rows(&good(folder, &["head", "[ab].arrow"])).len(), 4);
    let schema = good(folder, &["schema", "a.arrow"]);
    assert!(schema.contains("none") && !schema.contains("possible"), "{schema}");
}

#[test]
fn folders_are_columns_however_the_path_begins() {
    let folder = tempfile::tempdir().unwrap();
    let folder = folder.path();
    for year in ["2025", "2026"] {
        fs::create_dir_all(folder.join(format!("p/year={year}"))).unwrap();
        fs::write(folder.join(format!("p/year={year}/x.csv")), "n\n1\n").unwrap();
    }
    for path in ["p", "./p", ".", "./p/year=*/x.csv", "././p/*/*.csv", "./*/*/x.csv"] {
        let head = good(folder, &["head", path]);
        assert!(head.contains("year"), "{path}: {head}");
        assert_eq!(rows(&head), ["| 1 | 2025 |", "| 1 | 2026 |"], "{path}");
    }
}

#[test]
fn folders_of_values_separated_by_tabs_are_read() {
    let folder = tempfile::tempdir().unwrap();
    let folder = folder.path();
    fs::create_dir(folder.join("d")).unwrap();
    fs::write(folder.join("d/a.tsv"), "x\ty\n1\t2\n").unwrap();
    fs::write(folder.join("d/b.tab"), "x\ty\n3\t4\n").unwrap();
    assert_eq!(rows(&good(folder, &["head", "d"])), ["| 1 | 2 |", "| 3 | 4 |"]);
    fs::write(folder.join("d/c.csv"), "x,y\n5,6\n7,8\n9,10\n").unwrap();
    assert_eq!(good(folder, &["count", "--format", "tsv", "d"]), "2\n");
    assert_eq!(good(folder, &["count", "--format", "csv", "d"]), "3\n");
}

#[test]
fn an_output_among_the_inputs_is_refused() {
    let folder = tempfile::tempdir().unwrap();
    let folder = folder.path();
    fs::create_dir(folder.join("logs")).unwrap();
    fs::write(folder.join("logs/a.csv"), "x\n1\n").unwrap();
    good(folder, &["convert", "--force", "logs/*.csv", "logs/all.csv"]);
    for inputs in ["logs/*.csv", "logs", "./logs/*"] {
        let again = ran(folder, ["convert", "--force", inputs, "logs/all.csv"]);
        one_line(&again, &["logs/all.csv is both an input file and the output file"]);
    }
    assert_eq!(fs::read_to_string(folder.join("logs/all.csv")).unwrap(), "x\n1\n");
    // A folder has no files of another format.
    for _ in 0..2 {
        good(folder, &["convert", "--force", "--format", "csv", "logs", "logs/all.jsonl"]);
    }
    assert_eq!(good(folder, &["count", "logs/all.jsonl"]), "2\n");
}

/// Writes a Parquet file with a column of decimals.
fn decimals(path: &Path, precision: u8, value: i128) {
    use std::sync::Arc;

    use gdf::arrow::array::{ArrayRef, Decimal128Array, RecordBatch};
    let x = Decimal128Array::from(vec![value]).with_precision_and_scale(precision, 2).unwrap();
    let rows = RecordBatch::try_from_iter([("x", Arc::new(x) as ArrayRef)]).unwrap();
    gdf::io::write_parquet(&gdf::io::Batch::from_arrow(&rows).unwrap(), path).unwrap();
}

#[test]
fn decimals_lose_no_digits() {
    let folder = tempfile::tempdir().unwrap();
    let folder = folder.path();
    decimals(&folder.join("a.parquet"), 5, 123);
    decimals(&folder.join("b.parquet"), 20, 100_000_000_000);
    let expected = ["| 1.23 |", "| 1000000000.00 |"];
    for inputs in [&["a.parquet", "b.parquet"][..], &["[ab].parquet"]] {
        for out in ["out.parquet", "out.arrow"] {
            good(folder, &[&["convert", "--force"][..], inputs, &[out]].concat());
            assert_eq!(rows(&good(folder, &["head", out])), expected, "{inputs:?}");
        }
        assert_eq!(rows(&good(folder, &[&["head"], inputs].concat())), expected, "{inputs:?}");
        assert_eq!(rows(&good(folder, &[&["tail"], inputs].concat())), expected, "{inputs:?}");
        let described = rows(&format!("│\n{}", good(folder, &[&["describe"], inputs].concat())));
        assert!(described[0].starts_with("| x | Decimal128(20, 2) | 2 | 0 | 1.23 | 1000000000.00 |"), "{described:?}");
    }
}

#[test]
fn files_for_gpus_have_large_row_groups() {
    let folder = tempfile::tempdir().unwrap();
    let folder = folder.path();
    let lines: String = (0..1_100_000).map(|row| format!("{}\n", row % 7)).collect();
    fs::write(folder.join("n.csv"), format!("n\n{lines}")).unwrap();
    let groups = |line: &[&str], out: &str| {
        good(folder, &[&["convert", "n.csv", out], line].concat());
        ParquetReader::open(folder.join(out)).unwrap().num_row_groups()
    };
    assert_eq!(groups(&[], "n.parquet"), 2);
    assert_eq!(groups(&["--for", "gpu"], "gpu.parquet"), 1);
    assert_eq!(groups(&["--for", "gpu", "--to", "parquet"], "unnamed"), 1);
    let read = |file: &str| read_parquet(folder.join(file)).unwrap().to_arrow().unwrap();
    assert!(read("n.parquet") == read("gpu.parquet"));
    let refused = ran(folder, ["convert", "n.csv", "n.jsonl", "--for", "gpu"]);
    one_line(&refused, &["--for gpu applies to Parquet only", "n.jsonl"]);
    assert!(!folder.join("n.jsonl").exists());
}

fn one_line(ran: &Ran, parts: &[&str]) {
    assert_eq!((ran.status, &*ran.out, ran.err.lines().count()), (Some(1), "", 1), "{}", ran.err);
    assert!(ran.err.starts_with("gdf: ") && parts.iter().all(|part| ran.err.contains(part)), "{}", ran.err);
}

#[test]
fn bad_files_are_an_error_in_one_line() {
    let folder = tempfile::tempdir().unwrap();
    let folder = folder.path();
    cities(folder);
    good(folder, &["convert", "c.csv", "c.parquet"]);
    let bytes = fs::read(folder.join("c.parquet")).unwrap();
    fs::write(folder.join("cut.parquet"), &bytes[..bytes.len() / 2]).unwrap();
    fs::write(folder.join("cut.arrow"), b"ARROW1\0\0").unwrap();
    fs::write(folder.join("bad.json"), "{\"a\": 1}\n{\"a\": ]\n").unwrap();
    fs::write(folder.join("noise"), b"\x01\x02").unwrap();
    for (command, file) in [("head", "cut.parquet"), ("schema", "cut.arrow"), ("count", "bad.json"), ("tail", "noise")]
    {
        one_line(&ran(folder, [command, file]), &[file]);
    }
    for command in ["head", "tail", "schema", "count", "describe"] {
        one_line(&ran(folder, [command, "none.csv"]), &["none.csv", "does not exist"]);
    }
    one_line(&ran(folder, ["head", "c.csv", "--columns", "town"]), &["no column town", "city"]);
    one_line(&ran(folder, ["head", "c.csv", "--where", "city > 3"]), &["city"]);
    one_line(&ran(folder, ["head", "c.csv", "--device", "cuda:4000000000"]), &[]);
    one_line(&ran(folder, ["convert", "c.csv", "c.parquet"]), &["c.parquet exists", "--force"]);
    one_line(&ran(folder, ["convert", "c.csv", "c.csv", "--force"]), &["is both an input file and the output file"]);
    one_line(&ran(folder, ["convert", "c.csv", "out"]), &["--to"]);
    one_line(&ran(folder, ["convert", "bad.json", "out.parquet"]), &["bad.json"]);
    fs::write(folder.join("xy.json"), "{\"p\": {\"x\": 1, \"y\": 2}}\n").unwrap();
    fs::write(folder.join("yx.json"), "{\"p\": {\"y\": 2, \"x\": 1}}\n").unwrap();
    one_line(&ran(folder, ["head", "xy.json", "yx.json"]), &["the columns of yx.json differ"]);
    assert!(!folder.join("out.parquet").exists());
    assert_eq!(ran(folder, ["convert", "c.csv", "c.parquet", "--force"]).status, Some(0));
}

#[test]
fn wrong_arguments_are_usage_errors() {
    let folder = tempfile::tempdir().unwrap();
    cities(folder.path());
    for (argument, named) in [("tpu", "'tpu' for '--for <READER>'"), ("", "'--for <READER>'")] {
        let ran = ran(folder.path(), ["convert", "c.csv", "c.parquet", "--for", argument]);
        assert!(ran.status == Some(2) && ran.err.contains(named) && ran.err.contains("gpu"), "{}", ran.err);
    }
    for arguments in [
        &["head"][..],
        &["head", "-n", "-1", "c.csv"],
        &["head", "c.csv", "--where", "price >"],
        &["head", "c.csv", "--device", "gpu"],
        &["head", "c.csv", "--format", "xls"],
        &["convert", "c.csv"],
    ] {
        let ran = ran(folder.path(), arguments);
        assert_eq!((ran.status, &*ran.out), (Some(2), ""), "{arguments:?}");
    }
}

/// Runs the command with `input` on its standard input.
fn fed(folder: &Path, line: &[&str], input: &[u8]) -> Ran {
    use std::io::Write;
    let mut command = gdf(folder);
    command.args(line).stdin(Stdio::piped()).stdout(Stdio::piped()).stderr(Stdio::piped());
    let mut child = command.spawn().unwrap();
    let mut stdin = child.stdin.take().unwrap();
    std::thread::scope(|scope| {
        scope.spawn(move || drop(stdin.write_all(input)));
        let output = child.wait_with_output().unwrap();
        let text = |bytes| String::from_utf8(bytes).unwrap();
        Ran { status: output.status.code(), out: text(output.stdout), err: text(output.stderr) }
    })
}

#[test]
fn the_standard_input_is_read_once() {
    let folder = tempfile::tempdir().unwrap();
    let folder = folder.path();
    let csv: String = (0..100_000).map(|row| format!("{row},x\n")).collect();
    let csv = format!("a,b\n{csv}");
    for path in ["-", "/dev/stdin"] {
        let count = fed(folder, &["count", "--format", "csv", path], csv.as_bytes());
        assert_eq!((count.status, &*count.out, &*count.err), (Some(0), "100000\n", ""), "{path}");
    }
    assert_eq!(fed(folder, &["count", "--format", "json", "-"], b"[{\"a\": 1},\n{\"a\": 2}]").out, "2\n");
    let tail = fed(folder, &["tail", "-n", "1", "--format", "csv", "-"], csv.as_bytes());
    assert_eq!(rows(&tail.out), ["| 99999 | x |"]);
    let described = fed(folder, &["describe", "--format", "csv", "-"], csv.as_bytes());
    assert!(
        rows(&format!("│\n{}", described.out))[0].starts_with("| a | Int64 | 100000 | 0 | 0 | 99999 |"),
        "{}",
        described.out
    );
    let converted = fed(folder, &["convert", "--format", "csv", "-", "out.csv.gz"], csv.as_bytes());
    assert_eq!((converted.status, &*converted.err), (Some(0), ""));
    assert_eq!(good(folder, &["count", "out.csv.gz"]), "100000\n");
    let packed = fs::read(folder.join("out.csv.gz")).unwrap();
    assert_eq!(fed(folder, &["count", "--format", "csv", "-"], &packed).out, "100000\n");
    one_line(&fed(folder, &["count", "-"], b""), &["--format"]);
    one_line(&fed(folder, &["count", "/dev/stdin"], b""), &["--format"]);
    one_line(&fed(folder, &["count", "--format", "csv", "-"], b""), &["no records"]);
    one_line(&fed(folder, &["count", "--format", "parquet", "-"], b""), &["standard input"]);
}

#[test]
fn csv_of_any_dialect_is_read() {
    let folder = tempfile::tempdir().unwrap();
    let folder = folder.path();
    fs::write(folder.join("d.csv"), "made by hand\n# note\n'a;b';1,5\nNA;-\n").unwrap();
    let dialect = ["--delimiter", ";", "--quote", "'", "--comment", "#", "--null", "NA", "--null", "-", "--no-header"];
    let more = ["--skip-lines", "1", "--names", "text,number", "--decimal-point", ","];
    let head = good(folder, &[&["head", "d.csv"][..], &dialect, &more].concat());
    assert!(head.contains("text") && head.contains("Float64"), "{head}");
    assert_eq!(rows(&head), ["| a;b | 1.5 |", "| null | null |"]);
    fs::write(folder.join("q.csv"), "a\tb\n\"x\t1\n").unwrap();
    assert_eq!(rows(&good(folder, &["head", "q.csv", "--delimiter", "tab", "--quote", "none"])), ["| \"x | 1 |"]);
    fs::write(folder.join("days.csv"), "day\n2026-01-31\n").unwrap();
    assert!(good(folder, &["head", "days.csv"]).contains("Date32"));
    assert!(good(folder, &["head", "days.csv", "--no-dates"]).contains("Utf8"));
    fs::write(folder.join("j.json"), "{}").unwrap();
    one_line(&ran(folder, ["count", "j.json", "--no-dates"]), &["--no-dates applies to CSV files only"]);
    one_line(&ran(folder, ["count", "j.json", "--no-header"]), &["--no-header applies to CSV files only"]);
    fs::write(folder.join("late.jsonl"), "{\"a\": 1}\n{\"a\": 2, \"b\": \"x\"}\n").unwrap();
    let error = ran(folder, ["convert", "late.jsonl", "late.parquet", "--infer-records", "1"]);
    one_line(&error, &["late.jsonl", "line 2", "the member \"b\"", "infer_records"]);
    assert_eq!(rows(&good(folder, &["head", "late.jsonl"])), ["| 1 | null |", "| 2 | x |"]);
    assert_eq!(ran(folder, ["count", "q.csv", "--delimiter", "ab"]).status, Some(2));
}

/// Batches of a file may have other dictionaries, and files that are converted together may have more values than the
/// keys of each of them can number.
#[test]
fn dictionaries_of_several_files_are_converted() {
    use gdf::arrow::array::{DictionaryArray, types::Int8Type};
    let folder = tempfile::tempdir().unwrap();
    let folder = folder.path();
    for part in 0..3 {
        let texts: Vec<String> = (0..100).map(|value| format!("v{}", part * 100 + value)).collect();
        let column: ArrayRef = Arc::new(texts.iter().map(String::as_str).collect::<DictionaryArray<Int8Type>>());
        let of = Batch::from_arrow(&RecordBatch::try_from_iter([("k", column)]).unwrap()).unwrap();
        gdf::io::write_parquet(&of, folder.join(format!("p{part}.parquet"))).unwrap();
    }
    good(folder, &["convert", "p*.parquet", "out.parquet"]);
    good(folder, &["convert", "out.parquet", "out.arrow"]);
    good(folder, &["convert", "p0.parquet", "p1.parquet", "two.parquet"]);
    for (file, count) in [("out.parquet", "300\n"), ("out.arrow", "300\n"), ("two.parquet", "200\n")] {
        assert_eq!(good(folder, &["count", file, "--where", "k != ''"]), count, "{file}");
    }
    let error = ran(folder, ["convert", "p*.parquet", "keys.arrow"]);
    one_line(&error, &["column k", "more values than the keys"]);
    let statistics = rows(&format!("│\n{}", good(folder, &["describe", "p0.parquet", "p1.parquet"])));
    assert!(statistics[0].starts_with("| k | Dictionary(Int8, Utf8) | 200 | 0 | v0 | v99 |"), "{statistics:?}");
}

#[test]
fn long_cells_are_cut() {
    let folder = tempfile::tempdir().unwrap();
    let folder = folder.path();
    fs::write(folder.join("long.csv"), format!("a,b\n1,{}\n", "x".repeat(16 << 20))).unwrap();
    let begin = std::time::Instant::now();
    let head = good(folder, &["head", "long.csv"]);
    assert!(head.len() < 2000 && head.contains("xxx…"), "{} bytes", head.len());
    assert!(begin.elapsed().as_secs() < 30, "{:?}", begin.elapsed());
}

/// Returns whether this process ignores SIGHUP, as below `nohup`, or whether this is not known.
#[cfg(unix)]
fn ignores_hangups() -> bool {
    let status = fs::read_to_string("/proc/self/status").unwrap_or_default();
    let mask = status.lines().find_map(|line| line.strip_prefix("SigIgn:"));
    mask.is_none_or(|mask| u64::from_str_radix(mask.trim(), 16).unwrap() & 1 == 1)
}

/// A signal that ends the command leaves no partly written file.
#[cfg(unix)]
#[test]
fn a_killed_conversion_leaves_no_file() {
    use std::io::Write;
    use std::os::unix::process::ExitStatusExt;
    use std::time::{Duration, Instant};
    for (name, number) in [("TERM", 15), ("INT", 2), ("QUIT", 3), ("HUP", 1)] {
        if number == 1 && ignores_hangups() {
            continue;
        }
        let folder = tempfile::tempdir().unwrap();
        let names = || {
            let names = fs::read_dir(folder.path()).unwrap().map(|entry| entry.unwrap().file_name());
            // SIGQUIT may leave an image of the memory of the process.
            names.filter(|name| !name.to_string_lossy().starts_with("core")).collect::<Vec<_>>()
        };
        let mut command = gdf(folder.path());
        command.args(["convert", "--format", "csv", "-", "out.csv"]).stdin(Stdio::piped());
        let mut child = command.spawn().unwrap();
        let mut stdin = child.stdin.take().unwrap();
        let writer = std::thread::spawn(move || {
            let rows = "12345678,text\n".repeat(1 << 16);
            while stdin.write_all(rows.as_bytes()).is_ok() {}
        });
        let begin = Instant::now();
        while names().is_empty() && begin.elapsed() < Duration::from_secs(120) {
            std::thread::sleep(Duration::from_millis(5));
        }
        assert_eq!(names().len(), 1, "it writes");
        let pid = child.id().to_string();
        assert!(std::process::Command::new("kill").args(["-s", name, &pid]).status().unwrap().success());
        let status = child.wait().unwrap();
        writer.join().unwrap();
        assert_eq!((status.signal(), names().len()), (Some(number), 0), "{name}: {status}");
    }
}

/// The program that reads the output may stop early: `gdf head … | head -1`.
#[test]
fn a_closed_pipe_is_no_error() {
    let folder = tempfile::tempdir().unwrap();
    let values: String = (0..20_000).map(|row| format!("{row}\n")).collect();
    fs::write(folder.path().join("long.csv"), format!("x\n{values}")).unwrap();
    let mut command = gdf(folder.path());
    command.args(["head", "-n", "20000", "long.csv"]).stdout(Stdio::piped()).stderr(Stdio::piped());
    let mut child = command.spawn().unwrap();
    drop(child.stdout.take());
    let output = child.wait_with_output().unwrap();
    assert_eq!((output.status.code(), output.stderr.is_empty()), (Some(0), true));
}
