// strings::wrap: breaks text into lines.

#include <gdf/build_strings.cuh>
#include <gdf/characters.cuh>

GDF_POLICY(wrap, 128, 4, 8);

namespace wrap {

struct parameters {
  gdf::text_in text;
  int64_t width; // positive
};

struct wrapped {
  static constexpr bool by_warp = true;

  GDF_DEVICE static int64_t work(int64_t, const parameters&) { return 0; }

  template <class Sink>
  GDF_DEVICE static bool row(Sink& sink, int64_t row, const parameters& p) {
    if (!gdf::is_valid(p.text.column, row)) { return false; }
    gdf::string_piece const text = gdf::text_at(p.text, row);
    int64_t line = 0; // the number of the character after which the line begins
    int64_t space = -1; // the position of the last space of the line
    int64_t space_at = -1;
    int64_t from = 0;
    int64_t number = 0;
    for (int64_t at = 0; at < text.size; number++) {
      gdf::character const one = gdf::character_at(text, at);
      if (one.bytes == 1 && one.word <= ' ') {
        space = number;
        space_at = at;
      }
      if (number - line >= p.width && space_at >= 0) {
        sink.put(gdf::part_of(text, from, space_at));
        sink.put('\n', 1);
        from = space_at + 1;
        line = space;
        space_at = -1;
      }
      at += one.bytes;
    }
    sink.put(gdf::part_of(text, from, text.size));
    return true;
  }
};

} // namespace wrap

GDF_STRINGS(wrap, wrap, text_write, wrap::parameters, gdf::write_strings<wrap::wrapped>);
