// Long rows of text, cut into chunks that are divided among all blocks. See crates/gdf-engine/src/strings/README.md.
// regex_chunks.cuh uses the chunks for regular expressions.
#pragma once

#include "build_strings.cuh"

namespace gdf {

/// A chunk: the characters of a long row that begin in a range of bytes of the character buffer.
///
/// The first chunk of a row also has the bytes of the row that lie before that range.
///
/// With malformed offsets, the first chunk of a row may belong to another row. The chunks of such a row are never
/// linked.
struct text_chunk {
  int64_t row; // -1 if the first byte of the chunk belongs to no long row
  int64_t entry; // the state at the begin of the chunk
  int64_t exit; // the state at the end of the chunk, or its size; in a linked first chunk, the total of the row
  int64_t floor; // begin of the search that is undecided at the chunk's end; once linked, at the chunk's begin
  int64_t last; // end of the last match in the chunk; once linked, of the last match before it; -1 without a match
  int64_t matches; // the complement (~) of the number of matches; once linked, the number of matches before the chunk
};

struct text_chunks {
  text_chunk* chunks; // `count` chunks and one more; null if the chunks have not been searched yet
  int64_t count;
  int64_t longest; // a row with more bytes is long; at least the size of a chunk
  // If `token` is not 0, a kernel that finds a long row writes `token` to chunks[count].row. That element is not
  // initialized before.
  int64_t token;
  int64_t shift; // chunks have 1 << shift bytes
};

struct chunk_part {
  string_piece text; // the text of the row
  int64_t begin; // searches from [begin, end) on belong to the chunk; in the last chunk also those from `end` on
  int64_t end;
  int64_t first; // the row's first chunk
  bool is_first;
  bool is_last;
};

namespace chunks_detail {

GDF_DEVICE int64_t place_of(const column_in& column, const string_piece& text) {
  return text.data - static_cast<const uint8_t*>(column.data);
}

GDF_DEVICE int64_t first_chunk(const text_chunks& all, int64_t place) {
  return (place + (int64_t{1} << all.shift) - 1) >> all.shift;
}

/// [thread] Returns the part of a row in chunk `at`, which must be one of the row's chunks.
GDF_DEVICE chunk_part part_of(const text_in& in, const text_chunks& all, int64_t row, int64_t at) {
  string_piece const text = text_at(in, row);
  int64_t const place = place_of(in.column, text);
  int64_t const first = first_chunk(all, place);
  bool const is_last = at == (place + text.size - 1) >> all.shift;
  int64_t const begin = at == first ? 0 : character_from(text, (at << all.shift) - place);
  int64_t const end = is_last ? text.size : character_from(text, ((at + 1) << all.shift) - place);
  return {text, begin, end, first, at == first, is_last};
}

/// [thread] Returns `row` if it is long, is not null, and contains the byte `byte` of the character buffer. Otherwise
/// the function returns -1.
GDF_DEVICE int64_t checked_row(const text_in& in, const text_chunks& all, int64_t row, int64_t byte) {
  if (!is_valid(in.column, row)) { return -1; }
  string_piece const text = text_at(in, row);
  int64_t const place = place_of(in.column, text);
  return text.size > all.longest && place <= byte && byte < place + text.size ? row : -1;
}

/// [thread] Returns the long row that contains the byte `byte` of the character buffer, or -1 if there is no such row.
GDF_DEVICE int64_t long_row_at(const text_in& in, const text_chunks& all, int64_t byte) {
  int64_t low = 0;
  int64_t high = in.column.length;
  while (low < high) { // finds the first row that ends behind the byte
    int64_t const middle = (low + high) >> 1;
    if (extent_of(in.column, middle).end <= byte) {
      low = middle + 1;
    } else {
      high = middle;
    }
  }
  return low == in.column.length ? -1 : checked_row(in, all, low, byte);
}

/// [warp] Does the same as long_row_at. All lanes get the result.
GDF_DEVICE int64_t long_row_by_warp(const text_in& in, const text_chunks& all, int64_t byte) {
  int64_t low = 0;
  int64_t high = in.column.length;
  while (low < high) { // each lane has a part of the rows, and reads the last row of its part
    int64_t const each = (high - low + 31) / 32;
    int64_t const last = low + lane() * each + each - 1;
    uint32_t const behind = __ballot_sync(~0u, last >= high || extent_of(in.column, last).end > byte);
    low = behind == 0 ? high : low + (__ffs(static_cast<int>(behind)) - 1) * each;
    high = low + each - 1 < high ? low + each - 1 : high;
  }
  return low == in.column.length ? -1 : checked_row(in, all, low, byte);
}

/// [warp] Returns the maximum of `carry` and the values of the lanes below this one.
///
/// `carry` becomes the maximum of `carry` and the values of all lanes.
GDF_DEVICE int64_t exclusive_max(int64_t value, int64_t& carry) {
  auto const up = [](int64_t x, int by) { return static_cast<int64_t>(__shfl_up_sync(~0u, static_cast<u64>(x), by)); };
#pragma unroll
  for (int by = 1; by < 32; by *= 2) {
    int64_t const other = up(value, by);
    if (lane() >= by && other > value) { value = other; }
  }
  int64_t const before = up(value, 1);
  int64_t const result = lane() > 0 && before > carry ? before : carry;
  int64_t const all = static_cast<int64_t>(__shfl_sync(~0u, static_cast<u64>(value), 31));
  carry = all > carry ? all : carry;
  return result;
}

} // namespace chunks_detail

/// [thread] Returns whether a row is long.
GDF_DEVICE bool is_long(const text_chunks& all, const string_piece& text) { return text.size > all.longest; }

/// [thread] Returns whether chunks may be searched for a text independently of each other.
GDF_DEVICE bool has_chunks(const needle& what) {
  constexpr int64_t longest = 64;
  if (what.size == 0 || what.size > longest) { return false; }
  u64 const first = search_detail::repeated_byte<0>(what.first);
  bool again = (search_detail::zero_bytes(what.first ^ first) & what.mask & ~u64{0xff}) != 0;
  for (int64_t i = 8; i < what.size; i++) { again = again || __ldg(what.data + i) == (what.first & 0xff); }
  return !again;
}

/// [thread] Returns the total of a long row, which is its number of matches, or the number of bytes of its result.
GDF_DEVICE u64 chunked_total(const text_in& in, const text_chunks& all, int64_t row, const string_piece& text) {
  if (all.chunks == nullptr) { return build_strings_detail::unknown_size; }
  text_chunk const& first = all.chunks[chunks_detail::first_chunk(all, chunks_detail::place_of(in.column, text))];
  return first.row == row && first.matches >= 0 ? static_cast<u64>(first.exit) : 0;
}

/// [grid] Calls `body(row, first, count)` [warp] for each long row. The chunks of the row are the `count` chunks from
/// `first` on.
template <class Body>
GDF_DEVICE void for_each_chunked_row(const text_in& in, const text_chunks& all, Body&& body) {
  int64_t const warps = gridDim.x * int64_t{blockDim.x / 32};
  for (int64_t at = (blockIdx.x * int64_t{blockDim.x / 32} + warp()) * 32; at < all.count; at += warps * 32) {
    int64_t const mine = at + lane();
    int64_t const row = mine < all.count ? all.chunks[mine].row : -1;
    bool const is_first = row >= 0 && chunks_detail::first_chunk(all, chunks_detail::place_of(in.column, text_at(in, row))) == mine;
    build_strings_detail::for_each_long_row(is_first, row, [&](int64_t of, int owner) {
      string_piece const text = text_at(in, of);
      int64_t const end = (chunks_detail::place_of(in.column, text) + text.size - 1) >> all.shift;
      body(of, at + owner, end + 1 - (at + owner));
    });
  }
}

/// [grid] Makes the chunks of a column. `size(part, chunk)` [warp] sets the exit and the last match of a chunk of a
/// long row.
template <class Size>
GDF_DEVICE void size_chunks(const text_in& in, const text_chunks& all, Size&& size) {
  int64_t const step = gridDim.x * int64_t{blockDim.x / 32};
  for (int64_t at = blockIdx.x * int64_t{blockDim.x / 32} + warp(); at < all.count; at += step) {
    text_chunk chunk{chunks_detail::long_row_by_warp(in, all, at << all.shift), 0, 0, -1, -1, -1};
    if (chunk.row >= 0) { size(chunks_detail::part_of(in, all, chunk.row, at), chunk); }
    if (lane() == 0) { all.chunks[at] = chunk; }
  }
}

/// [grid] Calls `write(part, chunk, place)` [warp] for each chunk of a long row.
///
/// The first element of the chunk lies at `place` of `out`.
template <class Write>
GDF_DEVICE void write_chunks(const column_out& out, const text_in& in, const text_chunks& all, Write&& write) {
  int64_t const step = gridDim.x * int64_t{blockDim.x / 32};
  for (int64_t at = blockIdx.x * int64_t{blockDim.x / 32} + warp(); at < all.count; at += step) {
    text_chunk const chunk = all.chunks[at];
    if (chunk.row < 0 || chunk.matches < 0) { continue; }
    chunk_part const part = chunks_detail::part_of(in, all, chunk.row, at);
    write(part, chunk, load_offset(out.offsets, out.flags & wide_offsets, chunk.row) + (part.is_first ? 0 : chunk.exit));
  }
}

} // namespace gdf
