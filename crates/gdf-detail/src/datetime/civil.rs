//! Dates of the proleptic Gregorian calendar, as `kernels/include/gdf/civil.cuh` computes them: Hinnant,
//! "chrono-compatible low-level date algorithms".

/// Days of 400 years.
const ERA: i64 = 146_097;

/// Days from 0000-03-01 to 1970-01-01.
const EPOCH: i64 = 719_468;

/// Day of the month, from days since 1970-01-01.
pub(super) fn day(days: i64) -> u32 {
    let (_, march_month, day_of_year) = march(days);
    (day_of_year - (153 * march_month + 2) / 5 + 1) as u32
}

/// The year of its era, the month counted from March as 0, and the day of the year that begins in March.
fn march(days: i64) -> (i64, i64, i64) {
    // Modulo an era first, so that no sum overflows.
    let day_of_era = (days.rem_euclid(ERA) + EPOCH).rem_euclid(ERA);
    let year = (day_of_era - day_of_era / 1460 + day_of_era / 36_524 - day_of_era / 146_096) / 365;
    let day_of_year = day_of_era - (365 * year + year / 4 - year / 100);
    (year, (5 * day_of_year + 2) / 153, day_of_year)
}
