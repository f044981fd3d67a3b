//! Tests that a read with a predicate returns exactly the matching rows, whatever parts of the file are skipped.

use std::sync::Arc;

use arrow_array::builder::*;
use arrow_array::cast::AsArray;
use arrow_array::types::Int64Type;
use arrow_array::*;
use arrow_schema::DataType;
use gdf_io::{Error, IpcReader, Literal, ParquetReader, ParquetWriter, Predicate, write_ipc};

use crate::{Folder, batch, collect};

const ROWS: i64 = 5000;

/// Makes sorted columns, unsorted columns and columns of nulls.
pub(crate) fn table() -> RecordBatch {
    let rows = || 0..ROWS;
    let nullable = |row: i64| (row % 11 != 5 && !(1000..2000).contains(&row)).then_some(row);
    let mut dictionary = StringDictionaryBuilder::<types::Int8Type>::new();
    rows().for_each(|row| dictionary.append_value(["x", "y", "z"][(row / 2000) as usize % 3]));
    let floats = rows().map(|row| if row % 100 == 99 { f64::NAN } else { row as f64 / 10.0 });
    let money = Decimal128Array::from_iter_values(rows().map(i128::from)).with_precision_and_scale(15, 2).unwrap();
    let columns: Vec<(&str, ArrayRef)> = vec![
        ("row", Arc::new(Int64Array::from_iter_values(rows()))),
        ("mixed", Arc::new(Int32Array::from_iter_values(rows().map(|row| (row * 7919 % ROWS) as i32)))),
        ("nullable", Arc::new(Int64Array::from_iter(rows().map(nullable)))),
        ("float", Arc::new(Float64Array::from_iter_values(floats))),
        ("text", Arc::new(StringArray::from_iter_values(rows().map(|row| format!("t{row:06}"))))),
        ("day", Arc::new(Date32Array::from_iter_values(rows().map(|row| row as i32)))),
        ("money", Arc::new(money)),
        ("kind", Arc::new(dictionary.finish())),
        ("flag", Arc::new(BooleanArray::from_iter(rows().map(|row| Some(row >= 4000))))),
        ("small", Arc::new(UInt8Array::from_iter_values(rows().map(|row| (row % 256) as u8)))),
    ];
    RecordBatch::try_from_iter(columns).unwrap()
}

