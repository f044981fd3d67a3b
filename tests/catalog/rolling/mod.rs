//! The entries of `rolling`.

pub(super) mod defaults;
pub(super) mod ranges;

use std::ops::Range;

use arrow_array::types::{Float64Type, Int32Type};
use arrow_array::{Array, ArrayRef};
use arrow_schema::DataType;
use gdf_api::rolling::{self, RollingAggregation as Aggregation, WindowBound};
use gdf_api::scan::NullPolicy;
use gdf_api::stream_compaction::{NanEquality, NullEquality};
use gdf_core::{Column, Error, Result, is_floating};
use gdf_external::bounds::{self, Shape};

use super::reduction::gentle;
use super::shared::refusals::public_refusals;
use super::shared::tables::{as_table, few_nested, gather_waits, nested_key_waits, shape_of};
use super::{Case, Entry, SliceCosts};
use crate::documented_types::group_type;
use crate::naive::rolling::{by_rows, groups, roll};
use gdf_test::builders::{ints, plain};
use gdf_test::compare::Equality;
use gdf_test::data::{self, BRACKETS, NullPattern, random_array};
use gdf_test::value::{Value, from_values};

pub(super) fn entries() -> Vec<Entry> {
    vec![
        Entry::new("rolling.rolling_window", Equality::Exact, fixed_cases),
        Entry::new("rolling.rolling_window", Equality::Ulp(64), near_cases),
        Entry::new("rolling.variable_rolling_window", Equality::Exact, variable_cases),
        Entry::new("rolling.grouped_rolling_window", Equality::Exact, grouped_cases),
    ]
}

const ELEMENTS: [Aggregation; 4] = [
    Aggregation::NthElement { n: 0, null_policy: NullPolicy::Exclude },
    Aggregation::NthElement { n: -2, null_policy: NullPolicy::Exclude },
    Aggregation::NthElement { n: 1, null_policy: NullPolicy::Include },
    Aggregation::NthElement { n: -1, null_policy: NullPolicy::Include },
];

const COLLECTED: [Aggregation; 4] = [
    Aggregation::CollectList { nulls: NullPolicy::Include },
    Aggregation::CollectList { nulls: NullPolicy::Exclude },
    set(NullPolicy::Include, NullEquality::Equal, NanEquality::AllEqual),
    set(NullPolicy::Exclude, NullEquality::Unequal, NanEquality::AllEqual),
];

const fn set(nulls: NullPolicy, null_equality: NullEquality, nan_equality: NanEquality) -> Aggregation {
    Aggregation::CollectSet { nulls, null_equality, nan_equality }
}

const SUMS: [Aggregation; 2] = [Aggregation::Sum, Aggregation::Mean];

fn all() -> Vec<Aggregation> {
    use Aggregation::*;
    let rest = [Sum, SumOfSquares, Mean, Min, Max, ArgMin, ArgMax, CountValid, CountAll, RowNumber, Lead(1), Lag(2)];
    [&rest[..], &ELEMENTS, &COLLECTED, &[Variance { ddof: 1 }, Std { ddof: 0 }]].concat()
}

/// Returns the type of the result, as documented at `RollingAggregation`.
fn output(aggregation: Aggregation, data_type: &DataType) -> Option<DataType> {
    use gdf_api::groupby::GroupByAggregation as G;
    let of = |aggregation| group_type(aggregation, data_type);
    let same = || Some(data_type.clone());
    let decimal = gdf_core::is_decimal(data_type);
    match aggregation {
        Aggregation::Sum | Aggregation::Mean if decimal => same(),
        Aggregation::Sum => of(G::Sum),
        Aggregation::SumOfSquares if gdf_core::is_decimal(data_type) => None,
        Aggregation::SumOfSquares => of(G::SumOfSquares),
        Aggregation::Mean => of(G::Mean),
        Aggregation::Min | Aggregation::Max => of(G::Min),
        Aggregation::ArgMin | Aggregation::ArgMax => of(G::ArgMin).map(|_| DataType::Int64),
        Aggregation::CountValid => of(G::CountValid),
        Aggregation::Variance { ddof } | Aggregation::Std { ddof } => of(G::Variance { ddof }),
        Aggregation::CountAll | Aggregation::RowNumber => Some(DataType::Int64),
        Aggregation::CollectList { nulls } => of(G::CollectList { nulls }),
        Aggregation::CollectSet { nulls, null_equality, nan_equality } => {
            of(G::CollectSet { nulls, null_equality, nan_equality })
        }
        _ => of(G::NthElement { n: 0, nulls: NullPolicy::Include }),
    }
}

