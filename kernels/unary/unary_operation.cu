// unary::unary_operation: functions of one row. Operators that only change bits (including signs) are compiled for each
// width, not for each type. Functions of floats are computed in double precision for all float types. Their code thus
// exists only once, and results in single precision are rounded only once.

#include <gdf/elementwise.cuh>
#include <gdf/invalid_code.cuh>
#include <gdf/wide.cuh>

#include "rounding.cuh"

namespace unary_operation {

struct operation {
  int32_t code;
  int32_t reserved;
  gdf::u64 factor[4]; // decimals: ten to the scale
};
static_assert(sizeof(operation) == 40);

enum bits_code : int32_t {
  copy = 0,
  invert = 1,
  negate = 2,       // two's complement
  absolute = 3,     // two's complement
  flip_sign = 4,    // floats
  clear_sign = 5,   // floats
};

/// Functions of floats: OPERATOR(name, expression of the double x). The host's functors are in gdf-compute's table of
/// unary operators.
#define UNARY_MATH(OPERATOR)      \
  OPERATOR(math_ceil, ceil(x))    \
  OPERATOR(math_floor, floor(x))  \
  OPERATOR(math_rint, rint(x))    \
  OPERATOR(math_sqrt, sqrt(x))    \
  OPERATOR(math_sin, sin(x))      \
  OPERATOR(math_cos, cos(x))      \
  OPERATOR(math_tan, tan(x))      \
  OPERATOR(math_asin, asin(x))    \
  OPERATOR(math_acos, acos(x))    \
  OPERATOR(math_atan, atan(x))    \
  OPERATOR(math_sinh, sinh(x))    \
  OPERATOR(math_cosh, cosh(x))    \
  OPERATOR(math_tanh, tanh(x))    \
  OPERATOR(math_asinh, asinh(x))  \
  OPERATOR(math_acosh, acosh(x))  \
  OPERATOR(math_atanh, atanh(x))  \
  OPERATOR(math_exp, exp(x))      \
  OPERATOR(math_log, log(x))      \
  OPERATOR(math_cbrt, cbrt(x))    \
  OPERATOR(math_exp2, exp2(x))    \
  OPERATOR(math_expm1, expm1(x))  \
  OPERATOR(math_log2, log2(x))    \
  OPERATOR(math_log10, log10(x))  \
  OPERATOR(math_log1p, log1p(x))  \
  OPERATOR(math_degrees, x * 57.29577951308232)     \
  OPERATOR(math_radians, x * 0.017453292519943295)  \
  OPERATOR(math_sign, x > 0.0 ? 1.0 : x < 0.0 ? -1.0 : x) \
  OPERATOR(math_trunc, trunc(x))

enum math_code : int32_t { UNARY_MATH(GDF_OPERATOR_CODE) };

template <class T>
GDF_DEVICE bool is_negative(T value) {
  return value >> (sizeof(T) * 8 - 1) != 0;
}

GDF_DEVICE bool is_negative(const gdf::i256& value) { return value.word[3] >> 63 != 0; }

template <class T>
GDF_DEVICE T apply_bits(int32_t code, T value) {
  if constexpr (gdf::is_same<T, gdf::i256>) {
    switch (code) {
      case copy: return value;
      case negate: return -value;
      case absolute: return is_negative(value) ? -value : value;
      default: return gdf::unreachable_code<T>();
    }
  } else {
    T const sign = static_cast<T>(T{1} << (sizeof(T) * 8 - 1));
    switch (code) {
      case copy: return value;
      case invert: return static_cast<T>(~value);
      case negate: return static_cast<T>(T{0} - value);
      case absolute: return is_negative(value) ? static_cast<T>(T{0} - value) : value;
      case flip_sign: return static_cast<T>(value ^ sign);
      case clear_sign: return static_cast<T>(value & static_cast<T>(~sign));
      default: return gdf::unreachable_code<T>();
    }
  }
}

/// [thread] Applies the function `code` to all rows.
template <int items>
GDF_DEVICE void apply_math(int32_t code, double (&rows)[items]) {
  auto const each = [&](auto&& f) {
#pragma unroll
    for (int i = 0; i < items; i++) { rows[i] = f(rows[i]); }
  };
#define UNARY_MATH_CASE(name, functor) \
  case name: each([](double x) { return functor; }); return;
  switch (code) {
    UNARY_MATH(UNARY_MATH_CASE)
    default: gdf::invalid_code();
  }
}

} // namespace unary_operation

