//! The entries of reductions. Results are compared exactly, except for sums of arbitrary floats, which are compared
//! with a tolerance.

pub(super) mod bloom_filter;
pub(super) mod describe;
pub(super) mod distinct_sketch;
pub(super) mod equal;
pub(super) mod histogram;
pub(super) mod order;

use arrow_array::types::{
    Float16Type, Float32Type, Float64Type, Int8Type, Int16Type, Int32Type, Int64Type, UInt8Type, UInt32Type, UInt64Type,
};
use arrow_array::{ArrayRef, new_empty_array};
use arrow_schema::{DataType, TimeUnit};
use gdf_api::reduction::ReduceAggregation::{
    self, All, Any, ArgMax, ArgMin, BitwiseAnd, BitwiseOr, BitwiseXor, CollectList, CollectSet, CountAll, CountValid,
    Max, Mean, Median, MergeHistogram, MergeLists, MergeSets, Min, NthElement, Nunique, Product, Quantile, Sum,
    SumOfSquares, SumOverflow,
};
use gdf_api::reduction::{self, NullPolicy};
use gdf_core::{Column, Error, Result, Scalar, is_binary, is_decimal, is_floating, is_string};
use half::f16;

use super::shared::refusals::public_refusals;
use super::shared::tables::{few_nested, gather_waits, nested_key_waits, with_lists};
use super::{Case, Entry, SliceCosts};
use crate::documented_types::reduced_type;
use crate::naive;
use gdf_test::builders::{ints, plain};
use gdf_test::compare::Equality;
use gdf_test::data::{self, BRACKETS, NullPattern, random_array};

pub(super) fn entries() -> Vec<Entry> {
    vec![
        Entry::new("reduction.reduce", Equality::Exact, exact).exact_types(),
        Entry::new("reduction.reduce", Equality::Ulp(8), near),
        Entry::new("reduction.reduce", Equality::Ulp(1024), order::spreads),
        Entry::new("reduction.segmented_reduce", Equality::Ulp(256), order::segmented_spreads),
        Entry::new("reduction.reduce_with_initial_value", Equality::Exact, order::initial_values).exact_types(),
        Entry::new("reduction.minmax", Equality::Exact, both_ends),
        // The operation gathers text.
        Entry::new("reduction.segmented_reduce", Equality::Exact, segmented).guessing().exact_types(),
    ]
}

const AGGREGATIONS: [ReduceAggregation; 14] = [
    Sum,
    SumOverflow,
    Product,
    Min,
    Max,
    Mean,
    SumOfSquares,
    CountValid,
    CountAll,
    Any,
    All,
    BitwiseAnd,
    BitwiseOr,
    BitwiseXor,
];

pub(super) fn types() -> Vec<DataType> {
    [data::numeric(), vec![DataType::Boolean], data::decimal(), data::temporal(), data::strings()].concat()
}

/// Returns the largest number of waits.
pub(super) fn waits(aggregation: ReduceAggregation, input: &DataType) -> u64 {
    let text = is_string(input) || is_binary(input);
    let nested = 2 * nested_key_waits(&[new_empty_array(input)]);
    let of_rows = |waits| waits + with_lists(&[new_empty_array(input)], 5);
    match aggregation {
        CollectList { .. } => of_rows(5),
        CollectSet { .. } => of_rows(nested + 12),
        MergeLists | MergeSets { .. } | MergeHistogram => of_rows(nested + 18),
        NthElement { .. } | Min | Max | ArgMin | ArgMax | Nunique(_) if nested > 0 => of_rows(nested + 12),
        Min | Max => u64::from(text),
        Median | Quantile { .. } => 6,
        ArgMin | ArgMax => {
            if text {
                30
            } else {
                3
            }
        }
        Nunique(_) => 3,
        NthElement { .. } => 5,
        Product => u64::from(is_decimal(input)),
        _ => 0,
    }
}

