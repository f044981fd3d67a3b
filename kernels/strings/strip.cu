// strings::strip: text without the characters of a set that it begins or ends with.

#include <gdf/build_strings.cuh>
#include <gdf/characters.cuh>

GDF_POLICY(strip, 128, 4, 8);

namespace strip {

struct parameters {
  gdf::text_in text;
  gdf::text_in set; // empty: white space
  int32_t left;
  int32_t right;
};

struct stripped {
  static constexpr bool by_warp = true;

  GDF_DEVICE static int64_t work(int64_t, const parameters&) { return 0; }

  GDF_DEVICE static bool strips(const gdf::string_piece& set, const gdf::character& one) {
    if (set.size == 0) { return gdf::is_space(gdf::code_of(one)); }
    for (int64_t at = 0; at < set.size;) {
      gdf::character const of = gdf::character_at(set, at);
      if (of.word == one.word && of.bytes == one.bytes) { return true; }
      at += of.bytes;
    }
    return false;
  }

  template <class Sink>
  GDF_DEVICE static bool row(Sink& sink, int64_t row, const parameters& p) {
    if (!gdf::is_valid(p.text.column, row) || !gdf::is_valid(p.set.column, row)) { return false; }
    gdf::string_piece const text = gdf::text_at(p.text, row);
    gdf::string_piece const set = gdf::text_at(p.set, row);
    int64_t begin = 0;
    int64_t end = text.size;
    while (p.left != 0 && begin < end) {
      gdf::character const one = gdf::character_at(text, begin);
      if (!strips(set, one)) { break; }
      begin += one.bytes;
    }
    while (p.right != 0 && begin < end) {
      int64_t const at = gdf::character_before(text, end);
      if (at < begin || !strips(set, gdf::character_at(gdf::part_of(text, 0, end), at))) { break; }
      end = at;
    }
    sink.put(gdf::part_of(text, begin, end));
    return true;
  }
};

} // namespace strip

/// Text without the characters that it begins or ends with.
GDF_STRINGS_BUILD(strip, strip, text, strip::parameters, strip::stripped);