/// Builds a case that aggregates the last input.
pub(super) fn case(
    label: &str,
    inputs: Vec<ArrayRef>,
    (min_periods, aggregation): (usize, Aggregation),
    windows: impl Fn(&[ArrayRef]) -> std::result::Result<Vec<Range<usize>>, String> + Send + Sync + 'static,
    run: impl Fn(&[Column]) -> Result<Column> + Send + Sync + 'static,
) -> Option<Case> {
    let input = inputs.last()?;
    let output = output(aggregation, input.data_type())?;
    let (rows, nulls) = (input.len(), input.null_count());
    let label = format!("{aggregation:?}/{label}/{}/{rows}/{nulls} null/{min_periods}", input.data_type());
    let is_text = data::strings().contains(input.data_type());
    let element = matches!(aggregation, Aggregation::NthElement { null_policy: NullPolicy::Exclude, .. });
    let gathers = gather_waits(std::slice::from_ref(input));
    let collected = COLLECTED.iter().any(|of| std::mem::discriminant(of) == std::mem::discriminant(&aggregation));
    let of_rows = matches!(aggregation, Aggregation::ArgMin | Aggregation::ArgMax);
    let ranked =
        matches!(aggregation, Aggregation::Min | Aggregation::Max) && nested_key_waits(&inputs[inputs.len() - 1..]) > 0;
    let ranked = ranked || of_rows;
    let waits = gathers
        + u64::from(element)
        + if collected || ranked { 8 + nested_key_waits(&inputs) } else { 0 }
        + if of_rows { 32 } else { 0 };
    let case = Case::new(
        label,
        inputs,
        move |inputs| Ok(vec![run(inputs)?]),
        move |inputs| {
            let input = inputs.last().ok_or("the input is missing")?;
            roll(input, &windows(inputs)?, min_periods, aggregation, &output)
        },
        waits,
    );
    // Lists of the values of windows have no bound.
    let case = match collected {
        true => case,
        false => case.with_bound(|inputs| {
            let (values, keys) = inputs.split_last()?;
            Some(bounds::window(&shape_of(keys), &Shape::of_column(values), 1))
        }),
    };
    Some(if is_text || collected || ranked { case.with_slice_costs(SliceCosts::Own) } else { case })
}

fn rows_of(bound: WindowBound) -> i64 {
    if let WindowBound::Rows(rows) = bound { rows } else { i64::MAX }
}

const UNBOUNDED: WindowBound = WindowBound::Unbounded;

fn fixed(
    input: &ArrayRef,
    (preceding, following): (impl Into<WindowBound>, impl Into<WindowBound>),
    how: (usize, Aggregation),
) -> Option<Case> {
    let (preceding, following): (WindowBound, WindowBound) = (preceding.into(), following.into());
    case(
        &format!("{preceding:?}/{following:?}"),
        vec![input.clone()],
        how,
        move |inputs| Ok(by_rows(&groups(&[], inputs[0].len()), |_| Some((rows_of(preceding), rows_of(following))))),
        move |inputs| rolling::rolling_window(&inputs[0], preceding, following, how.0, how.1),
    )
}

pub(super) fn array(data_type: &DataType, rows: usize, nulls: NullPattern, seed: u64) -> ArrayRef {
    if is_floating(data_type) {
        gentle(data_type, rows, nulls, false)
    } else {
        random_array(data_type, rows, nulls, seed)
    }
}

