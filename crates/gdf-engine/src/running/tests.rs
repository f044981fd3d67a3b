//! Tests of running values row by row, and of invalid inputs.

use gdf_core::{Column, DataType, Error};
use gdf_driver::Stream;
use gdf_memory::Resource;

use super::*;
use crate::test_device::rows;

fn setup() -> (Stream, Resource) {
    crate::test_device::setup()
}

fn run(column: &Column, aggregation: ScanAggregation, scan_type: ScanType, nulls: NullPolicy) -> Result<Column> {
    let (stream, mr) = setup();
    running(column.view(), aggregation, scan_type, nulls, Ctx::new(&stream, &mr))
}

#[test]
fn nulls_are_skipped_or_spread() {
    use NullPolicy::{Exclude, Include};
    use ScanType::{Exclusive, Inclusive};
    let (stream, mr) = setup();
    let column = Column::from_options_on(&[Some(3_i64), Some(-1), None, Some(10)], &stream, mr.as_ref()).unwrap();
    let sum = |scan_type, nulls| rows(&run(&column, ScanAggregation::Sum, scan_type, nulls).unwrap());
    assert_eq!(sum(Inclusive, Exclude), [Some(3), Some(2), None, Some(12)]);
    assert_eq!(sum(Exclusive, Exclude), [Some(0), Some(3), None, Some(2)]);
    assert_eq!(sum(Inclusive, Include), [Some(3), Some(2), None, None]);
    assert_eq!(sum(Exclusive, Include), [Some(0), Some(3), Some(2), None]);
    let min = run(&column, ScanAggregation::Min, Exclusive, Exclude).unwrap();
    assert_eq!(rows(&min), [Some(i64::MAX), Some(3), None, Some(-1)]);
    let counts = run(&column, ScanAggregation::CountValid, Inclusive, Include).unwrap();
    assert_eq!(rows(&counts), [Some(1), Some(2), Some(2), Some(3)]);
    assert!(!counts.has_validity());
}

#[test]
fn many_chunks_follow_each_other() {
    let (stream, mr) = setup();
    let numbers: Vec<Option<i64>> = (0..200_000).map(|row| (row % 7 != 3).then_some(row % 1000 - 300)).collect();
    let column = Column::from_options_on(&numbers, &stream, mr.as_ref()).unwrap();
    let sums = run(&column, ScanAggregation::Sum, ScanType::Inclusive, NullPolicy::Exclude).unwrap();
    let mut sum = 0;
    let expected = numbers.iter().map(|row| {
        sum += row.unwrap_or(0);
        row.map(|_| sum)
    });
    assert!(rows(&sums).into_iter().eq(expected));
    let nulls = numbers.iter().filter(|row| row.is_none()).count();
    assert_eq!(sums.null_count_on(&stream).unwrap(), nulls);
}

#[test]
fn null_columns_can_be_counted() {
    let (stream, mr) = setup();
    let nulls = Column::nulls_on(&DataType::Null, 3, &stream, mr.as_ref()).unwrap();
    let count = |aggregation| rows(&run(&nulls, aggregation, ScanType::Inclusive, NullPolicy::Exclude).unwrap());
    assert_eq!(count(ScanAggregation::CountAll), [Some(1), Some(2), Some(3)]);
    assert_eq!(count(ScanAggregation::CountValid), [Some(0); 3]);
}

#[test]
fn what_has_no_scan_is_a_typed_error() {
    let (stream, mr) = setup();
    let text = Column::from_strs_on(&[Some("a"), None], &stream, mr.as_ref()).unwrap();
    for (aggregation, scan_type) in
        [(ScanAggregation::Sum, ScanType::Inclusive), (ScanAggregation::Min, ScanType::Exclusive)]
    {
        let error = run(&text, aggregation, scan_type, NullPolicy::Exclude).unwrap_err();
        assert!(matches!(error, Error::Unsupported { operation: OPERATION, .. }));
    }
    let none = Column::from_options_on::<bool>(&[], &stream, mr.as_ref()).unwrap();
    let result = run(&none, ScanAggregation::Sum, ScanType::Inclusive, NullPolicy::Include).unwrap();
    assert_eq!((result.len(), result.data_type()), (0, &DataType::Boolean));
}
