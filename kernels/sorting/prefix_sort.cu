// Prefix sort. Radix passes have sorted the keys by a prefix. The kernel sorts each run of keys with the same prefix by
// the remaining bits, and writes the values of the keys.

#include <gdf/policy.cuh>

#include "codec.cuh"

GDF_POLICY(sort_ties, 256, 8, 6);
GDF_POLICY(sort_ties_sample, 1024, 1, 1);

namespace sorting_ties {

using namespace sorting;
using tuning = sort_ties_tuning;

constexpr int most = 32; // longest run of equal prefixes that is sorted
constexpr int around = most;

} // namespace sorting_ties

/// Writes the values of `keys`, which are sorted by their bits from `bit` on. Runs of up to 32 keys that agree in these
/// bits are sorted by the lower bits. Posts 1 if a longer run is not in order, otherwise 0. The kernel uses ticket 32
/// and zeroed[0].
extern "C" __global__ void GDF_BOUNDS(sort_ties)
sort_ties_kernel(const unsigned long long* keys, void* column, sorting::codec of, gdf::row_count rows,
                 int bit, gdf::scratch* scratch, unsigned long long* mailbox) {
  using namespace sorting_ties;
  constexpr int threads = tuning::threads;
  __shared__ u64 near[around + tuning::tile + around];
  bool fails = false;
  gdf::for_each_tile<threads, tuning::items>(rows, [&](int64_t begin, bool) {
    for (int i = threadIdx.x; i < around + tuning::tile + around; i += threads) {
      int64_t const row = begin - around + i;
      near[i] = row >= 0 && row < rows ? keys[row] : 0;
    }
    __syncthreads();
    by_kind<u64>(of, [&]<class Order>(const codec& of) {
      auto* const out = static_cast<typename Order::stored*>(column);
#pragma unroll 2
      for (int i = 0; i < tuning::items; i++) {
        int64_t const row = gdf::row_of<threads>(begin, i);
        if (row >= rows) { continue; }
        int const at = around + i * threads + static_cast<int>(threadIdx.x);
        u64 const key = near[at];
        auto const ties = [&](int step) {
          int64_t const other = row + step;
          return other >= 0 && other < rows && near[at + step] >> bit == key >> bit;
        };
        int64_t to = row;
        if (ties(-1) || ties(1)) {
          if (ties(-most) || ties(most)) { // within a longer run, whose rows are mostly equal
            fails |= ties(-1) && near[at - 1] > key;
          } else {
            int before = 0;
#pragma unroll 1
            while (before < most && ties(-before - 1)) { before++; }
            int after = 0;
#pragma unroll 1
            while (after < most && ties(after + 1)) { after++; }
            if (before + after < most) {
              int rank = 0;
#pragma unroll 4
              for (int step = -before; step <= after; step++) {
                u64 const its = near[at + step];
                rank += its < key || (its == key && step < 0) ? 1 : 0;
              }
              to = row - before + rank;
            } else {
              fails |= before > 0 && near[at - 1] > key;
            }
          }
        }
        out[to] = value_of<Order>(of, key);
      }
    });
    __syncthreads(); // `near` has been read
  });
  gdf::u64* const found = &scratch->zeroed[0];
  if (__syncthreads_or(fails) && threadIdx.x == 0) { atomicOr(found, 1ull); }
  if (!gdf::is_last_block(scratch, 32, gridDim.x)) { return; }
  if (threadIdx.x == 0) { gdf::post(mailbox, atomicExch(found, 0ull)); }
}

/// Tests whether rows of a sample of `values` agree in the bits of their keys from `bit` on and differ in the bits
/// below. Posts 1 if there are such rows, otherwise 0. The launch must have one block, with one row per thread.
extern "C" __global__ void GDF_BOUNDS(sort_ties_sample)
sort_ties_sample_kernel(const void* values, sorting::codec of, gdf::row_count rows, int bit, unsigned long long* mailbox) {
  using namespace sorting;
  constexpr int threads = sort_ties_sample_tuning::threads;
  __shared__ u64 sample[threads];
  int64_t const step = rows / threads;
  u64 key = 0;
  by_kind<u64>(of, [&]<class Order>(const codec& of) {
    auto const* const in = static_cast<const typename Order::stored*>(values);
    key = key_of<u64, Order>(of, in[int64_t{static_cast<int>(threadIdx.x)} * step]);
  });
  sample[threadIdx.x] = key;
  __syncthreads();
  bool differs = false;
#pragma unroll 8
  for (int i = 0; i < threads; i++) { differs |= sample[i] != key && sample[i] >> bit == key >> bit; }
  differs = __syncthreads_or(differs);
  if (threadIdx.x == 0) { gdf::post(mailbox, differs ? 1ull : 0ull); }
}
