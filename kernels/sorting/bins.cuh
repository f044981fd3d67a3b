// Packed sort keys. The upper bits of a key distinguish most rows, so that few rows have to be compared in full. If
// there is room, a key also contains the row number.
#pragma once

#include "layout.cuh"

namespace sorting {

constexpr int max_symbols = 8; // the largest number of symbols of a text in a key
constexpr int found_words = 8;  // words that `measure` computes for a piece
constexpr int max_prefix = 4096; // the largest number of bytes of a common prefix that is searched for
constexpr int64_t tie_bytes = 1 << 16; // bytes of text that a thread may compare if keys are equal
constexpr int64_t any_bytes = 1ll << 62; // stands for no limit of the bytes to compare

/// The layout of the keys, as each block computes it.
struct key_layout {
  field fields[max_pieces];
  int32_t prefix[max_pieces];       // text: length of the common prefix of all rows, which the key omits
  int32_t first_symbol[max_pieces]; // text after the prefix: the smallest byte plus one
  int32_t radix[max_pieces];        // number of different symbols; the end of a text is a symbol
  int32_t symbols[max_pieces];      // number of symbols in a key
  int32_t count;                    // number of pieces in the key
  // The number of bits of the key below its uppermost 64 bits. If the number is negative, the key has fewer than 64
  // bits, and the uppermost word also holds the first -start bits of the row number.
  int32_t start;
  int32_t row_bits;                 // number of bits of the largest row number
  int32_t null_bits; // number of bits that nulls of the last piece leave free for row numbers
  int32_t bits;                     // number of bits of the whole key
  int32_t bin_shift;
  int32_t open;      // if keys are equal, all pieces before this one are equal
  int32_t open_from; // if keys are equal, this number of bytes of the text of piece `open` is also equal
  bool exact; // keys and then row numbers determine the order completely
};

GDF_DEVICE bool is_wide(const piece& of) {
  auto const type = static_cast<gdf::type>(of.column.type);
  return type == gdf::type::i128 || type == gdf::type::i256;
}

GDF_DEVICE bool is_text(const piece& of) {
  auto const type = static_cast<gdf::type>(of.column.type);
  return type == gdf::type::string || type == gdf::type::binary;
}

/// [thread] Returns the length of the common prefix of two texts, at most `most` bytes.
GDF_DEVICE int common_bytes(const gdf::string_view& a, const gdf::string_view& b, int most) {
  auto const end = static_cast<int>(min(static_cast<int64_t>(most), min(a.size, b.size)));
  for (int i = 0; i < end; i += 8) {
    u64 const difference = gdf::ordered8(a, i) ^ gdf::ordered8(b, i);
    if (difference != 0) { return min(end, i + (__clzll(static_cast<long long>(difference)) >> 3)); }
  }
  return end;
}

/// [thread] Compares two texts whose first `from` bytes are equal.
GDF_DEVICE int compare_behind(const gdf::string_view& a, const gdf::string_view& b, int64_t from, int64_t& left) {
  int64_t const common = min(a.size, b.size);
  for (int64_t i = from; i < common; i += 8) {
    left -= 8;
    if (left < 0) { return 0; }
    u64 const x = gdf::ordered8(a, i); // zero past the end, so the shorter text is the smaller one
    u64 const y = gdf::ordered8(b, i);
    if (x != y) { return x < y ? -1 : 1; }
  }
  return a.size == b.size ? 0 : a.size < b.size ? -1 : 1;
}

/// [thread] Returns the first `symbols` symbols after the prefix of a text, as the digits of a number.
GDF_DEVICE u64 text_number(const key_layout& of, int p, const gdf::string_view& text) {
  int const prefix = of.prefix[p];
  int64_t const left = text.size - prefix;
  u64 const eight = gdf::ordered8(text, prefix);
  u64 number = 0;
#pragma unroll
  for (int i = 0; i < max_symbols; i++) {
    if (i < of.symbols[p]) {
      auto const symbol = static_cast<int>((eight >> (56 - 8 * i)) & 0xff) + 1;
      int const digit = i < left ? symbol - of.first_symbol[p] + 1 : 0;
      number = number * static_cast<u64>(of.radix[p]) + static_cast<u64>(digit);
    }
  }
  return number;
}

template <int threads>
GDF_DEVICE int first_valid_row(const gdf::column_in& column, int rows) {
  if (column.validity == nullptr) { return 0; }
  __shared__ int found;
  __syncthreads(); // `found` may still be read from the previous call
  if (threadIdx.x == 0) { found = rows; }
  __syncthreads();
  for (int first = 0; first < rows; first += threads) {
    int const row = first + static_cast<int>(threadIdx.x);
    bool const valid = row < rows && gdf::is_valid(column, row);
    if (valid) { atomicMin(&found, row); }
    if (__syncthreads_or(valid)) { break; }
  }
  return found;
}

/// [thread] Returns whether `measure` computes a word for a piece.
GDF_DEVICE bool is_found(bool text, int word) {
  return text ? word == 0 || word >= 4 : word < 4 || word == 5;
}

/// [thread] Returns whether a word is merged by bitwise or.
GDF_DEVICE bool is_of_bits(bool text, int word) { return word == 5 || (!text && (word == 2 || word == 3)); }

template <int threads, bool alone, class IsPart>
GDF_DEVICE void add_found(bool text, u64 (&mine)[found_words], u64* found, u64 (*partial)[found_words], IsPart&& is_part) {
  auto const over_lanes = [&] {
#pragma unroll
    for (int w = 0; w < found_words; w++) {
      if (is_part(w)) { mine[w] = is_of_bits(text, w) ? gdf::warp_or(mine[w]) : gdf::warp_max(mine[w]); }
    }
  };
  over_lanes();
  if (gdf::lane() == 0) {
#pragma unroll
    for (int w = 0; w < found_words; w++) { partial[gdf::warp()][w] = mine[w]; }
  }
  __syncthreads();
  if (gdf::warp() == 0) {
#pragma unroll
    for (int w = 0; w < found_words; w++) { mine[w] = gdf::lane() < threads / 32 ? partial[gdf::lane()][w] : 0; }
    over_lanes();
    if (gdf::lane() == 0) {
#pragma unroll
      for (int w = 0; w < found_words; w++) {
        if constexpr (alone) {
          if (is_part(w)) { found[w] = mine[w]; }
          continue;
        }
        if (mine[w] == 0 || !is_part(w)) { continue; }
        if (is_of_bits(text, w)) {
          atomicOr(found + w, mine[w]);
        } else {
          atomicMax(found + w, mine[w]);
        }
      }
    }
  }
  __syncthreads(); // `partial` can be reused
}

/// [thread] Merges the largest and the inverted smallest symbol of the eight bytes from byte `from` on into `largest`
/// and `smallest`.
GDF_DEVICE void add_symbols(const gdf::string_view& text, int from, u64& largest, u64& smallest) {
  u64 const eight = gdf::ordered8(text, from);
#pragma unroll
  for (int i = 0; i < max_symbols; i++) {
    if (from + i < text.size) {
      u64 const symbol = ((eight >> (56 - 8 * i)) & 0xff) + 1;
      largest = max(largest, symbol);
      smallest = max(smallest, ~symbol);
    }
  }
}

/// [block] Merges the range of the values of a piece into `found`. The piece must not have 128-bit integers.
template <int threads, bool alone = false>
GDF_DEVICE void measure(const piece& of, int rows, u64* found, u64 (*partial)[found_words]) {
  u64 mine[found_words] = {};
  int const stride = static_cast<int>(gridDim.x) * threads;
  bool const text = is_text(of);
  gdf::string_view first{nullptr, 0};
  if (text) {
    int const row = first_valid_row<threads>(of.column, rows);
    if (row < rows) { first = gdf::string_at(of.column, row); }
  }
  int prefix = max_prefix;
  by_order(of.column.type, [&]<class Order>(const Order& order) {
    for (int row = static_cast<int>(blockIdx.x * threads + threadIdx.x); row < rows;
         row += stride) {
      if (!gdf::is_valid(of.column, row)) {
        mine[5] |= 2;
      } else if constexpr (std::is_same_v<Order, text_order>) {
        gdf::string_view const own = gdf::string_at(of.column, row);
        prefix = common_bytes(first, own, prefix);
        mine[0] = ~static_cast<u64>(prefix);
        mine[5] |= 1;
        mine[4] = max(mine[4], static_cast<u64>(own.size));
        add_symbols(own, 0, mine[6], mine[7]);
      } else if constexpr (std::is_same_v<typename Order::word, u64>) {
        u64 const value = ordered_at(order, of.column, of.part, row).word;
        mine[5] |= 1;
        mine[0] = max(mine[0], value);
        mine[1] = max(mine[1], ~value);
        mine[2] |= value;
        mine[3] |= ~value;
      }
    }
  });
  add_found<threads, alone>(text, mine, found, partial, [&](int w) { return is_found(text, w); });
}

/// [thread] Returns the length of the common prefix of all texts of a piece, from the words of `measure`.
GDF_DEVICE int prefix_of(const volatile u64* found) {
  return (found[5] & 1) != 0 ? static_cast<int>(~found[0]) : 0;
}

/// [block] Merges the largest and the inverted smallest symbol after the prefix of a text piece into words 2 and 3 of
/// `found`.
template <int threads, bool alone = false>
GDF_DEVICE void measure_behind(const piece& of, int rows, int prefix, u64* found, u64 (*partial)[found_words]) {
  u64 mine[found_words] = {};
  int const stride = static_cast<int>(gridDim.x) * threads;
  for (int row = static_cast<int>(blockIdx.x * threads + threadIdx.x); row < rows; row += stride) {
    if (gdf::is_valid(of.column, row)) { add_symbols(gdf::string_at(of.column, row), prefix, mine[2], mine[3]); }
  }
  add_found<threads, alone>(true, mine, found, partial, [](int w) { return w == 2 || w == 3; });
}

/// [block] Calls `measure_behind` for all text pieces with a prefix. Returns whether there are such pieces.
template <int threads, bool alone = false>
GDF_DEVICE bool measure_all_behind(const pieces& in, int count, int rows, u64* found, u64 (*partial)[found_words]) {
  bool any = false;
#pragma unroll 1
  for (int p = 0; p < count; p++) {
    int const prefix = is_text(in.at[p]) ? prefix_of(found + p * found_words) : 0;
    if (prefix == 0) { continue; }
    measure_behind<threads, alone>(in.at[p], rows, prefix, found + p * found_words, partial);
    any = true;
  }
  return any;
}

/// [thread] Computes the layout of the keys.
GDF_DEVICE void lay_out_keys(const pieces& in, int count, int rows, int bin_bits,
                             const volatile u64* found,
                             sorting_stats::summary* stats, key_layout& to) {
  to.count = count;
  to.exact = true;
  for (int p = 0; p < count; p++) {
    to.prefix[p] = is_text(in.at[p]) ? prefix_of(found + p * found_words) : 0;
  }
  for (int p = 0; p < to.count; p++) {
    const volatile u64* const of = found + p * found_words;
    if (is_wide(in.at[p])) { continue; }
    stats[p] = {of[0], ~of[1], of[2], of[3], of[4], of[5]};
    if (!is_text(in.at[p])) { continue; }
    // If every row is null or ends with the prefix, the key has no symbols.
    bool const behind = to.prefix[p] > 0;
    u64 const last = of[behind ? 2 : 6];
    u64 const first = ~of[behind ? 3 : 7];
    u64 const radix = last == 0 ? 1 : last - first + 2;
    u64 most = 1; // number of different digit strings
    int symbols = 0;
    while (last != 0 && symbols < max_symbols && most <= (1ull << 63) / radix) {
      most *= radix;
      symbols++;
    }
    to.first_symbol[p] = static_cast<int32_t>(first);
    to.radix[p] = static_cast<int32_t>(radix);
    to.symbols[p] = symbols;
    stats[p].max = most - 1;
    stats[p].min = 0;
    stats[p].ones = ~u128{0};
    stats[p].zeros = ~u128{0};
    // The key cannot hold the end of this text. The end has to be compared before the following pieces, so the key
    // leaves those pieces out.
    if (of[4] > static_cast<u64>(to.prefix[p] + symbols)) {
      to.exact = false;
      to.count = p + 1;
    }
  }
  bool const goes_on = !to.exact; // whether the last text of the key has bytes that are not in the key
  int const bits = lay_out(in, to.count, stats, to.fields);
  to.bits = bits;
  bool const whole = to.count == count && bits <= 64;
  to.row_bits = rows > 1 ? 32 - __clz(rows - 1) : 0;
  to.start = !to.exact ? max(bits - 64, 0) : bits > 64 ? bits - 64 : -min(64 - bits, to.row_bits);
  to.exact = to.exact && bits <= 64;
  bool const nulls = whole && (stats[count - 1].flags & 2) != 0;
  to.null_bits = nulls ? to.fields[count - 1].bits - to.start : 0;
  int const word_bits = bits - to.start;
  to.bin_shift = word_bits > bin_bits ? word_bits - bin_bits : 0;
  int const ended = goes_on ? to.count - 1 : to.count;
  to.open = 0;
  while (to.open < ended && to.fields[to.open].position >= to.start) { to.open++; }
  to.open_from = 0;
  if (to.open < count) {
    bool const symbols = goes_on && to.open == ended && to.fields[to.open].position >= to.start;
    to.open_from = to.prefix[to.open] + (symbols ? to.symbols[to.open] : 0);
  }
}

/// [thread] Returns the uppermost 64 bits of a row's key.
template <bool wide>
GDF_DEVICE u64 key_of_row(const key_layout& of, int row) {
  u64 key = 0;
#pragma unroll 1
  for (int p = 0; p < of.count; p++) {
    const field& f = of.fields[p];
    by_order(f.of.column.type, [&]<class Order>(const Order& order) {
      if constexpr (std::is_same_v<Order, text_order>) {
        key |= bits_of_value<u64>(
          f, row, of.start, [&] { return text_number(of, p, gdf::string_at(f.of.column, row)); });
      } else if constexpr (wide || std::is_same_v<typename Order::word, u64>) {
        key |= bits_of(order, f, row, of.start);
      }
    });
  }
  bool const null = of.null_bits > 0 && !gdf::is_valid(of.fields[of.count - 1].of.column, row);
  int const bits = null ? of.null_bits : -of.start;
  if (bits > 0) {
    int const shift = bits - of.row_bits;
    auto const number = static_cast<u64>(row);
    key |= shift >= 0 ? number << shift : number >> -shift;
  }
  return key;
}

/// The result of a comparison: whether a row comes before another, and the number of bytes that the thread may still
/// compare.
struct comparison {
  bool before;
  int64_t left;
};

/// [thread] Compares rows a and b, whose keys are equal.
template <bool wide>
static __device__ __noinline__ comparison compare_tied(const pieces& in, int count, const key_layout& keys, uint32_t a,
                                                       uint32_t b, int64_t left) {
#pragma unroll 1
  for (int p = keys.open; p < count; p++) {
    const piece& of = in.at[p];
    bool const valid_a = gdf::is_valid(of.column, a);
    bool const valid_b = gdf::is_valid(of.column, b);
    if (valid_a != valid_b) { return {valid_b == ((of.flags & nulls_first) != 0), left}; }
    if (!valid_a) { continue; }
    int order = 0;
    by_order(of.column.type, [&]<class Order>(const Order& own) {
      if constexpr (std::is_same_v<Order, text_order>) {
        int const from = p == keys.open ? keys.open_from : keys.prefix[p];
        order = compare_behind(gdf::string_at(of.column, a), gdf::string_at(of.column, b), from, left);
      } else if constexpr (wide || std::is_same_v<typename Order::word, u64>) {
        order = compare_values(own, of.column, a, of.column, b);
      }
    });
    if (left < 0) { break; }
    if (order != 0) { return {(order < 0) != ((of.flags & descending) != 0), left}; }
  }
  return {a < b, left};
}

/// The comparison of rows with their keys by a thread.
template <bool wide>
struct row_order {
  const pieces& in;
  int count;
  const key_layout& keys;
  int64_t left; // bytes of text that the thread may still compare if keys are equal

  /// [thread] Returns whether row a comes before row b.
  GDF_DEVICE bool operator()(u64 key_a, uint32_t a, u64 key_b, uint32_t b) {
    if (key_a != key_b) { return key_a < key_b; }
    if (keys.exact || left < 0) { return a < b; }
    comparison const found = compare_tied<wide>(in, count, keys, a, b, left);
    left = found.left;
    return found.before;
  }

  /// [thread] Returns whether the thread has used up the bytes that it may compare. The results of further comparisons
  /// are not a consistent order.
  GDF_DEVICE bool gives_up() const { return left < 0; }
};

} // namespace sorting
