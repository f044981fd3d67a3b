// strings::to_integers, hex_to_integers, ipv4_to_integers, to_fixed_point, and the functions that test whether texts
// can be converted.

#include <gdf/parse_strings.cuh>
#include <gdf/thread_texts.cuh>
#include <gdf/value_strings.cuh>

GDF_POLICY(to_numbers, 256, 4, 4);

namespace strings {

enum class number_kind : int32_t {
  integer,
  any_integer, // a number of any number of digits; only for the test
  hex,
  ipv4,
};

struct integer_format {
  uint64_t max; // the largest value; for hex, the bits of the result type, all set
  uint64_t max_negative; // the largest magnitude after a minus; 0 if no minus is allowed
  int32_t kind;
  int32_t unused;
};

struct decimal_format {
  int32_t precision;
  int32_t scale;
};

/// [thread] Appends a digit to a number. If the result exceeds 64 bits, the function returns false and does not change
/// the number.
GDF_DEVICE bool push_digit(gdf::u64& value, gdf::u64 base, uint32_t digit) {
  gdf::u64 const high = __umul64hi(value, base);
  gdf::u64 const next = value * base + digit;
  if (high != 0 || next < digit) { return false; }
  value = next;
  return true;
}

template <class Text>
GDF_DEVICE bool parse_integer(const Text& text, const integer_format& p, gdf::u64& value) {
  bool const any = p.kind == static_cast<int32_t>(number_kind::any_integer);
  uint32_t const sign = text.size > 0 ? gdf::byte_at(text, 0) : 0;
  bool const minus = p.max_negative != 0 && sign == '-';
  constexpr gdf::u64 power = 100000000; // 10^8, for eight digits
  auto const add = [&](gdf::u64 part) {
    if (any) { return true; }
    gdf::u64 const next = value * power + part;
    bool const fits = value == 0 || (__umul64hi(value, power) == 0 && next >= part);
    value = next;
    return fits;
  };
  if (!gdf::parse_digit_run(text, minus || sign == '+' ? 1 : 0, text.size, add)) { return false; }
  if (value > (minus ? p.max_negative : p.max)) { return false; }
  if (minus) { value = 0 - value; }
  return true;
}

template <class Text>
GDF_DEVICE bool parse_hex(const Text& text, const integer_format& p, gdf::u64& value) {
  gdf::text_reader reader(text);
  if (reader.take('0')) {
    if (reader.is_done()) { return true; }
    if (reader.take('x') || reader.take('X')) {
      if (reader.is_done()) { return false; }
    }
  } else if (reader.is_done()) {
    return false;
  }
  for (; !reader.is_done(); reader.skip()) {
    uint32_t const byte = reader.peek();
    uint32_t const letter = (byte | 0x20) - 'a';
    uint32_t const digit = byte - '0' < 10 ? byte - '0' : letter < 6 ? letter + 10 : 16;
    if (digit > 15 || (p.max != 0 && !push_digit(value, 16, digit))) { return false; }
  }
  return p.max == 0 || value <= p.max;
}

template <class Text>
GDF_DEVICE bool parse_ipv4(const Text& text, gdf::u64& value) {
  gdf::text_reader reader(text);
  for (int part = 0; part < 4; part++) {
    if (part > 0 && !reader.take('.')) { return false; }
    uint32_t number = 0;
    int digits = 0;
    for (; digits < 3 && reader.digit() < 10; digits++) {
      number = number * 10 + reader.digit();
      reader.skip();
    }
    if (digits == 0 || number > 255) { return false; }
    value = value << 8 | number;
  }
  return reader.is_done();
}

/// [thread] Parses a short text of few digits, with or without a point, faster than parse_decimal. Returns false for
/// other texts, some of which parse_decimal can parse.
template <class Text>
GDF_DEVICE bool parse_short_decimal(const Text& text, const decimal_format& p, gdf::i256& value) {
  if (text.size <= 0 || text.size > 20 || p.scale < 0) { return false; }
  uint32_t const sign = gdf::byte_at(text, 0);
  bool const minus = sign == '-';
  using index = typename Text::index;
  index const begin = minus || sign == '+' ? 1 : 0;
  index point = text.size;
  for (index at = begin; at < text.size; at += 8) {
    gdf::u64 const places = gdf::search_detail::zero_bytes(gdf::loose_bytes_at(text, at) ^ 0x2e2e2e2e2e2e2e2eull);
    if (places == 0) { continue; }
    index const place = at + ((__ffsll(static_cast<long long>(places)) - 1) >> 3);
    point = place < point ? place : point;
    break;
  }
  index const whole = point - begin;
  index const fraction = point < text.size ? text.size - point - 1 : 0;
  if (whole == 0 || fraction > p.scale || whole + p.scale > (p.precision < 18 ? p.precision : 18)) { return false; }
  gdf::u64 number = 0;
  constexpr gdf::u64 power = 100000000; // 10^8, for eight digits
  auto const add = [&](gdf::u64 part) {
    number = number * power + part;
    return true;
  };
  if (!gdf::parse_digit_run(text, begin, point, add)) { return false; }
  gdf::u64 const high = number * gdf::power_of_ten(p.scale);
  number = 0;
  if (fraction > 0 && !gdf::parse_digit_run(text, point + 1, text.size, add)) { return false; }
  number = high + number * gdf::power_of_ten(p.scale - static_cast<int>(fraction));
  value = {{number, 0, 0, 0}};
  if (minus) { value = -value; }
  return true;
}

/// [thread] Parses a decimal into an integer, which is the value times 10^scale. Digits beyond the scale are dropped.
/// Returns false for texts that are no decimal, or have more digits than the precision.
template <class Text>
GDF_DEVICE bool parse_decimal(const Text& text, const decimal_format& p, gdf::i256& value) {
  if (parse_short_decimal(text, p, value)) { return true; }
  gdf::text_reader reader(text);
  bool const minus = reader.take('-');
  if (!minus) { reader.take('+'); }
  gdf::text_reader const mantissa = reader;
  int64_t whole = 0;
  int64_t digits = 0;
  bool point = false;
  for (; !reader.is_done(); reader.skip()) {
    if (!point && reader.peek() == '.') {
      point = true;
    } else if (reader.digit() < 10) {
      digits++;
      whole += point ? 0 : 1;
    } else {
      break;
    }
  }
  if (digits == 0) { return false; }
  int64_t exponent = 0;
  if (reader.take('e') || reader.take('E')) {
    bool const below = reader.take('-');
    if (!below) { reader.take('+'); }
    if (reader.digit() > 9) { return false; }
    for (; reader.digit() < 10; reader.skip()) {
      if (exponent < 100000000) { exponent = exponent * 10 + reader.digit(); }
    }
    if (below) { exponent = -exponent; }
  }
  if (!reader.is_done()) { return false; }
  int64_t const keep = whole + exponent + p.scale; // number of digits to keep of the mantissa, including zeros after it
  reader = mantissa;
  int32_t significant = 0;
  gdf::u64 part = 0;
  gdf::u64 power = 1;
  auto const flush = [&] {
    value = gdf::times(value, {{power, 0, 0, 0}}) + gdf::i256{{part, 0, 0, 0}};
    part = 0;
    power = 1;
  };
  for (int64_t i = 0; i < keep; i++) {
    if (i >= digits && significant == 0) { break; } // all digits so far are zeros
    uint32_t digit = 0;
    if (i < digits) {
      if (reader.peek() == '.') { reader.skip(); }
      digit = reader.digit();
      reader.skip();
    }
    if (significant > 0 || digit != 0) {
      significant++;
      if (significant > p.precision) { return false; }
    }
    part = part * 10 + digit;
    power *= 10;
    if (power == 1000000000000000000ull) { flush(); }
  }
  flush();
  if (minus) { value = -value; }
  return true;
}

} // namespace strings

