// Restores columns from sorted keys.

#include <type_traits>

#include <gdf/count.cuh>
#include <gdf/policy.cuh>
#include <gdf/vector.cuh>

#include "key.cuh"

GDF_POLICY(sort_decode, 256, 8, 4);

namespace sorting_decode {

using namespace sorting;
using tuning = sort_decode_tuning;

constexpr int n = 4; // rows of a run
constexpr int runs = tuning::items / n;
constexpr int32_t all_null = 4;

/// A column of the result.
struct decoded {
  gdf::column_out out;
  u64 base[2][2];
  int32_t position[2];
  int32_t bits[2];
  int32_t shift[2];
  int32_t null_position; // negative: no bit
  int32_t flags;         // piece_flags, all_null
};
static_assert(sizeof(decoded) == 112);

constexpr int max_columns = 32;
struct table {
  decoded at[max_columns];
};

template <class Word>
GDF_DEVICE Word word_of(const decoded& column, int part, u64 key) {
  auto const base = static_cast<Word>(make_u128(column.base[part][0], column.base[part][1]));
  int const bits = column.bits[part];
  if (bits == 0) { return base; }
  auto const kept = static_cast<Word>(key >> column.position[part] & (~0ull >> (64 - bits)));
  Word const distance = kept << column.shift[part];
  return column.flags & descending ? base - distance : base + distance;
}

/// [warp] Joins four bits of each of eight neighboring lanes to a word. All eight lanes get the word.
GDF_DEVICE uint32_t word_of_runs(uint32_t bits) {
  static_assert(n == 4);
  bits <<= (gdf::lane() & 7) * n;
#pragma unroll
  for (int step = 1; step < 8; step <<= 1) { bits |= __shfl_xor_sync(~0u, bits, step); }
  return bits;
}

template <class Order>
GDF_DEVICE void store_values(const Order& order, const decoded& column, int64_t row, int64_t rows,
                             const u64 (&key)[n]) {
  using word = typename Order::word;
  if constexpr (std::is_same_v<Order, text_order>) {
    return;
  } else if constexpr (std::is_same_v<Order, boolean_order>) {
    uint32_t bits = 0;
#pragma unroll
    for (int i = 0; i < n; i++) {
      bits |= row + i < rows && word_of<u64>(column, 0, key[i]) != 0 ? 1u << i : 0;
    }
    bits = word_of_runs(bits);
    if ((gdf::lane() & 7) == 0 && row < rows) {
      static_cast<uint32_t*>(column.out.data)[row >> 5] = bits;
    }
  } else if constexpr (std::is_same_v<Order, i256_order>) {
#pragma unroll
    for (int i = 0; i < n; i++) {
      if (row + i < rows) {
        gdf::store(static_cast<gdf::i256*>(column.out.data) + row + i,
                   order.restored(word_of<u128>(column, 0, key[i]), word_of<u128>(column, 1, key[i])));
      }
    }
  } else {
    using stored = typename Order::stored;
    gdf::run<stored, n> run;
#pragma unroll
    for (int i = 0; i < n; i++) { run.row[i] = order.restored(word_of<word>(column, 0, key[i])); }
    gdf::store_run(static_cast<stored*>(column.out.data), row, rows, run);
  }
}

/// [warp] Writes the mask of a run of rows.
GDF_DEVICE uint32_t store_valid(const decoded& column, int64_t row, int64_t rows,
                                const u64 (&key)[n]) {
  bool const first = column.flags & nulls_first;
  uint32_t bits = 0;
#pragma unroll
  for (int i = 0; i < n; i++) {
    bool const valid = column.null_position < 0
                         ? (column.flags & all_null) == 0
                         : ((key[i] >> column.null_position & 1) != 0) == first;
    bits |= valid && row + i < rows ? 1u << i : 0;
  }
  uint32_t const word = word_of_runs(bits);
  if ((gdf::lane() & 7) == 0 && row < rows) { column.out.validity[row >> 5] = word; }
  return __popc(bits);
}

template <class Key>
GDF_DEVICE void decode(const table& to, int count, const Key* keys, int64_t rows,
                       gdf::scratch* scratch) {
  __shared__ uint32_t valid_rows[max_columns];
  if (threadIdx.x < max_columns) { valid_rows[threadIdx.x] = 0; }
  __syncthreads();
  gdf::for_each_tile<tuning::threads, tuning::items>(rows, [&](int64_t first, bool full) {
    u64 key[runs][n];
#pragma unroll
    for (int r = 0; r < runs; r++) {
      int64_t const row = gdf::run_row<tuning::threads, n>(first, r);
      gdf::run<Key, n> in{};
      if (full) {
        in = gdf::load_run<n>(keys + row);
      } else {
#pragma unroll
        for (int i = 0; i < n; i++) { in.row[i] = keys[row + i < rows ? row + i : rows - 1]; }
      }
#pragma unroll
      for (int i = 0; i < n; i++) { key[r][i] = in.row[i]; }
    }
#pragma unroll 1
    for (int c = 0; c < count; c++) {
      const decoded& column = to.at[c];
      by_order(column.out.type, [&]<class Order>(const Order& order) {
#pragma unroll
        for (int r = 0; r < runs; r++) {
          store_values(order, column, gdf::run_row<tuning::threads, n>(first, r), rows, key[r]);
        }
      });
      if (column.out.validity == nullptr) { continue; }
      uint32_t valid = 0;
#pragma unroll
      for (int r = 0; r < runs; r++) {
        valid += store_valid(column, gdf::run_row<tuning::threads, n>(first, r), rows, key[r]);
      }
      valid = gdf::warp_sum(valid);
      if (gdf::lane() == 0) { atomicAdd(&valid_rows[c], valid); }
    }
  });
  __syncthreads();
  if (static_cast<int>(threadIdx.x) < count) {
    gdf::add_valid_rows(scratch, static_cast<int>(threadIdx.x), to.at[threadIdx.x].out,
                        valid_rows[threadIdx.x]);
  }
}

} // namespace sorting_decode

/// Writes the `count` columns of the result from `rows` sorted keys of one word. The values of null rows are
/// unspecified.
extern "C" __global__ void GDF_BOUNDS(sort_decode) GDF_VARIANT(sort_decode, k32)
sort_decode_k32_kernel(const __grid_constant__ sorting_decode::table to, int count,
                       const void* keys, gdf::row_count rows, gdf::scratch* scratch) {
  sorting_decode::decode(to, count, static_cast<const uint32_t*>(keys), rows, scratch);
}

extern "C" __global__ void GDF_BOUNDS(sort_decode) GDF_VARIANT(sort_decode, k64)
sort_decode_k64_kernel(const __grid_constant__ sorting_decode::table to, int count,
                       const void* keys, gdf::row_count rows, gdf::scratch* scratch) {
  sorting_decode::decode(to, count, static_cast<const unsigned long long*>(keys), rows, scratch);
}
