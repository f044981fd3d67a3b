// Parts of each row's text that a regular expression finds: its matches, their groups, or what is between matches.

#include <gdf/build_strings.cuh>
#include <gdf/regex.cuh>

GDF_POLICY(regex_spans, 128, 4, 4);

namespace regex_spans {

struct request {
  gdf::text_in text;
  gdf::regex_pattern pattern;
  int64_t limit; // of matches
  int32_t first_group; // of those that are wanted; 0 is the whole match
  int32_t groups; // how many; 0: what is between matches
  int32_t from_end; // of more matches than the limit the last ones
  int32_t null_without_match;
};

struct finder {
  static constexpr bool by_warp = false;

  template <class Sink>
  GDF_DEVICE static bool row(Sink& sink, int64_t row, const request& p) {
    if (!gdf::is_valid(p.text.column, row)) { return false; }
    gdf::string_piece const text = gdf::text_at(p.text, row);
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
    gdf::regex_for_each(p.pattern, text, [&](const gdf::regex_match& found) {
      matches++;
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
    });
    if (p.groups == 0) { sink.put(gdf::span_of(p.text, text, last, text.size)); }
    return !p.null_without_match || matches > 0;
  }
};

} // namespace regex_spans

/// Parts of each row's text.
GDF_STRINGS_SPANS(regex_spans, regex_spans, parts, regex_spans::request, regex_spans::finder);
