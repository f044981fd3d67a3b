// datetime::extract_component: a number of the civil date of each row.

#include <gdf/civil.cuh>
#include <gdf/elementwise.cuh>

GDF_POLICY(extract_component, 256, 4, 4);

namespace datetime {

/// What a row counts since 1970-01-01.
struct ticks {
  int64_t per_day; // above 0
};

} // namespace datetime

/// The day of the month of dates and timestamps, as i16.
GDF_MAP1(extract_component, extract_component, day, int64_t, int16_t, datetime::ticks, {
  return static_cast<int16_t>(gdf::civil(gdf::floor_div(x, p.per_day)).day);
});
