// Parts of each row's text that a regular expression finds: its matches, their groups, or what is between matches.

#include <gdf/build_strings.cuh>

#include "regex_chunks.cuh"

GDF_POLICY(regex_spans, 128, 4, 4);

namespace regex_spans {

struct request {
  gdf::text_in text;
  gdf::regex_pattern pattern;
  gdf::regex_chunks chunks;
  int64_t limit; // of matches
  int32_t first_group; // of those that are wanted; 0 is the whole match
  int32_t groups; // how many; 0: what is between matches
  int32_t from_end; // of more matches than the limit the last ones
  int32_t null_without_match;
};

/// [thread] Of so many matches of a row as there are before one, the number of spans.
GDF_DEVICE int64_t spans_before(int64_t matches, int64_t total, const request& p) {
  int64_t const skipped = p.from_end && total > p.limit ? total - p.limit : 0;
  int64_t const wanted = matches < skipped ? 0 : matches - skipped < p.limit ? matches - skipped : p.limit;
  return wanted * (p.groups == 0 ? 1 : p.groups);
}

struct finder {
  static constexpr bool by_warp = false;
  static constexpr bool always_sized = true;

  GDF_DEVICE static bool is_sized(int64_t row, const request& p) { return gdf::is_sized_short(p.text, p.chunks, row); }

  /// [thread] Puts what is wanted of a match, the `matches`th, where the last one ended at `last`; false: there is nothing more.
  template <class Sink>
  GDF_DEVICE static bool put(Sink& sink, const gdf::string_piece& text, const gdf::regex_match& found, int64_t matches,
                             int64_t& last, const request& p) {
    if (matches <= 0) { return true; }
    if (matches > p.limit) { return false; }
    if (p.groups == 0) {
      sink.put(gdf::span_of(p.text, text, last, found.begin));
      last = found.end;
      return true;
    }
    bool const captures = Sink::is_writing && p.first_group + p.groups > 1;
    if (captures) { gdf::regex_detail::capture(p.pattern, text, found); }
    for (int32_t group = p.first_group; group < p.first_group + p.groups; group++) {
      gdf::regex_match const part = group > 0 && captures ? gdf::regex_group(p.pattern, text, group) : found;
      sink.put(part.begin < 0 ? gdf::text_span{0, -1} : gdf::span_of(p.text, text, part.begin, part.end));
    }
    return true;
  }

  template <class Sink>
  GDF_DEVICE static bool row(Sink& sink, int64_t row, const request& p) {
    if (!gdf::is_valid(p.text.column, row)) { return false; }
    gdf::string_piece const text = gdf::text_at(p.text, row);
    if (gdf::is_long(p.chunks, text)) {
      gdf::u64 const total = gdf::regex_total(p.text, p.chunks, row, text);
      auto const matches = static_cast<int64_t>(total);
      if constexpr (!Sink::is_writing) {
        bool const is_known = p.chunks.chunks != nullptr;
        sink.size = is_known ? spans_before(matches, matches, p) + (p.groups == 0) : total;
      }
      return !p.null_without_match || matches > 0;
    }
    int64_t skipped = 0;
    if (p.from_end) {
      gdf::regex_for_each(p.pattern, text, [&](const gdf::regex_match&) {
        skipped++;
        return true;
      });
      skipped = skipped > p.limit ? skipped - p.limit : 0;
    }
    int64_t matches = -skipped;
    int64_t last = 0;
    gdf::regex_for_each(p.pattern, text,
                        [&](const gdf::regex_match& found) { return put(sink, text, found, ++matches, last, p); });
    if (p.groups == 0) { sink.put(gdf::span_of(p.text, text, last, text.size)); }
    return !p.null_without_match || matches > 0;
  }

  /// [thread] The spans of a chunk of a long row.
  GDF_DEVICE static void chunk(const gdf::column_out& out, const gdf::regex_chunk& chunk, const gdf::regex_part& part,
                               const request& p) {
    int64_t const total = p.chunks.chunks[part.first].exit;
    int64_t matches = chunk.matches - (p.from_end && total > p.limit ? total - p.limit : 0);
    if (matches > p.limit) { return; }
    int64_t last = matches > 0 ? chunk.last : 0;
    int64_t const place = gdf::load_offset(out.offsets, out.flags & gdf::wide_offsets, chunk.row);
    gdf::span_sink<false, true> sink{static_cast<uint8_t*>(out.data),
                                     static_cast<gdf::u64>(place + spans_before(chunk.matches, total, p))};
    gdf::regex_for_each_in(p.pattern, chunk, part, [&](const gdf::regex_match& found) {
      return put(sink, part.text, found, ++matches, last, p);
    });
    // What is behind the last match is put where one more than the limit is found, or the row ends.
    if (p.groups == 0 && (part.is_last || matches > p.limit)) {
      sink.put(gdf::span_of(p.text, part.text, last, part.text.size));
    }
  }
};

} // namespace regex_spans

/// Parts of each row's text.
GDF_STRINGS_SPANS(regex_spans, regex_spans, parts, regex_spans::request, regex_spans::finder);

/// The parts of long rows, after the others.
extern "C" __global__ void GDF_BOUNDS(regex_spans) GDF_VARIANT(regex_spans, chunks_write)
regex_spans_chunks_write_kernel(const __grid_constant__ gdf::column_out out, const __grid_constant__ regex_spans::request p,
                                const __grid_constant__ gdf::tile_counts, gdf::scratch*, unsigned long long*) {
  gdf::for_each_linked_chunk(p.text, p.chunks, [&](const gdf::regex_chunk& chunk, const gdf::regex_part& part) {
    regex_spans::finder::chunk(out, chunk, part, p);
  });
}
