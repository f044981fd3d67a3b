// Aggregations of windows of rows, at a cost that hardly depends on the number of rows of a window. See
// crates/gdf-engine/src/windows/README.md.
//
// 8 rows form a unit of the first level. 32 units form a group, whose aggregate is a unit of the next level, and so on.
#pragma once

#include "count.cuh"
#include "grid.cuh"
#include "index.cuh"
#include "monoid.cuh"

namespace gdf {

constexpr int window_unit = 8;    // rows of a unit of the first level
constexpr int window_group = 32;  // units of a group: one per lane of a warp
constexpr int window_tile = 128;  // rows of a unit of the first level, for windows that a warp handles together
constexpr int window_warp = 256;  // windows that a warp handles together, if they have more rows than a unit
constexpr int window_direct = 32; // windows with up to 32 rows are read row by row

/// How the value in row i of a bounding column limits the window of row i. The numbers of rows before and after row i
/// limit the window as well.
enum window_bound : int32_t {
  window_open = 0,     // there is no bounding column
  window_relative = 1, // number of rows before row i (including row i) or after it; null: empty window
  window_first = 2,    // number of the first row of the window
  window_last = 3,     // number of the last row of the window
  window_end = 4,      // number of the row after the last row of the window
};

struct window_plan {
  int64_t preceding; // rows before a row, including that row; its absolute value is at most the number of rows + 1
  int64_t following; // number of rows after a row
  int64_t min_periods;
  int32_t lower; // the window_bound of the column `lower`
  int32_t upper; // the window_bound of the column `upper`
  int32_t levels; // the number of levels that have memory and values
  int32_t operation;
  int32_t outcome;
  int32_t ddof;
};

struct window {
  int64_t begin;
  int64_t end;
  GDF_DEVICE int64_t rows() const { return end - begin; }
};

/// The bounds of windows, with readers of the columns that bound them.
struct window_bounds {
  const window_plan& plan;
  const column_in& lower_column;
  const column_in& upper_column;
  index_reader lower;
  index_reader upper;
  int64_t rows;

  GDF_DEVICE window_bounds(const window_plan& plan, const column_in& lower_column, const column_in& upper_column,
                           int64_t rows)
    : plan(plan), lower_column(lower_column), upper_column(upper_column), lower(lower_column), upper(upper_column),
      rows(rows) {}

  /// Clamps a number of rows, so that its sum with a row number does not overflow.
  GDF_DEVICE int64_t limited(int64_t number) const {
    int64_t const most = rows + 1;
    return number > most ? most : number < -most ? -most : number;
  }

  GDF_DEVICE window operator[](int64_t row) const {
    int64_t begin = row - plan.preceding + 1;
    int64_t end = row + plan.following + 1;
    if (plan.lower == window_relative) {
      if (!is_valid(lower_column, row)) { return {0, 0}; }
      begin = row - limited(lower[row]) + 1;
    } else if (plan.lower == window_first) {
      int64_t const bound = lower[row];
      begin = begin < bound ? bound : begin;
    }
    if (plan.upper == window_relative) {
      if (!is_valid(upper_column, row)) { return {0, 0}; }
      end = row + limited(upper[row]) + 1;
    } else if (plan.upper != window_open) {
      int64_t const bound = upper[row] + (plan.upper == window_last ? 1 : 0);
      end = end < bound ? end : bound;
    }
    begin = begin < 0 ? 0 : begin > rows ? rows : begin;
    end = end > rows ? rows : end;
    return {begin, end < begin ? begin : end};
  }
};

/// The place of the aggregates of a level in memory. All units come first, then all prefixes, then all suffixes.
struct window_level {
  int64_t first;
  int64_t units;

  GDF_DEVICE static window_level bottom(int64_t rows, int unit) { return {0, (rows + unit - 1) / unit}; }
  GDF_DEVICE window_level above() const { return {first + 3 * units, (units + window_group - 1) / window_group}; }
};

template <class Value>
struct counted {
  Value value;
  int64_t count;
};

/// The memory of the levels: the values as words, and the counts.
template <class Value>
struct window_memory {
  unsigned long long* values;
  unsigned long long* counts;
  static constexpr int words = packed<Value>::words;

  GDF_DEVICE void store(int64_t at, const counted<Value>& what) const {
    packed<Value> const bits(what.value);
#pragma unroll
    for (int i = 0; i < words; i++) { values[at * words + i] = bits.word[i]; }
    if (counts != nullptr) { counts[at] = static_cast<u64>(what.count); }
  }

  GDF_DEVICE counted<Value> load(int64_t at) const {
    packed<Value> bits;
#pragma unroll
    for (int i = 0; i < words; i++) { bits.word[i] = values[at * words + i]; }
    return {bits.value, counts != nullptr ? static_cast<int64_t>(counts[at]) : 0};
  }
};

/// Aggregates windows from rows and levels, with `Op`, which has `identity`, `take(row)` and `operator()`.
template <class Op>
struct window_query {
  using value = typename Op::value;
  const column_in& in;
  const Op& op;
  window_memory<value> memory;
  int levels;

  GDF_DEVICE void add_rows(counted<value>& all, int64_t begin, int64_t end) const {
    for (int64_t first = begin; first < end; first += 32) {
      int const n = end - first < 32 ? static_cast<int>(end - first) : 32;
      if (in.validity == nullptr) {
        if (op.reads_rows()) {
#pragma unroll 4
          for (int i = 0; i < n; i++) { all.value = op(all.value, op.take(first + i)); }
        }
        continue;
      }
      uint32_t const valid = valid_word(in, first, end);
      all.count += __popc(valid);
      if (op.reads_rows()) {
        for (int i = 0; i < n; i++) {
          if (valid >> i & 1) { all.value = op(all.value, op.take(first + i)); }
        }
      }
    }
  }

