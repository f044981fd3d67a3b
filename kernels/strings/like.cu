// strings::like: tests whether each row matches an SQL pattern.
//
// A pattern without `_` is split at each `%` into a list of texts that must follow one another. A pattern with `_`, or
// a pattern for each row, is matched character by character.

#include <gdf/search_text.cuh>
#include <gdf/value_strings.cuh>

GDF_POLICY(like, 256, 4, 4);
GDF_POLICY(like_long, 1024, 1, 1);

namespace strings {

/// A pattern.
struct pattern {
  const uint8_t* data;
  const int64_t* ends; // the ends of the texts within `data`
  int64_t size; // size of `data` in bytes
  int32_t count; // number of texts; negative: the pattern is not split
  int32_t tied; // bit 0: the first text begins the row; bit 1: the last text ends the row
};

enum wildcards : int32_t {
  any_character = 0xfe,
  any_characters = 0xff,
};

/// [thread] Returns whether a text matches a pattern.
template <class Text, class Kind>
GDF_DEVICE bool matches(const Text& text, int64_t pattern_size, Kind&& kind) {
  using index = typename Text::index;
  index at = 0;
  int64_t p = 0;
  index retry_text = -1; // end of the characters that the last any_characters stands for; -1 before the first one
  int64_t retry_pattern = 0;
  auto const after = [&](index place) {
    index const next = place + gdf::character_bytes(gdf::byte_at(text, place));
    return next < text.size ? next : text.size;
  };
  while (at < text.size || p < pattern_size) {
    if (p < pattern_size) {
      int32_t size = 0;
      int32_t const what = kind(p, size);
      if (what == any_characters) {
        p += size;
        if (p >= pattern_size) { return true; }
        retry_text = at;
        retry_pattern = p;
        continue;
      }
      if (at >= text.size) { return false; } // a later begin of the last `%` cannot match either
      if (what == any_character || what == static_cast<int32_t>(gdf::byte_at(text, at))) {
        at = what == any_character ? after(at) : at + 1;
        p += size;
        continue;
      }
    }
    if (retry_text < 0) { return false; }
    retry_text = after(retry_text);
    at = retry_text;
    p = retry_pattern;
  }
  return true;
}

struct like_one {
  static constexpr bool by_warp = true;

  GDF_DEVICE static gdf::needle needle(const pattern& p, int32_t i) {
    int64_t const begin = i == 0 ? 0 : __ldg(p.ends + i - 1);
    return gdf::needle_of({p.data + begin, __ldg(p.ends + i) - begin, p.data + p.size});
  }

  /// [thread, or warp if Lanes is by_warp] Returns whether the texts of a pattern occur one after another in a text.
  template <class Lanes, class Text>
  GDF_DEVICE static bool texts(const Text& text, const pattern& p) {
    using index = typename Text::index;
    index from = 0;
    for (int32_t i = 0; i < p.count; i++) {
      gdf::needle const what = needle(p, i);
      if (i == p.count - 1 && (p.tied & 2) != 0) {
        int64_t const place = text.size - what.size;
        bool const may_begin = i > 0 || (p.tied & 1) == 0 || place == 0;
        return may_begin && place >= from && gdf::lies_at(text, place, what);
      }
      if (i == 0 && (p.tied & 1) != 0) {
        if (!gdf::lies_at(text, 0, what)) { return false; }
        from = static_cast<index>(what.size);
        continue;
      }
      index const place = Lanes::first(text, from, what);
      if (place < 0) { return false; }
      from = static_cast<index>(place + what.size);
    }
    return true;
  }

  template <class Text>
  GDF_DEVICE static bool characters(const Text& text, const pattern& p) {
    return matches(text, p.size, [&](int64_t at, int32_t& size) -> int32_t {
      size = 1;
      return __ldg(p.data + at);
    });
  }

  template <class Text>
  GDF_DEVICE static bool row(const Text& text, const pattern& p) {
    return p.count < 0 ? characters(text, p) : texts<gdf::by_thread>(text, p);
  }

  GDF_DEVICE static bool warp(const gdf::string_piece& text, const pattern& p) {
    return p.count < 0 ? characters(text, p) : texts<gdf::by_warp>(text, p);
  }

  GDF_DEVICE static bool splits(const pattern& p) { return p.count == 1 && p.tied == 0; }

  GDF_DEVICE static bool part(const gdf::string_piece& text, int64_t from, int64_t to, const pattern& p, bool&) {
    return gdf::by_warp::lies_from(text, from, to, needle(p, 0));
  }
};

/// Does the same as like_one, for a pattern that is split into one or two short texts. Neither text is tied to an end
/// of the row.
struct like_two {
  static constexpr bool by_warp = true;

  struct prepared : pattern {
    gdf::byte_dfa<40> dfa;

    GDF_DEVICE explicit prepared(const pattern& p) : pattern(p) {
      dfa.make_texts(p.count, [&](int32_t i) { return like_one::needle(p, i); });
    }
  };

  GDF_DEVICE static const auto& dfa(const prepared& p) { return p.dfa; }

  GDF_DEVICE static bool row(const gdf::string_piece& text, const prepared& p) { return p.dfa.test(text, p.dfa.start); }
  GDF_DEVICE static bool warp(const gdf::string_piece& text, const prepared& p) { return like_one::texts<gdf::by_warp>(text, p); }
};

} // namespace strings

/// Tests whether each row matches one pattern for all rows. The pattern is split into one or two texts, which have at
/// most 38 bytes in total.
GDF_STRING_VALUES(like, like, two, strings::pattern, gdf::value_strings<strings::like_two, bool>);
/// Tests whether each row matches one pattern for all rows.
GDF_STRING_VALUES(like, like, one, strings::pattern, gdf::value_strings<strings::like_one, bool>);
/// Does the same as `one`, for columns of few or long rows.
GDF_STRING_VALUES(like_long, like, long_rows, strings::pattern,
                  gdf::value_long_strings<strings::like_one, bool>);

/// Tests whether each row matches its own pattern. If the text or the pattern is null, the result is null. After the
/// escape character, `_`, `%` and the escape character are ordinary characters.
extern "C" __global__ void GDF_BOUNDS(like)
like_columns_kernel(const __grid_constant__ gdf::column_in in, const __grid_constant__ gdf::column_in target,
                    gdf::byte_count bytes, gdf::byte_count target_bytes, const __grid_constant__ gdf::column_out out, uint32_t escape,
                    gdf::byte_count32 escape_bytes, gdf::scratch* scratch) {
  gdf::pair_strings<like_tuning>(
    in, target, bytes, target_bytes, out, scratch,
    [&](const gdf::string_piece& text, const gdf::string_piece& what) -> int64_t {
      return strings::matches(text, what.size, [&](int64_t at, int32_t& size) -> int32_t {
        bool escaped = escape_bytes > 0 && at + escape_bytes < what.size;
        for (int i = 0; escaped && i < escape_bytes; i++) {
          escaped = __ldg(what.data + at + i) == (escape >> (8 * i) & 0xff);
        }
        int32_t const skipped = escaped ? escape_bytes : 0;
        int32_t const byte = __ldg(what.data + at + skipped);
        size = skipped + 1;
        return escaped || (byte != '_' && byte != '%') ? byte : byte == '_' ? strings::any_character : strings::any_characters;
      });
    });
}
