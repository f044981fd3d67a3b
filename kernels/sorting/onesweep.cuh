// One pass of a least-significant-digit radix sort. A single launch reads the keys and their values once. It ranks each
// tile in shared memory and finds the tile's positions in the result by decoupled look-back.
#pragma once

#include "codec.cuh"
#include "sweep.cuh"

namespace sorting_pass {

using sorting::codec;
using sorting::digits;
using gdf::u64;

struct none {};

/// The arguments of one launch.
struct work {
  uint32_t* lookback;    // 256 words per tile, zero at launch
  uint32_t* next;        // the look-back words of the next launch, which this launch sets to zero
  uint32_t* ticket;      // the counter of tiles, zero at launch
  const void* first_in;  // per digit, the first position in the result
  void* first_out;       // if not null, receives the first positions for the rows of the next launch
  const void* keys_in;   // keys, or the values of a column if `decoded_in` is set
  void* keys_out;        // keys, or the values of a column if `decoded_out` is set; null if the keys are not needed
  const void* values_in; // if null, the values are row numbers
  void* values_out;
  int64_t row_number;    // number of the first row
  codec of;
  gdf::row_count32 rows;
  int32_t bit;
  int32_t bits;
  gdf::tile_count32 next_tiles;
  int32_t flags; // work_flags
  int32_t first_bit; // lowest bit of the first pass; the sort ignores lower bits
};
static_assert(sizeof(work) == 120);

enum work_flags : int32_t {
  decoded_in = 1,
  decoded_out = 2,
};

/// [thread] Loads a word that other blocks may be writing.
GDF_DEVICE uint32_t load_relaxed(const uint32_t* address) {
  uint32_t value;
  asm volatile("ld.relaxed.gpu.global.u32 %0, [%1];" : "=r"(value) : "l"(address));
  return value;
}
GDF_DEVICE void store_relaxed(uint32_t* address, uint32_t value) {
  asm volatile("st.relaxed.gpu.global.u32 [%0], %1;" ::"l"(address), "r"(value));
}

GDF_DEVICE uint32_t same_digit(uint32_t digit) {
  uint32_t same = ~0u;
#pragma unroll
  for (int bit = 0; bit < 8; bit++) {
    bool const set = digit >> bit & 1;
    uint32_t const votes = __ballot_sync(~0u, set);
    same &= set ? votes : ~votes;
  }
  return same;
}

template <class Key, class Value, class Offset, int threads, int items>
struct onesweep {
  static constexpr int warps = threads / 32;
  static constexpr int tile_rows = threads * items;
  static constexpr bool pairs = !std::is_same_v<Value, none>;
  /// Whether small code is preferred over fast code.
  template <bool full>
  static constexpr bool compact = !full || sizeof(Offset) == 8;
  static constexpr int ahead = 4; // look-back words in flight
  static constexpr uint32_t partial = 1u << 30;  // flag: the word counts only the rows of the tile
  // flag: the word counts the rows of the tile and of all tiles before it
  static constexpr uint32_t complete = 1u << 31;
  static_assert(threads >= digits && tile_rows < 65536);

  struct storage {
    union {
      uint32_t counts[warps][digits];
      Key keys[tile_rows];
      Value values[tile_rows];
    };
    Offset first[digits];
    uint32_t sums[digits / 32];
    uint32_t tile;
    uint16_t source[pairs ? tile_rows : 2]; // per ranked key, the key's row in the tile before ranking
  };

  /// The order in which rows of equal digits are ranked.
  enum ranking {
    in_order,
    /// Keys with equal digits are ranked in the order in which atomic additions to shared memory are executed. If the
    /// hardware executes the additions of a warp lane by lane, the result is that of in_order at less cost. CUDA does
    /// not guarantee that order, so `is_in_order` checks the result.
    as_added,
  };

  struct ranks {
    uint32_t pair[(items + 1) / 2];
    GDF_DEVICE int operator[](int i) const {
      return static_cast<int>(pair[i / 2] >> (i % 2 * 16) & 0xffff);
    }
    GDF_DEVICE void set(int i, uint32_t rank) {
      pair[i / 2] = i % 2 == 0 ? rank : pair[i / 2] | rank << 16;
    }
    GDF_DEVICE void add(int i, uint32_t more) { pair[i / 2] += more << (i % 2 * 16); }
  };

  storage& s;
  const work& w;
  int const thread = static_cast<int>(threadIdx.x);
  int const lane = gdf::lane();
  int const warp = gdf::warp();
  int tile;
  uint32_t start; // first rank of digit `thread` in the tile, valid if `thread` is below 256
  uint32_t count; // rows of digit `thread` in the tile, valid if `thread` is below 256

  GDF_DEVICE int first() const { return tile * tile_rows; }
  GDF_DEVICE int in_tile() const { return w.rows - first(); }
  /// Item i of the thread is row mine() + 32 * i of the tile.
  GDF_DEVICE int mine() const { return warp * (32 * items) + lane; }
  GDF_DEVICE uint32_t digit_of(Key key) const {
    return static_cast<uint32_t>(key >> w.bit) & ((1u << w.bits) - 1);
  }

