// json::from_json and json::to_json: checks of whole documents, and strings of JSON from text and to text.

#include <gdf/build_strings.cuh>
#include <gdf/json_document.cuh>
#include <gdf/utf8.cuh>

GDF_POLICY(json_texts, 128, 4, 4);

namespace json_texts {

struct parameters {
  gdf::text_in text;
  const uint8_t* affixes; // the bytes of the prefix, followed by the bytes of the suffix
  int32_t prefix; // number of bytes
  int32_t suffix;
  int32_t null_is_text; // whether a null row becomes `null` with the affixes
  int32_t unused;
};

struct by_thread {
  static constexpr bool by_warp = false;
  static constexpr bool by_text = true;
};

template <class Sink>
GDF_DEVICE void put_null(Sink& sink) {
  sink.put('n' | 'u' << 8 | 'l' << 16 | 'l' << 24, 4);
}

template <class Sink, class Text>
GDF_DEVICE void put_part(Sink& sink, const Text& text, typename Text::index from, typename Text::index to) {
  if (from < to) { sink.put(gdf::part_of(text, from, to)); }
}

/// A document without the white space around it, or null if the text is not a document.
struct document : by_thread {
  template <class Sink, class Text>
  GDF_DEVICE static bool row(Sink& sink, const Text& text, int64_t, const parameters&) {
    typename Text::index begin;
    typename Text::index end;
    if (!gdf::json::document<Text>{text}.check(begin, end)) { return false; }
    put_part(sink, text, begin, end);
    return true;
  }
};

/// The content of a value in a checked text. For a string, this is its characters. For `null`, the result is null. For
/// any other value, it is the text of the value.
struct content : by_thread {
  template <class Sink, class Text>
  GDF_DEVICE static bool row(Sink& sink, const Text& text, int64_t, const parameters&) {
    using index = typename Text::index;
    gdf::json::document<Text> const value{text};
    uint32_t const first = value.byte(0);
    if (first == 'n') { return false; }
    if (first != value.double_quote) {
      put_part(sink, text, 0, text.size);
      return true;
    }
    index from = 1;
    for (index at = 1; at + 1 < text.size;) {
      if (value.byte(at) != value.backslash) {
        at++;
        continue;
      }
      put_part(sink, text, from, at);
      gdf::json::few_bytes const some = value.unescape(at);
      sink.put(some.word, some.count);
      from = at;
    }
    put_part(sink, text, from, text.size - 1);
    return true;
  }
};

/// A string of JSON with the characters of a text.
struct quoted : by_thread {
  GDF_DEVICE static gdf::json::few_bytes escape(uint32_t byte) {
    uint32_t short_form = 0;
    switch (byte) {
      case 8: short_form = 'b'; break;
      case 9: short_form = 't'; break;
      case 10: short_form = 'n'; break;
      case 12: short_form = 'f'; break;
      case 13: short_form = 'r'; break;
      case 0x22:
      case 0x5c: short_form = byte; break;
      default: break;
    }
    if (short_form != 0) { return {0x5c | short_form << 8, 2}; }
    auto const digit = [](uint32_t value) { return gdf::u64{value < 10 ? '0' + value : 'a' + value - 10}; };
    uint32_t const begin = 0x5c | 'u' << 8 | '0' << 16 | '0' << 24;
    return {begin | digit(byte >> 4) << 32 | digit(byte & 15) << 40, 6};
  }

