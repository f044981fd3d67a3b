// datetime::{floor_datetimes, ceil_datetimes, round_datetimes}: the multiple of a period before, behind or nearest to each row.

#include <gdf/elementwise.cuh>

#include "moment.cuh"

GDF_POLICY(round_datetimes, 256, 4, 4);

namespace datetime {

enum class rounding : int32_t { floor, ceil, round };

/// Periods are so many ticks, or so many months of days with so many ticks.
struct period {
  int64_t ticks;  // 1 or more; of a day if `months` is not 0
  int64_t origin; // a multiple of the period: 0, or the first Monday; less than `ticks`
  int32_t months; // 0, 1, 3 or 12
  int32_t rounding;
};

/// [thread] Of neighboring multiples, the one that is meant. Halfway between multiples of a number of ticks it is the even
/// one, as in std::chrono; between months the later.
GDF_DEVICE int64_t choose(int64_t before, int64_t after, int64_t since, int64_t until, bool before_is_even, const period& p) {
  switch (static_cast<rounding>(p.rounding)) {
    case rounding::floor: return before;
    case rounding::ceil: return since == 0 ? before : after;
    default: return since < until || (since == until && before_is_even) ? before : after;
  }
}

/// [thread] x / d rounded down, and what is left; d is 1 to 2^60, `inverse` is 1 / d. A quotient by the inverse is off by less
/// than 2^12 / d + 1, so that the second one, of what is left, is off by one at most.
GDF_DEVICE int64_t divide(int64_t x, int64_t d, double inverse, int64_t& rest) {
  int64_t count = __double2ll_rd(static_cast<double>(x) * inverse);
  rest = wrapping(x, 1, -wrapping(count, d, 0));
  int64_t const more = __double2ll_rd(static_cast<double>(rest) * inverse);
  rest -= more * d;
  count += more;
  int64_t const off = rest < 0 ? -1 : rest >= d ? 1 : 0;
  rest -= off * d;
  return count + off;
}

GDF_DEVICE int64_t rounded(int64_t x, const period& p) {
  double const inverse = 1.0 / static_cast<double>(p.ticks);
  if (p.months == 0) {
    int64_t rest;
    int64_t const whole = divide(x, p.ticks, inverse, rest);
    bool const borrows = rest < p.origin;
    int64_t const count = whole - (borrows ? 1 : 0);
    int64_t const since = rest - p.origin + (borrows ? p.ticks : 0);
    int64_t const before = wrapping(x, 1, -since);
    return choose(before, wrapping(before, 1, p.ticks), since, p.ticks - since, (count & 1) == 0, p);
  }
  int64_t of_day;
  int64_t const days = divide(x, p.ticks, inverse, of_day);
  gdf::civil_date const date = gdf::civil(days);
  int32_t const month = (date.month - 1) / p.months * p.months + 1;
  bool const wraps = month + p.months > 12;
  int64_t const first = gdf::first_of_month(date.year, month);
  int64_t const next = gdf::first_of_month(date.year + (wraps ? 1 : 0), wraps ? 1 : month + p.months);
  int64_t const before = wrapping(first, p.ticks, 0);
  int64_t const after = wrapping(next, p.ticks, 0);
  return choose(before, after, wrapping(x, 1, -before), wrapping(after, 1, -x), false, p);
}

} // namespace datetime

GDF_MAP1(round_datetimes, round_datetimes, days, int64_t, int32_t, datetime::period, {
  return static_cast<int32_t>(datetime::rounded(x, p));
});

GDF_MAP1(round_datetimes, round_datetimes, ticks, int64_t, int64_t, datetime::period, {
  return datetime::rounded(x, p);
});
