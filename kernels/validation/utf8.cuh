// Tests whether text is UTF-8. Each byte is tested by its neighboring bytes, so any number of threads can share the
// test of a text.
#pragma once

#include <gdf/types.cuh>

namespace validation {

/// [thread] Returns the number of bytes of a character that begins with this byte, or 0 if no character begins with it.
GDF_DEVICE int utf8_length(uint32_t byte) {
  if (byte < 0x80) { return 1; }
  if (byte < 0xc2) { return 0; }
  if (byte < 0xe0) { return 2; }
  if (byte < 0xf0) { return 3; }
  return byte < 0xf5 ? 4 : 0;
}

GDF_DEVICE bool is_continuation(uint32_t byte) { return (byte & 0xc0) == 0x80; }

/// [thread] Returns the begin of the character to which the continuation byte at `at` belongs, or -1 if there is no
/// such character.
GDF_DEVICE int64_t utf8_begin(const uint8_t* text, int64_t begin, int64_t at) {
  for (int back = 1; back < 4 && at - back >= begin; back++) {
    uint32_t const byte = text[at - back];
    if (!is_continuation(byte)) { return utf8_length(byte) > back ? at - back : -1; }
  }
  return -1;
}

/// [thread] Returns whether a whole character begins at `at` of a text that ends at `end`.
GDF_DEVICE bool is_character(const uint8_t* text, int64_t at, int64_t end) {
  uint32_t const first = text[at];
  int const length = utf8_length(first);
  if (length == 0 || at + length > end) { return false; }
  if (length == 1) { return true; }
  uint32_t const second = text[at + 1];
  // The limits exclude overlong encodings, surrogates, and code points above 0x10ffff.
  uint32_t const min_value = first == 0xe0 ? 0xa0 : first == 0xf0 ? 0x90 : 0x80;
  uint32_t const max_value = first == 0xed ? 0x9f : first == 0xf4 ? 0x8f : 0xbf;
  if (second < min_value || second > max_value) { return false; }
  for (int i = 2; i < length; i++) {
    if (!is_continuation(text[at + i])) { return false; }
  }
  return true;
}

constexpr int utf8_piece = 16; // bytes

/// [thread] Returns the position of the first misplaced byte among the bytes [from, from + 16) of the text [begin,
/// end), or -1 if there is none. A byte is misplaced if it does not belong to a whole character.
GDF_DEVICE int64_t misplaced(const uint8_t* text, int64_t begin, int64_t end, int64_t from) {
  int64_t const first = from < begin ? begin : from;
  int64_t const last = from + utf8_piece < end ? from + utf8_piece : end;
  if (last - first == utf8_piece && (reinterpret_cast<uintptr_t>(text + first) & 15) == 0) {
    uint4 const all = *reinterpret_cast<const uint4*>(text + first);
    if (((all.x | all.y | all.z | all.w) & 0x80808080u) == 0) { return -1; }
  }
  for (int64_t at = first; at < last; at++) {
    uint32_t const byte = text[at];
    if (byte < 0x80) { continue; }
    bool const in_place = is_continuation(byte) ? utf8_begin(text, begin, at) >= 0
                                                : is_character(text, at, end);
    if (!in_place) { return at; }
  }
  return -1;
}

} // namespace validation
