//! Sorts many numbers. The numbers are distributed in such a way that the shortcuts of the CUDA version do not help.

use std::sync::Arc;

use arrow_array::types::Int32Type;
use arrow_array::{
    Array, ArrayRef, Float64Array, Int8Array, Int32Array, Int64Array, ListArray, StringArray, UInt32Array,
};
use gdf::prelude::*;
use gdf::sorting::{NullOrder, Order, sort, sort_by_key, sorted_order, top_k, top_k_by_key};
use gdf_test::device::test_device;

use crate::coverage::assert_launched;

const ROWS: i64 = 300_000;

fn mixed(row: i64) -> i64 {
    row.wrapping_mul(0x9e37_79b9_7f4a_7c15_u64.cast_signed())
}

fn sorted(values: Vec<i64>) {
    let device = test_device();
    let stream = Stream::new(device).unwrap();
    let resource = gdf::memory::current_resource(device).unwrap();
    let column = Column::from_arrow(&Int64Array::from(values.clone()), &stream, resource.as_ref()).unwrap();
    gdf::scope::with_stream(&stream, || {
        for order in [Order::Ascending, Order::Descending] {
            let table = sort(&Table::try_new(vec![column.clone()]).unwrap(), &[order], &[]).unwrap();
            let array = table.column(0).unwrap().to_arrow(&stream).unwrap();
            let mut expected = values.clone();
            expected.sort_unstable();
            if order == Order::Descending {
                expected.reverse();
            }
            assert!(array.as_any().downcast_ref::<Int64Array>().unwrap().values()[..] == expected[..], "{order:?}");
        }
    });
}

#[test]
fn runs_of_equal_upper_bits_are_long() {
    // Within each number, the three upper bytes are equal to each other.
    sorted(
        (0..ROWS)
            .map(|row| {
                let byte = mixed(row) >> 40 & 0x7f;
                byte << 56 | byte << 48 | byte << 40 | mixed(row + 1) & 0xff_ffff_ffff
            })
            .collect(),
    );
}

#[test]
fn runs_of_equal_upper_bits_have_every_length() {
    let run = |row: i64| mixed(row / (1 + row % 60)) & !0xffff;
    sorted((0..ROWS).map(|row| run(row) | mixed(row) & 0xffff).collect());
}

#[test]
fn equal_numbers_are_many() {
    sorted((0..ROWS).map(|row| if row % 3 == 0 { mixed(7) } else { mixed(row) }).collect());
    sorted((0..ROWS).map(|row| if row < 10 { mixed(row) } else { row % 1000 }).collect());
}

#[test]
fn few_numbers_are_repeated() {
    let two = |row: i64| if mixed(row) > 0 { 5 } else { i64::MAX - 5 };
    sorted((0..ROWS).map(two).collect());
    // Some rows share their upper bits with many rows.
    sorted((0..ROWS).map(|row| if row % 997 == 1 { two(row) + row % 3 - 1 } else { two(row) }).collect());
    sorted((0..ROWS).map(|row| if row == 1 { 4 } else { two(row) }).collect());
    assert_launched("sorting", &["sort_ties_sample_kernel"]);
}

#[test]
fn two_keys_have_many_nulls() {
    let device = test_device();
    let stream = Stream::new(device).unwrap();
    let resource = gdf::memory::current_resource(device).unwrap();
    // Rows whose first key is null share most of their upper bits.
    let mut rows: Vec<_> = (0..ROWS)
        .map(|row| ((row % 10 != 3).then_some(mixed(row) >> 40), (row % 7 != 2).then_some(mixed(row * 3) >> 30)))
        .collect();
    let arrays = [rows.iter().map(|row| row.0).collect::<Int64Array>(), rows.iter().map(|row| row.1).collect()];
    let column = |array: &Int64Array| Column::from_arrow(array, &stream, resource.as_ref()).unwrap();
    let table = Table::try_new(arrays.iter().map(column).collect()).unwrap();
    rows.sort_unstable();
    gdf::scope::with_stream(&stream, || {
        let sorted = sort(&table, &[], &[]).unwrap();
        let column = |i: usize| sorted.column(i).unwrap().to_arrow(&stream).unwrap();
        let (a, b) = (column(0), column(1));
        let [a, b] = [a, b].map(|array| array.as_any().downcast_ref::<Int64Array>().unwrap().clone());
        assert!(a.iter().zip(&b).eq(rows.iter().copied()));
    });
}

