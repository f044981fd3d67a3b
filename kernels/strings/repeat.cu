// strings::repeat: repeats each text.

#include <gdf/build_strings.cuh>

GDF_POLICY(repeat, 128, 4, 8);

namespace repeat {

struct parameters {
  gdf::text_in text;
  gdf::text_in count; // int64_t
};

struct repeated {
  static constexpr bool by_warp = true;
  static constexpr bool by_text = true;
  static constexpr bool size_by_size = true;

  struct prepared {
    const gdf::text_in& text;
    gdf::number_argument count;

    GDF_DEVICE explicit prepared(const parameters& p) : text(p.text), count(p.count) {}
  };

  GDF_DEVICE static int64_t work(int64_t, const prepared&) { return 0; }

  template <class Sink, class Text>
  GDF_DEVICE static bool row(Sink& sink, const Text& text, int64_t row, const prepared& p) {
    int64_t count;
    if (!p.count.get(row, count)) { return false; }
    sink.put_times(text, count);
    return true;
  }
};

} // namespace repeat

GDF_STRINGS(repeat, repeat, text_write, repeat::parameters, gdf::write_strings<repeat::repeated>);
