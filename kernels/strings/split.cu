// strings::split and its kin: where the pieces of a text lie, between delimiters or runs of white space, and one of them.

#include <gdf/build_strings.cuh>
#include <gdf/characters.cuh>

GDF_POLICY(split, 128, 4, 6);

namespace split {

/// What the spans are: pieces from the left, from the right, or what stands before, in and after one delimiter.
enum kind : int32_t { left = 0, right = 1, part_left = 2, part_right = 3 };

struct parameters {
  gdf::text_in text;
  gdf::text_in delimiter; // empty: white space
  int64_t max; // delimiters at most
  int32_t kind; // a `kind`
  int32_t unused;
};

/// [thread] The end of the run of characters from `at` on that are white space, or not.
GDF_DEVICE int64_t run_end(const gdf::string_piece& text, int64_t at, bool space) {
  while (at < text.size) {
    gdf::character const one = gdf::character_at(text, at);
    if (gdf::is_space(gdf::code_of(one)) != space) { break; }
    at += one.bytes;
  }
  return at;
}

/// [thread] The beginning of the run of characters before `end` that are white space, or not.
GDF_DEVICE int64_t run_begin(const gdf::string_piece& text, int64_t end, bool space) {
  while (end > 0) {
    int64_t const at = gdf::character_before(text, end);
    if (gdf::is_space(gdf::code_of(gdf::character_at(gdf::part_of(text, 0, end), at))) != space) { break; }
    end = at;
  }
  return end;
}

/// [thread] Calls `piece(begin, end)` for each piece, the first or the last one first; with `Search` a warp's, [warp].
template <class Search, class Piece>
GDF_DEVICE void for_each_piece(const gdf::string_piece& text, const gdf::string_piece& delimiter, int64_t max, bool from_right, Piece&& piece) {
  int64_t at = from_right ? text.size : 0;
  if (delimiter.size != 0) {
    gdf::needle const needle = gdf::needle_of(delimiter);
    for (int64_t times = 0; times < max; times++) {
      int64_t const found = from_right ? Search::last(gdf::part_of(text, 0, at), 0, needle) : Search::first(text, at, needle);
      if (found < 0) { break; }
      if (from_right) {
        piece(found + needle.size, at);
        at = found;
      } else {
        piece(at, found);
        at = found + needle.size;
      }
    }
    piece(from_right ? 0 : at, from_right ? at : text.size);
    return;
  }
  for (int64_t times = 0;; times++) {
    at = from_right ? run_begin(text, at, true) : run_end(text, at, true);
    if (at == (from_right ? 0 : text.size)) { return; }
    if (times == max) { return piece(from_right ? 0 : at, from_right ? at : text.size); }
    int64_t const other = from_right ? run_begin(text, at, false) : run_end(text, at, false);
    piece(from_right ? other : at, from_right ? at : other);
    at = other;
  }
}

struct pieces {
  static constexpr bool by_warp = true;

  GDF_DEVICE static int64_t work(int64_t row, const parameters& p) { return gdf::text_or_none(p.text, row).size; }

  /// [thread] Before, in and after the first or the last delimiter, or run of white space.
  template <class Sink>
  GDF_DEVICE static void parts(Sink& sink, const gdf::string_piece& text, const gdf::string_piece& delimiter, const parameters& p) {
    bool const from_right = p.kind == kind::part_right;
    int64_t begin;
    int64_t end;
    if (delimiter.size != 0) {
      gdf::needle const needle = gdf::needle_of(delimiter);
      begin = from_right ? Sink::search::last(text, 0, needle) : Sink::search::first(text, 0, needle);
      end = begin + needle.size;
    } else if (from_right) { // one character of white space
      end = run_begin(text, text.size, false);
      begin = end == 0 ? -1 : gdf::character_before(text, end);
    } else {
      begin = run_end(text, 0, false);
      end = begin == text.size ? 0 : begin + gdf::character_at(text, begin).bytes;
      begin = begin == text.size ? -1 : begin;
    }
    if (begin < 0) { begin = end = from_right ? 0 : text.size; }
    sink.put(gdf::span_of(p.text, text, 0, begin));
    sink.put(gdf::span_of(p.text, text, begin, end));
    sink.put(gdf::span_of(p.text, text, end, text.size));
  }