GDF_POLICY(to_integers, 256, 4, 4);

namespace strings {

/// The last 16 bytes of a text.
struct last_bytes {
  uint32_t word[4];
};

/// [thread] Parses a text of 1 to 16 bytes as an integer, with the same result as parse_integer.
GDF_DEVICE bool parse_short_integer(const last_bytes& text, int size, const integer_format& p, gdf::u64& value) {
  int at = 16 - size;
  uint32_t const half = at < 8 ? (at < 4 ? text.word[0] : text.word[1]) : (at < 12 ? text.word[2] : text.word[3]);
  uint32_t const sign = half >> (8 * (at & 3)) & 0xff;
  bool const minus = p.max_negative != 0 && sign == '-';
  at += minus || sign == '+' ? 1 : 0;
  uint32_t wrong = 0;
  uint32_t four[4];
#pragma unroll
  for (int i = 0; i < 4; i++) {
    int const before = 8 * at - 32 * i;
    uint32_t const mask = __funnelshift_lc(0, ~0u, before < 0 ? 0 : before);
    uint32_t const digits = (text.word[i] ^ 0x30303030) & mask;
    wrong |= (digits + 0x76767676) | digits;
    four[i] = __dp4a(digits, 0x010a0000u, __dp4a(digits, 0x0000010au, 0u) * 100);
  }
  if ((wrong & 0x80808080) != 0 || at == 16) { return false; }
  value = static_cast<gdf::u64>(four[0] * 10000 + four[1]) * 100000000 + (four[2] * 10000 + four[3]);
  if (value > (minus ? p.max_negative : p.max)) { return false; }
  if (minus) { value = 0 - value; }
  return true;
}

} // namespace strings

