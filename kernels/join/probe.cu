// join: looks up the probe rows in the table of the build side and counts the results of each tile. The matches are
// stored per row, so that the launch that writes the results need not look up the rows again.

#include "key.cuh"

namespace join {

/// The matches of each row. `starts` has the start of the matches. `tile_counts` receives the first result positions of
/// tiles of 2,048 rows, a word for each of `tiles` tiles.
struct found_rows {
  uint32_t* starts;
  uint32_t* counts;
  unsigned char* marks;
  unsigned long long* tile_counts;
  gdf::tile_count tiles;
};

template <bool packed>
GDF_DEVICE void probe(const lookup& in, const gdf::row_table<gdf::key_columns>& build, const found_rows& found,
                      gdf::scratch* scratch, unsigned long long* mailbox) {
  auto const& [keys, table, rows, grouped, kind, unused] = in;
  auto const& [starts, counts, marks, tile_counts, tiles] = found;
  constexpr int threads = probing::threads;
  constexpr int batch = packed ? 4 : 1; // comparing texts takes many registers
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
        if (marks != nullptr) {
          unsigned char* const mark = start[i] != no_match ? marks + match_at(grouped, start[i], 0) : nullptr;
          if (kind == unmatched) {
            start[i] = mark != nullptr && *mark != 0 ? no_match : static_cast<uint32_t>(row[i]);
          } else if (mark != nullptr) {
            *mark = 1;
          }
        }
        results += results_of(kind, start[i], counted ? count[i] : 1);
        if (starts != nullptr) {
          starts[row[i]] = start[i];
          if (counted && has_several(start[i])) { counts[row[i]] = count[i]; }
        }
      }
    }
    results = gdf::block_sum<threads>(results);
    if (threadIdx.x == 0) { tile_counts[t] = results; }
  }
  gdf::finish_tile_counts<threads, 2>(scratch, 32, gridDim.x, tile_counts, tiles, mailbox);
}

} // namespace join

/// Looks up all rows. Posts the number of results to the mailbox.
extern "C" __global__ void GDF_BOUNDS(join_probe)
join_probe_packed_kernel(const __grid_constant__ join::lookup in, const __grid_constant__ join::found_rows found,
                         gdf::scratch* scratch, unsigned long long* mailbox) {
  join::probe<true>(in, in.keys.rows, found, scratch, mailbox);
}

/// Does the same as join_probe_packed_kernel, for keys that do not pack into 64 bits. The kernel also needs the keys of
/// the build side.
extern "C" __global__ void GDF_BOUNDS(join_probe_rows)
join_probe_rows_kernel(const __grid_constant__ join::lookup in,
                       const __grid_constant__ gdf::row_table<gdf::key_columns> build,
                       const __grid_constant__ join::found_rows found, gdf::scratch* scratch,
                       unsigned long long* mailbox) {
  join::probe<false>(in, build, found, scratch, mailbox);
}
