// unary::cast: converts values of one type to another. One switch on the type reads a value, and another switch writes
// it. The size of the code therefore grows with the sum of the numbers of types, and not with their product.

#include <gdf/index.cuh>

#include "cast.cuh"

namespace unary_cast {

/// The integer or float of each row of a thread. Integers are extended to 64 bits, and floats are widened to double.
template <int items>
struct words {
  gdf::u64 of[items];
};

/// [thread] Loads the thread's rows of the tile at `first`.
template <int n, class T, int threads, int items, class Widen>
GDF_DEVICE void load_as(const gdf::column_in& in, int64_t first, words<items>& rows, Widen widen) {
  constexpr int chunks = items / n;
  gdf::values<T> const column(in);
  gdf::run<T, n> loaded[chunks];
#pragma unroll
  for (int c = 0; c < chunks; c++) {
    loaded[c] = gdf::load_run<n>(column, gdf::run_row<threads, n>(first, c), in.length);
  }
#pragma unroll
  for (int c = 0; c < chunks; c++) {
#pragma unroll
    for (int i = 0; i < n; i++) { rows.of[c * n + i] = widen(loaded[c].row[i]); }
  }
}

template <int n, int threads, int items>
GDF_DEVICE void load_booleans(const gdf::column_in& in, int64_t first, words<items>& rows) {
#pragma unroll
  for (int c = 0; c < items / n; c++) {
    int64_t const row = gdf::run_row<threads, n>(first, c);
    uint32_t const bits = gdf::boolean_word(in, row, in.length);
#pragma unroll
    for (int i = 0; i < n; i++) { rows.of[c * n + i] = bits >> i & 1; }
  }
}

template <int n, int threads, int items>
GDF_DEVICE void load_integers(const gdf::column_in& in, int64_t first, words<items>& rows) {
  auto const extend = [](auto value) {
    // Unsigned values of up to 32 bits fit in the signed word, and u64 values keep their bits.
    return static_cast<gdf::u64>(static_cast<long long>(value));
  };
  auto const load = [&]<class T>() {
    if constexpr (sizeof(T) * n <= 16) { load_as<n, T, threads>(in, first, rows, extend); }
  };
  switch (static_cast<gdf::type>(in.type)) {
    case gdf::type::boolean: load_booleans<n, threads>(in, first, rows); break;
    case gdf::type::i8: load.template operator()<int8_t>(); break;
    case gdf::type::u8: load.template operator()<uint8_t>(); break;
    case gdf::type::i16: load.template operator()<int16_t>(); break;
    case gdf::type::u16: load.template operator()<uint16_t>(); break;
    case gdf::type::i32: load.template operator()<int32_t>(); break;
    case gdf::type::u32: load.template operator()<uint32_t>(); break;
    default: load.template operator()<gdf::u64>(); break;
  }
}

/// [thread] Loads floats as the bits of doubles. Returns false for columns of other types.
template <int n, int threads, int items>
GDF_DEVICE bool load_floats(const gdf::column_in& in, int64_t first, words<items>& rows) {
  switch (static_cast<gdf::type>(in.type)) {
    case gdf::type::f16:
      load_as<n, uint16_t, threads>(in, first, rows, [](uint16_t value) {
        double const wide = __half2float(__ushort_as_half(value));
        return static_cast<gdf::u64>(__double_as_longlong(wide));
      });
      return true;
    case gdf::type::f32:
      if constexpr (n <= 4) {
        load_as<n, float, threads>(in, first, rows, [](float value) {
          return static_cast<gdf::u64>(__double_as_longlong(static_cast<double>(value)));
        });
      }
      return true;
    case gdf::type::f64:
      if constexpr (n <= 2) {
        load_as<n, gdf::u64, threads>(in, first, rows, [](gdf::u64 bits) { return bits; });
      }
      return true;
    default: return false;
  }
}

template <int n, class T, int threads, int items, class Narrow>
GDF_DEVICE void store_as(const gdf::column_out& out, int64_t first, const words<items>& rows,
                         Narrow narrow) {
  if constexpr (sizeof(T) * n <= 16) {
#pragma unroll
    for (int c = 0; c < items / n; c++) {
      gdf::run<T, n> stored;
#pragma unroll
      for (int i = 0; i < n; i++) { stored.row[i] = narrow(rows.of[c * n + i]); }
      gdf::store_run<n>(static_cast<T*>(out.data), gdf::run_row<threads, n>(first, c), out.length,
                        stored);
    }
  }
}

/// [warp] Stores the thread's rows as bits.
template <int n, int threads, int items, class Test>
GDF_DEVICE void store_booleans(const gdf::column_out& out, int64_t first, const words<items>& rows,
                               Test test) {
  constexpr int sharing = 32 / n;
  int const position = gdf::lane() % sharing;
#pragma unroll
  for (int c = 0; c < items / n; c++) {
    int64_t const row = gdf::run_row<threads, n>(first, c);
    uint32_t bits = 0;
#pragma unroll
    for (int i = 0; i < n; i++) { bits |= static_cast<uint32_t>(test(rows.of[c * n + i])) << i; }
    bits = (bits & gdf::low_bits(out.length - row)) << (position * n);
#pragma unroll
    for (int step = 1; step < sharing; step <<= 1) { bits |= __shfl_xor_sync(~0u, bits, step); }
    if (position == 0 && row < out.length) { static_cast<uint32_t*>(out.data)[row >> 5] = bits; }
  }
}

/// [thread] Stores words as integers of 8 to 64 bits.
template <int n, int threads, int items>
GDF_DEVICE void store_integers(const gdf::column_out& out, int64_t first, const words<items>& rows) {
  auto const store = [&]<class T>() {
    store_as<n, T, threads>(out, first, rows, [](gdf::u64 word) { return static_cast<T>(word); });
  };
  switch (static_cast<gdf::type>(out.type)) {
    case gdf::type::i8:
    case gdf::type::u8: store.template operator()<uint8_t>(); break;
    case gdf::type::i16:
    case gdf::type::u16: store.template operator()<uint16_t>(); break;
    case gdf::type::i32:
    case gdf::type::u32: store.template operator()<uint32_t>(); break;
    default: store.template operator()<gdf::u64>(); break;
  }
}

/// [thread] Rounds toward zero. A value out of range becomes the nearest integer in range, and NaN becomes 0.
template <class T>
GDF_DEVICE T saturate(double value) {
  constexpr bool is_signed = static_cast<T>(-1) < T{0};
  constexpr int bits = sizeof(T) * 8 - (is_signed ? 1 : 0);
  constexpr T min_value = is_signed ? static_cast<T>(static_cast<T>(1) << (sizeof(T) * 8 - 1)) : T{0};
  constexpr T max_value = static_cast<T>(~min_value);
  constexpr double above = bits == 64 ? 18446744073709551616.0 : static_cast<double>(1ull << (bits % 64));
  if (value >= above) { return max_value; }
  if (value <= (is_signed ? -above : 0.0)) { return min_value; }
  if (value != value) { return T{0}; }
  if constexpr (is_signed) {
    return static_cast<T>(static_cast<long long>(value));
  } else {
    return static_cast<T>(static_cast<gdf::u64>(value));
  }
}

GDF_DEVICE double as_double(gdf::u64 word) {
  return __longlong_as_double(static_cast<long long>(word));
}

template <int n, int threads, int items>
GDF_DEVICE void store_from_floats(const gdf::column_out& out, int64_t first,
                                  const words<items>& rows) {
  auto const store = [&]<class T>() {
    store_as<n, T, threads>(out, first, rows,
                            [](gdf::u64 word) { return saturate<T>(as_double(word)); });
  };
  switch (static_cast<gdf::type>(out.type)) {
    case gdf::type::boolean:
      store_booleans<n, threads>(out, first, rows,
                                 [](gdf::u64 word) { return as_double(word) != 0.0; });
      break;
    case gdf::type::i8: store.template operator()<int8_t>(); break;
    case gdf::type::i16: store.template operator()<int16_t>(); break;
    case gdf::type::i32: store.template operator()<int32_t>(); break;
    case gdf::type::i64: store.template operator()<long long>(); break;
    case gdf::type::u8: store.template operator()<uint8_t>(); break;
    case gdf::type::u16: store.template operator()<uint16_t>(); break;
    case gdf::type::u32: store.template operator()<uint32_t>(); break;
    case gdf::type::u64: store.template operator()<gdf::u64>(); break;
    case gdf::type::f16:
      store_as<n, uint16_t, threads>(out, first, rows,
                                     [](gdf::u64 word) { return to_half(as_double(word)); });
      break;
    case gdf::type::f32:
      store_as<n, float, threads>(out, first, rows, [](gdf::u64 word) {
        return static_cast<float>(as_double(word));
      });
      break;
    default:
      store_as<n, gdf::u64, threads>(out, first, rows, [](gdf::u64 word) { return word; });
      break;
  }
}

/// [warp] Writes rows whose values in registers are 64-bit integers.
template <int n, int threads, int items>
GDF_DEVICE void store_from_integers(const gdf::column_out& out, int64_t first, bool is_unsigned,
                                    const words<items>& rows) {
  auto const single = [=](gdf::u64 word) {
    return is_unsigned ? __ull2float_rn(word) : __ll2float_rn(static_cast<long long>(word));
  };
  switch (static_cast<gdf::type>(out.type)) {
    case gdf::type::boolean:
      store_booleans<n, threads>(out, first, rows, [](gdf::u64 word) { return word != 0; });
      break;
    case gdf::type::f16:
      store_as<n, uint16_t, threads>(out, first, rows, [=](gdf::u64 word) {
        return __half_as_ushort(__float2half_rn(single(word)));
      });
      break;
    case gdf::type::f32: store_as<n, float, threads>(out, first, rows, single); break;
    case gdf::type::f64:
      store_as<n, double, threads>(out, first, rows, [=](gdf::u64 word) {
        return is_unsigned ? __ull2double_rn(word) : __ll2double_rn(static_cast<long long>(word));
      });
      break;
    default: store_integers<n, threads>(out, first, rows); break;
  }
}

/// [block] Casts between booleans, integers and floats.
template <int n, class tuning>
GDF_DEVICE void numbers(const gdf::column_in& in, const gdf::column_out& out,
                        gdf::scratch* scratch) {
  constexpr int threads = tuning::threads;
  constexpr int items = tuning::items;
  const gdf::column_in* const inputs[1] = {&in};
  bool const is_unsigned = in.type == static_cast<int32_t>(gdf::type::u64);
  uint32_t valid = 0;
  gdf::for_each_tile<threads, items>(out.length, [&](int64_t first, bool) {
    words<items> rows;
    if (load_floats<n, threads>(in, first, rows)) {
      store_from_floats<n, threads>(out, first, rows);
    } else {
      load_integers<n, threads>(in, first, rows);
      store_from_integers<n, threads>(out, first, is_unsigned, rows);
    }
    valid += gdf::and_validity<threads, items>(out, inputs, first);
  });
  gdf::post_null_count<threads>(scratch, out, valid);
}

/// [thread] Returns the quotient of two 64-bit integers, rounded down if `floor` is true, otherwise toward zero. The
/// divisor must be at least 1.
GDF_DEVICE gdf::u64 quotient(gdf::u64 word, gdf::u64 divisor, bool is_unsigned, bool floor) {
  if (is_unsigned) { return word / divisor; }
  auto const value = static_cast<long long>(word);
  auto const by = static_cast<long long>(divisor);
  long long const towards_zero = value / by;
  bool const below = floor && value < 0 && towards_zero * by != value;
  return static_cast<gdf::u64>(towards_zero - (below ? 1 : 0));
}

} // namespace unary_cast

