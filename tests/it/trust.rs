//! Tests columns of unverified data. Every operation validates such a column once, before a kernel or a CPU loop uses
//! its data, and refuses a broken column.

use gdf::copying::{OutOfBoundsPolicy, gather};
use gdf::core::{ColumnParts, DataRule, NullCount, make_structs_column};
use gdf::memory::{Buffer, current_resource};
use gdf::prelude::*;
use gdf::reduction::{ReduceAggregation, reduce};
use gdf::unary::is_null;
use gdf::{Column, Error};
use gdf_test::device::test_device;

struct Bench {
    device: Device,
    stream: Stream,
    resource: Resource,
}

impl Bench {
    fn new() -> Bench {
        let device = test_device();
        Bench { device, stream: Stream::default_for(device).unwrap(), resource: current_resource(device).unwrap() }
    }

    fn buffer(&self, bytes: &[u8]) -> Buffer {
        Buffer::from_host(bytes, &self.stream, self.resource.as_ref()).unwrap()
    }

    fn binary(&self, offsets: &[i64], bytes: &[u8]) -> Column {
        let offsets: Vec<u8> = offsets.iter().flat_map(|offset| offset.to_ne_bytes()).collect();
        let rows = offsets.len() / 8 - 1;
        let parts = ColumnParts::new(DataType::LargeBinary, self.device, rows);
        Column::try_from_parts(parts.buffer(self.buffer(&offsets)).buffer(self.buffer(bytes))).unwrap()
    }

    fn numbers(&self, values: &[i32]) -> Column {
        Column::from_slice_on(values, &self.stream, self.resource.as_ref()).unwrap()
    }
}

fn rule<T: std::fmt::Debug>(result: gdf::Result<T>) -> DataRule {
    match result {
        Err(Error::BrokenData { rule, .. }) => rule,
        other => panic!("{other:?}"),
    }
}

#[test]
fn offsets_beyond_the_bytes_read_nobody_elses_memory() {
    let bench = Bench::new();
    let secret = bench.buffer(&[0x5a; 4096]);
    for first in [1 << 12, 1 << 40, i64::MAX - 4096, -8192] {
        let column = bench.binary(&[first, first + 4096], &[0; 16]);
        assert!(!column.validated());
        for aggregation in [ReduceAggregation::Max, ReduceAggregation::Min] {
            assert_eq!(rule(reduce(&column, aggregation, column.data_type())), DataRule::Offsets);
        }
        assert!(!column.validated());
    }
    // The device still works after the error.
    let column = bench.binary(&[0, 2, 3], b"xyz");
    let largest = reduce(&column, ReduceAggregation::Max, column.data_type()).unwrap();
    assert_eq!(largest.column().buffers()[1].to_host(&bench.stream).unwrap()[..1], *b"z");
    drop(secret);
}

#[test]
fn the_first_operation_validates_for_all() {
    let bench = Bench::new();
    let column = bench.binary(&[0, 2, 3], b"xyz");
    let (clone, part) = (column.clone(), column.slice(1, 1).unwrap());
    let nulls = is_null(&part).unwrap();
    assert!(part.validated() && nulls.validated());
    assert!(!column.validated(), "the validation of a slice must not mark the whole column");
    is_null(column.view().slice(0, 1).unwrap()).unwrap();
    assert!(column.validated() && clone.validated(), "the validation of a view must mark the whole column");
    let map = bench.numbers(&[1, 0, 1]);
    let table = Table::try_new(vec![column]).unwrap();
    let rows = gather(&table, &map, OutOfBoundsPolicy::Error).unwrap();
    assert!(rows.columns().iter().all(Column::validated));
}

#[test]
fn claims_about_nulls_are_counted() {
    let bench = Bench::new();
    let claims = |count| {
        let parts = bench.numbers(&[0, 1, 2, 3]).into_parts();
        Column::try_from_parts(parts.validity(Some(bench.buffer(&[0b0101])), NullCount::Known(count))).unwrap()
    };
    let table = Table::try_new(vec![bench.numbers(&[5, 6, 7, 8])]).unwrap();
    let gathered = |map: &Column| gather(&table, map, OutOfBoundsPolicy::Nullify);
    assert_eq!(rule(gathered(&claims(0))), DataRule::NullCount);
    let right = claims(2);
    assert_eq!(right.known_null_count(), None);
    assert_eq!(gathered(&right).unwrap().column(0).unwrap().null_count_on(&bench.stream).unwrap(), 2);
    assert_eq!(right.known_null_count(), Some(2));
}

#[test]
fn broken_children_are_found() {
    let bench = Bench::new();
    let values = bench.binary(&[0, 9, 3], b"xyz");
    let dictionary = ColumnParts::dictionary(bench.numbers(&[0, 1]), values.clone());
    let dictionary = Column::try_from_parts(dictionary).unwrap();
    let structs = make_structs_column(vec![bench.numbers(&[1, 2]), values], None).unwrap();
    for (column, at) in [(dictionary, 0), (structs, 1)] {
        let table = Table::try_new(vec![bench.numbers(&[0, 0]), column]).unwrap();
        let refused = gather(&table, &bench.numbers(&[0]), OutOfBoundsPolicy::Nullify);
        let Err(Error::BrokenData { rule, path, .. }) = refused else { panic!("{refused:?}") };
        assert_eq!((rule, path), (DataRule::Offsets, vec![1, at]));
    }
}
