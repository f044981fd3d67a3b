//! Tests of literals: their types, and their conversion to columns and scalars on the CPU.

use gdf_memory::{HostResource, LimitingResource, Resource};

use super::*;
use crate::{Operand, Scalar};

fn cpu() -> (Stream, Resource) {
    (Stream::cpu(), gdf_memory::current_resource(Device::Cpu).unwrap())
}

fn nothing() -> Resource {
    Resource::new(LimitingResource::new(Resource::new(HostResource::new()), 0))
}

#[test]
fn every_number_keeps_its_value() {
    fn check<T: NativeValue + for<'a> LiteralValue<'a>>(value: T) {
        let literal = Literal::from(value);
        assert_eq!(literal.data_type(), &T::DATA_TYPE);
        let (stream, mr) = cpu();
        let here = literal.to_operand_scalar(&stream, nothing().as_ref()).unwrap();
        let there = Scalar::new_on(literal, &stream, mr.as_ref()).unwrap();
        let repeated = literal.repeated(70, &stream, mr.as_ref()).unwrap();
        assert_eq!((here.value::<T>().unwrap(), there.value::<T>().unwrap()), (Some(value), Some(value)));
        assert_eq!(repeated.to_vec::<T>().unwrap(), [Some(value); 70]);
        assert_eq!(Scalar::new_on(None::<T>, &stream, mr.as_ref()).unwrap().value::<T>().unwrap(), None);
        assert_eq!(Column::full(None::<T>, 3).unwrap().null_count().unwrap(), 3);
    }
    check(-1_i8);
    check(i16::MIN);
    check(-3_i32);
    check(i64::MAX);
    check(1_u8);
    check(2_u16);
    check(u32::MAX);
    check(u64::MAX);
    check(f16::from_f32(1.5));
    check(1.5_f32);
    check(f64::INFINITY);
    check(-(1_i128 << 100));
    check(I256::from(-7));
    check(true);
    check(false);
}

#[test]
fn text_keeps_its_value() {
    let (stream, mr) = cpu();
    for text in ["", "a", "grüße und mehr als zwölf Bytes"] {
        let owned = text.to_owned();
        assert_eq!(Literal::from(text), Literal::from(&owned));
        for data_type in [DataType::Utf8, DataType::LargeUtf8] {
            let literal = Literal::from(text).with_type(&data_type).unwrap();
            let here = literal.to_operand_scalar(&stream, nothing().as_ref()).unwrap();
            assert_eq!((here.data_type(), here.value::<String>().unwrap().as_deref()), (&data_type, Some(text)));
            let column = literal.repeated(3, &stream, mr.as_ref()).unwrap();
            assert_eq!(column.to_strings().unwrap(), vec![Some(owned.clone()); 3]);
            assert!(literal.repeated(0, &stream, mr.as_ref()).unwrap().is_empty());
        }
    }
    let bytes = Scalar::new_on(Literal::binary(b"\xff"), &stream, mr.as_ref()).unwrap();
    assert_eq!((bytes.data_type(), bytes.column().buffers()[1].len()), (&DataType::Binary, 1));
}

