// concatenate of lists: the first and last offset of each piece, and the offsets of the result.

#include <gdf/grid.cuh>
#include <gdf/index.cuh>
#include <gdf/last_block.cuh>
#include <gdf/policy.cuh>

GDF_POLICY(offset_ends, 32, 1, 1);
GDF_POLICY(join_offsets, 256, 4, 4);

namespace concatenate {

constexpr int offset_pieces = 32;

/// Columns of offsets, which all have the same type, i32 or i64.
struct offset_columns {
  gdf::column_in column[offset_pieces];
};

struct moved_offsets {
  int64_t start[offset_pieces + 1]; // first row of each piece; after the last one, the number of rows
  int64_t moved[offset_pieces];     // number that is added to the offsets of a piece
};
static_assert(sizeof(offset_columns) + sizeof(moved_offsets) + sizeof(gdf::column_out) <= 4000);

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

/// Writes the rows of `count` columns of offsets (1 to 32), one column after the other. The number moved[p] is added to
/// the rows of column p. The rows of column p begin at row start[p]. `out` has the type of the columns.
extern "C" __global__ void GDF_BOUNDS(join_offsets)
join_offsets_kernel(const __grid_constant__ concatenate::offset_columns offsets,
                    const __grid_constant__ concatenate::moved_offsets moved, int count,
                    const __grid_constant__ gdf::column_out out) {
  using tuning = join_offsets_tuning;
  bool const wide = static_cast<gdf::type>(out.type) == gdf::type::i64;
  gdf::for_each_tile<tuning::threads, tuning::items>(out.length, [&](int64_t first, bool) {
    int piece = 0;
    while (piece + 1 < count && moved.start[piece + 1] <= first) { piece++; }
#pragma unroll
    for (int i = 0; i < tuning::items; i++) {
      int64_t const row = gdf::row_of<tuning::threads>(first, i);
      if (row >= out.length) { continue; }
      int own = piece;
      while (own + 1 < count && moved.start[own + 1] <= row) { own++; }
      int64_t const offset = concatenate::offset_at(offsets.column[own], row - moved.start[own]);
      gdf::store_offset(out.data, wide, row, offset + moved.moved[own]);
    }
  });
}
