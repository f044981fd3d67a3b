// Definitions that the kernels of unary::cast share: the policies, the codes of the operations, and a loop that handles
// one row per lane. The value type of that loop is wide enough for any row.
#pragma once

#include <gdf/count.cuh>
#include <gdf/grid.cuh>
#include <gdf/half.cuh>
#include <gdf/invalid_code.cuh>
#include <gdf/policy.cuh>
#include <gdf/vector.cuh>
#include <gdf/wide.cuh>

GDF_POLICY(unary_cast, 256, 8, 4);
GDF_POLICY(unary_cast_words, 128, 4, 8);
GDF_POLICY(unary_cast_wide, 128, 2, 8);

namespace unary_cast {

/// The operation that is applied to an integer during the cast. The host has the same numbers.
enum operation : int {
  multiply = 0,       // times the factor; the product wraps at the width of the result
  divide = 1,         // divided by the factor, rounded toward zero
  divide_floor = 2,   // divided by the factor, rounded down
  nonzero = 3,        // to a boolean
};

/// [thread] Converts a double to half precision with a single rounding.
GDF_DEVICE uint16_t to_half(double value) { return __half_as_ushort(__double2half(value)); }

/// [thread] Returns row i of the thread in the tile at `first`. If that row is past the end, the function returns the
/// last row.
template <int threads>
GDF_DEVICE int64_t row_within(const gdf::column_in& in, int64_t first, int i) {
  int64_t const row = gdf::row_of<threads>(first, i);
  return row < in.length ? row : in.length - 1;
}

/// [thread] Loads a row per item.
template <class T, int threads, int items, class Value>
GDF_DEVICE void load_each(const gdf::column_in& in, int64_t first, Value (&rows)[items]) {
  auto const* const data = static_cast<const T*>(in.data) + in.offset;
  gdf::run<T, 1> loaded[items];
#pragma unroll
  for (int i = 0; i < items; i++) {
    loaded[i] = gdf::load_run<1>(data + row_within<threads>(in, first, i));
  }
#pragma unroll
  for (int i = 0; i < items; i++) { rows[i] = static_cast<Value>(loaded[i].row[0]); }
}

template <int threads, int items>
GDF_DEVICE void load_rows(const gdf::column_in& in, int64_t first, gdf::i128 (&rows)[items]) {
  switch (static_cast<gdf::type>(in.type)) {
    case gdf::type::boolean:
#pragma unroll
      for (int i = 0; i < items; i++) {
        rows[i] = gdf::get_bit(in.data, in.offset + row_within<threads>(in, first, i)) ? 1 : 0;
      }
      break;
    case gdf::type::i8: load_each<int8_t, threads>(in, first, rows); break;
    case gdf::type::u8: load_each<uint8_t, threads>(in, first, rows); break;
    case gdf::type::i16: load_each<int16_t, threads>(in, first, rows); break;
    case gdf::type::u16: load_each<uint16_t, threads>(in, first, rows); break;
    case gdf::type::i32: load_each<int32_t, threads>(in, first, rows); break;
    case gdf::type::u32: load_each<uint32_t, threads>(in, first, rows); break;
    case gdf::type::i64: load_each<long long, threads>(in, first, rows); break;
    case gdf::type::u64: load_each<gdf::u64, threads>(in, first, rows); break;
    default: load_each<gdf::i128, threads>(in, first, rows); break;
  }
}

template <int threads, int items>
GDF_DEVICE void load_rows(const gdf::column_in& in, int64_t first, gdf::i256 (&rows)[items]) {
  if (in.type == static_cast<int32_t>(gdf::type::i256)) {
    load_each<gdf::i256, threads>(in, first, rows);
  } else {
    gdf::i128 narrow[items];
    load_rows<threads>(in, first, narrow);
#pragma unroll
    for (int i = 0; i < items; i++) { rows[i] = gdf::to_i256(narrow[i]); }
  }
}

template <int threads, int items>
GDF_DEVICE void load_rows(const gdf::column_in& in, int64_t first, double (&rows)[items]) {
  switch (static_cast<gdf::type>(in.type)) {
    case gdf::type::f16: {
      uint16_t half[items];
      load_each<uint16_t, threads>(in, first, half);
#pragma unroll
      for (int i = 0; i < items; i++) { rows[i] = __half2float(__ushort_as_half(half[i])); }
      break;
    }
    case gdf::type::f32: load_each<float, threads>(in, first, rows); break;
    default: load_each<double, threads>(in, first, rows); break;
  }
}

/// [thread] Writes an integer of any width up to 128 bits.
GDF_DEVICE void store_128(const gdf::column_out& out, int64_t row, gdf::i128 value) {
  switch (static_cast<gdf::type>(out.type)) {
    case gdf::type::i8:
    case gdf::type::u8: static_cast<uint8_t*>(out.data)[row] = static_cast<uint8_t>(value); break;
    case gdf::type::i16:
    case gdf::type::u16: static_cast<uint16_t*>(out.data)[row] = static_cast<uint16_t>(value); break;
    case gdf::type::i32:
    case gdf::type::u32: static_cast<uint32_t*>(out.data)[row] = static_cast<uint32_t>(value); break;
    case gdf::type::i64:
    case gdf::type::u64: static_cast<gdf::u64*>(out.data)[row] = static_cast<gdf::u64>(value); break;
    default:
      gdf::store_run<1>(static_cast<gdf::i128*>(out.data) + row, gdf::run<gdf::i128, 1>{{value}});
      break;
  }
}

/// [block] Loads rows as `Value` and calls `row_to(row, value)`, which writes a row.
template <class Value, class Row>
GDF_DEVICE void each_row(const gdf::column_in& in, const gdf::column_out& out, gdf::scratch* scratch,
                         Row row_to) {
  using tuning = unary_cast_wide_tuning;
  constexpr int threads = tuning::threads;
  constexpr int items = tuning::items;
  const gdf::column_in* const inputs[1] = {&in};
  bool const to_boolean = out.type == static_cast<int32_t>(gdf::type::boolean);
  uint32_t valid = 0;
  gdf::for_each_tile<threads, items>(out.length, [&](int64_t first, bool) {
    Value rows[items];
    load_rows<threads>(in, first, rows);
#pragma unroll
    for (int i = 0; i < items; i++) {
      int64_t const row = gdf::row_of<threads>(first, i);
      bool const bit = row < out.length ? row_to(row, rows[i]) : false;
      if (to_boolean) {
        uint32_t const bits = __ballot_sync(~0u, bit);
        if (gdf::lane() == 0 && row < out.length) {
          static_cast<uint32_t*>(out.data)[row >> 5] = bits;
        }
      }
    }
    valid += gdf::and_validity<threads, items>(out, inputs, first);
  });
  gdf::post_null_count<threads>(scratch, out, valid);
}

} // namespace unary_cast
