// groupby::aggregate of many groups, whose table is larger than the cache. These kernels estimate the number of groups
// from a sample of the rows, and order rows by the part of the table to which their keys belong.

#include <gdf/block_sum.cuh>
#include <gdf/grid_barrier.cuh>
#include <gdf/radix_partition.cuh>

#include "accumulate.cuh"

GDF_POLICY(groupby_sample, 256, 1, 4); // a row per thread: the work for a row is a chain of dependent loads
// The policy limits the kernel to 64 registers per thread, so that some values are spilled. In exchange, a
// multiprocessor has two blocks, whose barriers do not coincide. With two blocks, the kernel took 2.1 ms instead of 2.5
// ms for 10^8 rows of a key and a value (H200, 2026-11-20).
GDF_POLICY(groupby_partition, 512, 8, 2);

namespace groupby {

/// The hash table of the keys of a sample, in device memory. It contains hashes instead of keys.
struct sample_table {
  unsigned long long* hashes; // the number of slots is a power of two
  uint32_t* counts;
  u64 mask;
};

/// The arrays of moved rows. Keys have 64 bits in `words`, or 32 bits in `narrow` if that is not null.
struct partition_out {
  unsigned long long* words;
  uint32_t* narrow;
  void* data[max_partitioned_values];
  uint8_t* valid; // if null, all values are valid
};

/// [thread] Computes the packed keys of a tile's rows. With `ranges`, the keys are those of dense_keys.
template <bool ranges, int threads, int items>
GDF_DEVICE void tile_words(const gdf::row_keys& keys, int64_t first, int64_t rows, u64 (&word)[items],
                           bool (&used)[items]) {
  constexpr int batch = 4; // rows whose keys are in registers at the same time
  using tiles = gdf::part_tiles<threads, items>;
#pragma unroll
  for (int from = 0; from < items; from += batch) {
    int64_t row[batch];
    bool active[batch];
    gdf::key_probe probe[batch];
#pragma unroll
    for (int i = 0; i < batch; i++) {
      row[i] = first + tiles::row(from + i);
      active[i] = row[i] < rows;
    }
    if constexpr (ranges) {
      uint32_t key[batch];
      dense_keys(keys, row, active, key);
#pragma unroll
      for (int i = 0; i < batch; i++) {
        word[from + i] = key[i];
        used[from + i] = active[i];
      }
    } else {
      key_probes<true>(keys, row, active, probe);
#pragma unroll
      for (int i = 0; i < batch; i++) {
        word[from + i] = probe[i].word;
        used[from + i] = probe[i].used;
      }
    }
  }
}

/// [thread] Returns the part of a packed key. Without `ranges`, the upper bits of a hash give the part, so that each
/// part covers one region of the hash table. With `ranges`, the upper bits of key * scale give the part, so that each
/// part covers one range of keys.
template <bool ranges>
GDF_DEVICE int part_of(const gdf::part_plan& plan, u64 scale, u64 word) {
  return plan.part(ranges ? word * scale : gdf::mix64(word));
}

/// [thread] Adds `rows` to the count of a hash in an open-addressing table, which has free slots.
GDF_DEVICE void count_hash(unsigned long long* hashes, uint32_t* counts, u64 mask, u64 hash, uint32_t rows) {
  for (u64 at = hash & mask;; at = (at + 1) & mask) {
    u64 const before = atomicCAS(hashes + at, gdf::empty_word, hash);
    if (before == gdf::empty_word || before == hash) {
      atomicAdd(counts + at, rows);
      return;
    }
  }
}

/// The number of mailbox words of a sample.
constexpr int sample_words = 9;

/// [block] Does the work of groupby_sample_packed_kernel.
template <bool packed>
GDF_DEVICE void sample_rows(const gdf::row_keys& keys, u64 signs, u64 null_bits, int64_t rows, int64_t sample,
                            const sample_table& table, gdf::scratch* scratch,
                            unsigned long long* mailbox) {
  using tuning = groupby_sample_tuning;
  constexpr int items = tuning::items;
  // Keys that occur several times in a warp are first counted in shared memory. Atomic additions of all warps to one
  // word of global memory would be serialized.
  constexpr int slots = tuning::tile; // twice the possible number of keys that have at least two rows in a warp
  __shared__ unsigned long long hashes[slots];
  __shared__ uint32_t counts[slots];
  gdf::grid_barrier barrier{scratch, 32};
  gdf::for_each_index(static_cast<int64_t>(table.mask) + 1, [&](int64_t i) {
    table.hashes[i] = gdf::empty_word;
    table.counts[i] = 0;
  });
  barrier.wait();
  int64_t const each = rows / sample;
  uint32_t up = 0; // rows whose next row has a larger key
  uint32_t down = 0;
  uint32_t resumes = 0;
  u64 highest = 0;   // of the keys that are not null, with flipped signs
  u64 below_all = 0; // the complement of the lowest key
  for (int64_t first = int64_t{tuning::tile} * blockIdx.x; first < sample;
       first += int64_t{tuning::tile} * gridDim.x) {
    int64_t row[items];
    bool active[items];
    gdf::key_probe probe[items];
#pragma unroll
    for (int i = 0; i < items; i++) {
      int64_t const s = gdf::row_of<tuning::threads>(first, i);
      active[i] = s < sample;
      row[i] = s * each + static_cast<int64_t>(gdf::mix64(static_cast<u64>(s)) %
                                               static_cast<u64>(each));
      if (!active[i]) { row[i] = 0; }
    }
    for (int slot = threadIdx.x; slot < slots; slot += tuning::threads) {
      hashes[slot] = gdf::empty_word;
      counts[slot] = 0;
    }
    gdf::make_probes<packed>(keys, row, active, probe);
    gdf::key_probe next[items];
#pragma unroll
    for (int i = 0; i < items; i++) {
      active[i] = active[i] && row[i] + 1 < rows;
      row[i] = active[i] ? row[i] + 1 : 0;
    }
    gdf::make_probes<packed>(keys, row, active, next);
#pragma unroll
    for (int i = 0; i < items; i++) {
      resumes += next[i].used && !probe[i].used;
      if (packed && probe[i].used && probe[i].special != 2 && (probe[i].word & null_bits) == 0) {
        u64 const key = probe[i].word ^ signs;
        highest = key > highest ? key : highest;
        below_all = ~key > below_all ? ~key : below_all;
      }
      if (!probe[i].used || !next[i].used) { continue; }
      if constexpr (packed) {
        up += (next[i].word ^ signs) > (probe[i].word ^ signs);
        down += (next[i].word ^ signs) < (probe[i].word ^ signs);
      } else { // the keys have no order: different keys count as out of order
        up += next[i].hash != probe[i].hash;
        down += next[i].hash != probe[i].hash;
      }
    }
    __syncthreads();
#pragma unroll
    for (int i = 0; i < items; i++) { // lanes with the same key are counted together
      uint32_t const used = __ballot_sync(~0u, probe[i].used && probe[i].hash != gdf::empty_word);
      uint32_t const same = __match_any_sync(~0u, probe[i].hash) & used;
      if (gdf::lane() != __ffs(static_cast<int>(same)) - 1) { continue; }
      if (__popc(same) == 1) {
        count_hash(table.hashes, table.counts, table.mask, probe[i].hash, 1);
      } else {
        count_hash(hashes, counts, slots - 1, probe[i].hash, static_cast<uint32_t>(__popc(same)));
      }
    }
    __syncthreads();
    for (int slot = threadIdx.x; slot < slots; slot += tuning::threads) {
      if (counts[slot] != 0) { count_hash(table.hashes, table.counts, table.mask, hashes[slot], counts[slot]); }
    }
    __syncthreads();
  }
  barrier.wait();
  u64 found = 0;
  u64 once = 0;
  u64 twice = 0;
  uint32_t most = 0;
  gdf::for_each_index(static_cast<int64_t>(table.mask) + 1, [&](int64_t i) {
    uint32_t const count = *static_cast<const volatile uint32_t*>(table.counts + i);
    found += count != 0;
    once += count == 1;
    twice += count == 2;
    most = count > most ? count : most;
  });
  found = gdf::block_sum<tuning::threads>(found);
  once = gdf::block_sum<tuning::threads>(once);
  twice = gdf::block_sum<tuning::threads>(twice);
  up = gdf::block_sum<tuning::threads>(up);
  down = gdf::block_sum<tuning::threads>(down);
  resumes = gdf::block_sum<tuning::threads>(resumes);
  most = gdf::warp_max(most);
  highest = gdf::warp_max(highest);
  below_all = gdf::warp_max(below_all);
  if (gdf::lane() == 0 && most > 1) { atomicMax(&scratch->zeroed[3], static_cast<u64>(most)); }
  if (packed && gdf::lane() == 0) {
    atomicMax(&scratch->zeroed[7], highest);
    atomicMax(&scratch->zeroed[8], below_all);
  }
  if (threadIdx.x == 0) {
    atomicAdd(&scratch->zeroed[0], found);
    atomicAdd(&scratch->zeroed[1], once);
    atomicAdd(&scratch->zeroed[2], twice);
    atomicAdd(&scratch->zeroed[4], u64{up});
    atomicAdd(&scratch->zeroed[5], u64{down});
    atomicAdd(&scratch->zeroed[6], u64{resumes});
  }
  if (barrier.end() && threadIdx.x < sample_words) {
    gdf::post(mailbox + threadIdx.x, atomicExch(&scratch->zeroed[threadIdx.x], 0ull));
  }
}

/// [block] Counts the rows of each part of part_of.
template <bool ranges>
GDF_DEVICE void count_rows(const gdf::row_keys& keys, int64_t rows, const gdf::part_plan& plan, u64 scale,
                           gdf::scratch* scratch) {
  constexpr int threads = groupby_partition_tuning::threads;
  constexpr int items = groupby_partition_tuning::items;
  gdf::count_parts<threads, items>(plan, rows, scratch, 32, [&](int64_t first, int(&part)[items]) {
    u64 word[items];
    bool used[items];
    tile_words<ranges, threads>(keys, first, rows, word, used);
#pragma unroll
    for (int i = 0; i < items; i++) { part[i] = used[i] ? part_of<ranges>(plan, scale, word[i]) : gdf::no_part; }
  });
}

/// [block] Moves keys and values to arrays of `rows` rows each, in the order of parts.
template <bool ranges>
GDF_DEVICE void move_rows(const gdf::row_keys& keys, const gdf::row_table<value_columns>& values, int64_t rows,
                          const gdf::part_plan& plan, u64 scale, const partition_out& out, unsigned char* shared) {
  constexpr int threads = groupby_partition_tuning::threads;
  constexpr int items = groupby_partition_tuning::items;
  using memory = gdf::part_memory<threads, items>;
  using tiles = gdf::part_tiles<threads, items>;
  gdf::part_writer<threads, items> writer(*reinterpret_cast<memory*>(shared), plan);
  tiles const range(rows);
  for (int64_t t = range.begin; t < range.end; t++) {
    int64_t const first = t * tiles::tile;
    {
      u64 word[items];
      bool used[items];
      int part[items];
      tile_words<ranges, threads>(keys, first, rows, word, used);
#pragma unroll
      for (int i = 0; i < items; i++) { part[i] = used[i] ? part_of<ranges>(plan, scale, word[i]) : gdf::no_part; }
      writer.position(part);
      if constexpr (ranges) {
        writer.move(out.narrow, [&](int i) { return static_cast<uint32_t>(word[i]); });
      } else {
        writer.move(out.words, [&](int i) { return word[i]; });
      }
    }
    for (int c = 0; c < values.count; c++) {
      gdf::column_in const& column = values.column[c];
      auto const move = [&]<class T>(T) {
        auto const* const from = static_cast<const T*>(column.data) + (column.offset + first);
        writer.move(static_cast<T*>(out.data[c]), [&](int i) { return __ldcs(from + tiles::row(i)); });
      };
      switch (gdf::width_of(column.type)) {
        case 1: move(static_cast<unsigned char>(0)); break;
        case 2: move(static_cast<unsigned short>(0)); break;
        case 4: move(0u); break;
        case 8: move(0ull); break;
        default: gdf::invalid_code();
      }
    }
    if (out.valid != nullptr) {
      writer.move(out.valid, [&](int i) {
        unsigned valid = 0;
        for (int c = 0; c < values.count; c++) {
          valid |= gdf::is_valid(values.column[c], first + tiles::row(i)) ? 1u << c : 0u;
        }
        return static_cast<uint8_t>(valid);
      });
    }
  }
}

} // namespace groupby

