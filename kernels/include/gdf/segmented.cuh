// Reductions of segments, with the operations of reduce.cuh, in one cooperative launch. A warp handles one tile at a
// time. First, each warp reduces the part of each segment that lies in its tile. The part of a segment that began
// before the tile is the head of the tile. The part of a segment that began in the tile and goes on after it is the
// tail of the tile. Then a segment that reaches over several tiles is combined from a tail and the heads of the
// following tiles.
//
// The order in which rows are combined depends only on the position of the segment and on the size of tiles. Results of
// floats thus have the same bits in each run.
#pragma once

#include "count.cuh"
#include "grid_barrier.cuh"
#include "index.cuh"
#include "reduce.cuh"

namespace gdf {

/// The first of two tickets of segmented reductions: one for the grid barrier, and one for its end.
constexpr int segmented_ticket = 42;

/// The description of a segmented reduction that the host passes.
struct segmented_plan {
  unsigned long long* complete; // for each segment a value and a count: segmented_words of the operation
  unsigned long long* heads;    // for each tile a value and a count
  unsigned long long* tails;    // for each tile a value and a count
  row_count tile_rows;          // a multiple of 32
  int64_t fewest;               // a segment's result is null if at most this number of rows are valid
  int64_t spread;               // whether a segment's result is also null if it has a null row
};

/// The number of words of a value and its count.
template <class Op>
constexpr int segmented_words = packed<typename Op::value>::words + 1;

namespace segmented_detail {

template <class Op>
struct partial {
  typename Op::value all = Op::identity();
  u64 count = 0;

  GDF_DEVICE void merge(const Op& op, const partial& later) {
    all = op.merge(all, later.all);
    count += later.count;
  }

  /// [thread] Writes the partial result before a grid barrier.
  GDF_DEVICE void store(u64* to, int64_t index) const {
    packed<typename Op::value> const bits(all);
    u64* const words = to + index * segmented_words<Op>;
#pragma unroll
    for (int i = 0; i < packed<typename Op::value>::words; i++) { words[i] = bits.word[i]; }
    words[packed<typename Op::value>::words] = count;
  }

  GDF_DEVICE static partial load(const u64* from, int64_t index) {
    const u64* const words = from + index * segmented_words<Op>;
    packed<typename Op::value> bits;
#pragma unroll
    for (int i = 0; i < packed<typename Op::value>::words; i++) { bits.word[i] = __ldcv(words + i); }
    partial loaded;
    loaded.all = bits.value;
    loaded.count = __ldcv(words + packed<typename Op::value>::words);
    return loaded;
  }

  GDF_DEVICE void merge_warp(const Op& op) {
#pragma unroll
    for (int step = 1; step < 32; step <<= 1) {
      partial const later{from_above(all, step), __shfl_down_sync(~0u, count, step)};
      merge(op, later);
    }
  }
};

/// The segments of a column's rows.
///
/// Offsets are clamped to the number of rows. Even if offsets do not ascend, nothing outside the column is read.
struct segments {
  const column_in& column;
  index_reader offsets;
  int64_t count;
  int64_t rows;

  GDF_DEVICE segments(const column_in& offsets, int64_t rows)
    : column(offsets), offsets(offsets), count(offsets.length - 1), rows(rows) {}

  GDF_DEVICE int64_t begin(int64_t segment) const {
    int64_t const offset = offsets[segment];
    return offset < 0 ? 0 : offset > rows ? rows : offset;
  }

  GDF_DEVICE bool is_wrong(int64_t segment) const {
    int64_t const from = offsets[segment];
    int64_t const to = offsets[segment + 1];
    return from < 0 || to < from || to > rows || !is_valid(column, segment) || !is_valid(column, segment + 1);
  }

