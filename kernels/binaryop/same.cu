// binary_operation where operands and result have one width and no operator makes nulls: 16-byte
// loads and stores, four of each operand in flight per thread (two: 4 % slower, with masks 16 %). Integers are taken as unsigned ones:
// addition, subtraction and multiplication of two's complement do not care.

#include <gdf/vector.cuh>

#include "operation.cuh"

namespace binary_same {

/// An operator as a type, so that a lambda can be compiled for each.
template <int32_t code>
struct constant {
  static constexpr int32_t value = code;
};

/// An operand; one value is loaded once.
template <class T>
struct operand {
  gdf::values<T> rows;
  T one;

  GDF_DEVICE explicit operand(const gdf::column_in& column) : rows(column), one{} {
    if (rows.mask == 0) { one = rows[0]; }
  }

  template <int n>
  GDF_DEVICE gdf::run<T, n> load(int64_t row, int64_t limit) const {
    if (rows.mask != 0) { return gdf::load_run<n>(rows, row, limit); }
    gdf::run<T, n> filled;
#pragma unroll
    for (int i = 0; i < n; i++) { filled.row[i] = one; }
    return filled;
  }
};

template <class T>
GDF_DEVICE T apply(int32_t code, T a, T b) {
  switch (code) {
    case binaryop::sub: return static_cast<T>(a - b);
    case binaryop::mul: return static_cast<T>(a * b);
    default: break;
  }
  if constexpr (gdf::is_float<T>) {
    if (code == binaryop::div) { return a / b; }
  } else {
    switch (code) {
      case binaryop::bit_and: return a & b;
      case binaryop::bit_or: return a | b;
      case binaryop::bit_xor: return a ^ b;
      default: break;
    }
  }
  return static_cast<T>(a + b);
}

/// [block] All rows. The operator is chosen per tile, not per row, as `code` is a template argument
/// of `with`.
template <class T, class tuning>
GDF_DEVICE void compute(const gdf::column_in& lhs, const gdf::column_in& rhs,
                        const gdf::column_out& out, int32_t code, gdf::scratch* scratch) {
  constexpr int threads = tuning::threads;
  constexpr int items = tuning::items;
  constexpr int n = 16 / static_cast<int>(sizeof(T));
  constexpr int chunks = items / n;
  static_assert(chunks * n == items);
  operand<T> const left(lhs);
  operand<T> const right(rhs);
  T* const data = static_cast<T*>(out.data);
  const gdf::column_in* const inputs[2] = {&lhs, &rhs};
  uint32_t valid = 0;
  gdf::for_each_tile<threads, items>(out.length, [&](int64_t first, bool) {
    gdf::run<T, n> a[chunks];
    gdf::run<T, n> b[chunks];
#pragma unroll
    for (int c = 0; c < chunks; c++) {
      int64_t const row = gdf::run_row<threads, n>(first, c);
      if (row < out.length) {
        a[c] = left.template load<n>(row, out.length);
        b[c] = right.template load<n>(row, out.length);
      }
    }
    auto const with = [&](auto fixed) {
#pragma unroll
      for (int c = 0; c < chunks; c++) {
#pragma unroll
        for (int i = 0; i < n; i++) {
          a[c].row[i] = apply<T>(decltype(fixed)::value, a[c].row[i], b[c].row[i]);
        }
      }
    };
    switch (code) {
      case binaryop::sub: with(constant<binaryop::sub>{}); break;
      case binaryop::mul: with(constant<binaryop::mul>{}); break;
      case binaryop::add: with(constant<binaryop::add>{}); break;
      default:
        if constexpr (gdf::is_float<T>) {
          with(constant<binaryop::div>{});
        } else if (code == binaryop::bit_and) {
          with(constant<binaryop::bit_and>{});
        } else if (code == binaryop::bit_or) {
          with(constant<binaryop::bit_or>{});
        } else {
          with(constant<binaryop::bit_xor>{});
        }
    }
#pragma unroll
    for (int c = 0; c < chunks; c++) {
      int64_t const row = gdf::run_row<threads, n>(first, c);
      if (row < out.length) { gdf::store_run<n>(data, row, out.length, a[c]); }
    }
    valid += gdf::and_validity<threads, items>(out, inputs, first);
  });
  gdf::post_null_count<threads>(scratch, out, valid);
}

} // namespace binary_same

/// out[r] = lhs[r] op rhs[r], all three of T's width (out.length rows; an operand may be broadcast);
/// null where an operand is.
#define BINARY_SAME(name, T, items)                                                             \
  GDF_POLICY(binary_same_##name, 256, items, 4);                                                \
  extern "C" __global__ void GDF_BOUNDS(binary_same_##name) GDF_VARIANT(binary_operation, same_##name) binary_same_##name##_kernel(        \
    const __grid_constant__ gdf::column_in lhs, const __grid_constant__ gdf::column_in rhs,     \
    const __grid_constant__ gdf::column_out out,                                                \
    const __grid_constant__ binaryop::operation how, gdf::scratch* scratch) {                   \
    binary_same::compute<T, binary_same_##name##_tuning>(lhs, rhs, out, how.code, scratch);     \
  }

BINARY_SAME(u8, uint8_t, 16)
BINARY_SAME(u16, uint16_t, 16)
BINARY_SAME(u32, uint32_t, 16)
BINARY_SAME(u64, uint64_t, 8)
BINARY_SAME(i128, gdf::u128, 4)
BINARY_SAME(f32, float, 16)
BINARY_SAME(f64, double, 8)
