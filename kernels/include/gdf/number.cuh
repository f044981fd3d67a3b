// Converts rows of any numeric type to the type of a computation, and results to the type that is stored. A warp
// handles `items` consecutive mask words: word i belongs to the rows base + 32 i + lane.
#pragma once

#include "accessor.cuh"
#include "grid.cuh"
#include "half.cuh"

namespace gdf {

template <class C>
constexpr bool is_float = is_same<C, float> || is_same<C, double>;

template <class C, class S>
GDF_DEVICE C widen(const S& value) {
  if constexpr (is_same<S, f16>) {
    return static_cast<C>(__half2float(value));
  } else if constexpr (is_same<C, i256> && !is_same<S, i256>) {
    return to_i256(static_cast<i128>(value));
  } else {
    return static_cast<C>(value);
  }
}

/// [thread] Loads the stored rows base + 32 i + lane.
template <class S, int items>
GDF_DEVICE void load_stored(const column_in& in, int64_t base, int64_t limit,
                            S (&out)[items]) {
  values<S> const stored(in);
#pragma unroll
  for (int i = 0; i < items; i++) {
    int64_t const row = base + i * 32 + lane();
    out[i] = row < limit ? stored[row] : S{};
  }
}

/// [thread] Calls `body.template operator()<S>()` with the C++ type of a type number.
template <class C, class Body>
GDF_DEVICE void by_stored(int32_t number, Body&& body) {
  auto const kind = static_cast<type>(number);
  switch (kind) {
    case type::boolean: body.template operator()<bool>(); return;
    case type::i8: body.template operator()<int8_t>(); return;
    case type::i16: body.template operator()<int16_t>(); return;
    case type::u8: body.template operator()<uint8_t>(); return;
    case type::u16: body.template operator()<uint16_t>(); return;
    default: break;
  }
  if constexpr (!is_same<C, float>) {
    switch (kind) {
      case type::i32: body.template operator()<int32_t>(); return;
      case type::u32: body.template operator()<uint32_t>(); return;
      case type::i64: body.template operator()<int64_t>(); return;
      case type::u64: body.template operator()<uint64_t>(); return;
      default: break;
    }
  }
  if constexpr (is_float<C>) {
    switch (kind) {
      case type::f16: body.template operator()<f16>(); return;
      case type::f32: body.template operator()<float>(); return;
      default: break;
    }
  }
  if constexpr (is_same<C, double>) { body.template operator()<double>(); }
  if constexpr (is_same<C, i128>) { body.template operator()<i128>(); }
  if constexpr (is_same<C, i256>) {
    if (kind == type::i128) {
      body.template operator()<i128>();
    } else {
      body.template operator()<i256>();
    }
  }
}

template <class C, class S, int items>
GDF_DEVICE void widen_all(const S (&from)[items], C (&to)[items]) {
#pragma unroll
  for (int i = 0; i < items; i++) { to[i] = widen<C>(from[i]); }
}

/// [thread] Loads the rows base + 32 i + lane as C.
template <class C, int items>
GDF_DEVICE void load_rows(const column_in& in, int64_t base, int64_t limit,
                          C (&out)[items]) {
  by_stored<C>(in.type, [&]<class S>() {
    S rows[items];
    load_stored(in, base, limit, rows);
    widen_all(rows, out);
  });
}

/// [thread] Does the same as load_rows for both operands.
template <class C, int items>
GDF_DEVICE void load_pair(const column_in& lhs, const column_in& rhs, int64_t base,
                          int64_t limit, C (&a)[items], C (&b)[items]) {
  if (lhs.type == rhs.type) {
    by_stored<C>(lhs.type, [&]<class S>() {
      S left[items];
      S right[items];
      load_stored(lhs, base, limit, left);
      load_stored(rhs, base, limit, right);
      widen_all(left, a);
      widen_all(right, b);
    });
  } else {
    load_rows(lhs, base, limit, a);
    load_rows(rhs, base, limit, b);
  }
}

/// [thread] Converts a double to an integer. The value is truncated and clamped to the range of the integer. NaN
/// becomes 0.
template <class O>
GDF_DEVICE O saturate(double value) {
  if (value != value) { return O{0}; }
  if constexpr (is_same<O, uint64_t>) {
    return __double2ull_rz(value); // the conversion clamps
  } else {
    constexpr bool has_sign = static_cast<O>(-1) < static_cast<O>(0);
    constexpr int bits = static_cast<int>(sizeof(O)) * 8 - (has_sign ? 1 : 0);
    constexpr long long max_value =
      sizeof(O) == 8 ? 0x7fffffffffffffffll : (1ll << (bits & 63)) - 1;
    constexpr long long min_value = has_sign ? -max_value - 1 : 0;
    long long const whole = __double2ll_rz(value); // the conversion clamps
    return static_cast<O>(whole < min_value ? min_value : whole > max_value ? max_value : whole);
  }
}

/// [thread] Converts a result to its stored type. Integers wrap around. Floats become integers in the same way as in
/// `saturate`.
template <class O, class C>
GDF_DEVICE O narrow(const C& value) {
  if constexpr (is_same<O, C>) {
    return value;
  } else if constexpr (is_same<O, f16>) {
    return __float2half_rn(static_cast<float>(value));
  } else if constexpr (is_float<C> && !is_float<O>) {
    return saturate<O>(static_cast<double>(value));
  } else {
    return static_cast<O>(value);
  }
}

template <class O, class C, int items>
GDF_DEVICE void store_as(const column_out& out, int64_t base, const C (&rows)[items]) {
  O* const data = static_cast<O*>(out.data);
#pragma unroll
  for (int i = 0; i < items; i++) {
    int64_t const row = base + i * 32 + lane();
    if (row < out.length) { store(data + row, narrow<O>(rows[i])); }
  }
}

/// [thread] Stores the rows base + 32 i + lane that are below out.length, converted from C.
template <class C, int items>
GDF_DEVICE void store_rows(const column_out& out, int64_t base, const C (&rows)[items]) {
  if constexpr (is_same<C, i256>) {
    if (out.type == static_cast<int32_t>(type::i256)) {
      store_as<i256>(out, base, rows);
      return;
    }
    i128 low[items];
#pragma unroll
    for (int i = 0; i < items; i++) {
      low[i] = static_cast<i128>(static_cast<u128>(rows[i].word[1]) << 64 | rows[i].word[0]);
    }
    store_rows(out, base, low);
  } else {
    switch (static_cast<type>(out.type)) {
      case type::i8: store_as<int8_t>(out, base, rows); return;
      case type::i16: store_as<int16_t>(out, base, rows); return;
      case type::u8: store_as<uint8_t>(out, base, rows); return;
      case type::u16: store_as<uint16_t>(out, base, rows); return;
      default: break;
    }
    if constexpr (!is_same<C, float>) {
      switch (static_cast<type>(out.type)) {
        case type::i32: store_as<int32_t>(out, base, rows); return;
        case type::u32: store_as<uint32_t>(out, base, rows); return;
        case type::i64: store_as<int64_t>(out, base, rows); return;
        case type::u64: store_as<uint64_t>(out, base, rows); return;
        default: break;
      }
    }
    if constexpr (is_float<C>) {
      switch (static_cast<type>(out.type)) {
        case type::f16: store_as<f16>(out, base, rows); return;
        case type::f32: store_as<float>(out, base, rows); return;
        default: break;
      }
    }
    if constexpr (is_same<C, double>) { store_as<double>(out, base, rows); }
    if constexpr (is_same<C, i128>) { store_as<i128>(out, base, rows); }
  }
}

} // namespace gdf
