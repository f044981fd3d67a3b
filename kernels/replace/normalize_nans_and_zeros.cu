// replace::normalize_nans_and_zeros: replaces all NaNs by one NaN, and -0.0 by 0.0.

#include <gdf/elementwise.cuh>

GDF_POLICY(normalize_nans_and_zeros, 256, 8, 4);

namespace normalize {

/// [block] Normalizes all rows.
template <class Bits, Bits infinity, Bits nan>
GDF_DEVICE void rows(const gdf::column_in& in, const gdf::column_out& out, gdf::scratch* scratch) {
  gdf::map_runs<Bits, normalize_nans_and_zeros_tuning>(in, out, scratch, [](Bits bits) {
    auto const size = static_cast<Bits>(bits & static_cast<Bits>(~Bits{0}) >> 1);
    return size > infinity ? nan : size == 0 ? size : bits;
  });
}

} // namespace normalize

/// Normalizes floats of any width.
extern "C" __global__ void GDF_BOUNDS(normalize_nans_and_zeros)
normalize_nans_and_zeros_kernel(const __grid_constant__ gdf::column_in in,
                                const __grid_constant__ gdf::column_out out, gdf::scratch* scratch) {
  switch (gdf::width_of(in.type)) {
    case 2: normalize::rows<uint16_t, 0x7c00u, 0x7e00u>(in, out, scratch); break;
    case 4: normalize::rows<uint32_t, 0x7f800000u, 0x7fc00000u>(in, out, scratch); break;
    case 8: normalize::rows<gdf::u64, 0x7ff0000000000000ull, 0x7ff8000000000000ull>(in, out, scratch); break;
    default: break;
  }
}
