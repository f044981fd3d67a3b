// Block sort, for tables of few rows. One block finds the ranges of the keys, sorts in shared memory, and writes the
// order, the ordered rows, or both. If a bin has too many rows, all rows are sorted by merging.

#include <gdf/count.cuh>
#include <gdf/dispatch.cuh>
#include <gdf/policy.cuh>
#include <gdf/table.cuh>

#include "bins.cuh"
#include "merge.cuh"

GDF_POLICY(sort_small_1k, 1024, 1, 1);
GDF_POLICY(sort_small_4k, 1024, 4, 1);

namespace sorting_small {

using namespace sorting;

/// [block] Writes rows [0, rows) of `out`.
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
  if (out.validity == nullptr) { return; } // the condition is the same in all threads
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

/// The bins of keys.
constexpr int bin_bits = 9;
constexpr int bins = 1 << bin_bits;
constexpr uint32_t max_in_bin = 128;
constexpr uint32_t max_tied = 32; // if keys do not determine the order, so that comparisons take longer

template <int threads, int items>
struct storage {
  static constexpr int rows = threads * items;
  union {
    struct {
      u64 found[max_pieces * found_words];
      u64 partial[threads / 32][found_words];
      sorting_stats::summary stats[max_pieces];
    } ranges;
    struct {
      uint32_t first[bins + 1]; // number of rows of each bin, later the position of its first row
      uint16_t row[rows];
      u64 key[rows];
    } bin;
    merge_tile<rows, uint16_t> tile;
    uint16_t order[rows];
  };
  key_layout keys;
};

/// [thread] Sets all[i] to `value` without dynamic indexing. The array thus stays in registers even if the loop over i
/// is not unrolled.
template <class T, int items>
GDF_DEVICE void set(T (&all)[items], int i, T value) {
#pragma unroll
  for (int k = 0; k < items; k++) { all[k] = k == i ? value : all[k]; }
}

/// [block] Computes the sorted row numbers by bins. Returns false if a bin has too many rows.
template <int threads, int items>
GDF_DEVICE bool sort_by_bins(storage<threads, items>& s, row_order<true>& before, int rows) {
  auto const thread = static_cast<int>(threadIdx.x);
  static_assert(threads >= bins);
  u64 key[items] = {};
  uint32_t place[items] = {}; // position among the rows of the bin
  if (thread < bins) { s.bin.first[thread] = 0; }
  __syncthreads();
#pragma unroll 1
  for (int i = 0; i < items; i++) {
    int const row = thread + i * threads;
    if (row >= rows) { break; }
    u64 const own = key_of_row<true>(s.keys, row);
    set(key, i, own);
    set(place, i, atomicAdd(&s.bin.first[own >> s.keys.bin_shift], 1u));
  }
  __syncthreads();
  uint32_t const size = thread < bins ? s.bin.first[thread] : 0;
  if (__syncthreads_or(size > (s.keys.exact ? max_in_bin : max_tied))) { return false; }
  uint32_t total;
  uint32_t const position = gdf::block_exclusive_sum<threads>(size, total);
  if (thread < bins) { s.bin.first[thread] = position; }
  if (thread == 0) { s.bin.first[bins] = total; }
  __syncthreads();
#pragma unroll
  for (int i = 0; i < items; i++) {
    int const row = thread + i * threads;
    if (row < rows) {
      uint32_t const to = s.bin.first[key[i] >> s.keys.bin_shift] + place[i];
      s.bin.key[to] = key[i];
      s.bin.row[to] = static_cast<uint16_t>(row);
    }
  }
  __syncthreads();
  uint32_t rank[items] = {};
  uint16_t number[items] = {};
#pragma unroll 1
  for (int i = 0; i < items; i++) {
    int const at = thread + i * threads;
    if (at >= rows) { break; }
    u64 const own = s.bin.key[at];
    uint16_t const row = s.bin.row[at];
    auto const bin = static_cast<int>(own >> s.keys.bin_shift);
    uint32_t const begin = s.bin.first[bin];
    uint32_t const end = s.bin.first[bin + 1];
    uint32_t less = 0;
    uint32_t equal = 0;
#pragma unroll 4
    for (uint32_t other = begin; other < end; other++) {
      u64 const its = s.bin.key[other];
      less += its < own ? 1 : 0;
      equal += its == own ? 1 : 0;
    }
    uint32_t position = begin + less;
    if (equal > 1) {
      for (uint32_t other = begin; other < end; other++) {
        if (s.bin.key[other] != own || other == static_cast<uint32_t>(at)) { continue; }
        position += before(own, s.bin.row[other], own, row) ? 1 : 0;
      }
    }
    set(rank, i, position);
    set(number, i, row);
  }
  __syncthreads(); // all threads have read bins, keys and rows
#pragma unroll
  for (int i = 0; i < items; i++) {
    if (thread + i * threads < rows) { s.order[rank[i]] = number[i]; }
  }
  return true;
}

/// [block] Computes the sorted row numbers by merging, for any keys.
template <int threads, int items>
GDF_DEVICE void sort_by_merging(storage<threads, items>& s, row_order<true>& before, int rows) {
#pragma unroll 1
  for (int row = threadIdx.x; row < rows; row += threads) {
    s.tile.key[row] = key_of_row<true>(s.keys, row);
    s.tile.row[row] = static_cast<uint16_t>(row);
  }
  __syncthreads();
  sort_tile<threads, items>(s.tile, rows, before);
  uint16_t row[items] = {};
#pragma unroll
  for (int i = 0; i < items; i++) {
    int const at = static_cast<int>(threadIdx.x) + i * threads;
    if (at < rows) { row[i] = s.tile.row[at]; }
  }
  __syncthreads(); // all threads have read the tile
#pragma unroll
  for (int i = 0; i < items; i++) {
    int const at = static_cast<int>(threadIdx.x) + i * threads;
    if (at < rows) { s.order[at] = row[i]; }
  }
}

template <int threads, int items>
GDF_DEVICE void sort(const pieces& in, int count, int rows, uint32_t* order, int requested,
                     const gdf::table_in<16>& values, const gdf::table_out<16>& out, int columns) {
  __shared__ storage<threads, items> s;
#pragma unroll 1
  for (int p = 0; p < count; p++) {
    if (!is_wide(in.at[p])) {
      measure<threads, true>(in.at[p], rows, &s.ranges.found[p * found_words], s.ranges.partial);
      continue;
    }
    sorting_stats::summary mine = sorting_stats::summary::none();
    by_order(in.at[p].column.type, [&]<class Order>(const Order& order) {
      if constexpr (std::is_same_v<typename Order::word, u128>) {
        mine = sorting_stats::summarize<threads, items>(order, in.at[p], rows);
      }
    });
    mine = sorting_stats::reduce<threads>(mine);
    if (threadIdx.x == 0) { s.ranges.stats[p] = mine; }
  }
  __syncthreads();
  measure_all_behind<threads, true>(in, count, rows, s.ranges.found, s.ranges.partial);
  if (threadIdx.x == 0) {
    lay_out_keys(in, count, rows, bin_bits, s.ranges.found, s.ranges.stats, s.keys);
  }
  __syncthreads();
  row_order<true> before{in, count, s.keys, any_bytes};
  if (!sort_by_bins(s, before, rows)) { sort_by_merging(s, before, rows); }
  __syncthreads();
  if (order != nullptr) {
    for (int i = threadIdx.x; i < requested; i += threads) { order[i] = s.order[i]; }
  }
#pragma unroll 1
  for (int c = 0; c < columns; c++) {
    write_rows<threads>(values.column[c], out.column[c], s.order, requested);
  }
}

} // namespace sorting_small

#define SORT_SMALL(size)                                                                          \
  extern "C" __global__ void GDF_BOUNDS(sort_small_##size)                                        \
  GDF_VARIANT(sort_small, rows_##size) sort_small_##size##_kernel(                                \
    const __grid_constant__ sorting_small::pieces in, int count, gdf::row_count32 rows, uint32_t* order,       \
    int requested, const __grid_constant__ gdf::table_in<16> values,                                 \
    const __grid_constant__ gdf::table_out<16> out, int columns) {                                \
    using tuning = sort_small_##size##_tuning;                                                    \
    sorting_small::sort<tuning::threads, tuning::items>(in, count, rows, order, requested, values,   \
                                                        out, columns);                            \
  }                                                                                               \
  static_assert(true)

/// Sorts `rows` rows (at least one, at most the tile of the policy) by `count` pieces. The launch must have one block.
/// The kernel writes the first `requested` rows in sorted order.
SORT_SMALL(1k);
/// Does the same as sort_small_1k_kernel, for more rows.
SORT_SMALL(4k);
