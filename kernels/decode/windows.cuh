// The elements of a chunk of a compressed page are found without a walk from element to element. Each lane reads the
// element that would begin at its byte. Doubling steps find, for each byte of a window of 32 bytes, the elements that
// would follow in the window and the first position behind it, then the first position behind the group of windows of a
// warp. The walk has only a step per group, and each warp walks through the windows of its group.
#pragma once

#include "lz4.cuh"
#include "snappy.cuh"

namespace decode {

/// The number of bytes of a window. Each lane has one.
constexpr uint32_t element_window = 32;

/// The number of windows of a group. A warp has a group.
constexpr uint32_t group_windows = 8;

constexpr uint32_t group_bytes = group_windows * element_window;

/// An exit with this bit is the position of an element that is not whole in the stage, or is damaged.
constexpr uint32_t stop_bit = 0x8000;

static_assert(decompress_threads / 32 * group_bytes == chunk_bytes);
static_assert(stage_bytes + chunk_bytes < stop_bit);

/// The sequences of a chunk, whose positions are in shared memory.
struct found_sequences {
  uint32_t count;
  uint32_t next; // the position behind them, counted from the start of the chunk
};

/// [warp] Returns the sum of the numbers of all lanes up to this one.
GDF_DEVICE uint32_t lane_sum(uint32_t number) {
  for (int distance = 1; distance < 32; distance *= 2) {
    uint32_t const below = __shfl_up_sync(~0u, number, distance);
    number += gdf::lane() >= distance ? below : 0;
  }
  return number;
}

/// [warp] Reads the elements that would begin at the bytes of a group, and finds where a walk from each would lead.
template <class Walk>
GDF_DEVICE void read_windows(const Walk& walk, uint32_t bytes) {
  constexpr int window_steps = 4; // an element has 2 bytes, so at most 16 begin in a window
  constexpr int group_steps = 3;  // each one doubles the number of windows
  decompress_memory& memory = walk.memory;
  auto const lane = static_cast<uint32_t>(gdf::lane());
  auto const first = static_cast<uint32_t>(gdf::warp()) * group_bytes;
  if (first >= bytes) { return; }
  uint32_t const behind_group = first + group_bytes < bytes ? first + group_bytes : bytes;
  uint32_t const limit = walk.limit();
#pragma unroll 2
  for (uint32_t window = first; window < behind_group; window += element_window) {
    uint32_t const at = window + lane;
    uint32_t const step = walk.sequence_at(walk.base + at, limit).step;
    uint32_t exit = step == 0 ? at | stop_bit : at + step;
    uint32_t path = step == 0 ? 0 : 1u << lane;
#pragma unroll
    for (int i = 0; i < window_steps; i++) {
      uint32_t const next_exit = __shfl_sync(~0u, exit, exit & 31);
      uint32_t const next_path = __shfl_sync(~0u, path, exit & 31);
      if (exit < window + element_window) {
        exit = next_exit;
        path |= next_path;
      }
    }
    memory.window_exits[at] = static_cast<uint16_t>(exit);
    memory.group_exits[at] = static_cast<uint16_t>(exit);
    memory.paths[at] = path;
  }
  for (int i = 0; i < group_steps; i++) {
    uint32_t exits[group_windows];
    __syncwarp();
#pragma unroll
    for (uint32_t k = 0; k < group_windows; k++) {
      uint32_t const at = first + k * element_window + lane;
      exits[k] = at < behind_group ? memory.group_exits[at] : stop_bit;
      if (exits[k] < behind_group) { exits[k] = memory.group_exits[exits[k]]; }
    }
    __syncwarp();
#pragma unroll
    for (uint32_t k = 0; k < group_windows; k++) {
      uint32_t const at = first + k * element_window + lane;
      if (at < behind_group) { memory.group_exits[at] = static_cast<uint16_t>(exits[k]); }
    }
  }
}

/// [block] Finds the sequences of a chunk, and lists where they begin. One begins at the position of the walk.
template <class Walk>
GDF_DEVICE found_sequences find_sequences(const Walk& walk) {
  decompress_memory& memory = walk.memory;
  auto const lane = static_cast<uint32_t>(gdf::lane());
  auto const warp = static_cast<uint32_t>(gdf::warp());
  uint32_t const bytes = walk.bytes_of_chunk();
  read_windows(walk, bytes);
  __syncthreads();
  uint32_t next = walk.at - walk.base;
  uint32_t entry = stop_bit;
  while (next < bytes) {
    if (next / group_bytes == warp) { entry = next; }
    next = memory.group_exits[next];
  }
  uint32_t own = 0; // the mask of the lane's window
  while (entry < bytes && entry / group_bytes == warp) {
    uint32_t const path = memory.paths[entry];
    own = entry / element_window % group_windows == lane ? path : own;
    entry = memory.window_exits[entry];
  }
  if (lane < group_windows) { memory.masks[warp * group_windows + lane] = own; }
  __syncthreads();
  // The lanes of the first half of the warps have the first half of the masks.
  uint32_t const low = memory.masks[lane];
  uint32_t const high = memory.masks[lane + 32];
  uint32_t const counts = static_cast<uint32_t>(__popc(low)) | static_cast<uint32_t>(__popc(high)) << 16;
  uint32_t const sums = lane_sum(counts);
  uint32_t const all = __shfl_sync(~0u, sums, 31);
  bool const is_low = warp < decompress_threads / 64;
  uint32_t const mask = is_low ? low : high;
  uint32_t const before = is_low ? (sums - counts) & 0xffff : (all & 0xffff) + ((sums - counts) >> 16);
#pragma unroll
  for (uint32_t k = 0; k < group_windows; k++) {
    uint32_t const window = warp * group_windows + k;
    uint32_t const begins = __shfl_sync(~0u, mask, window % 32);
    uint32_t const number = __shfl_sync(~0u, before, window % 32);
    if ((begins >> lane & 1) != 0) {
      uint32_t const index = number + static_cast<uint32_t>(__popc(begins & ((1u << lane) - 1)));
      memory.begins[index] = static_cast<uint16_t>(window * element_window + lane);
    }
  }
  __syncthreads();
  return {(all & 0xffff) + (all >> 16), next & ~stop_bit};
}

} // namespace decode
