//! Tests of replaced rows, and of invalid inputs.

use gdf_core::{Column, DataType};
use gdf_driver::Stream;
use gdf_memory::Resource;

use super::*;
use crate::test_device::rows;

fn setup() -> (Stream, Resource) {
    crate::test_device::setup()
}

fn ints(rows: &[Option<i64>]) -> Column {
    let (stream, mr) = setup();
    Column::from_options_on(rows, &stream, mr.as_ref()).unwrap()
}

fn table(columns: Vec<Column>) -> Table {
    Table::try_new(columns).unwrap()
}

fn run(source: &Table, map: &Column, target: &Table, policy: OutOfBoundsPolicy) -> Result<Table> {
    let (stream, mr) = setup();
    scatter_rows(source.view(), map.view(), target.view(), policy, Ctx::new(&stream, &mr))
}

#[test]
fn rows_go_where_the_map_says() {
    let source = table(vec![ints(&[Some(10), None, Some(30), Some(40), Some(50)])]);
    let target = table(vec![ints(&[Some(0), Some(1), None, Some(3)])]);
    let map = ints(&[Some(2), Some(-4), None, Some(9)]);
    let result = run(&source, &map, &target, OutOfBoundsPolicy::Nullify).unwrap();
    assert_eq!(rows(result.column(0).unwrap()), [None, Some(1), Some(10), Some(3)]);
    let error = run(&source, &map, &target, OutOfBoundsPolicy::Error).unwrap_err();
    assert!(matches!(error, Error::OutOfBounds { index: 9, len: 4, .. }));
    let twice = ints(&[Some(1), Some(1), Some(1)]);
    let result = run(&source, &twice, &target, OutOfBoundsPolicy::Error).unwrap();
    // On the CPU, the last element wins.
    let stays = rows(result.column(0).unwrap())[1];
    assert!(stays == Some(30) || setup().0.device().is_cuda() && [Some(10), None].contains(&stays));
}

#[test]
fn many_rows_go_to_their_places_on_any_number_of_threads() {
    let count = 100_003_i64;
    let numbers: Vec<_> = (0..count).map(Some).collect();
    let positions: Vec<_> =
        (0..count).map(|row| Some(row * 7_919 % count - if row % 2 == 0 { count } else { 0 })).collect();
    let (source, map) = (table(vec![ints(&numbers)]), ints(&positions));
    let target = table(vec![ints(&vec![None; numbers.len()])]);
    let mut expected = vec![None; numbers.len()];
    for (row, position) in positions.iter().flatten().enumerate() {
        expected[position.rem_euclid(count) as usize] = Some(row as i64);
    }
    for threads in [1, 3] {
        let pool = rayon::ThreadPoolBuilder::new().num_threads(threads).build().unwrap();
        let result = pool.install(|| run(&source, &map, &target, OutOfBoundsPolicy::Error)).unwrap();
        assert_eq!(rows(result.column(0).unwrap()), expected);
        assert_eq!(result.column(0).unwrap().null_count_on(&setup().0).unwrap(), 0);
    }
}

#[test]
fn scalars_go_everywhere() {
    let (stream, mr) = setup();
    let one = Scalar::new_on(7_i64, &stream, mr.as_ref()).unwrap();
    let target = table(vec![ints(&[Some(0), None, Some(2)])]);
    let map = ints(&[Some(1), Some(-1)]);
    let policy = OutOfBoundsPolicy::Error;
    let result = scatter_row(&[(&one).into()], map.view(), target.view(), policy, Ctx::new(&stream, &mr)).unwrap();
    assert_eq!(rows(result.column(0).unwrap()), [Some(0), Some(7), Some(7)]);
    let error = scatter_row(&[], map.view(), target.view(), policy, Ctx::new(&stream, &mr)).unwrap_err();
    assert!(matches!(error, Error::ColumnCount { expected: 1, found: 0, .. }));
}

#[test]
fn mismatches_are_typed_errors() {
    let (stream, mr) = setup();
    let text = Column::from_strs_on(&[Some("a"), None], &stream, mr.as_ref()).unwrap();
    let (two, map) = (ints(&[Some(1), None]), ints(&[Some(0), Some(1)]));
    let policy = OutOfBoundsPolicy::Error;
    let (numbers, texts) = (table(vec![two.clone()]), table(vec![text.clone()]));
    assert!(matches!(run(&texts, &map, &numbers, policy), Err(Error::TypeMismatch { .. })));
    assert!(matches!(run(&numbers, &text, &numbers, policy), Err(Error::TypeMismatch { .. })));
    let long = ints(&[Some(0), Some(1), Some(1)]);
    assert!(matches!(run(&numbers, &long, &numbers, policy), Err(Error::LengthMismatch { expected: 3, found: 2, .. })));
    let both = table(vec![two, text]);
    assert!(matches!(run(&numbers, &map, &both, policy), Err(Error::ColumnCount { expected: 2, found: 1, .. })));
    let nulls = table(vec![Column::nulls_on(&DataType::Null, 2, &stream, mr.as_ref()).unwrap()]);
    assert!(matches!(run(&nulls, &map, &nulls, policy), Err(Error::Unsupported { .. })));
    let none = table(vec![ints(&[])]);
    assert!(matches!(run(&numbers, &map, &none, policy), Err(Error::OutOfBounds { index: 0, len: 0, .. })));
    assert_eq!(run(&numbers, &map, &none, OutOfBoundsPolicy::Nullify).unwrap().num_rows(), 0);
}
