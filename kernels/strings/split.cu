// strings::split and related functions. They find the spans of the pieces of a text between delimiters or runs of white
// space, or select one piece.

#include <gdf/build_lists.cuh>
#include <gdf/characters.cuh>
#include <gdf/text_chunks.cuh>

GDF_POLICY(split, 128, 4, 8);

namespace split {

/// The pieces whose spans are found. `left` and `right` stand for all pieces, counted from the left or from the right.
enum kind : int32_t { left = 0, right = 1, part_left = 2, part_right = 3 };

struct parameters {
  gdf::text_in text;
  gdf::text_in delimiter; // empty: white space
  int64_t max; // the maximum number of delimiters
  int32_t kind; // a `kind`
  int32_t unused;
  gdf::text_chunks chunks;
};

/// [thread] Returns the end of the run of characters that begins at `at`.
template <class Text>
GDF_DEVICE typename Text::index run_end(const Text& text, typename Text::index at, bool space) {
  while (at < text.size) {
    gdf::character const one = gdf::character_at(text, at);
    if (gdf::is_space(gdf::code_of(one)) != space) { break; }
    at += one.bytes;
  }
  return at;
}

/// [thread] Returns the begin of the run of characters that ends at `end`.
template <class Text>
GDF_DEVICE typename Text::index run_begin(const Text& text, typename Text::index end, bool space) {
  while (end > 0) {
    typename Text::index const at = gdf::character_before(text, end);
    if (gdf::is_space(gdf::code_of(gdf::character_at(gdf::part_of(text, 0, end), at))) != space) { break; }
    end = at;
  }
  return end;
}

/// [thread, or warp if Search is by_warp] Calls `piece(begin, end)` for each piece. The pieces come from the first to
/// the last or, if `from_right`, from the last to the first.
template <class Search, class Text, class Piece>
GDF_DEVICE void for_each_piece(const Text& text, const gdf::needle& delimiter, int64_t max, bool from_right, Piece&& piece) {
  using index = typename Text::index;
  index at = from_right ? text.size : 0;
  if (delimiter.size != 0) {
    int64_t left = max;
    if (!from_right) {
      Search::for_each(text, 0, delimiter, [&](index found) {
        if (left-- == 0) { return false; }
        piece(at, found);
        at = found + static_cast<index>(delimiter.size);
        return true;
      });
      return piece(at, text.size);
    }
    for (; left > 0; left--) {
      index const found = Search::last(gdf::part_of(text, 0, at), 0, delimiter);
      if (found < 0) { break; }
      piece(found + static_cast<index>(delimiter.size), at);
      at = found;
    }
    return piece(0, at);
  }
  for (int64_t times = 0;; times++) {
    at = from_right ? run_begin(text, at, true) : run_end(text, at, true);
    if (at == (from_right ? 0 : text.size)) { return; }
    if (times == max) { return piece(from_right ? 0 : at, from_right ? at : text.size); }
    index const other = from_right ? run_begin(text, at, false) : run_end(text, at, false);
    piece(from_right ? other : at, from_right ? at : other);
    at = other;
  }
}

struct pieces {
  static constexpr bool by_warp = true;
  static constexpr bool by_text = true;

  struct prepared {
    const gdf::text_in& text;
    const parameters& all;
    gdf::text_argument delimiter;
    bool has_chunks; // whether chunks handle the long rows

    GDF_DEVICE explicit prepared(const parameters& p)
      : text(p.text), all(p), delimiter(p.delimiter),
        has_chunks(p.kind == kind::left && p.max == INT64_MAX && delimiter.is_one && delimiter.is_valid(0) &&
                   gdf::has_chunks(delimiter.first)) {}
  };

  GDF_DEVICE static int64_t work(int64_t row, const prepared& p) { return gdf::text_or_none(p.text, row).size; }

