// strings::slice: selects characters of each text by start, stop and step. All three have the same meaning as in
// Python.

#include <gdf/build_strings.cuh>
#include <gdf/characters.cuh>

GDF_POLICY(slice, 128, 4, 8);

namespace slice {

struct parameters {
  gdf::text_in text;
  gdf::text_in start; // int64_t
  gdf::text_in stop; // int64_t
  int64_t step; // not 0
};

struct sliced {
  static constexpr bool by_warp = true;
  static constexpr bool by_text = true;

  struct prepared {
    const gdf::text_in& text;
    gdf::number_argument start;
    gdf::number_argument stop;
    int64_t step;

    GDF_DEVICE explicit prepared(const parameters& p) : text(p.text), start(p.start), stop(p.stop), step(p.step) {}
  };

  GDF_DEVICE static bool one_part(const prepared& p) { return p.step == 1; }

  GDF_DEVICE static int64_t work(int64_t, const prepared&) { return 0; }

  /// [thread] Returns a bound of the slice, clamped to [low, high]. A negative `at` counts from the end of the text.
  GDF_DEVICE static int64_t bound(int64_t at, int64_t count, int64_t low, int64_t high) {
    at = at < 0 ? at + count : at;
    return at < low ? low : at > high ? high : at;
  }

  template <class Sink, class Text>
  GDF_DEVICE static bool row(Sink& sink, const Text& text, int64_t row, const prepared& p) {
    using index = typename Text::index;
    int64_t start;
    int64_t stop;
    bool const has_start = p.start.get(row, start);
    bool const has_stop = p.stop.get(row, stop);
    if (p.step == 1 && start >= 0 && stop >= 0) {
      index const begin = gdf::place_or_end(text, start);
      Text const rest = gdf::part_of(text, begin, text.size);
      index const end = !has_stop ? rest.size : stop <= start ? 0 : gdf::place_or_end(rest, stop - start);
      sink.put(gdf::part_of(rest, 0, end));
      return true;
    }
    int64_t const count = Sink::search::characters(text, 0, text.size);
    bool const forward = p.step > 0;
    int64_t const low = forward ? 0 : -1;
    int64_t const high = forward ? count : count - 1;
    int64_t at = has_start ? bound(start, count, low, high) : forward ? low : high;
    int64_t const end = has_stop ? bound(stop, count, low, high) : forward ? high : low;
    index place = gdf::place_or_end(text, at < 0 ? 0 : at);
    if (p.step == 1) {
      Text const rest = gdf::part_of(text, place, text.size);
      if (at < end) { sink.put(gdf::part_of(rest, 0, gdf::place_or_end(rest, end - at))); }
      return true;
    }
    while (forward ? at < end : at > end) {
      gdf::character const one = gdf::character_at(text, place);
      sink.put(one.word, one.bytes);
      if (forward) {
        place += gdf::place_or_end(gdf::part_of(text, place, text.size), p.step);
      } else {
        for (int64_t i = 0; i > p.step && place > 0; i--) { place = gdf::character_before(text, place); }
      }
      // The comparison subtracts `at` from `end`, as `at + p.step` could overflow.
      if (forward ? p.step >= end - at : p.step <= end - at) { break; }
      at += p.step;
    }
    return true;
  }
};

} // namespace slice

GDF_STRINGS(slice, slice, text_write, slice::parameters, gdf::write_strings<slice::sliced>);
