// The operations of binary_operation on truth values.

#include <gdf/number.cuh>

#include "operation.cuh"

namespace binary_logic {

/// The values and the validity of 32 rows.
struct truth {
  uint32_t value;
  uint32_t valid;
};

GDF_DEVICE truth apply(int32_t code, truth a, truth b) {
  uint32_t const both = a.valid & b.valid;
  uint32_t const either = a.valid | b.valid;
  uint32_t const differ = a.value ^ b.value;
#define BINARY_LOGIC_CASE(name, value, validity) \
  case binaryop::name: return {value, validity};
  switch (code) {
    BINARY_LOGIC(BINARY_LOGIC_CASE)
    default: return gdf::unreachable_code<truth>();
  }
}

GDF_DEVICE uint32_t store(const gdf::column_out& out, int64_t row, truth result) {
  uint32_t const rows = gdf::low_bits(out.length - row);
  static_cast<uint32_t*>(out.data)[row >> 5] = result.value & rows;
  if (out.validity == nullptr) { return 0; }
  out.validity[row >> 5] = result.valid & rows;
  return __popc(result.valid & rows);
}

} // namespace binary_logic

GDF_POLICY(binary_logic, 256, 2, 4);

/// Computes out[r] = lhs[r] op rhs[r] for out.length rows of booleans.
extern "C" __global__ void GDF_BOUNDS(binary_logic) GDF_VARIANT(binary_operation, logic)
binary_logic_kernel(const __grid_constant__ gdf::column_in lhs,
                    const __grid_constant__ gdf::column_in rhs,
                    const __grid_constant__ gdf::column_out out,
                    const __grid_constant__ binaryop::operation how, gdf::scratch* scratch) {
  using namespace binary_logic;
  constexpr int threads = binary_logic_tuning::threads;
  constexpr int items = binary_logic_tuning::items;
  int64_t const words = gdf::words_for(out.length);
  uint32_t valid = 0;
  gdf::for_each_tile<threads, items>(words, [&](int64_t first, bool) {
    truth a[items];
    truth b[items];
#pragma unroll
    for (int i = 0; i < items; i++) {
      int64_t const row = gdf::row_of<threads>(first, i) * 32;
      a[i] = b[i] = {0, 0};
      if (row < out.length) {
        a[i] = {gdf::boolean_word(lhs, row, out.length), gdf::valid_word(lhs, row, out.length)};
        b[i] = {gdf::boolean_word(rhs, row, out.length), gdf::valid_word(rhs, row, out.length)};
      }
    }
#pragma unroll
    for (int i = 0; i < items; i++) {
      int64_t const row = gdf::row_of<threads>(first, i) * 32;
      if (row < out.length) { valid += store(out, row, apply(how.code, a[i], b[i])); }
    }
  });
  gdf::post_null_count<threads>(scratch, out, valid);
}

GDF_POLICY(binary_logic_numbers, 256, 4, 4);

/// Does the same as binary_logic_kernel, for operands of any numeric type. Every number except 0 is true.
extern "C" __global__ void GDF_BOUNDS(binary_logic_numbers) GDF_VARIANT(binary_operation, logic_numbers)
binary_logic_numbers_kernel(const __grid_constant__ gdf::column_in lhs,
                            const __grid_constant__ gdf::column_in rhs,
                            const __grid_constant__ gdf::column_out out,
                            const __grid_constant__ binaryop::operation how,
                            gdf::scratch* scratch) {
  using namespace binary_logic;
  constexpr int threads = binary_logic_numbers_tuning::threads;
  constexpr int items = binary_logic_numbers_tuning::items;
  uint32_t valid = 0;
  gdf::for_each_tile<threads, items>(out.length, [&](int64_t first, bool) {
    int64_t const base = gdf::warp_rows<items>(first);
    if (base >= out.length) { return; } // the whole warp
    double a[items]; // only the number 0 becomes 0 in the conversion to double
    double b[items];
    gdf::load_pair(lhs, rhs, base, out.length, a, b);
    auto const known = binaryop::load_valid<items>(lhs, rhs, base, out.length);
    truth const left{gdf::collect<items>([&](int i) { return a[i] != 0.0; }), known.lhs};
    truth const right{gdf::collect<items>([&](int i) { return b[i] != 0.0; }), known.rhs};
    int64_t const row = base + gdf::lane() * 32;
    if (gdf::lane() < items && row < out.length) {
      valid += store(out, row, apply(how.code, left, right));
    }
  });
  gdf::post_null_count<threads>(scratch, out, valid);
}
