//! Tests of scalars of every type.

use std::sync::Arc;

use arrow_array::{Array, ArrayRef};
use half::f16;

use super::*;
use crate::test_arrays::{all, cpu};
use crate::{I256, LiteralValue, Operand};

fn check<T: NativeValue + for<'a> LiteralValue<'a>>(value: T) {
    let (stream, mr) = cpu();
    let scalar = Scalar::new_on(value, &stream, mr.as_ref()).unwrap();
    assert_eq!(scalar.data_type(), &T::DATA_TYPE);
    assert!(scalar.is_valid_on(&stream).unwrap());
    assert_eq!(scalar.value_on::<T>(&stream).unwrap(), Some(value));
    let null = Scalar::typed_on(None::<T>, &T::DATA_TYPE, &stream, mr.as_ref()).unwrap();
    assert!(!null.is_valid_on(&stream).unwrap());
    assert_eq!(null.value_on::<T>(&stream).unwrap(), None);
}

#[test]
fn values() {
    check(-1i8);
    check(-2i16);
    check(-3i32);
    check(-4i64);
    check(1u8);
    check(2u16);
    check(3u32);
    check(u64::MAX);
    check(f16::from_f32(1.5));
    check(1.5f32);
    check(-1.5f64);
    check(-(1i128 << 100));
    check(I256::from(-7));
    check(true);
    check(false);
}

#[test]
fn other_logical_types_and_mismatches() {
    let (stream, mr) = cpu();
    let mr = mr.as_ref();
    let date = Scalar::typed_on(Some(10i32), &DataType::Date32, &stream, mr).unwrap();
    assert_eq!(date.value_on::<i32>(&stream).unwrap(), Some(10));
    assert!(date.value_on::<u32>(&stream).is_err());
    assert!(date.value_on::<String>(&stream).is_err());
    assert!(Scalar::typed_on(Some(10i64), &DataType::Date32, &stream, mr).is_err());
    assert!(Scalar::typed_on(Some(true), &DataType::Int8, &stream, mr).is_err());
}

#[test]
fn text() {
    let (stream, mr) = cpu();
    let scalar = Scalar::new_on(Some("grüße"), &stream, mr.as_ref()).unwrap();
    assert_eq!(scalar.value_on::<String>(&stream).unwrap().as_deref(), Some("grüße"));
    let null = Scalar::new_on(None::<&str>, &stream, mr.as_ref()).unwrap();
    assert_eq!(null.value_on::<String>(&stream).unwrap(), None);
    let empty = Scalar::new_on(Some(""), &stream, mr.as_ref()).unwrap();
    assert_eq!(empty.value_on::<String>(&stream).unwrap().as_deref(), Some(""));
}

#[test]
fn text_of_every_layout() {
    let (stream, mr) = cpu();
    let long = "grüße und mehr als zwölf Bytes";
    let rows = [Some(""), None, Some("kurz"), Some("zwölf Bytes!"), Some(long), Some("longer than twelve bytes")];
    let arrays: [ArrayRef; 3] = [
        Arc::new(arrow_array::StringArray::from_iter(rows)),
        Arc::new(arrow_array::LargeStringArray::from_iter(rows)),
        Arc::new(arrow_array::StringViewArray::from_iter(rows)),
    ];
    for array in arrays {
        let column = Column::from_arrow(&array, &stream, mr.as_ref()).unwrap();
        for (row, text) in rows.into_iter().enumerate() {
            let scalar = Scalar::from_column(column.slice(row, 1).unwrap()).unwrap();
            assert_eq!(scalar.value_on::<String>(&stream).unwrap().as_deref(), text, "{}", array.data_type());
        }
    }
}

