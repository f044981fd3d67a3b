// Texts of a thread's rows in global memory, for kernels that read few bytes of each text. Such kernels mostly wait for
// memory. The loads for all rows are therefore started before the first result is used, without a branch between these
// loads.
#pragma once

#include "string_rows.cuh"

namespace gdf {

/// The texts of the rows first + i * threads + threadIdx.x.
template <int threads, int items>
struct thread_texts {
  extent text[items]; // within the buffer; empty if the row does not exist
  uint32_t valid[items]; // the validity words of the warp's rows

  GDF_DEVICE bool has(int i) const { return (valid[i] >> (threadIdx.x & 31) & 1) != 0; }

  /// [warp] Loads the texts of a column with `rows` rows, at least 1, and a character buffer of `bytes` bytes.
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
