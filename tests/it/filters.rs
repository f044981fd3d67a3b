//! Tests filters of so many rows that each block of a GPU processes several tiles.

use std::sync::Arc;

use arrow_array::{Array, ArrayRef, BooleanArray, Int32Array, StringArray};
use gdf::expr::{Expr, col, lit};
use gdf::pipeline::Pipeline;
use gdf::predicate::{Predicate, evaluate_predicate};
use gdf::prelude::*;
use gdf::stream_compaction::apply_boolean_mask;
use gdf::transform::{compute_column, compute_columns, run_end_encode};
use gdf_test::device::test_device;

use crate::row_hash::hash;

/// The rows of a table of numbers and booleans, with and without nulls, and texts with nulls.
struct Rows {
    numbers: Vec<Option<i32>>,
    flags: Vec<Option<bool>>,
    marks: Vec<bool>,
    texts: Vec<Option<String>>,
}

impl Rows {
    fn new(rows: i64) -> Rows {
        let valid = |row: i64| !hash(row * 3).is_multiple_of(7);
        let text = |row: i64| valid(row).then(|| "abcdefgh"[..(hash(row) % 9) as usize].to_owned());
        Rows {
            numbers: (0..rows).map(|row| valid(row).then_some(row as i32)).collect(),
            flags: (0..rows).map(|row| valid(row).then_some(hash(row).is_multiple_of(3))).collect(),
            marks: (0..rows).map(|row| hash(row) % 5 < 2).collect(),
            texts: (0..rows).map(text).collect(),
        }
    }

    fn table(&self) -> gdf::Result<Table> {
        Table::try_new(vec![
            Column::from_options(&self.numbers)?,
            Column::from_options(&self.flags)?,
            Column::from_slice(&self.marks)?,
            Column::from_strs(&self.texts)?,
        ])
    }

    /// Returns the columns of the rows with these numbers.
    fn chosen(&self, rows: &[usize]) -> [ArrayRef; 4] {
        let rows = || rows.iter().copied();
        [
            Arc::new(rows().map(|row| self.numbers[row]).collect::<Int32Array>()),
            Arc::new(rows().map(|row| self.flags[row]).collect::<BooleanArray>()),
            Arc::new(BooleanArray::from(rows().map(|row| self.marks[row]).collect::<Vec<_>>())),
            Arc::new(rows().map(|row| self.texts[row].as_deref()).collect::<StringArray>()),
        ]
    }
}

/// Negations that have no simpler form.
#[test]
fn negated_conditions_are_true_for_the_other_rows() {
    gdf::scope::with_device(test_device(), || {
        let numbers = [Some(1.5), None, Some(f64::NAN), Some(-2.0), Some(7.0)];
        let flags = [Some(true), Some(false), None, Some(false), Some(true)];
        let texts = [Some("abc"), Some("b"), Some("a"), None, Some("")];
        let table = Table::try_new(vec![
            Column::from_options(&numbers).unwrap(),
            Column::from_options(&flags).unwrap(),
            Column::from_strs(texts).unwrap(),
        ]);
        let table = table.unwrap();
        let is = |condition: Expr| compute_column(&table, &condition).unwrap().to_vec::<bool>().unwrap();
        let conditions = [
            (col(0).lt(2.0), numbers.map(|number| number.map(|number| number < 2.0))),
            (col(1), flags),
            (col(2).starts_with("a"), texts.map(|text| text.map(|text| text.starts_with('a')))),
            (col(2).is_in(["b", ""]), texts.map(|text| text.map(|text| ["b", ""].contains(&text)))),
        ];
        for (condition, expected) in conditions {
            assert_eq!(is(condition.clone()), expected);
            assert_eq!(is(!condition.clone()), expected.map(|of| of.map(|of| !of)));
            let both = expected.map(|of| if of == Some(true) { Some(false) } else { of.map(|_| true) });
            assert_eq!(is(!(condition & lit(true))), both);
        }
    });
}

/// Columns of type `Null` and run-end encoded columns have nulls without a mask.
#[test]
fn nulls_without_a_mask_are_found() {
    gdf::scope::with_device(test_device(), || {
        let numbers = Column::from_options(&[Some(1), None, None, Some(2)]).unwrap();
        let columns = [
            (run_end_encode(&numbers).unwrap(), [false, true, true, false].map(Some)),
            (Column::nulls(&DataType::Null, 4).unwrap(), [true; 4].map(Some)),
        ];
        for (column, expected) in columns {
            let found = evaluate_predicate(&Predicate::is_null(&column)).unwrap();
            assert_eq!(found.to_vec::<bool>().unwrap(), expected);
            let table = Table::try_new(vec![column, numbers.clone()]).unwrap();
            let found = compute_column(&table, &col(0).is_null()).unwrap();
            assert_eq!(found.to_vec::<bool>().unwrap(), expected);
            let found = compute_columns(&table, &[col(0).is_null(), col(1) + 1]).unwrap();
            assert_eq!(found.column(0).unwrap().to_vec::<bool>().unwrap(), expected);
            let both = Pipeline::new(&table).filter(col(0).is_null()).filter(col(1).is_null());
            assert_eq!(both.count().unwrap(), 2);
        }
    });
}

/// The rows are divided into parts of about two tiles, parts of many tiles, or a single part. In each part, none, few,
/// most or all rows are selected.
#[test]
fn filters_of_many_tiles_select_the_rows_of_the_cpu() {
    let count = if test_device().is_cpu() { 70_001 } else { 3_000_017 };
    gdf::scope::with_device(test_device(), || {
        let rows = Rows::new(count);
        let table = rows.table().unwrap();
        for part in [5_000, 100_000, count] {
            let density = |row: i64| (hash(row / part) % 9) as usize;
            let is_selected = |row: i64| (hash(row * 7) % 8) < density(row) as u64;
            let mask = Column::from_slice(&(0..count).map(is_selected).collect::<Vec<_>>()).unwrap();
            for from in [0, 3] {
                let (table, mask) =
                    (table.slice(from, table.num_rows() - from).unwrap(), mask.slice(from, mask.len() - from).unwrap());
                let got = apply_boolean_mask(&table, &mask).unwrap();
                let selected = (from as i64..count).filter(|row| is_selected(*row)).map(|row| row as usize);
                let expected = rows.chosen(&selected.collect::<Vec<_>>());
                for (at, (got, expected)) in got.columns().iter().zip(&expected).enumerate() {
                    let got = got.to_array().unwrap();
                    assert_eq!(
                        got.null_count(),
                        expected.null_count(),
                        "column {at}, parts of {part} rows from {from}"
                    );
                    assert!(&got == expected, "column {at}, parts of {part} rows from {from}: other rows");
                }
            }
        }
    });
}
