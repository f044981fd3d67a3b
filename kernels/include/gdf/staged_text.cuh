// Text of consecutive rows in shared memory. A thread reads the bytes of a row there with 32-bit addresses, and need
// not check for the end of the buffer.
#pragma once

#include "async_copy.cuh"
#include "string_rows.cuh"

namespace gdf {

/// The bytes of one row in shared memory. Up to 24 bytes past the end of the row may be read.
struct staged_piece {
  using index = int32_t;
  const uint32_t* words; // the text of all rows
  uint32_t at; // the position of the row's first byte in `words`
  int32_t size;
};

/// [thread] Returns a word whose lowest `n` (0 to 8) bytes have all bits set.
GDF_DEVICE u64 low_bytes(int n) { return n == 0 ? 0 : ~0ull >> (64 - 8 * n); }

/// [thread] Returns eight bytes of a text from `at` on, little-endian. Bytes beyond the text are unspecified.
GDF_DEVICE u64 loose_bytes_at(const staged_piece& text, int32_t at) {
  uint32_t const from = text.at + at;
  const uint32_t* const word = text.words + (from >> 2);
  uint32_t const shift = (from & 3) * 8;
  uint32_t const middle = word[1];
  uint32_t const low = __funnelshift_r(word[0], middle, shift);
  return static_cast<u64>(__funnelshift_r(middle, word[2], shift)) << 32 | low;
}

/// [thread] Returns eight bytes of a text from `at` on, little-endian. Bytes beyond the text are zero.
GDF_DEVICE u64 bytes_at(const staged_piece& text, int32_t at) {
  // The code has no branches, so that lanes do not diverge.
  int32_t const bits = at < text.size ? (text.size - at) * 8 : 0;
  uint32_t const low = __funnelshift_lc(~0u, 0, bits);
  uint32_t const high = __funnelshift_lc(~0u, 0, bits < 32 ? 0 : bits - 32);
  return loose_bytes_at(text, at < text.size ? at : text.size) & (static_cast<u64>(high) << 32 | low);
}
GDF_DEVICE u64 bytes_at(const string_piece& text, int64_t at) {
  int64_t const left = text.size - at;
  return left <= 0 ? 0 : string_detail::load_before(text.data + at, text.limit, left < 8 ? static_cast<int>(left) : 8);
}
GDF_DEVICE u64 loose_bytes_at(const string_piece& text, int64_t at) { return bytes_at(text, at); }

GDF_DEVICE uint32_t byte_at(const staged_piece& text, int32_t at) {
  return reinterpret_cast<const uint8_t*>(text.words)[text.at + at];
}
GDF_DEVICE uint32_t byte_at(const string_piece& text, int64_t at) { return __ldg(text.data + at); }

GDF_DEVICE staged_piece part_of(const staged_piece& text, int32_t begin, int32_t end) {
  return {text.words, text.at + begin, end - begin};
}
GDF_DEVICE string_piece part_of(const string_piece& text, int64_t begin, int64_t end) {
  return {text.data + begin, end - begin, text.limit};
}

/// [warp] Copies `total` bytes to shared memory, in units of 16 bytes from `from` on.
template <bool later = false>
GDF_DEVICE void stage_units(const uint8_t* data, int64_t bytes_of_column, const uint8_t* from, uint32_t total, uint4* stage) {
  uint32_t const units = (total + 15) / 16;
  const uint8_t* const limit = data + bytes_of_column;
  uint32_t const whole_from = from < data ? 1 : 0;
  uint32_t const whole_to = units > 0 && from + units * 16 > limit ? units - 1 : units;
  auto const* const source = reinterpret_cast<const uint4*>(from);
  for (uint32_t i = whole_from + lane(); i < whole_to; i += 32) { copy_word(stage + i, source + i); }
  if (whole_to - whole_from != units) {
    // The lower 16 lanes load the bytes of the first unit, and the upper 16 lanes load the bytes of the last unit.
    uint32_t const i = lane() < 16 ? lane() : (units - 1) * 16 + lane() - 16;
    if (i < total && from + i >= data && from + i < limit) { reinterpret_cast<uint8_t*>(stage)[i] = __ldg(from + i); }
  }
  if constexpr (!later) { await_words(); }
}

namespace staged_text_detail {

/// The maximum number of bytes of a row that one thread processes. Longer rows are read from global memory.
constexpr int64_t long_row = 1024;

} // namespace staged_text_detail

template <int items>
struct staged_rows {
  static constexpr int bytes = 4096; // the maximum size of the text of all rows together
  static constexpr uint32_t long_row = staged_text_detail::long_row;

