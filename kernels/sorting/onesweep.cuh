// One digit of a least-significant-digit radix sort in a single pass over the keys and what goes
// along with them: a tile is ranked in shared memory and learns its place by decoupled look-back.
// The first pass may take its keys from a column, the last one write a column of them.
#pragma once

#include "codec.cuh"
#include "sweep.cuh"

namespace sorting_pass {

using sorting::codec;
using sorting::digits;
using gdf::u64;

struct none {};

/// What one launch does. `rows` are below 2^30.
struct work {
  uint32_t* lookback;    // 256 words per tile, zero
  uint32_t* next;        // the same for the launch after this one, which is cleared
  uint32_t* ticket;      // zero
  const void* first_in;  // first positions of the digits
  void* first_out;       // receives those of the rows after these, if present
  const void* keys_in;   // keys, or, with `decoded_in`, values
  void* keys_out;        // keys, or, with `decoded_out`, values; absent: nobody needs them
  const void* values_in; // absent: row numbers
  void* values_out;
  int64_t row_number;    // of the first row
  codec of;
  int32_t rows;
  int32_t bit;
  int32_t bits;
  int32_t next_tiles;
  int32_t flags; // work_flags
  int32_t unused;
};
static_assert(sizeof(work) == 120);

enum work_flags : int32_t {
  decoded_in = 1,
  decoded_out = 2,
  any_order = 4, // rows of equal digits need not keep their order
};

/// [thread] A word that other blocks may be writing.
GDF_DEVICE uint32_t load_relaxed(const uint32_t* address) {
  uint32_t value;
  asm volatile("ld.relaxed.gpu.global.u32 %0, [%1];" : "=r"(value) : "l"(address));
  return value;
}
GDF_DEVICE void store_relaxed(uint32_t* address, uint32_t value) {
  asm volatile("st.relaxed.gpu.global.u32 [%0], %1;" ::"l"(address), "r"(value));
}

/// [warp] The lanes whose digit is the caller's.
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
  static constexpr int ahead = 4; // look-back words in flight
  static constexpr uint32_t partial = 1u << 30;  // rows of the tile alone
  static constexpr uint32_t complete = 1u << 31; // and of all before it
  static_assert(threads >= digits && tile_rows % 4 == 0);

  struct storage {
    union {
      uint32_t counts[warps][digits];
      Key keys[tile_rows];
      Value values[tile_rows];
    };
    Offset first[digits];
    uint32_t sums[digits / 32];
    uint32_t tile;
  };

  /// [thread] Rows of this digit (of the caller's thread) in the tiles before `tile`.
  GDF_DEVICE static uint32_t look_back(const uint32_t* lookback, int tile) {
    uint32_t before = 0;
    for (int from = tile - 1;; from -= ahead) {
      uint32_t word[ahead];
#pragma unroll
      for (int k = 0; k < ahead; k++) {
        word[k] = from - k >= 0
                    ? load_relaxed(lookback + int64_t{from - k} * digits + threadIdx.x)
                    : complete;
      }
#pragma unroll
      for (int k = 0; k < ahead; k++) {
        while (word[k] == 0) {
          word[k] = load_relaxed(lookback + int64_t{from - k} * digits + threadIdx.x);
        }
        before += word[k] & (partial - 1);
        if (word[k] & complete) { return before; }
      }
    }
  }

