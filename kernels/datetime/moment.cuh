// Splits dates and timestamps into days and the ticks since the beginning of the day.
#pragma once

#include <gdf/civil.cuh>
#include <gdf/invalid_code.cuh>

namespace datetime {

/// The unit of a row. Dates and timestamps are numbers of units since 1970-01-01, and times are numbers of units since
/// midnight.
enum class unit : int32_t { day, second, millisecond, microsecond, nanosecond };

/// [thread] Calls `body.template operator()<ticks>()` with the number of ticks of a day as a constant, so that the
/// compiler replaces divisions by multiplications.
template <class Body>
GDF_DEVICE auto by_unit(int32_t number, Body&& body) {
  constexpr int64_t seconds = 86400;
  switch (static_cast<unit>(number)) {
    case unit::day: return body.template operator()<1>();
    case unit::second: return body.template operator()<seconds>();
    case unit::millisecond: return body.template operator()<seconds * 1000>();
    case unit::microsecond: return body.template operator()<seconds * 1000000>();
    case unit::nanosecond: return body.template operator()<seconds * 1000000000>();
    default: gdf::invalid_code();
  }
}

/// A number of ticks by which other numbers of ticks are divided. The division is a multiplication and a shift
/// (Granlund and Montgomery, 1994). The host fills the struct.
struct divisor {
  int64_t ticks;
  unsigned long long inverse; // 2^(64 + shift) / ticks, rounded up
  int64_t shift;              // number of bits of ticks - 1, minus one; not used if ticks is 1
};

GDF_DEVICE int64_t quotient(int64_t x, const divisor& d) {
  // For a negative x, the function divides the complement ~x and complements the quotient. This rounds the result down.
  int64_t const sign = x >> 63;
  auto const magnitude = static_cast<gdf::u64>(x ^ sign);
  gdf::u64 const whole = d.ticks == 1 ? magnitude : __umul64hi(magnitude, d.inverse) >> d.shift;
  return static_cast<int64_t>(whole) ^ sign;
}

GDF_DEVICE int64_t wrapping(int64_t a, int64_t b, int64_t c) {
  return static_cast<int64_t>(static_cast<gdf::u64>(a) * static_cast<gdf::u64>(b) + static_cast<gdf::u64>(c));
}

} // namespace datetime
