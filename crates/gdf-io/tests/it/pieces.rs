//! Pieces of Parquet files, and predicates whose rows are scattered over row groups.

use arrow_array::cast::AsArray;
use arrow_array::types::Int64Type;
use arrow_array::{Array, BooleanArray, Int64Array, RecordBatch};
use arrow_schema::{Field, Schema};
use arrow_select::concat::concat_batches;
use arrow_select::filter::filter_record_batch;
use gdf_io::{ParquetReader, ParquetWriter, Predicate};

use crate::all_types::for_parquet;
use crate::{Folder, batch};

/// Returns columns of all types beside a column `number`, which counts the rows.
fn numbered(rows: usize) -> RecordBatch {
    let others = for_parquet(rows);
    let number = Int64Array::from_iter_values(0..rows as i64);
    let mut fields: Vec<_> = others.schema().fields().iter().cloned().collect();
    fields.insert(0, Field::new("number", number.data_type().clone(), false).into());
    let mut columns = others.columns().to_vec();
    columns.insert(0, std::sync::Arc::new(number));
    RecordBatch::try_new(Schema::new(fields).into(), columns).unwrap()
}

fn written(folder: &Folder, of: &RecordBatch, group_rows: usize) -> std::path::PathBuf {
    let path = folder.path("p.parquet");
    let mut writer = ParquetWriter::new(&path, &of.schema()).row_group_rows(group_rows);
    writer.write(&batch(of)).unwrap();
    writer.finish().unwrap();
    path
}

/// The rows in pieces are the rows of a whole read, in their order. A piece has no more rows than asked for, or is one
/// row group.
#[test]
fn pieces_are_the_rows_in_their_order() {
    let folder = Folder::new();
    for rows in [0, 1, 63, 64, 65, 1000] {
        let expected = numbered(rows);
        for group_rows in [37, 64, 1 << 20] {
            let path = written(&folder, &expected, group_rows);
            for most in [1, 64, 200, usize::MAX] {
                let pieces = ParquetReader::open(&path).unwrap().batch_rows(most).pieces().unwrap();
                assert!(!pieces.is_empty());
                assert_eq!(pieces.iter().map(|piece| piece.num_rows()).sum::<usize>(), rows);
                assert!(pieces.iter().all(|piece| piece.num_rows() <= most.max(group_rows)), "{pieces:?}");
                let threads: Vec<_> =
                    pieces.into_iter().map(|piece| std::thread::spawn(move || piece.read())).collect();
                let read = threads.into_iter().map(|thread| thread.join().unwrap().unwrap().to_arrow().unwrap());
                let read: Vec<RecordBatch> = read.collect();
                let found = concat_batches(read[0].schema_ref(), &read).unwrap();
                assert_eq!(found.columns(), expected.columns(), "{rows} rows by {group_rows} and {most}");
            }
        }
    }
}

/// Predicates with long runs of rows, with short runs, with single rows, and without rows.
#[test]
fn scattered_rows_are_those_of_a_filter() {
    let folder = Folder::new();
    let all = numbered(3000);
    let path = written(&folder, &all, 1000);
    let third = |number: i64| number % 3 == 0;
    let conditions: [(&str, &dyn Fn(i64) -> bool); 7] = [
        ("all", &|_| true),
        ("none", &|number| number < 0),
        ("first", &|number| number < 1001),
        ("thirds", &third),
        ("but a few", &|number| number % 50 != 7),
        ("a few", &|number| number % 400 == 399),
        ("of one row group", &|number| (1000..2000).contains(&number) && number % 2 == 1),
    ];
    for (name, passes) in conditions {
        let numbers: Vec<i64> = (0..3000).filter(|number| passes(*number)).collect();
        let mask: BooleanArray = (0..3000).map(|number| Some(passes(number))).collect();
        let expected = filter_record_batch(&all, &mask).unwrap();
        let condition = Predicate::is_in("number", numbers.iter().copied());
        let reader = || ParquetReader::open(&path).unwrap().predicate(condition.clone());
        let check = |found: RecordBatch, rows: &RecordBatch| {
            for (found, expected) in found.columns().iter().zip(rows.columns()) {
                assert_eq!(found, expected, "{name}");
                found.to_data().validate_full().unwrap();
            }
            assert_eq!(found.num_rows(), rows.num_rows(), "{name}");
        };
        check(reader().read().unwrap().to_arrow().unwrap(), &expected);
        assert_eq!(reader().columns(Vec::<String>::new()).read().unwrap().num_rows(), numbers.len(), "{name}");
        let of_pieces = reader().batch_rows(1).pieces().unwrap();
        let of_pieces = of_pieces.iter().map(|piece| piece.read().unwrap().to_arrow().unwrap());
        let of_pieces: Vec<RecordBatch> = of_pieces.collect();
        check(concat_batches(of_pieces[0].schema_ref(), &of_pieces).unwrap(), &expected);
        // A range of rows and a predicate, together.
        let some = reader().rows(500..2200).columns(["number"]).read().unwrap().to_arrow().unwrap();
        let within: Vec<i64> = numbers.iter().copied().filter(|number| (500..2200).contains(number)).collect();
        assert_eq!(some.column(0).as_primitive::<Int64Type>().values().to_vec(), within, "{name}");
    }
}
