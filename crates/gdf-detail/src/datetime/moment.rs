//! What rows of dates, timestamps and times count.

use gdf_core::{DataType, TimeUnit};
use gdf_kernels::generated::datetime::Unit;

/// Seconds of a day.
const SECONDS: i64 = 86_400;

/// The unit of dates, and of timestamps without a time zone or of UTC, whose days are those of the calendar.
pub(crate) fn moment_unit(data_type: &DataType) -> Option<Unit> {
    match data_type {
        DataType::Date32 => Some(Unit::Day),
        DataType::Date64 => Some(Unit::Millisecond),
        DataType::Timestamp(_, Some(zone)) if !matches!(&**zone, "UTC" | "Z" | "+00:00") => None,
        DataType::Timestamp(unit, _) => Some(of_time_unit(*unit)),
        _ => None,
    }
}

/// The unit of times of day.
pub(super) fn time_unit(data_type: &DataType) -> Option<Unit> {
    match data_type {
        DataType::Time32(unit) | DataType::Time64(unit) => Some(of_time_unit(*unit)),
        _ => None,
    }
}

pub(crate) fn of_time_unit(unit: TimeUnit) -> Unit {
    match unit {
        TimeUnit::Second => Unit::Second,
        TimeUnit::Millisecond => Unit::Millisecond,
        TimeUnit::Microsecond => Unit::Microsecond,
        TimeUnit::Nanosecond => Unit::Nanosecond,
    }
}

/// How many of the numbers that are stored make a day.
pub(crate) const fn ticks_per_day(unit: Unit) -> i64 {
    match unit {
        Unit::Day => 1,
        Unit::Second => SECONDS,
        Unit::Millisecond => SECONDS * 1_000,
        Unit::Microsecond => SECONDS * 1_000_000,
        Unit::Nanosecond => SECONDS * 1_000_000_000,
    }
}

/// Evaluates `$body` with the constant `$ticks` of the unit, so that divisions are by constants.
macro_rules! by_unit {
    ($unit:expr, $ticks:ident => $body:expr) => {{
        use gdf_kernels::generated::datetime::Unit;
        macro_rules! with {
            ($unit_of_ticks:expr) => {{
                const $ticks: i64 = $crate::datetime::moment::ticks_per_day($unit_of_ticks);
                $body
            }};
        }
        match $unit {
            Unit::Day => with!(Unit::Day),
            Unit::Second => with!(Unit::Second),
            Unit::Millisecond => with!(Unit::Millisecond),
            Unit::Microsecond => with!(Unit::Microsecond),
            Unit::Nanosecond => with!(Unit::Nanosecond),
        }
    }};
}
pub(super) use by_unit;
