// Keys by whose upper bits rows are told apart, so that only few have to be compared: made on the
// device, of text too, and of row numbers where there is room.
#pragma once

#include "layout.cuh"

namespace sorting {

constexpr int max_symbols = 8; // of text in a key
constexpr int found_words = 8;  // of what `measure` finds of a piece
constexpr int max_prefix = 4096; // bytes that all texts begin with, as far as is looked
constexpr int64_t tie_bytes = 1 << 16; // of text that a thread may compare where keys tie
constexpr int64_t any_bytes = 1ll << 62; // it may compare all of it

/// What a block knows of the keys.
struct key_layout {
  field fields[max_pieces];
  int32_t prefix[max_pieces];       // of text: bytes that all rows begin with, which the key leaves out
  int32_t first_symbol[max_pieces]; // of text behind them: the smallest byte plus one
  int32_t radix[max_pieces];        // different symbols, the end being one
  int32_t symbols[max_pieces];      // in a key
  int32_t count;                    // pieces that the key has
  int32_t start;                    // bits of the key below its uppermost 64; below 0: of the row
                                    // number behind it, so that equal rows are in several bins
  int32_t row_bits;                 // of the largest row number
  int32_t null_bits; // that nulls of the last piece leave to row numbers; 0: none do
  int32_t bits;                     // of the whole key
  int32_t bin_shift;
  int32_t open;      // pieces before this one are equal where keys are
  int32_t open_from; // so are so many bytes of its text
  bool exact; // keys, and then row numbers, tell all
};

/// [thread] Is it of integers of 128 bits?
GDF_DEVICE bool is_wide(const piece& of) {
  auto const type = static_cast<gdf::type>(of.column.type);
  return type == gdf::type::i128 || type == gdf::type::i256;
}

/// [thread] Is it of text?
GDF_DEVICE bool is_text(const piece& of) {
  auto const type = static_cast<gdf::type>(of.column.type);
  return type == gdf::type::string || type == gdf::type::binary;
}

/// [thread] How many of their first `most` bytes the texts have in common.
GDF_DEVICE int common_bytes(const gdf::string_view& a, const gdf::string_view& b, int most) {
  auto const end = static_cast<int>(min(static_cast<int64_t>(most), min(a.size, b.size)));
  for (int i = 0; i < end; i += 8) {
    u64 const difference = gdf::ordered8(a, i) ^ gdf::ordered8(b, i);
    if (difference != 0) { return min(end, i + (__clzll(static_cast<long long>(difference)) >> 3)); }
  }
  return end;
}

/// [thread] Below 0, 0, above 0: how texts compare whose first `from` bytes are equal. Takes the bytes that are compared
/// from `left`; below 0, it has not compared all.
GDF_DEVICE int compare_behind(const gdf::string_view& a, const gdf::string_view& b, int64_t from, int64_t& left) {
  int64_t const common = min(a.size, b.size);
  for (int64_t i = from; i < common; i += 8) {
    left -= 8;
    if (left < 0) { return 0; }
    u64 const x = gdf::ordered8(a, i); // zero past the end, where the shorter text is the smaller one
    u64 const y = gdf::ordered8(b, i);
    if (x != y) { return x < y ? -1 : 1; }
  }
  return a.size == b.size ? 0 : a.size < b.size ? -1 : 1;
}

/// [thread] The first symbols behind the prefix of a text, as a number of so many digits.
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

/// [block] The first valid row, or `rows`.
template <int threads>
GDF_DEVICE int first_valid_row(const gdf::column_in& column, int rows) {
  if (column.validity == nullptr) { return 0; }
  __shared__ int found;
  __syncthreads(); // it may still be read from a call before
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

/// [thread] Which words of what is found of a piece have a value: text has no range, numbers no symbols.
GDF_DEVICE bool is_found(bool text, int word) {
  return text ? word == 0 || word >= 4 : word < 4 || word == 5;
}

/// [thread] Of these words all bits count, of the others the largest.
GDF_DEVICE bool is_of_bits(bool text, int word) { return word == 5 || (!text && (word == 2 || word == 3)); }

/// [block] Adds the words of all threads for which `is_part(word)` to `found`, or, `alone`, makes it of them.
/// `partial` has an entry per warp.
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
  __syncthreads(); // `partial` is free again
}

/// [thread] Adds the largest and the inverted smallest symbol of eight bytes from byte `from` on.
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

/// [block] Adds what a piece ranges over to `found`, or, `alone`, makes that of it. Words 0 to 3 are of integers the
/// largest, the inverted smallest, bits set, bits unset; word 0 of text is the inverted prefix, words 2 and 3 are left to
/// `measure_behind`. Word 4 is the longest text, 5 flags, 6 and 7 the largest and the inverted smallest symbol of the
/// first eight bytes. Not of integers of 128 bits. `partial` has an entry per warp.
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

/// [thread] The bytes that all texts of a piece begin with, of what `measure` has found.
GDF_DEVICE int prefix_of(const volatile u64* found) {
  return (found[5] & 1) != 0 ? static_cast<int>(~found[0]) : 0;
}

/// [block] Finds the symbols behind the prefix of a piece of text that has one: words 2 and 3, as words 6 and 7.
template <int threads, bool alone = false>
GDF_DEVICE void measure_behind(const piece& of, int rows, int prefix, u64* found, u64 (*partial)[found_words]) {
  u64 mine[found_words] = {};
  int const stride = static_cast<int>(gridDim.x) * threads;
  for (int row = static_cast<int>(blockIdx.x * threads + threadIdx.x); row < rows; row += stride) {
    if (gdf::is_valid(of.column, row)) { add_symbols(gdf::string_at(of.column, row), prefix, mine[2], mine[3]); }
  }
  add_found<threads, alone>(true, mine, found, partial, [](int w) { return w == 2 || w == 3; });
}

/// [block] The same of all pieces, after `measure` of all of them; whether there was one to look at, which all blocks say.
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

/// [thread] The layout of the keys, from what all blocks have found, or for integers of 128 bits from
/// `stats`. The uppermost `bin_bits` bits tell the bin.
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
    // A key of nulls and of text that ends with the prefix has no symbols.
    bool const behind = to.prefix[p] > 0;
    u64 const last = of[behind ? 2 : 6];
    u64 const first = ~of[behind ? 3 : 7];
    u64 const radix = last == 0 ? 1 : last - first + 2;
    u64 most = 1; // numbers
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
    if (of[4] > static_cast<u64>(to.prefix[p] + symbols)) { // what follows must not decide before its rest
      to.exact = false;
      to.count = p + 1;
    }
  }
  bool const goes_on = !to.exact; // the last text of the key
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

/// [thread] The uppermost 64 bits of a row's key. `wide`: integers of 128 bits may be among them.
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

/// Whether a row comes before another, and what is left of the bytes that a thread may compare; below 0, it is not known.
struct comparison {
  bool before;
  int64_t left;
};

/// [thread] Does row a come before row b, whose keys tie?
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

/// The order of rows with their keys, as a thread compares them.
template <bool wide>
struct row_order {
  const pieces& in;
  int count;
  const key_layout& keys;
  int64_t left; // bytes of text that it may compare where keys tie

  /// [thread] Does row a come before row b?
  GDF_DEVICE bool operator()(u64 key_a, uint32_t a, u64 key_b, uint32_t b) {
    if (key_a != key_b) { return key_a < key_b; }
    if (keys.exact || left < 0) { return a < b; }
    comparison const found = compare_tied<wide>(in, count, keys, a, b, left);
    left = found.left;
    return found.before;
  }

  /// [thread] Has it compared as much as it may, so that its answers are no order?
  GDF_DEVICE bool gives_up() const { return left < 0; }
};

} // namespace sorting
