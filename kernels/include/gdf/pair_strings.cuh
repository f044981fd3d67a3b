// Kernels that make a boolean or a number of each pair of texts of two columns, either of which may be broadcast: their
// loads, stores, masks and null counts.
#pragma once

#include "map_strings.cuh"

namespace gdf {

/// [block] Stores the result of f(text, target), an int64_t, for each row, in the type of `out`: a bit, 32 or 64 bits.
///
/// If either text is null, the row is null and its value is 0. `bytes` and `target_bytes` are the lengths of the
/// character buffers. A thread takes a row.
template <class tuning, class Function>
GDF_DEVICE void pair_strings(const column_in& in, const column_in& target, int64_t bytes, int64_t target_bytes,
                             const column_out& out, scratch* scratch, Function&& f) {
  constexpr int threads = tuning::threads;
  constexpr int items = tuning::items;
  auto const kind = static_cast<type>(out.type);
  uint32_t valid = 0;
  for_each_tile<threads, items>(out.length, [&](int64_t first, bool) {
#pragma unroll 1
    for (int i = 0; i < items; i++) {
      int64_t const row = row_of<threads>(first, i);
      if (row - lane() >= out.length) { break; } // the whole warp
      bool const is_value = row < out.length && is_valid(in, row) && is_valid(target, row);
      int64_t value = 0;
      if (is_value) { value = f(string_piece_at(in, row, bytes), string_piece_at(target, row, target_bytes)); }
      if (kind == type::boolean) {
        uint32_t const bits = __ballot_sync(~0u, value != 0);
        if (lane() == 0) { static_cast<uint32_t*>(out.data)[row >> 5] = bits; }
      } else if (row < out.length) {
        if (kind == type::i64) {
          static_cast<int64_t*>(out.data)[row] = value;
        } else {
          static_cast<int32_t*>(out.data)[row] = static_cast<int32_t>(value);
        }
      }
      valid += store_valid_word(out, row, is_value);
    }
  });
  post_null_count<threads>(scratch, out, valid);
}

} // namespace gdf
