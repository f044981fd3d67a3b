//! Tests that a read with a condition returns the rows for which the expression is true.

use arrow_array::cast::AsArray;
use arrow_array::types::Int64Type;
use gdf_core::Column;
use gdf_expr::{Expr, col, lit};
use gdf_io::{Batch, CsvReader, IpcReader, ParquetReader, ParquetWriter, Predicate, write_csv, write_ipc};

use crate::predicates::table;
use crate::{Folder, batch, collect};

const NAMES: [&str; 10] = ["row", "mixed", "nullable", "float", "text", "day", "money", "kind", "flag", "small"];

/// Returns the numbers of the rows of the table for which the condition is true.
fn expected(condition: &Expr) -> Vec<i64> {
    let all = batch(&table());
    let truth = gdf_api::transform::compute_column(all.table(), condition).unwrap();
    let truth: Vec<Option<bool>> = truth.to_vec().unwrap();
    (0..).zip(truth).filter(|(_, truth)| *truth == Some(true)).map(|(row, _)| row).collect()
}

fn rows(read: &Batch) -> Vec<i64> {
    read.to_arrow().unwrap().column(0).as_primitive::<Int64Type>().values().to_vec()
}

fn parquet(folder: &Folder) -> std::path::PathBuf {
    let path = folder.path("t.parquet");
    let mut writer = ParquetWriter::new(&path, &table().schema()).row_group_rows(1300);
    writer.write(&batch(&table())).unwrap();
    writer.finish().unwrap();
    path
}

#[test]
fn reads_have_the_rows_for_which_the_condition_is_true() {
    let folder = Folder::new();
    let (parquet, ipc) = (parquet(&folder), folder.path("t.arrow"));
    write_ipc(&batch(&table()), &ipc).unwrap();
    let [row, mixed, nullable, float, text, day, money, kind, flag, small] = [0, 1, 2, 3, 4, 5, 6, 7, 8, 9].map(col);
    let (row, mixed, nullable) = (|| row.clone(), || mixed.clone(), || nullable.clone());
    let (float, text, kind) = (|| float.clone(), || text.clone(), || kind.clone());
    for (condition, is_some) in [
        (row().ge(1234), true),
        (lit(77).gt(row()), true),
        (row().lt(0), false),
        (row().eq(lit(None::<i64>)), false),
        (mixed().eq(17_i64).or(mixed().is_in([1, 2, 3, 4, 5, 6, -7])), true),
        (row().is_in((0..100).map(|number| number * 50)), true),
        (nullable().is_null().and(row().lt(3000)), true),
        (nullable().is_not_null(), true),
        (!nullable().gt(500), true),
        (float().le(2.5).or(float().gt(490)), true),
        (!float().lt(490.0), true),
        (float().is_in([f64::NAN, 0.5, 1.5, 2.5, 3.5, 4.5]), true),
        (text().eq("t000017").or(text().is_in(["t000018", "t000019", "t000020", "t000021", "t004999"])), true),
        (text().contains("42"), true),
        (day.clone().between("1970-01-11", "1970-01-21"), true),
        (money.gt(12.34).and(mixed().lt(100)), true),
        (kind().eq("y"), true),
        (kind().eq("z").and(mixed().gt(4900)), true),
        (kind().starts_with("x").or(text().ends_with("77")), true),
        (flag.clone(), true),
        (!flag.clone(), true),
        ((row() + mixed()).gt(9000), true),
        (row().gt(mixed()).and(small.eq(3)), true),
        (row().gt(1000).and(lit(1).eq(2)), false),
        (row().lt(10).or(lit(1).eq(1).and(flag)), true),
        (nullable().eq_null_safe(lit(None::<i64>)), true),
        (kind().is_in(["x", "absent"]).and(row().is_not_null()), true),
    ] {
        let expected = expected(&condition);
        assert_eq!(!expected.is_empty(), is_some, "{condition}");
        let of_parquet = || ParquetReader::open(&parquet).unwrap().filter(NAMES, condition.clone());
        assert!(rows(&of_parquet().read().unwrap()) == expected, "{condition}");
        let scanned = collect(of_parquet().columns(["row"]).batch_rows(97).scan().unwrap());
        let scanned: Vec<i64> =
            scanned.iter().flat_map(|batch| batch.column(0).as_primitive::<Int64Type>().values().to_vec()).collect();
        assert!(scanned == expected, "{condition}");
        let of_ipc = IpcReader::open(&ipc).unwrap().filter(NAMES, condition.clone()).read().unwrap();
        assert!(rows(&of_ipc) == expected, "{condition}");
    }
}

