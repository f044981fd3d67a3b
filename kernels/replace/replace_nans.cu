// replace::replace_nans: replaces NaNs, which are found by their bits.

#include <gdf/elementwise.cuh>

GDF_POLICY(replace_nans, 256, 8, 4);

namespace replace_nans {

/// [block] Replaces NaNs in all rows.
template <class Bits, Bits infinity>
GDF_DEVICE void rows(const gdf::column_in& in, const gdf::column_in& replacement, const gdf::column_out& out,
                     gdf::scratch* scratch) {
  constexpr int threads = replace_nans_tuning::threads;
  constexpr int items = replace_nans_tuning::items;
  gdf::values<Bits> const other(replacement);
  auto const is_nan = [](Bits bits) { return static_cast<Bits>(bits & static_cast<Bits>(~Bits{0}) >> 1) > infinity; };
  if (other.mask == 0 && replacement.validity == nullptr) {
    Bits const one = other[0];
    gdf::map_runs<Bits, replace_nans_tuning>(in, out, scratch, [&](Bits row) { return is_nan(row) ? one : row; });
    return;
  }
  uint32_t valid_rows = 0;
  gdf::for_each_tile<threads, items>(out.length, [&](int64_t first, bool) {
    int64_t const base = gdf::warp_rows<items>(first);
    if (base >= out.length) { return; } // the whole warp
    Bits row[items];
    bool nan[items];
    gdf::load_stored(in, base, out.length, row);
#pragma unroll
    for (int i = 0; i < items; i++) {
      nan[i] = is_nan(row[i]);
      if (nan[i]) { row[i] = other[base + i * 32 + gdf::lane()]; }
    }
    gdf::store_as<Bits>(out, base, row);
    if (out.validity == nullptr) { return; }
    uint32_t const nans = gdf::collect<items>([&](int i) { return nan[i]; });
    uint32_t const others = gdf::load_valid<items>(replacement, base, out.length);
    valid_rows += gdf::store_mask<items>(out, base, gdf::load_valid<items>(in, base, out.length) & (~nans | others));
  });
  gdf::post_null_count<threads>(scratch, out, valid_rows);
}

} // namespace replace_nans

/// Replaces each NaN of `in` by the same row of `replacement`. `replacement` has the type of `in`, and either has the
/// same length or is one broadcast row. Nulls stay null.
extern "C" __global__ void GDF_BOUNDS(replace_nans)
replace_nans_kernel(const __grid_constant__ gdf::column_in in, const __grid_constant__ gdf::column_in replacement,
                    const __grid_constant__ gdf::column_out out, gdf::scratch* scratch) {
  switch (gdf::width_of(in.type)) {
    case 2: replace_nans::rows<uint16_t, 0x7c00u>(in, replacement, out, scratch); break;
    case 4: replace_nans::rows<uint32_t, 0x7f800000u>(in, replacement, out, scratch); break;
    case 8: replace_nans::rows<gdf::u64, 0x7ff0000000000000ull>(in, replacement, out, scratch); break;
    default: break;
  }
}
