// strings::to_floats, is_float and from_floats.

#include <gdf/parse_strings.cuh>

#include "parse_float.cuh"
#include "print_float.cuh"

GDF_POLICY(to_floats, 256, 4, 2);
GDF_POLICY(from_floats, 128, 4, 4);

namespace strings {

struct from_floats {
  static constexpr bool by_warp = false;

  /// Writes digits in the same way as Rust's `{:?}`. The number has an exponent if the value is below 1e-4 or at least
  /// 1e16.
  template <class Sink>
  GDF_DEVICE static void put_finite(Sink& sink, const decimal_digits& value) {
    uint8_t digits[20];
    int count = 0;
    for (u64 rest = value.digits; rest != 0; rest /= 10) { digits[count++] = static_cast<uint8_t>('0' + rest % 10); }
    auto const digit = [&](int i) { return i < count ? digits[count - 1 - i] : static_cast<uint8_t>('0'); };
    u64 word = 0;
    int bytes = 0;
    auto const put = [&](uint32_t byte) {
      word |= static_cast<u64>(byte) << (8 * bytes);
      bytes++;
      if (bytes < 8) { return; }
      sink.put(word, 8);
      word = 0;
      bytes = 0;
    };
    int const point = count + value.exponent; // number of digits before the point
    if (point < -3 || point > 16) {
      put(digit(0));
      if (count > 1) { put('.'); }
      for (int i = 1; i < count; i++) { put(digit(i)); }
      int const exponent = point - 1;
      int const size = exponent < 0 ? -exponent : exponent;
      put('e');
      if (exponent < 0) { put('-'); }
      if (size >= 100) { put(static_cast<uint32_t>('0' + size / 100)); }
      if (size >= 10) { put(static_cast<uint32_t>('0' + size / 10 % 10)); }
      put(static_cast<uint32_t>('0' + size % 10));
    } else {
      int const first = point < 1 ? point - 1 : 0; // the digits before this one are zeros
      int const last = count > point + 1 ? count : point + 1;
      for (int i = first; i < last; i++) {
        put(i < 0 ? static_cast<uint32_t>('0') : digit(i));
        if (i == (point < 1 ? first : point - 1)) { put('.'); }
      }
    }
    if (bytes > 0) { sink.put(word, bytes); }
  }

  template <class Sink>
  GDF_DEVICE static bool row(Sink& sink, int64_t row, const gdf::text_in& p) {
    const gdf::column_in& in = p.column;
    if (!gdf::is_valid(in, row)) { return false; }
    bool const is_double = in.type == static_cast<int32_t>(gdf::type::f64);
    u64 const bits = is_double ? gdf::element<gdf::u64>(in, row) : gdf::element<uint32_t>(in, row);
    int const mantissa_bits = is_double ? 52 : 23;
    int const max_field = is_double ? 2047 : 255;
    u64 const fraction = bits & ((u64{1} << mantissa_bits) - 1);
    int const field = static_cast<int>(bits >> mantissa_bits) & max_field;
    if (field == max_field && fraction != 0) {
      sink.put(0x4e614e, 3); // NaN
      return true;
    }
    if (bits >> (is_double ? 63 : 31) != 0) { sink.put('-', 1); }
    if (field == max_field) {
      sink.put(0x666e69, 3); // inf
    } else if (field == 0 && fraction == 0) {
      sink.put(0x302e30, 3); // 0.0
    } else {
      u64 const mantissa = field == 0 ? fraction : fraction | u64{1} << mantissa_bits;
      int const exponent = (is_double ? -1074 : -149) + (field == 0 ? 0 : field - 1);
      put_finite(sink, shortest_digits(mantissa, exponent, fraction == 0 && field > 1));
    }
    return true;
  }
};

} // namespace strings

/// Parses texts as floats of the width of the rows of `out`. For the test, the kernel writes whether each text is a
/// float.
extern "C" __global__ void GDF_BOUNDS(to_floats) GDF_VARIANT(to_floats, words)
to_floats_words_kernel(const __grid_constant__ gdf::column_in in, gdf::byte_count bytes,
                       const __grid_constant__ gdf::column_out out,
                       const __grid_constant__ strings::float_format p, gdf::scratch* scratch) {
  gdf::parse_strings<to_floats_tuning, gdf::u64>(
    in, bytes, out, scratch,
    [&](const auto& text, gdf::u64& bits) { return strings::parse_float(gdf::text_reader(text), p, bits); });
}

GDF_STRINGS(from_floats, from_floats, all_write, gdf::text_in, gdf::write_strings<strings::from_floats>);
