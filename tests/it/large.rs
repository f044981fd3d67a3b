//! What only happens on a GPU, with more rows than the catalog's oracles are for: results follow from row numbers.

use arrow_array::cast::AsArray;
use arrow_array::types::{Int32Type, Int64Type, UInt32Type};
use arrow_array::{ArrayRef, Int32Array, Int64Array, StringArray};
use gdf::copying::{OutOfBoundsPolicy, scatter};
use gdf::join::{NullEquality, inner_join, left_semi_join};
use gdf::prelude::*;
use gdf_test::device::cuda_device;
use std::sync::Arc;

/// Targets beyond the L2 cache are written window by window: two columns of different widths, each row once.
#[test]
fn scatter_by_windows() {
    let Some(device) = cuda_device("scatter into targets beyond the cache") else { return };
    const ROWS: i64 = 13_000_000;
    const ELEMENTS: i64 = ROWS - 1000;
    let stream = Stream::new(device).unwrap();
    let resource = gdf::memory::current_resource(device).unwrap();
    let column = |array: ArrayRef| Column::from_arrow(&array, &stream, resource.as_ref()).unwrap();
    let row_of = |element: i64| element * 7919 % ROWS;
    // Every other row is counted from the end.
    let map = (0..ELEMENTS).map(|at| if at % 2 == 0 { row_of(at) } else { row_of(at) - ROWS });
    let map = Int32Array::from_iter_values(map.map(|row| row as i32));
    let table = |rows: i64, number: fn(i64) -> i64| {
        let long = column(Arc::new(Int64Array::from_iter_values((0..rows).map(number))));
        let short = column(Arc::new(Int32Array::from_iter_values((0..rows).map(|at| number(at) as i32))));
        Table::try_new(vec![long, short]).unwrap()
    };
    let (source, target) = (table(ELEMENTS, |at| at * 3), table(ROWS, |row| -1 - row));
    let mut expected: Vec<i64> = (0..ROWS).map(|row| -1 - row).collect();
    (0..ELEMENTS).for_each(|at| expected[row_of(at) as usize] = at * 3);

    let result = scatter(&source, &column(Arc::new(map.clone())), &target, OutOfBoundsPolicy::Error).unwrap();
    let [long, short] = result.columns() else { panic!("two columns") };
    let (long, short) = (long.to_arrow(&stream).unwrap(), short.to_arrow(&stream).unwrap());
    assert!(long.as_primitive::<Int64Type>().values().iter().eq(&expected));
    assert!(
        short.as_primitive::<Int32Type>().values().iter().zip(&expected).all(|(short, long)| *short == *long as i32)
    );

    let mut outside = map.values().to_vec();
    outside[5_000_000] = ROWS as i32;
    let outside = column(Arc::new(Int32Array::from(outside)));
    let refused = scatter(&source, &outside, &target, OutOfBoundsPolicy::Error);
    assert!(matches!(refused, Err(gdf::Error::OutOfBounds { index, .. }) if index == i128::from(ROWS)));
}

/// Tables of texts beyond the L2 cache are built region by region: keys once and twice, and rows without key.
#[test]
fn join_by_regions() {
    let Some(device) = cuda_device("joins by tables beyond the cache") else { return };
    const BUILD: usize = 2_100_000;
    const TWICE: usize = 100_000;
    const PROBE: usize = 300_000;
    let stream = Stream::new(device).unwrap();
    let resource = gdf::memory::current_resource(device).unwrap();
    let table = |texts: StringArray| {
        let column = Column::from_arrow(&(Arc::new(texts) as ArrayRef), &stream, resource.as_ref()).unwrap();
        Table::try_new(vec![column]).unwrap()
    };
    // Row r of the build side has key r, but that the last ones have the first keys again, and every eleventh has none.
    let key_of = |row: usize| if row >= BUILD - TWICE { row - (BUILD - TWICE) } else { row };
    let text = |key: usize| format!("key {key} of many");
    let build = (0..BUILD).map(|row| (row % 11 != 0).then(|| text(key_of(row))));
    let build = table(build.collect());
    let left_key = |row: usize| row * 7 % (2 * PROBE);
    let probe = table((0..PROBE).map(|row| Some(text(left_key(row)))).collect());

    let rows_of = |key: usize| {
        let second = (key < TWICE).then_some(key + BUILD - TWICE);
        [Some(key), second].into_iter().flatten().filter(|row| row % 11 != 0)
    };
    let expected: Vec<(u32, u32)> =
        (0..PROBE).flat_map(|left| rows_of(left_key(left)).map(move |right| (left as u32, right as u32))).collect();
    let (left, right) = inner_join(&probe, &build, NullEquality::Unequal).unwrap();
    let numbers = |column: Column| column.to_arrow(&stream).unwrap().as_primitive::<UInt32Type>().values().to_vec();
    let mut pairs: Vec<_> = numbers(left).into_iter().zip(numbers(right)).collect();
    assert!(pairs.is_sorted_by_key(|(left, _)| *left));
    pairs.sort_unstable();
    assert!(pairs == expected);

    let semi = numbers(left_semi_join(&probe, &build, NullEquality::Unequal).unwrap());
    let with_match = (0..PROBE).filter(|row| rows_of(left_key(*row)).next().is_some());
    assert!(semi.into_iter().eq(with_match.map(|row| row as u32)));
}
