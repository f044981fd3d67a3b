// partitioning: orders the rows of a table by partition, stably, in two launches. The first launch finds the partition
// of each row and counts the rows per block and partition. The second launch moves the rows.
//
// Both launches have the same number of blocks, and each block has the same consecutive tiles in both launches. The
// block sorts each tile in shared memory first, so that the rows of a partition are written contiguously.

#include <gdf/hash_rows.cuh>
#include <gdf/move_rows.cuh>
#include <gdf/policy.cuh>
#include <gdf/tile_scan.cuh>

// With 64 registers per thread and two blocks, a multiprocessor has 64 KiB of loads in flight.
GDF_POLICY(partition, 512, 8, 2);
GDF_POLICY(partition_bits, 256, 8, 4);
GDF_POLICY(partition_order, 256, 4, 4);

namespace partitioning {

using tuning = partition_tuning;

constexpr int threads = tuning::threads;
constexpr int items = tuning::items;
constexpr int tile = tuning::tile;
constexpr int warps = threads / 32;
constexpr int few = 256; // greatest number of partitions that one pass can distinguish

struct tile_range {
  int64_t begin;
  int64_t end;

  GDF_DEVICE explicit tile_range(int64_t rows) {
    int64_t const tiles = (rows + tile - 1) / tile;
    int64_t const each = (tiles + gridDim.x - 1) / gridDim.x;
    begin = each * blockIdx.x;
    end = begin + each < tiles ? begin + each : tiles;
  }
};

/// The output of the first launch.
struct ids_out {
  uint8_t* narrow;
  uint32_t* wide;
  uint8_t* upper;
  unsigned long long* counts; // one word per block and partition (or lower digit, with `upper`)
  unsigned long long* totals; // with `upper`: a word per partition, zero at launch
  int32_t partitions;         // positive
  int32_t checked;            // not 0: three words after the first positions report errors
  int32_t digit_bits;
  int32_t unused;

