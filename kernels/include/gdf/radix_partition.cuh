// Radix partitioning: moves rows so that rows with equal values of a few hash bits are adjacent. These rows are a part.
// The hash table of each part then fits in a cache, for group-by and join. The first of two launches counts the rows of
// each part and block, and turns the counts into positions. The second launch moves the rows.
#pragma once

#include "grid.cuh"
#include "tile_scan.cuh"

namespace gdf {

constexpr int max_parts = 256;
constexpr int no_part = max_parts; // the part of a row that is dropped

/// The parameters that the two launches share.
struct part_plan {
  unsigned long long* counts; // a word per part and block; the words of a part are adjacent
  unsigned long long* begins; // the first place of each part, then the total number of places
  int32_t parts;              // a power of two, 2 to max_parts
  int32_t shift;              // the position of the bits of a hash that give the part

  GDF_DEVICE int part(u64 hash) const { return static_cast<int>(hash >> shift) & (parts - 1); }
};
static_assert(sizeof(part_plan) == 24);

/// The consecutive tiles of a block, and the rows of a tile.
template <int threads, int items>
struct part_tiles {
  static constexpr int tile = threads * items;
  int64_t begin;
  int64_t end;

  GDF_DEVICE explicit part_tiles(int64_t rows) {
    int64_t const tiles = (rows + tile - 1) / tile;
    int64_t const each = (tiles + gridDim.x - 1) / gridDim.x;
    begin = each * blockIdx.x;
    end = begin + each < tiles ? begin + each : tiles;
  }

  static GDF_DEVICE int row(int i) { return warp() * (32 * items) + i * 32 + lane(); }
};

/// [block] Executes the first launch.
///
/// `slot` is an unused ticket.
template <int threads, int items, class Parts>
GDF_DEVICE void count_parts(const part_plan& plan, int64_t rows, scratch* scratch, int slot,
                            Parts&& parts) {
  __shared__ uint32_t histogram[max_parts + 1];
  for (int i = static_cast<int>(threadIdx.x); i <= max_parts; i += threads) { histogram[i] = 0; }
  __syncthreads();
  part_tiles<threads, items> const tiles(rows);
  for (int64_t t = tiles.begin; t < tiles.end; t++) {
    int part[items];
    parts(t * tiles.tile, part);
#pragma unroll
    for (int i = 0; i < items; i++) {
      int const one = __shfl_sync(~0u, part[i], 0);
      if (__all_sync(~0u, part[i] == one)) { // all rows of the warp have the same part
        if (lane() == 0) { atomicAdd(histogram + one, 32u); }
      } else {
        atomicAdd(histogram + part[i], 1u);
      }
    }
  }
  __syncthreads();
  for (int p = static_cast<int>(threadIdx.x); p < plan.parts; p += threads) {
    plan.counts[int64_t{p} * gridDim.x + blockIdx.x] = histogram[p];
  }
  if (!is_last_block(scratch, slot, gridDim.x)) { return; }
  u64 const total = scan_in_place<threads, 4>(plan.counts, int64_t{plan.parts} * gridDim.x);
  __syncthreads();
  for (int p = static_cast<int>(threadIdx.x); p < plan.parts; p += threads) {
    plan.begins[p] = plan.counts[int64_t{p} * gridDim.x];
  }
  if (threadIdx.x == 0) { plan.begins[plan.parts] = total; }
}

/// The shared memory of the second launch.
template <int threads, int items>
struct part_memory {
  static constexpr int tile = threads * items;
  u64 stage[tile];
  int64_t delta[max_parts];                  // difference between a place in the result and in the sorted tile
  uint16_t before[threads / 32][max_parts];  // number of rows of the part in lower warps of the tile
  uint16_t begin[max_parts];                 // the begin of each part in the sorted tile
  uint8_t part[tile];                         // the part of each place of the sorted tile
};

/// The second launch.
///
/// A block must have at least as many threads as there are parts.
template <int threads, int items>
struct part_writer {
  part_memory<threads, items>& memory;
  part_plan const& plan;
  u64 next;             // in thread p: the place of this block's next row of part p
  uint16_t slot[items]; // the places of the thread's rows in the sorted tile
  bool kept[items];
  int count;            // number of rows of the sorted tile

  GDF_DEVICE part_writer(part_memory<threads, items>& memory, const part_plan& plan)
    : memory(memory), plan(plan), count(0) {
    static_assert(threads >= max_parts);
    int const p = static_cast<int>(threadIdx.x);
    next = p < plan.parts ? plan.counts[int64_t{p} * gridDim.x + blockIdx.x] : 0;
  }

  /// [block] Sorts a tile by the parts of its rows.
  GDF_DEVICE void position(const int (&part)[items]) {
    constexpr int warps = threads / 32;
    int const p = static_cast<int>(threadIdx.x);
    __syncthreads(); // the previous tile has been written
    for (int i = p; i < warps * max_parts; i += threads) {
      memory.before[i / max_parts][i % max_parts] = 0;
    }
    __syncthreads();
    auto* const own = memory.before[warp()];
#pragma unroll
    for (int i = 0; i < items; i++) { // the lanes of one part take consecutive places
      kept[i] = part[i] != no_part;
      uint32_t peers = __ballot_sync(~0u, kept[i]);
      for (int bit = 1; bit < plan.parts; bit <<= 1) {
        bool const set = (part[i] & bit) != 0;
        uint32_t const vote = __ballot_sync(~0u, set);
        peers &= set ? vote : ~vote;
      }
      int const rank = __popc(peers & ((1u << lane()) - 1));
      int const start = kept[i] ? own[part[i]] : 0;
      __syncwarp();
      if (kept[i] && rank == 0) { own[part[i]] = static_cast<uint16_t>(start + __popc(peers)); }
      __syncwarp();
      slot[i] = static_cast<uint16_t>(start + rank);
    }
    __syncthreads();
    uint32_t sum = 0;
    if (p < plan.parts) {
#pragma unroll
      for (int w = 0; w < warps; w++) {
        uint32_t const here = memory.before[w][p];
        memory.before[w][p] = static_cast<uint16_t>(sum);
        sum += here;
      }
    }
    uint32_t total;
    uint32_t const start = block_exclusive_sum<threads>(sum, total);
    count = static_cast<int>(total);
    if (p < plan.parts) {
      memory.begin[p] = static_cast<uint16_t>(start);
      memory.delta[p] = static_cast<int64_t>(next) - static_cast<int64_t>(start);
      next += sum;
    }
    __syncthreads();
#pragma unroll
    for (int i = 0; i < items; i++) {
      if (kept[i]) {
        slot[i] = static_cast<uint16_t>(slot[i] + memory.begin[part[i]] + own[part[i]]);
        memory.part[slot[i]] = static_cast<uint8_t>(part[i]);
      }
    }
  }

  /// [block] Writes an array in the order of positions.
  template <class T, class Load>
  GDF_DEVICE void move(T* out, Load&& load) const {
    auto* const stage = reinterpret_cast<T*>(memory.stage);
    T value[items];
#pragma unroll
    for (int i = 0; i < items; i++) {
      if (kept[i]) { value[i] = load(i); }
    }
    __syncthreads(); // `part` is complete, and the previously staged array has been written
#pragma unroll
    for (int i = 0; i < items; i++) {
      if (kept[i]) { stage[slot[i]] = value[i]; }
    }
    __syncthreads();
#pragma unroll
    for (int i = 0; i < items; i++) {
      int const k = i * threads + static_cast<int>(threadIdx.x);
      if (k < count) { out[memory.delta[memory.part[k]] + k] = stage[k]; }
    }
  }
};

} // namespace gdf
