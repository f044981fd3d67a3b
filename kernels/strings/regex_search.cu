// Tests each row for a match of a regular expression, counts the matches, or finds the character at which the first
// match begins.

#include <gdf/regex_chunks.cuh>
#include <gdf/value_strings.cuh>

GDF_POLICY(regex_search, 128, 4, 5);
GDF_POLICY(regex_search_long, 1024, 1, 1);

namespace regex_search {

/// A pattern, and the requested answer. `answer` has the numbers of `Answer` in Rust.
struct question {
  gdf::regex_pattern pattern;
  gdf::text_chunks chunks;
  int32_t answer; // gdf::regex_answer
};

/// A question, and a searcher for its pattern.
struct near_question {
  const question& all;
  gdf::regex_searcher searcher;

  GDF_DEVICE explicit near_question(const question& p) : all(p), searcher(gdf::regex_searcher::near(p.pattern)) {}
};

struct test {
  static constexpr bool by_warp = true;

  struct prepared {
    const question& all;
    gdf::regex_tester tester;

    GDF_DEVICE explicit prepared(const question& p) : all(p), tester(p.pattern, gdf::is_answer(p.answer, gdf::regex_answer::matches)) {}
  };

  GDF_DEVICE static bool stages(const prepared& p) { return p.tester.takes_staged(); }
  GDF_DEVICE static const gdf::regex_tester::byte_table& dfa(const prepared& p) { return p.tester.bytes; }

  GDF_DEVICE static bool row(const gdf::staged_piece& text, const prepared& p) { return p.tester.test(text); }
  GDF_DEVICE static bool row(const gdf::string_piece& text, const prepared& p) {
    return gdf::regex_is_match(p.all.pattern, text, gdf::is_answer(p.all.answer, gdf::regex_answer::matches));
  }

  GDF_DEVICE static bool warp(const gdf::string_piece& text, const prepared& p) {
    return gdf::regex_is_match_by_warp(p.all.pattern, text, gdf::is_answer(p.all.answer, gdf::regex_answer::matches));
  }
};

/// Does the same as `test`, without a table in shared memory.
struct test_long {
  static constexpr bool by_warp = true;

  GDF_DEVICE static bool anchored(const question& p) { return gdf::is_answer(p.answer, gdf::regex_answer::matches); }
  GDF_DEVICE static bool row(const gdf::string_piece& text, const question& p) {
    return gdf::regex_is_match(p.pattern, text, anchored(p));
  }
  GDF_DEVICE static bool warp(const gdf::string_piece& text, const question& p) {
    return gdf::regex_is_match_by_warp(p.pattern, text, anchored(p));
  }

  GDF_DEVICE static bool splits(const question& p) { return p.pattern.forward.next != nullptr && !anchored(p); }

  GDF_DEVICE static bool part(const gdf::string_piece& text, int64_t from, int64_t to, const question& p, bool& is_known) {
    return gdf::regex_is_match_in(p.pattern, text, from, to, is_known);
  }
};

struct number {
  static constexpr bool by_warp = false;
  using prepared = near_question;

  GDF_DEVICE static bool stages(const prepared& p) { return p.searcher.takes_staged(); }

  template <class Text>
  GDF_DEVICE static int32_t row(const Text& text, const prepared& p) {
    if constexpr (gdf::is_same<Text, gdf::string_piece>) {
      if (gdf::is_long(p.all.chunks, text)) {
        gdf::report_long(p.all.chunks);
        return 0;
      }
    }
    if (gdf::is_answer(p.all.answer, gdf::regex_answer::count)) {
      int32_t count = 0;
      gdf::regex_for_each<false>(p.searcher, text, 0, false, [&](const gdf::regex_match&, const gdf::regex_groups&) {
        count++;
        return true;
      });
      return count;
    }
    int32_t place = -1;
    gdf::regex_for_each<true>(p.searcher, text, 0, false, [&](const gdf::regex_match& found, const gdf::regex_groups&) {
      auto const begin = static_cast<typename Text::index>(found.begin);
      place = static_cast<int32_t>(gdf::by_thread::characters(text, 0, begin));
      return false;
    });
    return place;
  }
};

} // namespace regex_search

GDF_STRING_VALUES(regex_search, regex_search, test, regex_search::question, gdf::value_strings<regex_search::test, bool>);
/// Does the same as `test`, for columns of few or long rows.
GDF_STRING_VALUES(regex_search_long, regex_search, test_long_rows, regex_search::question,
                  gdf::value_long_strings<regex_search::test_long, bool>);
/// Writes the number of matches, or the character at which the first match begins (-1 without a match).
GDF_STRING_VALUES(regex_search, regex_search, number, regex_search::question, gdf::value_strings<regex_search::number, int32_t>);
