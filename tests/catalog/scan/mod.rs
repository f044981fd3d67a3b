//! The entries `scan.scan`. Results are compared exactly, except for sums and products of arbitrary floats, which are
//! compared with a tolerance.

pub(super) mod ewma;

use arrow_array::types::{Float32Type, Float64Type, Int64Type};
use arrow_array::{Array, ArrayRef};
use arrow_schema::{DataType, IntervalUnit};
use gdf_api::reduction::ReduceAggregation;
use gdf_api::scan::NullPolicy::{self, Exclude, Include};
use gdf_api::scan::ScanAggregation::{self, CountAll, CountValid, Max, Min, Product, Sum};
use gdf_api::scan::ScanType::{self, Exclusive, Inclusive};
use gdf_core::{Column, is_floating, physical_type};

use super::reduction::{cancelling, gentle, types};
use super::shared::refusals::public_refusals;
use super::shared::tables::{few_nested, gather_waits, nested_key_waits};
use super::{Case, Entry, SliceCosts};
use crate::documented_types::reduced_type;
use crate::naive;
use gdf_test::builders::{ints, plain};
use gdf_test::compare::Equality;
use gdf_test::data::{self, BRACKETS, NullPattern, random_array};

pub(super) fn entries() -> Vec<Entry> {
    vec![Entry::new("scan.scan", Equality::Exact, exact).guessing(), Entry::new("scan.scan", Equality::Ulp(64), near)]
}

const AGGREGATIONS: [ScanAggregation; 6] = [Sum, Product, Min, Max, CountValid, CountAll];

#[derive(Clone, Copy, Debug)]
struct How {
    aggregation: ScanAggregation,
    scan_type: ScanType,
    nulls: NullPolicy,
}

const ALL_MODES: [(ScanType, NullPolicy); 4] =
    [(Inclusive, Exclude), (Exclusive, Exclude), (Inclusive, Include), (Exclusive, Include)];

fn naive(input: &ArrayRef, how: How) -> Result<Vec<ArrayRef>, String> {
    naive::scan::scan(input, how.aggregation, how.scan_type, how.nulls)
}

fn run(inputs: &[Column], how: How) -> gdf_core::Result<Vec<Column>> {
    Ok(vec![gdf_api::scan::scan(&inputs[0], how.aggregation, how.scan_type, how.nulls)?])
}

/// Builds a case.
fn case(label: &str, input: &ArrayRef, how: How) -> Option<Case> {
    exists(input.data_type(), how).then(|| {
        let How { aggregation, scan_type, nulls } = how;
        // A scan of text gathers the text, and the gather waits.
        let gathers = gather_waits(std::slice::from_ref(input));
        let ranks = if matches!(aggregation, Min | Max) { nested_key_waits(std::slice::from_ref(input)) } else { 0 };
        let (waits, slices) = (gathers + ranks, if ranks > 0 { SliceCosts::Own } else { SliceCosts::Same });
        let label = format!("{scan_type:?} {aggregation:?} of {}/{label}/{nulls:?}", input.data_type());
        let oracle = move |inputs: &[ArrayRef]| naive(&inputs[0], how);
        Case::new(label, vec![input.clone()], move |inputs| run(inputs, how), oracle, waits).with_slice_costs(slices)
    })
}

/// Returns whether the documentation names the scan for the type.
fn exists(data_type: &DataType, how: How) -> bool {
    let exclusive = how.scan_type == Exclusive;
    let number = gdf_core::is_integral(data_type) || is_floating(data_type) || *data_type == DataType::Boolean;
    let decimal = gdf_core::is_decimal(data_type);
    let months = *data_type == DataType::Interval(IntervalUnit::YearMonth);
    match how.aggregation {
        Min | Max if data::strings().contains(data_type) => !exclusive,
        Min | Max if is_replaced(data_type) => !exclusive,
        Min | Max => number || decimal || ((data::temporal().contains(data_type) || months) && !exclusive),
        Sum => number || decimal || (matches!(data_type, DataType::Duration(_)) && !exclusive),
        Product => number,
        _ => true,
    }
}

