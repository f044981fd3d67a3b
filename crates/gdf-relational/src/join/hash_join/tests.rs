//! Tests table layouts that the small cases of the catalog do not reach: several parts, crowded parts, and values
//! that index the table.

use std::collections::HashMap;

use gdf_core::{Column, Table, TableView};
use gdf_driver::Stream;
use gdf_engine::test_device::on_host;
use gdf_memory::{Resource, Resources};

use crate::Ctx;

use crate::join::{FilterKind, JOIN_NO_MATCH, JoinKind, JoinTable, NullEquality};

fn table(keys: &[u64], stream: &Stream, mr: &Resource) -> Table {
    Table::try_new(vec![Column::from_slice_on(keys, stream, mr.as_ref()).unwrap()]).unwrap()
}

fn numbers(column: &Column) -> Vec<u32> {
    on_host(column).buffers()[0].read_on(&Stream::cpu()).unwrap().as_slice::<u32>().unwrap().to_vec()
}

/// Returns the expected pairs.
fn expected(left: &[u64], right: &[u64]) -> Vec<(u32, u32)> {
    let mut rows = HashMap::<u64, Vec<u32>>::new();
    right.iter().zip(0..).for_each(|(key, row)| rows.entry(*key).or_default().push(row));
    let mut pairs = Vec::new();
    for (row, key) in (0..).zip(left) {
        match rows.get(key) {
            Some(found) => pairs.extend(found.iter().map(|other| (row, *other))),
            None => pairs.push((row, JOIN_NO_MATCH)),
        }
    }
    pairs
}

fn check(left: &[u64], right: &[u64]) {
    let (stream, mr) = gdf_engine::test_device::setup();
    let (probe, build) = (table(left, &stream, &mr), table(right, &stream, &mr));
    let resources = Resources::new(&mr, &mr);
    let join = JoinTable::new(&build, NullEquality::Equal, Ctx::new(&stream, resources)).unwrap();
    let (lefts, rights) = join.join(JoinKind::Left, TableView::from(&probe), Ctx::new(&stream, resources)).unwrap();
    let mut pairs: Vec<_> = numbers(&lefts).into_iter().zip(numbers(&rights)).collect();
    let mut expected = expected(left, right);
    if stream.device().is_cuda() {
        pairs.sort_unstable();
        expected.sort_unstable();
    }
    assert!(pairs == expected);
    assert_eq!(join.size(JoinKind::Left, &probe, Ctx::new(&stream, resources)).unwrap(), pairs.len());
}

/// Computes the inverse of `mix64`: returns the number for which `mix64` returns `hash`.
fn unmixed(hash: u64) -> u64 {
    let inverse = |odd: u64| (0..6).fold(odd, |x, _| x.wrapping_mul(2_u64.wrapping_sub(odd.wrapping_mul(x))));
    let shift = |x: u64| x ^ x >> 33;
    let x = shift(hash).wrapping_mul(inverse(0xc4ce_b9fe_1a85_ec53));
    shift(shift(x).wrapping_mul(inverse(0xff51_afd7_ed55_8ccd)))
}

fn scattered(len: usize, distinct: u64) -> Vec<u64> {
    (0..len as u64).map(|row| gdf_engine::keys::mix64(row * 7919 % distinct + 1)).collect()
}

#[test]
fn values_that_lie_close_are_indices() {
    let right: Vec<u64> = (0..70_000).map(|row| 1_000_000 + row * 3 % 70_000).collect();
    let left: Vec<u64> = (0..100_000).map(|row| 990_000 + row).collect();
    check(&left, &right);
    let several: Vec<u64> = right.iter().map(|key| key / 3).collect();
    check(&left.iter().map(|key| key / 3).collect::<Vec<_>>(), &several);
}

#[test]
fn hashed_keys_are_spread_over_parts() {
    check(&scattered(80_000, 100_000), &scattered(70_000, 70_000));
    check(&scattered(8_000, 5_000), &scattered(70_000, 3_000));
}

#[test]
fn keys_that_crowd_into_one_part_are_found() {
    // All these keys have hashes in the first sixteenth of the hash range.
    let crowded: Vec<u64> = (0..20_000).map(|key| unmixed(key * ((1 << 60) / 20_000))).collect();
    assert_eq!(gdf_engine::keys::mix64(crowded[1]), (1 << 60) / 20_000);
    let right = [crowded.clone(), scattered(56_000, 56_000)].concat();
    check(&crowded, &right);
}

/// A part of the table has exactly as many keys as slots.
#[test]
fn a_part_is_never_quite_full() {
    let rows = 1 << 16;
    let share = 2 * rows / 4;
    let quarter = |part: u64, key: u64| unmixed((part << 62) + (key + 1) * ((1 << 62) / (share + 2)));
    let full = (0..share).map(|key| quarter(0, key));
    let right: Vec<u64> = full.chain((0..rows - share).map(|key| quarter(1 + key % 3, key))).collect();
    check(&[quarter(0, share), right[0]], &right);
}

#[test]
fn sides_may_be_empty() {
    check(&[], &[1, 2]);
    check(&[1, 2], &[]);
    check(&[], &[]);
}

