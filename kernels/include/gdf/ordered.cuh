// Comparisons of numbers of any type in their stored form.
#pragma once

#include "half.cuh"
#include "types.cuh"

namespace gdf {

template <class T>
GDF_DEVICE bool less(const T& a, const T& b) {
  if constexpr (is_same<T, f16>) {
    return __half2float(a) < __half2float(b);
  } else {
    return a < b;
  }
}

template <class T>
GDF_DEVICE bool less_equal(const T& a, const T& b) {
  if constexpr (is_same<T, f16>) {
    return __half2float(a) <= __half2float(b);
  } else {
    return a <= b;
  }
}

/// [thread] Calls `body.template operator()<T>()` with the C++ type of a type number.
template <class Body>
GDF_DEVICE void by_number(int32_t number, Body&& body) {
  switch (static_cast<type>(number)) {
    case type::i8: body.template operator()<int8_t>(); break;
    case type::i16: body.template operator()<int16_t>(); break;
    case type::i32: body.template operator()<int32_t>(); break;
    case type::i64: body.template operator()<int64_t>(); break;
    case type::u8: body.template operator()<uint8_t>(); break;
    case type::u16: body.template operator()<uint16_t>(); break;
    case type::u32: body.template operator()<uint32_t>(); break;
    case type::u64: body.template operator()<u64>(); break;
    case type::f16: body.template operator()<f16>(); break;
    case type::f32: body.template operator()<float>(); break;
    case type::f64: body.template operator()<double>(); break;
    case type::i128: body.template operator()<i128>(); break;
    case type::i256: body.template operator()<i256>(); break;
    default: break;
  }
}

} // namespace gdf