#[test]
fn broken_text_has_no_value() {
    let (stream, mr) = cpu();
    let buffer = |bytes: &[u8]| gdf_memory::Buffer::from_host(bytes, &stream, mr.as_ref()).unwrap();
    let words = |words: &[u32]| buffer(bytemuck::cast_slice(words));
    let value = |data_type, buffers: [gdf_memory::Buffer; 2]| {
        let parts =
            crate::ColumnParts { buffers: buffers.into(), ..crate::ColumnParts::new(data_type, Device::Cpu, 1) };
        Scalar::from_column(Column::try_from_parts(parts).unwrap()).unwrap().value_on::<String>(&stream)
    };
    let long = b"longer than twelve bytes";
    assert!(value(DataType::Utf8View, [words(&[24, 0, 0, 0]), buffer(long)]).is_ok());
    let cases = [
        (DataType::Utf8, [words(&[0, 2]), buffer(b"\xff\xfe")]),
        (DataType::Utf8, [words(&[0, 3]), buffer(b"ab")]),
        (DataType::Utf8, [words(&[2, 1]), buffer(b"ab")]),
        (DataType::Utf8View, [words(&[25, 0, 0, 0]), buffer(long)]),
        (DataType::Utf8View, [words(&[24, 0, 1, 0]), buffer(long)]),
        (DataType::Utf8View, [words(&[u32::MAX, 0, 0, u32::MAX]), buffer(long)]),
        (DataType::Utf8View, [words(&[2, 0xfeff, 0, 0]), buffer(long)]),
    ];
    for (i, (data_type, buffers)) in cases.into_iter().enumerate() {
        assert!(matches!(value(data_type, buffers), Err(Error::InvalidData { .. })), "case {i}");
    }
}

#[test]
fn every_type_from_arrow_and_from_rows() {
    let (stream, mr) = cpu();
    for array in all(40) {
        assert!(Scalar::from_arrow(&array, &stream, mr.as_ref()).is_err());
        let column = Column::from_arrow(&array, &stream, mr.as_ref()).unwrap();
        for row in [0, 1, 7, 8, 33, 39] {
            let one = array.slice(row, 1);
            let scalar = Scalar::from_arrow(&one, &stream, mr.as_ref()).unwrap();
            assert_eq!(&scalar.to_arrow(&stream).unwrap(), &one);
            let scalar = Scalar::from_column(column.slice(row, 1).unwrap()).unwrap();
            assert_eq!(&scalar.to_arrow(&stream).unwrap(), &one);
            if array.data_type() != &DataType::Null {
                assert_eq!(scalar.is_valid_on(&stream).unwrap(), one.is_valid(0));
            }
            if array.data_type() == &DataType::Boolean {
                use arrow_array::cast::AsArray;
                let expected = one.is_valid(0).then(|| one.as_boolean().value(0));
                assert_eq!(scalar.value_on::<bool>(&stream).unwrap(), expected);
            }
            if one.data_type() == &DataType::Utf8View && one.is_valid(0) {
                assert!(scalar.value_on::<String>(&stream).unwrap().is_some());
            }
            let copy = scalar.deep_copy(&stream, mr.as_ref()).unwrap();
            assert_eq!(&copy.to_arrow(&stream).unwrap(), &one);
        }
        let null = Scalar::null_on(array.data_type(), &stream, mr.as_ref()).unwrap();
        assert_eq!(null.to_arrow(&stream).unwrap().logical_null_count(), 1);
        assert!(Scalar::try_from(column).is_err());
    }
}

#[test]
fn operands() {
    let (stream, mr) = cpu();
    let column = crate::Column::from_slice_on(&[1i32, 2], &stream, mr.as_ref()).unwrap();
    let scalar = Scalar::new_on(1i64, &stream, mr.as_ref()).unwrap();
    let (a, b) = (Operand::from(&column), Operand::from(&scalar));
    assert_eq!((a.len(), b.len()), (Some(2), None));
    assert!(!a.is_scalar() && b.is_scalar() && !a.is_empty());
    assert_eq!((a.data_type(), b.data_type()), (&DataType::Int32, &DataType::Int64));
    assert_eq!(Operand::from(column.view()).device(), b.device());
    assert!(!b.has_validity());
}