struct File(std::path::PathBuf, #[expect(dead_code, reason = "the drop of the folder removes the file")] Folder);

impl File {
    fn new() -> File {
        let folder = Folder::new();
        let path = folder.path("t.parquet");
        let mut writer = ParquetWriter::new(&path, &table().schema()).row_group_rows(1300);
        writer.write(&batch(&table())).unwrap();
        writer.finish().unwrap();
        File(path, folder)
    }

    fn reader(&self) -> ParquetReader {
        ParquetReader::open(&self.0).unwrap()
    }

    /// Reads the rows that satisfy the predicate, and returns their indices.
    fn rows(&self, predicate: Predicate) -> Vec<i64> {
        let read = self.reader().predicate(predicate.clone()).read().unwrap().to_arrow().unwrap();
        let rows = read.column(0).as_primitive::<Int64Type>().values().to_vec();
        let expected: UInt64Array = rows.iter().map(|row| Some(*row as u64)).collect();
        assert_eq!(read, arrow_select::take::take_record_batch(&table(), &expected).unwrap(), "{predicate}");
        let scan = self.reader().columns(["row"]).predicate(predicate.clone()).batch_rows(97).scan().unwrap();
        let scanned = collect(scan);
        let scanned: Vec<i64> =
            scanned.iter().flat_map(|batch| batch.column(0).as_primitive::<Int64Type>().values().to_vec()).collect();
        assert_eq!(scanned, rows, "{predicate}");
        rows
    }

    #[track_caller]
    fn check(&self, predicate: Predicate, holds: impl Fn(i64) -> bool) {
        let expected: Vec<i64> = (0..ROWS).filter(|row| holds(*row)).collect();
        assert!(self.rows(predicate.clone()) == expected, "{predicate}");
    }
}

#[test]
fn comparisons_of_every_kind_of_column() {
    let file = File::new();
    file.check(Predicate::eq("row", 1300), |row| row == 1300);
    file.check(Predicate::neq("row", 1300), |row| row != 1300);
    file.check(Predicate::lt("row", 1299), |row| row < 1299);
    file.check(Predicate::lt_eq("row", 1299), |row| row <= 1299);
    file.check(Predicate::gt("row", 1299), |row| row > 1299);
    file.check(Predicate::gt_eq("row", 4999), |row| row >= 4999);
    file.check(Predicate::gt("row", 4999), |_| false);
    file.check(Predicate::lt("mixed", 10), |row| row * 7919 % ROWS < 10);
    file.check(Predicate::gt_eq("text", "t003999"), |row| row >= 3999);
    file.check(Predicate::eq("text", ""), |_| false);
    // A text that looks like a number is a text.
    file.check(Predicate::eq("text", "1.5"), |_| false);
    file.check(Predicate::gt("text", "1e400"), |_| true);
    file.check(Predicate::gt("float", "0.05"), |row| row > 0 && row % 100 != 99);
    file.check(Predicate::lt("day", "1970-02-01"), |row| row < 31);
    file.check(Predicate::gt("money", "49.98"), |row| row > 4998);
    file.check(Predicate::eq("money", 49), |row| row == 4900);
    file.check(Predicate::eq("money", 0.07), |row| row == 7);
    file.check(Predicate::eq("kind", "y"), |row| (2000..4000).contains(&row));
    file.check(Predicate::eq("flag", true), |row| row >= 4000);
    file.check(Predicate::eq("small", 255_u8), |row| row % 256 == 255);
}

/// A float has 53 bits, and would round these numbers to their neighbors.
#[test]
fn numbers_in_digits_are_exact() {
    let folder = Folder::new();
    let path = folder.path("t.parquet");
    let long = |row: i64| 9_007_199_254_740_992 + row;
    let decimals = Decimal128Array::from_iter_values((0..3).map(|row| 12_345_678_901_234_567_890 + row));
    let columns: [(&str, ArrayRef); 3] = [
        ("long", Arc::new(Int64Array::from_iter_values((0..3).map(long)))),
        ("decimal", Arc::new(decimals.with_precision_and_scale(38, 2).unwrap())),
        ("float", Arc::new(Float64Array::from(vec![0.1, 0.2, 0.3]))),
    ];
    gdf_io::write_parquet(&batch(&RecordBatch::try_from_iter(columns).unwrap()), &path).unwrap();
    let count = |column: &str, text: &str| {
        let number = || Literal::Number(text.to_owned());
        let read = |predicate| Ok::<_, Error>(ParquetReader::open(&path)?.predicate(predicate).read()?.num_rows());
        Ok::<_, Error>([read(Predicate::lt(column, number()))?, read(Predicate::eq(column, number()))?])
    };
    assert_eq!(count("long", "9007199254740993.0").unwrap(), [1, 1]);
    assert_eq!(count("decimal", "123456789012345678.91").unwrap(), [1, 1]);
    assert_eq!(count("decimal", "12345678901234567892e-2").unwrap(), [2, 1]);
    assert_eq!(count("float", "0.2").unwrap(), [1, 1]);
    for (column, text) in
        [("long", "0.5"), ("decimal", "0.001"), ("decimal", "1e99"), ("float", "9007199254740993"), ("float", "one")]
    {
        let error = count(column, text).unwrap_err();
        assert!(matches!(error, Error::Predicate { .. }), "{column} {text}: {error}");
        assert!(error.to_string().contains(text), "{error}");
    }
}

/// The row groups contain the rows 0..1300, 1300..2600 and so on.
#[test]
fn row_groups_are_left_out_at_their_bounds_and_no_earlier() {
    let file = File::new();
    for literal in [-1, 0, 1, 1298, 1299, 1300, 1301, 2000, 2599, 2600, 3899, 3900, 4998, 4999, 5000] {
        file.check(Predicate::eq("row", literal), |row| row == literal);
        file.check(Predicate::neq("row", literal), |row| row != literal);
        file.check(Predicate::lt("row", literal), |row| row < literal);
        file.check(Predicate::lt_eq("row", literal), |row| row <= literal);
        file.check(Predicate::gt("row", literal), |row| row > literal);
        file.check(Predicate::gt_eq("row", literal), |row| row >= literal);
    }
}

#[test]
fn row_groups_of_one_null_and_of_nulls_but_one() {
    let folder = Folder::new();
    let path = folder.path("t.parquet");
    let numbers = [[Some(1), None, Some(3)], [Some(4), Some(5), Some(6)], [None, None, None], [None, Some(8), None]];
    let column: ArrayRef = Arc::new(Int64Array::from_iter(numbers.into_iter().flatten()));
    let of = RecordBatch::try_from_iter([("n", column)]).unwrap();
    let mut writer = ParquetWriter::new(&path, &of.schema()).row_group_rows(3);
    writer.write(&batch(&of)).unwrap();
    writer.finish().unwrap();
    let count =
        |predicate: Predicate| ParquetReader::open(&path).unwrap().predicate(predicate).read().unwrap().num_rows();
    assert_eq!(count(Predicate::is_null("n")), 6);
    assert_eq!(count(Predicate::is_not_null("n")), 6);
    assert_eq!(count(Predicate::is_null("n").and(Predicate::is_not_null("n"))), 0);
    assert_eq!(count(Predicate::is_null("n").or(Predicate::eq("n", 8))), 7);
}

#[test]
fn nan_is_only_unequal() {
    let file = File::new();
    let is_nan = |row: i64| row % 100 == 99;
    file.check(Predicate::lt("float", 2.0), |row| row < 20 && !is_nan(row));
    file.check(Predicate::gt_eq("float", 499.0), |row| row >= 4990 && !is_nan(row));
    file.check(Predicate::neq("float", 1.0), |row| row != 10);
    file.check(Predicate::eq("float", f64::NAN), |_| false);
    file.check(Predicate::neq("float", f64::NAN), |_| true);
    file.check(Predicate::gt("float", f64::NEG_INFINITY), |row| !is_nan(row));
}

#[test]
fn nulls_are_left_out_unless_asked_for() {
    let file = File::new();
    let is_null = |row: i64| row % 11 == 5 || (1000..2000).contains(&row);
    file.check(Predicate::is_null("nullable"), is_null);
    file.check(Predicate::is_not_null("nullable"), |row| !is_null(row));
    file.check(Predicate::neq("nullable", 0), |row| row != 0 && !is_null(row));
    file.check(Predicate::lt("nullable", 1500), |row| row < 1500 && !is_null(row));
    file.check(Predicate::is_null("row"), |_| false);
}

#[test]
fn and_and_or() {
    let file = File::new();
    let band = || Predicate::gt_eq("row", 1290).and(Predicate::lt("row", 1310));
    file.check(band(), |row| (1290..1310).contains(&row));
    file.check(band().or(Predicate::eq("text", "t004321")), |row| (1290..1310).contains(&row) || row == 4321);
    file.check(band().and(Predicate::lt("mixed", 100)), |row| (1290..1310).contains(&row) && row * 7919 % ROWS < 100);
    // `null or true` is true, and `null and true` is null.
    file.check(Predicate::gt("nullable", 5000).or(Predicate::eq("row", 1500)), |row| row == 1500);
    file.check(Predicate::lt("nullable", 5000).and(Predicate::eq("row", 1500)), |_| false);
}

#[test]
fn with_columns_and_rows() {
    let file = File::new();
    let reader = file.reader().columns(["text"]).rows(100..4000).predicate(Predicate::lt("mixed", 500));
    let found = reader.read().unwrap().to_arrow().unwrap();
    let expected: Vec<String> =
        (100..4000).filter(|row| row * 7919 % ROWS < 500).map(|row| format!("t{row:06}")).collect();
    assert_eq!(found.num_columns(), 1);
    assert!(found.column(0).as_string::<i32>().iter().flatten().eq(expected.iter().map(String::as_str)));
    let none = file.reader().columns(Vec::<String>::new()).predicate(Predicate::lt("row", 10)).read().unwrap();
    assert_eq!((none.num_rows(), none.num_columns()), (10, 0));
}

#[test]
fn literals_that_are_no_values_of_the_type_are_refused() {
    let file = File::new();
    for predicate in [
        Predicate::eq("small", 300),
        Predicate::eq("small", -1),
        Predicate::eq("row", 0.5),
        Predicate::eq("row", f64::NAN),
        Predicate::eq("row", "one"),
        Predicate::eq("row", true),
        Predicate::eq("text", 1),
        Predicate::eq("flag", 1),
        Predicate::eq("day", 5),
        Predicate::eq("day", "yesterday"),
        Predicate::eq("money", "0.001"),
        Predicate::eq("money", 0.001),
        Predicate::eq("text", &b"x"[..]),
    ] {
        let error = file.reader().predicate(predicate.clone()).read().unwrap_err();
        assert!(matches!(error, Error::Predicate { .. }), "{predicate}: {error}");
        assert!(error.to_string().contains("cannot be converted to the type of the column"), "{error}");
    }
    let error = file.reader().predicate(Predicate::is_null("none")).read().unwrap_err();
    assert!(matches!(error, Error::NoColumn { .. }), "{error}");
}

/// 64-bit floats that exceed 32-bit floats would be rounded to infinity.
#[test]
fn finite_literals_do_not_become_infinite() {
    let folder = Folder::new();
    let path = folder.path("t.parquet");
    let floats: ArrayRef = Arc::new(Float32Array::from(vec![1.0, f32::INFINITY]));
    gdf_io::write_parquet(&batch(&RecordBatch::try_from_iter([("x", floats)]).unwrap()), &path).unwrap();
    let read = |most: f64| ParquetReader::open(&path).unwrap().predicate(Predicate::lt_eq("x", most)).read();
    assert!(matches!(read(1e300), Err(Error::Predicate { .. })));
    assert_eq!(read(3e38).unwrap().num_rows(), 1);
    assert_eq!(read(f64::INFINITY).unwrap().num_rows(), 2);
}

#[test]
fn nested_columns_are_not_compared() {
    let folder = Folder::new();
    let path = folder.path("t.parquet");
    let of = crate::all_types::batch_of(crate::all_types::nested(10));
    gdf_io::write_parquet(&batch(&of), &path).unwrap();
    for name in ["list", "struct"] {
        let error = ParquetReader::open(&path).unwrap().predicate(Predicate::is_null(name)).read().unwrap_err();
        assert!(
            matches!(&error, Error::Predicate { column, data_type, .. }
            if column == name && matches!(data_type, DataType::List(_) | DataType::Struct(_))),
            "{error}"
        );
    }
}

#[test]
fn sets_of_values_select_the_same_rows_as_comparisons() {
    let file = File::new();
    for (column, literals) in [
        ("row", (0..2000).step_by(3).map(Literal::from).collect::<Vec<_>>()),
        ("nullable", (900..2100).map(Literal::from).collect()),
        ("text", (0..40).map(|row| Literal::from(format!("t{:06}", row * 100))).collect()),
        ("kind", ["x", "y", "a", "b", "c", "d"].map(Literal::from).to_vec()),
        ("money", (0..10).map(|row| Literal::from(format!("{row}.05"))).collect()),
        ("day", (1..10).map(|day| Literal::from(format!("1970-01-{day:02}"))).collect()),
        ("float", [0.1, 0.2, 0.3, f64::NAN, 12.5, 7.25].map(Literal::from).to_vec()),
        ("small", (0..=255_u8).step_by(17).map(Literal::from).collect()),
        ("flag", vec![Literal::from(true); 9]),
    ] {
        let chain =
            literals.iter().cloned().map(|literal| Predicate::eq(column, literal)).reduce(Predicate::or).unwrap();
        let one_by_one: std::collections::BTreeSet<i64> = literals
            .chunks(3)
            .flat_map(|literals| {
                let few = literals.iter().cloned().map(|literal| Predicate::eq(column, literal)).reduce(Predicate::or);
                file.rows(few.unwrap())
            })
            .collect();
        let expected: Vec<i64> = one_by_one.into_iter().collect();
        let set = Predicate::is_in(column, literals);
        assert_eq!(file.rows(set.clone()), expected, "{column}");
        assert_eq!(file.rows(chain), expected, "{column}");
        let upper: Vec<i64> = expected.iter().copied().filter(|row| *row >= 1000).collect();
        assert_eq!(file.rows(set.clone().and(Predicate::gt_eq("row", 1000))), upper, "{column}");
        let more = file.rows(set.or(Predicate::eq("row", 4999)));
        assert_eq!(more.len(), expected.len() + usize::from(!expected.contains(&4999)), "{column}");
    }
    let none = || Predicate::is_in("row", Vec::<i64>::new());
    assert!(file.rows(none()).is_empty());
    let some = || Predicate::is_in("row", 0..9);
    assert!(file.rows(none().and(some())).is_empty());
    assert_eq!(file.rows(none().or(some())).len(), 9);
    assert_eq!(file.rows(some().and(none().or(Predicate::lt("row", 5)))).len(), 5);
    // An IPC file has no statistics that rule all rows out.
    let folder = Folder::new();
    let path = folder.path("t.arrow");
    write_ipc(&batch(&table()), &path).unwrap();
    for (predicate, rows) in [
        (none().and(Predicate::lt("row", 5)), 0),
        (Predicate::lt("row", 5).and(none()), 0),
        (none().and(some()), 0),
        (none().or(Predicate::lt("row", 5)), 5),
    ] {
        let found = IpcReader::open(&path).unwrap().predicate(predicate.clone()).read().unwrap();
        assert_eq!(found.num_rows(), rows, "{predicate}");
    }
}

#[test]
fn long_and_deep_conditions_are_read_or_refused() {
    let file = File::new();
    let chain = (0..100_000_i64).map(|row| Predicate::eq("row", row * 50)).reduce(Predicate::or).unwrap();
    assert_eq!(file.rows(chain).len(), 100);
    let chain = (0..3000).map(|row| Predicate::neq("row", row)).reduce(Predicate::and).unwrap();
    assert_eq!(file.rows(chain).len(), 2000);
    let nested = |depth: i64| {
        (0..depth).fold(Predicate::eq("row", 7), |all, at| match at % 2 {
            0 => all.and(Predicate::gt_eq("row", 0)),
            _ => all.or(Predicate::lt("row", 0)),
        })
    };
    assert_eq!(file.rows(nested(60)), [7]);
    let error = file.reader().predicate(nested(100_000)).read().unwrap_err();
    assert!(error.to_string().contains("64 levels"), "{error}");
}

/// Conditions on text are tested once for each value of a dictionary.
#[test]
fn texts_of_dictionary_pages_are_filtered() {
    let folder = Folder::new();
    let path = folder.path("t.parquet");
    let text =
        |row: i64| (row % 7 != 3).then(|| ["", "a", "b", "long text of more than twelve bytes"][row as usize % 4]);
    let columns: Vec<(&str, ArrayRef)> = vec![
        ("row", Arc::new(Int64Array::from_iter_values(0..ROWS))),
        ("text", Arc::new(StringArray::from_iter((0..ROWS).map(text)))),
        ("large", Arc::new(LargeStringArray::from_iter((0..ROWS).map(text)))),
    ];
    let of = batch(&RecordBatch::try_from_iter(columns).unwrap());
    let mut writer = ParquetWriter::new(&path, of.schema()).row_group_rows(1300);
    writer.write(&of).unwrap();
    writer.finish().unwrap();
    type Test = fn(Option<&str>, i64) -> bool;
    for name in ["text", "large"] {
        let cases: [(Predicate, Test); 7] = [
            (Predicate::neq(name, ""), |text, _| text.is_some_and(|text| !text.is_empty())),
            (Predicate::eq(name, "a"), |text, _| text == Some("a")),
            (Predicate::gt(name, "a"), |text, _| text.is_some_and(|text| text > "a")),
            (Predicate::is_null(name), |text, _| text.is_none()),
            (Predicate::is_not_null(name), |text, _| text.is_some()),
            (Predicate::is_in(name, ["b", "c", "d", "e", "f"]).or(Predicate::is_null(name)), |text, _| {
                text.is_none_or(|text| text == "b")
            }),
            (Predicate::eq(name, "b").and(Predicate::lt("row", 2000)).or(Predicate::eq("row", 1)), |text, row| {
                (text == Some("b") && row < 2000) || row == 1
            }),
        ];
        for (predicate, passes) in cases {
            let expected: Vec<i64> = (0..ROWS).filter(|row| passes(text(*row), *row)).collect();
            for rows in [0..usize::MAX, 1000..3000] {
                let read = ParquetReader::open(&path).unwrap().rows(rows.clone()).predicate(predicate.clone()).read();
                let read = read.unwrap().to_arrow().unwrap();
                let found = read.column(0).as_primitive::<Int64Type>().values().to_vec();
                let expected: Vec<i64> =
                    expected.iter().copied().filter(|row| rows.contains(&(*row as usize))).collect();
                assert_eq!(found, expected, "{predicate}");
            }
        }
    }
}

#[test]
fn row_groups_whose_texts_are_all_null() {
    let folder = Folder::new();
    let path = folder.path("nulls.parquet");
    let texts = StringArray::from_iter((0..60).map(|row| (row / 10 % 2 == 1).then_some(["a", "b"][row % 2])));
    let columns: [(&str, ArrayRef); 2] =
        [("row", Arc::new(Int64Array::from_iter_values(0..60))), ("text", Arc::new(texts.clone()))];
    let rows = RecordBatch::try_from_iter(columns).unwrap();
    let mut writer = ParquetWriter::new(&path, &rows.schema()).row_group_rows(10);
    writer.write(&batch(&rows)).unwrap();
    writer.finish().unwrap();
    let reader = || ParquetReader::open(&path).unwrap();
    type Holds = fn(Option<&str>, i64) -> bool;
    let cases: [(Predicate, Holds); 4] = [
        (Predicate::eq("text", "a").or(Predicate::lt("row", 3)), |text, row| text == Some("a") || row < 3),
        (Predicate::is_null("text").and(Predicate::ge("row", 15)), |text, row| text.is_none() && row >= 15),
        (Predicate::is_null("text").or(Predicate::eq("text", "b")), |text, _| text.is_none_or(|text| text == "b")),
        (Predicate::ne("text", "a").or(Predicate::ge("row", 40)), |text, row| text == Some("b") || row >= 40),
    ];
    for (predicate, holds) in cases {
        let expected = texts.iter().zip(0..).filter(|(text, row)| holds(*text, *row)).count();
        let whole = reader().predicate(predicate.clone()).read().unwrap();
        assert_eq!(whole.num_rows(), expected, "{predicate}");
        let scanned = collect(reader().predicate(predicate.clone()).batch_rows(4).scan().unwrap());
        assert_eq!(scanned.iter().map(RecordBatch::num_rows).sum::<usize>(), expected, "{predicate}");
    }
}

/// The rows of a row group that a predicate reads need not fit in the limit of a spill manager.
#[test]
fn scans_with_a_predicate_stay_below_a_limit() {
    let folder = Folder::new();
    let path = folder.path("numbers.parquet");
    let column: ArrayRef = Arc::new(Int64Array::from_iter_values((0..200_000).map(|row| row * 7919 % 200_003)));
    let rows = RecordBatch::try_from_iter([("number", column)]).unwrap();
    gdf_io::write_parquet(&batch(&rows), &path).unwrap();
    let resource = gdf_memory::current_resource(gdf_driver::Device::Cpu).unwrap();
    let options = gdf_memory::SpillOptions::new().with_hard_limit(1_500_000);
    let manager = gdf_memory::SpillManager::new(resource, options);
    let found = gdf_api::scope::with_resource(&manager.resource(), || {
        let reader = ParquetReader::open(&path).unwrap().on(gdf_driver::Device::Cpu);
        let scan = reader.predicate(Predicate::ge("number", 1_000)).batch_rows(10_000).scan().unwrap();
        scan.map(|batch| batch.unwrap().num_rows()).sum::<usize>()
    });
    assert_eq!(found, (0..200_000_i64).filter(|row| row * 7919 % 200_003 >= 1_000).count());
}
