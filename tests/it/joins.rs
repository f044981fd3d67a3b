//! Tests joins of many left rows. CUDA finds their results tile by tile in one launch. The states of few tiles are in
//! the scratch memory of the stream, and the states of many tiles are allocated.

use std::collections::{HashMap, HashSet};
use std::slice::from_ref;

use gdf::expr::col;
use gdf::join::{self, NullEquality};
use gdf::pipeline::Pipeline;
use gdf::prelude::*;
use gdf::stream_compaction::{DuplicateKeepOption, NanEquality, distinct};
use gdf::unary::cast;
use gdf_test::device::test_device;

use crate::coverage::assert_launched;

/// Numbers of left rows, around multiples of a tile of 2,048 rows.
const LEFT_ROWS: [u32; 5] = [1, 2048, 163_839, 163_841, 700_001];

/// The kinds of keys. Each kind needs another kind of table.
#[derive(Clone, Copy, Debug)]
enum Keys {
    /// Dense integers of 64 bits, which index a table.
    Dense,
    /// Dense integers of 32 bits with nulls.
    Nullable,
    /// Integers in a range of which only few values are keys.
    Spread,
    /// Integers in a range that is too wide for an index. The table has a bit for each value of the range.
    Scattered,
    /// Integers that are far apart, which are hashed.
    Sparse,
    /// Two columns that pack into 64 bits.
    Packed,
    /// Two columns that do not pack into 64 bits.
    Rows,
}

impl Keys {
    /// Returns the key columns of rows with these numbers. A row without a number gets a null key, or a key that no row
    /// with a number has.
    fn columns(self, numbers: &[Option<u32>]) -> gdf::Result<Table> {
        let values =
            |of: &dyn Fn(u32) -> i64| -> Vec<i64> { numbers.iter().map(|number| number.map_or(-7, of)).collect() };
        let wide = |scale: i64| Column::from_slice(&values(&|number| i64::from(number) * scale));
        let narrow = || -> gdf::Result<Column> {
            Column::from_options(&numbers.iter().map(|number| number.map(|number| number as i32)).collect::<Vec<_>>())
        };
        let pair = |scale: i64| -> gdf::Result<Vec<Column>> {
            let low: Vec<_> = numbers.iter().map(|number| number.map_or(-1, |number| (number % 1000) as i32)).collect();
            let high = values(&|number| i64::from(number / 1000) * scale);
            let high = if scale == 1 {
                Column::from_slice(&high.iter().map(|value| *value as i32).collect::<Vec<_>>())?
            } else {
                Column::from_slice(&high)?
            };
            Ok(vec![Column::from_slice(&low)?, high])
        };
        Table::try_new(match self {
            Self::Dense => vec![wide(1)?],
            Self::Nullable => vec![narrow()?],
            Self::Spread => vec![wide(20)?],
            Self::Scattered => vec![wide(110)?],
            Self::Sparse => vec![wide(1_000_003)?],
            Self::Packed => pair(1)?,
            Self::Rows => pair(1 << 40)?,
        })
    }
}

fn rows_of(numbers: &Column) -> gdf::Result<Vec<u32>> {
    Ok(numbers.to_vec::<u32>()?.into_iter().flatten().collect())
}

