// What the kernels of join share.
#pragma once

#include <gdf/half.cuh>
#include <gdf/key_table.cuh>
#include <gdf/policy.cuh>
#include <gdf/tile_scan.cuh>

GDF_POLICY(join_build, 256, 4, 4);
GDF_POLICY(join_probe, 256, 8, 4);

namespace join {

using gdf::u64;

using probing = join_probe_tuning;
constexpr int tile = probing::tile; // rows whose matches are counted together

constexpr uint32_t no_match = ~0u;

/// Which rows result; mirrored by the host.
enum kind : int32_t {
  inner = 0,
  left = 1,
  semi = 2,
  anti = 3,
  unmatched = 4, // rows of the build side that no row has matched
};

/// [thread] The result rows of a row whose first match is `start`, of `matches` if it has any.
GDF_DEVICE u64 results_of(int32_t kind, uint32_t start, uint32_t matches) {
  switch (kind) {
    case left: return start == no_match ? 1 : matches;
    case semi: return start != no_match;
    case anti: return start == no_match;
    default: return start == no_match ? 0 : matches;
  }
}

/// Whether a slot's word is that of the key of a row of another table.
template <bool packed>
struct same_word {
  gdf::row_keys const& keys;
  gdf::row_table<gdf::key_columns> const& build;
  gdf::key_probe const& probe;
  int64_t row;

  GDF_DEVICE bool operator()(u64 word) const {
    if constexpr (packed) {
      return word == probe.word;
    } else {
      return (word ^ probe.word) >> 32 == 0 &&
             gdf::rows_equal(keys.rows, row, build, static_cast<int64_t>(word & 0xffffffffull), true);
    }
  }
};

} // namespace join
