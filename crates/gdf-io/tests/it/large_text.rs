//! Tests columns that have more text than 32-bit offsets allow. The tests set a small limit.

use std::ops::Range;
use std::path::Path;
use std::sync::Arc;

use arrow_array::cast::AsArray;
use arrow_array::*;
use arrow_buffer::OffsetBuffer;
use arrow_schema::{DataType, Field};
use arrow_select::concat::concat_batches;
use gdf_io::{
    Batch, CsvReader, IpcReader, JsonReader, ParquetPiece, ParquetReader, ParquetWriter, Predicate, write_csv,
    write_ipc, write_json, write_parquet,
};

use crate::parquet::with_text_bytes;
use crate::{Folder, batch, collect};

/// Makes 100 rows of texts of 10 bytes, and 100 rows of texts of 1 byte.
fn table() -> RecordBatch {
    let long: ArrayRef = Arc::new(StringArray::from_iter_values((0..100).map(|row| format!("{row:010}"))));
    let short: ArrayRef = Arc::new(StringArray::from_iter_values((0..100).map(|row| (row % 10).to_string())));
    let bytes: ArrayRef = Arc::new(BinaryArray::from_iter_values((0..100).map(|row| format!("{row:010}"))));
    RecordBatch::try_from_iter([("long", long), ("short", short), ("bytes", bytes)]).unwrap()
}

fn types(found: &Batch) -> Vec<DataType> {
    found.schema().fields().iter().map(|field| field.data_type().clone()).collect()
}

#[track_caller]
fn check(found: &Batch, expected: &[DataType]) {
    assert_eq!(types(found), expected);
    let found = found.to_arrow().unwrap();
    for (index, column) in found.columns().iter().enumerate() {
        let plain = arrow_cast::cast(column, table().column(index).data_type()).unwrap();
        assert_eq!(&plain, table().column(index));
    }
}

use DataType::{Binary, LargeBinary, LargeUtf8, Utf8};

#[test]
fn parquet_files_say_how_much_text_they_have() {
    let folder = Folder::new();
    let path = folder.path("t.parquet");
    let mut writer = ParquetWriter::new(&path, &table().schema()).row_group_rows(30);
    writer.write(&batch(&table())).unwrap();
    writer.finish().unwrap();
    let open = |limit| ParquetReader::open(&path).unwrap().text_limit(limit);
    check(&open(usize::MAX).read().unwrap(), &[Utf8, Utf8, Binary]);
    check(&open(1000).read().unwrap(), &[Utf8, Utf8, Binary]);
    check(&open(999).read().unwrap(), &[LargeUtf8, Utf8, LargeBinary]);
    check(&open(0).read().unwrap(), &[LargeUtf8, LargeUtf8, LargeBinary]);
    // The types must not depend on the selected rows.
    let few = open(999).rows(5..6).read().unwrap();
    assert_eq!((types(&few), few.num_rows()), (vec![LargeUtf8, Utf8, LargeBinary], 1));
    // A batch has rows of one row group, which have 300 bytes.
    let scan = |limit| open(limit).batch_rows(7).predicate(Predicate::eq("long", "0000000042")).scan().unwrap();
    assert_eq!(scan(300).schema().field(0).data_type(), &Utf8);
    assert_eq!(collect(scan(300))[0].column(0).as_string::<i32>().value(0), "0000000042");
    assert_eq!(scan(299).schema().field(0).data_type(), &LargeUtf8);
    assert_eq!(collect(scan(299))[0].column(0).as_string::<i64>().value(0), "0000000042");
    // If the caller requests a type, the limit does not change it.
    let reader = ParquetReader::open(&path).unwrap().types([("long", Utf8)]).unwrap().text_limit(999);
    check(&reader.read().unwrap(), &[Utf8, Utf8, LargeBinary]);
}

