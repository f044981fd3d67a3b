// strings::from_integers, integers_to_hex, integers_to_ipv4, from_fixed_point and from_booleans.

#include <gdf/invalid_code.cuh>
#include <gdf/parse_strings.cuh>

GDF_POLICY(from_numbers, 128, 4, 4);

namespace strings {

enum class number_text : int32_t {
  decimal, // with a point before the last `scale` digits; for a negative scale, with zeros appended
  hex, // pairs of hexadecimal digits of the stored bits, from the first byte that is not 0 on
  ipv4,
};

struct numbers_text {
  gdf::text_in input;
  int32_t kind;
  int32_t scale;
};

struct booleans_text {
  gdf::text_in input;
  gdf::text_in yes;
  gdf::text_in no;
};

/// [thread] Returns the value of a row, sign-extended.
GDF_DEVICE gdf::i256 load_wide(const gdf::column_in& in, int64_t row) {
  auto const word = [](int64_t value) { return gdf::to_i256(static_cast<gdf::i128>(value)); };
  switch (static_cast<gdf::type>(in.type)) {
    case gdf::type::i8: return word(gdf::element<int8_t>(in, row));
    case gdf::type::i16: return word(gdf::element<int16_t>(in, row));
    case gdf::type::i32: return word(gdf::element<int32_t>(in, row));
    case gdf::type::u8: return word(gdf::element<uint8_t>(in, row));
    case gdf::type::u16: return word(gdf::element<uint16_t>(in, row));
    case gdf::type::u32: return word(gdf::element<uint32_t>(in, row));
    case gdf::type::u64: return {{gdf::element<gdf::u64>(in, row), 0, 0, 0}};
    case gdf::type::i128: return gdf::to_i256(gdf::element<gdf::i128>(in, row));
    case gdf::type::i256: return gdf::element<gdf::i256>(in, row);
    case gdf::type::i64: return word(gdf::element<int64_t>(in, row));
    default: return gdf::unreachable_code<gdf::i256>();
  }
}

/// [thread] Returns the four digits of a number below 10^4. The first digit is in the lowest byte.
GDF_DEVICE uint32_t four_digits(uint32_t value) {
  uint32_t const hundreds = value * 10486 >> 20;
  uint32_t const pairs = hundreds | (value - hundreds * 100) << 16;
  uint32_t const tens = pairs * 103 >> 10 & 0x000f000f;
  return (tens | (pairs - tens * 10) << 8) | 0x30303030;
}

/// [thread] Returns the eight digits of a number below 10^8. The first digit is in the lowest byte.
GDF_DEVICE gdf::u64 eight_digits(uint32_t value) {
  uint32_t const upper = value / 10000;
  return four_digits(upper) | static_cast<gdf::u64>(four_digits(value - upper * 10000)) << 32;
}

/// [thread] Writes the `count` (1 to 20) digits of a number below 10^count, including leading zeros.
template <class Sink>
GDF_DEVICE void put_digits(Sink& sink, gdf::u64 value, int count) {
  if (count > 8) {
    gdf::u64 const upper = value / 100000000;
    value -= upper * 100000000;
    if (count > 16) { sink.put(eight_digits(static_cast<uint32_t>(upper / 100000000)) >> (8 * (24 - count)), count - 16); }
    gdf::u64 const digits = eight_digits(static_cast<uint32_t>(upper % 100000000));
    sink.put(count < 16 ? digits >> (8 * (16 - count)) : digits, count < 16 ? count - 8 : 8);
  }
  gdf::u64 const digits = eight_digits(static_cast<uint32_t>(value));
  sink.put(count < 8 ? digits >> (8 * (8 - count)) : digits, count < 8 ? count : 8);
}

/// [thread] Does the same as count_digits for 32 bits, and reads no table.
GDF_DEVICE int count_digits_of_word(uint32_t value) {
  bool const is_long = value >= 100000;
  uint32_t const upper = is_long ? value / 100000 : value;
  return (is_long ? 6 : 1) + (upper >= 10) + (upper >= 100) + (upper >= 1000) + (upper >= 10000);
}

GDF_DEVICE void put_word(gdf::staged_sink& sink, uint32_t value, uint32_t count) {
  uint32_t const upper = value / 100000000;
  uint32_t const rest = value - upper * 100000000;
  uint32_t const middle = rest / 10000;
  // Returns the digits of a word that are to be kept.
  auto const kept = [&](uint32_t digits, int behind) {
    int const others = behind * 8 - static_cast<int>(count) * 8;
    return digits & __funnelshift_lc(0, ~0u, others < 0 ? 0 : others);
  };
  uint32_t const first = kept(four_digits(upper), 12);
  uint32_t const second = kept(four_digits(middle), 8);
  uint32_t const third = kept(four_digits(rest - middle * 10000), 4);
  uint32_t const at = sink.at;
  uint32_t const end = at + count;
  uint32_t const bits = (end & 3) * 8;
  uint32_t const last = end & ~3u;
  if (bits != 0) { gdf::join_word(sink.stage, last, __funnelshift_l(third, 0, bits)); }
  if (at < last) { gdf::join_word(sink.stage, last - 4, __funnelshift_l(second, third, bits)); }
  if (at + 4 < last) { gdf::join_word(sink.stage, last - 8, __funnelshift_l(first, second, bits)); }
  if (at + 8 < last) { gdf::join_word(sink.stage, last - 12, first << bits); }
  sink.at = end;
}

/// [thread] Writes a number of up to 64 bits without leading zeros.
template <class Sink>
GDF_DEVICE void put_number(Sink& sink, gdf::u64 value) {
  put_digits(sink, value, gdf::count_digits(value));
}

/// [thread] Does the same as put_number, with a point before the last `scale` (0 to 19) digits.
template <class Sink>
GDF_DEVICE void put_scaled(Sink& sink, gdf::u64 value, int scale) {
  if (scale == 0) { return put_number(sink, value); }
  int const digits = gdf::count_digits(value);
  gdf::u64 const power = gdf::power_of_ten(scale);
  gdf::u64 const whole = value / power;
  put_digits(sink, whole, digits > scale ? digits - scale : 1);
  sink.put_byte('.');
  put_digits(sink, value - whole * power, scale);
}

struct from_numbers {
  static constexpr bool by_warp = false;

