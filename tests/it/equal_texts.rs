//! Tests group-bys of many texts, which CUDA replaces by numbers. All texts of a column have the same length, so the
//! kernel finds them without offsets.

use std::collections::BTreeMap;

use arrow_array::StringArray;
use gdf::groupby::{AggregationRequest, GroupBy, GroupByAggregation, NullPolicy};
use gdf::memory::current_resource;
use gdf::predicate::{Predicate, evaluate_predicate};
use gdf::prelude::*;
use gdf_test::device::test_device;

use crate::coverage::assert_launched;

/// The number of rows, above the limit from which texts are replaced by numbers.
const ROWS: usize = (1 << 20) + 37;

/// Returns a text of `length` bytes.
fn text(row: usize, length: usize, distinct: usize) -> String {
    let number = row.wrapping_mul(7919) % distinct;
    (0..length).map(|at| char::from(b'0' + (number / 40_usize.pow(at as u32) % 40) as u8)).collect()
}

/// Groups the rows from `skipped` on.
fn check(texts: &[String], skipped: usize) {
    let device = test_device();
    let (stream, mr) = (scope::current_stream(device).unwrap(), current_resource(device).unwrap());
    let column = Column::from_arrow(&StringArray::from_iter_values(texts), &stream, &mr).unwrap();
    let keys = Table::try_new(vec![column.slice(skipped, texts.len() - skipped).unwrap()]).unwrap();
    let request = AggregationRequest::new(keys.column(0).unwrap(), [GroupByAggregation::CountAll]);
    let groups = GroupBy::new(&keys, NullPolicy::Exclude).agg(&[request]).unwrap();
    let names = groups.column(0).unwrap().to_vec::<String>().unwrap();
    let counts = groups.column(1).unwrap().to_vec::<i64>().unwrap();
    let found: BTreeMap<_, _> = names.into_iter().flatten().zip(counts.into_iter().flatten()).collect();
    let mut expected = BTreeMap::new();
    texts[skipped..].iter().for_each(|text| *expected.entry(text.clone()).or_insert(0) += 1);
    assert!(found == expected, "{} bytes, from row {skipped}", texts[0].len());
}

#[test]
fn texts_of_one_length_are_grouped() {
    scope::with_device(test_device(), || {
        for (length, distinct) in [(1, 3), (1, 40), (2, 7), (2, 1600), (3, 100), (4, 5), (4, 30_000)] {
            let mut texts: Vec<_> = (0..ROWS).map(|row| text(row, length, distinct)).collect();
            for skipped in [0, 1, 16] {
                check(&texts, skipped);
            }
            // The last row has another length than the other rows.
            texts[ROWS - 1].push('x');
            check(&texts, 0);
        }
    });
    assert_launched("keys", &["text_numbers_kernel"]);
}

/// Conditions on texts that all have the same few bytes read no offsets on CUDA.
#[test]
fn conditions_on_texts_of_one_length_are_those_of_other_texts() {
    scope::with_device(test_device(), || {
        let letter = |row: usize| char::from(b'a' + (row * 7919 % 26) as u8);
        let texts: [&dyn Fn(usize) -> String; 5] = [
            &|row| letter(row).to_string(),
            &|row| format!("{}{}", letter(row), letter(row / 3)),
            &|row| format!("a{}c{}", letter(row), letter(row / 5)),
            // The average length is a whole number, but the lengths differ.
            &|row| if row % 2 == 1 { "abc".to_owned() } else { letter(row).to_string() },
            &|row| format!("{}bcde", letter(row)),
        ];
        for (at, text) in texts.into_iter().enumerate() {
            let rows: Vec<String> = (0..ROWS).map(text).collect();
            let column = Column::from_strs(&rows).unwrap();
            for other in ["b", "ab", "abc", "aacb", "cbcde", ""] {
                for equal in [true, false] {
                    let condition = if equal { Predicate::eq(&column, other) } else { Predicate::ne(&column, other) };
                    let found = evaluate_predicate(&condition).unwrap().to_vec::<bool>().unwrap();
                    let expected = rows.iter().map(|row| Some((row == other) == equal));
                    assert!(found.into_iter().eq(expected), "column {at}, `{other}`, equal {equal}");
                }
            }
            let part = column.slice(1, ROWS - 1).unwrap();
            let found = evaluate_predicate(&Predicate::eq(&part, rows[5].as_str())).unwrap().to_vec::<bool>().unwrap();
            assert!(found.into_iter().eq(rows[1..].iter().map(|row| Some(*row == rows[5]))), "column {at}, slice");
        }
    });
}
