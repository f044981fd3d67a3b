// Strict JSON: checks whether a text is one JSON document, and moves through texts that have been checked.
// crates/gdf-strings/src/json/document.rs does the same on the CPU.
#pragma once

#include "staged_text.cuh"

namespace gdf {

namespace json {

/// The largest number of objects and arrays within one another.
constexpr int most_levels = 128;

/// A run of at most 8 bytes.
struct few_bytes {
  u64 word;
  int count;
};

/// The kind of each open object or array: the lowest bit is the innermost one, and 1 stands for an object.
struct open_levels {
  u64 low;
  u64 high;
  int count;

  GDF_DEVICE bool is_object() const { return (low & 1) != 0; }

  GDF_DEVICE bool push(bool object) {
    if (count == most_levels) { return false; }
    high = high << 1 | low >> 63;
    low = low << 1 | (object ? 1 : 0);
    count++;
    return true;
  }

  GDF_DEVICE void pop() {
    low = low >> 1 | high << 63;
    high >>= 1;
    count--;
  }
};

template <class Text>
struct document {
  using index = typename Text::index;
  static constexpr uint32_t double_quote = 0x22;
  static constexpr uint32_t backslash = 0x5c;
  static constexpr uint32_t none = 256; // the byte behind the end

  const Text& text;

  GDF_DEVICE uint32_t byte(index at) const { return at < text.size ? byte_at(text, at) : none; }

  GDF_DEVICE index skip_space(index at) const {
    while (true) {
      uint32_t const one = byte(at);
      if (one != ' ' && one != '\n' && one != '\r' && one != '\t') { return at; }
      at++;
    }
  }

  GDF_DEVICE static bool is_digit(uint32_t byte) { return byte >= '0' && byte <= '9'; }

  /// Returns the number of four hexadecimal digits, or a larger number if there are not four digits.
  GDF_DEVICE uint32_t unit_at(index at) const {
    uint32_t unit = 0;
    for (int i = 0; i < 4; i++) {
      uint32_t const digit = byte(at + i);
      uint32_t const letter = digit | 0x20;
      if (is_digit(digit)) {
        unit = unit << 4 | (digit - '0');
      } else if (letter >= 'a' && letter <= 'f') {
        unit = unit << 4 | (letter - 'a' + 10);
      } else {
        return ~0u;
      }
    }
    return unit;
  }

  /// Moves past an escape sequence. Returns false if the sequence is invalid, or is half of a pair of surrogates.
  GDF_DEVICE bool check_escape(index& at) const {
    uint32_t const kind = byte(at + 1);
    if (kind != 'u') {
      at += 2;
      return kind == double_quote || kind == backslash || kind == '/' || kind == 'b' || kind == 'f' || kind == 'n' ||
             kind == 'r' || kind == 't';
    }
    uint32_t const unit = unit_at(at + 2);
    at += 6;
    if (unit < 0xd800 || (unit > 0xdfff && unit <= 0xffff)) { return true; }
    if (unit > 0xdbff || byte(at) != backslash || byte(at + 1) != 'u') { return false; }
    uint32_t const low = unit_at(at + 2);
    at += 6;
    return low >= 0xdc00 && low <= 0xdfff;
  }

  /// Moves past a string, whose opening quote is at `at`. Returns false if the string is not valid.
  GDF_DEVICE bool check_string(index& at) const {
    at++;
    while (true) {
      uint32_t const one = byte(at);
      if (one == double_quote) {
        at++;
        return true;
      }
      if (one < ' ' || one == none) { return false; }
      if (one != backslash) {
        at++;
      } else if (!check_escape(at)) {
        return false;
      }
    }
  }

  GDF_DEVICE bool check_digits(index& at) const {
    index const begin = at;
    while (is_digit(byte(at))) { at++; }
    return at > begin;
  }

  GDF_DEVICE bool check_number(index& at) const {
    if (byte(at) == '-') { at++; }
    if (byte(at) == '0') {
      at++;
    } else if (!check_digits(at)) {
      return false;
    }
    if (byte(at) == '.') {
      at++;
      if (!check_digits(at)) { return false; }
    }
    if ((byte(at) | 0x20) != 'e') { return true; }
    at++;
    if (byte(at) == '+' || byte(at) == '-') { at++; }
    return check_digits(at);
  }

  GDF_DEVICE bool check_word(index& at, u64 word, int bytes) const {
    for (int i = 0; i < bytes; i++) {
      if (byte(at + i) != (word >> (8 * i) & 0xff)) { return false; }
    }
    at += bytes;
    return true;
  }

