//! Tests that compare the documented types with those that operations take.

use gdf_api::{binaryop, reduction};
use gdf_core::{Error, Result};

use super::*;
use gdf_test::compare::same_precision;
use gdf_test::data;

#[track_caller]
fn agree(what: &str, documented: Option<DataType>, found: Result<DataType>) {
    match (&documented, &found) {
        (Some(documented), Ok(found)) if same_type(documented, found) && same_precision(documented, found) => {}
        (None, Err(Error::Unsupported { .. } | Error::TypeMismatch { .. } | Error::InvalidArgument { .. })) => {}
        _ => panic!("{what}: documented {documented:?}, found {found:?}"),
    }
}

#[test]
fn binary_operators_take_what_is_documented() {
    let more = [
        DataType::Decimal128(38, 38),
        DataType::Decimal256(76, 70),
        DataType::Decimal32(9, -4),
        DataType::Timestamp(TimeUnit::Second, Some("Europe/Berlin".into())),
    ];
    let types = [data::all(), more.to_vec()].concat();
    for lhs in &types {
        for rhs in &types {
            for op in BinaryOperator::ALL {
                let found = binaryop::default_output_type(*op, lhs, rhs);
                let documented = binary_type(*op, decoded(lhs), decoded(rhs));
                agree(&format!("{op:?} of {lhs} and {rhs}"), documented, found);
            }
        }
    }
}

#[test]
fn unary_operators_take_what_is_documented() {
    for data_type in data::all() {
        for op in UnaryOperator::ALL {
            agree(&format!("{op:?} of {data_type}"), unary_type(*op, &data_type), op.output_type(&data_type));
        }
    }
}

#[test]
fn aggregations_take_what_is_documented() {
    use GroupByAggregation as G;
    use ReduceAggregation::*;
    const SET: G = G::CollectSet {
        nulls: NullPolicy::Include,
        null_equality: gdf_api::stream_compaction::NullEquality::Equal,
        nan_equality: gdf_api::stream_compaction::NanEquality::AllEqual,
    };
    const MERGED: G = G::MergeSets {
        null_equality: gdf_api::stream_compaction::NullEquality::Equal,
        nan_equality: gdf_api::stream_compaction::NanEquality::AllEqual,
    };
    let groups = [
        G::Sum,
        G::SumOverflow,
        G::CountValid,
        G::CountAll,
        G::Min,
        G::Max,
        G::Mean,
        G::Variance { ddof: 1 },
        G::Std { ddof: 0 },
        G::M2,
        G::SumOfSquares,
        G::Product,
        G::ArgMin,
        G::ArgMax,
        G::Nunique(NullPolicy::Include),
        G::Median,
        G::Quantile { q: 0.5, interpolation: gdf_api::quantiles::Interpolation::Linear },
        G::NthElement { n: 0, nulls: NullPolicy::Include },
        G::CollectList { nulls: NullPolicy::Include },
        SET,
        G::MergeLists,
        MERGED,
        G::TopK { k: 2, order: gdf_api::sorting::Order::Descending },
        G::Histogram,
        G::MergeHistogram,
        G::TDigest { max_centroids: 10 },
        G::MergeTDigest { max_centroids: 10 },
    ];
    let histograms = [DataType::Int32, DataType::Utf8].map(|values| histogram_of(&values));
    for data_type in data::all().into_iter().chain(histograms) {
        let more = [
            Variance { ddof: 1 },
            Std { ddof: 0 },
            Quantile { q: 0.5, interpolation: gdf_api::quantiles::Interpolation::Linear },
            Nunique(NullPolicy::Include),
            NthElement { n: 0, nulls: NullPolicy::Include },
            CollectList { nulls: NullPolicy::Include },
            CollectSet {
                nulls: NullPolicy::Include,
                null_equality: gdf_api::stream_compaction::NullEquality::Equal,
                nan_equality: gdf_api::stream_compaction::NanEquality::AllEqual,
            },
            MergeLists,
            MergeSets {
                null_equality: gdf_api::stream_compaction::NullEquality::Equal,
                nan_equality: gdf_api::stream_compaction::NanEquality::AllEqual,
            },
            MergeHistogram,
        ];
        for of in ReduceAggregation::ALL.iter().chain(&more) {
            let found = reduction::default_output_type(*of, &data_type);
            let is_row = matches!(
                of,
                NthElement { .. }
                    | CollectList { .. }
                    | CollectSet { .. }
                    | MergeLists
                    | MergeSets { .. }
                    | MergeHistogram
            );
            let documented = reduced_type(*of, if is_row { &data_type } else { decoded(&data_type) });
            agree(&format!("{of:?} of {data_type}"), documented, found);
        }
        for of in groups {
            let found = of.result_type(&data_type, 1);
            let is_of_rows = matches!(
                of,
                G::NthElement { .. }
                    | G::CollectList { .. }
                    | G::CollectSet { .. }
                    | G::MergeLists
                    | G::MergeSets { .. }
                    | G::TopK { .. }
                    | G::Histogram
                    | G::MergeHistogram
            );
            let documented = group_type(of, if is_of_rows { &data_type } else { decoded(&data_type) });
            agree(&format!("groups' {of:?} of {data_type}"), documented, found);
        }
    }
}
