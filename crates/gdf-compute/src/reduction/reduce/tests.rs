//! Tests of the checks and plans of `reduce`.

use gdf_core::{Column, DataType, Error, I256, NativeType, NativeValue, TimeUnit};
use gdf_driver::Stream;
use gdf_engine::policy::{Interpolation, NullPolicy};
use gdf_memory::Resource;

use super::ReduceAggregation::{All, Any, CountAll, CountValid, Max, Mean, Min, Product, Sum, SumOfSquares};
use super::{ReduceAggregation, default_output_type, reduce, segmented_reduce};
use crate::Ctx;

fn setup() -> (Stream, Resource) {
    gdf_engine::test_device::setup()
}

fn of<T: NativeValue>(column: &Column, aggregation: ReduceAggregation) -> Option<T> {
    as_type(column, aggregation, &default_output_type(aggregation, column.data_type()).unwrap())
}

fn as_type<T: NativeValue>(column: &Column, aggregation: ReduceAggregation, to: &DataType) -> Option<T> {
    let (stream, mr) = setup();
    let scalar = reduce(column.view(), aggregation, to, Ctx::new(&stream, &mr)).unwrap();
    assert_eq!(scalar.data_type(), to);
    scalar.value_on::<T>(&stream).unwrap()
}

fn options<T: NativeType>(data_type: &DataType, rows: &[Option<T>]) -> Column {
    let (stream, mr) = setup();
    Column::from_options_typed_on(rows, data_type, &stream, mr.as_ref()).unwrap()
}

#[test]
fn integers_of_every_length() {
    for rows in [1, 31, 32, 33, 63, 64, 65, 1000, 40_000, 100_001_usize] {
        let values: Vec<Option<i32>> = (0..rows).map(|row| (row % 3 != 1).then_some(row as i32 - 50)).collect();
        let column = options(&DataType::Int32, &values);
        let valid: Vec<i64> = values.iter().flatten().map(|row| i64::from(*row)).collect();
        assert_eq!(of::<i64>(&column, Sum), Some(valid.iter().sum()));
        assert_eq!(of::<i32>(&column, Min), Some(-50));
        assert_eq!(of::<i32>(&column, Max), valid.iter().max().map(|most| *most as i32));
        assert_eq!(of::<i64>(&column, CountValid), Some(valid.len() as i64));
        assert_eq!(of::<i64>(&column, CountAll), Some(rows as i64));
        assert_eq!(of::<i64>(&column, SumOfSquares), Some(valid.iter().map(|row| row * row).sum()));
        let mean = valid.iter().sum::<i64>() as f64 / valid.len() as f64;
        assert_eq!(of::<f64>(&column, Mean), Some(mean));
        assert_eq!(of::<bool>(&column, Any), Some(true));
        assert_eq!(of::<bool>(&column, All), Some(!valid.contains(&0)));
        let slice = column.slice(rows / 2, rows - rows / 2).unwrap();
        let expected = values[rows / 2..].iter().flatten().map(|row| i64::from(*row)).reduce(|a, b| a + b);
        assert_eq!(of::<i64>(&slice, Sum), expected);
    }
}

#[test]
fn integers_wrap_and_floats_do_not() {
    let column = options(&DataType::Int64, &[Some(i64::MAX), Some(1)]);
    assert_eq!(of::<i64>(&column, Sum), Some(i64::MIN));
    assert_eq!(as_type::<f64>(&column, Sum, &DataType::Float64), Some(2_f64.powi(63)));
    assert_eq!(of::<f64>(&column, Mean), Some(2_f64.powi(62)));
    assert_eq!(as_type::<i8>(&column, Sum, &DataType::Int8), Some(0));
    let unsigned = options(&DataType::UInt64, &[Some(u64::MAX), Some(3)]);
    assert_eq!(of::<u64>(&unsigned, Max), Some(u64::MAX));
    assert_eq!(of::<u64>(&unsigned, Product), Some(u64::MAX - 2));
    assert_eq!(as_type::<f64>(&unsigned, Product, &DataType::Float64), Some(2_f64.powi(64) * 3.0));
}

