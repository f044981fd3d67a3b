// copying::scatter of very many plain values to a target that is larger than the L2 cache. There, a write to a random
// position would read and write a whole sector of memory. The rows are therefore first ordered by windows of the
// target, and then written window by window. A window stays in the cache until its sectors are complete, as in radix
// partitioning for joins (Boncz, Manegold, Kersten, VLDB 1999).

#include <gdf/block_sum.cuh>
#include <gdf/dispatch.cuh>
#include <gdf/policy.cuh>

#include "gather_map.cuh"

GDF_POLICY(scatter_window_count, 256, 8, 4);
GDF_POLICY(scatter_window_move, 512, 4, 2);
GDF_POLICY(scatter_window_write, 256, 8, 5);

namespace scatter_windows {

using gdf::u64;

constexpr int max_windows = 128;

/// The windows of a target. A window has 2^shift rows.
struct windows {
  uint32_t* rows;               // the target row of each moved row
  void* values;                 // the values of the moved rows
  unsigned long long* progress; // the progress words of this column, see below
  int64_t target;               // rows of the target
  int32_t shift;
  int32_t count;
};
static_assert(sizeof(windows) == 40);

/// Indices of the words of a column's `progress`.
constexpr int ticket = 0;                      // the next task of the launch that writes
constexpr int copied = 1;                      // per window, the number of copy tasks that are done
// For each window, the position of its next row. When the launch has ended, this is the end of the rows of the window.
constexpr int position = 1 + max_windows;
constexpr int progress_words = 1 + 2 * max_windows;

using moving = scatter_window_move_tuning;

template <class T>
struct staged_tile {
  T value[moving::tile];
  uint32_t row[moving::tile];
};

} // namespace scatter_windows