/// Returns whether the scan compares the ranks of the values.
fn is_replaced(data_type: &DataType) -> bool {
    let is_nested = data_type.is_nested() && !matches!(data_type, DataType::Dictionary(..));
    (is_nested || matches!(data_type, DataType::FixedSizeBinary(_)))
        && reduced_type(ReduceAggregation::Min, data_type).is_some()
}

fn adds_floats(how: How, data_type: &DataType) -> bool {
    is_floating(data_type) && matches!(how.aggregation, Sum | Product)
}

fn exact() -> Vec<Case> {
    let mut cases = Vec::new();
    let modes =
        |aggregation| ALL_MODES.into_iter().map(move |(scan_type, nulls)| How { aggregation, scan_type, nulls });
    for (seed, data_type) in (0..).zip(types()) {
        for (rows, nulls) in
            [(0, NullPattern::None), (77, NullPattern::Some), (257, NullPattern::None), (65, NullPattern::All)]
        {
            let random = random_array(&data_type, rows, nulls, seed);
            let label = format!("{rows}/{nulls:?}");
            for how in AGGREGATIONS.into_iter().flat_map(modes) {
                if adds_floats(how, &data_type) {
                    let gentle = gentle(&data_type, rows, nulls, how.aggregation == Product);
                    cases.extend(case(&label, &gentle, how));
                } else if how.nulls == Exclude && nulls != NullPattern::All || nulls == NullPattern::Some {
                    cases.extend(case(&label, &random, how));
                }
            }
        }
    }
    // The cases cover every width and every kernel.
    for (seed, rows) in (0..).zip(BRACKETS.iter().chain(&[511, 512, 513, 1024, 4095, 4096, 4097, 8193])) {
        for nulls in [NullPattern::None, NullPattern::Some] {
            let label = format!("{rows}/{nulls:?}");
            for data_type in [
                DataType::Int8,
                DataType::UInt16,
                DataType::Int32,
                DataType::Int64,
                DataType::Decimal128(38, 4),
                DataType::Decimal256(76, 0),
            ] {
                let array = random_array(&data_type, *rows, nulls, seed);
                let mode = ALL_MODES[seed as usize % 4];
                for (aggregation, (scan_type, nulls)) in [(Sum, mode), (Min, ALL_MODES[0])] {
                    cases.extend(case(&label, &array, How { aggregation, scan_type, nulls }));
                }
            }
            for data_type in [DataType::Boolean, DataType::Float64, DataType::Utf8] {
                let array = random_array(&data_type, *rows, nulls, seed);
                for (scan_type, nulls) in [ALL_MODES[0], ALL_MODES[2]] {
                    cases.extend(case(&label, &array, How { aggregation: Max, scan_type, nulls }));
                }
            }
            let array = gentle(&DataType::Float32, *rows, nulls, false);
            cases.extend(case(&label, &array, How { aggregation: Sum, scan_type: Inclusive, nulls: Exclude }));
        }
    }
    cases.extend(late());
    cases.extend(late_floats());
    cases.extend(refused());
    cases.extend(many());
    special_floats(&mut cases);
    for (seed, data_type) in (0..).zip(data::nested_keys()) {
        for (rows, nulls) in [(0, NullPattern::None), (65, NullPattern::Some), (65, NullPattern::None)] {
            let array = few_nested(&data_type, rows, 30, nulls, seed);
            for (aggregation, nulls) in [(Min, Exclude), (Max, Exclude), (Max, Include)] {
                let how = How { aggregation, scan_type: Inclusive, nulls };
                cases.extend(case(&format!("nested/{rows}/{nulls:?}"), &array, how));
            }
        }
    }
    // Counts read only the mask, so counts take every type.
    for data_type in [DataType::Null, data::nested()[0].clone(), data::views()[0].clone(), data::nested()[6].clone()] {
        for nulls in [NullPattern::None, NullPattern::Some] {
            let array = random_array(&data_type, 65, nulls, 3);
            for aggregation in [CountValid, CountAll] {
                cases.extend(case("65", &array, How { aggregation, scan_type: Inclusive, nulls: Exclude }));
            }
        }
    }
    cases
}

