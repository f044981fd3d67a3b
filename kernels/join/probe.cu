// join: rows looked up in the table of the build side, and how many results each tile of them has. What
// was found is kept per row, so that the launch that writes the results need not look again.

#include "key.cuh"

namespace join {

/// What is known of each row: where its matches begin and, where keys can have several rows, how many
/// they are. `starts` is null when only the size is wanted.
struct found_rows {
  uint32_t* starts;
  uint32_t* counts;
};

template <bool packed>
GDF_DEVICE void probe(const gdf::row_keys& keys, const gdf::row_table<gdf::key_columns>& build,
                      const gdf::key_table& table, int64_t rows, int32_t kind, const found_rows& found,
                      unsigned char* marks, unsigned long long* tile_counts, int64_t tiles,
                      gdf::scratch* scratch, unsigned long long* mailbox) {
  constexpr int threads = probing::threads;
  constexpr int batch = 4;
  static_assert(probing::items % batch == 0);
  gdf::key_layout const layout(table);
  bool const direct = packed && layout.entries != 0;
  bool const counted = layout.duplicates && kind <= left;
  for (int64_t t = blockIdx.x; t < tiles; t += gridDim.x) {
    u64 results = 0;
#pragma unroll 1
    for (int b = 0; b < probing::items; b += batch) {
      int64_t row[batch];
      bool wanted[batch];
#pragma unroll
      for (int i = 0; i < batch; i++) {
        row[i] = gdf::row_of<threads>(t * tile, b + i);
        wanted[i] = row[i] < rows;
      }
      gdf::key_probe key[batch];
      gdf::make_probes<packed>(keys, row, wanted, key);
      uint32_t start[batch];
      uint32_t count[batch];
      if (direct) {
        auto const* const entries = gdf::entries_of(table);
        uint32_t place[batch];
#pragma unroll
        for (int i = 0; i < batch; i++) {
          place[i] =
            key[i].used ? gdf::entry_of(table, layout.low, layout.entries, key[i]) : gdf::no_place;
          start[i] = place[i] != gdf::no_place ? __ldg(entries + place[i]) : no_match;
          count[i] = 1;
        }
        if (layout.duplicates) {
#pragma unroll
          for (int i = 0; i < batch; i++) {
            if (place[i] != gdf::no_place) {
              count[i] = __ldg(entries + place[i] + 1) - start[i];
              if (count[i] == 0) { start[i] = no_match; }
            }
          }
        }
      } else {
        gdf::key_slot slot[batch];
#pragma unroll
        for (int i = 0; i < batch; i++) {
          auto const* const home =
            reinterpret_cast<const uint4*>(table.slots + gdf::home_of(table, key[i]));
          uint4 const words = key[i].used ? __ldg(home) : uint4{~0u, ~0u, ~0u, 0};
          slot[i].word = static_cast<u64>(words.y) << 32 | words.x;
          slot[i].first = words.z;
          slot[i].count = words.w;
        }
#pragma unroll
        for (int i = 0; i < batch; i++) {
          int64_t const at =
            gdf::find_key(table, key[i], slot[i], same_word<packed>{keys, build, key[i], row[i]});
          start[i] = at >= 0 ? slot[i].first : no_match;
          count[i] = layout.duplicates ? slot[i].count : 1;
        }
      }
#pragma unroll
      for (int i = 0; i < batch; i++) {
        if (!wanted[i]) { continue; }
        results += results_of(kind, start[i], counted ? count[i] : 1);
        if (found.starts != nullptr) {
          found.starts[row[i]] = start[i];
          if (counted) { found.counts[row[i]] = count[i]; }
        }
        if (marks != nullptr && start[i] != no_match) { marks[start[i]] = 1; }
      }
    }
    results = gdf::block_sum<threads>(results);
    if (threadIdx.x == 0) { tile_counts[t] = results; }
  }
  gdf::finish_tile_counts<threads, 6>(scratch, 32, gridDim.x, tile_counts, tiles, mailbox);
}

} // namespace join

/// Looks `rows` rows up. `marks`, if not null, has a byte per row of the build side, zero before, for
/// those whose keys are met: at the row, or at its key's first place where there are duplicates. The
/// number of results goes to the mailbox, and first positions of tiles of 2,048 rows to `tile_counts`.
extern "C" __global__ void GDF_BOUNDS(join_probe)
join_probe_packed_kernel(const __grid_constant__ gdf::row_keys keys,
                         const __grid_constant__ gdf::key_table table, int64_t rows, int32_t kind,
                         const __grid_constant__ join::found_rows found, unsigned char* marks,
                         unsigned long long* tile_counts, int64_t tiles, gdf::scratch* scratch,
                         unsigned long long* mailbox) {
  join::probe<true>(keys, keys.rows, table, rows, kind, found, marks, tile_counts, tiles, scratch, mailbox);
}

/// As join_probe_packed, by keys that do not pack into 64 bits: those of the build side are needed too.
extern "C" __global__ void GDF_BOUNDS(join_probe)
join_probe_rows_kernel(const __grid_constant__ gdf::row_keys keys,
                       const __grid_constant__ gdf::row_table<gdf::key_columns> build,
                       const __grid_constant__ gdf::key_table table, int64_t rows, int32_t kind,
                       const __grid_constant__ join::found_rows found, unsigned char* marks,
                       unsigned long long* tile_counts, int64_t tiles, gdf::scratch* scratch,
                       unsigned long long* mailbox) {
  join::probe<false>(keys, build, table, rows, kind, found, marks, tile_counts, tiles, scratch, mailbox);
}

/// The rows of the build side that no row has met: their own numbers to `starts`, no_match for others.
extern "C" __global__ void GDF_BOUNDS(join_probe)
join_unmatched_kernel(const __grid_constant__ gdf::key_table table, const uint32_t* places,
                      const unsigned char* marks, int64_t rows, uint32_t* starts,
                      unsigned long long* tile_counts, int64_t tiles, gdf::scratch* scratch,
                      unsigned long long* mailbox) {
  using namespace join;
  constexpr int threads = probing::threads;
  bool const direct = gdf::key_layout(table).entries != 0;
  for (int64_t t = blockIdx.x; t < tiles; t += gridDim.x) {
    u64 results = 0;
#pragma unroll
    for (int i = 0; i < probing::items; i++) {
      int64_t const row = gdf::row_of<threads>(t * tile, i);
      if (row >= rows) { continue; }
      uint32_t const place = __ldg(places + row);
      bool met = false;
      if (place != gdf::no_place) {
        met = marks[direct ? gdf::entries_of(table)[place] : table.slots[place].first] != 0;
      }
      if (starts != nullptr) { starts[row] = met ? no_match : static_cast<uint32_t>(row); }
      results += !met;
    }
    results = gdf::block_sum<threads>(results);
    if (threadIdx.x == 0) { tile_counts[t] = results; }
  }
  gdf::finish_tile_counts<threads, 6>(scratch, 32, gridDim.x, tile_counts, tiles, mailbox);
}
