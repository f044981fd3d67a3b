//! Tests of the checks and plans of `cast`.

use std::sync::Arc;

use gdf_core::{Column, DataType, Error, TimeUnit};
use gdf_driver::Stream;
use gdf_memory::{Resource, Resources};

use crate::Ctx;
use crate::test_device::on_host;

use super::{cast, is_supported_cast};

fn setup() -> (Stream, Resource) {
    crate::test_device::setup()
}

fn cast_all<S: gdf_core::NativeType, D: gdf_core::NativeType>(from: &DataType, values: &[S], to: &DataType) -> Vec<D> {
    let (stream, mr) = setup();
    let column = Column::from_slice_typed_on(values, from, &stream, mr.as_ref()).unwrap();
    let result = cast(column.view(), to, Ctx::new(&stream, &mr)).unwrap();
    assert_eq!(result.data_type(), to);
    assert!(!result.has_validity());
    let result = on_host(&result);
    let access = result.buffers()[0].read_on(&Stream::cpu()).unwrap();
    result.view().values::<D>(&access).unwrap().to_vec()
}

#[test]
fn floats_become_integers_for_all_data() {
    let values = [f64::NAN, f64::INFINITY, -1e300, -0.9, 127.9, 128.0, -128.9, 255.5, 2_f64.powi(63)];
    let double = DataType::Float64;
    let small: Vec<i8> = cast_all(&double, &values, &DataType::Int8);
    assert_eq!(small, [0, 127, -128, 0, 127, 127, -128, 127, 127]);
    let unsigned: Vec<u8> = cast_all(&double, &values, &DataType::UInt8);
    assert_eq!(unsigned, [0, 255, 0, 0, 127, 128, 0, 255, 255]);
    let large: Vec<i64> = cast_all(&double, &values, &DataType::Int64);
    assert_eq!(large[8], i64::MAX);
}

#[test]
fn integers_wrap() {
    let narrow: Vec<i8> = cast_all(&DataType::Int32, &[300, -129, i32::MIN], &DataType::Int8);
    assert_eq!(narrow, [44, 127, 0]);
    let signs: Vec<u64> = cast_all(&DataType::Int8, &[-1_i8, 1], &DataType::UInt64);
    assert_eq!(signs, [u64::MAX, 1]);
    let unsigned: Vec<f32> = cast_all(&DataType::UInt64, &[u64::MAX], &DataType::Float32);
    assert_eq!(unsigned, [2_f32.powi(64)]);
}

#[test]
fn decimals_are_rescaled_towards_zero() {
    let cents = DataType::Decimal64(18, 2);
    let whole: Vec<i32> = cast_all(&cents, &[199_i64, -199, 100], &DataType::Decimal32(9, 0));
    assert_eq!(whole, [1, -1, 1]);
    let more: Vec<i128> = cast_all(&cents, &[i64::MAX, -5], &DataType::Decimal128(38, 4));
    assert_eq!(more, [i128::from(i64::MAX) * 100, -500]);
    let wraps: Vec<i64> = cast_all(&cents, &[i64::MAX], &DataType::Decimal64(18, 3));
    assert_eq!(wraps, [i64::MAX.wrapping_mul(10)]);
    let floats: Vec<f64> = cast_all(&cents, &[115_i64], &DataType::Float64);
    assert_eq!(floats, [1.15]);
    let back: Vec<i64> = cast_all(&DataType::Float64, &[1.15, -2.675], &cents);
    assert_eq!(back, [115, -267]);
    let wide: Vec<gdf_core::I256> = cast_all(&cents, &[-115_i64], &DataType::Decimal256(76, 40));
    assert_eq!(wide[0].0.to_string(), format!("-115{}", "0".repeat(38)));
    let narrow: Vec<i64> = cast_all(&DataType::Decimal256(76, 40), &wide, &cents);
    assert_eq!(narrow, [-115]);
}

#[test]
fn moments_are_floored() {
    let seconds = DataType::Timestamp(TimeUnit::Second, None);
    let days: Vec<i32> = cast_all(&seconds, &[-1_i64, 0, 86_399, -86_400, -86_401], &DataType::Date32);
    assert_eq!(days, [-1, 0, 0, -1, -2]);
    let nanos: Vec<i64> = cast_all(&DataType::Date32, &[-1], &DataType::Timestamp(TimeUnit::Nanosecond, None));
    assert_eq!(nanos, [-86_400_000_000_000]);
    let time: Vec<i32> =
        cast_all(&DataType::Time64(TimeUnit::Nanosecond), &[1_999_999_999_i64], &DataType::Time32(TimeUnit::Second));
    assert_eq!(time, [1]);
}

#[test]
fn same_bytes_are_shared() {
    let (stream, mr) = setup();
    let utc = DataType::Timestamp(TimeUnit::Second, Some("UTC".into()));
    let rows = [Some(1_i64), None, Some(3)];
    let column = Column::from_options_typed_on(&rows, &DataType::Int64, &stream, mr.as_ref()).unwrap();
    let result = cast(column.view().slice(1, 2).unwrap(), &utc, Ctx::new(&stream, &mr)).unwrap();
    assert!(result.buffers()[0].same_allocation(&column.buffers()[0]));
    assert_eq!((result.data_type(), result.len(), result.null_count_on(&stream).unwrap()), (&utc, 2, 1));
}

