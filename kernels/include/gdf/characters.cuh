// Single characters of a text, and white space.
#pragma once

#include "search_text.cuh"

namespace gdf {

/// A character.
struct character {
  u64 word;
  int bytes;
};

/// [thread] Returns the character that begins at `at`. `at` must be less than text.size.
template <class Text>
GDF_DEVICE character character_at(const Text& text, typename Text::index at) {
  auto const left = text.size - at;
  u64 const word = bytes_at(part_of(text, 0, left < 4 ? text.size : at + 4), at);
  int const bytes = character_bytes(static_cast<uint32_t>(word) & 0xff);
  int const n = bytes < left ? bytes : static_cast<int>(left);
  return {word & low_bytes(n), n};
}

/// [thread] Returns the beginning of the character that ends at `end`. `end` must be positive.
template <class Text>
GDF_DEVICE typename Text::index character_before(const Text& text, typename Text::index end) {
  typename Text::index at = end - 1;
#pragma unroll
  for (int i = 0; i < 3; i++) {
    if (at > 0 && is_continuation(byte_at(text, at))) { at--; }
  }
  return at;
}

GDF_DEVICE uint32_t code_of(const character& one) { return decoded(one.word, one.bytes); }

/// [thread] Returns whether a code is white space according to Unicode.
GDF_DEVICE bool is_space(uint32_t code) {
  if (code < 0x80) { return code == ' ' || (code >= 9 && code <= 13); }
  return code == 0x85 || code == 0xa0 || code == 0x1680 || (code >= 0x2000 && code <= 0x200a) ||
         code == 0x2028 || code == 0x2029 || code == 0x202f || code == 0x205f || code == 0x3000;
}

template <class Text>
GDF_DEVICE typename Text::index place_or_end(const Text& text, int64_t number) {
  typename Text::index const place = character_place(text, number);
  return place < 0 ? text.size : place;
}

} // namespace gdf
