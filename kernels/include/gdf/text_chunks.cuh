// Long rows of text cut into chunks, which all blocks share, see crates/gdf-engine/src/strings/README.md. Of searches by
// regular expressions see regex_chunks.cuh.
#pragma once

#include "build_strings.cuh"

namespace gdf {

/// The part of a long row that begins in these bytes of the character buffer, or, of the row's first chunk, before them. Where a
/// regular expression is searched, a state of the chain is 2 * from, and 1 more if a match ended at `from`, where the next search
/// begins; or `undecided`. Where a text is searched, a chunk has an exit and a last match alone, and its matches are -1, once linked 0. Chunks
/// of a row whose first chunk is another's, as malformed offsets may have it, are never linked.
struct text_chunk {
  int64_t row; // -1: the first byte of the chunk is not of a long row
  int64_t entry; // the state where the chunk begins
  int64_t exit; // the state where it ends, or its size; once linked, of the first chunk what the row has in all
  int64_t floor; // where the search began that is undecided where the chunk ends; once linked, where it begins
  int64_t last; // where the last match in the chunk ended; once linked, the last before it; -1: there is none
  int64_t matches; // ~ their number; once linked, how many are before the chunk
};

/// The chunks of a column.
struct text_chunks {
  text_chunk* chunks; // and one more; null: they are not searched yet
  int64_t count;
  int64_t longest; // rows of more bytes are long, no fewer than a chunk has
  int64_t token; // where not 0: there are long rows if it is the last one's `row`, which is not initialized
  int64_t shift; // chunks have 1 << shift bytes
};

/// A chunk as functors take it.
struct chunk_part {
  string_piece text; // of the row
  int64_t begin; // searches that begin in [begin, end) are the chunk's, and in the last chunk those at the end
  int64_t end;
  int64_t first; // the row's first chunk
  bool is_first;
  bool is_last;
};

namespace chunks_detail {

/// [thread] Where a row begins in the character buffer.
GDF_DEVICE int64_t place_of(const column_in& column, const string_piece& text) {
  return text.data - static_cast<const uint8_t*>(column.data);
}

/// [thread] The first chunk of a row whose text is at `place`.
GDF_DEVICE int64_t first_chunk(const text_chunks& all, int64_t place) {
  return (place + (int64_t{1} << all.shift) - 1) >> all.shift;
}

/// [thread] The part of a row in chunk `at`, which is one of its chunks.
GDF_DEVICE chunk_part part_of(const text_in& in, const text_chunks& all, int64_t row, int64_t at) {
  string_piece const text = text_at(in, row);
  int64_t const place = place_of(in.column, text);
  int64_t const first = first_chunk(all, place);
  bool const is_last = at == (place + text.size - 1) >> all.shift;
  int64_t const begin = at == first ? 0 : character_from(text, (at << all.shift) - place);
  int64_t const end = is_last ? text.size : character_from(text, ((at + 1) << all.shift) - place);
  return {text, begin, end, first, at == first, is_last};
}

/// [thread] A row, or -1 unless it is long, not null, and has this byte of the character buffer.
GDF_DEVICE int64_t checked_row(const text_in& in, const text_chunks& all, int64_t row, int64_t byte) {
  if (!is_valid(in.column, row)) { return -1; }
  string_piece const text = text_at(in, row);
  int64_t const place = place_of(in.column, text);
  return text.size > all.longest && place <= byte && byte < place + text.size ? row : -1;
}

/// [thread] The long row, not null, that has this byte of the character buffer, or -1.
GDF_DEVICE int64_t long_row_at(const text_in& in, const text_chunks& all, int64_t byte) {
  int64_t low = 0;
  int64_t high = in.column.length;
  while (low < high) { // the first row that ends behind it
    int64_t const middle = (low + high) >> 1;
    if (extent_of(in.column, middle).end <= byte) {
      low = middle + 1;
    } else {
      high = middle;
    }
  }
  return low == in.column.length ? -1 : checked_row(in, all, low, byte);
}

/// [warp] As above, in all lanes.
GDF_DEVICE int64_t long_row_by_warp(const text_in& in, const text_chunks& all, int64_t byte) {
  int64_t low = 0;
  int64_t high = in.column.length;
  while (low < high) { // each lane has a part of the rows, and looks at the last of it
    int64_t const each = (high - low + 31) / 32;
    int64_t const last = low + lane() * each + each - 1;
    uint32_t const behind = __ballot_sync(~0u, last >= high || extent_of(in.column, last).end > byte);
    low = behind == 0 ? high : low + (__ffs(static_cast<int>(behind)) - 1) * each;
    high = low + each - 1 < high ? low + each - 1 : high;
  }
  return low == in.column.length ? -1 : checked_row(in, all, low, byte);
}

/// [warp] The greatest of the values of the lanes below this one and of `carry`, which becomes the greatest of all.
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

/// [thread] Whether a row is of no interest to kernels of short rows.
GDF_DEVICE bool is_long(const text_chunks& all, const string_piece& text) { return text.size > all.longest; }

/// [thread] Whether chunks may be searched for a text, without regard to each other: no two places where it lies overlap, as its
/// first byte is not there once more. Of very long texts nothing is said.
GDF_DEVICE bool has_chunks(const needle& what) {
  constexpr int64_t longest = 64;
  if (what.size == 0 || what.size > longest) { return false; }
  u64 const first = search_detail::repeated_byte<0>(what.first);
  bool again = (search_detail::zero_bytes(what.first ^ first) & what.mask & ~u64{0xff}) != 0;
  for (int64_t i = 8; i < what.size; i++) { again = again || __ldg(what.data + i) == (what.first & 0xff); }
  return !again;
}

/// [thread] What a long row has in all: matches, or bytes of the result; an unknown size if its chunks are not searched yet.
GDF_DEVICE u64 chunked_total(const text_in& in, const text_chunks& all, int64_t row, const string_piece& text) {
  if (all.chunks == nullptr) { return build_strings_detail::unknown_size; }
  text_chunk const& first = all.chunks[chunks_detail::first_chunk(all, chunks_detail::place_of(in.column, text))];
  return first.row == row && first.matches >= 0 ? static_cast<u64>(first.exit) : 0;
}

/// [grid] Calls `body(row, first, count)` [warp] for each long row that has `count` chunks from `first` on.
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

/// [grid] Makes the chunks of a column; `size(part, chunk)` [warp] gives the exit and the last match of each that is of a long row.
template <class Size>
GDF_DEVICE void size_chunks(const text_in& in, const text_chunks& all, Size&& size) {
  int64_t const step = gridDim.x * int64_t{blockDim.x / 32};
  for (int64_t at = blockIdx.x * int64_t{blockDim.x / 32} + warp(); at < all.count; at += step) {
    text_chunk chunk{chunks_detail::long_row_by_warp(in, all, at << all.shift), 0, 0, -1, -1, -1};
    if (chunk.row >= 0) { size(chunks_detail::part_of(in, all, chunk.row, at), chunk); }
    if (lane() == 0) { all.chunks[at] = chunk; }
  }
}

/// [grid] Calls `write(part, chunk, place)` [warp] for each chunk of a long row, of whose elements the first is at `place` of `out`.
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