#[test]
fn a_mask_at_bit_0_is_shared() {
    let (stream, mr) = setup();
    let rows: Vec<Option<i64>> = (0..100).map(|row| (row % 3 != 0).then_some(row)).collect();
    let column = Column::from_options_typed_on(&rows, &DataType::Int64, &stream, mr.as_ref()).unwrap();
    for (offset, len) in [(0, 100), (0, 65), (7, 64), (64, 36), (100, 0)] {
        let view = column.view().slice(offset, len).unwrap();
        let result = cast(view, &DataType::Float32, Ctx::new(&stream, &mr)).unwrap();
        let shared = result.validity().unwrap().same_allocation(column.validity().unwrap());
        assert_eq!((result.offset(), shared), (0, offset == 0));
        let nulls = rows[offset..offset + len].iter().filter(|row| row.is_none()).count();
        assert_eq!(result.null_count_on(&stream).unwrap(), nulls);
        let result = on_host(&result);
        let access = result.buffers()[0].read_on(&Stream::cpu()).unwrap();
        for (value, row) in result.view().values::<f32>(&access).unwrap().iter().zip(&rows[offset..]) {
            assert!(row.is_none_or(|row| *value == row as f32));
        }
    }
}

#[test]
fn booleans_both_ways() {
    let (stream, mr) = setup();
    let rows: Vec<Option<bool>> = (0..131).map(|row| (row % 5 != 0).then_some(row % 2 == 0)).collect();
    let column = Column::from_options_on(&rows, &stream, mr.as_ref()).unwrap();
    let view = column.view().slice(3, 120).unwrap();
    for to in [DataType::UInt8, DataType::Float16, DataType::Decimal128(38, 2), DataType::Decimal256(76, 1)] {
        let there = cast(view, &to, Ctx::new(&stream, &mr)).unwrap();
        let back = cast(there.view(), &DataType::Boolean, Ctx::new(&stream, &mr)).unwrap();
        let found = back.to_arrow(&stream).unwrap();
        assert_eq!(&found, &column.slice(3, 120).unwrap().to_arrow(&stream).unwrap(), "{to}");
    }
}

#[test]
fn offsets_change_their_width() {
    let (stream, mr) = setup();
    let resources = Resources::from(&mr);
    let column = Column::from_strs_on(&[Some("one"), None, Some(""), Some("vier")], &stream, mr.as_ref()).unwrap();
    for (offset, len) in [(0, 4), (1, 3), (2, 0)] {
        let view = column.view().slice(offset, len).unwrap();
        let large = cast(view, &DataType::LargeUtf8, Ctx::new(&stream, resources)).unwrap();
        assert!(large.buffers()[1].same_allocation(&column.buffers()[1]) || stream.device().is_cuda());
        let back = cast(large.view(), &DataType::Utf8, Ctx::new(&stream, resources)).unwrap();
        let expected = view.to_column().to_arrow(&stream).unwrap();
        assert_eq!(&back.to_arrow(&stream).unwrap(), &expected);
        let bytes = cast(large.view(), &DataType::Binary, Ctx::new(&stream, resources)).unwrap();
        assert_eq!(bytes.data_type(), &DataType::Binary);
        assert_eq!(bytes.len(), len);
    }
}

#[test]
fn offsets_that_do_not_fit() {
    let (stream, mr) = setup();
    let far = i64::from(i32::MAX) + 1;
    let bytes = gdf_memory::Buffer::zeroed(far as usize + 10, &stream, mr.as_ref());
    let Ok(bytes) = bytes else { return }; // the machine cannot allocate 2 GiB
    let offsets =
        gdf_memory::Buffer::from_host(bytemuck::cast_slice(&[0, far, far + 3]), &stream, mr.as_ref()).unwrap();
    let parts = gdf_core::ColumnParts::new(DataType::LargeBinary, stream.device(), 2).buffer(offsets).buffer(bytes);
    let column = Column::try_from_parts(parts).unwrap();
    let error = cast(column.view(), &DataType::Binary, Ctx::new(&stream, &mr)).unwrap_err();
    assert!(matches!(error, Error::OffsetOverflow { needed, .. } if needed == far as u64 + 3));
    let last = column.view().slice(1, 1).unwrap();
    let result = cast(last, &DataType::Binary, Ctx::new(&stream, &mr)).unwrap();
    assert_eq!(result.buffers()[1].len(), 3);
}

#[test]
fn unsupported_types_are_errors() {
    let (stream, mr) = setup();
    let column = Column::from_slice_typed_on(&[1_i32], &DataType::Int32, &stream, mr.as_ref()).unwrap();
    let list = DataType::List(Arc::new(gdf_core::Field::new_list_field(DataType::Int32, true)));
    for target in [DataType::Utf8, DataType::Binary, list] {
        assert!(!is_supported_cast(&DataType::Int32, &target));
        let error = cast(column.view(), &target, Ctx::new(&stream, &mr)).unwrap_err();
        let Error::Unsupported { operation: "cast", data_type: DataType::Int32, to: Some(to), .. } = error else {
            panic!("{error}");
        };
        assert_eq!(to, target);
    }
    let nonsense = DataType::Decimal32(40, 2);
    let error = cast(column.view(), &nonsense, Ctx::new(&stream, &mr)).unwrap_err();
    assert!(matches!(error, Error::InvalidArgument { .. }));
}