  GDF_DEVICE uint32_t* word_of(int of_tile) const {
    return w.lookback + int64_t{of_tile} * digits + thread;
  }

  /// [thread] Returns the number of rows with the thread's digit in all tiles before this one.
  GDF_DEVICE uint32_t look_back() const {
    uint32_t before = 0;
    for (int from = tile - 1;; from -= ahead) {
      uint32_t word[ahead];
#pragma unroll
      for (int k = 0; k < ahead; k++) {
        word[k] = from - k >= 0 ? load_relaxed(word_of(from - k)) : complete;
      }
#pragma unroll
      for (int k = 0; k < ahead; k++) {
        while (word[k] == 0) { word[k] = load_relaxed(word_of(from - k)); }
        before += word[k] & (partial - 1);
        if (word[k] & complete) { return before; }
      }
    }
  }

  /// The codec of tiles that are not full.
  GDF_DEVICE codec codec_of(work_flags decoded) const {
    return w.flags & decoded ? w.of : codec{0, 0, sizeof(Key) == 8 ? sorting::wide_value : 0};
  }

  template <bool full>
  GDF_DEVICE void load_keys(Key (&key)[items]) const {
    auto const past = static_cast<Key>(~Key{0}); // a key that sorts last
    if (!full || w.flags & decoded_in) {
      codec const own = full ? w.of : codec_of(decoded_in);
      sorting::by_kind<Key, compact<full>>(own, [&]<class Order>(const codec& of) {
        auto const* const in = static_cast<const typename Order::stored*>(w.keys_in) + first();
#pragma unroll
        for (int i = 0; i < items; i++) {
          int const at = mine() + 32 * i;
          key[i] = full || at < in_tile() ? sorting::key_of<Key, Order>(of, in[at]) : past;
        }
      });
    } else {
      auto const* const in = static_cast<const Key*>(w.keys_in) + first();
#pragma unroll
      for (int i = 0; i < items; i++) { key[i] = in[mine() + 32 * i]; }
    }
  }

  /// [block] Ranks the keys and publishes the number of rows per digit to other tiles.
  template <ranking how>
  GDF_DEVICE void rank_keys(Key (&key)[items], ranks& rank) {
#pragma unroll
    for (int i = 0; i < digits / 32; i++) { s.counts[warp][i * 32 + lane] = 0; }
    __syncwarp();
#pragma unroll
    for (int i = 0; i < items; i++) {
      uint32_t const before = atomicAdd(&s.counts[warp][digit_of(key[i])], 1u);
      if constexpr (how == as_added) { rank.set(i, before); }
    }
    __syncthreads();

    count = 0;
    if (thread < digits) {
#pragma unroll
      for (int k = 0; k < warps; k++) {
        uint32_t const of_warp = s.counts[k][thread];
        s.counts[k][thread] = count;
        count += of_warp;
      }
      store_relaxed(word_of(tile), count | (tile == 0 ? complete : partial));
      for (int64_t t = tile; t < w.next_tiles; t += gridDim.x) { w.next[t * digits + thread] = 0; }
    }
    uint32_t const inclusive = gdf::warp_inclusive_sum(count);
    if (thread < digits && lane == 31) { s.sums[warp] = inclusive; }
    __syncthreads();
    start = inclusive - count;
    if (thread < digits) {
#pragma unroll
      for (int k = 0; k < digits / 32; k++) { start += k < warp ? s.sums[k] : 0; }
#pragma unroll
      for (int k = 0; k < warps; k++) { s.counts[k][thread] += start; }
    }
    __syncthreads();

    if constexpr (how == as_added) {
#pragma unroll
      for (int i = 0; i < items; i++) { rank.add(i, s.counts[warp][digit_of(key[i])]); }
    } else {
      uint32_t const up_to_me = ~0u >> (31 - lane);
#pragma unroll
      for (int i = 0; i < items; i++) {
        uint32_t const digit = digit_of(key[i]);
        uint32_t const same = same_digit(digit);
        int const last = 31 - __clz(static_cast<int>(same));
        auto const upto = static_cast<uint32_t>(__popc(same & up_to_me));
        uint32_t before = 0;
        if (lane == last) { before = atomicAdd(&s.counts[warp][digit], upto); }
        rank.set(i, __shfl_sync(~0u, before, last) + upto - 1);
      }
    }
    __syncthreads();
#pragma unroll
    for (int i = 0; i < items; i++) {
      s.keys[rank[i]] = key[i];
      if constexpr (pairs) { s.source[rank[i]] = static_cast<uint16_t>(mine() + 32 * i); }
    }
    __syncthreads();
#pragma unroll
    for (int i = 0; i < items; i++) { key[i] = s.keys[thread + i * threads]; }
  }

