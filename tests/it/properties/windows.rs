//! Compares aggregations of windows with the oracle, which reduces each window separately. The frames and the groups of
//! the windows are random.

use std::ops::Range;

use arrow_array::ArrayRef;
use arrow_schema::{DataType, TimeUnit};
use gdf_api::rolling::{
    NullOrder, Order, RangeWindow, RangeWindowBound, RollingAggregation as Aggregation, WindowBound,
    grouped_range_rolling_window, grouped_rolling_window, rolling_window, variable_rolling_window,
};
use gdf_core::{Column, Table, is_floating};
use gdf_detail::scan::NullPolicy;
use gdf_test::builders::ints;
use gdf_test::compare::Equality;
use gdf_test::value::{Value, from_values};
use gdf_tests::naive::rolling::{Reach, by_range, by_rows, groups, roll};
use gdf_tests::naive::sorting::{Direction, sort_by_key};
use proptest::prelude::*;
use proptest::sample::select;
use proptest::test_runner::TestCaseResult;

use super::{Bench, Sample, check, oracle, samples};

fn aggregations() -> impl Strategy<Value = Aggregation> {
    let nulls = || select(&[NullPolicy::Include, NullPolicy::Exclude]);
    prop_oneof![
        6 => select(&[
            Aggregation::Sum, Aggregation::SumOfSquares, Aggregation::Mean, Aggregation::Min, Aggregation::Max,
            Aggregation::CountValid, Aggregation::CountAll, Aggregation::RowNumber, Aggregation::ArgMin,
            Aggregation::ArgMax,
        ]),
        1 => (0..200_usize).prop_map(Aggregation::Lead),
        1 => (0..200_usize).prop_map(Aggregation::Lag),
        1 => (-9..9_i64, nulls()).prop_map(|(n, null_policy)| Aggregation::NthElement { n, null_policy }),
        1 => (0..3_u32).prop_map(|ddof| Aggregation::Variance { ddof }),
        1 => (0..3_u32).prop_map(|ddof| Aggregation::Std { ddof }),
        1 => nulls().prop_map(|nulls| Aggregation::CollectList { nulls }),
    ]
}

/// Makes inputs.
fn inputs() -> impl Strategy<Value = Sample> {
    use DataType::{Boolean, Date32, Decimal64, Decimal128, Decimal256, Float64, Int8, Int64, LargeUtf8, UInt16, Utf8};
    let types = vec![
        Boolean,
        Date32,
        Decimal64(18, 4),
        Decimal128(38, 10),
        Decimal256(76, 0),
        Float64,
        Int8,
        Int64,
        LargeUtf8,
        UInt16,
        Utf8,
    ];
    prop_oneof![4 => samples(types.clone(), 0..150), 1 => samples(types, 150..700)]
}

/// Makes bounds of windows as numbers of rows.
fn bounds() -> impl Strategy<Value = i64> {
    prop_oneof![4 => 0..6_i64, 2 => 0..120_i64, 1 => 120..900_i64, 1 => -40..0_i64, 1 => Just(i64::MAX)]
}

fn bound(rows: i64) -> WindowBound {
    if rows == i64::MAX { WindowBound::Unbounded } else { WindowBound::Rows(rows) }
}

/// Returns whether the result can be compared with the result of the oracle.
fn is_comparable(aggregation: Aggregation, data_type: &DataType) -> bool {
    use Aggregation::{Mean, Std, Sum, SumOfSquares, Variance};
    let adds = matches!(aggregation, Sum | SumOfSquares | Mean | Variance { .. } | Std { .. });
    let spreads = matches!(aggregation, Mean | SumOfSquares | Variance { .. } | Std { .. });
    aggregation.result_type(data_type).is_ok()
        && !(adds && is_floating(data_type))
        && !(spreads && gdf_core::width(data_type).is_some_and(|width| width > 2))
}

