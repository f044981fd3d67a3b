// Rolling windows of more than `window_unit` rows whose bounds are constants, not columns. A warp takes 256 neighboring
// windows, eight per lane. See crates/gdf-engine/src/windows/README.md.
#pragma once

#include "async_copy.cuh"
#include "sliding_windows.cuh"

namespace gdf {

/// Rows in shared memory.
template <class Value, int rows>
struct staged_rows {
  static_assert(sizeof(Value) == 8 && rows % window_unit == 0);
  Value slot[rows + rows / window_unit];

  /// [thread] Returns row `row`. The threads may pass different rows.
  GDF_DEVICE Value& at(int row) { return slot[row + row / window_unit]; }

  /// [warp] Returns row `row` in lane 0. Each further lane gets the row window_unit rows after the row of the lane
  /// before it.
  GDF_DEVICE Value& of_lane(int row) { return slot[row + row / window_unit + lane() * (window_unit + 1)]; }

  /// [block] Loads the rows of the column from row `first` on. Null rows and rows outside the column become the
  /// identity. The rows can be read after `await_words` and a barrier. Returns true if the rows are stored unconverted,
  /// so that the caller has to convert them by `op.of`. This happens only if `later` is true.
  template <int threads, bool later, class Op>
  GDF_DEVICE bool load(const column_in& in, const Op& op, int64_t first) {
    constexpr int loads = (rows + threads - 1) / threads;
    static_assert(loads <= 32 && threads % 32 == 0 && rows % 32 == 0);
    auto const thread = static_cast<int>(threadIdx.x);
    auto const* const from = op.rows.first + first + thread;
    static_assert(sizeof(*from) == sizeof(Value));
    bool const whole = in.validity == nullptr && first >= 0 && first + rows <= in.length;
    if (later && whole) {
#pragma unroll
      for (int i = 0; i < loads; i++) {
        if (i * threads + thread < rows) {
          copy_word(reinterpret_cast<u64*>(&at(i * threads + thread)), reinterpret_cast<const u64*>(from + i * threads));
        }
      }
      return true;
    }
    Value loaded[loads];
    if (!later && whole) {
#pragma unroll
      for (int i = 0; i < loads; i++) {
        if (i * threads + thread < rows) { loaded[i] = op.of(from[i * threads]); }
      }
    } else {
      uint32_t const word = lane() < loads ? valid_word_around(in, first + lane() * threads + (thread & ~31)) : 0;
#pragma unroll
      for (int i = 0; i < loads; i++) {
        bool const valid = __shfl_sync(~0u, word, i) >> lane() & 1;
        loaded[i] = valid && i * threads + thread < rows ? op.of(from[i * threads]) : op.identity();
      }
    }
#pragma unroll
    for (int i = 0; i < loads; i++) {
      if (i * threads + thread < rows) { at(i * threads + thread) = loaded[i]; }
    }
    return false;
  }
};

/// The numbers of valid rows of the windows of a warp, computed for 32 windows at a time.
struct valid_counts {
  bool equal; // whether all windows have `before` rows, all of them valid
  valid_words words;
  int64_t before; // if not `equal`: number of valid rows of the first of the next 32 windows, without its last row

  /// [warp] Prepares the counts of windows of `all` rows.
  GDF_DEVICE valid_counts(const column_in& in, int64_t all, int64_t begin, int64_t last, int rows, int64_t others)
    : equal(in.validity == nullptr && begin >= 0 && last + window_warp <= in.length), words{0}, before(all) {
    if (equal) { return; }
    words.own = valid_word_around(in, lane() < 16 ? begin + 32 * lane() : last + 32 * (lane() - 16));
    int first = lane() < window_warp / 32 ? __popc(words.own & low_bits(rows - 32 * lane())) : 0;
#pragma unroll
    for (int step = 4; step > 0; step >>= 1) { first += __shfl_xor_sync(~0u, first, step); }
    before = others + __shfl_sync(~0u, first, 0);
  }

