// Keys by whose upper bits rows are told apart, so that only few have to be compared: made on the
// device, of text too, and of row numbers where there is room.
#pragma once

#include "layout.cuh"

namespace sorting {

constexpr int max_symbols = 8; // of text in a key
constexpr int found_words = 8;  // of what `measure` finds of a piece

/// What a block knows of the keys.
struct key_layout {
  field fields[max_pieces];
  int32_t first_symbol[max_pieces]; // of text: the smallest byte plus one
  int32_t radix[max_pieces];        // different symbols, the end being one
  int32_t symbols[max_pieces];      // in a key
  int32_t count;                    // pieces that the key has
  int32_t start;                    // bits of the key below its uppermost 64; below 0: of the row
                                    // number behind it, so that equal rows are in several bins
  int32_t row_bits;                 // of the largest row number
  int32_t null_bits; // that nulls of the last piece leave to row numbers; 0: none do
  int32_t bits;                     // of the whole key
  int32_t bin_shift;
  bool exact; // keys, and then row numbers, tell all
};

/// [thread] Is it of integers of 128 bits?
GDF_DEVICE bool is_wide(const piece& of) {
  auto const type = static_cast<gdf::type>(of.column.type);
  return type == gdf::type::i128 || type == gdf::type::i256;
}

/// [thread] The first symbols of a text as a number of so many digits.
GDF_DEVICE u64 text_number(const key_layout& of, int p, const gdf::string_view& text) {
  u64 const eight = gdf::ordered8(text, 0);
  u64 number = 0;
#pragma unroll
  for (int i = 0; i < max_symbols; i++) {
    if (i < of.symbols[p]) {
      auto const symbol = static_cast<int>((eight >> (56 - 8 * i)) & 0xff) + 1;
      int const digit = i < text.size ? symbol - of.first_symbol[p] + 1 : 0;
      number = number * static_cast<u64>(of.radix[p]) + static_cast<u64>(digit);
    }
  }
  return number;
}

/// [block] Adds what piece p ranges over to `found`, or, `alone`, makes that of it. Of words 0, 1, 4, 6, 7 the
/// largest counts, of the others all bits: largest and inverted smallest integer, bits set, bits
/// unset, longest text, flags, largest and inverted smallest symbol. `partial` has an entry per warp.
/// Not of integers of 128 bits.
template <int threads, bool alone = false>
GDF_DEVICE void measure(const piece& of, int rows, u64* found, u64 (*partial)[found_words]) {
  u64 mine[found_words] = {};
  int const stride = static_cast<int>(gridDim.x) * threads;
  by_order(of.column.type, [&]<class Order>(const Order& order) {
    for (int row = static_cast<int>(blockIdx.x * threads + threadIdx.x); row < rows;
         row += stride) {
      if (!gdf::is_valid(of.column, row)) {
        mine[5] |= 2;
      } else if constexpr (std::is_same_v<Order, text_order>) {
        gdf::string_view const text = gdf::string_at(of.column, row);
        u64 const eight = gdf::ordered8(text, 0);
        mine[5] |= 1;
        mine[4] = max(mine[4], static_cast<u64>(text.size));
#pragma unroll
        for (int i = 0; i < max_symbols; i++) {
          if (i < text.size) {
            u64 const symbol = ((eight >> (56 - 8 * i)) & 0xff) + 1;
            mine[6] = max(mine[6], symbol);
            mine[7] = max(mine[7], ~symbol);
          }
        }
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
  auto const type = static_cast<gdf::type>(of.column.type);
  bool const is_text = type == gdf::type::string || type == gdf::type::binary;
  auto const over_lanes = [&] {
#pragma unroll
    for (int w = 0; w < found_words; w++) {
      if (is_text ? w < 4 : w == 4 || w > 5) { continue; } // zero
      mine[w] = w == 2 || w == 3 || w == 5 ? gdf::warp_or(mine[w]) : gdf::warp_max(mine[w]);
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
    for (int w = 0; w < found_words; w++) { mine[w] = partial[gdf::lane()][w]; }
    over_lanes();
    if (gdf::lane() == 0) {
#pragma unroll
      for (int w = 0; w < found_words; w++) {
        if constexpr (alone) {
          found[w] = mine[w];
          continue;
        }
        if (mine[w] == 0) { continue; }
        if (w == 2 || w == 3 || w == 5) {
          atomicOr(found + w, mine[w]);
        } else {
          atomicMax(found + w, mine[w]);
        }
      }
    }
  }
  __syncthreads(); // `partial` is free again
}

/// [thread] The layout of the keys, from what all blocks have found, or for integers of 128 bits from
/// `stats`. The uppermost `bin_bits` bits tell the bin.
GDF_DEVICE void lay_out_keys(const pieces& in, int count, int rows, int bin_bits,
                             const volatile u64* found,
                             sorting_stats::summary* stats, key_layout& to) {
  to.count = count;
  to.exact = true;
  for (int p = 0; p < to.count; p++) {
    const volatile u64* const of = found + p * found_words;
    if (is_wide(in.at[p])) { continue; }
    stats[p] = {of[0], ~of[1], of[2], of[3], of[4], of[5]};
    auto const type = static_cast<gdf::type>(in.at[p].column.type);
    if (type != gdf::type::string && type != gdf::type::binary) { continue; }
    // A key of nulls and empty text has no symbols.
    u64 const last = of[6];
    u64 const first = ~of[7];
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
    if (of[4] > static_cast<u64>(symbols)) { // what follows must not decide before its rest
      to.exact = false;
      to.count = p + 1;
    }
  }
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

/// [thread] Does row a come before row b, whose keys tie?
template <bool wide>
GDF_DEVICE bool is_before(const pieces& in, int count, uint32_t a, uint32_t b) {
#pragma unroll 1
  for (int p = 0; p < count; p++) {
    const piece& of = in.at[p];
    bool const valid_a = gdf::is_valid(of.column, a);
    bool const valid_b = gdf::is_valid(of.column, b);
    if (valid_a != valid_b) { return valid_b == ((of.flags & nulls_first) != 0); }
    if (!valid_a) { continue; }
    int order = 0;
    by_order(of.column.type, [&]<class Order>(const Order& own) {
      if constexpr (wide || std::is_same_v<typename Order::word, u64>) {
        order = compare_values(own, of.column, a, of.column, b);
      }
    });
    if (order != 0) { return (order < 0) != ((of.flags & descending) != 0); }
  }
  return a < b;
}

} // namespace sorting