  GDF_DEVICE bool check_value(index& at) const {
    switch (byte(at)) {
      case double_quote: return check_string(at);
      case 't': return check_word(at, 't' | 'r' << 8 | 'u' << 16 | 'e' << 24, 4);
      case 'f': return check_word(at, 'f' | 'a' << 8 | 'l' << 16 | u64{'s'} << 24 | u64{'e'} << 32, 5);
      case 'n': return check_word(at, 'n' | 'u' << 8 | 'l' << 16 | 'l' << 24, 4);
      default: return check_number(at);
    }
  }

  /// Moves past the name of a field and the colon behind it. Returns false if one of them is missing or not valid.
  GDF_DEVICE bool check_name(index& at) const {
    if (byte(at) != double_quote || !check_string(at)) { return false; }
    at = skip_space(at);
    if (byte(at) != ':') { return false; }
    at = skip_space(at + 1);
    return true;
  }

  /// Returns whether the text is one document. `begin` and `end` become the bounds of its value without white space.
  GDF_DEVICE bool check(index& begin, index& end) const {
    open_levels open{0, 0, 0};
    index at = skip_space(0);
    begin = at;
    while (true) {
      uint32_t const first = byte(at);
      bool const is_object = first == '{';
      if (is_object || first == '[') {
        if (!open.push(is_object)) { return false; }
        at = skip_space(at + 1);
        if (byte(at) != (is_object ? '}' : ']')) {
          if (is_object && !check_name(at)) { return false; }
          continue;
        }
        open.pop();
        at++;
      } else if (!check_value(at)) {
        return false;
      }
      while (true) {
        if (open.count == 0) {
          end = at;
          return skip_space(at) == text.size;
        }
        at = skip_space(at);
        uint32_t const next = byte(at);
        at++;
        if (next == ',') {
          at = skip_space(at);
          if (open.is_object() && !check_name(at)) { return false; }
          break;
        }
        if (next != (open.is_object() ? '}' : ']')) { return false; }
        open.pop();
      }
    }
  }

  /// Returns the end of a string of a checked text.
  GDF_DEVICE index string_end(index at) const {
    for (at++; at < text.size; at++) {
      uint32_t const one = byte(at);
      if (one == double_quote) { return at + 1; }
      if (one == backslash) { at++; }
    }
    return text.size;
  }

  /// Returns the end of a value of a checked text.
  GDF_DEVICE index value_end(index at) const {
    uint32_t const first = byte(at);
    if (first == double_quote) { return string_end(at); }
    index open = 0;
    while (at < text.size) {
      uint32_t const one = byte(at);
      if (one == double_quote) {
        at = string_end(at);
        continue;
      }
      bool const closes = one == '}' || one == ']';
      if (open == 0 && (closes || one == ',' || one <= ' ')) { return at; }
      at++;
      if (one == '{' || one == '[') { open++; }
      if (closes && --open == 0) { return at; }
    }
    return text.size;
  }

  /// Calls `visit(name, name_end, begin, end)` for each element of the array, or each field of the object, that the
  /// checked text is. The name includes its quotes.
  template <class Visit>
  GDF_DEVICE void for_each(bool named, Visit&& visit) const {
    index at = skip_space(1);
    while (at < text.size && byte(at) != ']' && byte(at) != '}') {
      index const name = at;
      index name_end = at;
      if (named) {
        name_end = string_end(at);
        at = skip_space(skip_space(name_end) + 1);
      }
      index const end = value_end(at);
      visit(name, name_end, at, end);
      at = skip_space(end);
      if (byte(at) == ',') { at = skip_space(at + 1); }
    }
  }

  /// Reads an escape sequence of a checked text. Returns the bytes for which it stands.
  GDF_DEVICE few_bytes unescape(index& at) const {
    uint32_t const kind = byte(at + 1);
    at += 2;
    switch (kind) {
      case 'b': return {8, 1};
      case 'f': return {12, 1};
      case 'n': return {10, 1};
      case 'r': return {13, 1};
      case 't': return {9, 1};
      case 'u': break;
      default: return {kind & 0xff, 1};
    }
    uint32_t code = unit_at(at) & 0xffff;
    at += 4;
    if (code >= 0xd800 && code <= 0xdbff) {
      code = 0x10000 + ((code & 0x3ff) << 10 | (unit_at(at + 2) & 0x3ff));
      at += 6;
    }
    return {encoded(code), encoded_bytes(code)};
  }

  /// Returns whether the characters of a name of a checked text are the bytes of `wanted`.
  GDF_DEVICE bool name_is(index begin, index end, const uint8_t* wanted, uint32_t size) const {
    uint32_t same = 0;
    for (index at = begin; at < end;) {
      few_bytes some{byte(at), 1};
      if (some.word == backslash) {
        some = unescape(at);
      } else {
        at++;
      }
      for (int i = 0; i < some.count; i++) {
        if (same == size || __ldg(wanted + same) != (some.word >> (8 * i) & 0xff)) { return false; }
        same++;
      }
    }
    return same == size;
  }
};

} // namespace json

} // namespace gdf
