//! Tests of the checks and of unusual cases of `gather`.

use gdf_core::{Column, DataType, Error, Table, make_structs_column};
use gdf_driver::Stream;
use gdf_memory::Resource;

use super::{OutOfBoundsPolicy, gather};
use crate::Ctx;
use crate::lists::gather_trusted;

use OutOfBoundsPolicy::{Error as Strict, Nullify};

fn cpu() -> (Stream, Resource) {
    gdf_engine::test_device::setup()
}

fn numbers<T: gdf_core::NativeType>(values: &[T]) -> Column {
    let (stream, mr) = cpu();
    Column::from_slice_on(values, &stream, mr.as_ref()).unwrap()
}

fn run(table: &Table, map: &Column, policy: OutOfBoundsPolicy) -> gdf_core::Result<Table> {
    let (stream, mr) = cpu();
    gather(table.view(), map.view(), policy, Ctx::new(&stream, &mr))
}

#[test]
fn maps_must_be_integers() {
    let table = Table::try_new(vec![numbers(&[1_i32])]).unwrap();
    assert!(matches!(run(&table, &numbers(&[0.0_f64]), Nullify), Err(Error::TypeMismatch { .. })));
    let dates = numbers(&[0_i32]).with_type(DataType::Date32).unwrap();
    assert!(matches!(run(&table, &dates, Nullify), Err(Error::TypeMismatch { .. })));
}

/// The row numbers that an operation has made for a table need no check if they select rows of that table. Row numbers
/// of a longer table are checked.
#[test]
fn row_numbers_of_a_longer_table_are_checked() {
    let (stream, mr) = cpu();
    let rows = crate::filling::row_numbers(5, Ctx::new(&stream, &mr)).unwrap();
    let long = Table::try_new(vec![numbers(&[1_i32, 2, 3, 4, 5])]).unwrap();
    assert_eq!(run(&long, &rows, Strict).unwrap().column(0).unwrap().to_vec::<i32>().unwrap().len(), 5);
    let short = Table::try_new(vec![numbers(&[1_i32, 2, 3, 4])]).unwrap();
    assert!(matches!(run(&short, &rows, Strict), Err(Error::OutOfBounds { index: 4, len: 4, .. })));
    assert_eq!(run(&short, &rows, Nullify).unwrap().column(0).unwrap().null_count().unwrap(), 1);
    let some = run(&Table::try_new(vec![rows.clone()]).unwrap(), &numbers(&[4_i32, 0]), Strict).unwrap();
    let some = some.column(0).unwrap();
    assert_eq!(some.view().row_numbers_of(), Some(5));
    assert!(matches!(run(&short, some, Strict), Err(Error::OutOfBounds { index: 4, len: 4, .. })));
}

#[test]
fn the_first_element_out_of_bounds_is_reported() {
    let (stream, mr) = cpu();
    let table = Table::try_new(vec![numbers(&[1_i32, 2, 3])]).unwrap();
    let refused = |map: &Column| match run(&table, map, Strict) {
        Err(Error::OutOfBounds { index, len: 3, .. }) => index,
        other => panic!("{other:?}"),
    };
    assert_eq!(refused(&numbers(&[2_i8, -3, -4, 3])), -4);
    assert_eq!(refused(&numbers(&[2_u64, u64::MAX])), i128::from(u64::MAX));
    assert_eq!(refused(&numbers(&[i64::MIN])), i128::from(i64::MIN));
    let far: Vec<u32> = (0..100_000).map(|i| if i == 90_000 { 7 } else { i % 3 }).collect();
    assert_eq!(refused(&numbers(&far)), 7);
    let validity = gdf_core::Validity::from_bools_on([true, false].into_iter(), &stream, mr.as_ref()).unwrap().unwrap();
    let parts = numbers(&[0_i32, 99]).into_parts().validity(Some(validity.mask), validity.null_count);
    let hidden = Column::try_from_parts(parts).unwrap();
    assert_eq!(run(&table, &hidden, Strict).unwrap().column(0).unwrap().null_count_on(&stream).unwrap(), 1);
}