#[test]
fn conditions_and_predicates_are_joined() {
    let folder = Folder::new();
    let path = folder.path("t.csv");
    write_csv(&batch(&table().project(&[0, 4]).unwrap()), &path).unwrap();
    let reader = CsvReader::open(&path).unwrap().predicate(Predicate::lt("row", 20)).filter(["row"], col(0).gt(11));
    // Positions count the names, not the columns of the file.
    let reader = reader.filter(["text", "row"], col(1).ne(13).and(col(0).ends_with("4") | col(0).ends_with("3")));
    assert_eq!(rows(&reader.read().unwrap()), [14]);
}

#[test]
fn groups_without_rows_that_pass_are_not_read() {
    let folder = Folder::new();
    let path = parquet(&folder);
    let groups = |condition: Expr| {
        let reader = ParquetReader::open(&path).unwrap().batch_rows(1300).filter(NAMES, condition);
        reader.pieces().unwrap().iter().filter(|piece| piece.num_rows() > 0).count()
    };
    assert_eq!(groups(col(1).ge(0)), 4);
    assert_eq!(groups(col(0).ge(3000)), 2);
    assert_eq!(groups(col(0).lt(10).or(col(0).eq(4000))), 2);
    assert_eq!(groups(col(0).is_in([1, 2, 3, 4, 5, 6])), 1);
    assert_eq!(groups(col(0).gt(3000).and(col(4).contains("9"))), 2);
    assert_eq!(groups(col(4).eq("t000001")), 1);
    assert_eq!(groups(col(0).lt(0)), 0);
}

#[test]
fn many_alternatives_take_little_time_and_stack() {
    let folder = Folder::new();
    let path = parquet(&folder);
    let read = |condition: Expr| rows(&ParquetReader::open(&path).unwrap().filter(["row"], condition).read().unwrap());
    let equal = (0..100_000).map(|number| col(0).eq(number * 2)).reduce(Expr::or).unwrap();
    assert!(read(equal).into_iter().eq((0..5000).step_by(2)));
    let different = (0..100_000).map(|number| col(0).ne(number + 3)).reduce(Expr::and).unwrap();
    assert_eq!(read(different), [0, 1, 2]);
    let below = (0..20_000).map(|number| col(0).lt(number - 19_990)).reduce(Expr::or).unwrap();
    assert!(read(below).into_iter().eq(0..9));
}

#[test]
fn conditions_that_do_not_fit_are_refused() {
    let folder = Folder::new();
    let path = parquet(&folder);
    let error = |names: &[&str], condition: Expr| {
        let read = ParquetReader::open(&path).unwrap().filter(names.iter().copied(), condition).read();
        read.unwrap_err().to_string()
    };
    assert!(error(&["row"], col(0) + 1).contains("condition"));
    let text = error(&["row", "text"], col(0).gt(1).and(col(1).gt(2)));
    assert!(text.contains("text > 2"), "{text}");
    assert!(error(&["absent"], col(0).gt(1)).contains("absent"));
    assert!(error(&["row"], col(1).gt(1)).contains('1'));
    assert!(error(&[], lit(true)).contains("no column"));
    let column: Column = gdf_io::read_parquet(&path).unwrap().table().column(0).unwrap().clone();
    assert_eq!(column.len(), 5000, "the file itself can be read");
}
