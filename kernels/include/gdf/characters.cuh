// Single characters of a text, and white space.
#pragma once

#include "search_text.cuh"

namespace gdf {

/// A character: its bytes, the first the lowest, and how many.
struct character {
  u64 word;
  int bytes;
};

/// [thread] The character that begins at `at`, below text.size.
GDF_DEVICE character character_at(const string_piece& text, int64_t at) {
  int64_t const left = text.size - at;
  u64 const word = string_detail::load_before(text.data + at, text.limit, left < 4 ? static_cast<int>(left) : 4);
  int const bytes = character_bytes(static_cast<uint32_t>(word) & 0xff);
  int const n = bytes < left ? bytes : static_cast<int>(left);
  return {n == 8 ? word : word & ((1ull << (8 * n)) - 1), n};
}

/// [thread] Where the character begins that ends at `end`, above 0.
GDF_DEVICE int64_t character_before(const string_piece& text, int64_t end) {
  int64_t at = end - 1;
#pragma unroll
  for (int i = 0; i < 3; i++) {
    if (at > 0 && is_continuation(__ldg(text.data + at))) { at--; }
  }
  return at;
}

/// [thread] The code of a character.
GDF_DEVICE uint32_t code_of(const character& one) { return decoded(one.word, one.bytes); }

/// [thread] Whether a code is white space, as Unicode has it.
GDF_DEVICE bool is_space(uint32_t code) {
  if (code < 0x80) { return code == ' ' || (code >= 9 && code <= 13); }
  return code == 0x85 || code == 0xa0 || code == 0x1680 || (code >= 0x2000 && code <= 0x200a) ||
         code == 0x2028 || code == 0x2029 || code == 0x202f || code == 0x205f || code == 0x3000;
}

/// [thread] Where the character of this number, 0 or more, begins; the end of the text if it has no more.
GDF_DEVICE int64_t place_or_end(const string_piece& text, int64_t number) {
  int64_t const place = character_place(text, number);
  return place < 0 ? text.size : place;
}

} // namespace gdf