#[test]
fn masks_appear_where_nulls_can() {
    let (stream, mr) = cpu();
    let nullable = Column::from_options_on::<i32>(&[Some(1), None], &stream, mr.as_ref()).unwrap();
    let table = Table::try_new(vec![numbers(&[1_i32, 2]), nullable]).unwrap();
    let masks = |table: &Table| table.columns().iter().map(Column::has_validity).collect::<Vec<_>>();
    assert_eq!(masks(&run(&table, &numbers(&[0_i32, 0]), Strict).unwrap()), [false, true]);
    assert_eq!(masks(&run(&table, &numbers(&[0_i32, 0]), Nullify).unwrap()), [true, true]);
    let map = Column::from_options_on::<i32>(&[Some(0), None], &stream, mr.as_ref()).unwrap();
    assert_eq!(masks(&run(&table, &map, Strict).unwrap()), [true, true]);
    let trusted = gather_trusted(&table.view(), map.view(), Ctx::new(&stream, &mr));
    assert_eq!(masks(&trusted.unwrap()), [true, true]);
}

#[test]
fn results_are_as_long_as_the_map() {
    let (stream, mr) = cpu();
    let none = Table::try_with_rows(vec![], 3).unwrap();
    assert_eq!(run(&none, &numbers(&[0_i32, 1, 9, 2]), Nullify).unwrap().num_rows(), 4);
    assert!(matches!(run(&none, &numbers(&[0_i32, 9]), Strict), Err(Error::OutOfBounds { index: 9, len: 3, .. })));
    let empty = Table::try_new(vec![numbers::<i64>(&[]), Column::from_strs_on([""; 0], &stream, mr.as_ref()).unwrap()]);
    let rows = run(&empty.unwrap(), &numbers(&[0_i32, -1]), Nullify).unwrap();
    for column in rows.columns() {
        assert_eq!((column.len(), column.null_count_on(&stream).unwrap()), (2, 2));
    }
    let table = Table::try_new(vec![Column::from_strs_on(&[Some("a")], &stream, mr.as_ref()).unwrap()]).unwrap();
    assert_eq!(run(&table, &numbers::<u8>(&[]), Strict).unwrap().num_rows(), 0);
}

#[test]
fn offsets_that_overflow_are_an_error() {
    let (stream, mr) = cpu();
    let long = "x".repeat(1 << 20);
    let map = numbers(&vec![0_u8; 2048]);
    let table = |data_type| {
        Table::try_new(vec![Column::from_strs_typed_on(&[Some(&long)], &data_type, &stream, mr.as_ref()).unwrap()])
            .unwrap()
    };
    let error = run(&table(DataType::Utf8), &map, Strict).unwrap_err();
    assert!(matches!(error, Error::OffsetOverflow { needed, .. } if needed == 1 << 31), "{error}");
    let fits = run(&table(DataType::Utf8), &map.slice(0, 40).unwrap(), Strict).unwrap();
    assert_eq!(fits.column(0).unwrap().buffers()[1].len(), 40 << 20);
}

#[test]
fn nulls_of_structs_reach_their_fields() {
    let (stream, mr) = cpu();
    let text = Column::from_strs_on(&[Some("hidden"), Some("shown")], &stream, mr.as_ref()).unwrap();
    let validity = gdf_core::Validity::from_bools_on([false, true].into_iter(), &stream, mr.as_ref()).unwrap();
    let table = Table::try_new(vec![make_structs_column(vec![text], validity).unwrap()]).unwrap();
    let rows = run(&table, &numbers(&[1_i16, 0, -1, 2]), Nullify).unwrap();
    let text = &rows.column(0).unwrap().children()[0];
    assert_eq!(text.null_count_on(&stream).unwrap(), 2);
    assert_eq!(text.buffers()[1].to_host(&stream).unwrap(), b"shownshown");
}
