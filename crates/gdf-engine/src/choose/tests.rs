//! Tests of the selection of single rows, and of invalid inputs.

use gdf_core::{Column, DataType, Error, Scalar, bitmask};
use gdf_driver::Stream;
use gdf_memory::Resource;
use gdf_memory::Resources;

use super::choose;
use crate::Ctx;
use crate::test_device::on_host;

const LENGTHS: [usize; 10] = [1, 31, 32, 33, 63, 64, 65, 127, 1000, 70_000];

fn setup() -> (Stream, Resource) {
    crate::test_device::setup()
}

fn mix(row: usize, salt: usize) -> usize {
    (row + salt).wrapping_mul(0x9e37_79b9_7f4a_7c15) >> 40
}

fn mask(len: usize) -> Vec<Option<bool>> {
    let any = |row| (!mix(row, 1).is_multiple_of(5)).then_some(mix(row, 2).is_multiple_of(2));
    (0..len).map(|row| if row / 64 % 3 == 0 { any(row) } else { Some(row / 64 % 3 == 1) }).collect()
}

fn int(row: usize, salt: usize) -> Option<i64> {
    (!mix(row, salt).is_multiple_of(4)).then_some(row as i64 * 100 + salt as i64)
}

fn valid(column: &Column, row: usize) -> bool {
    column
        .validity()
        .is_none_or(|mask| bitmask::get_bit(mask.read_on(&Stream::cpu()).unwrap().as_slice().unwrap(), row))
}

fn ints(column: &Column) -> Vec<Option<i64>> {
    let column = &on_host(column);
    let values = column.buffers()[0].read_on(&Stream::cpu()).unwrap();
    let values = values.as_slice::<i64>().unwrap().iter().enumerate();
    values.map(|(row, value)| valid(column, row).then_some(*value)).collect()
}

fn texts(column: &Column) -> Vec<Option<String>> {
    let (column, stream) = (&on_host(column), Stream::cpu());
    let offsets = column.buffers()[0].read_on(&stream).unwrap();
    let offsets: Vec<usize> = match column.data_type() {
        DataType::LargeUtf8 => offsets.as_slice::<i64>().unwrap().iter().map(|offset| *offset as usize).collect(),
        _ => offsets.as_slice::<i32>().unwrap().iter().map(|offset| *offset as usize).collect(),
    };
    let bytes = column.buffers()[1].to_host(&stream).unwrap();
    let text = |(row, ends): (usize, &[usize])| {
        let text = String::from_utf8(bytes[ends[0]..ends[1]].to_vec()).unwrap();
        assert!(valid(column, row) || text.is_empty(), "bytes under a null");
        valid(column, row).then_some(text)
    };
    offsets.windows(2).enumerate().map(text).collect()
}

#[test]
fn rows_are_chosen_one_by_one() {
    let (stream, mr) = setup();
    for len in LENGTHS {
        for offset in [0, 1, 33] {
            let all = len + offset;
            let make = |salt| -> Column {
                let values: Vec<_> = (0..all).map(|row| int(row, salt)).collect();
                Column::from_options_on(&values, &stream, mr.as_ref()).unwrap()
            };
            let (lhs, rhs) = (make(3), make(4));
            let condition = Column::from_options_on(&mask(all), &stream, mr.as_ref()).unwrap();
            let (left, right) = (lhs.view().slice(offset, len).unwrap(), rhs.view().slice(offset, len).unwrap());
            let chosen = condition.view().slice(offset, len).unwrap();
            let result = choose(left.into(), right.into(), chosen, Ctx::new(&stream, &mr)).unwrap();
            let expected: Vec<_> = mask(all)
                .into_iter()
                .enumerate()
                .skip(offset)
                .map(|(row, chosen)| int(row, if chosen == Some(true) { 3 } else { 4 }))
                .collect();
            assert_eq!(ints(&result), expected, "{len} rows at {offset}");
            let nulls = expected.iter().filter(|value| value.is_none()).count();
            assert_eq!(result.null_count_on(&stream).unwrap(), nulls);
        }
    }
}

