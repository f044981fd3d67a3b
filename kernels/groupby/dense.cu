// groupby::aggregate of keys whose range is little larger than the number of groups. A packed key is the number of its
// group, so that there is no hash table. Blocks accumulate ranges of keys in shared memory, and merge them into the
// accumulators in global memory. If the range is larger than shared memory, partition.cu has ordered the rows by
// ranges.
//
// Atomic additions of 64 bits in shared memory are loops. Sums are therefore added in words of 32 bits, which are in
// planes: a plane has a word for each key.

#include <gdf/radix_partition.cuh>

#include "accumulate.cuh"

GDF_POLICY(aggregate_dense, 1024, 4, 1);

namespace groupby {

/// The division of keys and rows among blocks.
struct dense_plan {
  uint32_t* present; // a bit for each key; the bit is set if a row has the key
  int64_t chunk;     // the number of rows that a block accumulates before it merges
  uint32_t keys;     // packed keys are below this number
  int32_t slots;     // the number of keys that a block accumulates at a time, a multiple of 32
  int32_t planes;    // the number of planes of all steps
  int32_t unused;
};

/// [thread] Adds a number to the words of a key. The words are `stride` words apart, and the lowest word comes first.
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

/// The accumulators of a range of keys in the shared memory of a block. A sum has two planes, or four for 128 bits, and
/// a count has one. For any other operation, two planes form an array of 64-bit words.
struct dense_cells {
  uint32_t* planes;
  uint32_t* seen; // a bit per key, set if a row has the key
  int slots;

  GDF_DEVICE dense_cells(uint32_t* shared, const dense_plan& plan)
    : planes(shared), seen(shared + plan.planes * plan.slots), slots(plan.slots) {}

  /// [thread] Notes that a row has a key. Most rows find the bit set, and a load takes less time than an atomic
  /// operation.
  GDF_DEVICE void see(uint32_t slot) const {
    uint32_t const bit = 1u << (slot & 31);
    uint32_t* const word = seen + (slot >> 5);
    if ((*static_cast<volatile uint32_t*>(word) & bit) == 0) { atomicOr(word, bit); }
  }

  static GDF_DEVICE bool is_count(const step& step) { return step.op == add && step.input == one; }

  GDF_DEVICE uint32_t* plane(const step& step) const { return planes + step.local * slots; }

  GDF_DEVICE unsigned long long* words(const step& step) const {
    return reinterpret_cast<unsigned long long*>(plane(step));
  }

