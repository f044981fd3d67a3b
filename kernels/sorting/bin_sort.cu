// Bin sort, for a few hundred thousand rows at most: one cooperative launch finds the ranges of the keys,
// counts rows by the upper bits of their keys, brings rows of one such bin together, and ranks each
// among its bin by comparing. Few steps in sequence, and text is compared whole where its beginning
// ties. Bins that hold too many rows are told to the host, which then sorts otherwise.

#include <gdf/count.cuh>
#include <gdf/dispatch.cuh>
#include <gdf/grid_barrier.cuh>
#include <gdf/policy.cuh>
#include <gdf/table.cuh>

#include "bins.cuh"

GDF_POLICY(sort_middle, 1024, 1, 1);

namespace sorting_middle {

using namespace sorting;
using tuning = sort_middle_tuning;

constexpr int threads = tuning::threads;
constexpr int max_bins = 8192;
constexpr int few_bins = 4096;
constexpr int many_rows = 65536;    // from which there are max_bins
constexpr uint32_t max_in_bin = 512; // rows

/// Memory for `rows` rows, but for the bins.
struct memory {
  unsigned long long* keys;
  unsigned long long* bin_keys; // by bin
  uint32_t* slots;              // place among the rows of the bin
  uint32_t* bin_rows;
  uint32_t* order; // row numbers in order
  uint32_t* bins;  // max_bins
};
static_assert(sizeof(memory) == 48);

/// [thread] Are these columns without masks and not of bits?
GDF_DEVICE bool are_plain(const gdf::table_out<16>& out, int columns) {
  bool plain = true;
  for (int c = 0; c < columns; c++) {
    plain &= out.column[c].validity == nullptr &&
             static_cast<gdf::type>(out.column[c].type) != gdf::type::boolean;
  }
  return plain;
}

/// [block] Rows [0, rows) of `out` from the rows of `in` that `order` names; the grid shares them.
GDF_DEVICE void write_rows(const gdf::column_in& in, const gdf::column_out& out,
                           const uint32_t* order, int rows, gdf::scratch* scratch, int column) {
  int const stride = static_cast<int>(gridDim.x) * threads;
  uint32_t valid_rows = 0;
  bool const is_boolean = static_cast<gdf::type>(in.type) == gdf::type::boolean;
  for (int first = static_cast<int>(blockIdx.x) * threads; first < rows; first += stride) {
    int const i = first + static_cast<int>(threadIdx.x);
    bool const there = i < rows;
    uint32_t const row = there ? order[i] : 0;
    if (is_boolean) {
      uint32_t const bits = __ballot_sync(~0u, there && gdf::element<bool>(in, row));
      if (gdf::lane() == 0 && there) { static_cast<uint32_t*>(out.data)[i >> 5] = bits; }
    } else if (there) {
      gdf::by_width(gdf::width_of(in.type), [&]<class T>() {
        gdf::store(static_cast<T*>(out.data) + i, gdf::element<T>(in, row));
      });
    }
    if (out.validity != nullptr && i - gdf::lane() < rows) {
      valid_rows +=
        gdf::store_valid_word(out, i - gdf::lane(), there && gdf::is_valid(in, row));
    }
  }
  if (out.null_count == nullptr) { return; } // uniform
  u64 const mine = gdf::block_sum<threads>(static_cast<u64>(valid_rows));
  if (threadIdx.x == 0) { // as gdf::post_null_count, with a counter for each column
    constexpr int shift = 48;
    u64 const before = atomicAdd(&scratch->counts[column], 1ull << shift | mine);
    if (before >> shift == gridDim.x - 1) {
      *out.null_count = static_cast<u64>(rows) - ((before + mine) & ((1ull << shift) - 1));
      scratch->counts[column] = 0;
    }
  }
}

} // namespace sorting_middle

