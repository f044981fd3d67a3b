// Texts of a thread's rows where they lie, for kernels that read few bytes of each: the loads for all rows are under way before one
// is waited for, and what offsets of 32 bits say is reckoned in 32 bits.
#pragma once

#include "string_rows.cuh"

namespace gdf {

/// The texts of the rows first + i * threads + threadIdx.x of a column whose offsets are of type Offset.
template <class Offset, int threads, int items>
struct thread_texts {
  Offset begin[items]; // within the buffer, as `end`
  Offset end[items];
  uint32_t valid[items]; // words of the warp's rows

  /// [thread] Whether there is a text.
  GDF_DEVICE bool has(int i) const { return (valid[i] >> (threadIdx.x & 31) & 1) != 0; }

  /// [warp] Of a column with `rows` rows, more than `first`, and a buffer of `bytes` bytes.
  GDF_DEVICE void load(const column_in& in, int64_t bytes, int64_t first, int64_t rows) {
    bool const one = in.flags & broadcast;
    auto const* const offsets = static_cast<const Offset*>(in.offsets) + in.offset + (one ? 0 : first);
    auto const last = static_cast<int>(rows - first < threads * items ? rows - first : threads * items) - 1;
#pragma unroll
    for (int i = 0; i < items; i++) {
      int const row = i * threads + static_cast<int>(threadIdx.x);
      int const at = one ? 0 : row < last ? row : last;
      begin[i] = __ldg(offsets + at);
      end[i] = __ldg(offsets + at + 1);
    }
    constexpr auto most = static_cast<Offset>(~0ull >> (65 - 8 * sizeof(Offset)));
    Offset const limit = bytes < most ? static_cast<Offset>(bytes) : most;
#pragma unroll
    for (int i = 0; i < items; i++) {
      begin[i] = begin[i] < 0 ? 0 : begin[i] < limit ? begin[i] : limit;
      end[i] = end[i] < begin[i] ? begin[i] : end[i] < limit ? end[i] : limit;
      int64_t const row = row_of<threads>(first, i) - (threadIdx.x & 31);
      valid[i] = in.validity == nullptr ? low_bits(rows - row) : row < rows ? valid_word(in, row, rows) : 0;
    }
  }
};

} // namespace gdf
