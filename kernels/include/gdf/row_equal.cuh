// Equality and order of rows of any type without children. For equality, NaN equals NaN, and -0.0 equals 0.0, as in
// hashing operations. In the order, NaN is largest, and -0.0 comes before 0.0.
#pragma once

#include "row_hash.cuh"

namespace gdf {

/// [thread] Returns whether two rows of strings have the same bytes.
GDF_DEVICE bool texts_equal(const column_in& a, int64_t i, int64_t a_bytes, const column_in& b, int64_t j,
                            int64_t b_bytes) {
  extent const x = extent_within(a, i, a_bytes);
  extent const y = extent_within(b, j, b_bytes);
  int64_t const size = x.size();
  if (size != y.size()) { return false; }
  auto const* const p = static_cast<const uint8_t*>(a.data);
  auto const* const q = static_cast<const uint8_t*>(b.data);
  bool same = true;
  for (int64_t at = 0; same && at < size; at += 16) { // two loads of either text are in flight together
    int64_t const left = size - at;
    int const low = left < 8 ? static_cast<int>(left) : 8;
    u64 difference = string_detail::load_up_to8(p, a_bytes, x.begin + at, low) ^
                     string_detail::load_up_to8(q, b_bytes, y.begin + at, low);
    if (left > 8) {
      int const high = left < 16 ? static_cast<int>(left) - 8 : 8;
      difference |= string_detail::load_up_to8(p, a_bytes, x.begin + at + 8, high) ^
                    string_detail::load_up_to8(q, b_bytes, y.begin + at + 8, high);
    }
    same = difference == 0;
  }
  return same;
}

GDF_DEVICE bool values_equal(const column_in& a, int64_t i, int64_t a_bytes, const column_in& b,
                             int64_t j, int64_t b_bytes) {
  switch (static_cast<type>(a.type)) {
    case type::string:
    case type::binary: return texts_equal(a, i, a_bytes, b, j, b_bytes);
    case type::i128:
    case type::interval_month_day_nano: {
      auto const x = element<bits128>(a, i);
      auto const y = element<bits128>(b, j);
      return x.word[0] == y.word[0] && x.word[1] == y.word[1];
    }
    case type::i256: return element<i256>(a, i) == element<i256>(b, j);
    default: return canonical_bits(a.type, bits_of(a, i)) == canonical_bits(b.type, bits_of(b, j));
  }
}

/// [thread] Returns whether row i of `a` and row j of `b` are equal in all columns.
template <int n, int m>
GDF_DEVICE bool rows_equal(const row_table<n>& a, int64_t i, const row_table<m>& b, int64_t j,
                           bool nulls_equal) {
  for (int c = 0; c < a.count; c++) {
    bool const x = is_valid(a.column[c], i);
    bool const y = is_valid(b.column[c], j);
    if (x != y || (!x && !nulls_equal)) { return false; }
    if (x && !values_equal(a.column[c], i, a.bytes[c], b.column[c], j, b.bytes[c])) { return false; }
  }
  return true;
}

GDF_DEVICE u64 order_of_bits(int32_t number, u64 bits) {
  auto const floating = [](u64 value, u64 sign, u64 exponent, u64 quiet) {
    if ((value & ~sign) > exponent) { return quiet | sign; }
    return value & sign ? ~value & (sign | (sign - 1)) : value | sign;
  };
  switch (static_cast<type>(number)) {
    case type::i8: return bits ^ 0x80u;
    case type::i16: return bits ^ 0x8000u;
    case type::i32: return bits ^ 0x80000000u;
    case type::i64: return bits ^ 0x8000000000000000ull;
    case type::f16: return floating(bits, 0x8000u, 0x7c00u, 0x7e00u);
    case type::f32: return floating(bits, 0x80000000u, 0x7f800000u, 0x7fc00000u);
    case type::f64:
      return floating(bits, 0x8000000000000000ull, 0x7ff0000000000000ull, 0x7ff8000000000000ull);
    default: return bits;
  }
}

/// [thread] Returns the bits of the value with this order number.
GDF_DEVICE u64 bits_of_order(int32_t number, u64 order) {
  auto const floating = [](u64 value, u64 sign) {
    return value & sign ? value & ~sign : ~value & (sign | (sign - 1));
  };
  switch (static_cast<type>(number)) {
    case type::i8: return order ^ 0x80u;
    case type::i16: return order ^ 0x8000u;
    case type::i32: return order ^ 0x80000000u;
    case type::i64: return order ^ 0x8000000000000000ull;
    case type::f16: return floating(order, 0x8000u);
    case type::f32: return floating(order, 0x80000000u);
    case type::f64: return floating(order, 0x8000000000000000ull);
    default: return order;
  }
}

/// [thread] Compares values i and j of a column.
GDF_DEVICE int compare_values(const column_in& column, int64_t i, int64_t j, int64_t bytes) {
  switch (static_cast<type>(column.type)) {
    case type::string:
    case type::binary:
      return compare(string_within(column, i, bytes), string_within(column, j, bytes));
    case type::i128: {
      i128 const x = element<i128>(column, i);
      i128 const y = element<i128>(column, j);
      return x == y ? 0 : x < y ? -1 : 1;
    }
    case type::i256: {
      i256 const x = element<i256>(column, i);
      i256 const y = element<i256>(column, j);
      return x == y ? 0 : x < y ? -1 : 1;
    }
    default: {
      u64 const x = order_of_bits(column.type, bits_of(column, i));
      u64 const y = order_of_bits(column.type, bits_of(column, j));
      return x == y ? 0 : x < y ? -1 : 1;
    }
  }
}

} // namespace gdf
