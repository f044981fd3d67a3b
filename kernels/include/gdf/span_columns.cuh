// Writes columns of text from the spans of rows.
#pragma once

#include "build_strings.cuh"
#include "byte_run.cuh"

namespace copy_spans {

struct source {
  gdf::text_in text;
  const int32_t* offsets; // per row, the first span; if null, `spans` has the first spans of all rows first
  const gdf::text_span* spans; // if null, the rows of the text are the spans
  int64_t count; // the number of all spans
  int64_t nth; // -1: a result row for each span; else a result row for span `nth` of each row
  gdf::row_count rows; // the number of rows that have the spans
  int64_t each;

  /// [thread] Returns the number of spans of a row.
  GDF_DEVICE uint32_t count_of(int64_t row) const {
    return static_cast<uint32_t>(offsets == nullptr ? each : int64_t{offsets[row + 1]} - offsets[row]);
  }

  /// [thread] Returns the place of span `which` of a row.
  GDF_DEVICE int64_t place_of(int64_t row, int64_t which) const {
    return offsets == nullptr ? which * rows + row : offsets[row] + which;
  }
};

GDF_DEVICE gdf::text_span span_at(const source& p, int64_t at) {
  if (p.spans != nullptr) { return p.spans[at]; }
  gdf::extent const row = gdf::extent_within(p.text.column, at, p.text.bytes);
  return {row.begin, row.size()};
}

struct piece {
  static constexpr bool by_warp = true;

  GDF_DEVICE static gdf::text_span span_of(int64_t row, const source& p) {
    constexpr gdf::text_span none{0, -1};
    int64_t at = row;
    if (p.nth >= 0) {
      if (p.nth >= p.count_of(row)) { return none; }
      at = p.place_of(row, p.nth);
    }
    return at < p.count ? span_at(p, at) : none;
  }

  GDF_DEVICE static int64_t work(int64_t, const source&) { return 0; }

  template <class Sink>
  GDF_DEVICE static bool row(Sink& sink, int64_t row, const source& p) {
    gdf::text_span const span = span_of(row, p);
    if (span.size < 0) { return false; }
    sink.put({static_cast<const uint8_t*>(p.text.column.data) + span.begin, span.size,
              static_cast<const uint8_t*>(p.text.column.data) + p.text.bytes});
    return true;
  }
};

} // namespace copy_spans

namespace span_columns {

/// The shared memory of a warp: the spans of its rows, and their text.
struct warp_memory {
  static constexpr uint32_t most_spans = 512;
  static constexpr uint32_t stage_bytes = 1280;
  static constexpr uint32_t none = 0; // a span that is null or missing; no text begins at place 0

  gdf::staged_rows<1>::memory texts;
  alignas(16) uint8_t stage[stage_bytes];
  uint32_t spans[most_spans]; // begin of each span in the texts; from bit 16 on: its size; `none` for a null
};

/// The registers of a lane for its rows, which are consecutive.
struct lane_rows {
  static constexpr int most = gdf::build_strings_detail::most_share;

