// groupby::aggregate of keys whose range is little larger than the number of groups. A packed key is the number of its
// group, so that there is no hash table. Blocks accumulate ranges of keys in shared memory, and merge them into the
// accumulators in global memory. If the range is larger than shared memory, partition.cu has ordered the rows by ranges.
//
// Atomic additions of 64 bits in shared memory are loops. Sums are therefore added in words of 32 bits, which are in
// planes: a plane has a word for each key.

#include <gdf/radix_partition.cuh>

#include "accumulate.cuh"

GDF_POLICY(aggregate_dense, 1024, 4, 1);

namespace groupby {

/// The division of keys and rows among blocks.
struct dense_plan {
  u64 keys;          // packed keys are below this number
  uint32_t* present; // a bit for each key; the bit is set if a row has the key
  int64_t chunk;     // the number of rows that a block accumulates before it merges
  int32_t slots;     // the number of keys that a block accumulates at a time, a multiple of 32
  int32_t planes;    // the number of planes of all steps
};

/// [thread] Adds a number to the words of a key, the lowest first, which are `stride` words apart.
template <int words>
GDF_DEVICE void add_words(uint32_t* cell, int stride, const uint32_t (&value)[words]) {
  uint32_t carry = 0;
#pragma unroll
  for (int w = 0; w < words; w++) {
    uint32_t const addend = value[w] + carry;
    if (addend == 0) { continue; } // the carry stays as it is: it is 0, or the addition has wrapped
    uint32_t const before = atomicAdd(cell + w * stride, addend);
    carry = before + addend < before ? 1 : 0;
  }
}

/// The accumulators of a range of keys in the shared memory of a block. A sum has two planes, or four for 128 bits, and a
/// count has one. Two planes are an array of 64-bit words for all other operations.
struct dense_cells {
  uint32_t* planes;
  uint8_t* seen; // a byte per key, not 0 if a row has the key
  int slots;

  GDF_DEVICE dense_cells(unsigned char* shared, const dense_plan& plan)
    : planes(reinterpret_cast<uint32_t*>(shared)),
      seen(shared + int64_t{4} * plan.planes * plan.slots),
      slots(plan.slots) {}

  static GDF_DEVICE bool is_count(const step& step) { return step.op == add && step.input == one; }

  GDF_DEVICE uint32_t* plane(const step& step) const { return planes + step.local * slots; }

  GDF_DEVICE unsigned long long* words(const step& step) const {
    return reinterpret_cast<unsigned long long*>(plane(step));
  }

  template <int threads>
  GDF_DEVICE void clear(const steps& steps) const {
    for (int i = static_cast<int>(threadIdx.x); i < slots; i += threads) {
      seen[i] = 0;
      for (int s = 0; s < steps.count; s++) {
        step const& step = steps.step[s];
        uint32_t* const first = plane(step);
        if (is_count(step)) {
          first[i] = 0;
        } else if (step.op == add || step.op == add_i128) {
          for (int w = 0; w < (step.op == add ? 2 : 4); w++) { first[w * slots + i] = 0; }
        } else {
          words(step)[i] = identity(step.op);
        }
      }
    }
  }

  template <int items>
  GDF_DEVICE void merge(const step& step, const bool (&active)[items], const uint32_t (&slot)[items],
                        const u64 (&lo)[items], const u64 (&hi)[items]) const {
    auto const each = [&](auto&& body) {
#pragma unroll
      for (int i = 0; i < items; i++) {
        if (active[i]) { body(i, slot[i]); }
      }
    };
    uint32_t* const first = plane(step);
    auto* const wide = words(step);
    switch (step.op) {
      case add:
        if (step.input == one) {
          each([&](int, uint32_t at) { atomicAdd(first + at, 1u); });
        } else {
          each([&](int i, uint32_t at) {
            add_words<2>(first + at, slots, {static_cast<uint32_t>(lo[i]), static_cast<uint32_t>(lo[i] >> 32)});
          });
        }
        break;
      case add_i128:
        each([&](int i, uint32_t at) {
          add_words<4>(first + at, slots,
                       {static_cast<uint32_t>(lo[i]), static_cast<uint32_t>(lo[i] >> 32),
                        static_cast<uint32_t>(hi[i]), static_cast<uint32_t>(hi[i] >> 32)});
        });
        break;
      case add_f64:
        each([&](int i, uint32_t at) {
          atomicAdd(reinterpret_cast<double*>(wide + at), double_of_bits(lo[i]));
        });
        break;
      // A value that other threads have replaced meanwhile is no better than the value that was read.
      case minimum:
        each([&](int i, uint32_t at) {
          if (lo[i] < static_cast<volatile unsigned long long*>(wide)[at]) { atomicMin(wide + at, lo[i]); }
        });
        break;
      case maximum:
        each([&](int i, uint32_t at) {
          if (lo[i] > static_cast<volatile unsigned long long*>(wide)[at]) { atomicMax(wide + at, lo[i]); }
        });
        break;
      default: gdf::unreachable_code(); // the host plans no planes for other operations
    }
  }