/// Checks all kinds of joins with keys that may be null, and semi joins, which use a set.
fn check_all(left: &[Option<i64>], right: &[Option<i64>]) {
    let (stream, mr) = gdf_engine::test_device::setup();
    let resources = Resources::new(&mr, &mr);
    let ctx = Ctx::new(&stream, resources);
    let table = |keys: &[Option<i64>]| {
        Table::try_new(vec![Column::from_options_on(keys, &stream, mr.as_ref()).unwrap()]).unwrap()
    };
    let (probe, build) = (table(left), table(right));
    for nulls in [NullEquality::Equal, NullEquality::Unequal] {
        let equal = |a: &Option<i64>, b: &Option<i64>| a == b && (a.is_some() || nulls == NullEquality::Equal);
        let mut inner = Vec::new();
        for (row, key) in (0..).zip(left) {
            let others = (0..).zip(right).filter(|(_, other)| equal(key, other));
            inner.extend(others.map(|(other, _): (u32, _)| (row, other)));
        }
        let unmatched = |side: Vec<u32>, rows: usize| (0..rows as u32).filter(move |row| !side.contains(row));
        let lefts = unmatched(inner.iter().map(|pair| pair.0).collect(), left.len());
        let rights = unmatched(inner.iter().map(|pair| pair.1).collect(), right.len());
        let mut of_left = inner.clone();
        of_left.extend(lefts.clone().map(|row| (row, JOIN_NO_MATCH)));
        of_left.sort_by_key(|pair| pair.0);
        let mut full = of_left.clone();
        full.extend(rights.map(|row| (JOIN_NO_MATCH, row)));
        let sorted = |mut pairs: Vec<(u32, u32)>| {
            if stream.device().is_cuda() {
                pairs.sort_unstable();
            }
            pairs
        };
        let built = JoinTable::new(&build, nulls, ctx).unwrap();
        for (kind, expected) in [(JoinKind::Inner, inner), (JoinKind::Left, of_left), (JoinKind::Full, full)] {
            let expected = sorted(expected);
            for (lefts, rights) in [
                built.join(kind, TableView::from(&probe), ctx).unwrap(),
                crate::join::hash_join::join(kind, &probe, &build, nulls, ctx).unwrap(),
            ] {
                let pairs = sorted(numbers(&lefts).into_iter().zip(numbers(&rights)).collect());
                assert!(pairs == expected, "{kind:?}, {nulls:?}");
            }
            assert_eq!(built.size(kind, &probe, ctx).unwrap(), expected.len());
        }
        for (kind, expected) in [
            (FilterKind::Anti, lefts.clone().collect::<Vec<_>>()),
            (FilterKind::Semi, unmatched(lefts.collect(), left.len()).collect()),
        ] {
            let sets = [
                built.filter(kind, TableView::from(&probe), ctx).unwrap(),
                crate::join::hash_join::filter(kind, &probe, &build, nulls, ctx).unwrap(),
            ];
            for rows in sets {
                assert_eq!(numbers(&rows), expected, "{kind:?}, {nulls:?}");
            }
        }
    }
}

/// The ranges of keys are near the limits at which the table changes its layout.
#[test]
fn keys_repeat_in_ranges_of_all_sizes() {
    let rows = 100;
    for range in [rows, 127, 128, 129, 399, 400, 401, 799, 800, 801, 1 << 40] {
        for base in [0, -77, i64::MIN, i64::MAX - range + 1] {
            let key = |row: i64| Some(base + if row + 1 == rows { range - 1 } else { row * 37 % rows });
            let unique: Vec<_> = (0..rows).map(key).collect();
            let mut once = unique.clone();
            once[3] = once[90];
            let twice: Vec<_> = (0..rows).map(|row| key(row / 2 * 2 + 1)).collect();
            let mut probe = unique.clone();
            probe.extend([base.checked_sub(1), base.checked_add(range), Some(base + (range - 1)), Some(!base), None]);
            for build in [unique, once, twice, vec![Some(base); rows as usize]] {
                check_all(&probe, &build);
                let nulls: Vec<_> = build.iter().enumerate().map(|(row, key)| key.filter(|_| row % 5 > 0)).collect();
                check_all(&probe, &nulls);
            }
        }
    }
}

/// If the keys take all 64 bits, nulls have a slot of their own after the slots of the keys.
#[test]
fn nulls_have_a_place_behind_the_keys() {
    let min = |key: i64| Some(i64::MIN + key);
    for last in [0, 1, 15, 30, 31, 62, 63, 64] {
        let build = [min(0), min(last), None, None, min(last), None];
        let probe = [min(last + 1), None, min(last), min(0), Some(0), Some(i64::MAX)];
        check_all(&probe, &build);
        check_all(&probe, &build[..3]);
    }
    check_all(&[Some(i64::MIN), Some(i64::MAX), Some(-1), None], &[Some(i64::MIN), Some(i64::MAX), Some(i64::MIN)]);
    check_all(&[Some(1), None], &[None, None]);
    check_all(&[None], &[]);
}

/// Tests tables that several tasks fill together.
#[test]
fn repeated_keys_are_shared_by_tasks() {
    for (distinct, step) in [(30_000, 1), (30_000, 16), (3, 1), (1, 1), (70_000, 6)] {
        let right: Vec<u64> = (0..70_000).map(|row| 5 + row * 7919 % distinct * step).collect();
        let left: Vec<u64> = (0..2_000).map(|row| row * 11).collect();
        check(&left, &right);
    }
}
