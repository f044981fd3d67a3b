// datetime::{floor_datetimes, ceil_datetimes, round_datetimes}: each row is rounded to the multiple of a period that is
// before, after or nearest to the row.

#include <gdf/elementwise.cuh>

#include "moment.cuh"

GDF_POLICY(round_datetimes, 256, 8, 4);

namespace datetime {

enum class rounding : int32_t { floor, ceil, round };

/// A period, which is a number of ticks or a number of months. For months, `by` has the ticks of a day.
struct period {
  divisor by;     // the ticks of a period, or of a day if `months` is not 0
  int64_t origin; // a multiple of the period: 0, or the first Monday; less than `ticks`
  int32_t months; // 0, 1, 3 or 12
  int32_t rounding;
};

/// [thread] Returns the multiple to which the value is rounded: `before` or `after`.
GDF_DEVICE int64_t choose(int64_t before, int64_t after, int64_t since, int64_t until, bool before_is_even, const period& p) {
  switch (static_cast<rounding>(p.rounding)) {
    case rounding::floor: return before;
    case rounding::ceil: return since == 0 ? before : after;
    case rounding::round: return since < until || (since == until && before_is_even) ? before : after;
    default: return gdf::unreachable_code<int64_t>();
  }
}

GDF_DEVICE int64_t rounded(int64_t x, const period& p) {
  int64_t const ticks = p.by.ticks;
  int64_t const whole = quotient(x, p.by);
  if (p.months == 0) {
    int64_t const rest = wrapping(whole, -ticks, x);
    bool const borrows = rest < p.origin;
    int64_t const count = whole - (borrows ? 1 : 0);
    int64_t const since = rest - p.origin + (borrows ? ticks : 0);
    int64_t const before = wrapping(x, 1, -since);
    return choose(before, wrapping(before, 1, ticks), since, ticks - since, (count & 1) == 0, p);
  }
  gdf::civil_date const date = gdf::civil(whole);
  int32_t const month = (date.month - 1) / p.months * p.months + 1;
  bool const wraps = month + p.months > 12;
  int64_t const first = gdf::first_of_month(date.year, month);
  int64_t const next = gdf::first_of_month(date.year + (wraps ? 1 : 0), wraps ? 1 : month + p.months);
  int64_t const before = wrapping(first, ticks, 0);
  int64_t const after = wrapping(next, ticks, 0);
  return choose(before, after, wrapping(x, 1, -before), wrapping(after, 1, -x), false, p);
}

} // namespace datetime

GDF_MAP1(round_datetimes, round_datetimes, days, int64_t, int32_t, datetime::period, {
  return static_cast<int32_t>(datetime::rounded(x, p));
});

GDF_MAP1(round_datetimes, round_datetimes, ticks, int64_t, int64_t, datetime::period, {
  return datetime::rounded(x, p);
});
