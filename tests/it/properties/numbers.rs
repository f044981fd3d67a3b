//! Compares reductions, scans, ranks and quantiles with their oracles. Also tests the mathematical laws between these
//! operations.

use arrow_array::Array;
use arrow_array::types::Float64Type;
use arrow_schema::DataType;
use gdf_api::quantiles::{
    Interpolation, QuantileOrder, concatenate_tdigests, merge_tdigests, percentile_approx, quantile, tdigest,
};
use gdf_api::reduction::{
    NullPolicy, ReduceAggregation as Reduce, default_output_type, minmax, reduce, segmented_reduce,
};
use gdf_api::scan::{RankMethod, RankPercentage, ScanAggregation as Scan, ScanType, rank, scan};
use gdf_api::sorting::sorted_order;
use gdf_core::{Column, Scalar, is_decimal, is_floating};
use gdf_detail::scan::NullPolicy as ScanNulls;
use gdf_test::builders::{ints, plain};
use gdf_test::compare::Equality;
use gdf_test::data;
use gdf_test::value::{Value, to_values};
use gdf_tests::naive::sorting::{Direction, sort_by_key};
use gdf_tests::naive::{quantiles as naive_quantiles, reduction as naive_reduction, scan as naive_scan};
use proptest::prelude::*;
use proptest::sample::select;

use super::{Bench, check, one_of, oracle, samples};

fn aggregations() -> impl Strategy<Value = Reduce> {
    use Reduce::{
        All, Any, ArgMax, ArgMin, BitwiseAnd, BitwiseOr, BitwiseXor, CountAll, CountValid, Max, Mean, Median, Min,
        Product, Sum, SumOfSquares,
    };
    let interpolation = one_of(INTERPOLATIONS);
    let nulls = || one_of(&[NullPolicy::Include, NullPolicy::Exclude]);
    prop_oneof![
        16 => one_of(&[
            Sum, Product, Min, Max, Mean, SumOfSquares, CountValid, CountAll, Any, All, BitwiseAnd, BitwiseOr, BitwiseXor, ArgMin,
            ArgMax, Median,
        ]),
        1 => (0..3_u32).prop_map(|ddof| Reduce::Variance { ddof }),
        1 => (0..3_u32).prop_map(|ddof| Reduce::Std { ddof }),
        1 => (0.0..=1.0, interpolation).prop_map(|(q, interpolation)| Reduce::Quantile { q, interpolation }),
        1 => nulls().prop_map(Reduce::Nunique),
        1 => (-6..6_i64, nulls()).prop_map(|(n, nulls)| Reduce::NthElement { n, nulls }),
    ]
}

const INTERPOLATIONS: &[Interpolation] = &[
    Interpolation::Linear,
    Interpolation::Lower,
    Interpolation::Higher,
    Interpolation::Midpoint,
    Interpolation::Nearest,
];

/// Returns how exactly the result of the aggregation is compared.
fn equality(aggregation: Reduce, data_type: &DataType) -> Option<Equality> {
    use Reduce::{Mean, Median, Product, Quantile, Std, Sum, SumOfSquares, Variance};
    let small = gdf_core::width(data_type).is_none_or(|width| width <= 2) || *data_type == DataType::Boolean;
    match aggregation {
        Sum | Product | SumOfSquares | Mean if is_floating(data_type) => None,
        Variance { .. } | Std { .. } => (small && !is_floating(data_type)).then_some(Equality::Ulp(1_024)),
        Mean | Median | Quantile { .. } => Some(Equality::Ulp(8)),
        _ => Some(Equality::Exact),
    }
}

fn types() -> Vec<DataType> {
    let others = vec![DataType::Boolean, DataType::Utf8, DataType::Date32];
    [data::numeric(), data::decimal(), others].concat()
}