  /// The number of counters in a block's shared memory.
  GDF_DEVICE int bins() const { return partitions > few ? partitions : few; }
};
static_assert(sizeof(ids_out) == 56);

GDF_DEVICE uint32_t partition_of(uint32_t hash, uint32_t partitions) {
  return (partitions & (partitions - 1)) == 0 ? hash & (partitions - 1) : hash % partitions;
}

/// [warp] Writes and counts the ids of rows, one row per lane.
GDF_DEVICE void put_id(const ids_out& out, uint32_t* histogram, int64_t row, bool has,
                       uint32_t id) {
  if (out.narrow == nullptr) {
    if (has) { out.wide[row] = id; }
    return;
  }
  if (has && out.upper == nullptr) { out.narrow[row] = static_cast<uint8_t>(id); }
  if (has && out.upper != nullptr) {
    out.narrow[row] = static_cast<uint8_t>(id & ((1u << out.digit_bits) - 1));
    out.upper[row] = static_cast<uint8_t>(id >> out.digit_bits);
  }
  uint32_t const one = __shfl_sync(~0u, id, 0);
  if (__all_sync(~0u, has && id == one)) { // all lanes have the same id, as in sorted or skewed rows
    if ((threadIdx.x & 31) == 0) { atomicAdd(histogram + one, 32u); }
  } else if (has) {
    atomicAdd(histogram + id, 1u);
  }
}

/// [block] Does the same as put_id, for the rows first + i * threads + threadIdx.x.
GDF_DEVICE void put_ids(const ids_out& out, uint32_t* histogram, int64_t first, int64_t rows,
                        const uint32_t (&id)[items]) {
#pragma unroll
  for (int i = 0; i < items; i++) {
    int64_t const row = first + int64_t{i} * threads + threadIdx.x;
    put_id(out, histogram, row, row < rows, id[i]);
  }
}

/// [block] Clears the counters. Every block calls this function before the first put_ids.
GDF_DEVICE void begin_counts(const ids_out& out, uint32_t* histogram) {
  if (out.narrow == nullptr) { return; }
  for (int i = threadIdx.x; i < out.bins(); i += threads) { histogram[i] = 0; }
  __syncthreads();
}

/// [block] Finishes the counts. All blocks call this function after the last put_ids. If ids are counted, word p - 1 of
/// `words` becomes the first row of partition p in the result. At the end, one thread of the last block calls `report`.
/// The function uses ticket 32.
template <class Report>
GDF_DEVICE void finish_counts(const ids_out& out, const uint32_t* histogram, gdf::scratch* scratch,
                              unsigned long long* words, Report&& report) {
  __syncthreads();
  int const digits = 1 << out.digit_bits;
  if (out.upper != nullptr) {
    for (int p = threadIdx.x; p < out.partitions; p += threads) {
      if (histogram[p] != 0) {
        atomicAdd(out.totals + p, static_cast<unsigned long long>(histogram[p]));
      }
    }
    for (int d = threadIdx.x; d < digits; d += threads) {
      unsigned long long count = 0;
      for (int p = d; p < out.partitions; p += digits) { count += histogram[p]; }
      out.counts[int64_t{d} * gridDim.x + blockIdx.x] = count;
    }
  } else if (out.narrow != nullptr) {
    for (int p = threadIdx.x; p < out.partitions; p += threads) {
      out.counts[int64_t{p} * gridDim.x + blockIdx.x] = histogram[p];
    }
  }
  if (!gdf::is_last_block(scratch, 32, gridDim.x)) { return; }
  if (out.upper != nullptr) {
    gdf::scan_in_place<threads, 4>(out.counts, int64_t{digits} * gridDim.x);
    gdf::scan_in_place<threads, 4>(out.totals, out.partitions);
    __syncthreads();
    for (int p = 1 + static_cast<int>(threadIdx.x); p < out.partitions; p += threads) {
      gdf::post(words + p - 1, out.totals[p]);
    }
  } else if (out.narrow != nullptr) {
    gdf::scan_in_place<threads, 4>(out.counts, int64_t{out.partitions} * gridDim.x);
    __syncthreads();
    for (int p = 1 + static_cast<int>(threadIdx.x); p < out.partitions; p += threads) {
      gdf::post(words + p - 1, out.counts[int64_t{p} * gridDim.x]);
    }
  }
  if (threadIdx.x == 0) { report(); }
}

template <class F>
GDF_DEVICE void hash_ids(const gdf::hashed_table<32>& table, int64_t rows, uint32_t seed,
                         const ids_out& out, gdf::scratch* scratch, unsigned long long* words) {
  extern __shared__ uint32_t histogram[]; // out.bins() counters
  begin_counts(out, histogram);
  tile_range const range(rows);
  auto const partitions = static_cast<uint32_t>(out.partitions);
  for (int64_t t = range.begin; t < range.end; t++) {
    int64_t const first = t * tile;
    if (F::of_numbers || table.narrow != 0) {
      uint32_t id[items];
      gdf::hash_narrow_rows<F, threads>(table, first, rows, seed, false, id);
#pragma unroll
      for (int i = 0; i < items; i++) { id[i] = partition_of(id[i], partitions); }
      put_ids(out, histogram, first, rows, id);
    } else if constexpr (!F::of_numbers) {
#pragma unroll 1
      for (int i = 0; i < items; i++) {
        int64_t const row = first + int64_t{i} * threads + threadIdx.x;
        uint32_t const h = row < rows ? gdf::hash_table_row<F>(table, row, seed, false, 0) : 0;
        put_id(out, histogram, row, row < rows, partition_of(h, partitions));
      }
    }
  }
  finish_counts(out, histogram, scratch, words, [] {});
}

/// [block] Moves a tile of a column of T.
template <class T, class Load>
GDF_DEVICE void move_tile(void* stage_memory, const uint16_t (&slot)[items], const uint8_t* part,
                          const int64_t* delta, T* out, int count, int left, Load&& load) {
  auto* const stage = static_cast<T*>(stage_memory);
  constexpr int batch = sizeof(T) == 8 || sizeof(T) == 4 ? items : 2; // limited by the number of registers
  constexpr int positions = sizeof(T) <= 8 ? tile : tile / 2;            // number of rows that the stage holds
  int const thread = static_cast<int>(threadIdx.x);
  for (int low = 0; low < count; low += positions) {
    auto const here = [&](int i) {
      return i * 32 < left && (positions == tile || (slot[i] >= low && slot[i] < low + positions));
    };
#pragma unroll
    for (int from = 0; from < items; from += batch) {
      T value[batch];
#pragma unroll
      for (int i = 0; i < batch; i++) {
        if (here(from + i)) { value[i] = load(from + i); }
      }
      if (from == 0) { __syncthreads(); } // all values of the previous stage have been written
#pragma unroll
      for (int i = 0; i < batch; i++) {
        if (here(from + i)) { stage[slot[from + i] - low] = value[i]; }
      }
    }
    __syncthreads();
#pragma unroll
    for (int i = 0; i < positions / threads; i++) {
      int const k = low + i * threads + thread;
      if (k < count) { gdf::store(out + (delta[part[k]] + k), stage[k - low]); }
    }
  }
}

/// [thread] Returns how many partitions below `p` get an extra row. The `extra` rows are dealt to the partitions one by
/// one, beginning with partition `start`.
GDF_DEVICE int64_t fuller_below(int64_t p, int64_t partitions, int64_t start, int64_t extra) {
  int64_t const wrapped = extra - (partitions - start); // extra rows that go to partitions [0, start)
  int64_t const low = p < start ? p : start;
  int64_t const before = wrapped < 0 ? 0 : wrapped < low ? wrapped : low;
  int64_t const behind = p > start ? p - start : 0;
  return before + (behind < extra ? behind : extra);
}

} // namespace partitioning