/// Joins left rows with distinct right rows. Every `step`-th left row has a key of the right side.
fn check(keys: Keys, left_rows: u32, right_rows: u32, step: u32) -> gdf::Result<()> {
    let left: Vec<_> =
        (0..left_rows).map(|row| (row % step == 0).then(|| row.wrapping_mul(7919) % right_rows)).collect();
    let right: Vec<_> = (0..right_rows).rev().map(Some).collect();
    let matched = |number: &Option<u32>| number.map(|number| right_rows - 1 - number);
    let (left, right, numbers) = (keys.columns(&left)?, keys.columns(&right)?, left);
    let name = format!("{keys:?}, {left_rows} rows, 1 of {step}");

    let expected: Vec<_> =
        (0..).zip(&numbers).filter_map(|(row, number)| Some((row, matched(number)?))).collect::<Vec<(u32, u32)>>();
    let (rows, matches) = join::inner_join(&left, &right, NullEquality::Unequal)?;
    let found: Vec<_> = rows_of(&rows)?.into_iter().zip(rows_of(&matches)?).collect();
    assert!(found == expected, "inner join, {name}: found {} pairs, expected {}", found.len(), expected.len());

    let (rows, matches) = join::left_join(&left, &right, NullEquality::Unequal)?;
    assert!(rows_of(&rows)? == (0..left_rows).collect::<Vec<_>>(), "left join, {name}: wrong left rows");
    let all: Vec<_> = numbers.iter().map(|number| matched(number).unwrap_or(join::JOIN_NO_MATCH)).collect();
    assert!(rows_of(&matches)? == all, "left join, {name}: wrong right rows");

    let semi = rows_of(&join::left_semi_join(&left, &right, NullEquality::Unequal)?)?;
    assert!(semi == expected.iter().map(|(row, _)| *row).collect::<Vec<_>>(), "semi join, {name}: wrong rows");
    let anti = rows_of(&join::left_anti_join(&left, &right, NullEquality::Unequal)?)?;
    let unmatched: Vec<u32> = (0..).zip(&numbers).filter(|(_, number)| number.is_none()).map(|(row, _)| row).collect();
    assert!(anti == unmatched, "anti join, {name}: wrong rows");
    Ok(())
}

#[test]
fn left_rows_of_many_tiles_have_their_results() {
    let device = test_device();
    scope::with_device(device, || {
        for keys in [Keys::Dense, Keys::Nullable, Keys::Sparse, Keys::Packed, Keys::Rows] {
            for left_rows in LEFT_ROWS {
                for step in [1, 2, 300] {
                    check(keys, left_rows, (left_rows / 2).max(3), step).unwrap();
                }
            }
        }
    });
    let kernels = ["join_match_tiles_packed_kernel", "join_match_tiles_rows_kernel"];
    assert_launched("join", &kernels);
}

#[test]
fn keys_that_few_values_have_are_found() {
    scope::with_device(test_device(), || {
        for step in [1, 3, 500] {
            check(Keys::Spread, (1 << 20) + 5, 40_000, step).unwrap();
            check(Keys::Spread, 100_000, 40_000, step).unwrap();
        }
    });
}

/// From 2²⁰ left rows on, CUDA first marks the rows with a match. An inner join does so only if few values in the range
/// of the right keys are keys.
#[test]
fn many_rows_are_marked_before_they_are_joined() {
    const MANY: u32 = 1 << 20;
    scope::with_device(test_device(), || {
        for keys in [Keys::Dense, Keys::Nullable, Keys::Sparse, Keys::Packed, Keys::Rows] {
            check(keys, MANY + 31, 40_000, 3).unwrap();
        }
        for left_rows in [MANY - 1, MANY, MANY + 1] {
            check(Keys::Spread, left_rows, 900, 7).unwrap();
            check(Keys::Scattered, left_rows, 20_000, 5).unwrap();
        }
        check(Keys::Spread, MANY + 2049, 900, 1_000_000).unwrap();
        // The right side has each key several times, and a condition selects left rows.
        let left: Vec<i64> = (0..i64::from(MANY) + 100).map(|row| row % 9001 * 5).collect();
        let right: Vec<i64> = (0..2000).map(|row| row % 500 * 90 + 5).collect();
        let table = |values: &[i64]| Table::try_new(vec![Column::from_slice(values).unwrap()]).unwrap();
        let (left_table, right_table) = (table(&left), table(&right));
        let is_key = |key: &i64| key % 90 == 5 && *key < 45_000;
        let selected = |(row, key): (usize, &i64)| (is_key(key) && *key > 1000).then_some(row as u32);
        let expected: Vec<u32> = left.iter().enumerate().filter_map(selected).collect();
        let join = join::HashJoin::try_new(&right_table, NullEquality::Unequal).unwrap();
        let probe = Pipeline::new(&left_table).filter(col(0).gt(1000_i64)).probe(&join, [col(0)]);
        assert!(rows_of(&probe.semi_rows().unwrap()).unwrap() == expected, "semi join of selected rows");
        let others = |(row, key): (usize, &i64)| (!is_key(key) && *key > 1000).then_some(row as u32);
        let others: Vec<u32> = left.iter().enumerate().filter_map(others).collect();
        assert!(rows_of(&probe.anti_rows().unwrap()).unwrap() == others, "anti join of selected rows");
        let (rows, matches) = join::inner_join(&left_table, &right_table, NullEquality::Unequal).unwrap();
        let (rows, matches) = (rows_of(&rows).unwrap(), rows_of(&matches).unwrap());
        assert_eq!(rows.len(), left.iter().filter(|key| is_key(key)).count() * 4);
        let mut pairs: Vec<_> = rows.into_iter().zip(matches).collect();
        assert!(pairs.iter().all(|(row, found)| left[*row as usize] == right[*found as usize]));
        pairs.sort_unstable();
        pairs.dedup();
        assert_eq!(pairs.len(), left.iter().filter(|key| is_key(key)).count() * 4, "the pairs are distinct");
    });
    assert_launched("join", &["join_marks_kernel", "join_set_bits_kernel"]);
    assert_launched("stream_compaction", &["selected_rows_kernel"]);
}

