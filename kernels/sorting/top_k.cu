// Finds the first k of many rows. A limit is estimated from a sample, so that somewhat more than k rows are within the
// limit. One pass over the column selects these rows, which are then sorted.

#include <gdf/policy.cuh>
#include <gdf/vector.cuh>

#include "key_stats.cuh"

GDF_POLICY(top_k_sample, 1024, 16, 1);
GDF_POLICY(top_k_collect, 256, 8, 3);

namespace sorting_top {

using namespace sorting;

struct state {
  u64 last;       // a row is selected if its number (number_of) is at most this number
  uint32_t taken; // the number of rows selected so far
};

/// [thread] Calls `body` with the order of a type of at most 64 bits that is not boolean.
template <class Body>
GDF_DEVICE void by_number(int32_t type, Body&& body) {
  by_order(type, [&]<class Order>(const Order& order) {
    if constexpr (sorting_stats::has_runs<Order>()) { body(order); }
  });
}

/// [thread] Returns the number of a value. Values that come earlier in the order of the sort have smaller numbers.
template <class Order>
GDF_DEVICE u64 number_of(const Order& order, const piece& of, typename Order::stored value) {
  u64 const ordered = order.ordered(value);
  return of.flags & descending ? ~ordered : ordered;
}

/// [thread] Returns whether nulls come before all values. Nulls are then selected, and otherwise never.
GDF_DEVICE bool nulls_lead(const piece& of) { return (of.flags & nulls_first) != 0; }

} // namespace sorting_top

/// Finds the smallest number n such that at least `requested` rows of a sample have a number of at most n. The column
/// must have at least that many rows. The kernel uses ticket 32.
extern "C" __global__ void GDF_BOUNDS(top_k_sample)
top_k_sample_kernel(const __grid_constant__ sorting::piece of, gdf::row_count rows, int requested,
                    unsigned long long* sample, sorting_top::state* shared, gdf::scratch* scratch) {
  using namespace sorting_top;
  using tuning = top_k_sample_tuning;
  __shared__ int smaller[2];
  int64_t const stride = rows / tuning::tile;
  by_number(of.column.type, [&]<class Order>(const Order& order) {
    for (int i = blockIdx.x * tuning::threads + threadIdx.x; i < tuning::tile;
         i += gridDim.x * tuning::threads) {
      // The sample has one row of each stretch of `stride` rows, at varying positions.
      int64_t const row = i * stride + (static_cast<uint32_t>(i) * 0x9e3779b9u >> 4) % stride;
      sample[i] = gdf::is_valid(of.column, row)
                    ? number_of(order, of, gdf::element<typename Order::stored>(of.column, row))
                    : nulls_lead(of) ? 0ull : ~0ull;
    }
  });
  if (!gdf::is_last_block(scratch, 32, gridDim.x)) { return; }
  u64 number[tuning::items];
#pragma unroll
  for (int i = 0; i < tuning::items; i++) {
    number[i] = static_cast<const volatile u64*>(sample)[i * tuning::threads + threadIdx.x];
  }
  // This loop finds the largest number n such that fewer than `requested` numbers of the sample are less than n. The
  // bits of n are found one by one, from the uppermost bit on.
  u64 found = 0;
  if (threadIdx.x < 2) { smaller[threadIdx.x] = 0; }
  __syncthreads();
#pragma unroll 1
  for (int bit = 63; bit >= 0; bit--) {
    u64 const tried = found | 1ull << bit;
    uint32_t mine = 0;
#pragma unroll
    for (int i = 0; i < tuning::items; i++) { mine += number[i] < tried ? 1 : 0; }
    mine = gdf::warp_sum(mine);
    int* const sum = &smaller[bit & 1];
    if (gdf::lane() == 0 && mine != 0) { atomicAdd(sum, static_cast<int>(mine)); }
    __syncthreads();
    bool const fewer = *sum < requested;
    if (fewer) { found = tried; }
    __syncthreads();
    if (threadIdx.x == 0) { *sum = 0; } // not used before the iteration after the next one
  }
  if (threadIdx.x == 0) { *shared = state{found, 0}; }
}

/// Writes the row numbers of the selected rows to `taken`, in any order. A row is selected if its number is at most the
/// number that top_k_sample_kernel has found. A null is selected if nulls come first. The kernel posts the number of selected rows. The kernel uses ticket 32.
extern "C" __global__ void GDF_BOUNDS(top_k_collect)
top_k_collect_kernel(const __grid_constant__ sorting::piece of, gdf::row_count rows, uint32_t* taken,
                     uint32_t capacity, sorting_top::state* shared, gdf::scratch* scratch,
                     unsigned long long* mailbox) {
  using namespace sorting_top;
  constexpr int threads = top_k_collect_tuning::threads;
  constexpr int vectors = 4;
  u64 const last = shared->last;
  bool const lead = nulls_lead(of);
  auto const take = [&](int64_t row) {
    uint32_t const to = atomicAdd(&shared->taken, 1u);
    if (to < capacity) { taken[to] = static_cast<uint32_t>(row); }
  };
  by_number(of.column.type, [&]<class Order>(const Order& order) {
    using stored = typename Order::stored;
    constexpr int n = 16 / sizeof(stored);
    gdf::values<stored> const in(of.column);
    bool const aligned = sorting_stats::has_vectors(in);
    int turn = 0;
    bool enough = false;
    gdf::for_each_tile<threads, n * vectors>(rows, [&](int64_t first, bool full) {
      // The counter is read seldom, because accesses of all blocks to one word are serialized.
      if (turn++ % 32 == 0) { enough = *static_cast<const volatile uint32_t*>(&shared->taken) > capacity; }
      if (enough) { return; }
      gdf::run<stored, n> run[vectors];
      sorting_stats::load_tile<threads>(in, aligned, first, full, rows, run);
#pragma unroll
      for (int v = 0; v < vectors; v++) {
        int64_t const row = gdf::run_row<threads, n>(first, v);
#pragma unroll
        for (int i = 0; i < n; i++) {
          bool const within = number_of(order, of, run[v].row[i]) <= last;
          if ((within || lead) && row + i < rows && (gdf::is_valid(of.column, row + i) ? within : lead)) {
            take(row + i);
          }
        }
      }
    });
  });
  if (!gdf::is_last_block(scratch, 32, gridDim.x)) { return; }
  if (threadIdx.x == 0) {
    gdf::post(mailbox, *static_cast<const volatile uint32_t*>(&shared->taken));
  }
}