/// Computes statistics of `sample` rows, one of each `rows / sample` rows, and posts nine words to `mailbox`:
/// - the number of keys
/// - the number of keys that occur once
/// - the number of keys that occur twice
/// - the count of the most frequent key, or 0 if no key occurs twice
/// - the number of rows whose next row has a larger key
/// - the number of rows whose next row has a smaller key
/// - the number of excluded rows whose next row is not excluded
/// - the largest key, and the complement of the smallest key
///
/// Keys are compared as unsigned numbers after the bits in `signs` are flipped. The launch must be cooperative. The
/// kernel uses tickets 32 and 33, and zeroed[0] to zeroed[8].
extern "C" __global__ void GDF_BOUNDS(groupby_sample) GDF_VARIANT(groupby_sample, packed)
groupby_sample_packed_kernel(const __grid_constant__ gdf::row_keys keys, gdf::u64 signs,
                             gdf::u64 null_bits, gdf::row_count rows, int64_t sample,
                             groupby::sample_table table, gdf::scratch* scratch, unsigned long long* mailbox) {
  groupby::sample_rows<true>(keys, signs, null_bits, rows, sample, table, scratch, mailbox);
}

/// Does the same as groupby_sample_packed_kernel, for keys of any types. Such keys have no order: a different key
/// counts as both larger and smaller, and the last two words are 0.
extern "C" __global__ void GDF_BOUNDS(groupby_sample) GDF_VARIANT(groupby_sample, rows)
groupby_sample_rows_kernel(const __grid_constant__ gdf::row_keys keys, gdf::u64 signs,
                           gdf::u64 null_bits, gdf::row_count rows, int64_t sample,
                           groupby::sample_table table, gdf::scratch* scratch, unsigned long long* mailbox) {
  groupby::sample_rows<false>(keys, signs, null_bits, rows, sample, table, scratch, mailbox);
}