  /// [warp] Returns the number of valid rows of window 32 i + lane. Calls must be in the order of i.
  GDF_DEVICE int64_t operator()(int i) {
    if (equal) { return before; }
    uint32_t const gone = __shfl_sync(~0u, words.own, i);
    uint32_t const come = __shfl_sync(~0u, words.own, 16 + i);
    int64_t const count = before + __popc(come & low_bits(lane() + 1)) - __popc(gone & low_bits(lane()));
    before += __popc(come) - __popc(gone);
    return count;
  }
};

/// [warp] Calls `put(i, value)` with the aggregates of 256 windows, eight per lane.
///
/// `suffix[i]` is the aggregate of the rows of window i that come before the last row of the lane's first window.
template <class Op, class Last, class Put>
GDF_DEVICE void aggregate_windows(const Op& op, const typename Op::value (&suffix)[window_unit], Last&& last, Put&& put) {
  typename Op::value prefix = last(0);
#pragma unroll
  for (int i = 0; i < window_unit; i++) {
    if (i > 0) { prefix = op(prefix, last(i)); }
    put(i, op(suffix[i], prefix));
  }
  __syncwarp();
}

template <class Op>
constexpr bool has_mean = requires { &Op::mean_of; };

/// [warp] Writes the results of 256 windows from row `row` on.
///
/// `all(i)` is the aggregate of window 32 i + lane.
template <bool with_reciprocal, class Op, class All>
GDF_DEVICE uint32_t give_windows(const column_out& out, const Op& op, int64_t row, const valid_counts& counts, All&& all) {
  using result = counted<typename Op::value>;
  int const limit = out.length - row < window_warp ? static_cast<int>(out.length - row) : window_warp;
  auto* const words = static_cast<u64*>(out.data) + row + lane();
  if (width_of(out.type) != 8) {
    valid_counts count = counts;
#pragma unroll 1
    for (int i = 0; i < window_unit; i++) {
      result const each{all(i), count(i)};
      if (i * 32 + lane() < limit) { op.store(out, row + i * 32 + lane(), op.number(each)); }
    }
  } else if (with_reciprocal && has_mean<Op> && op.divides() && counts.equal) {
    if constexpr (with_reciprocal && has_mean<Op>) {
      auto const count = static_cast<double>(counts.before);
      double const reciprocal = __drcp_rn(count);
      bool divides = false;
#pragma unroll
      for (int i = 0; i < window_unit; i++) {
        if (i * 32 + lane() < limit) { words[i * 32] = op.mean_of(all(i), count, reciprocal); }
        divides |= op.far_from_one(all(i));
      }
#pragma unroll 1
      for (int i = 0; divides && i < window_unit; i++) {
        if (i * 32 + lane() < limit) { words[i * 32] = op.number({all(i), counts.before}); }
      }
    }
  } else if (op.divides()) {
    valid_counts count = counts;
#pragma unroll 2
    for (int i = 0; i < window_unit; i++) {
      result const each{all(i), count(i)};
      if (i * 32 + lane() < limit) { words[i * 32] = op.number(each); }
    }
  } else {
#pragma unroll
    for (int i = 0; i < window_unit; i++) {
      if (i * 32 + lane() < limit) { words[i * 32] = op.word(all(i)); }
    }
  }
  if (out.validity == nullptr) { return 0; }
  valid_counts count = counts;
  uint32_t mine = 0;
#pragma unroll 1
  for (int i = 0; i < window_unit; i++) {
    int64_t const valid = count(i);
    uint32_t const word = __ballot_sync(~0u, i * 32 + lane() < limit && op.is_valid(valid));
    if (lane() == i) { mine = word; }
  }
  if (lane() * 32 >= limit) { return 0; }
  out.validity[(row >> 5) + lane()] = mine;
  return __popc(mine);
}

/// [block] Aggregates windows of more than window_unit rows, and at most window_warp rows.
///
/// A block has its own rows and the window_warp rows before its own rows in shared memory.
template <class tuning, class Op>
GDF_DEVICE void roll_medium_windows(const column_in& in, const window_plan& plan, const column_out& out, const Op& op,
                                    staged_rows<typename Op::value, tuning::tile + window_warp>& staged, scratch* scratch) {
  using value = typename Op::value;
  static_assert(tuning::items == window_unit);
  int const rows = static_cast<int>(plan.preceding + plan.following);
  int const between = rows - 1 - window_unit; // rows that all windows of a lane share, without their last rows
  int const eights = between / window_unit;
  int const rest = between % window_unit;
  int const own = window_warp + warp() * window_warp; // the last row of the warp's first window
  int const begin = own - (rows - 1);
  uint32_t valid_rows = 0;
  for_each_tile<tuning::threads, tuning::items>(out.length, [&](int64_t first, bool) {
    // Each row is read several times. The conversion is therefore postponed to these reads only if it is quick.
    bool const raw = staged.template load<tuning::threads, Op::quick>(in, op, first + plan.following - window_warp);
    await_words();
    __syncthreads();
    auto const taken = [&](int at) {
      value const row = staged.of_lane(at);
      return raw ? op.of(static_cast<typename Op::stored>(row)) : row;
    };
    int64_t const row = first + warp() * window_warp;
    value suffix[window_unit];
    auto const last = [&](int i) { return taken(own + i); };
    value shared[1] = {op.identity()};
    if (eights > 0) {
      value sums[2] = {taken(own - window_warp), last(0)};
#pragma unroll
      for (int i = 1; i < window_unit; i++) {
        sums[0] = op(sums[0], taken(own - window_warp + i));
        sums[1] = op(sums[1], last(i));
      }
      sum_lanes_before<Op, 1>(op, sums, eights, shared);
    }
    for (int i = rest - 1; i >= 0; i--) { shared[0] = op(taken(begin + window_unit + i), shared[0]); }
#pragma unroll
    for (int i = window_unit - 1; i >= 0; i--) {
      shared[0] = op(taken(begin + i), shared[0]);
      suffix[i] = shared[0];
    }
    __syncthreads(); // all rows have been read, so that results may overwrite them
    aggregate_windows(op, suffix, last, [&](int i, const value& all) { staged.of_lane(own + i) = all; });
    if (row < out.length) {
      int64_t const last_row = row + plan.following;
      valid_counts const counts(in, rows, last_row - (rows - 1), last_row, rows - 1, 0);
      valid_rows += give_windows<false>(out, op, row, counts, [&](int i) { return staged.at(own + i * 32 + lane()); });
    }
    __syncthreads();
  });
  post_null_count<tuning::threads>(scratch, out, valid_rows);
}

/// The rows [begin, end) that all windows of a warp share.
///
/// Most of these rows lie in units whose aggregates are in the levels.
template <class Value>
struct shared_rows {
  int64_t begin;
  int64_t head_end;
  int64_t tail_begin;
  int64_t end;
  int units; // the units of the last level from here to units_end are not yet in `all`
  int units_end;
  counted<Value> all; // the lane's share of the aggregate

