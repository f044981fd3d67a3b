//! Tests that the export refuses invalid data that would be unsafe for readers of Arrow arrays, and that the export
//! does not validate a column twice.

use std::sync::Arc;

use arrow_schema::{Field, UnionFields, UnionMode};

use super::*;
use crate::test_arrays::{all, cpu, int32};
use crate::{Column, ColumnParts, DataType, NullCount};

fn bytes<T: bytemuck::Pod>(values: &[T]) -> Buffer {
    let (stream, mr) = cpu();
    Buffer::from_host(bytemuck::cast_slice(values), &stream, mr.as_ref()).unwrap()
}

fn refused(parts: ColumnParts) {
    let (stream, _) = cpu();
    let column = Column::try_from_parts(parts).unwrap();
    assert!(!column.validated());
    assert!(matches!(column.to_arrow(&stream), Err(Error::BrokenData { .. })), "{}", column.data_type());
    let whole = download(&column, 0, column.len(), &stream);
    assert!(whole.is_err(), "{}", column.data_type());
}

fn parts(data_type: DataType, len: usize) -> ColumnParts {
    ColumnParts::new(data_type, gdf_driver::Device::Cpu, len)
}

#[test]
fn unvouched_data_are_validated() {
    let (stream, mr) = cpu();
    let child = || Column::from_slice_on(&[1i32, 2, 3], &stream, mr.as_ref()).unwrap();
    let item = Arc::new(Field::new_list_field(DataType::Int32, true));
    refused(parts(DataType::Utf8, 2).buffer(bytes(&[0i32, 1, 200])).buffer(bytes(b"abc")));
    refused(parts(DataType::Utf8, 2).buffer(bytes(&[0i32, 3, 1])).buffer(bytes(b"abc")));
    refused(parts(DataType::Utf8, 1).buffer(bytes(&[0i32, 2])).buffer(bytes(&[0xffu8, 0xfe])));
    refused(parts(DataType::LargeBinary, 1).buffer(bytes(&[-1i64, 2])).buffer(bytes(b"abc")));
    refused(parts(DataType::Utf8View, 1).buffer(bytes(&[[20u32, 0, 0, 0]])));
    refused(parts(DataType::List(item.clone()), 1).buffer(bytes(&[0i32, 4])).child(child()));
    refused(parts(DataType::ListView(item), 1).buffer(bytes(&[2i32])).buffer(bytes(&[2i32])).child(child()));
    let dictionary = DataType::Dictionary(Box::new(DataType::Int8), Box::new(DataType::Int32));
    refused(parts(dictionary, 2).buffer(bytes(&[0i8, 3])).child(child()));
    let fields: UnionFields = [(0i8, Arc::new(Field::new("a", DataType::Int32, true)))].into_iter().collect();
    refused(parts(DataType::Union(fields.clone(), UnionMode::Sparse), 2).buffer(bytes(&[0i8, 1])).child(child()));
    let dense = parts(DataType::Union(fields, UnionMode::Dense), 1);
    refused(dense.buffer(bytes(&[0i8])).buffer(bytes(&[3i32])).child(child()));
    let ends = Arc::new(Field::new("run_ends", DataType::Int32, false));
    let runs = DataType::RunEndEncoded(ends, Arc::new(Field::new("values", DataType::Int32, true)));
    refused(parts(runs, 4).child(child()).child(child()));
}

#[test]
fn unvouched_but_right_data_pass() {
    let (stream, mr) = cpu();
    for array in all(65) {
        let column = Column::from_arrow(&array, &stream, mr.as_ref()).unwrap();
        let again = Column::try_from_parts(column.into_parts()).unwrap();
        assert_eq!(&again.to_arrow(&stream).unwrap(), &array);
    }
}

#[test]
fn wrong_null_counts_are_refused_and_unknown_ones_counted() {
    let (stream, mr) = cpu();
    let column = crate::Column::from_options_on(&[Some(1i32), None, Some(3)], &stream, mr.as_ref()).unwrap();
    let with = |null_count| {
        let parts = ColumnParts { null_count, ..column.clone().into_parts() };
        Column::try_from_parts(parts).unwrap().to_arrow(&stream)
    };
    let refused = with(NullCount::Known(0));
    assert!(matches!(refused, Err(Error::BrokenData { rule: crate::DataRule::NullCount, .. })), "{refused:?}");
    for reported in [NullCount::Unknown, NullCount::Known(1)] {
        let array = with(reported).unwrap();
        assert_eq!((array.null_count(), int32(&array)), (1, vec![Some(1), None, Some(3)]));
    }
}

#[test]
fn exported_memory_is_not_written_to() {
    let (stream, mr) = cpu();
    let mut buffer = bytes(&[1i32, 2, 3]);
    let column = Column::try_from_parts(parts(DataType::Int32, 3).buffer(buffer.clone())).unwrap();
    let array = column.to_arrow(&stream).unwrap();
    drop(column);
    assert!(buffer.write_on(&stream).is_err());
    buffer.make_mut(&stream, mr.as_ref()).unwrap().as_mut_slice::<i32>().unwrap()[0] = 9;
    assert_eq!(int32(&array), [Some(1), Some(2), Some(3)]);
}