#[test]
fn a_sample_misses_the_first_rows() {
    let device = test_device();
    let stream = Stream::new(device).unwrap();
    let resource = gdf::memory::current_resource(device).unwrap();
    // The first column has a few large numbers at its beginning and then only equal numbers.
    for values in [(0..ROWS).map(|row| if row < 3000 { row as f64 } else { -1.0 }).collect(), vec![1.0; ROWS as usize]]
    {
        let column = Column::from_arrow(&Float64Array::from(values.clone()), &stream, resource.as_ref()).unwrap();
        gdf::scope::with_stream(&stream, || {
            let first = top_k(&column, 1000, Order::Descending).unwrap().to_arrow(&stream).unwrap();
            let mut expected = values.clone();
            expected.sort_unstable_by(|a, b| b.total_cmp(a));
            assert!(first.as_any().downcast_ref::<Float64Array>().unwrap().values()[..] == expected[..1000]);
        });
    }
}

/// Sorts a table of these columns.
fn sorted_rows(columns: Vec<ArrayRef>, expected: &[ArrayRef]) {
    let device = test_device();
    let stream = Stream::new(device).unwrap();
    let resource = gdf::memory::current_resource(device).unwrap();
    let column = |array: &ArrayRef| Column::from_arrow(array.as_ref(), &stream, resource.as_ref()).unwrap();
    let table = Table::try_new(columns.iter().map(column).collect()).unwrap();
    gdf::scope::with_stream(&stream, || {
        let sorted = sort(&table, &[], &[]).unwrap();
        for (index, expected) in expected.iter().enumerate() {
            let array = sorted.column(index).unwrap().to_arrow(&stream).unwrap();
            assert!(array.as_ref() == expected.as_ref(), "column {index}");
        }
    });
}

#[test]
fn few_rows_tie_in_many_columns() {
    // The 64-bit sort keys of the rows contain only some of the columns.
    for seed in 0..24 {
        let columns = [9, 12, 16][seed as usize % 3];
        let rows = [2, 31, 187, 817, 1000, 1024, 1025, 3001][seed as usize % 8];
        let random = |row: usize, column: usize| mixed(seed << 40 | (row as i64) << 8 | column as i64) >> 20;
        let value = |row: usize, column: usize| {
            let random = random(row, column);
            let null = [random & 1 == 0, random & 3 != 0, random & 31 == 0, random & 31 != 0][(seed / 3) as usize % 4];
            (!null).then_some((random >> 8 & 0x7f) as i8)
        };
        let ranks = |row: usize| (random(row, columns) as u32) % if seed % 2 == 0 { 1 } else { rows as u32 };
        let mut values: Vec<(Vec<_>, u32)> =
            (0..rows).map(|row| ((1..columns).map(|column| value(row, column)).collect(), ranks(row))).collect();
        let arrays = |values: &[(Vec<Option<i8>>, u32)]| -> Vec<ArrayRef> {
            let narrow = (0..columns - 1).map(|column| -> ArrayRef {
                Arc::new(values.iter().map(|(row, _)| row[column]).collect::<Int8Array>())
            });
            let ranks: ArrayRef = Arc::new(values.iter().map(|(_, rank)| *rank).collect::<UInt32Array>());
            narrow.chain([ranks]).collect()
        };
        let given = arrays(&values);
        values.sort_unstable();
        sorted_rows(given, &arrays(&values));
    }
}

/// Sorts the texts twice: as the only key, and as the second of two keys.
fn sorted_texts(texts: &[String]) {
    let array = |texts: &[&String]| Arc::new(texts.iter().map(|text| Some(text.as_str())).collect::<StringArray>());
    let mut rows: Vec<&String> = texts.iter().collect();
    let given: ArrayRef = array(&rows);
    rows.sort_unstable();
    sorted_rows(vec![given.clone()], &[array(&rows)]);
    let mut pairs: Vec<_> = texts.iter().enumerate().map(|(row, text)| (row as i32 % 3, text)).collect();
    let numbers =
        |pairs: &[(i32, &String)]| -> ArrayRef { Arc::new(pairs.iter().map(|pair| pair.0).collect::<Int32Array>()) };
    let first = numbers(&pairs);
    pairs.sort_unstable();
    let texts: Vec<_> = pairs.iter().map(|pair| pair.1).collect();
    sorted_rows(vec![first, given], &[numbers(&pairs), array(&texts)]);
}

