// The range of the values of a piece, over the rows of a grid or of a block.
#pragma once

#include <type_traits>

#include <gdf/vector.cuh>

#include "key.cuh"

namespace sorting_stats {

using namespace sorting;

struct summary {
  u128 max;
  u128 min;
  u128 ones;  // bits that are set in some value
  u128 zeros; // bits that are clear in some value
  u64 size;   // number of bytes of the longest text
  u64 flags;  // 1: some row is valid; 2: some row is null; 4: some value cannot be restored from its integer

  GDF_DEVICE static summary none() { return {0, ~u128{0}, 0, 0, 0, 0}; }

  GDF_DEVICE void merge(const summary& other) {
    max = other.max > max ? other.max : max;
    min = other.min < min ? other.min : min;
    ones |= other.ones;
    zeros |= other.zeros;
    size = other.size > size ? other.size : size;
    flags |= other.flags;
  }
};
constexpr int summary_bytes = 80;
static_assert(sizeof(summary) == summary_bytes);

GDF_DEVICE u64 from_lane(u64 value, int step) { return __shfl_xor_sync(~0u, value, step); }
GDF_DEVICE u128 from_lane(u128 value, int step) {
  return make_u128(from_lane(static_cast<u64>(value), step),
                   from_lane(static_cast<u64>(value >> 64), step));
}

/// [block] Returns the summary of the block.
template <int threads>
GDF_DEVICE summary reduce(summary mine) {
  constexpr int warps = threads / 32;
  __shared__ u64 partial[warps][10];
#pragma unroll 1
  for (int step = 16; step > 0; step >>= 1) {
    mine.merge({from_lane(mine.max, step), from_lane(mine.min, step), from_lane(mine.ones, step),
                from_lane(mine.zeros, step), from_lane(mine.size, step),
                from_lane(mine.flags, step)});
  }
  __syncthreads(); // `partial` may still be read from a call before
  if (gdf::lane() == 0) {
    u64* const p = partial[gdf::warp()];
    p[0] = static_cast<u64>(mine.max);
    p[1] = static_cast<u64>(mine.max >> 64);
    p[2] = static_cast<u64>(mine.min);
    p[3] = static_cast<u64>(mine.min >> 64);
    p[4] = static_cast<u64>(mine.ones);
    p[5] = static_cast<u64>(mine.ones >> 64);
    p[6] = static_cast<u64>(mine.zeros);
    p[7] = static_cast<u64>(mine.zeros >> 64);
    p[8] = mine.size;
    p[9] = mine.flags;
  }
  __syncthreads();
  if (threadIdx.x == 0) {
#pragma unroll 1
    for (int w = 1; w < warps; w++) {
      const u64* const p = partial[w];
      mine.merge({make_u128(p[0], p[1]), make_u128(p[2], p[3]), make_u128(p[4], p[5]),
                  make_u128(p[6], p[7]), p[8], p[9]});
    }
  }
  return mine;
}

/// [block] Computes the summary of the rows of the calling thread, in a grid with `threads` threads per block.
template <int threads, int items, class Order>
GDF_DEVICE summary summarize(const Order& order, const piece& of, int64_t rows) {
  using word = typename Order::word;
  word max = 0;
  word min = ~word{0};
  word ones = 0;
  word zeros = 0;
  u64 size = 0;
  uint32_t flags = 0;
  gdf::for_each_tile<threads, items>(rows, [&](int64_t first, bool) {
    ordered_row<word> value[items];
    bool valid[items];
#pragma unroll
    for (int i = 0; i < items; i++) {
      int64_t const row = gdf::row_of<threads>(first, i);
      int64_t const at = row < rows ? row : rows - 1;
      value[i] = ordered_at(order, of.column, of.part, at);
      valid[i] = gdf::is_valid(of.column, at); // past the end, the last row is read again
    }
#pragma unroll
    for (int i = 0; i < items; i++) {
      if (valid[i]) {
        max = value[i].word > max ? value[i].word : max;
        min = value[i].word < min ? value[i].word : min;
        ones |= value[i].word;
        zeros |= ~value[i].word;
        flags |= 1u | (value[i].lossy ? 4u : 0u);
        auto const bytes = static_cast<u64>(value[i].size);
        size = bytes > size ? bytes : size;
      } else {
        flags |= 2u;
      }
    }
  });
  summary all = summary::none();
  if (flags & 1u) { all = {max, min, ones, zeros, size, 0}; }
  all.flags = flags;
  return all;
}

/// [thread] Loads `vectors` runs of `n` rows of the tile at `first`. A row past the end becomes the last row of the
/// column.
template <int threads, int vectors, int n, class Stored>
GDF_DEVICE void load_tile(const gdf::values<Stored>& in, bool aligned, int64_t first, bool full,
                          int64_t rows, gdf::run<Stored, n> (&run)[vectors]) {
  static_assert(sizeof(gdf::run<Stored, n>) == 16);
  union vector {
    uint4 bits;
    gdf::run<Stored, n> rows;
  } piece[vectors];
  if (aligned && full) {
#pragma unroll
    for (int v = 0; v < vectors; v++) {
      piece[v].bits = __ldcs(
        reinterpret_cast<const uint4*>(in.first + gdf::run_row<threads, n>(first, v)));
    }
  } else {
#pragma unroll
    for (int v = 0; v < vectors; v++) {
      int64_t const row = gdf::run_row<threads, n>(first, v);
      if (aligned && row + n <= rows) {
        piece[v].bits = *reinterpret_cast<const uint4*>(in.first + row);
      } else {
        int64_t const at = row < rows ? row : rows - 1;
        const Stored* const values = in.first + (at & in.mask);
        int const last = static_cast<int>(min(rows - 1 - at, int64_t{n - 1}) & in.mask);
#pragma unroll
        for (int i = 0; i < n; i++) { piece[v].rows.row[i] = values[min(i, last)]; }
      }
    }
  }
#pragma unroll
  for (int v = 0; v < vectors; v++) {
    // The compiler must keep the rows in whole words here. Otherwise each one-byte row would take a register.
    uint4& bits = piece[v].bits;
    asm("" : "+r"(bits.x), "+r"(bits.y), "+r"(bits.z), "+r"(bits.w));
    run[v] = piece[v].rows;
  }
}

template <class Stored>
GDF_DEVICE bool has_vectors(const gdf::values<Stored>& in) {
  return in.mask != 0 && gdf::is_aligned(in.first, 16);
}

/// Whether `summarize_runs` supports columns of this order.
template <class Order>
constexpr bool has_runs() {
  return std::is_same_v<typename Order::word, u64> && !std::is_same_v<Order, text_order> &&
         !std::is_same_v<Order, boolean_order>;
}

/// [warp] Computes the validity of this thread's runs of the tile at `first`, as a bit for each row.
template <int threads, int vectors, int n>
GDF_DEVICE void load_valid(const gdf::column_in& column, int64_t first, int64_t rows,
                           uint32_t (&valid)[vectors]) {
  static_assert(vectors * n <= 32);
  uint32_t word = 0;
  if (gdf::lane() < vectors * n) {
    int64_t const of_warp = first + (int64_t{gdf::lane() / n} * threads + gdf::warp() * 32) * n;
    word = gdf::valid_word(column, of_warp + gdf::lane() % n * 32, rows);
  }
  int const bit = gdf::lane() * n;
#pragma unroll
  for (int v = 0; v < vectors; v++) {
    valid[v] = __shfl_sync(~0u, word, v * n + (bit >> 5)) >> (bit & 31) & gdf::low_bits(n);
  }
}

/// The number of vectors that a thread handles at a time. It is half of `most` if a vector has sixteen rows.
template <class Stored, int most>
constexpr int vectors_of = sizeof(Stored) == 1 ? most / 2 : most;

/// [block] Does the same as `summarize`, with vector loads, for values of at most 8 bytes.
template <int threads, int max_vectors, class Order>
GDF_DEVICE summary summarize_runs(const Order& order, const piece& of, int64_t rows) {
  using stored = typename Order::stored;
  using word = std::conditional_t<sizeof(stored) <= 4, uint32_t, u64>;
  constexpr int n = 16 / sizeof(stored);
  constexpr int vectors = vectors_of<stored, max_vectors>;
  word max = 0;
  word min = ~word{0};
  word ones = 0;
  word all_ones = ~word{0};
  bool lossy = false;
  bool some = false;
  bool null = false;
  auto const take = [&](stored value) {
    auto const own = static_cast<word>(order.ordered(value));
    max = own > max ? own : max;
    min = own < min ? own : min;
    ones |= own;
    all_ones &= own;
    lossy |= order.lossy(value);
  };
  gdf::values<stored> const in(of.column);
  bool const aligned = has_vectors(in);
  gdf::for_each_tile<threads, n * vectors>(rows, [&](int64_t first, bool full) {
    gdf::run<stored, n> run[vectors];
    load_tile<threads>(in, aligned, first, full, rows, run);
    if (of.column.validity == nullptr) {
      some = true;
#pragma unroll
      for (int v = 0; v < vectors; v++) { // past the end, the last row is read again
#pragma unroll
        for (int i = 0; i < n; i++) { take(run[v].row[i]); }
      }
    } else {
      uint32_t valid[vectors];
      load_valid<threads, vectors, n>(of.column, first, rows, valid);
#pragma unroll
      for (int v = 0; v < vectors; v++) {
        int64_t const row = gdf::run_row<threads, n>(first, v);
        some |= valid[v] != 0;
        null |= valid[v] != (gdf::low_bits(rows - row) & gdf::low_bits(n));
#pragma unroll
        for (int i = 0; i < n; i++) {
          if (valid[v] >> i & 1) { take(run[v].row[i]); }
        }
      }
    }
  });
  summary all = summary::none();
  if (some) { all = {max, min, ones, static_cast<word>(~all_ones), 0, lossy ? 5u : 1u}; }
  all.flags |= null ? 2u : 0u;
  return all;
}

} // namespace sorting_stats
