//! Entries of `datetime`.

pub(super) mod time_zone;

use std::sync::Arc;

use arrow_array::types::{Date32Type, Int16Type, Int32Type, Int64Type, TimestampNanosecondType, TimestampSecondType};
use arrow_array::{ArrayRef, PrimitiveArray};
use arrow_schema::{DataType, TimeUnit};
use gdf_api::datetime::{self as api, Component, Frequency};
use gdf_core::{Column, Error, Result, Scalar};
use gdf_detail::datetime::DatetimeRounding;

use super::{Case, Entry};
use crate::naive::datetime as naive;
use gdf_test::builders::{ints, plain};
use gdf_test::compare::Equality;
use gdf_test::data::{self, BRACKETS, NullPattern, random_array};

type Function = fn(&Column) -> Result<Column>;
type Rounded = fn(&Column, Frequency) -> Result<Column>;

pub(super) fn entries() -> Vec<Entry> {
    macro_rules! component {
        ($name:literal, $component:ident, $function:ident) => {
            Entry::new($name, Equality::Exact, || extract(Component::$component, |column| api::$function(column)))
        };
    }
    macro_rules! rounding {
        ($name:literal, $rounding:ident, $function:ident) => {
            Entry::new($name, Equality::Exact, || {
                round(DatetimeRounding::$rounding, |column, to| api::$function(column, to))
            })
        };
    }
    vec![
        Entry::new("datetime.extract_component", Equality::Exact, || {
            extract(Component::Day, |column| api::extract_component(column, Component::Day))
        }),
        component!("datetime.extract_year", Year, extract_year),
        component!("datetime.extract_month", Month, extract_month),
        component!("datetime.extract_day", Day, extract_day),
        component!("datetime.extract_weekday", Weekday, extract_weekday),
        component!("datetime.extract_hour", Hour, extract_hour),
        component!("datetime.extract_minute", Minute, extract_minute),
        component!("datetime.extract_second", Second, extract_second),
        component!("datetime.extract_millisecond", Millisecond, extract_millisecond),
        component!("datetime.extract_microsecond", Microsecond, extract_microsecond),
        component!("datetime.extract_nanosecond", Nanosecond, extract_nanosecond),
        component!("datetime.day_of_year", DayOfYear, day_of_year),
        component!("datetime.extract_quarter", Quarter, extract_quarter),
        component!("datetime.days_in_month", DaysInMonth, days_in_month),
        component!("datetime.extract_iso_week", IsoWeek, extract_iso_week),
        component!("datetime.extract_iso_year", IsoYear, extract_iso_year),
        component!("datetime.is_leap_year", IsLeapYear, is_leap_year),
        component!("datetime.last_day_of_month", LastDayOfMonth, last_day_of_month),
        rounding!("datetime.floor_datetimes", Floor, floor_datetimes),
        rounding!("datetime.ceil_datetimes", Ceil, ceil_datetimes),
        rounding!("datetime.round_datetimes", Nearest, round_datetimes),
        Entry::new("datetime.add_calendrical_months", Equality::Exact, months),
    ]
}

/// Returns whether values of the type have a date.
fn has_date(data_type: &DataType) -> bool {
    matches!(data_type, DataType::Date32 | DataType::Date64 | DataType::Timestamp(..))
}

fn is_time(data_type: &DataType) -> bool {
    matches!(data_type, DataType::Time32(_) | DataType::Time64(_))
}

/// Returns columns of each type that `taken` accepts, with all lengths and null patterns.
fn inputs(taken: impl Fn(&DataType) -> bool) -> Vec<(String, ArrayRef)> {
    let mut inputs: Vec<(String, ArrayRef)> = Vec::new();
    for (position, data_type) in data::temporal().into_iter().filter(&taken).enumerate() {
        for (&rows, seed) in BRACKETS.iter().zip(0..) {
            // Each length has one of the patterns, so that each pattern occurs with each type and each length.
            let patterns = NullPattern::ALL;
            let nulls = patterns[(seed as usize + position) % patterns.len()];
            let label = format!("{data_type}/{rows}/{nulls:?}");
            inputs.push((label, random_array(&data_type, rows, nulls, seed)));
        }
    }
    if !taken(&DataType::Date32) {
        return inputs;
    }
    // The first column has all days of the years around 1900, which is not a leap year.
    for (name, first) in [("1896", -27_029), ("1996", 9_496)] {
        let days: PrimitiveArray<Date32Type> = (first..first + 3_000).map(Some).collect();
        inputs.push((format!("days from {name} on"), Arc::new(days)));
    }
    let ends: PrimitiveArray<Date32Type> =
        [i32::MIN, i32::MAX, -1, 0, -719_468, -719_469].map(Some).into_iter().collect();
    inputs.push(("ends of days".into(), Arc::new(ends)));
    let moments = [i64::MIN, i64::MAX, -1, 0, 86_399, 86_400, -86_400, -86_401];
    let seconds: PrimitiveArray<TimestampSecondType> = moments.map(Some).into_iter().collect();
    inputs.push(("ends of seconds".into(), Arc::new(seconds)));
    let nanoseconds: PrimitiveArray<TimestampNanosecondType> =
        moments.map(|moment| Some(moment.saturating_mul(1_000_000_000).saturating_add(1_499))).into_iter().collect();
    inputs.push(("ends of nanoseconds".into(), Arc::new(nanoseconds)));
    inputs
}

