//! Cases of `reduction.reduce` for three kinds of aggregations: aggregations that take arguments or depend on the order
//! of rows, variances, and aggregations with an initial value.

use arrow_array::types::{Float32Type, Float64Type, Int64Type};
use arrow_array::{Array, ArrayRef};
use arrow_buffer::i256;
use arrow_schema::{DataType, Field};
use gdf_api::quantiles::Interpolation;
use gdf_api::reduction::NullPolicy::{self, Exclude, Include};
use gdf_api::reduction::ReduceAggregation::{self, *};
use gdf_api::reduction::{reduce, reduce_with_initial_value};
use gdf_api::stream_compaction::{NanEquality, NullEquality};
use gdf_core::{Column, Error, Result, Scalar};

use super::{case_of, segmented_case, types, usual};
use crate::catalog::groupby::lists::histograms;
use crate::catalog::groupby::wide::extreme;
use crate::catalog::shared::refusals::public_refusals;
use crate::catalog::shared::tables::{few_nested, nested_key_waits};
use crate::catalog::{Case, SliceCosts};
use crate::documented_types::reduced_type;
use crate::naive;
use gdf_test::builders::{ints, plain};
use gdf_test::data::{self, BRACKETS, NullPattern, random_array};
use gdf_test::value::{Value, from_values, to_values, try_from_values};

const BY_ORDER: [ReduceAggregation; 9] = [
    Median,
    Quantile { q: 0.3, interpolation: Interpolation::Linear },
    Quantile { q: 0.9, interpolation: Interpolation::Nearest },
    ArgMin,
    ArgMax,
    Nunique(Include),
    Nunique(Exclude),
    NthElement { n: 0, nulls: Include },
    NthElement { n: -1, nulls: Exclude },
];

const COLLECTED: [ReduceAggregation; 4] = [
    CollectList { nulls: Include },
    CollectList { nulls: Exclude },
    set(Include, NullEquality::Equal, NanEquality::AllEqual),
    set(Exclude, NullEquality::Unequal, NanEquality::AllEqual),
];

const MERGED: [ReduceAggregation; 3] = [
    MergeLists,
    MergeSets { null_equality: NullEquality::Equal, nan_equality: NanEquality::AllEqual },
    MergeSets { null_equality: NullEquality::Unequal, nan_equality: NanEquality::AllEqual },
];

const fn set(nulls: NullPolicy, null_equality: NullEquality, nan_equality: NanEquality) -> ReduceAggregation {
    CollectSet { nulls, null_equality, nan_equality }
}

const SPREADS: [ReduceAggregation; 3] = [Variance { ddof: 1 }, Variance { ddof: 0 }, Std { ddof: 2 }];

