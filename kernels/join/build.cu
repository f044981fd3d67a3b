// join: builds the table of the build side in one cooperative launch. The kernel finds the range of the keys,
// initializes the table and inserts the rows. If some key has several rows, the kernel also groups row numbers by key.

#include "regions.cuh"

namespace join {

/// [grid] Groups the rows of a table of indices by key. The entries of the table become the positions of the first rows
/// of their keys.
GDF_DEVICE void group_by_entry(const gdf::row_keys& keys, const gdf::key_table& table, int64_t rows,
                               const row_lists& out, unsigned long long* partial, gdf::grid_barrier& barrier) {
  constexpr int threads = building::threads;
  auto const* const state = static_cast<const volatile gdf::key_table_state*>(table.state);
  u64 const low = state->low;
  auto const entries = static_cast<int64_t>(state->entries);
  uint32_t* const entry = gdf::entries_of(table);
  gdf::for_each_index(entries, [&](int64_t i) { entry[i] = 0; });
  barrier.wait();
  gdf::for_each_index(rows, [&](int64_t at) {
    int64_t const row[1] = {at};
    bool const active[1] = {true};
    gdf::key_probe probe[1];
    gdf::make_probes<true>(keys, row, active, probe);
    u64 place = gdf::no_position;
    if (probe[0].used) {
      place = gdf::entry_of(table, low, static_cast<u64>(entries), probe[0]);
      place |= static_cast<u64>(atomicAdd(entry + place, 1u)) << 32;
    }
    out.places[at] = place;
  });
  barrier.wait();

  // Each block handles a range of entries.
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
    u64 const place = out.places[row];
    auto const position = static_cast<uint32_t>(place);
    if (position == gdf::no_position) { return; }
    uint32_t const first = *static_cast<const volatile uint32_t*>(entry + position);
    out.grouped[first + (place >> 32)] = static_cast<uint32_t>(row);
  });
}

/// [grid] Groups the rows of those keys of a hash table that have several rows.
GDF_DEVICE void group_by_slot(const gdf::key_table& table, int64_t numbers, const row_lists& out,
                              gdf::grid_barrier& barrier) {
  auto* const taken = reinterpret_cast<unsigned long long*>(&table.state->grouped);
  // If the key of a row was found in its region, the number of earlier rows with the key is not known yet.
  if (out.ordered != nullptr) {
    for_each_set(out.found, numbers, [&](int64_t number, bool found) {
      u64 const place = found ? __ldcg(out.places + number) : 0;
      if (!found || place >> 32 != 0) { return; }
      u64 const before = atomicAdd(&table.slots[place].count, 1u) + 1;
      out.places[number] = before << 32 | place;
    });
    barrier.wait();
  }
  for_each_set(out.found, numbers, [&](int64_t number, bool found) {
    u64 const place = found ? __ldcg(out.places + number) : 0;
    bool const second = place >> 32 == 1;
    gdf::key_slot* const slot = table.slots + static_cast<uint32_t>(place);
    uint32_t const count = second ? *static_cast<const volatile uint32_t*>(&slot->count) + 1 : 0;
    uint32_t const inclusive = gdf::warp_inclusive_sum(count);
    unsigned long long warps = 0;
    if (gdf::lane() == 31 && inclusive != 0) { warps = atomicAdd(taken, static_cast<unsigned long long>(inclusive)); }
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
  for_each_set(out.found, numbers, [&](int64_t number, bool found) {
    if (!found) { return; }
    u64 const place = __ldcg(out.places + number);
    auto const* const slot = table.slots + static_cast<uint32_t>(place);
    uint32_t const first = *static_cast<const volatile uint32_t*>(&slot->first) & ~gdf::grouped_flag;
    out.grouped[first + (place >> 32)] = out.ordered != nullptr ? gdf::first_of(row_at(out, number)) : static_cast<uint32_t>(number);
  });
}

/// [grid]
template <bool packed>
GDF_DEVICE void build(const gdf::row_keys& keys, const gdf::key_table& table, int64_t rows, const row_lists& out,
                      gdf::scratch* scratch) {
  constexpr int threads = building::threads;
  auto* const partial = reinterpret_cast<unsigned long long*>(scratch->partials);
  bool const is_set = out.grouped == nullptr;
  gdf::grid_barrier barrier{scratch, 32};
  part_counts* const parts = out.ordered != nullptr ? begin_regions(rows, out, scratch) : nullptr;
  if (!is_set) { gdf::for_each_index((rows + 31) / 32, [&](int64_t i) { out.found[i] = 0; }); }
  gdf::begin_key_table<building>(table, keys, rows, partial, barrier, parts == nullptr);

  auto const* const state = static_cast<const volatile gdf::key_table_state*>(table.state);
  u64 const low = state->low;
  u64 const entries = state->entries;
  bool const direct = packed && entries != 0;
  bool const marked = direct && state->marked != 0;
  bool const by_region = !direct && parts != nullptr;
  bool duplicates = false;
  int64_t numbers = rows;
  // Comparing texts takes many registers, so a thread handles one row at a time.
  constexpr int most = packed ? building::items : join_build_rows_tuning::items;
  if (by_region) {
    numbers = insert_by_region<packed>(keys, table, rows, out, parts, barrier, duplicates);
  } else {
    gdf::for_each_spread_tile<threads, most>(rows, [&]<int items>(int64_t first, int share) {
      int64_t row[items];
      bool active[items];
      gdf::rows_of_tile<threads>(first, share, rows, row, active);
      gdf::key_probe probe[items];
      gdf::make_probes<packed>(keys, row, active, probe);
#pragma unroll
      for (int i = 0; i < items; i++) {
        bool found = false;
        if (!direct) {
          found = insert_row<packed>(keys, table, probe[i], row[i], row[i], out);
          if (!is_set && i < share) { set_bits(out.found, row[i], found); }
        } else if (probe[i].used) {
          uint32_t const position = gdf::entry_of(table, low, entries, probe[i]);
          uint32_t const number = static_cast<uint32_t>(row[i]);
          found = atomicCAS(gdf::entries_of(table) + position, gdf::no_entry, number) != gdf::no_entry;
          if (marked) { atomicOr(table.present + (position >> 5), 1u << (position & 31)); }
        }
        duplicates = duplicates || found;
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
        group_by_entry(keys, table, rows, out, partial, barrier);
      } else {
        group_by_slot(table, numbers, out, barrier);
      }
    }
  }
  barrier.end();
}

} // namespace join

/// Builds the table of `rows` rows (fewer than 2^31). The table has at least twice as many slots as rows. The launch
/// must be cooperative.
extern "C" __global__ void GDF_BOUNDS(join_build) GDF_VARIANT(join_build, packed)
join_build_packed_kernel(const __grid_constant__ gdf::row_keys keys,
                         const __grid_constant__ gdf::key_table table, gdf::row_count rows,
                         const __grid_constant__ join::row_lists out, gdf::scratch* scratch) {
  join::build<true>(keys, table, rows, out, scratch);
}

/// Does the same as join_build_packed_kernel, for keys that do not pack into 64 bits.
extern "C" __global__ void GDF_BOUNDS(join_build_rows) GDF_VARIANT(join_build, rows)
join_build_rows_kernel(const __grid_constant__ gdf::row_keys keys,
                       const __grid_constant__ gdf::key_table table, gdf::row_count rows,
                       const __grid_constant__ join::row_lists out, gdf::scratch* scratch) {
  join::build<false>(keys, table, rows, out, scratch);
}