#[test]
fn reductions_of_all_and_of_segments() {
    let cuts = || proptest::collection::vec(any::<proptest::sample::Index>(), 0..6);
    check(
        200,
        || (samples(types(), 0..400), aggregations(), cuts()),
        |bench, (sample, aggregation, cuts)| {
            let Ok(to) = default_output_type(aggregation, &sample.data_type) else { return Ok(()) };
            let Some(equality) = equality(aggregation, &sample.data_type) else { return Ok(()) };
            let (array, column) = (sample.array(), bench.column(&sample.array(), sample.offset)?);
            let Ok(expected) = naive_reduction::reduce(&array, aggregation, &to) else {
                prop_assert!(
                    reduce(&column, aggregation, &to).is_err(),
                    "the oracle fails, but the operation does not"
                );
                return Ok(());
            };
            let got = reduce(&column, aggregation, &to)?;
            bench.near(&expected[0], got.column(), equality)?;
            let segmented = matches!(
                aggregation,
                Reduce::Sum
                    | Reduce::Product
                    | Reduce::Min
                    | Reduce::Max
                    | Reduce::Any
                    | Reduce::All
                    | Reduce::CountValid
                    | Reduce::Mean
            );
            if !segmented {
                return Ok(());
            }
            let mut offsets: Vec<_> = cuts.iter().map(|cut| cut.index(sample.rows + 1) as i32).collect();
            offsets.extend([0, sample.rows as i32]);
            offsets.sort_unstable();
            let offsets = ints::<arrow_array::types::Int32Type>(offsets.into_iter().map(Some));
            for nulls in [NullPolicy::Exclude, NullPolicy::Include] {
                let segments = bench.column(&offsets, sample.offset / 2)?;
                let Ok(got) = segmented_reduce(&column, &segments, aggregation, &to, nulls) else { continue };
                let include = nulls == NullPolicy::Include;
                let expected =
                    naive_reduction::segmented_reduce(&array, &offsets, aggregation, &to, include).map_err(oracle)?;
                bench.near(&expected[0], &got, equality)?;
            }
            Ok(())
        },
    );
}

#[test]
fn the_extremes_are_the_first_and_last_in_order() {
    let types =
        vec![DataType::Int16, DataType::Float64, DataType::Utf8, DataType::Decimal128(38, 10), DataType::Date32];
    check(
        60,
        move || samples(types, 1..300),
        |bench, sample| {
            let (array, column) = (sample.array(), bench.column(&sample.array(), sample.offset)?);
            let (min, max) = minmax(&column)?;
            let row = |of: Scalar| -> Result<_, TestCaseError> { Ok(to_values(&bench.array(of.column())?).remove(0)) };
            let mut values: Vec<_> = to_values(&array).into_iter().flatten().collect();
            values.sort();
            prop_assert_eq!(row(min)?, values.first().cloned());
            prop_assert_eq!(row(max)?, values.last().cloned());
            Ok(())
        },
    );
}

#[test]
fn scans_are_reductions_of_what_comes_before() {
    let aggregations = one_of(&[Scan::Sum, Scan::Product, Scan::Min, Scan::Max, Scan::CountValid, Scan::CountAll]);
    let types = [data::numeric(), data::decimal(), vec![DataType::Boolean]].concat();
    let types = || samples(types, 0..700);
    let modes = (any::<bool>(), any::<bool>());
    check(
        150,
        || (types(), aggregations, modes),
        |bench, (sample, aggregation, (exclusive, include))| {
            let adds = matches!(aggregation, Scan::Sum | Scan::Product);
            if is_floating(&sample.data_type) && adds || is_decimal(&sample.data_type) && aggregation == Scan::Product {
                return Ok(());
            }
            let kind = if exclusive { ScanType::Exclusive } else { ScanType::Inclusive };
            let nulls = if include { ScanNulls::Include } else { ScanNulls::Exclude };
            let column = bench.column(&sample.array(), sample.offset)?;
            let expected = naive_scan::scan(&sample.array(), aggregation, kind, nulls).map_err(oracle)?;
            bench.same(&expected[0], &scan(&column, aggregation, kind, nulls)?)
        },
    );
}

#[test]
fn ranks_of_rows_in_order() {
    let methods =
        one_of(&[RankMethod::First, RankMethod::Min, RankMethod::Max, RankMethod::Dense, RankMethod::Average]);
    let percent = one_of(&[RankPercentage::None, RankPercentage::ZeroNormalized, RankPercentage::OneNormalized]);
    let types = vec![DataType::Int8, DataType::Utf8, DataType::Boolean, DataType::Float32];
    check(
        60,
        || (samples(types, 0..400), methods, percent),
        |bench, (sample, method, percentage)| {
            let columns = [sample.array()];
            let by = [Direction { descending: false, nulls_smallest: true }];
            let sorted = sort_by_key(&columns, &columns, &by, sample.rows).map_err(oracle)?;
            let table = bench.table(&sorted, sample.offset)?;
            let expected = naive_scan::rank(&sorted, method, percentage).map_err(oracle)?;
            bench.same(&expected[0], &rank(&table, method, percentage)?)
        },
    );
}

