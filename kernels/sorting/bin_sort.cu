// Bin sort, for at most a few hundred thousand rows. One cooperative launch finds the ranges of the keys and counts
// rows by the upper bits of their keys. It then moves the rows of each such bin together, and ranks each row within its
// bin by comparisons. If a bin has too many rows, the same launch sorts all rows by merging instead. If a thread would
// compare too many bytes of text, the kernel reports this to the host, which then sorts with another algorithm.

#include <gdf/count.cuh>
#include <gdf/dispatch.cuh>
#include <gdf/grid_barrier.cuh>
#include <gdf/policy.cuh>
#include <gdf/table.cuh>

#include "bins.cuh"
#include "merge.cuh"

GDF_POLICY(sort_middle, 1024, 1, 1);

namespace sorting_middle {

using namespace sorting;
using tuning = sort_middle_tuning;

constexpr int threads = tuning::threads;
constexpr int max_bins = 8192;
constexpr int few_bins = 4096;
constexpr int many_rows = 65536;    // from this number of rows on, there are max_bins bins
constexpr uint32_t max_in_bin = 512; // rows
constexpr uint32_t max_tied = 128;   // rows, if keys do not determine the order, so that comparisons take longer
constexpr int gave_up = 128;         // index of the word of `zeroed` that records where a thread gave up
constexpr uint64_t sorted = 1;       // the posted word if the rows have been sorted

/// Memory for `rows` rows. Merging divides this memory into two halves, and writes its sorted runs to the halves
/// alternately.
struct memory {
  unsigned long long* keys;
  unsigned long long* bin_keys; // keys ordered by bin; when merging, keys of the first half
  uint32_t* slots;              // position among the rows of the bin; when merging, rows of the second half
  uint32_t* bin_rows;           // when merging, rows of the first half
  uint32_t* order; // row numbers in sorted order
  uint32_t* bins; // a word for each of max_bins bins
};
static_assert(sizeof(memory) == 48);

/// The earliest stage of the launch in which a thread gave up.
struct stages {
  unsigned long long* word; // zero: no thread has given up

  /// [block] Records the stage (1 to 63) if a thread of the block has given up in it.
  template <class Before>
  GDF_DEVICE void add(int stage, const Before& before) const {
    if (__syncthreads_or(before.gives_up()) && threadIdx.x == 0) { atomicMax(word, 64ull - static_cast<u64>(stage)); }
  }

  /// [thread] Returns whether a thread has given up in this stage or before.
  GDF_DEVICE bool failed(int stage) const {
    return *static_cast<const volatile unsigned long long*>(word) >= 64ull - static_cast<u64>(stage);
  }
};

/// [grid] Sorts all rows by merging, and calls `put(position, row)` for each row.
template <class Before, class Put>
GDF_DEVICE int sort_by_merging(const memory& at, int rows, merge_tile<threads>& tile, Before& before, const stages& all,
                               gdf::grid_barrier& barrier, Put&& put) {
  int const begin = static_cast<int>(blockIdx.x) * threads;
  int const stride = static_cast<int>(gridDim.x) * threads;
  int stage = 1;
  for (int first = begin; first < rows; first += stride) {
    int const size = min(threads, rows - first);
    auto const thread = static_cast<int>(threadIdx.x);
    int const i = first + thread;
    if (thread < size) {
      tile.key[thread] = at.keys[i];
      tile.row[thread] = static_cast<uint32_t>(i);
    }
    __syncthreads();
    if (!sort_tile<threads, 1>(tile, size, before)) { break; }
    if (thread >= size) {
    } else if (rows <= threads) {
      put(static_cast<uint32_t>(i), tile.row[thread]);
    } else {
      at.bin_keys[i] = tile.key[thread];
      at.bin_rows[i] = tile.row[thread];
    }
    __syncthreads(); // `tile` can be reused
  }
  all.add(stage, before);
  bool odd = false; // whether the sorted runs are in `keys` and `slots`, not in `bin_keys` and `bin_rows`
#pragma unroll 1
  for (int run = threads; run < rows; run *= 2) {
    barrier.wait();
    if (all.failed(stage)) { break; }
    stage++;
    bool const last = run >= rows - run;
    const u64* const keys = odd ? at.keys : at.bin_keys;
    const uint32_t* const numbers = odd ? at.slots : at.bin_rows;
    unsigned long long* const to_keys = odd ? at.bin_keys : at.keys;
    uint32_t* const to_numbers = odd ? at.bin_rows : at.slots;
    auto const write = [&](int position, u64 key, uint32_t row) {
      if (last) {
        put(static_cast<uint32_t>(position), row);
      } else {
        to_keys[position] = key;
        to_numbers[position] = row;
      }
    };
    for (int first = begin; first < rows; first += stride) {
      if (!merge_runs(tile, keys, numbers, run, first, rows, before, write)) { break; }
    }
    all.add(stage, before);
    odd = !odd;
  }
  return stage;
}

/// [thread] Returns whether all columns are without masks and not boolean.
GDF_DEVICE bool are_plain(const gdf::table_out<16>& out, int columns) {
  bool plain = true;
  for (int c = 0; c < columns; c++) {
    plain &= out.column[c].validity == nullptr &&
             static_cast<gdf::type>(out.column[c].type) != gdf::type::boolean;
  }
  return plain;
}

/// [block] Writes rows [0, rows) of `out`.
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
  if (out.null_count == nullptr) { return; } // the condition is the same in all threads
  u64 const mine = gdf::block_sum<threads>(static_cast<u64>(valid_rows));
  if (threadIdx.x == 0) { // does the same as gdf::post_null_count, with a counter for each column
    constexpr int shift = 48;
    u64 const before = atomicAdd(&scratch->counts[column], 1ull << shift | mine);
    if (before >> shift == gridDim.x - 1) {
      *out.null_count = static_cast<u64>(rows) - ((before + mine) & ((1ull << shift) - 1));
      scratch->counts[column] = 0;
    }
  }
}

} // namespace sorting_middle