  template <class Sink>
  GDF_DEVICE static bool row(Sink& sink, int64_t row, const parameters& p) {
    if (!gdf::is_valid(p.text.column, row) || !gdf::is_valid(p.delimiter.column, row)) { return false; }
    gdf::string_piece const text = gdf::text_at(p.text, row);
    gdf::string_piece const delimiter = gdf::text_at(p.delimiter, row);
    if (p.kind >= kind::part_left) {
      parts(sink, text, delimiter, p);
      return true;
    }
    bool const from_right = p.kind == kind::right;
    gdf::u64 count = 0;
    if (Sink::counts || from_right) {
      for_each_piece<typename Sink::search>(text, delimiter, p.max, from_right, [&](int64_t, int64_t) { count++; });
    }
    if (!Sink::counts) {
      gdf::u64 at = from_right ? count : 0;
      for_each_piece<typename Sink::search>(text, delimiter, p.max, from_right, [&](int64_t begin, int64_t end) {
        at -= from_right ? 1 : 0;
        sink.put_at(at, gdf::span_of(p.text, text, begin, end));
        at += from_right ? 0 : 1;
      });
    }
    sink.set_size(count);
    return true;
  }
};

} // namespace split

/// The pieces of text.
GDF_STRINGS_SPANS(split, split, text, split::parameters, split::pieces);

GDF_POLICY(split_part, 128, 4, 6);

namespace split_part {

struct parameters {
  gdf::text_in text;
  gdf::text_in delimiter; // empty: white space
  gdf::text_in index; // int64_t; from the end where negative
};

struct part {
  static constexpr bool by_warp = true;

  GDF_DEVICE static int64_t work(int64_t row, const parameters& p) { return gdf::text_or_none(p.text, row).size; }

  template <class Sink>
  GDF_DEVICE static bool row(Sink& sink, int64_t row, const parameters& p) {
    if (!gdf::is_valid(p.text.column, row) || !gdf::is_valid(p.delimiter.column, row) ||
        !gdf::is_valid(p.index.column, row)) {
      return false;
    }
    gdf::string_piece const text = gdf::text_at(p.text, row);
    auto const index = gdf::element<int64_t>(p.index.column, row);
    int64_t left = index < 0 ? -(index + 1) : index;
    gdf::string_piece found{nullptr, -1, nullptr};
    split::for_each_piece<typename Sink::search>(
      text, gdf::text_at(p.delimiter, row), INT64_MAX, index < 0, [&](int64_t begin, int64_t end) {
        if (left-- == 0) { found = gdf::part_of(text, begin, end); }
      });
    if (found.size < 0) { return false; }
    sink.put(found);
    return true;
  }
};

} // namespace split_part

/// One of the pieces of text.
GDF_STRINGS_BUILD(split_part, split_part, text, split_part::parameters, split_part::part);

GDF_POLICY(extract_between, 128, 4, 6);

namespace extract_between {

struct parameters {
  gdf::text_in text;
  gdf::text_in start;
  gdf::text_in end;
};

struct between {
  static constexpr bool by_warp = true;

  GDF_DEVICE static int64_t work(int64_t row, const parameters& p) { return gdf::text_or_none(p.text, row).size; }

  template <class Sink>
  GDF_DEVICE static bool row(Sink& sink, int64_t row, const parameters& p) {
    if (!gdf::is_valid(p.text.column, row) || !gdf::is_valid(p.start.column, row) || !gdf::is_valid(p.end.column, row)) {
      return false;
    }
    gdf::string_piece const text = gdf::text_at(p.text, row);
    gdf::string_piece const start = gdf::text_at(p.start, row);
    gdf::string_piece const end = gdf::text_at(p.end, row);
    int64_t const at = Sink::search::first(text, 0, gdf::needle_of(start));
    if (at < 0) { return false; }
    int64_t const to = Sink::search::first(text, at + start.size, gdf::needle_of(end));
    if (to < 0) { return false; }
    sink.put(gdf::part_of(text, at + start.size, to));
    return true;
  }
};

} // namespace extract_between

/// Text between two markers.
GDF_STRINGS_BUILD(extract_between, extract_between, text, extract_between::parameters, extract_between::between);