#[test]
fn quantiles_lie_between_rows() {
    let types =
        vec![DataType::Int16, DataType::UInt64, DataType::Float32, DataType::Float64, DataType::Decimal64(18, 4)];
    let shares =
        || proptest::collection::vec(prop_oneof![4 => 0.0..=1.0, 1 => select(vec![0.0, 0.25, 0.5, 1.0])], 0..9);
    check(
        80,
        || (samples(types, 0..300), shares(), one_of(INTERPOLATIONS)),
        |bench, (sample, q, interpolation)| {
            let (array, column) = (sample.array(), bench.column(&sample.array(), sample.offset)?);
            let double = DataType::Float64;
            let rows = naive_quantiles::sorted(&array);
            let expected = naive_quantiles::quantile(&array, &q, interpolation, &rows, &double).map_err(oracle)?;
            let got = quantile(&column, &q, interpolation, QuantileOrder::Unsorted, &double)?;
            bench.near(&expected[0], &got, Equality::Ulp(4))?;
            // The caller may pass the order of the rows.
            if array.null_count() == 0 {
                let order = sorted_order(&bench.table(&[array], 0)?, &[], &[])?;
                let got = quantile(&column, &q, interpolation, QuantileOrder::By(order.view()), &double)?;
                bench.near(&expected[0], &got, Equality::Ulp(4))?;
            }
            Ok(())
        },
    );
}

fn centroids(bench: &Bench, digest: &Column) -> Result<Vec<[f64; 2]>, TestCaseError> {
    let rows = to_values(&bench.array(digest)?);
    let fields = rows[0].as_ref().and_then(Value::as_struct).expect("a digest is a struct");
    let list = fields[0].as_ref().and_then(Value::as_list).expect("the first field of a digest is a list");
    let number =
        |value: &Option<Value>| value.as_ref().and_then(Value::as_f64).expect("the fields of a centroid are numbers");
    let centroid = |value: &Option<Value>| {
        let fields = value.as_ref().and_then(Value::as_struct).expect("the elements of the list are centroids");
        [number(&fields[0]), number(&fields[1])]
    };
    Ok(list.iter().map(centroid).collect())
}

#[test]
fn digests_stand_for_their_values() {
    let q: Vec<f64> = (0..=50).map(|percent| f64::from(percent) / 50.0).collect();
    check(
        60,
        || {
            let values = (select(vec![0, 3, 1_000]), 1..3_000_usize)
                .prop_flat_map(|(most, rows)| proptest::collection::vec(0..=most, rows));
            (values, select(vec![1_u32, 10, 64, 300]), any::<proptest::sample::Index>())
        },
        |bench, (values, size, cut)| {
            let values: Vec<f64> = values.into_iter().map(|value| f64::from(value + 1) * 0.1).collect();
            let (rows, array) = (values.len(), plain::<Float64Type>(values.iter().copied()));
            let (column, cut) = (bench.column(&array, 0)?, cut.index(rows));
            let parts = [tdigest(&column.slice(0, cut)?, size)?, tdigest(&column.slice(cut, rows - cut)?, size)?];
            let both = concatenate_tdigests(&[parts[0].view(), parts[1].view()])?;
            for (digest, clusters) in [(tdigest(&column, size)?, 2.0), (merge_tdigests(&both, size)?, 4.0)] {
                let centroids = centroids(bench, &digest)?;
                prop_assert!(centroids.len() <= size as usize);
                prop_assert!(centroids.is_sorted_by(|a, b| a[0] <= b[0]), "the means do not ascend");
                prop_assert_eq!(centroids.iter().map(|centroid| centroid[1]).sum::<f64>(), rows as f64);
                // The tolerance in rows is the size of `clusters` clusters.
                let near = clusters * (rows as f64 * std::f64::consts::FRAC_PI_2 / f64::from(size) + 1.0);
                let mut last = f64::NEG_INFINITY;
                for (q, column) in q.iter().zip(percentile_approx(&digest, &q)?.columns()) {
                    let value = column.to_vec::<f64>()?[0].expect("a digest with values has percentiles");
                    prop_assert!(
                        value >= last - 1e-9 && (0.1..=100.2).contains(&value),
                        "the percentile {q} is {value}, and the previous percentile is {last}"
                    );
                    last = value;
                    let rank = |is: fn(&f64, &f64) -> bool| values.iter().filter(|v| is(v, &value)).count() as f64;
                    let (below, up_to, at) = (rank(|a, b| a < b), rank(|a, b| a <= b), q * rows as f64);
                    prop_assert!(
                        (below - near..=up_to + near).contains(&at),
                        "the percentile {q} is {value}, which has the ranks {below} to {up_to}"
                    );
                    prop_assert!(values.iter().any(|v| *v != values[0]) || value == values[0], "{value}");
                }
            }
            Ok(())
        },
    );
}