/// Defines a kernel that computes out[r] = op(in[r]) for out.length rows of the width of T. Nulls stay null.
#define UNARY_BITS(name, T, threads, items, blocks)                                             \
  GDF_POLICY(unary_bits_##name, threads, items, blocks);                                        \
  extern "C" __global__ void GDF_BOUNDS(unary_bits_##name) GDF_VARIANT(unary_apply, bits_##name) unary_bits_##name##_kernel(          \
    const __grid_constant__ gdf::column_in in, const __grid_constant__ gdf::column_out out,     \
    const __grid_constant__ unary_operation::operation how, gdf::scratch* scratch) {            \
    gdf::map_runs<T, unary_bits_##name##_tuning>(in, out, scratch, [&](T value) {    \
      return unary_operation::apply_bits<T>(how.code, value);                                   \
    });                                                                                         \
  }

UNARY_BITS(u8, uint8_t, 256, 32, 4)
UNARY_BITS(u16, uint16_t, 256, 16, 4)
UNARY_BITS(u32, uint32_t, 256, 16, 4)
UNARY_BITS(u64, uint64_t, 128, 4, 8) // tiles of 4 KB, see docs/benchmarks/h200.md
UNARY_BITS(i128, gdf::u128, 256, 4, 4)
UNARY_BITS(i256, gdf::i256, 256, 2, 4)

/// Defines a kernel that rounds in[r] or computes its square root, as out[r]. Nulls stay null.
#define UNARY_ROUNDING_KERNEL(name, T, threads, items, blocks)                                         \
  GDF_POLICY(unary_rounding_##name, threads, items, blocks);                                    \
  extern "C" __global__ void GDF_BOUNDS(unary_rounding_##name) GDF_VARIANT(unary_apply, rounding_##name) unary_rounding_##name##_kernel(  \
    const __grid_constant__ gdf::column_in in, const __grid_constant__ gdf::column_out out,     \
    const __grid_constant__ unary_operation::operation how, gdf::scratch* scratch) {            \
    gdf::map_runs<T, unary_rounding_##name##_tuning>(in, out, scratch, [&](T value) { \
      return unary_operation::apply_rounding(how.code, value);                                  \
    });                                                                                         \
  }

UNARY_ROUNDING_KERNEL(f32, float, 256, 8, 4)
UNARY_ROUNDING_KERNEL(f64, double, 128, 4, 8)

GDF_POLICY(unary_math, 256, 8, 4);

/// Computes out[r] = function(in[r]) for any numeric type, in double precision. Nulls stay null.
extern "C" __global__ void GDF_BOUNDS(unary_math) GDF_VARIANT(unary_apply, math)
unary_math_kernel(const __grid_constant__ gdf::column_in in,
                  const __grid_constant__ gdf::column_out out,
                  const __grid_constant__ unary_operation::operation how, gdf::scratch* scratch) {
  gdf::map_words<double, unary_math_tuning>(
    in, out, scratch, [&](double(&rows)[unary_math_tuning::items], int64_t base) {
      unary_operation::apply_math(how.code, rows);
      gdf::store_rows(out, base, rows);
    });
}

GDF_POLICY(unary_decimal, 256, 2, 4);
GDF_POLICY(unary_decimal256, 256, 1, 2);

/// Rounds the decimals in[r] up (code 0) or down (code 1) to a multiple of the factor. Nulls stay null.
extern "C" __global__ void GDF_BOUNDS(unary_decimal) GDF_VARIANT(unary_apply, decimal)
unary_decimal_kernel(const __grid_constant__ gdf::column_in in,
                     const __grid_constant__ gdf::column_out out,
                     const __grid_constant__ unary_operation::operation how,
                     gdf::scratch* scratch) {
  using gdf::i128;
  using gdf::u128;
  constexpr int items = unary_decimal_tuning::items;
  auto const unit = static_cast<i128>(static_cast<u128>(how.factor[1]) << 64 | how.factor[0]);
  bool const up = how.code == unary_operation::math_ceil;
  gdf::map_words<i128, unary_decimal_tuning>(
    in, out, scratch, [&](i128(&rows)[items], int64_t base) {
#pragma unroll
      for (int i = 0; i < items; i++) {
        i128 const rest = rows[i] % unit;
        u128 whole = static_cast<u128>(rows[i]) - static_cast<u128>(rest);
        if (up && rest > 0) { whole += static_cast<u128>(unit); }
        if (!up && rest < 0) { whole -= static_cast<u128>(unit); }
        rows[i] = static_cast<i128>(whole);
      }
      gdf::store_rows(out, base, rows);
    });
}