fn compare(
    bench: &Bench,
    sample: &Sample,
    windows: &[Range<usize>],
    (min_periods, aggregation): (usize, Aggregation),
    got: &Column,
) -> TestCaseResult {
    let to = aggregation.result_type(&sample.data_type)?;
    let expected = roll(&sample.array(), windows, min_periods, aggregation, &to).map_err(oracle)?;
    let equality = if is_floating(&to) { Equality::Ulp(64) } else { Equality::Exact };
    bench.near(&expected[0], got, equality)
}

#[test]
fn frames_of_rows() {
    let how = || (0..5_usize, aggregations());
    check(
        150,
        || (inputs(), bounds(), bounds(), how()),
        |bench, (sample, before, after, how)| {
            prop_assume!(is_comparable(how.1, &sample.data_type) && before.saturating_add(after) > 0);
            let column = bench.column(&sample.array(), sample.offset)?;
            let windows = by_rows(&groups(&[], sample.rows), |_| Some((before, after)));
            let got = rolling_window(&column, bound(before), bound(after), how.0, how.1)?;
            compare(bench, &sample, &windows, how, &got)
        },
    );
}

#[test]
fn frames_of_groups() {
    let keys = select(vec![DataType::Boolean, DataType::Utf8, DataType::Int8]);
    let how = || (0..4_usize, aggregations());
    check(
        100,
        || (inputs(), keys, bounds(), bounds(), how()),
        |bench, (sample, key, before, after, how)| {
            prop_assume!(is_comparable(how.1, &sample.data_type) && before.saturating_add(after) > 0);
            // `RowNumber` has no meaning in a window that does not contain its own row, so such windows are skipped.
            prop_assume!(how.1 != Aggregation::RowNumber || before > 0);
            // Equal keys must be adjacent, so the rows are sorted by their keys.
            let keys = sample.beside(&key);
            let direction = [Direction { descending: false, nulls_smallest: true }];
            let columns = [keys];
            let keys = sort_by_key(&columns, &columns, &direction, sample.rows).map_err(oracle)?;
            let column = bench.column(&sample.array(), sample.offset)?;
            let windows = by_rows(&groups(&keys, sample.rows), |_| Some((before, after)));
            let table = bench.table(&keys, sample.offset / 2)?;
            let got = grouped_rolling_window(&table, &column, bound(before), bound(after), how.0, how.1)?;
            compare(bench, &sample, &windows, how, &got)
        },
    );
}

#[test]
fn each_row_has_its_own_frame() {
    let bounds = proptest::collection::vec((-9..200_i32, -9..40_i32), 700);
    let how = || (0..4_usize, aggregations());
    check(
        80,
        || (inputs(), bounds, how()),
        |bench, (sample, bounds, how)| {
            prop_assume!(is_comparable(how.1, &sample.data_type));
            let column = bench.column(&sample.array(), sample.offset)?;
            let of = |which: fn(&(i32, i32)) -> i32| {
                let rows = bounds[..sample.rows].iter().map(|bounds| Some(which(bounds)));
                bench.column(&ints::<arrow_array::types::Int32Type>(rows), sample.offset / 3)
            };
            let (before, after) = (of(|bounds| bounds.0)?, of(|bounds| bounds.1)?);
            let windows = by_rows(&groups(&[], sample.rows), |row| Some((bounds[row].0.into(), bounds[row].1.into())));
            let got = variable_rolling_window(&column, &before, &after, how.0, how.1)?;
            compare(bench, &sample, &windows, how, &got)
        },
    );
}

#[derive(Clone, Copy, Debug, PartialEq)]
enum To {
    Group,
    Peers,
    Closed(u8),
    Open(u8),
}

fn reaches() -> impl Strategy<Value = To> {
    prop_oneof![Just(To::Group), Just(To::Peers), (0..60_u8).prop_map(To::Closed), (0..60_u8).prop_map(To::Open)]
}

