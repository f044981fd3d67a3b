// datetime::{to_utc, from_utc}: converts between instants and the local times of a time zone, by a binary search among
// the changes of the zone's offset.

#include <gdf/elementwise.cuh>

#include "moment.cuh"

GDF_POLICY(to_utc, 256, 4, 4);

namespace datetime {

/// Local times for which the caller makes a choice. An ambiguous time occurs twice on clocks, and a nonexistent time
/// never occurs.
enum local_time : int32_t { ambiguous = 1, nonexistent = 2 };

struct zone_conversion {
  int64_t end;   // the first second after the table; from there on, the last `cycle` seconds repeat
  int64_t cycle;
  int32_t unit;
  int32_t latest; // the kinds of `local_time` for which the later moment is chosen, not the earlier one
  int32_t nulls;  // the kinds of `local_time` that become null
  int32_t reports; // the kinds of `local_time` that are reported to the host
};

/// [thread] Returns the ticks of a row, shifted by an offset from `table`. For n changes of the offset, the table has
/// three parts: the n seconds at which the changes begin, the n seconds at which they end, and n + 1 shifts. From the
/// begin of a change to its end, a local time is ambiguous or nonexistent.
template <int64_t second>
GDF_DEVICE gdf::attempt<int64_t> shifted(int64_t ticks, const gdf::values<int64_t>& table, int64_t changes,
                                         const zone_conversion& p) {
  int64_t seconds = gdf::floor_div(ticks, second);
  if (seconds >= p.end) { seconds = p.end - p.cycle + (seconds - p.end) % p.cycle; }
  int64_t low = 0;
  int64_t high = changes;
  while (low < high) {
    int64_t const middle = (low + high) >> 1;
    bool const begun = table[middle] <= seconds;
    low = begun ? middle + 1 : low;
    high = begun ? high : middle;
  }
  int64_t shift = table[2 * changes + low];
  int32_t kind = 0;
  if (low > 0 && seconds < table[changes + low - 1]) {
    int64_t const before = table[2 * changes + low - 1];
    kind = before < shift ? ambiguous : nonexistent;
    bool const later = (p.latest & kind) != 0;
    shift = (before < shift) == later ? shift : before;
  }
  return {wrapping(shift, second, ticks), kind};
}

} // namespace datetime

/// Converts times to UTC or from UTC, according to `table`. The rows of `in`, `out` and `table` have 64 bits.
extern "C" __global__ void GDF_BOUNDS(to_utc)
to_utc_kernel(const __grid_constant__ gdf::column_in in, const __grid_constant__ gdf::column_in table,
              const __grid_constant__ gdf::column_out out, const __grid_constant__ datetime::zone_conversion p,
              gdf::scratch* scratch, unsigned long long* mailbox) {
  gdf::values<int64_t> const rows(table);
  int64_t const changes = (table.length - 1) / 3;
  datetime::by_unit(p.unit, [&]<int64_t ticks>() {
    constexpr int64_t second = ticks < 86400 ? 1 : ticks / 86400;
    gdf::try_stored<int64_t, int64_t, to_utc_tuning>(
      in, out, p.nulls, p.reports, scratch, mailbox,
      [&](int64_t x) { return datetime::shifted<second>(x, rows, changes, p); });
  });
}