fn refused(
    cases: &mut Vec<Case>,
    taken: impl Fn(&DataType) -> bool,
    run: impl Fn(&Column) -> Result<Column> + Copy + Send + Sync + 'static,
) {
    let types = data::all().into_iter().filter(|data_type| !taken(data_type));
    let types = types.map(|data_type| (data_type.to_string(), data_type));
    let zone = DataType::Timestamp(TimeUnit::Second, Some("Europe/Berlin".into()));
    for (name, data_type) in types.chain([("zone".to_owned(), zone)]) {
        let input = random_array(&data_type, 3, NullPattern::None, 1);
        let run = move |inputs: &[Column]| Ok(vec![run(&inputs[0])?]);
        let is = |error: &Error| matches!(error, Error::Unsupported { .. });
        cases.push(Case::refused(format!("refused {name}"), vec![input], run, is));
    }
}

fn extract(component: Component, function: Function) -> Vec<Case> {
    use Component::*;
    let of_time = matches!(component, Hour | Minute | Second | Millisecond | Microsecond | Nanosecond);
    let taken = move |data_type: &DataType| has_date(data_type) || (of_time && is_time(data_type));
    let run = move |inputs: &[Column]| Ok(vec![function(&inputs[0])?]);
    let oracle = move |inputs: &[ArrayRef]| Ok(vec![naive::extract_component(&inputs[0], component)]);
    let case = |(label, input)| Case::new(label, vec![input], run, oracle, 0);
    let mut cases: Vec<Case> = inputs(taken).into_iter().map(case).collect();
    refused(&mut cases, taken, function);
    cases
}

const FREQUENCIES: [Frequency; 11] = [
    Frequency::Year,
    Frequency::Quarter,
    Frequency::Month,
    Frequency::Week,
    Frequency::Day,
    Frequency::Hour,
    Frequency::Minute,
    Frequency::Second,
    Frequency::Millisecond,
    Frequency::Microsecond,
    Frequency::Nanosecond,
];

fn round(rounding: DatetimeRounding, function: Rounded) -> Vec<Case> {
    let case = |label: &str, input: ArrayRef, frequency: Frequency| {
        let run = move |inputs: &[Column]| Ok(vec![function(&inputs[0], frequency)?]);
        let oracle = move |inputs: &[ArrayRef]| Ok(vec![naive::round_datetimes(&inputs[0], rounding, frequency)]);
        Case::new(format!("{frequency:?}/{label}"), vec![input], run, oracle, 0)
    };
    let mut cases = Vec::new();
    for (position, (label, input)) in inputs(has_date).into_iter().enumerate() {
        // The ends of the range are rounded to every period.
        let all = label.starts_with("ends") || label.starts_with("days");
        let some = [FREQUENCIES[position % 11], FREQUENCIES[(position + 4) % 11]];
        for &frequency in if all { &FREQUENCIES[..] } else { &some } {
            cases.push(case(&label, input.clone(), frequency));
        }
    }
    // The times are halfway between two periods.
    let halves = |ticks: i64| plain::<TimestampNanosecondType>((-5..5).map(move |count| count * ticks + ticks / 2));
    for (frequency, ticks) in
        [(Frequency::Microsecond, 1_000), (Frequency::Second, 1_000_000_000), (Frequency::Day, 86_400_000_000_000)]
    {
        cases.push(case("halves", halves(ticks), frequency));
    }
    refused(&mut cases, has_date, move |column| function(column, Frequency::Day));
    cases
}

fn months() -> Vec<Case> {
    let run = |inputs: &[Column]| Ok(vec![api::add_calendrical_months(&inputs[0], &inputs[1])?]);
    let run_scalar = |inputs: &[Column]| {
        Ok(vec![api::add_calendrical_months(&inputs[0], &Scalar::from_column(inputs[1].clone())?)?])
    };
    let case = |label: String, input: ArrayRef, months: ArrayRef, is_scalar: bool| {
        let oracle = |inputs: &[ArrayRef]| Ok(vec![naive::add_calendrical_months(&inputs[0], &inputs[1])]);
        let run: fn(&[Column]) -> Result<Vec<Column>> = if is_scalar { run_scalar } else { run };
        Case::new(label, vec![input, months], run, oracle, 0)
    };
    let mut cases = Vec::new();
    for (label, input) in inputs(has_date) {
        let rows = input.len();
        let steps = (0..rows).map(|row| (row % 11 != 3).then_some((row % 61) as i16 - 30));
        cases.push(case(label.clone(), input.clone(), ints::<Int16Type>(steps), false));
        let step = plain::<Int32Type>([if label.len() % 2 == 0 { 1 } else { -13 }]);
        if rows != 1 {
            cases.push(case(format!("{label}/scalar"), input, step, true));
        }
    }
    // The days are at ends of months, because such a day may not exist in the resulting month.
    let ends = plain::<Date32Type>([19_753, 19_782, 19_813, 19_416, -1, -398].repeat(27));
    let steps = plain::<Int64Type>((0..6 * 27).map(|row| i64::from(row / 6) - 13));
    cases.push(case("ends of months".into(), ends, steps, false));
    let days = plain::<Date32Type>([0, 1, 2]);
    let mismatch = |error: &Error| matches!(error, Error::TypeMismatch { .. });
    for data_type in [DataType::Float64, DataType::Utf8, DataType::Boolean] {
        let months = random_array(&data_type, 3, NullPattern::None, 1);
        let inputs = vec![days.clone(), months];
        cases.push(Case::refused(format!("refused months {data_type}"), inputs, run, mismatch));
    }
    let lengths = |error: &Error| matches!(error, Error::LengthMismatch { .. });
    cases.push(Case::refused("refused length", vec![days.clone(), plain::<Int32Type>([1, 2])], run, lengths));
    refused(&mut cases, has_date, |column| api::add_calendrical_months(column, column));
    cases
}