/// Casts between booleans, integers and floats. The wider of both types has 8 bytes. The following holds for this
/// kernel and the kernels below: out.length equals in.length and is positive, and nothing is broadcast.
extern "C" __global__ void GDF_BOUNDS(unary_cast_words) GDF_VARIANT(unary_cast_numbers, numbers8)
unary_cast_numbers8_kernel(const __grid_constant__ gdf::column_in in,
                           const __grid_constant__ gdf::column_out out, gdf::scratch* scratch) {
  unary_cast::numbers<2, unary_cast_words_tuning>(in, out, scratch);
}

/// Does the same as unary_cast_numbers8_kernel. The wider of both types has 4 bytes.
extern "C" __global__ void GDF_BOUNDS(unary_cast) GDF_VARIANT(unary_cast_numbers, numbers4)
unary_cast_numbers4_kernel(const __grid_constant__ gdf::column_in in,
                           const __grid_constant__ gdf::column_out out, gdf::scratch* scratch) {
  unary_cast::numbers<4, unary_cast_tuning>(in, out, scratch);
}

/// Does the same as unary_cast_numbers8_kernel. The wider of both types has at most 2 bytes.
extern "C" __global__ void GDF_BOUNDS(unary_cast) GDF_VARIANT(unary_cast_numbers, numbers2)
unary_cast_numbers2_kernel(const __grid_constant__ gdf::column_in in,
                           const __grid_constant__ gdf::column_out out, gdf::scratch* scratch) {
  unary_cast::numbers<8, unary_cast_tuning>(in, out, scratch);
}

