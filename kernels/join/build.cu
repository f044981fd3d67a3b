// join: the table of the build side. One cooperative launch: it looks at the range of the keys, empties
// the table, and inserts the rows. If some key has several rows, it goes on and groups the numbers of
// those rows by key: all rows of a table of indices, of a hash table only the rows of such keys.

#include "key.cuh"

namespace join {

using building = join_build_tuning;
static_assert(join_build_rows_tuning::threads == building::threads);

/// What is made of the build side besides the table; null for a set: then nobody asks which rows have a key.
struct row_lists {
  uint32_t* positions;  // of each row, its key's place in the table
  uint32_t* ranks;   // of each row, how many rows of its key came before it
  uint32_t* grouped; // the numbers of rows, by key
  u64* words;        // two per row, not null where rows are inserted in the order of the table
};
static_assert(sizeof(row_lists) == 32);

/// A row gets into the table: its place, and its rank among the rows of its key. True if the key was there already.
template <bool packed>
GDF_DEVICE bool insert_row(const gdf::row_keys& keys, const gdf::key_table& table, const gdf::key_probe& probe,
                           int64_t row, bool is_set, uint32_t& position, uint32_t& rank) {
  bool found = false;
  position = static_cast<uint32_t>(
    gdf::insert_key<true>(table, probe, found, gdf::same_word<packed>{keys, probe, row}));
  if (!found) {
    if (packed) { table.slots[position].first = static_cast<uint32_t>(row); } // the word has the row else
  } else if (!is_set) {
    rank = atomicAdd(&table.slots[position].count, 1u) + 1;
  }
  return found;
}

constexpr int max_regions = 128;

/// [grid] Inserts rows whose keys do not pack, in the order of the table: a table that the L2 cache does not hold is
/// written to region by region. True if some key was there already. zeroed[0, 257); the caller makes them zero again.
GDF_DEVICE bool insert_by_region(const gdf::row_keys& keys, const gdf::key_table& table, int64_t rows,
                                 const row_lists& out, gdf::scratch* scratch, gdf::grid_barrier& barrier) {
  constexpr int threads = building::threads;
  static_assert(threads >= max_regions && sizeof(scratch->zeroed) >= (2 * max_regions + 1) * sizeof(u64));
  __shared__ uint32_t found[max_regions];
  __shared__ u64 base[max_regions];
  __shared__ u64 target[max_regions];
  __shared__ u64 ticket;
  auto* const counts = scratch->zeroed;
  auto* const taken = counts + max_regions;
  auto* const tickets = counts + 2 * max_regions;
  u64* const ordered = out.words + rows;
  bool const is_set = out.positions == nullptr;
  int const thread = static_cast<int>(threadIdx.x);
  int shift = 0;
  while (table.size >> shift >= max_regions) { shift++; }
  auto const region_of = [&](u64 word) { return static_cast<int>(gdf::home_of_hash(table, word) >> shift); };

  // The words of all rows, and how many there are of each region.
  if (thread < max_regions) { found[thread] = 0; }
  __syncthreads();
  gdf::for_each_tile<threads, 1>(rows, [&](int64_t first, bool) {
    int64_t row[1];
    bool active[1];
    gdf::rows_of_tile<threads>(first, 1, rows, row, active);
    gdf::key_probe probe[1];
    gdf::make_probes<false>(keys, row, active, probe);
    if (!active[0]) { return; }
    out.words[row[0]] = probe[0].used ? probe[0].word : gdf::empty_word;
    if (probe[0].used) { atomicAdd(&found[region_of(probe[0].word)], 1u); }
    if (!is_set) {
      out.positions[row[0]] = gdf::no_position;
      out.ranks[row[0]] = 0;
    }
  });
  __syncthreads();
  if (thread < max_regions) { atomicAdd(counts + thread, static_cast<unsigned long long>(found[thread])); }
  barrier.wait();

  // The words by region.
  u64 all;
  u64 const mine = thread < max_regions ? *static_cast<const volatile unsigned long long*>(counts + thread) : 0;
  u64 const before = gdf::block_exclusive_sum<threads>(mine, all);
  if (thread < max_regions) { base[thread] = before; }
  gdf::for_each_tile<threads, 1>(rows, [&](int64_t first, bool) {
    if (thread < max_regions) { found[thread] = 0; }
    __syncthreads();
    int64_t const row = gdf::row_of<threads>(first, 0);
    u64 const word = row < rows ? __ldcg(out.words + row) : gdf::empty_word;
    bool const used = word != gdf::empty_word;
    int const region = used ? region_of(word) : 0;
    uint32_t const rank = used ? atomicAdd(&found[region], 1u) : 0;
    __syncthreads();
    if (thread < max_regions && found[thread] != 0) {
      target[thread] = base[thread] + atomicAdd(taken + thread, static_cast<unsigned long long>(found[thread]));
    }
    __syncthreads();
    if (used) { ordered[target[region] + rank] = word; }
  });
  barrier.wait();

  // Blocks take the next words when they are done with some: a block that is ahead would leave the cache's region.
  bool duplicates = false;
  while (true) {
    __syncthreads(); // all have read the ticket before
    if (thread == 0) { ticket = atomicAdd(tickets, 1ull); }
    __syncthreads();
    u64 const at = ticket * threads + threadIdx.x;
    if (ticket * threads >= all) { break; }
    if (at >= all) { continue; }
    u64 const word = __ldcg(ordered + at);
    auto const row = static_cast<int64_t>(word & 0xffffffffull);
    gdf::key_probe const probe{word, word, 0, true};
    uint32_t position;
    uint32_t rank = 0;
    if (insert_row<false>(keys, table, probe, row, is_set, position, rank)) { duplicates = true; }
    if (!is_set) {
      out.positions[row] = position;
      if (rank != 0) { out.ranks[row] = rank; }
    }
  }
  return duplicates;
}

/// [grid] Groups the rows of a table of indices by key: its entries become the first places of their keys.
GDF_DEVICE void group_by_entry(const gdf::key_table& table, int64_t rows, const row_lists& out,
                               unsigned long long* partial, gdf::grid_barrier& barrier) {
  constexpr int threads = building::threads;
  auto const* const state = static_cast<const volatile gdf::key_table_state*>(table.state);
  auto const entries = static_cast<int64_t>(state->entries);
  uint32_t* const entry = gdf::entries_of(table);
  gdf::for_each_index(entries, [&](int64_t i) { entry[i] = 0; });
  barrier.wait();
  gdf::for_each_index(rows, [&](int64_t row) {
    uint32_t const position = out.positions[row];
    if (position != gdf::no_position) { out.ranks[row] = atomicAdd(entry + position, 1u); }
  });
  barrier.wait();

  // A range of entries per block.
  int64_t const share = (entries + gridDim.x - 1) / gridDim.x;
  int64_t const begin = share * blockIdx.x;
  int64_t const end = begin + share < entries ? begin + share : entries;
  auto const count_of = [&](int64_t i) { return *static_cast<const volatile uint32_t*>(entry + i); };
  u64 sum = 0;
  for (int64_t i = begin + threadIdx.x; i < end; i += threads) { sum += count_of(i); }
  sum = gdf::block_sum<threads>(sum);
  if (threadIdx.x == 0) { partial[blockIdx.x] = sum; }
  barrier.wait();
  u64 below = 0;
  for (uint32_t b = threadIdx.x; b < blockIdx.x; b += threads) {
    below += *static_cast<const volatile unsigned long long*>(partial + b);
  }
  u64 before;
  gdf::block_exclusive_sum<threads>(below, before);
  for (int64_t first = begin; first < end; first += threads) {
    int64_t const i = first + threadIdx.x;
    u64 const count = i < end ? count_of(i) : 0;
    u64 total;
    u64 const start = before + gdf::block_exclusive_sum<threads>(count, total);
    before += total;
    if (i < end) {
      entry[i] = static_cast<uint32_t>(start);
      if (i + 1 == entries) { entry[i + 1] = static_cast<uint32_t>(start + count); }
    }
  }
  barrier.wait();
  gdf::for_each_index(rows, [&](int64_t row) {
    uint32_t const position = out.positions[row];
    if (position == gdf::no_position) { return; }
    uint32_t const first = *static_cast<const volatile uint32_t*>(entry + position);
    out.grouped[first + out.ranks[row]] = static_cast<uint32_t>(row);
  });
}

/// [grid] Groups the rows of those keys of a hash table that have several. The second row of a key takes as many places
/// as the key has rows; their order is that of nothing.
GDF_DEVICE void group_by_slot(const gdf::key_table& table, int64_t rows, const row_lists& out,
                              gdf::grid_barrier& barrier) {
  constexpr int threads = building::threads;
  auto* const taken = reinterpret_cast<unsigned long long*>(&table.state->grouped);
  gdf::for_each_tile<threads, 1>(rows, [&](int64_t tile, bool) {
    int64_t const row = gdf::row_of<threads>(tile, 0);
    bool const second = row < rows && out.ranks[row] == 1;
    if (!__any_sync(~0u, second)) { return; }
    gdf::key_slot* const slot = table.slots + (second ? out.positions[row] : 0);
    uint32_t const count = second ? *static_cast<const volatile uint32_t*>(&slot->count) + 1 : 0;
    uint32_t const inclusive = gdf::warp_inclusive_sum(count);
    unsigned long long warps = 0;
    if (gdf::lane() == 31) { warps = atomicAdd(taken, static_cast<unsigned long long>(inclusive)); }
    warps = __shfl_sync(~0u, warps, 31);
    if (!second) { return; }
    uint32_t const first = static_cast<uint32_t>(warps) + inclusive - count;
    gdf::key_slot const claimed{*static_cast<const volatile u64*>(&slot->word),
                                *static_cast<const volatile uint32_t*>(&slot->first), 0};
    out.grouped[first] = gdf::first_of(claimed);
    slot->first = first | gdf::grouped_flag;
    slot->count = count;
  });
  barrier.wait();
  gdf::for_each_index(rows, [&](int64_t row) {
    uint32_t const rank = out.ranks[row];
    if (rank == 0) { return; }
    uint32_t const first = *static_cast<const volatile uint32_t*>(&table.slots[out.positions[row]].first);
    out.grouped[(first & ~gdf::grouped_flag) + rank] = static_cast<uint32_t>(row);
  });
}

/// [grid]
template <bool packed>
GDF_DEVICE void build(const gdf::row_keys& keys, const gdf::key_table& table, int64_t rows, const row_lists& out,
                      gdf::scratch* scratch) {
  constexpr int threads = building::threads;
  auto* const partial = reinterpret_cast<unsigned long long*>(scratch->partials);
  bool const is_set = out.positions == nullptr;
  gdf::grid_barrier barrier{scratch, 32};
  gdf::begin_key_table<building>(table, keys, rows, partial, barrier);

  auto const* const state = static_cast<const volatile gdf::key_table_state*>(table.state);
  u64 const low = state->low;
  u64 const entries = state->entries;
  bool const direct = packed && entries != 0;
  bool duplicates = false;
  // Looking at texts takes registers: a row at a time.
  constexpr int most = packed ? building::items : join_build_rows_tuning::items;
  bool const by_region = !packed && out.words != nullptr;
  if (by_region) {
    if constexpr (!packed) { duplicates = insert_by_region(keys, table, rows, out, scratch, barrier); }
  } else {
    gdf::for_each_spread_tile<threads, most>(rows, [&]<int items>(int64_t first, int share) {
      int64_t row[items];
      bool active[items];
      gdf::rows_of_tile<threads>(first, share, rows, row, active);
      gdf::key_probe probe[items];
      gdf::make_probes<packed>(keys, row, active, probe);
#pragma unroll
      for (int i = 0; i < items; i++) {
        if (!active[i]) { continue; }
        uint32_t position = gdf::no_position;
        uint32_t rank = 0;
        if (probe[i].used) {
          bool found;
          if (direct) {
            position = gdf::entry_of(table, low, entries, probe[i]);
            uint32_t const number = static_cast<uint32_t>(row[i]);
            found = atomicCAS(gdf::entries_of(table) + position, gdf::no_entry, number) != gdf::no_entry;
          } else {
            found = insert_row<packed>(keys, table, probe[i], row[i], is_set, position, rank);
          }
          duplicates = duplicates || found;
        }
        if (!is_set) {
          out.positions[row[i]] = position;
          if (!direct) { out.ranks[row[i]] = rank; }
        }
      }
    });
  }
  if (!is_set) {
    if (__syncthreads_or(duplicates) && threadIdx.x == 0) {
      *static_cast<volatile unsigned long long*>(
        reinterpret_cast<unsigned long long*>(&table.state->duplicates)) = 1;
    }
    barrier.wait();
    if (state->duplicates != 0) {
      if (direct) {
        group_by_entry(table, rows, out, partial, barrier);
      } else {
        group_by_slot(table, rows, out, barrier);
      }
    }
  }
  bool const last = barrier.end();
  if (last && by_region) {
    for (int i = static_cast<int>(threadIdx.x); i <= 2 * max_regions; i += threads) { scratch->zeroed[i] = 0; }
  }
}

} // namespace join

/// The table of `rows` rows, fewer than 2^31, of at least twice as many slots. Of `out`, places, ranks and grouped have
/// a word per row, or are null all three; words has two, or is null. A cooperative launch.
extern "C" __global__ void GDF_BOUNDS(join_build) GDF_VARIANT(join_build, packed)
join_build_packed_kernel(const __grid_constant__ gdf::row_keys keys,
                         const __grid_constant__ gdf::key_table table, int64_t rows,
                         const __grid_constant__ join::row_lists out, gdf::scratch* scratch) {
  join::build<true>(keys, table, rows, out, scratch);
}

/// As join_build_packed, by keys that do not pack into 64 bits.
extern "C" __global__ void GDF_BOUNDS(join_build_rows) GDF_VARIANT(join_build, rows)
join_build_rows_kernel(const __grid_constant__ gdf::row_keys keys,
                       const __grid_constant__ gdf::key_table table, int64_t rows,
                       const __grid_constant__ join::row_lists out, gdf::scratch* scratch) {
  join::build<false>(keys, table, rows, out, scratch);
}