  /// [thread] Returns the delimiter byte if all rows are split at the same delimiter of one byte, without a limit.
  GDF_DEVICE static int separator(const prepared& p) {
    bool const is_byte = p.delimiter.is_one && p.delimiter.is_valid(0) && p.delimiter.first.size == 1;
    return is_byte && p.all.kind < kind::part_left && p.all.max == INT64_MAX ? static_cast<int>(p.delimiter.first.first) : -1;
  }

  /// [thread] Calls `put(begin, end)` for the three parts of a text: before, in and after the first or the last
  /// delimiter.
  template <class Search, class Text, class Put>
  GDF_DEVICE static void parts(const Text& text, const gdf::needle& delimiter, bool from_right, Put&& put) {
    typename Text::index begin;
    typename Text::index end;
    if (delimiter.size != 0) {
      begin = from_right ? Search::last(text, 0, delimiter) : Search::first(text, 0, delimiter);
      end = static_cast<typename Text::index>(begin + delimiter.size);
    } else if (from_right) { // the last part begins after one character of white space
      end = run_begin(text, text.size, false);
      begin = end == 0 ? -1 : gdf::character_before(text, end);
    } else {
      begin = run_end(text, 0, false);
      end = begin == text.size ? 0 : begin + gdf::character_at(text, begin).bytes;
      begin = begin == text.size ? -1 : begin;
    }
    if (begin < 0) { begin = end = from_right ? 0 : text.size; }
    put(0, begin);
    put(begin, end);
    put(end, text.size);
  }

  /// [warp] Finds the number of delimiters that begin in a chunk of a long row, and the end of the last of these
  /// delimiters.
  GDF_DEVICE static void count(const gdf::chunk_part& part, const gdf::needle& delimiter, gdf::text_chunk& chunk) {
    uint32_t found = 0;
    int64_t behind = -1;
    gdf::by_warp::for_each_window(part.text, part.begin, part.end, delimiter, [&](int64_t at, uint32_t places, gdf::u64, gdf::u64) {
      gdf::by_warp::match_end_before(at, places, delimiter, behind);
      found += static_cast<uint32_t>(__popc(places));
      return true;
    });
    chunk.exit = static_cast<int64_t>(gdf::warp_sum(found));
    chunk.last = behind;
  }

  /// [warp] Writes the spans of the pieces that end in the bytes [from, to) of a text.
  template <class Sink>
  GDF_DEVICE static gdf::u64 put_windows(Sink& sink, const gdf::string_piece& text, int64_t from, int64_t to, int64_t& behind,
                                         const gdf::needle& delimiter, int64_t max, int64_t first) {
    int64_t left = max;
    gdf::u64 count = 0;
    gdf::by_warp::for_each_window(text, from, to, delimiter, [&](int64_t at, uint32_t places, gdf::u64, gdf::u64) {
      places = gdf::by_warp::limited(places, left);
      int64_t begin = gdf::by_warp::match_end_before(at, places, delimiter, behind);
      auto const mine = static_cast<uint32_t>(__popc(places));
      uint32_t const up_to = gdf::warp_inclusive_sum(mine);
      gdf::u64 number = count + (up_to - mine);
      for (; places != 0; places &= places - 1) {
        int64_t const end = at + __ffs(static_cast<int>(places)) - 1;
        sink.put_by_lane(number, static_cast<gdf::u64>(begin) - number * delimiter.size, {first + begin, end - begin});
        begin = end + delimiter.size;
        number++;
      }
      count += __shfl_sync(~0u, up_to, 31);
      return left != 0;
    });
    return count;
  }

  /// [warp] Writes the spans of a chunk's pieces.
  template <class Sink>
  GDF_DEVICE static void put_chunk(Sink& sink, const gdf::chunk_part& part, const gdf::needle& delimiter, int64_t behind, int64_t first) {
    gdf::u64 const count = put_windows(sink, part.text, part.begin, part.end, behind, delimiter, -1, first);
    if (part.is_last && gdf::lane() == 0) { sink.put_by_lane(count, {first + behind, part.text.size - behind}); }
  }