  template <class Sink, class Text>
  GDF_DEVICE static bool row(Sink& sink, const Text& text, int64_t, const parameters&) {
    using index = typename Text::index;
    sink.put_byte(0x22);
    index from = 0;
    for (index at = 0; at < text.size; at++) {
      uint32_t const byte = gdf::byte_at(text, at);
      if (byte >= ' ' && byte != 0x22 && byte != 0x5c) { continue; }
      put_part(sink, text, from, at);
      gdf::json::few_bytes const some = escape(byte);
      sink.put(some.word, some.count);
      from = at + 1;
    }
    put_part(sink, text, from, text.size);
    sink.put_byte(0x22);
    return true;
  }
};

/// The text of a finite float, and `null` for the text of any other float.
struct finite : by_thread {
  template <class Sink, class Text>
  GDF_DEVICE static bool row(Sink& sink, const Text& text, int64_t, const parameters&) {
    gdf::json::document<Text> const number{text};
    if (number.is_digit(number.byte(number.byte(0) == '-' ? 1 : 0))) {
      put_part(sink, text, 0, text.size);
    } else {
      put_null(sink);
    }
    return true;
  }
};

/// A date and time with all parts that the format of from_json names.
struct moment : by_thread {
  template <class Sink, class Text>
  GDF_DEVICE static bool row(Sink& sink, const Text& text, int64_t, const parameters&) {
    using index = typename Text::index;
    constexpr index date = 10;
    constexpr index seconds = 19;
    gdf::json::document<Text> const given{text};
    if (text.size <= date) {
      put_part(sink, text, 0, text.size);
      sink.put('T' | '0' << 8 | '0' << 16 | gdf::u64{':'} << 24 | gdf::u64{'0'} << 32 | gdf::u64{'0'} << 40 | gdf::u64{':'} << 48, 7);
      sink.put('0' | '0' << 8, 2);
      sink.put_byte('.');
      sink.put_times('0', 1, 9);
      sink.put_byte('Z');
      return true;
    }
    // The fraction would be put between the bytes of a character.
    if (gdf::is_continuation(given.byte(seconds))) {
      put_part(sink, text, 0, text.size);
      return true;
    }
    put_part(sink, text, 0, date);
    uint32_t const between = given.byte(date);
    sink.put_byte(static_cast<uint8_t>(between == ' ' || between == 't' ? 'T' : between));
    put_part(sink, text, date + 1, seconds < text.size ? seconds : text.size);
    index at = seconds;
    sink.put_byte('.');
    int digits = 0;
    if (given.byte(at) == '.' && given.is_digit(given.byte(at + 1))) {
      for (at++; given.is_digit(given.byte(at)); at++) {
        if (digits < 9) {
          sink.put_byte(static_cast<uint8_t>(given.byte(at)));
          digits++;
        }
      }
    }
    sink.put_times('0', 1, 9 - digits);
    uint32_t const zone = given.byte(at);
    if (at >= text.size || (zone == 'z' && at + 1 == text.size)) {
      sink.put_byte('Z');
    } else {
      put_part(sink, text, at, text.size);
    }
    return true;
  }
};

/// A text between a prefix and a suffix.
struct affixed : by_thread {
  template <class Sink>
  GDF_DEVICE static void put_affix(Sink& sink, int32_t from, int32_t to, const parameters& p) {
    while (from < to) {
      gdf::u64 word = 0;
      int const count = to - from < 8 ? to - from : 8;
      for (int i = 0; i < count; i++) { word |= gdf::u64{__ldg(p.affixes + from + i)} << (8 * i); }
      sink.put(word, count);
      from += count;
    }
  }

  template <class Sink, class Text>
  GDF_DEVICE static bool row(Sink& sink, const Text& text, int64_t, const parameters& p) {
    put_affix(sink, 0, p.prefix, p);
    put_part(sink, text, 0, text.size);
    put_affix(sink, p.prefix, p.prefix + p.suffix, p);
    return true;
  }

  template <class Sink>
  GDF_DEVICE static bool null_row(Sink& sink, int64_t, const parameters& p) {
    if (p.null_is_text == 0) { return false; }
    put_affix(sink, 0, p.prefix, p);
    put_null(sink);
    put_affix(sink, p.prefix, p.prefix + p.suffix, p);
    return true;
  }
};

} // namespace json_texts

GDF_STRINGS(json_texts, json_texts, document_write, json_texts::parameters, gdf::write_strings<json_texts::document>);
GDF_STRINGS(json_texts, json_texts, content_write, json_texts::parameters, gdf::write_strings<json_texts::content>);
GDF_STRINGS(json_texts, json_texts, moment_write, json_texts::parameters, gdf::write_strings<json_texts::moment>);
GDF_STRINGS(json_texts, json_texts, quoted_write, json_texts::parameters, gdf::write_strings<json_texts::quoted>);
GDF_STRINGS(json_texts, json_texts, finite_write, json_texts::parameters, gdf::write_strings<json_texts::finite>);
GDF_STRINGS(json_texts, json_texts, affixed_write, json_texts::parameters, gdf::write_strings<json_texts::affixed>);
