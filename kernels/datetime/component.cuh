// Components of dates and times of day.
#pragma once

#include <gdf/elementwise.cuh>

#include "moment.cuh"

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
  divisor per_day;
  divisor per_second; // days have one second
  int64_t nanoseconds; // nanoseconds of a tick of less than a second
  int64_t component;
};

/// [thread] Returns the whole seconds of the time of day. `nanoseconds` becomes the fraction of the second.
GDF_DEVICE uint32_t time_of_day(int64_t ticks, const extraction& p, uint32_t& nanoseconds) {
  int64_t const of_day = ticks - quotient(ticks, p.per_day) * p.per_day.ticks;
  int64_t const seconds = p.per_day.ticks == 1 ? 0 : quotient(of_day, p.per_second);
  nanoseconds = static_cast<uint32_t>((of_day - seconds * p.per_second.ticks) * p.nanoseconds);
  return static_cast<uint32_t>(seconds);
}

template <class O, class Each>
GDF_DEVICE void extract(const extraction& p, Each&& each) {
  auto const of_days = [&](auto&& f) {
    each([&](int64_t ticks) { return static_cast<O>(f(quotient(ticks, p.per_day))); });
  };
  auto const of_date = [&](auto&& f) {
    of_days([&](int64_t days) { return f(gdf::civil(days), days); });
  };
  auto const of_time = [&](auto&& f) {
    each([&](int64_t ticks) {
      uint32_t nanoseconds;
      uint32_t const seconds = time_of_day(ticks, p, nanoseconds);
      return static_cast<O>(f(seconds, nanoseconds));
    });
  };
  using date = gdf::civil_date;
  auto const what = static_cast<component>(p.component);
  if constexpr (gdf::is_same<O, bool>) {
    if (what != component::is_leap_year) { gdf::invalid_code(); }
    of_date([](const date& d, int64_t) { return gdf::is_leap(d.year); });
  } else if constexpr (sizeof(O) == 4) {
    switch (what) {
      case component::year: of_date([](const date& d, int64_t) { return d.year; }); break;
      case component::iso_year: of_days([](int64_t days) { return gdf::civil(gdf::iso_thursday(days)).year; }); break;
      case component::last_day_of_month:
        of_date([](const date& d, int64_t days) { return days - d.day + gdf::days_in_month(d.year, d.month); });
        break;
      default: gdf::invalid_code();
    }
  } else {
    switch (what) {
      case component::month: of_date([](const date& d, int64_t) { return d.month; }); break;
      case component::day: of_date([](const date& d, int64_t) { return d.day; }); break;
      case component::weekday: of_days([](int64_t days) { return gdf::iso_weekday(days); }); break;
      case component::hour: of_time([](uint32_t seconds, uint32_t) { return seconds / 3600; }); break;
      case component::minute: of_time([](uint32_t seconds, uint32_t) { return seconds / 60 % 60; }); break;
      case component::second: of_time([](uint32_t seconds, uint32_t) { return seconds % 60; }); break;
      case component::millisecond: of_time([](uint32_t, uint32_t nanos) { return nanos / 1000000; }); break;
      case component::microsecond: of_time([](uint32_t, uint32_t nanos) { return nanos / 1000 % 1000; }); break;
      case component::nanosecond: of_time([](uint32_t, uint32_t nanos) { return nanos % 1000; }); break;
      case component::day_of_year:
        of_date([](const date& d, int64_t days) { return days - gdf::first_of_month(d.year, 1) + 1; });
        break;
      case component::quarter: of_date([](const date& d, int64_t) { return (d.month + 2) / 3; }); break;
      case component::days_in_month:
        of_date([](const date& d, int64_t) { return gdf::days_in_month(d.year, d.month); });
        break;
      case component::iso_week:
        of_days([](int64_t days) {
          int64_t const thursday = gdf::iso_thursday(days);
          return (thursday - gdf::first_of_month(gdf::civil(thursday).year, 1)) / 7 + 1;
        });
        break;
      default: gdf::invalid_code();
    }
  }
}

} // namespace datetime