#[test]
fn many_texts_agree_in_what_a_key_holds() {
    // Texts of up to 30 bytes share their first 0 to 12 bytes, and some texts are prefixes of other texts.
    let text = |row: i64| {
        let mixed = mixed(row);
        format!("{}{:x}", &"a common prefix"[..(mixed & 12) as usize], mixed >> (4 * (row % 12)) & 0xffff_ffff_ffff)
    };
    sorted_texts(&(0..ROWS).map(text).collect::<Vec<_>>());
    sorted_texts(&(0..ROWS).map(|row| text(row % 1000)).collect::<Vec<_>>());
    assert_launched("sorting", &["sort_text_mark_kernel", "sort_text_refine_kernel"]);
    assert_launched("sorting", &["sort_text_runs_kernel", "sort_text_ranks_kernel"]);
}

#[test]
fn one_number_is_far_from_many() {
    // Up to 2^18 rows, the operation sorts by bins.
    let value = |row: i64| if row == 17 { i64::MAX } else { mixed(row) & 0xffff };
    let mut values: Vec<_> = (0..100_000).map(value).collect();
    let array = |values: &[i64]| -> ArrayRef { Arc::new(Int64Array::from(values.to_vec())) };
    let given = array(&values);
    values.sort_unstable();
    sorted_rows(vec![given], &[array(&values)]);
    let mut pairs: Vec<_> = (0..100_000).map(|row| (value(row), mixed(row + 1))).collect();
    let both = |pairs: &[(i64, i64)]| {
        let column = |of: fn(&(i64, i64)) -> i64| array(&pairs.iter().map(of).collect::<Vec<_>>());
        [column(|pair| pair.0), column(|pair| pair.1)]
    };
    let given = both(&pairs);
    pairs.sort_unstable();
    sorted_rows(given.into(), &both(&pairs));
}

#[test]
fn long_texts_tie_to_their_ends() {
    // The texts have two prefixes of 8,000 bytes, followed by numbers.
    let text = |row: i64| {
        let beginning = if mixed(row) > 0 { "a" } else { "b" }.repeat(8000);
        format!("{beginning}{:08}", mixed(row + 1) & 0xff_ffff)
    };
    let texts: Vec<String> = (0..10_000).map(text).collect();
    let mut numbers: Vec<i64> = (0..10_000).collect();
    let device = test_device();
    let stream = Stream::new(device).unwrap();
    let resource = gdf::memory::current_resource(device).unwrap();
    let table = |array: &dyn Array| {
        Table::try_new(vec![Column::from_arrow(array, &stream, resource.as_ref()).unwrap()]).unwrap()
    };
    let keys = table(&texts.iter().map(|text| Some(text.as_str())).collect::<StringArray>());
    let values = table(&Int64Array::from(numbers.clone()));
    numbers.sort_by_key(|row| &texts[*row as usize]);
    gdf::scope::with_stream(&stream, || {
        let sorted = sort_by_key(&values, &keys, &[], &[]).unwrap();
        let array = sorted.column(0).unwrap().to_arrow(&stream).unwrap();
        assert!(array.as_any().downcast_ref::<Int64Array>().unwrap().values()[..] == numbers[..]);
    });
    assert_launched("sorting", &["sort_rows_kernel"]);
}

#[test]
fn two_narrow_keys_are_one_of_32_bits() {
    let mut pairs: Vec<_> =
        (0..ROWS).map(|row| ((mixed(row) & 0x3ff) as i32, (mixed(row) >> 20 & 0x1ff) as i32)).collect();
    let both = |pairs: &[(i32, i32)]| -> [ArrayRef; 2] {
        let column = |of: fn(&(i32, i32)) -> i32| Arc::new(pairs.iter().map(of).collect::<Int32Array>());
        [column(|pair| pair.0), column(|pair| pair.1)]
    };
    let given = both(&pairs);
    pairs.sort_unstable();
    sorted_rows(given.into(), &both(&pairs));
    assert_launched("sorting", &["sort_encode_runs_k32_kernel"]);
}