#[test]
fn scalars_stand_for_every_row() {
    let (stream, mr) = setup();
    let one = Scalar::new_on(1_i64, &stream, mr.as_ref()).unwrap();
    let none = Scalar::null_on(&DataType::Int64, &stream, mr.as_ref()).unwrap();
    let condition = Column::from_options_on(&[Some(true), Some(false), None], &stream, mr.as_ref()).unwrap();
    let result = choose((&one).into(), (&none).into(), condition.view(), Ctx::new(&stream, &mr)).unwrap();
    assert_eq!(ints(&result), [Some(1), None, None]);
    let result = choose((&one).into(), (&one).into(), condition.view(), Ctx::new(&stream, &mr)).unwrap();
    assert!(!result.has_validity());
}

#[test]
fn strings_of_both_widths_are_chosen() {
    let (stream, mr) = setup();
    for data_type in [DataType::Utf8, DataType::LargeUtf8] {
        for len in LENGTHS {
            let text = |row: usize, salt: usize| {
                (!mix(row, salt).is_multiple_of(4)).then(|| "äbc".repeat(mix(row, salt) % 7) + &row.to_string())
            };
            let make = |salt| {
                let values: Vec<_> = (0..len).map(|row| text(row, salt)).collect();
                let values: Vec<_> = values.iter().map(|value| value.as_deref()).collect();
                Column::from_strs_typed_on(&values, &data_type, &stream, mr.as_ref()).unwrap()
            };
            let (lhs, rhs) = (make(5), make(6));
            let condition = Column::from_options_on(&mask(len), &stream, mr.as_ref()).unwrap();
            let mr = Resources::from(&mr);
            let result = choose((&lhs).into(), (&rhs).into(), condition.view(), Ctx::new(&stream, mr)).unwrap();
            let chosen = |(row, chosen)| text(row, if chosen == Some(true) { 5 } else { 6 });
            let expected: Vec<_> = mask(len).into_iter().enumerate().map(chosen).collect();
            assert_eq!(texts(&result), expected);
            assert_eq!(result.data_type(), &data_type);
        }
    }
}

#[test]
fn empty_inputs_give_an_empty_column_of_the_type() {
    let (stream, mr) = setup();
    let condition = Column::from_options_on::<bool>(&[], &stream, mr.as_ref()).unwrap();
    let text = Scalar::new_on(Some("x"), &stream, mr.as_ref()).unwrap();
    let result = choose((&text).into(), (&text).into(), condition.view(), Ctx::new(&stream, &mr)).unwrap();
    assert_eq!((result.len(), result.data_type()), (0, &DataType::Utf8));
    result.to_arrow(&stream).unwrap();
}

#[test]
fn mismatches_are_typed_errors() {
    let (stream, mr) = setup();
    let resources = Resources::from(&mr);
    let condition = Column::from_options_on(&[Some(true), None], &stream, mr.as_ref()).unwrap();
    let ints = Column::from_options_on(&[Some(1_i64), None], &stream, mr.as_ref()).unwrap();
    let short = Column::from_options_on(&[Some(1_i64)], &stream, mr.as_ref()).unwrap();
    let text = Column::from_strs_on(&[None, Some("a")], &stream, mr.as_ref()).unwrap();
    let fine =
        Column::from_options_typed_on(&[Some(1_i64), None], &DataType::Decimal64(9, 2), &stream, mr.as_ref()).unwrap();
    let coarse =
        Column::from_options_typed_on(&[Some(1_i64), None], &DataType::Decimal64(9, 1), &stream, mr.as_ref()).unwrap();
    let run = |lhs: &Column, rhs: &Column, mask: &Column| {
        choose(lhs.into(), rhs.into(), mask.view(), Ctx::new(&stream, resources))
    };
    assert!(matches!(run(&ints, &text, &condition), Err(Error::TypeMismatch { .. })));
    assert!(matches!(run(&fine, &coarse, &condition), Err(Error::TypeMismatch { .. })));
    assert!(matches!(run(&ints, &ints, &ints), Err(Error::TypeMismatch { .. })));
    assert!(matches!(run(&ints, &short, &condition), Err(Error::LengthMismatch { expected: 2, found: 1, .. })));
    let nulls = Column::nulls_on(&DataType::Null, 2, &stream, mr.as_ref()).unwrap();
    assert!(matches!(run(&nulls, &nulls, &condition), Err(Error::Unsupported { .. })));
}
