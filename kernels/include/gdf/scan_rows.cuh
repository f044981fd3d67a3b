// A tile of a scan. Each warp has consecutive rows, and a lane handles 16 bytes of them at a time.
#pragma once

#include "count.cuh"
#include "look_back.cuh"
#include "vector.cuh"

namespace gdf {

/// The flags with which the host describes a scan.
enum scan_modes : int32_t {
  exclusive = 1,
  spread = 2,   // all rows from the first null on are null
  second = 4,   // the minimum in place of the maximum, or `all` in place of `any`
  all_rows = 8, // null rows count as well
  no_rows = 16, // no row counts
};

/// The source of the rows of an operation.
enum class scan_source {
  values,  // the stored values
  numbers, // the row numbers
  numbers_from_end, // row numbers from the end: the last row has number 0 and is scanned first
  ones,    // the value 1 for each row that counts
};

template <class tuning>
GDF_DEVICE int tiles_of(int64_t rows) {
  return static_cast<int>((rows + tuning::tile - 1) / tuning::tile);
}

/// [warp] Returns the number of the first set bit in the words of the lanes, where bit 0 of lane 0 is number 0.
GDF_DEVICE int first_bit(uint32_t word, int none) {
  uint32_t const lanes = __ballot_sync(~0u, word != 0);
  int const lane = lanes == 0 ? 0 : __ffs(static_cast<int>(lanes)) - 1;
  uint32_t const found = __shfl_sync(~0u, word, lane);
  return lanes == 0 ? none : lane * 32 + __ffs(static_cast<int>(found)) - 1;
}

GDF_DEVICE uint32_t counted_word(const column_in& in, int modes, int64_t row) {
  if (modes & no_rows) { return 0; }
  return modes & all_rows ? low_bits(in.length - row) : valid_word(in, row, in.length);
}

/// [thread] Returns the validity of rows [row, row + 32). These row numbers are counted from the end of the column.
GDF_DEVICE uint32_t valid_word_from_end(const column_in& in, int64_t row) {
  int64_t const end = in.length - row;
  int64_t const first = end > 32 ? end - 32 : 0;
  return __brev(valid_word(in, first, end)) >> (32 - static_cast<int>(end - first));
}

/// [thread] Returns the mask word of rows [row, row + 32) of the result.
GDF_DEVICE uint32_t result_word(uint32_t valid, int modes, bool seen, int64_t null_at, int64_t first,
                                int64_t row, int64_t limit) {
  if ((modes & spread) == 0) { return valid; }
  int64_t const end = first + null_at + (modes & exclusive ? 1 : 0);
  return seen ? 0 : low_bits((end < limit ? end : limit) - row);
}

/// [thread] Loads `n` rows in accesses of 16 bytes, or in one access if they have fewer bytes.
///
/// The address must be aligned to the width of an access.
template <int n, class T>
GDF_DEVICE run<T, n> load_aligned(const T* address) {
  constexpr int bytes = sizeof(T) * n;
  constexpr int width = bytes < 16 ? bytes : 16;
  using piece = typename vector_detail::piece<width>::t;
  union bits_t {
    run<T, n> rows;
    piece pieces[bytes / width];
    __device__ bits_t() {}
  } bits;
  auto const* const source = reinterpret_cast<const piece*>(address);
#pragma unroll
  for (int i = 0; i < bytes / width; i++) { bits.pieces[i] = __ldcs(source + i); }
  return bits.rows;
}

/// [block] Scans all rows, of type T, with `op`.
template <class tuning, class T, class Op>
GDF_DEVICE void scan_rows(const column_in& in, const column_out& out, const Op& op,
                          int modes, uint32_t* status, unsigned long long* values,
                          scratch* scratch) {
  using value = typename Op::value;
  constexpr int threads = tuning::threads;
  constexpr int items = tuning::items;
  constexpr int warps = threads / 32;
  constexpr int fits = 16 / static_cast<int>(sizeof(T));
  constexpr int n = fits < 1 ? 1 : fits > items ? items : fits; // rows per access
  constexpr int chunks = items / n;
  static_assert(items <= 32 && items % n == 0 && warps > 1);
  __shared__ u64 warp_value[warps][packed<value>::words];
  __shared__ int warp_null[warps];
  __shared__ u64 before_value[packed<value>::words];
  __shared__ uint32_t before_flags;
  __shared__ uint32_t slots[2];
  // If `early`, the block loads the rows of its next tile while it waits for the tiles before the current one.
  constexpr bool early = Op::from == scan_source::values && sizeof(T) <= 8;
  constexpr bool from_end = Op::from == scan_source::numbers_from_end;

  scan_state const all(fits_entry<Op>, status, values, tiles_of<tuning>(in.length), scratch);
  scan_turns in_turn(scratch, slots, all.tiles);
  gdf::values<T> const column(in);
  auto* const target = static_cast<T*>(out.data);
  uint32_t valid_rows = 0;

  run<T, n> loaded[chunks];
  auto const load_tile = [&](int tile) {
    if constexpr (Op::from == scan_source::values) {
      int64_t const first = int64_t{tile} * tuning::tile + warp() * (32 * items);
      if (first + 32 * items <= in.length && is_aligned(column.first, 16)) {
        auto const* const rows = column.first + first + lane() * n;
#pragma unroll
        for (int k = 0; k < chunks; k++) { loaded[k] = load_aligned<n>(rows + k * (32 * n)); }
      } else {
#pragma unroll
        for (int k = 0; k < chunks; k++) {
          int64_t const row = first + (k * 32 + lane()) * n;
          if (row < in.length) { loaded[k] = load_run<n, true>(column, row, in.length); }
        }
      }
    }
  };

  int next = in_turn.first();
  if (early && next < all.tiles) { load_tile(next); }
  while (next < all.tiles) {
    int const tile = next;
    in_turn.take();
    int64_t const tile_row = int64_t{tile} * tuning::tile;
    int64_t const first = tile_row + warp() * (32 * items); // the first row of the warp
    int64_t const word_row = first + 32 * lane();          // the first row of the mask word of this lane
    bool const has_word = lane() < items && word_row < in.length;
    uint32_t word = 0;
    if (has_word) { word = from_end ? valid_word_from_end(in, word_row) : counted_word(in, modes, word_row); }

    if (!early) { load_tile(tile); }
    value rows[chunks][n];
#pragma unroll
    for (int k = 0; k < chunks; k++) {
      int const at = lane() * n;
      uint32_t const bits = __shfl_sync(~0u, word, k * n + (at >> 5)) >> (at & 31);
#pragma unroll
      for (int i = 0; i < n; i++) {
        rows[k][i] = op.identity();
        if (bits >> i & 1) {
          if constexpr (Op::from == scan_source::values) { rows[k][i] = op.take(loaded[k].row[i]); }
          if constexpr (Op::from == scan_source::numbers || from_end) {
            rows[k][i] = op.take(first + (k * 32 + lane()) * n + i);
          }
          if constexpr (Op::from == scan_source::ones) { rows[k][i] = op.take(); }
        }
      }
    }

    value total = op.identity(); // the total of the chunks of the warp so far
#pragma unroll
    for (int k = 0; k < chunks; k++) {
#pragma unroll
      for (int i = 1; i < n; i++) { rows[k][i] = op(rows[k][i - 1], rows[k][i]); }
      value const inclusive = inclusive_in_warp(op, rows[k][n - 1]);
      value below = from_below(inclusive, 1);
      if (lane() == 0) { below = op.identity(); }
      below = op(total, below);
      total = op(total, from_lane(inclusive, 31));
      if (modes & exclusive) {
#pragma unroll
        for (int i = n - 1; i > 0; i--) { rows[k][i] = op(below, rows[k][i - 1]); }
        rows[k][0] = below;
      } else {
#pragma unroll
        for (int i = 0; i < n; i++) { rows[k][i] = op(below, rows[k][i]); }
      }
    }
    int const null_in_warp =
      first_bit(has_word ? ~word & low_bits(in.length - word_row) : 0u, tuning::tile);
    if (lane() == 0) {
      packed<value> const bits(total);
#pragma unroll
      for (int i = 0; i < packed<value>::words; i++) { warp_value[warp()][i] = bits.word[i]; }
      warp_null[warp()] = null_in_warp;
    }
    in_turn.pass_on();
    __syncthreads();
    next = in_turn.next();

    // Lane w takes the sum of warp w.
    bool const has_warp = lane() < warps;
    value below_and_own = op.identity();
    if (has_warp) {
      packed<value> bits;
#pragma unroll
      for (int i = 0; i < packed<value>::words; i++) { bits.word[i] = warp_value[lane()][i]; }
      below_and_own = bits.value;
    }
    int const null_of = has_warp ? warp_null[lane()] : tuning::tile;
    below_and_own = inclusive_in_warp(op, below_and_own);
    value const own = from_lane(below_and_own, warps - 1); // the total of the tile
    value before = from_lane(below_and_own, warp() == 0 ? 0 : warp() - 1); // the total of the warps before this warp
    if (warp() == 0) { before = op.identity(); }
    uint32_t const with_null = __ballot_sync(~0u, null_of < tuning::tile);
    int const null_warp = with_null == 0 ? 0 : __ffs(static_cast<int>(with_null)) - 1;
    int const null_there = __shfl_sync(~0u, null_of, null_warp);
    int const null_at = with_null == 0 ? tuning::tile : null_warp * 32 * items + null_there;
    bool seen = false;
    if (all.tiles > 1) {
      carry<value> const mine{own, null_at < tuning::tile ? 1u : 0u};
      if (threadIdx.x == 0) { publish_aggregate<Op>(all, tile, mine); }
      if (early && next < all.tiles) { load_tile(next); }
      if (warp() == 0) {
        carry<value> const earlier = look_back(all, op, tile, mine);
        if (lane() == 0) {
          packed<value> const bits(earlier.value);
#pragma unroll
          for (int i = 0; i < packed<value>::words; i++) { before_value[i] = bits.word[i]; }
          before_flags = earlier.flags;
        }
      }
      __syncthreads();
      packed<value> bits;
#pragma unroll
      for (int i = 0; i < packed<value>::words; i++) { bits.word[i] = before_value[i]; }
      before = op(bits.value, before);
      seen = before_flags != 0;
    }

#pragma unroll
    for (int k = 0; k < chunks; k++) {
      int64_t const row = first + (k * 32 + lane()) * n;
      run<T, n> result;
#pragma unroll
      for (int i = 0; i < n; i++) {
        result.row[i] = op.template give<T>(op(before, rows[k][i]));
      }
      if constexpr (from_end) {
#pragma unroll
        for (int i = 0; i < n; i++) {
          if (row + i < out.length) { target[out.length - 1 - row - i] = result.row[i]; }
        }
      } else {
        if (row < out.length) { store_run<n, true>(target, row, out.length, result); }
      }
    }
    if (has_word && out.validity != nullptr) {
      uint32_t const bits =
        result_word(word, modes, seen, null_at, tile_row, word_row, in.length);
      out.validity[word_row >> 5] = bits;
      valid_rows += __popc(bits);
    }
  }
  finish_tiles<threads>(all, scratch);
  post_null_count<threads>(scratch, out, valid_rows);
}

} // namespace gdf