  /// [warp] Loads the aggregates of levels early, so that the loads overlap with other work.
  template <class Op>
  GDF_DEVICE shared_rows(const window_query<Op>& query, int64_t begin, int64_t end)
    : begin(begin), end(end), units(0), units_end(0), all{query.op.identity(), 0} {
    int level = 0; // where the level begins in memory; an int suffices, as no memory holds 2^31 units
    auto level_units = static_cast<int>((query.in.length + window_tile - 1) / window_tile);
    auto low = static_cast<int>((begin + window_tile - 1) / window_tile);
    auto high = static_cast<int>(end == query.in.length ? level_units : end / window_tile);
    head_end = low > high || int64_t{low} * window_tile > end ? end : int64_t{low} * window_tile;
    tail_begin = low > high ? end : int64_t{high} * window_tile;
    int at = -1; // the place of the prefix, suffix or unit that this lane loads
    int taken = 0;
    for (int left = query.levels; low < high; left--) {
      auto const group = [](int unit) { return static_cast<unsigned>(unit) / window_group; };
      if (left == 1 || group(low) == group(high - 1)) {
        int const own = lane() - taken; // lanes below `taken` already load prefixes and suffixes
        if (own >= 0 && low + own < high) { at = level + low + own; }
        units = level + low + (32 - taken);
        units_end = level + high;
        break;
      }
      if (lane() == taken && (low & (window_group - 1)) != 0) { at = level + 2 * level_units + low; }
      if (lane() == taken + 1 && (high & (window_group - 1)) != 0) { at = level + level_units + high - 1; }
      taken += 2; // no overflow: 128 rows times 32 to the power of 7 are more than any memory holds
      low = static_cast<int>(group(low + window_group - 1));
      high = static_cast<int>(group(high));
      level += 3 * level_units;
      level_units = static_cast<int>(group(level_units + window_group - 1));
    }
    if (at >= 0) { all = query.level(at); }
  }