/// Builds cases of aggregations that depend on the order or the numbers of rows, and cases of counts of distinct rows.
pub(crate) fn by_order() -> Vec<Case> {
    let mut cases = Vec::new();
    for (seed, data_type) in (0..).zip(&types()) {
        for (rows, nulls) in [
            (0, NullPattern::None),
            (1, NullPattern::None),
            (77, NullPattern::Some),
            (257, NullPattern::None),
            (65, NullPattern::All),
        ] {
            let array = random_array(data_type, rows, nulls, seed);
            for of in BY_ORDER.into_iter().chain(COLLECTED) {
                let no_row = match of {
                    NthElement { nulls: Exclude, .. } => array.logical_null_count() == rows,
                    NthElement { .. } => rows == 0,
                    _ => false,
                };
                if !no_row {
                    cases.extend(usual(&format!("{rows}/{nulls:?}"), &array, of));
                }
            }
        }
    }
    for (seed, rows) in (0..).zip(BRACKETS) {
        let array = random_array(&DataType::Int16, *rows, NullPattern::Every(5), seed);
        for of in [Median, ArgMax, Nunique(Include)] {
            cases.extend(usual(&format!("{rows}"), &array, of));
        }
    }
    let special = plain::<Float64Type>([1.0, -0.0, f64::NAN, 0.0, -f64::NAN, f64::INFINITY]);
    let nans = [set(Include, NullEquality::Equal, NanEquality::Unequal)];
    let special_cases = BY_ORDER.iter().chain(&COLLECTED).chain(&nans);
    cases.extend(special_cases.filter_map(|of| usual("special", &special, *of)));
    let rows = (0..9).map(|row| Some(Value::List(to_values(&special.slice(row % 3, 3)))));
    let of_floats = DataType::List(Field::new_list_field(DataType::Float64, true).into());
    let of_floats = from_values(&of_floats, &rows.collect::<Vec<_>>());
    for nan_equality in [NanEquality::AllEqual, NanEquality::Unequal] {
        cases.extend(usual("special", &of_floats, MergeSets { null_equality: NullEquality::Equal, nan_equality }));
    }
    for data_type in [data::nested()[6].clone(), data::views()[0].clone(), DataType::Null] {
        let array = random_array(&data_type, 9, NullPattern::Some, 4);
        cases.extend(usual("element", &array, NthElement { n: 4, nulls: Include }));
    }
    let has_rows = |data_type: &DataType| !matches!(data_type, DataType::Dictionary(..));
    let nested = data::nested().into_iter().filter(has_rows).chain([DataType::FixedSizeBinary(5)]);
    for (seed, data_type) in (0..).zip(nested) {
        for nulls in [NullPattern::Some, NullPattern::All] {
            let array = few_nested(&data_type, 90, 40, nulls, seed);
            for of in BY_ORDER.into_iter().chain([Min, Max]).chain(COLLECTED).chain(MERGED) {
                if nulls == NullPattern::Some || !matches!(of, NthElement { nulls: Exclude, .. }) {
                    cases.extend(usual(&format!("nested/{nulls:?}"), &array, of));
                }
            }
        }
    }
    let numbers = random_array(&DataType::Int64, 100, NullPattern::Some, 4);
    for (of, output) in [(Median, DataType::Float32), (ArgMin, DataType::UInt32), (Nunique(Include), DataType::Int8)] {
        cases.push(case_of("other output", numbers.clone(), of, &output));
    }
    // The scale of a product of decimals is the sum of the scales of all factors.
    for (data_type, output) in [
        (DataType::Decimal32(9, 2), DataType::Decimal32(9, 6)),
        (DataType::Decimal64(18, 1), DataType::Decimal128(38, 3)),
        (DataType::Decimal128(38, -2), DataType::Decimal64(18, -6)),
    ] {
        cases.push(case_of("factors", random_array(&data_type, 3, NullPattern::None, 1), Product, &output));
    }
    let decimal = DataType::Decimal128(38, 0);
    cases.push(case_of("factors", random_array(&decimal, 300, NullPattern::Some, 1), Product, &decimal));
    // The sums overflow in both directions, or come back within the range.
    for (seed, data_type) in (0..).zip(data::integral()) {
        for rows in [0, 1, 2, 3, 65, 2049, 10_000] {
            for nulls in [NullPattern::None, NullPattern::Some] {
                let array = extreme(&data_type, rows, nulls, seed);
                cases.extend(usual(&format!("overflow {rows}/{nulls:?}"), &array, SumOverflow));
            }
        }
    }
    let values = [DataType::Int32, DataType::Utf8, DataType::Float64, data::nested()[8].clone()];
    for (seed, data_type) in (0..).zip(&values) {
        for (rows, nulls) in [
            (0, NullPattern::None),
            (1, NullPattern::None),
            (60, NullPattern::Some),
            (33, NullPattern::All),
            (1025, NullPattern::Every(5)),
        ] {
            let array = histograms(data_type, rows, nulls, seed);
            cases.extend(usual(&format!("histograms {rows}/{nulls:?}"), &array, MergeHistogram));
        }
    }
    cases.extend(refused());
    cases
}