  /// [block] Returns whether ranked keys with equal digits are in their input order.
  GDF_DEVICE bool is_in_order(const Key (&key)[items]) const {
    int const bits = w.bit + w.bits;
    Key const low = static_cast<Key>(~Key{0}) >> (static_cast<int>(sizeof(Key)) * 8 - bits) &
                    static_cast<Key>(~Key{0}) << w.first_bit;
    bool ordered = true;
#pragma unroll
    for (int i = 0; i < items; i++) {
      int const at = thread + i * threads;
      int const one = at > 0 ? at - 1 : 0;
      if constexpr (pairs) {
        uint32_t const before = digit_of(s.keys[one]) << 16 | s.source[one];
        ordered &= before <= (digit_of(key[i]) << 16 | s.source[at]);
      } else {
        ordered &= (s.keys[one] & low) <= (key[i] & low);
      }
    }
    return __syncthreads_and(ordered);
  }

  GDF_DEVICE void find_positions() {
    if (thread < digits) {
      uint32_t before = 0;
      if (tile > 0) {
        before = look_back();
        store_relaxed(word_of(tile), (before + count) | complete);
      }
      Offset const at = static_cast<const Offset*>(w.first_in)[thread] + before;
      s.first[thread] = at - start;
      if (w.first_out != nullptr && in_tile() <= tile_rows) {
        static_cast<Offset*>(w.first_out)[thread] = at + count;
      }
    }
    __syncthreads();
  }

  template <bool full>
  GDF_DEVICE void store_keys(const Key (&key)[items]) const {
    auto const each = [&](auto&& store) {
#pragma unroll
      for (int i = 0; i < items; i++) {
        int const at = thread + i * threads;
        if (full || at < in_tile()) {
          store(s.first[digit_of(key[i])] + static_cast<Offset>(at), key[i]);
        }
      }
    };
    if (w.keys_out == nullptr) { return; }
    if (!full || w.flags & decoded_out) {
      codec const own = full ? w.of : codec_of(decoded_out);
      sorting::by_kind<Key, compact<full>>(own, [&]<class Order>(const codec& of) {
        auto* const out = static_cast<typename Order::stored*>(w.keys_out);
        each([&](Offset to, Key key) { out[to] = sorting::value_of<Order>(of, key); });
      });
    } else {
      auto* const out = static_cast<Key*>(w.keys_out);
      each([&](Offset to, Key key) { out[to] = key; });
    }
  }

  template <bool full>
  GDF_DEVICE void store_values(const Key (&key)[items], const ranks& rank) const {
    auto* const out = static_cast<Value*>(w.values_out);
    if (w.values_in == nullptr) {
      auto const number = static_cast<Value>(w.row_number + first());
#pragma unroll
      for (int i = 0; i < items; i++) {
        int const at = thread + i * threads;
        if (full || at < in_tile()) {
          out[s.first[digit_of(key[i])] + static_cast<Offset>(at)] = number + s.source[at];
        }
      }
      return;
    }
    uint32_t packed[(items + 3) / 4]; // digits
#pragma unroll
    for (int i = 0; i < items; i++) {
      uint32_t const digit = digit_of(key[i]);
      packed[i / 4] = i % 4 == 0 ? digit : packed[i / 4] | digit << (i % 4 * 8);
    }
    Value value[items];
    auto const* const in = static_cast<const Value*>(w.values_in) + first();
#pragma unroll
    for (int i = 0; i < items; i++) {
      int const at = mine() + 32 * i;
      value[i] = full || at < in_tile() ? in[at] : Value{0};
    }
    // All threads have read the keys, as find_positions contains a barrier.
#pragma unroll
    for (int i = 0; i < items; i++) { s.values[rank[i]] = value[i]; }
    __syncthreads();
#pragma unroll
    for (int i = 0; i < items; i++) {
      int const at = thread + i * threads;
      if (full || at < in_tile()) {
        uint32_t const digit = packed[i / 4] >> (i % 4 * 8) & (digits - 1);
        out[s.first[digit] + static_cast<Offset>(at)] = s.values[at];
      }
    }
  }

  template <bool full>
  GDF_DEVICE void store(const Key (&key)[items], const ranks& rank) {
    find_positions();
    store_keys<full>(key);
    if constexpr (pairs) { store_values<full>(key, rank); }
  }

  /// [block] Sorts a tile. Returns false without a result if keys of a full tile were ranked out of their order.
  template <bool full>
  GDF_DEVICE bool sort_tile() {
    Key key[items];
    ranks rank;
    load_keys<full>(key);
    rank_keys<full ? as_added : in_order>(key, rank);
    if (full && !is_in_order(key)) { return false; }
    store<full>(key, rank);
    return true;
  }

  /// [block] The body of the kernel. The grid has one block per tile.
  GDF_DEVICE static void run(storage& s, const work& w) {
    if (threadIdx.x == 0) { s.tile = atomicAdd(w.ticket, 1u); }
    __syncthreads();
    onesweep block{s, w};
    block.tile = static_cast<int>(s.tile);
    bool const full = block.in_tile() >= tile_rows;
    if (!full || !block.template sort_tile<true>()) { block.template sort_tile<false>(); }
  }
};

} // namespace sorting_pass