  /// [warp] Returns the lane's share of the aggregate, and the number of all valid rows.
  ///
  /// Without a mask, valid rows are not counted.
  template <class Op, class Head, class Tail>
  GDF_DEVICE counted<Value> finish(const window_query<Op>& query, Head&& head, Tail&& tail) {
    const column_in& in = query.in;
    const Op& op = query.op;
    for (int64_t row = begin + lane(); row < head_end; row += 32) { all.value = op(all.value, head(row)); }
    for (int64_t row = tail_begin + lane(); row < end; row += 32) { all.value = op(all.value, tail(row)); }
    for (units += lane(); units < units_end; units += 32) { query.add(all, units); }
    if (in.validity != nullptr) {
      static_assert(window_tile == 4 * 32);
      int64_t const word_row = lane() < 4 ? begin + 32 * lane() : tail_begin + 32 * (lane() - 4);
      int64_t const word_end = lane() < 4 ? head_end : end;
      if (lane() < 8 && word_row < word_end) { all.count += __popc(valid_word(in, word_row, word_end)); }
#pragma unroll
      for (int step = 16; step > 0; step >>= 1) { all.count += __shfl_xor_sync(~0u, all.count, step); }
    }
    return all;
  }
};

/// [block] Aggregates windows of more than window_warp rows.
///
/// A window consists of three parts: rows at its begin, the rows that all windows of a warp share, and rows at its end.
template <class tuning, class Op>
GDF_DEVICE void roll_long_windows(const column_in& in, const window_plan& plan, const column_out& out, const Op& op,
                                  const window_memory<typename Op::value>& memory,
                                  staged_rows<typename Op::value, tuning::tile + window_tile> (&staged)[2],
                                  scratch* scratch) {
  using value = typename Op::value;
  static_assert(tuning::items == window_unit);
  window_query<Op> const query{in, op, memory, plan.levels};
  int const own = warp() * window_warp;
  uint32_t valid_rows = 0;
  auto const within = [&](int64_t row) { return row < 0 ? 0 : row > in.length ? in.length : row; };
  // Tiles are taken backwards. The aggregates of the last rows were computed last, so that these rows are still in the
  // L2 cache.
  int64_t const last_tile = (out.length - 1) / tuning::tile * tuning::tile;
  for_each_tile<tuning::threads, tuning::items>(out.length, [&](int64_t done, bool) {
    int64_t const first = last_tile - done;
    int64_t const first_begin = first - plan.preceding + 1;          // the row number of row 0 of staged[0]
    int64_t const first_last = first + plan.following - window_tile; // the row number of row 0 of staged[1]
    int64_t const shared_begin = within(first_begin + own + window_warp);
    int64_t const shared_end = within(first_last + window_tile + own);
    shared_rows<value> shared(query, shared_begin, shared_end < shared_begin ? shared_begin : shared_end);
    bool const raw[2] = {staged[0].template load<tuning::threads, true>(in, op, first_begin),
                         staged[1].template load<tuning::threads, true>(in, op, first_last)};
    await_words();
    __syncthreads();
    auto const taken = [&](int side, value row) {
      return raw[side] ? op.of(static_cast<typename Op::stored>(row)) : row;
    };
    counted<value> const between = shared.finish(
      query, [&](int64_t row) { return taken(0, staged[0].at(static_cast<int>(row - first_begin))); },
      [&](int64_t row) { return taken(1, staged[1].at(static_cast<int>(row - first_last))); });

    // A window begins with a suffix of the lane's eight rows, followed by all rows of the lanes above.
    value suffix[window_unit];
#pragma unroll
    for (int i = 0; i < window_unit; i++) { suffix[i] = taken(0, staged[0].of_lane(own + i)); }
#pragma unroll
    for (int i = window_unit - 2; i >= 0; i--) { suffix[i] = op(suffix[i], suffix[i + 1]); }
    // The aggregate of the shared rows combines the shares of all lanes: the shares of lower lanes, the share of this
    // lane, and the shares of higher lanes.
    value scanned = op(suffix[0], between.value);
#pragma unroll
    for (int step = 1; step < 32; step <<= 1) {
      value const other = from_above(scanned, step);
      if (lane() + step < 32) { scanned = op(scanned, other); }
    }
    value above = from_above(scanned, 1);
    above = lane() == 31 ? between.value : op(above, between.value); // `between` is the lane's own share

    // A window ends with all rows of the lanes below, followed by a prefix of the lane's eight rows.
    value prefix[window_unit];
#pragma unroll
    for (int i = 0; i < window_unit; i++) { prefix[i] = taken(1, staged[1].of_lane(window_tile + own + i)); }
#pragma unroll
    for (int i = 1; i < window_unit; i++) { prefix[i] = op(prefix[i - 1], prefix[i]); }
    scanned = from_below(inclusive_in_warp(op, op(prefix[window_unit - 1], between.value)), 1);
    value const shared_by_lane = lane() == 0 ? above : op(above, scanned);
    // No other warp reads these positions for the rows at the ends of its units, so the results can be stored here.
    static_assert(window_tile == window_warp / 2);
    __syncwarp();
#pragma unroll
    for (int i = 0; i < window_unit; i++) {
      (lane() < 16 ? staged[1].of_lane(window_tile + own + i) : staged[0].of_lane(own + i)) =
        op(op(suffix[i], shared_by_lane), prefix[i]);
    }
    __syncwarp();
    int64_t const row = first + own;
    if (row < out.length) {
      int64_t const others = in.validity != nullptr ? between.count : shared.end - shared.begin;
      valid_counts const counts(in, plan.preceding + plan.following, first_begin + own, first_last + window_tile + own,
                                window_warp, others);
      valid_rows += give_windows<true>(out, op, row, counts, [&](int i) {
        return i < 4 ? staged[1].at(window_tile + own + i * 32 + lane()) : staged[0].at(own + i * 32 + lane());
      });
    }
    __syncthreads();
  });
  post_null_count<tuning::threads>(scratch, out, valid_rows);
}

} // namespace gdf
