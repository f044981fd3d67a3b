//! Tests code that only runs for many rows on a GPU. The oracles of the catalog are too slow for so many rows, so the
//! expected results follow from the row numbers.

use arrow_array::cast::AsArray;
use arrow_array::types::{Int32Type, Int64Type, UInt32Type};
use arrow_array::{ArrayRef, Int32Array, Int64Array, StringArray, UInt64Array};
use gdf::copying::{OutOfBoundsPolicy, scatter};
use gdf::join::{JOIN_NO_MATCH, NullEquality, full_join, inner_join, left_semi_join};
use gdf::prelude::*;
use gdf_test::device::cuda_device;
use std::collections::HashMap;
use std::sync::Arc;

/// If the target columns exceed the L2 cache, a scatter writes the targets window by window.
#[test]
fn scatter_by_windows() {
    let Some(device) = cuda_device("scatter into targets beyond the cache") else { return };
    const ROWS: i64 = 13_000_000;
    const ELEMENTS: i64 = ROWS - 1000;
    let stream = Stream::new(device).unwrap();
    let resource = gdf::memory::current_resource(device).unwrap();
    let column = |array: ArrayRef| Column::from_arrow(&array, &stream, resource.as_ref()).unwrap();
    let row_of = |element: i64| element * 7919 % ROWS;
    // Every other element of the map is negative and counts from the end.
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
    let [long, short] = result.columns() else { panic!("the result must have two columns") };
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

/// If the hash table of texts exceeds the L2 cache, a join builds the table region by region.
#[test]
fn join_of_texts_by_regions() {
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
    // On the build side, row r has key r, but the last rows repeat the first keys. Every eleventh row is null.
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

/// Returns the hash of a 64-bit key.
fn mixed(key: u64) -> u64 {
    let shifted = |x: u64| x ^ x >> 33;
    shifted(shifted(shifted(key).wrapping_mul(0xff51_afd7_ed55_8ccd)).wrapping_mul(0xc4ce_b9fe_1a85_ec53))
}

/// Returns the key that has this hash.
fn unmixed(hash: u64) -> u64 {
    let inverse = |odd: u64| (0..6).fold(odd, |x, _| x.wrapping_mul(2_u64.wrapping_sub(odd.wrapping_mul(x))));
    let shifted = |x: u64| x ^ x >> 33;
    let x = shifted(hash).wrapping_mul(inverse(0xc4ce_b9fe_1a85_ec53));
    shifted(shifted(x).wrapping_mul(inverse(0xff51_afd7_ed55_8ccd)))
}

/// Tests keys that pack into 64 bits.
#[test]
fn join_of_numbers_by_regions() {
    let Some(device) = cuda_device("joins by tables of numbers beyond the cache") else { return };
    const BUILD: u64 = 2_200_000;
    const CROWD: u64 = 12_000;
    // All these keys hash to the same few thousand slots among millions.
    let crowd = |key: u64| unmixed((77 << 54) + (key << 40));
    assert_eq!(mixed(crowd(3)), (77 << 54) + (3 << 40));
    let key = |row: u64| match row {
        0..CROWD => Some(crowd(row)),
        20_000..60_000 => Some(mixed(1)),
        60_000..100_000 => Some(mixed(row + 500_000)),
        100_000..100_100 => None,
        100_100..100_110 => Some(u64::MAX),
        _ => Some(mixed(row)),
    };
    let build: Vec<_> = (0..BUILD).map(key).collect();
    let others = (0..40_000).map(|row| key(row * 131 % BUILD).filter(|key| *key != mixed(1)));
    let rare = [Some(mixed(1)), None, Some(u64::MAX), Some(mixed(BUILD)), Some(crowd(CROWD)), Some(crowd(CROWD - 1))];
    let probe: Vec<_> = others.chain(rare).chain((0..CROWD).map(|row| Some(crowd(row)))).collect();
    check_joins(device, &probe, &build);
}

/// Tests few keys that lie far apart.
#[test]
fn join_of_numbers_far_apart() {
    let Some(device) = cuda_device("joins by tables of a wide range of numbers") else { return };
    const BUILD: u64 = 3_000;
    const STEP: u64 = 487;
    const LOW: u64 = (1 << 63) - 700_000;
    let probe: Vec<_> =
        (0..1_100_000).map(|row| (row % 1_000 != 7).then_some(LOW - 3 + row * 7 % (BUILD * STEP + 9))).collect();
    let once = |row: u64| Some(LOW + (BUILD - 1 - row) * STEP);
    let several = |row: u64| if row % 50 == 3 { None } else { Some(LOW + row / 2 * 2 * STEP) };
    check_joins(device, &probe, &(0..BUILD).map(once).collect::<Vec<_>>());
    check_joins(device, &probe, &(0..BUILD).map(several).collect::<Vec<_>>());
}

/// Checks that joins of columns with these keys return the rows that a map of the standard library finds.
fn check_joins(device: Device, probe: &[Option<u64>], build: &[Option<u64>]) {
    let stream = Stream::new(device).unwrap();
    let resource = gdf::memory::current_resource(device).unwrap();
    let table = |keys: &[Option<u64>]| {
        let array = UInt64Array::from_iter(keys.iter().copied());
        Table::try_new(vec![Column::from_arrow(&(Arc::new(array) as ArrayRef), &stream, resource.as_ref()).unwrap()])
            .unwrap()
    };
    let (left, right) = (table(probe), table(build));
    let numbers = |column: Column| column.to_arrow(&stream).unwrap().as_primitive::<UInt32Type>().values().to_vec();
    for nulls in [NullEquality::Equal, NullEquality::Unequal] {
        let mut rows_of = HashMap::<u64, Vec<u32>>::new();
        let mut with_null = Vec::new();
        for (row, key) in (0..).zip(build) {
            match key {
                Some(key) => rows_of.entry(*key).or_default().push(row),
                None if nulls == NullEquality::Equal => with_null.push(row),
                None => (),
            }
        }
        let found = |key: &Option<u64>| key.map_or(Some(&with_null), |key| rows_of.get(&key)).into_iter().flatten();
        let expected: Vec<(u32, u32)> =
            (0..).zip(probe).flat_map(|(row, key)| found(key).map(move |right| (row, *right))).collect();
        let (lefts, rights) = inner_join(&left, &right, nulls).unwrap();
        let mut pairs: Vec<_> = numbers(lefts).into_iter().zip(numbers(rights)).collect();
        assert!(pairs.is_sorted_by_key(|(left, _)| *left));
        pairs.sort_unstable();
        assert!(pairs == expected);
        let with_match = (0..).zip(probe).filter(|(_, key)| found(key).next().is_some()).map(|(row, _)| row);
        assert!(numbers(left_semi_join(&left, &right, nulls).unwrap()).into_iter().eq(with_match));

        // The result has the matching pairs and the left rows without a match.
        let mut met = vec![false; build.len()];
        expected.iter().for_each(|(_, right)| met[*right as usize] = true);
        let alone = (0..build.len() as u32).filter(|row| !met[*row as usize]);
        let (lefts, rights) = full_join(&left, &right, nulls).unwrap();
        let (lefts, rights) = (numbers(lefts), numbers(rights));
        let first = lefts.iter().rposition(|left| *left != JOIN_NO_MATCH).unwrap() + 1;
        assert!(rights[first..].iter().copied().eq(alone));
    }
}