pub(super) fn case_of(label: &str, input: ArrayRef, aggregation: ReduceAggregation, output: &DataType) -> Case {
    let waits = waits(aggregation, input.data_type());
    let label = format!("{aggregation:?} of {} to {output}/{label}", input.data_type());
    let slices = match aggregation {
        Median | Quantile { .. } | ArgMin | ArgMax | Nunique(_) | NthElement { .. } => SliceCosts::NullCount,
        CollectList { .. } | CollectSet { .. } => SliceCosts::NullCount,
        _ => SliceCosts::Same,
    };
    let slices = if nested_key_waits(std::slice::from_ref(&input)) > 0 { SliceCosts::Own } else { slices };
    let (output, naive_output) = (output.clone(), output.clone());
    Case::new(
        label,
        vec![input],
        move |inputs| Ok(vec![reduce(&inputs[0], aggregation, &output)?.into_column()]),
        move |inputs| naive::reduction::reduce(&inputs[0], aggregation, &naive_output),
        waits,
    )
    .with_slice_costs(slices)
}

/// Calls the short form if the aggregation has a short form and the result type is the default type.
fn reduce(column: &Column, aggregation: ReduceAggregation, output: &DataType) -> Result<Scalar> {
    let short = reduction::SHORT_FORMS.iter().find(|(short, _)| *short == aggregation);
    let is_default = reduction::default_output_type(aggregation, column.data_type()).is_ok_and(|of| of == *output);
    match short {
        Some((_, short)) if is_default => short(column.view()),
        _ => reduction::reduce(column, aggregation, output),
    }
}

pub(super) fn usual(label: &str, input: &ArrayRef, aggregation: ReduceAggregation) -> Option<Case> {
    let output = reduced_type(aggregation, input.data_type())?;
    Some(case_of(label, input.clone(), aggregation, &output))
}

/// Returns small floats.
pub(super) fn gentle(data_type: &DataType, rows: usize, nulls: NullPattern, factors: bool) -> ArrayRef {
    let number = |row: usize| match factors {
        true => [1.0, -1.0, 2.0, 0.5, -2.0, -0.5][row % 6],
        false => (row % 17) as f32 * 0.25 - 1.5,
    };
    let valid = nulls.validity(rows, rows as u64);
    let valid = |row: usize| valid.as_ref().is_none_or(|valid| valid.is_valid(row));
    let numbers = (0..rows).map(|row| valid(row).then(|| number(row)));
    match data_type {
        DataType::Float16 => ints::<Float16Type>(numbers.map(|number| number.map(f16::from_f32))),
        DataType::Float32 => ints::<Float32Type>(numbers),
        _ => ints::<Float64Type>(numbers.map(|number| number.map(f64::from))),
    }
}

/// Returns large floats of both signs whose sums cancel to small numbers.
pub(super) fn cancelling(data_type: &DataType, rows: usize, nulls: NullPattern) -> ArrayRef {
    let valid = nulls.validity(rows, rows as u64);
    let valid = |row: usize| valid.as_ref().is_none_or(|valid| valid.is_valid(row));
    let number = |row: usize| match (row as u64).wrapping_mul(0x9e37_79b9_7f4a_7c15) >> 61 {
        0..3 => 2_f64.powi(38),
        3..6 => -2_f64.powi(38),
        _ => (row % 17) as f64 - 7.0,
    };
    let numbers = (0..rows).map(|row| valid(row).then(|| number(row)));
    match data_type {
        DataType::Float32 => ints::<Float32Type>(numbers.map(|number| number.map(|number| number as f32))),
        _ => ints::<Float64Type>(numbers),
    }
}

/// Returns whether the result depends on the order in which floats are added.
fn adds_floats(aggregation: ReduceAggregation, data_type: &DataType) -> bool {
    is_floating(data_type) && matches!(aggregation, Sum | Product | Mean | SumOfSquares)
}

fn both_ends() -> Vec<Case> {
    let run = |inputs: &[Column]| {
        let (min, max) = reduction::minmax(&inputs[0])?;
        Ok(vec![min.into_column(), max.into_column()])
    };
    let case = |label: String, input: ArrayRef| {
        let data_type = input.data_type().clone();
        let waits = waits(Min, &data_type) + waits(Max, &data_type);
        Case::new(
            format!("{data_type}/{label}"),
            vec![input],
            run,
            move |inputs| {
                let mut ends = naive::reduction::reduce(&inputs[0], Min, &data_type)?;
                ends.extend(naive::reduction::reduce(&inputs[0], Max, &data_type)?);
                Ok(ends)
            },
            waits,
        )
    };
    let mut cases = Vec::new();
    for (seed, data_type) in (0..).zip(types()) {
        if reduced_type(Min, &data_type).is_none() {
            continue;
        }
        for (rows, nulls) in
            [(0, NullPattern::None), (77, NullPattern::Some), (257, NullPattern::None), (65, NullPattern::All)]
        {
            cases.push(case(format!("{rows}/{nulls:?}"), random_array(&data_type, rows, nulls, seed)));
        }
    }
    cases.push(case("many".into(), random_array(&DataType::Float64, 300_001, NullPattern::Every(7), 1)));
    let documented = |of, data_type: &DataType| reduced_type(of, data_type).is_some();
    cases.extend(public_refusals(&[Min], documented, move |_, inputs| run(inputs)));
    cases
}

