// Wide loads and stores: runs of consecutive rows per thread, in 16-byte accesses if the address is aligned. By
// default, accesses have no cache hints. The hint "touched once" evicts data that the next operation would find in the
// L2 cache.
#pragma once

#include "accessor.cuh"

namespace gdf {

template <class T, int n>
struct alignas(sizeof(T) * n >= 16 ? 16 : sizeof(T) * n) run {
  T row[n];
};

/// [thread] Returns whether the address is a multiple of `bytes` (a power of two).
GDF_DEVICE bool is_aligned(const void* address, int bytes) {
  return (reinterpret_cast<uintptr_t>(address) & (bytes - 1)) == 0;
}

namespace vector_detail {

template <int bytes>
struct piece;
template <>
struct piece<1> { using t = unsigned char; };
template <>
struct piece<2> { using t = unsigned short; };
template <>
struct piece<4> { using t = unsigned int; };
template <>
struct piece<8> { using t = unsigned long long; };
template <>
struct piece<16> { using t = uint4; };

} // namespace vector_detail

/// [thread] Loads `n` rows from `address` on.
///
/// If the address is aligned to min(16, sizeof(T) * n) bytes, accesses have that width. Otherwise rows are loaded one
/// by one. sizeof(T) * n must be a power of two.
template <int n, bool once = false, class T>
GDF_DEVICE run<T, n> load_run(const T* address) {
  constexpr int bytes = sizeof(T) * n;
  constexpr int width = bytes < 16 ? bytes : 16;
  static_assert((bytes & (bytes - 1)) == 0);
  using piece = typename vector_detail::piece<width>::t;
  union bits_t {
    run<T, n> rows;
    piece pieces[bytes / width];
    __device__ bits_t() {}
  } bits;
  if (is_aligned(address, width)) {
    auto const* const source = reinterpret_cast<const piece*>(address);
#pragma unroll
    for (int i = 0; i < bytes / width; i++) { bits.pieces[i] = once ? __ldcs(source + i) : source[i]; }
  } else {
#pragma unroll
    for (int i = 0; i < n; i++) { bits.rows.row[i] = load(address + i); }
  }
  return bits.rows;
}

/// [thread] Stores `n` rows, with accesses of the width that load_run uses.
template <int n, bool once = false, class T>
GDF_DEVICE void store_run(T* address, const run<T, n>& rows) {
  constexpr int bytes = sizeof(T) * n;
  constexpr int width = bytes < 16 ? bytes : 16;
  static_assert((bytes & (bytes - 1)) == 0);
  using piece = typename vector_detail::piece<width>::t;
  union bits_t {
    run<T, n> rows;
    piece pieces[bytes / width];
    __device__ bits_t() {}
  } bits;
  bits.rows = rows;
  if (is_aligned(address, width)) {
    auto* const target = reinterpret_cast<piece*>(address);
#pragma unroll
    for (int i = 0; i < bytes / width; i++) {
      if constexpr (once) {
        __stcs(target + i, bits.pieces[i]);
      } else {
        target[i] = bits.pieces[i];
      }
    }
  } else {
#pragma unroll
    for (int i = 0; i < n; i++) { store(address + i, rows.row[i]); }
  }
}

/// [thread] Loads the run of rows [row, row + n) of a column that may be broadcast.
template <int n, bool once = false, class T>
GDF_DEVICE run<T, n> load_run(const values<T>& column, int64_t row, int64_t limit) {
  if (column.mask != 0 && row + n <= limit) { return load_run<n, once>(column.first + row); }
  run<T, n> rows;
#pragma unroll
  for (int i = 0; i < n; i++) { rows.row[i] = column[row + i < limit ? row + i : limit - 1]; }
  return rows;
}

template <int n, bool once = false, class T>
GDF_DEVICE void store_run(T* data, int64_t row, int64_t limit, const run<T, n>& rows) {
  if (row + n <= limit) {
    store_run<n, once>(data + row, rows);
  } else {
#pragma unroll
    for (int i = 0; i < n; i++) {
      if (row + i < limit) { store(data + row + i, rows.row[i]); }
    }
  }
}

/// [thread] Returns the bits [bit, bit + n) of a bit-packed buffer. n is at most 8. The bits from `end_bit` on are
/// zero.
template <int n>
GDF_DEVICE uint32_t load_run_bits(const void* base, int64_t bit, int64_t end_bit) {
  static_assert(n <= 8 && (n & (n - 1)) == 0);
  if ((bit & (n - 1)) != 0) { return load_bits32(base, bit, end_bit) & low_bits(n); }
  if (bit >= end_bit) { return 0; }
  uint32_t const byte = __ldg(static_cast<const uint8_t*>(base) + (bit >> 3));
  return byte >> (bit & 7) & low_bits(n) & low_bits(end_bit - bit);
}

/// [thread] Returns the validity of rows [row, row + n). n is at most 8. The bits of rows from `limit` on are zero.
/// Without a mask, the bits of all earlier rows are set.
template <int n>
GDF_DEVICE uint32_t valid_run(const column_in& column, int64_t row, int64_t limit) {
  if (column.validity == nullptr) { return low_bits(limit - row) & low_bits(n); }
  if (column.flags & broadcast) { return bits_word(column, column.validity, row, limit) & low_bits(n); }
  return load_run_bits<n>(column.validity, column.offset + row, column.offset + limit);
}

/// [thread] Returns the values of rows [row, row + n) of a boolean column. n is at most 8. The bits of rows from
/// `limit` on are zero.
template <int n>
GDF_DEVICE uint32_t boolean_run(const column_in& column, int64_t row, int64_t limit) {
  if (column.flags & broadcast) { return bits_word(column, column.data, row, limit) & low_bits(n); }
  return load_run_bits<n>(column.data, column.offset + row, column.offset + limit);
}

/// [thread] Returns the first row of run `chunk` of this thread, in the tile at `first`. The runs of one chunk of
/// neighboring threads are adjacent, so the accesses of a warp coalesce.
template <int threads, int n>
GDF_DEVICE int64_t run_row(int64_t first, int chunk) {
  return first + (int64_t{chunk} * threads + threadIdx.x) * n;
}

} // namespace gdf
