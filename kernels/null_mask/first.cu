// null_mask::index_of_first_set_bit. If a set bit is already known, blocks whose bits all lie after it read nothing.

#include <gdf/bits.cuh>
#include <gdf/grid.cuh>
#include <gdf/last_block.cuh>
#include <gdf/policy.cuh>

GDF_POLICY(null_mask_first, 256, 4, 4);

/// Posts the position of the first set bit of [begin, end), counted from `begin`, to a word of a mailbox. If no bit is
/// set, the kernel posts end - begin. The kernel uses ticket 32 and zeroed[0].
extern "C" __global__ void GDF_BOUNDS(null_mask_first)
null_mask_first_kernel(const uint8_t* __restrict__ mask, int64_t begin, int64_t end, gdf::scratch* scratch,
                       unsigned long long* position) {
  using tuning = null_mask_first_tuning;
  int64_t const bits = end - begin;
  int64_t const words = gdf::words_for(bits);
  // The number of bits from the first set bit to the end; 0 as long as no set bit is found.
  gdf::u64* const from_first = &scratch->zeroed[0];
  gdf::for_each_tile<tuning::threads, tuning::items>(words, [&](int64_t first, bool) {
    gdf::u64 const known = __shfl_sync(~0u, *static_cast<volatile gdf::u64*>(from_first), 0);
    if (first * 32 >= bits - static_cast<int64_t>(known)) { return; } // the whole warp
    bool found = false;
#pragma unroll
    for (int i = 0; i < tuning::items; i++) {
      int64_t const bit = gdf::row_of<tuning::threads>(first, i) * 32;
      uint32_t const word = found || bit >= bits ? 0 : gdf::load_bits32(mask, begin + bit, end);
      uint32_t const lanes = __ballot_sync(~0u, word != 0);
      if (lanes == 0) { continue; }
      found = true; // the words of later items lie after the words of this item
      if (gdf::lane() == __ffs(static_cast<int>(lanes)) - 1) {
        atomicMax(from_first, static_cast<gdf::u64>(bits - bit - (__ffs(static_cast<int>(word)) - 1)));
      }
    }
  });
  if (!gdf::is_last_block(scratch, 32, gridDim.x)) { return; }
  if (threadIdx.x == 0) { gdf::post(position, static_cast<gdf::u64>(bits) - atomicExch(from_first, 0ull)); }
}
