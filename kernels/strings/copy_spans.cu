// Text of spans that an operation has found in the rows of a column, see crates/gdf-detail/src/engine/strings/spans.rs.

#include <gdf/build_strings.cuh>

GDF_POLICY(copy_spans, 128, 4, 8);

namespace copy_spans {

struct source {
  gdf::text_in text;
  const int32_t* offsets; // of the rows that the spans are of
  const gdf::text_span* spans;
  int64_t count; // of all
  int64_t stride; // 0: a row for each span; else row r has span r / stride of row r % stride
};

struct piece {
  static constexpr bool by_warp = true;

  GDF_DEVICE static gdf::text_span span_of(int64_t row, const source& p) {
    constexpr gdf::text_span none{0, -1};
    int64_t at = row;
    if (p.stride != 0) {
      int64_t const of = row % p.stride;
      at = int64_t{p.offsets[of]} + row / p.stride;
      if (at >= p.offsets[of + 1]) { return none; }
    }
    return at < p.count ? p.spans[at] : none;
  }

  GDF_DEVICE static int64_t work(int64_t, const source&) { return 0; }

  template <class Sink>
  GDF_DEVICE static bool row(Sink& sink, int64_t row, const source& p) {
    gdf::text_span const span = span_of(row, p);
    if (span.size < 0) { return false; }
    sink.put({static_cast<const uint8_t*>(p.text.column.data) + span.begin, span.size,
              static_cast<const uint8_t*>(p.text.column.data) + p.text.bytes});
    return true;
  }
};

} // namespace copy_spans

/// The text of spans.
GDF_STRINGS_BUILD(copy_spans, copy_spans, text, copy_spans::source, copy_spans::piece);
