// Copies of many bytes that a warp does not make itself: a launch behind its own makes them, in pieces which all blocks share.
#pragma once

#include "grid.cuh"
#include "policy.cuh"

namespace gdf {

/// A copy that is listed.
struct long_copy {
  const uint8_t* from;
  uint8_t* to;
  int64_t size;
};
GDF_SHARED(long_copy);

namespace copy_list_detail {

/// Where scratch memory counts them.
constexpr int count_slot = 447;

/// Fewer bytes a warp copies.
constexpr int64_t min_size = 4096;

/// Of a piece.
constexpr int64_t max_piece = 16384;

} // namespace copy_list_detail

/// Where copies are listed.
struct copy_list {
  long_copy* copies; // null: there is no list
  int64_t capacity;
  unsigned long long* count;

  /// [warp] Lists a copy of `size` bytes; false: there is no place for it.
  GDF_DEVICE bool add(uint8_t* to, const uint8_t* from, int64_t size) const {
    if (copies == nullptr) { return false; }
    constexpr int64_t piece = copy_list_detail::max_piece;
    int64_t const pieces = (size + piece - 1) / piece;
    u64 const claimed = lane() == 0 ? atomicAdd(count, static_cast<unsigned long long>(pieces)) : 0;
    auto const first = static_cast<int64_t>(__shfl_sync(~0u, claimed, 0));
    bool const fits = first + pieces <= capacity;
    // Places that are there, but too few, hold nothing.
    for (int64_t i = lane(); i < pieces && first + i < capacity; i += 32) {
      int64_t const left = size - i * piece;
      copies[first + i] = {from + i * piece, to + i * piece, !fits ? 0 : left < piece ? left : piece};
    }
    return fits;
  }
};

} // namespace gdf