/// The lists may be null, and may have null elements. Such lists are sorted as a column, inside of structs, and inside
/// of other lists, in each order of nulls.
#[test]
fn nulls_inside_of_lists_have_their_own_place() {
    gdf::scope::with_device(test_device(), || {
        let rows = [
            Some(vec![Some(3)]),
            Some(vec![None]),
            None,
            Some(vec![]),
            Some(vec![Some(1), None]),
            Some(vec![Some(1), Some(2)]),
        ];
        let lists = Column::from_array(&ListArray::from_iter_primitive::<Int32Type, _, _>(rows)).unwrap();
        let expected = [
            (NullOrder::Before, Order::Ascending, [2, 3, 1, 4, 5, 0]),
            (NullOrder::Before, Order::Descending, [0, 5, 4, 1, 3, 2]),
            (NullOrder::After, Order::Ascending, [3, 5, 4, 0, 1, 2]),
            (NullOrder::After, Order::Descending, [2, 1, 0, 4, 5, 3]),
            (NullOrder::AfterOutsideOfLists, Order::Ascending, [3, 1, 4, 5, 0, 2]),
            (NullOrder::AfterOutsideOfLists, Order::Descending, [2, 0, 5, 4, 1, 3]),
        ];
        let pair = Column::from_slice(&[0, 0, 0, 0, 0, 0]).unwrap();
        let in_struct = Table::try_new(vec![pair, lists.clone()]).unwrap();
        let in_struct = gdf::structs::from_columns(&in_struct, &["a", "b"]).unwrap();
        let ends = Column::from_slice(&[0, 1, 2, 3, 4, 5, 6]).unwrap();
        let in_list = gdf::core::make_lists_column(&ends, lists.clone(), None).unwrap();
        for (nulls, order, rows) in expected {
            let sorted = |keys: &Column| {
                let keys = Table::try_new(vec![keys.clone()]).unwrap();
                sorted_order(&keys, &[order], &[nulls]).unwrap().to_vec::<u32>().unwrap()
            };
            assert_eq!(sorted(&lists), rows.map(Some), "{nulls:?}, {order:?}");
            assert_eq!(sorted(&in_struct), rows.map(Some), "{nulls:?}, {order:?}, in structs");
            // The lists are now elements, so that a null list is a null inside of a list.
            let inside = match (nulls, order) {
                (NullOrder::AfterOutsideOfLists, Order::Ascending) => [2, 3, 1, 4, 5, 0],
                (NullOrder::AfterOutsideOfLists, Order::Descending) => [0, 5, 4, 1, 3, 2],
                _ => rows,
            };
            assert_eq!(sorted(&in_list), inside.map(Some), "{nulls:?}, {order:?}, in lists");
        }
    });
}

#[test]
fn nulls_that_come_first_are_among_the_first_rows() {
    let count = 5_usize;
    for null in [|row: i64| row % 50_000 == 7, |row: i64| row == ROWS - 1, |row: i64| row % 3 == 1] {
        let values: Vec<_> = (0..ROWS).map(|row| (!null(row)).then(|| mixed(row))).collect();
        gdf::scope::with_device(test_device(), || {
            let key = Table::try_new(vec![Column::from_options(&values).unwrap()]).unwrap();
            let numbers: Vec<i64> = (0..ROWS).collect();
            let rows = Table::try_new(vec![Column::from_slice(&numbers).unwrap()]).unwrap();
            for (order, nulls) in [(Order::Ascending, NullOrder::Before), (Order::Descending, NullOrder::After)] {
                let mut expected: Vec<i64> = (0..ROWS).filter(|row| null(*row)).take(count).collect();
                let mut others: Vec<i64> = (0..ROWS).filter(|row| !null(*row)).collect();
                others.sort_by_key(|row| if order == Order::Ascending { mixed(*row) } else { !mixed(*row) });
                expected.extend(others.into_iter().take(count - expected.len()));
                let first = top_k_by_key(&rows, &key, count, &[order], &[nulls]).unwrap();
                let first = first.column(0).unwrap().to_vec::<i64>().unwrap();
                assert_eq!(first, expected.into_iter().map(Some).collect::<Vec<_>>(), "{order:?}");
            }
        });
    }
}
