// datetime::extract_component and its kin: a number of the civil date or the time of day of each row.

#include <gdf/elementwise.cuh>

#include "moment.cuh"

GDF_POLICY(extract_component, 256, 4, 4);

namespace datetime {

enum class component : int32_t {
  year,
  month,
  day,
  weekday,
  hour,
  minute,
  second,
  millisecond,
  microsecond,
  nanosecond,
  day_of_year,
  quarter,
  days_in_month,
  iso_week,
  iso_year,
  is_leap_year,
  last_day_of_month,
};

struct extraction {
  int32_t unit;
  int32_t component;
};

/// [thread] Of the time of day.
template <int64_t per_day>
GDF_DEVICE int64_t of_time(int64_t ticks, component what) {
  constexpr int64_t second = per_day < 86400 ? 1 : per_day / 86400;
  switch (what) {
    case component::hour: return per_day == 1 ? 0 : ticks / (second * 3600);
    case component::minute: return ticks / (second * 60) % 60;
    case component::second: return ticks / second % 60;
    case component::millisecond: return second < 1000 ? 0 : ticks % second / (second / 1000 == 0 ? 1 : second / 1000);
    case component::microsecond:
      return second < 1000000 ? 0 : ticks % (second / 1000 == 0 ? 1 : second / 1000) / (second / 1000000 == 0 ? 1 : second / 1000000);
    default: return second < 1000000000 ? 0 : ticks % 1000;
  }
}

/// [thread] Of the date.
GDF_DEVICE int64_t of_date(int64_t days, component what) {
  switch (what) {
    case component::weekday: return gdf::iso_weekday(days);
    case component::iso_year: return gdf::civil(gdf::iso_thursday(days)).year;
    case component::iso_week: {
      int64_t const thursday = gdf::iso_thursday(days);
      return (thursday - gdf::first_of_month(gdf::civil(thursday).year, 1)) / 7 + 1;
    }
    default: break;
  }
  gdf::civil_date const date = gdf::civil(days);
  switch (what) {
    case component::year: return date.year;
    case component::month: return date.month;
    case component::day_of_year: return days - gdf::first_of_month(date.year, 1) + 1;
    case component::quarter: return (date.month + 2) / 3;
    case component::days_in_month: return gdf::days_in_month(date.year, date.month);
    case component::is_leap_year: return gdf::is_leap(date.year) ? 1 : 0;
    case component::last_day_of_month: return days - date.day + gdf::days_in_month(date.year, date.month);
    default: return date.day;
  }
}

/// [thread] A component of a row.
template <int64_t per_day>
GDF_DEVICE int64_t of(int64_t ticks, component what) {
  if (what >= component::hour && what <= component::nanosecond) {
    return of_time<per_day>(gdf::floor_mod(ticks, per_day), what);
  }
  return of_date(gdf::floor_div(ticks, per_day), what);
}

/// [thread] Components of all rows, as O.
template <class O, class Each>
GDF_DEVICE void extract(const extraction& p, Each&& each) {
  auto const what = static_cast<component>(p.component);
  by_unit(p.unit, [&]<int64_t per_day>() {
    each([&](int64_t ticks) { return static_cast<O>(of<per_day>(ticks, what)); });
  });
}

} // namespace datetime

/// Components of dates, timestamps and times of day as numbers of 16 bits.
GDF_MAP1_EACH(extract_component, extract_component, short, int64_t, int16_t, datetime::extraction,
              { datetime::extract<int16_t>(p, each); });

/// As numbers of 32 bits: years, which wrap, and days.
GDF_MAP1_EACH(extract_component, extract_component, wide, int64_t, int32_t, datetime::extraction,
              { datetime::extract<int32_t>(p, each); });

/// As booleans.
GDF_MAP1_EACH(extract_component, extract_component, boolean, int64_t, bool, datetime::extraction,
              { datetime::extract<bool>(p, each); });