  template <class Sink>
  GDF_DEVICE static void put_decimal(Sink& sink, const gdf::i256& value, int32_t scale) {
    if (static_cast<long long>(value.word[3]) < 0) { sink.put_byte('-'); }
    gdf::i256 rest = gdf::magnitude(value);
    if (scale >= 0 && scale < 20 && (rest.word[1] | rest.word[2] | rest.word[3]) == 0) {
      return put_scaled(sink, rest.word[0], scale);
    }
    uint8_t digits[80]; // the last digit first
    int n = 0;
    while ((rest.word[0] | rest.word[1] | rest.word[2] | rest.word[3]) != 0) {
      gdf::u64 part = 0;
#pragma unroll
      for (int i = 3; i >= 0; i--) { // divides the number by 10^9
        gdf::u64 const upper = part << 32 | rest.word[i] >> 32;
        gdf::u64 const lower = (upper % 1000000000u) << 32 | (rest.word[i] & 0xffffffffull);
        part = lower % 1000000000u;
        rest.word[i] = (upper / 1000000000u) << 32 | lower / 1000000000u;
      }
      bool const is_last = (rest.word[0] | rest.word[1] | rest.word[2] | rest.word[3]) == 0;
      for (int i = 0; i < 9 && (!is_last || part != 0) && n < 80; i++) {
        digits[n++] = static_cast<uint8_t>(part % 10);
        part /= 10;
      }
    }
    int const point = scale > 0 ? scale : 0;
    for (int at = n > point + 1 ? n : point + 1; at > 0; at--) {
      if (at == point) { sink.put_byte('.'); }
      sink.put(static_cast<gdf::u64>('0' + (at <= n ? digits[at - 1] : 0)), 1);
    }
    if (scale < 0 && n > 0) { sink.put_times('0', 1, -static_cast<int64_t>(scale)); }
  }

  template <class Sink>
  GDF_DEVICE static void put_hex(Sink& sink, gdf::u64 value, int width) {
    int bytes = width;
    while (bytes > 1 && (value >> (8 * (bytes - 1)) & 0xff) == 0) { bytes--; }
    for (int i = bytes - 1; i >= 0; i--) {
      gdf::u64 pair = 0;
      for (int half = 0; half < 2; half++) {
        auto const digit = static_cast<uint32_t>(value >> (8 * i + 4 - 4 * half)) & 15;
        pair |= static_cast<gdf::u64>(digit < 10 ? '0' + digit : 'A' + digit - 10) << (8 * half);
      }
      sink.put(pair, 2);
    }
  }