#[test]
fn all_files_count_together() {
    let folder = Folder::new();
    write_parquet(&batch(&table().slice(0, 60)), folder.path("d/a.parquet")).unwrap();
    write_parquet(&batch(&table().slice(60, 40)), folder.path("d/b.parquet")).unwrap();
    let open = |limit| ParquetReader::open(folder.path("d/*.parquet")).unwrap().text_limit(limit);
    check(&open(1000).read().unwrap(), &[Utf8, Utf8, Binary]);
    check(&open(999).read().unwrap(), &[LargeUtf8, Utf8, LargeBinary]);
    check_pieces(&open(999).pieces().unwrap(), &[60, 40], &[Utf8, Utf8, Binary]);
    // The one row group of the first file is the largest one.
    check_pieces(&open(600).pieces().unwrap(), &[60, 40], &[Utf8, Utf8, Binary]);
    check_pieces(&open(599).pieces().unwrap(), &[100], &[LargeUtf8, Utf8, LargeBinary]);
}

/// Writes some rows of the table to row groups of `group_rows` rows.
fn write_groups(path: &Path, rows: Range<usize>, group_rows: usize) {
    let mut writer = ParquetWriter::new(path, &table().schema()).row_group_rows(group_rows);
    writer.write(&batch(&table().slice(rows.start, rows.len()))).unwrap();
    writer.finish().unwrap();
}

/// Checks the numbers of rows and the types of pieces, which together have all rows of the table.
#[track_caller]
fn check_pieces(pieces: &[ParquetPiece], rows: &[usize], expected: &[DataType]) {
    assert_eq!(pieces.iter().map(ParquetPiece::num_rows).collect::<Vec<_>>(), rows);
    let read: Vec<Batch> = pieces.iter().map(|piece| piece.read().unwrap()).collect();
    for (piece, read) in pieces.iter().zip(&read) {
        assert_eq!(read.schema(), piece.schema());
        assert_eq!(types(read), expected);
    }
    let read: Vec<RecordBatch> = read.iter().map(|batch| batch.to_arrow().unwrap()).collect();
    check(&batch(&concat_batches(read[0].schema_ref(), &read).unwrap()), expected);
}

#[test]
fn pieces_keep_short_offsets_and_divide_their_rows_by_text() {
    let folder = Folder::new();
    let path = folder.path("t.parquet");
    write_groups(&path, 0..100, 10);
    let open = |limit| ParquetReader::open(&path).unwrap().batch_rows(usize::MAX).text_limit(limit);
    check(&open(300).read().unwrap(), &[LargeUtf8, Utf8, LargeBinary]);
    let short = [Utf8, Utf8, Binary];
    check_pieces(&open(1000).pieces().unwrap(), &[100], &short);
    check_pieces(&open(999).pieces().unwrap(), &[90, 10], &short);
    check_pieces(&open(300).pieces().unwrap(), &[30, 30, 30, 10], &short);
    check_pieces(&open(100).pieces().unwrap(), &[10; 10], &short);
    // The column that keeps 32-bit offsets has one byte in each row.
    check_pieces(&open(99).pieces().unwrap(), &[90, 10], &[LargeUtf8, Utf8, LargeBinary]);
    check_pieces(&open(300).batch_rows(20).pieces().unwrap(), &[20; 5], &short);
    // The schema of the reader does not depend on the limit, and the types of pieces not on the selected rows.
    assert_eq!(open(99).schema().field(0).data_type(), &Utf8);
    let few = open(99).rows(5..6).pieces().unwrap();
    assert_eq!((types(&few[0].read().unwrap()), few[0].num_rows()), (vec![LargeUtf8, Utf8, LargeBinary], 1));
    // Only columns that are read count, also if only a predicate reads them.
    let few = open(300).columns(["short"]).pieces().unwrap();
    assert_eq!(few.len(), 1);
    let tested = open(300).columns(["short"]).predicate(Predicate::ge("long", "0000000000")).pieces().unwrap();
    assert_eq!(tested.iter().map(ParquetPiece::num_rows).collect::<Vec<_>>(), [30, 30, 30, 10]);
    let tested = open(99).columns(["short"]).predicate(Predicate::eq("long", "0000000042")).pieces().unwrap();
    assert_eq!(tested.iter().map(|piece| piece.read().unwrap().num_rows()).sum::<usize>(), 1);
    // A type that the caller requests stays.
    let given = ParquetReader::open(&path).unwrap().types([("long", Utf8)]).unwrap();
    check_pieces(&given.clone().text_limit(300).pieces().unwrap(), &[30, 30, 30, 10], &short);
    check_pieces(&given.text_limit(99).pieces().unwrap(), &[10; 10], &[Utf8, Utf8, LargeBinary]);
    // Pieces with the types of a read need not be divided.
    let wide = open(300).types_of_read().unwrap();
    check_pieces(&wide.pieces().unwrap(), &[100], &[LargeUtf8, Utf8, LargeBinary]);
}

