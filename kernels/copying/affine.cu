// Gathers the rows of a whole table by an arithmetic formula instead of a map. The operations reverse, repeat, tile and
// interleave_columns use these kernels.

#include <gdf/copy_rows.cuh>
#include <gdf/dispatch.cuh>
#include <gdf/policy.cuh>
#include <gdf/tile_scan.cuh>
#include <gdf/vector.cuh>

#include "affine_rows.cuh"

GDF_POLICY(affine_sizes, 256, 8, 3);
GDF_POLICY(affine, 256, 8, 3);
GDF_POLICY(affine_text, 256, 8, 6);
GDF_POLICY(affine_values, 128, 4, 12);

// The host computes tiles for all three kernels by the policy of `affine`.
static_assert(affine_sizes_tuning::threads == affine_tuning::threads &&
              affine_text_tuning::threads == affine_tuning::threads);

namespace affine {

/// [block] Writes rows of type T, in runs of 16 bytes of the result.
template <class T>
GDF_DEVICE void copy_runs(const source& from, const gdf::column_in& in, const gdf::column_out& out) {
  constexpr int n = sizeof(T) >= 16 ? 1 : sizeof(T) == 8 ? 2 : 4;
  constexpr int threads = affine_values_tuning::threads;
  constexpr int batch = affine_values_tuning::items / 2; // runs whose loads are in flight together
  auto const* const rows = static_cast<const T*>(in.data) + in.offset;
  gdf::for_each_tile<threads, batch>((out.length + n - 1) / n, [&](int64_t first, bool) {
    gdf::run<T, n> runs[batch];
#pragma unroll
    for (int c = 0; c < batch; c++) {
      int64_t const row = gdf::row_of<threads>(first, c) * n;
      if (row >= out.length) { break; }
      source::place place = from.at(row);
#pragma unroll
      for (int k = 0; k < n; k++) {
        if (k == 0 || row + k < out.length) { runs[c].row[k] = gdf::load(rows + place.row); }
        if (k + 1 < n) { place = from.after(place); }
      }
    }
#pragma unroll
    for (int c = 0; c < batch; c++) {
      int64_t const row = gdf::row_of<threads>(first, c) * n;
      if (row < out.length) { gdf::store_run<n>(static_cast<T*>(out.data), row, out.length, runs[c]); }
    }
  });
}

} // namespace affine

/// Measures string column blockIdx.y of the result. The total is posted to mailbox[word]. Column y uses ticket 32 + y.
extern "C" __global__ void GDF_BOUNDS(affine_sizes)
affine_sizes_kernel(const __grid_constant__ affine::affine_rows rows, const __grid_constant__ gdf::table_in<32> in,
                    const __grid_constant__ gdf::copy_table copy, unsigned long long* counts, int share,
                    gdf::tile_count tiles, gdf::scratch* scratch, unsigned long long* mailbox) {
  constexpr int threads = affine_sizes_tuning::threads;
  int const c = static_cast<int>(blockIdx.y);
  gdf::copy_descriptor const& column = copy.column[c];
  if (column.kind != gdf::copy_strings) { return; }
  counts += column.slot * tiles;
  gdf::count_row_bytes<threads>(affine::source(rows), rows.length, true, in, copy, counts, share, tiles);
  gdf::finish_tile_counts<threads, 6>(scratch, 32 + c, gridDim.x, counts, tiles, mailbox + column.word);
}

/// Writes column blockIdx.y of the result. The character buffer has the size that the sizes kernel has posted.
extern "C" __global__ void GDF_BOUNDS(affine) GDF_VARIANT(affine, fixed)
affine_kernel(const __grid_constant__ affine::affine_rows rows, const __grid_constant__ gdf::table_in<32> in,
              const __grid_constant__ gdf::table_out<32> out, const __grid_constant__ gdf::copy_table copy,
              const unsigned long long* counts, int share, gdf::tile_count tiles, gdf::scratch* scratch) {
  gdf::copy_rows<affine_tuning, false>(affine::source(rows), rows.length, false, in, out, copy, counts, share, tiles,
                                       scratch);
}

/// Does the same as affine_kernel, only for rows of 1, 2, 4, 8, 16 or 32 bytes without masks. `multiplier` is the
/// multiplier of `rows`. The host computes it, because computing it would take a thread longer than copying its rows.
extern "C" __global__ void GDF_BOUNDS(affine_values)
affine_values_kernel(const __grid_constant__ affine::affine_rows rows, const __grid_constant__ gdf::table_in<32> in,
                     const __grid_constant__ gdf::table_out<32> out, const __grid_constant__ gdf::copy_table copy,
                     uint32_t multiplier) {
  affine::source const source(rows, multiplier);
  int const c = static_cast<int>(blockIdx.y);
  gdf::by_width(copy.column[c].kind, [&]<class T>() { affine::copy_runs<T>(source, in.column[c], out.column[c]); });
}

/// Does the same as affine_kernel, only for strings and for structs that contain strings.
extern "C" __global__ void GDF_BOUNDS(affine_text) GDF_VARIANT(affine, text)
affine_text_kernel(const __grid_constant__ affine::affine_rows rows, const __grid_constant__ gdf::table_in<32> in,
                   const __grid_constant__ gdf::table_out<32> out, const __grid_constant__ gdf::copy_table copy,
                   const unsigned long long* counts, int share, gdf::tile_count tiles, gdf::scratch* scratch) {
  gdf::copy_rows<affine_text_tuning, true>(affine::source(rows), rows.length, false, in, out, copy, counts, share,
                                           tiles, scratch);
}
