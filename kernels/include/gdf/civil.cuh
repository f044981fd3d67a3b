// Dates of the proleptic Gregorian calendar from days since 1970-01-01, and back (Hinnant, "chrono-compatible low-level
// date algorithms"; Neri and Schneider, "Euclidean affine functions and their application to calendar algorithms"). The
// week of the year follows ISO 8601.
#pragma once

#include "types.cuh"

namespace gdf {

GDF_DEVICE int64_t floor_div(int64_t n, int64_t d) { return n / d - (n % d < 0 ? 1 : 0); }

GDF_DEVICE int64_t floor_mod(int64_t n, int64_t d) {
  int64_t const rest = n % d;
  return rest < 0 ? rest + d : rest;
}

struct civil_date {
  int64_t year;
  int32_t month; // 1 to 12
  int32_t day;   // 1 to 31
};

/// [thread] Returns the date of a day (Neri and Schneider). Day 0 is the day 400 * `eras` years before 0000-03-01.
/// `day` must be below 2^30.
GDF_DEVICE civil_date civil_of_era(uint32_t day, int32_t eras) {
  uint32_t const of_century = 4 * day + 3;
  uint32_t const century = of_century / 146097;
  uint32_t const of_year = of_century % 146097 | 3;
  u64 const product = u64{2939745} * of_year;
  uint32_t const day_of_year = static_cast<uint32_t>(product) / 2939745 / 4;
  uint32_t const of_month = 2141 * day_of_year + 197913;
  bool const next = day_of_year >= 306; // January and February belong to the next year
  int32_t const month = static_cast<int32_t>(of_month >> 16);
  int32_t const year = static_cast<int32_t>(100 * century + static_cast<uint32_t>(product >> 32)) - 400 * eras;
  return {year + (next ? 1 : 0), next ? month - 12 : month, static_cast<int32_t>((of_month & 0xffff) / 2141) + 1};
}

/// [thread] Returns the date of a day.
GDF_DEVICE civil_date civil(int64_t days) {
  constexpr int32_t eras = 82;
  constexpr int32_t before = 719468 + 146097 * eras;
  if (days >= -before && days < (1 << 30) - before) { return civil_of_era(static_cast<uint32_t>(days + before), eras); }
  constexpr int32_t era_days = 146097; // days of 400 years
  constexpr int32_t epoch = 719468;    // days from 0000-03-01 to 1970-01-01
  int64_t const whole = floor_div(days, era_days);
  auto const sum = static_cast<int32_t>(days - whole * era_days) + epoch % era_days;
  int32_t const carry = sum >= era_days ? 1 : 0;
  int64_t const era = whole + epoch / era_days + carry;
  int32_t const day_of_era = sum - carry * era_days;
  int32_t const year_of_era =
    (day_of_era - day_of_era / 1460 + day_of_era / 36524 - day_of_era / 146096) / 365;
  int32_t const day_of_year = day_of_era - (365 * year_of_era + year_of_era / 4 - year_of_era / 100);
  int32_t const march_month = (5 * day_of_year + 2) / 153; // 0 is March
  int32_t const month = march_month < 10 ? march_month + 3 : march_month - 9;
  return {era * 400 + year_of_era + (month <= 2 ? 1 : 0), month,
          day_of_year - (153 * march_month + 2) / 5 + 1};
}

GDF_DEVICE int64_t first_of_month(int64_t year, int32_t month) {
  constexpr int32_t eras = 82;
  if (year > -400 * eras && year < 1 << 20) {
    // The algorithm is that of Neri and Schneider, as in `civil`.
    auto const march = static_cast<uint32_t>(year + 400 * eras - (month <= 2 ? 1 : 0));
    uint32_t const century = march / 100;
    uint32_t const of_years = 1461 * march / 4 - century + century / 4;
    int32_t const of_months = (979 * (month <= 2 ? month + 12 : month) - 2919) / 32;
    return static_cast<int32_t>(of_years) + of_months - (719468 + 146097 * eras);
  }
  int64_t const march_year = year - (month <= 2 ? 1 : 0);
  int64_t const era = floor_div(march_year, 400);
  auto const year_of_era = static_cast<int32_t>(march_year - era * 400);
  int32_t const day_of_year = (153 * (month > 2 ? month - 3 : month + 9) + 2) / 5;
  int64_t const day_of_era = 365 * year_of_era + year_of_era / 4 - year_of_era / 100 + day_of_year;
  // For years that no 64-bit day number reaches, the sum wraps around.
  return static_cast<int64_t>(static_cast<u64>(era) * 146097u + static_cast<u64>(day_of_era - 719468));
}

GDF_DEVICE bool is_leap(int64_t year) {
  constexpr int64_t years = 400 << 20;
  if (year < -years || year >= years) { return year % 4 == 0 && (year % 100 != 0 || year % 400 == 0); }
  auto const above = static_cast<uint32_t>(year + years);
  return above % (above % 100 == 0 ? 16 : 4) == 0; // divisible by 16 and by 100 means divisible by 400
}

/// [thread] Returns the number of days of a month (1 to 12).
GDF_DEVICE int32_t days_in_month(int64_t year, int32_t month) {
  if (month == 2) { return is_leap(year) ? 29 : 28; }
  return 30 + ((month + (month >> 3)) & 1);
}

/// [thread] Returns the ISO weekday of a day: 1 for Monday to 7 for Sunday.
GDF_DEVICE int32_t iso_weekday(int64_t days) { return static_cast<int32_t>(floor_mod(days + 3, 7)) + 1; }

/// [thread] Returns the Thursday of the week of a day. The year of that Thursday is the year to which the week belongs.
GDF_DEVICE int64_t iso_thursday(int64_t days) { return days - iso_weekday(days) + 4; }

} // namespace gdf