  template <class Sink, class Text>
  GDF_DEVICE static bool row(Sink& sink, const Text& text, int64_t row, const prepared& p) {
    if (!p.delimiter.is_valid(row)) { return false; }
    if constexpr (gdf::is_same<Text, gdf::string_piece>) {
      if (p.has_chunks && gdf::is_long(p.all.chunks, text)) {
        bool const is_known = p.all.chunks.chunks != nullptr;
        sink.set_size(gdf::chunked_total(p.text, p.all.chunks, row, text) + (is_known ? 1 : 0));
        if constexpr (requires { sink.give_up(); }) { sink.give_up(); }
        return true;
      }
    }
    gdf::needle const delimiter = p.delimiter.at(row);
    int64_t const first = !Sink::is_absolute ? 0 : gdf::extent_within(p.text.column, row, p.text.bytes).begin;
    auto const span = [&](int64_t begin, int64_t end) { return gdf::text_span{first + begin, end - begin}; };
    if (p.all.kind >= kind::part_left) {
      parts<typename Sink::search>(text, delimiter, p.all.kind == kind::part_right,
                                   [&](int64_t begin, int64_t end) { sink.put(span(begin, end)); });
      return true;
    }
    bool const from_right = p.all.kind == kind::right;
    gdf::u64 count = 0;
    if constexpr (Sink::is_warp) {
      if (!from_right && delimiter.size != 0) {
        int64_t behind = 0; // the end of the last delimiter
        int64_t const max = p.all.max == INT64_MAX ? -1 : p.all.max;
        count = put_windows(sink, text, 0, text.size, behind, delimiter, max, first);
        gdf::u64 const delimiters = count * delimiter.size;
        if (gdf::lane() == 0) { sink.put_by_lane(count, static_cast<gdf::u64>(behind) - delimiters, span(behind, text.size)); }
        sink.set_sizes(count + 1, static_cast<gdf::u64>(text.size) - delimiters);
        return true;
      }
    }
    if (Sink::counts || from_right) {
      for_each_piece<typename Sink::search>(text, delimiter, p.all.max, from_right, [&](int64_t, int64_t) { count++; });
    }
    if (!Sink::counts) {
      gdf::u64 at = from_right ? count : 0;
      for_each_piece<typename Sink::search>(text, delimiter, p.all.max, from_right, [&](int64_t begin, int64_t end) {
        at -= from_right ? 1 : 0;
        sink.put_at(at, span(begin, end));
        at += from_right ? 0 : 1;
      });
    }
    sink.set_size(count);
    return true;
  }
};

} // namespace split

GDF_STRINGS(split, split, text_sizes, split::parameters, gdf::size_strings<split::pieces, gdf::span_sink>);
GDF_STRINGS(split, split, text_write, split::parameters, gdf::write_strings<split::pieces, gdf::span_sink>);

/// Counts the delimiters of each chunk of a long row.
extern "C" __global__ void GDF_BOUNDS(split) GDF_VARIANT(split, chunks_sizes)
split_chunks_sizes_kernel(const __grid_constant__ gdf::column_out, const __grid_constant__ split::parameters p,
                          const __grid_constant__ gdf::tile_counts, gdf::scratch*, unsigned long long*) {
  split::pieces::prepared const near(p);
  gdf::size_chunks(p.text, p.chunks, [&](const gdf::chunk_part& part, gdf::text_chunk& chunk) {
    if (near.has_chunks) { split::pieces::count(part, near.delimiter.first, chunk); }
  });
}

