// Characters of UTF-8. Bytes that are not valid UTF-8 are passed on unchanged. No byte after the end of a text is
// interpreted.
#pragma once

#include "staged_text.cuh"

namespace gdf {

GDF_DEVICE bool is_continuation(uint32_t byte) { return (byte & 0xc0) == 0x80; }

/// [thread] Returns the first position from `at` on at which a character of the text begins, or the end of the text.
GDF_DEVICE int64_t character_from(const string_piece& text, int64_t at) {
#pragma unroll
  for (int i = 0; i < 3; i++) {
    if (at < text.size && is_continuation(__ldg(text.data + at))) { at++; }
  }
  return at < text.size ? at : text.size;
}

GDF_DEVICE int character_bytes(uint32_t first) {
  return first < 0xc0 ? 1 : first < 0xe0 ? 2 : first < 0xf0 ? 3 : 4;
}

GDF_DEVICE int encoded_bytes(uint32_t code) {
  return code < 0x80 ? 1 : code < 0x800 ? 2 : code < 0x10000 ? 3 : 4;
}

GDF_DEVICE uint32_t decoded(u64 word, int bytes) {
  auto const tail = [&](int i) { return static_cast<uint32_t>(word >> (8 * i)) & 0x3f; };
  auto const first = static_cast<uint32_t>(word) & 0xff;
  switch (bytes) {
    case 1: return first;
    case 2: return (first & 0x1f) << 6 | tail(1);
    case 3: return (first & 0x0f) << 12 | tail(1) << 6 | tail(2);
    default: return (first & 0x07) << 18 | tail(1) << 12 | tail(2) << 6 | tail(3);
  }
}

/// [thread] Returns the bytes of a character.
GDF_DEVICE uint32_t encoded(uint32_t code) {
  auto const tail = [&](int shift) { return 0x80 | (code >> shift & 0x3f); };
  switch (encoded_bytes(code)) {
    case 1: return code;
    case 2: return 0xc0 | code >> 6 | tail(0) << 8;
    case 3: return 0xe0 | code >> 12 | tail(6) << 8 | tail(0) << 16;
    default: return 0xf0 | code >> 18 | tail(12) << 8 | tail(6) << 16 | tail(0) << 24;
  }
}

/// [thread] Visits the characters of a text. The function calls `ascii(word, n)` for n (1 to 8) bytes below 128,
/// which are the lowest bytes of `word`, and `other(word, n)` for a character of n (1 to 4) bytes. The function ends
/// when one of the two calls returns false.
template <class Text, class Ascii, class Other>
GDF_DEVICE void for_each_character(const Text& text, Ascii&& ascii, Other&& other) {
  typename Text::index at = 0;
  while (at < text.size) {
    auto const left = text.size - at;
    int const n = left < 8 ? static_cast<int>(left) : 8;
    u64 word = bytes_at(text, at);
    u64 const beyond = word & 0x8080808080808080ull;
    int const run = beyond == 0 ? n : (__ffsll(static_cast<long long>(beyond)) - 1) >> 3;
    if (run > 0 && !ascii(word, run)) { return; }
    at += run;
    if (run > 4) { continue; } // also for eight bytes, as the next character may reach into the next word
    word >>= 8 * run;
    int const here = n - run;
    if (here == 0) { continue; }
    int const bytes = character_bytes(static_cast<uint32_t>(word) & 0xff);
    if (bytes > here && here < left - run) { continue; } // the remaining bytes come with the next word
    if (!other(word, bytes < here ? bytes : here)) { return; }
    at += bytes < here ? bytes : here;
  }
}

} // namespace gdf
