// Counts the digits of keys that the first pass computes from a column, and prepares the passes.

#include <gdf/policy.cuh>
#include <gdf/vector.cuh>

#include "codec.cuh"
#include "sweep.cuh"

GDF_POLICY(sort_count, 1024, 8, 1);

namespace sorting_count {

using namespace sorting;
using tuning = sort_count_tuning;

constexpr int vectors = 4; // number of 16-byte vectors that a thread loads at a time

/// [block] Counts the digits of the rows of this block.
template <class Key, bool all, int shift>
GDF_DEVICE void count_rows(const void* column, const codec& of, int64_t rows, const sweep& state,
                           digit_counts counts) {
  if constexpr (shift >= 0) { counts.shift = shift; }
  by_kind<Key>(of, [&]<class Order>(const codec& of) {
    using stored = typename Order::stored;
    constexpr int n = 16 / sizeof(stored);
    auto const* const in = static_cast<const stored*>(column);
    bool const aligned = gdf::is_aligned(in, 16);
    gdf::for_each_tile<tuning::threads, n * vectors>(rows, [&](int64_t first, bool full) {
      if (full && aligned) {
        union {
          uint4 bits[vectors];
          stored row[vectors * n];
        } piece;
#pragma unroll
        for (int v = 0; v < vectors; v++) {
          piece.bits[v] = __ldcs(
            reinterpret_cast<const uint4*>(in + gdf::run_row<tuning::threads, n>(first, v)));
        }
#pragma unroll
        for (int i = 0; i < vectors * n; i++) {
          count_digits<all>(state, counts, key_of<Key, Order>(of, piece.row[i]));
        }
      } else {
        int64_t const end = full ? first + tuning::threads * n * vectors : rows;
        for (int64_t row = first + threadIdx.x; row < end; row += tuning::threads) {
          count_digits(state, counts, key_of<Key, Order>(of, in[row]));
        }
      }
    });
  });
}

template <class Key>
GDF_DEVICE void count(const void* column, const codec& of, int64_t rows, const sweep& state,
                      int shift, gdf::scratch* scratch) {
  extern __shared__ uint32_t sort_count_words[];
  digit_counts const counts{sort_count_words, shift};
  constexpr int usual = sizeof(Key) == 4 ? 5 : 4; // the shift for which the shared memory of data center GPUs suffices
  begin_sweep<tuning::threads>(state, counts);
  if (state.passes == sizeof(Key) && shift == usual) {
    count_rows<Key, true, usual>(column, of, rows, state, counts);
  } else {
    count_rows<Key, false, -1>(column, of, rows, state, counts);
  }
  finish_sweep<tuning::threads>(state, counts, scratch);
}

} // namespace sorting_count

/// Counts the digits of the keys of `rows` values. The keys have at most 32 bits.
extern "C" __global__ void GDF_BOUNDS(sort_count) GDF_VARIANT(sort_count, k32)
sort_count_k32_kernel(const void* values, sorting::codec of, gdf::row_count rows,
                      const __grid_constant__ sorting::sweep state, int shift,
                      gdf::scratch* scratch) {
  sorting_count::count<uint32_t>(values, of, rows, state, shift, scratch);
}

/// Does the same as sort_count_k32_kernel, for keys of at most 64 bits.
extern "C" __global__ void GDF_BOUNDS(sort_count) GDF_VARIANT(sort_count, k64)
sort_count_k64_kernel(const void* values, sorting::codec of, gdf::row_count rows,
                      const __grid_constant__ sorting::sweep state, int shift,
                      gdf::scratch* scratch) {
  sorting_count::count<unsigned long long>(values, of, rows, state, shift, scratch);
}
