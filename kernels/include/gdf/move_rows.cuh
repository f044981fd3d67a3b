// Moves rows of whole tables to consecutive positions, for gather and compaction. blockIdx.y is the number of the
// column. A block fills tiles of consecutive rows of the result.
//
// Bits (booleans, validity) are written as whole words. A word is written by the tile that has the first row of the
// word. Therefore no atomic operations are needed, and no words have to be cleared beforehand.
#pragma once

#include "count.cuh"
#include "dispatch.cuh"
#include "grid.cuh"
#include "table.cuh"

namespace gdf {

/// The data of a column that is moved besides the validity.
///
/// A positive number is a width in bytes (1, 2, 4, 8, 16, 32).
enum copy_kind : int32_t {
  copy_bits = 0,      // a boolean column
  copy_strings = -1,  // offsets and bytes
  copy_validity = -2, // no data besides validity
  copy_any_width = -3, // rows of any width at any alignment
  copy_mask = -4,     // the validity of a struct around other columns, which is not a column of the result
};

struct copy_descriptor {
  byte_count bytes; // copy_strings: length of the character buffer; copy_any_width: width of a row
  int32_t kind;   // a copy_kind, or the width of a row
  int32_t parent; // position of the enclosing struct, whose nulls are also nulls of this column; or -1
  int32_t slot;   // copy_strings: the number of the column's array of tile sums
  int32_t word;   // copy_strings: the word of the mailbox that receives the column's number of bytes
};
static_assert(sizeof(copy_descriptor) == 24);

struct copy_table {
  copy_descriptor column[32];
};

/// [thread] Returns whether row `row` is valid in column `c` and in all structs around the column.
GDF_DEVICE bool is_row_valid(const table_in<32>& in, const copy_table& copy, int c, int64_t row) {
  bool valid = is_valid(in.column[c], row);
  for (int p = copy.column[c].parent; p >= 0; p = copy.column[p].parent) {
    valid = valid && is_valid(in.column[p], row);
  }
  return valid;
}

/// [thread] Returns the validity of 32 rows, from `row` on, in the sense of is_row_valid.
GDF_DEVICE uint32_t row_valid_word(const table_in<32>& in, const copy_table& copy, int c,
                                   int64_t row, int64_t limit) {
  uint32_t valid = valid_word(in.column[c], row, limit);
  for (int p = copy.column[c].parent; p >= 0; p = copy.column[p].parent) {
    valid &= valid_word(in.column[p], row, limit);
  }
  return valid;
}

/// The tile of a block: the result rows [first, first + count).
struct copy_tile {
  int64_t first;
  int count;
};

/// [block] Moves rows of type T. `source(r)` is the input row of row r of the tile, or -1 for a zero.
template <int threads, class T, class Source>
GDF_DEVICE void move_values(const column_in& in, const column_out& out, const copy_tile& tile,
                            const Source& source) {
  constexpr int batch = sizeof(T) <= 8 ? 8 : 64 / static_cast<int>(sizeof(T));
  auto const* const from = static_cast<const T*>(in.data) + in.offset;
  auto* const to = static_cast<T*>(out.data) + tile.first;
  for (int r = static_cast<int>(threadIdx.x); r < tile.count; r += threads * batch) {
    int64_t row[batch];
#pragma unroll
    for (int i = 0; i < batch; i++) {
      int const at = r + i * threads;
      row[i] = at < tile.count ? source(at) : -1;
    }
    T value[batch];
#pragma unroll
    for (int i = 0; i < batch; i++) { value[i] = row[i] >= 0 ? load(from + row[i]) : T{}; }
#pragma unroll
    for (int i = 0; i < batch; i++) {
      int const at = r + i * threads;
      if (at < tile.count) { store(to + at, value[i]); }
    }
  }
}

/// [warp] Moves at most 32 rows of `width` units of type T. Lane r has the input row `mine` of row r, or -1.
template <class T>
GDF_DEVICE void move_units(const T* from, T* to, int64_t width, int64_t mine, int rows) {
  constexpr int batch = 4;
  int const together = width <= 4096 ? rows : 1; // rows of at most 2^17 units, so that 32 bits suffice for a division
  for (int top = 0; top < rows; top += together) {
    int64_t const units = width * together;
    for (int64_t first = 0; first < units; first += 32 * batch) {
      T unit[batch];
#pragma unroll
      for (int k = 0; k < batch; k++) {
        int64_t const at = first + 32 * k + lane();
        bool const has = at < units;
        int const row = has && together > 1 ? static_cast<int>(static_cast<uint32_t>(at) / static_cast<uint32_t>(width)) : 0;
        int64_t const i = __shfl_sync(~0u, mine, top + row);
        unit[k] = has && i >= 0 ? __ldg(from + i * width + (at - row * width)) : T{};
      }
#pragma unroll
      for (int k = 0; k < batch; k++) {
        int64_t const at = first + 32 * k + lane();
        if (at < units) { to[top * width + at] = unit[k]; }
      }
    }
  }
}

/// [block] Moves rows of `width` bytes and any alignment. A warp handles 32 rows.
template <int threads, class Source>
GDF_DEVICE void move_bytes(const column_in& in, const column_out& out, int64_t width,
                           const copy_tile& tile, const Source& source) {
  auto const* const from = static_cast<const uint8_t*>(in.data) + in.offset * width;
  auto const bits = reinterpret_cast<uintptr_t>(from) | reinterpret_cast<uintptr_t>(out.data) |
                    static_cast<uintptr_t>(width);
  for (int r = warp() * 32; r < tile.count; r += threads) {
    int64_t const mine = r + lane() < tile.count ? source(r + lane()) : -1;
    int const rows = tile.count - r < 32 ? tile.count - r : 32;
    auto* const to = static_cast<uint8_t*>(out.data) + (tile.first + r) * width;
    auto const move = [&]<class T>(T) {
      constexpr int64_t size = sizeof(T);
      move_units(reinterpret_cast<const T*>(from), reinterpret_cast<T*>(to), width / size, mine, rows);
    };
    if (bits % 16 == 0) {
      move(uint4{});
    } else if (bits % 4 == 0) {
      move(0u);
    } else {
      move(uint8_t{0});
    }
  }
}

/// [block] Moves the validity of column `c` if the result has a mask, and the values if the column is boolean.
///
/// The function writes the words that begin within the tile.
template <int threads, class Source>
GDF_DEVICE uint32_t move_bits(const table_in<32>& in, const copy_table& copy, int c,
                              const column_out& out, const copy_tile& tile, const Source& source) {
  bool const values = copy.column[c].kind == copy_bits;
  bool const validity = out.validity != nullptr;
  if (!values && !validity) { return 0; }
  int64_t const end = words_for(tile.first + tile.count);
  uint32_t valid = 0;
  for (int64_t word = words_for(tile.first) + warp(); word < end; word += threads / 32) {
    int const r = static_cast<int>(word * 32 - tile.first) + lane();
    int64_t const row = r < tile.count ? source(r) : -1;
    if (values) {
      bool const value = row >= 0 && element<bool>(in.column[c], row);
      uint32_t const bits = __ballot_sync(~0u, value);
      if (lane() == 0) { static_cast<uint32_t*>(out.data)[word] = bits; }
    }
    if (validity) {
      bool const value = row >= 0 && is_row_valid(in, copy, c, row);
      uint32_t const bits = __ballot_sync(~0u, value);
      if (lane() == 0) {
        out.validity[word] = bits;
        valid += __popc(bits);
      }
    }
  }
  return valid;
}

/// [block] Moves the values of a tile of column `c`, except bits and strings.
template <int threads, class Source>
GDF_DEVICE void move_data(const table_in<32>& in, const copy_table& copy, int c, const column_out& out,
                          const copy_tile& tile, const Source& source) {
  int const kind = copy.column[c].kind;
  if (kind > 0) {
    by_width(kind,
             [&]<class T>() { move_values<threads, T>(in.column[c], out, tile, source); });
  } else if (kind == copy_any_width) {
    move_bytes<threads>(in.column[c], out, copy.column[c].bytes, tile, source);
  }
}

/// [block] Moves the rows of a tile of column `c`, except the bytes and offsets of strings (see move_strings.cuh).
template <int threads, class Source>
GDF_DEVICE uint32_t move_tile(const table_in<32>& in, const copy_table& copy, int c,
                              const column_out& out, const copy_tile& tile, const Source& source) {
  move_data<threads>(in, copy, c, out, tile, source);
  return move_bits<threads>(in, copy, c, out, tile, source);
}

} // namespace gdf