/// Returns the number of rows from which on CUDA has a bit for each value of integer keys. For the CPU, which has no
/// such bits, returns a smaller number.
fn many_rows() -> i64 {
    if test_device().is_cpu() { 1 << 18 } else { 1 << 22 }
}

/// From 2²² left rows on, CUDA needs only a bit for each value in the range of the right keys for a semi or anti join
/// of integers.
#[test]
fn semi_joins_of_many_rows_have_a_bit_for_each_value() {
    let many = many_rows();
    let key = |row: i64| row.wrapping_mul(7919).rem_euclid(100_003) - 50_000;
    scope::with_device(test_device(), || {
        let numbers = |from: &Column, to: &DataType| cast(from, to).unwrap();
        for rows in [many - 1, many, many + 33] {
            let left = Column::from_slice(&(0..rows).map(key).collect::<Vec<_>>()).unwrap();
            // The right side has repeated keys with gaps between them, all keys of the left side, or a single key.
            let with_gap: Vec<i64> = (-40_000..40_000).filter(|key| key % 3 != 0 || *key == 39_999).collect();
            for (right, name) in [(with_gap.repeat(2), "gap"), ((-50_000..50_003).collect(), "all"), (vec![7], "one")] {
                let held: HashSet<i64> = right.iter().copied().collect();
                let right = Column::from_slice(&right).unwrap();
                for data_type in [DataType::Int64, DataType::Int32, DataType::Date32] {
                    let of = |column: &Column| Table::try_new(vec![numbers(column, &data_type)]).unwrap();
                    let (left, right) = (of(&left), of(&right));
                    let (semi, anti) = (
                        rows_of(&join::left_semi_join(&left, &right, NullEquality::Equal).unwrap()).unwrap(),
                        rows_of(&join::left_anti_join(&left, &right, NullEquality::Equal).unwrap()).unwrap(),
                    );
                    let (with, without): (Vec<_>, Vec<_>) = (0..rows).partition(|row| held.contains(&key(*row)));
                    let same = |found: &[u32], expected: &[i64]| {
                        found.len() == expected.len() && found.iter().zip(expected).all(|(a, b)| i64::from(*a) == *b)
                    };
                    assert!(same(&semi, &with), "semi join, {name}, {data_type}, {rows} rows");
                    assert!(same(&anti, &without), "anti join, {name}, {data_type}, {rows} rows");
                }
            }
        }
    });
}

