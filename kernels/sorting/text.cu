// Sorts text that is longer than the seven bytes of a key. Rows are first sorted by these bytes. The rows whose keys
// are equal and whose text continues are then selected. Their new key is the number of their run of equal keys,
// followed by the next bytes of the text. These rows are sorted by the new key and written back to their old positions.
// These steps are repeated until no keys are equal, or all texts have ended.

#include <gdf/policy.cuh>
#include <gdf/tile_scan.cuh>

#include "sweep.cuh"

GDF_POLICY(sort_text, 256, 4, 4);

namespace sorting_text {

using namespace sorting;
using tuning = sort_text_tuning;

/// The layout of keys.
struct layout {
  u64 base; // subtracted from the symbols, before low bits are dropped
  int32_t bits;
  int32_t shift;
  int32_t null_position; // negative: no bit
  int32_t flags;         // piece_flags
};
static_assert(sizeof(layout) == 24);

/// [thread] Returns whether the text of this key may continue. A text may continue if it is not null and the last
/// symbol of the key is a byte.
GDF_DEVICE bool goes_on(const layout& of, u64 key) {
  if (of.null_position >= 0) {
    bool const bit = key >> of.null_position & 1;
    if (bit != ((of.flags & nulls_first) != 0)) { return false; }
  } else if (of.flags & 4) { // all rows are null
    return false;
  }
  u64 const distance = of.bits == 0 ? 0 : (key & (~0ull >> (64 - of.bits))) << of.shift;
  u64 const symbols = of.flags & descending ? of.base - distance : of.base + distance;
  return (symbols & ((1u << text_order::symbol) - 1)) != 0;
}

struct place {
  bool head; // the row is the first one of its run of equal keys
  bool open; // the row is in a run of several rows whose text may continue
};

/// [thread] Returns the place of row i of sorted keys.
GDF_DEVICE place place_of(const u64* keys, int64_t rows, int64_t i, const layout& of) {
  u64 const key = keys[i];
  bool const as_before = i > 0 && keys[i - 1] == key;
  bool const as_after = i + 1 < rows && keys[i + 1] == key;
  return {!as_before, (as_before || as_after) && goes_on(of, key)};
}

/// Packs two counts into a word. The low half is 1 if the row is open. The high half is 1 if the row is open and begins
/// a run.
GDF_DEVICE u64 tally(place at) {
  return at.open ? (at.head ? 1ull << 32 : 0) | 1ull : 0;
}

} // namespace sorting_text

/// Writes the rows to their positions and counts the open rows, after a launch has sorted `keys`. `counts` becomes the
/// exclusive sums of the tallies of the tiles. The total is posted to `mailbox`. The kernel uses ticket 33.
extern "C" __global__ void GDF_BOUNDS(sort_text)
sort_text_mark_kernel(const unsigned long long* keys, gdf::row_count rows, const uint32_t* positions,
                      const uint32_t* row_numbers, uint32_t* order, uint8_t* heads,
                      sorting_text::layout of, unsigned long long* counts, gdf::tile_count tiles,
                      gdf::scratch* scratch, unsigned long long* mailbox) {
  using namespace sorting_text;
  constexpr int threads = tuning::threads;
  gdf::for_each_tile<threads, tuning::items>(rows, [&](int64_t first, bool) {
    u64 sum = 0;
#pragma unroll
    for (int k = 0; k < tuning::items; k++) {
      int64_t const i = gdf::row_of<threads>(first, k);
      if (i < rows) {
        place const at = place_of(keys, rows, i, of);
        sum += tally(at);
        if (positions == nullptr) {
          if (heads != nullptr) { heads[i] = at.head; }
        } else {
          uint32_t const position = positions[i];
          order[position] = row_numbers[i];
          if (heads != nullptr && at.head) { heads[position] = 1; }
        }
      }
    }
    sum = gdf::block_sum<threads>(sum);
    if (threadIdx.x == 0) { counts[first / tuning::tile] = sum; }
  });
  gdf::finish_tile_counts<threads, 4>(scratch, 33, gridDim.x, counts, tiles, mailbox);
}

