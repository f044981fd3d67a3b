// copying::scatter of very many plain values into a target that the L2 cache does not hold. Writes to
// places all over it cost a whole sector each, read and written back; so the rows are first put in the
// order of the windows of the target that they go to, and then written window by window: each window
// stays in the cache until its sectors are complete. (After radix partitioning for joins, e.g. Boncz,
// Manegold, Kersten, VLDB 1999.)
//
// One launch counts per window, and for each column one moves and one writes. Rows for the same window are
// in no order.

#include <gdf/dispatch.cuh>
#include <gdf/policy.cuh>

#include "gather_map.cuh"

GDF_POLICY(scatter_window_count, 256, 8, 4);
GDF_POLICY(scatter_window_move, 512, 4, 2);
GDF_POLICY(scatter_window_write, 256, 8, 5);

namespace scatter_windows {

using gdf::u64;

constexpr int most_windows = 128; // mirrored by the host

/// The windows of a target: of 2^shift rows each.
struct windows {
  uint32_t* rows;               // of the target, for each row on its way
  void* values;                 // what goes there
  unsigned long long* position; // of each of up to 128 windows, of the next row for it
  unsigned long long* all;      // rows on their way; behind it, of the next tile to be written
  int32_t shift;
  int32_t count;
};
static_assert(sizeof(windows) == 40);

using moving = scatter_window_move_tuning;

/// A tile on its way, in the order of windows.
template <class T>
struct staged_tile {
  T value[moving::tile];
  uint32_t row[moving::tile];
};

} // namespace scatter_windows

/// Counts the rows that go to each window, and makes positions of the counts, of which it leaves `copies`. `check` report: mailbox[0] becomes 1 if
/// there are elements that are no rows. Ticket 32, zeroed[0, 128).
extern "C" __global__ void GDF_BOUNDS(scatter_window_count)
scatter_window_count_kernel(const __grid_constant__ gdf::column_in map, int64_t rows, int check,
                            const __grid_constant__ scatter_windows::windows windows, int copies,
                            gdf::scratch* scratch, unsigned long long* mailbox) {
  using namespace scatter_windows;
  using tuning = scatter_window_count_tuning;
  constexpr int threads = tuning::threads;
  constexpr int items = tuning::items;
  static_assert(threads >= most_windows && sizeof(scratch->zeroed) >= most_windows * sizeof(u64));
  __shared__ uint32_t found[most_windows];
  int const thread = static_cast<int>(threadIdx.x);
  if (thread < most_windows) { found[thread] = 0; }
  __syncthreads();
  gather::gather_map const numbers(map, rows, check);
  bool refused = false;
  gdf::for_each_tile<threads, items>(map.length, [&](int64_t first, bool) {
    int64_t at[items];
    bool wanted[items];
    gdf::rows_of_tile<threads>(first, items, map.length, at, wanted);
    int64_t row[items];
    numbers.rows_at(at, wanted, row, refused);
#pragma unroll
    for (int i = 0; i < items; i++) {
      if (row[i] >= 0) { atomicAdd(&found[row[i] >> windows.shift], 1u); }
    }
  });
  if (check == gather::report && refused) { gather::refuse(mailbox); }
  __syncthreads();
  if (thread < windows.count) { atomicAdd(&scratch->zeroed[thread], static_cast<u64>(found[thread])); }
  if (!gdf::is_last_block(scratch, 32, gridDim.x)) { return; }
  u64 const mine = thread < windows.count ? atomicExch(&scratch->zeroed[thread], 0ull) : 0;
  u64 all;
  u64 const before = gdf::block_exclusive_sum<threads>(mine, all);
  if (thread < windows.count) {
    for (int copy = 0; copy < copies; copy++) { windows.position[copy * most_windows + thread] = before; }
  }
  if (thread == 0) { *windows.all = all; }
  if (thread < copies) { windows.all[1 + thread] = 0; }
}