  template <int threads>
  GDF_DEVICE void clear(const steps& steps) const {
    for (int i = static_cast<int>(threadIdx.x); i < slots / 32; i += threads) { seen[i] = 0; }
    for (int i = static_cast<int>(threadIdx.x); i < slots; i += threads) {
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
      // Other threads can only improve the stored value. Therefore a value that does not improve the word that was read
      // does not improve the current word either.
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

/// [block] Merges the accumulators in shared memory, whose first key is `first`, into the accumulators in global
/// memory.
template <int threads>
GDF_DEVICE void flush_dense(const gdf::row_table<value_columns>& values, const steps& steps, const accumulators& acc,
                            const dense_plan& plan, const dense_cells& cells, uint32_t first) {
  for (int base = gdf::warp() * 32; base < plan.slots; base += threads) {
    uint32_t const bits = cells.seen[base >> 5];
    if (bits == 0) { continue; }
    int const slot = base + gdf::lane();
    bool const has[1] = {(bits >> gdf::lane() & 1) != 0};
    uint32_t const key[1] = {first + static_cast<uint32_t>(slot)};
    if (gdf::lane() == 0) {
      uint32_t const shift = key[0] & 31;
      uint32_t* const word = plan.present + (key[0] >> 5);
      if (bits << shift != 0) { atomicOr(word, bits << shift); }
      if (shift != 0 && bits >> (32 - shift) != 0) { atomicOr(word + 1, bits >> (32 - shift)); }
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

/// [block] Accumulates the rows [begin, end) with keys in [first, last), in as many passes over the rows as the keys
/// need. `load` loads the keys of rows, and makes rows inactive that take no part.
template <int threads, int items, class Load>
GDF_DEVICE void dense_range(const gdf::row_table<value_columns>& values, const partitioned_values* partitioned,
                            const steps& steps, const accumulators& acc, const dense_plan& plan,
                            const dense_cells& cells, int64_t begin, int64_t end, uint32_t first, uint32_t last,
                            Load&& load) {
  auto const slots = static_cast<uint32_t>(plan.slots);
  for (uint32_t from = first; from < last;) {
    uint32_t const width = last - from < slots ? last - from : slots;
    __syncthreads(); // the previous range has been merged
    cells.template clear<threads>(steps);
    __syncthreads();
    for (int64_t tile = begin; tile < end; tile += threads * items) {
      int64_t row[items];
      bool wanted[items];
      uint32_t slot[items];
#pragma unroll
      for (int i = 0; i < items; i++) {
        row[i] = gdf::row_of<threads>(tile, i);
        wanted[i] = row[i] < end;
      }
      load(row, wanted, slot);
#pragma unroll
      for (int i = 0; i < items; i++) { slot[i] -= from; }
      // Nothing depends on keys until values are loaded, so that both are loaded at the same time.
      for (int s = 0; s < steps.count; s++) {
        step const& step = steps.step[s];
        u64 lo[items];
        u64 hi[items];
        bool active[items];
#pragma unroll
        for (int i = 0; i < items; i++) { active[i] = row[i] < end; }
        load_values(values, partitioned, step, row, lo, hi, active);
#pragma unroll
        for (int i = 0; i < items; i++) { active[i] = active[i] && wanted[i] && slot[i] < width; }
        cells.merge(step, active, slot, lo, hi);
      }
#pragma unroll
      for (int i = 0; i < items; i++) {
        if (wanted[i] && slot[i] < width) { cells.see(slot[i]); }
      }
    }
    __syncthreads();
    flush_dense<threads>(values, steps, acc, plan, cells, from);
    if (last - from <= slots) { break; } // `from` would wrap
    from += slots;
  }
}

/// Moved rows, in parts that are ranges of keys. The parts are those of part_of.
struct key_ranges {
  const unsigned long long* begins; // the first row of each part, then the number of rows
  u64 scale;
  int32_t parts;
  int32_t shift;

  /// [thread] Returns the first key of a part.
  GDF_DEVICE uint32_t first_key(uint32_t keys, int part) const {
    return part == parts ? keys
                         : static_cast<uint32_t>(((static_cast<u64>(part) << shift) + (scale - 1)) / scale);
  }
};

} // namespace groupby

/// Accumulates rows by packed keys below plan.keys, and sets the bits of the keys. The operations of the steps must not
/// be multiply, multiply_f64, argmin or argmax. Block b takes rows from plan.chunk * b on. The dynamic shared memory
/// holds plan.planes * plan.slots words of 32 bits, then plan.slots bits.
extern "C" __global__ void GDF_BOUNDS(aggregate_dense)
aggregate_dense_kernel(const __grid_constant__ groupby::accumulation in, const __grid_constant__ groupby::dense_plan plan) {
  using tuning = aggregate_dense_tuning;
  constexpr int items = tuning::items;
  extern __shared__ __align__(16) uint32_t shared_planes[];
  groupby::dense_cells const cells(shared_planes, plan);
  int64_t const begin = plan.chunk * blockIdx.x;
  int64_t const end = begin + plan.chunk < in.rows ? begin + plan.chunk : in.rows;
  groupby::dense_range<tuning::threads, items>(
    in.values, nullptr, in.steps, in.acc, plan, cells, begin, end, 0, plan.keys,
    [&](const int64_t(&row)[items], bool(&wanted)[items], uint32_t(&key)[items]) {
      groupby::dense_keys(in.keys, row, wanted, key);
    });
}

/// Does the same for rows that partition.cu has moved. `words` are the keys of these rows. A block takes chunks of
/// parts.
extern "C" __global__ void GDF_BOUNDS(aggregate_dense)
aggregate_dense_parts_kernel(const uint32_t* words, const __grid_constant__ gdf::row_table<groupby::value_columns> values,
                             const __grid_constant__ groupby::partitioned_values partitioned,
                             const __grid_constant__ groupby::steps steps, groupby::accumulators acc,
                             groupby::key_ranges ranges, const __grid_constant__ groupby::dense_plan plan) {
  using tuning = aggregate_dense_tuning;
  constexpr int threads = tuning::threads;
  constexpr int items = tuning::items;
  extern __shared__ __align__(16) uint32_t shared_planes[];
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
      [&](const int64_t(&row)[items], bool(&wanted)[items], uint32_t(&key)[items]) {
#pragma unroll
        for (int i = 0; i < items; i++) { key[i] = wanted[i] ? __ldcs(words + row[i]) : 0; }
      });
  }
}
