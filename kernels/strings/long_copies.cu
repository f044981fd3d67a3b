// Makes the copies that warps of another launch have listed.

#include <gdf/copy_bytes.cuh>
#include <gdf/last_block.cuh>
#include <gdf/long_copies.cuh>
#include <gdf/policy.cuh>

GDF_POLICY(long_copies, 256, 4, 4);

/// Makes at most `capacity` copies. The kernel uses ticket 34 and zeroed[447].
extern "C" __global__ void GDF_BOUNDS(long_copies) GDF_VARIANT(long_copies, all)
long_copies_all_kernel(gdf::long_copy* copies, int64_t capacity, gdf::scratch* scratch) {
  constexpr int threads = long_copies_tuning::threads;
  unsigned long long* const count = scratch->zeroed + gdf::copy_list_detail::count_slot;
  auto const listed = static_cast<int64_t>(*static_cast<volatile unsigned long long*>(count));
  int64_t const all = listed < capacity ? listed : capacity;
  for (int64_t i = blockIdx.x; i < all; i += gridDim.x) {
    gdf::long_copy const copy = copies[i];
    if (copy.size > 0) { gdf::copy_bytes<threads, long_copies_tuning::items>(copy.to, copy.from, copy.size); }
  }
  if (gdf::is_last_block(scratch, 34, gridDim.x) && threadIdx.x == 0) { *count = 0; }
}
