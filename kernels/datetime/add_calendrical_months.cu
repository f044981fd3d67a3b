// datetime::add_calendrical_months: computes the same day of another month. If that month has fewer days, the result is
// its last day.

#include <gdf/elementwise.cuh>

#include "moment.cuh"

GDF_POLICY(add_calendrical_months, 256, 4, 4);

namespace datetime {

struct month_ticks {
  divisor per_day;
};

GDF_DEVICE int64_t moved(int64_t ticks, int64_t months, const divisor& per_day) {
  int64_t const days = quotient(ticks, per_day);
  gdf::civil_date const date = gdf::civil(days);
  // `index` is the number of months since January of year 0. The number wraps around.
  int64_t const index = wrapping(date.year, 12, wrapping(months, 1, date.month - 1));
  constexpr int64_t few = 12 << 24;
  int64_t year;
  int32_t month;
  if (index >= -few && index < few) {
    auto const above = static_cast<uint32_t>(index + few);
    year = static_cast<int32_t>(above / 12) - (1 << 24);
    month = static_cast<int32_t>(above % 12) + 1;
  } else {
    year = gdf::floor_div(index, 12);
    month = static_cast<int32_t>(gdf::floor_mod(index, 12)) + 1;
  }
  int32_t const last = gdf::days_in_month(year, month);
  int64_t const day = gdf::first_of_month(year, month) + (date.day < last ? date.day : last) - 1;
  return wrapping(wrapping(day, 1, -days), per_day.ticks, ticks);
}

} // namespace datetime

GDF_MAP2(add_calendrical_months, add_calendrical_months, days, int64_t, int32_t, datetime::month_ticks, {
  return static_cast<int32_t>(datetime::moved(x, y, p.per_day));
});

GDF_MAP2(add_calendrical_months, add_calendrical_months, ticks, int64_t, int64_t, datetime::month_ticks, {
  return datetime::moved(x, y, p.per_day);
});
