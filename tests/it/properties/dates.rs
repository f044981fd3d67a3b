//! Tests operations on dates. Within chrono's range, the results are compared with chrono.

use arrow_array::ArrayRef;
use arrow_schema::{DataType, TimeUnit};
use chrono::{DateTime, Datelike, Days, Months, NaiveDate, NaiveDateTime, TimeDelta, Timelike, Weekday};
use gdf_api::binaryop::{BinaryOperator, binary_operation};
use gdf_api::datetime::{
    Component, Frequency, LocalTimeChoice, LocalTimePolicy, TimeZone, add_calendrical_months, ceil_datetimes,
    extract_component, floor_datetimes, from_utc, round_datetimes, to_utc,
};
use gdf_detail::datetime::DatetimeRounding;
use gdf_test::builders::ints;
use gdf_test::value::{Value, from_values, to_values};
use gdf_tests::naive::datetime as naive;
use gdf_tests::naive::datetime::time_zone;
use proptest::collection::vec;
use proptest::option::weighted;
use proptest::prelude::*;

use super::{check, offsets, one_of, samples};

const UNITS: &[TimeUnit] = &[TimeUnit::Second, TimeUnit::Millisecond, TimeUnit::Microsecond, TimeUnit::Nanosecond];

const COMPONENTS: [Component; 17] = [
    Component::Year,
    Component::Month,
    Component::Day,
    Component::Weekday,
    Component::Hour,
    Component::Minute,
    Component::Second,
    Component::Millisecond,
    Component::Microsecond,
    Component::Nanosecond,
    Component::DayOfYear,
    Component::Quarter,
    Component::DaysInMonth,
    Component::IsoWeek,
    Component::IsoYear,
    Component::IsLeapYear,
    Component::LastDayOfMonth,
];