/// Selects the open rows, in order, and gives each of them a new key: the number of its run, followed by the `bytes` (1
/// to 7) bytes from byte `from` on.
extern "C" __global__ void GDF_BOUNDS(sort_text)
sort_text_refine_kernel(const __grid_constant__ gdf::column_in column, int64_t from, gdf::byte_count32 bytes,
                        const unsigned long long* keys, gdf::row_count rows, const uint32_t* positions,
                        const uint32_t* row_numbers, sorting_text::layout of,
                        const unsigned long long* counts, unsigned long long* open_keys,
                        uint32_t* open_positions, uint32_t* open_rows,
                        const __grid_constant__ sorting::sweep state, gdf::scratch* scratch) {
  using namespace sorting_text;
  constexpr int threads = tuning::threads;
  __shared__ uint32_t words[count_words];
  digit_counts const digits_of = counts_in(words, 8);
  begin_sweep<threads>(state, digits_of);
  int const bits = bytes * text_order::symbol;
  gdf::for_each_tile<threads, tuning::items>(rows, [&](int64_t first, bool) {
    u64 base = counts[first / tuning::tile];
#pragma unroll 1
    for (int k = 0; k < tuning::items; k++) {
      int64_t const i = gdf::row_of<threads>(first, k);
      place const at = i < rows ? place_of(keys, rows, i, of) : place{false, false};
      u64 total;
      u64 const before = base + gdf::block_exclusive_sum<threads>(tally(at), total);
      base += total;
      if (at.open) {
        auto const target = static_cast<uint32_t>(before);
        u64 const run = (before >> 32) + (at.head ? 1 : 0) - 1;
        uint32_t const row = row_numbers[i];
        u64 symbols = text_order::symbols(gdf::string_at(column, row), from) >>
                      (text_order::symbol * (text_order::bytes - bytes));
        if (of.flags & descending) { symbols = (~0ull >> (64 - bits)) - symbols; }
        u64 const key = run << bits | symbols;
        open_keys[target] = key;
        open_positions[target] = positions == nullptr ? static_cast<uint32_t>(i) : positions[i];
        open_rows[target] = row;
        count_digits(state, digits_of, key);
      }
    }
  });
  finish_sweep<threads>(state, digits_of, scratch);
}

/// Counts the set bytes of `heads` in each tile, and posts the number of runs.
extern "C" __global__ void GDF_BOUNDS(sort_text)
sort_text_runs_kernel(const uint8_t* heads, gdf::row_count rows, unsigned long long* counts, gdf::tile_count tiles,
                      gdf::scratch* scratch, unsigned long long* mailbox) {
  using namespace sorting_text;
  constexpr int threads = tuning::threads;
  gdf::for_each_tile<threads, tuning::items>(rows, [&](int64_t first, bool) {
    u64 sum = 0;
#pragma unroll
    for (int k = 0; k < tuning::items; k++) {
      int64_t const i = gdf::row_of<threads>(first, k);
      sum += i < rows ? heads[i] : 0;
    }
    sum = gdf::block_sum<threads>(sum);
    if (threadIdx.x == 0) { counts[first / tuning::tile] = sum; }
  });
  gdf::finish_tile_counts<threads, 4>(scratch, 33, gridDim.x, counts, tiles, mailbox);
}

/// Sets ranks[order[i]] to the number of the run that contains place i. `counts` is the output of
/// sort_text_runs_kernel.
extern "C" __global__ void GDF_BOUNDS(sort_text)
sort_text_ranks_kernel(const uint8_t* heads, const uint32_t* order, gdf::row_count rows,
                       const unsigned long long* counts, uint32_t* ranks) {
  using namespace sorting_text;
  constexpr int threads = tuning::threads;
  gdf::for_each_tile<threads, tuning::items>(rows, [&](int64_t first, bool) {
    u64 base = counts[first / tuning::tile];
#pragma unroll 1
    for (int k = 0; k < tuning::items; k++) {
      int64_t const i = gdf::row_of<threads>(first, k);
      u64 const head = i < rows ? heads[i] : 0;
      u64 total;
      u64 const before = gdf::block_exclusive_sum<threads>(head, total);
      if (i < rows) { ranks[order[i]] = static_cast<uint32_t>(base + before + head - 1); }
      base += total;
    }
  });
}