#[test]
fn nan_is_greater_than_any_number() {
    let column = options(&DataType::Float32, &[Some(1.0), Some(f32::NAN), Some(-0.0), Some(0.0), None]);
    assert!(of::<f32>(&column, Max).unwrap().is_nan());
    assert_eq!(of::<f32>(&column, Min).map(f32::to_bits), Some((-0.0_f32).to_bits()));
    let only = options(&DataType::Float64, &[Some(-f64::NAN), Some(f64::INFINITY)]);
    assert!(of::<f64>(&only, Max).unwrap().is_nan());
    assert_eq!(of::<f64>(&only, Min), Some(f64::INFINITY));
    assert_eq!(of::<bool>(&column, All), Some(false));
    assert!(of::<f32>(&column, Sum).unwrap().is_nan());
}

#[test]
fn decimals_are_exact() {
    let cents = DataType::Decimal64(18, 2);
    let column = options(&cents, &[Some(i64::MAX), Some(i64::MAX), None, Some(-3)]);
    assert_eq!(of::<i128>(&column, Sum), Some(2 * i128::from(i64::MAX) - 3));
    assert_eq!(as_type::<i64>(&column, Sum, &cents), Some(-5));
    assert_eq!(of::<i64>(&column, Min), Some(-3));
    assert_eq!(of::<i128>(&column, SumOfSquares), Some(2 * i128::from(i64::MAX).pow(2) + 9));
    assert_eq!(of::<f64>(&column, Mean), Some((2.0 * 2_f64.powi(63)) / 100.0 / 3.0));
    let wide = options(&DataType::Decimal128(38, 0), &[Some(i128::MAX), Some(i128::MAX)]);
    assert_eq!(of::<i128>(&wide, Sum), Some(-2));
    let sum: I256 = as_type(&wide, Sum, &DataType::Decimal256(76, 0)).unwrap();
    assert_eq!(sum.0.to_string(), "340282366920938463463374607431768211454");
    let widest = options(&DataType::Decimal256(76, 1), &[Some(I256::from(-7)), None, Some(I256::from(5))]);
    assert_eq!(of::<I256>(&widest, Max), Some(I256::from(5)));
    assert_eq!(of::<I256>(&widest, Min), Some(I256::from(-7)));
    assert_eq!(of::<f64>(&widest, Mean), Some(-0.1));
    assert_eq!(of::<bool>(&widest, Any), Some(true));
}

#[test]
fn booleans() {
    let (stream, mr) = setup();
    let rows: Vec<Option<bool>> = (0..200).map(|row| (row % 7 != 0).then_some(row % 2 == 0)).collect();
    let column = Column::from_options_on(&rows, &stream, mr.as_ref()).unwrap();
    for slice in [column.clone(), column.slice(3, 130).unwrap()] {
        let rows = &rows[slice.offset()..slice.offset() + slice.len()];
        let ones = rows.iter().flatten().filter(|row| **row).count();
        let count = rows.iter().flatten().count();
        assert_eq!(of::<i64>(&slice, Sum), Some(ones as i64));
        assert_eq!(of::<i64>(&slice, Product), Some(0));
        assert_eq!(of::<f64>(&slice, Mean), Some(ones as f64 / count as f64));
        assert_eq!((of::<bool>(&slice, Any), of::<bool>(&slice, All)), (Some(true), Some(false)));
        assert_eq!((of::<bool>(&slice, Min), of::<bool>(&slice, Max)), (Some(false), Some(true)));
    }
}

#[test]
fn strings_are_ordered_by_bytes() {
    let (stream, mr) = setup();
    let rows = [Some("b"), None, Some("ä"), Some("ab"), Some("a"), Some("東")];
    let column = Column::from_strs_on(&rows, &stream, mr.as_ref()).unwrap();
    let text = |column: &Column, aggregation| {
        let to = column.data_type();
        let scalar = reduce(column.view(), aggregation, to, Ctx::new(&stream, &mr)).unwrap();
        scalar.value_on::<String>(&stream).unwrap()
    };
    assert_eq!(text(&column, Min).as_deref(), Some("a"));
    assert_eq!(text(&column, Max).as_deref(), Some("東"));
    assert_eq!(text(&column.slice(1, 3).unwrap(), Max).as_deref(), Some("ä"));
    assert_eq!(text(&column.slice(1, 1).unwrap(), Max), None);
    assert_eq!(text(&column.slice(1, 0).unwrap(), Max), None);
}