  template <class Sink>
  GDF_DEVICE static bool row(Sink& sink, int64_t row, const numbers_text& p) {
    const gdf::column_in& in = p.input.column;
    if (!gdf::is_valid(in, row)) { return false; }
    gdf::i256 const value = load_wide(in, row);
    switch (static_cast<number_text>(p.kind)) {
      case number_text::hex: put_hex(sink, value.word[0], gdf::width_of(in.type)); break;
      case number_text::ipv4:
        for (int i = 3; i >= 0; i--) {
          put_number(sink, value.word[0] >> (8 * i) & 0xff);
          if (i > 0) { sink.put_byte('.'); }
        }
        break;
      case number_text::decimal: put_decimal(sink, value, p.scale); break;
      default: gdf::invalid_code();
    }
    return true;
  }
};

/// Converts numbers of at most 64 bits to decimal digits, with a scale from 0 to 19.
struct from_words {
  static constexpr bool by_warp = false;

  GDF_DEVICE static int64_t load(const gdf::column_in& in, int64_t row) {
    switch (static_cast<gdf::type>(in.type)) {
      case gdf::type::i8: return gdf::element<int8_t>(in, row);
      case gdf::type::i16: return gdf::element<int16_t>(in, row);
      case gdf::type::i32: return gdf::element<int32_t>(in, row);
      case gdf::type::u8: return gdf::element<uint8_t>(in, row);
      case gdf::type::u16: return gdf::element<uint16_t>(in, row);
      case gdf::type::u32: return gdf::element<uint32_t>(in, row);
      case gdf::type::i64:
      case gdf::type::u64: return gdf::element<int64_t>(in, row);
      default: return gdf::unreachable_code<int64_t>();
    }
  }

  using value = gdf::u64;

  GDF_DEVICE static bool load(int64_t row, const numbers_text& p, gdf::u64& value) {
    if (!gdf::is_valid(p.input.column, row)) { return false; }
    value = static_cast<gdf::u64>(load(p.input.column, row));
    return true;
  }

  /// [thread] Replaces a value by its magnitude. Returns whether the value was negative.
  GDF_DEVICE static bool take_sign(gdf::u64& value, const numbers_text& p) {
    bool const is_negative = static_cast<gdf::type>(p.input.column.type) != gdf::type::u64 && static_cast<int64_t>(value) < 0;
    if (is_negative) { value = 0 - value; }
    return is_negative;
  }

  GDF_DEVICE static gdf::u64 size(gdf::u64 value, const numbers_text& p) {
    uint32_t const sign = take_sign(value, p) ? 1 : 0;
    int const digits = value >> 32 == 0 ? count_digits_of_word(static_cast<uint32_t>(value)) : gdf::count_digits(value);
    return sign + static_cast<uint32_t>(p.scale == 0 ? digits : (digits > p.scale ? digits : p.scale + 1) + 1);
  }

  template <class Sink>
  GDF_DEVICE static void put(Sink& sink, gdf::u64 value, uint32_t size, const numbers_text& p) {
    if (take_sign(value, p)) {
      sink.put_byte('-');
      size--;
    }
    if constexpr (requires { put_word(sink, size, size); }) {
      if (p.scale == 0 && value >> 32 == 0) { return put_word(sink, static_cast<uint32_t>(value), size); }
    }
    put_scaled(sink, value, p.scale);
  }

  template <class Sink>
  GDF_DEVICE static bool row(Sink& sink, int64_t row, const numbers_text& p) {
    gdf::u64 value;
    if (!load(row, p, value)) { return false; }
    if constexpr (Sink::is_writing) {
      put(sink, value, static_cast<uint32_t>(size(value, p)), p);
    } else {
      sink.size += size(value, p);
    }
    return true;
  }
};

struct from_booleans {
  static constexpr bool by_warp = false;

  template <class Sink>
  GDF_DEVICE static bool row(Sink& sink, int64_t row, const booleans_text& p) {
    if (!gdf::is_valid(p.input.column, row)) { return false; }
    const gdf::text_in& text = gdf::element<bool>(p.input.column, row) ? p.yes : p.no;
    if (!gdf::is_valid(text.column, row)) { return false; }
    sink.put(gdf::text_at(text, row));
    return true;
  }
};

} // namespace strings

GDF_POLICY(from_words, 256, 4, 4);

GDF_STRINGS(from_words, from_words, all_write, strings::numbers_text, gdf::write_strings<strings::from_words>);
GDF_STRINGS(from_numbers, from_numbers, all_write, strings::numbers_text, gdf::write_strings<strings::from_numbers>);
GDF_STRINGS(from_numbers, from_booleans, all_write, strings::booleans_text, gdf::write_strings<strings::from_booleans>);
