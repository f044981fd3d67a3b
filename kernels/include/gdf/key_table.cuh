// A table of the keys of rows, for join and distinct. If the only key column has integers in a small range, the table
// is direct: a key is the index of a 32-bit entry. All other keys are hashed, with open addressing and linear probing.
#pragma once

#include "block_sum.cuh"
#include "grid.cuh"
#include "grid_barrier.cuh"
#include "row_keys.cuh"

namespace gdf {

struct key_slot {
  u64 word;       // empty_word while the slot is free
  uint32_t first; // the row that has the key (~0: the row of the word); for a key of several rows: grouped_flag and
                  // the position of the key's first row among the grouped rows
  uint32_t count; // the number of rows of a key of several rows; else 0
};
static_assert(sizeof(key_slot) == 16);

struct key_table_state {
  u64 low;        // order number of entry 0
  u64 entries;    // entries of a direct table, with the entry for nulls at its end; 0 for a hash table
  u64 duplicates; // whether some key has several rows, which are grouped
  u64 grouped;    // for a hash table: the number of grouped rows
  u64 marked;     // whether `present` of a direct table has the entries that have keys
  u64 unused;
};

/// The table as kernels take it, by value in their parameters.
struct key_table {
  key_slot* slots; // `size` slots, one for the key of all ones, and one for a null key without a null bit
  int64_t size;
  key_table_state* state;
  int32_t direct;   // type number of the column whose values may be indices; -1 if there is no such column
  int32_t null_bit; // the null bit of that column, or no_bit
  int64_t indices;  // for a direct table: the number of 32-bit words of its memory
  uint32_t* present; // a bit for each index, or null; used if few entries of a direct table have keys
};
static_assert(sizeof(key_table) == 48);

/// A direct table marks the entries that have keys if it has at least this many entries for each row. Most lookups of a
/// selective join then read no entry, only a bit that stays in the cache.
constexpr u64 entries_per_marked_row = 8;

constexpr uint32_t no_position = ~0u; // the position of a row without a key, or of a key that is not in the table
constexpr uint32_t no_entry = ~0u;
constexpr uint32_t grouped_flag = 1u << 31; // marks a place among the grouped rows; row numbers are smaller

/// The layout of a table, for launches that do not change it.
struct key_layout {
  u64 low;
  u64 entries;
  bool duplicates;
  bool marked;