fn exact() -> Vec<Case> {
    let mut cases = Vec::new();
    let intervals = vec![DataType::Interval(arrow_schema::IntervalUnit::YearMonth)];
    for (seed, data_type) in (0..).zip([types(), intervals].concat()) {
        for (rows, nulls) in
            [(0, NullPattern::None), (77, NullPattern::Some), (257, NullPattern::None), (65, NullPattern::All)]
        {
            let random = random_array(&data_type, rows, nulls, seed);
            for aggregation in AGGREGATIONS {
                let label = format!("{rows}/{nulls:?}");
                if adds_floats(aggregation, &data_type) {
                    let gentle = gentle(&data_type, rows, nulls, aggregation == Product);
                    cases.extend(usual(&label, &gentle, aggregation));
                } else {
                    cases.extend(usual(&label, &random, aggregation));
                }
            }
        }
    }
    // The cases cover each strategy for reading the rows, at every length.
    for (seed, rows) in (0..).zip(BRACKETS) {
        for nulls in [NullPattern::None, NullPattern::Some] {
            let label = format!("{rows}/{nulls:?}");
            for data_type in [
                DataType::Int8,
                DataType::Int32,
                DataType::Int64,
                DataType::Decimal128(38, 4),
                DataType::Decimal256(76, 0),
            ] {
                let array = random_array(&data_type, *rows, nulls, seed);
                cases.extend([Sum, Min, Any].iter().filter_map(|aggregation| usual(&label, &array, *aggregation)));
            }
            for data_type in [DataType::Boolean, DataType::Float64, DataType::Utf8, DataType::UInt16] {
                let array = random_array(&data_type, *rows, nulls, seed);
                cases.extend(
                    [Min, Max, CountValid].iter().filter_map(|aggregation| usual(&label, &array, *aggregation)),
                );
            }
            let array = gentle(&DataType::Float32, *rows, nulls, false);
            cases.extend([Sum, Mean].iter().filter_map(|aggregation| usual(&label, &array, *aggregation)));
        }
    }
    // The column has so many rows that the operation uses many blocks.
    let many = random_array(&DataType::Int64, 3_000_001, NullPattern::Every(7), 1);
    cases.extend([Sum, Max].iter().filter_map(|aggregation| usual("many", &many, *aggregation)));
    cases.extend(usual("many", &gentle(&DataType::Float64, 3_000_001, NullPattern::None, false), Sum));
    // A count reads only the validity mask.
    for data_type in [DataType::Null, data::nested()[0].clone(), data::views()[0].clone(), data::nested()[6].clone()] {
        for nulls in [NullPattern::None, NullPattern::Some] {
            let array = random_array(&data_type, 65, nulls, 3);
            cases.extend([CountValid, CountAll].iter().filter_map(|aggregation| usual("65", &array, *aggregation)));
        }
    }
    other_outputs(&mut cases);
    special_floats(&mut cases);
    cases.extend(order::by_order());
    for (seed, rows) in (0..).zip(data::limit_brackets()) {
        for data_type in [DataType::Int16, DataType::Float64] {
            let array = random_array(&data_type, rows, NullPattern::Every(7), seed);
            cases.extend([Max, CountValid].iter().filter_map(|of| usual(&format!("limits/{rows}"), &array, *of)));
        }
    }
    // The sums have cancellation, but are exact in double precision in any order.
    for rows in [65, 2049, 10_000] {
        for nulls in [NullPattern::None, NullPattern::Some] {
            for data_type in data::floating().split_off(1) {
                let array = cancelling(&data_type, rows, nulls);
                let label = format!("cancelling {rows}/{nulls:?}");
                cases.extend([Sum, Mean].iter().filter_map(|aggregation| usual(&label, &array, *aggregation)));
            }
        }
    }
    // The scale of a product of decimals depends on the data, so there is no default type.
    let has_product = |data_type: &DataType| is_decimal(data_type) && !matches!(data_type, DataType::Decimal256(..));
    let documented = move |of, data_type: &DataType| {
        reduced_type(of, data_type).is_some() || (of == Product && has_product(data_type))
    };
    cases.extend(public_refusals(&AGGREGATIONS, documented, |of, inputs| {
        let mut last = None;
        for output in [inputs[0].data_type(), &DataType::Int64, &DataType::Float64, &DataType::Boolean] {
            last = Some(reduction::reduce(&inputs[0], of, output)?.into_column());
        }
        Ok(last.into_iter().collect())
    }));
    cases
}

