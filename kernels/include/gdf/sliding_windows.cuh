// Windows that move by one row from each row to the next. Neighboring rows therefore share most rows of their windows.
// See crates/gdf-engine/src/windows/README.md.
#pragma once

#include "vector.cuh"
#include "windows.cuh"

namespace gdf {

/// [block] Aggregates windows that have at most `window_direct` rows of `in`. No column of the kind `window_relative`
/// bounds the windows.
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

template <class Value>
struct row_pair {
  Value first;
  Value second;
};

/// [thread] Returns the validity word of rows [row, row + 32). Rows before the first row and past the end count as
/// null.
GDF_DEVICE uint32_t valid_word_around(const column_in& in, int64_t row) {
  if (row <= -32 || row >= in.length) { return 0; }
  return row < 0 ? valid_word(in, 0, in.length) << -row : valid_word(in, row, in.length);
}

/// The validity of consecutive rows of a warp, beginning with any row. Each lane has one mask word.
struct valid_words {
  uint32_t own;

  /// [warp] Returns 64 bits, from the first bit of word `number` on.
  GDF_DEVICE u64 two(int number) const {
    return u64{__shfl_sync(~0u, own, number + 1)} << 32 | __shfl_sync(~0u, own, number);
  }
  /// [warp] Returns 64 bits, from bit `at` on. The lanes may pass different `at`.
  GDF_DEVICE u64 from(int at) const {
    uint32_t const low = __shfl_sync(~0u, own, at >> 5);
    uint32_t const middle = __shfl_sync(~0u, own, (at >> 5) + 1);
    uint32_t const high = __shfl_sync(~0u, own, (at >> 5) + 2);
    return u64{__funnelshift_r(middle, high, at & 31)} << 32 | __funnelshift_r(low, middle, at & 31);
  }
  /// [warp] Returns the bits of the lane's two rows among 64 rows, from the first bit of word `number` on.
  ///
  /// The higher bits are those of later rows.
  GDF_DEVICE uint32_t pair(int number) const {
    return __shfl_sync(~0u, own, number + (lane() >> 4)) >> (2 * lane() & 31);
  }
};

/// [warp] Loads 64 rows from `first` on, two rows for each lane.
template <class Op>
GDF_DEVICE row_pair<typename Op::value> load_pair(const column_in& in, const Op& op, int64_t first, const valid_words* valid,
                                                  int number) {
  auto const* const rows = op.rows.first + first + 2 * lane();
  if (valid == nullptr) {
    auto const loaded = load_run<2>(rows);
    return {op.of(loaded.row[0]), op.of(loaded.row[1])};
  }
  uint32_t const bits = valid->pair(number);
  return {bits & 1 ? op.of(rows[0]) : op.identity(), bits & 2 ? op.of(rows[1]) : op.identity()};
}

/// [warp] Writes the mask words of 64 rows from `row` on. Each lane has two of these rows.
GDF_DEVICE uint32_t store_valid_pairs(const column_out& out, int64_t row, bool first_valid, bool second_valid) {
  if (out.validity == nullptr) { return 0; }
  auto const spread = [](uint32_t bits) { // moves bit i to bit 2 i
    bits = (bits | bits << 8) & 0x00ff00ff;
    bits = (bits | bits << 4) & 0x0f0f0f0f;
    bits = (bits | bits << 2) & 0x33333333;
    return (bits | bits << 1) & 0x55555555;
  };
  uint32_t const first = __ballot_sync(~0u, first_valid) >> 16 * (lane() & 1) & 0xffff;
  uint32_t const second = __ballot_sync(~0u, second_valid) >> 16 * (lane() & 1) & 0xffff;
  if (lane() > 1 || row + 32 * lane() >= out.length) { return 0; }
  uint32_t const bits = spread(first) | spread(second) << 1;
  out.validity[(row >> 5) + lane()] = bits;
  return __popc(bits);
}

/// [warp] Writes the results of 64 rows from `row` on.
template <class Op>
GDF_DEVICE uint32_t give_pair(const column_out& out, const Op& op, int64_t row,
                              const row_pair<counted<typename Op::value>>& all) {
  int64_t const own = row + 2 * lane();
  u64 const first = op.number(all.first);
  u64 const second = op.number(all.second);
  if (own + 1 < out.length && width_of(out.type) == 8) {
    reinterpret_cast<ulonglong2*>(out.data)[own / 2] = {first, second};
  } else {
    if (own < out.length) { op.store(out, own, first); }
    if (own + 1 < out.length) { op.store(out, own + 1, second); }
  }
  return store_valid_pairs(out, row, own < out.length && op.is_valid(all.first.count),
                           own + 1 < out.length && op.is_valid(all.second.count));
}

template <class Value>
GDF_DEVICE Value from_far_below(const Value& value, const Value& before, int distance) {
  return from_lane(lane() + distance >= 32 ? before : value, (lane() - distance) & 31);
}

/// [warp] Computes, for each lane of each chunk except the first, the sum of the values of the `count` lanes before
/// that lane.
template <class Op, int chunks>
GDF_DEVICE void sum_lanes_before(const Op& op, typename Op::value (&sums)[chunks + 1], int count,
                                 typename Op::value (&before)[chunks]) {
#pragma unroll
  for (int c = 0; c < chunks; c++) { before[c] = op.identity(); }
  int width = 1;
  int behind = 1;
#pragma unroll 1
  for (int left = count; left > 0; left >>= 1) {
    if (left & 1) {
#pragma unroll
      for (int c = 0; c < chunks; c++) { before[c] = op(from_far_below(sums[c + 1], sums[c], behind), before[c]); }
      behind += width;
    }
    if (left > 1) {
#pragma unroll
      for (int c = chunks; c > 0; c--) { sums[c] = op(from_far_below(sums[c], sums[c - 1], width), sums[c]); }
      sums[0] = op(from_below(sums[0], width), sums[0]); // lanes whose sums are incomplete are never read
      width *= 2;
    }
  }
}

/// [block] Aggregates windows of 2 to window_direct rows.
template <class tuning, class Op>
GDF_DEVICE void roll_fixed_windows(const column_in& in, const window_plan& plan, const column_out& out, const Op& op,
                                   scratch* scratch) {
  using value = typename Op::value;
  constexpr int chunks = tuning::items / 2;
  constexpr int tile = 64 * chunks; // rows of a warp
  int const rows = static_cast<int>(plan.preceding + plan.following);
  int const distance = rows / 2; // the distance to the begin of the windows, in lanes
  uint32_t valid_rows = 0;
  int64_t const warps = int64_t{gridDim.x} * (tuning::threads / 32);
  int64_t const own = int64_t{blockIdx.x} * (tuning::threads / 32) + warp();
  for (int64_t base = own * tile; base < out.length; base += warps * tile) {
    // The loaded rows begin 64 rows before the last row of the first window. Their number is 64 plus the number of rows
    // of a tile.
    int64_t const first = base + plan.following - 64;
    bool const all_valid = in.validity == nullptr && first >= 0 && first + 64 + tile <= in.length;
    valid_words const words{all_valid ? ~0u : valid_word_around(in, first + 32 * lane())};
    valid_words const* const valid = all_valid ? nullptr : &words;
    row_pair<value> pairs[chunks + 1];
#pragma unroll
    for (int c = 1; c <= chunks; c++) { pairs[c] = load_pair(in, op, first + c * 64, valid, 2 * c); }
    pairs[0] = load_pair(in, op, first, valid, 0);

    value sums[chunks + 1]; // sums of `width` pairs of rows, which end with the pair of the lane
    value shared[chunks];
#pragma unroll
    for (int c = 0; c <= chunks; c++) { sums[c] = op(pairs[c].first, pairs[c].second); }
    sum_lanes_before<Op, chunks>(op, sums, distance - 1, shared);
#pragma unroll
    for (int c = 0; c < chunks; c++) {
      int64_t const row = base + c * 64;
      if (row >= out.length) { break; }
      row_pair<value> const mine = pairs[c + 1];
      value const begin = from_far_below(mine.second, pairs[c].second, distance);
      value const all = op(shared[c], mine.first);
      row_pair<counted<value>> results{{op(begin, all), rows}, {op(all, mine.second), rows}};
      if (rows & 1) {
        results.second.value = op(begin, results.second.value);
        results.first.value = op(from_far_below(mine.first, pairs[c].first, distance), results.first.value);
      }
      if (!all_valid) {
        u64 const bits = words.from(64 + c * 64 + 2 * lane() - rows + 1);
        results.first.count = __popcll(bits & low_bits64(rows));
        results.second.count = __popcll(bits >> 1 & low_bits64(rows));
      }
      valid_rows += give_pair(out, op, row, results);
    }
  }
  post_null_count<tuning::threads>(scratch, out, valid_rows);
}

/// [block] Builds the first level, whose units have window_tile rows. A warp loads the rows of several units of a group
/// together.
template <class tuning, class Op>
GDF_DEVICE void build_tiles(const column_in& in, const Op& op, const window_memory<typename Op::value>& memory, bool last) {
  using value = typename Op::value;
  constexpr int units = window_group / (tuning::threads / 32);
  constexpr int chunks = window_tile / 64; // the number of chunks of a unit
  constexpr int words_of_unit = window_tile / 32;
  static_assert(tuning::tile == window_group * window_tile && units == 4);
  __shared__ value unit_value[window_group];
  __shared__ int unit_count[window_group];
  window_level const level = window_level::bottom(in.length, window_tile);
  for (int64_t group = blockIdx.x; group * window_group < level.units; group += gridDim.x) {
    int64_t const first = (group * window_group + warp() * units) * window_tile;
    bool const all_valid = in.validity == nullptr && first + units * window_tile <= in.length;
    valid_words const words{all_valid ? ~0u : valid_word_around(in, first + 32 * lane())};
    value all[units];
#pragma unroll
    for (int i = 0; i < units; i++) {
      row_pair<value> pairs[chunks];
#pragma unroll
      for (int c = 0; c < chunks; c++) {
        int const chunk = i * chunks + c;
        pairs[c] = load_pair(in, op, first + chunk * 64, all_valid ? nullptr : &words, 2 * chunk);
      }
      all[i] = op(op(pairs[0].first, pairs[0].second), op(pairs[1].first, pairs[1].second));
    }
    // In each step, each half of the lanes keeps half of the units. In the end, eight lanes have one unit.
    auto const halved = [&](value low, value high, int step) {
      bool const upper = (lane() & step) != 0;
      auto const other = [&](auto word) { return __shfl_xor_sync(~0u, word, step); };
      return op(upper ? high : low, shuffled(upper ? low : high, other));
    };
    value mine = halved(halved(all[0], all[2], 16), halved(all[1], all[3], 16), 8);
#pragma unroll
    for (int step = 4; step > 0; step >>= 1) { mine = halved(mine, mine, step); }
    if (lane() % 8 == 0) { unit_value[warp() * units + lane() / 8] = mine; }
    int count = __popc(words.own);
#pragma unroll
    for (int step = 1; step < words_of_unit; step <<= 1) { count += __shfl_xor_sync(~0u, count, step); }
    if (lane() % words_of_unit == 0 && lane() < units * words_of_unit) {
      unit_count[warp() * units + lane() / words_of_unit] = count;
    }
    __syncthreads();
    if (warp() == 0) {
      store_group(op, memory, level, group * window_group + lane(), {unit_value[lane()], unit_count[lane()]}, last);
    }
    __syncthreads();
  }
}

} // namespace gdf
