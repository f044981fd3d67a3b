// join: rows looked up in the table of the build side, and how many results each tile of them has. What
// was found is kept per row, so that the launch that writes the results need not look again.

#include "key.cuh"

namespace join {

/// What is known of each row: where its matches begin and, where keys can have several rows, how many
/// they are. `starts` is null when only the size is wanted. `marks`, if not null, has a byte per row of the
/// build side, zero before, for the first row of each key that is met. First positions of tiles of 2,048
/// rows go to `tile_counts`, a word for each of `tiles`.
struct found_rows {
  uint32_t* starts;
  uint32_t* counts;
  unsigned char* marks;
  unsigned long long* tile_counts;
  int64_t tiles;
};

template <bool packed>
GDF_DEVICE void probe(const lookup& in, const gdf::row_table<gdf::key_columns>& build, const found_rows& found,
                      gdf::scratch* scratch, unsigned long long* mailbox) {
  auto const& [keys, table, rows, grouped, kind, unused] = in;
  auto const& [starts, counts, marks, tile_counts, tiles] = found;
  constexpr int threads = probing::threads;
  constexpr int batch = packed ? 4 : 1; // looking at texts takes registers
  static_assert(probing::items % batch == 0);
  gdf::key_layout const layout(table);
  bool const counted = layout.duplicates && kind <= left;
  for (int64_t t = blockIdx.x; t < tiles; t += gridDim.x) {
    u64 results = 0;
#pragma unroll 1
    for (int b = 0; b < probing::items; b += batch) {
      int64_t row[batch];
      bool active[batch];
      gdf::rows_of_tile<threads>(t * tile + b * threads, batch, rows, row, active);
      uint32_t start[batch];
      uint32_t count[batch];
      look_up<packed>(keys, build, table, layout, row, active, start, count);
#pragma unroll
      for (int i = 0; i < batch; i++) {
        if (!active[i]) { continue; }
        results += results_of(kind, start[i], counted ? count[i] : 1);
        if (starts != nullptr) {
          starts[row[i]] = start[i];
          if (counted) { counts[row[i]] = count[i]; }
        }
        if (marks != nullptr && start[i] != no_match) { marks[match_at(grouped, start[i], 0)] = 1; }
      }
    }
    results = gdf::block_sum<threads>(results);
    if (threadIdx.x == 0) { tile_counts[t] = results; }
  }
  gdf::finish_tile_counts<threads, 2>(scratch, 32, gridDim.x, tile_counts, tiles, mailbox);
}

} // namespace join

/// Looks all rows up. The number of results goes to the mailbox.
extern "C" __global__ void GDF_BOUNDS(join_probe)
join_probe_packed_kernel(const __grid_constant__ join::lookup in, const __grid_constant__ join::found_rows found,
                         gdf::scratch* scratch, unsigned long long* mailbox) {
  join::probe<true>(in, in.keys.rows, found, scratch, mailbox);
}

/// As join_probe_packed, by keys that do not pack into 64 bits: those of the build side are needed too.
extern "C" __global__ void GDF_BOUNDS(join_probe_rows)
join_probe_rows_kernel(const __grid_constant__ join::lookup in,
                       const __grid_constant__ gdf::row_table<gdf::key_columns> build,
                       const __grid_constant__ join::found_rows found, gdf::scratch* scratch,
                       unsigned long long* mailbox) {
  join::probe<false>(in, build, found, scratch, mailbox);
}

/// The rows of the build side, `rows`, that no row has met: their own numbers to `starts`, no_match for others. Each
/// has its place, and a mark as the probing launches left it.
extern "C" __global__ void GDF_BOUNDS(join_probe)
join_unmatched_kernel(const __grid_constant__ gdf::key_table table, const uint32_t* positions,
                      const uint32_t* grouped, const unsigned char* marks, int64_t rows, uint32_t* starts,
                      unsigned long long* tile_counts, int64_t tiles, gdf::scratch* scratch,
                      unsigned long long* mailbox) {
  using namespace join;
  constexpr int threads = probing::threads;
  gdf::key_layout const layout(table);
  bool const direct = layout.entries != 0;
  uint32_t const flag = direct && layout.duplicates ? gdf::grouped_flag : 0;
  for (int64_t t = blockIdx.x; t < tiles; t += gridDim.x) {
    u64 results = 0;
#pragma unroll
    for (int i = 0; i < probing::items; i++) {
      int64_t const row = gdf::row_of<threads>(t * tile, i);
      if (row >= rows) { continue; }
      uint32_t const position = __ldg(positions + row);
      bool met = false;
      if (position != gdf::no_position) {
        uint32_t const start = direct ? gdf::entries_of(table)[position] | flag : gdf::first_of(table.slots[position]);
        met = marks[match_at(grouped, start, 0)] != 0;
      }
      if (starts != nullptr) { starts[row] = met ? no_match : static_cast<uint32_t>(row); }
      results += !met;
    }
    results = gdf::block_sum<threads>(results);
    if (threadIdx.x == 0) { tile_counts[t] = results; }
  }
  gdf::finish_tile_counts<threads, 2>(scratch, 32, gridDim.x, tile_counts, tiles, mailbox);
}
