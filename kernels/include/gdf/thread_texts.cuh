// Texts of a thread's rows where they lie, for kernels that read few bytes of each: what takes time there is to wait for memory, so
// that the loads for all rows are under way before one is waited for. No branch may stand between them.
#pragma once

#include "string_rows.cuh"

namespace gdf {

/// The texts of the rows first + i * threads + threadIdx.x.
template <int threads, int items>
struct thread_texts {
  extent text[items]; // within the buffer; none of what is no row
  uint32_t valid[items]; // words of the warp's rows

  /// [thread] Whether there is a text.
  GDF_DEVICE bool has(int i) const { return (valid[i] >> (threadIdx.x & 31) & 1) != 0; }

  /// [warp] Of a column with `rows` rows, 1 or more, and a buffer of `bytes` bytes.
  GDF_DEVICE void load(const column_in& in, int64_t bytes, int64_t first, int64_t rows) {
    if (in.flags & wide_offsets) {
      load_by<int64_t>(in, bytes, first, rows);
    } else {
      load_by<int32_t>(in, bytes, first, rows);
    }
#pragma unroll
    for (int i = 0; i < items; i++) {
      int64_t const row = row_of<threads>(first, i) - (threadIdx.x & 31);
      valid[i] = in.validity == nullptr ? low_bits(rows - row) : row < rows ? valid_word(in, row, rows) : 0;
    }
  }

private:
  template <class Offset>
  GDF_DEVICE void load_by(const column_in& in, int64_t bytes, int64_t first, int64_t rows) {
    auto const* const offsets = static_cast<const Offset*>(in.offsets) + in.offset;
    Offset begin[items];
    Offset end[items];
#pragma unroll
    for (int i = 0; i < items; i++) {
      int64_t const row = row_of<threads>(first, i);
      int64_t const at = in.flags & broadcast ? 0 : row < rows ? row : rows - 1;
      begin[i] = __ldg(offsets + at);
      end[i] = __ldg(offsets + at + 1);
    }
#pragma unroll
    for (int i = 0; i < items; i++) { text[i] = clamped({begin[i], end[i]}, bytes); }
  }
};

} // namespace gdf