/// Returns values of few different sizes, so that windows have several rows.
fn crowded(array: &ArrayRef) -> ArrayRef {
    let near = |value: Value| match value {
        Value::Int(number) => Value::Int(number.rem_euclid(90)),
        Value::UInt(number) => Value::UInt(number % 90),
        Value::F64(number) if number.is_finite() => Value::F64((number % 90.0).trunc() / 2.0),
        Value::Decimal(number) => {
            let small = number.to_i128().unwrap_or(5).rem_euclid(90);
            Value::Decimal(arrow_buffer::i256::from_i128(small))
        }
        other => other,
    };
    let values = gdf_test::value::to_values(array).into_iter().map(|value| value.map(near)).collect::<Vec<_>>();
    from_values(array.data_type(), &values)
}

#[test]
fn frames_of_values() {
    use DataType::{Date32, Decimal128, Float64, Int16, UInt64};
    let orders = select(vec![
        Int16,
        UInt64,
        Float64,
        Decimal128(38, 2),
        Date32,
        DataType::Timestamp(TimeUnit::Millisecond, None),
    ]);
    let directions = (any::<bool>(), any::<bool>());
    let how = || (0..4_usize, aggregations());
    let values = || samples(vec![DataType::Int64, DataType::Int8], 0..300);
    check(
        100,
        || (values(), orders, directions, [reaches(), reaches()], how()),
        |bench, (sample, of, directions, to, how)| {
            prop_assume!(is_comparable(how.1, &sample.data_type));
            let (descending, nulls_smallest) = directions;
            let columns = [sample.beside(&DataType::Boolean), crowded(&sample.beside(&of))];
            let by = [Direction { descending: false, nulls_smallest: true }, Direction { descending, nulls_smallest }];
            let sorted = sort_by_key(&columns, &columns, &by, sample.rows).map_err(oracle)?;
            let delta_type = match &of {
                DataType::Timestamp(unit, _) => DataType::Duration(*unit),
                Date32 => DataType::Int32,
                other => other.clone(),
            };
            let delta = |to: To| -> ArrayRef {
                let (To::Closed(delta) | To::Open(delta)) = to else { return from_values(&delta_type, &[None]) };
                let value = match delta_type {
                    Float64 => Value::F64(f64::from(delta) / 4.0),
                    UInt64 => Value::UInt(delta.into()),
                    Decimal128(..) => Value::Decimal(arrow_buffer::i256::from_i128(delta.into())),
                    _ => Value::Int(delta.into()),
                };
                from_values(&delta_type, &[Some(value)])
            };
            let arrays = to.map(delta);
            let reach = |at: usize| match to[at] {
                To::Group => Reach::Group,
                To::Peers => Reach::Peers,
                To::Closed(_) => Reach::Delta(&arrays[at], false),
                To::Open(_) => Reach::Delta(&arrays[at], true),
            };
            let windows = by_range(&sorted[..1], &sorted[1], descending, [reach(0), reach(1)]).map_err(oracle)?;
            let deltas = [bench.column(&arrays[0], 0)?, bench.column(&arrays[1], 0)?];
            let bound = |at: usize| match to[at] {
                To::Group => RangeWindowBound::Unbounded,
                To::Peers => RangeWindowBound::CurrentRow,
                To::Closed(_) => RangeWindowBound::BoundedClosed((&deltas[at]).into()),
                To::Open(_) => RangeWindowBound::BoundedOpen((&deltas[at]).into()),
            };
            let window = RangeWindow {
                order: if descending { Order::Descending } else { Order::Ascending },
                null_order: if nulls_smallest { NullOrder::Before } else { NullOrder::After },
                preceding: bound(0),
                following: bound(1),
            };
            let keys = bench.table(&sorted[..1], sample.offset)?;
            let orderby = Table::try_new(vec![bench.column(&sorted[1], sample.offset)?])?;
            let column = bench.column(&sample.array(), sample.offset / 2)?;
            let got = grouped_range_rolling_window(&keys, &orderby, window, &column, how.0, how.1)?;
            compare(bench, &sample, &windows, how, &got)
        },
    );
}
