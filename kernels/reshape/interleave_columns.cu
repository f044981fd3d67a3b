// reshape::interleave_columns of fixed width: row r of the result is row r / columns of column r % columns.

#include <gdf/elementwise.cuh>
#include <gdf/table.cuh>
#include <gdf/invalid_code.cuh>

GDF_POLICY(interleave_columns, 256, 4, 4);

namespace interleave {

/// [block] Writes all rows.
template <class T>
GDF_DEVICE void rows(const gdf::table_in<32>& in, int columns, const gdf::column_out& out, gdf::scratch* scratch) {
  constexpr int threads = interleave_columns_tuning::threads;
  constexpr int items = interleave_columns_tuning::items;
  uint32_t valid = 0;
  gdf::for_each_tile<threads, items>(out.length, [&](int64_t first, bool) {
    int64_t const base = gdf::warp_rows<items>(first);
    if (base >= out.length) { return; } // the whole warp
    T results[items];
    int from[items];
    int64_t at[items];
    int64_t const begin = base + gdf::lane();
    at[0] = begin <= 0xffffffffll ? static_cast<uint32_t>(begin) / static_cast<uint32_t>(columns) : begin / columns;
    from[0] = static_cast<int>(begin - at[0] * columns);
#pragma unroll
    for (int i = 1; i < items; i++) {
      int const next = from[i - 1] + 32;
      at[i] = at[i - 1] + next / columns;
      from[i] = next % columns;
    }
#pragma unroll
    for (int i = 0; i < items; i++) {
      if (begin + i * 32 < out.length) { results[i] = gdf::values<T>(in.column[from[i]])[at[i]]; }
    }
    if (out.validity != nullptr) {
      uint32_t const bits = gdf::collect<items>(
        [&](int i) { return begin + i * 32 < out.length && gdf::is_valid(in.column[from[i]], at[i]); });
      valid += gdf::store_mask<items>(out, base, bits);
    }
    gdf::store_as<T>(out, base, results);
  });
  gdf::post_null_count<threads>(scratch, out, valid);
}

} // namespace interleave

/// Interleaves `columns` columns that have the same type (at most 256 bits) and the same length.
extern "C" __global__ void GDF_BOUNDS(interleave_columns)
interleave_columns_kernel(const __grid_constant__ gdf::table_in<32> in, int columns,
                          const __grid_constant__ gdf::column_out out, gdf::scratch* scratch) {
  switch (gdf::width_of(out.type)) {
    case 1: interleave::rows<uint8_t>(in, columns, out, scratch); break;
    case 2: interleave::rows<uint16_t>(in, columns, out, scratch); break;
    case 4: interleave::rows<uint32_t>(in, columns, out, scratch); break;
    case 8: interleave::rows<gdf::u64>(in, columns, out, scratch); break;
    case 16: interleave::rows<gdf::u128>(in, columns, out, scratch); break;
    case 32: interleave::rows<gdf::i256>(in, columns, out, scratch); break;
    default: gdf::invalid_code();
  }
}