  struct alignas(16) memory {
    uint4 units[bytes / 16 + 3]; // the text; the first unit has no text
    uint32_t rows[32 * items]; // bits 0 to 15: the begin of each row; from bit 16 on: its size
  };

  GDF_DEVICE static staged_piece get(const memory& stage, int at) {
    uint32_t const row = stage.rows[at];
    return {reinterpret_cast<const uint32_t*>(stage.units), row & 0xffff, static_cast<int32_t>(row >> 16)};
  }

  /// [warp] Loads the text of the rows [first, first + 32 * items) of a column into shared memory. Returns false if the
  /// text does not fit, or lies outside of the column.
  GDF_DEVICE static bool load(const column_in& in, int64_t bytes_of_column, int64_t first, int64_t rows, memory& stage) {
    if (in.flags & broadcast) { return false; }
    return in.flags & wide_offsets ? load_by<int64_t, u64>(in, bytes_of_column, first, rows, stage)
                                   : load_by<int32_t, uint32_t>(in, bytes_of_column, first, rows, stage);
  }

  /// [warp] Finds the places of the rows in the same way as `load`, with the same result, but loads no text.
  GDF_DEVICE static bool locate(const column_in& in, int64_t bytes_of_column, int64_t first, int64_t rows, uint32_t* places,
                                const uint8_t*& from, uint32_t& total) {
    if (in.flags & broadcast) { return false; }
    return in.flags & wide_offsets ? locate_by<true, int64_t, u64>(in, bytes_of_column, first, rows, places, from, total)
                                   : locate_by<true, int32_t, uint32_t>(in, bytes_of_column, first, rows, places, from, total);
  }

  /// [warp] Copies `total` bytes to shared memory.
  template <bool later = false>
  GDF_DEVICE static void copy(const uint8_t* data, int64_t bytes_of_column, const uint8_t* from, uint32_t total, memory& stage) {
    uint32_t const units = (total + 15) / 16;
    const uint8_t* const limit = data + bytes_of_column;
    uint32_t const whole_from = from < data ? 1 : 0;
    uint32_t const whole_to = units > 0 && from + units * 16 > limit ? units - 1 : units;
    auto const* const source = reinterpret_cast<const uint4*>(from);
    constexpr int each = later ? 1 : 6;
    for (uint32_t first = whole_from + lane(); first < whole_to; first += 32 * each) {
      if constexpr (later) {
        copy_word(stage.units + first + 1, source + first);
        continue;
      }
      uint4 unit[each];
#pragma unroll
      for (int k = 0; k < each; k++) {
        if (first + k * 32 < whole_to) { unit[k] = __ldg(source + first + k * 32); }
      }
#pragma unroll
      for (int k = 0; k < each; k++) {
        if (first + k * 32 < whole_to) { stage.units[first + k * 32 + 1] = unit[k]; }
      }
    }
    if (whole_to - whole_from == units) { return; }
    // The lower 16 lanes load the bytes of the first unit, and the upper 16 lanes load the bytes of the last unit.
    uint32_t const i = lane() < 16 ? lane() : (units - 1) * 16 + lane() - 16;
    if (i < total && from + i >= data && from + i < limit) { reinterpret_cast<uint8_t*>(stage.units + 1)[i] = __ldg(from + i); }
  }

private:
  template <class Offset, class Unsigned>
  GDF_DEVICE static bool load_by(const column_in& in, int64_t bytes_of_column, int64_t first, int64_t rows, memory& stage) {
    const uint8_t* from;
    uint32_t total;
    if (!locate_by<sizeof(Offset) == 4, Offset, Unsigned>(in, bytes_of_column, first, rows, stage.rows, from, total)) { return false; }
    stage_units(static_cast<const uint8_t*>(in.data), bytes_of_column, from, total, stage.units + 1);
    __syncwarp();
    return true;
  }

