// hashing: combines the hashes of the items of each row, in the order of the items, into the hash of the row. The items
// of a row are the elements of its list or the fields of its struct. A launch handles one level of nesting.

#include <gdf/accessor.cuh>
#include <gdf/grid.cuh>
#include <gdf/hash_functions.cuh>
#include <gdf/policy.cuh>

GDF_POLICY(fold_hashes, 256, 1, 4);

namespace hashing {

template <class F>
GDF_DEVICE void fold(const gdf::column_in& state, const gdf::column_in& items, const gdf::column_in& offsets,
                     const gdf::column_out& out) {
  using T = typename F::value;
  gdf::for_each_index(out.length, [&](int64_t row) {
    T hash = state.data == nullptr ? T{0} : gdf::element<T>(state, row);
    int64_t item = row;
    int64_t end = row + 1;
    if (offsets.data != nullptr) {
      item = gdf::element<int64_t>(offsets, row);
      end = gdf::element<int64_t>(offsets, row + 1);
    }
    for (; item < end; item++) { hash = F::combine(hash, gdf::element<T>(items, item)); }
    static_cast<T*>(out.data)[row] = hash;
  });
}

} // namespace hashing

/// Defines a kernel that combines each row of `state` with the hashes of the row's items. `offsets` is an i64 column.
/// The items of row r are the rows [offsets[r], offsets[r + 1]) of `items`. If `offsets` has no data, the only item is
/// row r.
#define GDF_FOLD(name, F)                                                                           \
  extern "C" __global__ void GDF_BOUNDS(fold_hashes) GDF_VARIANT(fold_hashes, name)                 \
  fold_hashes_##name##_kernel(const __grid_constant__ gdf::column_in state,                         \
                              const __grid_constant__ gdf::column_in items,                         \
                              const __grid_constant__ gdf::column_in offsets,                       \
                              const __grid_constant__ gdf::column_out out) {                        \
    hashing::fold<gdf::F>(state, items, offsets, out);                                              \
  }                                                                                                 \
  static_assert(true)

GDF_FOLD(narrow, murmurhash3_x86_32);
GDF_FOLD(wide, xxhash_64);
