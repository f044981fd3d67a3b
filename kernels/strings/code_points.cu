// strings::code_points: the code point of each character, four bytes each.

#include <gdf/map_strings.cuh>

GDF_POLICY(code_points, 128, 4, 8);

namespace code_points {

struct parameters {
  gdf::text_in text;
};

struct characters {
  static constexpr bool by_characters = true;

  /// [thread] Calls `f` with each code point.
  template <class Function>
  GDF_DEVICE static void each(const gdf::string_piece& text, Function&& f) {
    gdf::for_each_character(
      text,
      [&](gdf::u64 word, int n) {
        for (int i = 0; i < n; i++) { f(static_cast<uint32_t>(word >> (8 * i)) & 0xff); }
        return true;
      },
      [&](gdf::u64 word, int n) {
        f(gdf::decoded(word, n));
        return true;
      });
  }

  GDF_DEVICE static int64_t size(const gdf::string_piece& text, const parameters&) {
    int64_t bytes = 0;
    each(text, [&](uint32_t) { bytes += 4; });
    return bytes;
  }

  GDF_DEVICE static void write(const gdf::string_piece& text, uint8_t* target, const parameters&) {
    each(text, [&](uint32_t code) {
#pragma unroll
      for (int i = 0; i < 4; i++) { target[i] = static_cast<uint8_t>(code >> (8 * i)); }
      target += 4;
    });
  }
};

} // namespace code_points

GDF_STRINGS(code_points, code_points, all_write, code_points::parameters, gdf::map_strings<code_points::characters>);
