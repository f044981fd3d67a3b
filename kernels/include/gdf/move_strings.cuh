// Moves strings (and binary rows) to consecutive positions. A scan over tiles has found the position of the first byte
// of the tile.
//
// If rows are short, a thread copies a row to shared memory, and warps store words from there. Otherwise each thread
// copies eight consecutive bytes of the result at a time, regardless of rows: with a thread per row, a long string
// would delay its warp.
#pragma once

#include "byte_stage.cuh"
#include "index.cuh"
#include "move_rows.cuh"

namespace gdf {

/// [thread] Returns the part of an extent that is within [0, bytes).
GDF_DEVICE extent clamped(extent e, int64_t bytes) {
  e.begin = e.begin < 0 ? 0 : e.begin > bytes ? bytes : e.begin;
  e.end = e.end < e.begin ? e.begin : e.end > bytes ? bytes : e.end;
  return e;
}

/// [thread] Returns the extent of the bytes of a row, clamped to [0, bytes).
///
/// The clamping is necessary, because the offsets of a column that has not been validated may be invalid.
GDF_DEVICE extent extent_within(const column_in& column, int64_t row, int64_t bytes) {
  return clamped(extent_of(column, row), bytes);
}

/// [thread] Does the same as extent_within, with 32-bit arithmetic if offsets have 32 bits.
///
/// The function must not be used for keys. Because of its branch, the offsets of the rows of a thread would be loaded
/// one after the other.
GDF_DEVICE extent extent_by_width(const column_in& column, int64_t row, int64_t bytes) {
  int64_t const i = index_of(column, row);
  if (column.flags & wide_offsets) {
    auto const* const offsets = static_cast<const int64_t*>(column.offsets) + i;
    return clamped({offsets[0], offsets[1]}, bytes);
  }
  auto const* const offsets = static_cast<const int32_t*>(column.offsets) + i;
  auto const limit = static_cast<int32_t>(bytes < INT32_MAX ? bytes : INT32_MAX);
  int32_t const begin = min(max(offsets[0], 0), limit);
  return {begin, max(min(offsets[1], limit), begin)};
}

namespace string_detail {

/// [thread] Returns `n` (1 to 8) bytes from position `at` of `data`, little-endian. The other bytes are zero.
///
/// The function reads whole words, but only bytes within [data, data + size).
GDF_DEVICE u64 load_up_to8(const uint8_t* data, int64_t size, int64_t at, int n) {
  auto const misalignment = static_cast<int>(reinterpret_cast<uintptr_t>(data + at) & 7);
  int64_t const first = at - misalignment;
  bool const two = misalignment + n > 8;
  u64 value;
  if (first >= 0 && first + (two ? 16 : 8) <= size) {
    auto const* const word = reinterpret_cast<const u64*>(data + first);
    value = __ldg(word) >> (misalignment * 8);
    if (two) { value |= __ldg(word + 1) << (64 - misalignment * 8); }
  } else {
    value = 0;
#pragma unroll
    for (int i = 0; i < 8; i++) {
      if (i < n) { value |= static_cast<u64>(__ldg(data + at + i)) << (8 * i); }
    }
  }
  return n == 8 ? value : value & ((1ull << (8 * n)) - 1);
}

} // namespace string_detail

/// [block] Writes the offsets and bytes of the rows of a tile of string column `c`, in batches of `threads` rows.
///
/// `base` is the position of the first byte of the tile in the result. The function returns the position after the last
/// byte of the tile. The caller has to write the offset after the last row of the column.
template <int threads, class Source>
GDF_DEVICE u64 move_strings(const table_in<32>& in, const copy_table& copy, int c,
                            const column_out& out, const copy_tile& tile, u64 base,
                            const Source& source) {
  static_assert((threads & (threads - 1)) == 0); // the search halves
  __shared__ int64_t from[threads];  // the first byte of each row of the batch in the input
  __shared__ u64 to[threads + 1];    // the first byte of each row in the result, from the batch's first byte on
  constexpr uint32_t stage_bytes = 1024;
  constexpr bool stages = threads <= 256; // there is memory for all warps
  __shared__ alignas(16) uint8_t stage[stages ? threads / 32 : 1][stages ? stage_bytes : 16];
  if constexpr (stages) {
    for (uint32_t i = lane() * 16; i < stage_bytes; i += 512) { *reinterpret_cast<uint4*>(stage[warp()] + i) = uint4{}; }
    __syncwarp();
  }
  column_in const& column = in.column[c];
  int64_t const size = copy.column[c].bytes;
  auto const* const bytes = static_cast<const uint8_t*>(column.data);
  bool const wide = out.flags & wide_offsets;
  int const thread = static_cast<int>(threadIdx.x);

  for (int r = 0; r < tile.count; r += threads) {
    extent e{0, 0};
    if (r + thread < tile.count) {
      int64_t const row = source(r + thread);
      if (row >= 0 && is_row_valid(in, copy, c, row)) { e = extent_by_width(column, row, size); }
    }
    u64 total;
    // The barriers of this function also separate the stores to shared memory of this iteration from the loads of the
    // previous iteration.
    u64 const position = block_exclusive_sum_of_sizes<threads>(static_cast<u64>(e.size()), total);
    if (r + thread < tile.count) {
      store_offset(out.offsets, wide, tile.first + r + thread,
                   static_cast<int64_t>(base + position));
    }
    if constexpr (stages) {
      u64 const first = __shfl_sync(~0u, position, 0);
      u64 const behind = __shfl_sync(~0u, position + static_cast<u64>(e.size()), 31);
      if (!__syncthreads_or(behind - first > stage_bytes - 16)) {
        byte_stage bytes_of_warp(stage[warp()], static_cast<uint8_t*>(out.data) + base + first);
        auto const at = bytes_of_warp.fill + static_cast<uint32_t>(position - first);
        put_bytes(bytes_of_warp.bytes, at, bytes + e.begin, static_cast<uint32_t>(e.size()), bytes + size);
        bytes_of_warp.fill += static_cast<uint32_t>(behind - first);
        bytes_of_warp.flush();
        base += total;
        continue;
      }
    }
    from[thread] = e.begin;
    to[thread] = position;
    if (thread == 0) { to[threads] = total; }
    __syncthreads();

    auto* const target = static_cast<uint8_t*>(out.data) + base;
    u64 const lead = reinterpret_cast<uintptr_t>(target) & 7; // bytes of the first word that belong to earlier rows
    u64 const words = (lead + total + 7) >> 3;
    for (u64 word = threadIdx.x; word < words; word += threads) {
      u64 const begin = word == 0 ? 0 : word * 8 - lead;
      u64 const end = word * 8 - lead + 8 < total ? word * 8 - lead + 8 : total;
      int row = 0; // the last row that begins at or before `begin`; it is not empty
#pragma unroll
      for (int step = threads / 2; step > 0; step >>= 1) {
        if (to[row + step] <= begin) { row += step; }
      }
      u64 value = 0;
      u64 at = begin;
      while (true) {
        u64 const row_end = to[row + 1];
        int const n = static_cast<int>((row_end < end ? row_end : end) - at);
        int64_t const in_row = static_cast<int64_t>(at - to[row]);
        value |= string_detail::load_up_to8(bytes, size, from[row] + in_row, n)
                 << (8 * static_cast<int>(at - begin));
        at += n;
        if (at >= end) { break; }
        do { row++; } while (to[row + 1] <= at); // skips empty rows
      }
      if (end - begin == 8) {
        *reinterpret_cast<u64*>(target + begin) = value;
      } else {
        for (u64 i = begin; i < end; i++) {
          target[i] = static_cast<uint8_t>(value);
          value >>= 8;
        }
      }
    }
    base += total;
  }
  return base;
}

} // namespace gdf
