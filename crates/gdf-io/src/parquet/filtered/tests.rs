//! Pages that a read with a predicate leaves out. The CPU decodes as a GPU does.

use std::path::Path;
use std::sync::Arc;

use arrow_array::{ArrayRef, Int32Array, Int64Array, RecordBatch, StringArray, StructArray};
use arrow_schema::{DataType, Field};
use parquet::arrow::ArrowWriter;
use parquet::basic::Compression;
use parquet::file::properties::{WriterProperties, WriterVersion};

use super::*;
use crate::Predicate;
use crate::options::{Columns, Options};
use crate::parquet::Source;
use crate::parquet::file::ParquetFile;

const ROWS: i64 = 20_000;

/// Returns a table with a sorted column, one in no order, one of few values, and others.
fn table() -> RecordBatch {
    let rows = || 0..ROWS;
    let some = |row: i64| row % 11 != 3;
    let inner: ArrayRef = Arc::new(rows().map(|row| Some(row / 2).filter(|_| some(row))).collect::<Int64Array>());
    let columns: Vec<(&str, ArrayRef)> = vec![
        ("id", Arc::new(rows().map(|row| 3 * row).collect::<Int64Array>())),
        ("mixed", Arc::new(rows().map(|row| Some(row * 7_919 % ROWS).filter(|_| some(row))).collect::<Int64Array>())),
        ("day", Arc::new(rows().map(|row| Some(row as i32 / 3_000)).collect::<Int32Array>())),
        (
            "text",
            Arc::new(rows().map(|row| Some(format!("größe {row}")).filter(|_| some(row))).collect::<StringArray>()),
        ),
        ("inner", Arc::new(StructArray::from(vec![(Arc::new(Field::new("a", DataType::Int64, true)), inner)]))),
    ];
    RecordBatch::try_from_iter(columns).unwrap()
}

fn file(codec: Compression, version: WriterVersion) -> ParquetFile {
    let properties = WriterProperties::builder()
        .set_compression(codec)
        .set_writer_version(version)
        .set_dictionary_page_size_limit(1_000)
        .set_max_row_group_row_count(Some(6_000))
        .set_data_page_row_count_limit(300)
        .set_write_batch_size(100)
        .build();
    let mut bytes = Vec::new();
    let mut writer = ArrowWriter::try_new(&mut bytes, table().schema(), Some(properties)).unwrap();
    writer.write(&table()).unwrap();
    writer.close().unwrap();
    ParquetFile::of_source(Path::new("test"), Source::of_bytes(bytes.into())).unwrap()
}

fn predicates() -> Vec<Predicate> {
    let id = |row: i64| Predicate::eq("id", 3 * row);
    let of_ids = |rows: &[i64]| rows.iter().map(|row| id(*row)).reduce(|any, next| any.or(next)).unwrap();
    vec![
        id(0),
        id(6_000),
        id(ROWS - 1),
        Predicate::eq("id", 1),
        of_ids(&[5, 299, 300, 5_999, 19_000]),
        of_ids(&(0..40).map(|index| index * 500).collect::<Vec<_>>()),
        Predicate::eq("mixed", 77),
        Predicate::eq("mixed", 77).and(Predicate::is_null("text")),
        Predicate::lt("id", 3 * 450),
        Predicate::gt("id", 3 * 450).and(Predicate::lt("id", 3 * 7_000)),
        Predicate::eq("day", 2),
        Predicate::eq("day", 2).or(id(1)),
        Predicate::is_null("mixed").and(Predicate::lt("id", 3 * 700)),
        Predicate::eq("text", "größe 12345"),
        Predicate::lt("id", 0),
    ]
}

