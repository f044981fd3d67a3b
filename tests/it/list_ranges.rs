//! Tests lists with so many elements that tiles of results have several rows per thread on CUDA.

use std::iter::{once, repeat_n};

use arrow_array::builder::{Int32Builder, ListBuilder};
use arrow_array::cast::AsArray;
use arrow_array::types::Int32Type;
use gdf::copying::{OutOfBoundsPolicy, gather};
use gdf::lists::{explode_outer, sequences};
use gdf::memory::current_resource;
use gdf::prelude::*;
use gdf_test::device::test_device;

use crate::coverage::assert_launched;

/// Returns short lists, then many empty lists, then a list that fills several tiles, then short lists.
fn lists() -> Vec<Vec<i32>> {
    let list = |row: usize| (0..row * 7 % 17).map(move |at| (row * 31 + at) as i32).collect();
    let short = |first: usize| (first..first + 60_000).map(list);
    let empty = repeat_n(Vec::new(), 5_000);
    short(0).chain(empty).chain(once((0..30_000).collect())).chain(short(60_000)).collect()
}

fn column_of(lists: &[Vec<i32>]) -> Column {
    let mut builder = ListBuilder::new(Int32Builder::new());
    lists.iter().for_each(|list| builder.append_value(list.iter().map(|value| Some(*value))));
    let (stream, mr) = (scope::current_stream(test_device()).unwrap(), current_resource(test_device()).unwrap());
    Column::from_arrow(&builder.finish(), &stream, &mr).unwrap()
}

#[test]
fn elements_of_many_lists_have_their_places() {
    let lists = lists();
    scope::with_device(test_device(), || {
        let column = column_of(&lists);
        let rows = Column::from_slice(&(0..lists.len() as i64).collect::<Vec<_>>()).unwrap();
        let exploded = explode_outer(&Table::try_new(vec![rows, column.clone()]).unwrap(), 1).unwrap();
        let found = exploded.column(0).unwrap().to_vec::<i64>().unwrap().into_iter().flatten();
        let found = found.zip(exploded.column(1).unwrap().to_vec::<i32>().unwrap());
        let expected = (0_i64..).zip(&lists).flat_map(|(row, list)| {
            let null = list.is_empty().then_some((row, None));
            list.iter().map(move |value| (row, Some(*value))).chain(null)
        });
        assert!(found.eq(expected), "explode_outer");

        // The stride has no common factor with the number of lists, so the map contains each row number once.
        let map: Vec<i32> = (0..lists.len()).map(|row| (row * 7919 % lists.len()) as i32).collect();
        let indices = Column::from_slice(&map).unwrap();
        let table = gather(&Table::try_new(vec![column]).unwrap(), &indices, OutOfBoundsPolicy::Error).unwrap();
        let array = table.column(0).unwrap().to_array().unwrap();
        let found = array.as_list::<i32>();
        let values = found.values().as_primitive::<Int32Type>().values();
        let list = |row: usize| &values[found.value_offsets()[row] as usize..found.value_offsets()[row + 1] as usize];
        assert!(map.iter().enumerate().all(|(row, from)| list(row) == lists[*from as usize]), "gather");
    });
    assert_launched("copying", &["copy_ranges_kernel", "copy_ranges_tiles_kernel"]);
}

/// The size does not fit `Int64`. It is large, and not negative.
#[test]
fn sequences_of_2_to_the_63_elements_overflow() {
    scope::with_device(test_device(), || {
        let (starts, sizes) = (Column::from_slice(&[1_i32]).unwrap(), Column::from_slice(&[1_u64 << 63]).unwrap());
        let refused = sequences(&starts, &sizes, None);
        assert!(matches!(refused, Err(gdf::Error::OffsetOverflow { .. })), "{refused:?}");
    });
}