fn refused() -> Vec<Case> {
    let documented = |of, data_type: &DataType| reduced_type(of, data_type).is_some();
    let operators = [Median, ArgMin, Nunique(Include), NthElement { n: 0, nulls: Include }, Variance { ddof: 1 }];
    let operators = [&operators[..], &COLLECTED[1..3], &[MergeHistogram]].concat();
    let mut cases = public_refusals(&operators, documented, |of, inputs| {
        Ok(vec![reduce(&inputs[0], of, &DataType::Float64)?.into_column()])
    });
    let refused =
        |label: &str, data_type: DataType, of: ReduceAggregation, output: DataType, is: fn(&Error) -> bool| {
            let array = random_array(&data_type, 5, NullPattern::None, 1);
            let run = move |inputs: &[Column]| Ok(vec![reduce(&inputs[0], of, &output)?.into_column()]);
            Case::refused(format!("refused {label}"), vec![array], run, is)
        };
    let beyond = |error: &Error| matches!(error, Error::OutOfBounds { .. });
    let argument = |error: &Error| matches!(error, Error::InvalidArgument { .. });
    let mismatch = |error: &Error| matches!(error, Error::TypeMismatch { .. });
    let (int, money) = (DataType::Int32, DataType::Decimal64(18, 2));
    for n in [5, -6, i64::MAX, i64::MIN] {
        cases.push(refused(
            &format!("element {n}"),
            int.clone(),
            NthElement { n, nulls: Include },
            int.clone(),
            beyond,
        ));
    }
    let nan = Quantile { q: f64::NAN, interpolation: Interpolation::Linear };
    cases.push(refused("NaN", int.clone(), nan, DataType::Float64, argument));
    cases.push(refused("scale", money.clone(), Product, money, argument));
    for of in [Median, Variance { ddof: 1 }] {
        cases.push(refused(&format!("output of {of:?}"), int.clone(), of, DataType::Int64, mismatch));
    }
    cases.push(refused("output of a row", int.clone(), ArgMin, DataType::Float64, mismatch));
    cases.push(refused("output of an element", int, NthElement { n: 0, nulls: Include }, DataType::Int64, mismatch));
    cases
}

/// Builds cases of variances.
pub(crate) fn spreads() -> Vec<Case> {
    let mut cases = Vec::new();
    for (seed, data_type) in (0..).zip([data::numeric(), vec![DataType::Boolean]].concat()) {
        for (rows, nulls) in [
            (0, NullPattern::None),
            (1, NullPattern::None),
            (2, NullPattern::None),
            (77, NullPattern::Some),
            (65, NullPattern::All),
        ] {
            let array = random_array(&data_type, rows, nulls, seed);
            let finite = to_values(&array).iter().flatten().all(|value| value.as_f64().is_none_or(f64::is_finite));
            if finite {
                cases.extend(SPREADS.iter().filter_map(|of| usual(&format!("{rows}/{nulls:?}"), &array, *of)));
            }
        }
    }
    for rows in BRACKETS.iter().chain(&[200_000]) {
        for nulls in [NullPattern::None, NullPattern::Every(3)] {
            let valid = nulls.validity(*rows, 1);
            let valid = |row: usize| valid.as_ref().is_none_or(|valid| valid.is_valid(row));
            let number = |row: usize| 1e6 + (row * 7919 % 1000) as f64;
            let numbers = ints::<Float64Type>((0..*rows).map(|row| valid(row).then(|| number(row))));
            cases.extend(SPREADS.iter().filter_map(|of| usual(&format!("far {rows}/{nulls:?}"), &numbers, *of)));
        }
    }
    let infinite = plain::<Float64Type>([1.0, f64::INFINITY, 2.0]);
    let single = plain::<Float32Type>([1.5, 2.5, f32::NAN]);
    for array in [infinite, single] {
        cases.extend(usual("special", &array, Std { ddof: 1 }));
        cases.push(case_of("other output", array, Variance { ddof: 0 }, &DataType::Float32));
    }
    cases
}

/// Builds cases of the numbers of distinct rows in segments.
pub(crate) fn segmented_distinct() -> Vec<Case> {
    let mut cases = Vec::new();
    let offsets = |rows: usize| {
        let ends = [1, 1, 5, 40, 41, 300].iter().map(|end: &usize| (*end).min(rows) as i64);
        plain::<Int64Type>(ends.chain([rows.saturating_sub(2).max(300.min(rows)) as i64]))
    };
    let nested = data::nested_keys();
    for (seed, data_type) in (0..).zip(types().iter().chain(&nested)) {
        for (rows, nulls) in [(0, NullPattern::None), (90, NullPattern::Some), (1200, NullPattern::Every(7))] {
            let array = few_nested(data_type, rows, 20, nulls, seed);
            for of in [Nunique(Include), Nunique(Exclude)] {
                let policy = if rows == 90 { Include } else { Exclude };
                let case =
                    segmented_case(&format!("distinct/{rows}/{nulls:?}"), array.clone(), offsets(rows), of, policy);
                cases.extend(case.map(|mut case| {
                    case.waits = 16 + nested_key_waits(std::slice::from_ref(&array));
                    case.with_slice_costs(SliceCosts::Own)
                }));
            }
        }
    }
    cases
}