/// From 2²² rows on, CUDA finds one row of each distinct integer by a bit for each value in the range of the integers.
#[test]
fn one_row_of_each_integer_is_distinct() {
    let many = many_rows();
    scope::with_device(test_device(), || {
        for rows in [many - 1, many, many + 31] {
            // The ranges have fewer values than a range with bits needs, exactly as many, more, and too many. One range
            // begins at the smallest integer of the type.
            for (keys, step, first) in
                [(1_000, 1, -500), (1 << 16, 1, i64::MIN), (70_001, 3, -9), (200_000, 1 << 40, 0)]
            {
                let key = |row: i64| first + row.wrapping_mul(7919).rem_euclid(keys) * step;
                let column = Column::from_slice(&(0..rows).map(key).collect::<Vec<_>>()).unwrap();
                let table = Table::try_new(vec![column]).unwrap();
                let (any, nulls, nans) = (DuplicateKeepOption::Any, NullEquality::Equal, NanEquality::AllEqual);
                let found = distinct(&table, &[0], any, nulls, nans).unwrap();
                let mut found: Vec<i64> = found.column(0).unwrap().to_vec().unwrap().into_iter().flatten().collect();
                found.sort_unstable();
                assert!(
                    found == (0..keys).map(|key| first + key * step).collect::<Vec<_>>(),
                    "{keys} keys, {rows} rows"
                );
            }
        }
    });
    assert_launched("stream_compaction", &["distinct_bits_kernel"]);
}

/// If the right keys are integers in a small range, the filter keeps exactly the rows with a match. For other keys, the
/// filter also keeps a few rows without a match.
#[test]
fn filters_of_joins_keep_few_rows_without_a_match() {
    scope::with_device(test_device(), || {
        let numbers =
            |keys: &dyn Fn(i64) -> i64, rows: i64| Column::from_slice(&(0..rows).map(keys).collect::<Vec<_>>());
        let texts = |keys: &dyn Fn(i64) -> i64, rows: i64| {
            Column::from_strs((0..rows).map(|row| format!("key {}", keys(row))).collect::<Vec<_>>())
        };
        let passing = |left: &[Column], right: &[Column]| {
            let (left, right) = (Table::try_new(left.to_vec()).unwrap(), Table::try_new(right.to_vec()).unwrap());
            let join = join::HashJoin::try_new(&right, NullEquality::Unequal).unwrap();
            let condition = join.filter(&(0..left.num_columns()).collect::<Vec<_>>()).unwrap();
            let semi = rows_of(&join.semi_join(&left).unwrap()).unwrap();
            drop(join);
            let kept = rows_of(&Pipeline::new(&left).filter(condition.clone()).row_numbers().unwrap()).unwrap();
            let computed = condition.clone().and((col(0).is_null()).or(condition.eq(true)));
            assert_eq!(kept, rows_of(&Pipeline::new(&left).filter(computed).row_numbers().unwrap()).unwrap());
            assert!(semi.iter().all(|row| kept.binary_search(row).is_ok()), "a row with a match is dropped");
            (kept.len(), semi.len())
        };
        let (few, many) = (|row: i64| row * 60 - 5, |row: i64| row - 70);
        let (left, right) = (numbers(&many, 70_000).unwrap(), numbers(&few, 1000).unwrap());
        assert_eq!(passing(from_ref(&left), from_ref(&right)), (1000, 1000));
        let narrow = |column: &Column| gdf::unary::cast(column, &gdf::DataType::Int32).unwrap();
        assert_eq!(passing(&[narrow(&left)], &[narrow(&right)]), (1000, 1000));
        for sides in [
            [vec![texts(&many, 70_000).unwrap()], vec![texts(&few, 1000).unwrap()]],
            [vec![left.clone(), left.clone()], vec![right.clone(), right.clone()]],
            [vec![numbers(&|row| row << 40, 70_000).unwrap()], vec![numbers(&|row| (row * 60) << 40, 1000).unwrap()]],
        ] {
            let (kept, semi) = passing(&sides[0], &sides[1]);
            assert_eq!(semi, 1000);
            assert!((1000..1000 + 70_000 / 16).contains(&kept), "{kept} rows are kept");
        }
        // The extremes of the types, with nulls.
        let bytes = Column::from_options(&[Some(i8::MIN), None, Some(i8::MAX), Some(0)]).unwrap();
        let all = Column::from_options(&(-128..=127).map(Some).chain([None]).collect::<Vec<Option<i8>>>()).unwrap();
        assert_eq!(passing(from_ref(&all), from_ref(&bytes)), (3, 3));
        let right = Table::try_new(vec![bytes]).unwrap();
        let condition = join::HashJoin::try_new(&right, NullEquality::Equal).unwrap().filter(&[0]).unwrap();
        let left = Table::try_new(vec![all]).unwrap();
        let kept = rows_of(&Pipeline::new(&left).filter(condition).row_numbers().unwrap()).unwrap();
        assert_eq!(kept, [0, 128, 255, 256]);
    });
}

