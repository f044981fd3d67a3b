//! Tests of the checks of operands, and of cases whose result may surprise.

use gdf_core::{Column, DataType, Error, NativeType, Operand, Result, Scalar, TimeUnit, f16};
use gdf_driver::Stream;

use super::BinaryOperator::{self, *};
use crate::Ctx;
use crate::test_device::{on_host, setup};

fn column<T: NativeType>(data_type: &DataType, rows: &[Option<T>]) -> Column {
    let (stream, mr) = setup();
    Column::from_options_typed_on(rows, data_type, &stream, mr.as_ref()).unwrap()
}

fn plain<T: NativeType>(rows: &[T]) -> Column {
    let rows: Vec<_> = rows.iter().copied().map(Some).collect();
    column(&T::DATA_TYPE, &rows)
}

fn run<'a>(
    lhs: impl Into<Operand<'a>>,
    rhs: impl Into<Operand<'a>>,
    op: BinaryOperator,
    output: &DataType,
) -> Result<Column> {
    let (stream, mr) = setup();
    super::binary(lhs.into(), rhs.into(), op, output, Ctx::new(&stream, &mr))
}

fn rows<T: NativeType>(of: &Column) -> Vec<Option<T>> {
    let (of, stream) = (on_host(of), Stream::cpu());
    let values = of.buffers()[0].read_on(&stream).unwrap();
    let values = of.view().values::<T>(&values).unwrap().to_vec();
    let valid = of.validity().map(|bits| bits.to_host(&stream).unwrap());
    let is_valid = |row: usize| valid.as_ref().is_none_or(|bits| bits[row / 8] >> (row % 8) & 1 == 1);
    values.into_iter().enumerate().map(|(row, value)| is_valid(row).then_some(value)).collect()
}

#[test]
fn operands_must_fit() {
    let (three, two) = (plain(&[1_i32, 2, 3]), plain(&[1_i32, 2]));
    let length = run(&three, &two, Add, &DataType::Int32);
    assert!(matches!(length, Err(Error::LengthMismatch { expected: 3, found: 2, .. })));
    let (stream, mr) = setup();
    let scalar = Scalar::typed_on(Some(1_i32), &DataType::Int32, &stream, mr.as_ref()).unwrap();
    assert!(matches!(run(&scalar, &scalar, Add, &DataType::Int32), Err(Error::InvalidArgument { .. })));
    assert!(matches!(run(&three, &scalar, Less, &DataType::Int32), Err(Error::TypeMismatch { .. })));
    assert!(matches!(run(&three, &scalar, Add, &DataType::Utf8), Err(Error::Unsupported { .. })));
    assert!(matches!(run(&three, &scalar, Add, &DataType::Decimal64(9, 2)), Err(Error::TypeMismatch { .. })));
    assert!(matches!(run(&three, &scalar, BitwiseOr, &DataType::Float32), Err(Error::Unsupported { .. })));
}

#[test]
fn types_of_times_must_agree() {
    let seconds = |zone: Option<&str>| DataType::Timestamp(TimeUnit::Second, zone.map(Into::into));
    let duration = DataType::Duration(TimeUnit::Second);
    let (at, by) = (column(&seconds(Some("UTC")), &[Some(5_i64)]), column(&duration, &[Some(1_i64)]));
    assert_eq!(rows::<i64>(&run(&at, &by, Add, &seconds(Some("UTC"))).unwrap()), [Some(6)]);
    for output in [seconds(None), seconds(Some("Europe/Berlin")), duration.clone(), DataType::Int64] {
        assert!(matches!(run(&at, &by, Add, &output), Err(Error::TypeMismatch { .. })), "{output}");
    }
    assert!(matches!(run(&by, &by, Div, &duration), Err(Error::TypeMismatch { .. })));
    assert!(matches!(run(&at, &at, Mul, &duration), Err(Error::Unsupported { .. })));
}

#[test]
fn scales_that_lie_too_far_apart_are_refused() {
    let one = column(&DataType::Decimal64(9, 2), &[Some(100_i64)]);
    let far = run(&one, &one, Add, &DataType::Decimal128(38, -80));
    assert!(matches!(far, Err(Error::InvalidArgument { .. })));
    assert_eq!(rows::<i128>(&run(&one, &one, Add, &DataType::Decimal128(38, -40)).unwrap()), [Some(0)]);
    assert!(run(&one, &one, Add, &DataType::Decimal256(76, -40)).is_ok());
}

