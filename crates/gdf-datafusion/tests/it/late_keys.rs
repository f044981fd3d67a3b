//! Tests group-bys whose keys come from the smaller sides of joins, over tables in memory and over files. Such keys are
//! gathered late: rows are grouped by numbers, or by the key of the join. Each result is compared with the result of
//! DataFusion alone.

use std::sync::Arc;

use arrow_array::{ArrayRef, Int32Array, Int64Array, RecordBatch, StringArray};
use datafusion::prelude::SessionContext;
use gdf_datafusion::GdfFiles;
use gdf_io::{Batch, ParquetWriter};

use crate::kit::{Checked, session};

/// There are enough rows for numbers in place of keys.
const ROWS: i64 = 80_000;
const PARTS: i64 = 700;

/// Returns a large table `b` whose key `bk` is sometimes null or unknown, the tables `d` and `f` with distinct keys, and
/// the tables `t`, in which each key occurs twice, and `z`, which has a null key.
fn tables() -> Vec<(&'static str, RecordBatch)> {
    let batch = |columns: Vec<(&str, ArrayRef)>| {
        RecordBatch::try_from_iter_with_nullable(
            columns.into_iter().map(|(name, array)| (name, array, !name.ends_with("id"))),
        )
        .unwrap()
    };
    let of = |rows: i64, value: &dyn Fn(i64) -> Option<i64>| Arc::new((0..rows).map(value).collect::<Int64Array>());
    let text = |rows: i64, value: &dyn Fn(i64) -> Option<String>| -> ArrayRef {
        Arc::new((0..rows).map(value).collect::<StringArray>())
    };
    let large = batch(vec![
        ("bid", of(ROWS, &Some)),
        ("bk", of(ROWS, &|row| (row % 301 != 5).then_some(row * 7919 % (PARTS + 3)))),
        ("bf", of(ROWS, &|row| Some(row % 40))),
        ("bx", of(ROWS, &|row| Some(row / 3))),
    ]);
    let name = |row: i64| (row % 13 != 4).then(|| format!("a name that is longer than a word {}", row % 90));
    let kind: ArrayRef =
        Arc::new((0..PARTS as i32).map(|row| (row % 17 != 3).then_some(row % 11)).collect::<Int32Array>());
    let parts = batch(vec![("did", of(PARTS, &Some)), ("dname", text(PARTS, &name)), ("dkind", kind)]);
    let few = batch(vec![("fid", of(40, &Some)), ("fname", text(40, &|row| Some(format!("f{}", row % 7))))]);
    let twice = batch(vec![
        ("tid", of(2 * PARTS, &|row| Some(row / 2))),
        ("tname", text(2 * PARTS, &|row| Some(format!("t{row}")))),
    ]);
    let with_null = batch(vec![
        ("zk", of(PARTS, &|row| (row > 0).then_some(row))),
        ("zname", text(PARTS, &|row| Some(format!("z{}", row % 50)))),
    ]);
    vec![("b", large), ("d", parts), ("f", few), ("t", twice), ("z", with_null)]
}

const QUERIES: [&str; 22] = [
    "SELECT dname, dkind, count(*), sum(bx) FROM b JOIN d ON bk = did GROUP BY dname, dkind",
    "SELECT dname, count(DISTINCT bx) FROM b JOIN d ON bk = did GROUP BY dname",
    "SELECT DISTINCT dname, dkind, bf FROM b JOIN d ON bk = did",
    // The keys are values, too.
    "SELECT dname, max(dname), count(dname), min(dkind), count(*) FROM b JOIN d ON bk = did GROUP BY dname",
    "SELECT bid, dname, dkind, max(dname), sum(dkind) FROM b JOIN d ON bk = did GROUP BY bid, dname, dkind",
    // Some parts have neither a name nor a kind, as the rows without a part.
    "SELECT dname, dkind, count(*), min(bx) FROM b LEFT JOIN d ON bk = did GROUP BY dname, dkind",
    // Most groups have one row, so that the rows of pieces are kept.
    "SELECT bid, dname, dkind, count(*) FROM b JOIN d ON bk = did GROUP BY bid, dname, dkind",
    "SELECT bx, dname, dkind, max(bid) FROM b JOIN d ON bk = did WHERE bx > dkind GROUP BY bx, dname, dkind",
    "SELECT bx, dname, fname, sum(bid) FROM b JOIN d ON bk = did JOIN f ON bf = fid GROUP BY bx, dname, fname",
    "SELECT fname, dname, bid FROM b LEFT JOIN d ON bk = did JOIN f ON bf = fid GROUP BY fname, dname, bid",
    // The key of a join determines the columns of the right side.
    "SELECT bk, dname, dkind, sum(bx) FROM b JOIN d ON bk = did GROUP BY bk, dname, dkind",
    "SELECT did, dname, bid / 2 AS half, count(*) FROM b JOIN d ON bk = did GROUP BY did, dname, half",
    "SELECT bk, dname, bid / 2 AS half, avg(bx) FROM b JOIN d ON bk = did GROUP BY bk, dname, half",
    "SELECT did, dname, bx, count(*) FROM b LEFT JOIN d ON bk = did GROUP BY did, dname, bx",
    "SELECT bk, dname, dkind, bid FROM b LEFT JOIN d ON bk = did GROUP BY bk, dname, dkind, bid",
    "SELECT bk, bf, dname, fname, bid FROM b JOIN d ON bk = did JOIN f ON bf = fid GROUP BY bk, bf, dname, fname, bid",
    // The key does not determine these columns.
    "SELECT zk, zname, bx, count(*) FROM b LEFT JOIN z ON bk IS NOT DISTINCT FROM zk GROUP BY zk, zname, bx",
    "SELECT bk, tname, bx, count(*) FROM b JOIN t ON bk = tid GROUP BY bk, tname, bx",
    "SELECT bk, tname, sum(bx) FROM b LEFT JOIN t ON bk = tid GROUP BY bk, tname",
    "SELECT dname, bx, count(*) FROM b JOIN d ON bk = did GROUP BY GROUPING SETS ((dname, bx), (dname), ())",
    // Unions are streams. A join that needs all rows of both sides is not.
    "SELECT dname, count(*), sum(bx) FROM (SELECT dname, bx FROM b JOIN d ON bk = did UNION ALL SELECT tname, fid FROM f \
     FULL JOIN t ON fid = tid) GROUP BY dname",
    "SELECT max(x), count(*) FROM (SELECT tid AS x FROM f FULL JOIN t ON fid = tid UNION ALL SELECT bx FROM b)",
];

#[tokio::test]
async fn keys_of_tables_in_memory() {
    let checked = Checked::beside(session(tables(), false), session(tables(), true));
    for query in QUERIES {
        checked.whole(query).await;
    }
}

#[tokio::test]
async fn keys_of_files() {
    let folder = tempfile::tempdir().unwrap();
    let files = SessionContext::new();
    for (name, rows) in tables() {
        let (path, batch) = (folder.path().join(format!("{name}.parquet")), Batch::from_arrow(&rows).unwrap());
        // A row group is a piece.
        let mut writer = ParquetWriter::new(&path, batch.schema()).row_group_rows(5_000);
        writer.write(&batch).unwrap();
        writer.finish().unwrap();
        files.register_table(name, Arc::new(GdfFiles::open(&path).unwrap())).unwrap();
    }
    let options = crate::kit::strict().with_piece_rows(5_000);
    let checked = Checked::with(options, session(tables(), false), files);
    for query in QUERIES {
        checked.whole(query).await;
    }
}
