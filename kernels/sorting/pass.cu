// One digit of a least-significant-digit radix sort: CUB's onesweep agent, which ranks a tile and
// learns its place by decoupled look-back, in a single pass over keys and what goes along with
// them.

#define GDF_CUB_RADIX_SORT
#include <gdf/cub.cuh>
#include <gdf/policy.cuh>

#include "sweep.cuh"

namespace sorting_pass {

constexpr int threads = 384;

template <class Key, class Value, class Offset, int items>
struct pass {
  struct sizes {
    static constexpr int ITEMS_PER_THREAD = items;
    static constexpr int BLOCK_THREADS = threads;
  };
  using policy =
    cub::AgentRadixSortOnesweepPolicy<threads, items, Key, 1,
                                      cub::RADIX_RANK_MATCH_EARLY_COUNTS_ANY,
                                      cub::BLOCK_SCAN_RAKING_MEMOIZE, cub::RADIX_SORT_STORE_DIRECT,
                                      8, sizes>;
  using agent =
    cub::detail::radix_sort::AgentRadixSortOnesweep<policy, false, Key, Value, Offset, int>;
};

} // namespace sorting_pass

// sort_pass_<name>_kernel: tile t of `rows` (below 2^30) rows is block t's. `lookback` (256 words
// per tile) and `ticket` are zero. `bins_in` has the first position of each digit; `bins_out`, if
// present, receives those of the rows after these. The digit is `bits` bits from `bit` on. `next`
// is cleared for the launch after this one.
#define SORT_PASS(name, Key, Value, Offset, items)                                                \
  GDF_POLICY(sort_pass_##name, 384, items, 1);                                                    \
  extern "C" __global__ void __launch_bounds__(384) sort_pass_##name##_kernel(                    \
    int* lookback, int* ticket, Offset* bins_out, const Offset* bins_in, Key* keys_out,           \
    const Key* keys_in, Value* values_out, const Value* values_in, int rows, int bit, int bits,   \
    uint32_t* next, int64_t next_words) {                                                         \
    using agent = sorting_pass::pass<Key, Value, Offset, items>::agent;                           \
    __shared__ typename agent::TempStorage storage;                                               \
    gdf::for_each_index(next_words, [&](int64_t i) { next[i] = 0; });                             \
    agent(storage, lookback, ticket, bins_out, bins_in, keys_out, keys_in, values_out, values_in, \
          rows, bit, bits)                                                                        \
      .Process();                                                                                 \
  }                                                                                               \
  static_assert(true)

// Items per thread: CUB's for compute capability 9.0.
SORT_PASS(k32, uint32_t, cub::NullType, uint32_t, 20);
SORT_PASS(k32_v32, uint32_t, uint32_t, uint32_t, 23);
SORT_PASS(k32_v64, uint32_t, unsigned long long, uint32_t, 15);
SORT_PASS(k64, unsigned long long, cub::NullType, uint32_t, 15);
SORT_PASS(k64_v32, unsigned long long, uint32_t, uint32_t, 15);
SORT_PASS(k64_v64, unsigned long long, unsigned long long, uint32_t, 12);

// From 2^32 - 1 rows on.
SORT_PASS(k32_wide, uint32_t, cub::NullType, unsigned long long, 19);
SORT_PASS(k32_v64_wide, uint32_t, unsigned long long, unsigned long long, 14);
SORT_PASS(k64_wide, unsigned long long, cub::NullType, unsigned long long, 15);
SORT_PASS(k64_v64_wide, unsigned long long, unsigned long long, unsigned long long, 12);
