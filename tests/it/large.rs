//! What only happens on a GPU, with more rows than the catalog's oracles are for: results follow from row numbers.

use arrow_array::cast::AsArray;
use arrow_array::types::{Int32Type, Int64Type};
use arrow_array::{ArrayRef, Int32Array, Int64Array};
use gdf::copying::{OutOfBoundsPolicy, scatter};
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
