// copying::gather: rows of a whole table in the order that a map of row numbers gives. One launch,
// all columns and their masks. String columns need a launch before it, which finds out how many
// bytes each tile of the result has.
//
// Rows are read in whatever order the map says, so several loads of each thread are under way at a
// time; a map in order reads coalesced without being treated apart. The map is read again for each
// column and for its mask: from cache.

#include <gdf/move_strings.cuh>
#include <gdf/policy.cuh>
#include <gdf/tile_scan.cuh>

#include "gather_map.cuh"

GDF_POLICY(gather_sizes, 256, 8, 3);
GDF_POLICY(gather, 256, 8, 4);

namespace gather {

static_assert(gather_sizes_tuning::tile == gather_tuning::tile);

/// The rows of a tile.
struct tile_rows {
  gather_map const& map;
  int64_t first;

  GDF_DEVICE int64_t operator()(int r) const { return map[first + r]; }
};

} // namespace gather

/// For string column blockIdx.y: the bytes of each tile of 2,048 result rows, made into the positions
/// of their first bytes, at counts + slot * tiles; their total to mailbox[word]. With `check` report,
/// mailbox[0] becomes ~r for the first row r of the map out of bounds, mailbox[1] its number.
/// Tickets 32 + blockIdx.y, zeroed[0].
extern "C" __global__ void GDF_BOUNDS(gather_sizes)
gather_sizes_kernel(const __grid_constant__ gdf::column_in map, int64_t rows, int check,
                    const __grid_constant__ gdf::table_in<32> in,
                    const __grid_constant__ gdf::moved_table moved, unsigned long long* counts,
                    int64_t tiles, gdf::scratch* scratch, unsigned long long* mailbox) {
  using tuning = gather_sizes_tuning;
  constexpr int threads = tuning::threads;
  int const c = static_cast<int>(blockIdx.y);
  gdf::moved_column const& column = moved.column[c];
  gather::gather_map const indices(map, rows, check);
  bool const strings = column.kind == gdf::moved_strings;
  bool const reports = check == gather::report && c == 0;
  if (!strings && !reports) { return; }

  if (reports) { gather::check_map<tuning>(indices, scratch); }
  counts += column.slot * tiles;
  if (strings) {
    for (int64_t t = blockIdx.x; t < tiles; t += gridDim.x) {
      constexpr int batch = 4;
      gdf::u64 bytes = 0;
#pragma unroll 1
      for (int first = 0; first < tuning::items; first += batch) {
        int64_t row[batch];
#pragma unroll
        for (int i = 0; i < batch; i++) {
          int64_t const r = gdf::row_of<threads>(t * tuning::tile, first + i);
          row[i] = r < map.length ? indices[r] : -1;
        }
#pragma unroll
        for (int i = 0; i < batch; i++) {
          if (row[i] >= 0 && gdf::is_row_valid(in, moved, c, row[i])) {
            bytes += gdf::extent_within(in.column[c], row[i], column.bytes).size();
          }
        }
      }
      bytes = gdf::block_sum<threads>(bytes);
      if (threadIdx.x == 0) { counts[t] = bytes; }
    }
  }
  if (!gdf::is_last_block(scratch, 32 + c, gridDim.x)) { return; }
  if (strings) {
    gdf::u64 const total = gdf::scan_in_place<threads, 6>(counts, tiles);
    if (threadIdx.x == 0) { gdf::post(mailbox + column.word, total); }
  }
  if (reports && threadIdx.x == 0) { gather::report_map(indices, scratch, mailbox); }
}

/// Row r of each column (blockIdx.y) of the result is the row of the table, of `rows` rows, that row
/// r of `map` tells; null where the map is, or is out of bounds. Strings go where the sizes kernel
/// says. `check` report as there; ticket 32, zeroed[0].
extern "C" __global__ void GDF_BOUNDS(gather)
gather_kernel(const __grid_constant__ gdf::column_in map, int64_t rows, int check,
              const __grid_constant__ gdf::table_in<32> in,
              const __grid_constant__ gdf::table_out<32> out,
              const __grid_constant__ gdf::moved_table moved, const unsigned long long* counts,
              int64_t tiles, gdf::scratch* scratch, unsigned long long* mailbox) {
  using tuning = gather_tuning;
  constexpr int threads = tuning::threads;
  int const c = static_cast<int>(blockIdx.y);
  gdf::moved_column const& column = moved.column[c];
  gdf::column_out const& result = out.column[c];
  gather::gather_map const indices(map, rows, check);

  if (check == gather::report && c == 0) {
    gather::check_map<tuning>(indices, scratch);
    if (gdf::is_last_block(scratch, 32, gridDim.x) && threadIdx.x == 0) {
      gather::report_map(indices, scratch, mailbox);
    }
  }
  if (column.kind == gdf::moved_mask) { return; }

  uint32_t valid = 0;
  for (int64_t t = blockIdx.x; t < tiles; t += gridDim.x) {
    int64_t const first = t * tuning::tile;
    int64_t const left = map.length - first;
    gdf::moved_tile const tile{first, left < tuning::tile ? static_cast<int>(left) : tuning::tile,
                               0};
    gather::tile_rows const source{indices, first};
    valid += gdf::move_tile<threads>(in, moved, c, result, tile, source);
    if (column.kind == gdf::moved_strings) {
      gdf::u64 const base = __ldg(counts + column.slot * tiles + t);
      gdf::u64 const behind = gdf::move_strings<threads>(in, moved, c, result, tile, base, source);
      if (t + 1 == tiles && threadIdx.x == 0) {
        gdf::store_offset(result.offsets, result.flags & gdf::wide_offsets, map.length,
                          static_cast<int64_t>(behind));
      }
    }
  }
  gdf::post_null_count<threads>(scratch, result, valid);
}
