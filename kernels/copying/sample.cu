// copying::sample: chooses rows by a seed. Each row of the sample depends only on its index and the seed, so that the
// CPU and the GPU choose the same rows.

#include <gdf/grid.cuh>
#include <gdf/index.cuh>
#include <gdf/policy.cuh>
#include <gdf/row_hash.cuh>

GDF_POLICY(sample, 256, 4, 4);

namespace sample {

struct choice {
  uint64_t seed;
  gdf::row_count rows; // not 0
  int32_t half_bits; // half the number of bits of the permuted numbers; 4^half_bits is at least `rows`
  int32_t with_replacement;
};

/// The number of rounds of the permutation. With random functions, a Feistel network needs four rounds to look random.
/// The functions here are less random and therefore need more rounds.
constexpr int rounds = 8;

/// [thread] Returns a permutation of the numbers below 4^half_bits by a Feistel network (Luby and Rackoff, 1988).
GDF_DEVICE uint64_t permuted(uint64_t number, const choice& p) {
  uint64_t const mask = (1ull << p.half_bits) - 1;
  uint64_t left = number >> p.half_bits;
  uint64_t right = number & mask;
#pragma unroll
  for (int i = 0; i < rounds; i++) {
    uint64_t const key = p.seed + static_cast<uint64_t>(i + 1) * 0x9e3779b97f4a7c15ull;
    uint64_t const next = left ^ (gdf::mix64(gdf::mix64(key) ^ right) & mask);
    left = right;
    right = next;
  }
  return left << p.half_bits | right;
}

GDF_DEVICE uint64_t chosen(int64_t r, const choice& p) {
  auto const number = static_cast<uint64_t>(r);
  if (p.with_replacement != 0) {
    return __umul64hi(gdf::mix64(gdf::mix64(p.seed) + number * 0x9e3779b97f4a7c15ull), p.rows);
  }
  uint64_t row = permuted(number, p);
  // `row` moves along a cycle of the permutation. The cycle contains `number`, which is below `rows`, so the loop ends.
  while (row >= p.rows) { row = permuted(row, p); }
  return row;
}

} // namespace sample

/// Writes the row numbers of a sample to `out`, which has unsigned integers of 32 or 64 bits. Without replacement, the
/// sample has at most as many rows as the table.
extern "C" __global__ void GDF_BOUNDS(sample)
sample_kernel(const __grid_constant__ sample::choice p, const __grid_constant__ gdf::column_out out) {
  constexpr int items = sample_tuning::items;
  gdf::for_each_tile<sample_tuning::threads, items>(out.length, [&](int64_t first, bool) {
#pragma unroll 1
    for (int i = 0; i < items; i++) {
      int64_t const r = gdf::row_of<sample_tuning::threads>(first, i);
      if (r < out.length) { gdf::store_index(out.data, out.type, r, static_cast<int64_t>(sample::chosen(r, p))); }
    }
  });
}
