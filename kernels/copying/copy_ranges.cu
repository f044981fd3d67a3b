// copying::copy_ranges: copies ranges of consecutive rows of a whole table, one range after the other. One launch
// handles all columns and their validity masks.
//
// A map with the row number of each row would take a write and a read of memory per row. The kernels instead find the
// range of a row when the row is copied.

#include <gdf/copy_rows.cuh>
#include <gdf/policy.cuh>
#include <gdf/tile_scan.cuh>

GDF_POLICY(copy_ranges_tiles, 256, 1, 1);
GDF_POLICY(copy_ranges_sizes, 256, 8, 3);
GDF_POLICY(copy_ranges, 256, 8, 3);
GDF_POLICY(copy_ranges_text, 256, 8, 6);

// The host computes tiles for all kernels by the policy of `copy_ranges`.
static_assert(copy_ranges_sizes_tuning::threads == copy_ranges_tuning::threads &&
              copy_ranges_text_tuning::threads == copy_ranges_tuning::threads);

namespace ranges {

constexpr int threads = copy_ranges_tuning::threads;
constexpr int items = copy_ranges_tuning::items;

/// The `row` of ranges that have no rows of the table. All rows of such a range are null.
constexpr int64_t none = INT64_MIN / 2;

struct tile_ranges {
  int64_t first; // the first row of the tile
  /// The result of `row_of` for each range, at the index of the first row that the range has in the tile.
  int64_t row[threads * items];
  /// For each row of the tile, the first row of its range in the tile.
  alignas(16) uint16_t start[threads * items];
  uint16_t warp_start[threads / 32];
};
static_assert(items == 8 && sizeof(uint16_t) * items == sizeof(uint4)); // a thread scans 8 rows as one vector

struct source {
  gdf::column_in const& begins;
  const int64_t* ends;
  const int64_t* begin;
  const int64_t* size;
  const int64_t* tiles;
  int64_t rows; // number of rows of the table
  int64_t tile_rows;
  tile_ranges& tile;

  GDF_DEVICE source(const gdf::column_in& ends, const gdf::column_in& begins, const gdf::column_in& sizes,
                    const int64_t* tiles, int64_t rows, int share, tile_ranges& tile)
    : begins(begins),
      ends(static_cast<const int64_t*>(ends.data) + ends.offset),
      begin(begins.data == nullptr ? nullptr : static_cast<const int64_t*>(begins.data) + begins.offset),
      size(sizes.data == nullptr ? nullptr : static_cast<const int64_t*>(sizes.data) + sizes.offset),
      tiles(tiles),
      rows(rows),
      tile_rows(int64_t{share} * threads),
      tile(tile) {}

  /// [block] Prepares the calls for the `count` rows of the result from `first` on.
  GDF_DEVICE void begin_tile(int64_t first, int count) const {
    int64_t const t = first / tile_rows;
    int64_t const low = __ldg(tiles + t);
    int64_t const high = __ldg(tiles + t + 1);
    __syncthreads(); // other threads may still read the previous tile
    reinterpret_cast<uint4*>(tile.start)[threadIdx.x] = uint4{};
    if (threadIdx.x == 0) { tile.first = first; }
    __syncthreads();
    for (int64_t range = low + threadIdx.x; range <= high; range += threads) {
      int64_t const begins_at = (range == 0 ? 0 : __ldg(ends + range - 1)) - first;
      int64_t const ends_at = __ldg(ends + range) - first;
      int64_t const in_tile = begins_at < 0 ? 0 : begins_at;
      if (in_tile >= ends_at || in_tile >= count) { continue; }
      int const at = static_cast<int>(in_tile);
      tile.start[at] = static_cast<uint16_t>(at);
      tile.row[at] = row_of(range, begins_at);
    }
    __syncthreads();
    scan_starts();
    __syncthreads();
  }

  GDF_DEVICE int64_t row_of(int64_t range, int64_t begins_at) const {
    if (begin == nullptr) { return range; }
    bool const has = gdf::is_valid(begins, range) && (size == nullptr || __ldg(size + range) != 0);
    return has ? __ldg(begin + range) - begins_at : none;
  }

  /// [block] Replaces each element of `tile.start` by the maximum of the elements up to it. Each thread has 8
  /// consecutive elements.
  GDF_DEVICE void scan_starts() const {
    uint16_t own[items];
    *reinterpret_cast<uint4*>(own) = reinterpret_cast<const uint4*>(tile.start)[threadIdx.x];
#pragma unroll
    for (int i = 1; i < items; i++) { own[i] = own[i] > own[i - 1] ? own[i] : own[i - 1]; }
    uint32_t before = own[items - 1];
#pragma unroll
    for (int distance = 1; distance < 32; distance *= 2) {
      uint32_t const other = __shfl_up_sync(~0u, before, distance);
      if (gdf::lane() >= distance && other > before) { before = other; }
    }
    if (gdf::lane() == 31) { tile.warp_start[gdf::warp()] = static_cast<uint16_t>(before); }
    before = __shfl_up_sync(~0u, before, 1);
    if (gdf::lane() == 0) { before = 0; }
    __syncthreads();
    for (int w = 0; w < gdf::warp(); w++) {
      uint32_t const other = tile.warp_start[w];
      before = other > before ? other : before;
    }
#pragma unroll
    for (int i = 0; i < items; i++) { own[i] = own[i] > before ? own[i] : static_cast<uint16_t>(before); }
    reinterpret_cast<uint4*>(tile.start)[threadIdx.x] = *reinterpret_cast<const uint4*>(own);
  }