/// Builds cases in which only one row matters: the first null, or the first row that decides the result.
fn late() -> Vec<Case> {
    let mut cases = Vec::new();
    for at in [31, 4095, 4096, 8192, 16_383] {
        let rows = || 0..17_000_usize;
        let flags = arrow_array::BooleanArray::from_iter(rows().map(|row| Some(row == at)));
        let others = arrow_array::BooleanArray::from_iter(rows().map(|row| (row != at).then_some(row < at)));
        let numbers = ints::<Int64Type>(rows().map(|row| (row != at).then_some(row as i64)));
        for (scan_type, nulls) in [ALL_MODES[2], ALL_MODES[3]] {
            let how = |aggregation| How { aggregation, scan_type, nulls };
            let label = format!("late at {at}");
            cases.extend(case(&label, &(std::sync::Arc::new(flags.clone()) as ArrayRef), how(Max)));
            cases.extend(case(&label, &(std::sync::Arc::new(others.clone()) as ArrayRef), how(Product)));
            cases.extend(case(&label, &numbers, how(Sum)));
        }
    }
    cases
}

/// Builds cases of sums that cancel but are exact in double precision in any order.
fn late_floats() -> Vec<Case> {
    let mut cases = Vec::new();
    for rows in [65, 2049, 10_000] {
        for data_type in data::floating().split_off(1) {
            for nulls in [NullPattern::None, NullPattern::Some] {
                let array = cancelling(&data_type, rows, nulls);
                for (scan_type, policy) in ALL_MODES {
                    let how = How { aggregation: Sum, scan_type, nulls: policy };
                    cases.extend(case(&format!("cancelling {rows}/{nulls:?}"), &array, how));
                }
            }
        }
    }
    for (seed, rows) in (0..).zip(data::limit_brackets()) {
        let array = random_array(&DataType::Int32, rows, NullPattern::Every(7), seed);
        let (scan_type, nulls) = ALL_MODES[seed as usize % 2];
        cases.extend(case(&format!("limits/{rows}"), &array, How { aggregation: Sum, scan_type, nulls }));
    }
    for at in [63, 64, 4095, 4096] {
        for (first, second) in [
            (f64::INFINITY, f64::NEG_INFINITY),
            (f64::NEG_INFINITY, f64::NEG_INFINITY),
            (f64::NAN, 1.0),
            (-f64::NAN, f64::INFINITY),
            (0.0, f64::INFINITY),
            (-0.0, f64::NAN),
        ] {
            let number = |row: usize| match row.checked_sub(at) {
                Some(0) => first,
                Some(100) => second,
                _ => 1.0,
            };
            let array = plain::<Float64Type>((0..5_000).map(number));
            let label = format!("late at {at}: {first}, {second}");
            for (aggregation, (scan_type, nulls)) in [(Sum, ALL_MODES[0]), (Product, ALL_MODES[1]), (Min, ALL_MODES[0])]
            {
                cases.extend(case(&label, &array, How { aggregation, scan_type, nulls }));
            }
        }
    }
    cases
}

/// Builds cases of scans that the documentation does not allow.
fn refused() -> Vec<Case> {
    let modes = ALL_MODES.iter().filter(|(_, nulls)| *nulls == Exclude);
    let hows = modes.flat_map(|(scan_type, nulls)| {
        AGGREGATIONS.map(|aggregation| How { aggregation, scan_type: *scan_type, nulls: *nulls })
    });
    let documented = |how, data_type: &DataType| exists(data_type, how);
    public_refusals(&hows.collect::<Vec<_>>(), documented, |how, inputs| run(inputs, how))
}

