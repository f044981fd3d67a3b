// replace::clamp of numbers: a row beyond one of two bounds is replaced by the replacement of this bound.

#include <gdf/elementwise.cuh>
#include <gdf/ordered.cuh>

GDF_POLICY(clamp, 256, 8, 4);

namespace clamp {

/// A bound and its replacement.
template <class T>
struct bound {
  T limit;
  T replacement;
  bool applies;
  bool nullifies;
  GDF_DEVICE bound(const gdf::column_in& limit, const gdf::column_in& replacement)
    : limit(gdf::element<T>(limit, 0)),
      replacement(gdf::element<T>(replacement, 0)),
      applies(gdf::is_valid(limit, 0)),
      nullifies(!gdf::is_valid(replacement, 0)) {}
};

} // namespace clamp

/// Replaces rows that are less than `low` by `low_replacement`, and rows that are greater than `high` by
/// `high_replacement`. Bounds and replacements have one row and the type of `in`.
extern "C" __global__ void GDF_BOUNDS(clamp)
clamp_kernel(const __grid_constant__ gdf::column_in in, const __grid_constant__ gdf::column_in low,
             const __grid_constant__ gdf::column_in low_replacement,
             const __grid_constant__ gdf::column_in high,
             const __grid_constant__ gdf::column_in high_replacement,
             const __grid_constant__ gdf::column_out out, gdf::scratch* scratch) {
  gdf::by_number(in.type, [&]<class T>() {
    clamp::bound<T> const from(low, low_replacement);
    clamp::bound<T> const to(high, high_replacement);
    if constexpr (sizeof(T) >= 4) {
      if (!from.nullifies && !to.nullifies) {
        gdf::map_runs<T, clamp_tuning>(in, out, scratch, [&](const T& x) {
          bool const below = from.applies && gdf::less(x, from.limit);
          bool const above = to.applies && gdf::less(to.limit, x);
          return below ? from.replacement : above ? to.replacement : x;
        });
        return;
      }
    }
    gdf::try_stored<T, T, clamp_tuning>(in, out, 1, 0, scratch, nullptr, [&](const T& x) -> gdf::attempt<T> {
      if (from.applies && gdf::less(x, from.limit)) { return {from.replacement, from.nullifies ? 1 : 0}; }
      if (to.applies && gdf::less(to.limit, x)) { return {to.replacement, to.nullifies ? 1 : 0}; }
      return {x, 0};
    });
  });
}