#[test]
fn rows_are_those_that_the_cpu_finds() {
    let files = [
        file(Compression::SNAPPY, WriterVersion::PARQUET_1_0),
        file(Compression::ZSTD(Default::default()), WriterVersion::PARQUET_2_0),
    ];
    for file in files {
        for predicate in predicates() {
            for columns in
                [vec![], vec!["text"], vec!["inner", "id", "text"], vec!["id", "mixed", "day", "text", "inner"]]
            {
                for (has_index, rows) in [(false, 0..usize::MAX), (true, 0..usize::MAX), (true, 250..14_000)] {
                    let columns = Columns::Named(columns.iter().map(|name| (*name).to_owned()).collect());
                    let options = Options { predicate: Some(predicate.clone()), columns, rows, ..Options::default() };
                    let plan = Plan::new(vec![file.clone()], &[], &options).unwrap();
                    let expected = Target::run("test", None, |target| plan.read(target)).unwrap();
                    let plan = if has_index { plan.with_page_indexes(&options) } else { plan };
                    let parts: Vec<&[Unit]> = plan.units.chunks(2).collect();
                    let found = Target::run("test", None, |target| {
                        let found = plan.filtered_on_device(&parts, target)?;
                        found
                            .filter(|found| !found.is_empty())
                            .map(|found| target.joined(found))
                            .transpose()
                            .map_err(Error::from)
                    });
                    let found = found.unwrap().unwrap();
                    let name = format!("{predicate:?} {has_index}");
                    assert_eq!(found.num_rows(), expected.table().num_rows(), "{name}");
                    for (found, expected) in found.columns().iter().zip(expected.table().columns()) {
                        assert_eq!(&found.to_array().unwrap(), &expected.to_array().unwrap(), "{name}");
                    }
                }
            }
        }
    }
}

/// Returns the numbers of rows of `text` that are decoded in each row group.
fn decoded(plan: &Plan, units: &[Unit]) -> Vec<usize> {
    let column = &plan.columns[0];
    let leaves = plan.leaf_columns(0, column, units).unwrap();
    let copied = Target::run("test", None, |target| plan.copy_pages(&leaves, units, target)).unwrap();
    copied.rows[0].iter().map(|rows| rows.iter().map(ExactSizeIterator::len).sum()).collect()
}

#[test]
fn pages_without_rows_that_pass_are_left_out() {
    let file = file(Compression::SNAPPY, WriterVersion::PARQUET_1_0);
    let plan = |predicate: Predicate| {
        let columns = Columns::Named(vec!["text".to_owned()]);
        let options = Options { predicate: Some(predicate), columns, ..Options::default() };
        (Plan::new(vec![file.clone()], &[], &options).unwrap(), options)
    };
    // By the page index.
    let (planned, options) = plan(Predicate::lt("id", 3 * 450));
    let planned = planned.with_page_indexes(&options);
    let units: Vec<Unit> = planned.units.iter().filter_map(|unit| planned.narrowed(unit)).collect();
    // The first page ends where the dictionary does, after 100 rows.
    assert_eq!(decoded(&planned, &units), [700]);
    // By the rows that pass. Few values are few rows if no dictionary has them all.
    let is_late = |predicate| {
        let (plan, _) = plan(predicate);
        let (filter, tested) = plan.filter().unwrap();
        plan.is_rarely_true(filter, tested, &plan.units)
    };
    let ids =
        |rows: std::ops::Range<i64>| rows.map(|row| Predicate::eq("id", 300 * row)).reduce(Predicate::or).unwrap();
    assert!(is_late(Predicate::eq("id", 3_000)));
    assert!(is_late(ids(0..5)));
    assert!(!is_late(ids(0..9)));
    assert!(is_late(Predicate::eq("id", 3_000).and(Predicate::lt("day", 5))));
    assert!(!is_late(Predicate::eq("id", 3_000).or(Predicate::lt("day", 5))));
    assert!(!is_late(Predicate::eq("day", 2)));
    assert!(!is_late(Predicate::lt("id", 3_000)));
}

#[test]
fn batches_are_parts_of_row_groups() {
    let file = file(Compression::LZ4_RAW, WriterVersion::PARQUET_2_0);
    for (rows, first, end) in
        [(97, 0, ROWS as usize), (300, 5_990, 6_010), (7_000, 0, ROWS as usize), (1_000, 5_500, 13_000)]
    {
        let plan = Plan::divided(vec![file.clone()], &[], &Options { rows: first..end, ..Options::default() }).unwrap();
        let columns: Vec<&PlanColumn> = plan.columns.iter().collect();
        let mut at = first;
        for units in plan.divided_units(rows) {
            let of_batch = rows_of(&units).unwrap();
            assert!((1..=rows).contains(&of_batch));
            let read = |target: Target<'_>| {
                let mut found = Vec::new();
                plan.read_parts(&columns, &[&units], target, &mut |_, columns| {
                    found = columns;
                    Ok(())
                })?;
                Ok::<_, Error>(found)
            };
            for (found, expected) in Target::run("test", None, read).unwrap().iter().zip(table().columns()) {
                assert_eq!(&found.to_array().unwrap(), &expected.slice(at, of_batch), "{rows}");
            }
            at += of_batch;
        }
        assert_eq!(at, end);
    }
}