/// Does the same as unary_decimal_kernel, for decimals of 256 bits.
extern "C" __global__ void GDF_BOUNDS(unary_decimal256) GDF_VARIANT(unary_apply, decimal256)
unary_decimal256_kernel(const __grid_constant__ gdf::column_in in,
                        const __grid_constant__ gdf::column_out out,
                        const __grid_constant__ unary_operation::operation how,
                        gdf::scratch* scratch) {
  gdf::i256 const unit{{how.factor[0], how.factor[1], how.factor[2], how.factor[3]}};
  gdf::i256 const zero{{0, 0, 0, 0}};
  bool const up = how.code == unary_operation::math_ceil;
  gdf::map_words<gdf::i256, unary_decimal256_tuning>(
    in, out, scratch, [&](gdf::i256(&rows)[1], int64_t base) {
      gdf::i256 const rest = rows[0] % unit;
      rows[0] = rows[0] - rest;
      if (up && rest > zero) { rows[0] = rows[0] + unit; }
      if (!up && rest < zero) { rows[0] = rows[0] - unit; }
      gdf::store_rows(out, base, rows);
    });
}

GDF_POLICY(unary_bit_count, 256, 4, 4);

/// Counts the bits that are set in the integers in[r], as i32. The descriptor of `in` must have the unsigned type of
/// the same width. Nulls stay null.
extern "C" __global__ void GDF_BOUNDS(unary_bit_count) GDF_VARIANT(unary_apply, bit_count)
unary_bit_count_kernel(const __grid_constant__ gdf::column_in in,
                       const __grid_constant__ gdf::column_out out,
                       const __grid_constant__ unary_operation::operation,
                       gdf::scratch* scratch) {
  constexpr int items = unary_bit_count_tuning::items;
  gdf::map_words<uint64_t, unary_bit_count_tuning>(
    in, out, scratch, [&](uint64_t(&rows)[items], int64_t base) {
#pragma unroll
      for (int i = 0; i < items; i++) { rows[i] = static_cast<uint64_t>(__popcll(rows[i])); }
      gdf::store_as<int32_t>(out, base, rows);
    });
}

GDF_POLICY(unary_not_numbers, 256, 4, 4);

/// Writes whether in[r] is 0, as a bit, for any numeric type. Nulls stay null.
extern "C" __global__ void GDF_BOUNDS(unary_not_numbers) GDF_VARIANT(unary_apply, not_numbers)
unary_not_numbers_kernel(const __grid_constant__ gdf::column_in in,
                         const __grid_constant__ gdf::column_out out,
                         const __grid_constant__ unary_operation::operation,
                         gdf::scratch* scratch) {
  constexpr int items = unary_not_numbers_tuning::items;
  gdf::map_words<double, unary_not_numbers_tuning>(
    in, out, scratch, [&](double(&rows)[items], int64_t base) {
      gdf::store_bits<items>(out, base, gdf::collect<items>([&](int i) { return rows[i] == 0.0; }));
    });
}

GDF_POLICY(unary_truth, 256, 2, 4);

/// Copies booleans if the code is 0, and otherwise inverts them. Nulls stay null.
extern "C" __global__ void GDF_BOUNDS(unary_truth) GDF_VARIANT(unary_apply, truth)
unary_truth_kernel(const __grid_constant__ gdf::column_in in,
                 const __grid_constant__ gdf::column_out out,
                 const __grid_constant__ unary_operation::operation how, gdf::scratch* scratch) {
  constexpr int threads = unary_truth_tuning::threads;
  constexpr int items = unary_truth_tuning::items;
  uint32_t const flip = how.code != 0 ? ~0u : 0u;
  uint32_t valid = 0;
  gdf::for_each_tile<threads, items>(gdf::words_for(out.length), [&](int64_t first, bool) {
#pragma unroll
    for (int i = 0; i < items; i++) {
      int64_t const row = gdf::row_of<threads>(first, i) * 32;
      if (row < out.length) {
        static_cast<uint32_t*>(out.data)[row >> 5] =
          (gdf::boolean_word(in, row, out.length) ^ flip) & gdf::low_bits(out.length - row);
        if (out.validity != nullptr) {
          uint32_t const bits = gdf::valid_word(in, row, out.length);
          out.validity[row >> 5] = bits;
          valid += __popc(bits);
        }
      }
    }
  });
  gdf::post_null_count<threads>(scratch, out, valid);
}
