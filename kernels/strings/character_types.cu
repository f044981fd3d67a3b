// strings::all_characters_of_type and is_title: what kinds of characters each row has.

#include <gdf/character_types.cuh>
#include <gdf/map_strings.cuh>

GDF_POLICY(character_types, 256, 4, 4);

namespace strings {

enum class type_test : int32_t {
  all_of_type,
  title,
};

struct typed {
  uint32_t types; // that characters must have, one of them at least
  uint32_t verify; // characters of other types are passed over; those of none, unless all are verified
  int32_t test;
  int32_t unused;
};

using gdf::character_types::flags_of;

constexpr uint32_t alpha = 8;
constexpr uint32_t upper = 32;
constexpr uint32_t all_types = 127;

/// What is known of some characters.
struct verdict {
  bool fails;
  bool counts; // whether one of them was looked at
};

struct test {
  static constexpr bool by_warp = true;

  /// [thread] Of the characters [begin, end) of a text, both of which begin one.
  template <class Text>
  GDF_DEVICE static verdict part(const Text& text, typename Text::index begin, typename Text::index end, const typed& p) {
    bool const is_title = p.test == static_cast<int32_t>(type_test::title);
    verdict found{false, false};
    bool within = false; // a word
    if (is_title && begin > 0) {
      typename Text::index before = begin - 1;
      while (before > 0 && gdf::is_continuation(gdf::byte_at(text, before))) { before--; }
      int const n = static_cast<int>(begin - before);
      within = n <= 4 && (flags_of(gdf::decoded(gdf::bytes_at(gdf::part_of(text, before, begin), 0), n)) & alpha) != 0;
    }
    auto const take = [&](uint32_t flags) {
      if (is_title) {
        bool const is_letter = (flags & alpha) != 0;
        found.fails |= is_letter && within == ((flags & upper) != 0);
        found.counts |= is_letter;
        within = is_letter;
      } else if ((p.verify & flags) != 0 || (flags == 0 && p.verify == all_types)) {
        found.fails |= (p.types & flags) == 0;
        found.counts = true;
      }
    };
    gdf::for_each_character(
      gdf::part_of(text, begin, end),
      [&](gdf::u64 word, int n) {
        // All eight are on their way together.
        uint32_t flags[8];
#pragma unroll
        for (int i = 0; i < 8; i++) {
          flags[i] = gdf::character_types::flags_of_ascii(static_cast<uint32_t>(word >> (8 * i)) & 0x7f);
        }
#pragma unroll
        for (int i = 0; i < 8; i++) {
          if (i < n) { take(flags[i]); }
        }
        return !found.fails;
      },
      [&](gdf::u64 word, int n) {
        take(flags_of(gdf::decoded(word, n)));
        return !found.fails;
      });
    return found;
  }

  template <class Text>
  GDF_DEVICE static bool row(const Text& text, const typed& p) {
    verdict const found = part(text, 0, text.size, p);
    return found.counts && !found.fails;
  }

  GDF_DEVICE static bool warp(const gdf::string_piece& text, const typed& p) {
    constexpr int64_t window = gdf::map_strings_detail::window;
    verdict found{false, false};
    for (int64_t at = 0; at < text.size; at += 32 * window) {
      int64_t const begin = gdf::character_from(text, at + gdf::lane() * window);
      int64_t const end = gdf::character_from(text, at + (gdf::lane() + 1) * window);
      verdict const mine = part(text, begin, end, p);
      found.counts |= mine.counts;
      if (__any_sync(~0u, mine.fails)) { return false; }
    }
    return __any_sync(~0u, found.counts);
  }
};

} // namespace strings

/// Whether each row passes a test of its characters' types.
GDF_STRINGS_VALUE(character_types, character_types, test, bool, strings::typed, strings::test);
