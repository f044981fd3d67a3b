// strings::tokenize, count_tokens and normalize_spaces: the non-empty parts of a text between delimiters or white
// space.

#include <gdf/build_lists.cuh>
#include <gdf/characters.cuh>
#include <gdf/value_strings.cuh>

GDF_POLICY(tokens, 128, 4, 8);

namespace tokens {

struct parameters {
  gdf::text_in text;
  gdf::text_in delimiters; // no rows: white space divides the text; each delimiter has at least one byte
};

/// [thread] Returns the number of bytes of the character at a position. If the character is not white space, the number
/// is negated.
template <class Text>
GDF_DEVICE int space_at(const Text& text, typename Text::index at) {
  uint32_t const byte = gdf::byte_at(text, at);
  if (byte < 0x80) { return gdf::is_space(byte) ? 1 : -1; }
  gdf::character const one = gdf::character_at(text, at);
  return gdf::is_space(gdf::code_of(one)) ? one.bytes : -one.bytes;
}

/// The delimiters.
struct dividers {
  static constexpr int most = 8;

  const gdf::text_in& text;
  const gdf::text_in& all;
  const gdf::needle* few;

  GDF_DEVICE explicit dividers(const parameters& p) : text(p.text), all(p.delimiters), few(shared(p.delimiters)) {}

  GDF_DEVICE static const gdf::needle* shared(const gdf::text_in& delimiters) {
    __shared__ gdf::needle few[most];
    if (threadIdx.x < most && threadIdx.x < delimiters.column.length) {
      few[threadIdx.x] = gdf::needle_of(gdf::text_at(delimiters, threadIdx.x));
    }
    __syncthreads();
    return few;
  }

  /// [thread] Returns the number of bytes of the first delimiter that matches at a position. If no delimiter matches,
  /// the function returns the number of bytes to advance, negated.
  template <class Text>
  GDF_DEVICE typename Text::index at(const Text& text, typename Text::index at) const {
    if (all.column.length == 0) { return space_at(text, at); }
    for (int64_t i = 0; i < all.column.length; i++) {
      gdf::needle const one = i < most ? few[i] : gdf::needle_of(gdf::text_at(all, i));
      if (one.size <= text.size - at && gdf::lies_at(text, at, one)) { return static_cast<typename Text::index>(one.size); }
    }
    return -1;
  }

  template <class Text, class Put>
  GDF_DEVICE void for_each(const Text& text, Put&& put) const {
    using index = typename Text::index;
    index begin = 0;
    for (index place = 0; place < text.size;) {
      index const bytes = at(text, place);
      if (bytes > 0) {
        if (begin < place) { put(begin, place); }
        begin = place + bytes;
      }
      place += bytes > 0 ? bytes : -bytes;
    }
    if (begin < text.size) { put(begin, text.size); }
  }
};

struct spans {
  static constexpr bool by_warp = true;
  static constexpr bool by_text = true;
  using prepared = dividers;

  GDF_DEVICE static int64_t work(int64_t row, const dividers& p) { return gdf::text_or_none(p.text, row).size; }

  template <class Sink, class Text>
  GDF_DEVICE static bool row(Sink& sink, const Text& text, int64_t row, const dividers& p) {
    int64_t const first = !Sink::is_absolute ? 0 : gdf::extent_within(p.text.column, row, p.text.bytes).begin;
    p.for_each(text, [&](int64_t begin, int64_t end) { sink.put({first + begin, end - begin}); });
    return true;
  }
};

template <class O>
struct count {
  static constexpr bool by_warp = false;
  using prepared = dividers;

  template <class Text>
  GDF_DEVICE static O row(const Text& text, const dividers& p) {
    O tokens = 0;
    p.for_each(text, [&](int64_t, int64_t) { tokens++; });
    return tokens;
  }
};

struct normalized {
  static constexpr bool by_warp = true;
  static constexpr bool by_text = true;
  using prepared = dividers;

  GDF_DEVICE static int64_t work(int64_t row, const dividers& p) { return gdf::text_or_none(p.text, row).size; }

  template <class Sink, class Text>
  GDF_DEVICE static bool row(Sink& sink, const Text& text, int64_t, const dividers& p) {
    using index = typename Text::index;
    bool is_first = true;
    p.for_each(text, [&](index begin, index end) {
      if (!is_first) { sink.put(' ', 1); }
      sink.put(gdf::part_of(text, begin, end));
      is_first = false;
    });
    return true;
  }
};

} // namespace tokens

GDF_STRINGS(tokens, tokens, text_sizes, tokens::parameters, gdf::size_strings<tokens::spans, gdf::span_sink>);
GDF_STRINGS(tokens, tokens, text_write, tokens::parameters, gdf::write_strings<tokens::spans, gdf::span_sink>);

GDF_POLICY(tokens_lists, 128, 4, 5);

GDF_STRINGS(tokens_lists, tokens, lists, tokens::parameters, gdf::list_strings<tokens::spans>);

GDF_POLICY(count_tokens, 128, 4, 6);

GDF_STRING_VALUES(count_tokens, count_tokens, int, tokens::parameters, gdf::value_strings<tokens::count<int32_t>, int32_t>);
GDF_STRING_VALUES(count_tokens, count_tokens, long, tokens::parameters, gdf::value_strings<tokens::count<int64_t>, int64_t>);

GDF_STRINGS(tokens, normalize_spaces, text_write, tokens::parameters, gdf::write_strings<tokens::normalized>);
