// unary::{is_null, is_valid, is_nan, is_not_nan}, whose results have a bit per row, and transform::nans_to_nulls. If
// the result is computed from masks, a thread writes whole words of the result. If the result is computed from values,
// the lanes of a warp vote on each word.

#include <gdf/elementwise.cuh>

GDF_POLICY(unary_is_null, 256, 1, 4);
GDF_POLICY(unary_is_nan, 256, 16, 4);

namespace unary_is_nan {

using tuning = unary_is_nan_tuning;

GDF_DEVICE bool is_nan(uint16_t bits) { return (bits & 0x7fffu) > 0x7c00u; }
GDF_DEVICE bool is_nan(uint32_t bits) { return (bits & 0x7fffffffu) > 0x7f800000u; }
GDF_DEVICE bool is_nan(gdf::u64 bits) {
  return (bits & 0x7fffffffffffffffull) > 0x7ff0000000000000ull;
}

/// [block] Calls `give(base, nans, valid)` for all rows of this block.
template <class Bits, class Give>
GDF_DEVICE void words(const gdf::column_in& in, const gdf::column_out& out, Give&& give) {
  constexpr int items = tuning::items;
  gdf::for_each_tile<tuning::threads, items>(out.length, [&](int64_t first, bool) {
    int64_t const base = gdf::warp_rows<items>(first);
    if (base >= out.length) { return; } // the whole warp
    Bits rows[items];
    gdf::load_stored(in, base, out.length, rows);
    uint32_t const valid = gdf::load_valid<items>(in, base, out.length);
    give(base, gdf::collect<items>([&](int i) { return is_nan(rows[i]); }) & valid, valid); // a null is not NaN
  });
}

template <class Give>
GDF_DEVICE void words_of_floats(const gdf::column_in& in, const gdf::column_out& out, Give&& give) {
  switch (static_cast<gdf::type>(in.type)) {
    case gdf::type::f16: words<uint16_t>(in, out, give); break;
    case gdf::type::f32: words<uint32_t>(in, out, give); break;
    case gdf::type::f64: words<gdf::u64>(in, out, give); break;
    default: break;
  }
}

} // namespace unary_is_nan

/// Writes to bit r of the result whether row r is null. If `inverted` is not 0, the kernel writes whether row r is
/// valid.
extern "C" __global__ void GDF_BOUNDS(unary_is_null) GDF_VARIANT(unary_predicate, is_null)
unary_is_null_kernel(const __grid_constant__ gdf::column_in in, int inverted,
                     const __grid_constant__ gdf::column_out out) {
  auto* const target = static_cast<uint32_t*>(out.data);
  gdf::for_each_index(gdf::words_for(out.length), [&](int64_t word) {
    int64_t const row = word * 32;
    uint32_t const valid = gdf::valid_word(in, row, out.length);
    target[word] = inverted != 0 ? valid : ~valid & gdf::low_bits(out.length - row);
  });
}

/// Writes to bit r of the result whether row r is valid and NaN. If `inverted` is not 0, the kernel writes the
/// opposite.
extern "C" __global__ void GDF_BOUNDS(unary_is_nan) GDF_VARIANT(unary_predicate, is_nan)
unary_is_nan_kernel(const __grid_constant__ gdf::column_in in, int inverted,
                    const __grid_constant__ gdf::column_out out) {
  unary_is_nan::words_of_floats(in, out, [&](int64_t base, uint32_t nans, uint32_t) {
    gdf::store_bits<unary_is_nan_tuning::items>(out, base, inverted != 0 ? ~nans : nans);
  });
}

/// Writes the mask and the null count of `out`, and no values. Row r is valid if row r of `in` is valid and not NaN.
extern "C" __global__ void GDF_BOUNDS(unary_is_nan)
unary_nans_to_nulls_kernel(const __grid_constant__ gdf::column_in in, const __grid_constant__ gdf::column_out out,
                           gdf::scratch* scratch) {
  uint32_t valid_rows = 0;
  unary_is_nan::words_of_floats(in, out, [&](int64_t base, uint32_t nans, uint32_t valid) {
    valid_rows += gdf::store_mask<unary_is_nan_tuning::items>(out, base, valid & ~nans);
  });
  gdf::post_null_count<unary_is_nan_tuning::threads>(scratch, out, valid_rows);
}
