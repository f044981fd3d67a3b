// Normalized keys: a value becomes an unsigned integer of the same order. These integers are reduced to their range and
// form the fields of a key. See crates/gdf-engine/src/sort/plan.rs.
#pragma once

#include <gdf/accessor.cuh>
#include <gdf/block_sum.cuh>
#include <gdf/grid.cuh>
#include <gdf/last_block.cuh>
#include <gdf/string_view.cuh>

namespace sorting {

using gdf::u128;
using gdf::u64;

enum piece_flags : int32_t {
  descending = 1,
  nulls_first = 2, // nulls come first in the result, in either direction
};

/// A part of a key column: an unsigned integer of at most 128 bits by which rows are ordered. A 256-bit column has two
/// pieces: part 0 is the upper half, and part 1 is the lower half. A piece of a text is the seven bytes from byte
/// `part` on.
struct piece {
  gdf::column_in column;
  int32_t part;
  int32_t flags;
};
static_assert(sizeof(piece) == 56);

/// The position of a piece's bits in a word of the key.
struct field {
  piece of;
  // The base, low word first. The base is subtracted from values. In descending order, values are subtracted from the
  // base.
  u64 base[2];
  int32_t position;      // position of bit `shift` of the difference
  int32_t bits;          // 0: the piece adds nothing
  int32_t shift;         // low bits that are dropped
  int32_t null_position; // position of the null bit; negative: no such bit; above 63: in another word
};
static_assert(sizeof(field) == 88);

constexpr int max_fields = 32;
struct fields {
  field at[max_fields];
};

GDF_DEVICE u128 make_u128(u64 low, u64 high) { return static_cast<u128>(high) << 64 | low; }

// An order class has these members for its type: the type `stored` of values, the type `word` of the integer that
// orders values, and the conversion back.

/// The orders of signed and unsigned integers differ only by the sign bit, so they share code.
template <class Stored>
struct integer_order {
  using stored = Stored; // unsigned, of the type's width
  using word = u64;
  u64 sign; // 0 for unsigned integers
  GDF_DEVICE explicit integer_order(bool is_signed)
    : sign(is_signed ? 1ull << (sizeof(Stored) * 8 - 1) : 0) {}
  GDF_DEVICE word ordered(stored value) const { return static_cast<u64>(value) ^ sign; }
  GDF_DEVICE stored restored(word value) const { return static_cast<stored>(value ^ sign); }
  GDF_DEVICE static bool lossy(stored) { return false; }
};

/// Negative numbers are inverted, and the other numbers come above them. -0 becomes 0, and every NaN becomes the
/// canonical NaN, which is the largest value.
template <class Stored, int bits, u64 infinity, u64 nan>
struct float_order {
  using stored = Stored;
  using word = u64;
  static constexpr u64 sign = 1ull << (bits - 1);
  static constexpr u64 all = sign | (sign - 1);
  GDF_DEVICE static word ordered(stored value) {
    u64 const magnitude = value & (sign - 1);
    u64 number = value;
    if (magnitude > infinity) { number = nan; }
    if (magnitude == 0) { number = 0; }
    return number & sign ? ~number & all : number | sign;
  }
  GDF_DEVICE static stored restored(word value) {
    return static_cast<stored>(value & sign ? value ^ sign : ~value);
  }
  GDF_DEVICE static bool lossy(stored value) {
    u64 const magnitude = value & (sign - 1);
    return value == sign || (magnitude > infinity && value != nan);
  }
};

struct boolean_order {
  using stored = bool;
  using word = u64;
  GDF_DEVICE static word ordered(bool value) { return value ? 1 : 0; }
};

struct i128_order {
  using stored = u128;
  using word = u128;
  GDF_DEVICE static word ordered(stored value) { return value ^ make_u128(0, 1ull << 63); }
  GDF_DEVICE static stored restored(word value) { return value ^ make_u128(0, 1ull << 63); }
};

struct i256_order {
  using stored = gdf::i256;
  using word = u128;
  GDF_DEVICE static word ordered(const stored& value, int part) {
    return part == 0 ? make_u128(value.word[2], value.word[3] ^ (1ull << 63))
                     : make_u128(value.word[0], value.word[1]);
  }
  GDF_DEVICE static stored restored(word high, word low) {
    return {{static_cast<u64>(low), static_cast<u64>(low >> 64), static_cast<u64>(high),
             static_cast<u64>(high >> 64) ^ (1ull << 63)}};
  }
};

/// The number of text bytes in a key field.
constexpr int field_text = 7;
constexpr int symbol_bits = 9;

/// The order of seven bytes of a row. Each byte takes nine bits: 0 past the end of the text, otherwise the byte plus
/// one.
struct text_order {
  using word = u64;
  static constexpr int bytes = field_text;
  static constexpr int symbol = symbol_bits;
  GDF_DEVICE static u64 symbols(const gdf::string_view& text, int64_t from) {
    int64_t const left = text.size - from;
    u64 const eight = gdf::ordered8(text, from);
    u64 key = 0;
#pragma unroll
    for (int i = 0; i < bytes; i++) {
      u64 const byte = (eight >> (56 - 8 * i)) & 0xff;
      key = key << symbol | (i < left ? byte + 1 : 0);
    }
    return key;
  }
};

/// [thread] Calls `body(order)` with the order of a sortable type.
template <class Body>
GDF_DEVICE void by_order(int32_t number, Body&& body) {
  auto const type = static_cast<gdf::type>(number);
  switch (type) {
    case gdf::type::boolean: body(boolean_order{}); break;
    case gdf::type::i8:
    case gdf::type::u8: body(integer_order<uint8_t>{type == gdf::type::i8}); break;
    case gdf::type::i16:
    case gdf::type::u16: body(integer_order<uint16_t>{type == gdf::type::i16}); break;
    case gdf::type::i32:
    case gdf::type::u32: body(integer_order<uint32_t>{type == gdf::type::i32}); break;
    case gdf::type::i64:
    case gdf::type::u64: body(integer_order<u64>{type == gdf::type::i64}); break;
    case gdf::type::f16: body(float_order<uint16_t, 16, 0x7c00, 0x7e00>{}); break;
    case gdf::type::f32: body(float_order<uint32_t, 32, 0x7f800000, 0x7fc00000>{}); break;
    case gdf::type::f64:
      body(float_order<u64, 64, 0x7ff0000000000000ull, 0x7ff8000000000000ull>{});
      break;
    case gdf::type::i128: body(i128_order{}); break;
    case gdf::type::i256: body(i256_order{}); break;
    case gdf::type::string:
    case gdf::type::binary: body(text_order{}); break;
    default: break;
  }
}

template <class Word>
struct ordered_row {
  Word word;
  bool lossy;
  int64_t size; // the size of a text
};

/// [thread] Returns the ordered integer of row `row`.
template <class Order>
GDF_DEVICE ordered_row<typename Order::word> ordered_at(const Order& order,
                                                        const gdf::column_in& column, int part,
                                                        int64_t row) {
  if constexpr (std::is_same_v<Order, text_order>) {
    gdf::string_view const text = gdf::string_at(column, row);
    return {text_order::symbols(text, part), true, text.size};
  } else if constexpr (std::is_same_v<Order, boolean_order>) {
    return {order.ordered(gdf::element<bool>(column, row)), false, 0};
  } else {
    auto const value = gdf::element<typename Order::stored>(column, row);
    if constexpr (std::is_same_v<Order, i256_order>) {
      return {order.ordered(value, part), false, 0};
    } else if constexpr (std::is_same_v<Order, i128_order>) {
      return {order.ordered(value), false, 0};
    } else {
      return {order.ordered(value), order.lossy(value), 0};
    }
  }
}

/// [thread] Returns the bits that `field` adds to a row's word.
template <class Word, class Value>
GDF_DEVICE u64 bits_of_value(const field& f, int64_t row, int start, Value&& value) {
  bool const first = f.of.flags & nulls_first;
  int const null_position = f.null_position - start;
  bool const has_bit = f.null_position >= 0 && null_position >= 0 && null_position < 64;
  u64 const null_bit = has_bit ? 1ull << null_position : 0;
  if (!gdf::is_valid(f.of.column, row)) { return first ? 0 : null_bit; }
  u64 key = first ? null_bit : 0;
  int const position = f.position - start;
  if (f.bits > 0 && position < 64 && position + f.bits > 0) {
    Word const base = static_cast<Word>(make_u128(f.base[0], f.base[1]));
    Word const own = value();
    Word const distance = (f.of.flags & descending ? base - own : own - base) >> f.shift;
    if (position >= 0) {
      key |= static_cast<u64>(distance) << position;
    } else {
      key |= static_cast<u64>(distance >> -position);
    }
  }
  return key;
}

/// [thread] Does the same as bits_of_value.
template <class Order>
GDF_DEVICE u64 bits_of(const Order& order, const field& f, int64_t row, int start = 0) {
  return bits_of_value<typename Order::word>(
    f, row, start, [&] { return ordered_at(order, f.of.column, f.of.part, row).word; });
}

/// [thread] Compares the valid rows a and b of columns of one type, without regard to the direction.
template <class Order>
GDF_DEVICE int compare_values(const Order& order, const gdf::column_in& left, int64_t a,
                              const gdf::column_in& right, int64_t b) {
  if constexpr (std::is_same_v<Order, text_order>) {
    return gdf::compare(gdf::string_at(left, a), gdf::string_at(right, b));
  } else {
    auto const x = ordered_at(order, left, 0, a).word;
    auto const y = ordered_at(order, right, 0, b).word;
    if (x != y) { return x < y ? -1 : 1; }
    if constexpr (std::is_same_v<Order, i256_order>) {
      auto const v = ordered_at(order, left, 1, a).word;
      auto const w = ordered_at(order, right, 1, b).word;
      if (v != w) { return v < w ? -1 : 1; }
    }
    return 0;
  }
}

/// [thread] Compares row a of `left` with row b of `right`, column by column until they differ.
GDF_DEVICE int compare_rows(const gdf::column_in* left, int64_t a, const gdf::column_in* right, int64_t b, int count,
                            u64 descending, u64 nulls_first) {
#pragma unroll 1
  for (int k = 0; k < count; k++) {
    bool const valid_a = gdf::is_valid(left[k], a);
    bool const valid_b = gdf::is_valid(right[k], b);
    if (valid_a != valid_b) { return valid_b == ((nulls_first >> k & 1) != 0) ? -1 : 1; } // if b is valid, a is null
    if (!valid_a) { continue; }
    int order = 0;
    by_order(left[k].type, [&]<class Order>(const Order& own) {
      order = compare_values(own, left[k], a, right[k], b);
    });
    if (order != 0) { return (order < 0) != ((descending >> k & 1) != 0) ? -1 : 1; }
  }
  return 0;
}

} // namespace sorting
