// Keys of a single column of values of 4 or 8 bytes without nulls. Keys are made when values are read, and values are
// restored when keys are written.
#pragma once

#include "key.cuh"
#include <gdf/invalid_code.cuh>

namespace sorting {

/// The conversion of a value of 4 or 8 bytes to a key of up to 64 bits, and back.
struct codec {
  u64 base;      // subtracted from ordered values; in descending order, the values are subtracted from `base`
  int32_t shift; // low bits that are dropped
  int32_t kind;  // codec_kind
};
enum codec_kind : int32_t {
  wide_value = 1,  // the values have 8 bytes
  signed_value = 2,
  float_value = 4,
  from_the_end = 8, // descending
};

static_assert(sizeof(codec) == 16);

template <class Stored>
struct unsigned_order {
  using stored = Stored;
  GDF_DEVICE static u64 ordered(stored value) { return value; }
  GDF_DEVICE static stored restored(u64 word) { return static_cast<stored>(word); }
};

using u32_order = unsigned_order<uint32_t>;
using f32_order = float_order<uint32_t, 32, 0x7f800000, 0x7fc00000>;
using u64_order = unsigned_order<u64>;
using f64_order = float_order<u64, 64, 0x7ff0000000000000ull, 0x7ff8000000000000ull>;

/// Handles both integers and floats of one width in one order. The code has half the size, but each value takes a few
/// more instructions.
template <class Integer, class Float>
struct either_order {
  using stored = typename Integer::stored;
  GDF_DEVICE static u64 ordered(const codec& of, stored value) {
    return of.kind & float_value ? Float::ordered(value) : Integer::ordered(value);
  }
  GDF_DEVICE static stored restored(const codec& of, u64 word) {
    return of.kind & float_value ? Float::restored(word) : Integer::restored(word);
  }
};

/// [thread] Calls `body.template operator()<Order>(codec)` with the order of the codec's values.
template <class Key, bool compact = false, class Body>
GDF_DEVICE void by_kind(codec of, Body&& body) {
  bool const wide = of.kind & wide_value;
  if (of.kind & signed_value) { of.base ^= wide ? 1ull << 63 : 1ull << 31; }
  if (sizeof(Key) == 8 && !wide) { __trap(); }
  if constexpr (compact) {
    if (sizeof(Key) == 8 || wide) {
      body.template operator()<either_order<u64_order, f64_order>>(of);
    } else if constexpr (sizeof(Key) == 4) {
      body.template operator()<either_order<u32_order, f32_order>>(of);
    }
  } else if constexpr (sizeof(Key) == 4) {
    switch (of.kind & (wide_value | float_value)) {
      case 0: body.template operator()<u32_order>(of); break;
      case float_value: body.template operator()<f32_order>(of); break;
      case wide_value: body.template operator()<u64_order>(of); break;
      case wide_value | float_value: body.template operator()<f64_order>(of); break;
      default: gdf::unreachable_code();
    }
  } else if (of.kind & float_value) {
    body.template operator()<f64_order>(of);
  } else {
    body.template operator()<u64_order>(of);
  }
}

template <class Key, class Order>
GDF_DEVICE Key key_of(const codec& of, typename Order::stored value) {
  using stored = typename Order::stored;
  u64 word;
  if constexpr (requires { Order::ordered(of, value); }) {
    word = Order::ordered(of, value);
  } else {
    word = Order::ordered(value);
  }
  auto const ordered = static_cast<stored>(word);
  auto const base = static_cast<stored>(of.base);
  stored const distance = of.kind & from_the_end ? base - ordered : ordered - base;
  return static_cast<Key>(distance >> of.shift);
}

template <class Order, class Key>
GDF_DEVICE typename Order::stored value_of(const codec& of, Key key) {
  using stored = typename Order::stored;
  auto const distance = static_cast<stored>(static_cast<stored>(key) << of.shift);
  auto const base = static_cast<stored>(of.base);
  stored const ordered = of.kind & from_the_end ? base - distance : base + distance;
  if constexpr (requires { Order::restored(of, ordered); }) {
    return Order::restored(of, ordered);
  } else {
    return Order::restored(ordered);
  }
}

} // namespace sorting
