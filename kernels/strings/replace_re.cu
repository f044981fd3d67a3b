// strings::replace_re and replace_with_backrefs: what matches of a regular expression become, from parts of a template.

#include <gdf/build_strings.cuh>
#include <gdf/regex.cuh>

GDF_POLICY(replace_re, 128, 4, 4);

namespace replace_re {

/// A part of a template: a group of the match, or, of group -1, bytes of the template's texts.
struct part {
  int64_t begin;
  int64_t size;
  int64_t group;
};
GDF_SHARED(part);

struct replacement {
  gdf::text_in text;
  gdf::regex_pattern pattern;
  const part* parts;
  const uint8_t* literals;
  int64_t literal_bytes;
  int64_t limit; // of matches
  int32_t part_count;
  int32_t captures; // whether a part is a group, other than the whole match
};

struct replaced {
  static constexpr bool by_warp = false;

  template <class Sink>
  GDF_DEVICE static bool row(Sink& sink, int64_t row, const replacement& p) {
    if (!gdf::is_valid(p.text.column, row)) { return false; }
    gdf::string_piece const text = gdf::text_at(p.text, row);
    int64_t matches = 0;
    int64_t last = 0;
    gdf::regex_for_each(p.pattern, text, [&](const gdf::regex_match& found) {
      if (++matches > p.limit) { return false; }
      sink.put(gdf::part_of(text, last, found.begin));
      last = found.end;
      if (p.captures) { gdf::regex_detail::capture(p.pattern, text, found); }
      for (int32_t i = 0; i < p.part_count; i++) {
        part const next = p.parts[i];
        if (next.group < 0) {
          sink.put({p.literals + next.begin, next.size, p.literals + p.literal_bytes});
          continue;
        }
        gdf::regex_match const group =
          next.group == 0 ? found : gdf::regex_group(p.pattern, text, static_cast<int32_t>(next.group));
        if (group.begin >= 0) { sink.put(gdf::part_of(text, group.begin, group.end)); }
      }
      return true;
    });
    sink.put(gdf::part_of(text, last, text.size));
    return true;
  }
};

} // namespace replace_re

/// Text with matches replaced.
GDF_STRINGS_BUILD(replace_re, replace_re, text, replace_re::replacement, replace_re::replaced);
