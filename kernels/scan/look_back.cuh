// What tiles of rows tell each other in a scan of one launch: decoupled look-back (Merrill and Garland), with fixed
// anchors. A tile tells what its own rows come to, as soon as it knows, and then adds up what the tiles before it have
// told, from the last anchor on. Every 128th tile is an anchor: it tells what all rows up to its end come to.
//
// So what is brought together with what does not depend on which block is faster, and floats come out the same each
// time. The plain form, which goes back to any tile that knows its sum, is as fast only while it finds one nearby.
#pragma once

#include <gdf/grid.cuh>
#include <gdf/last_block.cuh>

namespace scan {

constexpr int last_slot = 32;
constexpr int tile_slot = 33; // which tile is next
constexpr int group = 128;    // tiles per anchor
constexpr uint32_t ready = 1; // the bits above it are flags

/// Where they tell it: a status and a value for each tile, then for each anchor.
struct state {
  uint32_t* status;
  gdf::u64* values;
  int64_t tiles;
  bool in_scratch;

  /// [thread] Without memory of its own (`status` is null) in the stream's scratch: `zeroed` and `partials`, which the
  /// host has seen to suffice.
  GDF_DEVICE state(uint32_t* own_status, unsigned long long* own_values, int64_t tiles,
                   gdf::scratch* scratch)
    : status(own_status), values(own_values), tiles(tiles), in_scratch(own_status == nullptr) {
    if (in_scratch) {
      status = reinterpret_cast<uint32_t*>(scratch->zeroed);
      values = reinterpret_cast<gdf::u64*>(scratch->partials);
    }
  }
};

/// A value in the words that shuffles and memory take.
template <class Value>
union packed {
  static constexpr int words = (sizeof(Value) + 7) / 8;
  gdf::u64 word[words];
  Value value;
  GDF_DEVICE packed() { word[words - 1] = 0; }
  GDF_DEVICE explicit packed(const Value& v) {
    word[words - 1] = 0;
    value = v;
  }
};

/// [warp] The value of lane `from(lane)`, by one of the shuffles.
template <class Value, class Shuffle>
GDF_DEVICE Value shuffled(const Value& value, Shuffle&& shuffle) {
  if constexpr (sizeof(Value) == 4) {
    return shuffle(value);
  } else {
    packed<Value> bits(value);
#pragma unroll
    for (int i = 0; i < packed<Value>::words; i++) { bits.word[i] = shuffle(bits.word[i]); }
    return bits.value;
  }
}

template <class Value>
GDF_DEVICE Value from_below(const Value& value, int step) {
  return shuffled(value, [&](auto word) { return __shfl_up_sync(~0u, word, step); });
}

template <class Value>
GDF_DEVICE Value from_above(const Value& value, int step) {
  return shuffled(value, [&](auto word) { return __shfl_down_sync(~0u, word, step); });
}

template <class Value>
GDF_DEVICE Value from_lane(const Value& value, int lane) {
  return shuffled(value, [&](auto word) { return __shfl_sync(~0u, word, lane); });
}

/// What some tiles come to, and which flags any of them has.
template <class Value>
struct carried {
  Value value;
  uint32_t flags;
};

namespace look_back_detail {

GDF_DEVICE uint32_t load_status(const uint32_t* status) {
  uint32_t value;
  asm volatile("ld.relaxed.gpu.global.u32 %0, [%1];" : "=r"(value) : "l"(status) : "memory");
  return value;
}

GDF_DEVICE void store_status(uint32_t* status, uint32_t value) {
  asm volatile("st.relaxed.gpu.global.u32 [%0], %1;" : : "l"(status), "r"(value) : "memory");
}

} // namespace look_back_detail

/// [thread] Tells all blocks about a tile or, at `tiles` and past it, an anchor.
template <class Value>
GDF_DEVICE void tell(const state& all, int64_t at, const carried<Value>& what) {
  constexpr int words = packed<Value>::words;
  packed<Value> const bits(what.value);
#pragma unroll
  for (int i = 0; i < words; i++) { all.values[at * words + i] = bits.word[i]; }
  __threadfence();
  look_back_detail::store_status(all.status + at, ready | what.flags << 1);
}

/// [thread] What was told; `status` is not zero.
template <class Value>
GDF_DEVICE carried<Value> told(const state& all, int64_t at, uint32_t status) {
  constexpr int words = packed<Value>::words;
  packed<Value> bits;
#pragma unroll
  for (int i = 0; i < words; i++) { bits.word[i] = __ldcv(all.values + at * words + i); }
  return {bits.value, status >> 1};
}

/// [warp] Tells what a tile comes to, and returns, in lane 0, what the tiles before it come to. It waits for these: they
/// must have begun before, see for_each_tile_in_turn.
template <class Op>
GDF_DEVICE carried<typename Op::value> look_back(const state& all, const Op& op, int64_t tile,
                                                 const carried<typename Op::value>& own) {
  using value = typename Op::value;
  namespace detail = look_back_detail;
  constexpr int each = group / 32;
  int64_t const anchor = tile / group;
  int64_t const first = anchor * group + gdf::lane() * each;
  if (gdf::lane() == 0) { tell(all, tile, own); }

  uint32_t status[each];
  bool waiting;
  do {
    waiting = false;
#pragma unroll
    for (int i = 0; i < each; i++) {
      status[i] = first + i < tile ? detail::load_status(all.status + first + i) : 0;
    }
#pragma unroll
    for (int i = 0; i < each; i++) { waiting = waiting || (first + i < tile && status[i] == 0); }
  } while (waiting);
  __threadfence(); // the values are read after their status
  carried<value> before{op.identity(), 0};
#pragma unroll
  for (int i = 0; i < each; i++) {
    if (first + i < tile) {
      carried<value> const other = told<value>(all, first + i, status[i]);
      before = {op(before.value, other.value), before.flags | other.flags};
    }
  }
  __syncwarp();
  // In order: lane 0 ends with all lanes, the others with anything.
#pragma unroll
  for (int step = 1; step < 32; step <<= 1) {
    value const other = from_above(before.value, step);
    before.value = op(before.value, other);
    before.flags |= __shfl_down_sync(~0u, before.flags, step);
  }
  if (gdf::lane() == 0) {
    if (anchor > 0) {
      int64_t const at = all.tiles + anchor - 1;
      uint32_t anchored;
      do { anchored = detail::load_status(all.status + at); } while (anchored == 0);
      __threadfence();
      carried<value> const other = told<value>(all, at, anchored);
      before = {op(other.value, before.value), other.flags | before.flags};
    }
    if (tile % group == group - 1) {
      tell(all, all.tiles + anchor,
           carried<value>{op(before.value, own.value), before.flags | own.flags});
    }
  }
  __syncwarp();
  return before;
}

/// [block] Calls `body(tile, take_next)` for tiles that no other block has taken, in order: all tiles before one have been
/// taken by blocks that run, or that run a tile before it, so that it can wait for them. Of more tiles than one, one
/// thread of `body` calls `take_next()` between two barriers: late, lest blocks that are faster wait for the next tile.
template <class Body>
GDF_DEVICE void for_each_tile_in_turn(gdf::scratch* scratch, int64_t tiles, Body&& body) {
  __shared__ uint32_t next;
  auto const take_next = [&] { next = atomicAdd(&scratch->tickets[tile_slot], 1u); };
  if (tiles == 1) {
    body(int64_t{0}, take_next);
    return;
  }
  if (threadIdx.x == 0) { take_next(); }
  __syncthreads();
  // The barriers of the body lie between one number and the next.
  for (int64_t tile = next; tile < tiles; tile = next) { body(tile, take_next); }
}

/// [block] After the last tile, by all blocks: leaves scratch memory zero.
template <int threads>
GDF_DEVICE void finish_tiles(const state& all, gdf::scratch* scratch) {
  if (all.tiles == 1 || !gdf::is_last_block(scratch, last_slot, gridDim.x)) { return; }
  if (threadIdx.x == 0) { scratch->tickets[tile_slot] = 0; }
  if (all.in_scratch) {
    int64_t const words = all.tiles + all.tiles / group;
    for (int64_t i = threadIdx.x; i < words; i += threads) { all.status[i] = 0; }
  }
}

} // namespace scan
