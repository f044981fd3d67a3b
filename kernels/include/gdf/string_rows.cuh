// Makes string and binary results row by row. The operation chooses the source of each row, possibly from several
// columns (copy_if_else, concatenate). move_strings.cuh does the same for a single source column.
//
// Threads are assigned to the bytes of the result, eight bytes at a time, and not to rows. move_strings.cuh states the
// reason. The first of two launches (`count_string_rows`) finds the number of bytes of each tile. The second launch
// (`write_string_rows`) writes offsets and bytes.
#pragma once

#include "grid.cuh"
#include "move_strings.cuh"
#include "tile_scan.cuh"

namespace gdf {

/// The bytes of one row, and the end of the buffer that contains them.
struct string_piece {
  using index = int64_t;
  const uint8_t* data;
  int64_t size;
  const uint8_t* limit;
};

/// [thread] Returns the bytes of a row of a column whose character buffer has `bytes` bytes.
GDF_DEVICE string_piece string_piece_at(const column_in& column, int64_t row, int64_t bytes) {
  extent const e = extent_by_width(column, row, bytes);
  auto const* const data = static_cast<const uint8_t*>(column.data);
  return {data + e.begin, e.size(), data + bytes};
}

template <int threads>
struct string_step {
  const uint8_t* source[threads];
  const uint8_t* limit[threads];
  u64 start[threads + 1]; // the first byte of each row within the step
};

namespace string_detail {

/// [thread] Returns `n` (1 to 8) bytes from `p` on, little-endian.
///
/// The function reads whole words of eight bytes, but no word that reaches past `limit`.
GDF_DEVICE u64 load_before(const uint8_t* p, const uint8_t* limit, int n) {
  auto const misalignment = static_cast<int>(reinterpret_cast<uintptr_t>(p) & 7);
  auto const* const word = reinterpret_cast<const u64*>(p - misalignment);
  bool const two = misalignment + n > 8;
  u64 value = 0;
  if (p - misalignment + (two ? 16 : 8) <= limit) {
    value = __ldg(word) >> (misalignment * 8);
    if (two) { value |= __ldg(word + 1) << (64 - misalignment * 8); }
  } else {
#pragma unroll
    for (int i = 0; i < 8; i++) {
      if (i < n) { value |= static_cast<u64>(__ldg(p + i)) << (8 * i); }
    }
  }
  return n == 8 ? value : value & ((1ull << (8 * n)) - 1);
}

} // namespace string_detail

/// [block] Executes the first launch.
///
/// The function uses ticket `slot`.
template <int threads, int items, class Size>
GDF_DEVICE void count_string_rows(int64_t rows, scratch* scratch, int slot,
                                  unsigned long long* counts, unsigned long long* mailbox,
                                  Size&& size) {
  constexpr int64_t tile = int64_t{threads} * items;
  for_each_tile<threads, items>(rows, [&](int64_t first, bool) {
    u64 bytes = 0;
#pragma unroll
    for (int i = 0; i < items; i++) {
      int64_t const row = row_of<threads>(first, i);
      if (row < rows) { bytes += static_cast<u64>(size(row)); }
    }
    bytes = block_sum<threads>(bytes);
    if (threadIdx.x == 0) { counts[first / tile] = bytes; }
  });
  finish_tile_counts<threads, 4>(scratch, slot, gridDim.x, counts, (rows + tile - 1) / tile,
                                 mailbox);
}

/// [block] Writes the offsets and bytes of the rows [first, first + threads).
template <int threads>
GDF_DEVICE u64 write_string_step(const column_out& out, int64_t first, u64 base,
                                 const string_piece& mine, string_step<threads>& step) {
  static_assert((threads & (threads - 1)) == 0); // the search halves
  bool const wide = out.flags & wide_offsets;
  u64 total;
  // The barriers of this function also separate the stores to shared memory of this step from the loads of the previous
  // step.
  u64 const position = block_exclusive_sum<threads>(static_cast<u64>(mine.size), total);
  int64_t const row = first + threadIdx.x;
  if (row < out.length) {
    store_offset(out.offsets, wide, row, static_cast<int64_t>(base + position));
    if (row == out.length - 1) {
      store_offset(out.offsets, wide, row + 1, static_cast<int64_t>(base + total));
    }
  }
  step.source[threadIdx.x] = mine.data;
  step.limit[threadIdx.x] = mine.limit;
  step.start[threadIdx.x] = position;
  if (threadIdx.x == 0) { step.start[threads] = total; }
  __syncthreads();

  auto* const target = static_cast<uint8_t*>(out.data) + base;
  u64 const lead = reinterpret_cast<uintptr_t>(target) & 7; // bytes of the first word that belong to earlier rows
  u64 const words = total == 0 ? 0 : (lead + total + 7) >> 3;
  for (u64 word = threadIdx.x; word < words; word += threads) {
    u64 const begin = word == 0 ? 0 : word * 8 - lead;
    u64 const end = word * 8 - lead + 8 < total ? word * 8 - lead + 8 : total;
    // The search finds the last row that begins at or before `begin`. That row is not empty, because the row after an
    // empty row would begin at the same byte.
    int from = 0;
#pragma unroll
    for (int jump = threads / 2; jump > 0; jump >>= 1) {
      if (step.start[from + jump] <= begin) { from += jump; }
    }
    u64 value = 0;
    u64 at = begin;
    while (true) {
      u64 const row_end = step.start[from + 1];
      int const n = static_cast<int>((row_end < end ? row_end : end) - at);
      const uint8_t* const source = step.source[from] + (at - step.start[from]);
      value |= string_detail::load_before(source, step.limit[from], n)
               << (8 * static_cast<int>(at - begin));
      at += n;
      if (at >= end) { break; }
      do { from++; } while (step.start[from + 1] <= at); // skips empty rows
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
  return total;
}

/// [block] Executes the second launch.
template <int threads, int items, class Bytes>
GDF_DEVICE void write_string_rows(const column_out& out, const unsigned long long* counts,
                                  string_step<threads>& step, Bytes&& bytes) {
  constexpr int64_t tile = int64_t{threads} * items;
  for_each_tile<threads, items>(out.length, [&](int64_t first, bool) {
    u64 base = counts[first / tile];
#pragma unroll 1
    for (int i = 0; i < items && first + i * threads < out.length; i++) {
      int64_t const row = row_of<threads>(first, i);
      string_piece const mine = row < out.length ? bytes(row) : string_piece{nullptr, 0, nullptr};
      base += write_string_step<threads>(out, first + i * threads, base, mine, step);
    }
  });
}

} // namespace gdf