/// Counts the rows that go to each window of the target, and turns the counts into positions. The kernel writes the
/// positions `copies` times, at a distance of progress_words. The kernel uses ticket 32 and zeroed[0, 128).
extern "C" __global__ void GDF_BOUNDS(scatter_window_count)
scatter_window_count_kernel(const __grid_constant__ gdf::column_in map, gdf::row_count rows, int check,
                            const __grid_constant__ scatter_windows::windows windows, int copies,
                            gdf::scratch* scratch, unsigned long long* mailbox) {
  using namespace scatter_windows;
  using tuning = scatter_window_count_tuning;
  constexpr int threads = tuning::threads;
  constexpr int items = tuning::items;
  static_assert(threads >= max_windows && sizeof(scratch->zeroed) >= max_windows * sizeof(u64));
  __shared__ uint32_t found[max_windows];
  int const thread = static_cast<int>(threadIdx.x);
  if (thread < max_windows) { found[thread] = 0; }
  __syncthreads();
  gather::gather_map const numbers(map, rows, check);
  bool refused = false;
  gdf::for_each_tile<threads, items>(map.length, [&](int64_t first, bool) {
    int64_t at[items];
    bool active[items];
    gdf::rows_of_tile<threads>(first, items, map.length, at, active);
    int64_t row[items];
    numbers.rows_at(at, active, row, refused);
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
  for (int copy = 0; copy < copies; copy++) {
    auto* const progress = windows.progress + copy * progress_words;
    if (thread < max_windows) {
      progress[copied + thread] = 0;
      progress[position + thread] = before;
    }
    if (thread == 0) { progress[ticket] = 0; }
  }
}

/// Moves the rows of `source` to their windows. There is memory for map.length values and their row numbers. `progress`
/// is one of the copies of the positions that the counting kernel has written.
extern "C" __global__ void GDF_BOUNDS(scatter_window_move)
scatter_window_move_kernel(const __grid_constant__ gdf::column_in map, gdf::row_count rows,
                           const __grid_constant__ gdf::column_in source, int width,
                           const __grid_constant__ scatter_windows::windows windows) {
  using namespace scatter_windows;
  constexpr int threads = moving::threads;
  constexpr int items = moving::items;
  static_assert(threads >= max_windows);
  __shared__ staged_tile<u64> staged;
  __shared__ uint32_t found[max_windows];
  __shared__ uint32_t start[max_windows]; // per window, the position of its first row in the tile
  __shared__ u64 target[max_windows]; // per window, the position of its next row among all moved rows
  int const thread = static_cast<int>(threadIdx.x);
  gather::gather_map const numbers(map, rows, gather::null);
  bool refused = false;
  gdf::by_width(width, [&]<class T>() {
    if constexpr (sizeof(T) <= 8) {
      auto& tile = reinterpret_cast<staged_tile<T>&>(staged);
      gdf::values<T> const from(source);
      auto* const values = static_cast<T*>(windows.values);
      gdf::for_each_tile<threads, items>(map.length, [&](int64_t first, bool) {
        if (thread < max_windows) { found[thread] = 0; }
        int64_t at[items];
        bool active[items];
        gdf::rows_of_tile<threads>(first, items, map.length, at, active);
        T value[items];
#pragma unroll
        for (int i = 0; i < items; i++) { value[i] = active[i] ? from[at[i]] : T{}; }
        int64_t row[items];
        numbers.rows_at(at, active, row, refused);
        __syncthreads();
        uint32_t rank[items];
#pragma unroll
        for (int i = 0; i < items; i++) {
          if (row[i] >= 0) { rank[i] = atomicAdd(&found[row[i] >> windows.shift], 1u); }
        }
        __syncthreads();
        uint32_t const mine = thread < max_windows ? found[thread] : 0;
        uint32_t all;
        uint32_t const before = gdf::block_exclusive_sum<threads>(mine, all);
        if (thread < max_windows) {
          start[thread] = before;
          if (mine != 0) { target[thread] = atomicAdd(windows.progress + position + thread, static_cast<u64>(mine)); }
        }
        __syncthreads();
#pragma unroll
        for (int i = 0; i < items; i++) {
          if (row[i] >= 0) {
            uint32_t const position = start[row[i] >> windows.shift] + rank[i];
            tile.value[position] = value[i];
            tile.row[position] = static_cast<uint32_t>(row[i]);
          }
        }
        __syncthreads();
        for (uint32_t position = threadIdx.x; position < all; position += threads) {
          uint32_t const to = tile.row[position];
          uint32_t const window = to >> windows.shift;
          u64 const there = target[window] + (position - start[window]);
          windows.rows[there] = to;
          values[there] = tile.value[position];
        }
        __syncthreads(); // all threads have read this tile before the next tile is written to shared memory
      });
    }
  });
}

namespace scatter_windows {

using writing = scatter_window_write_tuning;
constexpr int64_t copied_at_once = 8192; // rows

/// The tasks of the writing launch, in the order in which blocks take them. The tasks for a window are preceded by the
/// tasks that copy the next window.
struct tasks {
  // The number of the first task of each element, and one more number. The tasks of element w copy window w, and then
  // write the rows of window w - 1.
  u64 first[max_windows + 1];
  u64 rows[max_windows + 1];  // the first moved row of each window
};

GDF_DEVICE u64 copies_of(const windows& windows, int w) {
  int64_t const left = windows.target - (int64_t{w} << windows.shift);
  int64_t const rows = left < int64_t{1} << windows.shift ? left : int64_t{1} << windows.shift;
  return static_cast<u64>((rows + copied_at_once - 1) / copied_at_once);
}

/// [block] Copies the rows [begin, end) of a target with stores that leave the rows in the cache.
template <class T>
GDF_DEVICE void copy_rows(const gdf::column_in& target, const gdf::column_out& out, int64_t begin, int64_t end) {
  constexpr int threads = writing::threads;
  constexpr int batch = 8;
  auto const* const from = static_cast<const T*>(target.data) + target.offset;
  auto* const to = static_cast<T*>(out.data);
  for (int64_t first = begin + threadIdx.x; first < end; first += threads * batch) {
    T value[batch];
#pragma unroll
    for (int i = 0; i < batch; i++) {
      int64_t const row = first + i * threads;
      value[i] = row < end ? __ldcs(from + row) : T{};
    }
#pragma unroll
    for (int i = 0; i < batch; i++) {
      int64_t const row = first + i * threads;
      if (row < end) { to[row] = value[i]; }
    }
  }
}

} // namespace scatter_windows

/// Copies `target` to `out`, which has the same number of rows, and writes the moved rows to their positions, window by
/// window. Values have `width` (1, 2, 4 or 8) bytes and are aligned to their size. A block takes its next task when it
/// has finished one. With a fixed assignment of tasks, fast blocks would be several windows ahead of slow blocks.
/// Before a block writes to a window, it waits until the window has been copied. The copy tasks have been taken before,
/// so the wait ends.
extern "C" __global__ void GDF_BOUNDS(scatter_window_write)
scatter_window_write_kernel(const __grid_constant__ scatter_windows::windows windows, int width,
                            const __grid_constant__ gdf::column_in target,
                            const __grid_constant__ gdf::column_out out) {
  using namespace scatter_windows;
  constexpr int threads = writing::threads;
  constexpr int items = writing::items;
  static_assert(threads > max_windows);
  __shared__ tasks plan;
  __shared__ u64 next;
  int const thread = static_cast<int>(threadIdx.x);
  auto* const progress = windows.progress;
  if (thread == 0) { plan.rows[0] = 0; }
  if (thread < windows.count) { plan.rows[thread + 1] = progress[position + thread]; }
  __syncthreads();
  u64 mine = 0; // the number of tasks of element `thread` of `plan`
  if (thread < windows.count) { mine += copies_of(windows, thread); }
  if (thread > 0 && thread <= windows.count) {
    mine += (plan.rows[thread] - plan.rows[thread - 1] + writing::tile - 1) / writing::tile;
  }
  u64 all;
  u64 const before = gdf::block_exclusive_sum<threads>(mine, all);
  if (thread <= windows.count) { plan.first[thread] = before; }
  while (true) {
    __syncthreads(); // all threads have read the previous task, and the plan is complete
    if (thread == 0) { next = atomicAdd(progress + ticket, 1ull); }
    __syncthreads();
    u64 const task = next;
    if (task >= all) { break; }
    int group = 0; // the last element that begins at or before the task; it is not empty
#pragma unroll
    for (int step = max_windows; step > 0; step >>= 1) {
      if (group + step <= windows.count && plan.first[group + step] <= task) { group += step; }
    }
    u64 const number = task - plan.first[group];
    u64 const copies = group < windows.count ? copies_of(windows, group) : 0;
    if (number < copies) {
      int64_t const begin = (int64_t{group} << windows.shift) + static_cast<int64_t>(number) * copied_at_once;
      int64_t end = int64_t{group} + 1 << windows.shift;
      end = end < windows.target ? end : windows.target;
      end = begin + copied_at_once < end ? begin + copied_at_once : end;
      gdf::by_width(width, [&]<class T>() {
        if constexpr (sizeof(T) <= 8) { copy_rows<T>(target, out, begin, end); }
      });
      __threadfence();
      __syncthreads();
      if (thread == 0) { atomicAdd(progress + copied + group, 1ull); }
      continue;
    }
    int const w = group - 1;
    if (thread == 0) {
      u64 const needed = copies_of(windows, w);
      while (*static_cast<const volatile unsigned long long*>(progress + copied + w) < needed) { __nanosleep(100); }
      __threadfence();
    }
    auto const first = static_cast<int64_t>(plan.rows[w] + (number - copies) * writing::tile);
    auto const limit = static_cast<int64_t>(plan.rows[w + 1]);
    int64_t at[items];
    bool active[items];
    gdf::rows_of_tile<threads>(first, items, limit, at, active);
    gdf::by_width(width, [&]<class T>() {
      if constexpr (sizeof(T) <= 8) {
        auto const* const values = static_cast<const T*>(windows.values);
        auto* const data = static_cast<T*>(out.data);
        uint32_t row[items];
        T value[items];
#pragma unroll
        for (int i = 0; i < items; i++) {
          row[i] = active[i] ? __ldcs(windows.rows + at[i]) : 0;
          value[i] = active[i] ? __ldcs(values + at[i]) : T{};
        }
        __syncthreads(); // the copy of the window is complete
#pragma unroll
        for (int i = 0; i < items; i++) {
          if (active[i]) { data[row[i]] = value[i]; }
        }
      }
    });
  }
}
