//! The entry `unary.cast`.

use std::sync::Arc;

use arrow_array::ArrayRef;
use arrow_array::builder::StringViewBuilder;
use arrow_array::types::{Float16Type, Float32Type, Float64Type, Int32Type};
use arrow_schema::{DataType, Field, TimeUnit};
use gdf_core::{Column, Error};
use half::f16;

use crate::catalog::{Case, Entry, SliceCosts};
use crate::naive;
use gdf_test::builders::plain;
use gdf_test::compare::Equality;
use gdf_test::data::{self, BRACKETS, NullPattern, random_array, soiled};

pub(crate) fn entries() -> Vec<Entry> {
    vec![Entry::new("unary.cast", Equality::Exact, casts).sharing_inputs().guessing().exact_types()]
}

fn case(label: &str, input: ArrayRef, to: &DataType) -> Case {
    let label = format!("{} to {to}/{label}", input.data_type());
    let (target, naive_target) = (to.clone(), to.clone());
    // A cast of views or of a dictionary waits for the number of bytes of the texts.
    let is_sized = |of: &DataType| matches!(of, DataType::Utf8View | DataType::BinaryView | DataType::Dictionary(..));
    // If the null count of a column shows that all rows are null, the operation does not read the views or the
    // dictionary values.
    let (waits, slices) =
        if is_sized(input.data_type()) { (2, SliceCosts::Allocations(2)) } else { (0, SliceCosts::Same) };
    Case::new(
        label,
        vec![input],
        move |inputs| Ok(vec![gdf_api::unary::cast(&inputs[0], &target)?]),
        move |inputs| naive::unary::cast::cast(&inputs[0], &naive_target),
        waits,
    )
    .with_slice_costs(slices)
}

/// Builds cases of casts to dictionaries, and from dictionaries of nested values.
fn encoded() -> Vec<Case> {
    let dictionary = |keys, values: &DataType| DataType::Dictionary(Box::new(keys), Box::new(values.clone()));
    let list = DataType::List(Arc::new(Field::new_list_field(DataType::Utf8, true)));
    let one = DataType::Struct(vec![Field::new("a", DataType::Int16, true)].into());
    let pairs = [
        (DataType::Int32, dictionary(DataType::Int32, &DataType::Int32)),
        (DataType::Int16, dictionary(DataType::UInt16, &DataType::Float64)),
        (DataType::Boolean, dictionary(DataType::Int8, &DataType::Boolean)),
        (DataType::Utf8, dictionary(DataType::Int64, &DataType::Utf8)),
        (DataType::Utf8View, dictionary(DataType::Int16, &DataType::LargeUtf8)),
        (dictionary(DataType::Int8, &DataType::Utf8), dictionary(DataType::UInt32, &DataType::Utf8)),
        (list.clone(), list.clone()),
        (dictionary(DataType::Int16, &list), list.clone()),
        (dictionary(DataType::Int32, &one), one.clone()),
        (list.clone(), dictionary(DataType::Int16, &list)),
        (one.clone(), dictionary(DataType::UInt8, &one)),
        (DataType::FixedSizeBinary(3), dictionary(DataType::Int32, &DataType::FixedSizeBinary(3))),
        (dictionary(DataType::Int8, &list), dictionary(DataType::UInt64, &list)),
    ];
    let mut cases = Vec::new();
    for ((from, to), seed) in pairs.iter().zip(900..) {
        for nulls in [NullPattern::None, NullPattern::Some, NullPattern::All] {
            for rows in [0, 1, 90] {
                let mut case = case(&format!("encoded {rows}/{nulls:?}"), random_array(from, rows, nulls, seed), to);
                (case.waits, case.slices) = (64, SliceCosts::Own);
                cases.push(case);
            }
        }
    }
    let refused = |label: &str, to: DataType, is_right: fn(&Error) -> bool| {
        let run = move |inputs: &[Column]| Ok(vec![gdf_api::unary::cast(&inputs[0], &to)?]);
        Case::refused(label, vec![plain::<Int32Type>(0..300)], run, is_right)
    };
    cases.push(refused("too many values", dictionary(DataType::UInt8, &DataType::Int32), |error| {
        matches!(error, Error::InvalidArgument { .. })
    }));
    let [views, floats] = [(DataType::Int8, DataType::Utf8View), (DataType::Float32, DataType::Int32)];
    for to in [views, floats, (DataType::Int8, list)].map(|(keys, values)| dictionary(keys, &values)) {
        cases.push(refused(&format!("refused {to}"), to.clone(), |error| matches!(error, Error::Unsupported { .. })));
    }
    cases
}

/// Returns views into many small buffers.
fn many_buffers() -> ArrayRef {
    let mut builder = StringViewBuilder::new().with_fixed_block_size(64);
    for row in 0..400_usize {
        match row % 7 {
            3 => builder.append_null(),
            _ => builder.append_value("ßa€".repeat(if row % 50 == 9 { 100 } else { row % 6 }) + &"x".repeat(row % 4)),
        }
    }
    Arc::new(builder.finish())
}

