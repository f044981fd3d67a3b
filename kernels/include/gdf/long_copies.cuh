// Copies of many bytes that a warp adds to a list. A later launch makes these copies, in pieces that are divided among
// all blocks.
#pragma once

#include "grid.cuh"
#include "policy.cuh"

namespace gdf {

struct long_copy {
  const uint8_t* from;
  uint8_t* to;
  int64_t size;
};
GDF_SHARED(long_copy);

namespace copy_list_detail {

/// The word of zeroed scratch memory in which listed copies are counted.
constexpr int count_slot = 447;

/// The minimum size of a listed copy. A warp makes smaller copies itself.
constexpr int64_t min_size = 4096;

/// The maximum number of bytes of a piece.
constexpr int64_t max_piece = 16384;

} // namespace copy_list_detail

struct copy_list {
  long_copy* copies; // if null, there is no list
  int64_t capacity;
  unsigned long long* count;

  /// [warp] Adds a copy of `size` bytes to the list. Returns false if the list has too few elements left.
  GDF_DEVICE bool add(uint8_t* to, const uint8_t* from, int64_t size) const {
    if (copies == nullptr) { return false; }
    constexpr int64_t piece = copy_list_detail::max_piece;
    int64_t const pieces = (size + piece - 1) / piece;
    u64 const claimed = lane() == 0 ? atomicAdd(count, static_cast<unsigned long long>(pieces)) : 0;
    auto const first = static_cast<int64_t>(__shfl_sync(~0u, claimed, 0));
    bool const fits = first + pieces <= capacity;
    // If the list has some elements left, but too few for the copy, these elements become empty.
    for (int64_t i = lane(); i < pieces && first + i < capacity; i += 32) {
      int64_t const left = size - i * piece;
      copies[first + i] = {from + i * piece, to + i * piece, !fits ? 0 : left < piece ? left : piece};
    }
    return fits;
  }
};

} // namespace gdf
