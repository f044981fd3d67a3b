// Finds parts of each row's text by a regular expression: the matches, the groups of matches, or the text between
// matches.

#include <gdf/build_lists.cuh>
#include <gdf/regex_chunks.cuh>

GDF_POLICY(regex_spans, 128, 4, 4);

namespace regex_spans {

struct request {
  gdf::text_in text;
  gdf::regex_pattern pattern;
  gdf::text_chunks chunks;
  int64_t limit; // number of matches
  int32_t first_group; // the first wanted group; 0 is the whole match
  int32_t groups; // number of groups; 0 stands for the text between matches
  int32_t from_end; // whether the last matches are wanted if there are more matches than the limit
  int32_t null_without_match;
};

/// [thread] Returns the number of spans before match number `matches` of a row that has `total` matches.
GDF_DEVICE int64_t spans_before(int64_t matches, int64_t total, const request& p) {
  int64_t const skipped = p.from_end && total > p.limit ? total - p.limit : 0;
  int64_t const wanted = matches < skipped ? 0 : matches - skipped < p.limit ? matches - skipped : p.limit;
  return wanted * (p.groups == 0 ? 1 : p.groups);
}

struct finder {
  static constexpr bool by_warp = false;
  static constexpr bool always_sized = true;
  static constexpr bool by_text = true;

  using written = gdf::span_sink<false, true>;

  struct prepared {
    const gdf::text_in& text;
    const request& all;
    gdf::regex_searcher searcher;

    GDF_DEVICE explicit prepared(const request& p)
      : text(p.text), all(p), searcher(gdf::regex_searcher::near(p.pattern)) {}
  };

  GDF_DEVICE static bool stages(const prepared& p) { return p.searcher.takes_staged(); }

  /// [thread] Returns whether groups other than the whole match must be found. A sink that only counts needs no groups.
  template <class Sink>
  GDF_DEVICE static bool captures(const request& p) { return Sink::is_writing && p.first_group + p.groups > 1; }

  /// [thread] Writes the wanted spans of match number `matches`. Returns false if the row has all spans that are
  /// wanted.
  template <class Sink>
  GDF_DEVICE static bool put(Sink& sink, int64_t place, const gdf::regex_match& found, const gdf::regex_groups& groups,
                             int64_t matches, int64_t& last, const request& p) {
    if (matches <= 0) { return true; }
    if (matches > p.limit) { return false; }
    if (p.groups == 0) {
      sink.put({place + last, found.begin - last});
      last = found.end;
      return true;
    }
    for (int32_t group = p.first_group; group < p.first_group + p.groups; group++) {
      gdf::regex_match const part = group > 0 && captures<Sink>(p) ? groups.get(group) : found;
      sink.put(part.begin < 0 ? gdf::text_span{0, -1} : gdf::text_span{place + part.begin, part.end - part.begin});
    }
    return true;
  }