pub(crate) fn segmented_spreads() -> Vec<Case> {
    let mut cases = Vec::new();
    let offsets = |rows: usize| {
        let ends = [0, 0, 1, 3, 40, 41, 741, 745, 5000].iter().map(|end: &usize| (*end).min(rows) as i64);
        plain::<Int64Type>(ends.chain([rows as i64]))
    };
    for (data_type, policy) in [DataType::Int64, DataType::UInt64, DataType::Int8]
        .into_iter()
        .flat_map(|data_type| [(data_type.clone(), Exclude), (data_type, Include)])
    {
        for rows in [77, 20_000] {
            let array = extreme(&data_type, rows, NullPattern::Every(5), 1);
            cases.extend(segmented_case("overflow", array, offsets(rows), SumOverflow, policy));
        }
    }
    let whole = random_array(&DataType::Decimal64(18, 0), 20_000, NullPattern::Every(5), 1);
    cases.extend(segmented_case("whole", whole, offsets(20_000), Product, Exclude));
    for (seed, data_type) in (0..).zip([DataType::Int32, DataType::Float64, DataType::Boolean, DataType::UInt8]) {
        for (rows, nulls) in [(0, NullPattern::None), (77, NullPattern::Some), (20_000, NullPattern::Every(5))] {
            let array = match data_type {
                DataType::Float64 => plain::<Float64Type>((0..rows).map(|row| 1e6 + (row * 7919 % 1000) as f64)),
                _ => random_array(&data_type, rows, nulls, seed),
            };
            for of in SPREADS {
                let label = format!("{rows}/{nulls:?}");
                cases.extend(segmented_case(&label, array.clone(), offsets(rows), of, Exclude));
                cases.extend(segmented_case(&label, array.clone(), offsets(rows), of, Include));
            }
        }
    }
    cases
}

/// Builds cases with a column and an initial value of one row.
pub(crate) fn initial_values() -> Vec<Case> {
    let mut cases = Vec::new();
    let run = |column: &Column, of: ReduceAggregation, output: &DataType, initial: Column| -> Result<Vec<Column>> {
        let initial = Scalar::from_column(initial)?;
        Ok(vec![reduce_with_initial_value(column, of, output, &initial)?.into_column()])
    };
    let mut add = |label: &str, column: ArrayRef, initial: ArrayRef, of: ReduceAggregation, output: &DataType| {
        let given = if initial.is_null(0) { "null" } else { "value" };
        let label =
            format!("{of:?} of {} and a {given} of {} to {output}/{label}", column.data_type(), initial.data_type());
        let (own, output) = (output.clone(), output.clone());
        cases.push(Case::new(
            label,
            vec![column, initial],
            move |inputs| run(&inputs[0], of, &own, inputs[1].clone()),
            move |inputs| {
                let rows = naive::reduction::reduce(&inputs[0], of, &output)?.remove(0);
                let initial = naive::unary::cast::cast(&inputs[1], &output)?.remove(0);
                let both = [to_values(&rows), to_values(&initial)].concat();
                naive::reduction::reduce(&try_from_values(&output, &both)?, of, &output)
            },
            6,
        ));
    };
    for (rows, nulls) in [(0, NullPattern::None), (77, NullPattern::Some), (33, NullPattern::All)] {
        let label = format!("{rows}/{nulls:?}");
        let numbers = random_array(&DataType::Int32, rows, nulls, 1);
        let text = random_array(&DataType::Utf8, rows, nulls, 1);
        for initial in [Some(-7), None] {
            let value = ints::<Int64Type>([initial]);
            for (of, output) in [
                (Sum, DataType::Int64),
                (Product, DataType::Int64),
                (Min, DataType::Int32),
                (Any, DataType::Boolean),
                (All, DataType::Boolean),
            ] {
                add(&label, numbers.clone(), value.clone(), of, &output);
            }
        }
        let money = random_array(&DataType::Decimal64(18, 2), rows, nulls, 1);
        for nulls in [NullPattern::None, NullPattern::All] {
            let initial = random_array(&DataType::Decimal64(18, 2), 1, nulls, 3);
            for (of, output) in [
                (Sum, DataType::Decimal128(38, 2)),
                (Sum, DataType::Decimal256(76, 2)),
                (Min, DataType::Decimal64(18, 2)),
                (Max, DataType::Decimal64(18, 2)),
                (Any, DataType::Boolean),
            ] {
                add(&label, money.clone(), initial.clone(), of, &output);
            }
            add(&label, text.clone(), random_array(&DataType::Utf8, 1, nulls, 3), Max, &DataType::Utf8);
        }
    }
    cases.extend(decimal_initial_values());
    let refused = |of: ReduceAggregation, data_type: DataType| {
        let column = random_array(&data_type, 5, NullPattern::None, 1);
        let run = move |inputs: &[Column]| run(&inputs[0], of, inputs[0].data_type(), inputs[0].slice(0, 1)?);
        Case::refused(format!("refused {of:?}/{data_type}"), vec![column], run, |error| {
            matches!(error, Error::Unsupported { .. })
        })
    };
    cases.push(refused(Mean, DataType::Float64));
    cases.push(refused(Product, DataType::Decimal256(76, 2)));
    cases
}