/// Casts booleans and integers of at most 64 bits to integers of at most 64 bits, multiplied or divided by `factor`. A
/// divisor must be at least 1.
extern "C" __global__ void GDF_BOUNDS(unary_cast)
unary_cast_scaled64_kernel(const __grid_constant__ gdf::column_in in,
                           const __grid_constant__ gdf::column_out out, int operation,
                           gdf::u64 factor, gdf::scratch* scratch) {
  using namespace unary_cast;
  using tuning = unary_cast_tuning;
  constexpr int threads = tuning::threads;
  constexpr int items = tuning::items;
  const gdf::column_in* const inputs[1] = {&in};
  bool const is_unsigned = in.type == static_cast<int32_t>(gdf::type::u64);
  uint32_t valid = 0;
  gdf::for_each_tile<threads, items>(out.length, [&](int64_t first, bool) {
    words<items> rows;
    load_integers<2, threads>(in, first, rows);
    if (operation == multiply) {
#pragma unroll
      for (int i = 0; i < items; i++) { rows.of[i] *= factor; }
    } else if (operation != divide && operation != divide_floor) {
      gdf::invalid_code();
    } else {
      bool const floor = operation == divide_floor;
#pragma unroll
      for (int i = 0; i < items; i++) {
        rows.of[i] = quotient(rows.of[i], factor, is_unsigned, floor);
      }
    }
    store_integers<2, threads>(out, first, rows);
    valid += gdf::and_validity<threads, items>(out, inputs, first);
  });
  gdf::post_null_count<threads>(scratch, out, valid);
}

