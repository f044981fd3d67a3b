// What a search for a regular expression says of each row: whether there is a match, how many, where the first one begins.

#include <gdf/map_strings.cuh>

#include "regex_chunks.cuh"

GDF_POLICY(regex_search, 128, 4, 6);

namespace regex_search {

/// A pattern, and what is asked: the numbers of `Answer` in Rust.
struct question {
  gdf::regex_pattern pattern;
  gdf::regex_chunks chunks;
  int32_t answer;
};

struct test {
  static constexpr bool by_warp = true;

  GDF_DEVICE static bool row(const gdf::string_piece& text, const question& p) {
    return gdf::regex_is_match(p.pattern, text, p.answer == 1);
  }

  GDF_DEVICE static bool warp(const gdf::string_piece& text, const question& p) {
    return gdf::regex_is_match_by_warp(p.pattern, text, p.answer == 1);
  }
};

struct number {
  static constexpr bool by_warp = false;

  GDF_DEVICE static int32_t row(const gdf::string_piece& text, const question& p) {
    if (gdf::is_long(p.chunks, text)) {
      gdf::report_long(p.chunks);
      return 0;
    }
    bool const counts = p.answer == 2;
    int32_t value = counts ? 0 : -1;
    gdf::regex_for_each(p.pattern, text, [&](const gdf::regex_match& found) {
      if (counts) {
        value++;
        return true;
      }
      value = 0;
      for (int64_t i = 0; i < found.begin; i++) { value += !gdf::is_continuation(__ldg(text.data + i)); }
      return false;
    });
    return value;
  }
};

} // namespace regex_search

/// Whether there is a match, as booleans.
GDF_STRINGS_VALUE(regex_search, regex_search, test, bool, regex_search::question, regex_search::test);
/// The number of matches, or the character where the first one begins.
GDF_STRINGS_VALUE(regex_search, regex_search, number, int32_t, regex_search::question, regex_search::number);