/// Builds cases of columns with many tiles.
fn many() -> Vec<Case> {
    let sum = How { aggregation: Sum, scan_type: Inclusive, nulls: Exclude };
    let max = How { aggregation: Max, scan_type: Exclusive, nulls: Include };
    let small = |rows: usize| plain::<Int64Type>((0..rows as i64).map(|row| row % 1000 - 300));
    let wide = random_array(&DataType::Decimal256(76, 0), 530_000, NullPattern::Every(100_000), 1);
    let narrow = random_array(&DataType::Int8, 50_000, NullPattern::Every(7), 1);
    let flags = random_array(&DataType::Boolean, 50_000, NullPattern::Every(5), 1);
    let text = random_array(&DataType::Utf8, 20_000, NullPattern::Every(9), 1);
    let latest = ints::<Int64Type>((0..530_000).map(|row| (row < 528_000).then_some(row)));
    let cases = [
        case("many 530000", &small(530_000), sum),
        case("many 950000", &small(950_000), sum),
        case("many 3670000", &small(3_670_000), sum),
        case("many", &wide, sum),
        case("many", &latest, max),
        case("many", &narrow, sum),
        case("many", &narrow, How { aggregation: CountValid, ..sum }),
        case("many", &flags, max),
        case("many", &text, How { scan_type: Inclusive, ..max }),
        case("many", &text, How { aggregation: Min, ..sum }),
        case("many", &gentle(&DataType::Float64, 50_000, NullPattern::None, false), sum),
        case("many 600000", &gentle(&DataType::Float64, 600_000, NullPattern::None, false), sum),
        case("many 950000", &gentle(&DataType::Float64, 950_000, NullPattern::None, false), sum),
        case("many 3670000", &gentle(&DataType::Float64, 3_670_000, NullPattern::None, false), sum),
    ];
    // The kernel loads several 64-bit values of a tile ahead of their use.
    let rows = 3_200_001;
    let random = |data_type, pattern| random_array(&data_type, rows, pattern, 2);
    let pipelined = [
        case("pipelined", &random(DataType::Int64, NullPattern::Some), How { scan_type: Exclusive, ..sum }),
        case("pipelined", &random(DataType::Int64, NullPattern::None), How { aggregation: Product, ..sum }),
        case(
            "pipelined",
            &gentle(&DataType::Float64, rows, NullPattern::Some, true),
            How { aggregation: Product, ..sum },
        ),
        case("pipelined", &random(DataType::UInt64, NullPattern::Every(3_100_000)), max),
        case("pipelined", &random(DataType::Float64, NullPattern::Some), How { aggregation: Min, ..sum }),
    ];
    cases.into_iter().chain(pipelined).flatten().collect()
}

fn special_floats(cases: &mut Vec<Case>) {
    let columns: [&[f64]; 7] = [
        &[1.0, f64::NAN, 2.0],
        &[f64::INFINITY, 1.0, f64::NEG_INFINITY, 1.0],
        &[-0.0, 0.0, -1.0],
        &[0.0, -0.0, f64::NAN, -5.0],
        &[-f64::NAN, 3.0],
        &[f64::MIN_POSITIVE, 5e-324],
        &[-0.0],
    ];
    for rows in columns {
        let double = plain::<Float64Type>(rows.iter().copied());
        let single = plain::<Float32Type>(rows.iter().map(|row| *row as f32));
        for aggregation in [Sum, Product, Min, Max] {
            for (scan_type, nulls) in [ALL_MODES[0], ALL_MODES[1]] {
                let how = How { aggregation, scan_type, nulls };
                cases.extend([&double, &single].iter().filter_map(|array| case("special", array, how)));
            }
        }
    }
}

/// Builds cases of floats of one sign, whose sums have no cancellation.
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
            for (scan_type, nulls) in [ALL_MODES[0], ALL_MODES[1]] {
                let how = How { aggregation: Sum, scan_type, nulls };
                cases.extend([&double, &single].iter().filter_map(|array| case(&label, array, how)));
            }
            if *rows > 2049 {
                continue;
            }
            let factors =
                (0..*rows).map(|row| valid(row).then(|| 1.0 + 1.0 / ((row as f64 + 1.0) * (row as f64 + 1.0))));
            let how = How { aggregation: Product, scan_type: Inclusive, nulls: Exclude };
            cases.extend(case(&label, &ints::<Float64Type>(factors), how));
        }
    }
    debug_assert!(cases.iter().all(|case| physical_type(case.inputs[0].data_type()).is_floating()));
    cases
}