/// Moves the rows of `source`, values of `width` bytes, to their windows.
extern "C" __global__ void GDF_BOUNDS(scatter_window_move)
scatter_window_move_kernel(const __grid_constant__ gdf::column_in map, int64_t rows,
                           const __grid_constant__ gdf::column_in source, int width,
                           const __grid_constant__ scatter_windows::windows windows) {
  using namespace scatter_windows;
  constexpr int threads = moving::threads;
  constexpr int items = moving::items;
  static_assert(threads >= most_windows);
  __shared__ staged_tile<u64> staged;
  __shared__ uint32_t found[most_windows];
  __shared__ uint32_t start[most_windows]; // in the tile
  __shared__ u64 target[most_windows];     // among all rows
  int const thread = static_cast<int>(threadIdx.x);
  gather::gather_map const numbers(map, rows, gather::null);
  bool refused = false;
  gdf::by_width(width, [&]<class T>() {
    if constexpr (sizeof(T) <= 8) {
      auto& tile = reinterpret_cast<staged_tile<T>&>(staged);
      gdf::values<T> const from(source);
      auto* const values = static_cast<T*>(windows.values);
      gdf::for_each_tile<threads, items>(map.length, [&](int64_t first, bool) {
        if (thread < most_windows) { found[thread] = 0; }
        int64_t at[items];
        bool wanted[items];
        gdf::rows_of_tile<threads>(first, items, map.length, at, wanted);
        T value[items];
#pragma unroll
        for (int i = 0; i < items; i++) { value[i] = wanted[i] ? from[at[i]] : T{}; }
        int64_t row[items];
        numbers.rows_at(at, wanted, row, refused);
        __syncthreads();
        uint32_t rank[items];
#pragma unroll
        for (int i = 0; i < items; i++) {
          if (row[i] >= 0) { rank[i] = atomicAdd(&found[row[i] >> windows.shift], 1u); }
        }
        __syncthreads();
        uint32_t const mine = thread < most_windows ? found[thread] : 0;
        uint32_t all;
        uint32_t const before = gdf::block_exclusive_sum<threads>(mine, all);
        if (thread < most_windows) {
          start[thread] = before;
          if (mine != 0) { target[thread] = atomicAdd(windows.position + thread, static_cast<u64>(mine)); }
        }
        __syncthreads();
#pragma unroll
        for (int i = 0; i < items; i++) {
          if (row[i] >= 0) {
            uint32_t const place = start[row[i] >> windows.shift] + rank[i];
            tile.value[place] = value[i];
            tile.row[place] = static_cast<uint32_t>(row[i]);
          }
        }
        __syncthreads();
        for (uint32_t place = threadIdx.x; place < all; place += threads) {
          uint32_t const to = tile.row[place];
          uint32_t const window = to >> windows.shift;
          u64 const there = target[window] + (place - start[window]);
          windows.rows[there] = to;
          values[there] = tile.value[place];
        }
        __syncthreads(); // before the next tile counts
      });
    }
  });
}

/// Writes the rows on their way to their places, of values of `width` bytes, one window after the other. Blocks take the
/// next tile when they are done with one: with tiles of their own, fast ones would be windows ahead of slow ones.
/// `tickets` is zero before.
extern "C" __global__ void GDF_BOUNDS(scatter_window_write)
scatter_window_write_kernel(const __grid_constant__ scatter_windows::windows windows, int width,
                            unsigned long long* tickets, const __grid_constant__ gdf::column_out out) {
  using tuning = scatter_window_write_tuning;
  constexpr int threads = tuning::threads;
  constexpr int items = tuning::items;
  __shared__ unsigned long long next;
  auto const all = static_cast<int64_t>(*windows.all);
  gdf::by_width(width, [&]<class T>() {
    if constexpr (sizeof(T) <= 8) {
      auto const* const values = static_cast<const T*>(windows.values);
      auto* const data = static_cast<T*>(out.data);
      while (true) {
        __syncthreads(); // all have read the tile before
        if (threadIdx.x == 0) { next = atomicAdd(tickets, 1ull); }
        __syncthreads();
        int64_t const first = static_cast<int64_t>(next) * tuning::tile;
        if (first >= all) { break; }
        int64_t at[items];
        bool wanted[items];
        gdf::rows_of_tile<threads>(first, items, all, at, wanted);
        uint32_t row[items];
        T value[items];
#pragma unroll
        for (int i = 0; i < items; i++) {
          row[i] = wanted[i] ? __ldcs(windows.rows + at[i]) : 0;
          value[i] = wanted[i] ? __ldcs(values + at[i]) : T{};
        }
#pragma unroll
        for (int i = 0; i < items; i++) {
          if (wanted[i]) { data[row[i]] = value[i]; }
        }
      }
    }
  });
}
