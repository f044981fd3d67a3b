// Loads of values from pages and dictionaries, and stores of the rows of a tile.
#pragma once

#include <gdf/grid.cuh>

#include "descriptors.cuh"

namespace decode {

/// [thread] Returns 2, 4 or 8 bytes at any address. Up to 3 bytes before and 5 bytes behind them may be read.
template <class T>
GDF_DEVICE T load(const uint8_t* from) {
  static_assert(sizeof(T) == 2 || sizeof(T) == 4 || sizeof(T) == 8);
  if constexpr (sizeof(T) == 2) { return static_cast<T>(load<uint32_t>(from)); }
  auto const misalignment = static_cast<uint32_t>(reinterpret_cast<uintptr_t>(from) & 3);
  auto const* const word = reinterpret_cast<const uint32_t*>(from - misalignment);
  uint32_t const shift = misalignment * 8;
  if constexpr (sizeof(T) == 4) {
    uint32_t const low = __ldg(word);
    return shift == 0 ? low : __funnelshift_r(low, __ldg(word + 1), shift);
  } else {
    if ((reinterpret_cast<uintptr_t>(from) & 7) == 0) { return __ldg(reinterpret_cast<const gdf::u64*>(from)); }
    uint32_t low = __ldg(word);
    uint32_t high = __ldg(word + 1);
    if (shift != 0) {
      low = __funnelshift_r(low, high, shift);
      high = __funnelshift_r(high, __ldg(word + 2), shift);
    }
    return static_cast<gdf::u64>(high) << 32 | low;
  }
}

/// [thread] Finds where the values of a page of `length` bytes begin, behind its levels. Returns false if the levels are cut.
GDF_DEVICE bool skip_levels(const uint8_t* page, uint32_t length, int32_t level_size, uint32_t& at) {
  at = level_size < 0 ? 0 : static_cast<uint32_t>(level_size);
  for (int32_t left = level_size; left < 0; left -= prefixed_levels) {
    if (length - at < 4) { return false; }
    uint32_t const size = load<uint32_t>(page + at);
    at += 4;
    if (size > length - at) { return false; }
    at += size;
  }
  return true;
}

/// [thread] Returns a big-endian integer of 1 to 16 bytes. Up to 3 bytes before and 3 bytes behind it may be read.
GDF_DEVICE gdf::i128 load_big_endian(const uint8_t* from, int bytes) {
  auto const misalignment = static_cast<int>(reinterpret_cast<uintptr_t>(from) & 3);
  auto const* const word = reinterpret_cast<const uint32_t*>(from - misalignment);
  uint32_t words[5];
#pragma unroll
  for (int i = 0; i < 5; i++) { words[i] = i * 4 < misalignment + bytes ? __ldg(word + i) : 0; }
#pragma unroll
  for (int i = 0; i < 4; i++) {
    uint32_t const stream = __funnelshift_r(words[i], words[i + 1], static_cast<uint32_t>(misalignment * 8));
    words[i] = __byte_perm(stream, 0, 0x0123);
  }
  auto const high = static_cast<gdf::u64>(words[0]) << 32 | words[1];
  auto const low = static_cast<gdf::u64>(words[2]) << 32 | words[3];
  // The shift to the right repeats the sign.
  return static_cast<gdf::i128>(static_cast<gdf::u128>(high) << 64 | low) >> (128 - 8 * bytes);
}

/// The 128 bits of a decimal, which are moved as one vector.
using wide_value = ulonglong2;

template <class T>
GDF_DEVICE T stored_as(gdf::i128 value) {
  if constexpr (sizeof(T) == 16) {
    return {static_cast<gdf::u64>(value), static_cast<gdf::u64>(value >> 64)};
  } else {
    return static_cast<T>(value);
  }
}

/// The decimals of a plain page or a dictionary page.
struct decimals {
  const uint8_t* first;
  gdf::i128 largest;
  int stored;
  int bytes;
  bool fits = true; // whether all values that this thread has read have the digits of their type

  GDF_DEVICE decimals(const column& of, const uint8_t* first)
    : first(first),
      largest(static_cast<gdf::i128>(static_cast<gdf::u128>(of.largest[1]) << 64 | of.largest[0])),
      stored(of.stored_decimal),
      bytes(of.decimal_width) {}

  /// [thread] Returns a value, and checks its digits.
  template <class T>
  GDF_DEVICE T value(int64_t index) {
    const uint8_t* const from = first + index * bytes;
    gdf::i128 value = 0;
    switch (static_cast<stored_decimal>(stored)) {
      case stored_decimal::int32: value = static_cast<int32_t>(load<uint32_t>(from)); break;
      case stored_decimal::int64: value = static_cast<int64_t>(load<gdf::u64>(from)); break;
      case stored_decimal::bytes: value = load_big_endian(from, bytes); break;
    }
    fits = fits && value <= largest && -largest <= value;
    return stored_as<T>(value);
  }
};

/// The timestamps of 96 bits of a plain page or a dictionary page: the nanoseconds of a day in 8 bytes, and its Julian
/// number in 4 bytes.
struct timestamps {
  static constexpr int64_t nanoseconds = 1000000000; // of a second
  static constexpr int64_t reach = 9223372036;       // the seconds that 64-bit nanoseconds reach

  const uint8_t* first;
  int64_t per_second;
  bool fits = true; // whether nanoseconds reach all timestamps that this thread has read, if the unit is nanoseconds

  GDF_DEVICE timestamps(const column& of, const uint8_t* first) : first(first), per_second(of.per_second) {}

  /// [thread] Returns a value. Units longer than nanoseconds wrap around.
  template <class T>
  GDF_DEVICE T value(int64_t index) {
    const uint8_t* const from = first + index * 12;
    auto const of_day = static_cast<int64_t>(load<gdf::u64>(from));
    int64_t const day = int64_t{static_cast<int32_t>(load<uint32_t>(from + 8))} - 2440588; // 1970-01-01
    int64_t const seconds = day * 86400 + of_day / nanoseconds;
    fits = fits && (per_second != nanoseconds || (-reach <= seconds && seconds < reach));
    return static_cast<gdf::u64>(day) * static_cast<gdf::u64>(86400 * per_second) +
           static_cast<gdf::u64>(of_day / (nanoseconds / per_second));
  }
};

/// [thread] Returns the number of bytes of a value of a plain page. Bits have none of their own.
GDF_DEVICE int plain_width(const column& of) {
  switch (static_cast<target>(of.target)) {
    case target::narrow8:
    case target::narrow16:
    case target::same32: return 4;
    case target::same64: return 8;
    case target::same16: return 2;
    case target::bit: return 0;
    case target::keys: return 0; // the host refuses plain pages
    case target::text: return 0; // the index of texts says how many there are
    case target::decimal32:
    case target::decimal64:
    case target::decimal128:
    case target::timestamp:
    case target::bytes: break;
  }
  return of.decimal_width;
}

/// [thread] Returns the number of bytes of `count` values of a plain page.
GDF_DEVICE int64_t plain_bytes(const column& of, int32_t count) {
  if (of.target == static_cast<int32_t>(target::bit)) { return (int64_t{count} + 7) >> 3; }
  return int64_t{count} * plain_width(of);
}

} // namespace decode
