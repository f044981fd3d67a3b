//! Tests of fields that are declared without nulls. The tests of the operation `validate` cover the other rules.

use gdf_driver::{Device, Stream};
use gdf_memory::{Buffer, Resource, current_resource};

use super::*;
use crate::{Column, ColumnParts, DataType, Field, Fields, NullCount};

fn cpu() -> (Stream, Resource) {
    (Stream::cpu(), current_resource(Device::Cpu).unwrap())
}

fn buffer<T: bytemuck::Pod>(values: &[T]) -> Buffer {
    let (stream, mr) = cpu();
    Buffer::from_host(bytemuck::cast_slice(values), &stream, mr.as_ref()).unwrap()
}

fn numbers(len: usize, nulls: &[usize]) -> Column {
    let (stream, mr) = cpu();
    let rows: Vec<_> = (0..len).map(|row| (!nulls.contains(&row)).then_some(row as i32)).collect();
    Column::from_options_on(&rows, &stream, mr.as_ref()).unwrap()
}

fn mask(len: usize, nulls: &[usize]) -> Option<Buffer> {
    let (stream, mr) = cpu();
    let rows: Vec<_> = (0..len).map(|row| !nulls.contains(&row)).collect();
    (!nulls.is_empty()).then(|| Column::from_slice_on(&rows, &stream, mr.as_ref()).unwrap().buffers()[0].clone())
}

fn field(name: &str, child: &Column, nullable: bool) -> Field {
    Field::new(name, child.data_type().clone(), nullable)
}

fn with(data_type: DataType, len: usize, nulls: &[usize], child: Column) -> ColumnParts {
    let parts = ColumnParts::new(data_type, Device::Cpu, len).child(child);
    parts.validity(mask(len, nulls), NullCount::Unknown)
}

fn structs(len: usize, nulls: &[usize], child: Column, nullable: bool) -> Column {
    let fields = Fields::from(vec![field("a", &child, nullable)]);
    Column::try_from_parts(with(DataType::Struct(fields), len, nulls, child)).unwrap()
}

/// Returns the row and the path of the null that validation finds.
fn fault(column: &Column) -> Option<(usize, Vec<usize>)> {
    match ensure(column, &Stream::cpu()) {
        Ok(()) => {
            assert!(column.validated());
            None
        }
        Err(Error::BrokenData { rule: DataRule::NonNullable, row: Some(row), path, .. }) => Some((row, path)),
        Err(other) => panic!("{other}"),
    }
}

#[test]
fn structs_hide_only_what_is_null_in_them() {
    assert_eq!(fault(&structs(20, &[], numbers(20, &[]), false)), None);
    assert_eq!(fault(&structs(20, &[], numbers(20, &[13]), true)), None);
    assert_eq!(fault(&structs(20, &[], numbers(20, &[13, 14]), false)), Some((13, vec![0])));
    assert_eq!(fault(&structs(20, &[3, 13, 14], numbers(20, &[13, 14]), false)), None);
    assert_eq!(fault(&structs(20, &[3, 13], numbers(20, &[13, 14]), false)), Some((14, vec![0])));
    let deep = structs(20, &[], structs(20, &[], numbers(20, &[7]), false), false);
    assert_eq!(fault(&deep), Some((7, vec![0, 0])));
}

#[test]
fn rows_outside_of_a_slice_of_structs_do_not_count() {
    let whole = structs(30, &[20], numbers(30, &[2, 20]), false);
    assert!(!whole.validated());
    assert_eq!(fault(&whole.slice(3, 20).unwrap()), None);
    assert_eq!(fault(&whole.slice(1, 20).unwrap()), Some((2, vec![0])));
    assert_eq!(fault(&whole), Some((2, vec![0])));
    let shifted = structs(9, &[], numbers(30, &[2, 20]).slice(11, 12).unwrap(), false);
    assert_eq!(fault(&shifted), None);
    let shifted = structs(10, &[], numbers(30, &[2, 20]).slice(11, 12).unwrap(), false);
    assert_eq!(fault(&shifted), Some((9, vec![0])));
}

#[test]
fn null_values_of_dictionaries_are_nulls_of_their_rows() {
    let dictionary = |null_rows: &[usize], null_values: &[usize]| {
        let parts = ColumnParts::dictionary(numbers(20, null_rows), numbers(20, null_values));
        Column::try_from_parts(parts).unwrap()
    };
    assert_eq!(fault(&structs(20, &[], dictionary(&[], &[]), false)), None);
    assert_eq!(fault(&structs(20, &[], dictionary(&[], &[13]), true)), None);
    assert_eq!(fault(&structs(20, &[], dictionary(&[], &[13, 14]), false)), Some((13, vec![0])));
    assert_eq!(fault(&structs(20, &[13], dictionary(&[], &[13, 14]), false)), Some((14, vec![0])));
    assert_eq!(fault(&structs(20, &[3, 13], dictionary(&[3], &[13]), false)), None);
    assert_eq!(fault(&structs(20, &[], dictionary(&[7], &[3]), false)), Some((3, vec![0])));
    // No row has the null value.
    assert_eq!(fault(&structs(9, &[], dictionary(&[], &[13]).slice(2, 9).unwrap(), false)), None);
    assert_eq!(fault(&structs(9, &[], dictionary(&[], &[5]).slice(2, 9).unwrap(), false)), Some((3, vec![0])));
    // The schema alone declares the field without nulls.
    let loose = structs(20, &[], dictionary(&[], &[13]), true);
    let strict = structs(20, &[], dictionary(&[], &[]), false).data_type().clone();
    assert_eq!(fault(&loose.with_type(strict).unwrap()), Some((13, vec![0])));
}

