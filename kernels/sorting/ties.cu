// After passes over the upper bits only: the few rows that agree in these, put in order by the others.

#include <gdf/policy.cuh>

#include "codec.cuh"

GDF_POLICY(sort_ties, 256, 4, 4);

namespace sorting_ties {

using namespace sorting;
using tuning = sort_ties_tuning;

constexpr int most = 32; // rows that agree and are put in order, by the thread of the first of them

/// [thread] The key of a row that another thread may be moving, among rows of the same upper bits.
template <class Order>
GDF_DEVICE u64 key_at(const typename Order::stored* values, const codec& of, int64_t row) {
  return key_of<u64, Order>(of, *static_cast<const volatile typename Order::stored*>(values + row));
}

/// [thread] Puts rows [first, end) in order.
template <class Order>
GDF_DEVICE void put_in_order(typename Order::stored* values, const codec& of, int64_t first,
                             int64_t end) {
  for (int64_t i = first + 1; i < end; i++) {
    u64 const key = key_at<Order>(values, of, i);
    int64_t to = i;
    for (; to > first; to--) {
      u64 const before = key_at<Order>(values, of, to - 1);
      if (before <= key) { break; }
      *static_cast<volatile typename Order::stored*>(values + to) = value_of<Order>(of, before);
    }
    if (to < i) {
      *static_cast<volatile typename Order::stored*>(values + to) = value_of<Order>(of, key);
    }
  }
}

} // namespace sorting_ties

/// `values`, of keys that are sorted by their bits from `bit` on: short runs that agree in these are
/// sorted. Posts 1 if a longer one is not in order, else 0. Ticket 32, zeroed[0].
extern "C" __global__ void GDF_BOUNDS(sort_ties)
sort_ties_kernel(void* column, sorting::codec of, int64_t rows, int bit, gdf::scratch* scratch,
                 unsigned long long* mailbox) {
  using namespace sorting_ties;
  bool fails = false;
  by_kind(of.kind, [&]<class Order>() {
    auto* const values = static_cast<typename Order::stored*>(column);
    auto const tie = [&](u64 a, u64 b) { return a >> bit == b >> bit; };
    gdf::for_each_tile<tuning::threads, tuning::items>(rows, [&](int64_t begin, bool) {
      u64 key[tuning::items];
      u64 before[tuning::items];
      u64 after[tuning::items];
#pragma unroll
      for (int i = 0; i < tuning::items; i++) {
        int64_t const at = gdf::row_of<tuning::threads>(begin, i);
        int64_t const row = at < rows ? at : rows - 1;
        key[i] = key_at<Order>(values, of, row);
        before[i] = key_at<Order>(values, of, row > 0 ? row - 1 : row);
        after[i] = key_at<Order>(values, of, row + 1 < rows ? row + 1 : row);
      }
#pragma unroll
      for (int i = 0; i < tuning::items; i++) {
        int64_t const row = gdf::row_of<tuning::threads>(begin, i);
        if (row >= rows) { continue; }
        bool const is_first = row == 0 || !tie(before[i], key[i]);
        if (is_first) {
          if (row + 1 == rows || !tie(key[i], after[i])) { continue; }
          int64_t end = row + 2;
          while (end < rows && end - row <= most && tie(key_at<Order>(values, of, end), key[i])) {
            end++;
          }
          if (end - row <= most) { put_in_order<Order>(values, of, row, end); }
        } else if (before[i] > key[i]) {
          // Of a short run the first one's thread takes care, and may be at it.
          int64_t first = row - 1;
          while (first > 0 && row - first <= most &&
                 tie(key_at<Order>(values, of, first - 1), key[i])) {
            first--;
          }
          int64_t end = row + 1;
          while (end < rows && end - first <= most && tie(key_at<Order>(values, of, end), key[i])) {
            end++;
          }
          fails |= end - first > most;
        }
      }
    });
  });
  gdf::u64* const found = &scratch->zeroed[0];
  if (__syncthreads_or(fails) && threadIdx.x == 0) { atomicOr(found, 1ull); }
  if (!gdf::is_last_block(scratch, 32, gridDim.x)) { return; }
  if (threadIdx.x == 0) { gdf::post(mailbox, atomicExch(found, 0ull)); }
}