fn moments() -> Vec<DataType> {
    let mut types = vec![DataType::Date32, DataType::Date64];
    for unit in [TimeUnit::Second, TimeUnit::Millisecond, TimeUnit::Microsecond, TimeUnit::Nanosecond] {
        types.extend([DataType::Timestamp(unit, Some("UTC".into())), DataType::Duration(unit)]);
    }
    types
}

fn decimals() -> Vec<DataType> {
    vec![
        DataType::Decimal32(9, 2),
        DataType::Decimal32(9, 0),
        DataType::Decimal64(18, 5),
        DataType::Decimal64(18, -3),
        DataType::Decimal128(38, 10),
        DataType::Decimal128(38, 0),
        DataType::Decimal128(38, -7),
        DataType::Decimal256(76, 20),
        DataType::Decimal256(76, -40),
    ]
}

/// Returns floats that random floats rarely include: ties, numbers next to integers, and the ends of ranges.
fn telling_floats() -> Vec<ArrayRef> {
    let mut doubles = vec![0.0, -0.0, f64::NAN, f64::INFINITY, f64::NEG_INFINITY, f64::MAX, f64::MIN_POSITIVE, 5e-324];
    for bits in [7, 8, 15, 16, 31, 32, 63, 64, 127, 128, 255] {
        let power = 2_f64.powi(bits);
        doubles.extend([power, -power, power.next_down(), -power.next_up(), power - 0.5, -power - 0.5, power / 100.0]);
    }
    doubles.extend([
        1.15,
        -1.15,
        1.2,
        0.7,
        2.675,
        9.995,
        0.1,
        0.3,
        1e-5,
        3e-5,
        1e22,
        123_456.789,
        65_519.999_999,
        65_520.0,
    ]);
    doubles.extend((0..60).map(|i| 2_f64.powi(i - 30) * (1.0 + 2_f64.powi(-11))));
    doubles.extend((0..60).map(|i| 2_f64.powi(i - 30) * (1.0 + 2_f64.powi(-11) + 2_f64.powi(-40))));
    doubles.extend((0..60).map(|i| f64::from(i) * 0.01));
    let singles = doubles.iter().map(|value| *value as f32);
    let halves = doubles.iter().map(|value| f16::from_f32(*value as f32));
    let (singles, halves) = (plain::<Float32Type>(singles), plain::<Float16Type>(halves));
    vec![plain::<Float64Type>(doubles.iter().copied()), singles, halves]
}

/// Returns floats whose last digit is at this scale.
fn long_scale_floats(scale: i8) -> ArrayRef {
    let few = (1..400).map(i64::from);
    let many = (0..200_i64).map(|row| 100_000_000_000_000 + row.wrapping_mul(7_919_104_729_919) % 900_000_000_000_000);
    let numbers = few.chain(many).map(|digits| format!("{digits}e-{scale}").parse().unwrap_or(f64::NAN));
    plain::<Float64Type>(numbers.flat_map(|number: f64| [number, -number]))
}