/// If a left value lies outside the range of the right values, the packed key must not equal the packed key of another
/// pair.
#[test]
fn keys_beyond_the_range_of_a_column_match_nothing() {
    scope::with_device(test_device(), || {
        let table = |pairs: &[(i32, i32)]| {
            let column =
                |of: &dyn Fn(&(i32, i32)) -> i32| Column::from_slice(&pairs.iter().map(of).collect::<Vec<_>>());
            Table::try_new(vec![column(&|pair| pair.0).unwrap(), column(&|pair| pair.1).unwrap()]).unwrap()
        };
        let right: Vec<_> = (0..16).map(|row| (row % 4, row / 4)).collect();
        let left = [(4, 0), (-1, 1), (0, 4), (3, 3), (4, 3), (0, -1), (2, 1)];
        let (rows, matches) = join::inner_join(&table(&left), &table(&right), NullEquality::Unequal).unwrap();
        let (rows, matches) = (rows_of(&rows).unwrap(), rows_of(&matches).unwrap());
        assert_eq!(rows.into_iter().zip(matches).collect::<Vec<_>>(), [(3, 15), (6, 6)]);
    });
}

/// Rows that pass the filter of a pipeline are looked up without being copied.
#[test]
fn selected_rows_have_their_results() {
    scope::with_device(test_device(), || {
        // Blocks of a GPU get several tiles of the longest table.
        let long = test_device().is_cuda().then_some(3_000_001);
        for left_rows in [1_u32, 3000, 5, 2048, 163_841, 7, 700_001, 2049].into_iter().chain(long) {
            let keys: Vec<_> = (0..left_rows).map(|row| i64::from(row.wrapping_mul(7919) % 1000)).collect();
            let table = Table::try_new(vec![
                Column::from_slice(&keys).unwrap(),
                Column::from_options(&(0..left_rows).map(|row| (row % 5 != 3).then_some(row % 7)).collect::<Vec<_>>())
                    .unwrap(),
            ]);
            let (table, right) =
                (table.unwrap(), Column::from_slice(&(0..1000_i64).rev().collect::<Vec<_>>()).unwrap());
            // The right side has the keys below 600.
            let right = Table::try_new(vec![right.slice(400, 600).unwrap()]).unwrap();
            let join = join::HashJoin::try_new(&right, NullEquality::Unequal).unwrap();
            let probe = Pipeline::new(&table).filter(col(1).lt(4)).probe(&join, [col(0)]);
            let passes = |row: &u32| row % 5 != 3 && row % 7 < 4;
            let (with, without): (Vec<u32>, Vec<u32>) =
                (0..left_rows).filter(passes).partition(|row| keys[*row as usize] < 600);
            let (rows, matches) = probe.inner_rows().unwrap();
            assert!(rows_of(&rows).unwrap() == with, "inner join of {left_rows} left rows: wrong left rows");
            let expected: Vec<_> = with.iter().map(|row| 599 - keys[*row as usize] as u32).collect();
            assert!(rows_of(&matches).unwrap() == expected, "inner join of {left_rows} left rows: wrong right rows");
            assert!(
                rows_of(&probe.semi_rows().unwrap()).unwrap() == with,
                "semi join of {left_rows} left rows: wrong rows"
            );
            assert!(
                rows_of(&probe.anti_rows().unwrap()).unwrap() == without,
                "anti join of {left_rows} left rows: wrong rows"
            );
        }
    });
}

