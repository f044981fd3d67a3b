// strings::all_characters_of_type and is_title: the characters of each row are tested for their types.

#include <gdf/character_types.cuh>
#include <gdf/value_strings.cuh>

GDF_POLICY(character_types, 256, 4, 4);

namespace strings {

enum class type_test : int32_t {
  all_of_type,
  title,
};

struct typed {
  uint32_t types; // a tested character must have at least one of these types
  // Only characters of these types are tested. Characters without a type are tested only if `verify` has all types.
  uint32_t verify;
  int32_t test;
  int32_t unused;
};

using gdf::character_types::flags_of;
using gdf::character_types::flags_of_ascii;

constexpr uint32_t alpha = 8;
constexpr uint32_t upper = 32;
constexpr uint32_t all_types = 127;

struct verdict {
  bool fails;
  bool counts; // whether at least one character was tested
};

struct test {
  static constexpr bool by_warp = true;
  static constexpr uint8_t fails = 1;
  static constexpr uint8_t counts = 2;

  struct prepared : typed {
    const uint8_t* bytes; // in shared memory: whether a byte below 128 fails, counts, or does neither

    GDF_DEVICE explicit prepared(const typed& p) : typed(p) {
      __shared__ uint8_t table[256];
      for (int i = threadIdx.x; i < 256; i += blockDim.x) {
        uint32_t const flags = i < 128 ? flags_of_ascii(i) : 0;
        table[i] = i < 128 && looks_at(flags, p) ? counts | ((p.types & flags) == 0 ? fails : 0) : 0;
      }
      __syncthreads();
      bytes = table;
    }
  };

  GDF_DEVICE static bool looks_at(uint32_t flags, const typed& p) {
    return (p.verify & flags) != 0 || (flags == 0 && p.verify == all_types);
  }

  /// [thread] Tests the characters [begin, end) of a text. `begin` and `end` must be character boundaries.
  template <class Text>
  GDF_DEVICE static verdict part(const Text& text, typename Text::index begin, typename Text::index end, const prepared& p) {
    bool const is_title = p.test == static_cast<int32_t>(type_test::title);
    verdict found{false, false};
    bool within = false; // whether the position is within a word
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
      } else if (looks_at(flags, p)) {
        found.fails |= (p.types & flags) == 0;
        found.counts = true;
      }
    };
    Text const whole = gdf::part_of(text, begin, end);
    if (!is_title) {
      // The order of the characters matters only for titles. Therefore a table tests all bytes below 128 first.
      // Characters of several bytes are decoded only if there are any and no byte has failed.
      uint32_t is = 0;
      gdf::u64 beyond = 0;
      for (typename Text::index at = 0; at < whole.size && (is & fails) == 0; at += 8) {
        gdf::u64 word = gdf::bytes_at(whole, at);
        beyond |= word;
        int const n = whole.size - at < 8 ? static_cast<int>(whole.size - at) : 8;
        word |= ~gdf::low_bytes(n) & 0x8080808080808080ull;
#pragma unroll
        for (int i = 0; i < 8; i++) { is |= p.bytes[static_cast<uint32_t>(word >> (8 * i)) & 0xff]; }
      }
      found = {(is & fails) != 0, (is & counts) != 0};
      if (found.fails || (beyond & 0x8080808080808080ull) == 0) { return found; }
    }
    gdf::for_each_character(
      whole,
      [&](gdf::u64 word, int n) {
        for (int i = 0; is_title && i < n; i++) { take(flags_of_ascii(static_cast<uint32_t>(word >> (8 * i)) & 0x7f)); }
        return !found.fails;
      },
      [&](gdf::u64 word, int n) {
        take(flags_of(gdf::decoded(word, n)));
        return !found.fails;
      });
    return found;
  }

  template <class Text>
  GDF_DEVICE static bool row(const Text& text, const prepared& p) {
    verdict const found = part(text, 0, text.size, p);
    return found.counts && !found.fails;
  }

  GDF_DEVICE static bool warp(const gdf::string_piece& text, const prepared& p) {
    constexpr int64_t window = gdf::build_strings_detail::lane_bytes;
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

GDF_STRING_VALUES(character_types, character_types, test, strings::typed, gdf::value_strings<strings::test, bool>);