  GDF_DEVICE void load(const step& step, int slot, u64& lo, u64& hi) const {
    uint32_t const* const first = plane(step) + slot;
    auto const pair = [&](int w) { return static_cast<u64>(first[(w + 1) * slots]) << 32 | first[w * slots]; };
    hi = 0;
    if (is_count(step)) {
      lo = *first;
    } else if (step.op == add || step.op == add_i128) {
      lo = pair(0);
      if (step.op == add_i128) { hi = pair(2); }
    } else {
      lo = words(step)[slot];
    }
  }
};

/// [block] Merges the accumulators of the keys [first, first + width) into those in global memory.
template <int threads>
GDF_DEVICE void flush_dense(const gdf::row_table<value_columns>& values, const steps& steps, const accumulators& acc,
                            const dense_plan& plan, const dense_cells& cells, u64 first, u64 width) {
  for (int base = gdf::warp() * 32; base < plan.slots; base += threads) {
    int const slot = base + gdf::lane();
    bool const has[1] = {static_cast<u64>(slot) < width && cells.seen[slot] != 0};
    uint32_t const bits = __ballot_sync(~0u, has[0]);
    if (bits == 0) { continue; }
    uint32_t const key[1] = {static_cast<uint32_t>(first) + static_cast<uint32_t>(slot)};
    if (gdf::lane() == 0) {
      uint32_t const shift = key[0] & 31;
      if (bits << shift != 0) { atomicOr(plan.present + (key[0] >> 5), bits << shift); }
      if (shift != 0 && bits >> (32 - shift) != 0) {
        atomicOr(plan.present + (key[0] >> 5) + 1, bits >> (32 - shift));
      }
    }
    for (int s = 0; s < steps.count; s++) {
      step const& step = steps.step[s];
      u64 lo[1] = {0};
      u64 hi[1] = {0};
      if (has[0]) { cells.load(step, slot, lo[0], hi[0]); }
      merge_all(context{values, step}, acc, has, key, lo, hi);
    }
  }
}

/// [block] Accumulates the rows [begin, end) with keys in [first, last), in as many passes over the rows as the keys need.
/// `load` loads the keys of rows, and makes rows inactive that take no part.
template <int threads, int items, class Load>
GDF_DEVICE void dense_range(const gdf::row_table<value_columns>& values, const partitioned_values* partitioned,
                            const steps& steps, const accumulators& acc, const dense_plan& plan,
                            const dense_cells& cells, int64_t begin, int64_t end, u64 first, u64 last, Load&& load) {
  for (u64 from = first; from < last; from += static_cast<u64>(plan.slots)) {
    u64 const width = last - from < static_cast<u64>(plan.slots) ? last - from : static_cast<u64>(plan.slots);
    __syncthreads(); // the previous range has been merged
    cells.template clear<threads>(steps);
    __syncthreads();
    for (int64_t tile = begin; tile < end; tile += threads * items) {
      int64_t row[items];
      bool wanted[items];
      u64 key[items];
#pragma unroll
      for (int i = 0; i < items; i++) {
        row[i] = gdf::row_of<threads>(tile, i);
        wanted[i] = row[i] < end;
      }
      load(row, wanted, key);
      // Nothing depends on keys until values are loaded, so that both are loaded at the same time.
      for (int s = 0; s < steps.count; s++) {
        step const& step = steps.step[s];
        u64 lo[items];
        u64 hi[items];
        bool active[items];
        uint32_t slot[items];
#pragma unroll
        for (int i = 0; i < items; i++) { active[i] = row[i] < end; }
        load_values(values, partitioned, step, row, lo, hi, active);
#pragma unroll
        for (int i = 0; i < items; i++) {
          active[i] = active[i] && wanted[i] && key[i] - from < width;
          slot[i] = static_cast<uint32_t>(key[i] - from);
        }
        cells.merge(step, active, slot, lo, hi);
      }
#pragma unroll
      for (int i = 0; i < items; i++) {
        if (wanted[i] && key[i] - from < width) { cells.seen[key[i] - from] = 1; }
      }
    }
    __syncthreads();
    flush_dense<threads>(values, steps, acc, plan, cells, from, width);
  }
}

/// Moved rows, in parts that are ranges of keys. The parts are those of part_of.
struct key_ranges {
  const unsigned long long* begins; // the first row of each part, then the number of rows
  u64 scale;
  int32_t parts;
  int32_t shift;