fn is_inexact(aggregation: Aggregation) -> bool {
    use Aggregation::{Mean, Std, SumOfSquares, Variance};
    matches!(aggregation, Mean | Std { .. } | SumOfSquares | Variance { .. })
}

fn fixed_cases() -> Vec<Case> {
    let mut cases = Vec::new();
    let rest = vec![DataType::Boolean, DataType::Null, data::views()[0].clone(), data::nested()[9].clone()];
    let types = [data::numeric(), data::decimal(), data::temporal(), data::strings(), rest].concat();
    for (data_type, seed) in types.iter().zip(1..) {
        for (nulls, bounds, min_periods) in [(NullPattern::Some, (3_i64, 1_i64), 1), (NullPattern::None, (5, -2), 2)] {
            if nulls == NullPattern::None && seed % 4 != 0 {
                continue;
            }
            let input = array(data_type, 40, nulls, seed);
            let exact = all().into_iter().filter(|aggregation| {
                !is_inexact(*aggregation)
                    || *aggregation == Aggregation::Mean && !is_floating(data_type) && gdf_core::is_decimal(data_type)
            });
            cases.extend(exact.filter_map(|aggregation| fixed(&input, bounds, (min_periods, aggregation))));
        }
    }
    for (data_type, seed) in data::nested_keys().iter().zip(1..) {
        let input = few_nested(data_type, 40, 25, NullPattern::Some, seed);
        let of = [Aggregation::Min, Aggregation::Max, Aggregation::ArgMin, Aggregation::ArgMax];
        cases.extend(of.iter().filter_map(|of| fixed(&input, (3_i64, 1_i64), (2, *of))));
    }
    let zeros = [0.0, f64::NAN, -0.0, -1.0, f64::NAN, 0.0, -0.0];
    let repeated = plain::<Float64Type>((0..40).map(|row| zeros[row * 5 % 7]));
    cases.extend(
        [Aggregation::ArgMin, Aggregation::ArgMax].iter().filter_map(|of| fixed(&repeated, (3_i64, 1_i64), (1, *of))),
    );
    // The columns have every length.
    let (int, double) = (DataType::Int64, DataType::Float64);
    for (&rows, seed) in BRACKETS.iter().zip(1..) {
        for (nulls, min_periods) in [(NullPattern::None, 0), (NullPattern::Some, 1)] {
            let input = array(&int, rows, nulls, seed);
            for (bounds, of) in [
                ((1_i64, 0_i64), Aggregation::Sum),
                ((10, 0), Aggregation::Max),
                ((7, 2), Aggregation::ArgMax),
                ((5, 3), Aggregation::ArgMin),
                ((-2, 40), Aggregation::Sum),
            ] {
                cases.extend(fixed(&input, bounds, (min_periods, of)));
            }
            if (60..300).contains(&rows) {
                let input = array(&double, rows, nulls, seed);
                cases.extend(
                    [Aggregation::Sum, Aggregation::Min]
                        .iter()
                        .filter_map(|of| fixed(&input, (90_i64, 200_i64), (min_periods, *of))),
                );
            }
            cases.extend(fixed(&input, (UNBOUNDED, 0_i64), (min_periods, Aggregation::CountValid)));
        }
    }
    // These windows are so long that they need several levels of aggregates.
    for (nulls, data_types) in [
        (NullPattern::None, [&int, &double]),
        (NullPattern::Every(3), [&double, &int]),
        (NullPattern::Every(5), [&DataType::Decimal128(38, 4), &DataType::Utf8]),
    ] {
        for data_type in data_types {
            let input = array(data_type, 1000, nulls, 5);
            let aggregation = if data_type == &DataType::Utf8 { Aggregation::Min } else { Aggregation::Sum };
            cases.extend(fixed(&input, (600_i64, 7_i64), (1, aggregation)));
            cases.extend(fixed(&input, (100_i64, 90_i64), (1, Aggregation::Max)));
        }
    }
    // The windows have a fixed number of rows.
    for (nulls, data_types) in [
        (NullPattern::None, [&int, &double]),
        (NullPattern::Every(3), [&double, &int]),
        (NullPattern::Some, [&DataType::Int16; 2]),
    ] {
        for (data_type, aggregation) in data_types.iter().zip([Aggregation::Sum, Aggregation::Min]) {
            let input = array(data_type, 700, nulls, 7);
            let bounds = [
                (2_i64, 0_i64),
                (8, 0),
                (6, 3),
                (17, 0),
                (20, 12),
                (-3, 34),
                (140, -11),
                (200, 56),
                (257, 0),
                (30, 300),
            ];
            for bounds in bounds {
                cases.extend(fixed(&input, bounds, (1, aggregation)));
            }
        }
    }
    // Each column has the rows of several blocks.
    for (nulls, data_type, aggregation) in [
        (NullPattern::None, &int, Aggregation::Max),
        (NullPattern::Every(7), &double, Aggregation::Sum),
        (NullPattern::Some, &DataType::Int32, Aggregation::Sum),
    ] {
        let input = array(data_type, 4500, nulls, 9);
        for bounds in [(9_i64, 0_i64), (90, 10), (-5, 260), (256, 0), (1, 256), (700, -80), (-600, 2900)] {
            cases.extend(fixed(&input, bounds, (2, aggregation)));
        }
    }
    cases.extend(fixed(&array(&double, 4500, NullPattern::Every(50), 8), (4300_i64, 0_i64), (4200, Aggregation::Sum)));
    cases.extend(fixed(&array(&int, 4500, NullPattern::None, 4), (-600_i64, 2900_i64), (2, Aggregation::Min)));
    let widest = array(&DataType::Decimal256(76, 0), 700, NullPattern::None, 6);
    cases.extend(fixed(&widest, (290_i64, 0_i64), (1, Aggregation::Sum)));
    cases.extend(special());
    cases.extend(fixed(&array(&int, 100, NullPattern::Some, 3), (UNBOUNDED, UNBOUNDED), (40, Aggregation::Sum)));
    cases.extend(fixed(&array(&int, 100, NullPattern::Some, 3), (i64::MAX, i64::MIN + 2), (0, Aggregation::CountAll)));
    cases.extend(fixed(&array(&int, 40, NullPattern::None, 2), (3_i64, 1_i64), (9, Aggregation::Lead(1))));
    cases.into_iter().chain(refused()).collect()
}