/// Parses texts of decimal digits as integers of the width of the rows of `out`. For the test, the kernel writes
/// whether each text is an integer. The last bytes of all rows of a thread are loaded together, because the latency of
/// memory limits the speed.
extern "C" __global__ void GDF_BOUNDS(to_integers) GDF_VARIANT(to_integers, digits)
to_integers_digits_kernel(const __grid_constant__ gdf::column_in in, gdf::byte_count bytes,
                          const __grid_constant__ gdf::column_out out,
                          const __grid_constant__ strings::integer_format p, gdf::scratch* scratch) {
  constexpr int threads = to_integers_tuning::threads;
  constexpr int items = to_integers_tuning::items;
  auto const* const data = static_cast<const uint8_t*>(in.data);
  bool const is_test = out.type == static_cast<int32_t>(gdf::type::boolean);
  uint32_t valid = 0;
  gdf::for_each_tile<threads, items>(out.length, [&](int64_t first, bool) {
    gdf::thread_texts<threads, items> texts;
    texts.load(in, bytes, first, out.length);
    int size[items]; // 0: the text is not short, or its bytes cannot be loaded in advance
    uint32_t read[items][5];
#pragma unroll
    for (int i = 0; i < items; i++) {
      int64_t const bytes_of = texts.text[i].size();
      const uint8_t* const end = data + texts.text[i].end;
      auto const beyond = static_cast<int>(reinterpret_cast<uintptr_t>(end) & 3);
      bool const whole = end - beyond - 16 >= data && (beyond == 0 || end - beyond + 4 <= data + bytes);
      size[i] = bytes_of <= 16 && whole ? static_cast<int>(bytes_of) : 0;
      auto const* const word = reinterpret_cast<const uint32_t*>(end - beyond);
#pragma unroll
      for (int k = 0; k < 5; k++) {
        read[i][k] = 0;
        if (k == 4 ? size[i] > 0 && beyond != 0 : size[i] > 0 && size[i] > 12 - 4 * k - beyond) { read[i][k] = __ldg(word + k - 4); }
      }
    }
#pragma unroll
    for (int i = 0; i < items; i++) {
      int64_t const row = gdf::row_of<threads>(first, i);
      if (row - gdf::lane() >= out.length) { break; } // the whole warp
      gdf::u64 value = 0;
      bool is_value = texts.has(i);
      if (size[i] > 0) {
        auto const beyond = static_cast<int>(reinterpret_cast<uintptr_t>(data + texts.text[i].end) & 3);
        strings::last_bytes last;
#pragma unroll
        for (int k = 0; k < 4; k++) { last.word[k] = __funnelshift_r(read[i][k], read[i][k + 1], 8 * beyond); }
        is_value = is_value && strings::parse_short_integer(last, size[i], p, value);
      } else {
        gdf::extent const& text = texts.text[i];
        is_value = is_value && strings::parse_integer(gdf::string_piece{data + text.begin, text.size(), data + bytes}, p, value);
      }
      if (is_test) {
        uint32_t const bits = __ballot_sync(~0u, is_value);
        if (gdf::lane() == 0) { static_cast<uint32_t*>(out.data)[row >> 5] = bits; }
      } else if (row < out.length) {
        gdf::store_narrow(out, row, is_value ? value : 0);
      }
      valid += gdf::store_valid_word(out, row, is_test ? texts.has(i) : is_value);
    }
  });
  gdf::post_null_count<threads>(scratch, out, valid);
}

