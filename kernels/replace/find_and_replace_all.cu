// replace::find_and_replace_all of numbers, where few values are replaced: each row is compared with all of them.

#include <gdf/elementwise.cuh>

GDF_POLICY(find_and_replace_all, 256, 4, 4);

namespace find_and_replace {

/// [thread] NaN is NaN, and zero is minus zero.
template <class T>
GDF_DEVICE bool equal(const T& a, const T& b) {
  if constexpr (gdf::is_same<T, gdf::f16>) {
    return equal(__half2float(a), __half2float(b));
  } else {
    return a == b || (a != a && b != b);
  }
}

/// [block] All rows, of type T.
template <class T>
GDF_DEVICE void replace_rows(const gdf::column_in& in, const gdf::column_in& old, const gdf::column_in& replacement,
                             const gdf::column_out& out, gdf::scratch* scratch) {
  constexpr int threads = find_and_replace_all_tuning::threads;
  constexpr int items = find_and_replace_all_tuning::items;
  gdf::values<T> const from(old);
  gdf::values<T> const to(replacement);
  auto const count = static_cast<int>(old.length);
  uint32_t valid = 0;
  gdf::for_each_tile<threads, items>(out.length, [&](int64_t first, bool) {
    int64_t const base = gdf::warp_rows<items>(first);
    if (base >= out.length) { return; } // the whole warp
    T rows[items];
    int found[items];
    gdf::load_stored(in, base, out.length, rows);
#pragma unroll
    for (int i = 0; i < items; i++) { found[i] = -1; }
    for (int k = count - 1; k >= 0; k--) { // of equal values the first counts
      T const value = from[k];
#pragma unroll
      for (int i = 0; i < items; i++) { found[i] = equal(rows[i], value) ? k : found[i]; }
    }
#pragma unroll
    for (int i = 0; i < items; i++) {
      if (found[i] >= 0) { rows[i] = to[found[i]]; }
    }
    if (out.validity != nullptr) {
      // Null rows are not looked up, whatever is stored there.
      uint32_t const own = gdf::load_valid<items>(in, base, out.length);
      uint32_t const bits = gdf::collect<items>([&](int i) { return found[i] < 0 || gdf::is_valid(replacement, found[i]); });
      valid += gdf::store_mask<items>(out, base, bits & own);
    }
    gdf::store_as<T>(out, base, rows);
  });
  gdf::post_null_count<threads>(scratch, out, valid);
}

} // namespace find_and_replace

/// Rows that are equal to a row of `old`, without nulls, become the same row of `replacement`; all have the type of `in`,
/// of up to 128 bits, and `out` is as long as `in`.
extern "C" __global__ void GDF_BOUNDS(find_and_replace_all)
find_and_replace_all_kernel(const __grid_constant__ gdf::column_in in, const __grid_constant__ gdf::column_in old,
                            const __grid_constant__ gdf::column_in replacement,
                            const __grid_constant__ gdf::column_out out, gdf::scratch* scratch) {
  auto const of = [&]<class T>() { find_and_replace::replace_rows<T>(in, old, replacement, out, scratch); };
  auto const type = static_cast<gdf::type>(in.type);
  if (type == gdf::type::f16) { return of.template operator()<gdf::f16>(); }
  if (type == gdf::type::f32) { return of.template operator()<float>(); }
  if (type == gdf::type::f64) { return of.template operator()<double>(); }
  switch (gdf::width_of(in.type)) {
    case 1: return of.template operator()<uint8_t>();
    case 2: return of.template operator()<uint16_t>();
    case 4: return of.template operator()<uint32_t>();
    case 8: return of.template operator()<gdf::u64>();
    case 16: return of.template operator()<gdf::u128>();
    default: return;
  }
}