/// Writes the spans of the pieces of long rows. The short rows have been handled by an earlier launch.
extern "C" __global__ void GDF_BOUNDS(split) GDF_VARIANT(split, chunks_write)
split_chunks_write_kernel(const __grid_constant__ gdf::column_out out, const __grid_constant__ split::parameters p,
                          const __grid_constant__ gdf::tile_counts, gdf::scratch*, unsigned long long*) {
  split::pieces::prepared const near(p);
  if (!near.has_chunks) { return; }
  gdf::write_chunks(out, p.text, p.chunks, [&](const gdf::chunk_part& part, const gdf::text_chunk& chunk, int64_t place) {
    gdf::span_sink<true, true> sink{static_cast<uint8_t*>(out.data) + place * sizeof(gdf::text_span), 0};
    int64_t const first = gdf::chunks_detail::place_of(p.text.column, part.text);
    split::pieces::put_chunk(sink, part, near.delimiter.first, chunk.last < 0 ? 0 : chunk.last, first);
  });
}

GDF_POLICY(split_lists, 128, 4, 5);

GDF_STRINGS(split_lists, split, lists, split::parameters, gdf::list_strings<split::pieces>);

GDF_POLICY(split_part, 128, 4, 6);

namespace split_part {

struct parameters {
  gdf::text_in text;
  gdf::text_in delimiter; // if empty, white space
  gdf::text_in index; // int64_t; a negative index counts from the end
};

struct part {
  static constexpr bool by_warp = true;
  static constexpr bool by_text = true;

  struct prepared {
    const gdf::text_in& text;
    gdf::text_argument delimiter;
    gdf::number_argument index;

    GDF_DEVICE explicit prepared(const parameters& p) : text(p.text), delimiter(p.delimiter), index(p.index) {}
  };

  GDF_DEVICE static bool one_part(const prepared&) { return true; }

  GDF_DEVICE static int64_t work(int64_t row, const prepared& p) { return gdf::text_or_none(p.text, row).size; }

  template <class Sink, class Text>
  GDF_DEVICE static bool row(Sink& sink, const Text& text, int64_t row, const prepared& p) {
    using index_type = typename Text::index;
    if (!p.delimiter.is_valid(row) || !p.index.is_valid(row)) { return false; }
    int64_t const index = p.index.at(row);
    int64_t left = index < 0 ? -(index + 1) : index;
    index_type from = 0;
    index_type to = -1;
    split::for_each_piece<typename Sink::search>(
      text, p.delimiter.at(row), INT64_MAX, index < 0, [&](index_type begin, index_type end) {
        if (left-- == 0) {
          from = begin;
          to = end;
        }
      });
    if (to < 0) { return false; }
    sink.put(gdf::part_of(text, from, to));
    return true;
  }
};

} // namespace split_part

GDF_STRINGS(split_part, split_part, text_write, split_part::parameters, gdf::write_strings<split_part::part>);

GDF_POLICY(extract_between, 128, 4, 6);

namespace extract_between {

struct parameters {
  gdf::text_in text;
  gdf::text_in start;
  gdf::text_in end;
};

struct between {
  static constexpr bool by_warp = true;
  static constexpr bool by_text = true;

  struct prepared {
    const gdf::text_in& text;
    gdf::text_argument start;
    gdf::text_argument end;

    GDF_DEVICE explicit prepared(const parameters& p) : text(p.text), start(p.start), end(p.end) {}
  };

  GDF_DEVICE static bool one_part(const prepared&) { return true; }

  GDF_DEVICE static int64_t work(int64_t row, const prepared& p) { return gdf::text_or_none(p.text, row).size; }

  template <class Sink, class Text>
  GDF_DEVICE static bool row(Sink& sink, const Text& text, int64_t row, const prepared& p) {
    using index = typename Text::index;
    if (!p.start.is_valid(row) || !p.end.is_valid(row)) { return false; }
    gdf::needle const start = p.start.at(row);
    index at = Sink::search::first(text, 0, start);
    if (at < 0) { return false; }
    at += static_cast<index>(start.size);
    index const to = Sink::search::first(text, at, p.end.at(row));
    if (to < 0) { return false; }
    sink.put(gdf::part_of(text, at, to));
    return true;
  }
};

} // namespace extract_between

GDF_STRINGS(extract_between, extract_between, text_write, extract_between::parameters, gdf::write_strings<extract_between::between>);