namespace strings {

/// Tests whether texts consist of one or more decimal digits after an optional sign.
struct any_integer {
  static constexpr bool by_warp = false;

  /// [thread] Marks the bytes of a text.
  GDF_DEVICE static void mark(const gdf::marked_bytes& bytes, const integer_format& p, uint32_t& wrong, uint32_t& signs) {
    uint32_t others[4];
    uint32_t before[4];
    uint32_t const minus = p.max_negative != 0 ? 0x2d2d2d2d : 0x2b2b2b2b;
#pragma unroll
    for (int k = 0; k < 4; k++) {
      auto const above = [&](uint32_t word, uint32_t most) { return ((word & 0x7f7f7f7f) + (0x7f7f7f7f - most)) | word; };
      uint32_t const word = bytes.word[k];
      others[k] = above(word ^ 0x30303030, 0x09090909);
      before[k] = ~(above(word ^ 0x2b2b2b2b, 0) & above(word ^ minus, 0));
    }
    wrong = gdf::search_detail::top_bits(others);
    signs = gdf::search_detail::top_bits(before);
  }

  GDF_DEVICE static bool row(const gdf::marked_piece& text, const integer_format&) {
    int32_t const begin = text.size > 0 ? static_cast<int32_t>(text.continued[text.at >> 5] >> (text.at & 31) & 1) : 0;
    return begin < text.size && gdf::by_bits::first(text, begin, gdf::needle{nullptr, 1, 0, 0}) < 0;
  }

  GDF_DEVICE static bool row(const gdf::string_piece& text, const integer_format& p) {
    gdf::u64 value = 0;
    return parse_integer(text, p, value);
  }
};

} // namespace strings

GDF_STRING_VALUES(to_numbers, to_integers, any, strings::integer_format, gdf::value_strings<strings::any_integer, bool>);

/// Parses texts as hexadecimal numbers or IPv4 addresses of the width of the rows of `out`. For the tests, the kernel
/// writes whether each text is valid.
extern "C" __global__ void GDF_BOUNDS(to_numbers) GDF_VARIANT(to_integers, words)
to_integers_words_kernel(const __grid_constant__ gdf::column_in in, gdf::byte_count bytes,
                         const __grid_constant__ gdf::column_out out,
                         const __grid_constant__ strings::integer_format p, gdf::scratch* scratch) {
  gdf::parse_strings<to_numbers_tuning, gdf::u64>(in, bytes, out, scratch, [&](const auto& text, gdf::u64& value) {
    return p.kind == static_cast<int32_t>(strings::number_kind::hex) ? strings::parse_hex(text, p, value)
                                                                     : strings::parse_ipv4(text, value);
  });
}

/// Parses texts as decimals of the width of the rows of `out`. For the test, the kernel writes whether each text is a
/// decimal.
extern "C" __global__ void GDF_BOUNDS(to_numbers) GDF_VARIANT(to_decimals, wide)
to_decimals_wide_kernel(const __grid_constant__ gdf::column_in in, gdf::byte_count bytes,
                        const __grid_constant__ gdf::column_out out,
                        const __grid_constant__ strings::decimal_format p, gdf::scratch* scratch) {
  gdf::parse_strings<to_numbers_tuning, gdf::i256>(
    in, bytes, out, scratch,
    [&](const auto& text, gdf::i256& value) { return strings::parse_decimal(text, p, value); });
}
