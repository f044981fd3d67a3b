// Wide loads and stores: runs of consecutive rows per thread in 16-byte accesses where the address
// permits, with hints for data that is touched once.
#pragma once

#include "accessor.cuh"

namespace gdf {

/// `n` consecutive rows of one thread.
template <class T, int n>
struct alignas(sizeof(T) * n >= 16 ? 16 : sizeof(T) * n) run {
  T row[n];
};

/// [thread] Is the address a multiple of `bytes` (a power of two)?
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

/// [thread] `n` rows from `address` on, touched once (evict-first): accesses of min(16, sizeof(T) *
/// n) bytes if the address is aligned so, else row by row. sizeof(T) * n is a power of two.
template <int n, class T>
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
    for (int i = 0; i < bytes / width; i++) { bits.pieces[i] = __ldcs(source + i); }
  } else {
#pragma unroll
    for (int i = 0; i < n; i++) { bits.rows.row[i] = load(address + i); }
  }
  return bits.rows;
}

/// [thread] Stores `n` rows, as load_run reads them; written once, not read soon.
template <int n, class T>
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
    for (int i = 0; i < bytes / width; i++) { __stcs(target + i, bits.pieces[i]); }
  } else {
#pragma unroll
    for (int i = 0; i < n; i++) { store(address + i, rows.row[i]); }
  }
}

/// [thread] Loads the run of rows [row, row + n) of a column that may be broadcast; rows at `limit`
/// and past it are not read (their values are the last row's, or whatever the broadcast row has).
template <int n, class T>
GDF_DEVICE run<T, n> load_run(const values<T>& column, int64_t row, int64_t limit) {
  if (column.mask != 0 && row + n <= limit) { return load_run<n>(column.first + row); }
  run<T, n> rows;
#pragma unroll
  for (int i = 0; i < n; i++) { rows.row[i] = column[row + i < limit ? row + i : limit - 1]; }
  return rows;
}

/// [thread] Stores the part of a run that lies below `limit`.
template <int n, class T>
GDF_DEVICE void store_run(T* data, int64_t row, int64_t limit, const run<T, n>& rows) {
  if (row + n <= limit) {
    store_run<n>(data + row, rows);
  } else {
#pragma unroll
    for (int i = 0; i < n; i++) {
      if (row + i < limit) { store(data + row + i, rows.row[i]); }
    }
  }
}

/// [thread] First row of this thread's run `chunk` (below items / n) of the tile at `first`: the
/// threads' runs of one chunk are adjacent, so that a warp's accesses coalesce.
template <int threads, int n>
GDF_DEVICE int64_t run_row(int64_t first, int chunk) {
  return first + (int64_t{chunk} * threads + threadIdx.x) * n;
}

} // namespace gdf
