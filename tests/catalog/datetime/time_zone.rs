//! Entries of `datetime` on time zones.

use arrow_array::types::{TimestampMillisecondType, TimestampSecondType};
use arrow_array::{Array, ArrayRef};
use arrow_schema::{DataType, TimeUnit};
use gdf_api::datetime::{LocalTimeChoice, LocalTimePolicy, TimeZone, from_utc, to_utc};
use gdf_core::{Column, Error, Result};

use crate::catalog::{Case, Entry};
use crate::naive::datetime::time_zone as naive;
use gdf_test::builders::{ints, plain};
use gdf_test::compare::Equality;
use gdf_test::data::{self, BRACKETS, NullPattern, random_array};

/// Zones of both hemispheres with clock changes, and UTC.
const ZONES: [&str; 7] = [
    "Europe/Berlin",
    "America/New_York",
    "Australia/Lord_Howe",
    "Asia/Kolkata",
    "Pacific/Apia",
    "America/Santiago",
    "UTC",
];

const CHOICES: [LocalTimeChoice; 3] = [LocalTimeChoice::Earliest, LocalTimeChoice::Latest, LocalTimeChoice::Null];

pub(crate) fn entries() -> Vec<Entry> {
    vec![
        Entry::new("datetime.to_utc", Equality::Exact, to_utc_cases),
        Entry::new("datetime.from_utc", Equality::Exact, from_utc_cases),
    ]
}

fn is_local(data_type: &DataType) -> bool {
    matches!(data_type, DataType::Timestamp(_, None))
}

fn is_moment(data_type: &DataType) -> bool {
    matches!(data_type, DataType::Timestamp(..))
}

/// Returns columns of each type at all lengths.
fn inputs(taken: fn(&DataType) -> bool) -> Vec<(String, ArrayRef)> {
    let mut inputs: Vec<(String, ArrayRef)> = Vec::new();
    for (position, data_type) in data::temporal().into_iter().filter(taken).enumerate() {
        for (&rows, seed) in BRACKETS.iter().zip(0..) {
            let patterns = NullPattern::ALL;
            let nulls = patterns[(seed as usize + position) % patterns.len()];
            inputs.push((format!("{data_type}/{rows}/{nulls:?}"), random_array(&data_type, rows, nulls, seed)));
        }
    }
    // The moments are all half hours of some weeks.
    for (name, first) in
        [("1916", -1_693_800_000_i64), ("2011", 1_324_800_000), ("2024", 1_711_000_000), ("autumn 2024", 1_729_000_000)]
    {
        inputs.push((name.to_owned(), plain::<TimestampSecondType>((0..1_500).map(|row| first + row * 1_800))));
    }
    let cycle = 146_097 * 86_400;
    for (name, first) in [("2424", 1_711_000_000 + cycle), ("2824", 1_711_000_000 + 2 * cycle)] {
        inputs.push((name.to_owned(), plain::<TimestampSecondType>((0..1_500).map(|row| first + row * 1_800))));
    }
    let end = 16_725_225_600;
    inputs.push((
        "around 2500".to_owned(),
        ints::<TimestampMillisecondType>(
            (0..1_000).map(|row| (row % 7 != 2).then_some((end - 500 * 3_600 + row * 3_600) * 1_000 + 999)),
        ),
    ));
    let far = [i64::MIN, i64::MAX, -62_135_596_800, 253_402_300_799, -1, 0, end - 1, end];
    inputs.push(("far".to_owned(), plain::<TimestampSecondType>(far)));
    inputs
}

fn run_to_utc(inputs: &[Column], zone: &str, policy: LocalTimePolicy) -> Result<Vec<Column>> {
    Ok(vec![to_utc(&inputs[0], &TimeZone::new(zone)?, policy)?])
}

