//! The units of dates, timestamps and times.

use gdf_core::{DataType, TimeUnit};
use gdf_kernels::generated::datetime::{Divisor, Unit};

const SECONDS: i64 = 86_400;

/// Returns the unit of dates, and of timestamps that have no time zone or are in UTC. Returns `None` for other types.
pub fn moment_unit(data_type: &DataType) -> Option<Unit> {
    match data_type {
        DataType::Date32 => Some(Unit::Day),
        DataType::Date64 => Some(Unit::Millisecond),
        DataType::Timestamp(_, Some(zone)) if !matches!(&**zone, "UTC" | "Z" | "+00:00") => None,
        DataType::Timestamp(unit, _) => Some(of_time_unit(*unit)),
        _ => None,
    }
}

/// Returns the unit of times of day, and `None` for other types.
pub(super) fn time_unit(data_type: &DataType) -> Option<Unit> {
    match data_type {
        DataType::Time32(unit) | DataType::Time64(unit) => Some(of_time_unit(*unit)),
        _ => None,
    }
}

/// Converts a time unit of Arrow to a unit of the kernels.
pub fn of_time_unit(unit: TimeUnit) -> Unit {
    match unit {
        TimeUnit::Second => Unit::Second,
        TimeUnit::Millisecond => Unit::Millisecond,
        TimeUnit::Microsecond => Unit::Microsecond,
        TimeUnit::Nanosecond => Unit::Nanosecond,
    }
}

/// Returns the number of ticks of a day. A tick is the unit of the stored numbers.
pub const fn ticks_per_day(unit: Unit) -> i64 {
    match unit {
        Unit::Day => 1,
        Unit::Second => SECONDS,
        Unit::Millisecond => SECONDS * 1_000,
        Unit::Microsecond => SECONDS * 1_000_000,
        Unit::Nanosecond => SECONDS * 1_000_000_000,
    }
}

/// Returns the constants by which a kernel divides by `ticks`, which must be from 1 to 2^62.
pub(super) fn divisor(ticks: i64) -> Divisor {
    let bits = 64 - (ticks - 1).leading_zeros();
    let inverse = match bits {
        0 => 0,
        _ => (1_u128 << (63 + bits)).div_ceil(ticks as u128) as u64,
    };
    Divisor { ticks, inverse, shift: i64::from(bits) - 1 }
}

/// Returns `x / d.ticks`, rounded down.
#[inline(always)]
pub(super) fn quotient(x: i64, d: Divisor) -> i64 {
    let sign = x >> 63;
    let magnitude = (x ^ sign) as u64;
    let product = u128::from(magnitude) * u128::from(d.inverse);
    let whole = if d.ticks == 1 { magnitude } else { (product >> 64) as u64 >> d.shift };
    whole as i64 ^ sign
}

/// Evaluates `$body` with the constant `$ticks`, which is the number of ticks per day of the unit.
macro_rules! by_unit {
    ($unit:expr, $ticks:ident => $body:expr) => {{
        use gdf_kernels::generated::datetime::Unit;
        macro_rules! with {
            ($unit_of_ticks:expr) => {{
                const $ticks: i64 = $crate::datetime::ticks_per_day($unit_of_ticks);
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
pub(crate) use by_unit;

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn quotients_are_exact() {
        let units = [Unit::Day, Unit::Second, Unit::Millisecond, Unit::Microsecond, Unit::Nanosecond];
        for ticks in units.map(ticks_per_day).into_iter().chain([2, 3, 1000, 1_000_000_000, 1 << 62]) {
            let d = divisor(ticks);
            let multiples = [0, 1, 2, -1, -2, 719_468, i64::MAX / ticks, i64::MIN / ticks];
            let near = multiples.map(|n| n.wrapping_mul(ticks)).into_iter();
            for x in near.flat_map(|x| [x.wrapping_sub(1), x, x.wrapping_add(1)]).chain([i64::MIN, i64::MAX]) {
                assert_eq!(quotient(x, d), x.div_euclid(ticks), "{x} / {ticks}");
            }
        }
    }
}