  /// [thread] Returns the number of segments that begin before `row`, if the offsets ascend.
  GDF_DEVICE int64_t beginning_before(int64_t row) const {
    int64_t low = 0;
    int64_t high = count;
    while (low < high) {
      int64_t const middle = low + ((high - low) >> 1);
      if (begin(middle) < row) {
        low = middle + 1;
      } else {
        high = middle;
      }
    }
    return low;
  }
};

/// [thread] Reduces the rows first, first + step, … below `end`, with four loads in flight.
template <class T, bool masks_only, class Op>
GDF_DEVICE partial<Op> reduce_run(const column_in& in, const Op& op, int64_t first, int64_t end, int step) {
  constexpr int flight = sizeof(T) > 16 ? 2 : 4;
  partial<Op> mine;
  values<T> const column(in);
  for (int64_t row = first; row < end; row += int64_t{step} * flight) {
    [[maybe_unused]] T value[flight];
    bool valid[flight];
#pragma unroll
    for (int i = 0; i < flight; i++) {
      int64_t const at = row + int64_t{i} * step;
      valid[i] = at < end;
      if constexpr (masks_only) {
        valid[i] = valid[i] && (op.all || is_valid(in, at));
      } else {
        if (valid[i]) { value[i] = column[at]; }
        valid[i] = valid[i] && is_valid(in, at);
      }
    }
#pragma unroll
    for (int i = 0; i < flight; i++) {
      if (!valid[i]) { continue; }
      mine.count++;
      if constexpr (!masks_only) {
        if constexpr (is_same<T, bool>) {
          op.add_bits(mine.all, value[i] ? 1 : 0, value[i] ? 0 : 1);
        } else {
          op.add(mine.all, value[i]);
        }
      }
    }
  }
  return mine;
}

/// [warp] Reduces the parts of segments that lie in a tile.
template <class T, bool masks_only, class Op>
GDF_DEVICE void reduce_tile(const column_in& in, const segments& all, const Op& op,
                            const segmented_plan& plan, int64_t tile) {
  int64_t const first = tile * plan.tile_rows;
  int64_t const end = first + plan.tile_rows < in.length ? first + plan.tile_rows : in.length;
  // The last segment that begins before the second row of the tile may have begun before the first row of the tile.
  int64_t const segment = all.beginning_before(first + 1) - 1;
  int64_t const from = segment < 0 ? 0 : segment;
  int64_t const to = all.beginning_before(end);
  auto const keep = [&](const partial<Op>& part, int64_t s, int64_t begin, int64_t stop) {
    if (begin < first) {
      part.store(plan.heads, tile);
    } else if (stop > end) {
      part.store(plan.tails, tile);
    } else {
      part.store(plan.complete, s);
    }
  };
  auto const part_of = [&](int64_t s, int64_t& begin, int64_t& stop, int64_t& low, int64_t& high) {
    begin = all.begin(s);
    stop = all.begin(s + 1);
    low = begin < first ? first : begin;
    high = stop > end ? end : stop;
    return low < high;
  };
  int64_t begin;
  int64_t stop;
  int64_t low;
  int64_t high;
  if ((to - from) * 16 < plan.tile_rows) {
    for (int64_t s = from; s < to; s++) {
      if (!part_of(s, begin, stop, low, high)) { continue; }
      partial<Op> part = reduce_run<T, masks_only>(in, op, low + lane(), high, 32);
      part.merge_warp(op);
      if (lane() == 0) { keep(part, s, begin, stop); }
    }
  } else {
    for (int64_t s = from + lane(); s < to; s += 32) {
      if (part_of(s, begin, stop, low, high)) {
        keep(reduce_run<T, masks_only>(in, op, low, high, 1), s, begin, stop);
      }
    }
  }
}

/// [warp] Returns, in each lane, the value of the segment that the lane passes.
template <class Op>
GDF_DEVICE partial<Op> merge_parts(const segments& all, const Op& op, const segmented_plan& plan, int64_t segment) {
  int64_t begin = 0;
  int64_t stop = 0;
  if (segment < all.count) {
    begin = all.begin(segment);
    stop = all.begin(segment + 1);
  }
  partial<Op> result;
  int64_t from = 0;
  int64_t to = 0;
  if (begin < stop) {
    from = begin / plan.tile_rows;
    to = (stop - 1) / plan.tile_rows;
    result = from == to ? partial<Op>::load(plan.complete, segment) : partial<Op>::load(plan.tails, from);
  }
  constexpr int few = 4;
  bool const is_long = to - from > few;
  if (!is_long) {
    for (int64_t tile = from + 1; tile <= to; tile++) { result.merge(op, partial<Op>::load(plan.heads, tile)); }
  }
  uint32_t remaining = __ballot_sync(~0u, is_long);
  while (remaining != 0) {
    int const owner = __ffs(static_cast<int>(remaining)) - 1;
    remaining &= remaining - 1;
    int64_t const first = __shfl_sync(~0u, from, owner) + 1;
    int64_t const last = __shfl_sync(~0u, to, owner);
    partial<Op> heads;
    for (int64_t tile = first + lane(); tile <= last; tile += 32) {
      heads.merge(op, partial<Op>::load(plan.heads, tile));
    }
    heads.merge_warp(op);
    partial<Op> const rest{from_lane(heads.all, 0), __shfl_sync(~0u, heads.count, 0)};
    if (lane() == owner) { result.merge(op, rest); }
  }
  return result;
}

} // namespace segmented_detail

/// [block] Writes a row of `out` for each segment of the rows of `in`, in a cooperative launch.
///
/// `offsets` has one row more than there are segments. The function uses tickets 42 and 43, and zeroed[0].
template <class tuning, bool masks_only, class Op>
GDF_DEVICE void reduce_segments(const column_in& in, const column_in& offsets, const column_out& out, const Op& op,
                                const segmented_plan& plan, scratch* scratch, unsigned long long* mailbox) {
  using namespace segmented_detail;
  constexpr int warps = tuning::threads / 32;
  segments const all(offsets, in.length);
  int64_t const own = int64_t{blockIdx.x} * warps + warp();
  int64_t const stride = int64_t{gridDim.x} * warps;
  int64_t const tiles = (in.length + plan.tile_rows - 1) / plan.tile_rows;
  if constexpr (masks_only) {
    for (int64_t tile = own; tile < tiles; tile += stride) { reduce_tile<uint8_t, true>(in, all, op, plan, tile); }
  } else {
    by_taken_type<Op>(in.type, [&]<class T>() {
      for (int64_t tile = own; tile < tiles; tile += stride) { reduce_tile<T, false>(in, all, op, plan, tile); }
    });
  }
  grid_barrier barrier{scratch, segmented_ticket};
  barrier.wait();
  uint32_t valid_rows = 0;
  bool wrong = false;
  for (int64_t first = own * 32; first < all.count; first += stride * 32) {
    int64_t const segment = first + lane();
    bool const there = segment < all.count;
    auto const result = merge_parts(all, op, plan, segment);
    wrong = wrong || (there && all.is_wrong(segment));
    column_in rows = in;
    rows.length = there ? all.begin(segment + 1) - all.begin(segment) : 0;
    bool valid = there && static_cast<int64_t>(result.count) > plan.fewest;
    if (plan.spread != 0 && static_cast<int64_t>(result.count) != rows.length) { valid = false; }
    bool done = false;
    if constexpr (Op::gives_bits) {
      if (out.type == static_cast<int32_t>(type::boolean)) {
        uint32_t const bits = __ballot_sync(~0u, there && op.bit(result.all, result.count));
        if (lane() == 0) { static_cast<uint32_t*>(out.data)[first >> 5] = bits; }
        done = true;
      }
    }
    if (!done && there) { op.write(rows, out, segment, result.all, result.count); }
    valid_rows += store_valid_word(out, first, valid);
  }
  post_null_count<tuning::threads>(scratch, out, valid_rows);
  if (mailbox != nullptr && __syncthreads_or(wrong ? 1 : 0) && threadIdx.x == 0) { atomicExch(&scratch->zeroed[0], 1ull); }
  if (barrier.end() && threadIdx.x == 0 && mailbox != nullptr) {
    post(mailbox, __ldcv(&scratch->zeroed[0]));
    scratch->zeroed[0] = 0;
  }
}

} // namespace gdf
