// Values of texts: kernels that parse, and what reads digits.
#pragma once

#include "build_strings.cuh"
#include "wide.cuh"

namespace gdf {

/// The bytes of a text one after another, eight loaded at a time.
struct byte_reader {
  string_piece text;
  int64_t at;
  u64 word;

  /// [thread] Of the bytes from the first on.
  GDF_DEVICE explicit byte_reader(const string_piece& of) : text(of), at(0), word(bytes_at(of, 0)) {}

  /// [thread] Whether all are read.
  GDF_DEVICE bool is_done() const { return at >= text.size; }

  /// [thread] The next byte, which stays; 0 if all are read.
  GDF_DEVICE uint32_t peek() const { return static_cast<uint32_t>(word) & 0xff; }

  /// [thread] Goes on to the next byte.
  GDF_DEVICE void skip() {
    at++;
    word = (at & 7) == 0 ? bytes_at(text, at) : word >> 8;
  }

  /// [thread] Whether the next byte is this one, which is then read.
  GDF_DEVICE bool take(uint32_t byte) {
    if (is_done() || peek() != byte) { return false; }
    skip();
    return true;
  }

  /// [thread] The value of the next byte, if that is a decimal digit, else 10 or more.
  GDF_DEVICE uint32_t digit() const { return is_done() ? 10 : peek() - '0'; }
};

/// [thread] Whether the lowest `n` (1 to 8) bytes of a word, the first the lowest, are decimal digits, and their value.
GDF_DEVICE bool parse_digits(u64 word, int n, u64& value) {
  word = (word ^ 0x3030303030303030ull) << (64 - 8 * n); // digits, with zeros before them
  if (((word + 0x7676767676767676ull) | word) & 0x8080808080808080ull) { return false; }
  word = (word * 10 + (word >> 8)) & 0x00ff00ff00ff00ffull;
  word = (word * 100 + (word >> 16)) & 0x0000ffff0000ffffull;
  value = (word * 10000 + (word >> 32)) & 0xffffffffull;
  return true;
}

/// [thread] 10^n for n below 20.
GDF_DEVICE u64 power_of_ten(int n) {
  u64 power = 1;
  for (; n > 0; n--) { power *= 10; }
  return power;
}

/// [thread] Stores a value with the width of the output's rows.
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

/// [block] What f(text, value) makes of each row of text: the value V, as wide as the rows of `out`, null where f returns
/// false; or, where these are booleans, what f returns, null where the text is.
template <class tuning, class V, class Function>
GDF_DEVICE void parse_strings(const column_in& in, int64_t bytes, const column_out& out, scratch* scratch, Function&& f) {
  constexpr int threads = tuning::threads;
  constexpr int items = tuning::items;
  bool const is_test = out.type == static_cast<int32_t>(type::boolean);
  uint32_t valid = 0;
  for_each_tile<threads, items>(out.length, [&](int64_t first, bool) {
#pragma unroll 1
    for (int i = 0; i < items; i++) {
      int64_t const row = row_of<threads>(first, i);
      if (row - lane() >= out.length) { break; } // the whole warp
      bool const is_text = row < out.length && is_valid(in, row);
      V value{};
      bool const is_value = is_text && f(string_piece_at(in, row, bytes), value);
      if (is_test) {
        uint32_t const bits = __ballot_sync(~0u, is_value);
        if (lane() == 0) { static_cast<uint32_t*>(out.data)[row >> 5] = bits; }
      } else if (row < out.length) {
        store_narrow(out, row, is_value ? value : V{});
      }
      valid += store_valid_word(out, row, is_test ? is_text : is_value);
    }
  });
  post_null_count<threads>(scratch, out, valid);
}

} // namespace gdf
