// json::get_json_object: the elements of JSON text that a path selects.

#include <gdf/build_strings.cuh>
#include <gdf/json_scanner.cuh>

GDF_POLICY(get_json_object, 128, 4, 4);

namespace json {

using gdf::json::element;
using gdf::json::outcome;

/// A step of a path.
enum step_kind : uint32_t { name = 0, index = 1, each = 2, end = 3 };

struct step {
  uint32_t kind; // a `step_kind`
  uint32_t position; // the position of the element in the array, or of the first byte of the name
  uint32_t size; // the number of bytes of the name
  uint32_t unused;
};

/// The maximum number of steps of the kind `each` in a path.
constexpr int most_wildcards = 7;

constexpr uint32_t single_quotes = 1;
constexpr uint32_t strips_quotes = 2;
constexpr uint32_t missing_as_null = 4;

struct parameters {
  gdf::text_in text;
  const step* steps; // the last step is `end`
  const uint8_t* names;
  uint32_t options;
  uint32_t unused;
};

/// [thread] Appends the elements that the path selects to the sink. Returns false if there are none, or if the document
/// is not valid.
template <class Sink, class Text>
GDF_DEVICE bool select(Sink& sink, const Text& text, const parameters& p) {
  using index_type = typename Text::index;
  gdf::json::scanner<Text> const scan{text, (p.options & single_quotes) != 0};
  gdf::json::cursor<Text> lists[most_wildcards]; // the positions of the steps of the kind `each`
  int32_t steps_of[most_wildcards];
  int depth = 0;
  bool any = false; // whether there is a result
  bool follows = false; // whether the list of the result already has an element
  auto const separate = [&] {
    if (depth > 0 && follows) { sink.put_byte(','); }
    any = true;
    follows = true;
  };
  auto c = scan.begin();
  if (scan.next(c) != outcome::found) { return false; }
  int32_t at = 0;
  while (true) {
    while (true) {
      uint32_t const kind = __ldg(&p.steps[at].kind);
      if (kind == step_kind::end) {
        index_type begin = c.start;
        index_type stop;
        if (!scan.leave(c, stop)) { return false; }
        separate();
        if (depth == 0 && c.kind == element::value && (p.options & strips_quotes) != 0 && scan.is_quote(scan.byte(begin))) {
          begin++;
          stop--;
        }
        sink.put(gdf::part_of(text, begin, stop));
        break;
      }
      bool const fits = kind == step_kind::each || c.kind == (kind == step_kind::name ? element::object : element::array);
      if (!fits) { return false; }
      outcome found = scan.child(c);
      if (found == outcome::error) { return false; }
      if (kind == step_kind::each) {
        any = true;
        if (depth == 0) { sink.put_byte('['); }
        if (found == outcome::nothing) {
          if (depth == 0) { sink.put_byte(']'); }
          break;
        }
        lists[depth] = c;
        steps_of[depth] = at;
        depth++;
        at++;
        continue;
      }
      if (found == outcome::nothing) { break; }
      uint32_t const position = __ldg(&p.steps[at].position);
      if (kind == step_kind::name) {
        uint32_t const size = __ldg(&p.steps[at].size);
        auto const is_wanted = [&] {
          if (c.name_size != static_cast<index_type>(size)) { return false; }
          for (uint32_t i = 0; i < size; i++) {
            if (scan.byte(c.name + static_cast<index_type>(i)) != __ldg(p.names + position + i)) { return false; }
          }
          return true;
        };
        while (found == outcome::found && !is_wanted()) { found = scan.next(c); }
        if (found == outcome::error) { return false; }
        if (found == outcome::nothing) {
          if ((p.options & missing_as_null) != 0) {
            separate();
            sink.put('n' | 'u' << 8 | 'l' << 16 | 'l' << 24, 4);
          }
          break;
        }
      } else {
        for (uint32_t i = 0; i < position; i++) {
          if (scan.next(c) != outcome::found) { return false; }
        }
      }
      at++;
    }
    while (true) {
      if (depth == 0) { return any; }
      c = lists[depth - 1];
      outcome const found = scan.next(c);
      if (found == outcome::error) { return false; }
      if (found == outcome::found) {
        lists[depth - 1] = c;
        at = steps_of[depth - 1] + 1;
        break;
      }
      depth--;
      if (depth == 0) { sink.put_byte(']'); }
    }
  }
}

struct object {
  static constexpr bool by_warp = false;
  static constexpr bool by_text = true;

  template <class Sink, class Text>
  GDF_DEVICE static bool row(Sink& sink, const Text& text, int64_t, const parameters& p) {
    if constexpr (Sink::is_writing) {
      // If a row turns out to be null, nothing may have been written for it.
      gdf::text_sink<false, false> counting{nullptr, 0};
      if (!select(counting, text, p)) { return false; }
    }
    return select(sink, text, p);
  }

  /// [thread] Does the same as `row`, with the same result, if the size of the result is known.
  template <class Sink, class Text>
  GDF_DEVICE static bool row_of_size(Sink& sink, const Text& text, int64_t of, uint32_t size, const parameters& p) {
    return size > 0 ? select(sink, text, p) : row(sink, text, of, p);
  }
};

} // namespace json

GDF_STRINGS(get_json_object, get_json_object, text_write, json::parameters, gdf::write_strings<json::object>);
