// strings::url_encode and url_decode. url_encode replaces bytes by a percent sign and two hexadecimal digits, and
// url_decode does the reverse.

#include <gdf/build_strings.cuh>
#include <gdf/characters.cuh>

GDF_POLICY(url, 128, 4, 8);

namespace url {

struct parameters {
  gdf::text_in text;
};

/// [thread] Returns whether url_encode keeps a byte.
GDF_DEVICE bool is_unreserved(uint32_t byte) {
  uint32_t const letter = byte | 0x20;
  return (letter >= 'a' && letter <= 'z') || (byte >= '0' && byte <= '9') || byte == '-' || byte == '.' || byte == '_' || byte == '~';
}

/// [thread] Returns the value of a hexadecimal digit. For any other byte, the result is 16.
GDF_DEVICE uint32_t hex_value(uint32_t byte) {
  if (byte >= '0' && byte <= '9') { return byte - '0'; }
  uint32_t const letter = byte | 0x20;
  return letter >= 'a' && letter <= 'f' ? letter - 'a' + 10 : 16;
}

struct encoded_row {
  static constexpr bool by_warp = true;

  GDF_DEVICE static int64_t work(int64_t, const parameters&) { return 0; }

  template <class Sink>
  GDF_DEVICE static bool row(Sink& sink, int64_t row, const parameters& p) {
    if (!gdf::is_valid(p.text.column, row)) { return false; }
    gdf::string_piece const text = gdf::text_at(p.text, row);
    int64_t from = 0;
    for (int64_t at = 0; at < text.size; at++) {
      uint32_t const byte = __ldg(text.data + at);
      if (is_unreserved(byte)) { continue; }
      if (from < at) { sink.put(gdf::part_of(text, from, at)); }
      auto const digit = [](uint32_t value) { return value < 10 ? '0' + value : 'A' + value - 10; };
      sink.put('%' | digit(byte >> 4) << 8 | digit(byte & 15) << 16, 3);
      from = at + 1;
    }
    if (from < text.size) { sink.put(gdf::part_of(text, from, text.size)); }
    return true;
  }
};

/// Validates UTF-8, byte by byte.
struct utf8_state {
  int missing; // bytes of the character that are still missing
  uint32_t low; // the smallest and the largest value of the next byte
  uint32_t high;

  /// [thread] Reads the next byte. Returns false if the bytes up to this byte cannot begin a valid UTF-8 text.
  GDF_DEVICE bool take(uint32_t byte) {
    if (missing > 0) {
      bool const follows = byte >= low && byte <= high;
      missing--;
      low = 0x80;
      high = 0xbf;
      return follows;
    }
    if (byte < 0x80) { return true; }
    missing = byte < 0xe0 ? 1 : byte < 0xf0 ? 2 : 3;
    low = byte == 0xe0 ? 0xa0 : byte == 0xf0 ? 0x90 : 0x80;
    high = byte == 0xed ? 0x9f : byte == 0xf4 ? 0x8f : 0xbf;
    return byte >= 0xc2 && byte <= 0xf4;
  }
};

struct decoded_row {
  static constexpr bool by_warp = true;

  GDF_DEVICE static int64_t work(int64_t, const parameters&) { return 0; }

  /// [thread] Returns the byte for which the escape sequence at `at` stands, or 256 if there is no escape sequence.
  GDF_DEVICE static uint32_t escaped(const gdf::string_piece& text, int64_t at) {
    if (at + 2 >= text.size || __ldg(text.data + at) != '%') { return 256; }
    uint32_t const high = hex_value(__ldg(text.data + at + 1));
    uint32_t const low = hex_value(__ldg(text.data + at + 2));
    return high > 15 || low > 15 ? 256 : high << 4 | low;
  }

  GDF_DEVICE static bool is_text(const gdf::string_piece& text) {
    utf8_state state{0, 0x80, 0xbf};
    for (int64_t at = 0; at < text.size;) {
      uint32_t const byte = escaped(text, at);
      if (!state.take(byte < 256 ? byte : __ldg(text.data + at))) { return false; }
      at += byte < 256 ? 3 : 1;
    }
    return state.missing == 0;
  }

  template <class Sink>
  GDF_DEVICE static bool row(Sink& sink, int64_t row, const parameters& p) {
    if (!gdf::is_valid(p.text.column, row)) { return false; }
    gdf::string_piece const text = gdf::text_at(p.text, row);
    if (!is_text(text)) { return false; }
    int64_t from = 0;
    for (int64_t at = 0; at < text.size;) {
      uint32_t const byte = escaped(text, at);
      if (byte > 255) {
        at++;
        continue;
      }
      if (from < at) { sink.put(gdf::part_of(text, from, at)); }
      sink.put(byte, 1);
      at += 3;
      from = at;
    }
    if (from < text.size) { sink.put(gdf::part_of(text, from, text.size)); }
    return true;
  }
};

} // namespace url

GDF_STRINGS(url, url, encode_write, url::parameters, gdf::write_strings<url::encoded_row>);
GDF_STRINGS(url, url, decode_write, url::parameters, gdf::write_strings<url::decoded_row>);
