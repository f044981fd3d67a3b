// Kernels that parse texts as values, and functions that read digits.
#pragma once

#include "build_strings.cuh"
#include "wide.cuh"

namespace gdf {

/// Reads the bytes of a text in order, and loads eight bytes at a time.
template <class Text>
struct text_reader {
  Text text;
  typename Text::index at;
  u64 word;

  /// [thread] Makes a reader that begins at the first byte of a text.
  GDF_DEVICE explicit text_reader(const Text& of) : text(of), at(0), word(bytes_at(of, 0)) {}

  GDF_DEVICE bool is_done() const { return at >= text.size; }

  /// [thread] Returns the next byte without consuming it, or 0 if all bytes have been read.
  GDF_DEVICE uint32_t peek() const { return static_cast<uint32_t>(word) & 0xff; }

  GDF_DEVICE void skip() {
    at++;
    word = (at & 7) == 0 ? bytes_at(text, at) : word >> 8;
  }

  /// [thread] Returns whether the next byte equals `byte`. If so, the reader consumes the byte.
  GDF_DEVICE bool take(uint32_t byte) {
    if (is_done() || peek() != byte) { return false; }
    skip();
    return true;
  }

  /// [thread] Returns the value of the next byte if the byte is a decimal digit. Otherwise the function returns a
  /// number of at least 10.
  GDF_DEVICE uint32_t digit() const { return is_done() ? 10 : peek() - '0'; }
};

/// [thread] Returns whether all bytes of a word, except for the lowest `skipped` (0 to 7) bytes, are decimal digits.
GDF_DEVICE bool parse_digits(u64 word, int skipped, u64& value) {
  word = (word ^ 0x3030303030303030ull) & ~low_bytes(skipped);
  if (((word + 0x7676767676767676ull) | word) & 0x8080808080808080ull) { return false; }
  word = (word * 10 + (word >> 8)) & 0x00ff00ff00ff00ffull;
  word = (word * 100 + (word >> 16)) & 0x0000ffff0000ffffull;
  value = (word * 10000 + (word >> 32)) & 0xffffffffull;
  return true;
}

/// [thread] Returns whether the bytes [begin, end) of a text are decimal digits. There must be at least one byte.
///
/// The digits are divided from the end into groups of eight. The first group may have fewer digits. The function calls
/// `add(part)` with the value of each group, from the first to the last. If `add` returns false, the function returns
/// false.
template <class Text, class Add>
GDF_DEVICE bool parse_digit_run(const Text& text, typename Text::index begin, typename Text::index end, Add&& add) {
  using index = typename Text::index;
  if (begin >= end) { return false; }
  auto const head = static_cast<int>((end - begin - 1) & 7) + 1;
  u64 part;
  if (!parse_digits(loose_bytes_at(text, begin) << (64 - 8 * head), 8 - head, part) || !add(part)) { return false; }
  for (index at = begin + head; at < end; at += 8) {
    if (!parse_digits(loose_bytes_at(text, at), 0, part) || !add(part)) { return false; }
  }
  return true;
}

__device__ const u64 powers_of_ten[20] = {
  1ull, 10ull, 100ull, 1000ull, 10000ull, 100000ull, 1000000ull, 10000000ull, 100000000ull, 1000000000ull,
  10000000000ull, 100000000000ull, 1000000000000ull, 10000000000000ull, 100000000000000ull, 1000000000000000ull,
  10000000000000000ull, 100000000000000000ull, 1000000000000000000ull, 10000000000000000000ull};

GDF_DEVICE u64 power_of_ten(int n) { return __ldg(powers_of_ten + n); }

/// [thread] Returns the number of decimal digits of a number, at least one.
GDF_DEVICE int count_digits(u64 value) {
  value |= 1;
  // `n` is estimated from the logarithm. The estimate is the number of digits, or one less.
  int const n = (64 - __clzll(static_cast<long long>(value))) * 1233 >> 12;
  return n + (value >= power_of_ten(n) ? 1 : 0);
}

GDF_DEVICE void store_narrow(const column_out& out, int64_t row, u64 value) {
  switch (width_of(out.type)) {
    case 1: static_cast<uint8_t*>(out.data)[row] = static_cast<uint8_t>(value); return;
    case 2: static_cast<uint16_t*>(out.data)[row] = static_cast<uint16_t>(value); return;
    case 4: static_cast<uint32_t*>(out.data)[row] = static_cast<uint32_t>(value); return;
    default: static_cast<u64*>(out.data)[row] = value; return;
  }
}
GDF_DEVICE void store_narrow(const column_out& out, int64_t row, const i256& value) {
  switch (width_of(out.type)) {
    case 16: store(static_cast<bits128*>(out.data) + row, bits128{{value.word[0], value.word[1]}}); return;
    case 32: store(static_cast<i256*>(out.data) + row, value); return;
    default: store_narrow(out, row, value.word[0]); return;
  }
}

/// [block] Calls f(text, value) for each row of text, and stores the results. The text is a string_piece or a
/// staged_piece.
template <class tuning, class V, class Function>
GDF_DEVICE void parse_strings(const column_in& in, int64_t bytes, const column_out& out, scratch* scratch, Function&& f) {
  bool const is_test = out.type == static_cast<int32_t>(type::boolean);
  auto const take = [&](int64_t row, bool is_text, const auto& text) {
    V value{};
    bool const is_value = is_text && f(text, value);
    if (is_test) {
      uint32_t const bits = __ballot_sync(~0u, is_value);
      if (lane() == 0) { static_cast<uint32_t*>(out.data)[row >> 5] = bits; }
    } else if (row < out.length) {
      store_narrow(out, row, is_value ? value : V{});
    }
    return store_valid_word(out, row, is_test ? is_text : is_value);
  };
  for_each_staged<tuning, true>(in, bytes, out, scratch, take, [&](int64_t row) {
    bool const is_text = row < out.length && is_valid(in, row);
    return take(row, is_text, is_text ? string_piece_at(in, row, bytes) : string_piece{nullptr, 0, nullptr});
  });
}

} // namespace gdf