  /// [thread] Returns the row of the table for row `r` of the result, or -1 if the table has no such row. Row `r` must
  /// be in the tile.
  GDF_DEVICE int64_t operator[](int64_t r) const {
    int64_t const in_tile = r - tile.first;
    int64_t const row = tile.row[tile.start[in_tile]] + (begin == nullptr ? 0 : in_tile);
    return static_cast<gdf::u64>(row) < static_cast<gdf::u64>(rows) ? row : -1;
  }

  /// [thread] Finds the rows of the table for the rows `at` of the result, which must be in the tile. Rows that are not
  /// `active` get -1.
  template <int n>
  GDF_DEVICE void rows_at(const int64_t (&at)[n], const bool (&active)[n], int64_t (&row)[n], bool&) const {
#pragma unroll
    for (int i = 0; i < n; i++) { row[i] = active[i] ? operator[](at[i]) : -1; }
  }
};

} // namespace ranges

/// Finds the first range of each tile. `ends` is an i64 column without nulls, and its elements ascend.
extern "C" __global__ void GDF_BOUNDS(copy_ranges_tiles)
copy_ranges_tiles_kernel(const __grid_constant__ gdf::column_in ends, gdf::row_count tile_rows,
                         gdf::tile_count tiles, int64_t* out) {
  auto const* const end = static_cast<const int64_t*>(ends.data) + ends.offset;
  gdf::for_each_index(tiles + 1, [&](int64_t t) {
    int64_t low = 0;
    int64_t high = ends.length - 1;
    while (t < tiles && low < high) {
      int64_t const middle = low + (high - low) / 2;
      if (__ldg(end + middle) > t * tile_rows) {
        high = middle;
      } else {
        low = middle + 1;
      }
    }
    out[t] = high;
  });
}

/// Measures string column blockIdx.y of the result. The total is posted to mailbox[word]. Column y uses ticket 32 + y.
extern "C" __global__ void GDF_BOUNDS(copy_ranges_sizes)
copy_ranges_sizes_kernel(const __grid_constant__ gdf::column_in ends, const __grid_constant__ gdf::column_in begins,
                         const __grid_constant__ gdf::column_in sizes, const int64_t* first, gdf::row_count rows,
                         gdf::row_count length,
                         const __grid_constant__ gdf::table_in<32> in, const __grid_constant__ gdf::copy_table copy,
                         unsigned long long* counts, int share, gdf::tile_count tiles, gdf::scratch* scratch,
                         unsigned long long* mailbox) {
  __shared__ ranges::tile_ranges tile;
  constexpr int threads = copy_ranges_sizes_tuning::threads;
  int const c = static_cast<int>(blockIdx.y);
  gdf::copy_descriptor const& column = copy.column[c];
  if (column.kind != gdf::copy_strings) { return; }
  counts += column.slot * tiles;
  ranges::source const source(ends, begins, sizes, first, rows, share, tile);
  gdf::count_row_bytes<threads>(source, length, true, in, copy, counts, share, tiles);
  gdf::finish_tile_counts<threads, 6>(scratch, 32 + c, gridDim.x, counts, tiles, mailbox + column.word);
}

/// Copies column blockIdx.y. `ends`, `begins` and `sizes` are i64 columns with a row for each range. If `begins` have
/// no data, range i consists of copies of row i of the table. Otherwise, row begins[i] of the table becomes the first
/// row of range i, and the other rows of the range follow. If begins[i] is null, or if `sizes` have data and sizes[i]
/// is 0, the rows of range i are null. Rows that the table does not have are null, too.
extern "C" __global__ void GDF_BOUNDS(copy_ranges) GDF_VARIANT(copy_ranges, fixed)
copy_ranges_kernel(const __grid_constant__ gdf::column_in ends, const __grid_constant__ gdf::column_in begins,
                   const __grid_constant__ gdf::column_in sizes, const int64_t* first, gdf::row_count rows,
                   gdf::row_count length,
                   const __grid_constant__ gdf::table_in<32> in, const __grid_constant__ gdf::table_out<32> out,
                   const __grid_constant__ gdf::copy_table copy, const unsigned long long* counts, int share,
                   gdf::tile_count tiles, gdf::scratch* scratch) {
  __shared__ ranges::tile_ranges tile;
  ranges::source const source(ends, begins, sizes, first, rows, share, tile);
  gdf::copy_rows<copy_ranges_tuning, false>(source, length, false, in, out, copy, counts, share, tiles, scratch);
}

/// Does the same as copy_ranges_kernel, only for strings and for structs that contain strings.
extern "C" __global__ void GDF_BOUNDS(copy_ranges_text) GDF_VARIANT(copy_ranges, text)
copy_ranges_text_kernel(const __grid_constant__ gdf::column_in ends, const __grid_constant__ gdf::column_in begins,
                        const __grid_constant__ gdf::column_in sizes, const int64_t* first, gdf::row_count rows,
                        gdf::row_count length,
                        const __grid_constant__ gdf::table_in<32> in, const __grid_constant__ gdf::table_out<32> out,
                        const __grid_constant__ gdf::copy_table copy, const unsigned long long* counts, int share,
                        gdf::tile_count tiles, gdf::scratch* scratch) {
  __shared__ ranges::tile_ranges tile;
  ranges::source const source(ends, begins, sizes, first, rows, share, tile);
  gdf::copy_rows<copy_ranges_text_tuning, true>(source, length, false, in, out, copy, counts, share, tiles, scratch);
}