/// After a probe in which a row has several results, later probes of the same table have correct results.
#[test]
fn tables_with_repeated_keys_are_probed_several_times() {
    scope::with_device(test_device(), || {
        let left: Vec<i64> = (0..300_000).map(|row| row % 1000).collect();
        let right: Vec<i64> = (0..1500).map(|row| row % 750).collect();
        let table = |values: &[i64]| Table::try_new(vec![Column::from_slice(values).unwrap()]).unwrap();
        let (left, right_keys) = (table(&left), table(&right));
        let built = join::HashJoin::try_new(&right_keys, NullEquality::Unequal).unwrap();
        for _ in 0..3 {
            let (rows, matches) = built.inner_join(&left).unwrap();
            let (rows, matches) = (rows_of(&rows).unwrap(), rows_of(&matches).unwrap());
            let pairs: Vec<_> = rows.into_iter().zip(matches).collect();
            let mut of_row: HashMap<u32, Vec<u32>> = HashMap::new();
            pairs.iter().for_each(|(row, found)| of_row.entry(*row).or_default().push(*found));
            assert_eq!(pairs.len(), 300_000 / 1000 * 750 * 2);
            assert!(of_row.iter().all(|(row, found)| {
                let mut found = found.clone();
                found.sort_unstable();
                found == [row % 1000, row % 1000 + 750]
            }));
            let semi = built.semi_join(&left).unwrap();
            assert_eq!(semi.len(), 300_000 / 1000 * 750);
        }
    });
}

/// A side without rows is joined with a side that is long enough for marks.
#[test]
fn long_sides_are_joined_with_empty_sides() {
    scope::with_device(test_device(), || {
        let many = (1 << 20) + 1;
        for keys in [Keys::Dense, Keys::Nullable, Keys::Packed, Keys::Rows] {
            let long = keys.columns(&(0..many).map(Some).collect::<Vec<_>>()).unwrap();
            let empty = keys.columns(&[]).unwrap();
            let nulls = NullEquality::Unequal;
            assert_eq!(join::inner_join(&long, &empty, nulls).unwrap().0.len(), 0);
            assert_eq!(join::left_semi_join(&long, &empty, nulls).unwrap().len(), 0);
            assert_eq!(join::left_anti_join(&long, &empty, nulls).unwrap().len(), many as usize);
            assert_eq!(join::inner_join(&empty, &long, nulls).unwrap().1.len(), 0);
            assert_eq!(join::left_semi_join(&empty, &long, nulls).unwrap().len(), 0);
            assert_eq!(join::left_anti_join(&empty, &long, nulls).unwrap().len(), 0);
        }
    });
}

/// The right rows without a match are dropped before the table of a large right side is built.
#[test]
fn large_right_sides_are_reduced() {
    scope::with_device(test_device(), || {
        let keys =
            |rows: u32, of: &dyn Fn(u32) -> Option<u32>| Keys::Nullable.columns(&(0..rows).map(of).collect::<Vec<_>>());
        let right = keys((1 << 20) + 9, &|row| (row % 3 != 1).then_some(row.wrapping_mul(7919) % 900_000)).unwrap();
        let left = keys(1000, &|row| (row % 10 != 4).then_some(row * 1999 % 1_000_000)).unwrap();
        let of = |table: &Table| table.column(0).unwrap().to_vec::<i32>().unwrap();
        let known: std::collections::HashSet<Option<i32>> = of(&right).into_iter().collect();
        for (nulls, null_matches) in [(NullEquality::Equal, true), (NullEquality::Unequal, false)] {
            let matches = |key: &Option<i32>| known.contains(key) && (key.is_some() || null_matches);
            let rows = |wanted: bool| -> Vec<u32> {
                (0..).zip(of(&left)).filter(|(_, key)| matches(key) == wanted).map(|(row, _)| row).collect()
            };
            let semi = rows_of(&join::left_semi_join(&left, &right, nulls).unwrap()).unwrap();
            assert!(semi == rows(true) && semi.len() > 100, "semi join, {nulls:?}");
            let anti = rows_of(&join::left_anti_join(&left, &right, nulls).unwrap()).unwrap();
            assert!(anti == rows(false) && anti.len() > 100, "anti join, {nulls:?}");
        }
    });
}
