// The bytes of one row of a string or binary column. Strings are compared by unsigned bytes. For UTF-8, this order is
// the order of code points. The functions read no word that ends after the string.
#pragma once

#include "index.cuh"

namespace gdf {

struct string_view {
  const uint8_t* data;
  int64_t size;
};

GDF_DEVICE string_view string_at(const column_in& column, int64_t row) {
  extent const e = extent_of(column, row);
  return {static_cast<const uint8_t*>(column.data) + e.begin, e.size()};
}

namespace string_detail {

/// The number of bytes from `p` on that the words of load8 may contain, for any alignment.
constexpr int reach = 11;

/// Returns the eight bytes from `p` on, little-endian. The bytes [p, p + reach) must be readable.
GDF_DEVICE u64 load8(const uint8_t* p) {
  auto const misalignment = static_cast<int>(reinterpret_cast<uintptr_t>(p) & 3);
  auto const* const word = reinterpret_cast<const uint32_t*>(p - misalignment);
  uint32_t low = __ldg(word);
  uint32_t high = __ldg(word + 1);
  if (misalignment != 0) {
    int const shift = misalignment * 8;
    low = __funnelshift_r(low, high, shift);
    high = __funnelshift_r(high, __ldg(word + 2), shift);
  }
  return static_cast<u64>(high) << 32 | low;
}

} // namespace string_detail

/// [thread] Returns the bytes of `x` in reverse order.
GDF_DEVICE u64 byte_swap(u64 x) {
  uint32_t const low = static_cast<uint32_t>(x);
  uint32_t const high = static_cast<uint32_t>(x >> 32);
  return static_cast<u64>(__byte_perm(low, 0, 0x0123)) << 32 | __byte_perm(high, 0, 0x0123);
}

/// [thread] Returns up to eight bytes from position `at` as a number. Missing bytes are zero. The first byte is the
/// most significant byte, so the order of the numbers is the order of the bytes.
GDF_DEVICE u64 ordered8(const string_view& s, int64_t at) {
  int64_t const left = s.size - at;
  if (left >= string_detail::reach) { return byte_swap(string_detail::load8(s.data + at)); }
  u64 key = 0;
#pragma unroll
  for (int i = 0; i < 8; i++) {
    if (i < left) { key |= static_cast<u64>(__ldg(s.data + at + i)) << (56 - 8 * i); }
  }
  return key;
}

/// [thread] Compares a and b.
GDF_DEVICE int compare(const string_view& a, const string_view& b) {
  int64_t const common = a.size < b.size ? a.size : b.size;
  int64_t i = 0;
  for (; i + string_detail::reach <= common; i += 8) {
    u64 const x = string_detail::load8(a.data + i);
    u64 const y = string_detail::load8(b.data + i);
    if (x != y) { return byte_swap(x) < byte_swap(y) ? -1 : 1; }
  }
  for (; i < common; i++) {
    int const difference = static_cast<int>(__ldg(a.data + i)) - static_cast<int>(__ldg(b.data + i));
    if (difference != 0) { return difference; }
  }
  return a.size == b.size ? 0 : a.size < b.size ? -1 : 1;
}

GDF_DEVICE bool operator==(const string_view& a, const string_view& b) {
  if (a.size != b.size) { return false; }
  if (a.data == b.data) { return true; }
  int64_t i = 0;
  for (; i + string_detail::reach <= a.size; i += 8) {
    if (string_detail::load8(a.data + i) != string_detail::load8(b.data + i)) { return false; }
  }
  for (; i < a.size; i++) {
    if (__ldg(a.data + i) != __ldg(b.data + i)) { return false; }
  }
  return true;
}

GDF_DEVICE bool operator!=(const string_view& a, const string_view& b) { return !(a == b); }
GDF_DEVICE bool operator<(const string_view& a, const string_view& b) { return compare(a, b) < 0; }

} // namespace gdf