/// Computes the partitions of `rows` rows from the MurmurHash3_x86_32 of the rows of a table. `words` is described at
/// finish_counts.
extern "C" __global__ void GDF_BOUNDS(partition) GDF_VARIANT(partition_hash_ids, murmur)
partition_murmur_ids_kernel(const __grid_constant__ gdf::hashed_table<32> table, gdf::row_count rows,
                            uint32_t seed, const __grid_constant__ partitioning::ids_out out,
                            gdf::scratch* scratch, unsigned long long* words) {
  partitioning::hash_ids<gdf::murmurhash3_x86_32>(table, rows, seed, out, scratch, words);
}

/// Does the same as partition_murmur_ids_kernel, with the identity hash.
extern "C" __global__ void GDF_BOUNDS(partition) GDF_VARIANT(partition_hash_ids, identity)
partition_identity_ids_kernel(const __grid_constant__ gdf::hashed_table<32> table, gdf::row_count rows,
                              uint32_t seed, const __grid_constant__ partitioning::ids_out out,
                              gdf::scratch* scratch, unsigned long long* words) {
  partitioning::hash_ids<gdf::identity_hash>(table, rows, seed, out, scratch, words);
}

/// Computes the partitions of rows from `map`. If `out.checked` is set, the numbers of `map` are the partitions.
/// Otherwise they are 32-bit hashes, and the partition is the hash modulo the number of partitions. If `out.checked` is
/// set, the three words after the first positions describe the first number that is null or out of range: ~row (0 if
/// there is no such row), the number, and whether the row is null. The kernel uses zeroed[0].
extern "C" __global__ void GDF_BOUNDS(partition)
partition_map_ids_kernel(const __grid_constant__ gdf::column_in map,
                         const __grid_constant__ partitioning::ids_out out, gdf::scratch* scratch,
                         unsigned long long* words) {
  using namespace partitioning;
  extern __shared__ uint32_t histogram[]; // out.bins() counters
  begin_counts(out, histogram);
  gdf::index_reader const numbers(map);
  tile_range const range(map.length);
  gdf::u64 worst = 0;
  for (int64_t t = range.begin; t < range.end; t++) {
    int64_t const first = t * tile;
    uint32_t id[items];
#pragma unroll
    for (int i = 0; i < items; i++) {
      int64_t const row = first + int64_t{i} * threads + threadIdx.x;
      id[i] = 0;
      if (row >= map.length) { continue; }
      int64_t const number = numbers[row];
      if (out.checked == 0) {
        id[i] = partition_of(static_cast<uint32_t>(number), static_cast<uint32_t>(out.partitions));
      } else if (number >= 0 && number < out.partitions && gdf::is_valid(map, row)) {
        id[i] = static_cast<uint32_t>(number);
      } else {
        gdf::u64 const found = ~static_cast<gdf::u64>(row);
        if (found > worst) { worst = found; }
      }
    }
    put_ids(out, histogram, first, map.length, id);
  }
  if (worst != 0) { atomicMax(&scratch->zeroed[0], worst); }
  finish_counts(out, histogram, scratch, words, [&] {
    if (out.checked == 0) { return; }
    gdf::u64 const bad = atomicExch(&scratch->zeroed[0], 0ull);
    auto const row = static_cast<int64_t>(~bad);
    unsigned long long* const errors = words + out.partitions - 1;
    gdf::post(errors, bad);
    gdf::post(errors + 1, bad == 0 ? 0 : static_cast<gdf::u64>(numbers[row]));
    gdf::post(errors + 2, bad != 0 && !gdf::is_valid(map, row) ? 1 : 0);
  });
}

