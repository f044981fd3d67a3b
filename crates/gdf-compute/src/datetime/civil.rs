//! Dates of the proleptic Gregorian calendar, by the algorithms of Hinnant, "chrono-compatible low-level date
//! algorithms". The week of the year follows ISO 8601.

const ERA: i64 = 146_097;

const EPOCH: i64 = 719_468;

/// A date of the proleptic Gregorian calendar.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct CivilDate {
    /// The year. Year 0 is the year before year 1.
    pub year: i64,
    /// The month, from 1 to 12.
    pub month: i64,
    /// The day of the month, from 1 to 31.
    pub day: i64,
}

/// Returns the date of the day that is `days` days after 1970-01-01. In the computation, years begin in March, so that
/// a leap day is the last day of its year.
#[inline]
pub fn civil(days: i64) -> CivilDate {
    // `days` is reduced modulo an era before the addition, so that the sum does not overflow.
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

/// Returns the first day of a month, in days since 1970-01-01. `month` is from 1 to 12.
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

/// Returns the number of days of a month. `month` is from 1 to 12.
#[inline]
pub fn days_in_month(year: i64, month: i64) -> i64 {
    match month {
        2 => 28 + i64::from(is_leap(year)),
        _ => 30 + ((month + (month >> 3)) & 1),
    }
}

/// Returns the day of the week, from 1 for Monday to 7 for Sunday. `days` counts from 1970-01-01.
#[inline]
pub fn iso_weekday(days: i64) -> i64 {
    (days + 3).rem_euclid(7) + 1
}

/// Returns the Thursday of the week that contains the day `days`. A week belongs to the year of its Thursday, as ISO
/// 8601 defines.
#[inline]
pub fn iso_thursday(days: i64) -> i64 {
    days - iso_weekday(days) + 4
}
