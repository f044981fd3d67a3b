// join: the table of the build side. One cooperative launch: it looks at the range of the keys, empties
// the table, and inserts the rows. If some key has several rows, it goes on: rows are counted by key,
// the counts become first places, and the numbers of the rows are grouped by key.

#include "key.cuh"

namespace join {

using building = join_build_tuning;

/// [thread] The count of a key, by its place.
GDF_DEVICE uint32_t* count_at(const gdf::key_table& table, bool direct, int64_t place) {
  return direct ? gdf::entries_of(table) + place : &table.slots[place].count;
}

/// [grid] Groups the numbers of the rows by key.
GDF_DEVICE void group_rows(const gdf::key_table& table, int64_t rows, const uint32_t* places,
                           uint32_t* ranks, uint32_t* grouped, unsigned long long* partial,
                           gdf::grid_barrier& barrier) {
  constexpr int threads = building::threads;
  auto const* const state = static_cast<const volatile gdf::key_table_state*>(table.state);
  u64 const entries = state->entries;
  bool const direct = entries != 0;
  int64_t const places_in_all = direct ? static_cast<int64_t>(entries) : table.size + 2;
  uint32_t* const entry = gdf::entries_of(table);
  if (direct) {
    gdf::for_each_index(places_in_all, [&](int64_t i) { entry[i] = 0; });
    barrier.wait();
  }
  gdf::for_each_index(rows, [&](int64_t row) {
    uint32_t const place = places[row];
    if (place != gdf::no_place) { ranks[row] = atomicAdd(count_at(table, direct, place), 1u); }
  });
  barrier.wait();

  // A range of places per block.
  int64_t const share = (places_in_all + gridDim.x - 1) / gridDim.x;
  int64_t const begin = share * blockIdx.x;
  int64_t const end = begin + share < places_in_all ? begin + share : places_in_all;
  auto const count_of = [&](int64_t place) {
    return *static_cast<const volatile uint32_t*>(count_at(table, direct, place));
  };
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
      if (direct) {
        entry[i] = static_cast<uint32_t>(start);
        if (i + 1 == places_in_all) { entry[i + 1] = static_cast<uint32_t>(start + count); }
      } else {
        table.slots[i].first = static_cast<uint32_t>(start);
      }
    }
  }
  barrier.wait();
  gdf::for_each_index(rows, [&](int64_t row) {
    uint32_t const place = places[row];
    if (place == gdf::no_place) { return; }
    auto const* const first = direct ? entry + place : &table.slots[place].first;
    grouped[*static_cast<const volatile uint32_t*>(first) + ranks[row]] = static_cast<uint32_t>(row);
  });
}

/// [grid] `places` and what follows are null for a set: then nobody asks which rows have a key.
template <bool packed>
GDF_DEVICE void build(const gdf::row_keys& keys, const gdf::key_table& table, int64_t rows,
                      uint32_t* places, uint32_t* ranks, uint32_t* grouped, gdf::scratch* scratch) {
  constexpr int threads = building::threads;
  constexpr int items = building::items;
  auto* const partial = reinterpret_cast<unsigned long long*>(scratch->partials);
  gdf::grid_barrier barrier{scratch, 32};
  gdf::begin_key_table<building>(table, keys, rows, partial, barrier);

  auto const* const state = static_cast<const volatile gdf::key_table_state*>(table.state);
  u64 const low = state->low;
  u64 const entries = state->entries;
  bool duplicates = false;
  gdf::for_each_tile<threads, items>(rows, [&](int64_t first, bool) {
    int64_t row[items];
    bool wanted[items];
#pragma unroll
    for (int i = 0; i < items; i++) {
      row[i] = gdf::row_of<threads>(first, i);
      wanted[i] = row[i] < rows;
    }
    gdf::key_probe probe[items];
    gdf::make_probes<packed>(keys, row, wanted, probe);
#pragma unroll
    for (int i = 0; i < items; i++) {
      if (!wanted[i]) { continue; }
      uint32_t place = gdf::no_place;
      if (probe[i].used) {
        bool found = false;
        if (packed && entries != 0) {
          place = gdf::entry_of(table, low, entries, probe[i]);
          uint32_t const number = static_cast<uint32_t>(row[i]);
          found = atomicCAS(gdf::entries_of(table) + place, gdf::no_entry, number) != gdf::no_entry;
        } else {
          place = static_cast<uint32_t>(
            gdf::insert_key(table, probe[i], found, gdf::same_word<packed>{keys, probe[i], row[i]}));
          if (!found) { table.slots[place].first = static_cast<uint32_t>(row[i]); }
        }
        duplicates = duplicates || found;
      }
      if (places != nullptr) { places[row[i]] = place; }
    }
  });
  if (places != nullptr) {
    if (__syncthreads_or(duplicates) && threadIdx.x == 0) {
      *static_cast<volatile unsigned long long*>(
        reinterpret_cast<unsigned long long*>(&table.state->duplicates)) = 1;
    }
    barrier.wait();
    if (state->duplicates != 0) {
      group_rows(table, rows, places, ranks, grouped, partial, barrier);
    }
  }
  barrier.end();
}

} // namespace join

/// The table of `rows` rows, fewer than 2^31, of at least twice as many slots. A cooperative launch.
extern "C" __global__ void GDF_BOUNDS(join_build)
join_build_packed_kernel(const __grid_constant__ gdf::row_keys keys,
                         const __grid_constant__ gdf::key_table table, int64_t rows, uint32_t* places,
                         uint32_t* ranks, uint32_t* grouped, gdf::scratch* scratch) {
  join::build<true>(keys, table, rows, places, ranks, grouped, scratch);
}

/// As join_build_packed, by keys that do not pack into 64 bits.
extern "C" __global__ void GDF_BOUNDS(join_build)
join_build_rows_kernel(const __grid_constant__ gdf::row_keys keys,
                       const __grid_constant__ gdf::key_table table, int64_t rows, uint32_t* places,
                       uint32_t* ranks, uint32_t* grouped, gdf::scratch* scratch) {
  join::build<false>(keys, table, rows, places, ranks, grouped, scratch);
}