fn other_outputs(cases: &mut Vec<Case>) {
    let of = |data_type: DataType| random_array(&data_type, 100, NullPattern::Some, 9);
    let money = DataType::Decimal64(18, 4);
    let seconds = DataType::Duration(TimeUnit::Second);
    for (input, aggregation, output) in [
        (of(DataType::Int64), Sum, DataType::Int16),
        (of(DataType::Int64), Sum, DataType::UInt64),
        (of(DataType::Int64), Sum, DataType::Float64),
        (of(DataType::UInt64), Sum, DataType::Float32),
        (of(DataType::Int16), Mean, DataType::Float16),
        (of(DataType::Boolean), Sum, DataType::Float64),
        (of(DataType::Boolean), Product, DataType::Float64),
        (of(DataType::Boolean), SumOfSquares, DataType::UInt8),
        (of(DataType::UInt8), Product, DataType::Int32),
        (of(DataType::Int16), SumOfSquares, DataType::Float64),
        (of(money.clone()), Sum, money.clone()),
        (of(money.clone()), Sum, DataType::Decimal256(76, 4)),
        (of(money.clone()), SumOfSquares, DataType::Decimal64(18, 8)),
        (of(money), Mean, DataType::Float32),
        (of(DataType::Decimal128(20, -3)), Mean, DataType::Float64),
        (of(DataType::Decimal256(76, 0)), Sum, DataType::Decimal128(38, 0)),
        (of(DataType::Decimal256(76, 0)), Mean, DataType::Float64),
        (of(seconds.clone()), Sum, seconds),
        (of(DataType::Utf8), CountValid, DataType::UInt32),
        (gentle(&DataType::Float32, 100, NullPattern::Some, false), Sum, DataType::Float64),
        (gentle(&DataType::Float64, 100, NullPattern::Some, false), Mean, DataType::Float32),
    ] {
        cases.push(case_of("other output", input, aggregation, &output));
    }
}

fn special_floats(cases: &mut Vec<Case>) {
    let columns: [&[f64]; 7] = [
        &[1.0, f64::NAN, 2.0],
        &[f64::INFINITY, 1.0],
        &[f64::INFINITY, f64::NEG_INFINITY],
        &[-0.0, 0.0],
        &[0.0, -0.0, f64::NAN],
        &[-f64::NAN],
        &[f64::MIN_POSITIVE, 5e-324],
    ];
    for rows in columns {
        let double = plain::<Float64Type>(rows.iter().copied());
        let single = plain::<Float32Type>(rows.iter().map(|row| *row as f32));
        for aggregation in AGGREGATIONS {
            cases.extend([&double, &single].iter().filter_map(|array| usual("special", array, aggregation)));
        }
    }
}

/// Builds cases of floats of one sign, because their sums have no cancellation.
fn near() -> Vec<Case> {
    let mut cases = Vec::new();
    for (seed, rows) in (0..).zip(BRACKETS.iter().chain(&[200_000])) {
        for nulls in [NullPattern::None, NullPattern::Every(3)] {
            let valid = nulls.validity(*rows, seed);
            let valid = |row: usize| valid.as_ref().is_none_or(|valid| valid.is_valid(row));
            let numbers = || (0..*rows).map(|row| valid(row).then(|| 1.0 / (row as f64 + 1.0)));
            let double = ints::<Float64Type>(numbers());
            let single = ints::<Float32Type>(numbers().map(|number| number.map(|number| number as f32)));
            let label = format!("{rows}/{nulls:?}");
            for aggregation in [Sum, Mean, SumOfSquares] {
                cases.extend([&double, &single].iter().filter_map(|array| usual(&label, array, aggregation)));
            }
        }
    }
    debug_assert!(cases.iter().all(|case| !is_decimal(case.inputs[0].data_type())));
    cases
}

