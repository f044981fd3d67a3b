// Windows that move by one row from row to row, which neighboring rows share: see crates/gdf-detail/src/engine/windows/README.md.
#pragma once

#include "windows.cuh"

namespace gdf {

constexpr int window_chunks = 4; // of 32 rows, that a warp does whose windows have as many rows or more

/// [thread] Which of rows [row, row + 32) are valid; not those before the first row, and from the end on.
GDF_DEVICE uint32_t valid_word_around(const column_in& in, int64_t row) {
  if (row <= -32 || row >= in.length) { return 0; }
  return row < 0 ? valid_word(in, 0, in.length) << -row : valid_word(in, row, in.length);
}

/// [block] Windows of at most `window_direct` rows, none of which is bounded by `window_relative` columns: a tile's rows are
/// in shared memory, `tile_rows`, of tuning::tile + window_direct values, where each row is taken once and read by all windows that have it.
template <class tuning, class Op>
GDF_DEVICE void roll_short_windows(const column_in& in, const window_bounds& bounds, const column_out& out, const Op& op,
                                   typename Op::value* tile_rows, scratch* scratch) {
  using value = typename Op::value;
  constexpr int threads = tuning::threads;
  const window_plan& plan = bounds.plan;
  uint32_t valid_rows = 0;
  int64_t const stride = int64_t{gridDim.x} * tuning::tile;
  for (int64_t first = int64_t{blockIdx.x} * tuning::tile; first < out.length; first += stride) {
    int64_t const before = first - plan.preceding + 1;
    int64_t const behind = first + tuning::tile + plan.following;
    int64_t const begin = before < 0 ? 0 : before;
    int64_t const end = behind < in.length ? behind : in.length;
    for (int64_t row = begin + threadIdx.x; row < end; row += threads) {
      tile_rows[row - begin] = is_valid(in, row) ? op.take(row) : op.identity();
    }
    __syncthreads();
#pragma unroll
    for (int i = 0; i < tuning::items; i++) {
      int64_t const row = row_of<threads>(first, i);
      if (row - lane() >= out.length) { break; }
      bool valid = false;
      if (row < out.length) {
        window const rows = bounds[row];
        int const n = static_cast<int>(rows.rows());
        auto const* const from = tile_rows + (rows.begin - begin);
        counted<value> all{op.identity(), n};
#pragma unroll 4
        for (int k = 0; k < n; k++) { all.value = op(all.value, from[k]); }
        if (in.validity != nullptr) { all.count = __popc(valid_word(in, rows.begin, rows.end)); }
        valid = op.give(out, row, all, rows);
      }
      valid_rows += store_valid_word(out, row - lane(), valid);
    }
    __syncthreads();
  }
  post_null_count<threads>(scratch, out, valid_rows);
}

/// [warp] The rows of a window, in all lanes: as `window_query`, a lane for each row and each aggregate that it consists of.
template <class Op>
GDF_DEVICE counted<typename Op::value> whole_window(const window_query<Op>& query, const window& rows) {
  using value = typename Op::value;
  counted<value> all{query.op.identity(), 0};
  if (rows.rows() <= 32) {
    int64_t const row = rows.begin + lane();
    if (row < rows.end) { query.add_rows(all, row, row + 1); }
  } else {
    int64_t low = (rows.begin + window_unit - 1) / window_unit;
    int64_t high = rows.end / window_unit;
    // Rows that are in no unit, up to 7 at either end, then a suffix and a prefix of each level.
    int64_t row = lane() < window_unit ? rows.begin + lane() : high * window_unit + lane() - window_unit;
    int64_t const limit = lane() < window_unit ? low * window_unit : rows.end;
    if (lane() < 2 * window_unit && row < limit) { query.add_rows(all, row, row + 1); }
    window_level level = window_level::bottom(query.in.length);
    int at = 2 * window_unit;
    for (int left = query.levels; low < high; left--) {
      if (left == 1 || low / window_group == (high - 1) / window_group) {
        for (int64_t unit = low + lane(); unit < high; unit += 32) { query.add(all, level.first + unit); }
        break;
      }
      if (lane() == at && low % window_group != 0) { query.add(all, level.first + 2 * level.units + low); }
      if (lane() == at + 1 && high % window_group != 0) { query.add(all, level.first + level.units + high - 1); }
      at += 2;
      low = (low + window_group - 1) / window_group;
      high /= window_group;
      level = level.above();
    }
    static_assert(2 * window_unit + 2 * 7 <= 32); // 8 rows and 32 to the power of 6 are past any memory
  }
#pragma unroll
  for (int step = 16; step > 0; step >>= 1) {
    auto const other = [&](auto word) { return __shfl_xor_sync(~0u, word, step); };
    all = {query.op(all.value, shuffled(all.value, other)), all.count + other(all.count)};
  }
  return all;
}

/// [block] Windows without columns that bound them, of 32 * window_chunks rows or more but for the ends of the column: a warp
/// does as many rows, whose windows consist of some rows at the begin, of others at the end, and of what they share between.
template <class tuning, class Op>
GDF_DEVICE void roll_long_windows(const column_in& in, const window_bounds& bounds, const column_out& out, const Op& op,
                                  const window_memory<typename Op::value>& memory, scratch* scratch) {
  using value = typename Op::value;
  constexpr int chunks = window_chunks;
  constexpr int tile = 32 * chunks;
  const window_plan& plan = bounds.plan;
  window_query<Op> const query{in, op, memory, plan.levels};
  uint32_t valid_rows = 0;
  int64_t const warps = int64_t{gridDim.x} * (tuning::threads / 32);
  int64_t const own = int64_t{blockIdx.x} * (tuning::threads / 32) + warp();
  auto const within = [&](int64_t row) { return row < 0 ? 0 : row > in.length ? in.length : row; };
  for (int64_t base = own * tile; base < out.length; base += warps * tile) {
    int64_t const begin = base - plan.preceding + 1; // of the window of the first row
    int64_t const end = base + plan.following + 1;
    value suffix[chunks];
    value prefix[chunks];
    uint32_t first_valid[chunks];
    uint32_t last_valid[chunks];
#pragma unroll
    for (int i = 0; i < chunks; i++) {
      int64_t const first = begin + i * 32;
      int64_t const last = end + i * 32;
      first_valid[i] = valid_word_around(in, first);
      last_valid[i] = valid_word_around(in, last);
      suffix[i] = first_valid[i] >> lane() & 1 ? op.take(first + lane()) : op.identity();
      prefix[i] = last_valid[i] >> lane() & 1 ? op.take(last + lane()) : op.identity();
    }
    window shared{within(begin + tile), within(end)};
    shared.end = shared.end < shared.begin ? shared.begin : shared.end;
    counted<value> const middle = whole_window(query, shared);
    int64_t valid_from = middle.count; // in the window of the chunk's first row
    value after = middle.value;
#pragma unroll
    for (int i = 0; i < chunks; i++) { valid_from += __popc(first_valid[i]); }
#pragma unroll
    for (int i = chunks - 1; i >= 0; i--) {
#pragma unroll
      for (int step = 1; step < 32; step <<= 1) {
        value const other = from_above(suffix[i], step);
        if (lane() + step < 32) { suffix[i] = op(suffix[i], other); }
      }
      suffix[i] = op(suffix[i], after);
      after = from_lane(suffix[i], 0);
    }
    value before = op.identity();
#pragma unroll
    for (int i = 0; i < chunks; i++) {
#pragma unroll
      for (int step = 1; step < 32; step <<= 1) {
        value const other = from_below(prefix[i], step);
        if (lane() >= step) { prefix[i] = op(other, prefix[i]); }
      }
      value const below = from_below(prefix[i], 1);
      value const total = from_lane(prefix[i], 31);
      value const all = lane() == 0 ? before : op(before, below);
      before = op(before, total);
      int64_t const row = base + i * 32 + lane();
      if (row - lane() >= out.length) { break; }
      bool valid = false;
      if (row < out.length) {
        window const rows = bounds[row];
        uint32_t const below_lane = (1u << lane()) - 1;
        int const change = __popc(last_valid[i] & below_lane) - __popc(first_valid[i] & below_lane);
        int64_t const count = in.validity == nullptr ? rows.rows() : valid_from + change;
        valid = op.give(out, row, counted<value>{op(suffix[i], all), count}, rows);
      }
      valid_from += __popc(last_valid[i]) - __popc(first_valid[i]);
      valid_rows += store_valid_word(out, row - lane(), valid);
    }
  }
  post_null_count<tuning::threads>(scratch, out, valid_rows);
}

} // namespace gdf