/// Sorts `rows` rows (at least one, below 2^30) by `count` pieces without 128-bit and 256-bit values. Writes their
/// order as 32-bit row numbers to `at.order`. The launch must be cooperative. The kernel uses tickets 32 and 33, and
/// zeroed[0] to zeroed[128].
extern "C" __global__ void GDF_BOUNDS(sort_middle)
sort_middle_kernel(const __grid_constant__ sorting::pieces in, int count, gdf::row_count32 rows,
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
    merge_tile<threads> tile;
  } shared;
  int const thread = static_cast<int>(threadIdx.x);
  int const from = static_cast<int>(blockIdx.x) * threads + thread;
  int const stride = static_cast<int>(gridDim.x) * threads;
  int const bins = rows >= many_rows ? max_bins : few_bins;
  gdf::grid_barrier barrier{scratch, 32};
  stages const all{&scratch->zeroed[gave_up]};

  for (int i = from; i < bins; i += stride) { at.bins[i] = 0; }
#pragma unroll 1
  for (int p = 0; p < count; p++) {
    measure<threads>(in.at[p], rows, &scratch->zeroed[p * found_words], shared.partial);
  }
  barrier.wait();
  if (measure_all_behind<threads>(in, count, rows, scratch->zeroed, shared.partial)) { barrier.wait(); }

  if (thread == 0) { lay_out_keys(in, count, rows, bins == max_bins ? 13 : 12, scratch->zeroed, shared.stats, keys); }
  __syncthreads();
  for (int row = from; row < rows; row += stride) {
    u64 const key = key_of_row<false>(keys, row);
    at.keys[row] = key;
    at.slots[row] = atomicAdd(&at.bins[key >> keys.bin_shift], 1u);
  }
  barrier.wait();

  // Rows of plain values are written to their positions immediately. Bits are written later, because a whole word of
  // bits is written at a time.
  bool const at_once = columns > 0 && are_plain(out, columns);
  auto const put = [&](uint32_t position, uint32_t row) {
    if (!at_once) {
      at.order[position] = row;
      return;
    }
#pragma unroll 1
    for (int c = 0; c < columns; c++) {
      gdf::by_width(gdf::width_of(values.column[c].type), [&]<class T>() {
        gdf::store(static_cast<T*>(out.column[c].data) + position,
                   gdf::element<T>(values.column[c], row));
      });
    }
  };
  row_order<false> before{in, count, keys, tie_bytes};
  int stage = 1;

  constexpr int most = max_bins / threads;
  int const own = bins / threads; // bins of a thread
  uint32_t const max_size = keys.exact ? max_in_bin : max_tied;
  uint32_t size[most];
  uint32_t sum = 0;
  bool too_many = false;
#pragma unroll
  for (int i = 0; i < most; i++) {
    size[i] = i < own ? at.bins[thread * own + i] : 0;
    too_many |= size[i] > max_size;
    sum += size[i];
  }
  if (!__syncthreads_or(too_many)) { // the condition is the same in all blocks
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
          if (other == static_cast<uint32_t>(i) || at.bin_keys[other] != key) { continue; }
          rank += before(key, at.bin_rows[other], key, row) ? 1 : 0;
        }
      }
      put(rank, row);
    }
    all.add(stage, before);
  } else {
    stage = sort_by_merging(at, rows, shared.tile, before, all, barrier, put);
  }
  if (columns > 0 && !at_once) {
    barrier.wait();
    if (!all.failed(stage)) {
#pragma unroll 1
      for (int c = 0; c < columns; c++) {
        write_rows(values.column[c], out.column[c], at.order, rows, scratch, c);
      }
    }
  }
  if (keys.exact && blockIdx.x == 0 && thread == 0) { gdf::post(mailbox, sorted); }
  if (!barrier.end()) { return; }
  if (!keys.exact && thread == 0) { gdf::post(mailbox, all.failed(stage) ? 2 : sorted); }
  __syncthreads();
  if (thread < count * found_words) { scratch->zeroed[thread] = 0; }
  if (thread == 0) { scratch->zeroed[gave_up] = 0; }
}

/// Writes the rows of the first `columns` columns of `values` in the order of the row numbers `order`.
extern "C" __global__ void GDF_BOUNDS(sort_middle)
sort_rows_kernel(const __grid_constant__ gdf::table_in<16> values,
                 const __grid_constant__ gdf::table_out<16> out, const uint32_t* order, gdf::row_count32 rows,
                 int columns, gdf::scratch* scratch) {
#pragma unroll 1
  for (int c = 0; c < columns; c++) {
    sorting_middle::write_rows(values.column[c], out.column[c], order, rows, scratch, c);
  }
}