#[test]
fn one_large_row_group_is_wide_in_all_pieces() {
    let folder = Folder::new();
    write_groups(&folder.path("d/a.parquet"), 0..50, 10);
    write_groups(&folder.path("d/b.parquet"), 50..100, 50);
    let open = || ParquetReader::open(folder.path("d/*.parquet")).unwrap().batch_rows(20).text_limit(300);
    let wide = [LargeUtf8, Utf8, LargeBinary];
    check_pieces(&open().pieces().unwrap(), &[20, 20, 10, 50], &wide);
    assert!(open().rows(0..10).scan().unwrap().all(|batch| types(&batch.unwrap()) == wide));
}

#[test]
fn pieces_divide_text_of_unknown_size_and_text_in_lists() {
    let folder = Folder::new();
    let path = folder.path("t.parquet");
    write_groups(&path, 0..100, 10);
    let bytes = std::fs::read(&path).unwrap();
    let unknown = ParquetReader::from_bytes(with_text_bytes(&bytes, |_| None)).unwrap();
    let of_text = |reader: ParquetReader| {
        reader.column_statistics().unwrap().iter().map(|of| of.text_bytes).collect::<Vec<Option<u64>>>()
    };
    assert_eq!(of_text(ParquetReader::open(&path).unwrap()), [Some(1000), Some(100), Some(1000)]);
    // The pages have the lengths of the texts, too.
    let of_pages = of_text(unknown.clone())[0].unwrap();
    assert!((1001..3000).contains(&of_pages), "{of_pages}");
    let pieces = unknown.text_limit(of_pages as usize / 2).pieces().unwrap();
    check_pieces(&pieces, &[50, 50], &[Utf8, Utf8, Binary]);

    let items = table().column(0).clone();
    let field = Arc::new(Field::new("item", Utf8, true));
    let lists: ArrayRef = Arc::new(ListArray::new(field, OffsetBuffer::from_lengths([2; 50]), items, None));
    let lists = RecordBatch::try_from_iter([("lists", lists)]).unwrap();
    let mut writer = ParquetWriter::new(&path, &lists.schema()).row_group_rows(10);
    writer.write(&batch(&lists)).unwrap();
    writer.finish().unwrap();
    let pieces = ParquetReader::open(&path).unwrap().text_limit(400).pieces().unwrap();
    assert_eq!(pieces.iter().map(ParquetPiece::num_rows).collect::<Vec<_>>(), [20, 20, 10]);
    let read: Vec<RecordBatch> = pieces.iter().map(|piece| piece.read().unwrap().to_arrow().unwrap()).collect();
    assert_eq!(concat_batches(&lists.schema(), &read).unwrap(), lists);
}

#[test]
fn text_formats_and_ipc_sum_what_they_have_read() {
    let folder = Folder::new();
    let text = table().project(&[0, 1]).unwrap();
    for (name, range) in [("a", 0..60), ("b", 60..100)] {
        let of = batch(&text.slice(range.start, range.len()));
        write_csv(&of, folder.path(&format!("{name}.csv"))).unwrap();
        write_json(&of, folder.path(&format!("{name}.jsonl"))).unwrap();
        let all = batch(&table().slice(range.start, range.len()));
        write_ipc(&all, folder.path(&format!("{name}.arrow"))).unwrap();
    }
    for (limit, long, short) in [(1000, Utf8, Utf8), (999, LargeUtf8, Utf8), (99, LargeUtf8, LargeUtf8)] {
        let csv = CsvReader::open(folder.path("*.csv")).unwrap().schema(text.schema()).text_limit(limit);
        check(&csv.read().unwrap(), &[long.clone(), short.clone()]);
        let json = JsonReader::open(folder.path("*.jsonl")).unwrap().text_limit(limit);
        check(&json.read().unwrap(), &[long.clone(), short.clone()]);
        let ipc = IpcReader::open(folder.path("*.arrow")).unwrap().text_limit(limit).read().unwrap();
        check(&ipc, &[long.clone(), short, if limit < 1000 { LargeBinary } else { Binary }]);
    }
}