/// Builds cases of products of decimals, whose initial value is one more factor, and refusals of other scales.
fn decimal_initial_values() -> Vec<Case> {
    let mut cases = Vec::new();
    let decimal = |data_type: &DataType, rows: &[Option<i128>]| {
        let value = |row: &Option<i128>| row.map(|row| Value::Decimal(i256::from_i128(row)));
        from_values(data_type, &rows.iter().map(value).collect::<Vec<_>>())
    };
    let product = |inputs: &[Column], output: &DataType| {
        let initial = Scalar::from_column(inputs[1].clone())?;
        Ok(vec![reduce_with_initial_value(&inputs[0], Product, output, &initial)?.into_column()])
    };
    let some = |rows: &[i128]| rows.iter().copied().map(Some).collect::<Vec<_>>();
    for (column, rows, initial, factor, output) in [
        (
            DataType::Decimal64(18, 2),
            some(&[150, -25, 1]),
            DataType::Decimal64(18, 2),
            Some(7),
            DataType::Decimal128(38, 8),
        ),
        (
            DataType::Decimal64(18, 2),
            vec![Some(150), None, Some(-3)],
            DataType::Decimal32(9, 2),
            Some(-7),
            DataType::Decimal64(18, 6),
        ),
        (DataType::Decimal32(9, 1), vec![Some(15), None], DataType::Decimal32(9, 1), None, DataType::Decimal32(9, 1)),
        (DataType::Decimal32(9, 1), vec![None, None], DataType::Decimal32(9, 1), Some(15), DataType::Decimal32(9, 1)),
        (DataType::Decimal32(9, 3), vec![None], DataType::Decimal32(9, 3), None, DataType::Decimal32(9, 0)),
        (
            DataType::Decimal128(38, 0),
            some(&[3, i128::from(i64::MAX), 1 << 60]),
            DataType::Decimal128(38, 0),
            Some(-5),
            DataType::Decimal128(38, 0),
        ),
        (
            DataType::Decimal128(38, -2),
            some(&[3, 4]),
            DataType::Decimal128(38, -2),
            Some(5),
            DataType::Decimal128(38, -6),
        ),
    ] {
        let label = format!("Product of {column} and {factor:?} of {initial} to {output}");
        let (own, naive_output) = (output.clone(), output.clone());
        let case = Case::new(
            label,
            vec![decimal(&column, &rows), decimal(&initial, &[factor])],
            move |inputs| product(inputs, &own),
            move |inputs| {
                let factors = inputs.iter().flat_map(|array| to_values(array)).flatten();
                let factors: Vec<i128> = factors
                    .map(|value| match value {
                        Value::Decimal(value) => value.to_i128().ok_or("a factor has more than 128 bits"),
                        _ => Err("a factor is not a decimal"),
                    })
                    .collect::<std::result::Result<_, _>>()?;
                let all = factors.iter().fold(1, |all: i128, factor| all.wrapping_mul(*factor));
                let value = (!factors.is_empty()).then(|| Value::Decimal(i256::from_i128(all)));
                Ok(vec![try_from_values(&naive_output, &[value])?])
            },
            8,
        );
        // The scale of a product depends on the number of valid rows, which a slice counts on the device.
        cases.push(case.with_slice_costs(SliceCosts::Own));
    }
    let column = DataType::Decimal64(18, 2);
    let inputs = vec![decimal(&column, &some(&[150, 2])), decimal(&column, &[Some(3)])];
    let run = move |inputs: &[Column]| product(inputs, &DataType::Decimal128(38, 4));
    let argument = |error: &Error| matches!(error, Error::InvalidArgument { .. });
    cases.push(Case::refused("refused scale of a product".to_owned(), inputs, run, argument));
    cases
}
