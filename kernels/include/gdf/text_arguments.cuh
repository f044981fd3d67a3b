// The parameters of kernels of text: columns with the lengths of their character buffers, and further arguments.
#pragma once

#include "search_text.cuh"

namespace gdf {

struct text_in {
  column_in column;
  byte_count bytes;
};

/// Bytes of a character buffer. The span is null if `size` is negative.
struct text_span {
  int64_t begin;
  int64_t size;
};

GDF_DEVICE string_piece text_at(const text_in& in, int64_t row) {
  return string_piece_at(in.column, row, in.bytes);
}

/// [warp] Returns the offsets of the begin and the end of rows [first, end), which are at most 992 rows.
GDF_DEVICE extent load_extent(const column_in& in, int64_t first, int64_t end) {
  int64_t const row = first + lane() * 32;
  int64_t const mine = load_offset(in.offsets, in.flags & wide_offsets, in.offset + (row < end ? row : end));
  return {static_cast<int64_t>(__shfl_sync(~0u, static_cast<long long>(mine), 0)),
          static_cast<int64_t>(__shfl_sync(~0u, static_cast<long long>(mine), 31))};
}

/// [warp] Prefetches the text of rows [first, end), which are at most 992 rows.
GDF_DEVICE void prefetch_text(const text_in& in, int64_t first, int64_t end) {
  if (in.column.flags & broadcast) { return; }
  extent const bytes = clamped(load_extent(in.column, first, end), in.bytes);
  auto const* const data = static_cast<const uint8_t*>(in.column.data);
  prefetch_bytes(data + bytes.begin, data + bytes.end);
}

GDF_DEVICE string_piece text_or_none(const text_in& in, int64_t row) {
  return is_valid(in.column, row) ? text_at(in, row) : string_piece{nullptr, 0, nullptr};
}

/// [thread] Returns the span of the character buffer in which a part of a row's text lies.
GDF_DEVICE text_span span_of(const text_in& in, const string_piece& text, int64_t begin, int64_t end) {
  return {text.data + begin - static_cast<const uint8_t*>(in.column.data), end - begin};
}

/// A further argument of an operation.
struct argument {
  const text_in& in;
  bool is_one;
  bool is_null; // whether the argument is null for all rows

  GDF_DEVICE explicit argument(const text_in& of)
    : in(of), is_one((of.column.flags & broadcast) != 0), is_null(is_one && !gdf::is_valid(of.column, 0)) {}

  GDF_DEVICE bool is_valid(int64_t row) const { return is_one ? !is_null : gdf::is_valid(in.column, row); }
};

/// A text that is the same for all rows.
struct literal {
  string_piece text;
  u64 word; // the first bytes of the text

  GDF_DEVICE static literal of(const string_piece& text) { return {text, bytes_at(text, 0)}; }

  template <class Sink>
  GDF_DEVICE void put(Sink& sink) const {
    if (text.size <= 8) {
      sink.put(word, static_cast<int>(text.size));
    } else {
      sink.put(text);
    }
  }
};

/// An argument that is a text to search for.
struct text_argument : argument {
  needle first;

  GDF_DEVICE explicit text_argument(const text_in& of) : argument(of), first(needle_of(text_or_none(of, 0))) {}

  GDF_DEVICE needle at(int64_t row) const { return is_one ? first : needle_of(text_at(in, row)); }
};

struct number_argument : argument {
  int64_t first;

  GDF_DEVICE explicit number_argument(const text_in& of) : argument(of), first(element<int64_t>(of.column, 0)) {}

  GDF_DEVICE int64_t at(int64_t row) const { return is_one ? first : element<int64_t>(in.column, row); }

  /// [thread] Returns whether the number of a row is not null.
  GDF_DEVICE bool get(int64_t row, int64_t& number) const {
    number = is_null ? 0 : first;
    if (is_one) { return !is_null; }
    bool const is_value = gdf::is_valid(in.column, row);
    number = is_value ? element<int64_t>(in.column, row) : 0;
    return is_value;
  }
};

} // namespace gdf