/// Builds cases with infinite floats and NaN.
fn special() -> Vec<Case> {
    let number = |row: usize| match row {
        30 => f64::NAN,
        100 => f64::INFINITY,
        160 => f64::NEG_INFINITY,
        220 => -0.0,
        row => (row % 5) as f64,
    };
    let input = plain::<Float64Type>((0..300).map(number));
    let mut cases = Vec::new();
    for bounds in [(5_i64, 0_i64), (40, 33), (2, 70)] {
        for aggregation in [Aggregation::Sum, Aggregation::Min, Aggregation::Max] {
            cases.extend(fixed(&input, bounds, (1, aggregation)));
        }
    }
    cases
}

fn refused() -> Vec<Case> {
    let documented = |aggregation, data_type: &DataType| output(aggregation, data_type).is_some();
    let mut cases = public_refusals(&all(), documented, |aggregation, inputs| {
        Ok(vec![rolling::rolling_window(&inputs[0], 2, 0, 1, aggregation)?])
    });
    let input = random_array(&DataType::Int32, 3, NullPattern::None, 1);
    for (preceding, following) in [(0, 0), (1, -1), (i64::MIN, 5)] {
        cases.push(Case::refused(
            format!("refused {preceding}/{following}"),
            vec![input.clone()],
            move |inputs| Ok(vec![rolling::rolling_window(&inputs[0], preceding, following, 1, Aggregation::Sum)?]),
            |error| matches!(error, Error::InvalidArgument { .. }),
        ));
    }
    cases
}

