// replace::clamp of numbers: rows beyond one of two bounds become what the bound says.

#include <gdf/elementwise.cuh>
#include <gdf/ordered.cuh>

GDF_POLICY(clamp, 256, 4, 4);

namespace clamp {

using tuning = clamp_tuning;

/// What is beyond `limit` becomes `replacement`, or null. A null limit is none.
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

/// [block] All rows, of type T.
template <class T>
GDF_DEVICE void clamp_rows(const gdf::column_in& in, const bound<T>& low, const bound<T>& high,
                           const gdf::column_out& out, gdf::scratch* scratch) {
  constexpr int threads = tuning::threads;
  constexpr int items = tuning::items;
  if constexpr (sizeof(T) >= 4) {
    if (!low.nullifies && !high.nullifies) {
      gdf::map_runs<T, tuning>(in, out, scratch, [&](T x) {
        bool const below = low.applies && gdf::less(x, low.limit);
        bool const above = high.applies && gdf::less(high.limit, x);
        return below ? low.replacement : above ? high.replacement : x;
      });
      return;
    }
  }
  uint32_t valid = 0;
  gdf::for_each_tile<threads, items>(out.length, [&](int64_t first, bool) {
    int64_t const base = gdf::warp_rows<items>(first);
    if (base >= out.length) { return; } // the whole warp
    T rows[items];
    bool has_value[items];
    gdf::load_stored(in, base, out.length, rows);
#pragma unroll
    for (int i = 0; i < items; i++) {
      bool const below = low.applies && gdf::less(rows[i], low.limit);
      bool const above = !below && high.applies && gdf::less(high.limit, rows[i]);
      has_value[i] = !(below && low.nullifies) && !(above && high.nullifies);
      if (below) { rows[i] = low.replacement; }
      if (above) { rows[i] = high.replacement; }
    }
    if (out.validity != nullptr) {
      uint32_t const bits = gdf::collect<items>([&](int i) { return has_value[i]; });
      valid += gdf::store_mask<items>(out, base, bits & gdf::load_valid<items>(in, base, out.length));
    }
    gdf::store_as<T>(out, base, rows);
  });
  gdf::post_null_count<threads>(scratch, out, valid);
}

} // namespace clamp

/// Rows below `low` become `low_replacement`, others above `high` `high_replacement`; all have the type of `in` and one row,
/// but `in` and `out`, which are as long as each other.
extern "C" __global__ void GDF_BOUNDS(clamp)
clamp_kernel(const __grid_constant__ gdf::column_in in, const __grid_constant__ gdf::column_in low,
             const __grid_constant__ gdf::column_in low_replacement,
             const __grid_constant__ gdf::column_in high,
             const __grid_constant__ gdf::column_in high_replacement,
             const __grid_constant__ gdf::column_out out, gdf::scratch* scratch) {
  gdf::by_number(in.type, [&]<class T>() {
    clamp::clamp_rows<T>(in, {low, low_replacement}, {high, high_replacement}, out, scratch);
  });
}