  template <class Sink, class Text>
  GDF_DEVICE static bool row(Sink& sink, const Text& text, int64_t row, const prepared& near) {
    request const& p = near.all;
    if constexpr (gdf::is_same<Text, gdf::string_piece>) {
      if (gdf::is_long(p.chunks, text)) {
        gdf::u64 const total = gdf::chunked_total(p.text, p.chunks, row, text);
        auto const matches = static_cast<int64_t>(total);
        if constexpr (!Sink::is_writing) {
          bool const is_known = p.chunks.chunks != nullptr;
          sink.size = is_known ? spans_before(matches, matches, p) + (p.groups == 0) : total;
        }
        if constexpr (requires { sink.give_up(); }) { sink.give_up(); }
        return !p.null_without_match || matches > 0;
      }
    }
    if constexpr (requires { sink.put_part(0, 0); }) {
      if (p.limit == INT64_MAX) {
        int32_t from = 0;
        int32_t matches = 0;
        gdf::regex_for_each<true>(near.searcher, text, 0, false, [&](const gdf::regex_match& found, const gdf::regex_groups&) {
          auto const begin = static_cast<int32_t>(found.begin);
          auto const end = static_cast<int32_t>(found.end);
          bool const is_between = p.groups == 0;
          sink.put_part(is_between ? from : begin, is_between ? begin : end);
          from = end;
          matches++;
          return true;
        });
        if (p.groups == 0) { sink.put_part(from, static_cast<int32_t>(text.size)); }
        return !p.null_without_match || matches > 0;
      }
    }
    int64_t skipped = 0;
    if (p.from_end) {
      gdf::regex_for_each<false>(near.searcher, text, 0, false, [&](const gdf::regex_match&, const gdf::regex_groups&) {
        skipped++;
        return true;
      });
      skipped = skipped > p.limit ? skipped - p.limit : 0;
    }
    int64_t const place = Sink::is_absolute ? gdf::extent_within(p.text.column, row, p.text.bytes).begin : 0;
    int64_t matches = -skipped;
    int64_t last = 0;
    gdf::regex_for_each<Sink::is_writing>(near.searcher, text, 0, captures<Sink>(p),
                                          [&](const gdf::regex_match& found, const gdf::regex_groups& groups) {
                                            return put(sink, place, found, groups, ++matches, last, p);
                                          });
    if (p.groups == 0) { sink.put({place + last, text.size - last}); }
    return !p.null_without_match || matches > 0;
  }

  /// [thread] Writes the groups of a row's first match.
  GDF_DEVICE static void put_first(const gdf::column_out& out, int64_t row, const gdf::regex_match& found,
                                   const gdf::regex_groups& groups, const request& p) {
    auto* const spans = static_cast<gdf::text_span*>(out.data) + row;
    int64_t const place = gdf::extent_within(p.text.column, row, p.text.bytes).begin;
    for (int32_t nth = 0; nth < p.groups; nth++) {
      int32_t const group = p.first_group + nth;
      gdf::regex_match const part = group > 0 && found.begin >= 0 ? groups.get(group) : found;
      spans[nth * out.length] = part.begin < 0 ? gdf::text_span{0, -1} : gdf::text_span{place + part.begin, part.end - part.begin};
    }
  }

  /// [thread] Writes the groups of the first match of a row, which must be below out.length.
  static __device__ __noinline__ void first(const gdf::column_out& out, int64_t row, const request& p) {
    gdf::regex_match const none{-1, -1};
    bool is_found = false;
    if (gdf::is_valid(p.text.column, row)) {
      gdf::string_piece const text = gdf::text_or_none(p.text, row);
      if (gdf::is_long(p.chunks, text)) {
        gdf::report_long(p.chunks);
      } else {
        gdf::regex_for_each<true>(gdf::regex_searcher{p.pattern, false, false}, text, 0, captures<written>(p),
                                  [&](const gdf::regex_match& found, const gdf::regex_groups& groups) {
                                    put_first(out, row, found, groups, p);
                                    is_found = true;
                                    return false;
                                  });
      }
    }
    if (!is_found) { put_first(out, row, none, gdf::regex_groups{p.pattern, nullptr, nullptr}, p); }
  }

  /// [thread] Writes the spans of a chunk of a long row.
  GDF_DEVICE static void chunk(const gdf::column_out& out, const gdf::text_chunk& chunk, const gdf::chunk_part& part,
                               const request& p) {
    int64_t const total = p.chunks.chunks[part.first].exit;
    int64_t matches = chunk.matches - (p.from_end && total > p.limit ? total - p.limit : 0);
    if (matches > p.limit) { return; }
    int64_t last = matches > 0 ? chunk.last : 0;
    int64_t const first = gdf::load_offset(out.offsets, out.flags & gdf::wide_offsets, chunk.row);
    written sink{static_cast<uint8_t*>(out.data), static_cast<gdf::u64>(first + spans_before(chunk.matches, total, p))};
    int64_t const place = gdf::chunks_detail::place_of(p.text.column, part.text);
    gdf::regex_for_each_in(p.pattern, chunk, part, captures<written>(p),
                           [&](const gdf::regex_match& found, const gdf::regex_groups& groups) {
                             return put(sink, place, found, groups, ++matches, last, p);
                           });
    // The text after the last wanted match is written once. It is written by the chunk that has one match more than the
    // limit, or else by the last chunk of the row.
    if (p.groups == 0 && (part.is_last || matches > p.limit)) { sink.put({place + last, part.text.size - last}); }
  }
};

} // namespace regex_spans