/// The lengths of segments.
#[derive(Clone, Copy, Debug)]
enum Lengths {
    /// All segments have this many rows.
    Even(usize),
    /// The segments have no row, one row, few rows or many rows, in turn.
    Mixed,
    /// One segment has all rows.
    One,
}

/// Returns the offsets of segments with these lengths.
fn offsets(rows: usize, lengths: Lengths) -> Vec<i64> {
    let mut next = usize::from(rows > 3);
    let mut offsets = vec![next as i64];
    if let Lengths::One = lengths {
        offsets.extend([next, rows, rows].map(|offset| offset as i64));
        return offsets;
    }
    let mut index = 0;
    while next < rows {
        next += match lengths {
            Lengths::Even(len) => len,
            _ => [0, 1, 3, 0, 40, 2, 700, 5, 33, 5000][index % 10],
        };
        next = next.min(rows);
        offsets.push(next as i64);
        index += 1;
    }
    offsets
}

pub(super) fn segmented_case(
    label: &str,
    values: ArrayRef,
    offsets: ArrayRef,
    of: ReduceAggregation,
    policy: NullPolicy,
) -> Option<Case> {
    // Factors of scale 0 have a product of scale 0, so the result type is known.
    let whole = (of == Product && is_decimal(values.data_type())).then_some(DataType::Decimal128(38, 0));
    let output = reduced_type(of, values.data_type()).or(whole)?;
    let label = format!("{of:?} of {} by {}/{label}/{policy:?}", values.data_type(), offsets.data_type());
    let own = output.clone();
    // If the values are text, the operation finds the rows first and then gathers the text.
    let text = is_string(&output) || is_binary(&output);
    let case = Case::new(
        label,
        vec![values, offsets],
        move |inputs| Ok(vec![reduction::segmented_reduce(&inputs[0], &inputs[1], of, &own, policy)?]),
        move |inputs| {
            let include = policy == NullPolicy::Include;
            naive::reduction::segmented_reduce(&inputs[0], &inputs[1], of, &output, include)
        },
        if text { 8 } else { 1 },
    );
    Some(if text { case.with_slice_costs(SliceCosts::Own) } else { case })
}