#[test]
fn decimals_that_fit_need_no_digits_for_their_scaled_operands() {
    let of = |data_type: &DataType, values: [i128; 2]| column(data_type, &values.map(Some));
    let fraction = DataType::Decimal128(38, 18);
    let one = 10_i128.pow(18);
    let (lhs, rhs) = (of(&fraction, [one, 250_000 * one]), of(&fraction, [one, 25 * one]));
    let quotients = run(&lhs, &rhs, Div, &DataType::Decimal128(38, 22)).unwrap();
    assert_eq!(rows::<i128>(&quotients), [Some(10_i128.pow(22)), Some(10_i128.pow(26))]);
    let whole = of(&DataType::Decimal128(38, 0), [7, 10_i128.pow(37)]);
    assert_eq!(rows::<i128>(&run(&whole, &lhs, Mod, &fraction).unwrap()), [Some(0), Some(0)]);
    assert_eq!(rows::<i128>(&run(&lhs, &whole, Mod, &fraction).unwrap()), [Some(one), Some(250_000 * one)]);
    let products = run(&lhs, &rhs, Mul, &fraction).unwrap();
    assert_eq!(rows::<i128>(&products), [Some(one), Some(6_250_000 * one)]);
}

#[test]
fn division_by_zero_is_null_and_has_a_mask_without_one() {
    let (lhs, rhs) = (plain(&[7_i32, -7, i32::MIN]), plain(&[0_i32, 2, -1]));
    let of = |op| rows::<i32>(&run(&lhs, &rhs, op, &DataType::Int32).unwrap());
    assert_eq!(of(Div), [None, Some(-3), Some(i32::MIN)]);
    assert_eq!(of(FloorDiv), [None, Some(-4), Some(i32::MIN)]);
    assert_eq!(of(Mod), [None, Some(-1), Some(0)]);
    assert_eq!(of(PMod), [None, Some(1), Some(0)]);
    assert_eq!(of(PyMod), [None, Some(1), Some(0)]);
    let fine = run(&plain(&[1_i32]), &plain(&[1_i32]), Div, &DataType::Int32).unwrap();
    assert!(fine.has_validity());
    assert_eq!(fine.null_count_on(&crate::test_device::setup().0).unwrap(), 0);
    let floats = run(&lhs, &rhs, Div, &DataType::Float64).unwrap();
    assert_eq!(rows::<f64>(&floats), [Some(f64::INFINITY), Some(-3.5), Some(2_147_483_648.0)]);
    assert!(!floats.has_validity());
}

#[test]
fn the_output_type_takes_part_in_the_common_type() {
    let big = plain(&[i32::MAX]);
    assert_eq!(rows::<i32>(&run(&big, &big, Add, &DataType::Int32).unwrap()), [Some(-2)]);
    assert_eq!(rows::<i64>(&run(&big, &big, Add, &DataType::Int64).unwrap()), [Some(4_294_967_294)]);
    let half = plain(&[f16::from_f32(2048.0)]);
    let sum = run(&half, &plain(&[1_i8]), Add, &DataType::Float32).unwrap();
    assert_eq!(rows::<f32>(&sum), [Some(2049.0)]);
    let wrapped = run(&plain(&[300.7_f64]), &plain(&[0_i8]), Add, &DataType::UInt8).unwrap();
    assert_eq!(rows::<u8>(&wrapped), [Some(255)]);
}

#[test]
fn nulls_and_nan_of_choices() {
    let lhs = column(&DataType::Float64, &[Some(1.0), None, Some(f64::NAN), None]);
    let rhs = column(&DataType::Float64, &[Some(2.0), Some(3.0), Some(4.0), None]);
    let max = run(&lhs, &rhs, NullMax, &DataType::Float64).unwrap();
    assert_eq!(rows::<f64>(&max), [Some(2.0), Some(3.0), Some(4.0), None]);
    let (stream, mr) = setup();
    let min = Scalar::typed_on(Some(1.5_f64), &DataType::Float64, &stream, mr.as_ref()).unwrap();
    let clamped = run(&lhs, &min, NullMin, &DataType::Float64).unwrap();
    assert!(!clamped.has_validity(), "the scalar stands in for every null");
    assert_eq!(rows::<f64>(&clamped), [Some(1.0), Some(1.5), Some(1.5), Some(1.5)]);
}

#[test]
fn decimals_are_exact() {
    let money = DataType::Decimal128(15, 2);
    let price = column(&money, &[Some(100_010_i128), Some(-1), None]);
    let discount = column(&money, &[Some(6_i128), Some(1), Some(1)]);
    let off = run(&price, &discount, Mul, &DataType::Decimal128(31, 4)).unwrap();
    assert_eq!(rows::<i128>(&off), [Some(600_060), Some(-1), None]);
    let cut = run(&price, &discount, Mul, &money).unwrap();
    assert_eq!(rows::<i128>(&cut), [Some(6_000), Some(0), None]);
    let quotient = run(&price, &discount, Div, &DataType::Decimal128(38, 3)).unwrap();
    assert_eq!(rows::<i128>(&quotient), [Some(16_668_333), Some(-1_000), None]);
}