/// Cooperative. Sorts `rows` (below 2^31, at least one) rows by `count` pieces without 128- and
/// 256-bit values, and writes their order as 32-bit row numbers to `at.order`, and rows of the first
/// `columns` columns of `values` (as sort_small_1k_kernel). Posts 1, or 2 if it has not because of too
/// many rows in a bin. Tickets 32 and 33, zeroed[0] to [127].
extern "C" __global__ void GDF_BOUNDS(sort_middle)
sort_middle_kernel(const __grid_constant__ sorting::pieces in, int count, int rows,
                   sorting_middle::memory at,
                   const __grid_constant__ gdf::table_in<16> values,
                   const __grid_constant__ gdf::table_out<16> out, int columns,
                   gdf::scratch* scratch, unsigned long long* mailbox) {
  using namespace sorting_middle;
  __shared__ key_layout keys;
  __shared__ union {
    u64 partial[threads / 32][found_words];
    sorting_stats::summary stats[max_pieces];
    uint32_t first[max_bins + 1]; // position of each bin
  } shared;
  int const thread = static_cast<int>(threadIdx.x);
  int const from = static_cast<int>(blockIdx.x) * threads + thread;
  int const stride = static_cast<int>(gridDim.x) * threads;
  int const bins = rows >= many_rows ? max_bins : few_bins;
  gdf::grid_barrier barrier{scratch, 32};

  for (int i = from; i < bins; i += stride) { at.bins[i] = 0; }
#pragma unroll 1
  for (int p = 0; p < count; p++) {
    measure<threads>(in.at[p], rows, &scratch->zeroed[p * found_words], shared.partial);
  }
  barrier.wait();

  if (thread == 0) { lay_out_keys(in, count, rows, bins == max_bins ? 13 : 12, scratch->zeroed, shared.stats, keys); }
  __syncthreads();
  for (int row = from; row < rows; row += stride) {
    u64 const key = key_of_row<false>(keys, row);
    at.keys[row] = key;
    at.slots[row] = atomicAdd(&at.bins[key >> keys.bin_shift], 1u);
  }
  barrier.wait();

  constexpr int most = max_bins / threads;
  int const own = bins / threads; // bins of a thread
  uint32_t size[most];
  uint32_t sum = 0;
  bool too_many = false;
#pragma unroll
  for (int i = 0; i < most; i++) {
    size[i] = i < own ? at.bins[thread * own + i] : 0;
    too_many |= size[i] > max_in_bin;
    sum += size[i];
  }
  bool const fails = __syncthreads_or(too_many);
  if (!fails) {
    uint32_t total;
    uint32_t position = gdf::block_exclusive_sum<threads>(sum, total);
#pragma unroll
    for (int i = 0; i < most; i++) {
      if (i < own) { shared.first[thread * own + i] = position; }
      position += size[i];
    }
    if (thread == 0) { shared.first[bins] = total; }
    __syncthreads();
    for (int row = from; row < rows; row += stride) {
      u64 const key = at.keys[row];
      uint32_t const to = shared.first[key >> keys.bin_shift] + at.slots[row];
      at.bin_keys[to] = key;
      at.bin_rows[to] = static_cast<uint32_t>(row);
    }
    barrier.wait();

    // Rows of plain values go to their places at once; bits need neighbors.
    bool const at_once = columns > 0 && are_plain(out, columns);
    for (int i = from; i < rows; i += stride) {
      u64 const key = at.bin_keys[i];
      uint32_t const row = at.bin_rows[i];
      auto const bin = static_cast<int>(key >> keys.bin_shift);
      uint32_t const begin = shared.first[bin];
      uint32_t const end = shared.first[bin + 1];
      uint32_t less = 0;
      uint32_t equal = 0;
#pragma unroll 4
      for (uint32_t other = begin; other < end; other++) {
        u64 const its = at.bin_keys[other];
        less += its < key ? 1 : 0;
        equal += its == key ? 1 : 0;
      }
      uint32_t rank = begin + less;
      if (equal > 1) {
        for (uint32_t other = begin; other < end; other++) {
          if (at.bin_keys[other] != key || other == static_cast<uint32_t>(i)) { continue; }
          uint32_t const its_row = at.bin_rows[other];
          rank += (keys.exact ? its_row < row : is_before<false>(in, count, its_row, row)) ? 1 : 0;
        }
      }
      if (!at_once) {
        at.order[rank] = row;
        continue;
      }
#pragma unroll 1
      for (int c = 0; c < columns; c++) {
        gdf::by_width(gdf::width_of(values.column[c].type), [&]<class T>() {
          gdf::store(static_cast<T*>(out.column[c].data) + rank,
                     gdf::element<T>(values.column[c], row));
        });
      }
    }
    if (columns > 0 && !at_once) {
      barrier.wait();
#pragma unroll 1
      for (int c = 0; c < columns; c++) {
        write_rows(values.column[c], out.column[c], at.order, rows, scratch, c);
      }
    }
  }
  if (blockIdx.x == 0 && thread == 0) { gdf::post(mailbox, fails ? 2 : 1); }
  if (barrier.end() && thread < count * found_words) { scratch->zeroed[thread] = 0; }
}

/// Rows of the first `columns` columns of `values` in an order of `rows` row numbers.
extern "C" __global__ void GDF_BOUNDS(sort_middle)
sort_rows_kernel(const __grid_constant__ gdf::table_in<16> values,
                 const __grid_constant__ gdf::table_out<16> out, const uint32_t* order, int rows,
                 int columns, gdf::scratch* scratch) {
#pragma unroll 1
  for (int c = 0; c < columns; c++) {
    sorting_middle::write_rows(values.column[c], out.column[c], order, rows, scratch, c);
  }
}