/// Builds cases of means, sums of squares and variances.
fn near_cases() -> Vec<Case> {
    let mut cases = Vec::new();
    let inexact: Vec<_> = all().into_iter().filter(|aggregation| is_inexact(*aggregation)).collect();
    for data_type in [DataType::Float64, DataType::Float32, DataType::Float16, DataType::Int16, DataType::Boolean] {
        for (nulls, bounds, min_periods) in [(NullPattern::Some, (4_i64, 1_i64), 1), (NullPattern::None, (60, 70), 3)] {
            let input = array(&data_type, 200, nulls, 3);
            // Squares of `Float16` values are rounded, so their sums are inexact.
            let of = inexact.iter().filter(|of| **of != Aggregation::SumOfSquares || data_type != DataType::Float16);
            cases.extend(of.filter_map(|of| fixed(&input, bounds, (min_periods, *of))));
        }
    }
    cases.extend(SUMS.iter().filter_map(|of| {
        let input = plain::<Float64Type>((0..2000).map(|row| 1.0 / (f64::from(row) + 1.0)));
        fixed(&input, (500_i64, 100_i64), (1, *of))
    }));
    cases
}

fn variable_cases() -> Vec<Case> {
    let mut cases = Vec::new();
    for (&rows, seed) in BRACKETS.iter().zip(1_u64..) {
        for (nulls, spread) in [(NullPattern::None, 7), (NullPattern::Some, 90)] {
            let number = |row: usize, salt: u64| {
                ((row as u64 + seed).wrapping_mul(0x9e37_79b9_7f4a_7c15 ^ salt << 40) >> 33) as i32 % spread - 2
            };
            let bound = |salt| {
                ints::<Int32Type>(
                    (0..rows).map(|row| (nulls == NullPattern::None || row % 11 != 3).then(|| number(row, salt))),
                )
            };
            let input = array(&DataType::Int64, rows, nulls, seed);
            let rest = [(0, Aggregation::CountAll), (2, Aggregation::Min), (0, Aggregation::Lag(1))];
            for how in [(1, Aggregation::Sum), rest[seed as usize % 3]] {
                cases.extend(variable(vec![bound(1), bound(2), input.clone()], how));
            }
        }
    }
    // Most windows have few rows.
    for (data_type, nulls, aggregation) in [
        (DataType::Int64, NullPattern::None, Aggregation::Sum),
        (DataType::Float64, NullPattern::Every(3), Aggregation::Sum),
        (DataType::Int64, NullPattern::Every(5), Aggregation::Max),
        (DataType::Utf8, NullPattern::None, Aggregation::Min),
    ] {
        let long = |row: i32, rows| if row > 8990 || row == 4567 { rows } else { 1 };
        let before = plain::<Int32Type>((0..9000).map(|row| long(row, 8600 - row % 7 * 9)));
        let after = plain::<Int32Type>((0..9000).map(|row| long(row, 4410) - 1));
        cases.extend(variable(vec![before, after, array(&data_type, 9000, nulls, 5)], (1, aggregation)));
    }
    let wide = plain::<arrow_array::types::Int64Type>([i64::MIN, i64::MAX, 1, 0, 2]);
    let input = plain::<Int32Type>([1, 2, 3, 4, 5]);
    cases.extend(variable(vec![wide.clone(), wide.clone(), input.clone()], (0, Aggregation::Sum)));
    let refused = |label: &str, inputs, is_right| {
        let run = |inputs: &[Column]| Ok(vec![run_variable(inputs, (1, Aggregation::Sum))?]);
        Case::refused(format!("refused {label}"), inputs, run, is_right)
    };
    let short = plain::<Int32Type>([1, 2]);
    cases.push(refused("lengths", vec![short, wide.clone(), input.clone()], |error| {
        matches!(error, Error::LengthMismatch { .. })
    }));
    cases.push(refused("floats", vec![wide, plain::<Float64Type>([1.0; 5]), input], |error| {
        matches!(error, Error::TypeMismatch { .. })
    }));
    cases
}

fn run_variable(inputs: &[Column], how: (usize, Aggregation)) -> Result<Column> {
    rolling::variable_rolling_window(&inputs[2], &inputs[0], &inputs[1], how.0, how.1)
}