#[test]
fn nothing_gives_null_or_a_number() {
    let (stream, mr) = setup();
    let empty = Column::from_slice_typed_on::<i32>(&[], &DataType::Int32, &stream, mr.as_ref()).unwrap();
    let nulls = Column::nulls_on(&DataType::Int32, 70, &stream, mr.as_ref()).unwrap();
    for column in [&empty, &nulls] {
        for aggregation in [Sum, Product, SumOfSquares] {
            assert_eq!(of::<i64>(column, aggregation), None);
        }
        assert_eq!(of::<i32>(column, Min), None);
        assert_eq!(of::<f64>(column, Mean), None);
        assert_eq!(of::<i64>(column, CountValid), Some(0));
        assert_eq!(of::<i64>(column, CountAll), Some(column.len() as i64));
        assert_eq!((of::<bool>(column, Any), of::<bool>(column, All)), (Some(false), Some(true)));
    }
    let untyped = Column::nulls_on(&DataType::Null, 5, &stream, mr.as_ref()).unwrap();
    assert_eq!((of::<i64>(&untyped, CountValid), of::<i64>(&untyped, CountAll)), (Some(0), Some(5)));
}

#[test]
fn float_sums_do_not_depend_on_threads() {
    let values: Vec<Option<f64>> =
        (0..200_000).map(|row| (row % 11 != 0).then_some(1.0 / f64::from(row + 1))).collect();
    let column = options(&DataType::Float64, &values);
    let expected = of::<f64>(&column, Sum).unwrap();
    let one = rayon::ThreadPoolBuilder::new().num_threads(1).build().unwrap();
    assert_eq!(one.install(|| of::<f64>(&column, Sum)).unwrap().to_bits(), expected.to_bits());
    let precise: f64 = values.iter().rev().flatten().sum();
    assert!((expected - precise).abs() < 1e-13);
}

#[test]
fn unsuitable_types_are_errors() {
    let (stream, mr) = setup();
    let column = options(&DataType::Int32, &[Some(1)]);
    let error = |column: &Column, aggregation, to: &DataType| {
        reduce(column.view(), aggregation, to, Ctx::new(&stream, &mr)).unwrap_err()
    };
    assert!(matches!(error(&column, Min, &DataType::Int64), Error::TypeMismatch { .. }));
    assert!(matches!(error(&column, Any, &DataType::Int32), Error::TypeMismatch { .. }));
    let moments = options(&DataType::Timestamp(TimeUnit::Second, None), &[Some(1_i64)]);
    assert!(matches!(error(&moments, Sum, &DataType::Int64), Error::Unsupported { operation: "reduce", .. }));
}

#[test]
fn aggregations_of_whole_columns_refuse_segments() {
    use crate::stream_compaction::{NanEquality::AllEqual, NullEquality::Equal};
    use ReduceAggregation::{ArgMax, ArgMin, CollectList, CollectSet, Median, NthElement, Nunique, Quantile};
    let (stream, mr) = setup();
    let column = options(&DataType::Int64, &[Some(1_i64), Some(2)]);
    let offsets = options(&DataType::Int32, &[Some(0), Some(2)]);
    let nulls = NullPolicy::Exclude;
    let refused = |column: &Column, aggregation, to: &DataType| {
        let ctx = Ctx::new(&stream, &mr);
        let error = segmented_reduce(column.view(), offsets.view(), aggregation, to, nulls, ctx).unwrap_err();
        assert!(matches!(error, Error::Unsupported { operation: "segmented_reduce", .. }), "{error}");
    };
    for aggregation in [
        Median,
        Quantile { q: 0.5, interpolation: Interpolation::Linear },
        ArgMin,
        ArgMax,
        NthElement { n: 0, nulls },
        CollectList { nulls },
        CollectSet { nulls, null_equality: Equal, nan_equality: AllEqual },
    ] {
        refused(&column, aggregation, &default_output_type(aggregation, &DataType::Int64).unwrap());
    }
    refused(&Column::nulls_on(&DataType::Null, 2, &stream, mr.as_ref()).unwrap(), Nunique(nulls), &DataType::Int64);
}