  GDF_DEVICE explicit key_layout(const key_table& table)
    : low(table.state->low), entries(table.state->entries), duplicates(table.state->duplicates != 0),
      marked(table.state->marked != 0) {}
};

GDF_DEVICE uint32_t* entries_of(const key_table& table) {
  return reinterpret_cast<uint32_t*>(table.slots);
}

GDF_DEVICE uint32_t entry_of(const key_table& table, u64 low, u64 entries, const key_probe& probe) {
  bool const null =
    probe.special == 2 || (table.null_bit != no_bit && probe.word >> table.null_bit != 0);
  if (null) { return static_cast<uint32_t>(entries - 1); }
  u64 const index = order_of_bits(table.direct, probe.word) - low;
  return index < entries - 1 ? static_cast<uint32_t>(index) : no_position;
}

/// [thread] Returns the slot at which the search for a key with that hash begins.
///
/// The slot depends only on the upper half of the hash.
GDF_DEVICE int64_t home_of_hash(const key_table& table, u64 hash) {
  return static_cast<int64_t>((hash >> 32) * static_cast<u64>(table.size) >> 32); // fewer than 2^32 slots
}

GDF_DEVICE int64_t home_of(const key_table& table, const key_probe& probe) {
  return probe.special != 0 ? table.size + probe.special - 1 : home_of_hash(table, probe.hash);
}

/// [thread] Returns the next slot of a search.
GDF_DEVICE int64_t next_slot(const key_table& table, int64_t at) {
  return at + 1 == table.size ? 0 : at + 1;
}

GDF_DEVICE uint32_t first_of(const key_slot& slot) {
  return slot.first == no_entry ? static_cast<uint32_t>(slot.word) : slot.first;
}

GDF_DEVICE key_slot load_slot(const key_table& table, int64_t at) {
  uint4 const words = __ldg(reinterpret_cast<const uint4*>(table.slots + at));
  return {static_cast<u64>(words.y) << 32 | words.x, words.z, words.w};
}

/// [thread] Returns the slot of a key.
///
/// The table must have a free slot.
template <bool mostly_new, class Same>
GDF_DEVICE int64_t insert_key(const key_table& table, const key_probe& probe, bool& found, Same&& same) {
  int64_t at = home_of(table, probe);
  u64 const word = probe.special != 0 ? 0 : probe.word;
  while (true) {
    key_slot* const slot = table.slots + at;
    auto* const address = reinterpret_cast<unsigned long long*>(&slot->word);
    u64 there = empty_word;
    if (!mostly_new) { there = *static_cast<const volatile unsigned long long*>(address); }
    if (there == empty_word) {
      there = atomicCAS(address, static_cast<unsigned long long>(empty_word),
                        static_cast<unsigned long long>(word));
      if (there == empty_word) {
        found = false;
        return at;
      }
    }
    if (probe.special != 0 || same(there)) {
      found = true;
      return at;
    }
    at = next_slot(table, at);
  }
}

/// [thread] Looks up several keys in a hash table. All searches advance by one slot at a time, so that their loads
/// overlap.
template <int items, class Same>
GDF_DEVICE void find_keys(const key_table& table, const key_probe (&probe)[items], key_slot (&slot)[items], Same&& same) {
  if constexpr (items == 1) { // a single instance of the comparison, which may be much code
    int64_t at = home_of(table, probe[0]);
    slot[0] = probe[0].used ? load_slot(table, at) : key_slot{empty_word, 0, 0};
    while (slot[0].word != empty_word && probe[0].special == 0 && !same(0, slot[0].word)) {
      at = next_slot(table, at);
      slot[0] = load_slot(table, at);
    }
    return;
  }
  uint32_t at[items]; // a table has fewer than 2^32 slots
  uint32_t further = 0;
#pragma unroll
  for (int i = 0; i < items; i++) {
    at[i] = static_cast<uint32_t>(home_of(table, probe[i]));
    slot[i] = probe[i].used ? load_slot(table, at[i]) : key_slot{empty_word, 0, 0};
  }
#pragma unroll
  for (int i = 0; i < items; i++) {
    bool const other = slot[i].word != empty_word && probe[i].special == 0 && !same(i, slot[i].word);
    further |= static_cast<uint32_t>(other) << i;
  }
  while (further != 0) {
#pragma unroll
    for (int i = 0; i < items; i++) {
      if (further >> i & 1) {
        at[i] = static_cast<uint32_t>(next_slot(table, at[i]));
        slot[i] = load_slot(table, at[i]);
      }
    }
#pragma unroll
    for (int i = 0; i < items; i++) {
      if (further >> i & 1 && (slot[i].word == empty_word || same(i, slot[i].word))) { further ^= 1u << i; }
    }
  }
}

namespace key_table_detail {

template <int threads>
GDF_DEVICE void block_range(u64& min_value, u64& max_value) {
  __shared__ u64 low[threads / 32];
  __shared__ u64 high[threads / 32];
  auto const take = [&](u64 l, u64 g) {
    min_value = l < min_value ? l : min_value;
    max_value = g > max_value ? g : max_value;
  };
  auto const take_warp = [&] {
#pragma unroll
    for (int step = 16; step > 0; step >>= 1) {
      u64 const l = __shfl_xor_sync(~0u, min_value, step);
      u64 const g = __shfl_xor_sync(~0u, max_value, step);
      take(l, g);
    }
  };
  take_warp();
  __syncthreads(); // threads may still read results of a previous call
  if (lane() == 0) {
    low[warp()] = min_value;
    high[warp()] = max_value;
  }
  __syncthreads();
  if (lane() < threads / 32) { take(low[lane()], high[lane()]); }
  take_warp();
}

} // namespace key_table_detail

/// [grid] Chooses the kind of the table for the keys of `rows` rows, and empties the table.
///
/// The function has one or two grid barriers.
template <class Tuning>
GDF_DEVICE void begin_key_table(const key_table& table, const row_keys& keys, int64_t rows,
                                unsigned long long* partial, grid_barrier& barrier, bool clear = true) {
  constexpr int threads = Tuning::threads;
  u64 low = 0;
  u64 entries = 0;
  if (table.present != nullptr) { for_each_index((table.indices + 31) / 32, [&](int64_t i) { table.present[i] = 0; }); }
  if (table.direct >= 0) {
    u64 min_value = ~0ull;
    u64 max_value = 0;
    for_each_spread_tile<threads, Tuning::items>(rows, [&]<int items>(int64_t first, int share) {
      int64_t row[items];
      bool active[items];
      u64 bits[items];
      rows_of_tile<threads>(first, share, rows, row, active);
      load_bits(keys.rows.column[0], row, active, bits);
#pragma unroll
      for (int i = 0; i < items; i++) {
        if (active[i] && is_valid(keys.rows.column[0], row[i])) {
          u64 const number = order_of_bits(table.direct, bits[i]);
          min_value = number < min_value ? number : min_value;
          max_value = number > max_value ? number : max_value;
        }
      }
    });
    key_table_detail::block_range<threads>(min_value, max_value);
    if (threadIdx.x == 0) {
      partial[2 * blockIdx.x] = min_value;
      partial[2 * blockIdx.x + 1] = max_value;
    }
    barrier.wait();
    min_value = ~0ull;
    max_value = 0;
    for (uint32_t b = threadIdx.x; b < gridDim.x; b += threads) {
      u64 const l = *static_cast<const volatile unsigned long long*>(partial + 2 * b);
      u64 const g = *static_cast<const volatile unsigned long long*>(partial + 2 * b + 1);
      min_value = l < min_value ? l : min_value;
      max_value = g > max_value ? g : max_value;
    }
    key_table_detail::block_range<threads>(min_value, max_value);
    // Two entries are not available for keys: the entry for nulls, and the last entry, which holds the number of rows.
    u64 const capacity = static_cast<u64>(table.indices) - 2;
    if (min_value > max_value) {
      entries = 1;
    } else if (max_value - min_value < capacity && max_value - min_value < 0xfffffff0ull) {
      low = min_value;
      entries = max_value - min_value + 2;
    }
  }
  int64_t const vectors = entries != 0 ? static_cast<int64_t>(entries + 4) / 4 : clear ? table.size + 2 : 0;
  auto* const memory = reinterpret_cast<uint4*>(table.slots);
  uint4 const empty = entries != 0 ? uint4{~0u, ~0u, ~0u, ~0u} : uint4{~0u, ~0u, ~0u, 0};
  for_each_index(vectors, [&](int64_t i) { memory[i] = empty; });
  if (blockIdx.x == 0 && threadIdx.x == 0) {
    bool const marked = table.present != nullptr && entries / entries_per_marked_row >= static_cast<u64>(rows);
    *table.state = key_table_state{low, entries, 0, 0, marked, 0};
  }
  barrier.wait();
}

} // namespace gdf
