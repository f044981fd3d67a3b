// unary::{is_null, is_valid, is_nan, is_not_nan}: a bit per row. A thread owns whole words of the
// result where they come from masks; a warp votes on them where they come from values.

#include <gdf/elementwise.cuh>

GDF_POLICY(unary_is_null, 256, 1, 4);
GDF_POLICY(unary_is_nan, 256, 16, 4);

namespace unary_is_nan {

using tuning = unary_is_nan_tuning;

/// [thread] Are these the bits of a NaN?
GDF_DEVICE bool is_nan(uint16_t bits) { return (bits & 0x7fffu) > 0x7c00u; }
GDF_DEVICE bool is_nan(uint32_t bits) { return (bits & 0x7fffffffu) > 0x7f800000u; }
GDF_DEVICE bool is_nan(gdf::u64 bits) {
  return (bits & 0x7fffffffffffffffull) > 0x7ff0000000000000ull;
}

/// [block] All words of this block.
template <class Bits>
GDF_DEVICE void words(const gdf::column_in& in, bool inverted, const gdf::column_out& out) {
  constexpr int items = tuning::items;
  gdf::for_each_tile<tuning::threads, items>(out.length, [&](int64_t first, bool) {
    int64_t const base = gdf::warp_rows<items>(first);
    if (base >= out.length) { return; } // the whole warp
    Bits rows[items];
    gdf::load_stored(in, base, out.length, rows);
    uint32_t const valid = gdf::load_valid<items>(in, base, out.length);
    uint32_t const nans = gdf::collect<items>([&](int i) { return is_nan(rows[i]); }) & valid; // a null is no NaN
    gdf::store_bits<items>(out, base, inverted ? ~nans : nans);
  });
}

} // namespace unary_is_nan

/// Bit r of the result is whether row r is null, or valid if `inverted` is not 0.
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

/// Bit r of the result is whether row r, of a float of any width, is valid and NaN; the opposite if
/// `inverted` is not 0.
extern "C" __global__ void GDF_BOUNDS(unary_is_nan) GDF_VARIANT(unary_predicate, is_nan)
unary_is_nan_kernel(const __grid_constant__ gdf::column_in in, int inverted,
                    const __grid_constant__ gdf::column_out out) {
  switch (static_cast<gdf::type>(in.type)) {
    case gdf::type::f16: unary_is_nan::words<uint16_t>(in, inverted != 0, out); break;
    case gdf::type::f32: unary_is_nan::words<uint32_t>(in, inverted != 0, out); break;
    case gdf::type::f64: unary_is_nan::words<gdf::u64>(in, inverted != 0, out); break;
    default: break;
  }
}
