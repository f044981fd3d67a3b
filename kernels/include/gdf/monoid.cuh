// The common part of reductions and scans: values as words for shuffles and memory, numbers of any type as doubles, and
// keys by which the smallest or largest number is found.
#pragma once

#include "grid.cuh"
#include "half.cuh"
#include "wide.cuh"

namespace gdf {

/// A value as words, for shuffles and memory.
template <class Value>
union packed {
  static constexpr int words = (sizeof(Value) + 7) / 8;
  u64 word[words];
  Value value;
  GDF_DEVICE packed() { word[words - 1] = 0; }
  GDF_DEVICE explicit packed(const Value& v) {
    word[words - 1] = 0;
    value = v;
  }
};

/// [warp] Returns the value of another lane.
template <class Value, class Shuffle>
GDF_DEVICE Value shuffled(const Value& value, Shuffle&& shuffle) {
  if constexpr (sizeof(Value) == 4) {
    return shuffle(value);
  } else {
    packed<Value> bits(value);
#pragma unroll
    for (int i = 0; i < packed<Value>::words; i++) { bits.word[i] = shuffle(bits.word[i]); }
    return bits.value;
  }
}

template <class Value>
GDF_DEVICE Value from_below(const Value& value, int step) {
  return shuffled(value, [&](auto word) { return __shfl_up_sync(~0u, word, step); });
}

template <class Value>
GDF_DEVICE Value from_above(const Value& value, int step) {
  return shuffled(value, [&](auto word) { return __shfl_down_sync(~0u, word, step); });
}

template <class Value>
GDF_DEVICE Value from_lane(const Value& value, int lane) {
  return shuffled(value, [&](auto word) { return __shfl_sync(~0u, word, lane); });
}

/// [warp] Returns the inclusive scan over the lanes: the combination of the values of this lane and of all lower lanes.
template <class Op>
GDF_DEVICE typename Op::value inclusive_in_warp(const Op& op, typename Op::value value) {
#pragma unroll
  for (int step = 1; step < 32; step <<= 1) {
    typename Op::value const below = from_below(value, step);
    if (lane() >= step) { value = op(below, value); }
  }
  return value;
}

/// The bits of a half-precision float. The type is distinct from integer types.
struct half_bits {
  uint16_t bits;
};

template <class T>
constexpr bool is_real = false;
template <>
constexpr bool is_real<half_bits> = true;
template <>
constexpr bool is_real<float> = true;
template <>
constexpr bool is_real<double> = true;

GDF_DEVICE double as_double(half_bits value) { return __half2float(__ushort_as_half(value.bits)); }
template <class T>
GDF_DEVICE double as_double(T value) {
  return static_cast<double>(value);
}
GDF_DEVICE double as_double(const u128& value) { return nearest_double(static_cast<i128>(value)); }
GDF_DEVICE double as_double(const i256& value) { return nearest_double(value); }

/// [thread] Returns the float of type T nearest to a double.
template <class T>
GDF_DEVICE T as_real(double value) {
  if constexpr (sizeof(T) == 2) {
    return T{__half_as_ushort(__double2half(value))};
  } else {
    return static_cast<T>(value);
  }
}

/// [thread] Maps the bits of doubles to integers of the same order. -0.0 comes before 0.0, and a NaN with a positive
/// sign comes last. The function is its own inverse.
GDF_DEVICE long long ordered(long long bits) {
  return bits ^ static_cast<long long>(static_cast<u64>(bits >> 63) >> 1);
}

/// [thread] Returns the key of a double. All NaNs have the same key, which is not the largest integer.
GDF_DEVICE long long ordered_key(double value) {
  return ordered(value != value ? 0x7ff8000000000000ll : __double_as_longlong(value));
}

GDF_DEVICE double of_ordered_key(long long key) { return __longlong_as_double(ordered(key)); }

} // namespace gdf
