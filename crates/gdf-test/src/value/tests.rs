//! Tests of values: arrays of every type are converted to values and back.

use std::collections::HashSet;

use arrow_array::types::Int32Type;
use arrow_array::{Array, ArrayRef, PrimitiveArray, UnionArray};
use arrow_schema::{Field, UnionFields, UnionMode};

use super::*;
use crate::data::{self, NullPattern, random_array};

#[test]
fn every_type_survives_the_round_trip() {
    for data_type in data::all() {
        for &len in data::SMALL_BRACKETS {
            for &nulls in NullPattern::ALL {
                let array = random_array(&data_type, len, nulls, len as u64);
                let values = to_values(&array);
                assert_eq!(values.len(), len);
                let back = try_from_values(&data_type, &values).unwrap();
                assert_eq!(back.data_type(), &data_type);
                back.to_data().validate_full().unwrap();
                assert_eq!(to_values(&back), values, "{data_type} {nulls:?} {len}");
                if len > 5 {
                    assert_eq!(to_values(&back.slice(3, len - 5)), values[3..len - 2]);
                }
            }
        }
    }
}

#[test]
fn arrow_agrees_about_what_the_values_are() {
    let ints: PrimitiveArray<Int32Type> = vec![Some(-1), None, Some(i32::MAX)].into();
    assert_eq!(to_values(&ints), [Some(Value::from(-1)), None, Some(Value::from(i32::MAX))]);
    let decimal = DataType::Decimal64(10, 2);
    let built = from_values(&decimal, &[Some(Value::Decimal(i256::from_i128(-123))), None]);
    assert_eq!(arrow_cast::display::array_value_to_string(&built, 0).unwrap(), "-1.23");
    let interval = Value::Interval { months: 0, days: -3, nanoseconds: 5_000_000 };
    let day_time = DataType::Interval(arrow_schema::IntervalUnit::DayTime);
    assert_eq!(to_values(&from_values(&day_time, &[Some(interval.clone())])), [Some(interval)]);
}

#[test]
fn unions_of_both_modes_survive() {
    let fields =
        UnionFields::try_new([0, 5], [Field::new("i", DataType::Int32, true), Field::new("s", DataType::Utf8, true)])
            .unwrap();
    let of = |id, value: Option<Value>| Some(Value::Union(id, Box::new(value)));
    let values = vec![of(5, Some("x".into())), of(0, Some(7.into())), of(5, None), of(0, Some(8.into()))];
    for mode in [UnionMode::Dense, UnionMode::Sparse] {
        let data_type = DataType::Union(fields.clone(), mode);
        let array: ArrayRef = from_values(&data_type, &values);
        assert!(array.as_any().is::<UnionArray>());
        assert_eq!(to_values(&array), values);
        assert_eq!(to_values(&array.slice(1, 2)), values[1..3]);
        assert!(try_from_values(&data_type, &[of(3, None)]).is_err());
    }
}

#[test]
fn values_that_do_not_fit_are_refused() {
    let unfit = |data_type: DataType, value: Value| {
        let result = try_from_values(&data_type, &[None, Some(value)]);
        assert!(matches!(result, Err(ValueError::Unfit { .. })), "{data_type}");
    };
    unfit(DataType::Int8, Value::Int(128));
    unfit(DataType::UInt8, Value::Int(-1));
    unfit(DataType::Utf8, Value::Bool(true));
    unfit(DataType::Binary, Value::from("text"));
    unfit(DataType::Float32, Value::F64(1.0));
    unfit(DataType::FixedSizeBinary(3), Value::from(&b"xx"[..]));
    unfit(DataType::Null, Value::Bool(true));
    unfit(data::nested()[0].clone(), Value::List(vec![Some("x".into())]));
    assert!(try_from_values(&DataType::Null, &[None]).is_ok());
}

#[test]
fn equality_is_that_of_data_movement() {
    let other_nan = f64::from_bits(0xfff8_0000_0000_0001);
    assert_eq!(Value::F64(f64::NAN), Value::F64(other_nan));
    assert_ne!(Value::F64(-0.0), Value::F64(0.0));
    assert!(Value::F64(-0.0) < Value::F64(0.0));
    assert!(Value::F32(f32::INFINITY) < Value::F32(-f32::NAN));
    assert!(Value::F32(-1.0) < Value::F32(f32::from_bits(1)));
    assert_ne!(Value::Int(1), Value::UInt(1));
    let set: HashSet<Value> = [Value::F64(f64::NAN), Value::F64(other_nan)].into();
    assert_eq!(set.len(), 1);
    let mut sorted = vec![Some(Value::from(2)), None, Some(Value::from(-2))];
    sorted.sort();
    assert_eq!(sorted, [None, Some(Value::from(-2)), Some(Value::from(2))]);
}