/// Moves the rows of the first `columns` columns, whose values have 1, 2, 4, 8 or 16 bytes. Row numbers have 64 bits if
/// `wide`, otherwise 32 bits. `bits` is the number of bits that distinguish the partitions.
extern "C" __global__ void GDF_BOUNDS(partition)
partition_move_kernel(const uint8_t* ids, const unsigned long long* counts, gdf::row_count rows,
                      int partitions, int bits, const __grid_constant__ gdf::table_in<32> in,
                      const __grid_constant__ gdf::table_out<32> out,
                      const __grid_constant__ gdf::copy_table copy, int columns, void* order,
                      int wide) {
  using namespace partitioning;
  extern __shared__ gdf::u64 stage[];
  __shared__ uint16_t before[warps][few]; // rows of the partition in the lower warps of the tile
  __shared__ uint16_t begin[few];         // first position of each partition in the sorted tile
  __shared__ int64_t delta[few];          // difference of a row of the result and its position in the sorted tile
  __shared__ uint8_t part[tile];          // partition of each position of the sorted tile
  int const p = static_cast<int>(threadIdx.x);
  int const warp = gdf::warp();
  int const lane = gdf::lane();
  tile_range const range(rows);
  // Thread p holds the result row of this block's next row of partition p.
  auto next = p < partitions
                ? static_cast<int64_t>(counts[int64_t{p} * gridDim.x + blockIdx.x])
                : int64_t{0};
  for (int64_t t = range.begin; t < range.end; t++) {
    int64_t const first = t * tile;
    int const count = rows - first < tile ? static_cast<int>(rows - first) : tile;
    int id[items];
#pragma unroll
    for (int i = 0; i < items; i++) {
      int const r = warp * (32 * items) + i * 32 + lane;
      id[i] = r < count ? __ldg(ids + first + r) : few;
    }
    for (int i = p; i < warps * few; i += threads) { before[i / few][i % few] = 0; }
    __syncthreads();
    uint16_t slot[items];
#pragma unroll
    for (int i = 0; i < items; i++) { // lanes with the same id get consecutive positions
      bool const has = id[i] != few;
      uint32_t peers = __ballot_sync(~0u, has);
      for (int b = 0; b < bits; b++) {
        bool const set = id[i] >> b & 1;
        uint32_t const vote = __ballot_sync(~0u, set);
        peers &= set ? vote : ~vote;
      }
      int const rank = __popc(peers & ((1u << lane) - 1));
      int const start = has ? before[warp][id[i]] : 0;
      __syncwarp();
      if (has && rank == 0) {
        before[warp][id[i]] = static_cast<uint16_t>(start + __popc(peers));
      }
      __syncwarp();
      slot[i] = static_cast<uint16_t>(start + rank);
    }
    __syncthreads();
    uint32_t sum = 0;
    if (p < partitions) {
#pragma unroll
      for (int w = 0; w < warps; w++) {
        uint32_t const here = before[w][p];
        before[w][p] = static_cast<uint16_t>(sum);
        sum += here;
      }
    }
    uint32_t total;
    uint32_t const start = gdf::block_exclusive_sum<threads>(sum, total);
    if (p < partitions) {
      begin[p] = static_cast<uint16_t>(start);
      delta[p] = next - static_cast<int64_t>(start);
      next += sum;
    }
    __syncthreads();
#pragma unroll
    for (int i = 0; i < items; i++) {
      if (id[i] != few) {
        slot[i] = static_cast<uint16_t>(slot[i] + begin[id[i]] + before[warp][id[i]]);
        part[slot[i]] = static_cast<uint8_t>(id[i]);
      }
    }
    int const mine = warp * (32 * items) + lane;
    int const left = count - mine;
    for (int c = 0; c < columns; c++) {
      gdf::by_width(copy.column[c].kind, [&]<class T>() {
        if constexpr (sizeof(T) <= 16) {
          auto const* const from =
            static_cast<const T*>(in.column[c].data) + (in.column[c].offset + first + mine);
          move_tile(stage, slot, part, delta, static_cast<T*>(out.column[c].data), count, left,
                    [&](int i) { return gdf::load(from + i * 32); });
        }
      });
    }
    if (order != nullptr) {
      int64_t const row = first + mine;
      if (wide != 0) {
        move_tile(stage, slot, part, delta, static_cast<gdf::u64*>(order), count, left,
                  [&](int i) { return static_cast<gdf::u64>(row + i * 32); });
      } else {
        move_tile(stage, slot, part, delta, static_cast<uint32_t*>(order), count, left,
                  [&](int i) { return static_cast<uint32_t>(row) + i * 32; });
      }
    }
    __syncthreads(); // all threads have read `part` and `delta`
  }
}