  /// [warp] Does the same as `locate`, for offsets of one width.
  template <bool whole, class Offset, class Unsigned>
  GDF_DEVICE static bool locate_by(const column_in& in, int64_t bytes_of_column, int64_t first, int64_t rows, uint32_t* places,
                                   const uint8_t*& source, uint32_t& total) {
    auto const* const offsets = static_cast<const Offset*>(in.offsets) + in.offset + first;
    auto const left = static_cast<int>(rows - first < 32 * items ? rows - first : 32 * items);
    Offset begin[items];
    Offset end[items];
    if (whole && left == 32 * items) {
#pragma unroll
      for (int i = 0; i < items; i++) {
        begin[i] = __ldg(offsets + lane() + i * 32);
        end[i] = __ldg(offsets + lane() + i * 32 + 1);
      }
    } else {
#pragma unroll
      for (int i = 0; i < items; i++) { // rows past the end are empty
        int const row = i * 32 + lane();
        begin[i] = __ldg(offsets + (row < left ? row : left));
        end[i] = __ldg(offsets + (row < left ? row + 1 : left));
      }
    }
    Offset const from = __shfl_sync(~0u, begin[0], 0);
    Offset const to = __shfl_sync(~0u, end[items - 1], 31);
    __syncwarp(); // all lanes have read the previous contents
    bool fits = from >= 0 && to <= bytes_of_column && to >= from && to - from <= bytes - 16;
    auto const span = static_cast<Unsigned>(to) - static_cast<Unsigned>(from);
    const uint8_t* const data = static_cast<const uint8_t*>(in.data);
    auto const skipped = static_cast<uint32_t>(reinterpret_cast<uintptr_t>(data + from) & 15);
#pragma unroll
    for (int i = 0; i < items; i++) {
      auto const at = static_cast<Unsigned>(begin[i]) - static_cast<Unsigned>(from);
      auto const up_to = static_cast<Unsigned>(end[i]) - static_cast<Unsigned>(from);
      fits = fits && up_to <= span && at <= up_to && up_to - at <= long_row;
      places[i * 32 + lane()] = (static_cast<uint32_t>(at) + skipped + 16) | static_cast<uint32_t>(up_to - at) << 16;
    }
    if (!__all_sync(~0u, fits)) { return false; }
    source = data + from - skipped;
    total = static_cast<uint32_t>(span) + skipped;
    return true;
  }
};

template <int items, int most>
struct staged_columns {
  using one = staged_rows<items>;

  struct alignas(16) memory {
    uint4 units[one::bytes / 16 + 3]; // the text; the first unit has no text
    uint32_t rows[most][32 * items]; // bits 0 to 15: the begin of each row; from bit 16 on: its size
  };

  GDF_DEVICE static staged_piece get(const memory& stage, int column, int at) {
    uint32_t const row = stage.rows[column][at];
    return {reinterpret_cast<const uint32_t*>(stage.units), row & 0xffff, static_cast<int32_t>(row >> 16)};
  }

  /// [warp] Loads the texts of the rows [first, first + 32 * items) of `count` columns into shared memory. Returns
  /// false if the texts do not fit, or lie outside of their columns.
  template <class Column>
  GDF_DEVICE static bool load(int count, int64_t first, int64_t rows, memory& stage, Column&& column) {
    uint32_t used = 0; // units
    bool fits = true;
#pragma unroll 1
    for (int c = 0; c < count && fits; c++) {
      auto const& in = column(c);
      const uint8_t* from;
      uint32_t total;
      fits = one::locate(in.column, in.bytes, first, rows, stage.rows[c], from, total) && used * 16 + total <= one::bytes;
      if (!fits) { break; }
      stage_units<true>(static_cast<const uint8_t*>(in.column.data), in.bytes, from, total, stage.units + used + 1);
#pragma unroll
      for (int i = 0; i < items; i++) { stage.rows[c][i * 32 + lane()] += used * 16; }
      used += (total + 15) / 16;
    }
    await_words();
    __syncwarp();
    return fits;
  }
};

} // namespace gdf
