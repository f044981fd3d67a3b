//! Oracles of `datetime::{to_utc, from_utc}`. The oracles look up the offset of each moment in chrono's database.

use arrow_array::ArrayRef;
use arrow_schema::{DataType, TimeUnit};
use chrono::{DateTime, Datelike, NaiveDateTime, Offset, TimeZone as _};
use chrono_tz::Tz;
use gdf_detail::datetime::{LocalTimeChoice, LocalTimePolicy};

use gdf_test::value::{Value, from_values, to_values};

/// From this year on, the oracle uses an equivalent year from 2040 to 2067. From 2040 on, clocks change only by rules
/// about weekdays.
const RULES: i32 = 2040;

fn per_second(data_type: &DataType) -> i128 {
    match data_type {
        DataType::Timestamp(TimeUnit::Second, _) => 1,
        DataType::Timestamp(TimeUnit::Millisecond, _) => 1_000,
        DataType::Timestamp(TimeUnit::Microsecond, _) => 1_000_000,
        _ => 1_000_000_000,
    }
}

/// Converts seconds to a moment of chrono, in a year that chrono's database covers.
fn known(seconds: i128) -> NaiveDateTime {
    // A year beyond the range of chrono is moved nearer by a multiple of 400 years.
    let cycle = 146_097 * 86_400;
    let near = if seconds.abs() > 10 * cycle {
        seconds.rem_euclid(cycle) + if seconds < 0 { -10 } else { 10 } * cycle
    } else {
        seconds
    };
    let moment = DateTime::from_timestamp(near as i64, 0).expect("chrono can represent the moment").naive_utc();
    if moment.year() < RULES {
        return moment;
    }
    let kind = |year: i32| {
        let first = chrono::NaiveDate::from_ymd_opt(year, 1, 1).expect("chrono can represent the year");
        (first.weekday(), first.leap_year())
    };
    let year =
        (RULES..RULES + 28).find(|year| kind(*year) == kind(moment.year())).expect("28 years have years of every kind");
    moment.with_year(year).expect("both years have the day")
}

/// Returns the local time of each instant.
pub fn from_utc(column: &ArrayRef, zone: &str) -> ArrayRef {
    let zone: Tz = zone.parse().expect("chrono knows the time zone");
    let per_second = per_second(column.data_type());
    let DataType::Timestamp(unit, _) = column.data_type() else { unreachable!("the column has timestamps") };
    let local = |ticks: i128| {
        let offset = zone.offset_from_utc_datetime(&known(ticks.div_euclid(per_second))).fix().local_minus_utc();
        ticks + i128::from(offset) * per_second
    };
    let rows = to_values(column)
        .into_iter()
        .map(|row| row?.as_i128().map(|ticks| Value::Int(i128::from(local(ticks) as i64))));
    from_values(&DataType::Timestamp(*unit, None), &rows.collect::<Vec<_>>())
}

/// Returns the instants of local times.
pub fn to_utc(column: &ArrayRef, zone: &str, policy: LocalTimePolicy) -> Option<ArrayRef> {
    let zone: Tz = zone.parse().expect("chrono knows the time zone");
    let per_second = per_second(column.data_type());
    let DataType::Timestamp(unit, _) = column.data_type() else { unreachable!("the column has timestamps") };
    let offset_of =
        |seconds: NaiveDateTime| i128::from(zone.offset_from_utc_datetime(&seconds).fix().local_minus_utc());
    let mut rows = Vec::new();
    for row in to_values(column) {
        let Some(ticks) = row.as_ref().and_then(Value::as_i128) else {
            rows.push(None);
            continue;
        };
        let shown = known(ticks.div_euclid(per_second));
        // `offset_of` takes the local time as if it were UTC. Every offset is smaller than 26 hours, so the instant
        // lies within this window of 52 hours.
        let hours = chrono::Duration::hours(26);
        let around = [offset_of(shown - hours), offset_of(shown + hours)];
        let holds = |offset: &i128| offset_of(shown - chrono::Duration::seconds(*offset as i64)) == *offset;
        let mut offsets: Vec<i128> = around.into_iter().filter(holds).collect();
        offsets.dedup();
        let choice = match offsets.len() {
            1 => LocalTimeChoice::Earliest,
            2 => policy.ambiguous,
            _ => {
                offsets = around.to_vec();
                policy.nonexistent
            }
        };
        // The larger offset gives the earlier instant.
        let offset = match choice {
            LocalTimeChoice::Error => return None,
            LocalTimeChoice::Null => None,
            LocalTimeChoice::Earliest => offsets.iter().max(),
            LocalTimeChoice::Latest => offsets.iter().min(),
        };
        rows.push(offset.map(|offset| Value::Int(i128::from((ticks - offset * per_second) as i64))));
    }
    Some(from_values(&DataType::Timestamp(*unit, Some("UTC".into())), &rows))
}
