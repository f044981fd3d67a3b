// Writes one word of the keys of all rows, and prepares the passes that sort by this word.

#include <type_traits>

#include <gdf/policy.cuh>

#include "sweep.cuh"

GDF_POLICY(sort_encode, 256, 8, 3);

namespace sorting_encode {

using namespace sorting;
using tuning = sort_encode_tuning;

/// Writes one word of the key of each row.
template <class Key>
GDF_DEVICE void encode(const fields& in, int count, int64_t rows, const void* order, Key* keys,
                       void* row_numbers, const sweep& state, gdf::scratch* scratch) {
  __shared__ uint32_t words[count_words];
  digit_counts const counts = counts_in(words, sizeof(Key));
  begin_sweep<tuning::threads>(state, counts);
  gdf::for_each_tile<tuning::threads, tuning::items>(rows, [&](int64_t first, bool) {
    u64 key[tuning::items];
    int64_t source[tuning::items];
#pragma unroll
    for (int i = 0; i < tuning::items; i++) {
      int64_t const row = gdf::row_of<tuning::threads>(first, i);
      int64_t const at = row < rows ? row : rows - 1;
      key[i] = 0;
      if (order == nullptr) {
        source[i] = at;
      } else if (state.wide != 0) {
        source[i] = static_cast<const int64_t*>(order)[at];
      } else {
        source[i] = static_cast<const uint32_t*>(order)[at];
      }
    }
#pragma unroll 1
    for (int f = 0; f < count; f++) {
      by_order(in.at[f].of.column.type, [&]<class Order>(const Order& own) {
#pragma unroll
        for (int i = 0; i < tuning::items; i++) { key[i] |= bits_of(own, in.at[f], source[i]); }
      });
    }
#pragma unroll
    for (int i = 0; i < tuning::items; i++) {
      int64_t const row = gdf::row_of<tuning::threads>(first, i);
      auto const own = static_cast<Key>(key[i]);
      if (row < rows) {
        keys[row] = own;
        count_digits(state, counts, static_cast<Key>(own >> state.first_bit));
        if (row_numbers != nullptr && state.wide != 0) {
          static_cast<u64*>(row_numbers)[row] = static_cast<u64>(row);
        } else if (row_numbers != nullptr) {
          static_cast<uint32_t*>(row_numbers)[row] = static_cast<uint32_t>(row);
        }
      }
    }
  });
  finish_sweep<tuning::threads>(state, counts, scratch);
}

} // namespace sorting_encode

/// Writes words of at most 32 bits: state.passes is at most 4.
extern "C" __global__ void GDF_BOUNDS(sort_encode) GDF_VARIANT(sort_encode, k32)
sort_encode_k32_kernel(const __grid_constant__ sorting::fields in, int count, gdf::row_count rows,
                       const void* order, void* keys, void* row_numbers,
                       const __grid_constant__ sorting::sweep state, gdf::scratch* scratch) {
  sorting_encode::encode(in, count, rows, order, static_cast<uint32_t*>(keys), row_numbers, state,
                         scratch);
}

/// Does the same as sort_encode_k32_kernel, for words of at most 64 bits.
extern "C" __global__ void GDF_BOUNDS(sort_encode) GDF_VARIANT(sort_encode, k64)
sort_encode_k64_kernel(const __grid_constant__ sorting::fields in, int count, gdf::row_count rows,
                       const void* order, void* keys, void* row_numbers,
                       const __grid_constant__ sorting::sweep state, gdf::scratch* scratch) {
  sorting_encode::encode(in, count, rows, order, static_cast<unsigned long long*>(keys), row_numbers,
                         state, scratch);
}