  uint32_t spans[most]; // the first span of each row among the spans of the warp; from bit 16 on: their number
  uint32_t between; // the distance between a span and the next span of the same row
  int32_t before; // the number of the first column, as earlier columns are written by another launch
};

GDF_DEVICE uint32_t span_of(const uint32_t* spans, const lane_rows& own, int k, int column) {
  auto const which = static_cast<uint32_t>(own.before + column);
  return which < own.spans[k] >> 16 ? spans[(own.spans[k] & 0xffff) + which * own.between] : warp_memory::none;
}

/// [warp] Returns the number of bytes of a column, for rows whose spans are in shared memory.
GDF_DEVICE uint32_t kept_size(const uint32_t* spans, const lane_rows& own, int column) {
  uint32_t size = 0;
#pragma unroll
  for (int k = 0; k < lane_rows::most; k++) { size += span_of(spans, own, k, column) >> 16; }
  return gdf::warp_sum(size);
}

/// The begin and end of a span, counted from the begin of the text, as unsigned numbers.
///
/// A position before the begin of the text wraps around to a number that is greater than all valid positions.
template <class T>
struct places {
  T begin;
  T end; // below `begin` if the span is null
};

/// [warp] Stores `count` spans in shared memory. `at(i)` returns span i as positions among `bytes` bytes. The function
/// returns false in each lane that has a span outside of these bytes.
template <class T, class At>
GDF_DEVICE bool keep_spans(uint32_t* spans, uint32_t count, uint32_t bytes, uint32_t first_byte, At&& at) {
  constexpr int each = 4; // the number of spans that a lane loads at a time
  bool fits = true;
#pragma unroll 1
  for (uint32_t first = gdf::lane(); first < count; first += 32 * each) {
    places<T> found[each];
#pragma unroll
    for (int k = 0; k < each; k++) { found[k] = at(first + k * 32 < count ? first + k * 32 : first); }
#pragma unroll
    for (int k = 0; k < each; k++) {
      auto const begin = static_cast<uint32_t>(found[k].begin);
      auto const size = static_cast<uint32_t>(found[k].end - found[k].begin);
      bool const is_null = found[k].end < found[k].begin;
      fits = fits && (is_null || found[k].end <= bytes);
      if (first + k * 32 < count) { spans[first + k * 32] = is_null ? warp_memory::none : (begin + first_byte) | size << 16; }
    }
  }
  return fits;
}

/// [thread] Finds the spans of the lane's rows among the spans of the warp. Returns false if the offsets of a row are
/// malformed or lie outside of the spans, or if the warp has too many spans for its shared memory.
GDF_DEVICE bool find_spans(const copy_spans::source& source, int columns, const gdf::build_strings_detail::warp_rows& rows,
                           int share, lane_rows& own, int64_t& first, int64_t& all) {
  int const count = rows.count();
  bool const fixed = source.offsets == nullptr;
  first = fixed ? 0 : __ldg(source.offsets + rows.first);
  all = fixed ? int64_t{count} * columns : __ldg(source.offsets + rows.end) - first;
  own.between = fixed ? static_cast<uint32_t>(count) : 1;
  own.before = fixed ? 0 : static_cast<int32_t>(source.nth);
  bool fits = fixed ? (source.nth + columns) * source.rows <= source.count : first >= 0 && first + all <= source.count;
#pragma unroll
  for (int k = 0; k < lane_rows::most; k++) {
    int const row = gdf::lane() * share + k;
    own.spans[k] = 0;
    if (k >= share || row >= count) { continue; }
    int64_t const begin = fixed ? row : __ldg(source.offsets + rows.first + row) - first;
    int64_t const end = fixed ? row + columns : __ldg(source.offsets + rows.first + row + 1) - first;
    fits = fits && begin >= 0 && end >= begin && (fixed || end <= all);
    own.spans[k] = static_cast<uint32_t>(begin) | static_cast<uint32_t>(end - begin) << 16;
  }
  return fits && all <= warp_memory::most_spans;
}

/// [warp] Loads the spans of rows into shared memory and, if `text` is not null, also their text. Returns false if the
/// spans or the text do not fit, or if offsets are malformed.
GDF_DEVICE bool load(const copy_spans::source& source, int columns, const gdf::build_strings_detail::warp_rows& rows, int share,
                     lane_rows& own, uint32_t* kept, gdf::staged_rows<1>::memory* text) {
  using texts = gdf::staged_rows<1>;
  const gdf::column_in& column = source.text.column;
  if (column.flags & gdf::broadcast) { return false; }
  int64_t first;
  int64_t all;
  if (!__all_sync(~0u, find_spans(source, columns, rows, share, own, first, all))) { return false; }
  // If `source.spans` is not null, spans are parts of rows, and the text of these rows is loaded. Otherwise each span
  // is a row of the text column, and the text of these rows is loaded.
  bool const is_of_rows = source.spans != nullptr;
  int64_t from = 0;
  int64_t to = 0;
  if (is_of_rows || all != 0) {
    from = gdf::extent_of(column, is_of_rows ? rows.first : first).begin;
    to = gdf::extent_of(column, is_of_rows ? rows.end - 1 : first + all - 1).end;
  }
  if (from < 0 || to < from || to > source.text.bytes || to - from > texts::bytes - 16) { return false; }
  auto const* const data = static_cast<const uint8_t*>(column.data);
  auto const skipped = static_cast<uint32_t>(reinterpret_cast<uintptr_t>(data + from) & 15);
  auto const bytes = static_cast<uint32_t>(to - from);
  bool fits = true;
  auto const keep_found = [&](uint32_t place, int64_t count, int64_t begin) {
    auto const* const spans = reinterpret_cast<const longlong2*>(source.spans) + begin;
    fits = keep_spans<gdf::u64>(kept + place, static_cast<uint32_t>(count), bytes, skipped + 16, [&](uint32_t i) {
             longlong2 const span = __ldg(spans + i);
             auto const at = static_cast<gdf::u64>(span.x - from);
             return span.y < 0 ? places<gdf::u64>{1, 0} : places<gdf::u64>{at, at + static_cast<gdf::u64>(span.y)};
           }) && fits;
  };
  auto const keep_elements = [&]<class T>(auto const* offsets, T) {
    auto const place = [&](uint32_t i) { return static_cast<T>(static_cast<T>(__ldg(offsets + i)) - static_cast<T>(from)); };
    fits = keep_spans<T>(kept, static_cast<uint32_t>(all), bytes, skipped + 16, [&](uint32_t i) {
      return places<T>{place(i), place(i + 1)};
    });
  };
  __syncwarp(); // all lanes have read the previous contents
  if (text != nullptr) { texts::copy<true>(data, source.text.bytes, data + from - skipped, bytes + skipped, *text); }
  if (!is_of_rows) {
    if (column.flags & gdf::wide_offsets) {
      keep_elements(static_cast<const int64_t*>(column.offsets) + column.offset + first, gdf::u64{});
    } else {
      keep_elements(static_cast<const int32_t*>(column.offsets) + column.offset + first, uint32_t{});
    }
  } else if (source.offsets != nullptr) {
    keep_found(0, all, first);
  } else {
    for (int i = 0; i < columns; i++) {
      keep_found(static_cast<uint32_t>(i * rows.count()), rows.count(), (source.nth + i) * source.rows + rows.first);
    }
  }
  gdf::await_words();
  fits = __all_sync(~0u, fits);
  __syncwarp();
  return fits;
}

/// [thread] Writes the bytes of spans to the stage, from `place` on.
GDF_DEVICE void put_spans(uint8_t* stage, uint32_t place, const uint32_t (&spans)[lane_rows::most], const uint32_t* words) {
  constexpr int most = lane_rows::most;
  gdf::byte_run run(stage, place);
  gdf::staged_piece texts[most];
  gdf::u64 first[most];
#pragma unroll
  for (int k = 0; k < most; k++) {
    texts[k] = {words, spans[k] & 0xffff, static_cast<int32_t>(spans[k] >> 16)};
    first[k] = gdf::bytes_at(texts[k], 0);
  }
#pragma unroll
  for (int k = 0; k < most; k++) {
    auto const size = static_cast<uint32_t>(texts[k].size);
    run.put_eight(first[k], size < 8 ? size : 8);
#pragma unroll 1
    for (uint32_t at = 8; at < size; at += 8) {
      run.put_eight(gdf::bytes_at(texts[k], static_cast<int32_t>(at)), size - at < 8 ? size - at : 8);
    }
  }
  run.end();
}

/// [warp] Writes the offsets and the mask of a column.
GDF_DEVICE uint32_t write_rows(const gdf::column_out& out, const gdf::build_strings_detail::warp_rows& rows, int share,
                               gdf::u64 base, const uint32_t (&spans)[lane_rows::most]) {
  constexpr int most = lane_rows::most;
  bool const wide = out.flags & gdf::wide_offsets;
  int64_t const row = rows.first + gdf::lane() * share;
  if (share == most && row + most <= rows.end && !wide) {
    int4 four;
    four.x = static_cast<int32_t>(base);
    four.y = four.x + static_cast<int32_t>(spans[0] >> 16);
    four.z = four.y + static_cast<int32_t>(spans[1] >> 16);
    four.w = four.z + static_cast<int32_t>(spans[2] >> 16);
    *reinterpret_cast<int4*>(static_cast<int32_t*>(out.offsets) + row) = four;
    base = static_cast<gdf::u64>(four.w) + (spans[3] >> 16);
  } else {
#pragma unroll
    for (int k = 0; k < most; k++) {
      if (k < share && row + k < rows.end) { gdf::store_offset(out.offsets, wide, row + k, static_cast<int64_t>(base)); }
      base += spans[k] >> 16;
    }
  }
  if (rows.end == out.length && gdf::lane() == 31) { gdf::store_offset(out.offsets, wide, out.length, static_cast<int64_t>(base)); }
  if (share == 1) { return gdf::store_valid_word(out, row, spans[0] != warp_memory::none); }
  if (out.validity == nullptr) { return 0; }
  // Eight lanes together have the rows of a mask word.
  uint32_t valid = 0;
#pragma unroll
  for (int k = 0; k < most; k++) { valid |= (spans[k] != warp_memory::none ? 1u : 0u) << k; }
  valid <<= gdf::lane() % 8 * most;
#pragma unroll
  for (int step = 1; step < 8; step <<= 1) { valid |= __shfl_xor_sync(~0u, valid, step); }
  if (gdf::lane() % 8 != 0 || row >= rows.end) { return 0; }
  out.validity[row >> 5] = valid;
  return __popc(valid);
}

/// [warp] Writes a column, from byte `base` on, for rows whose spans are in shared memory.
GDF_DEVICE uint32_t write_kept(const gdf::column_out& out, const gdf::build_strings_detail::warp_rows& rows, int share,
                               gdf::u64 base, const lane_rows& own, int column, warp_memory& memory) {
  auto const* const words = reinterpret_cast<const uint32_t*>(memory.texts.units);
  uint32_t spans[lane_rows::most];
  uint32_t size = 0;
#pragma unroll
  for (int k = 0; k < lane_rows::most; k++) {
    spans[k] = span_of(memory.spans, own, k, column);
    size += spans[k] >> 16;
  }
  uint32_t const up_to = gdf::warp_inclusive_sum(size);
  uint32_t const total = __shfl_sync(~0u, up_to, 31);
  gdf::byte_stage stage(memory.stage, static_cast<uint8_t*>(out.data) + base);
  for (uint32_t done = 0; done < total;) {
    uint32_t const begin = up_to - size;
    bool const is_next = size != 0 && begin >= done && stage.fill + up_to - done <= warp_memory::stage_bytes;
    uint32_t const lanes = __ballot_sync(~0u, is_next);
    if (is_next) { put_spans(memory.stage, stage.fill + begin - done, spans, words); }
    if (lanes != 0) {
      uint32_t const end = __shfl_sync(~0u, up_to, 31 - __clz(static_cast<int>(lanes)));
      stage.fill += end - done;
      stage.flush();
      done = end;
      continue;
    }
    // The owner is the first lane whose rows do not fit.
    int const owner = __ffs(static_cast<int>(__ballot_sync(~0u, size != 0 && begin >= done))) - 1;
    uint32_t written = 0;
#pragma unroll
    for (int k = 0; k < lane_rows::most; k++) {
      uint32_t const span = __shfl_sync(~0u, spans[k], owner);
      auto const* const from = reinterpret_cast<const uint8_t*>(words) + (span & 0xffff);
      for (uint32_t i = gdf::lane(); i < span >> 16; i += 32) { stage.target[written + i] = from[i]; }
      written += span >> 16;
    }
    stage.skip(written);
    done += written;
  }
  return write_rows(out, rows, share, base + (up_to - size), spans);
}

/// [warp] Does the same as write_kept, for spans that are read from global memory.
GDF_DEVICE uint32_t write_far(const gdf::column_out& out, const gdf::build_strings_detail::warp_rows& rows, gdf::u64 base,
                              const copy_spans::source& source, warp_memory& memory) {
  using namespace gdf::build_strings_detail;
  using copy_spans::piece;
  bool const wide = out.flags & gdf::wide_offsets;
  uint32_t valid = 0;
  gdf::byte_stage stage(memory.stage, static_cast<uint8_t*>(out.data) + base);
#pragma unroll 1
  for (int64_t row = rows.first + gdf::lane(); row - gdf::lane() < rows.end; row += 32) {
    bool const inside = row < rows.end;
    int64_t const found = inside ? piece::span_of(row, source).size : 0;
    auto const size = static_cast<gdf::u64>(found < 0 ? 0 : found);
    gdf::u64 of_step;
    gdf::u64 const position = inclusive_sum_of_sizes(size, of_step) - size;
    if (inside) { gdf::store_offset(out.offsets, wide, row, static_cast<int64_t>(base + position)); }
    base += of_step;
    if (row == out.length - 1) { gdf::store_offset(out.offsets, wide, row + 1, static_cast<int64_t>(base)); }
    if (stage.fill + of_step > warp_memory::stage_bytes) { stage.flush(); }
    bool is_value;
    if (stage.fill + of_step <= warp_memory::stage_bytes) {
      uint32_t const to = stage.fill + static_cast<uint32_t>(position);
      is_value = write_row<gdf::text_sink, piece>(row, inside, size, stage.bytes + to, gdf::staged_sink{stage.bytes, to}, source);
      stage.fill += static_cast<uint32_t>(of_step);
    } else {
      uint8_t* const target = stage.target + position;
      is_value = write_row<gdf::text_sink, piece>(row, inside, size, target, gdf::text_sink<false, true>{target, 0}, source);
      stage.skip(of_step);
    }
    valid += gdf::store_valid_word(out, row, inside && is_value);
  }
  stage.flush();
  return valid;
}

GDF_DEVICE gdf::u64 size_of(const gdf::build_strings_detail::warp_rows& rows, const copy_spans::source& source) {
  gdf::u64 size = 0;
#pragma unroll 4
  for (int64_t row = rows.first + gdf::lane(); row < rows.end; row += 32) {
    int64_t const found = copy_spans::piece::span_of(row, source).size;
    size += static_cast<gdf::u64>(found < 0 ? 0 : found);
  }
  return gdf::warp_sum(size);
}

} // namespace span_columns