fn segmented() -> Vec<Case> {
    let mut cases = Vec::new();
    let mut add = |rows: usize, lengths, nulls, data_type: &DataType, seed, policy, of: ReduceAggregation| {
        let values = match adds_floats(of, data_type) {
            true => gentle(data_type, rows, nulls, of == Product),
            false => random_array(data_type, rows, nulls, seed),
        };
        // A long product of floats may be inexact. The scale of a product of decimals depends on the number of factors.
        // Both kinds of products are left out here.
        let long_product = of == Product && (is_floating(data_type) && rows > 100 || is_decimal(data_type));
        let offsets = plain::<Int64Type>(offsets(rows, lengths));
        let label = format!("{rows}/{lengths:?}/{nulls:?}");
        if !long_product {
            cases.extend(segmented_case(&label, values, offsets, of, policy));
        }
    };
    for (seed, data_type) in (0..).zip(&types()) {
        for (rows, nulls, policy) in [
            (0, NullPattern::None, NullPolicy::Exclude),
            (77, NullPattern::Some, NullPolicy::Exclude),
            (77, NullPattern::Every(7), NullPolicy::Include),
            (1200, NullPattern::None, NullPolicy::Exclude),
        ] {
            for of in AGGREGATIONS {
                add(rows, Lengths::Mixed, nulls, data_type, seed, policy, of);
            }
        }
    }
    // Segments end at, before and after the boundaries of tiles of 128 to 4096 rows, and of mask words.
    for (seed, rows) in (0..).zip([0, 1, 31, 32, 33, 127, 128, 129, 4095, 4096, 4097, 20_000]) {
        for lengths in [Lengths::Even(1), Lengths::Even(32), Lengths::Even(128), Lengths::Mixed, Lengths::One] {
            for data_type in
                [DataType::Int32, DataType::Boolean, DataType::Decimal256(76, 0), DataType::Float64, DataType::Utf8]
            {
                for of in [Sum, Max, CountValid, Any] {
                    add(rows, lengths, NullPattern::Every(5), &data_type, seed, NullPolicy::Exclude, of);
                }
            }
        }
    }
    for lengths in [Lengths::One, Lengths::Mixed, Lengths::Even(3), Lengths::Even(4096), Lengths::Even(100_000)] {
        for data_type in [DataType::Int64, DataType::Float32] {
            for of in [Sum, Min] {
                add(1_000_001, lengths, NullPattern::Every(7), &data_type, 1, NullPolicy::Exclude, of);
            }
        }
    }
    for (seed, data_type) in (0..).zip(data::nested_keys()) {
        for (rows, nulls, policy) in [
            (0, NullPattern::None, NullPolicy::Exclude),
            (77, NullPattern::Some, NullPolicy::Exclude),
            (77, NullPattern::Every(7), NullPolicy::Include),
        ] {
            let values = few_nested(&data_type, rows, 40, nulls, seed);
            let offsets = plain::<Int64Type>(offsets(rows, Lengths::Mixed));
            for of in [Min, Max] {
                let case =
                    segmented_case(&format!("nested/{rows}/{nulls:?}"), values.clone(), offsets.clone(), of, policy);
                let more =
                    gather_waits(std::slice::from_ref(&values)) + nested_key_waits(std::slice::from_ref(&values));
                cases.extend(case.map(|mut case| {
                    case.waits = 1 + more;
                    case.with_slice_costs(SliceCosts::Own)
                }));
            }
        }
    }
    // The offsets have other types.
    let values = random_array(&DataType::Int16, 100, NullPattern::Some, 2);
    for offsets in [
        plain::<Int8Type>([0, 20, 100]),
        plain::<UInt8Type>([5, 5, 99]),
        plain::<Int16Type>([0, 100]),
        plain::<Int32Type>([3, 4]),
        plain::<UInt32Type>([100]),
        plain::<UInt64Type>([0, 0, 1, 100, 100]),
    ] {
        cases.extend(segmented_case("offsets", values.clone(), offsets, Sum, NullPolicy::Exclude));
    }
    // The operation refuses these cases.
    let refused = |label: &str, values: &ArrayRef, offsets: ArrayRef, of, is: fn(&Error) -> bool| {
        let output = values.data_type().clone();
        Case::refused(
            format!("refused {label}/{}/{output}", offsets.data_type()),
            vec![values.clone(), offsets],
            move |inputs| {
                let policy = NullPolicy::Exclude;
                Ok(vec![reduction::segmented_reduce(&inputs[0], &inputs[1], of, &output, policy)?])
            },
            is,
        )
    };
    let argument = |error: &Error| matches!(error, Error::InvalidArgument { .. });
    for (label, offsets) in [
        ("descending", plain::<Int32Type>([0, 50, 20, 100])),
        ("negative", plain::<Int32Type>([-1, 50])),
        ("beyond", plain::<Int64Type>([0, 50, 101])),
        ("large", plain::<UInt64Type>([0, u64::MAX])),
        ("none", plain::<Int32Type>([])),
        ("null", ints::<Int32Type>([Some(0), None, Some(100)])),
    ] {
        cases.push(refused(label, &values, offsets, Min, argument));
    }
    let mismatch = |error: &Error| matches!(error, Error::TypeMismatch { .. });
    cases.push(refused("offsets", &values, plain::<Float64Type>([0.0, 1.0]), Min, mismatch));
    let unsupported = |error: &Error| matches!(error, Error::Unsupported { .. });
    for (data_type, of) in [(DataType::Null, Min), (data::nested()[0].clone(), Sum), (data::unions()[0].clone(), Min)] {
        let values = random_array(&data_type, 3, NullPattern::None, 1);
        cases.push(refused("values", &values, plain::<Int32Type>([0, 3]), of, unsupported));
    }
    cases.extend(order::segmented_distinct());
    cases
}
