//! Tests of the checks and of special cases.

use gdf_core::{Column, Error, Table};
use gdf_driver::Stream;
use gdf_engine::test_device::on_host;
use gdf_memory::{Resource, Resources};

use crate::Ctx;

use super::{HashFunction, hash_partition, partition, round_robin_partition};

fn setup() -> (Stream, Resource) {
    gdf_engine::test_device::setup()
}

fn table(rows: usize) -> Table {
    let (stream, mr) = setup();
    let numbers: Vec<i64> = (0..rows as i64).collect();
    let words: Vec<_> = numbers.iter().map(|n| Some(n.to_string())).collect();
    let columns =
        vec![Column::from_slice_on(&numbers, &stream, mr.as_ref()), Column::from_strs_on(&words, &stream, mr.as_ref())];
    Table::try_new(columns.into_iter().collect::<gdf_core::Result<_>>().unwrap()).unwrap()
}

fn numbers(column: &Column) -> Vec<i64> {
    on_host(column).buffers()[0].read_on(&Stream::cpu()).unwrap().as_slice::<i64>().unwrap().to_vec()
}

#[test]
fn bad_arguments_are_refused_by_type() {
    let (stream, mr) = setup();
    let (table, mr) = (table(3), Resources::from(&mr));
    let hash = |columns: &[usize], partitions, function| {
        hash_partition(table.view(), columns, partitions, function, 0, Ctx::new(&stream, mr))
            .map(|(_, offsets)| offsets)
    };
    assert!(matches!(hash(&[0], 0, HashFunction::Murmur3), Err(Error::InvalidArgument { .. })));
    assert!(matches!(hash(&[0], 1 << 31, HashFunction::Murmur3), Err(Error::InvalidArgument { .. })));
    assert!(matches!(hash(&[], 2, HashFunction::Murmur3), Err(Error::InvalidArgument { .. })));
    assert!(matches!(hash(&[2], 2, HashFunction::Murmur3), Err(Error::OutOfBounds { .. })));
    assert!(matches!(hash(&[1], 2, HashFunction::Identity), Err(Error::Unsupported { .. })));
    assert_eq!(hash(&[0], 1, HashFunction::Identity).unwrap(), [0, 3]);

    let map = |values: &[Option<i8>]| Column::from_options_on(values, &stream, mr.output).unwrap();
    let run = |map: &Column| partition(table.view(), map.view(), 2, Ctx::new(&stream, mr)).map(|(_, offsets)| offsets);
    assert!(matches!(run(&map(&[Some(0), Some(1)])), Err(Error::LengthMismatch { expected: 3, found: 2, .. })));
    assert!(matches!(run(&map(&[Some(0), None, Some(9)])), Err(Error::InvalidData { .. })));
    assert!(matches!(run(&map(&[Some(0), Some(2), Some(-1)])), Err(Error::OutOfBounds { index: 2, len: 2, .. })));
    assert!(matches!(run(&map(&[Some(-1), Some(2), None])), Err(Error::OutOfBounds { index: -1, len: 2, .. })));
    assert!(matches!(run(table.column(1).unwrap()), Err(Error::TypeMismatch { .. })));

    let deal = |partitions, start| round_robin_partition(table.view(), partitions, start, Ctx::new(&stream, mr));
    assert!(matches!(deal(0, 0), Err(Error::InvalidArgument { .. })));
    assert!(matches!(deal(2, 2), Err(Error::OutOfBounds { index: 2, len: 2, .. })));
}

#[test]
fn rows_of_a_partition_keep_their_order() {
    let (stream, mr) = setup();
    let rows = 3 * gdf_engine::host::task_rows() + 77;
    let table = table(rows);
    for partitions in [1, 2, 64, 100, 300, 5_000] {
        let (kept, offsets) =
            hash_partition(table.view(), &[0], partitions, HashFunction::Identity, 0, Ctx::new(&stream, &mr)).unwrap();
        assert_eq!((offsets.len(), offsets[0], offsets[partitions]), (partitions + 1, 0, rows));
        let found = numbers(kept.column(0).unwrap());
        for (partition, ends) in offsets.windows(2).enumerate() {
            let expected = (partition..rows).step_by(partitions).map(|row| row as i64);
            assert!(
                expected.eq(found[ends[0]..ends[1]].iter().copied()),
                "wrong rows in partition {partition} of {partitions}"
            );
        }
    }
}

#[test]
fn rows_are_dealt_in_turn() {
    let (stream, mr) = setup();
    for rows in [1_usize, 2, 9, 100] {
        let table = table(rows);
        for partitions in [1, 2, 3, 7, 200] {
            for start in [0, 1, partitions / 2, partitions - 1].into_iter().filter(|start| *start < partitions) {
                let (dealt, offsets) =
                    round_robin_partition(table.view(), partitions, start, Ctx::new(&stream, &mr)).unwrap();
                let found = numbers(dealt.column(0).unwrap());
                for (partition, ends) in offsets.windows(2).enumerate() {
                    let expected = (0..rows).filter(|row| (row + start) % partitions == partition);
                    let own = &found[ends[0]..ends[1]];
                    assert!(
                        expected.map(|row| row as i64).eq(own.iter().copied()),
                        "wrong rows: {rows} rows, {partitions} partitions, start {start}"
                    );
                }
            }
        }
    }
}
