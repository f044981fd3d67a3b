// strings::to_upper: each character becomes what Unicode's full mapping makes of it, without regard to
// what stands around it or to a language.

#include <gdf/map_strings.cuh>
#include <gdf/upper_case.cuh>

GDF_POLICY(to_case, 128, 4, 8);

namespace to_case {

/// [thread] Eight bytes below 128 in upper case.
GDF_DEVICE gdf::u64 ascii_upper(gdf::u64 word) {
  gdf::u64 const from_a = word + 0x1f1f1f1f1f1f1f1full;
  gdf::u64 const past_z = word + 0x0505050505050505ull;
  return word ^ ((from_a & ~past_z & 0x8080808080808080ull) >> 2);
}

struct upper {
  static constexpr bool by_characters = true;

  /// [thread] Calls `emit(code)` for each character of the upper case of a character.
  template <class Emit>
  GDF_DEVICE static void characters(uint32_t code, Emit&& emit) {
    namespace table = gdf::upper_case;
    uint32_t const at = code >> table::block_bits;
    if (at >= static_cast<uint32_t>(table::leads)) { return emit(code); }
    uint32_t const within = code & ((1u << table::block_bits) - 1);
    int const number = __ldg(table::block + ((static_cast<uint32_t>(__ldg(table::lead + at)) << table::block_bits) | within));
    const uint16_t* const words = table::mapping + number * 3;
    uint32_t const first = __ldg(words);
    if (number < table::first_long) { return emit((code & ~0xffffu) | ((code + first) & 0xffff)); }
    emit(first);
#pragma unroll
    for (int i = 1; i < 3; i++) {
      uint32_t const next = __ldg(words + i);
      if (next != 0) { emit(next); }
    }
  }

  /// Bytes that are no character stay.
  GDF_DEVICE static bool is_character(gdf::u64 word, int n) {
    return n > 1 && n == gdf::character_bytes(static_cast<uint32_t>(word) & 0xff);
  }

  GDF_DEVICE static int64_t size(const gdf::string_piece& text, const gdf::nothing&) {
    int64_t bytes = 0;
    gdf::for_each_character(
      text, [&](gdf::u64, int n) { bytes += n; },
      [&](gdf::u64 word, int n) {
        if (!is_character(word, n)) { bytes += n; return; }
        characters(gdf::decoded(word, n), [&](uint32_t code) { bytes += gdf::encoded_bytes(code); });
      });
    return bytes;
  }

  GDF_DEVICE static void write(const gdf::string_piece& text, uint8_t* target, const gdf::nothing&) {
    auto const put = [&](gdf::u64 word, int n) {
#pragma unroll
      for (int i = 0; i < 8; i++) {
        if (i < n) { target[i] = static_cast<uint8_t>(word >> (8 * i)); }
      }
      target += n;
    };
    gdf::for_each_character(
      text, [&](gdf::u64 word, int n) { put(ascii_upper(word & 0x7f7f7f7f7f7f7f7full), n); },
      [&](gdf::u64 word, int n) {
        if (!is_character(word, n)) { return put(word, n); }
        characters(gdf::decoded(word, n), [&](uint32_t code) { put(gdf::encoded(code), gdf::encoded_bytes(code)); });
      });
  }
};

} // namespace to_case

/// Upper case of text.
GDF_STRINGS_MAP(to_case, to_case, upper, gdf::nothing, to_case::upper);
