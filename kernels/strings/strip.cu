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
  static constexpr bool by_text = true;

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

  template <class Sink, class Text>
  GDF_DEVICE static bool row(Sink& sink, const Text& text, int64_t row, const parameters& p) {
    using index = typename Text::index;
    if (!gdf::is_valid(p.set.column, row)) { return false; }
    gdf::string_piece const set = gdf::text_at(p.set, row);
    bool const is_short = set.size <= 8;
    gdf::u64 const set_bytes = is_short ? gdf::bytes_at(set, 0) : 0;
    // Whether a short set has a byte below 128.
    auto const has = [&](uint32_t byte) {
      gdf::u64 const places = gdf::search_detail::zero_bytes(set_bytes ^ byte * 0x0101010101010101ull);
      return set.size == 0 ? gdf::is_space(byte) : (places & gdf::low_bytes(static_cast<int>(set.size))) != 0;
    };
    index begin = 0;
    index end = text.size;
    while (p.left != 0 && begin < end) {
      uint32_t const byte = gdf::byte_at(text, begin);
      if (is_short && byte < 0x80) {
        if (!has(byte)) { break; }
        begin++;
        continue;
      }
      gdf::character const one = gdf::character_at(text, begin);
      if (!strips(set, one)) { break; }
      begin += one.bytes;
    }
    while (p.right != 0 && begin < end) {
      uint32_t const byte = gdf::byte_at(text, end - 1);
      if (is_short && byte < 0x80) {
        if (!has(byte)) { break; }
        end--;
        continue;
      }
      index const at = gdf::character_before(text, end);
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
