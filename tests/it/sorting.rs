//! Sorting many numbers where shortcuts of the CUDA version mislead: equal to what the CPU's standard library says.

use arrow_array::{Array, Float64Array, Int64Array};
use gdf::prelude::*;
use gdf::sorting::{Order, sort, top_k};
use gdf_test::device::test_device;

const ROWS: i64 = 300_000;

/// Numbers that look random.
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
    // The three upper bytes are the same one, so that each is spread evenly, and yet many rows agree in all.
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
    // Some agree in the upper bits with many, at places where a sample of one row of hundreds does not look.
    sorted((0..ROWS).map(|row| if row % 997 == 1 { two(row) + row % 3 - 1 } else { two(row) }).collect());
    sorted((0..ROWS).map(|row| if row == 1 { 4 } else { two(row) }).collect());
}

#[test]
fn two_keys_have_many_nulls() {
    let device = test_device();
    let stream = Stream::new(device).unwrap();
    let resource = gdf::memory::current_resource(device).unwrap();
    // Rows that are null in the first key agree in most of the upper bits.
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
    // A few large ones at one place; and nothing but equal ones.
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
