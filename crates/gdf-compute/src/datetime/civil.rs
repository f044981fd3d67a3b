//! Dates of the proleptic Gregorian calendar, as `kernels/include/gdf/civil.cuh` computes them: Hinnant,
//! "chrono-compatible low-level date algorithms"; the week of the year by ISO 8601.

/// Days of 400 years.
const ERA: i64 = 146_097;

/// Days from 0000-03-01 to 1970-01-01.
const EPOCH: i64 = 719_468;

/// A date of the proleptic Gregorian calendar.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct CivilDate {
    /// 0 is the year before the year 1.
    pub year: i64,
    /// 1 to 12.
    pub month: i64,
    /// 1 to 31.
    pub day: i64,
}

/// The date of a day, from days since 1970-01-01. Years begin in March, so that leap days end them.
#[inline]
pub fn civil(days: i64) -> CivilDate {
    // Modulo an era first, so that no sum overflows.
    let shifted = days.rem_euclid(ERA) + EPOCH;
    let day_of_era = shifted.rem_euclid(ERA);
    let era = days.div_euclid(ERA) + shifted.div_euclid(ERA);
    let year_of_era = (day_of_era - day_of_era / 1460 + day_of_era / 36_524 - day_of_era / 146_096) / 365;
    let day_of_year = day_of_era - (365 * year_of_era + year_of_era / 4 - year_of_era / 100);
    let march_month = (5 * day_of_year + 2) / 153;
    let month = if march_month < 10 { march_month + 3 } else { march_month - 9 };
    let day = day_of_year - (153 * march_month + 2) / 5 + 1;
    CivilDate { year: era * 400 + year_of_era + i64::from(month <= 2), month, day }
}

/// The day of the first of a month, 1 to 12.
#[inline]
pub fn first_of_month(year: i64, month: i64) -> i64 {
    let march_year = year - i64::from(month <= 2);
    let (era, year_of_era) = (march_year.div_euclid(400), march_year.rem_euclid(400));
    let march_month = if month > 2 { month - 3 } else { month + 9 };
    let day_of_year = (153 * march_month + 2) / 5;
    era.wrapping_mul(ERA).wrapping_add(365 * year_of_era + year_of_era / 4 - year_of_era / 100 + day_of_year - EPOCH)
}

#[inline]
pub(crate) fn is_leap(year: i64) -> bool {
    year % 4 == 0 && (year % 100 != 0 || year % 400 == 0)
}

/// How many days a month, 1 to 12, has.
#[inline]
pub fn days_in_month(year: i64, month: i64) -> i64 {
    match month {
        2 => 28 + i64::from(is_leap(year)),
        _ => 30 + ((month + (month >> 3)) & 1),
    }
}

/// 1 for Monday to 7 for Sunday.
#[inline]
pub fn iso_weekday(days: i64) -> i64 {
    (days + 3).rem_euclid(7) + 1
}

/// The Thursday of the week, whose year is the week's.
#[inline]
pub fn iso_thursday(days: i64) -> i64 {
    days - iso_weekday(days) + 4
}
