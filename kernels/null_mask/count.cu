// null_mask::count: counts the clear bits of a range of a mask. The position of a bit within a word does not matter for
// counting. The range is therefore read as aligned 16-byte vectors, with single bits and bytes at both ends, and no
// bits are shifted into place.

#include <gdf/block_sum.cuh>
#include <gdf/last_block.cuh>
#include <gdf/policy.cuh>

GDF_POLICY(null_mask_count, 256, 4, 4);

namespace null_mask_count {

using tuning = null_mask_count_tuning;

GDF_DEVICE uint32_t popcount(const uint4& v) {
  return __popc(v.x) + __popc(v.y) + __popc(v.z) + __popc(v.w);
}

/// [thread] Returns the number of set bits of one byte that lie in [begin, end).
GDF_DEVICE uint32_t loose_bits(const uint8_t* mask, int64_t byte, int64_t begin, int64_t end) {
  uint32_t bits = mask[byte];
  int64_t const first = byte * 8;
  if (begin > first) { bits &= 0xffu << (begin - first); }
  if (end < first + 8) { bits &= 0xffu >> (first + 8 - end); }
  return __popc(bits & 0xffu);
}

} // namespace null_mask_count

/// Posts the number of clear bits in [begin, end) to `unset`, which is a word of a mailbox or of device memory. The
/// range must not be empty. The kernel uses ticket 32 and zeroed[0].
extern "C" __global__ void GDF_BOUNDS(null_mask_count)
null_mask_count_kernel(const uint8_t* __restrict__ mask, int64_t begin, int64_t end,
                       gdf::scratch* scratch, unsigned long long* unset) {
  using namespace null_mask_count;
  constexpr int threads = tuning::threads;
  int64_t const first_byte = begin >> 3;
  int64_t const end_byte = (end + 7) >> 3;
  // The bounds of the whole bytes of the range, and of the whole vectors of the range.
  int64_t whole = (begin + 7) >> 3;
  int64_t const whole_end = end >> 3 > whole ? end >> 3 : whole;
  auto const address = reinterpret_cast<uintptr_t>(mask + whole);
  int64_t vectors_begin = whole + static_cast<int64_t>((16 - (address & 15)) & 15);
  if (vectors_begin > whole_end) { vectors_begin = whole_end; }
  int64_t const vectors = (whole_end - vectors_begin) >> 4;
  int64_t const vectors_end = vectors_begin + vectors * 16;

  uint32_t set = 0;
  if (blockIdx.x == 0) { // at most 16 bytes before the vectors, and at most 16 after them
    int64_t const before = first_byte + threadIdx.x;
    if (before < vectors_begin) { set += loose_bits(mask, before, begin, end); }
    int64_t const from = vectors_end > vectors_begin ? vectors_end : vectors_begin;
    int64_t const after = from + threadIdx.x;
    if (after < end_byte) { set += loose_bits(mask, after, begin, end); }
  }
  auto const* const vector = reinterpret_cast<const uint4*>(mask + vectors_begin);
  int64_t const stride = int64_t{gridDim.x} * tuning::tile;
  for (int64_t i = int64_t{blockIdx.x} * tuning::tile + threadIdx.x; i < vectors; i += stride) {
    uint4 loaded[tuning::items];
#pragma unroll
    for (int k = 0; k < tuning::items; k++) {
      int64_t const at = i + k * threads;
      loaded[k] = at < vectors ? __ldg(vector + at) : uint4{0, 0, 0, 0};
    }
#pragma unroll
    for (int k = 0; k < tuning::items; k++) { set += popcount(loaded[k]); }
  }

  gdf::u64 const mine = gdf::block_sum<threads>(static_cast<gdf::u64>(set));
  gdf::u64* const total = &scratch->zeroed[0];
  if (threadIdx.x == 0 && mine != 0) { atomicAdd(total, mine); }
  if (!gdf::is_last_block(scratch, 32, gridDim.x)) { return; }
  if (threadIdx.x == 0) {
    gdf::u64 const all = atomicExch(total, 0ull);
    gdf::post(unset, static_cast<gdf::u64>(end - begin) - all);
  }
}
