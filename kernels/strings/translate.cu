// strings::translate, filter_characters and filter_characters_of_type: characters are replaced by other characters or
// by a text.

#include <gdf/character_types.cuh>
#include <gdf/characters.cuh>
#include <gdf/map_strings.cuh>

GDF_POLICY(translate, 128, 4, 6);

namespace translate {

struct range {
  uint32_t first;
  uint32_t last;
  uint32_t to; // a character, `kept` or `replaced`
  uint32_t unused;
};

/// The values of range::to for characters that stay unchanged, and for characters that `replacement` replaces. No
/// character has these codes.
constexpr uint32_t kept = 0x110000;
constexpr uint32_t replaced = 0x110001;

struct parameters {
  gdf::text_in text;
  const range* ranges; // ascending and disjoint
  int64_t count;
  gdf::text_in replacement; // a single row
  uint32_t types; // if not 0, the types of characters that are tested instead of ranges
  uint32_t of_types; // what replaces characters of these types, like range::to
  uint32_t other; // what replaces all other characters, like range::to
  uint32_t unused;
};

struct translated {
  static constexpr bool by_characters = true;

  GDF_DEVICE static uint32_t target_of(uint32_t code, const parameters& p) {
    if (p.types != 0) { return (gdf::character_types::flags_of(code) & p.types) != 0 ? p.of_types : p.other; }
    int64_t low = 0;
    int64_t high = p.count;
    while (low < high) {
      int64_t const middle = (low + high) / 2;
      if (__ldg(&p.ranges[middle].last) < code) {
        low = middle + 1;
      } else {
        high = middle;
      }
    }
    return low < p.count && __ldg(&p.ranges[low].first) <= code ? __ldg(&p.ranges[low].to) : p.other;
  }

  template <class Put, class Replace>
  GDF_DEVICE static void each(const gdf::text_part& text, const parameters& p, Put&& put, Replace&& replace) {
    for (int64_t at = 0; at < text.size;) {
      gdf::character const one = gdf::character_at(text, at);
      at += one.bytes;
      uint32_t const to = target_of(gdf::code_of(one), p);
      if (to == kept) {
        put(one.word, one.bytes);
      } else if (to == replaced) {
        replace();
      } else {
        put(gdf::encoded(to), gdf::encoded_bytes(to));
      }
    }
  }

  GDF_DEVICE static int64_t size(const gdf::text_part& text, const parameters& p) {
    int64_t const with = gdf::text_or_none(p.replacement, 0).size;
    int64_t bytes = 0;
    each(text, p, [&](gdf::u64, int n) { bytes += n; }, [&] { bytes += with; });
    return bytes;
  }

  GDF_DEVICE static void write(const gdf::text_part& text, uint8_t* target, const parameters& p) {
    gdf::string_piece const with = gdf::text_or_none(p.replacement, 0);
    each(
      text, p,
      [&](gdf::u64 word, int n) {
#pragma unroll
        for (int i = 0; i < 4; i++) {
          if (i < n) { target[i] = static_cast<uint8_t>(word >> (8 * i)); }
        }
        target += n;
      },
      [&] {
        for (int64_t i = 0; i < with.size; i++) { target[i] = __ldg(with.data + i); }
        target += with.size;
      });
  }
};

} // namespace translate

GDF_STRINGS(translate, translate, text_write, translate::parameters, gdf::map_strings<translate::translated>);
