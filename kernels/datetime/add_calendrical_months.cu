// datetime::add_calendrical_months: the same day of another month, or the last one that it has.

#include <gdf/elementwise.cuh>

#include "moment.cuh"

GDF_POLICY(add_calendrical_months, 256, 4, 4);

namespace datetime {

struct month_ticks {
  int32_t unit;
};

template <int64_t per_day>
GDF_DEVICE int64_t moved(int64_t ticks, int64_t months) {
  int64_t const days = gdf::floor_div(ticks, per_day);
  gdf::civil_date const date = gdf::civil(days);
  // Months since the year 0, wrapping; what is left of the day stays.
  int64_t const index = wrapping(date.year, 12, wrapping(months, 1, date.month - 1));
  int64_t const year = gdf::floor_div(index, 12);
  int32_t const month = static_cast<int32_t>(gdf::floor_mod(index, 12)) + 1;
  int32_t const last = gdf::days_in_month(year, month);
  int64_t const day = gdf::first_of_month(year, month) + (date.day < last ? date.day : last) - 1;
  return wrapping(day, per_day, gdf::floor_mod(ticks, per_day));
}

} // namespace datetime

GDF_MAP2(add_calendrical_months, add_calendrical_months, days, int64_t, int32_t, datetime::month_ticks, {
  return static_cast<int32_t>(datetime::moved<1>(x, y));
});

GDF_MAP2_EACH(add_calendrical_months, add_calendrical_months, ticks, int64_t, int64_t, datetime::month_ticks, {
  datetime::by_unit(p.unit, [&]<int64_t per_day>() { each(datetime::moved<per_day>); });
});
