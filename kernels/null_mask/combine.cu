// null_mask::{bitmask_and, bitmask_or, copy_bitmask, set_null_mask}: masks that are made of masks. A thread writes
// whole words of the result, so that no atomic operations are needed and bits past the end become zero.

#include <gdf/count.cuh>
#include <gdf/grid.cuh>
#include <gdf/policy.cuh>
#include <gdf/table.cuh>

GDF_POLICY(null_mask_combine, 256, 4, 4);
GDF_POLICY(null_mask_set, 256, 1, 4);

namespace null_mask_combine {

using tuning = null_mask_combine_tuning;

struct bitwise_and {
  static constexpr uint32_t identity = ~0u;
  GDF_DEVICE uint32_t operator()(uint32_t a, uint32_t b) const { return a & b; }
};

struct bitwise_or {
  static constexpr uint32_t identity = 0;
  GDF_DEVICE uint32_t operator()(uint32_t a, uint32_t b) const { return a | b; }
};

/// [block] Computes words of the result from the words of all inputs. The outer loop is over the inputs, so that the
/// loads of a thread's words are in flight together.
template <class Combine>
GDF_DEVICE void combine(const gdf::column_in* in, int inputs, const gdf::column_out& out,
                        gdf::scratch* scratch, Combine merge) {
  constexpr int threads = tuning::threads;
  constexpr int items = tuning::items;
  int64_t const words = gdf::words_for(out.length);
  uint32_t valid = 0;
  gdf::for_each_tile<threads, items>(words, [&](int64_t first, bool) {
    uint32_t merged[items];
#pragma unroll
    for (int i = 0; i < items; i++) { merged[i] = Combine::identity; }
    for (int c = 0; c < inputs; c++) {
#pragma unroll
      for (int i = 0; i < items; i++) {
        int64_t const row = gdf::row_of<threads>(first, i) * 32;
        merged[i] = merge(merged[i], gdf::valid_word(in[c], row, out.length));
      }
    }
#pragma unroll
    for (int i = 0; i < items; i++) {
      int64_t const word = gdf::row_of<threads>(first, i);
      if (word < words) {
        out.validity[word] = merged[i];
        valid += __popc(merged[i]);
      }
    }
  });
  gdf::post_null_count<threads>(scratch, out, valid);
}

} // namespace null_mask_combine

/// Merges masks: row r of the result is valid if row r of each of the first `inputs` (1 to 32) columns is valid.
extern "C" __global__ void GDF_BOUNDS(null_mask_combine) GDF_VARIANT(null_mask_combine, and)
null_mask_and_kernel(const __grid_constant__ gdf::table_in<32> in, int inputs,
                     const __grid_constant__ gdf::column_out out, gdf::scratch* scratch) {
  using namespace null_mask_combine;
  combine(in.column, inputs, out, scratch, bitwise_and{});
}

/// Merges masks: row r of the result is valid if row r of any of the first `inputs` (0 to 32) columns is valid.
extern "C" __global__ void GDF_BOUNDS(null_mask_combine) GDF_VARIANT(null_mask_combine, or)
null_mask_or_kernel(const __grid_constant__ gdf::table_in<32> in, int inputs,
                    const __grid_constant__ gdf::column_out out, gdf::scratch* scratch) {
  using namespace null_mask_combine;
  combine(in.column, inputs, out, scratch, bitwise_or{});
}

/// Copies the mask of `in` to a mask that begins at bit 0.
extern "C" __global__ void GDF_BOUNDS(null_mask_combine)
null_mask_copy_kernel(const __grid_constant__ gdf::column_in in,
                      const __grid_constant__ gdf::column_out out, gdf::scratch* scratch) {
  using namespace null_mask_combine;
  combine(&in, 1, out, scratch, bitwise_and{});
}

/// Sets the bits [begin, end) of `words` (4-byte aligned), or clears them if `valid` is 0. Other bits stay unchanged.
/// The kernel computes no null count.
extern "C" __global__ void GDF_BOUNDS(null_mask_set)
null_mask_set_kernel(uint32_t* words, int64_t begin, int64_t end, int valid) {
  int64_t const first = begin >> 5;
  gdf::for_each_index(gdf::words_for(end) - first, [&](int64_t i) {
    int64_t const word = first + i;
    uint32_t const chosen =
      gdf::low_bits(end - word * 32) & ~gdf::low_bits(begin - word * 32);
    uint32_t const fill = valid != 0 ? ~0u : 0u;
    words[word] = chosen == ~0u ? fill : (words[word] & ~chosen) | (fill & chosen);
  });
}