#[test]
fn types_change_only_where_the_value_stays() {
    let kept = |literal: Literal<'_>, data_type: DataType| literal.with_type(&data_type).is_ok();
    assert!(kept(Literal::from(127), DataType::Int8) && !kept(Literal::from(128), DataType::Int8));
    assert!(kept(Literal::from(-1), DataType::Int64) && !kept(Literal::from(-1), DataType::UInt64));
    assert!(kept(Literal::from(2.0), DataType::Int32) && !kept(Literal::from(2.5), DataType::Int32));
    assert!(kept(Literal::from(u64::MAX), DataType::UInt64) && !kept(Literal::from(u64::MAX), DataType::Float64));
    assert!(
        kept(Literal::from(1_i64 << 53), DataType::Float64)
            && !kept(Literal::from((1_i64 << 53) + 1), DataType::Float64)
    );
    assert!(kept(Literal::from(0.5), DataType::Float16) && !kept(Literal::from(0.1), DataType::Float32));
    assert!(kept(Literal::from(f64::NAN), DataType::Float32) && !kept(Literal::from(f64::NAN), DataType::Int32));
    assert!(
        !kept(Literal::from(f64::INFINITY), DataType::Int64) && kept(Literal::from(f64::INFINITY), DataType::Float32)
    );
    assert!(kept(Literal::from(99), DataType::Decimal32(4, 2)) && !kept(Literal::from(100), DataType::Decimal32(4, 2)));
    assert!(kept(Literal::from(i64::MIN), DataType::Decimal256(76, 10)));
    assert!(!kept(Literal::from(1), DataType::Boolean) && !kept(Literal::from(true), DataType::Int32));
    assert!(!kept(Literal::from("1"), DataType::Int32) && !kept(Literal::from("1"), DataType::Binary));
    assert!(kept(Literal::from(None::<i32>), DataType::Utf8));
    let decimal = DataType::Decimal64(9, 2);
    let price = Scalar::new(Literal::from(3).with_type(&decimal).unwrap()).unwrap();
    assert_eq!(price.value::<i64>().unwrap(), Some(300));
}

#[test]
fn typed_literals_are_of_types_that_store_the_value() {
    assert!(Literal::typed(Some(1_i32), &DataType::Date32).is_ok());
    assert!(matches!(Literal::typed(Some(1_i64), &DataType::Date32), Err(Error::TypeMismatch { .. })));
    assert!(matches!(Literal::typed(None::<bool>, &DataType::Int8), Err(Error::TypeMismatch { .. })));
}

#[test]
fn operands_of_literals() {
    let operand = Operand::from(3.0);
    assert_eq!((operand.data_type(), operand.device(), operand.len()), (&DataType::Float64, None, None));
    assert!(operand.is_scalar() && !operand.is_empty() && !operand.has_validity());
    assert!(Operand::from(None::<i32>).has_validity());
    assert_eq!(Operand::from("x").data_type(), &DataType::Utf8);
}

#[test]
fn memory_that_runs_out_is_an_error() {
    let (stream, failing) = (Stream::cpu(), nothing());
    for error in [
        Scalar::new_on(1, &stream, &failing).map(drop),
        Scalar::new_on("a", &stream, &failing).map(drop),
        Column::full_on(1, 5, &stream, &failing).map(drop),
        Column::sequence_on(0, 1, 5, &stream, &failing).map(drop),
    ] {
        assert!(error.unwrap_err().is_out_of_memory());
    }
    assert!(Column::sequence(0_u8, 1, usize::MAX / 2).unwrap_err().is_out_of_memory());
}

#[test]
fn sequences_wrap() {
    assert_eq!(Column::sequence(250_u8, 3, 4).unwrap().to_vec::<u8>().unwrap(), [250, 253, 0, 3].map(Some));
    assert_eq!(Column::sequence(1.0, 0.5, 3).unwrap().to_vec::<f64>().unwrap(), [1.0, 1.5, 2.0].map(Some));
    assert!(Column::sequence(1, 1, 0).unwrap().is_empty());
}

