// The first launch of a sort, which finds the ranges of the values of key columns. The host derives the layout of the
// keys from these ranges. blockIdx.y is the number of the piece.

#include <gdf/policy.cuh>

#include "key_stats.cuh"

GDF_POLICY(sort_stats, 256, 8, 2);

namespace sorting_stats {

using namespace sorting;
struct tuning : sort_stats_tuning {
  static constexpr int vectors = 4;
};

constexpr int max_pieces = 8;
struct pieces {
  piece at[max_pieces];
};

} // namespace sorting_stats

/// Posts eight words for each piece, whose number is blockIdx.y. The kernel uses ticket 32 + blockIdx.y. There must be
/// at least one row.
extern "C" __global__ void GDF_BOUNDS(sort_stats)
sort_stats_kernel(const __grid_constant__ sorting_stats::pieces in, gdf::row_count rows,
                  gdf::scratch* scratch, unsigned long long* partials, unsigned long long* mailbox,
                  unsigned long long* clear, int64_t clear_words) {
  using namespace sorting_stats;
  if (blockIdx.y == 0) {
    gdf::for_each_index(clear_words, [&](int64_t i) { clear[i] = 0; });
  }
  summary mine = summary::none();
  by_order(in.at[blockIdx.y].column.type, [&]<class Order>(const Order& order) {
    if constexpr (has_runs<Order>()) {
      mine = summarize_runs<tuning::threads, tuning::vectors>(order, in.at[blockIdx.y], rows);
    } else {
      mine = summarize<tuning::threads, tuning::items>(order, in.at[blockIdx.y], rows);
    }
  });
  mine = reduce<tuning::threads>(mine);
  u64* const own = partials + (u64{blockIdx.y} * gridDim.x + blockIdx.x) * 10;
  if (threadIdx.x == 0) {
    own[0] = static_cast<u64>(mine.max);
    own[1] = static_cast<u64>(mine.max >> 64);
    own[2] = static_cast<u64>(mine.min);
    own[3] = static_cast<u64>(mine.min >> 64);
    own[4] = static_cast<u64>(mine.ones);
    own[5] = static_cast<u64>(mine.ones >> 64);
    own[6] = static_cast<u64>(mine.zeros);
    own[7] = static_cast<u64>(mine.zeros >> 64);
    own[8] = mine.size;
    own[9] = mine.flags;
  }
  if (!gdf::is_last_block(scratch, 32 + static_cast<int>(blockIdx.y), gridDim.x)) { return; }
  mine = summary::none();
  for (uint32_t block = threadIdx.x; block < gridDim.x; block += tuning::threads) {
    const volatile u64* const p = partials + (u64{blockIdx.y} * gridDim.x + block) * 10;
    mine.merge({make_u128(p[0], p[1]), make_u128(p[2], p[3]), make_u128(p[4], p[5]),
                make_u128(p[6], p[7]), p[8], p[9]});
  }
  mine = reduce<tuning::threads>(mine);
  if (threadIdx.x == 0) {
    u128 const varying = mine.ones & mine.zeros;
    unsigned long long* const out = mailbox + blockIdx.y * 8;
    gdf::post(out + 0, static_cast<u64>(mine.max));
    gdf::post(out + 1, static_cast<u64>(mine.max >> 64));
    gdf::post(out + 2, static_cast<u64>(mine.min));
    gdf::post(out + 3, static_cast<u64>(mine.min >> 64));
    gdf::post(out + 4, static_cast<u64>(varying));
    gdf::post(out + 5, static_cast<u64>(varying >> 64));
    gdf::post(out + 6, mine.flags);
    gdf::post(out + 7, mine.size);
  }
}