/// Builds a case of local times.
fn to_utc_case(label: String, input: &ArrayRef, zone: &'static str, policy: LocalTimePolicy, waits: u64) -> Case {
    let oracle =
        move |inputs: &[ArrayRef]| Ok(vec![naive::to_utc(&inputs[0], zone, policy).ok_or("the oracle refuses a row")?]);
    Case::new(label, vec![input.clone()], move |inputs| run_to_utc(inputs, zone, policy), oracle, waits)
}

fn to_utc_cases() -> Vec<Case> {
    let mut cases = Vec::new();
    let strict = LocalTimePolicy::default();
    for (position, (label, input)) in inputs(is_local).into_iter().enumerate() {
        // Moments around changes are tested with every zone.
        let all = !label.contains('/');
        for (index, zone) in ZONES.into_iter().enumerate().filter(|(index, _)| all || index % 4 == position % 4) {
            let policy = LocalTimePolicy {
                ambiguous: CHOICES[(position + index) % 3],
                nonexistent: CHOICES[(position + index / 3) % 3],
            };
            let nulls = policy.ambiguous == LocalTimeChoice::Null || policy.nonexistent == LocalTimeChoice::Null;
            let nullable = if nulls || input.nulls().is_some() { "nulls" } else { "none" };
            cases.push(to_utc_case(format!("{nullable}/{zone}/{label}"), &input, zone, policy, 0));
            let label = format!("error/{zone}/{label}");
            let run = move |inputs: &[Column]| run_to_utc(inputs, zone, strict);
            cases.push(match naive::to_utc(&input, zone, strict) {
                None => {
                    Case::refused(label, vec![input.clone()], run, |error| matches!(error, Error::InvalidData { .. }))
                }
                Some(_) => to_utc_case(label, &input, zone, strict, 1),
            });
        }
    }
    // The value below a null row may be an invalid local time. The operation must not report such a row.
    let seconds = [1_711_852_200, 1_711_860_000];
    let hidden: ArrayRef = gdf_test::builders::masked(&plain::<TimestampSecondType>(seconds), |row| row == 1);
    cases.push(to_utc_case("null".to_owned(), &hidden, ZONES[0], strict, 1));
    refused(&mut cases, is_local, |inputs| run_to_utc(inputs, ZONES[0], LocalTimePolicy::default()));
    cases
}

fn from_utc_cases() -> Vec<Case> {
    let run = |inputs: &[Column], zone: &str| Ok(vec![from_utc(&inputs[0], &TimeZone::new(zone)?)?]);
    let mut cases = Vec::new();
    for (position, (label, input)) in inputs(is_moment).into_iter().enumerate() {
        let all = !label.contains('/');
        for (_, zone) in ZONES.into_iter().enumerate().filter(|(index, _)| all || index % 4 == position % 4) {
            cases.push(Case::new(
                format!("{zone}/{label}"),
                vec![input.clone()],
                move |inputs| run(inputs, zone),
                move |inputs| Ok(vec![naive::from_utc(&inputs[0], zone)]),
                0,
            ));
        }
    }
    refused(&mut cases, is_moment, move |inputs| run(inputs, ZONES[0]));
    cases
}

/// Builds a refused case for each type that is not `taken`, and for an unknown zone.
fn refused(
    cases: &mut Vec<Case>,
    taken: fn(&DataType) -> bool,
    run: impl Fn(&[Column]) -> Result<Vec<Column>> + Copy + Send + Sync + 'static,
) {
    let unsupported = |error: &Error| matches!(error, Error::Unsupported { .. });
    for data_type in data::all().into_iter().filter(|data_type| !taken(data_type)) {
        let input = random_array(&data_type, 3, NullPattern::None, 1);
        cases.push(Case::refused(format!("refused {data_type}"), vec![input], run, unsupported));
    }
    let input = random_array(&DataType::Timestamp(TimeUnit::Second, None), 3, NullPattern::None, 1);
    let unknown = |error: &Error| matches!(error, Error::InvalidArgument { .. });
    let atlantis = |inputs: &[Column]| run_to_utc(inputs, "Europe/Atlantis", LocalTimePolicy::default());
    cases.push(Case::refused("refused zone", vec![input], atlantis, unknown));
}