/// Gathers validity masks and boolean values of rows in the order `order`. blockIdx.y is the column.
extern "C" __global__ void GDF_BOUNDS(partition_bits)
partition_bits_kernel(const __grid_constant__ gdf::table_in<32> in,
                      const __grid_constant__ gdf::table_out<32> out,
                      const __grid_constant__ gdf::copy_table copy,
                      const __grid_constant__ gdf::column_in order, gdf::scratch* scratch) {
  using bits = partition_bits_tuning;
  int const c = static_cast<int>(blockIdx.y);
  gdf::column_out const& result = out.column[c];
  gdf::index_reader const rows(order);
  uint32_t valid = 0;
  gdf::for_each_tile<bits::threads, bits::items>(order.length, [&](int64_t first, bool full) {
    int const count = full ? bits::tile : static_cast<int>(order.length - first);
    valid += gdf::move_bits<bits::threads>(in, copy, c, result, gdf::copy_tile{first, count},
                                           [&](int r) { return rows[first + r]; });
  });
  gdf::post_null_count<bits::threads>(scratch, result, valid);
}

/// Finds the begin of each partition: word p - 1 becomes the position in `order` of the first row whose id is p or
/// more. `order` has `order.length` rows.
extern "C" __global__ void GDF_BOUNDS(partition_order)
partition_begins_kernel(const uint32_t* ids, const __grid_constant__ gdf::column_in order,
                        int partitions, unsigned long long* words) {
  gdf::index_reader const rows(order);
  gdf::for_each_index(order.length + 1, [&](int64_t r) {
    int64_t const from = r == 0 ? 0 : int64_t{ids[rows[r - 1]]};
    int64_t const to = r == order.length ? int64_t{partitions} - 1 : int64_t{ids[rows[r]]};
    for (int64_t p = from + 1; p <= to; p++) { words[p - 1] = static_cast<gdf::u64>(r); }
  });
}

/// Writes the order of rows for round-robin partitioning: row after row goes to the next partition, beginning with
/// partition `start`.
extern "C" __global__ void GDF_BOUNDS(partition_order)
partition_round_robin_kernel(gdf::row_count rows, int64_t partitions, int64_t start, void* order,
                             int type) {
  using namespace partitioning;
  int64_t const full = rows / partitions;
  int64_t const extra = rows % partitions;
  gdf::for_each_index(rows, [&](int64_t r) {
    int64_t p = 0; // the last partition that begins at or before r; an empty partition begins where the next one does
    for (int64_t after = partitions; after - p > 1;) {
      int64_t const middle = p + (after - p) / 2;
      if (middle * full + fuller_below(middle, partitions, start, extra) <= r) {
        p = middle;
      } else {
        after = middle;
      }
    }
    int64_t const begin = p * full + fuller_below(p, partitions, start, extra);
    int64_t const turn = p >= start ? p - start : p + partitions - start;
    gdf::store_index(order, type, r, turn + (r - begin) * partitions);
  });
}