fn casts() -> Vec<Case> {
    let mut cases = Vec::new();
    let numbers = [data::numeric(), vec![DataType::Boolean]].concat();
    let all = |from: &[DataType], to: &[DataType], rows: usize, cases: &mut Vec<Case>| {
        for (seed, from) in (0..).zip(from) {
            for (to, nulls) in to.iter().zip([NullPattern::Some, NullPattern::None].iter().cycle()) {
                cases.push(case(&rows.to_string(), random_array(from, rows, *nulls, seed), to));
            }
        }
    };
    all(&numbers, &numbers, 77, &mut cases);
    all(&decimals(), &decimals(), 65, &mut cases);
    all(&[DataType::Decimal128(38, 10)], &[DataType::Decimal128(20, 10)], 65, &mut cases);
    all(&decimals(), &numbers, 65, &mut cases);
    let exact: Vec<DataType> = [data::integral(), vec![DataType::Boolean]].concat();
    all(&exact, &decimals(), 65, &mut cases);
    all(&moments(), &moments(), 65, &mut cases);
    all(&moments()[2..], &[DataType::Int64, DataType::UInt64], 40, &mut cases);
    all(&[DataType::Int64], &moments()[1..], 40, &mut cases);
    for unit in [TimeUnit::Second, TimeUnit::Nanosecond] {
        let duration = [DataType::Duration(unit)];
        all(&duration, &data::numeric(), 40, &mut cases);
        all(&data::numeric(), &duration, 40, &mut cases);
    }
    let times = [
        DataType::Time32(TimeUnit::Second),
        DataType::Time32(TimeUnit::Millisecond),
        DataType::Time64(TimeUnit::Microsecond),
        DataType::Time64(TimeUnit::Nanosecond),
    ];
    all(&times, &times, 40, &mut cases);
    all(&times[..2], &[DataType::Int32], 40, &mut cases);
    let durations = [DataType::Duration(TimeUnit::Millisecond), DataType::Duration(TimeUnit::Nanosecond)];
    all(&times, &durations, 40, &mut cases);
    all(&durations, &times, 40, &mut cases);
    let ticks = [DataType::Date32, times[3].clone(), DataType::Timestamp(TimeUnit::Second, None)];
    all(&ticks, &data::integral(), 40, &mut cases);
    all(&data::integral(), &ticks, 40, &mut cases);
    let (small, large) = ([DataType::Utf8, DataType::Binary], [DataType::LargeUtf8, DataType::LargeBinary]);
    all(&data::strings()[..2], &[&small[..], &large].concat(), 65, &mut cases);
    all(&data::strings()[2..], &[small[1].clone(), large[1].clone()], 65, &mut cases);

    let (views, binary) = ([DataType::Utf8View, DataType::BinaryView], [DataType::Binary, DataType::LargeBinary]);
    all(&data::strings()[..2], &views, 65, &mut cases);
    all(&data::strings()[2..], &views[1..], 65, &mut cases);
    all(&views[..1], &[&data::strings()[..], &views[1..]].concat(), 65, &mut cases);
    all(&views[1..], &binary, 65, &mut cases);
    let dictionary = |values: &DataType| DataType::Dictionary(Box::new(DataType::Int16), Box::new(values.clone()));
    for values in [DataType::Utf8, DataType::LargeUtf8, DataType::Utf8View, DataType::Int32] {
        all(&[dictionary(&values)], std::slice::from_ref(&values), 65, &mut cases);
    }
    cases.push(case("several buffers", many_buffers(), &DataType::Utf8));

    for floats in telling_floats() {
        for to in numbers.iter().chain(&decimals()) {
            cases.push(case("telling", floats.clone(), to));
        }
        for scale in [0, 1, 5, 17, 22] {
            cases.push(case("telling", floats.clone(), &DataType::Decimal128(38, scale)));
        }
    }
    for scale in (23..=38).chain([40, 45, 50, 57, 60, 70, 76]) {
        let floats = long_scale_floats(scale);
        cases.push(case("telling", floats.clone(), &DataType::Decimal256(76, scale)));
        if scale <= 38 {
            cases.push(case("telling", floats, &DataType::Decimal128(38, scale)));
        }
    }
    // Each way to move rows has one pair of types in this list.
    let pairs = [
        (DataType::Int8, DataType::Int16),
        (DataType::Int32, DataType::Float32),
        (DataType::Int64, DataType::Float64),
        (DataType::Float64, DataType::Boolean),
        (DataType::Float32, DataType::Boolean),
        (DataType::UInt8, DataType::Boolean),
        (DataType::Boolean, DataType::Int64),
        (DataType::Timestamp(TimeUnit::Microsecond, None), DataType::Date32),
        (DataType::Decimal128(38, 10), DataType::Decimal64(18, 2)),
        (DataType::Decimal128(38, 10), DataType::Boolean),
        (DataType::Decimal256(76, 0), DataType::Decimal128(38, 2)),
        (DataType::Decimal64(18, 4), DataType::Float64),
        (DataType::Float32, DataType::Decimal64(18, 2)),
        (DataType::Utf8, DataType::LargeUtf8),
        (DataType::LargeBinary, DataType::Binary),
        (DataType::LargeUtf8, DataType::Utf8View),
        (DataType::Utf8View, DataType::Utf8),
        (DataType::BinaryView, DataType::LargeBinary),
        (dictionary(&DataType::Utf8), DataType::Utf8),
    ];
    for (seed, rows) in (0..).zip(BRACKETS) {
        for (from, to) in &pairs {
            for nulls in [NullPattern::None, NullPattern::Some, NullPattern::All] {
                if *rows > 300 && nulls == NullPattern::All {
                    continue;
                }
                let array = random_array(from, *rows, nulls, seed);
                cases.push(case(&format!("{rows}/{nulls:?}"), array, to));
            }
        }
    }
    for (seed, rows) in (0..).zip(data::limit_brackets()) {
        for at in [0, 7, 8, 12] {
            let (from, to) = &pairs[at];
            cases.push(case(&format!("{rows}"), random_array(from, rows, NullPattern::Every(7), seed), to));
        }
    }
    // Null rows contain text, which the result shares with the input.
    let text = random_array(&DataType::Utf8, 65, NullPattern::Some, 5);
    cases.push(case("soiled", soiled(&text), &DataType::LargeUtf8));
    cases.push(case("soiled", Arc::clone(&text), &DataType::Binary));
    cases.extend(encoded());
    cases
}