const FREQUENCIES: &[Frequency] = &[
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

fn per_second(unit: TimeUnit) -> i64 {
    match unit {
        TimeUnit::Second => 1,
        TimeUnit::Millisecond => 1_000,
        TimeUnit::Microsecond => 1_000_000,
        TimeUnit::Nanosecond => 1_000_000_000,
    }
}

/// Timestamps within chrono's range.
#[derive(Clone, Debug)]
struct Moments {
    unit: TimeUnit,
    ticks: Vec<Option<i64>>,
    offset: usize,
}

/// About 260,000 years in seconds.
const REACH: i64 = 8_200_000_000_000;

fn moments() -> impl Strategy<Value = Moments> {
    const EDGES: &[i64] = &[-1, 0, 1, 951_782_399, 951_782_400, -2_203_891_200, -62_135_596_800, 4_107_542_400];
    let number = prop_oneof![4 => any::<i64>(), 2 => -5_000_000_000..5_000_000_000_i64, 1 => one_of(EDGES)];
    (one_of(UNITS), vec(weighted(0.9, number), 0..200), offsets()).prop_map(|(unit, numbers, offset)| {
        let reach = REACH.saturating_mul(per_second(unit));
        let ticks = numbers.into_iter().map(|number| number.map(|number| number % reach)).collect();
        Moments { unit, ticks, offset }
    })
}

impl Moments {
    fn data_type(&self) -> DataType {
        DataType::Timestamp(self.unit, None)
    }

    fn array(&self) -> ArrayRef {
        self.map(&self.data_type(), |moment| Some(Value::from(self.count(moment))))
    }

    fn moment(&self, ticks: i64) -> NaiveDateTime {
        let per_second = per_second(self.unit);
        let nanoseconds = ticks.rem_euclid(per_second) * (1_000_000_000 / per_second);
        DateTime::from_timestamp(ticks.div_euclid(per_second), nanoseconds as u32)
            .expect("chrono can represent the moment")
            .naive_utc()
    }

    fn count(&self, moment: NaiveDateTime) -> i64 {
        let (moment, per_second) = (moment.and_utc(), per_second(self.unit));
        moment.timestamp() * per_second + i64::from(moment.timestamp_subsec_nanos()) / (1_000_000_000 / per_second)
    }

    fn map(&self, to: &DataType, of: impl Fn(NaiveDateTime) -> Option<Value>) -> ArrayRef {
        let rows: Vec<_> = self.ticks.iter().map(|ticks| of(self.moment((*ticks)?))).collect();
        from_values(to, &rows)
    }
}

fn length_of(year: i32, month: u32) -> i64 {
    let first = |year, month| NaiveDate::from_ymd_opt(year, month, 1).expect("chrono can represent the month");
    let next = if month == 12 { first(year + 1, 1) } else { first(year, month + 1) };
    (next - first(year, month)).num_days()
}

fn component_of(moment: NaiveDateTime, component: Component) -> Value {
    let (date, time) = (moment.date(), moment.time());
    let length = length_of(date.year(), date.month());
    let epoch = NaiveDate::from_ymd_opt(1970, 1, 1).expect("chrono can represent the date");
    Value::Int(match component {
        Component::Year => date.year().into(),
        Component::Month => date.month().into(),
        Component::Day => date.day().into(),
        Component::Weekday => date.weekday().number_from_monday().into(),
        Component::Hour => time.hour().into(),
        Component::Minute => time.minute().into(),
        Component::Second => time.second().into(),
        Component::Millisecond => (time.nanosecond() / 1_000_000).into(),
        Component::Microsecond => (time.nanosecond() / 1_000 % 1_000).into(),
        Component::Nanosecond => (time.nanosecond() % 1_000).into(),
        Component::DayOfYear => date.ordinal().into(),
        Component::Quarter => date.quarter().into(),
        Component::DaysInMonth => length.into(),
        Component::IsoWeek => date.iso_week().week().into(),
        Component::IsoYear => date.iso_week().year().into(),
        Component::IsLeapYear => return Value::Bool(date.leap_year()),
        _ => ((date - epoch).num_days() - i64::from(date.day()) + length).into(),
    })
}

#[test]
fn components_are_those_of_chrono() {
    check(30, moments, |bench, moments| {
        let column = bench.column(&moments.array(), moments.offset)?;
        for component in COMPONENTS {
            let expected = moments.map(&component.data_type(), |moment| Some(component_of(moment, component)));
            bench.same(&expected, &extract_component(&column, component)?)?;
        }
        Ok(())
    });
}

#[test]
fn months_are_added_as_chrono_adds_them() {
    check(
        40,
        || (moments(), -30_000..30_000_i32),
        |bench, (moments, months)| {
            let column = bench.column(&moments.array(), moments.offset)?;
            let moved = |moment: NaiveDateTime| match months {
                0.. => moment.checked_add_months(Months::new(months.unsigned_abs())),
                _ => moment.checked_sub_months(Months::new(months.unsigned_abs())),
            };
            // The comparison skips years outside chrono's range.
            let in_range = |ticks: i64| {
                let moved = moved(moments.moment(ticks));
                moved.is_some_and(|moved| (-262_000..262_000).contains(&moved.year()))
                    && (i128::from(ticks) + i128::from(months) * 2_678_400 * i128::from(per_second(moments.unit)))
                        .unsigned_abs()
                        < i64::MAX as u128
            };
            prop_assume!(moments.ticks.iter().flatten().all(|ticks| in_range(*ticks)));
            let expected = moments.map(&moments.data_type(), |moment| Some(Value::from(moments.count(moved(moment)?))));
            bench.same(&expected, &add_calendrical_months(&column, months)?)
        },
    );
}

fn begin(moment: NaiveDateTime, frequency: Frequency) -> NaiveDateTime {
    let (date, time) = (moment.date(), moment.time());
    let day = |date: NaiveDate| date.and_hms_opt(0, 0, 0);
    let fraction = |unit: u32| moment.with_nanosecond(time.nanosecond() / unit * unit);
    let begin = match frequency {
        Frequency::Year => date.with_ordinal(1).and_then(day),
        Frequency::Quarter => NaiveDate::from_ymd_opt(date.year(), (date.quarter() - 1) * 3 + 1, 1).and_then(day),
        Frequency::Month => date.with_day(1).and_then(day),
        Frequency::Week => day(date.week(Weekday::Mon).first_day()),
        Frequency::Day => day(date),
        Frequency::Hour => date.and_hms_opt(time.hour(), 0, 0),
        Frequency::Minute => date.and_hms_opt(time.hour(), time.minute(), 0),
        Frequency::Second => fraction(1_000_000_000),
        Frequency::Millisecond => fraction(1_000_000),
        Frequency::Microsecond => fraction(1_000),
        _ => Some(moment),
    };
    begin.expect("chrono can represent the moment")
}

fn next(begin: NaiveDateTime, frequency: Frequency) -> NaiveDateTime {
    let next = match frequency {
        Frequency::Year => begin.checked_add_months(Months::new(12)),
        Frequency::Quarter => begin.checked_add_months(Months::new(3)),
        Frequency::Month => begin.checked_add_months(Months::new(1)),
        Frequency::Week => begin.checked_add_days(Days::new(7)),
        Frequency::Day => begin.checked_add_days(Days::new(1)),
        Frequency::Hour => begin.checked_add_signed(TimeDelta::hours(1)),
        Frequency::Minute => begin.checked_add_signed(TimeDelta::minutes(1)),
        Frequency::Second => begin.checked_add_signed(TimeDelta::seconds(1)),
        Frequency::Millisecond => begin.checked_add_signed(TimeDelta::milliseconds(1)),
        Frequency::Microsecond => begin.checked_add_signed(TimeDelta::microseconds(1)),
        _ => begin.checked_add_signed(TimeDelta::nanoseconds(1)),
    };
    next.expect("chrono can represent the moment")
}

#[test]
fn periods_begin_where_chrono_says() {
    check(
        40,
        || (moments(), one_of(FREQUENCIES)),
        |bench, (mut moments, frequency)| {
            // A result outside the range of the type wraps, so the timestamps keep a distance from the ends of the
            // range.
            let margin = i64::MAX - 366 * 86_400 * per_second(moments.unit);
            for ticks in moments.ticks.iter_mut().flatten() {
                *ticks = (*ticks).clamp(-margin, margin);
            }
            let column = bench.column(&moments.array(), moments.offset)?;
            let shortest = match frequency {
                Frequency::Millisecond => 1_000,
                Frequency::Microsecond => 1_000_000,
                Frequency::Nanosecond => 1_000_000_000,
                _ => 1,
            };
            let shorter = per_second(moments.unit) < shortest;
            let (mut floors, mut ceils) = (moments.array(), moments.array());
            if !shorter {
                let to = moments.data_type();
                let floor = |moment| begin(moment, frequency);
                let ceil = |moment| if floor(moment) == moment { moment } else { next(floor(moment), frequency) };
                floors = moments.map(&to, |moment| Some(Value::from(moments.count(floor(moment)))));
                ceils = moments.map(&to, |moment| Some(Value::from(moments.count(ceil(moment)))));
            }
            bench.same(&floors, &floor_datetimes(&column, frequency)?)?;
            bench.same(&ceils, &ceil_datetimes(&column, frequency)?)
        },
    );
}

#[test]
fn differences_are_those_of_chrono() {
    check(
        30,
        || (moments(), any::<i64>()),
        |bench, (mut moments, by)| {
            let reach = REACH.saturating_mul(per_second(moments.unit)) / 2;
            moments.ticks.iter_mut().flatten().for_each(|ticks| *ticks %= reach);
            let other = moments.moment(by % reach);
            let column = bench.column(&moments.array(), moments.offset)?;
            let to = DataType::Duration(moments.unit);
            let expected = moments.map(&to, |moment| {
                let (apart, per_second) = (moment - other, per_second(moments.unit));
                let fraction = i64::from(apart.subsec_nanos()) / (1_000_000_000 / per_second);
                Some(Value::from(apart.num_seconds() * per_second + fraction))
            });
            let (count, data_type) = (moments.count(other), moments.data_type());
            let other = gdf_core::Literal::typed(Some(count), &data_type)?;
            bench.same(&expected, &binary_operation(&column, other, BinaryOperator::Sub, &to)?)
        },
    );
}

#[test]
fn the_whole_range_is_right() {
    let types: Vec<_> = gdf_test::data::temporal()
        .into_iter()
        .filter(|of| matches!(of, DataType::Date32 | DataType::Date64 | DataType::Timestamp(..)))
        .collect();
    let component = proptest::sample::select(&COMPONENTS);
    check(
        60,
        move || (samples(types, 0..300), component, one_of(FREQUENCIES), any::<i16>()),
        |bench, (sample, component, frequency, months)| {
            let (array, column) = (sample.array(), bench.column(&sample.array(), sample.offset)?);
            bench.same(&naive::extract_component(&array, component), &extract_component(&column, component)?)?;
            let rounded = |rounding| naive::round_datetimes(&array, rounding, frequency);
            bench.same(&rounded(DatetimeRounding::Floor), &floor_datetimes(&column, frequency)?)?;
            bench.same(&rounded(DatetimeRounding::Ceil), &ceil_datetimes(&column, frequency)?)?;
            bench.same(&rounded(DatetimeRounding::Nearest), &round_datetimes(&column, frequency)?)?;
            let one = ints::<arrow_array::types::Int16Type>([Some(months)]);
            bench.same(&naive::add_calendrical_months(&array, &one), &add_calendrical_months(&column, months)?)
        },
    );
}

/// Time zones of every continent. chrono-tz and the library use different versions of the time zone database, so the
/// list only has zones whose past is the same in recent versions.
const ZONES: &[&str] = &[
    "Africa/Cairo",
    "Africa/Johannesburg",
    "America/Anchorage",
    "America/Chicago",
    "America/Halifax",
    "America/Los_Angeles",
    "America/New_York",
    "America/Santiago",
    "America/Sao_Paulo",
    "America/St_Johns",
    "Asia/Hong_Kong",
    "Asia/Kathmandu",
    "Asia/Kolkata",
    "Asia/Tehran",
    "Asia/Tokyo",
    "Australia/Lord_Howe",
    "Australia/Sydney",
    "Europe/Berlin",
    "Europe/Lisbon",
    "Europe/London",
    "Europe/Moscow",
    "Pacific/Apia",
    "Pacific/Auckland",
    "UTC",
];

#[test]
fn clocks_show_what_chrono_says() {
    let zone = one_of(ZONES);
    // The moments begin when zones used local mean time, and end in 2024.
    let seconds = -4_500_000_000..1_735_000_000_i64;
    let choice = || one_of(&[LocalTimeChoice::Earliest, LocalTimeChoice::Latest, LocalTimeChoice::Null]);
    let moments = (one_of(UNITS), vec(weighted(0.9, seconds), 0..150), offsets());
    check(
        60,
        || (zone, moments, choice(), choice()),
        |bench, (zone, (unit, seconds, offset), ambiguous, nonexistent)| {
            let ticks: Vec<_> = seconds
                .iter()
                .map(|seconds| seconds.map(|seconds| Value::from(seconds.saturating_mul(per_second(unit)))))
                .collect();
            let array = from_values(&DataType::Timestamp(unit, None), &ticks);
            let (name, column) = (zone, bench.column(&array, offset)?);
            let zone = TimeZone::new(name)?;
            let local = from_utc(&column, &zone)?;
            bench.same(&time_zone::from_utc(&array, name), &local)?;
            let policy = LocalTimePolicy { ambiguous, nonexistent };
            let expected = time_zone::to_utc(&array, name, policy);
            bench.same(&expected.expect("no policy requires an error"), &to_utc(&column, &zone, policy)?)?;
            Ok(())
        },
    );
}

#[test]
fn what_clocks_show_was_at_one_of_two_moments() {
    let zone = proptest::sample::select(&chrono_tz::TZ_VARIANTS);
    check(
        60,
        || (zone, samples(vec![DataType::Timestamp(TimeUnit::Second, None)], 0..300)),
        |bench, (zone, sample)| {
            let zone = TimeZone::new(zone.name())?;
            // Half of the timestamps are in years that are beyond the recorded changes, so only the rule of the zone
            // applies.
            let near = |ticks: i128| if ticks % 2 == 0 { ticks % 200_000_000_000_000 } else { ticks % 4_500_000_000 };
            let ticks = to_values(&sample.array()).into_iter().map(|row| row?.as_i128().map(near).map(Value::Int));
            let ticks = ticks.collect::<Vec<_>>();
            let local = from_utc(&bench.column(&from_values(&sample.data_type, &ticks), sample.offset)?, &zone)?;
            let back = |ambiguous| -> gdf_core::Result<_> {
                let policy = LocalTimePolicy { ambiguous, nonexistent: LocalTimeChoice::Error };
                Ok(to_values(&bench.array(&to_utc(&local, &zone, policy)?)?))
            };
            let (earliest, latest) = (back(LocalTimeChoice::Earliest)?, back(LocalTimeChoice::Latest)?);
            for (row, ticks) in ticks.iter().enumerate() {
                prop_assert!(*ticks == earliest[row] || *ticks == latest[row], "{zone:?}: {ticks:?}");
                prop_assert!(earliest[row] <= latest[row]);
            }
            Ok(())
        },
    );
}