GDF_STRINGS(regex_spans, regex_spans, parts_sizes, regex_spans::request, gdf::size_strings<regex_spans::finder, gdf::span_sink>);
GDF_STRINGS(regex_spans, regex_spans, parts_write, regex_spans::request, gdf::write_strings<regex_spans::finder, gdf::span_sink>);
/// Writes lists of the parts. No list is null.
GDF_STRINGS(regex_spans, regex_spans, lists, regex_spans::request, gdf::list_strings<regex_spans::finder>);

/// Writes the spans of long rows. An earlier launch has handled the short rows.
extern "C" __global__ void GDF_BOUNDS(regex_spans) GDF_VARIANT(regex_spans, chunks_write)
regex_spans_chunks_write_kernel(const __grid_constant__ gdf::column_out out, const __grid_constant__ regex_spans::request p,
                                const __grid_constant__ gdf::tile_counts, gdf::scratch*, unsigned long long*) {
  gdf::for_each_linked_chunk(p.text, p.chunks, [&](const gdf::text_chunk& chunk, const gdf::chunk_part& part) {
    regex_spans::finder::chunk(out, chunk, part, p);
  });
}

/// Writes the groups of the first match of each row. The groups of long rows become absent, and a later launch writes
/// them.
extern "C" __global__ void GDF_BOUNDS(regex_spans) GDF_VARIANT(regex_spans, first)
regex_spans_first_kernel(const __grid_constant__ gdf::column_out out, const __grid_constant__ regex_spans::request p,
                         const __grid_constant__ gdf::tile_counts, gdf::scratch* scratch, unsigned long long*) {
  gdf::regex_searcher const near = gdf::regex_searcher::near_first(p.pattern);
  gdf::for_each_staged<regex_spans_tuning, true>(
    p.text.column, p.text.bytes, out, scratch,
    [&](int64_t row, bool is_text, const gdf::staged_piece& text) {
      if (row >= out.length) { return 0u; }
      bool const is_known = is_text && gdf::regex_first<regex_spans_tuning::threads>(
                                         near, text, [&](const gdf::regex_match& found, const gdf::regex_groups& groups) {
                                           regex_spans::finder::put_first(out, row, found, groups, p);
                                         });
      if (!is_known) { regex_spans::finder::first(out, row, p); }
      return 0u;
    },
    [&](int64_t row) {
      if (row < out.length) { regex_spans::finder::first(out, row, p); }
      return 0u;
    },
    near.is_near && near.takes_staged());
}

/// Writes the groups of the first match of long rows. An earlier launch has handled the short rows.
extern "C" __global__ void GDF_BOUNDS(regex_spans) GDF_VARIANT(regex_spans, first_of_chunks)
regex_spans_first_of_chunks_kernel(const __grid_constant__ gdf::column_out out, const __grid_constant__ regex_spans::request p,
                                   const __grid_constant__ gdf::tile_counts, gdf::scratch*, unsigned long long*) {
  if (!gdf::regex_detail::has_work(p.chunks)) { return; }
  gdf::for_each_linked_chunk(p.text, p.chunks, [&](const gdf::text_chunk& chunk, const gdf::chunk_part& part) {
    if (chunk.matches != 0) { return; }
    gdf::regex_for_each_in(p.pattern, chunk, part, regex_spans::finder::captures<regex_spans::finder::written>(p),
                           [&](const gdf::regex_match& found, const gdf::regex_groups& groups) {
                             regex_spans::finder::put_first(out, chunk.row, found, groups, p);
                             return false;
                           });
  });
}
