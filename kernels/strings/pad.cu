// strings::pad and zfill: a character is added to texts until they have a minimum length.

#include <gdf/build_strings.cuh>

GDF_POLICY(pad, 128, 4, 8);

namespace pad {

/// The side on which the character is added. With `after_sign`, the character is added after a leading sign.
enum kind : int32_t { left = 0, right = 1, both = 2, after_sign = 3 };

struct parameters {
  gdf::text_in text;
  gdf::text_in width; // int64_t
  uint32_t fill;
  int32_t kind; // a `kind`
};

struct padded {
  static constexpr bool by_warp = true;
  static constexpr bool by_text = true;

  struct prepared {
    const gdf::text_in& text;
    gdf::number_argument width;
    uint32_t fill;
    int32_t kind;

    GDF_DEVICE explicit prepared(const parameters& p) : text(p.text), width(p.width), fill(p.fill), kind(p.kind) {}
  };

  GDF_DEVICE static int64_t work(int64_t row, const prepared& p) { return gdf::text_or_none(p.text, row).size; }

  template <class Sink, class Text>
  GDF_DEVICE static bool row(Sink& sink, const Text& text, int64_t row, const prepared& p) {
    int64_t width;
    if (!p.width.get(row, width)) { return false; }
    int64_t const characters = Sink::search::characters(text, 0, text.size);
    int64_t const missing = width > characters ? width - characters : 0;
    if constexpr (Sink::is_writing) {
      put(sink, text, width, missing, p);
    } else {
      sink.add(static_cast<gdf::u64>(text.size));
      sink.put_times(gdf::encoded(p.fill), gdf::encoded_bytes(p.fill), missing);
    }
    return true;
  }

  template <class Sink, class Text>
  GDF_DEVICE static bool row_of_size(Sink& sink, const Text& text, int64_t row, uint32_t size, const prepared& p) {
    int64_t width;
    if (!p.width.get(row, width)) { return false; }
    uint32_t const added = size - static_cast<uint32_t>(text.size);
    put(sink, text, width, p.fill < 0x80 ? added : added / static_cast<uint32_t>(gdf::encoded_bytes(p.fill)), p);
    return true;
  }

  template <class Sink, class Text, class Count>
  GDF_DEVICE static void put(Sink& sink, const Text& text, int64_t width, Count missing, const prepared& p) {
    Count const before = p.kind == kind::right  ? 0
                         : p.kind == kind::both ? missing / 2 + (missing & width & 1)
                                                : missing;
    int32_t sign = 0;
    if (p.kind == kind::after_sign && text.size > 0) {
      uint32_t const first = gdf::byte_at(text, 0);
      sign = first == '+' || first == '-' ? 1 : 0;
      if (sign != 0) { sink.put_byte(static_cast<uint8_t>(first)); }
    }
    auto const add = [&](Count times) {
      if (times > 0) { sink.put_times(gdf::encoded(p.fill), gdf::encoded_bytes(p.fill), times); }
    };
    add(before);
    sink.put(gdf::part_of(text, sign, text.size));
    add(missing - before);
  }
};

} // namespace pad

GDF_STRINGS(pad, pad, text_write, pad::parameters, gdf::write_strings<pad::padded>);
