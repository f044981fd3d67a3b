// Tables of few rows: one block finds the ranges of the keys, sorts in shared memory and writes the
// order, the ordered rows, or both. One launch, and nothing for the host to know in between.

#define GDF_CUB_RADIX_SORT
#include <gdf/count.cuh>
#include <gdf/cub.cuh>
#include <gdf/dispatch.cuh>
#include <gdf/policy.cuh>
#include <gdf/table.cuh>

#include "layout.cuh"

GDF_POLICY(sort_small_1k, 256, 4, 1);
GDF_POLICY(sort_small_4k, 256, 16, 1);

namespace sorting_small {

using namespace sorting;

/// [block] Rows [0, rows) of `out` from the rows of `in` that `order` names.
template <int threads>
GDF_DEVICE void write_rows(const gdf::column_in& in, const gdf::column_out& out,
                           const uint16_t* order, int rows) {
  if (static_cast<gdf::type>(in.type) == gdf::type::boolean) {
    for (int first = 0; first < rows; first += threads) {
      int const i = first + static_cast<int>(threadIdx.x);
      bool const value = i < rows && gdf::element<bool>(in, order[i]);
      uint32_t const bits = __ballot_sync(~0u, value);
      if (gdf::lane() == 0 && i < rows) { static_cast<uint32_t*>(out.data)[i >> 5] = bits; }
    }
  } else {
    gdf::by_width(gdf::width_of(in.type), [&]<class T>() {
      for (int i = threadIdx.x; i < rows; i += threads) {
        gdf::store(static_cast<T*>(out.data) + i, gdf::element<T>(in, order[i]));
      }
    });
  }
  if (out.validity == nullptr) { return; } // uniform
  uint32_t valid_rows = 0;
  for (int first = 0; first < rows; first += threads) {
    int const i = first + static_cast<int>(threadIdx.x);
    bool const valid = i < rows && gdf::is_valid(in, order[i]);
    int const word = i - gdf::lane();
    if (word < rows) { valid_rows += gdf::store_valid_word(out, word, valid); }
  }
  valid_rows = gdf::block_sum<threads>(valid_rows);
  if (threadIdx.x == 0) {
    *out.null_count = static_cast<u64>(rows) - static_cast<u64>(valid_rows);
  }
}

template <int threads, int items>
GDF_DEVICE void sort(const pieces& in, int count, int rows, uint32_t* order, int wanted,
                     const gdf::table_in<16>& values, const gdf::table_out<16>& out, int columns) {
  using block_sort = cub::BlockRadixSort<u64, threads, items, uint16_t, 6>;
  __shared__ union {
    sorting_stats::summary stats[max_pieces];
    typename block_sort::TempStorage sort;
    uint16_t order[threads * items];
  } shared;
  __shared__ field fields[max_pieces];
  __shared__ int key_bits;

#pragma unroll 1
  for (int p = 0; p < count; p++) {
    sorting_stats::summary mine = sorting_stats::summary::none();
    by_order(in.at[p].column.type, [&]<class Order>() {
      if constexpr (!std::is_same_v<Order, text_order>) {
        mine = sorting_stats::summarize<Order, threads, items>(in.at[p], rows);
      }
    });
    mine = sorting_stats::reduce<threads>(mine);
    if (threadIdx.x == 0) { shared.stats[p] = mine; }
  }
  if (threadIdx.x == 0) { key_bits = lay_out(in, count, shared.stats, fields); }
  __syncthreads();

  uint16_t row[items];
  int const first = static_cast<int>(threadIdx.x) * items;
#pragma unroll
  for (int i = 0; i < items; i++) { row[i] = static_cast<uint16_t>(first + i); }
#pragma unroll 1
  for (int start = 0; start < key_bits; start += 64) {
    u64 key[items];
#pragma unroll
    for (int i = 0; i < items; i++) { key[i] = row[i] < rows ? 0 : ~0ull; }
#pragma unroll 1
    for (int p = 0; p < count; p++) {
      by_order(fields[p].of.column.type, [&]<class Order>() {
        if constexpr (!std::is_same_v<Order, text_order>) {
#pragma unroll
          for (int i = 0; i < items; i++) {
            if (row[i] < rows) { key[i] |= bits_of<Order>(fields[p], row[i], start); }
          }
        }
      });
    }
    // Rows past the end have the largest key and come after equal ones: they stay last.
    block_sort(shared.sort).Sort(key, row, 0, key_bits - start < 64 ? key_bits - start : 64);
    __syncthreads(); // its storage is free again
  }

#pragma unroll
  for (int i = 0; i < items; i++) { shared.order[first + i] = row[i]; }
  __syncthreads();
  if (order != nullptr) {
    for (int i = threadIdx.x; i < wanted; i += threads) { order[i] = shared.order[i]; }
  }
#pragma unroll 1
  for (int c = 0; c < columns; c++) {
    write_rows<threads>(values.column[c], out.column[c], shared.order, wanted);
  }
}

} // namespace sorting_small

// sort_small_<size>_kernel: one block. Sorts `rows` (at most 256 times the items of the policy, at
// least one) rows by `count` pieces without text, and writes the first `wanted` of their order: as
// 32-bit row numbers, if `order` is present, and as rows of the first `columns` columns of `values`
// (fixed width of 1, 2, 4, 8, 16, 32 bytes, or boolean).
#define SORT_SMALL(size)                                                                          \
  extern "C" __global__ void GDF_BOUNDS(sort_small_##size) sort_small_##size##_kernel(            \
    const __grid_constant__ sorting_small::pieces in, int count, int rows, uint32_t* order,       \
    int wanted, const __grid_constant__ gdf::table_in<16> values,                                 \
    const __grid_constant__ gdf::table_out<16> out, int columns) {                                \
    using tuning = sort_small_##size##_tuning;                                                    \
    sorting_small::sort<tuning::threads, tuning::items>(in, count, rows, order, wanted, values,   \
                                                        out, columns);                            \
  }                                                                                               \
  static_assert(true)

SORT_SMALL(1k);
SORT_SMALL(4k);
