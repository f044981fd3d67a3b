// reduction::reduce: the smallest or largest string. One launch finds the row and posts the position and the size of
// its bytes. The host then allocates the result, and a second launch copies the bytes.

#include <gdf/extreme_string.cuh>
#include <gdf/policy.cuh>
#include <gdf/reduce.cuh>

GDF_POLICY(reduction_strings, 256, 4, 4);

namespace reduction_strings {

using tuning = reduction_strings_tuning;
constexpr int threads = tuning::threads;
constexpr int ticket = 41;

/// [block] Returns the smallest or largest string of the block.
GDF_DEVICE gdf::best_string best_of_block(const gdf::extreme_string& better, gdf::best_string mine) {
  constexpr int warps = threads / 32;
  __shared__ int64_t rows[warps];
  __shared__ gdf::u64 prefixes[warps];
#pragma unroll 1
  for (int step = 16; step > 0; step >>= 1) {
    gdf::best_string const other = gdf::from_above(mine, step);
    if (gdf::lane() < step) { mine = better(mine, other); }
  }
  __syncthreads(); // threads may still read the slots of a previous call
  if (gdf::lane() == 0) {
    rows[gdf::warp()] = mine.row;
    prefixes[gdf::warp()] = mine.prefix;
  }
  __syncthreads();
  if (threadIdx.x == 0) {
#pragma unroll 1
    for (int w = 1; w < warps; w++) { mine = better(mine, gdf::best_string{rows[w], prefixes[w]}); }
  }
  return mine;
}

} // namespace reduction_strings

/// Finds the smallest (if `minimum` is not 0) or the largest of the strings that are not null. The kernel uses ticket
/// 41 and partials.
extern "C" __global__ void GDF_BOUNDS(reduction_strings)
reduction_extreme_strings_kernel(const __grid_constant__ gdf::column_in in, int minimum,
                                 gdf::scratch* scratch, unsigned long long* mailbox) {
  using namespace reduction_strings;
  gdf::extreme_string const better{in, minimum != 0};
  gdf::best_string found = better.identity();
  gdf::for_each_tile<threads, tuning::items>(in.length, [&](int64_t first, bool) {
    gdf::best_string rows[tuning::items];
#pragma unroll
    for (int i = 0; i < tuning::items; i++) {
      int64_t const row = gdf::row_of<threads>(first, i);
      rows[i] = better.identity();
      if (row < in.length && gdf::is_valid(in, row)) {
        rows[i] = better.of(row);
      }
    }
#pragma unroll
    for (int i = 0; i < tuning::items; i++) { found = better(found, rows[i]); }
  });
  found = best_of_block(better, found);
  if (gridDim.x > 1) {
    auto* const partials = reinterpret_cast<int64_t*>(scratch->partials);
    if (threadIdx.x == 0) { partials[blockIdx.x] = found.row; }
    if (!gdf::is_last_block(scratch, ticket, gridDim.x)) { return; }
    found = better.identity();
    for (uint32_t b = threadIdx.x; b < gridDim.x; b += threads) {
      int64_t const row = __ldcv(partials + b);
      if (row >= 0) { found = better(found, better.of(row)); }
    }
    found = best_of_block(better, found);
  }
  if (threadIdx.x == 0) {
    bool const any = found.row >= 0;
    gdf::extent const bytes = any ? gdf::extent_of(in, found.row) : gdf::extent{0, 0};
    gdf::post(mailbox, any ? 1 : 0);
    gdf::post(mailbox + 1, static_cast<gdf::u64>(found.row));
    gdf::post(mailbox + 2, static_cast<gdf::u64>(bytes.begin));
    gdf::post(mailbox + 3, static_cast<gdf::u64>(bytes.size()));
  }
}

/// Writes the single row of `out` from the `size` bytes at `bytes`. If `valid` is 0, the row is null.
extern "C" __global__ void GDF_BOUNDS(reduction_strings)
reduction_copy_string_kernel(const uint8_t* __restrict__ bytes, int64_t size, int valid,
                             const __grid_constant__ gdf::column_out out) {
  gdf::for_each_index(size, [&](int64_t i) { static_cast<uint8_t*>(out.data)[i] = bytes[i]; });
  if (blockIdx.x == 0 && threadIdx.x == 0) {
    bool const wide = (out.flags & gdf::wide_offsets) != 0;
    gdf::store_offset(out.offsets, wide, 0, 0);
    gdf::store_offset(out.offsets, wide, 1, size);
    gdf::write_validity(out, valid != 0);
  }
}