  /// [block]
  GDF_DEVICE static void run(storage& s, const work& w) {
    int const thread = static_cast<int>(threadIdx.x);
    int const lane = gdf::lane();
    int const warp = gdf::warp();
    if (thread == 0) { s.tile = atomicAdd(w.ticket, 1u); }
#pragma unroll
    for (int i = 0; i < digits / 32; i++) { s.counts[warp][i * 32 + lane] = 0; }
    __syncthreads();
    int const tile = static_cast<int>(s.tile);
    int const first = tile * tile_rows;
    int const in_tile = w.rows - first;
    bool const full = in_tile >= tile_rows;
    uint32_t const mask = (1u << w.bits) - 1;
    auto const digit_of = [&](Key key) { return static_cast<uint32_t>(key >> w.bit) & mask; };
    int const mine = warp * (32 * items) + lane; // item i of the tile is at mine + 32 i

    Key key[items];
    if (w.flags & decoded_in) {
      sorting::by_kind(w.of.kind, [&]<class Order>() {
        auto const* const in = static_cast<const typename Order::stored*>(w.keys_in) + first;
#pragma unroll
        for (int i = 0; i < items; i++) {
          bool const there = full || mine + 32 * i < in_tile;
          key[i] = there ? sorting::key_of<Key, Order>(w.of, in[mine + 32 * i]) : static_cast<Key>(~Key{0});
        }
      });
    } else {
      auto const* const in = static_cast<const Key*>(w.keys_in) + first;
#pragma unroll
      for (int i = 0; i < items; i++) {
        bool const there = full || mine + 32 * i < in_tile;
        key[i] = there ? in[mine + 32 * i] : static_cast<Key>(~Key{0}); // comes last
      }
    }

    bool const any = (w.flags & any_order) != 0 && full;
    int rank[items];
    if (any) {
#pragma unroll
      for (int i = 0; i < items; i++) {
        rank[i] = static_cast<int>(atomicAdd(&s.counts[warp][digit_of(key[i])], 1u));
      }
    } else {
#pragma unroll
      for (int i = 0; i < items; i++) { atomicAdd(&s.counts[warp][digit_of(key[i])], 1u); }
    }
    __syncthreads();

    uint32_t count = 0;
    uint32_t* const own = w.lookback + int64_t{tile} * digits + thread;
    if (thread < digits) {
#pragma unroll
      for (int k = 0; k < warps; k++) {
        uint32_t const of_warp = s.counts[k][thread];
        s.counts[k][thread] = count;
        count += of_warp;
      }
      store_relaxed(own, count | (tile == 0 ? complete : partial));
      for (int64_t t = tile; t < w.next_tiles; t += gridDim.x) { w.next[t * digits + thread] = 0; }
    }
    uint32_t const inclusive = gdf::warp_inclusive_sum(count);
    if (thread < digits && lane == 31) { s.sums[warp] = inclusive; }
    __syncthreads();
    uint32_t start = inclusive - count; // of the digit in the tile
    if (thread < digits) {
#pragma unroll
      for (int k = 0; k < digits / 32; k++) { start += k < warp ? s.sums[k] : 0; }
#pragma unroll
      for (int k = 0; k < warps; k++) { s.counts[k][thread] += start; }
    }
    __syncthreads();

    if (any) {
#pragma unroll
      for (int i = 0; i < items; i++) {
        rank[i] += static_cast<int>(s.counts[warp][digit_of(key[i])]);
      }
    } else {
      uint32_t const up_to_me = ~0u >> (31 - lane);
#pragma unroll
      for (int i = 0; i < items; i++) {
        uint32_t const digit = digit_of(key[i]);
        uint32_t const same = same_digit(digit);
        int const last = 31 - __clz(static_cast<int>(same));
        int const upto = __popc(same & up_to_me);
        int before = 0;
        if (lane == last) {
          before = static_cast<int>(atomicAdd(&s.counts[warp][digit], static_cast<uint32_t>(upto)));
        }
        rank[i] = __shfl_sync(~0u, before, last) + upto - 1;
      }
    }
    __syncthreads();
#pragma unroll
    for (int i = 0; i < items; i++) { s.keys[rank[i]] = key[i]; }

    if (thread < digits) {
      uint32_t before = 0;
      if (tile > 0) {
        before = look_back(w.lookback, tile);
        store_relaxed(own, (before + count) | complete);
      }
      Offset const at = static_cast<const Offset*>(w.first_in)[thread] + before;
      s.first[thread] = at - start;
      if (w.first_out != nullptr && in_tile <= tile_rows) {
        static_cast<Offset*>(w.first_out)[thread] = at + count;
      }
    }
    __syncthreads();

    uint32_t packed[pairs ? (items + 3) / 4 : 1]; // digits
    auto const write = [&](auto&& store) {
#pragma unroll
      for (int i = 0; i < items; i++) {
        int const at = thread + i * threads;
        Key const k = s.keys[at];
        uint32_t const digit = digit_of(k);
        if constexpr (pairs) {
          if (i % 4 == 0) { packed[i / 4] = 0; }
          packed[i / 4] |= digit << (i % 4 * 8);
        }
        if (full || at < in_tile) { store(s.first[digit] + static_cast<Offset>(at), k); }
      }
    };
    if (w.flags & decoded_out) {
      sorting::by_kind(w.of.kind, [&]<class Order>() {
        auto* const out = static_cast<typename Order::stored*>(w.keys_out);
        write([&](Offset to, Key k) { out[to] = sorting::value_of<Order>(w.of, k); });
      });
    } else if (w.keys_out != nullptr) {
      auto* const out = static_cast<Key*>(w.keys_out);
      write([&](Offset to, Key k) { out[to] = k; });
    } else {
      write([](Offset, Key) {});
    }

    if constexpr (pairs) {
      Value value[items];
      if (w.values_in != nullptr) {
        auto const* const in = static_cast<const Value*>(w.values_in) + first;
#pragma unroll
        for (int i = 0; i < items; i++) {
          bool const there = full || mine + 32 * i < in_tile;
          value[i] = there ? in[mine + 32 * i] : Value{0};
        }
      } else {
#pragma unroll
        for (int i = 0; i < items; i++) {
          value[i] = static_cast<Value>(w.row_number + first + mine + 32 * i);
        }
      }
      __syncthreads(); // the keys have been read
#pragma unroll
      for (int i = 0; i < items; i++) { s.values[rank[i]] = value[i]; }
      __syncthreads();
      auto* const out = static_cast<Value*>(w.values_out);
#pragma unroll
      for (int i = 0; i < items; i++) {
        int const at = thread + i * threads;
        if (full || at < in_tile) {
          uint32_t const digit = packed[i / 4] >> (i % 4 * 8) & (digits - 1);
          out[s.first[digit] + static_cast<Offset>(at)] = s.values[at];
        }
      }
    }
  }
};

} // namespace sorting_pass
