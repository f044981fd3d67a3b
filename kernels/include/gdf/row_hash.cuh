// Hashes rows: one 64-bit number per row over any number of columns of any type without children, for tables in memory
// (group-by, join, distinct). Rows that are equal by row_equal.cuh have equal hashes. Hashes are used only within one
// operation.
#pragma once

#include "move_strings.cuh"
#include "string_view.cuh"

namespace gdf {

/// Columns whose rows are compared as a whole.
template <int n>
struct row_table {
  column_in column[n];
  byte_count bytes[n]; // strings and binary: length of the character buffer
  int32_t count;    // columns in use
  int32_t unused;
};
static_assert(sizeof(row_table<32>) == 32 * 56 + 8);

/// [thread] Applies a bijection of 64-bit numbers. Every bit of the result depends on every bit of `x`.
GDF_DEVICE u64 mix64(u64 x) {
  x ^= x >> 33;
  x *= 0xff51afd7ed558ccdull;
  x ^= x >> 33;
  x *= 0xc4ceb9fe1a85ec53ull;
  x ^= x >> 33;
  return x;
}

GDF_DEVICE u64 combine_hash(u64 before, u64 value) {
  return mix64(before + 0x9e3779b97f4a7c15ull ^ value);
}

namespace row_detail {

/// Returns the bits of a float in a canonical form. All NaNs have the same bits, and both zeros have the same bits.
GDF_DEVICE u64 canonical(u64 bits, u64 sign, u64 exponent, u64 quiet) {
  u64 const magnitude = bits & ~sign;
  return magnitude == 0 ? 0 : magnitude > exponent ? quiet : bits;
}

} // namespace row_detail

/// [thread] Returns the bits of a value so that equal floats have equal bits: all NaNs become equal, and both zeros
/// become equal.
GDF_DEVICE u64 canonical_bits(int32_t number, u64 bits) {
  switch (static_cast<type>(number)) {
    case type::f16: return row_detail::canonical(bits, 0x8000u, 0x7c00u, 0x7e00u);
    case type::f32: return row_detail::canonical(bits, 0x80000000u, 0x7f800000u, 0x7fc00000u);
    case type::f64:
      return row_detail::canonical(bits, 0x8000000000000000ull, 0x7ff0000000000000ull,
                                   0x7ff8000000000000ull);
    default: return bits;
  }
}

/// [thread] Returns whether bits that `canonical_bits` has made are NaN.
GDF_DEVICE bool is_canonical_nan(int32_t number, u64 bits) {
  switch (static_cast<type>(number)) {
    case type::f16: return bits == 0x7e00u;
    case type::f32: return bits == 0x7fc00000u;
    case type::f64: return bits == 0x7ff8000000000000ull;
    default: return false;
  }
}

/// [thread] Returns the bytes of a row. If the offsets are wrong, the bytes are still within the `bytes` bytes of the
/// column.
GDF_DEVICE string_view string_within(const column_in& column, int64_t row, int64_t bytes) {
  extent const e = extent_within(column, row, bytes);
  return {static_cast<const uint8_t*>(column.data) + e.begin, e.size()};
}

/// [thread] Returns the bits of a value of up to eight bytes, zero extended.
GDF_DEVICE u64 bits_of(const column_in& column, int64_t row) {
  if (column.type == static_cast<int32_t>(type::boolean)) { return element<bool>(column, row); }
  switch (width_of(column.type)) {
    case 1: return element<uint8_t>(column, row);
    case 2: return element<uint16_t>(column, row);
    case 4: return element<uint32_t>(column, row);
    default: return element<u64>(column, row);
  }
}

/// [thread] Adds 16 bytes to the hash of the preceding bytes of a text.
GDF_DEVICE u64 hash_bytes(u64 before, u64 low, u64 high) {
  return combine_hash(before ^ high * 0x9e3779b97f4a7c15ull, low);
}

/// Texts with at least this number of bytes are read by aligned words, with eight loads in flight.
constexpr int64_t long_text_bytes = 128;

/// [thread] Hashes the words of the text that ends at `end`, until at most nine words are left.
///
/// `at` becomes the position after the hashed bytes.
GDF_DEVICE u64 hash_long_text(u64 h, const uint8_t* data, int64_t& at, int64_t end) {
  constexpr int words = 8;
  auto const misalignment = static_cast<int>(reinterpret_cast<uintptr_t>(data + at) & 7);
  int const shift = misalignment * 8;
  auto const* word = reinterpret_cast<const u64*>(data + at - misalignment);
  u64 before = __ldg(word);
#pragma unroll 1
  for (; end - at >= (words + 1) * 8; at += words * 8) {
    u64 next[words];
#pragma unroll
    for (int i = 0; i < words; i++) { next[i] = __ldg(++word); }
#pragma unroll
    for (int i = 0; i < words; i += 2) {
      u64 const low = before >> shift | next[i] << 1 << (63 - shift);
      u64 const high = next[i] >> shift | next[i + 1] << 1 << (63 - shift);
      h = hash_bytes(h, low, high);
      before = next[i + 1];
    }
  }
  return h;
}

/// [thread] Returns the hash of a value that is not null.
GDF_DEVICE u64 hash_value(const column_in& column, int64_t row, int64_t bytes) {
  switch (static_cast<type>(column.type)) {
    case type::string:
    case type::binary: {
      extent const e = extent_within(column, row, bytes);
      auto const* const data = static_cast<const uint8_t*>(column.data);
      u64 h = static_cast<u64>(e.size());
      for (int64_t at = e.begin; at < e.end; at += 16) { // two loads are in flight together
        if (e.end - at >= long_text_bytes && at >= 8) { h = hash_long_text(h, data, at, e.end); }
        int64_t const left = e.end - at;
        u64 const low = string_detail::load_up_to8(data, bytes, at, left < 8 ? static_cast<int>(left) : 8);
        u64 high = 0;
        if (left > 8) {
          high = string_detail::load_up_to8(data, bytes, at + 8, left < 16 ? static_cast<int>(left) - 8 : 8);
        }
        h = hash_bytes(h, low, high);
      }
      return h;
    }
    case type::i128:
    case type::interval_month_day_nano: {
      auto const value = element<bits128>(column, row);
      return combine_hash(value.word[0], value.word[1]);
    }
    case type::i256: {
      auto const value = element<i256>(column, row);
      return combine_hash(combine_hash(combine_hash(value.word[0], value.word[1]), value.word[2]),
                          value.word[3]);
    }
    default: return canonical_bits(column.type, bits_of(column, row));
  }
}

/// [thread] Returns the hash of a row. All nulls have the same hash.
template <int n>
GDF_DEVICE u64 hash_row(const row_table<n>& table, int64_t row, bool& has_null) {
  u64 h = 0;
  has_null = false;
  for (int c = 0; c < table.count; c++) {
    column_in const& column = table.column[c];
    bool const valid = is_valid(column, row);
    has_null = has_null || !valid;
    h = combine_hash(h, valid ? hash_value(column, row, table.bytes[c]) : 0x6e756c6cull);
  }
  return h;
}

} // namespace gdf