fn variable(inputs: Vec<ArrayRef>, how: (usize, Aggregation)) -> Option<Case> {
    case(
        "variable",
        inputs,
        how,
        |inputs| {
            let [before, after] = [0, 1].map(|at: usize| gdf_test::value::to_values(&inputs[at]));
            let bound = |column: &[Option<Value>], row: usize| column[row].as_ref()?.as_i128().map(|rows| rows as i64);
            let bounds = |row: usize| Some((bound(&before, row)?, bound(&after, row)?));
            Ok(by_rows(&groups(&[], inputs[2].len()), bounds))
        },
        move |inputs| run_variable(inputs, how),
    )
}

/// Returns keys.
fn keys(data_type: &DataType, rows: usize, seed: u64) -> ArrayRef {
    let pool = gdf_test::value::to_values(&random_array(data_type, rows / 5 + 1, NullPattern::Every(4), seed));
    let values: Vec<_> = (0..rows).map(|row| pool[row * row / (7 * rows.max(1)) % pool.len()].clone()).collect();
    from_values(data_type, &values)
}

fn grouped_cases() -> Vec<Case> {
    let mut cases = Vec::new();
    for (&rows, seed) in BRACKETS.iter().zip(1_u64..) {
        for key in [DataType::Int32, DataType::Utf8] {
            let inputs = vec![keys(&key, rows, seed), array(&DataType::Int64, rows, NullPattern::Some, seed)];
            for (bounds, how) in [
                ((3.into(), 1.into()), (1, Aggregation::Sum)),
                ((UNBOUNDED, UNBOUNDED), (1, Aggregation::Max)),
                ((UNBOUNDED, 0.into()), (0, Aggregation::RowNumber)),
                ((UNBOUNDED, UNBOUNDED), (0, Aggregation::Lead(2))),
            ] {
                cases.extend(grouped(inputs.clone(), bounds, how));
            }
        }
    }
    let input = array(&DataType::Int64, 40, NullPattern::None, 1);
    cases.extend(grouped(vec![input.clone()], (4.into(), 0.into()), (1, Aggregation::Sum)));
    let floats = vec![keys(&DataType::Int32, 100, 2), array(&DataType::Float64, 100, NullPattern::Some, 2)];
    cases.extend(grouped(floats, (3.into(), 1.into()), (1, Aggregation::Sum)));
    for (label, key) in
        [("lengths", plain::<Int32Type>([1, 2])), ("keys", random_array(&data::unions()[0], 40, NullPattern::None, 1))]
    {
        cases.push(Case::refused(
            format!("refused {label}"),
            vec![key, input.clone()],
            |inputs| Ok(vec![run_grouped(inputs, (UNBOUNDED, UNBOUNDED), (1, Aggregation::Sum))?]),
            |error| matches!(error, Error::LengthMismatch { .. } | Error::Unsupported { .. }),
        ));
    }
    cases
}

type Bounds = (WindowBound, WindowBound);

fn run_grouped(inputs: &[Column], bounds: Bounds, how: (usize, Aggregation)) -> Result<Column> {
    let (input, keys) = inputs.split_last().ok_or_else(|| Error::column_count(1, 0))?;
    rolling::grouped_rolling_window(&as_table(keys)?, input, bounds.0, bounds.1, how.0, how.1)
}

fn grouped(inputs: Vec<ArrayRef>, bounds: Bounds, how: (usize, Aggregation)) -> Option<Case> {
    let label = format!("{bounds:?}/{}", inputs[0].data_type());
    case(
        &label,
        inputs,
        how,
        move |inputs| {
            let (input, keys) = inputs.split_last().ok_or("the input is missing")?;
            Ok(by_rows(&groups(keys, input.len()), |_| Some((rows_of(bounds.0), rows_of(bounds.1)))))
        },
        move |inputs| run_grouped(inputs, bounds, how),
    )
}

#[cfg(test)]
mod tests {
    use gdf_test::runner::{RunnerOptions, run_entry};

    #[test]
    fn passes_on_the_cpu() {
        for entry in super::entries() {
            run_entry(&entry, gdf_driver::Device::Cpu, &RunnerOptions::default()).assert_passed();
        }
    }
}
