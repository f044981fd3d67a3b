// Casts between text and string views. A view has 16 bytes: the length and, for at most twelve bytes of text, the text
// itself. For longer text, the view has the number of a buffer and the offset of the text in the buffer.

#include <gdf/build_strings.cuh>
#include <gdf/value_strings.cuh>

GDF_POLICY(views, 128, 4, 8);

namespace views {

struct piece {
  const uint8_t* bytes;
  int64_t length;
};

struct source {
  gdf::text_in views;
  const piece* pieces;
};

/// The maximum number of bytes of text that a view contains itself.
constexpr int64_t inlined = 12;

struct text_of {
  static constexpr bool by_warp = true;

  GDF_DEVICE static gdf::string_piece text(int64_t row, const source& p) {
    auto const* const view = static_cast<const uint4*>(p.views.column.data) + gdf::index_of(p.views.column, row);
    uint4 const own = __ldg(view);
    if (own.x <= inlined) {
      auto const* const bytes = reinterpret_cast<const uint8_t*>(view);
      return {bytes + 4, own.x, bytes + 16};
    }
    piece const from = p.pieces[own.z];
    return {from.bytes + own.w, own.x, from.bytes + from.length};
  }

  GDF_DEVICE static int64_t work(int64_t row, const source& p) {
    return gdf::is_valid(p.views.column, row) ? text(row, p).size : 0;
  }

  template <class Sink>
  GDF_DEVICE static bool row(Sink& sink, int64_t row, const source& p) {
    if (!gdf::is_valid(p.views.column, row)) { return false; }
    sink.put(text(row, p));
    return true;
  }
};

} // namespace views

GDF_STRINGS(views, views, text_write, views::source, gdf::write_strings<views::text_of>);

GDF_POLICY(to_views, 256, 4, 4);

namespace to_views {

struct origin {
  const uint8_t* chars; // where the buffer of the result begins
};

struct view_of {
  static constexpr bool by_warp = false;

  GDF_DEVICE static uint4 row(const gdf::string_piece& text, const origin& p) {
    auto const word = [&](int64_t at) {
      int64_t const left = text.size - at;
      if (left <= 0) { return 0ull; }
      return static_cast<unsigned long long>(
        gdf::string_detail::load_before(text.data + at, text.limit, left < 8 ? static_cast<int>(left) : 8));
    };
    gdf::u64 const low = word(0);
    uint4 view;
    view.x = static_cast<uint32_t>(text.size);
    view.y = static_cast<uint32_t>(low);
    if (text.size <= views::inlined) {
      view.z = static_cast<uint32_t>(low >> 32);
      view.w = static_cast<uint32_t>(word(8));
    } else {
      view.z = 0;
      view.w = static_cast<uint32_t>(text.data - p.chars);
    }
    return view;
  }
};

} // namespace to_views

GDF_STRING_VALUES(to_views, to_views, text, to_views::origin, gdf::value_strings<to_views::view_of, uint4>);
