// The first and the last offset of columns of offsets.

#include <gdf/index.cuh>
#include <gdf/last_block.cuh>
#include <gdf/policy.cuh>

GDF_POLICY(offset_ends, 32, 1, 1);

namespace concatenate {

constexpr int offset_pieces = 32;

/// Columns of offsets, which all have the same type, i32 or i64.
struct offset_columns {
  gdf::column_in column[offset_pieces];
};

GDF_DEVICE int64_t offset_at(const gdf::column_in& column, int64_t i) {
  bool const wide = static_cast<gdf::type>(column.type) == gdf::type::i64;
  return gdf::load_offset(column.data, wide, column.offset + i);
}

} // namespace concatenate

/// Posts the first and the last offset of each of `count` columns (1 to 32), one column after the other. No column may
/// be empty.
extern "C" __global__ void GDF_BOUNDS(offset_ends)
offset_ends_kernel(const __grid_constant__ concatenate::offset_columns offsets, int count,
                   unsigned long long* mailbox) {
  int const piece = static_cast<int>(threadIdx.x);
  if (blockIdx.x > 0 || piece >= count) { return; }
  gdf::column_in const& column = offsets.column[piece];
  gdf::post(mailbox + 2 * piece, static_cast<gdf::u64>(concatenate::offset_at(column, 0)));
  gdf::post(mailbox + 2 * piece + 1, static_cast<gdf::u64>(concatenate::offset_at(column, column.length - 1)));
}