  /// [thread] Returns the first key of a part.
  GDF_DEVICE u64 first_key(u64 keys, int part) const {
    return part == parts ? keys : ((static_cast<u64>(part) << shift) + (scale - 1)) / scale;
  }
};

} // namespace groupby

/// Accumulates rows by packed keys below plan.keys, and sets the bits of the keys. The operations of the steps must not
/// be multiply, multiply_f64, argmin or argmax. Block b takes rows from plan.chunk * b on. The dynamic shared memory holds
/// plan.planes * plan.slots words of 32 bits, then plan.slots bytes.
extern "C" __global__ void GDF_BOUNDS(aggregate_dense)
aggregate_dense_kernel(const __grid_constant__ groupby::accumulation in, const __grid_constant__ groupby::dense_plan plan) {
  using tuning = aggregate_dense_tuning;
  constexpr int items = tuning::items;
  extern __shared__ __align__(16) unsigned char shared_planes[];
  groupby::dense_cells const cells(shared_planes, plan);
  int64_t const begin = plan.chunk * blockIdx.x;
  int64_t const end = begin + plan.chunk < in.rows ? begin + plan.chunk : in.rows;
  groupby::dense_range<tuning::threads, items>(
    in.values, nullptr, in.steps, in.acc, plan, cells, begin, end, 0, plan.keys,
    [&](const int64_t(&row)[items], bool(&wanted)[items], gdf::u64(&key)[items]) {
      gdf::key_probe probe[items];
      groupby::packed_probes(in.keys, row, wanted, probe);
#pragma unroll
      for (int i = 0; i < items; i++) {
        key[i] = probe[i].word;
        wanted[i] = probe[i].used;
      }
    });
}

/// Does the same for rows that partition.cu has moved. `words` are the keys of these rows. A block takes chunks of parts.
extern "C" __global__ void GDF_BOUNDS(aggregate_dense)
aggregate_dense_parts_kernel(const uint32_t* words, const __grid_constant__ gdf::row_table<groupby::value_columns> values,
                             const __grid_constant__ groupby::partitioned_values partitioned,
                             const __grid_constant__ groupby::steps steps, groupby::accumulators acc,
                             groupby::key_ranges ranges, const __grid_constant__ groupby::dense_plan plan) {
  using tuning = aggregate_dense_tuning;
  constexpr int threads = tuning::threads;
  constexpr int items = tuning::items;
  extern __shared__ __align__(16) unsigned char shared_planes[];
  __shared__ uint32_t first_chunk[gdf::max_parts + 1];
  groupby::dense_cells const cells(shared_planes, plan);
  int const p = static_cast<int>(threadIdx.x);
  uint32_t chunks = 0;
  if (p < ranges.parts) {
    auto const rows = static_cast<int64_t>(ranges.begins[p + 1] - ranges.begins[p]);
    chunks = static_cast<uint32_t>((rows + plan.chunk - 1) / plan.chunk);
  }
  uint32_t all;
  uint32_t const before = gdf::block_exclusive_sum<threads>(chunks, all);
  if (p <= ranges.parts) { first_chunk[p] = before; }
  __syncthreads();
  for (uint32_t chunk = blockIdx.x; chunk < all; chunk += gridDim.x) {
    int low = 0; // the part of the chunk is in [low, high)
    int high = ranges.parts;
    while (high - low > 1) {
      int const middle = (low + high) / 2;
      if (first_chunk[middle] <= chunk) {
        low = middle;
      } else {
        high = middle;
      }
    }
    auto const behind = static_cast<int64_t>(ranges.begins[low + 1]);
    int64_t const begin =
      static_cast<int64_t>(ranges.begins[low]) + plan.chunk * static_cast<int64_t>(chunk - first_chunk[low]);
    int64_t const end = begin + plan.chunk < behind ? begin + plan.chunk : behind;
    groupby::dense_range<threads, items>(
      values, &partitioned, steps, acc, plan, cells, begin, end,
      ranges.first_key(plan.keys, low), ranges.first_key(plan.keys, low + 1),
      [&](const int64_t(&row)[items], bool(&wanted)[items], gdf::u64(&key)[items]) {
#pragma unroll
        for (int i = 0; i < items; i++) { key[i] = wanted[i] ? __ldcs(words + row[i]) : 0; }
      });
  }
}
