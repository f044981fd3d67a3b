// replace::find_and_replace_all of numbers, if few values are replaced: each row is compared with all of these values.

#include <gdf/elementwise.cuh>

GDF_POLICY(find_and_replace_all, 256, 4, 4);

namespace find_and_replace {

/// [thread] Returns whether two values are equal.
template <class T>
GDF_DEVICE bool equal(const T& a, const T& b) {
  if constexpr (gdf::is_same<T, gdf::f16>) {
    return equal(__half2float(a), __half2float(b));
  } else {
    return a == b || (a != a && b != b);
  }
}

/// [block] Replaces all rows, of type T.
template <class T>
GDF_DEVICE void replace_rows(const gdf::column_in& in, const gdf::column_in& old, const gdf::column_in& replacement,
                             const gdf::column_out& out, gdf::scratch* scratch) {
  gdf::values<T> const from(old);
  gdf::values<T> const to(replacement);
  auto const count = static_cast<int>(old.length);
  bool const nullifies = replacement.validity != nullptr;
  gdf::try_stored<T, T, find_and_replace_all_tuning>(in, out, 1, 0, scratch, nullptr, [&](const T& x) -> gdf::attempt<T> {
    int found = -1;
    for (int k = count - 1; k >= 0; k--) { found = equal(x, from[k]) ? k : found; }
    if (found < 0) { return {x, 0}; }
    return {to[found], nullifies && !gdf::is_valid(replacement, found) ? 1 : 0};
  });
}

} // namespace find_and_replace

/// Replaces each row that equals row k of `old` by row k of `replacement`. `old` has no nulls. `old` and `replacement`
/// have the type of `in`, which has at most 128 bits.
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
