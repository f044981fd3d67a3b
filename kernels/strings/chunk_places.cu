// Computes the output positions of the results of chunks of long rows, see text_chunks.cuh.

#include <gdf/text_chunks.cuh>

GDF_POLICY(chunk_places, 128, 1, 8);

namespace chunk_places {

struct request {
  gdf::text_in text;
  gdf::text_chunks chunks;
  int32_t links; // whether the last match of a chunk becomes the last match before the chunk
  int32_t unused;
};

} // namespace chunk_places

/// Computes the positions of chunks in the row from the sizes of the chunks. The sizes are stored as the exits of the
/// chunks. The exit of the first chunk becomes the sum of the sizes.
extern "C" __global__ void GDF_BOUNDS(chunk_places) GDF_VARIANT(chunk_places, all)
chunk_places_all_kernel(const __grid_constant__ chunk_places::request p) {
  gdf::for_each_chunked_row(p.text, p.chunks, [&](int64_t row, int64_t first, int64_t count) {
    gdf::u64 sum = 0;
    int64_t last = -1;
    for (int64_t at = first; at < first + count; at += 32) {
      gdf::text_chunk* const chunk = p.chunks.chunks + at + gdf::lane();
      bool const inside = at + gdf::lane() < first + count && chunk->row == row;
      gdf::u64 const size = gdf::bounded_size(static_cast<gdf::u64>(inside ? chunk->exit : 0));
      gdf::u64 const up_to = gdf::warp_inclusive_sum(size);
      if (inside) {
        chunk->exit = static_cast<int64_t>(sum + up_to - size);
        if (chunk->matches < 0) { chunk->matches = 0; }
      }
      sum = gdf::bounded_size(sum + __shfl_sync(~0u, up_to, 31));
      if (p.links != 0) {
        int64_t const before = gdf::chunks_detail::exclusive_max(inside ? chunk->last : -1, last);
        if (inside) { chunk->last = before; }
      }
    }
    if (gdf::lane() == 0) { p.chunks.chunks[first].exit = static_cast<int64_t>(sum); }
  });
}
