// json::from_json: the spans of the fields of objects, and of the elements of arrays, in checked JSON text.

#include <gdf/build_strings.cuh>
#include <gdf/json_document.cuh>

GDF_POLICY(json_parts, 128, 4, 4);

namespace json_parts {

/// The parts of a text. For `fields`, the parts are an empty span, followed by the value of each field that the
/// parameters name. For `elements`, they are all elements of an array. For `names` and `members`, they are all names or
/// all values of an object.
enum kind : int32_t { fields = 0, elements = 1, names = 2, members = 3 };

struct parameters {
  gdf::text_in text;
  const uint8_t* names; // the names of the fields that `fields` gives
  const int32_t* ends; // the end of each of these names
  int32_t count; // the number of these names
  int32_t kind; // a `kind`
};

struct parts {
  static constexpr bool by_warp = false;
  static constexpr bool by_text = true;

  template <class Sink, class Text>
  GDF_DEVICE static bool row(Sink& sink, const Text& text, int64_t row, const parameters& p) {
    using index = typename Text::index;
    gdf::json::document<Text> const document{text};
    bool const named = p.kind != kind::elements;
    if (document.byte(0) != (named ? '{' : '[')) { return false; }
    int64_t const first = !Sink::is_absolute ? 0 : gdf::extent_within(p.text.column, row, p.text.bytes).begin;
    auto const span = [&](int64_t begin, int64_t end) { return gdf::text_span{first + begin, end - begin}; };
    if (p.kind != kind::fields) {
      bool const puts_name = p.kind == kind::names;
      document.for_each(named, [&](index name, index name_end, index begin, index end) {
        sink.put(puts_name ? span(name, name_end) : span(begin, end));
      });
      return true;
    }
    if constexpr (Sink::is_writing) {
      sink.put_at(0, span(0, 0));
      for (int i = 1; i <= p.count; i++) { sink.put_at(static_cast<gdf::u64>(i), gdf::text_span{0, -1}); }
      document.for_each(named, [&](index name, index name_end, index begin, index end) {
        int32_t from = 0;
        for (int i = 0; i < p.count; i++) {
          int32_t const to = __ldg(p.ends + i);
          if (document.name_is(name + 1, name_end - 1, p.names + from, static_cast<uint32_t>(to - from))) {
            sink.put_at(static_cast<gdf::u64>(i) + 1, span(begin, end));
          }
          from = to;
        }
      });
    }
    sink.set_size(static_cast<gdf::u64>(p.count) + 1);
    return true;
  }
};

} // namespace json_parts

GDF_STRINGS(json_parts, json_parts, text_sizes, json_parts::parameters, gdf::size_strings<json_parts::parts, gdf::span_sink>);
GDF_STRINGS(json_parts, json_parts, text_write, json_parts::parameters, gdf::write_strings<json_parts::parts, gdf::span_sink>);