  GDF_DEVICE counted<value> level(int64_t at) const {
    counted<value> stored = memory.load(at);
    if constexpr (requires { op.of_level(stored.value); }) { stored.value = op.of_level(stored.value); }
    return stored;
  }

  GDF_DEVICE void add(counted<value>& all, int64_t at) const {
    counted<value> const other = level(at);
    all = {op(all.value, other.value), all.count + other.count};
  }

  /// [thread] Returns the aggregate of a window.
  GDF_DEVICE counted<value> operator()(const window& rows) const {
    counted<value> all{op.identity(), 0};
    if (levels == 0 || rows.rows() <= window_direct) {
      add_rows(all, rows.begin, rows.end);
      return all;
    }
    int64_t low = (rows.begin + window_unit - 1) / window_unit;
    int64_t high = rows.end / window_unit;
    add_rows(all, rows.begin, low * window_unit);
    add_rows(all, high * window_unit, rows.end);
    window_level level = window_level::bottom(in.length, window_unit);
    for (int left = levels; low < high; left--) {
      if (left == 1 || low / window_group == (high - 1) / window_group) {
        for (int64_t unit = low; unit < high; unit++) { add(all, level.first + unit); }
        break;
      }
      if (low % window_group != 0) { add(all, level.first + 2 * level.units + low); }
      if (high % window_group != 0) { add(all, level.first + level.units + high - 1); }
      low = (low + window_group - 1) / window_group;
      high /= window_group;
      level = level.above();
    }
    return all;
  }
};

/// [warp] Stores the aggregates of the units of a group.
///
/// Unless the level is the `last` one, the function also stores the prefix and the suffix of each unit.
template <class Op>
GDF_DEVICE void store_group(const Op& op, const window_memory<typename Op::value>& memory, const window_level& level,
                            int64_t unit, const counted<typename Op::value>& all, bool last) {
  using value = typename Op::value;
  bool const active = unit < level.units;
  if (active) { memory.store(level.first + unit, all); }
  if (last) { return; }
  counted<value> prefix = all;
  counted<value> suffix = all;
#pragma unroll
  for (int step = 1; step < 32; step <<= 1) {
    counted<value> const before{from_below(prefix.value, step), __shfl_up_sync(~0u, prefix.count, step)};
    counted<value> const after{from_above(suffix.value, step), __shfl_down_sync(~0u, suffix.count, step)};
    if (lane() >= step) { prefix = {op(before.value, prefix.value), before.count + prefix.count}; }
    if (lane() + step < 32) { suffix = {op(suffix.value, after.value), suffix.count + after.count}; }
  }
  if (active) {
    memory.store(level.first + level.units + unit, prefix);
    memory.store(level.first + 2 * level.units + unit, suffix);
  }
}

/// [block] Builds level `number`.
template <class Op>
GDF_DEVICE void build_windows(const column_in& in, const Op& op, const window_memory<typename Op::value>& memory,
                              int unit_rows, int number, bool last) {
  using value = typename Op::value;
  window_level below{0, 0};
  window_level level = window_level::bottom(in.length, unit_rows);
  for (int i = 1; i < number; i++) {
    below = level;
    level = level.above();
  }
  window_query<Op> const rows{in, op, memory, 0};
  int64_t const warps = int64_t{gridDim.x} * (blockDim.x / 32);
  int64_t const own = int64_t{blockIdx.x} * (blockDim.x / 32) + warp();
  for (int64_t group = own; group * window_group < level.units; group += warps) {
    int64_t const unit = group * window_group + lane();
    counted<value> all{op.identity(), 0};
    if (unit < level.units && number == 1) {
      int64_t const begin = unit * window_unit;
      rows.add_rows(all, begin, begin + window_unit < in.length ? begin + window_unit : in.length);
    } else if (unit < level.units) {
      // The prefix of the last unit of a group is the aggregate of the group.
      int64_t const end = (unit + 1) * window_group < below.units ? (unit + 1) * window_group : below.units;
      all = memory.load(below.first + below.units + end - 1);
    }
    store_group(op, memory, level, unit, all, last);
  }
}

/// [block] Makes a row of the result for each window.
///
/// `op.give(out, row, all, rows)` writes the row and returns whether it is valid.
template <class tuning, class Op>
GDF_DEVICE void roll_windows(const column_in& in, const window_bounds& bounds, const column_out& out, const Op& op,
                             const window_memory<typename Op::value>& memory, scratch* scratch) {
  window_query<Op> const query{in, op, memory, bounds.plan.levels};
  uint32_t valid_rows = 0;
  int64_t const stride = int64_t{gridDim.x} * tuning::threads;
  for (int64_t base = int64_t{blockIdx.x} * tuning::threads + warp() * 32; base < out.length; base += stride) {
    int64_t const row = base + lane();
    bool valid = false;
    if (row < out.length) {
      window const rows = bounds[row];
      counted<typename Op::value> all = query(rows);
      if (in.validity == nullptr) { all.count = rows.rows(); }
      valid = op.give(out, row, all, rows);
    }
    valid_rows += store_valid_word(out, base, valid);
  }
  post_null_count<tuning::threads>(scratch, out, valid_rows);
}

} // namespace gdf
