// Computes the layout of keys on the device, for sorts in which the host does not read the ranges of the columns.
#pragma once

#include "key_stats.cuh"

namespace sorting {

constexpr int max_pieces = 16;
struct pieces {
  piece at[max_pieces];
};

/// [thread] Computes the fields of the key from all pieces, like KeyPlan::new on the host.
GDF_DEVICE int lay_out(const pieces& in, int count, const sorting_stats::summary* of,
                       field* fields) {
  int end = 0;
  for (int p = count - 1; p >= 0; p--) {
    const sorting_stats::summary& stats = of[p];
    field& f = fields[p];
    f.of = in.at[p];
    f.null_position = -1;
    f.position = end;
    f.bits = 0;
    f.shift = 0;
    f.base[0] = 0;
    f.base[1] = 0;
    if ((stats.flags & 1) == 0) { continue; }
    u128 const varying = stats.ones & stats.zeros;
    auto const low = static_cast<u64>(varying);
    auto const high = static_cast<u64>(varying >> 64);
    f.shift = low != 0 ? __ffsll(static_cast<long long>(low)) - 1
              : high != 0 ? 63 + __ffsll(static_cast<long long>(high))
                          : 0;
    u128 const range = (stats.max - stats.min) >> f.shift;
    auto const range_high = static_cast<u64>(range >> 64);
    f.bits = range_high != 0 ? 128 - __clzll(static_cast<long long>(range_high))
                             : 64 - __clzll(static_cast<long long>(static_cast<u64>(range)));
    u128 const base = f.of.flags & descending ? stats.max : stats.min;
    f.base[0] = static_cast<u64>(base);
    f.base[1] = static_cast<u64>(base >> 64);
    end += f.bits;
    bool const lower = in.at[p].part != 0;
    if ((stats.flags & 2) != 0 && !lower) { f.null_position = end++; }
  }
  return end;
}

} // namespace sorting