#[test]
fn elements_of_lists() {
    let lists = |nulls: &[usize], elements: &[usize], nullable| {
        let child = numbers(6, elements);
        let data_type = DataType::List(field("item", &child, nullable).into());
        let offsets = buffer(&[0_i32, 2, 4, 6]);
        Column::try_from_parts(with(data_type, 3, nulls, child).buffer(offsets)).unwrap()
    };
    assert_eq!(fault(&lists(&[1], &[4], true)), None);
    assert_eq!(fault(&lists(&[], &[], false)), None);
    assert_eq!(fault(&lists(&[1], &[3, 4], false)), Some((3, vec![0])));
    let pairs = |nulls: &[usize], elements: &[usize]| {
        let child = numbers(6, elements);
        let data_type = DataType::FixedSizeList(field("item", &child, false).into(), 2);
        Column::try_from_parts(with(data_type, 3, nulls, child)).unwrap()
    };
    assert_eq!(fault(&pairs(&[1], &[2, 3])), None);
    assert_eq!(fault(&pairs(&[1], &[3, 4])), Some((4, vec![0])));
    assert_eq!(fault(&pairs(&[], &[5])), Some((5, vec![0])));
    assert_eq!(fault(&pairs(&[], &[1]).slice(1, 2).unwrap()), None);
    assert_eq!(fault(&pairs(&[1], &[1, 3, 4]).slice(1, 2).unwrap()), Some((4, vec![0])));
}

#[test]
fn keys_of_maps() {
    let map = |keys: &[usize]| {
        let (keys, values) = (numbers(4, keys), numbers(4, &[2]));
        let fields = Fields::from(vec![field("key", &keys, false), field("value", &values, true)]);
        let entries = ColumnParts::new(DataType::Struct(fields), Device::Cpu, 4).child(keys).child(values);
        let entries = Column::try_from_parts(entries).unwrap();
        let data_type = DataType::Map(field("entries", &entries, false).into(), false);
        Column::try_from_parts(with(data_type, 2, &[], entries).buffer(buffer(&[0_i32, 1, 4]))).unwrap()
    };
    assert_eq!(fault(&map(&[])), None);
    assert_eq!(fault(&map(&[3])), Some((3, vec![0, 0])));
}

#[test]
fn only_columns_that_can_break_it_are_looked_at() {
    assert!(structs(8, &[], numbers(8, &[]), false).validated(), "no mask");
    assert!(structs(8, &[1], numbers(8, &[1]), true).validated(), "any field may have nulls");
    assert!(!structs(8, &[1], numbers(8, &[1]), false).validated());
    let loose = structs(8, &[1], numbers(8, &[1, 2]), true);
    let strict = structs(8, &[1], numbers(8, &[]), false).data_type().clone();
    let tightened = loose.with_type(strict.clone()).unwrap();
    assert!(!tightened.validated());
    assert_eq!(fault(&tightened), Some((2, vec![0])));
    assert!(structs(8, &[], numbers(8, &[]), true).with_type(strict).unwrap().validated());
    let right = structs(8, &[1], numbers(8, &[1]), false);
    assert_eq!(fault(&right), None);
    assert!(right.with_type(loose.data_type().clone()).unwrap().validated());
}

#[test]
fn the_error_says_where() {
    let column = structs(20, &[], numbers(20, &[13]), false);
    let error = ensure(&column, &Stream::cpu()).unwrap_err();
    assert_eq!(
        error.to_string(),
        "Int32: a field that is declared without nulls has a null, first in row 13, at path [0] of columns and children"
    );
}

/// A row of zero bytes may lie inside a character. gdf accepts such a row, but arrow-rs refuses it. A row that contains
/// only a part of a character is refused.
#[test]
fn rows_of_no_bytes_may_lie_within_a_character() {
    let (stream, _) = cpu();
    let column = |offsets: &[i32]| {
        let parts = ColumnParts::new(DataType::Utf8, Device::Cpu, offsets.len() - 1);
        Column::try_from_parts(parts.buffer(buffer(offsets)).buffer(buffer("ä".as_bytes()))).unwrap()
    };
    ensure(&column(&[1, 1]), &stream).unwrap();
    assert!(matches!(ensure(&column(&[0, 1]), &stream), Err(Error::BrokenData { rule: DataRule::Text, .. })));
}