/// Writes the offsets of `in`, minus `base`, with the other width of offsets.
extern "C" __global__ void GDF_BOUNDS(unary_cast_wide)
unary_cast_offsets_kernel(const __grid_constant__ gdf::column_in in,
                          const __grid_constant__ gdf::column_out out, int64_t base,
                          gdf::scratch* scratch) {
  using tuning = unary_cast_wide_tuning;
  constexpr int threads = tuning::threads;
  constexpr int items = tuning::items;
  const gdf::column_in* const inputs[1] = {&in};
  bool const wide_in = (in.flags & gdf::wide_offsets) != 0;
  bool const wide_out = (out.flags & gdf::wide_offsets) != 0;
  uint32_t valid = 0;
  gdf::for_each_tile<threads, items>(out.length, [&](int64_t first, bool) {
    int64_t ends[items]; // the end of a row is the start of the next
#pragma unroll
    for (int i = 0; i < items; i++) {
      int64_t const row = gdf::row_of<threads>(first, i);
      ends[i] = row < out.length ? gdf::load_offset(in.offsets, wide_in, in.offset + row + 1) : 0;
    }
#pragma unroll
    for (int i = 0; i < items; i++) {
      int64_t const row = gdf::row_of<threads>(first, i);
      if (row < out.length) { gdf::store_offset(out.offsets, wide_out, row + 1, ends[i] - base); }
    }
    valid += gdf::and_validity<threads, items>(out, inputs, first);
  });
  if (blockIdx.x == 0 && threadIdx.x == 0) {
    gdf::store_offset(out.offsets, wide_out, 0, gdf::load_offset(in.offsets, wide_in, in.offset) - base);
  }
  gdf::post_null_count<threads>(scratch, out, valid);
}