/// Counts the rows of each part of the hash table. The keys pack into 64 bits and have no special null. The kernel uses
/// ticket 32.
extern "C" __global__ void GDF_BOUNDS(groupby_partition) GDF_VARIANT(groupby_count_parts, hashes)
groupby_count_parts_kernel(const __grid_constant__ gdf::row_keys keys, gdf::row_count rows,
                           gdf::part_plan plan, gdf::u64 scale, gdf::scratch* scratch) {
  groupby::count_rows<false>(keys, rows, plan, scale, scratch);
}

/// Does the same for parts that are ranges of keys. The keys are integers that pack into 32 bits.
extern "C" __global__ void GDF_BOUNDS(groupby_partition) GDF_VARIANT(groupby_count_parts, ranges)
groupby_count_ranges_kernel(const __grid_constant__ gdf::row_keys keys, gdf::row_count rows,
                            gdf::part_plan plan, gdf::u64 scale, gdf::scratch* scratch) {
  groupby::count_rows<true>(keys, rows, plan, scale, scratch);
}

/// Moves keys and values to arrays of `rows` rows each, in the order of parts of the hash table. There are up to eight
/// value columns of 1, 2, 4 or 8 bytes. The dynamic shared memory holds a part_memory.
extern "C" __global__ void GDF_BOUNDS(groupby_partition) GDF_VARIANT(groupby_move_parts, hashes)
groupby_move_parts_kernel(const __grid_constant__ gdf::row_keys keys,
                          const __grid_constant__ gdf::row_table<groupby::value_columns> values,
                          gdf::row_count rows, gdf::part_plan plan, gdf::u64 scale,
                          const __grid_constant__ groupby::partition_out out) {
  extern __shared__ __align__(16) unsigned char shared[];
  groupby::move_rows<false>(keys, values, rows, plan, scale, out, shared);
}

/// Does the same for parts that are ranges of keys. The keys are integers that pack into 32 bits.
extern "C" __global__ void GDF_BOUNDS(groupby_partition) GDF_VARIANT(groupby_move_parts, ranges)
groupby_move_ranges_kernel(const __grid_constant__ gdf::row_keys keys,
                           const __grid_constant__ gdf::row_table<groupby::value_columns> values,
                           gdf::row_count rows, gdf::part_plan plan, gdf::u64 scale,
                           const __grid_constant__ groupby::partition_out out) {
  extern __shared__ __align__(16) unsigned char shared[];
  groupby::move_rows<true>(keys, values, rows, plan, scale, out, shared);
}
