// A scanner that moves through the elements of JSON text without building a tree: to the first child of an element, to
// the next element, and to the end of an element. The scanner is lenient: it interprets only brackets, quotes, commas
// and colons, and treats all other characters as values. crates/gdf-strings/src/json/scanner.rs does the same on the
// CPU.
#pragma once

#include "staged_text.cuh"

namespace gdf {

namespace json {

/// The kind of an element of JSON text. A value is a string, a number, or a word.
enum class element : int8_t { none, object, array, value };

/// The result of a movement.
enum class outcome : int8_t { error, nothing, found };

/// A position in JSON text, and the element that begins there.
template <class Text>
struct cursor {
  using index = typename Text::index;
  index at; // the first byte that has not been read
  index start; // the first byte of the element, or -1
  index name; // the name of the element, if it is in an object
  index name_size;
  element kind;
  element parent;
};

template <class Text>
struct scanner {
  using index = typename Text::index;
  using place = cursor<Text>;
  static constexpr uint32_t double_quote = 0x22;
  static constexpr uint32_t single_quote = 0x27;
  static constexpr uint32_t backslash = 0x5c;

  const Text& text;
  bool single_quotes; // whether strings may also be in single quotes

  GDF_DEVICE uint32_t byte(index at) const { return byte_at(text, at); }

  GDF_DEVICE bool is_quote(uint32_t byte) const { return byte == double_quote || (single_quotes && byte == single_quote); }

  /// Skips white space. Returns whether bytes are left.
  GDF_DEVICE bool skip_space(index& at) const {
    while (at < text.size && byte(at) <= ' ') { at++; }
    return at < text.size;
  }

  /// Skips an escape sequence, whose backslash is at `at`. Returns false if the sequence is invalid.
  GDF_DEVICE bool skip_escape(index& at) const {
    if (at + 1 >= text.size) { return false; }
    switch (byte(at + 1)) {
      case double_quote:
      case backslash:
      case '/':
      case 'b':
      case 'f':
      case 'n':
      case 'r':
      case 't': at += 2; return true;
      case 'u': break;
      default: return false;
    }
    if (at + 6 > text.size) { return false; }
    for (int i = 2; i < 6; i++) {
      uint32_t const digit = byte(at + i);
      uint32_t const letter = digit | 0x20;
      if (!((digit >= '0' && digit <= '9') || (letter >= 'a' && letter <= 'f'))) { return false; }
    }
    at += 6;
    return true;
  }

  /// Skips a string, whose opening quote is at `at`. Returns `nothing` if there is no closing quote.
  GDF_DEVICE outcome skip_string(index& at) const {
    uint32_t const quote = byte(at);
    at++;
    while (at < text.size) {
      uint32_t const one = byte(at);
      if (one == backslash) {
        if (!skip_escape(at)) { return outcome::error; }
      } else {
        at++;
        if (one == quote) { return outcome::found; }
      }
    }
    return outcome::nothing;
  }

  GDF_DEVICE place begin() const {
    place c{0, -1, 0, 0, element::none, element::none};
    skip_space(c.at);
    return c;
  }

  /// Moves to the end of the element, and past the comma that follows. `end` becomes the end of the element. Returns
  /// false if the text is invalid.
  GDF_DEVICE bool leave(place& c, index& end) const {
    index at = c.start;
    if (c.kind == element::value) {
      if (is_quote(byte(at))) {
        if (skip_string(at) != outcome::found) { return false; }
      } else {
        for (; at < text.size; at++) {
          uint32_t const one = byte(at);
          if (one == ',' || one == '}' || one == ']' || one <= ' ') { break; }
          if (one == '[' || one == '{' || one == ':' || is_quote(one)) { return false; }
        }
      }
    } else {
      index objects = 0;
      index arrays = 0;
      while (at < text.size) {
        uint32_t const one = byte(at);
        if (is_quote(one)) {
          if (skip_string(at) != outcome::found) { return false; }
        } else {
          at++;
          objects += (one == '{' ? 1 : 0) - (one == '}' ? 1 : 0);
          arrays += (one == '[' ? 1 : 0) - (one == ']' ? 1 : 0);
        }
        if (objects == 0 && arrays == 0) { break; }
      }
      if (objects > 0 || arrays > 0) { return false; }
    }
    end = at;
    if (skip_space(at) && byte(at) == ',') { at++; }
    c.at = at;
    return true;
  }

  /// Moves to the first child of the element.
  GDF_DEVICE outcome child(place& c) const {
    if (c.kind != element::object && c.kind != element::array) { return outcome::nothing; }
    element const parent = c.kind;
    outcome const result = enter(c, parent != element::array);
    if (result == outcome::found) { c.parent = parent; }
    return result;
  }

  GDF_DEVICE outcome next(place& c) const {
    if (c.start >= 0) {
      index end;
      if (!leave(c, end)) { return outcome::error; }
      c.start = -1;
    }
    return enter(c, c.parent != element::array);
  }

  /// Moves from the position after a bracket or a comma to the element that begins there.
  GDF_DEVICE outcome enter(place& c, bool named) const {
    if (!skip_space(c.at)) { return outcome::nothing; }
    uint32_t const first = byte(c.at);
    if (first == ']' || first == '}') { return outcome::nothing; }
    if (named) {
      c.name_size = 0;
      if (is_quote(first)) {
        index const begin = c.at + 1;
        outcome const name = skip_string(c.at);
        if (name == outcome::error) { return name; }
        if (name == outcome::found) {
          c.name = begin;
          c.name_size = c.at - 1 - begin;
        }
        if (c.name_size > 0) {
          if (!skip_space(c.at)) { return outcome::error; }
          if (byte(c.at) == ':') { c.at++; }
        }
      }
      if (!skip_space(c.at)) { return outcome::nothing; }
    }
    uint32_t const opens = byte(c.at);
    switch (opens) {
      case '[': c.kind = element::array; break;
      case '{': c.kind = element::object; break;
      case ',':
      case ':':
      case ']':
      case '}': return outcome::error;
      case single_quote:
        if (!single_quotes) { return outcome::error; }
        c.kind = element::value;
        break;
      default: c.kind = element::value;
    }
    c.start = c.at;
    c.at++;
    return outcome::found;
  }
};

} // namespace json

} // namespace gdf