#[cfg(feature = "chrono")]
#[test]
fn dates_of_chrono() {
    use chrono::{DateTime, NaiveDate, NaiveTime, TimeDelta, Utc};
    fn check<T>(value: T, data_type: &str, ticks: i64)
    where
        T: for<'a> LiteralValue<'a> + crate::ColumnValue + PartialEq + std::fmt::Debug,
    {
        let scalar = Scalar::new(value).unwrap();
        assert_eq!(scalar.data_type().to_string(), data_type);
        let found = scalar.value::<i64>().or_else(|_| Ok::<_, Error>(scalar.value::<i32>()?.map(i64::from))).unwrap();
        assert_eq!((found, scalar.value::<T>().unwrap()), (Some(ticks), Some(value)));
    }
    let date = |text: &str| text.parse::<NaiveDate>().unwrap();
    check(date("1970-01-02"), "Date32", 1);
    check(date("1969-12-31"), "Date32", -1);
    check(NaiveDate::MIN, "Date32", -96_465_292);
    check(NaiveTime::from_hms_milli_opt(0, 0, 1, 500).unwrap(), "Time64(ns)", 1_500_000_000);
    check(date("1970-01-02").and_hms_micro_opt(0, 0, 0, 7).unwrap(), "Timestamp(µs)", 86_400_000_007);
    check(date("1969-12-31").and_hms_micro_opt(23, 59, 59, 999_999).unwrap(), "Timestamp(µs)", -1);
    let instant: DateTime<Utc> = "2001-02-03T04:05:06Z".parse().unwrap();
    check(instant, "Timestamp(µs, \"UTC\")", 981_173_106_000_000);
    check(TimeDelta::microseconds(-1_500_000), "Duration(µs)", -1_500_000);
    let at = |nanos| DateTime::UNIX_EPOCH.naive_utc() + TimeDelta::nanoseconds(nanos);
    assert_eq!(Scalar::new(at(-1)).unwrap().value::<i64>().unwrap(), Some(-1));
    assert_eq!(Scalar::new(TimeDelta::nanoseconds(-1)).unwrap().value::<i64>().unwrap(), Some(-1));
    assert_eq!(Scalar::new(TimeDelta::nanoseconds(1999)).unwrap().value::<i64>().unwrap(), Some(1));
    assert_eq!(Scalar::new(TimeDelta::nanoseconds(-2000)).unwrap().value::<i64>().unwrap(), Some(-2));
    assert_eq!(Scalar::new(TimeDelta::MAX).unwrap().value::<i64>().unwrap(), Some(i64::MAX));
    assert_eq!(Scalar::new(TimeDelta::MIN).unwrap().value::<i64>().unwrap(), Some(i64::MIN));
    for (nanos, beyond) in [(0, 0), (1999, 999), (-1, 999), (-2000, 0)] {
        let literals = [Literal::from(at(nanos)), at(nanos).and_utc().into(), TimeDelta::nanoseconds(nanos).into()];
        for literal in literals {
            assert_eq!(literal.nanoseconds_beyond(), beyond, "{nanos}");
            assert_eq!(literal.in_nanoseconds().unwrap().stored_word(), Some(nanos as u64), "{nanos}");
        }
    }
    assert_eq!(Literal::from(NaiveDate::MAX.and_hms_opt(0, 0, 0).unwrap()).in_nanoseconds(), None);
    let leap = NaiveTime::from_hms_nano_opt(23, 59, 59, 1_999_999_999).unwrap();
    assert_eq!(Scalar::new(leap).unwrap().value::<i64>().unwrap(), Some(86_399_999_999_999));
}

#[cfg(feature = "jiff")]
#[test]
fn dates_of_jiff() {
    use jiff::civil::{date, time};
    let ticks = |scalar: Result<Scalar>| scalar.unwrap().value::<i64>().unwrap().unwrap();
    assert_eq!(Scalar::new(date(1969, 12, 31)).unwrap().value::<i32>().unwrap(), Some(-1));
    assert_eq!(Scalar::new(date(2001, 2, 3)).unwrap().value::<i32>().unwrap(), Some(11_356));
    assert_eq!(Scalar::new(jiff::civil::Date::MIN).unwrap().value::<i32>().unwrap(), Some(-4_371_587));
    assert_eq!(ticks(Scalar::new(time(0, 0, 1, 500))), 1_000_000_500);
    assert_eq!(ticks(Scalar::new(date(1970, 1, 2).at(0, 0, 0, 7_999))), 86_400_000_007);
    assert_eq!(ticks(Scalar::new(jiff::Timestamp::from_nanosecond(-1).unwrap())), -1);
    assert_eq!(ticks(Scalar::new(jiff::SignedDuration::MAX)), i64::MAX);
    let utc = Scalar::new(jiff::Timestamp::UNIX_EPOCH).unwrap();
    assert_eq!(utc.data_type().to_string(), "Timestamp(µs, \"UTC\")");
}
